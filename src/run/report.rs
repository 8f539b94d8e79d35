//! The report of a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::job::UNSTORED;
use super::leftovers::{kept_branches, unmerged};
use crate::index::{Index, Needs};
use crate::model::{Branch, CommitHash, ExecutionId, IssueId, IssueStatus, Unrecorded, hex};
use crate::ops::work::runs::branch_of_work;
use crate::ops::work::runs::driver::Driven;
use crate::ops::work::runs::paths::RunPaths;
use crate::ops::work::runs::view::named;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::landed::{LandedState, LandingProof};
use crate::rules::run::{
    IssueStage, LeftWork, NeededIssue, RunFacts, UnstoredAnswer, UnstoredState, report as report_of,
};
use crate::rules::{IssueFolder, RunFolder, RunProgress, RunReport, facts};
use crate::store::{ReadState, Store, StoreError, records};
use crate::sync;
use crate::trail::landed::target::LandingTarget;

/// Longer files are not compared with the answers of agents.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The report of a run: the named one, or else the one that started last.
///
/// # Errors
/// Those of [`super::show`].
pub(crate) fn report(session: &Session, run: Option<&str>) -> Answer<RunReport> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let found = named(&snapshot, run)?;
    let issues = issues(&snapshot, &found.run.issue_ids)?;
    let (index, target, ()) = session.ask_landed(Needs::ROWS, |_| Ok(()))?;
    let left = match found.run.branch() {
        Some(branch) => left_work(store, &index, target.as_ref(), &found.run.issue_ids, &branch)?,
        None => None,
    };
    let attempts: Vec<&ExecutionId> =
        issues.values().flat_map(|it| &it.executions).map(|it| &it.execution.id).collect();
    let kept = kept_branches(store, &found.run.id, &attempts)?;
    let needed = needed(store, &snapshot, &issues)?;
    let mut apart = BTreeMap::new();
    for (id, folder) in &issues {
        if facts::status(folder) == IssueStatus::Completed {
            apart.extend(unmerged(store, folder)?.map(|branch| (id.clone(), branch)));
        }
    }
    let is_driven = Driven::find(store, &found) == Driven::Here;
    let unstored = unstored(&RunPaths::new(store, &found.run.id), &found);
    let has_remote = sync::remote::to_sync(store, None).is_ok();
    let known = RunFacts { issues: &issues, left, apart, kept, needed, unstored, is_driven, has_remote };
    let mut report = report_of(&found, &known);
    // Which completed work is on the target branch.
    for issue in report.issues.iter_mut().filter(|it| target.is_some() && it.status == IssueStage::Completed)
    {
        issue.landed = index.landing_of(&issue.issue_id)?.map(|proof| proof.landed);
    }
    Ok(session.done(report, None))
}

/// Those of some issues whose completed work is known to be absent from the target branch; `None` if there is no target.
pub(crate) fn not_landed(session: &Session, issues: &[IssueId]) -> Result<Option<Vec<IssueId>>, Refusal> {
    let (index, target, ()) = session.ask_landed(Needs::ROWS, |_| Ok(()))?;
    if target.is_some() { Ok(Some(absent(&index, issues)?)) } else { Ok(None) }
}

/// Those of some issues whose completed work is on the target branch, with the branch and the last of its commits there.
pub(super) fn found_landed(
    session: &Session,
    issues: &[IssueId],
) -> Result<Vec<(IssueId, Branch, CommitHash)>, Refusal> {
    let (index, target, ()) = session.ask_landed(Needs::ROWS, |_| Ok(()))?;
    let mut found = Vec::new();
    for issue in issues.iter().filter(|_| target.is_some()) {
        let proof = index.landing_of(issue)?.filter(|proof| proof.landed.state == LandedState::Landed);
        if let Some(LandingProof { landed, mut proofs, .. }) = proof
            && let Some(last) = proofs.pop()
        {
            found.push((issue.clone(), landed.onto, last));
        }
    }
    Ok(found)
}

/// Those of some issues whose completed work is known to be absent from the target branch.
fn absent(index: &Index<'_>, issues: &[IssueId]) -> Result<Vec<IssueId>, Refusal> {
    let mut found = Vec::new();
    for issue in issues {
        let state = index.landing_of(issue)?.map(|proof| proof.landed.state);
        if state.is_some_and(|state| LandedState::ABSENT.contains(&state)) {
            found.push(issue.clone());
        }
    }
    Ok(found)
}

/// The completed work on the branch of a run that has not landed; without a target branch, that is not merged into what is
/// checked out.
fn left_work(
    store: &Store,
    index: &Index<'_>,
    target: Option<&LandingTarget>,
    issues: &[IssueId],
    branch: &Branch,
) -> Result<Option<LeftWork>, Refusal> {
    let Some(tip) = store.read_ref(branch.as_str())? else { return Ok(None) };
    let head = if store.work_dir().is_some() { store.head()? } else { None };
    let can_be_merged = match head {
        Some(head) => !store.is_ancestor(tip, head)?,
        None => false,
    };
    let is_left = match target {
        Some(_) => !absent(index, issues)?.is_empty(),
        None => can_be_merged,
    };
    let onto = target.map(|target| target.branch.clone());
    Ok(is_left.then_some(LeftWork { onto, can_be_merged }))
}

/// The answers of agents that the run could not store and kept as files here, by their names in its log.
fn unstored(places: &RunPaths, folder: &RunFolder) -> BTreeMap<String, UnstoredAnswer> {
    let setbacks = RunProgress::of(folder).setbacks.into_iter();
    let kept = setbacks.filter_map(|it| {
        let Unrecorded { answer, answer_sha256, .. } = it.unrecorded.as_ref()?;
        let answer = answer.as_ref()?;
        // Another clone may have written this entry, so only the name of the file counts.
        let path = places.files.join(UNSTORED).join(Path::new(answer).file_name()?);
        if !path.symlink_metadata().is_ok_and(|file| file.is_file()) {
            return None;
        }
        let state = state_of(&path, answer_sha256.as_deref());
        Some((answer.clone(), UnstoredAnswer { path: path.to_string_lossy().into_owned(), state }))
    });
    kept.collect()
}

/// How a file compares with an answer that had this SHA-256, as far as that is known.
fn state_of(path: &Path, sha256: Option<&str>) -> UnstoredState {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    match (read, sha256) {
        (Ok(_), Some(sha256)) if bytes.len() as u64 <= MOST_BYTES => {
            if hex(&Sha256::digest(&bytes)) == sha256 {
                UnstoredState::AsKept
            } else {
                UnstoredState::Changed
            }
        }
        _ => UnstoredState::Unknown,
    }
}

/// The issues that exist here and can be read.
fn issues(read: &impl ReadState, ids: &[IssueId]) -> Result<BTreeMap<IssueId, IssueFolder>, Refusal> {
    let mut issues = BTreeMap::new();
    for id in ids {
        match records::issue(read, id) {
            Ok(found) => issues.extend(found.map(|folder| (id.clone(), folder))),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(issues)
}

/// What the issues that are not completed depend on, directly or through others.
fn needed(
    store: &Store,
    read: &impl ReadState,
    issues: &BTreeMap<IssueId, IssueFolder>,
) -> Result<BTreeMap<IssueId, NeededIssue>, Refusal> {
    let head = store.head()?;
    let is_done = |status| matches!(status, IssueStatus::Completed | IssueStatus::Closed);
    let open = issues.values().filter(|it| !is_done(facts::status(it)));
    let mut left: Vec<IssueId> = open.flat_map(|it| it.issue.record.depends_on.clone()).collect();
    let mut needed = BTreeMap::new();
    while let Some(id) = left.pop() {
        if needed.contains_key(&id) {
            continue;
        }
        let folder = match records::issue(read, &id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let (status, depends_on) = (facts::status(&folder), folder.issue.record.depends_on.clone());
        let branch = match head.filter(|_| status == IssueStatus::Completed) {
            Some(head) => branch_of_work(store, &folder, head)?,
            None => None,
        };
        if !is_done(status) {
            left.extend(depends_on.iter().cloned());
        }
        needed.insert(id, NeededIssue { status, depends_on, branch });
    }
    Ok(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_can_be_compared_counts_as_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        let sha256 = hex(&Sha256::digest("{}"));
        assert_eq!(state_of(&path, Some(&sha256)), UnstoredState::Unknown);
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(state_of(&path, Some(&sha256)), UnstoredState::AsKept);
        assert_eq!(state_of(&path, None), UnstoredState::Unknown);
        std::fs::write(&path, "[]").unwrap();
        assert_eq!(state_of(&path, Some(&sha256)), UnstoredState::Changed);
        File::options().write(true).open(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert_eq!(state_of(&path, Some(&sha256)), UnstoredState::Unknown);
    }
}
