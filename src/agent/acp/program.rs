//! Which programs an executor may run when it asks. Judged is what a shell would run as a program, with the programs that
//! run others; the words of a message are not.

use super::git_command;
use crate::model::shell::line::{self, SimpleCommand, UNKNOWN};

/// Why a program is not run.
pub(super) const DELETES: &str = "agents may not delete files";
pub(super) const SETTINGS: &str = "agents may not change the repository's settings";
pub(super) const PLANS: &str = "agents may not change plans or queues this way";
pub(super) const PUSHES: &str = "agents may not push";
const FORGE: &str = "agents may not act on the forge";
const SENDS: &str = "agents may not send files elsewhere";
const HIDDEN: &str = "the command does not show which program it runs";

/// A command that no agent may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forbidden {
    /// Why.
    pub(super) why: &'static str,
    /// The part of the request that would run it.
    pub(super) command: String,
}

/// How deep a program may be given to another one as an argument.
const DEEPEST: usize = 8;

/// Why an executor may not run a command line. What cannot be read as one is searched for forbidden words.
pub(super) fn of_line(text: &str) -> Result<(), Forbidden> {
    line_at(text, 0)
}

/// Why an executor may not run a program with these arguments, which no shell reads.
pub(super) fn of_words(words: &[String]) -> Result<(), Forbidden> {
    let words: Vec<String> = words.iter().map(|word| word.replace(UNKNOWN, "")).collect();
    let shown: Vec<_> = words.iter().map(|word| crate::model::shell::word(word)).collect();
    let source = shown.join(" ");
    judged(&words, &source, 0)
}

fn line_at(text: &str, depth: usize) -> Result<(), Forbidden> {
    match line::commands(text) {
        Ok(commands) => commands.iter().try_for_each(|command| simple(command, text, depth)),
        Err(line::NotRead) => searched(text),
    }
}

fn simple(command: &SimpleCommand, whole: &str, depth: usize) -> Result<(), Forbidden> {
    for (name, value) in &command.assignments {
        assigned(name, value, &command.source, depth)?;
    }
    judged(&command.words, &command.source, depth).and_then(|()| {
        // What it reads from elsewhere in the line is its script.
        if is_shell_of_stdin(&command.words) { searched(whole) } else { Ok(()) }
    })
}

/// Judges a program by its words.
fn judged(words: &[String], source: &str, depth: usize) -> Result<(), Forbidden> {
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let forbidden = |why| Err(Forbidden { why, command: source.to_owned() });
    let Some(name) = name(program) else { return forbidden(HIDDEN) };
    if depth > DEEPEST {
        return forbidden(HIDDEN);
    }
    let inner_line = |text: &str| line_at(text, depth + 1);
    match name {
        "git" => git_command::judged(arguments, source, &inner_line),
        "git-wf" => forbidden(PLANS),
        "rm" | "rmdir" | "unlink" | "shred" => forbidden(DELETES),
        "gh" | "glab" => forbidden(FORGE),
        "scp" | "sftp" | "ssh" | "rsync" => forbidden(SENDS),
        "eval" => inner_line(&arguments.join(" ")),
        "trap" => arguments.first().map_or(Ok(()), |text| inner_line(text)),
        "alias" | "export" | "declare" | "readonly" | "local" | "typeset" => {
            arguments.iter().filter_map(|word| word.split_once('=')).try_for_each(|(variable, value)| {
                if name == "alias" { inner_line(value) } else { assigned(variable, value, source, depth) }
            })
        }
        "unset" if arguments.iter().any(|variable| is_guarding(variable)) => forbidden(SETTINGS),
        "find" | "fd" | "fdfind" => {
            if arguments.iter().any(|word| word == "-delete") {
                return forbidden(DELETES);
            }
            let begins = |word: &String| {
                matches!(
                    word.as_str(),
                    "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
                )
            };
            let inner = arguments.iter().enumerate().filter(|(_, word)| begins(word));
            let mut inner = inner.map(|(n, _)| &arguments[n + 1..]);
            inner.try_for_each(|words| judged(words, source, depth + 1))
        }
        _ if is_shell(name) => match script_of(arguments) {
            Some(script) => inner_line(script),
            None => Ok(()),
        },
        _ => match name.strip_prefix("git-") {
            Some(command) => {
                let words: Vec<String> = [command.to_owned()].into_iter().chain(arguments.to_vec()).collect();
                git_command::judged(&words, source, &inner_line)
            }
            None => match WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
                Some(wrapper) => wrapper.judged(arguments, source, depth),
                None => Ok(()),
            },
        },
    }
}

/// The name of a program, if the command shows it.
fn name(program: &str) -> Option<&str> {
    let name = program.rsplit('/').next().unwrap_or_default();
    (!name.contains(UNKNOWN)).then_some(name)
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "fish")
}

/// The script that a shell is given as an argument.
fn script_of(arguments: &[String]) -> Option<&str> {
    let is_script = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let at = arguments.iter().position(is_script)?;
    let rest = arguments[at + 1..].iter();
    rest.map(String::as_str).find(|word| !word.starts_with(['-', '+']))
}

/// Whether a shell is run, maybe by another program, with neither a script nor a file with one.
fn is_shell_of_stdin(words: &[String]) -> bool {
    let last = words.iter().rev().find(|word| !word.starts_with(['-', '+']));
    last.is_some_and(|word| name(word).is_some_and(is_shell))
}

/// Whether a variable holds the agent's git to its role, or decides what git runs.
fn is_guarding(name: &str) -> bool {
    name.starts_with("GIT_CONFIG")
        || name.starts_with("GIT_TRACE2")
        || name == "GIT_EXEC_PATH"
        || name.contains(UNKNOWN)
}

fn assigned(name: &str, value: &str, source: &str, depth: usize) -> Result<(), Forbidden> {
    const RUN: &[&str] = &["EDITOR", "PAGER", "COMMAND", "ASKPASS", "VISUAL", "GIT_SSH", "GIT_EXTERNAL_DIFF"];
    if is_guarding(name) {
        return Err(Forbidden { why: SETTINGS, command: source.to_owned() });
    }
    if RUN.iter().any(|end| name.ends_with(end)) && !value.contains(UNKNOWN) && depth <= DEEPEST {
        return line_at(value, depth + 1);
    }
    Ok(())
}

/// A program that runs the one among its arguments.
struct Wrapper {
    name: &'static str,
    /// The short options whose argument may be the next word.
    with_argument: &'static str,
    /// How many other arguments come before the program.
    operands: usize,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "env", with_argument: "uCS", operands: 0 },
    Wrapper { name: "sudo", with_argument: "ugpCDhrtTUR", operands: 0 },
    Wrapper { name: "doas", with_argument: "uC", operands: 0 },
    Wrapper { name: "nice", with_argument: "n", operands: 0 },
    Wrapper { name: "ionice", with_argument: "cnpP", operands: 0 },
    Wrapper { name: "nohup", with_argument: "", operands: 0 },
    Wrapper { name: "setsid", with_argument: "", operands: 0 },
    Wrapper { name: "time", with_argument: "fo", operands: 0 },
    Wrapper { name: "timeout", with_argument: "ks", operands: 1 },
    Wrapper { name: "stdbuf", with_argument: "ioe", operands: 0 },
    Wrapper { name: "xargs", with_argument: "adEIiLlnPs", operands: 0 },
    Wrapper { name: "exec", with_argument: "a", operands: 0 },
    Wrapper { name: "command", with_argument: "", operands: 0 },
    Wrapper { name: "builtin", with_argument: "", operands: 0 },
    Wrapper { name: "coproc", with_argument: "", operands: 0 },
    Wrapper { name: "busybox", with_argument: "", operands: 0 },
    Wrapper { name: "chroot", with_argument: "", operands: 1 },
    Wrapper { name: "flock", with_argument: "wE", operands: 1 },
    Wrapper { name: "watch", with_argument: "nq", operands: 0 },
    Wrapper { name: "strace", with_argument: "abeEoOpsSuUX", operands: 0 },
];

impl Wrapper {
    /// Judges the program that it runs. If an option may or may not take the next word, both readings are judged.
    fn judged(&self, arguments: &[String], source: &str, depth: usize) -> Result<(), Forbidden> {
        let mut operands = self.operands;
        let (mut n, mut clears) = (0, false);
        while let Some(word) = arguments.get(n) {
            n += 1;
            match (word.strip_prefix("--"), word.strip_prefix('-')) {
                (Some(""), _) => {}
                (Some(option), _) => {
                    clears |= self.name == "env" && "ignore-environment".starts_with(option);
                    let value = option
                        .split_once('=')
                        .map(|(_, value)| value)
                        .or(arguments.get(n).map(String::as_str));
                    self.option(option.split('=').next().unwrap_or_default(), value, source, depth)?;
                    if !option.contains('=') && arguments.get(n).is_some_and(|next| !next.starts_with('-')) {
                        self.run(&arguments[n..], clears, source, depth)?;
                        n += 1;
                    }
                }
                (None, Some(letters)) if self.name == "command" && letters.contains(['v', 'V']) => {
                    return Ok(());
                }
                (None, Some(letters)) if !letters.is_empty() => {
                    clears |= self.name == "env" && letters.contains('i');
                    if let Some(at) = letters.find(|letter| self.with_argument.contains(letter)) {
                        let (attached, is_apart) = (&letters[at + 1..], at + 1 == letters.len());
                        let value =
                            if is_apart { arguments.get(n).map(String::as_str) } else { Some(attached) };
                        self.option(&letters[at..=at], value, source, depth)?;
                        n += usize::from(is_apart);
                    } else if let Some(line) = arguments.get(n).filter(|_| letters.contains('c')) {
                        line_at(line, depth + 1)?;
                    }
                }
                (None, Some(_)) => clears |= self.name == "env",
                _ if word.contains('=') && matches!(self.name, "env" | "sudo") => {
                    let (name, value) = word.split_once('=').unwrap_or_default();
                    assigned(name, value, source, depth)?;
                }
                _ if operands > 0 => operands -= 1,
                _ => {
                    return self.run(&arguments[n - 1..], clears, source, depth);
                }
            }
        }
        Ok(())
    }

    /// Judges what it runs; whether it `clears` the environment first, which holds git to the role.
    fn run(&self, words: &[String], clears: bool, source: &str, depth: usize) -> Result<(), Forbidden> {
        if clears && words.first().and_then(|word| name(word)) == Some("git") {
            return Err(Forbidden { why: SETTINGS, command: source.to_owned() });
        }
        match self.name {
            "watch" => line_at(&words.join(" "), depth + 1),
            // It adds arguments that it reads.
            "xargs" => judged(&[words, &[UNKNOWN.to_string()]].concat(), source, depth + 1),
            _ => judged(words, source, depth + 1),
        }
    }

    /// An option that runs a program, or takes away what holds git to the role.
    fn option(&self, name: &str, value: Option<&str>, source: &str, depth: usize) -> Result<(), Forbidden> {
        let Some(value) = value.filter(|_| self.name == "env") else { return Ok(()) };
        match name {
            "u" | "unset" if is_guarding(value) => {
                Err(Forbidden { why: SETTINGS, command: source.to_owned() })
            }
            "S" | "split-string" => line_at(value, depth + 1),
            _ => Ok(()),
        }
    }
}

/// Judges a text that cannot be read as a command line: each of its words, with and without quotes, may be a program.
fn searched(text: &str) -> Result<(), Forbidden> {
    let bare: String = text.chars().filter(|c| !matches!(c, '\\' | '"' | '\'')).collect();
    let is_end = |c: char| c.is_whitespace() || c == UNKNOWN || ";|&()`\"'$<>{}[],=".contains(c);
    for text in [text, &bare] {
        let words: Vec<String> =
            text.split(is_end).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        for (n, word) in words.iter().enumerate() {
            if word == "-delete" {
                return Err(Forbidden { why: DELETES, command: text.to_owned() });
            }
            let is_program = |name| {
                matches!(
                    name,
                    "git"
                        | "git-wf"
                        | "gh"
                        | "glab"
                        | "rm"
                        | "rmdir"
                        | "unlink"
                        | "shred"
                        | "scp"
                        | "sftp"
                        | "ssh"
                        | "rsync"
                )
            };
            if name(word).is_some_and(is_program) {
                // Deep enough that no word is read as a command line again.
                judged(&words[n..], text, DEEPEST)?;
            }
        }
    }
    Ok(())
}
