//! The members of a tool's input: which of them name a file, which a command. Each agent has names of its own, so a name is
//! read by its words: `target_file`, `absPath` and `new-directory` all end in one that means a file.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::permission::AskedCommand;

/// How deep the members of an input are looked at.
const DEEPEST: usize = 32;
/// A longer text is no path.
const LONGEST_PATH: usize = 4096;

/// What the members of an input name.
#[derive(Debug, Default)]
pub(super) struct ToolMembers {
    /// Files and directories.
    pub(super) files: Vec<PathBuf>,
    /// Where a search looks, by its globs.
    pub(super) searched: Vec<PathBuf>,
    /// Commands.
    pub(super) commands: Vec<AskedCommand>,
    /// Texts under any other name, unless it is that of a content.
    pub(super) texts: Vec<String>,
}

/// What a member holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    File,
    /// File names with wildcards.
    Globs,
    /// File names with wildcards, or a regular expression for a text.
    Pattern,
    Command,
    /// What follows the program of the same object.
    Arguments,
    /// A text that people or models read, or the content of a file.
    Content,
    Unknown,
}

/// Words that mean a file wherever they stand in a name.
const FILES: &[&str] =
    &["path", "paths", "filepath", "filename", "filenames", "uri", "uris", "cwd", "workdir"];
/// Words that mean a file at the end of a name.
const FILES_LAST: &[&str] = &[
    "abspath",
    "destination",
    "dest",
    "dir",
    "directories",
    "directory",
    "dirs",
    "dst",
    "file",
    "files",
    "filepaths",
    "folder",
    "folders",
    "from",
    "location",
    "locations",
    "notebook",
    "output",
    "pwd",
    "root",
    "roots",
    "source",
    "src",
    "target",
    "targets",
    "to",
    "url",
    "urls",
    "worktree",
];
const COMMANDS: &[&str] = &[
    "argv",
    "bash",
    "cmd",
    "cmdline",
    "cmds",
    "command",
    "commandline",
    "commands",
    "exec",
    "script",
    "scripts",
    "shell",
];
const COMMANDS_LAST: &[&str] = &["code", "eval", "executable", "execute", "program", "run"];
const ARGUMENTS: &[&str] = &["args", "arguments", "parameters", "params"];
const GLOBS: &[&str] = &["exclude", "excludes", "glob", "globs", "include", "includes"];
const PATTERNS: &[&str] = &["pattern", "patterns"];
const CONTENTS: &[&str] = &[
    "body",
    "comment",
    "content",
    "contents",
    "description",
    "diff",
    "explanation",
    "header",
    "headers",
    "instruction",
    "instructions",
    "justification",
    "message",
    "name",
    "note",
    "notes",
    "patch",
    "plan",
    "prompt",
    "query",
    "reason",
    "regex",
    "replacement",
    "string",
    "summary",
    "text",
    "thought",
    "thoughts",
    "title",
    "todos",
];
/// Words at the end of a name that make it that of a number or a word.
const ABOUT: &[&str] =
    &["count", "encoding", "id", "ids", "kind", "limit", "mode", "policy", "status", "timeout", "type"];

/// What a member holds, by the words of its name.
fn holds(name: &str) -> Holds {
    let words = words(name);
    let whole = words.concat();
    let last = words.last().map_or("", String::as_str);
    let ends = |list: &[&str]| list.contains(&last) || list.contains(&whole.as_str());
    let has = |list: &[&str]| ends(list) || words.iter().any(|word| list.contains(&word.as_str()));
    if ends(ABOUT) {
        Holds::Unknown
    } else if has(GLOBS) {
        Holds::Globs
    } else if ends(PATTERNS) {
        Holds::Pattern
    } else if has(FILES) || ends(FILES_LAST) {
        Holds::File
    } else if ends(CONTENTS) {
        Holds::Content
    } else if ends(ARGUMENTS) {
        Holds::Arguments
    } else if has(COMMANDS) || ends(COMMANDS_LAST) {
        Holds::Command
    } else {
        Holds::Unknown
    }
}

/// The words of a name, in lower case: `absPath`, `abs_path` and `abs-path` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl ToolMembers {
    /// Reads an input.
    pub(super) fn read(&mut self, input: &Value) {
        self.member(Holds::Unknown, input, 0);
    }

    fn member(&mut self, holds: Holds, value: &Value, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match value {
            Value::Object(members) => self.object(members, depth),
            Value::Array(values) if matches!(holds, Holds::Command | Holds::Arguments) => {
                self.words(values);
                values
                    .iter()
                    .filter(|value| !value.is_string())
                    .for_each(|value| self.member(holds, value, depth + 1));
            }
            Value::Array(values) => values.iter().for_each(|value| self.member(holds, value, depth + 1)),
            Value::String(text) => self.text(holds, text, depth),
            _ => {}
        }
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) {
        for (name, value) in members {
            // Some agents list their changes by file.
            if leads_out(name) {
                self.files.push(PathBuf::from(name));
            }
            self.member(holds(name), value, depth + 1);
        }
        self.joined(members);
    }

    /// A program and its arguments that are two members.
    fn joined(&mut self, members: &Map<String, Value>) {
        let first =
            |kind: Holds| members.iter().find(|(name, _)| holds(name) == kind).map(|(_, value)| value);
        let (Some(Value::String(program)), Some(arguments)) =
            (first(Holds::Command), first(Holds::Arguments))
        else {
            return;
        };
        let is_word = !program.trim().contains(char::is_whitespace);
        self.commands.push(match arguments {
            Value::Array(words) if is_word => {
                let words = words.iter().filter_map(Value::as_str).map(str::to_owned);
                AskedCommand::Words([program.trim().to_owned()].into_iter().chain(words).collect())
            }
            Value::Array(words) => {
                let words = words.iter().filter_map(Value::as_str).map(crate::model::shell::word);
                AskedCommand::Line(words.fold(program.clone(), |line, word| format!("{line} {word}")))
            }
            Value::String(arguments) => AskedCommand::Line(format!("{program} {arguments}")),
            _ => return,
        });
    }

    /// A list of words, or of lines.
    fn words(&mut self, values: &[Value]) {
        let words: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if words.first().is_some_and(|first| first.trim().contains(char::is_whitespace)) {
            self.commands.extend(words.iter().cloned().map(AskedCommand::Line));
        }
        if !words.is_empty() {
            self.commands.push(AskedCommand::Words(words));
        }
    }

    fn text(&mut self, holds: Holds, text: &str, depth: usize) {
        match holds {
            Holds::File => self.files.push(PathBuf::from(text)),
            Holds::Globs => self.searched.extend(begins(text)),
            Holds::Pattern if is_like_path(text) => self.searched.extend(begins(text)),
            Holds::Command | Holds::Arguments if text.trim().is_empty() => {}
            Holds::Command => self.commands.push(AskedCommand::Line(text.to_owned())),
            Holds::Pattern | Holds::Content => {}
            Holds::Arguments | Holds::Unknown => {
                if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                    return self.member(holds, &value, depth + 1);
                }
                if holds == Holds::Arguments {
                    self.commands.push(AskedCommand::Line(text.to_owned()));
                } else if leads_out(text) {
                    self.files.push(PathBuf::from(text));
                }
                self.texts.push(text.to_owned());
            }
        }
    }
}

/// Whether a text under any name is the path of a file elsewhere on this machine.
fn leads_out(text: &str) -> bool {
    let is_uri = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let is_home = text == "~" || text.starts_with("~/");
    let is_short = text.len() <= LONGEST_PATH && !text.contains('\n');
    is_short && (is_uri || is_home || text.split('/').any(|part| part == "..") || is_absolute(text))
}

/// Whether a text is an absolute path on this machine. `/api/users` is one only if there is an `/api`.
fn is_absolute(text: &str) -> bool {
    let top = text.strip_prefix('/').and_then(|rest| rest.trim_start_matches('/').split('/').next());
    top.is_some_and(|top| !top.is_empty() && Path::new("/").join(top).exists())
}

/// Whether a pattern leads out of a directory if it is a glob.
fn is_like_path(text: &str) -> bool {
    text.starts_with(['~', '{'])
        || text.starts_with("/*")
        || text.split(['/', '{', '}', ',']).any(|part| part == "..")
        || is_absolute(text)
}

/// The paths that a glob can begin with; `..` if a part of it leads up.
fn begins(glob: &str) -> Vec<PathBuf> {
    let glob = glob.trim_start_matches('!');
    let up = glob.split(['/', '{', '}', ',']).any(|part| part == "..");
    let mut begins: Vec<&str> = match glob.strip_prefix('{') {
        Some(rest) => rest.split(['{', ',', '}']).collect(),
        None => vec![glob],
    };
    if glob.starts_with('{') {
        // What follows the closing brace begins no path.
        begins.pop();
    }
    begins.into_iter().filter(|part| !part.is_empty()).chain(up.then_some("..")).map(PathBuf::from).collect()
}
