//! Decides which commits of completed executions are on a branch, in one pass for many executions.

mod changes;
mod copies;
mod merges;
mod statements;
mod trailers;
mod unpushed;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::history::{Reverts, TargetHistory};
use crate::git::ObjectId;
use crate::model::{Branch, CommitHash, Time};
use crate::rules::landed::{Waiver, is_older_than_landing};
use crate::rules::undoing::standing;
use crate::rules::{ExecutionFolder, LandingProof, LinkedCommit};
use crate::store::{Store, StoreError, object_id};
use crate::trail::audit::first_base;
use crate::trail::reach::Unreached;
use crate::trail::restored;

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
    /// The commit of the branch that has its change.
    proof: Option<CommitHash>,
    /// The place in the history of the branch of the last revert that took it back, or another commit with its change.
    reverted: Option<usize>,
    change: OwnChange,
}

/// The places of the commits of an execution: those of one stand together, in the order of the executions.
fn places_of(work: &[Work<'_>], of: usize) -> Range<usize> {
    work.partition_point(|commit| commit.of < of)..work.partition_point(|commit| commit.of <= of)
}

/// What a commit changes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnChange {
    /// What its parent does not have.
    Some,
    /// It is a merge, and differs from what git makes of its parents, or may do so.
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

    fn note_revert(&mut self, place: usize) {
        self.reverted = self.reverted.max(Some(place));
    }
}

/// What shows that work is on the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// Its change, what someone stated, or trailers that name its plan and tasks.
    Any,
    /// The same without trailers.
    NoTrailers,
}

/// Decides for each execution, in order. `since` are commits whose history was looked at before, or in which no work can be.
pub(crate) fn derive(
    store: &Store,
    asked: &Asked<'_>,
    questions: &[Question<'_>],
    since: &[ObjectId],
) -> Result<Vec<LandingProof>, StoreError> {
    derive_by(store, asked, questions, since, Evidence::Any)
}

fn derive_by(
    store: &Store,
    asked: &Asked<'_>,
    questions: &[Question<'_>],
    since: &[ObjectId],
    evidence: Evidence,
) -> Result<Vec<LandingProof>, StoreError> {
    let executions = with_restored(store, asked, questions)?;
    let commits: Vec<Vec<LinkedCommit>> = executions.iter().map(|execution| counted(execution)).collect();
    let mut work: Vec<Work<'_>> = Vec::new();
    for (of, linked) in
        commits.iter().enumerate().flat_map(|(n, all)| all.iter().map(move |commit| (n, commit)))
    {
        let id = store.commit_here(&linked.link.hash);
        work.push(Work { of, linked, id, proof: None, reverted: None, change: OwnChange::Some });
    }
    if work.is_empty() {
        return Ok(executions.iter().map(|execution| landed_nothing(asked, execution)).collect());
    }
    let history = TargetHistory::read(store, asked.tips, since)?;
    let taken_back = history.taken_back(store, &recorded_reverts(&executions))?;
    let pass =
        Pass { store, asked, questions, executions: &executions, history: &history, taken_back, evidence };
    pass.by_containment(&mut work)?;
    pass.note_changes(&mut work)?;
    work.retain(|commit| commit.change != OwnChange::None);
    pass.by_statement(&mut work)?;
    pass.by_change(&mut work)?;
    if evidence == Evidence::Any {
        pass.by_trailers(&mut work)?;
    }
    pass.by_links(&mut work)?;
    pass.answer(&work)
}

/// What of one execution is in the history of these commits, in whatever form.
pub(crate) fn derive_one(
    store: &Store,
    branch: &Branch,
    tips: &[ObjectId],
    execution: &ExecutionFolder,
) -> Result<LandingProof, StoreError> {
    derive_one_by(store, branch, tips, execution, Evidence::Any)
}

/// Like [`derive_one`] for each of several executions, in order: the history is read once.
pub(crate) fn derive_each(
    store: &Store,
    branch: &Branch,
    tips: &[ObjectId],
    executions: &[&ExecutionFolder],
) -> Result<Vec<LandingProof>, StoreError> {
    let questions: Vec<Question<'_>> =
        executions.iter().map(|execution| Question { execution, before: None }).collect();
    let base = first_base(store, executions.iter().copied());
    let since: Vec<ObjectId> = base.and_then(|base| store.commit_here(&base)).into_iter().collect();
    derive(store, &Asked { branch, tips, first_land: None }, &questions, &since)
}

/// Like [`derive_one`], but what only trailers name has not landed: a commit that names a task may have a part of its work.
pub(crate) fn derive_one_without_trailers(
    store: &Store,
    branch: &Branch,
    tips: &[ObjectId],
    execution: &ExecutionFolder,
) -> Result<LandingProof, StoreError> {
    derive_one_by(store, branch, tips, execution, Evidence::NoTrailers)
}

fn derive_one_by(
    store: &Store,
    branch: &Branch,
    tips: &[ObjectId],
    execution: &ExecutionFolder,
    evidence: Evidence,
) -> Result<LandingProof, StoreError> {
    let asked = Asked { branch, tips, first_land: None };
    let question = Question { execution, before: None };
    // No work of it can be in the history of the commit on which it began.
    let base = execution.execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
    let since: Vec<ObjectId> = base.into_iter().collect();
    let proofs = derive_by(store, &asked, &[question], &since, evidence)?;
    Ok(proofs.into_iter().next().unwrap_or_else(|| LandingProof::onto(branch.clone())))
}

/// The commits of an execution that need to land: those whose changes remain.
fn counted(execution: &ExecutionFolder) -> Vec<LinkedCommit> {
    standing(&execution.work()).into_iter().cloned().collect()
}

/// The reverts that links name.
fn recorded_reverts(executions: &[Cow<'_, ExecutionFolder>]) -> Reverts {
    let mut reverts = Reverts::new();
    for linked in executions.iter().flat_map(|execution| execution.commits()) {
        if !linked.link.reverts.is_empty()
            && let Some(id) = object_id(&linked.link.hash)
        {
            reverts.insert(id, linked.link.reverts.iter().filter_map(|revert| object_id(revert)).collect());
        }
    }
    reverts
}

/// The executions. An earlier version of a commit counts again if no branch has the present one, although it is here: someone
/// undid the amend or the rebase.
fn with_restored<'a>(
    store: &Store,
    asked: &Asked<'_>,
    questions: &[Question<'a>],
) -> Result<Vec<Cow<'a, ExecutionFolder>>, StoreError> {
    let mut rewritten: Vec<(usize, Option<ObjectId>)> = Vec::new();
    for (n, question) in questions.iter().enumerate() {
        if !question.execution.has_rewrites() {
            continue;
        }
        let commits = counted(question.execution);
        let replacing = commits.iter().filter(|commit| !commit.rewritten_from.is_empty());
        rewritten.extend(replacing.map(|commit| (n, store.commit_here(&commit.link.hash))));
    }
    let inside = inside(store, asked.tips, rewritten.iter().filter_map(|(_, id)| *id).collect())?;
    let is_inside = |id: &Option<ObjectId>| id.is_some_and(|id| inside.contains(&id));
    let doubtful: BTreeSet<usize> =
        rewritten.iter().filter(|(_, id)| !is_inside(id)).map(|(n, _)| *n).collect();
    let known = doubtful.iter().flat_map(|n| questions[*n].execution.known_commits());
    let unreached = if doubtful.is_empty() { Unreached::default() } else { Unreached::among(store, known)? };
    let mut executions = Vec::new();
    for (n, question) in questions.iter().enumerate() {
        let again =
            if doubtful.contains(&n) { restored::applied(question.execution, &unreached) } else { None };
        executions.push(again.map_or(Cow::Borrowed(question.execution), Cow::Owned));
    }
    Ok(executions)
}

/// Those of these commits that are in the history of `tips`.
fn inside(store: &Store, tips: &[ObjectId], commits: Vec<ObjectId>) -> Result<HashSet<ObjectId>, StoreError> {
    let outside: HashSet<ObjectId> = store.git().outside(&commits, tips)?.into_iter().collect();
    Ok(commits.into_iter().filter(|commit| !outside.contains(commit)).collect())
}

/// The answer for an execution of which nothing has to land.
fn landed_nothing(asked: &Asked<'_>, execution: &ExecutionFolder) -> LandingProof {
    let mut answer = LandingProof::onto(asked.branch.clone());
    answer.landed.waived = Waiver::of(execution).map(|waiver| waiver.reason().to_owned());
    answer
}

struct Pass<'a> {
    store: &'a Store,
    asked: &'a Asked<'a>,
    questions: &'a [Question<'a>],
    executions: &'a [Cow<'a, ExecutionFolder>],
    history: &'a TargetHistory,
    /// The commits that are reverted at the end, each with the place of the revert.
    taken_back: HashMap<ObjectId, usize>,
    evidence: Evidence,
}

impl Pass<'_> {
    /// Lets a commit of the branch stand for a linked one. Of a commit and a revert of such a commit, the later one decides.
    fn offer(&self, work: &mut Work<'_>, proof: ObjectId) {
        match self.taken_back.get(&proof) {
            Some(place) => work.note_revert(*place),
            None if self.is_later(proof, work) => work.proof = Some(proof.into()),
            None => {}
        }
    }

    /// Whether a commit came after the work was reverted, if it was.
    fn is_later(&self, proof: ObjectId, work: &Work<'_>) -> bool {
        let Some(reverted) = work.reverted else { return true };
        work.id == Some(proof) || self.history.place(proof).is_some_and(|place| place > reverted)
    }

    /// Commits that are on the branch themselves.
    fn by_containment(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let ids = work.iter().filter_map(|commit| commit.id).collect();
        let inside = inside(self.store, self.asked.tips, ids)?;
        for commit in work.iter_mut() {
            if let Some(id) = commit.id.filter(|id| inside.contains(id)) {
                self.offer(commit, id);
            }
        }
        Ok(())
    }

    /// Whether a commit has another one in its history, so that this one cannot stand for it.
    fn builds_on(&self, work: &Work<'_>, earlier: ObjectId) -> Result<bool, StoreError> {
        match work.id {
            Some(id) => self.store.is_ancestor(earlier, id),
            None => Ok(false),
        }
    }

    /// The answers, with what git knows of the commits that are not on the branch.
    fn answer(&self, work: &[Work<'_>]) -> Result<Vec<LandingProof>, StoreError> {
        let waivers: Vec<Option<Waiver<'_>>> =
            self.executions.iter().map(|execution| Waiver::of(execution)).collect();
        let mut answers: Vec<LandingProof> =
            self.executions.iter().map(|execution| landed_nothing(self.asked, execution)).collect();
        for (answer, execution) in answers.iter_mut().zip(self.executions) {
            answer.depends_on_refs = matches!(execution, Cow::Owned(_));
        }
        for commit in work.iter().filter(|commit| commit.proof.is_some()) {
            let answer = &mut answers[commit.of];
            answer.landed.commits.push(commit.hash().clone());
            answer.proofs.extend(commit.proof.clone());
        }
        let extra = self.extra_copies(work)?;
        let mut left: Vec<&Work<'_>> = Vec::new();
        for (n, commit) in work.iter().enumerate().filter(|(_, commit)| commit.is_open()) {
            let is_waived = waivers[commit.of].as_ref().is_some_and(|waiver| waiver.covers(commit.linked));
            if !extra.contains(&n) && !is_waived {
                left.push(commit);
            }
        }
        self.tell_missing(work, left, &mut answers)?;
        for answer in &mut answers {
            answer.landed = answer.landed.clone().decided();
        }
        Ok(answers)
    }

    /// Adds the commits that are not on the branch to the answers.
    fn tell_missing(
        &self,
        work: &[Work<'_>],
        left: Vec<&Work<'_>>,
        answers: &mut [LandingProof],
    ) -> Result<(), StoreError> {
        if left.is_empty() {
            return Ok(());
        }
        let unreached = Unreached::among(self.store, left.iter().map(|commit| commit.hash()))?;
        let is_shallow = self.store.repo().is_shallow().unwrap_or(false);
        let has_remotes = !self.store.repo().remotes().is_empty();
        for commit in left {
            let answer = &mut answers[commit.of];
            let landed = &mut answer.landed;
            let is_adrift = unreached.is_adrift(commit.hash());
            if is_adrift && self.is_merge_of_rewritten(commit, work)? {
                answer.depends_on_refs = true;
                continue;
            }
            let is_old = is_older_than_landing(self.questions[commit.of].execution, self.asked.first_land);
            // Without a remote, no other clone is known that may have it.
            let is_gone = unreached.is_away(commit.hash()) && !has_remotes;
            let is_lost = is_adrift || is_gone;
            if (unreached.is_away(commit.hash()) && !is_gone) || is_shallow || (is_lost && is_old) {
                landed.unknown.push(commit.hash().clone());
                continue;
            }
            landed.missing.push(commit.hash().clone());
            if is_lost {
                landed.on_no_branch.push(commit.hash().clone());
            }
            if let Some(revert) = commit.reverted.and_then(|place| self.history.at(place)) {
                landed.reverted.push(commit.hash().clone());
                let revert = CommitHash::from(revert);
                if !answer.reverts.contains(&revert) {
                    answer.reverts.push(revert);
                }
            }
        }
        Ok(())
    }
}
