//! Completion on the command line: a shell asks this program what could come next, through a script that
//! `setup --completions` prints.

use std::ffi::OsStr;

use clap::builder::StyledStr;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::CliContext;
use crate::model::IssueStatus;
use crate::ops::store::{self, IdKind};
use crate::ops::{NoProgress, Session};
use crate::store::layout;
use crate::ui::clean_line;

/// The variable in which the script names the shell that it runs in.
pub(super) const VARIABLE: &str = "WF_COMPLETE";
/// The name of the program in the script.
pub(super) const PROGRAM: &str = "git-wf";

/// Answers a shell that asks for completions. Returns whether one did.
///
/// # Errors
/// The shell is unknown, or its end of the pipe is closed.
pub(super) fn answer() -> Result<bool, clap::Error> {
    let current = std::env::current_dir().ok();
    CompleteEnv::with_factory(command)
        .var(VARIABLE)
        .bin(PROGRAM)
        .completer(PROGRAM)
        .try_complete(std::env::args_os(), current.as_deref())
}

fn command() -> clap::Command {
    let mut command = super::command();
    command.build();
    with_ids(command)
}

/// Completes each argument that takes an id or a status.
fn with_ids(command: clap::Command) -> clap::Command {
    let with_ids_of = |arg: clap::Arg| match kind(&arg) {
        Some(Kind::Ids(kind)) => {
            arg.add(ArgValueCompleter::new(move |begin: &OsStr| candidates(kind, begin)))
        }
        Some(Kind::Entry) => arg.add(ArgValueCompleter::new(entries)),
        Some(Kind::Statuses) => arg.add(ArgValueCompleter::new(statuses)),
        None => arg,
    };
    command.mut_args(with_ids_of).mut_subcommands(with_ids)
}

/// The kind of value that an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Records.
    Ids(IdKind),
    /// A field, or an entry of what was learned if the word before is `wisdom`.
    Entry,
    /// Statuses of issues, separated by commas.
    Statuses,
}

/// The kind of value, from the name of the value in the help.
fn kind(arg: &clap::Arg) -> Option<Kind> {
    let name = arg.get_value_names()?.first()?;
    // `--id` gives a new record its id.
    if arg.get_long() == Some("id") {
        return None;
    }
    Some(Kind::Ids(match name.as_str() {
        "ISSUE" | "ISSUES" => IdKind::Issue,
        "SOLUTION" | "SOLUTIONS" | "PLAN" | "PLAN[@{N}]" => IdKind::Plan,
        "ID" | "IDS" | "ISSUE|ITEM" | "ID|COMMIT|BRANCH|A..B" => IdKind::Record,
        "EXECUTION" => IdKind::Execution,
        "QUEUE" | "QUEUES" => IdKind::Queue,
        "ITEM" | "ITEMS" => IdKind::Item,
        "TASK" | "TASKS" => IdKind::Task,
        "RUN" => IdKind::Run,
        "RMAP" => IdKind::Roadmap,
        "AGENT" => IdKind::Agent,
        "FIELD" => return Some(Kind::Entry),
        "STATUS" => return Some(Kind::Statuses),
        _ => return None,
    }))
}

/// The words that were typed before this one.
fn typed() -> Vec<String> {
    let words = std::env::args().skip_while(|word| word != "--").skip(1);
    let mut words: Vec<String> = words.collect();
    words.pop();
    words
}

/// Entries of what was learned, for `redact wisdom`.
fn entries(begin: &OsStr) -> Vec<CompletionCandidate> {
    if typed().last().is_some_and(|word| word == layout::WISDOM) {
        candidates(IdKind::Wisdom, begin)
    } else {
        vec![]
    }
}

/// The statuses that start with the last of the words in `begin`.
fn statuses(begin: &OsStr) -> Vec<CompletionCandidate> {
    let Some(begin) = begin.to_str() else { return vec![] };
    let (before, last) = begin.rfind(',').map_or(("", begin), |at| begin.split_at(at + 1));
    let fitting = IssueStatus::ALL.iter().filter(|status| status.as_str().starts_with(last));
    fitting.map(|status| CompletionCandidate::new(format!("{before}{status}"))).collect()
}

/// The ids in the store of the current directory that start with `begin`; empty if there is no store.
fn candidates(kind: IdKind, begin: &OsStr) -> Vec<CompletionCandidate> {
    let Some(begin) = begin.to_str() else { return vec![] };
    let Ok(store) = CliContext::new(true, false).store() else { return vec![] };
    let session = Session::new(store, Box::new(NoProgress));
    let input = store::CompleteId { kind, begin: begin.to_owned(), before: typed() };
    let Ok(found) = store::ids(&session, &input) else { return vec![] };
    let candidate = |it: store::KnownId| {
        let title = clean_line(&it.title);
        CompletionCandidate::new(it.id).help(Some(StyledStr::from(title.to_string())))
    };
    found.view.into_iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_take_an_id_are_completed() {
        let command = command();
        let completed = |path: &[&str], arg: &str| {
            let of = path.iter().fold(&command, |command, name| command.find_subcommand(name).unwrap());
            of.get_arguments()
                .find(|it| it.get_id() == arg)
                .is_some_and(|it| it.get::<ArgValueCompleter>().is_some())
        };
        assert!(completed(&["show"], "id"));
        assert!(completed(&["close"], "id"));
        assert!(completed(&["plan", "choose"], "issue") && completed(&["plan", "choose"], "solution"));
        assert!(completed(&["queue", "manage", "pause"], "queues"));
        assert!(completed(&["link"], "task") && completed(&["verify"], "execution"));
        assert!(completed(&["run", "show"], "run") && completed(&["agents", "test"], "agent"));
        assert!(completed(&["list"], "status") && completed(&["redact"], "field"));
        assert!(!completed(&["new"], "title") && !completed(&["new"], "id"));
    }

    #[test]
    fn the_last_of_several_statuses_is_completed() {
        let words = |begin: &str| {
            let found = statuses(OsStr::new(begin)).into_iter();
            found.map(|it| it.get_value().to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("can"), ["cancelled"]);
        assert_eq!(words("queued,pl"), ["queued,planning", "queued,planned"]);
        assert_eq!(words("x"), [""; 0]);
    }
}
