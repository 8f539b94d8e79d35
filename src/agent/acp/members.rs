//! The members of a tool's input: the files and the commands that they name.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::member_names::{Holds, holds};
use super::patch;
use super::permission::AskedCommand;
use crate::model::shell::word;

/// How deep the members of an input are looked at.
const DEEPEST: usize = 32;
/// A longer text is not a path.
const LONGEST_PATH: usize = 4096;

/// What the members of an input name.
#[derive(Debug, Default)]
pub(super) struct ToolMembers {
    /// Files and directories.
    pub(super) files: Vec<PathBuf>,
    /// Where a search looks, by its globs.
    pub(super) searched: Vec<PathBuf>,
    /// Names: of files if the tool edits or moves something.
    pub(super) names: Vec<PathBuf>,
    /// Contents that are also paths of files elsewhere: files unless the tool writes contents.
    pub(super) contents: Vec<PathBuf>,
    /// Commands.
    pub(super) commands: Vec<AskedCommand>,
    /// Texts under any other name, unless it is that of a content.
    pub(super) texts: Vec<String>,
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
            Value::Array(values) => {
                if matches!(holds, Holds::Command | Holds::Commands | Holds::Arguments) {
                    self.words(holds, values);
                }
                for value in values {
                    let is_word = value.is_string()
                        && matches!(holds, Holds::Command | Holds::Commands | Holds::Arguments);
                    if !is_word {
                        self.member(holds, value, depth + 1);
                    }
                }
            }
            Value::String(text) => self.text(holds, text, depth),
            _ => {}
        }
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) {
        let named =
            |kind: Holds| members.iter().filter(move |(name, _)| holds(name) == kind).map(|(_, value)| value);
        let programs: Vec<&Value> = named(Holds::Command).filter(|value| words_of(value).is_some()).collect();
        let arguments: Vec<&Value> =
            named(Holds::Arguments).filter(|value| words_of(value).is_some()).collect();
        // Arguments are no program themselves if there is one that takes them.
        let are_joined = !programs.is_empty() && !arguments.is_empty();
        for (name, value) in members {
            // Some agents list their changes by file.
            if leads_out(name) {
                self.files.push(PathBuf::from(name));
            }
            let holds = holds(name);
            let is_joined = are_joined && matches!(holds, Holds::Command | Holds::Arguments);
            if !is_joined || words_of(value).is_none() {
                self.member(holds, value, depth + 1);
            }
        }
        if are_joined {
            for program in programs {
                for arguments in &arguments {
                    self.commands.push(joined(program, arguments));
                }
            }
        }
    }

    /// A list of words, or of lines.
    fn words(&mut self, holds: Holds, values: &[Value]) {
        let words: Vec<String> = values.iter().filter_map(scalar).collect();
        let Some(first) = words.first() else { return };
        if holds == Holds::Commands || first.trim().contains(char::is_whitespace) {
            self.commands.extend(words.iter().cloned().map(AskedCommand::Line));
        }
        self.commands.push(AskedCommand::Words(words));
    }

    fn text(&mut self, holds: Holds, text: &str, depth: usize) {
        match holds {
            Holds::File => self.files.push(PathBuf::from(text)),
            Holds::Globs => self.searched.extend(begins(text)),
            Holds::Pattern if is_like_path(text) => self.searched.extend(begins(text)),
            Holds::Command | Holds::Commands | Holds::Arguments if text.trim().is_empty() => {}
            Holds::Command | Holds::Commands => self.commands.push(AskedCommand::Line(text.to_owned())),
            Holds::Content if leads_out(text) => self.contents.push(PathBuf::from(text)),
            Holds::Pattern | Holds::Content | Holds::Prose => {}
            Holds::Arguments | Holds::Name | Holds::Unknown => {
                if let Some(value) = nested(text) {
                    return self.member(holds, &value, depth + 1);
                }
                if holds == Holds::Arguments {
                    self.commands.push(AskedCommand::Line(text.to_owned()));
                } else if leads_out(text) {
                    self.files.push(PathBuf::from(text));
                } else if holds == Holds::Name {
                    self.names.push(PathBuf::from(text));
                }
                self.files.extend(patch::files(text).into_iter().map(PathBuf::from));
                self.texts.push(text.to_owned());
            }
        }
    }
}

/// A program and its arguments that are two members.
fn joined(program: &Value, arguments: &Value) -> AskedCommand {
    let arguments_of_line = match arguments {
        Value::String(line) => Some(line.as_str()),
        _ => None,
    };
    let is_line = program.as_str().is_some_and(|text| text.trim().contains(char::is_whitespace));
    let program = words_of(program).unwrap_or_default();
    let words = words_of(arguments).unwrap_or_default();
    if !is_line && arguments_of_line.is_none() {
        return AskedCommand::Words([program, words].concat());
    }
    let mut parts: Vec<String> =
        if is_line { program } else { program.iter().map(|part| word(part).into_owned()).collect() };
    match arguments_of_line {
        Some(line) => parts.push(line.to_owned()),
        None => parts.extend(words.iter().map(|part| word(part).into_owned())),
    }
    AskedCommand::Line(parts.join(" "))
}

/// The words of a member that holds a command or arguments, unless it holds something else, such as an object.
fn words_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) if text.trim().is_empty() || nested(text).is_some() => None,
        Value::String(text) => Some(vec![text.trim().to_owned()]),
        Value::Array(values) => values.iter().map(scalar).collect(),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The object or list that a text is the JSON of.
fn nested(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

/// Whether a text under any name is the path of a file elsewhere on this machine, or of one of git's own.
fn leads_out(text: &str) -> bool {
    let is_uri = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let is_home = text == "~" || text.starts_with("~/");
    let is_short = text.len() <= LONGEST_PATH && !text.contains('\n');
    let climbs = text.split('/').any(|part| part == ".." || part.eq_ignore_ascii_case(".git"));
    is_short && (is_uri || is_home || climbs || is_absolute(text))
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

#[cfg(test)]
mod tests;
