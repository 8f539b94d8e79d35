//! What an agent may do when it asks, by its role. These are guard rails: an agent that does not ask is only noticed
//! by its effects.

use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome, ToolKind,
};

use super::program::{self, Forbidden};
use crate::model::shell::word;
use crate::rules::roles::Role;

/// What the agent asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolRequest {
    pub(super) kind: ToolKind,
    /// What the agent calls it, which decides nothing unless it is all that there is.
    pub(super) title: String,
    /// The files involved.
    pub(super) files: Vec<PathBuf>,
    /// The commands that it runs.
    pub(super) commands: Vec<AskedCommand>,
    /// The texts of its input of which is not known what they are: commands if it runs something and names no command.
    pub(super) texts: Vec<String>,
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
    fn judged(&self) -> Result<(), Forbidden> {
        match self {
            Self::Line(line) => program::of_line(line),
            Self::Words(words) => program::of_words(words),
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
    let about = |command: &AskedCommand, why| RefusedRequest { why, what: command.shown() };
    // What kind of tool the agent calls it does not matter if it is a command.
    for command in &wish.commands {
        if !is_executor && (is_run || !command.is_look()) {
            return Err(about(command, ONLY_EXECUTORS));
        }
        command.judged().map_err(|Forbidden { why, command }| RefusedRequest { why, what: command })?;
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
    if let Some(file) = wish.files.iter().find(|file| is_outside(root, file)) {
        let what = format!("{} {}", verb(wish.kind), file.display());
        return Err(RefusedRequest { why: OUTSIDE, what });
    }
    if is_run && wish.commands.is_empty() {
        for text in wish.texts.iter().map(String::as_str).chain([title_command(&wish.title)]) {
            program::of_line(text)
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

const OUTSIDE: &str = "the file is outside the work tree";
const ONLY_EXECUTORS: &str = "only an executor may run commands";

/// Whether a file is outside of the work tree, also by a link in its path, or is one of git's own.
fn is_outside(root: &Path, file: &Path) -> bool {
    // Agents also write paths as a shell or a browser reads them.
    let text = file.to_string_lossy();
    if text.starts_with('~') {
        return true;
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return false;
    }
    if let Some((_, path)) = text.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file")) {
        let path = path.strip_prefix("//localhost").unwrap_or(path);
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        return is_outside(root, &Path::new("/").join(path.trim_start_matches('/')));
    }
    let is_climb = |part: Component<'_>| matches!(part, Component::ParentDir);
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    let (root, real) = (resolved(root), resolved(&root.join(file)));
    let inside = real.strip_prefix(&root).ok();
    file.components().any(is_climb) || inside.is_none_or(|inside| inside.components().any(is_git))
}

/// A path with the links in that part of it that is there.
fn resolved(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
        // A link that leads nowhere would be followed, too.
        if known.is_symlink() {
            return PathBuf::new();
        }
    }
    path.to_owned()
}

/// The offered option for this decision; an option for a single call is preferred.
pub(super) fn outcome(options: &[PermissionOption], is_allowed: bool) -> RequestPermissionOutcome {
    let wanted = match is_allowed {
        true => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
        false => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
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
