//! Programs that run the one among their arguments.

use super::program::{Forbidden, Judge, SETTINGS, Verdict, is_guarding};
use crate::model::shell::line::UNKNOWN;

/// A program that runs another one.
#[derive(Debug)]
pub(super) struct Wrapper {
    name: &'static str,
    form: Form,
    /// The words of which one comes before the program, if it runs one only with such a word.
    verbs: &'static [&'static str],
    /// The short options whose argument may be the next word.
    with_argument: &'static str,
    /// The options whose argument is a command line.
    lines: &'static [&'static str],
    /// How many other arguments come before the program.
    operands: usize,
    /// Whether the program gets another environment.
    clears: bool,
}

/// How a program gets the one that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As words after its own options.
    Words,
    /// As words after its own options, or a shell if there are none.
    Shell,
    /// As words, as arguments of a shell perhaps after the name of a user, or a shell if there are none.
    ShellWords,
    /// As words that a shell reads as a line.
    Line,
    /// In a way of its own: each of its words may be a program.
    Any,
    /// In a way of its own: each of its words, and each word of its input, may be a program.
    AnyInput,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    form: Form::Words,
    verbs: &[],
    with_argument: "",
    lines: &[],
    operands: 0,
    clears: false,
};

const LINE: &[&str] = &["c", "command", "session-command", "call"];

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "env", with_argument: "uC", lines: &["S", "split-string"], ..PLAIN },
    Wrapper { name: "sudo", form: Form::Shell, with_argument: "ugpCDhrtTUR", clears: true, ..PLAIN },
    Wrapper { name: "doas", form: Form::Shell, with_argument: "uC", clears: true, ..PLAIN },
    Wrapper { name: "su", form: Form::ShellWords, with_argument: "gGsTw", lines: LINE, clears: true, ..PLAIN },
    Wrapper { name: "runuser", form: Form::ShellWords, with_argument: "gGsTuw", lines: LINE, clears: true, ..PLAIN },
    Wrapper { name: "script", form: Form::Shell, with_argument: "oEIOBTm", lines: LINE, operands: 1, ..PLAIN },
    Wrapper { name: "unshare", form: Form::Shell, with_argument: "RwSGl", ..PLAIN },
    Wrapper { name: "chroot", form: Form::Shell, operands: 1, ..PLAIN },
    Wrapper { name: "nice", with_argument: "n", ..PLAIN },
    Wrapper { name: "ionice", with_argument: "cnpP", ..PLAIN },
    Wrapper { name: "chrt", with_argument: "TPD", operands: 1, ..PLAIN },
    Wrapper { name: "taskset", operands: 1, ..PLAIN },
    Wrapper { name: "prlimit", ..PLAIN },
    Wrapper { name: "setpriv", ..PLAIN },
    Wrapper { name: "setarch", operands: 1, ..PLAIN },
    Wrapper { name: "gosu", operands: 1, ..PLAIN },
    Wrapper { name: "nohup", ..PLAIN },
    Wrapper { name: "setsid", ..PLAIN },
    Wrapper { name: "time", with_argument: "fo", ..PLAIN },
    Wrapper { name: "timeout", with_argument: "ks", operands: 1, ..PLAIN },
    Wrapper { name: "stdbuf", with_argument: "ioe", ..PLAIN },
    Wrapper { name: "unbuffer", ..PLAIN },
    Wrapper { name: "fakeroot", with_argument: "lsi", ..PLAIN },
    Wrapper { name: "faketime", operands: 1, ..PLAIN },
    Wrapper { name: "xargs", with_argument: "adEILnPs", ..PLAIN },
    Wrapper { name: "exec", with_argument: "a", ..PLAIN },
    Wrapper { name: "command", ..PLAIN },
    Wrapper { name: "builtin", ..PLAIN },
    Wrapper { name: "coproc", ..PLAIN },
    Wrapper { name: "busybox", ..PLAIN },
    Wrapper { name: "toybox", ..PLAIN },
    Wrapper { name: "caffeinate", with_argument: "tw", ..PLAIN },
    Wrapper { name: "flock", with_argument: "wE", lines: LINE, operands: 1, ..PLAIN },
    Wrapper { name: "watch", form: Form::Line, with_argument: "nq", ..PLAIN },
    Wrapper { name: "strace", with_argument: "abeEoOpsSuUX", ..PLAIN },
    Wrapper { name: "uv", verbs: &["run"], with_argument: "pwifPC", ..PLAIN },
    Wrapper { name: "uvx", with_argument: "pwifPC", ..PLAIN },
    Wrapper { name: "poetry", verbs: &["run"], ..PLAIN },
    Wrapper { name: "pipenv", verbs: &["run"], ..PLAIN },
    Wrapper { name: "pipx", verbs: &["run"], ..PLAIN },
    Wrapper { name: "pdm", verbs: &["run"], with_argument: "p", ..PLAIN },
    Wrapper { name: "hatch", verbs: &["run"], ..PLAIN },
    Wrapper { name: "rye", verbs: &["run"], ..PLAIN },
    Wrapper { name: "conda", verbs: &["run"], with_argument: "np", ..PLAIN },
    Wrapper { name: "mamba", verbs: &["run"], with_argument: "np", ..PLAIN },
    Wrapper { name: "npx", with_argument: "pw", lines: LINE, ..PLAIN },
    Wrapper { name: "npm", verbs: &["exec", "x"], with_argument: "pw", lines: LINE, ..PLAIN },
    Wrapper { name: "pnpm", verbs: &["exec", "dlx"], lines: LINE, ..PLAIN },
    Wrapper { name: "pnpx", lines: LINE, ..PLAIN },
    Wrapper { name: "yarn", verbs: &["exec", "dlx", "run"], with_argument: "p", ..PLAIN },
    Wrapper { name: "bun", verbs: &["x", "run", "exec"], ..PLAIN },
    Wrapper { name: "bunx", with_argument: "p", ..PLAIN },
    Wrapper { name: "bundle", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "rustup", verbs: &["run"], operands: 1, ..PLAIN },
    Wrapper { name: "direnv", verbs: &["exec"], operands: 1, ..PLAIN },
    Wrapper { name: "mise", verbs: &["exec", "x"], lines: LINE, ..PLAIN },
    Wrapper { name: "asdf", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "rbenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "pyenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "docker", form: Form::Any, verbs: &["run", "exec"], ..PLAIN },
    Wrapper { name: "podman", form: Form::Any, verbs: &["run", "exec"], ..PLAIN },
    Wrapper { name: "kubectl", form: Form::Any, verbs: &["run", "exec"], ..PLAIN },
    Wrapper { name: "at", form: Form::AnyInput, ..PLAIN },
    Wrapper { name: "batch", form: Form::AnyInput, ..PLAIN },
    Wrapper { name: "bwrap", form: Form::Any, ..PLAIN },
    Wrapper { name: "cross-env", form: Form::Any, ..PLAIN },
    Wrapper { name: "dotenv", form: Form::Any, ..PLAIN },
    Wrapper { name: "entr", form: Form::Any, ..PLAIN },
    Wrapper { name: "expect", form: Form::Any, ..PLAIN },
    Wrapper { name: "firejail", form: Form::Any, ..PLAIN },
    Wrapper { name: "gdb", form: Form::Any, ..PLAIN },
    Wrapper { name: "ltrace", form: Form::Any, ..PLAIN },
    Wrapper { name: "nix", form: Form::Any, ..PLAIN },
    Wrapper { name: "nix-shell", form: Form::Any, ..PLAIN },
    Wrapper { name: "nsenter", form: Form::Any, ..PLAIN },
    Wrapper { name: "parallel", form: Form::AnyInput, ..PLAIN },
    Wrapper { name: "perf", form: Form::Any, ..PLAIN },
    Wrapper { name: "screen", form: Form::Any, ..PLAIN },
    Wrapper { name: "socat", form: Form::Any, ..PLAIN },
    Wrapper { name: "systemd-run", form: Form::Any, ..PLAIN },
    Wrapper { name: "tmux", form: Form::Any, ..PLAIN },
    Wrapper { name: "valgrind", form: Form::Any, ..PLAIN },
    Wrapper { name: "watchexec", form: Form::Any, ..PLAIN },
    Wrapper { name: "xvfb-run", form: Form::Any, ..PLAIN },
];

/// Long options without an argument. One that is not known may or may not take the next word.
const FLAGS: &[&str] = &[
    "all-extras",
    "debug",
    "foreground",
    "frozen",
    "ignore-environment",
    "isolated",
    "locked",
    "login",
    "no-install",
    "no-run-if-empty",
    "no-sync",
    "null",
    "offline",
    "open-tty",
    "preserve-env",
    "preserve-environment",
    "preserve-status",
    "quiet",
    "replace",
    "silent",
    "verbose",
    "yes",
];

impl Wrapper {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        WRAPPERS.iter().find(|wrapper| wrapper.name == name)
    }

    /// Judges the program that it runs. If an option may or may not take the next word, both readings are judged.
    pub(super) fn judged(&'static self, judge: Judge<'_>, arguments: &[String]) -> Verdict {
        let mut reading = Reading { wrapper: self, judge, replaced: None, has_line: false };
        reading.judge.is_cleared |= self.clears;
        let begin = match arguments.iter().position(|word| self.verbs.contains(&word.as_str())) {
            Some(at) => at + 1,
            None if self.verbs.is_empty() => 0,
            None => return Ok(()),
        };
        match self.form {
            Form::Any => return judge.search_command(),
            Form::AnyInput => return judge.search_all(),
            _ => {}
        }
        reading.words(&arguments[begin..])
    }
}

/// The arguments of a wrapper that are being read.
struct Reading<'a> {
    wrapper: &'static Wrapper,
    judge: Judge<'a>,
    /// What stands for the arguments that are read from elsewhere.
    replaced: Option<String>,
    has_line: bool,
}

impl Reading<'_> {
    fn words(&mut self, words: &[String]) -> Verdict {
        let mut operands = self.wrapper.operands;
        let mut n = 0;
        while let Some(word) = words.get(n) {
            n += 1;
            let next = words.get(n).map(String::as_str);
            if word == "--" {
                continue;
            }
            if let Some(option) = word.strip_prefix("--") {
                let (name, attached) = match option.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (option, None),
                };
                // The argument of this one is optional, so it is no word of its own.
                self.option(name, if name == "replace" { attached } else { attached.or(next) })?;
                if attached.is_none()
                    && !FLAGS.contains(&name)
                    && next.is_some_and(|next| !next.starts_with('-'))
                {
                    if !self.wrapper.lines.contains(&name) {
                        self.run(&words[n..])?;
                    }
                    n += 1;
                }
            } else if let Some(letters) = word.strip_prefix('-') {
                if self.wrapper.name == "command" && letters.contains(['v', 'V']) {
                    return Ok(());
                }
                n += usize::from(self.letters(letters, next)?);
            } else if matches!(self.wrapper.name, "env" | "sudo")
                && let Some((name, value)) = word.split_once('=')
            {
                self.judge.assigned(name, value)?;
            } else if operands > 0 {
                operands -= 1;
            } else {
                return self.run(&words[n - 1..]);
            }
        }
        let runs_shell = matches!(self.wrapper.form, Form::Shell | Form::ShellWords) && !self.has_line;
        if runs_shell { self.judge.search_all() } else { Ok(()) }
    }

    /// Reads a cluster of short options. Returns whether the `next` word is the argument of the last one.
    fn letters(&mut self, letters: &str, next: Option<&str>) -> Result<bool, Forbidden> {
        if letters.is_empty() {
            self.judge.is_cleared |= self.wrapper.name == "env";
        }
        for (at, letter) in letters.char_indices() {
            let (name, attached) = letters[at..].split_at(letter.len_utf8());
            if self.wrapper.name == "xargs" && letter == 'i' {
                self.option(name, Some(attached).filter(|mark| !mark.is_empty()))?;
                return Ok(false);
            }
            if self.wrapper.with_argument.contains(letter) || self.wrapper.lines.contains(&name) {
                let is_apart = attached.is_empty();
                self.option(name, if is_apart { next } else { Some(attached) })?;
                return Ok(is_apart);
            }
            self.option(name, None)?;
        }
        Ok(false)
    }

    /// An option that runs a program, or takes away what holds git to the role.
    fn option(&mut self, name: &str, value: Option<&str>) -> Verdict {
        if self.wrapper.lines.contains(&name) {
            self.has_line = true;
            return value.map_or(Ok(()), |line| self.judge.inner_line(line));
        }
        match (self.wrapper.name, name) {
            ("env", "u" | "unset") if value.is_some_and(is_guarding) => return self.judge.refuse(SETTINGS),
            ("env", "i") => self.judge.is_cleared = true,
            ("env", name) if name.len() > 1 && "ignore-environment".starts_with(name) => {
                self.judge.is_cleared = true;
            }
            ("xargs", "I" | "i" | "replace") => self.replaced = Some(value.unwrap_or("{}").to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn run(&self, words: &[String]) -> Verdict {
        let unknown = UNKNOWN.to_string();
        match self.wrapper.form {
            Form::Line => return self.judge.inner_line(&words.join(" ")),
            Form::ShellWords if self.has_line => return Ok(()),
            Form::ShellWords => {
                self.judge.shell(words)?;
                self.judge.shell(&words[1..])?;
            }
            _ => {}
        }
        if self.wrapper.name != "xargs" {
            return self.judge.inner_program(words);
        }
        // It adds arguments that it reads.
        let words: Vec<String> = match &self.replaced {
            Some(mark) if !mark.is_empty() => words.iter().map(|word| word.replace(mark, &unknown)).collect(),
            _ => [words, &[unknown]].concat(),
        };
        self.judge.inner_program(&words)
    }
}

#[cfg(test)]
mod tests;
