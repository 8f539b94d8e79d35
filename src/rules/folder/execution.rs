//! An execution with its log: the commits that it links, how it ended, until when its lease runs.

use std::collections::{BTreeMap, HashMap};

use crate::model::execution::{
    Aside, Check, CommitLink, End, Event, Execution, ExecutionResult, Failure, LogEntry,
};
use crate::model::hash::CommitHash;
use crate::model::person::Person;
use crate::model::status::ExecutionStatus;
use crate::model::time::Time;

/// An execution with its log in order.
#[derive(Debug, Clone)]
pub(crate) struct ExecutionFolder {
    /// The claim.
    pub(crate) execution: Execution,
    /// Its log.
    pub(crate) log: Vec<LogEntry>,
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
    pub(in crate::rules) fn ends(&self) -> impl Iterator<Item = (&End, &LogEntry)> {
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
    pub(crate) fn ended_by(&self) -> Option<&Person> {
        let end = self.deciding_end().map(|(_, entry)| entry);
        end.or_else(|| self.aside_entry().map(|(entry, _)| entry)).map(|entry| &entry.actor)
    }

    /// Why a gate was overridden to end it.
    pub(crate) fn forced(&self) -> Option<&str> {
        match self.deciding_end() {
            Some((end, _)) => end.forced.as_deref(),
            None => self.aside().and_then(|aside| aside.forced.as_deref()),
        }
    }

    /// Who ended it, if that is not its executor.
    pub(crate) fn ended_by_another(&self) -> Option<&Person> {
        self.ended_by().filter(|person| **person != self.execution.actor)
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

    /// The entry that sets aside its present status, with the content of that entry.
    pub(in crate::rules) fn aside_entry(&self) -> Option<(&LogEntry, &Aside)> {
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

    /// The commits that the execution made itself. [`super::undoing::standing`] finds those whose changes remain.
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

    /// Whether someone removed the link of `hash`, so that `relink` does not make it again.
    pub(crate) fn has_unlinked(&self, hash: &str) -> bool {
        let known = fold_commits(&self.log);
        known.iter().any(|it| it.state == State::Unlinked && it.commit.link.hash == *hash)
    }

    /// The hashes that are linked, or were before they were rewritten.
    pub(crate) fn known_commits(&self) -> impl Iterator<Item = CommitHash> {
        let known = fold_commits(&self.log).into_iter().filter(|known| known.state != State::Unlinked);
        known.map(|known| known.commit.link.hash)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Linked,
    Replaced,
    Unlinked,
}

pub(super) struct KnownCommit {
    pub(super) commit: LinkedCommit,
    pub(super) state: State,
}

/// `commit` adds a link, `unlink` removes it; `rewrite` replaces the old hash by the new one if the old one is linked,
/// or was and has not been unlinked since.
pub(super) fn fold_commits(log: &[LogEntry]) -> Vec<KnownCommit> {
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
                        known[n].commit.link.set_tasks(link.tasks().cloned().collect());
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
