//! Landing: completed work comes to the branch that everyone shares, after its tests have passed on the tree that the branch
//! will have.
//!
//! `chosen.rs` says what lands and in which order, `target.rs` where; `candidate.rs` computes the commits that the branch will
//! have, without a work tree; `tests.rs` runs the tests on them; `advance.rs` moves the branch and records it. Nothing is locked
//! while tests run: if the branch has moved meanwhile, all of it starts again.

mod advance;
mod candidate;
mod carried;
mod chosen;
mod commit_status;
mod conflict;
mod drivers;
mod follow;
mod host_merge;
mod host_words;
mod joined;
mod messages;
mod own_tree;
mod place;
mod proved;
mod pull_request;
mod pulled;
mod record;
mod revert;
mod stated;
mod step;
mod target;
mod tests;
mod view;
mod work_left;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use self::carried::{leave_out_unagreed, with_carried};
use self::chosen::{ChosenIssue, chosen, named_issue};
use self::follow::FollowedPlans;
pub(crate) use self::joined::{
    CopiedWork, JoinConflict, JoinedTests, JoinedWork, TestRun, begin_half_done, conflict_with,
    follow_copies, join_work, link_resolution, target_tip, test_joined, work_head,
};
use self::place::{HalfDonePlace, MergeSides};
pub(crate) use self::pull_request::land_by_pull_request;
pub(crate) use self::pulled::{LandByPullRequest, PullState, PullView, PulledIssue};
pub(crate) use self::revert::{PreparedRevert, prepare_revert};
pub(crate) use self::stated::{LandStatement, LandingStated, StateLanded, state_landed};
use self::step::{Candidate, ConflictReason, ConflictedIssue};
use self::target::{LandTarget, TargetTips};
pub(crate) use self::tests::unseen_land_tests;
use self::tests::{LandTest, Trial, TrialEnd, land_tests};
pub(crate) use self::view::{LandView, LandedIssue, NotLanded, WhyNotLanded};
use self::work_left::{WorkLeft, work_left};
use crate::git::{OLDEST_TO_LAND, too_old_to_land};
use crate::model::text_enum::text_enum;
use crate::model::{Code, IssueId, LandHow, Op};
use crate::ops::work::{Test, VerifyObserver};
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::store::{Store, records};

/// How often a landing starts again because the branch had moved: as often as a claim.
const TRIES: usize = 100;

text_enum!(
    /// How work comes to the branch.
    LandMethod {
        /// By a merge commit.
        Merge = "merge",
        /// By copies of its commits on top of the branch.
        Rebase = "rebase",
        /// By one commit for each issue.
        Squash = "squash",
    }
);

impl From<LandMethod> for LandHow {
    fn from(method: LandMethod) -> Self {
        match method {
            LandMethod::Merge => Self::Merge,
            LandMethod::Rebase => Self::Rebase,
            LandMethod::Squash => Self::Squash,
        }
    }
}

/// The issues whose conflicts someone is resolving in a work tree of this repository.
///
/// # Errors
/// If the work trees cannot be listed.
pub(crate) fn half_done(store: &Store) -> Result<Vec<IssueId>, Refusal> {
    HalfDonePlace::issues(store)
}

/// What to land.
#[derive(Debug, Clone)]
pub(crate) struct LandWork {
    /// Issues, plans, executions, items or runs; whatever is completed if `all`.
    pub(crate) what: Vec<String>,
    /// Whether to land everything that is completed.
    pub(crate) all: bool,
    /// The branch; by default the target of this repository.
    pub(crate) onto: Option<String>,
    /// How.
    pub(crate) how: LandMethod,
    /// How many issues are tested and pushed together.
    pub(crate) batch: usize,
    /// Only says what would land.
    pub(crate) dry_run: bool,
    /// Whether the merge of a conflict begins in a work tree, for a person to resolve.
    pub(crate) by_hand: bool,
}

/// Work that is about to land.
pub(crate) struct Landing<'s> {
    session: &'s Session,
    permit: Permit,
    input: LandWork,
    target: LandTarget,
    issues: Vec<ChosenIssue>,
    tests: Vec<LandTest>,
    followed: FollowedPlans,
    view: LandView,
    /// The work tree in which a conflict was resolved, until that has landed.
    place: Option<HalfDonePlace>,
}

/// Finds what is to land, and its tests.
///
/// # Errors
/// `not-found` and the like; `not-completed`, `no-target`, `git-too-old`; nothing to do if everything has landed.
pub(crate) fn landing<'s>(session: &'s Session, input: LandWork) -> Result<Landing<'s>, Refusal> {
    let permit = session.permit(Op::Land)?;
    refuse_old_git()?;
    session.check_store()?;
    let target = LandTarget::find(session, input.onto.as_deref())?;
    target.update_store(session)?;
    let tips = target.look(session)?;
    let followed = FollowedPlans::configured(session.store())?;
    let issues = chosen(session, &input, &target, &tips, &followed)?;
    let issues = with_carried(session, &target, &tips, issues)?;
    let tests = land_tests(session, &issues)?;
    let view = LandView::new(&target, input.dry_run);
    Ok(Landing { session, permit, input, target, issues, tests, followed, view, place: None })
}

/// Continues the landing of an issue whose conflicts someone has resolved in the work tree made for that: of the named
/// issue, else of this work tree, else the only one. Of `input`, only how and whether to test count.
///
/// # Errors
/// Those of [`landing`]; `unresolved`; nothing to do if no merge stands half done.
pub(crate) fn continued<'s>(session: &'s Session, input: LandWork) -> Result<Landing<'s>, Refusal> {
    let permit = session.permit(Op::Land)?;
    refuse_old_git()?;
    let store = session.store();
    let named = match &input.what[..] {
        [] => None,
        [only] => Some(named_issue(store, &store.snapshot()?, only)?),
        _ => return Err(Refusal::usage("one merge is continued at a time").hint("name one issue")),
    };
    if input.how == LandMethod::Rebase {
        return Err(Refusal::usage("a resolved merge cannot land as a rebase").hint("as a merge or a squash"));
    }
    let place = HalfDonePlace::find(store, named.as_ref())?;
    let target = LandTarget::find(session, Some(place.onto.short()))?;
    target.update_store(session)?;
    let tips = target.look(session)?;
    place.refuse_rewritten(store, &tips)?;
    let input = LandWork { what: vec![place.issue.to_string()], all: false, batch: 1, ..input };
    let followed = FollowedPlans::configured(store)?;
    let mut issues = chosen(session, &input, &target, &tips, &followed)?;
    for issue in &mut issues {
        let merge = place.resolved(session, issue)?;
        issue.heads = vec![merge];
        issue.resolved = Some(merge);
    }
    // A run's branch, into which it was merged, may have work of other issues.
    let issues = with_carried(session, &target, &tips, issues)?;
    let tests = land_tests(session, &issues)?;
    let view = LandView::new(&target, input.dry_run);
    Ok(Landing { session, permit, input, target, issues, tests, followed, view, place: Some(place) })
}

fn refuse_old_git() -> Result<(), Refusal> {
    let Some(found) = too_old_to_land() else { return Ok(()) };
    let message = format!("the installed git is {found}; landing needs git {OLDEST_TO_LAND} or later");
    Err(Refusal::new(Code::GitTooOld, message)
        .hint("install a newer git; everything else works with this one"))
}

impl Landing<'_> {
    /// The tests that nobody here has agreed to yet, each with the tasks that name it.
    ///
    /// # Errors
    /// `not-agreed` if the recorded consent cannot be read.
    pub(crate) fn unseen(&self) -> Result<Vec<&Test>, Refusal> {
        if self.input.dry_run {
            return Ok(vec![]);
        }
        tests::unseen(self.session, &self.tests, &self.issues)
    }

    /// The issues that are to land, in order.
    pub(crate) fn issue_ids(&self) -> Vec<&IssueId> {
        self.issues.iter().map(|issue| &issue.issue).collect()
    }

    /// Records that someone has seen all tests and agrees to run them, now and later.
    ///
    /// # Errors
    /// `not-agreed` if the consent cannot be stored.
    pub(crate) fn agree(&self) -> Result<(), Refusal> {
        tests::agree(self.session, &self.tests, &self.issues)
    }

    /// Lands the work, each test running for at most `timeout`. What cannot land is part of the answer.
    ///
    /// # Errors
    /// `raced` if the branch moved each time; `refused` in the words of the host; `interrupted`.
    pub(crate) fn run(mut self, timeout: Duration, observer: &mut dyn VerifyObserver) -> Answer<LandView> {
        let mut trial = Trial::new(self.session, timeout, observer)?;
        if !self.input.dry_run {
            leave_out_unagreed(self.session, &mut self.issues, &mut self.tests)?;
        }
        let all: Vec<usize> = (0..self.issues.len()).collect();
        if self.input.dry_run {
            self.foresee(&all)?;
        } else {
            for group in all.chunks(self.input.batch.max(1)) {
                self.land(group, &mut trial)?;
            }
        }
        if !self.input.dry_run
            && self.view.not_landed.is_empty()
            && let Some(place) = self.place
        {
            place.remove(self.session)?;
        }
        Ok(self.session.done(self.view, None))
    }

    /// Says what would land, without tests.
    fn foresee(&mut self, group: &[usize]) -> Result<(), Refusal> {
        let tips = self.target.look(self.session)?;
        let made = self.candidate(&tips, group)?;
        let landed = made.steps.iter().map(|step| step.shown(&self.issues[step.issue], &self.tests));
        self.view.landed.extend(landed);
        self.note_conflicts(&made.conflicts)
    }

    /// Lands a group of issues together. If its tests fail, each half lands alone, until it is known which issue is at fault;
    /// what conflicts with the others comes after them, as it may conflict only with what does not land.
    fn land(&mut self, group: &[usize], trial: &mut Trial<'_>) -> Result<(), Refusal> {
        let mut group = group.to_vec();
        for attempt in 0..TRIES {
            if group.is_empty() {
                return Ok(());
            }
            let tips = self.target.look(self.session)?;
            if attempt > 0 {
                group = self.still_left(&tips, &group)?;
            }
            let made = self.candidate(&tips, &group)?;
            if made.steps.is_empty() {
                return self.note_conflicts(&made.conflicts);
            }
            self.target.refuse_stuck(self.session, &tips, made.tip)?;
            let wanted: BTreeSet<usize> = made.steps.iter().map(|step| step.issue).collect();
            let all: Vec<&LandTest> = self.tests.iter().collect();
            let mut checks = match trial.run(self.session, &all, &self.issues, &wanted, made.tip)? {
                TrialEnd::Passed(checks) => checks,
                TrialEnd::Failed(failed) => {
                    let (open, rest): (Vec<usize>, Vec<usize>) =
                        group.into_iter().partition(|place| wanted.contains(place));
                    if let [only] = open[..] {
                        self.view.not_landed.push(failed.shown(&self.issues[only]));
                    } else {
                        let (first, second) = open.split_at(open.len() / 2);
                        self.land(first, trial)?;
                        self.land(second, trial)?;
                    }
                    return self.land(&rest, trial);
                }
            };
            let failed = self.test_rewritten(&made, trial, &mut checks)?;
            if !failed.is_empty() {
                group.retain(|place| !failed.contains_key(place));
                self.view.not_landed.extend(failed.into_values());
                return self.land(&group, trial);
            }
            let (tests, issues) = (&self.tests, &self.issues);
            let unproved = proved::prove(self.session, trial, tests, issues, &made, tips.tip, &mut checks)?;
            if !unproved.is_empty() {
                group.retain(|place| unproved.iter().all(|other| other.issue != *place));
                let shown = unproved.into_iter().map(|it| (it.issue, it));
                self.view.not_landed.extend(shown.map(|(place, it)| it.shown(&self.issues[place])));
                return self.land(&group, trial);
            }
            trial.observer.lands(made.tip);
            if self.advance(&tips, &made, &checks)? {
                return self.note_conflicts(&made.conflicts);
            }
        }
        let branch = self.target.branch.short();
        let message = format!("`{branch}` moved during each of {TRIES} attempts to land");
        Err(Refusal::new(Code::Raced, message).command(
            format!("git log {}", self.target.branch.operand()),
            "shows who lands there; then try again",
        ))
    }

    /// Those of a group that have to land still, now that others have moved the branch: they may have landed the same work.
    fn still_left(&self, tips: &TargetTips, group: &[usize]) -> Result<Vec<usize>, Refusal> {
        self.target.update_store(self.session)?;
        let store = self.session.store();
        let snapshot = store.snapshot()?;
        let mut left = Vec::new();
        for &place in group {
            let issue = self.issues[place].clone();
            let execution = records::execution(&snapshot, &issue.execution, &mut Vec::new())?
                .ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
            match work_left(store, &self.target, tips, issue, &execution)? {
                WorkLeft::Nothing(_) if self.is_to_tick(tips, place)? => left.push(place),
                WorkLeft::Nothing(said) => self.session.notice(Notice::note(said)),
                WorkLeft::Lands(_) | WorkLeft::Stuck(_) => left.push(place),
            }
        }
        Ok(left)
    }

    /// Whether an issue only has to be ticked off in the files of a plan tool.
    fn is_to_tick(&self, tips: &TargetTips, place: usize) -> Result<bool, Refusal> {
        let issue = &self.issues[place];
        Ok(issue.heads.is_empty() && self.followed.tick(self.session, tips.tip, issue)?.is_some())
    }

    /// The commits that the branch will have.
    fn candidate(&self, tips: &TargetTips, group: &[usize]) -> Result<Candidate, Refusal> {
        let blocked: BTreeSet<&IssueId> = self.view.not_landed.iter().map(|it| &it.issue_id).collect();
        let Self { session, issues, followed, .. } = self;
        candidate::candidate(session, tips, self.input.how, issues, group, &blocked, followed)
    }

    /// Adds conflicts to the answer, and feedback to their issues.
    fn note_conflicts(&mut self, conflicts: &[ConflictedIssue]) -> Result<(), Refusal> {
        for conflict in conflicts {
            let issue = &self.issues[conflict.issue];
            let mut shown = conflict.shown(issue);
            if !self.input.dry_run && shown.why == WhyNotLanded::Conflict {
                conflict::give_feedback(self.session, self.permit, issue, conflict)?;
                shown.place = self.begin_by_hand(issue, conflict)?;
            }
            self.view.not_landed.push(shown);
        }
        Ok(())
    }

    /// Begins the merge of a conflict in a work tree, for someone to resolve, if the issue was named; if it stands half done
    /// already, it stays as it is.
    fn begin_by_hand(
        &self,
        issue: &ChosenIssue,
        conflict: &ConflictedIssue,
    ) -> Result<Option<PathBuf>, Refusal> {
        let ConflictReason::Conflict(what) = &conflict.why else { return Ok(None) };
        if !self.input.by_hand {
            return Ok(None);
        }
        let known = HalfDonePlace::of(self.session.store(), &issue.issue)?;
        let folder = known.as_ref().map(|place| place.folder.clone());
        if (known.is_some() && issue.resolved.is_none()) || !issue.is_named {
            return Ok(folder);
        }
        let Some(theirs) = what.theirs else { return Ok(folder) };
        let tips = self.target.look(self.session)?;
        // Others that have not landed yet may be in between.
        if tips.tip != what.ours {
            return Ok(folder);
        }
        if let Some(place) = known {
            place.go_on(self.session, issue, what.ours, theirs)?;
            return Ok(folder);
        }
        let sides = MergeSides { ours: what.ours, theirs, is_of_branch: true };
        let place = HalfDonePlace::begin(self.session, &self.target, issue, sides)?;
        Ok(Some(place.folder))
    }
}
