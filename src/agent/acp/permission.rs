//! What an agent may do when it asks, by its role. These are guard rails: an agent that does not ask is only noticed
//! by its effects.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome, ToolKind,
};

use super::place;
use super::program::{self, Forbidden};
use crate::model::shell::word;
use crate::rules::Role;

/// What the agent asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolRequest {
    pub(super) kind: ToolKind,
    /// What the agent calls it, which decides nothing unless it is all that there is.
    pub(super) title: String,
    /// The files involved.
    pub(super) files: Vec<PathBuf>,
    /// Names: of files if something is edited or moved.
    pub(super) names: Vec<PathBuf>,
    /// Contents that are also paths of files elsewhere: files if nothing is written.
    pub(super) contents: Vec<PathBuf>,
    /// The commands that it runs.
    pub(super) commands: Vec<AskedCommand>,
    /// The texts of its input of which is not known what they are: commands if it runs something and names no command.
    pub(super) texts: Vec<String>,
}

impl ToolRequest {
    /// The files, with what is one for this kind of tool.
    fn all_files(&self) -> impl Iterator<Item = &PathBuf> {
        let names: &[PathBuf] =
            if matches!(self.kind, ToolKind::Edit | ToolKind::Move) { &self.names } else { &[] };
        let writes = matches!(self.kind, ToolKind::Edit | ToolKind::Execute | ToolKind::Think);
        let contents: &[PathBuf] = if writes { &[] } else { &self.contents };
        self.files.iter().chain(names).chain(contents)
    }
}

/// A command of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AskedCommand {
    /// A line for a shell.
    Line(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

impl AskedCommand {
    fn judged(&self, root: &Path) -> Result<(), Forbidden> {
        match self {
            Self::Line(line) => program::of_line(root, line),
            Self::Words(words) => program::of_words(root, words),
        }
    }

    /// Whether it is what some tools call the work that they do with a file, and changes nothing.
    fn is_look(&self) -> bool {
        matches!(self, Self::Line(line) if matches!(line.trim(), "view" | "read" | "list" | "search"))
    }

    fn shown(&self) -> String {
        match self {
            Self::Line(line) => line.trim().to_owned(),
            Self::Words(words) => words.iter().map(|it| word(it)).collect::<Vec<_>>().join(" "),
        }
    }
}

/// A request that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedRequest {
    /// Why.
    pub(super) why: &'static str,
    /// The command or the files that it is about.
    pub(super) what: String,
}

/// Whether a role may do this in the work tree `root`.
pub(super) fn decide(role: Role, root: &Path, wish: &ToolRequest) -> Result<(), RefusedRequest> {
    let is_executor = role == Role::Executor;
    let is_run = wish.kind == ToolKind::Execute;
    // What kind of tool the agent calls it does not matter if it is a command.
    for command in &wish.commands {
        if !is_executor && (is_run || !command.is_look()) {
            return Err(RefusedRequest { why: ONLY_EXECUTORS, what: command.shown() });
        }
        command.judged(root).map_err(|Forbidden { why, command }| RefusedRequest { why, what: command })?;
    }
    let why = match wish.kind {
        ToolKind::Edit | ToolKind::Move if !is_executor => Some("only an executor may change files"),
        ToolKind::Execute if !is_executor => Some(ONLY_EXECUTORS),
        ToolKind::Delete => Some("agents may not delete files"),
        ToolKind::Read
        | ToolKind::Search
        | ToolKind::Think
        | ToolKind::Fetch
        | ToolKind::Edit
        | ToolKind::Move
        | ToolKind::Execute => None,
        _ => Some("its effect is unknown"),
    };
    if let Some(why) = why {
        return Err(RefusedRequest { why, what: subject(wish, root) });
    }
    for file in wish.all_files() {
        if let Some(why) = place::refusal(root, file) {
            return Err(RefusedRequest { why, what: format!("{} {}", verb(wish.kind), file.display()) });
        }
    }
    if is_run && wish.commands.is_empty() {
        for text in wish.texts.iter().map(String::as_str).chain([title_command(&wish.title)]) {
            program::of_line(root, text)
                .map_err(|Forbidden { why, command }| RefusedRequest { why, what: command })?;
        }
    }
    Ok(())
}

/// What a request is about: its command, else its files, else what the agent calls it.
pub(super) fn subject(wish: &ToolRequest, root: &Path) -> String {
    if let Some(command) = wish.commands.last() {
        return command.shown();
    }
    if wish.files.is_empty() {
        return wish.title.clone();
    }
    let shown = wish.files.iter().map(|file| file.strip_prefix(root).unwrap_or(file).display().to_string());
    format!("{} {}", verb(wish.kind), shown.collect::<Vec<_>>().join(" "))
}

fn verb(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "run in",
        ToolKind::Fetch => "fetch",
        _ => "use",
    }
}

/// The command in a title. Some agents give no command but there, and add the directory and a description in brackets, which
/// no shell would take.
fn title_command(title: &str) -> &str {
    let begins = [" [current working directory ", " [in "].iter().find_map(|begin| title.find(begin));
    let Some(at) = begins else { return title };
    let rest = &title[at..];
    let is_note = rest.ends_with([')', ']']) && !rest.contains(['\n', ';', '|', '&', '`', '$', '<', '>']);
    if is_note { &title[..at] } else { title }
}

const ONLY_EXECUTORS: &str = "only an executor may run commands";

/// The offered option for this decision; an option for a single call is preferred.
pub(super) fn outcome(options: &[PermissionOption], is_allowed: bool) -> RequestPermissionOutcome {
    let wanted = if is_allowed {
        [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways]
    } else {
        [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways]
    };
    let found = wanted.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind));
    match found {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    }
}

#[cfg(test)]
mod tests;
