//! Records that belong together: an issue with its logs, plans, executions and items; a queue with its items.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::execution::{
    Aside, Check, CommitLink, End, Event, Execution, ExecutionResult, Failure, LogEntry,
};
use crate::model::hash::CommitHash;
use crate::model::id::{EntryId, QueueId, SolutionId};
use crate::model::issue::{Comment, Feedback, Issue};
use crate::model::queue::{Item, Queue, QueueDecision};
use crate::model::queue_conflict::QueueConflict;
use crate::model::review::Review;
use crate::model::run::Run;
use crate::model::run_log::RunLogEntry;
use crate::model::solution::Solution;
use crate::model::status::ExecutionStatus;
use crate::model::time::Time;

/// A record with the time of its latest stamp.
#[derive(Debug, Clone)]
pub(crate) struct Recorded<T> {
    /// The record.
    pub(crate) record: T,
    /// When it last changed.
    pub(crate) changed: Option<Time>,
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

    /// The reviews of a plan, in order.
    pub(crate) fn reviews(&self, id: &SolutionId) -> &[Review] {
        self.reviews.get(id).map_or(&[], Vec::as_slice)
    }

    /// The plan that will be executed, if one is bound and exists.
    pub(crate) fn bound(&self) -> Option<&Solution> {
        self.issue.record.bound_solution_id.as_ref().and_then(|id| self.solution(id))
    }

    /// The current comments, in order: all except those that a later one replaces.
    pub(crate) fn standing_comments(&self) -> Vec<StandingComment<'_>> {
        standing_comments(&self.comments)
    }
}

/// See [`IssueFolder::standing_comments`].
fn standing_comments(comments: &[Comment]) -> Vec<StandingComment<'_>> {
    let known: BTreeMap<&EntryId, &Comment> = comments.iter().map(|it| (&it.id, it)).collect();
    // Only earlier comments can be replaced, so no cycle hides its own members.
    let replaced = |by: &Comment| known.get(by.edits.as_ref().filter(|id| **id < by.id)?).copied();
    let hidden: BTreeSet<&EntryId> = comments.iter().filter_map(|it| Some(&replaced(it)?.id)).collect();
    let stands = |comment: &'_ &Comment| !hidden.contains(&comment.id);
    let with_earlier = |comment| {
        let mut replaces: Vec<&Comment> =
            std::iter::successors(replaced(comment), |it| replaced(it)).collect();
        replaces.reverse();
        StandingComment { comment, replaces }
    };
    comments.iter().filter(stands).map(with_earlier).collect()
}

/// A comment that is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StandingComment<'a> {
    /// As it was last written.
    pub(crate) comment: &'a Comment,
    /// Its earlier versions, oldest first.
    pub(crate) replaces: Vec<&'a Comment>,
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

    /// The same with these items, in the order of their positions.
    pub(crate) fn with_items(mut self, mut items: Vec<Item>) -> Self {
        items.sort_by(|a, b| (&a.position, &a.solution_id).cmp(&(&b.position, &b.solution_id)));
        self.items = items;
        self
    }

    /// Sorts queues in the order in which they are served.
    pub(crate) fn sort(queues: &mut [Self]) {
        queues.sort_by(|a, b| {
            let key = |it: &Self| (!it.is_readable, it.queue.priority, it.queue.created_at);
            key(a).cmp(&key(b)).then_with(|| a.queue.id.cmp(&b.queue.id))
        });
    }
}

/// An execution with its log in order.
#[derive(Debug, Clone)]
pub(crate) struct ExecutionFolder {
    /// The claim.
    pub(crate) execution: Execution,
    /// Its log.
    pub(crate) log: Vec<LogEntry>,
}

/// A run with its log in order.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    /// The run.
    pub(crate) run: Run,
    /// Its log.
    pub(crate) log: Vec<RunLogEntry>,
}

/// A commit that is linked now, with the commits that it replaced.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinkedCommit {
    /// The link; for a rewritten commit, under its new hash.
    pub(crate) link: CommitLink,
    /// Earlier hashes of the same work, oldest first.
    pub(crate) rewritten_from: Vec<CommitHash>,
}

/// For each command of each task, the last check, in the order of the first ones, and how many there were before it.
pub(crate) fn last_checks<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Vec<(&'a Check, usize)> {
    let mut places = BTreeMap::new();
    let mut last: Vec<(&'a Check, usize)> = Vec::new();
    for check in checks {
        let place = *places.entry((&check.task_id, &check.command)).or_insert(last.len());
        match last.get_mut(place) {
            Some(known) => *known = (check, known.1 + 1),
            None => last.push((check, 0)),
        }
    }
    last
}

impl ExecutionFolder {
    /// For each command of each task, the last check, and how many there were before it.
    pub(crate) fn last_checks(&self) -> Vec<(&Check, usize)> {
        last_checks(self.log.iter().filter_map(|entry| match &entry.event {
            Event::Check(check) => Some(check),
            _ => None,
        }))
    }

    /// Completed if any `end` says so, else failed if one does, else executing.
    pub(crate) fn outcome(&self) -> ExecutionStatus {
        let ended = |status| self.ends().any(|(end, _)| end.status == status);
        if ended(ExecutionStatus::Completed) {
            ExecutionStatus::Completed
        } else if ended(ExecutionStatus::Failed) {
            ExecutionStatus::Failed
        } else {
            ExecutionStatus::Executing
        }
    }

    /// All ends, in the order of the log.
    pub(super) fn ends(&self) -> impl Iterator<Item = (&End, &LogEntry)> {
        self.log.iter().filter_map(|entry| match &entry.event {
            Event::End(end) => Some((end, entry)),
            _ => None,
        })
    }

    /// The `end` that decided the outcome: the first of that status.
    fn deciding_end(&self) -> Option<(&End, &LogEntry)> {
        let outcome = self.outcome();
        self.ends().find(|(end, _)| end.status == outcome)
    }

    /// The ends that did not decide the outcome: others ended it, too, without knowing of that one.
    pub(crate) fn other_ends(&self) -> impl Iterator<Item = (&End, &LogEntry)> {
        let deciding = self.deciding_end().map(|(_, entry)| &entry.id);
        self.ends().filter(move |(_, entry)| Some(&entry.id) != deciding)
    }

    /// When it ended.
    pub(crate) fn finished_at(&self) -> Option<Time> {
        self.deciding_end().map(|(_, entry)| entry.at)
    }

    /// Who ended it: marked it completed or failed, or else set it aside in its own log.
    pub(crate) fn ended_by(&self) -> Option<&str> {
        let end = self.deciding_end().map(|(_, entry)| entry);
        end.or_else(|| self.aside_entry().map(|(entry, _)| entry)).map(|entry| entry.actor.as_str())
    }

    /// Why a gate was overridden to end it.
    pub(crate) fn forced(&self) -> Option<&str> {
        match self.deciding_end() {
            Some((end, _)) => end.forced.as_deref(),
            None => self.aside().and_then(|aside| aside.forced.as_deref()),
        }
    }

    /// Who ended it, if that is not its executor.
    pub(crate) fn ended_by_another(&self) -> Option<&str> {
        self.ended_by().filter(|person| *person != self.execution.actor)
    }

    /// What the executor reported.
    pub(crate) fn result(&self) -> Option<&ExecutionResult> {
        self.deciding_end().and_then(|(end, _)| end.result.as_ref())
    }

    /// What went wrong.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        self.deciding_end().and_then(|(end, _)| end.failure.as_ref())
    }

    /// The entry by which it failed, and what went wrong; none for any other outcome.
    pub(crate) fn failed_end(&self) -> Option<(&LogEntry, &Failure)> {
        if self.outcome() != ExecutionStatus::Failed {
            return None;
        }
        self.log.iter().find_map(|entry| match &entry.event {
            Event::End(end) => Some((entry, end.failure.as_ref()?)),
            _ => None,
        })
    }

    /// The entry in its own log that sets aside its present status.
    pub(crate) fn aside(&self) -> Option<&Aside> {
        self.aside_entry().map(|(_, aside)| aside)
    }

    /// That content, with its entry.
    pub(super) fn aside_entry(&self) -> Option<(&LogEntry, &Aside)> {
        let outcome = self.outcome();
        self.log.iter().find_map(|entry| match &entry.event {
            Event::Aside(aside) if aside.status == outcome => Some((entry, aside)),
            _ => None,
        })
    }

    /// When the lease expires.
    pub(crate) fn lease_expires_at(&self) -> Time {
        let renewed = self.log.iter().filter_map(|entry| match &entry.event {
            Event::Renew(renew) => Some(renew.lease_expires_at),
            _ => None,
        });
        renewed.max().map_or(self.execution.lease_expires_at, |at| at.max(self.execution.lease_expires_at))
    }

    /// The commits that are linked now, in the order of their first link.
    pub(crate) fn commits(&self) -> Vec<LinkedCommit> {
        fold_commits(&self.log)
            .into_iter()
            .filter(|known| known.state == State::Linked)
            .map(|known| known.commit)
            .collect()
    }

    /// Those of them that the execution made itself. [`super::undoing::standing`] finds those whose changes remain.
    pub(crate) fn work(&self) -> Vec<LinkedCommit> {
        self.commits().into_iter().filter(|it| it.link.is_work()).collect()
    }

    /// The current links, by the hash of the commit and by those that it had before it was rewritten.
    pub(crate) fn links_by_hash(&self) -> HashMap<CommitHash, CommitLink> {
        let mut links = HashMap::new();
        for commit in self.commits() {
            for hash in commit.rewritten_from {
                links.entry(hash).or_insert_with(|| commit.link.clone());
            }
            links.insert(commit.link.hash.clone(), commit.link);
        }
        links
    }

    /// Whether `hash` is linked, or was before it was rewritten.
    pub(crate) fn knows_commit(&self, hash: &str) -> bool {
        self.known_commits().any(|known| *known == *hash)
    }

    /// The hashes that are linked, or were before they were rewritten.
    pub(crate) fn known_commits(&self) -> impl Iterator<Item = CommitHash> {
        let known = fold_commits(&self.log).into_iter().filter(|known| known.state != State::Unlinked);
        known.map(|known| known.commit.link.hash)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Linked,
    Replaced,
    Unlinked,
}

struct KnownCommit {
    commit: LinkedCommit,
    state: State,
}

/// `commit` adds a link, `unlink` removes it; `rewrite` replaces the old hash by the new one if the old one is linked,
/// or was and has not been unlinked since.
fn fold_commits(log: &[LogEntry]) -> Vec<KnownCommit> {
    let mut known: Vec<KnownCommit> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for entry in log {
        match &entry.event {
            Event::Commit(link) => match places.get(link.hash.as_str()).copied() {
                // An unlinked commit is forgotten.
                Some(n) if known[n].state == State::Unlinked => {
                    let commit = LinkedCommit { link: link.clone(), rewritten_from: Vec::new() };
                    known[n] = KnownCommit { commit, state: State::Linked };
                }
                Some(n) => {
                    known[n].state = State::Linked;
                    // The first link of a hash stays, unless the later one knows the task.
                    if known[n].commit.link.task_id.is_none() {
                        known[n].commit.link.task_id.clone_from(&link.task_id);
                    }
                }
                None => {
                    places.insert(&link.hash, known.len());
                    known.push(KnownCommit {
                        commit: LinkedCommit { link: link.clone(), rewritten_from: Vec::new() },
                        state: State::Linked,
                    });
                }
            },
            Event::Unlink(unlink) => {
                if let Some(&n) = places.get(unlink.hash.as_str()) {
                    known[n].state = State::Unlinked;
                }
            }
            Event::Rewrite(rewrite) if rewrite.old != rewrite.new => {
                let old = places.get(rewrite.old.as_str()).copied();
                let Some(old) = old.filter(|n| known[*n].state != State::Unlinked) else {
                    continue;
                };
                known[old].state = State::Replaced;
                let mut from = known[old].commit.rewritten_from.clone();
                from.push(rewrite.old.clone());
                match places.get(rewrite.new.as_str()).copied() {
                    Some(new) => {
                        known[new].state = State::Linked;
                        let mut earlier = std::mem::take(&mut known[new].commit.rewritten_from);
                        from.retain(|hash| !earlier.contains(hash));
                        earlier.extend(from);
                        known[new].commit.rewritten_from = earlier;
                    }
                    None => {
                        let mut link = known[old].commit.link.clone();
                        link.hash.clone_from(&rewrite.new);
                        places.insert(&rewrite.new, known.len());
                        known.push(KnownCommit {
                            commit: LinkedCommit { link, rewritten_from: from },
                            state: State::Linked,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::execution::{LinkedBy, Rewrite, Unlink};
    use crate::model::fixtures::entry_id;

    fn log(events: Vec<Event>) -> Vec<LogEntry> {
        let at = Time::from_seconds(0).unwrap();
        let id = entry_id("20261121T021405123Z-00000");
        events.into_iter().map(|event| LogEntry { id: id.clone(), event, actor: "a".into(), at }).collect()
    }

    /// The name of an entry written in this second.
    fn entry(second: usize) -> EntryId {
        entry_id(&format!("20261121T0214{second:02}123Z-00000"))
    }

    /// Comments written one after the other, each with the one that it replaces.
    fn commented(edits: &[Option<usize>]) -> Vec<Comment> {
        let comment = |(n, edits): (usize, &Option<usize>)| Comment {
            id: entry(n),
            body: n.to_string(),
            author: "a".into(),
            created_at: Time::EPOCH,
            edits: edits.map(entry),
        };
        edits.iter().enumerate().map(comment).collect()
    }

    #[test]
    fn a_comment_that_a_later_one_replaces_stands_no_more() {
        let standing = |edits: &[Option<usize>]| -> Vec<(String, Vec<String>)> {
            let comments = commented(edits);
            let bodies = |of: &[&Comment]| of.iter().map(|it| it.body.clone()).collect();
            standing_comments(&comments)
                .iter()
                .map(|it| (it.comment.body.clone(), bodies(&it.replaces)))
                .collect()
        };
        let shown = |body: &str, replaces: &[&str]| {
            (body.to_owned(), replaces.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(standing(&[None, None]), [shown("0", &[]), shown("1", &[])]);
        assert_eq!(standing(&[None, None, Some(0), Some(2)]), [shown("1", &[]), shown("3", &["0", "2"])]);
        assert_eq!(standing(&[None, Some(0), Some(0)]), [shown("1", &["0"]), shown("2", &["0"])]);
        // A comment that replaces itself, a later one, one in a cycle, or a missing one.
        assert_eq!(
            standing(&[Some(0), Some(2), Some(1), Some(9)]),
            [shown("0", &[]), shown("2", &["1"]), shown("3", &[])]
        );
    }

    fn commit(hash: &str) -> Event {
        Event::Commit(CommitLink {
            hash: hash.into(),
            task_id: None,
            subject: hash.into(),
            author: "a".into(),
            authored_at: Time::from_seconds(0).unwrap(),
            files: vec![],
            linked_by: LinkedBy::Hook,
            reverts: vec![],
        })
    }

    fn rewrite(old: &str, new: &str) -> Event {
        Event::Rewrite(Rewrite { old: old.into(), new: new.into() })
    }

    fn unlink(hash: &str) -> Event {
        Event::Unlink(Unlink { hash: hash.into() })
    }

    fn linked(events: Vec<Event>) -> Vec<(CommitHash, Vec<CommitHash>)> {
        fold_commits(&log(events))
            .into_iter()
            .filter(|k| k.state == State::Linked)
            .map(|k| (k.commit.link.hash, k.commit.rewritten_from))
            .collect()
    }

    fn pairs(of: &[(&str, &[&str])]) -> Vec<(CommitHash, Vec<CommitHash>)> {
        of.iter().map(|(h, from)| ((*h).into(), from.iter().map(|f| (*f).into()).collect())).collect()
    }

    #[test]
    fn a_commit_that_was_replaced_is_linked_again_by_its_hash() {
        let found = linked(vec![commit("a"), rewrite("a", "b"), commit("a")]);
        assert_eq!(found, pairs(&[("a", &[]), ("b", &["a"])]));
    }

    #[test]
    fn the_same_commit_twice_is_one_link() {
        assert_eq!(linked(vec![commit("a"), commit("a")]), pairs(&[("a", &[])]));
    }

    #[test]
    fn a_rewritten_commit_is_followed() {
        assert_eq!(
            linked(vec![commit("a"), rewrite("a", "b"), rewrite("b", "c")]),
            pairs(&[("c", &["a", "b"])])
        );
        // An amend links the new commit by itself first.
        assert_eq!(linked(vec![commit("a"), commit("b"), rewrite("a", "b")]), pairs(&[("b", &["a"])]));
        // Two squashed commits become one.
        assert_eq!(
            linked(vec![commit("a"), commit("b"), rewrite("a", "c"), rewrite("b", "c")]),
            pairs(&[("c", &["a", "b"])])
        );
    }

    #[test]
    fn what_was_unlinked_or_never_linked_is_not_followed() {
        assert_eq!(linked(vec![commit("a"), unlink("a"), rewrite("a", "b")]), pairs(&[]));
        assert_eq!(linked(vec![rewrite("a", "b")]), pairs(&[]));
        assert_eq!(linked(vec![commit("a"), unlink("a"), commit("a")]), pairs(&[("a", &[])]));
    }

    #[test]
    fn a_commit_that_two_rebases_rewrote_has_two_successors() {
        assert_eq!(
            linked(vec![commit("a"), rewrite("a", "b"), rewrite("a", "c")]),
            pairs(&[("b", &["a"]), ("c", &["a"])])
        );
    }
}
