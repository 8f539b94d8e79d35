//! Records that belong together: an issue with its logs, plans, executions and items; a queue with its items.

mod comments;
mod execution;

use std::collections::BTreeMap;

#[cfg(test)]
pub(crate) use self::comments::standing_comments;
pub(crate) use self::comments::{StandingComment, hidden_in_source, thread, threads};
pub(crate) use self::execution::{ExecutionFolder, LinkedCommit, last_checks};
use crate::model::{
    Comment, Explored, Feedback, Issue, Item, Order, OrderKind, Queue, QueueConflict, QueueDecision, QueueId,
    Review, Roadmap, RoadmapLogEntry, Run, RunEvent, RunLogEntry, Solution, SolutionId, Stamp, Time,
};

/// A record with the time of its latest stamp.
#[derive(Debug, Clone)]
pub(crate) struct Recorded<T> {
    /// The record.
    pub(crate) record: T,
    /// When it last changed.
    pub(crate) changed: Option<Time>,
    /// The stamp of its `status`, if it has one.
    pub(crate) decided: Option<Stamp>,
}

/// An issue with everything about it.
#[derive(Debug, Clone)]
pub(crate) struct IssueFolder {
    /// The issue.
    pub(crate) issue: Recorded<Issue>,
    /// In order.
    pub(crate) comments: Vec<Comment>,
    /// In order.
    pub(crate) feedback: Vec<Feedback>,
    /// What explorers found out, in order.
    pub(crate) explorations: Vec<Explored>,
    /// In byte order of their ids.
    pub(crate) solutions: Vec<Recorded<Solution>>,
    /// The reviews of each plan that has any, in order.
    pub(crate) reviews: BTreeMap<SolutionId, Vec<Review>>,
    /// In byte order of their ids.
    pub(crate) executions: Vec<ExecutionFolder>,
    /// Its items in all queues, removed ones included.
    pub(crate) items: Vec<QueuedItem>,
    /// Files that cannot be read, and why.
    pub(crate) broken: Vec<(String, String)>,
}

impl IssueFolder {
    /// The plan of this id.
    pub(crate) fn solution(&self, id: &SolutionId) -> Option<&Solution> {
        self.solutions.iter().map(|s| &s.record).find(|s| s.id == *id)
    }

    /// The plans that were not withdrawn.
    pub(crate) fn plans(&self) -> Vec<&Solution> {
        self.solutions.iter().map(|s| &s.record).filter(|s| s.withdrawn.is_none()).collect()
    }

    /// The reviews of a plan, in order.
    pub(crate) fn reviews(&self, id: &SolutionId) -> &[Review] {
        self.reviews.get(id).map_or(&[], Vec::as_slice)
    }

    /// The plan that will be executed, if one is bound and exists.
    pub(crate) fn bound(&self) -> Option<&Solution> {
        self.issue.record.bound_solution_id.as_ref().and_then(|id| self.solution(id))
    }
}

/// An item with the queue that it is in.
#[derive(Debug, Clone)]
pub(crate) struct QueuedItem {
    /// The queue.
    pub(crate) queue: QueueId,
    /// The item.
    pub(crate) item: Item,
}

/// A queue with its items in the order of their positions, removed ones included.
#[derive(Debug, Clone)]
pub(crate) struct QueueFolder {
    /// The queue.
    pub(crate) queue: Queue,
    /// In order.
    pub(crate) items: Vec<Item>,
    /// Declared conflicts and decisions, in order.
    pub(crate) conflicts: Vec<QueueConflict>,
    /// Files that cannot be read, and why.
    pub(crate) broken: Vec<(String, String)>,
    /// Whether its own record can be read. If not, a placeholder is used, and no item is handed out.
    pub(crate) is_readable: bool,
}

impl QueueFolder {
    /// A placeholder for a queue whose record cannot be read: others may still wait for its items.
    pub(crate) fn unreadable(id: QueueId, broken: (String, String)) -> Self {
        let queue =
            Queue { id, created_at: Time::EPOCH, name: None, status: QueueDecision::Paused, priority: 0 };
        Self { queue, items: vec![], conflicts: vec![], broken: vec![broken], is_readable: false }
    }

    /// Replaces the items; they are sorted by their positions.
    pub(crate) fn with_items(mut self, mut items: Vec<Item>) -> Self {
        items.sort_by(|a, b| (&a.position, &a.solution_id).cmp(&(&b.position, &b.solution_id)));
        self.items = items;
        self
    }

    /// Sorts queues in the order in which they are served.
    pub(crate) fn sort(queues: &mut [Self]) {
        queues.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()).then_with(|| a.queue.id.cmp(&b.queue.id)));
    }

    fn sort_key(&self) -> (bool, i64, Time) {
        (!self.is_readable, self.queue.priority, self.queue.created_at)
    }
}

/// A run with its log in order.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    /// The run.
    pub(crate) run: Run,
    /// Its log.
    pub(crate) log: Vec<RunLogEntry>,
}

impl RunFolder {
    /// A run with this log. The issues that were added to it while it was driven come after those that it began with.
    pub(crate) fn new(run: Run, log: Vec<RunLogEntry>) -> Self {
        let mut run = run;
        for entry in &log {
            if let RunEvent::Order(Order { order: OrderKind::Add, issue_id: Some(issue), .. }) = &entry.event
                && !run.issue_ids.contains(issue)
            {
                run.issue_ids.push(issue.clone());
            }
        }
        Self { run, log }
    }
}

/// A roadmap with its log in order.
#[derive(Debug, Clone)]
pub(crate) struct RoadmapFolder {
    /// The roadmap.
    pub(crate) roadmap: Recorded<Roadmap>,
    /// Its log.
    pub(crate) log: Vec<RoadmapLogEntry>,
    /// Files that cannot be read, and why.
    pub(crate) broken: Vec<(String, String)>,
}

#[cfg(test)]
mod tests;
