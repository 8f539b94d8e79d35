//! An execution with its log: the commits that it links, how it ended, until when its lease runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::{
    Aside, Check, CommitHash, CommitLink, End, Event, Execution, ExecutionResult, ExecutionStatus, Failure,
    LinkedBy, LogEntry, Person, Rewrite, Time, TreeHash,
};

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
        linked_commits(&fold_commits(&self.log))
    }

    /// The commits that the execution made itself. [`super::undoing::standing`] finds those whose changes remain.
    pub(crate) fn work(&self) -> Vec<LinkedCommit> {
        self.commits().into_iter().filter(|commit| commit.link.is_work()).collect()
    }

    /// The current links, by the hash of the commit and by those that it had before it was rewritten.
    pub(crate) fn links_by_hash(&self) -> HashMap<CommitHash, Arc<CommitLink>> {
        let known = fold_commits(&self.log);
        let mut links = HashMap::new();
        let mut seen = vec![false; known.len()];
        for n in (0..known.len()).filter(|n| known[*n].state == State::Linked) {
            let link = Arc::new(known[n].link());
            let mut open = known[n].before.clone();
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    links.entry(known[at].hash.clone()).or_insert_with(|| Arc::clone(&link));
                    open.extend(&known[at].before);
                }
            }
            links.insert(known[n].hash.clone(), link);
        }
        links
    }

    /// The rewrites that undo others: for each linked commit that `is_gone`, those that lead from it to its nearest
    /// earlier versions that are `back`.
    pub(crate) fn undone_rewrites(
        &self,
        is_gone: &dyn Fn(&CommitHash) -> bool,
        is_back: &dyn Fn(&CommitHash) -> bool,
    ) -> Vec<Rewrite> {
        let known = fold_commits(&self.log);
        let mut found = Vec::new();
        let mut seen = vec![false; known.len()];
        for gone in known.iter().filter(|commit| commit.state == State::Linked && is_gone(commit.hash)) {
            let mut open = gone.before.clone();
            while let Some(at) = open.pop() {
                if std::mem::replace(&mut seen[at], true) || known[at].state != State::Replaced {
                    continue;
                }
                if is_back(known[at].hash) {
                    let (old, new) = (gone.hash.clone(), known[at].hash.clone());
                    found.push(Rewrite { old, new, tree: known[at].tree.cloned() });
                } else {
                    open.extend(&known[at].before);
                }
            }
        }
        found
    }

    /// The same execution if these rewrites were in its log.
    pub(crate) fn with_rewrites(&self, rewrites: Vec<Rewrite>) -> Self {
        let mut folder = self.clone();
        if let Some(last) = self.log.last() {
            folder.log.extend(
                rewrites
                    .into_iter()
                    .map(|rewrite| LogEntry { event: Event::Rewrite(rewrite), ..last.clone() }),
            );
        }
        folder
    }

    /// The execution as it was after the first entries of its log, up to that one.
    pub(crate) fn until(&self, last: usize) -> Self {
        Self { execution: self.execution.clone(), log: self.log[..=last].to_vec() }
    }

    /// Whether `hash` is linked, or was before it was rewritten.
    pub(crate) fn knows_commit(&self, hash: &str) -> bool {
        self.known_commits().any(|known| *known == *hash)
    }

    /// Whether commits of it were ever rewritten.
    pub(crate) fn has_rewrites(&self) -> bool {
        self.log.iter().any(|entry| matches!(entry.event, Event::Rewrite(_)))
    }

    /// Whether someone removed the link of `hash`, so that `link --find` does not make it again.
    pub(crate) fn has_unlinked(&self, hash: &str) -> bool {
        self.unlinked_commits().any(|unlinked| *unlinked == *hash)
    }

    /// The hashes whose links someone removed, and those into which these were rewritten.
    pub(crate) fn unlinked_commits(&self) -> impl Iterator<Item = &CommitHash> {
        let known = fold_commits(&self.log).into_iter().filter(|known| known.state == State::Unlinked);
        known.map(|known| known.hash)
    }

    /// The hashes that are linked, or were before they were rewritten.
    pub(crate) fn known_commits(&self) -> impl Iterator<Item = &CommitHash> {
        let known = fold_commits(&self.log)
            .into_iter()
            .filter(|known| matches!(known.state, State::Linked | State::Replaced));
        known.map(|known| known.hash)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Linked,
    Replaced,
    Unlinked,
    /// It stands again further back.
    Moved,
}

/// A commit that the log names as linked.
pub(super) struct KnownCommit<'a> {
    hash: &'a CommitHash,
    /// The link, which may be that of a commit from which this one was rewritten.
    link: &'a CommitLink,
    /// The link that names its tasks.
    tasks: &'a CommitLink,
    /// The tree of the commit itself, if an entry tells it.
    tree: Option<&'a TreeHash>,
    pub(super) state: State,
    /// The indices of the commits that it replaced.
    before: Vec<usize>,
}

impl KnownCommit<'_> {
    fn link(&self) -> CommitLink {
        let (hash, tree) = (self.hash.clone(), self.tree.cloned());
        let mut link = CommitLink { hash, tree, ..self.link.clone() };
        link.set_tasks(self.tasks.tasks().cloned().collect());
        link
    }
}

/// How many earlier hashes of all commits are listed: many commits can share a long chain of them. Any log that people
/// and their tools write stays below both.
const EARLIER_PER_ENTRY: usize = 8;
const FEW_EARLIER: usize = 10_000;

/// The linked ones, each with its earlier hashes.
pub(super) fn linked_commits(known: &[KnownCommit<'_>]) -> Vec<LinkedCommit> {
    let mut left = FEW_EARLIER.max(EARLIER_PER_ENTRY * known.len());
    // The number of the commit for which each was seen last.
    let mut seen = vec![usize::MAX; known.len()];
    let linked = (0..known.len()).filter(|n| known[*n].state == State::Linked);
    let mut commits = Vec::new();
    for n in linked {
        let mut rewritten_from = Vec::new();
        let mut open = known[n].before.clone();
        seen[n] = n;
        while left > 0 {
            let Some(at) = open.pop() else { break };
            if std::mem::replace(&mut seen[at], n) != n {
                rewritten_from.push(known[at].hash.clone());
                open.extend(&known[at].before);
                left -= 1;
            }
        }
        rewritten_from.reverse();
        commits.push(LinkedCommit { link: known[n].link(), rewritten_from });
    }
    commits
}

/// `commit` adds a link, `unlink` removes it; `rewrite` replaces the old hash by the new one if the old one is linked,
/// or was and has not been unlinked since. If it was unlinked, so is the new one, unless the log names that already.
pub(super) fn fold_commits(log: &[LogEntry]) -> Vec<KnownCommit<'_>> {
    let mut known: Vec<KnownCommit<'_>> = Vec::new();
    let mut places: HashMap<&CommitHash, usize> = HashMap::new();
    for entry in log {
        match &entry.event {
            Event::Commit(link) => {
                let (hash, tree) = (&link.hash, link.tree.as_ref());
                let (tasks, state, before) = (link, State::Linked, Vec::new());
                let new = KnownCommit { hash, link, tasks, tree, state, before };
                match places.get(hash).copied() {
                    // What landed was tested last, though a hook has linked it before its landing was recorded.
                    Some(n) if link.linked_by == LinkedBy::Land && known[n].state != State::Replaced => {
                        let old = &known[n];
                        let moved = if old.state == State::Unlinked {
                            new
                        } else {
                            let tasks = if old.tasks.task_id.is_some() { old.tasks } else { link };
                            let (tree, before) = (old.tree.or(tree), old.before.clone());
                            KnownCommit { link: old.link, tasks, tree, before, ..new }
                        };
                        known[n].state = State::Moved;
                        places.insert(hash, known.len());
                        known.push(moved);
                    }
                    // An unlinked commit is forgotten.
                    Some(n) if known[n].state == State::Unlinked => known[n] = new,
                    Some(n) => {
                        known[n].state = State::Linked;
                        // The first link of a hash stays, unless the later one knows the task.
                        if known[n].tasks.task_id.is_none() {
                            known[n].tasks = link;
                        }
                        known[n].tree = known[n].tree.or(tree);
                    }
                    None => {
                        places.insert(hash, known.len());
                        known.push(new);
                    }
                }
            }
            Event::Unlink(unlink) => {
                if let Some(&n) = places.get(&unlink.hash) {
                    known[n].state = State::Unlinked;
                }
            }
            Event::Rewrite(rewrite) if rewrite.old != rewrite.new => {
                let Some(old) = places.get(&rewrite.old).copied() else { continue };
                let (link, tasks) = (known[old].link, known[old].tasks);
                let (hash, tree) = (&rewrite.new, rewrite.tree.as_ref());
                let was_unlinked = known[old].state == State::Unlinked;
                let (state, before) = if was_unlinked {
                    (State::Unlinked, vec![])
                } else {
                    known[old].state = State::Replaced;
                    (State::Linked, vec![old])
                };
                let new = KnownCommit { hash, link, tasks, tree, state, before };
                match places.get(&rewrite.new).copied() {
                    Some(_) if was_unlinked => {}
                    Some(n) if known[n].state == State::Unlinked => known[n] = new,
                    Some(n) => {
                        known[n].state = State::Linked;
                        known[n].tree = known[n].tree.or(tree);
                        known[n].before.push(old);
                    }
                    None => {
                        places.insert(hash, known.len());
                        known.push(new);
                    }
                }
            }
            _ => {}
        }
    }
    known
}
