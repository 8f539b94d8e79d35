//! Runs the tests of a plan, and records the results.
//!
//! A command runs only after someone here has seen it and agreed to it. The agreement covers the commands that were
//! shown, for the current version of the plan; any other command must be shown and agreed to before it runs.

mod chosen;
mod recorded;
mod running;
mod waiting;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

pub(super) use self::chosen::named_execution;
use self::chosen::tests;
use self::recorded::record;
pub(crate) use self::recorded::record_checks;
use self::waiting::refuse_agent;
pub(crate) use self::waiting::waiting_for_verifier;
use super::preparing::in_fresh_workplace;
use super::proof::{ProofSubject, Prover, TestedCommand, WorkRange, proof_base};
use super::test_place::{TestPlace, TestWorkplace, fresh_start, last_linked, test_tree};
use super::verify_notices::{not_installed, of_other_commit, of_proof};
use super::{as_claimed, verifying};
use crate::agent::agreed::Agreement;
use crate::git::SignError;
use crate::model::{Check, ExecutionId, Op, Plan, Proof, SolutionId, TaskId};
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::process::supervise::Ran;
use crate::rules::{CommandLine, CountedTests, ExecutionFolder, Gate, GateValue, PlanReview, evidence};
use crate::store::{ObjectId, records};
use crate::trail::{active, signed_checks};
use crate::workplace::Confinement;

/// What `verify` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The execution that the checks are recorded with.
    pub(crate) execution_id: ExecutionId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Whether every command passed; if the policy requires a proof, also whether there is one.
    pub(crate) passed: bool,
    /// What shows that the tests test the work; absent if they ran in a work tree, or if nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<Proof>,
    /// Commands that were not run, because someone interrupted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) not_run: Vec<String>,
    /// The recorded checks, in the order of the tasks.
    pub(crate) checks: Vec<Check>,
}

/// A command with the tasks that name it.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) command: CommandLine,
    pub(crate) tasks: Vec<TaskId>,
}

/// Tests that are about to be run.
pub(crate) struct Verification<'s> {
    session: &'s Session,
    permit: Permit,
    execution: ExecutionFolder,
    plan: Plan,
    tests: Vec<Test>,
    /// Whether these are all tests of the plan.
    is_whole: bool,
    place: TestPlace<'s>,
    /// Whether the results are signed.
    signs: bool,
    /// Which evidence the policy asks for.
    gate: GateValue,
    /// Whether someone else has passed the plan.
    reviewed: PlanReview,
    environment: Option<Vec<(OsString, OsString)>>,
    /// Whether the caller records the results if they suffice.
    is_for_caller: bool,
}

/// Receives events while tests run.
pub(crate) trait VerifyObserver {
    /// A test starts; `place` is its position (from 0) among `of` tests.
    fn begins(&mut self, test: &Test, place: usize, of: usize);

    /// The test wrote this to its stdout or stderr.
    fn wrote(&mut self, bytes: &[u8]);

    /// It has ended.
    fn ended(&mut self, ran: &Ran, counted: &CountedTests);

    /// All have passed, and now they are tested themselves.
    fn proves(&mut self) {}

    /// The target is about to move here.
    fn lands(&mut self, _: ObjectId) {}
}

/// Which tests to run.
#[derive(Debug, Default)]
pub(crate) struct VerifyTests {
    /// The execution to test: its id, or that of its issue, plan or item; by default this worktree's.
    pub(crate) execution: Option<String>,
    /// Only those of these tasks; if empty, all.
    pub(crate) tasks: Vec<String>,
    /// In a workplace that is made for them, on what is committed.
    pub(crate) fresh: bool,
    /// In a workplace with the last linked commit; the results are signed.
    pub(crate) as_verifier: bool,
}

impl VerifyTests {
    /// All tests of an execution.
    pub(crate) fn new(execution: &ExecutionId) -> Self {
        Self { execution: Some(execution.to_string()), ..Self::default() }
    }
}

/// Finds the tests of an execution.
///
/// # Errors
/// `not-found`, `no-claim`, `claim-lost`, `not-executing`, `unseen-command`, `bare`; nothing to do without tests.
pub(crate) fn verification<'s>(
    session: &'s Session,
    input: &VerifyTests,
) -> Result<Verification<'s>, Refusal> {
    let permit = session.permit(Op::Verify)?;
    let store = session.store();
    if input.as_verifier {
        refuse_agent(session)?;
    }
    let snapshot = store.snapshot()?;
    let (folder, execution) = named_execution(session, &snapshot, input.execution.as_deref())?;
    let claim = &execution.execution;
    let plan = as_claimed(store, &folder, claim)?.typed_plan();
    let tests = tests(&plan, &input.tasks, &claim.solution_id)?;
    let place = if input.as_verifier {
        TestPlace::ToMake(last_linked(store, &snapshot, &execution)?)
    } else if input.fresh {
        TestPlace::ToMake(fresh_start(session, &snapshot, &execution)?)
    } else {
        TestPlace::Worktree(Box::new(test_tree(session, &claim.id)?))
    };
    let is_whole = input.tasks.is_empty();
    let signs = input.as_verifier;
    let gate = Gate::Evidence.setting(&records::root(&snapshot)?.policy);
    let reviewed = PlanReview::from_reviews(&folder, &execution.execution);
    Ok(Verification {
        session,
        permit,
        execution,
        plan,
        tests,
        is_whole,
        place,
        signs,
        gate,
        reviewed,
        environment: None,
        is_for_caller: false,
    })
}

impl<'s> Verification<'s> {
    /// Limits the tests to these variables, and runs them in the role that one of them names.
    pub(crate) fn within(self, environment: Vec<(OsString, OsString)>) -> Self {
        Self { environment: Some(environment), ..self }
    }

    /// Runs them in a workplace that was made for them.
    pub(crate) fn in_workplace(self, place: TestWorkplace<'s>) -> Self {
        Self { place: TestPlace::Fresh(place), ..self }
    }

    /// Leaves it to the caller to record the results if they suffice.
    pub(crate) fn for_caller(self) -> Self {
        Self { is_for_caller: true, ..self }
    }

    /// How many tests there are.
    pub(crate) fn count(&self) -> usize {
        self.tests.len()
    }

    /// The directory in which they run.
    pub(crate) fn folder(&self) -> &Path {
        self.place.folder()
    }

    /// The tests that nobody here has agreed to yet.
    ///
    /// # Errors
    /// `not-agreed` if the recorded consent cannot be read.
    pub(crate) fn unseen(&self) -> Result<Vec<&Test>, Refusal> {
        let agreement = self.agreement()?;
        Ok(self.tests.iter().filter(|test| !agreement.is_given(&test.command)).collect())
    }

    /// The execution whose tests these are.
    pub(crate) fn execution_id(&self) -> &ExecutionId {
        &self.execution.execution.id
    }

    /// Records that someone has seen these commands and agrees to run them, now and later.
    ///
    /// # Errors
    /// `not-agreed` if the consent cannot be stored.
    pub(crate) fn agree(&self, shown: &[&Test]) -> Result<(), Refusal> {
        Ok(self.agreement()?.give(shown.iter().map(|test| &test.command))?)
    }

    fn agreement(&self) -> Result<Agreement, Refusal> {
        Ok(Agreement::to(self.session.store(), &self.execution.execution.plan_digest)?)
    }

    /// Runs the tests one after another, each for at most `timeout`, until they end or are interrupted, and records
    /// the results.
    ///
    /// # Errors
    /// `verifying` if tests are running in this work tree; if a command cannot be started, after the results so far are
    /// recorded.
    pub(crate) fn run(self, timeout: Duration, observer: &mut dyn VerifyObserver) -> Answer<Verified> {
        if let TestPlace::ToMake(start) = self.place {
            return self.run_fresh(start, timeout, observer);
        }
        let _alone = match &self.place {
            TestPlace::Worktree(tree) => {
                let alone = verifying::hold(&tree.store, &self.execution.execution.id)?;
                tree.fill()?;
                Some(alone)
            }
            TestPlace::Fresh(_) | TestPlace::ToMake(_) => None,
        };
        let (mut checks, mut marks) = (Vec::new(), Vec::new());
        let ran = self.run_all(timeout, &mut checks, &mut marks, observer);
        let has_passed = ran.as_ref().is_ok_and(Vec::is_empty) && checks.iter().all(Check::has_passed);
        let mut proof = if has_passed { self.prove(timeout, &checks, observer) } else { Ok(None) };
        if let Ok(proof) = &mut proof {
            proof.iter_mut().for_each(|proof| proof.note_marks(marks.iter().cloned()));
            checks.iter_mut().for_each(|check| check.proof.clone_from(proof));
        }
        let claim = &self.execution.execution;
        // Record the results so far, even if a later command failed to start, or the key does not sign them.
        let signed = self.sign(&mut checks);
        let is_proved =
            matches!(&proof, Ok(proof) if proof.as_ref().is_none_or(|proof| self.is_vouched(proof)));
        // No word stands for a result that is not evidence.
        let passed = has_passed && (is_proved && marks.is_empty() || self.gate < GateValue::Proved);
        let is_left = self.is_for_caller && passed && proof.is_ok() && signed.is_ok();
        let commit = if checks.is_empty() || is_left {
            None
        } else {
            record(self.session, self.permit, claim, &checks)?
        };
        let (not_run, proof) = (ran?, proof?);
        signed?;
        if marks.is_empty() {
            self.session.notice_all(of_other_commit(self.session.store(), &self.execution, &checks));
        }
        if self.place.is_new() {
            self.session.notice_all(not_installed(&checks));
        }
        if let (Some(proof), Some(check), false) = (&proof, checks.first(), is_proved) {
            self.session.notice_all(of_proof(proof, check.commit.as_ref(), claim));
        }
        let verified = Verified {
            execution_id: claim.id.clone(),
            solution_id: claim.solution_id.clone(),
            passed,
            proof,
            not_run,
            checks,
        };
        Ok(self.session.done(verified, commit))
    }

    /// Signs the results of a verifier, and says if that does not count.
    fn sign(&self, checks: &mut [Check]) -> Result<(), SignError> {
        let (store, session) = (self.session.store(), self.session);
        if self.signs {
            signed_checks::sign(store, &self.execution.execution.id, checks)?;
            let first = checks.first();
            let why = first.and_then(|check| signed_checks::why_not_counted(store, &self.execution, check));
            session.notice_all(why.map(Notice::warning));
        }
        Ok(())
    }

    /// Runs the tests in a workplace that is made for them.
    fn run_fresh(
        self,
        start: ObjectId,
        timeout: Duration,
        observer: &mut dyn VerifyObserver,
    ) -> Answer<Verified> {
        let session = self.session;
        if self.signs {
            // Hours of tests are not worth much if they cannot be signed afterwards.
            signed_checks::try_key(session.store())?;
        }
        let confinement = Confinement::load(session.store())?;
        if matches!(confinement, Confinement::Open(_)) {
            let why = confinement.why_open();
            session.notice(Notice::note(format!("the tests are not confined: {why}")));
        }
        in_fresh_workplace(session, &confinement, "verify", start, |place| {
            let place = TestWorkplace::new(session, place, &confinement)?;
            self.in_workplace(place).run(timeout, observer)
        })
    }

    /// Tests the tests themselves, if they ran in a workplace of their own.
    fn prove(
        &self,
        timeout: Duration,
        checks: &[Check],
        observer: &mut dyn VerifyObserver,
    ) -> Result<Option<Proof>, Refusal> {
        let TestPlace::Fresh(place) = &self.place else { return Ok(None) };
        if !self.is_whole {
            return Ok(None);
        }
        let interrupts = self.session.interrupts()?;
        let prover = Prover::new(place.made_by, place.confinement, &interrupts, timeout)?;
        let Some(prover) = prover else { return Ok(None) };
        let store = self.session.store();
        let head = place.workplace.start;
        let base = proof_base(store, &store.snapshot()?, &self.execution, head)?;
        let commands = self.tests.iter().map(|test| TestedCommand::new(&test.command, checks)).collect();
        observer.proves();
        let worked_in = active::work_dir_of(store, &self.execution.execution.id)?;
        let subject = ProofSubject { range: WorkRange { base, head }, plan: &self.plan, commands, worked_in };
        prover.within(self.environment.as_deref()).prove(&subject)
    }

    /// Whether a proof holds, or a reviewer's word counts instead.
    fn is_vouched(&self, proof: &Proof) -> bool {
        let counting = signed_checks::counting(self.session.store(), &self.execution, self.gate);
        evidence::is_vouched(&counting, proof, self.reviewed)
    }
}
