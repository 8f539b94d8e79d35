//! Why a text does not resolve to an id, and what to do about it.

use super::{KnownRecord, is_task};
use crate::model::{Code, Explain, ItemId, Op, Other, Remedies, RemedyCall};
use crate::store::StoreError;

/// How many candidates an error lists.
const MOST_CANDIDATES: usize = 10;

/// Why a text does not resolve to an id.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    /// Nothing has this id.
    #[error("there is no {} `{text}`", called(.kind))]
    NotFound {
        /// issue, solution, …
        kind: &'static str,
        /// What was typed.
        text: String,
        /// The most similar id, if one is similar enough.
        near: Option<String>,
    },
    /// It is the id of something else.
    #[error("`{text}` is {}, not an issue", .found.called())]
    NoIssue {
        /// What was typed.
        text: String,
        /// What it names.
        found: KnownRecord,
    },
    /// It matches more than one id.
    #[error("`{text}` is ambiguous: {}", listed(.candidates))]
    Ambiguous {
        /// What was typed.
        text: String,
        /// The ids that it could mean, in order.
        candidates: Vec<String>,
        /// If these are items, what names the first of them alone.
        item: Option<String>,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What people call this kind: a solution is a plan.
fn called(kind: &str) -> &str {
    if kind == "solution" { "plan" } else { kind }
}

fn listed(candidates: &[String]) -> String {
    let more = candidates.len().saturating_sub(MOST_CANDIDATES);
    let shown: Vec<String> = candidates.iter().take(MOST_CANDIDATES).map(|c| format!("`{c}`")).collect();
    match shown.as_slice() {
        _ if more > 0 => format!("{} or {more} more", shown.join(", ")),
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => shown.concat(),
    }
}

impl Explain for ResolveError {
    fn code(&self) -> Code {
        match self {
            Self::NotFound { .. } => Code::NotFound,
            Self::NoIssue { .. } => Code::WrongKind,
            Self::Ambiguous { .. } => Code::AmbiguousId,
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        let known = match self {
            Self::NotFound { text, .. } if is_task(text) => {
                Remedies::from(format!("`{text}` looks like a task: name its plan, its item or its issue"))
                    .or_call(RemedyCall::from(Op::Verify).option("task", text), "runs the tests of one task")
            }
            Self::NotFound { kind: "issue", text, .. } if text.contains(char::is_whitespace) => {
                Remedies::from("the issue comes first, then the text")
                    .or_call(RemedyCall::from(Other::List).flag("all"), "shows the issues")
            }
            Self::NotFound { kind: "issue", text, .. } if text.contains('/') || text.ends_with(".json") => {
                Remedies::from("the issue comes first, then the files")
                    .or_call(RemedyCall::from(Other::List).flag("all"), "shows the issues")
            }
            Self::NotFound { kind: "queue", text, .. } if ItemId::parse(text).is_ok() => {
                Remedies::from(format!("`{text}` is an item"))
                    .or_call(RemedyCall::new(Other::Show, [text]), "shows it")
                    .or_call(Other::QueueList, "shows the queues")
            }
            Self::NotFound { kind: "item", text, .. } if text.starts_with("QUE-") && !text.contains(':') => {
                Remedies::from(format!("`{text}` is a queue"))
                    .or_call(RemedyCall::new(Other::Show, [text]), "shows its items")
            }
            Self::NotFound { kind, text, .. } => match *kind {
                "issue" => Remedies::call(RemedyCall::from(Other::List).flag("all"), "lists the issues")
                    .or_call(Other::Sync, "fetches what others have"),
                "solution" => Remedies::call(
                    RemedyCall::new(Other::SolutionList, ["ISSUE"]),
                    "shows the plans of an issue",
                ),
                "item" => Remedies::from("an item is S-1, QUE-…:S-1, or the id of a plan or issue")
                    .or_call(Other::Queue, "shows them"),
                "queue" => Remedies::call(Other::QueueList, "shows the queues"),
                "run" => Remedies::call(Other::RunList, "shows the runs"),
                "roadmap" => Remedies::call(Other::RoadmapList, "shows the roadmaps"),
                _ if text.starts_with("RUN-") => Remedies::call(Other::RunList, "shows the runs"),
                // A word is not an id.
                _ if !text.contains('-') && text.chars().all(char::is_alphabetic) => {
                    Remedies::call(RemedyCall::new(Other::Search, [text]), "searches all texts")
                        .or_call(RemedyCall::from(Other::List).flag("all"), "lists the issues")
                }
                _ => Remedies::call(RemedyCall::from(Other::List).flag("all"), "lists the issues")
                    .or_call(Other::Sync, "fetches what others have"),
            },
            Self::NoIssue { found, .. } => match found.issue() {
                Some(issue) => Remedies::from(format!("its issue is `{issue}`"))
                    .or_call(RemedyCall::new(Other::Show, [&issue]), "shows it"),
                None => Remedies::call(RemedyCall::from(Other::List).flag("all"), "shows the issues"),
            },
            Self::Ambiguous { item: Some(item), .. } => format!("name one of them, as in `{item}`").into(),
            Self::Ambiguous { item: None, .. } => "type more characters".into(),
            Self::Store(error) => error.remedies(),
        };
        self.meant().and_all(known)
    }
}

impl ResolveError {
    /// The record that someone probably meant.
    fn meant(&self) -> Remedies {
        match self {
            Self::NotFound { near: Some(near), .. } => Remedies::from(format!("did you mean `{near}`?")),
            _ => Remedies::none(),
        }
    }
}
