//! The audit log: the commits of the ref, those of one record, and what each changed.

use std::collections::{BTreeSet, HashMap};

use crate::git::{EntryKind, ObjectId};
use crate::index::{Index, IndexError};
use crate::model::{Op, REDACTED, Time, op};
use crate::rules::dag::reduced;
use crate::store::{
    FileChange, HistoryStep, ReadState, Redactions, Snapshot, Store, StoreError, Subjects, object_id,
};

/// With more steps than this, the graph is drawn with every edge, even redundant ones.
const MOST_REDUCED: usize = 5_000;

/// Which steps to list; a step must match everything that is given.
#[derive(Debug, Default)]
pub(crate) struct LogFilter {
    /// Made at this time or later.
    pub(crate) since: Option<Time>,
    /// Made at this time or earlier.
    pub(crate) until: Option<Time>,
    /// By someone whose name, address or `WF_ACTOR` contains one of these, in any case.
    pub(crate) authors: Vec<String>,
    /// By one of these commands; `queue` includes all commands that start with it.
    pub(crate) ops: Vec<String>,
    /// In one of these roles; `owner` means no role.
    pub(crate) roles: Vec<String>,
}

impl LogFilter {
    fn is_anything(&self) -> bool {
        let Self { since, until, authors, ops, roles } = self;
        (since, until) == (&None, &None) && authors.is_empty() && ops.is_empty() && roles.is_empty()
    }

    fn matches(&self, step: &HistoryStep) -> bool {
        let (author, actor) = (step.author.to_lowercase(), step.actor.as_deref().map(str::to_lowercase));
        let done = step.op.as_deref().unwrap_or_default();
        // A merge has no actor, since it depends only on its parents.
        let role =
            step.role.as_deref().or((!done.is_empty() && done != Op::Merge.as_str()).then_some("owner"));
        self.since.is_none_or(|since| step.at >= since)
            && self.until.is_none_or(|until| step.at <= until)
            && (self.authors.is_empty()
                || self.authors.iter().any(|name| {
                    let name = name.to_lowercase();
                    author.contains(&name) || actor.as_ref().is_some_and(|actor| actor.contains(&name))
                }))
            && (self.ops.is_empty() || self.ops.iter().any(|wanted| op::begins(done, wanted)))
            && (self.roles.is_empty() || self.roles.iter().any(|wanted| role == Some(wanted.as_str())))
    }
}

/// The steps of the current history, as they may be shown now: a value that is hidden now may have been visible then.
pub(crate) struct StoreLog<'a> {
    store: &'a Store,
    index: Index<'a>,
    now: Snapshot<'a>,
    has_hidden: bool,
    subjects: Subjects<'a>,
}

impl<'a> StoreLog<'a> {
    /// The log of the state that the index reflects.
    pub(crate) fn new(store: &'a Store, index: Index<'a>) -> Result<Self, IndexError> {
        let has_hidden = !index.with_redactions()?.is_empty();
        let (now, subjects) = (index.snapshot()?, Subjects::new(index.snapshot()?));
        Ok(Self { store, index, now, has_hidden, subjects })
    }

    /// The numbers of the steps that changed `thing`, or of all steps; latest first, at most `limit` of the wanted
    /// ones.
    pub(crate) fn find(
        &self,
        thing: Option<&str>,
        wanted: &LogFilter,
        limit: Option<usize>,
    ) -> Result<Vec<i64>, IndexError> {
        if wanted.is_anything() {
            return self.index.steps(thing, limit);
        }
        let mut found = Vec::new();
        for n in self.index.steps(thing, None)? {
            if limit.is_some_and(|limit| found.len() >= limit) {
                break;
            }
            if wanted.matches(&self.index.step(n)?) {
                found.push(n);
            }
        }
        Ok(found)
    }

    /// For each listed step, the listed steps that follow it, as indexes into `shown`; steps that are not listed are
    /// skipped.
    pub(crate) fn children(&self, shown: &[i64]) -> Result<Vec<Vec<usize>>, IndexError> {
        let places: HashMap<i64, usize> = shown.iter().enumerate().map(|(place, n)| (*n, place)).collect();
        let mut children = vec![Vec::new(); shown.len()];
        // From the latest step on: `waiting` has, for each commit, the listed descendants without another listed step
        // in between.
        let mut waiting: HashMap<ObjectId, BTreeSet<usize>> = HashMap::new();
        let mut open = shown.len();
        let mut is_whole = true;
        for n in self.index.steps(None, None)? {
            if open == 0 {
                break;
            }
            let Some(commit) = object_id(&self.index.step(n)?.commit) else { continue };
            let mut above = waiting.remove(&commit).unwrap_or_default();
            if let Some(place) = places.get(&n) {
                children[*place] = above.into_iter().collect();
                above = BTreeSet::from([*place]);
                open -= 1;
            } else {
                is_whole = false;
            }
            for parent in self.store.parents(commit)? {
                waiting.entry(parent).or_default().extend(&above);
            }
        }
        Ok(if is_whole || shown.len() > MOST_REDUCED { children } else { reduced(&children) })
    }

    /// One step, by its number in the index; if wanted, with what it changed at or under `paths` (or anywhere, if there
    /// are none).
    pub(crate) fn step(&mut self, n: i64, paths: Option<&[String]>) -> Result<HistoryStep, IndexError> {
        let mut step = self.index.step(n)?;
        if self.has_hidden && self.subjects.hide(&mut step.subject)? && step.force.is_some() {
            step.force = Some(REDACTED.into());
        }
        if let Some(paths) = paths
            && let Some(commit) = object_id(&step.commit)
        {
            let parents = self.store.parents(commit)?;
            if parents.len() < 2 {
                let before = parents.first().copied();
                step.changes = changes(self.store, &self.now, before, commit, paths, &mut |_| {})?;
            }
        }
        Ok(step)
    }
}

/// Files at or under `paths` (or anywhere, if there are none) that differ between two commits, as they may be shown
/// `now`. `at` hears how many were read.
pub(crate) fn changes(
    store: &Store,
    now: &Snapshot<'_>,
    before: Option<ObjectId>,
    after: ObjectId,
    paths: &[String],
    at: &mut dyn FnMut(u64),
) -> Result<Vec<FileChange>, StoreError> {
    let old = before.map(|id| store.state_at(id)).transpose()?.flatten();
    let Some(new) = store.state_at(after)? else { return Ok(Vec::new()) };
    let differing = store.differences(old.as_ref().map(Snapshot::tree), new.tree())?;
    let mut found = Vec::new();
    // A directory or a symbolic link has no text to show.
    let files = differing.into_iter().filter(|difference| is_file(difference.old) || is_file(difference.new));
    let files = files.filter(|file| paths.is_empty() || is_below_any(&file.path, paths));
    for (n, path) in (0..).zip(files.map(|file| file.path)) {
        at(n);
        // A value that is hidden now may have been visible then.
        let hidden = Redactions::at(now, &path)?;
        let before = match &old {
            Some(old) => old.file(&path)?,
            None => None,
        };
        let after = new.file(&path)?;
        let [before, after] = [before, after].map(|side| side.map(|bytes| hidden.text(&path, &bytes)));
        found.push(FileChange { before, after, path });
    }
    Ok(found)
}

fn is_file(side: Option<(EntryKind, ObjectId)>) -> bool {
    side.is_some_and(|(kind, _)| matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable))
}

/// Whether the path is one of `tops`, or in one of these directories.
fn is_below_any(path: &str, tops: &[String]) -> bool {
    tops.iter().any(|top| {
        path.strip_prefix(top.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}
