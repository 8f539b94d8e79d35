//! The grammar of paths: every directory and every record that the tree of the ref can have. A path is parsed step by
//! step from the top, so an error names the step that is wrong.

mod display;

use std::fmt;

use super::{CLAIM, Fan, ISSUES, QUEUES, REDACTIONS, ROADMAPS, ROOT_PATH, RUNS, WISDOM};
use crate::model::{EntryId, ExecutionId, IssueId, QueueId, RoadmapId, RunId, SolutionId};

/// A record with a directory of its own, which also holds logs and redactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// `issues/<xx>/<ISSUE>`
    Issue(IssueId),
    /// `issues/<xx>/<ISSUE>/solutions/<SOLUTION>`
    Solution(SolutionId),
    /// `issues/<xx>/<ISSUE>/executions/<EXECUTION>`
    Execution(ExecutionId),
    /// `queues/<QUEUE>`
    Queue(QueueId),
    /// `runs/<RUN>`
    Run(RunId),
    /// `roadmaps/<RMAP>`
    Roadmap(RoadmapId),
    /// `wisdom`: the log of what was learned belongs to the store as a whole, so no record gives this directory its name.
    Wisdom,
}

/// A directory of write-once entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LogKind {
    /// The comments on an issue.
    Comments(IssueId),
    /// What executors and reviewers said about the plans of an issue.
    Feedback(IssueId),
    /// What explorers found out about an issue.
    Explorations(IssueId),
    /// Directory of entries of a plan.
    Reviews(SolutionId),
    /// What happened in an execution.
    Events(ExecutionId),
    /// Directory of entries of a queue.
    Conflicts(QueueId),
    /// What happened in a run.
    RunEvents(RunId),
    /// What happened to a roadmap.
    RoadmapEvents(RoadmapId),
    /// What was learned. Its directory is that of its owner.
    Wisdom,
    /// Which values of its owner's records are hidden.
    Redactions(Owner),
}

/// The location of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    /// `wf.json`
    Root,
    /// The record that gives its directory its name.
    Record(Owner),
    /// `queues/<QUEUE>/items/<xx>/<SOLUTION>.json`
    Item(QueueId, SolutionId),
    /// `<LOG>/<ENTRY>.json`
    Entry(LogKind, EntryId),
}

/// A directory that holds records, or directories of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Folder {
    /// The tree itself.
    Top,
    /// `issues`
    Issues,
    /// `issues/<xx>`
    IssueFan(Fan),
    /// The directory of an owner.
    Owner(Owner),
    /// `solutions` of an issue
    Solutions(IssueId),
    /// `executions` of an issue
    Executions(IssueId),
    /// The directory of a log.
    Log(LogKind),
    /// `queues`
    Queues,
    /// `queues/<QUEUE>/items`
    Items(QueueId),
    /// `queues/<QUEUE>/items/<xx>`
    ItemFan(QueueId, Fan),
    /// `runs`
    Runs,
    /// `roadmaps`
    Roadmaps,
}

/// What a path denotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// A directory.
    Folder(Folder),
    /// A record.
    Record(Location),
}

/// A path that means nothing in this format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unplaced {
    /// Why a path inside the directories of records is wrong; `None` if a later version of the format may define it.
    pub(crate) why: Option<String>,
}

impl Unplaced {
    const UNKNOWN: Self = Self { why: None };

    fn because(why: impl fmt::Display) -> Self {
        Self { why: Some(why.to_string()) }
    }
}

impl PathKind {
    /// Parses `path`; the empty path is the tree itself.
    ///
    /// # Errors
    /// The path means nothing in this format.
    pub(crate) fn parse(path: &str) -> Result<Self, Unplaced> {
        let mut folder = Folder::Top;
        if path.is_empty() {
            return Ok(Self::Folder(folder));
        }
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            match folder.child(name)? {
                Self::Record(_) if names.peek().is_some() => return Err(Unplaced::UNKNOWN),
                Self::Record(record) => return Ok(Self::Record(record)),
                Self::Folder(inner) => folder = inner,
            }
        }
        Ok(Self::Folder(folder))
    }
}

impl Folder {
    /// The directory at `path`; `None` if this format has no directory there.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        match PathKind::parse(path) {
            Ok(PathKind::Folder(folder)) => Some(folder),
            _ => None,
        }
    }

    /// What `name` denotes in this directory.
    fn child(self, name: &str) -> Result<PathKind, Unplaced> {
        let stem = name.strip_suffix(".json");
        Ok(match self {
            Self::Top => match name {
                ROOT_PATH => PathKind::Record(Location::Root),
                ISSUES => PathKind::Folder(Self::Issues),
                QUEUES => PathKind::Folder(Self::Queues),
                RUNS => PathKind::Folder(Self::Runs),
                ROADMAPS => PathKind::Folder(Self::Roadmaps),
                WISDOM => PathKind::Folder(Self::Log(LogKind::Wisdom)),
                _ => return Err(Unplaced::UNKNOWN),
            },
            Self::Issues => PathKind::Folder(Self::IssueFan(Fan::parse(name).ok_or(Unplaced::UNKNOWN)?)),
            Self::IssueFan(fan) => {
                let id = IssueId::parse(name).map_err(Unplaced::because)?;
                let is_here = Fan::new(&id) == fan;
                let owner = Owner::Issue(id);
                if !is_here {
                    return Err(Unplaced::because(format_args!("the directory of this issue is `{owner}`")));
                }
                PathKind::Folder(Self::Owner(owner))
            }
            Self::Owner(owner) => owner.child(name)?,
            Self::Solutions(issue) => {
                let id = SolutionId::parse(name).map_err(Unplaced::because)?;
                if id.issue() != issue {
                    return Err(Unplaced::because(format_args!("a plan for `{}`", id.issue())));
                }
                PathKind::Folder(Self::Owner(Owner::Solution(id)))
            }
            Self::Executions(issue) => {
                let id = ExecutionId::parse(name).map_err(Unplaced::because)?;
                if id.issue() != issue {
                    return Err(Unplaced::because(format_args!("an execution of `{}`", id.issue())));
                }
                PathKind::Folder(Self::Owner(Owner::Execution(id)))
            }
            Self::Log(LogKind::Wisdom) if name == REDACTIONS => {
                PathKind::Folder(Self::Log(LogKind::Redactions(Owner::Wisdom)))
            }
            Self::Log(log) => {
                let id = EntryId::parse(stem.unwrap_or(name)).map_err(Unplaced::because)?;
                stem.ok_or(Unplaced::UNKNOWN)?;
                PathKind::Record(Location::Entry(log, id))
            }
            Self::Queues => {
                let id = QueueId::parse(name).map_err(Unplaced::because)?;
                PathKind::Folder(Self::Owner(Owner::Queue(id)))
            }
            Self::Items(queue) => {
                PathKind::Folder(Self::ItemFan(queue, Fan::parse(name).ok_or(Unplaced::UNKNOWN)?))
            }
            Self::ItemFan(queue, fan) => {
                let id = SolutionId::parse(stem.unwrap_or(name)).map_err(Unplaced::because)?;
                let is_here = stem.is_some() && Fan::new(&id.issue()) == fan;
                let item = Location::Item(queue, id);
                if !is_here {
                    return Err(Unplaced::because(format_args!("the file of this item is `{item}`")));
                }
                PathKind::Record(item)
            }
            Self::Runs => {
                let id = RunId::parse(name).map_err(Unplaced::because)?;
                PathKind::Folder(Self::Owner(Owner::Run(id)))
            }
            Self::Roadmaps => {
                let id = RoadmapId::parse(name).map_err(Unplaced::because)?;
                PathKind::Folder(Self::Owner(Owner::Roadmap(id)))
            }
        })
    }
}

impl Owner {
    fn child(self, name: &str) -> Result<PathKind, Unplaced> {
        if Some(name) == self.record_name() {
            return Ok(PathKind::Record(Location::Record(self)));
        }
        Ok(PathKind::Folder(match (self, name) {
            (owner, REDACTIONS) => Folder::Log(LogKind::Redactions(owner)),
            (Self::Issue(id), "comments") => Folder::Log(LogKind::Comments(id)),
            (Self::Issue(id), "feedback") => Folder::Log(LogKind::Feedback(id)),
            (Self::Issue(id), "explorations") => Folder::Log(LogKind::Explorations(id)),
            (Self::Issue(id), "solutions") => Folder::Solutions(id),
            (Self::Issue(id), "executions") => Folder::Executions(id),
            (Self::Solution(id), "reviews") => Folder::Log(LogKind::Reviews(id)),
            (Self::Execution(id), "log") => Folder::Log(LogKind::Events(id)),
            (Self::Queue(id), "items") => Folder::Items(id),
            (Self::Queue(id), "conflicts") => Folder::Log(LogKind::Conflicts(id)),
            (Self::Run(id), "log") => Folder::Log(LogKind::RunEvents(id)),
            (Self::Roadmap(id), "log") => Folder::Log(LogKind::RoadmapEvents(id)),
            _ => return Err(Unplaced::UNKNOWN),
        }))
    }

    pub(crate) fn record_name(&self) -> Option<&'static str> {
        match self {
            Self::Issue(_) => Some("issue.json"),
            Self::Solution(_) => Some("solution.json"),
            Self::Execution(_) => Some(CLAIM),
            Self::Queue(_) => Some("queue.json"),
            Self::Run(_) => Some("run.json"),
            Self::Roadmap(_) => Some("roadmap.json"),
            Self::Wisdom => None,
        }
    }

    /// Its id.
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Issue(id) => id.as_str(),
            Self::Solution(id) => id.as_str(),
            Self::Execution(id) => id.as_str(),
            Self::Queue(id) => id.as_str(),
            Self::Run(id) => id.as_str(),
            Self::Roadmap(id) => id.as_str(),
            Self::Wisdom => WISDOM,
        }
    }

    /// The issue that it is, or belongs to; `None` for queues, runs, roadmaps and what was learned.
    pub(crate) fn issue(&self) -> Option<IssueId> {
        match self {
            Self::Issue(id) => Some(id.clone()),
            Self::Solution(id) => Some(id.issue()),
            Self::Execution(id) => Some(id.issue()),
            Self::Queue(_) | Self::Run(_) | Self::Roadmap(_) | Self::Wisdom => None,
        }
    }
}

impl LogKind {
    /// The owner in whose directory it is.
    pub(crate) fn owner(&self) -> Owner {
        match self {
            Self::Comments(id) | Self::Feedback(id) | Self::Explorations(id) => Owner::Issue(id.clone()),
            Self::Reviews(id) => Owner::Solution(id.clone()),
            Self::Events(id) => Owner::Execution(id.clone()),
            Self::Conflicts(id) => Owner::Queue(id.clone()),
            Self::RunEvents(id) => Owner::Run(id.clone()),
            Self::RoadmapEvents(id) => Owner::Roadmap(id.clone()),
            Self::Wisdom => Owner::Wisdom,
            Self::Redactions(owner) => owner.clone(),
        }
    }
}

impl Location {
    /// The record at `path`; `None` if this format has no record there.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        match PathKind::parse(path) {
            Ok(PathKind::Record(record)) => Some(record),
            _ => None,
        }
    }

    /// The id that the record must have; `None` for the root.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Root => None,
            Self::Record(owner) => Some(owner.id()),
            Self::Item(_, solution) => Some(solution.as_str()),
            Self::Entry(_, entry) => Some(entry.as_str()),
        }
    }

    /// The issue that the record belongs to; for an item, the issue of its plan.
    pub(crate) fn issue(&self) -> Option<IssueId> {
        match self {
            Self::Root => None,
            Self::Record(owner) => owner.issue(),
            Self::Item(_, solution) => Some(solution.issue()),
            Self::Entry(log, _) => log.owner().issue(),
        }
    }

    /// The owner whose redactions hide values of the record; `None` for the root and for redactions, which cannot be
    /// hidden.
    pub(crate) fn redacted_by(&self) -> Option<Owner> {
        match self {
            Self::Root | Self::Entry(LogKind::Redactions(_), _) => None,
            Self::Record(owner) => Some(owner.clone()),
            Self::Item(queue, _) => Some(Owner::Queue(queue.clone())),
            Self::Entry(log, _) => Some(log.owner()),
        }
    }
}

#[cfg(test)]
mod tests;
