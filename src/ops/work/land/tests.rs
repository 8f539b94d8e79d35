//! The tests of the plans and of the project, on the commit that the branch would get, in a workplace that nobody has
//! worked in.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::chosen::ChosenIssue;
use super::view::{NotLanded, WhyNotLanded};
use crate::agent::agreed::Agreement;
use crate::agent::check::{self, CodeState};
use crate::model::{Check, Code, Op, Proof, RemedyCall, TaskId, exact};
use crate::ops::issues::existing;
use crate::ops::work::counted_run::{RunLimits, run_counted};
use crate::ops::work::place_watch::PlaceWatch;
use crate::ops::work::preparing::{FreshPlace, in_fresh_workplace};
use crate::ops::work::proof::{ProofSubject, Prover, WorkRange, needs_proof};
use crate::ops::work::test_reports::TestReports;
use crate::ops::work::{Test, VerifyObserver, as_claimed};
use crate::ops::{Notice, Refusal, Session};
use crate::process::supervise::{Interrupts, ProcessEnd, Shell};
use crate::rules::{CommandLine, evidence};
use crate::store::{ObjectId, records};
use crate::workplace::{Confinement, PlaceVariables};

/// The setting with the project's own tests.
const TEST: &str = "wf.land.test";

/// A command, with the tasks that name it.
#[derive(Debug)]
pub(super) struct LandTest {
    /// It.
    pub(super) command: CommandLine,
    /// What names it; nothing if it is one of the project's own tests.
    owners: Vec<TestOwner>,
    /// The same for people.
    shown: Test,
}

/// A task that names a test.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TestOwner {
    /// The place of its issue among the chosen ones.
    issue: usize,
    /// The task.
    task: TaskId,
}

impl LandTest {
    /// Whether it must pass for an issue to land.
    pub(super) fn is_of(&self, issue: usize) -> bool {
        self.owners.is_empty() || self.owners.iter().any(|owner| owner.issue == issue)
    }

    /// Whether a plan names it.
    pub(super) fn is_of_plan(&self) -> bool {
        !self.owners.is_empty()
    }
}

/// The tests of all issues, each once, and then those of the project.
pub(super) fn land_tests(session: &Session, issues: &[ChosenIssue]) -> Result<Vec<LandTest>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let mut tests: Vec<LandTest> = Vec::new();
    for (place, issue) in issues.iter().enumerate() {
        let folder = existing(&snapshot, &issue.issue)?;
        let claim = records::execution(&snapshot, &issue.execution, &mut Vec::new())?
            .ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
        let plan = as_claimed(store, &folder, &claim.execution)?.typed_plan();
        for (task, text) in evidence::commands(&plan) {
            let command = CommandLine::parse(text).map_err(|unseen| {
                let message =
                    format!("a test command of task `{task}` of `{}` cannot be run: {unseen}", issue.issue);
                Refusal::new(Code::UnseenCommand, message)
                    .details(vec![exact(text).into_owned()])
                    .hint("a test command is one line of visible characters")
            })?;
            let owner = TestOwner { issue: place, task: task.to_owned() };
            let label = TaskId::from(format!("{} {task}", issue.issue).as_str());
            match tests.iter_mut().find(|test| test.command == command) {
                Some(test) if test.owners.contains(&owner) => {}
                Some(test) => {
                    test.owners.push(owner);
                    test.shown.tasks.push(label);
                }
                None => {
                    let shown = Test { command: command.clone(), tasks: vec![label] };
                    tests.push(LandTest { command, owners: vec![owner], shown });
                }
            }
        }
    }
    for command in project_tests(session)? {
        let shown = Test { command: command.clone(), tasks: vec![TaskId::from(TEST)] };
        tests.push(LandTest { command, owners: vec![], shown });
    }
    Ok(tests)
}

/// The project's own tests.
fn project_tests(session: &Session) -> Result<Vec<CommandLine>, Refusal> {
    let texts = session.store().config_all(TEST).into_iter();
    let parsed = texts.map(|text| {
        CommandLine::parse(&text).map_err(|unseen| {
            Refusal::new(Code::UnseenCommand, format!("a command of `{TEST}` cannot be run: {unseen}"))
                .hint("a command is one line of visible characters")
        })
    });
    parsed.collect()
}

/// The commands of `wf.land.test` that nobody here has agreed to yet.
///
/// # Errors
/// `unseen-command`; `not-agreed` if the recorded consent cannot be read.
pub(crate) fn unseen_land_tests(session: &Session) -> Result<Vec<CommandLine>, Refusal> {
    let mut tests = project_tests(session)?;
    if !tests.is_empty() {
        let agreement = Agreement::to_workplaces(session.store())?;
        tests.retain(|command| !agreement.is_given(command));
    }
    Ok(tests)
}

/// The tests that nobody here has agreed to yet.
pub(super) fn unseen<'t>(
    session: &Session,
    tests: &'t [LandTest],
    issues: &[ChosenIssue],
) -> Result<Vec<&'t Test>, Refusal> {
    let mut found = Vec::new();
    for test in tests {
        for agreement in agreements(session, test, issues)? {
            if !agreement.is_given(&test.command) {
                found.push(&test.shown);
                break;
            }
        }
    }
    Ok(found)
}

/// Whether someone here has agreed to all tests of the plan of the issue at this place.
pub(super) fn is_agreed(
    session: &Session,
    tests: &[LandTest],
    place: usize,
    issue: &ChosenIssue,
) -> Result<bool, Refusal> {
    let agreement = Agreement::to(session.store(), &issue.digest)?;
    let mut own = tests.iter().filter(|test| test.is_of_plan() && test.is_of(place));
    Ok(own.all(|test| agreement.is_given(&test.command)))
}

/// Records that someone has seen all tests and agrees to run them.
pub(super) fn agree(session: &Session, tests: &[LandTest], issues: &[ChosenIssue]) -> Result<(), Refusal> {
    for test in tests {
        for agreement in agreements(session, test, issues)? {
            agreement.give([&test.command])?;
        }
    }
    Ok(())
}

/// Where the consent to a test is recorded: with each plan that names it.
fn agreements(session: &Session, test: &LandTest, issues: &[ChosenIssue]) -> Result<Vec<Agreement>, Refusal> {
    let store = session.store();
    if test.owners.is_empty() {
        return Ok(vec![Agreement::to_workplaces(store)?]);
    }
    let digests: BTreeSet<_> = test.owners.iter().map(|owner| &issues[owner.issue].digest).collect();
    Ok(digests.into_iter().map(|digest| Agreement::to(store, digest)).collect::<Result<_, _>>()?)
}

/// Runs tests on candidates.
pub(super) struct Trial<'o> {
    confinement: Confinement,
    interrupts: Interrupts,
    timeout: Duration,
    pub(super) observer: &'o mut dyn VerifyObserver,
    is_told: bool,
}

/// The passed checks of each issue, by its place among the chosen ones.
pub(super) type PassedChecks = BTreeMap<usize, Vec<Check>>;

/// How the tests of a candidate ended.
pub(super) enum TrialEnd {
    /// All passed.
    Passed(PassedChecks),
    /// One failed; those after it were not run.
    Failed(FailedTest),
}

/// A test that failed.
pub(super) struct FailedTest {
    /// How, in words.
    words: String,
    output: String,
}

impl FailedTest {
    /// As the answer shows it.
    pub(super) fn shown(self, issue: &ChosenIssue) -> NotLanded {
        let Self { words, output } = self;
        NotLanded {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            why: WhyNotLanded::Tests,
            message: format!("{words} on the merged tree"),
            files: vec![],
            with: vec![],
            place: None,
            output: Some(output).filter(|text| !text.is_empty()),
        }
    }
}

impl<'o> Trial<'o> {
    /// Tests that each run for at most `timeout`.
    pub(super) fn new(
        session: &Session,
        timeout: Duration,
        observer: &'o mut dyn VerifyObserver,
    ) -> Result<Self, Refusal> {
        let confinement = Confinement::load(session.store())?;
        let interrupts = session.interrupts()?;
        Ok(Self { confinement, interrupts, timeout, observer, is_told: false })
    }

    /// Runs the tests of these issues, and those of the project, on a commit.
    ///
    /// # Errors
    /// `not-agreed`; `interrupted`; if there can be no workplace.
    pub(super) fn run(
        &mut self,
        session: &Session,
        tests: &[&LandTest],
        issues: &[ChosenIssue],
        wanted: &BTreeSet<usize>,
        commit: ObjectId,
    ) -> Result<TrialEnd, Refusal> {
        let is_wanted = |test: &&LandTest| wanted.iter().any(|issue| test.is_of(*issue));
        let tests: Vec<&LandTest> = tests.iter().copied().filter(is_wanted).collect();
        if tests.is_empty() {
            return Ok(TrialEnd::Passed(PassedChecks::new()));
        }
        for test in &tests {
            for agreement in agreements(session, test, issues)? {
                if !agreement.is_given(&test.command) {
                    return Err(not_agreed(&test.command));
                }
            }
        }
        if !self.is_told && matches!(self.confinement, Confinement::Open(_)) {
            self.is_told = true;
            session
                .notice(Notice::note(format!("the tests are not confined: {}", self.confinement.why_open())));
        }
        let confinement = self.confinement.clone();
        in_fresh_workplace(session, &confinement, "land", commit, |place| {
            self.within(session, &place, &tests, wanted, commit)
        })
    }

    /// Tests the tests of executions whose works together are `range`.
    ///
    /// # Errors
    /// `interrupted`; if there can be no workplace.
    pub(super) fn prove(
        &mut self,
        session: &Session,
        range: WorkRange,
        subjects: &[ProofSubject<'_>],
    ) -> Result<Vec<Option<Proof>>, Refusal> {
        match Prover::new(session, &self.confinement, &self.interrupts, self.timeout)? {
            Some(prover) if !subjects.is_empty() => {
                self.observer.proves();
                prover.prove_all(range, subjects)
            }
            _ => Ok(vec![None; subjects.len()]),
        }
    }

    fn within(
        &mut self,
        session: &Session,
        FreshPlace { workplace, prepared, within }: &FreshPlace<'_>,
        tests: &[&LandTest],
        wanted: &BTreeSet<usize>,
        commit: ObjectId,
    ) -> Result<TrialEnd, Refusal> {
        let variables = prepared.as_ref().and_then(|prepared| prepared.variables.as_ref());
        let environment = PlaceVariables::beside_agents(session.store(), variables);
        let tree = session.store().code_tree_of(commit)?;
        let mut code = CodeState { commit: Some(commit.into()), tree: tree.into(), dirty: false };
        let reports = TestReports::load(session)?;
        let mut passed = PassedChecks::new();
        let commands: Vec<&CommandLine> = tests.iter().map(|test| &test.command).collect();
        let mut watch = PlaceWatch::new(session.store(), workplace, &commands)?;
        let mut is_spoiled = false;
        for (n, test) in tests.iter().enumerate() {
            code.dirty |= is_spoiled;
            self.observer.begins(&test.shown, n, tests.len());
            let shell = Shell {
                command: &test.command,
                folder: &workplace.folder,
                environment: Some(&environment),
                within,
            };
            let limits = RunLimits { timeout: self.timeout, interrupts: &self.interrupts };
            let observer = &mut *self.observer;
            let (ran, counted) = run_counted(&shell, &limits, &reports, &mut |bytes| observer.wrote(bytes))?;
            self.observer.ended(&ran, &counted);
            if ran.ended == ProcessEnd::Interrupted || self.interrupts.take() {
                return Err(Refusal::new(
                    Code::Interrupted,
                    "the tests were interrupted, so nothing more landed",
                )
                .hint("the same command begins again"));
            }
            let changed = watch.look()?;
            code.dirty |= !changed.tests.is_empty();
            is_spoiled |= changed.spoils_next();
            let record = |task: &str| {
                check::record(task, test.command.as_str(), &ran, &counted, &code, session.environment())
            };
            let first = record("");
            if !first.has_passed() {
                let words = format!("`{}` {}", test.command.as_str(), first.outcome());
                return Ok(TrialEnd::Failed(FailedTest { words, output: first.output_tail }));
            }
            if let Some(words) = changed.mark(&test.command)
                && needs_proof(session)?
            {
                return Ok(TrialEnd::Failed(FailedTest { words, output: String::new() }));
            }
            session.notice_all(changed.notice(&test.command));
            for owner in test.owners.iter().filter(|owner| wanted.contains(&owner.issue)) {
                passed.entry(owner.issue).or_default().push(record(owner.task.as_str()));
            }
        }
        Ok(TrialEnd::Passed(passed))
    }
}

fn not_agreed(command: &CommandLine) -> Refusal {
    Refusal::new(Code::NotAgreed, "the tests need your consent")
        .details(vec![exact(command.as_str()).into_owned()])
        .hint("run it in a terminal to be asked")
        .remedy(RemedyCall::from(Op::Land).flag("yes"), "runs them, once you have read them")
}
