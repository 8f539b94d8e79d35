//! Which programs an executor may run when it asks. Judged is what a shell would run as a program, with the programs that
//! run others; the words of a message are not.

use std::path::Path;

use super::directories::{Directories, Following};
use super::wrapper::Wrapper;
use super::{git_command, patch, place};
use crate::model::SimpleCommand;
use crate::model::shell::line::{self, UNKNOWN};
use crate::model::shell::word;

/// Why a program is not run.
pub(super) const DELETES: &str = "agents may not delete files";
pub(super) const SETTINGS: &str = "agents may not change the repository's settings";
pub(super) const PLANS: &str = "agents may not change plans or queues this way";
pub(super) const HIDDEN: &str = "the command does not show which program it runs";
pub(super) const CLEARED: &str = "agents may not run git without the environment that they were given";
const HIDDEN_FILE: &str = "the command does not show which file it reads or writes";
const FORGE: &str = "agents may not act on the forge";
const SENDS: &str = "agents may not send files elsewhere";

/// A command that no agent may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forbidden {
    /// Why.
    pub(super) why: &'static str,
    /// The part of the request that would run it.
    pub(super) command: String,
}

pub(super) type Verdict = Result<(), Forbidden>;

/// Variables that say where git finds a repository, or a part of one.
const PLACES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_SHALLOW_FILE",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
];
/// How deep a program may be given to another one as an argument.
const DEEPEST: usize = 8;

/// Why an executor may not run a command line. What cannot be read as one is searched for forbidden words.
pub(super) fn of_line(root: &Path, text: &str) -> Verdict {
    let at = Directories::new(root);
    Judge { root, at: &at, whole: text, source: text, depth: 0, is_cleared: false }.line(text)
}

/// Why an executor may not run a program with these arguments, which no shell reads.
pub(super) fn of_words(root: &Path, words: &[String]) -> Verdict {
    let words: Vec<String> = words.iter().map(|part| part.replace(UNKNOWN, "")).collect();
    let shown = words.iter().map(|part| word(part)).collect::<Vec<_>>().join(" ");
    let at = Directories::new(root);
    Judge { root, at: &at, whole: &shown, source: &shown, depth: 0, is_cleared: false }.program(&words)
}

/// Judges a command, and what it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge<'a> {
    /// The work tree.
    root: &'a Path,
    /// Where the command runs.
    at: &'a Directories,
    /// The whole request, somewhere in which is the script of a shell that reads one.
    whole: &'a str,
    /// The command that a refusal names.
    source: &'a str,
    /// How many programs run this one.
    depth: usize,
    /// Whether git would not get the environment that holds it to the role.
    pub(super) is_cleared: bool,
}

impl Judge<'_> {
    pub(super) fn refuse(&self, why: &'static str) -> Verdict {
        Err(Forbidden { why, command: self.source.to_owned() })
    }

    /// Judges what a program runs.
    fn inner(&self) -> Self {
        Self { depth: self.depth + 1, ..*self }
    }

    /// Judges a command line that a program runs.
    pub(super) fn inner_line(&self, text: &str) -> Verdict {
        self.inner().line(text)
    }

    /// Judges a program that another one runs.
    pub(super) fn inner_program(&self, words: &[String]) -> Verdict {
        self.inner().program(words)
    }

    fn line(&self, text: &str) -> Verdict {
        if self.depth > DEEPEST {
            return self.refuse(HIDDEN);
        }
        match line::commands(text) {
            Ok(commands) => {
                let mut following = Following::new(self.at);
                commands.iter().try_for_each(|command| {
                    let at = following.at(command);
                    Judge { at: &at, ..*self }.simple(command)?;
                    following.follow(command);
                    Ok(())
                })
            }
            Err(line::NotRead) => self.search(text),
        }
    }

    fn simple(&self, command: &SimpleCommand) -> Verdict {
        let judge = Judge { source: &command.source, ..*self };
        for (name, value) in &command.assignments {
            judge.assigned(name, value)?;
        }
        for file in &command.files {
            judge.redirected(file)?;
        }
        judge.program(&command.words)
    }

    /// Judges a program by its words.
    fn program(&self, words: &[String]) -> Verdict {
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        let Some(name) = name(program) else { return self.refuse(HIDDEN) };
        if self.depth > DEEPEST {
            return self.refuse(HIDDEN);
        }
        if let Some(why) = forbidden(name) {
            return self.refuse(why);
        }
        match name {
            "git" => git_command::judged(self, arguments),
            "eval" => self.inner_line(&arguments.join(" ")),
            "trap" => arguments.first().map_or(Ok(()), |text| self.inner_line(text)),
            "alias" | "export" | "declare" | "readonly" | "local" | "typeset" => {
                for (variable, value) in arguments.iter().filter_map(|word| word.split_once('=')) {
                    if name == "alias" { self.inner_line(value)? } else { self.assigned(variable, value)? }
                }
                Ok(())
            }
            "unset" if arguments.iter().any(|variable| is_guarding(variable)) => self.refuse(SETTINGS),
            "cd" | "pushd" => {
                let directory = arguments.iter().find(|word| !word.starts_with('-'));
                directory.map_or(Ok(()), |directory| self.directory(directory))
            }
            "find" | "fd" | "fdfind" => self.find(arguments),
            "source" | "." => self.script_file(arguments.first()),
            "apply_patch" | "applypatch" => {
                patch::files(self.whole).iter().try_for_each(|file| self.file(file))
            }
            _ if is_shell(name) => self.shell(arguments),
            _ => {
                if let Some(command) = name.strip_prefix("git-") {
                    return git_command::judged(self, &[&[command.to_owned()], arguments].concat());
                }
                Wrapper::named(name).map_or(Ok(()), |wrapper| wrapper.judged(*self, arguments))
            }
        }
    }

    fn find(&self, arguments: &[String]) -> Verdict {
        const RUN: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
        if arguments.iter().any(|word| word == "-delete") {
            return self.refuse(DELETES);
        }
        // The names of what it finds.
        let arguments: Vec<String> =
            arguments.iter().map(|word| word.replace("{}", &UNKNOWN.to_string())).collect();
        for (n, word) in arguments.iter().enumerate() {
            if RUN.contains(&word.as_str()) {
                self.inner_program(&arguments[n + 1..])?;
            }
        }
        Ok(())
    }

    /// Judges a shell by its arguments.
    pub(super) fn shell(&self, arguments: &[String]) -> Verdict {
        let (mut is_line, mut reads_input) = (false, false);
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            if matches!(word.as_str(), "--rcfile" | "--init-file") {
                rest.next();
            } else if word.starts_with("--") || word == "-" {
                // Neither is a cluster of options.
            } else if let Some(letters) = word.strip_prefix(['-', '+']) {
                is_line |= letters.contains('c');
                reads_input |= letters.contains('s');
                if letters.contains(['o', 'O']) {
                    rest.next();
                }
            } else if is_line {
                return self.inner_line(word);
            } else if reads_input {
                break;
            } else {
                return self.script_file(Some(word));
            }
        }
        self.script_file(None)
    }

    /// Judges the script that a shell reads from a file, or else from its standard input.
    fn script_file(&self, file: Option<&String>) -> Verdict {
        match file {
            Some(file) if file != "/dev/stdin" && !file.starts_with("/dev/fd/") => Ok(()),
            _ => self.search(self.whole),
        }
    }

    /// Judges the file of a redirection. The shell knows the name of a log such as `run-$i.log`: what is known of it has to
    /// show where it is. One directly in `/tmp` harms nobody.
    fn redirected(&self, file: &str) -> Verdict {
        if place::is_temporary(Path::new(&file.replace(UNKNOWN, "x"))) && !begins_unknown(file) {
            return Ok(());
        }
        if file.contains(UNKNOWN) && !begins_unknown(file) {
            return self.file(&file.replace(UNKNOWN, "x"));
        }
        self.file(file)
    }

    /// Judges a file that a redirection or an option names.
    pub(super) fn file(&self, file: &str) -> Verdict {
        const DEVICES: &[&str] = &[
            "/dev/null",
            "/dev/zero",
            "/dev/full",
            "/dev/random",
            "/dev/urandom",
            "/dev/stdin",
            "/dev/stdout",
            "/dev/stderr",
            "/dev/tty",
        ];
        if file.contains(UNKNOWN) {
            return self.refuse(HIDDEN_FILE);
        }
        let descriptor = file.strip_prefix("/dev/fd/");
        if DEVICES.contains(&file)
            || descriptor.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        {
            return Ok(());
        }
        if let Some(why) = self.at.refusal(self.root, Path::new(file)) {
            return self.refuse(why);
        }
        if self.at.are_unknown() && Path::new(file).is_relative() {
            return self.refuse(HIDDEN_FILE);
        }
        Ok(())
    }

    /// Judges a directory in which something runs. A relative one may lead up.
    pub(super) fn directory(&self, directory: &str) -> Verdict {
        let path = Path::new(directory);
        let is_known = !directory.contains(UNKNOWN) && (path.is_absolute() || directory.starts_with('~'));
        if is_known || place::is_git(path) { self.file(directory) } else { Ok(()) }
    }

    pub(super) fn assigned(&self, name: &str, value: &str) -> Verdict {
        const RUN: &[&str] =
            &["EDITOR", "PAGER", "COMMAND", "ASKPASS", "VISUAL", "GIT_SSH", "GIT_EXTERNAL_DIFF"];
        if is_guarding(name) {
            return self.refuse(SETTINGS);
        }
        if PLACES.contains(&name) {
            return value.split(':').try_for_each(|place| self.redirected(place));
        }
        if RUN.iter().any(|end| name.ends_with(end)) && !value.contains(UNKNOWN) {
            return self.inner_line(value);
        }
        Ok(())
    }

    /// Judges a script that is somewhere in the request.
    pub(super) fn search_all(&self) -> Verdict {
        self.search(self.whole)
    }

    /// Judges the words of this command, any of which may be a program.
    pub(super) fn search_command(&self) -> Verdict {
        self.search(self.source)
    }

    /// Judges a text that cannot be read as a command line: each of its words, with and without quotes, may be a program.
    fn search(&self, text: &str) -> Verdict {
        let bare: String = text.chars().filter(|c| !matches!(c, '\\' | '"' | '\'')).collect();
        for text in [text, &bare] {
            // Deep enough that no word is read as a command line again.
            let judge = Judge { source: text, depth: DEEPEST, ..*self };
            let words =
                text.split(|c: char| c.is_whitespace() || c == UNKNOWN || ";|&()`\"'$<>{}[],=".contains(c));
            let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
            for (n, word) in words.iter().enumerate() {
                if word == "-delete" {
                    return judge.refuse(DELETES);
                }
                if name(word).is_some_and(|name| name == "git" || forbidden(name).is_some()) {
                    judge.program(&words[n..])?;
                }
            }
        }
        Ok(())
    }
}

/// Whether what is unknown of a file's name is more than a part of its last name, after its beginning.
fn begins_unknown(file: &str) -> bool {
    let last = file.rfind('/').map_or(0, |at| at + 1);
    file.find(UNKNOWN).is_some_and(|at| at <= last) || file[last..].starts_with('.')
}

/// Why a program is refused whatever its arguments.
fn forbidden(name: &str) -> Option<&'static str> {
    match name {
        "git-wf" => Some(PLANS),
        "rm" | "rmdir" | "unlink" | "shred" => Some(DELETES),
        "gh" | "glab" => Some(FORGE),
        "scp" | "sftp" | "ssh" | "rsync" => Some(SENDS),
        _ => None,
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

/// Whether a variable holds the agent's git to its role, or decides what git runs.
pub(super) fn is_guarding(name: &str) -> bool {
    name.starts_with("GIT_CONFIG")
        || name.starts_with("GIT_TRACE2")
        || matches!(name, "GIT_EXEC_PATH" | "GIT_ALLOW_PROTOCOL")
        || name.contains(UNKNOWN)
}

#[cfg(test)]
mod tests;
