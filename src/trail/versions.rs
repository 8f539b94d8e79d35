//! The earlier versions of a plan, from the history of the store.

use std::time::{Duration, SystemTime};

use crate::git::{ObjectId, parse_local_date};
use crate::index::{Index, IndexError};
use crate::model::{Code, CommitHash, Explain, Other, Remedies, SOLUTION, Solution, SolutionId, Time};
use crate::store::{Redactions, Store, StoreError, layout, object_id, records};

/// A plan between two changes of it.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    /// The commit of the store that introduced it.
    pub(crate) commit: CommitHash,
    /// The time.
    pub(crate) at: Time,
    /// The solution with that plan, as it may be shown now.
    pub(crate) solution: Solution,
}

/// A moment that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VersionError {
    /// It is neither a date nor a commit.
    #[error("`{0}` is neither a date nor a commit here")]
    Unknown(String),
    /// The history cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Explain for VersionError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown(_) => Code::UnknownMoment,
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Unknown(_) => Remedies::call(Other::Log, "shows the commits of the store").and(
                "or name a commit of the project, or a date as git takes them: 2026-11-20, `2 days ago`",
            ),
            Self::Store(error) => error.remedies(),
        }
    }
}

/// All versions of a plan, newest first. The plan itself differs between two versions.
pub(crate) fn of_plan(store: &Store, index: &Index<'_>, id: &SolutionId) -> Result<Vec<Version>, IndexError> {
    let mut versions: Vec<Version> = Vec::new();
    for n in index.steps(Some(id.as_str()), None)? {
        let step = index.step(n)?;
        let Some(commit) = object_id(&step.commit) else { continue };
        let Some(solution) = read(store, commit, id)? else { continue };
        let version = Version { commit: step.commit, at: step.at, solution };
        match versions.last_mut() {
            // That commit changed something else: the plan is older.
            Some(last) if last.solution.plan_digest() == version.solution.plan_digest() => *last = version,
            _ => versions.push(version),
        }
    }
    Ok(versions)
}

/// The version at a time, which is given by a commit of the store, a commit of the project (its date counts), or a
/// date. None if the plan did not exist yet.
pub(crate) fn at_moment<'a>(
    store: &Store,
    versions: &'a [Version],
    text: &str,
) -> Result<Option<&'a Version>, VersionError> {
    let Some(commit) = commit(store, text) else {
        let now = SystemTime::UNIX_EPOCH
            + Duration::from_millis(u64::try_from(store.now()?.millis()).unwrap_or_default());
        let at = parse_local_date(text, now).ok_or_else(|| VersionError::Unknown(text.to_owned()))?;
        return Ok(before(versions, at));
    };
    if !store.is_ancestor(commit, store.snapshot()?.commit())? {
        let found = store.code_commit(commit)?;
        return Ok(before(versions, found.authored_at.millis().div_euclid(1000)));
    }
    for version in versions {
        if let Some(brought) = object_id(&version.commit)
            && store.is_ancestor(brought, commit)?
        {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

fn before(versions: &[Version], seconds: i64) -> Option<&Version> {
    versions.iter().find(|version| version.at.millis().div_euclid(1000) <= seconds)
}

fn commit(store: &Store, text: &str) -> Option<ObjectId> {
    store.repo().resolve_commit(text)
}

fn read(store: &Store, commit: ObjectId, id: &SolutionId) -> Result<Option<Solution>, StoreError> {
    let path = layout::solution(id);
    let doc = match records::doc(&store.snapshot_at(commit)?, &SOLUTION, &path) {
        Ok(doc) => doc,
        // An unreadable version does not count.
        Err(StoreError::Broken { .. }) => None,
        Err(error) => return Err(error),
    };
    let Some(mut doc) = doc else { return Ok(None) };
    // Values that were hidden since are hidden here too.
    Redactions::at(&store.snapshot()?, &path)?.doc(&path, &mut doc);
    Ok(doc.read().ok())
}
