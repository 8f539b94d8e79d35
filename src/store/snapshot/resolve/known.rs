//! What an id can name.

use super::{Fit, fit};
use crate::model::{ExecutionId, IssueId, QueueId, RoadmapId, SolutionId};

/// Anything with an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KnownRecord {
    /// An issue.
    Issue(IssueId),
    /// A plan.
    Solution(SolutionId),
    /// An execution.
    Execution(ExecutionId),
    /// A queue.
    Queue(QueueId),
    /// An item, by its queue and plan.
    Item(QueueId, SolutionId),
    /// A roadmap.
    Roadmap(RoadmapId),
}

impl KnownRecord {
    /// Its kind, for people.
    pub(super) fn called(&self) -> &'static str {
        match self {
            Self::Issue(_) => "an issue",
            Self::Solution(_) => "a plan",
            Self::Execution(_) => "an execution",
            Self::Queue(_) => "a queue",
            Self::Item(..) => "an item",
            Self::Roadmap(_) => "a roadmap",
        }
    }

    /// The issue that it belongs to; `None` for a queue or a roadmap.
    pub(crate) fn issue(&self) -> Option<IssueId> {
        match self {
            Self::Issue(id) => Some(id.clone()),
            Self::Solution(id) | Self::Item(_, id) => Some(id.issue()),
            Self::Execution(id) => Some(id.issue()),
            Self::Queue(_) | Self::Roadmap(_) => None,
        }
    }

    /// Whether `text` is the whole id or its whole last part, not only a prefix.
    pub(crate) fn is_named_exactly(&self, text: &str) -> bool {
        let (whole, last) = self.parts();
        fit(&whole, &last, text) > Some(Fit::Start)
    }

    /// The part of its id that distinguishes it from others of its kind; for an item, that of its plan.
    pub(crate) fn last_part(&self) -> String {
        self.parts().1
    }

    /// The whole id and its last part; for an item, those of its plan.
    pub(super) fn parts(&self) -> (String, String) {
        let last = match self {
            Self::Issue(id) => id.uid(),
            Self::Solution(id) | Self::Item(_, id) => id.uid(),
            Self::Execution(id) => id.fingerprint(),
            Self::Queue(id) => id.uid(),
            Self::Roadmap(id) => id.uid(),
        };
        (self.to_string(), last.to_owned())
    }
}

impl std::fmt::Display for KnownRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Issue(id) => id.fmt(f),
            Self::Solution(id) => id.fmt(f),
            Self::Execution(id) => id.fmt(f),
            Self::Queue(id) => id.fmt(f),
            Self::Roadmap(id) => id.fmt(f),
            Self::Item(queue, solution) => write!(f, "{queue}:{solution}"),
        }
    }
}
