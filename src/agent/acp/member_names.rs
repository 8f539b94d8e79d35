//! What a member of a tool's input holds, by its name. Each agent has names of its own, so a name is read by its words:
//! `target_file`, `absPath` and `new-directory` all end in one that means a file.

/// What a member holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    File,
    /// File names with wildcards.
    Globs,
    /// File names with wildcards, or a regular expression for a text.
    Pattern,
    Command,
    /// Several commands, or the words of one.
    Commands,
    /// What follows the program of the same object.
    Arguments,
    /// The name of something, maybe of a file.
    Name,
    /// What is written into a file, or sent.
    Content,
    /// A text that people or models read.
    Prose,
    Unknown,
}

/// Words that mean a file wherever they are in a name.
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
const COMMANDS: &[&str] = &["bash", "cmd", "cmdline", "command", "commandline", "exec", "script", "shell"];
const COMMANDS_LAST: &[&str] = &["code", "eval", "executable", "execute", "program", "run"];
const COMMAND_LISTS: &[&str] = &["cmds", "commands", "scripts"];
const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "parameters", "params"];
const GLOBS: &[&str] = &["exclude", "excludes", "glob", "globs", "include", "includes"];
const PATTERNS: &[&str] = &["pattern", "patterns", "query", "regex"];
const CONTENTS: &[&str] = &[
    "after",
    "before",
    "body",
    "content",
    "contents",
    "data",
    "edit",
    "find",
    "header",
    "headers",
    "insert",
    "line",
    "lines",
    "replace",
    "replacement",
    "search",
    "snippet",
    "str",
    "string",
    "text",
];
/// Words that mean the content of a file if a name that ends in them begins with `new` or `old`.
const VERSIONS: &[&str] = &["cell", "code", "source", "src", "value"];
const PROSE: &[&str] = &[
    "comment",
    "description",
    "explanation",
    "instruction",
    "instructions",
    "justification",
    "message",
    "note",
    "notes",
    "plan",
    "prompt",
    "reason",
    "summary",
    "thought",
    "thoughts",
    "todos",
];
/// Words at the end of a name that make it that of a number or a word.
const ABOUT: &[&str] =
    &["count", "encoding", "id", "ids", "kind", "limit", "mode", "policy", "status", "timeout", "type"];

/// What a member holds, by the words of its name.
pub(super) fn holds(name: &str) -> Holds {
    let words = words(name);
    let whole = words.concat();
    let last = words.last().map_or("", String::as_str);
    let ends = |list: &[&str]| list.contains(&last) || list.contains(&whole.as_str());
    let has = |list: &[&str]| ends(list) || words.iter().any(|word| list.contains(&word.as_str()));
    let is_version = matches!(words.first().map(String::as_str), Some("new" | "old"));
    if ends(ABOUT) {
        Holds::Unknown
    } else if has(GLOBS) {
        Holds::Globs
    } else if ends(PATTERNS) {
        Holds::Pattern
    } else if is_version && VERSIONS.contains(&last) {
        Holds::Content
    } else if has(FILES) || ends(FILES_LAST) {
        Holds::File
    } else if last == "name" {
        Holds::Name
    } else if ends(CONTENTS) && has(COMMANDS) {
        Holds::Command
    } else if ends(CONTENTS) {
        // A patch names files, whatever it is a text of.
        if words.iter().any(|word| matches!(word.as_str(), "diff" | "patch")) {
            Holds::Unknown
        } else {
            Holds::Content
        }
    } else if ends(PROSE) {
        Holds::Prose
    } else if ends(ARGUMENTS) {
        Holds::Arguments
    } else if has(COMMAND_LISTS) {
        Holds::Commands
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
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
