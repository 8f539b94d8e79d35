//! The paths of locations, as they are written.

use std::fmt;

use super::{Folder, Location, LogKind, Owner};
use crate::model::IssueId;
use crate::store::layout::{Fan, ISSUES, QUEUES, REDACTIONS, ROADMAPS, ROOT_PATH, RUNS, WISDOM};

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Issue(id) => write!(f, "{ISSUES}/{}/{id}", Fan::new(id)),
            Self::Solution(id) => write!(f, "{}/{id}", Folder::Solutions(id.issue())),
            Self::Execution(id) => write!(f, "{}/{id}", Folder::Executions(id.issue())),
            Self::Queue(id) => write!(f, "{QUEUES}/{id}"),
            Self::Run(id) => write!(f, "{RUNS}/{id}"),
            Self::Roadmap(id) => write!(f, "{ROADMAPS}/{id}"),
            Self::Wisdom => f.write_str(WISDOM),
        }
    }
}

impl fmt::Display for LogKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Comments(_) => "comments",
            Self::Feedback(_) => "feedback",
            Self::Explorations(_) => "explorations",
            Self::Reviews(_) => "reviews",
            Self::Events(_) | Self::RunEvents(_) | Self::RoadmapEvents(_) => "log",
            Self::Conflicts(_) => "conflicts",
            Self::Wisdom => return self.owner().fmt(f),
            Self::Redactions(_) => REDACTIONS,
        };
        write!(f, "{}/{name}", self.owner())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str(ROOT_PATH),
            Self::Record(owner) => write!(f, "{owner}/{}", owner.record_name().unwrap_or_default()),
            Self::Item(queue, solution) => {
                let folder = Folder::ItemFan(queue.clone(), Fan::new(&solution.issue()));
                write!(f, "{folder}/{solution}.json")
            }
            Self::Entry(log, entry) => write!(f, "{log}/{entry}.json"),
        }
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Issues => f.write_str(ISSUES),
            Self::IssueFan(fan) => write!(f, "{ISSUES}/{fan}"),
            Self::Owner(owner) => owner.fmt(f),
            Self::Solutions(issue) => write!(f, "{}/solutions", issue_owner(issue)),
            Self::Executions(issue) => write!(f, "{}/executions", issue_owner(issue)),
            Self::Log(log) => log.fmt(f),
            Self::Queues => f.write_str(QUEUES),
            Self::Items(queue) => write!(f, "{QUEUES}/{queue}/items"),
            Self::ItemFan(queue, fan) => write!(f, "{QUEUES}/{queue}/items/{fan}"),
            Self::Runs => f.write_str(RUNS),
            Self::Roadmaps => f.write_str(ROADMAPS),
        }
    }
}

fn issue_owner(issue: &IssueId) -> Owner {
    Owner::Issue(issue.clone())
}
