//! Decides which commits of completed executions are on a branch, in one pass for many executions.

mod copies;
mod unpushed;

use std::collections::{HashMap, HashSet};

use self::copies::{by_links, is_extra_copy, is_merge_of_rewritten};
use super::history::{Reverts, TargetHistory};
use crate::git::ObjectId;
use crate::model::{Branch, CommitHash, Event, ExecutionStatus, LinkedBy, PatchId, Time};
use crate::rules::landed::{is_older_than_landing, stated, waived};
use crate::rules::undoing::standing;
use crate::rules::{ExecutionFolder, LandingProof, LinkedCommit};
use crate::store::{Store, StoreError, object_id};
use crate::trail::patch_id;
use crate::trail::reach::Unreached;

/// The branch that is asked about.
#[derive(Debug, Clone)]
pub(crate) struct Asked<'a> {
    /// Its name.
    pub(crate) branch: &'a Branch,
    /// Its tips.
    pub(crate) tips: &'a [ObjectId],
    /// When work was first recorded as landed; older executions may have landed without a trace.
    pub(crate) first_land: Option<Time>,
}

/// An execution to decide on.
pub(crate) struct Question<'a> {
    /// The execution.
    pub(crate) execution: &'a ExecutionFolder,
    /// What was derived when the branch was at `since`; then only what came after is looked at.
    pub(crate) before: Option<&'a LandingProof>,
}

/// A linked commit of an execution.
struct Work<'a> {
    of: usize,
    linked: &'a LinkedCommit,
    id: Option<ObjectId>,
    proof: Option<CommitHash>,
    is_reverted: bool,
    change: OwnChange,
}

/// What a commit changes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnChange {
    /// What its parent does not have.
    Some,
    /// It is a merge, and differs from what git makes of its parents.
    OfMerge,
    /// Nothing.
    None,
}

impl Work<'_> {
    fn hash(&self) -> &CommitHash {
        &self.linked.link.hash
    }

    fn is_open(&self) -> bool {
        self.proof.is_none()
    }
}

/// Decides for each execution, in order. `since` are commits whose history was looked at before, or in which no work can be.
pub(crate) fn derive(
    store: &Store,
    asked: &Asked<'_>,
    questions: &[Question<'_>],
    since: &[ObjectId],
) -> Result<Vec<LandingProof>, StoreError> {
    let commits: Vec<Vec<LinkedCommit>> =
        questions.iter().map(|question| counted(question.execution)).collect();
    let mut work: Vec<Work<'_>> = Vec::new();
    for (of, linked) in
        commits.iter().enumerate().flat_map(|(n, all)| all.iter().map(move |commit| (n, commit)))
    {
        let id = store.commit_here(&linked.link.hash);
        work.push(Work { of, linked, id, proof: None, is_reverted: false, change: OwnChange::Some });
    }
    if !work.is_empty() {
        let history = TargetHistory::read(store, asked.tips, since)?;
        let mut pass = Pass { store, asked, questions, history: &history, taken_back: HashMap::new() };
        pass.taken_back = history.taken_back(store, &recorded_reverts(questions))?;
        pass.note_changes(&mut work)?;
        work.retain(|commit| commit.change != OwnChange::None);
        pass.by_containment(&mut work)?;
        pass.by_statement(&mut work)?;
        pass.by_change(&mut work)?;
        pass.by_trailers(&mut work);
        by_links(&mut work);
        let gone: Vec<bool> = (0..work.len()).map(|n| is_merge_of_rewritten(&work, n)).collect();
        let mut gone = gone.into_iter();
        work.retain(|_| !gone.next().unwrap_or_default());
    }
    answer(store, asked, questions, &work)
}

/// The commits of an execution that need to land: those whose changes remain.
fn counted(execution: &ExecutionFolder) -> Vec<LinkedCommit> {
    standing(&execution.work()).into_iter().cloned().collect()
}

/// The reverts that links name.
fn recorded_reverts(questions: &[Question<'_>]) -> Reverts {
    let mut reverts = Reverts::new();
    for linked in questions.iter().flat_map(|question| question.execution.commits()) {
        if !linked.link.reverts.is_empty()
            && let Some(id) = object_id(&linked.link.hash)
        {
            reverts.insert(id, linked.link.reverts.iter().filter_map(|revert| object_id(revert)).collect());
        }
    }
    reverts
}

struct Pass<'a> {
    store: &'a Store,
    asked: &'a Asked<'a>,
    questions: &'a [Question<'a>],
    history: &'a TargetHistory,
    taken_back: HashMap<ObjectId, usize>,
}

impl Pass<'_> {
    /// Those of these commits that are in the history of the branch.
    fn inside(&self, commits: Vec<ObjectId>) -> Result<HashSet<ObjectId>, StoreError> {
        let outside: HashSet<ObjectId> =
            self.store.git().outside(&commits, self.asked.tips)?.into_iter().collect();
        Ok(commits.into_iter().filter(|commit| !outside.contains(commit)).collect())
    }

    /// Commits that are on the branch themselves, or in an earlier version if no branch has the present one.
    fn by_containment(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let inside = self.inside(work.iter().filter_map(|commit| commit.id).collect())?;
        for commit in work.iter_mut() {
            let Some(id) = commit.id.filter(|id| inside.contains(id)) else { continue };
            if self.taken_back.contains_key(&id) {
                commit.is_reverted = true;
            } else {
                commit.proof = Some(commit.hash().clone());
            }
        }
        let known: Vec<CommitHash> = work
            .iter_mut()
            .filter(|commit| commit.is_open() && !commit.linked.rewritten_from.is_empty())
            .map(|commit| commit.hash().clone())
            .collect();
        if known.is_empty() {
            return Ok(());
        }
        let unreached = Unreached::among(self.store, known.iter())?;
        let is_gone = |commit: &Work<'_>| commit.is_open() && unreached.has(commit.hash());
        let gone = work.iter().filter(|commit| is_gone(commit));
        let inside = self.inside(gone.flat_map(|commit| self.earlier_versions(commit)).collect())?;
        for commit in work.iter_mut().filter(|commit| is_gone(commit)) {
            let mut earlier = self.earlier_versions(commit).into_iter();
            let found = earlier.find(|id| inside.contains(id) && !self.taken_back.contains_key(id));
            commit.proof = found.map(CommitHash::from);
        }
        Ok(())
    }

    /// The commits here that a commit replaced.
    fn earlier_versions(&self, commit: &Work<'_>) -> Vec<ObjectId> {
        commit.linked.rewritten_from.iter().filter_map(|hash| self.store.commit_here(hash)).collect()
    }

    /// Commits of which a person or the host says as which commit they came to the branch.
    fn by_statement(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let mut said: Vec<(usize, ObjectId, &[CommitHash])> = Vec::new();
        for (n, question) in self.questions.iter().enumerate() {
            for land in stated(question.execution) {
                let after = land.after.as_ref().and_then(|hash| self.store.commit_here(hash));
                said.extend(after.map(|after| (n, after, &land.commits[..])));
            }
        }
        let inside = self.inside(said.iter().map(|(_, after, _)| *after).collect())?;
        for (of, after, commits) in said {
            if !inside.contains(&after) || self.taken_back.contains_key(&after) {
                continue;
            }
            for commit in work.iter_mut().filter(|commit| commit.of == of && commit.is_open()) {
                // A statement without a list speaks of everything.
                let is_named = commits.is_empty()
                    || commits.contains(commit.hash())
                    || commit.linked.rewritten_from.iter().any(|hash| commits.contains(hash));
                if is_named {
                    commit.proof = Some(after.into());
                }
            }
        }
        for commit in work.iter_mut().filter(|commit| commit.is_open()) {
            let Some(before) = self.questions[commit.of].before else { continue };
            if let Some(n) = before.landed.commits.iter().position(|hash| hash == commit.hash()) {
                commit.proof = before.proofs.get(n).cloned();
            }
        }
        Ok(())
    }

    /// Commits that change nothing themselves are left out: no other commit can stand for them, and what they join or say comes
    /// with the rest.
    fn note_changes(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        for commit in work.iter_mut() {
            let Some(code) = commit.id.map(|id| self.store.sound_commit(id)).transpose()?.flatten() else {
                continue;
            };
            let parent_tree = |parent| self.store.repo().tree_of(parent);
            commit.change = match code.parents[..] {
                [] => OwnChange::Some,
                [parent] if parent_tree(parent).is_ok_and(|tree| tree == code.tree) => OwnChange::None,
                [_] => OwnChange::Some,
                // The link of a merge has only the files that it changes itself.
                _ if commit.linked.link.files.is_empty() => OwnChange::None,
                _ => OwnChange::OfMerge,
            };
        }
        Ok(())
    }

    /// Commits whose change is on the branch: made by another commit, or all of an execution by one.
    fn by_change(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let open: Vec<usize> = (0..work.len()).filter(|n| work[*n].is_open()).collect();
        if open.is_empty() || self.history.single.is_empty() {
            return Ok(());
        }
        let files: HashSet<&str> =
            open.iter().flat_map(|n| &work[*n].linked.link.files).map(String::as_str).collect();
        let mut likely: Vec<ObjectId> = self.history.single.clone();
        // A command line has an end, and a link with as many files as it can hold may leave out some.
        if !files.is_empty() && files.len() <= MOST_FILES_ASKED {
            likely = self.store.git().touching(likely, &files)?;
        }
        likely.retain(|id| !self.taken_back.contains_key(id) && self.has_parents(*id));
        let hashes: Vec<CommitHash> = likely.into_iter().map(CommitHash::from).collect();
        let on_branch = by_patch(self.store, &hashes)?;
        if on_branch.is_empty() {
            return Ok(());
        }
        let known = open.iter().filter(|n| work[**n].id.is_some_and(|id| self.has_parents(id)));
        let own: Vec<CommitHash> = known.map(|n| work[*n].hash().clone()).collect();
        let own = patch_id::of_commits(self.store, &own)?;
        for n in &open {
            let copy = own.get(work[*n].hash()).and_then(|patch| on_branch.get(patch));
            work[*n].proof = copy.filter(|copy| self.is_later(copy, &work[*n])).cloned();
        }
        for (of, question) in self.questions.iter().enumerate() {
            if let Some(whole) = whole_patch(question.execution).and_then(|patch| on_branch.get(patch)) {
                let left = open.iter().filter(|n| work[**n].of == of && work[**n].is_open());
                for n in left.copied().collect::<Vec<_>>() {
                    work[n].proof = self.is_later(whole, &work[n]).then(|| whole.clone());
                }
            }
        }
        Ok(())
    }

    /// Whether a commit came after the work was reverted, if it was: the later of the two decides.
    fn is_later(&self, proof: &CommitHash, work: &Work<'_>) -> bool {
        if !work.is_reverted {
            return true;
        }
        let reverted = work.id.and_then(|id| self.taken_back.get(&id));
        reverted.is_none_or(|reverted| self.history.place(proof).is_some_and(|place| place > *reverted))
    }

    /// Whether its change can be read: the history of a shallow clone ends at commits without their parents.
    fn has_parents(&self, id: ObjectId) -> bool {
        let commit = self.store.sound_commit(id).ok().flatten();
        commit.is_some_and(|commit| self.store.require_parents(&commit).is_ok())
    }

    /// Commits whose plan and task the trailers of a commit on the branch name, such as a squash or a copy with resolved
    /// conflicts. A commit that stands for another one already, or that the execution made itself, says nothing of the rest.
    fn by_trailers(&self, work: &mut [Work<'_>]) {
        let stands: HashSet<CommitHash> = work.iter().filter_map(|commit| commit.proof.clone()).collect();
        let mut by_plan: HashMap<_, Vec<usize>> = HashMap::new();
        for (n, commit) in work.iter().enumerate().filter(|(_, commit)| commit.is_open()) {
            by_plan.entry(&self.questions[commit.of].execution.execution.solution_id).or_default().push(n);
        }
        let mut found: Vec<(usize, CommitHash)> = Vec::new();
        for commit in self.history.named.iter().filter(|named| !self.taken_back.contains_key(&named.id)) {
            let hash = CommitHash::from(commit.id);
            for plan in commit.plans() {
                let Some(open) = by_plan.get(&plan) else { continue };
                let own = work.iter().find(|commit| *commit.hash() == hash);
                if own.is_some_and(|own| own.linked.link.linked_by == LinkedBy::Hook)
                    || (own.is_none() && stands.contains(&hash))
                {
                    continue;
                }
                let named: Vec<usize> = open
                    .iter()
                    .copied()
                    .filter(|n| self.is_later(&hash, &work[*n]))
                    .filter(|n| {
                        let mut tasks = work[*n].linked.link.tasks().peekable();
                        if tasks.peek().is_none() {
                            return commit.names(&plan, None);
                        }
                        tasks.all(|task| commit.names(&plan, Some(task)))
                    })
                    .collect();
                // A copy with the same subject stands for that one alone.
                let same = named.iter().filter(|n| work[**n].linked.link.subject == commit.subject);
                let same: Vec<usize> = same.copied().collect();
                let stood_for = if same.is_empty() { named } else { same };
                found.extend(stood_for.into_iter().map(|n| (n, hash.clone())));
            }
        }
        for (n, proof) in found {
            work[n].proof.get_or_insert(proof);
        }
    }
}

/// At most this many files are named to git.
const MOST_FILES_ASKED: usize = 2_000;

/// The latest commit that makes each change.
fn by_patch(store: &Store, commits: &[CommitHash]) -> Result<HashMap<PatchId, CommitHash>, StoreError> {
    let mut ids = patch_id::of_commits(store, commits)?;
    let found = commits.iter().filter_map(|hash| Some((ids.remove(hash)?, hash.clone())));
    Ok(found.collect())
}

/// The patch id of everything that a completed execution changed.
fn whole_patch(execution: &ExecutionFolder) -> Option<&PatchId> {
    execution.log.iter().find_map(|entry| match &entry.event {
        Event::End(end) if end.status == ExecutionStatus::Completed => end.patch_id.as_ref(),
        _ => None,
    })
}

/// The answers, with what git knows of the commits that are not on the branch.
fn answer(
    store: &Store,
    asked: &Asked<'_>,
    questions: &[Question<'_>],
    work: &[Work<'_>],
) -> Result<Vec<LandingProof>, StoreError> {
    let left: Vec<&Work<'_>> =
        work.iter().filter(|commit| commit.is_open() && !is_extra_copy(commit, work)).collect();
    let unreached = if left.is_empty() {
        Unreached::default()
    } else {
        Unreached::among(store, left.iter().map(|commit| commit.hash()))?
    };
    let is_shallow = !left.is_empty() && store.repo().is_shallow().unwrap_or(false);
    let mut answers: Vec<LandingProof> =
        questions.iter().map(|_| LandingProof::onto(asked.branch.clone())).collect();
    for commit in work.iter().filter(|commit| commit.proof.is_some()) {
        let answer = &mut answers[commit.of];
        answer.landed.commits.push(commit.hash().clone());
        answer.proofs.extend(commit.proof.clone());
    }
    for commit in left {
        let landed = &mut answers[commit.of].landed;
        let is_adrift = unreached.is_adrift(commit.hash());
        let is_old = is_older_than_landing(questions[commit.of].execution, asked.first_land);
        if unreached.is_away(commit.hash()) || is_shallow || (is_adrift && is_old) {
            landed.unknown.push(commit.hash().clone());
            continue;
        }
        landed.missing.push(commit.hash().clone());
        if is_adrift {
            landed.on_no_branch.push(commit.hash().clone());
        }
        if commit.is_reverted {
            landed.reverted.push(commit.hash().clone());
        }
    }
    for (answer, question) in answers.iter_mut().zip(questions) {
        answer.landed.waived = waived(question.execution);
        answer.landed = answer.landed.clone().decided();
    }
    Ok(answers)
}
