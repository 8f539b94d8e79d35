//! Tests the tests of an execution: they must pass although nobody changed them for that, and fail without the work.
//!
//! `base.rs` says with what the work is compared, `examined.rs` makes two trees without a work tree: one with the tests and
//! the configuration of runners as they were, one without the work. The commands run on each in a fresh workplace, only if
//! it differs from the tested tree.

mod base;
mod examined;
mod runs;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(super) use self::base::proof_base;
pub(crate) use self::examined::WorkRange;
use self::examined::{Examined, base_text};
use self::runs::{ProofRuns, RunEnd, TreeRun};
use super::counted_run::{RunLimits, run_counted};
use super::place_watch::PlaceWatch;
use super::preparing::{FreshPlace, in_fresh_workplace};
use super::test_reports::TestReports;
use crate::git::NewCommit;
use crate::model::execution::Check;
use crate::model::test_count::TestCount;
use crate::model::{CheckOutcome, Code, Plan, Proof};
use crate::ops::{Notice, Refusal, Session};
use crate::process::supervise::{Interrupts, ProcessEnd, Shell};
use crate::rules::failure_reason::{self, FailureReason};
use crate::rules::{CommandLine, Gate, GateValue, TestFiles};
use crate::store::{ObjectId, Store, StoreError, records};
use crate::workplace::{Confinement, PlaceVariables, Preparation};

/// The setting with patterns of tests.
const TESTS: &str = "wf.tests";
/// The setting that turns proofs off.
const PROOF: &str = "wf.proof";

/// A proof that takes less is not worth a note about its time.
const TOLD_FROM: Duration = Duration::from_secs(10);

/// The files of a project, by what they are to the tests of `commands`. `tree` has the scripts that these run.
pub(super) fn test_files(
    store: &Store,
    plans: &[&Plan],
    commands: &[&str],
    tree: Option<ObjectId>,
) -> TestFiles {
    let own = store.config_all(TESTS);
    TestFiles::new(&own, plans, commands).with_called(|path| base_text(store, tree, path))
}

/// When proofs are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProofWish {
    /// If the work changes tests: otherwise there is little to prove.
    IfTestsChange,
    /// Always, since the policy asks for it.
    Always,
}

/// Whether the policy asks for a proof.
///
/// # Errors
/// If the policy cannot be read.
pub(crate) fn needs_proof(session: &Session) -> Result<bool, Refusal> {
    let root = records::root(&session.store().snapshot()?)?;
    Ok(Gate::Evidence.setting(&root.policy) >= GateValue::Proved)
}

/// Tests the tests of executions. All commands have been agreed to.
pub(crate) struct Prover<'p> {
    session: &'p Session,
    confinement: &'p Confinement,
    interrupts: &'p Interrupts,
    timeout: Duration,
    /// The only variables of the commands, besides those of a workplace; `None` passes what commands beside agents see.
    environment: Option<&'p [(OsString, OsString)]>,
    wish: ProofWish,
}

/// What the tests of one execution are about.
#[derive(Debug, Clone)]
pub(crate) struct ProofSubject<'a> {
    /// The work.
    pub(crate) range: WorkRange,
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// Its commands.
    pub(crate) commands: Vec<TestedCommand<'a>>,
    /// The work tree in which the work is being made, if it is here.
    pub(crate) worked_in: Option<PathBuf>,
}

impl ProofSubject<'_> {
    /// Whether a command is one of its own.
    fn names(&self, command: &CommandLine) -> bool {
        self.commands.iter().any(|tested| tested.command == command)
    }
}

/// A command that has passed on the tested tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestedCommand<'a> {
    command: &'a CommandLine,
    /// How; `None` if that is not recorded.
    check: Option<&'a Check>,
}

impl<'a> TestedCommand<'a> {
    /// Finds the command among the checks of the tested tree.
    pub(crate) fn new(command: &'a CommandLine, checks: &'a [Check]) -> Self {
        Self { command, check: checks.iter().find(|check| check.command == command.as_str()) }
    }
}

impl<'p> Prover<'p> {
    /// `session` is one in the repository from which workplaces are made. `None` if `wf.proof` turns proofs off, and the policy
    /// asks for none.
    ///
    /// # Errors
    /// If the settings or the policy cannot be read.
    pub(crate) fn new(
        session: &'p Session,
        confinement: &'p Confinement,
        interrupts: &'p Interrupts,
        timeout: Duration,
    ) -> Result<Option<Self>, Refusal> {
        let store = session.store();
        let wish = if needs_proof(session)? {
            ProofWish::Always
        } else if store.config_bool(PROOF, true)? {
            ProofWish::IfTestsChange
        } else {
            return Ok(None);
        };
        Ok(Some(Self { session, confinement, interrupts, timeout, environment: None, wish }))
    }

    /// Limits the commands to these variables.
    pub(crate) fn within(self, environment: Option<&'p [(OsString, OsString)]>) -> Self {
        Self { environment, ..self }
    }

    /// Tests the tests of an execution, whose commands have passed. `None` if nothing asks for a proof, or if the work is too
    /// large to be taken apart.
    ///
    /// # Errors
    /// `interrupted`; if there can be no workplace.
    pub(crate) fn prove(&self, subject: &ProofSubject<'_>) -> Result<Option<Proof>, Refusal> {
        Ok(self.prove_all(subject.range, std::slice::from_ref(subject))?.pop().flatten())
    }

    /// Tests the tests of several executions, whose works together are `range`, on the same trees. Returns one proof for each.
    ///
    /// # Errors
    /// As [`Self::prove`].
    pub(crate) fn prove_all(
        &self,
        range: WorkRange,
        subjects: &[ProofSubject<'_>],
    ) -> Result<Vec<Option<Proof>>, Refusal> {
        if !are_apart(subjects) {
            let alone = |it: &ProofSubject<'_>| {
                Ok(self.prove_all(it.range, std::slice::from_ref(it))?.pop().flatten())
            };
            return subjects.iter().map(alone).collect();
        }
        let store = self.session.store();
        let plans: Vec<&Plan> = subjects.iter().map(|it| it.plan).collect();
        let mut commands: Vec<&CommandLine> = Vec::new();
        for tested in subjects.iter().flat_map(|it| &it.commands) {
            if !commands.contains(&tested.command) {
                commands.push(tested.command);
            }
        }
        let texts: Vec<&str> = commands.iter().map(|it| it.as_str()).collect();
        let before = range.base.map(|base| store.code_tree_of(base)).transpose()?;
        let files = test_files(store, &plans, &texts, before);
        let declared: Vec<&str> =
            plans.iter().flat_map(|plan| plan.changed_tests()).map(|it| it.path.as_str()).collect();
        let Some(whole) = Examined::read(store, range, &files, &declared)? else {
            return Ok(vec![None; subjects.len()]);
        };
        let each = match subjects {
            [_] => None,
            _ => Some(
                subjects
                    .iter()
                    .map(|it| Examined::read(store, it.range, &files, &declared))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        let is_alone = each.is_none();
        let with_base_tests = self.run_base_tests(&whole, range, &files, &commands, is_alone)?;
        let is_failed = is_alone
            && with_base_tests.iter().flat_map(|run: &TreeRun| &run.ends).any(|end| end.failure.is_some());
        let is_decided = is_failed || (is_alone && whole.changes.is_inseparable);
        let needs_run = !is_decided && (whole.changes.has_new_tests || self.wish == ProofWish::Always);
        // A tree is written only where it is tested.
        let tree = if needs_run { whole.without_work(store)? } else { None };
        let without_work = match tree {
            Some(tree) => {
                Some(self.run(tree, range, &commands, is_alone.then_some(FailureReason::Assertion))?)
            }
            None => None,
        };
        self.tell_cost([&with_base_tests, &without_work].into_iter().flatten(), subjects);
        let runs = ProofRuns { commands: &commands, with_base_tests, without_work };
        let proofs = subjects.iter().enumerate().map(|(n, subject)| match &each {
            None => Some(runs.proof(subject, &whole)),
            Some(each) => each[n].as_ref().map(|own| runs.proof(subject, own)),
        });
        Ok(proofs.collect())
    }

    /// Runs the commands with the tests as they were. If the policy asks for a proof, added tests go as well, since they could
    /// replace what the others test; those stay that a command names, or without which it does not run.
    fn run_base_tests(
        &self,
        whole: &Examined,
        range: WorkRange,
        files: &TestFiles,
        commands: &[&CommandLine],
        is_alone: bool,
    ) -> Result<Option<TreeRun>, Refusal> {
        let store = self.session.store();
        let until = is_alone.then_some(FailureReason::Build);
        let takes_added = self.wish == ProofWish::Always && whole.has_old_tests(store, range, files)?;
        let bare = if takes_added { whole.without_added_tests(store, commands)? } else { None };
        let mut run = match bare {
            Some(tree) => self.run(tree, range, commands, is_alone.then_some(FailureReason::Assertion))?,
            None => {
                let tree = whole.with_base_tests(store)?;
                return tree.map(|tree| self.run(tree, range, commands, until)).transpose();
            }
        };
        if run.ends.iter().any(RunEnd::needs_added_tests) {
            let tree = whole.with_base_tests(store)?;
            let kept = tree.map(|tree| self.run(tree, range, commands, until)).transpose()?;
            run.replace_ends(kept);
        }
        Ok(Some(run))
    }

    /// Runs commands on a tree, in a fresh workplace; none after one that failed at least for the reason `until`.
    fn run(
        &self,
        tree: ObjectId,
        range: WorkRange,
        commands: &[&CommandLine],
        until: Option<FailureReason>,
    ) -> Result<TreeRun, Refusal> {
        let store = self.session.store();
        let start = Instant::now();
        let parents: Vec<ObjectId> = range.base.into_iter().collect();
        let message = b"A tree that tests the tests\n";
        let new = NewCommit { tree, parents: &parents, message, author_of: None, is_signed: false };
        let commit = store.git().make_commit(&new).map_err(StoreError::Git)?;
        let mut run = in_fresh_workplace(self.session, self.confinement, "prove", commit, |place| {
            let setup = start.elapsed();
            let has_brought = place.prepared.as_ref().is_some_and(|prepared| !prepared.files.is_empty());
            let brought_from = if has_brought { store.repo().main_work_dir() } else { None };
            let ends = self.run_in(&place, commands, until)?;
            Ok(TreeRun { ends, brought_from, setup, took: Duration::ZERO })
        })?;
        run.took = start.elapsed();
        Ok(run)
    }

    /// Says how long the tests of the tests took, and, if something prepares workplaces, how much of that it was.
    fn tell_cost<'r>(&self, runs: impl Iterator<Item = &'r TreeRun>, subjects: &[ProofSubject<'_>]) {
        let (mut count, mut took, mut setup) = (0, Duration::ZERO, Duration::ZERO);
        for run in runs {
            count += 1;
            took += run.took;
            setup += run.setup;
        }
        if count == 0 || took < TOLD_FROM {
            return;
        }
        let checks = subjects.iter().flat_map(|subject| &subject.commands).filter_map(|tested| tested.check);
        let own: u64 = checks.fold(0, |sum, check| sum.saturating_add(check.duration_ms));
        let mut words = format!(
            "testing the tests took {:.1} s in {}; the tests themselves took {:.1} s",
            took.as_secs_f64(),
            crate::model::words::count(count, "workplace"),
            Duration::from_millis(own).as_secs_f64()
        );
        if Preparation::load(self.session.store()).is_ok_and(|preparation| preparation.count() > 0) {
            words.push_str(&format!(", and preparing the workplaces {:.1} s", setup.as_secs_f64()));
        }
        self.session.notice(Notice::note(words));
    }

    fn run_in(
        &self,
        FreshPlace { workplace, prepared, within }: &FreshPlace<'_>,
        commands: &[&CommandLine],
        until: Option<FailureReason>,
    ) -> Result<Vec<RunEnd>, Refusal> {
        let mut watch = PlaceWatch::new(self.session.store(), workplace, commands)?;
        let variables = prepared.as_ref().and_then(|prepared| prepared.variables.as_ref());
        let environment: Vec<(OsString, OsString)> = match self.environment {
            Some(only) => {
                let more = variables.iter().flat_map(|place| place.variables());
                only.iter().cloned().chain(more).collect()
            }
            None => PlaceVariables::beside_agents(self.session.store(), variables),
        };
        let reports = TestReports::load(self.session)?;
        let limits = RunLimits { timeout: self.timeout, interrupts: self.interrupts };
        let mut ended = Vec::new();
        for command in commands {
            let shell = Shell { command, folder: &workplace.folder, environment: Some(&environment), within };
            let (ran, counted) = run_counted(&shell, &limits, &reports, &mut |_| {})?;
            if ran.ended == ProcessEnd::Interrupted || self.interrupts.take() {
                return Err(Refusal::new(Code::Interrupted, "the tests of the tests were interrupted")
                    .hint("the same command begins again"));
            }
            let exit_code = if let ProcessEnd::Exited(code) = ran.ended { Some(code) } else { None };
            let tests: Option<TestCount> = counted.tests;
            let has_passed = CheckOutcome::new(exit_code, tests).has_passed();
            let output = String::from_utf8_lossy(&ran.tail);
            let failure = (!has_passed).then(|| failure_reason::reason(exit_code, tests, &output));
            let found_none =
                tests.is_none_or(|tests| tests.run() == 0) && failure_reason::finds_no_tests(&output);
            ended.push(RunEnd { failure, tests, found_none, mark: watch.look()?.mark(command) });
            if failure.is_some_and(|why| until.is_some_and(|until| why >= until)) {
                break;
            }
        }
        Ok(ended)
    }
}

/// Whether how a command ends says something about one execution only: none is of two of them, and no plan excuses changes to
/// tests, which may be those of another.
fn are_apart(subjects: &[ProofSubject<'_>]) -> bool {
    let mut seen = BTreeSet::new();
    let mut commands =
        subjects.iter().flat_map(|it| it.commands.iter().map(|tested| tested.command.as_str()));
    let excuses = |it: &ProofSubject<'_>| it.plan.changed_tests().next().is_some();
    subjects.len() < 2 || (commands.all(|command| seen.insert(command)) && !subjects.iter().any(excuses))
}
