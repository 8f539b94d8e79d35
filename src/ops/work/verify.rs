//! Runs the tests of a plan, and records the results.
//!
//! A command runs only after someone here has seen it and agreed to it. The agreement covers the commands that were
//! shown, for the current version of the plan; any other command must be shown and agreed to before it runs.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::test_place::{TestPlace, TestWorkplace, test_tree};
use super::verify_notices::{not_installed, of_other_commit};
use super::{WorktreeClaim, as_claimed, own, verifying};
use crate::agent::agreed::Agreement;
use crate::agent::check;
use crate::model::code::Code;
use crate::model::execution::{Check, Event, Execution};
use crate::model::hidden::exact;
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::op::{Op, Other};
use crate::model::plan::Plan;
use crate::model::remedy::RemedyCall;
use crate::model::task_id::TaskId;
use crate::model::words::{count, its_tasks};
use crate::ops::issues::existing;
use crate::ops::{Answer, Permit, Refusal, Session, queue};
use crate::process::supervise::{self, ProcessEnd, Ran, Shell};
use crate::rules::command_line::CommandLine;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::test_count::{TestCount, TestCounter};
use crate::rules::{evidence, facts, toward};
use crate::store::{ObjectId, ReadState, resolve};
use crate::workplace::PlaceVariables;

/// What `verify` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The execution that the checks are recorded with.
    pub(crate) execution_id: ExecutionId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Whether every command passed.
    pub(crate) passed: bool,
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
    tests: Vec<Test>,
    place: TestPlace<'s>,
    environment: Option<Vec<(OsString, OsString)>>,
}

/// Receives events while tests run.
pub(crate) trait VerifyObserver {
    /// A test starts; `place` is its position (from 0) among `of` tests.
    fn begins(&mut self, test: &Test, place: usize, of: usize);

    /// The test wrote this to its stdout or stderr.
    fn wrote(&mut self, bytes: &[u8]);

    /// It has ended.
    fn ended(&mut self, ran: &Ran, tests: Option<TestCount>);
}

/// Which tests to run.
#[derive(Debug, Default)]
pub(crate) struct VerifyTests {
    /// Those of this execution: its id, or that of its issue, plan or item; by default this worktree's.
    pub(crate) execution: Option<String>,
    /// Only those of these tasks; if empty, all.
    pub(crate) tasks: Vec<String>,
}

impl VerifyTests {
    /// All tests of an execution.
    pub(crate) fn of(execution: &ExecutionId) -> Self {
        Self { execution: Some(execution.to_string()), tasks: vec![] }
    }
}

/// Finds the tests of an execution.
///
/// # Errors
/// `not-found`, `no-claim`, `claim-lost`, `not-executing`, `unseen-command`, `bare`; nothing to do if there are no
/// tests.
pub(crate) fn verification<'s>(
    session: &'s Session,
    input: &VerifyTests,
) -> Result<Verification<'s>, Refusal> {
    let permit = session.permit(Op::Verify)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let (folder, execution) = named_execution(session, &snapshot, input.execution.as_deref())?;
    let claim = &execution.execution;
    let plan = as_claimed(store, &folder, claim)?.typed_plan();
    let tests = tests(&plan, &input.tasks, &claim.solution_id)?;
    let place = TestPlace::Worktree(Box::new(test_tree(session, &claim.id)?));
    Ok(Verification { session, permit, execution, tests, place, environment: None })
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
        let _alone = match &self.place {
            TestPlace::Worktree(tree) => Some(verifying::hold(&tree.store, &self.execution.execution.id)?),
            TestPlace::Fresh(_) => None,
        };
        let mut checks = Vec::new();
        let ran = self.run_all(timeout, &mut checks, observer);
        let claim = &self.execution.execution;
        // Record the results so far, even if a later command failed to start.
        let commit =
            if checks.is_empty() { None } else { record(self.session, self.permit, claim, &checks)? };
        let not_run = ran?;
        self.session.notice_all(of_other_commit(self.session.store(), &self.execution, &checks));
        if self.place.is_new() {
            self.session.notice_all(not_installed(&checks));
        }
        let verified = Verified {
            execution_id: claim.id.clone(),
            solution_id: claim.solution_id.clone(),
            passed: not_run.is_empty() && checks.iter().all(Check::has_passed),
            not_run,
            checks,
        };
        Ok(self.session.done(verified, commit))
    }

    /// The variables of the tests, with those of a worktree that was prepared; `None` passes all.
    fn variables(&self) -> Option<Vec<(OsString, OsString)>> {
        let place = match &self.place {
            TestPlace::Worktree(tree) => PlaceVariables::of_worktree(&tree.store),
            TestPlace::Fresh(place) => place.variables.clone(),
        };
        let Some(place) = place else { return self.environment.clone() };
        match &self.environment {
            Some(only) => Some(only.iter().cloned().chain(place.variables()).collect()),
            None => Some(place.added_to(self.session.environment())),
        }
    }

    /// Adds the results to `checks`. Returns the commands that were not run.
    fn run_all(
        &self,
        timeout: Duration,
        checks: &mut Vec<Check>,
        observer: &mut dyn VerifyObserver,
    ) -> Result<Vec<String>, Refusal> {
        let Self { tests, place, .. } = self;
        let environment = self.variables();
        let environment = environment.as_deref();
        let interrupts = self.session.interrupts()?;
        // Untracked files that an earlier test left behind do not make a later result less valid.
        let store = self.session.store();
        let first = place.state(store, true)?;
        let has_untracked = first.dirty && !place.is_dirty(false)?;
        for (n, test) in tests.iter().enumerate() {
            let mut code = if n == 0 { first.clone() } else { place.state(store, false)? };
            code.dirty |= has_untracked;
            observer.begins(test, n, tests.len());
            let shell =
                Shell { command: &test.command, folder: place.folder(), environment, within: place.within() };
            let mut counter = TestCounter::default();
            let ran = supervise::run(&shell, Some(timeout), &interrupts, &mut |bytes| {
                counter.read(bytes);
                observer.wrote(bytes);
            })?;
            let counted = counter.end();
            observer.ended(&ran, counted);
            // If the test itself made or changed a commit, that is not what was tested.
            code.dirty |= place.commit()? != code.commit;
            checks.extend(test.tasks.iter().map(|task| {
                check::record(task, test.command.as_str(), &ran, counted, &code, self.session.environment())
            }));
            if ran.ended == ProcessEnd::Interrupted || interrupts.take() {
                return Ok(tests[n + 1..].iter().map(|test| test.command.as_str().to_owned()).collect());
            }
        }
        Ok(vec![])
    }
}

/// The named execution, else the one that holds the named issue, else this worktree's own.
fn named_execution(
    session: &Session,
    read: &impl ReadState,
    text: Option<&str>,
) -> Result<(IssueFolder, ExecutionFolder), Refusal> {
    let store = session.store();
    let Some(text) = text else {
        let own = own(store, read)?;
        let notice = own.notice();
        return match own {
            WorktreeClaim::Held(execution, _) => {
                session.notice_all(notice);
                Ok((existing(read, &execution.execution.issue_id)?, *execution))
            }
            WorktreeClaim::Lost(active, why) => Err(Refusal::new(
                Code::ClaimLost,
                format!("this worktree no longer executes `{}`: {why}", active.issue_id),
            )
            .remedy(RemedyCall::new(Op::Verify, [active.execution_id.short()]), "tests it anyway")),
            WorktreeClaim::Ended(active, how) => {
                let id = active.execution_id.short();
                Err(Refusal::new(Code::Ended, format!("`{id}` was {how}"))
                    .remedy(RemedyCall::new(Op::Verify, [id]), "tests it anyway"))
            }
            WorktreeClaim::Nothing => Err(Refusal::new(Code::NoClaim, "this worktree executes nothing")
                .remedy(Op::Next, "claims an item")
                .remedy(RemedyCall::new(Op::Verify, ["ITEM"]), "tests another execution")),
        };
    };
    let known = match resolve::any(read, text) {
        Err(_) if text.starts_with("S-") => {
            let (queue, item) = queue::item(store, read, text)?;
            resolve::KnownRecord::Item(queue, item.solution_id)
        }
        other => other?,
    };
    let Some(issue) = known.issue() else {
        return Err(Refusal::new(Code::NotFound, format!("`{text}` is a queue, and a queue has no tests"))
            .remedy(Other::Queue, "shows its items"));
    };
    let folder = existing(read, &issue)?;
    let found = match &known {
        resolve::KnownRecord::Execution(id) => folder.executions.iter().find(|it| it.execution.id == *id),
        _ => facts::holder(&folder),
    };
    let found = found.cloned().ok_or_else(|| {
        Refusal::new(
            Code::NotExecuting,
            format!("nobody executed issue `{issue}`; it is {}", facts::status(&folder)),
        )
        .next_step(toward::execution(&folder))
    })?;
    Ok((folder, found))
}

/// The commands to run, each once, in the order of the tasks.
fn tests(plan: &Plan, only: &[String], solution: &SolutionId) -> Result<Vec<Test>, Refusal> {
    if let Some(unknown) = only.iter().find(|id| plan.task(id).is_none()) {
        let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
        return Err(Refusal::new(Code::NotFound, format!("plan `{solution}` has no task `{unknown}`"))
            .hint(its_tasks(&ids))
            .remedy(RemedyCall::new(Other::TaskList, [solution]), "shows them"));
    }
    let mut tests: Vec<Test> = Vec::new();
    for (task, command) in evidence::commands(plan) {
        if !only.is_empty() && !only.iter().any(|id| *task == **id) {
            continue;
        }
        let command = CommandLine::parse(command).map_err(|unseen| {
            let message = format!("a test command of task `{task}` cannot be run: {unseen}");
            Refusal::new(Code::UnseenCommand, message)
                .details(vec![exact(command).into_owned()])
                .hint("a test command is one line of visible characters")
                .remedy(
                    RemedyCall::new(Op::TaskEdit, [solution.as_str(), task.as_str()]),
                    "changes the plan; to skip this task, name the others",
                )
        })?;
        match tests.iter_mut().find(|test| test.command == command) {
            Some(test) if test.tasks.iter().any(|id| id == task) => {}
            Some(test) => test.tasks.push(task.to_owned()),
            None => tests.push(Test { command, tasks: vec![task.to_owned()] }),
        }
    }
    if tests.is_empty() {
        return Err(Refusal::nothing("the plan has no test commands").remedy(
            RemedyCall::new(Op::Accept, ["TASK", "CRITERION"]).option("message", "TEXT"),
            "confirms a criterion that no test covers",
        ));
    }
    Ok(tests)
}

/// Records the results. Returns the commit of the store.
fn record(
    session: &Session,
    permit: Permit,
    claim: &Execution,
    checks: &[Check],
) -> Result<Option<ObjectId>, Refusal> {
    let (id, solution) = (&claim.id, &claim.solution_id);
    let passed = checks.iter().filter(|check| check.has_passed()).count();
    let committed = session.transact(permit, |tx| {
        for check in checks {
            tx.log(id, Event::Check(check.clone()))?;
        }
        let of =
            format!("execution: verify {solution} ({passed} of {} passed)", count(checks.len(), "check"));
        tx.describe(of);
        Ok(())
    })?;
    Ok(committed.commit)
}
