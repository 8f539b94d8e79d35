//! Runs the tests of a plan that an agent carried out, in a workplace that is made for that.

use std::time::Duration;

use super::agreed::not_agreed;
use super::execute::AgentWork;
use super::job::{NoAnswer, StepReport as Told, failure_end};
use super::leftovers::named;
use super::workplace::{self, StepSite, StepWorkplace};
use crate::agent::state::ProgramNeeds;
use crate::model::{Check, CheckOutcome, Failure};
use crate::ops::work::verify_notices::not_installed;
use crate::ops::work::{
    Test, TestWorkplace, Verification, Verified, VerifyObserver, VerifyTests, verification,
};
use crate::ops::{Notice, Refusal, RefusalKind, Session};
use crate::process::supervise::Ran;
use crate::rules::{CountedTests, evidence};
use crate::workplace::PlaceVariables;

/// How long a test command may take.
pub(super) const TEST_LIMIT: Duration = Duration::from_secs(3600);

/// Ignores the output of tests while they run; the checks keep its end.
pub(super) struct NoObserver;

impl VerifyObserver for NoObserver {
    fn begins(&mut self, _: &Test, _: usize, _: usize) {}
    fn wrote(&mut self, _: &[u8]) {}
    fn ended(&mut self, _: &Ran, _: &CountedTests) {}
}

impl AgentWork<'_> {
    /// The tests of the plan as claimed, if it has any. The claim may have brought another version of the plan than the one
    /// whose tests somebody agreed to.
    pub(super) fn tests<'s>(&self, session: &'s Session) -> Result<Option<Verification<'s>>, Refusal> {
        let tests = match verification(session, &VerifyTests::new(&self.execution.id)) {
            Err(refusal) if refusal.kind == RefusalKind::Nothing => return Ok(None),
            other => other?,
        };
        let unseen: Vec<String> = tests.unseen()?.iter().map(|it| it.command.as_str().to_owned()).collect();
        if unseen.is_empty() {
            return Ok(Some(tests));
        }
        Err(not_agreed(&format!("the tests of the plan of `{}`", self.job.issue)).details(unseen))
    }

    /// Runs the tests of the plan, whatever the agent reports, in a workplace that is made for that. The files in `aside` were
    /// not committed. They end as soon as someone stops the work on the issue. Returns the results, which are not recorded yet if
    /// they suffice.
    pub(super) fn test(&self, aside: &[String]) -> Result<Vec<Check>, NoAnswer> {
        let session = self.job.session_that_stops()?;
        let Some(tests) = self.tests(&session)? else { return Ok(vec![]) };
        let Some(start) = self.session.store().head().map_err(Refusal::from)? else { return Ok(vec![]) };
        let of = format!("test-{}", self.execution.id.issue());
        let site = StepSite {
            name: workplace::name(&self.job.run.id, &of),
            folder: self.job.site.folder.with_file_name(of),
            start,
            branch: None,
            active: None,
        };
        // What git ignores is in the work tree of the user.
        let users = self.job.users_session_that_stops()?;
        let place = StepWorkplace::make(&users, &site, &site.name, &self.job.confinement)?;
        users.notices().into_iter().for_each(|notice| self.job.report(Told::Noticed(notice)));
        let verified = self.run_tests(&users, tests, &place);
        place.leave(&users, &self.job.confinement);
        users.notices().into_iter().for_each(|notice| self.job.report(Told::Noticed(notice)));
        let verified = verified?;
        self.tell_suspicion(&verified);
        if let Some(notice) = not_installed(&verified.checks) {
            self.job.report(Told::Noticed(notice));
        }
        if verified.passed {
            return Ok(verified.checks);
        }
        let Some(failed) = verified.checks.iter().find(|check| !check.has_passed()) else {
            return Err(unproved(&verified).map_or(NoAnswer::Stopped, NoAnswer::Failed));
        };
        if failed.exit_code.is_none() && self.job.is_stopping() {
            return Err(NoAnswer::Stopped);
        }
        let how = match failed.outcome() {
            CheckOutcome::Failed(code) => format!("ended with {code}"),
            other => other.to_string(),
        };
        let without = match aside {
            [] => String::new(),
            files => format!(", without what was not committed: {}", named(files)),
        };
        let what = format!("`{}` {how}{without}", failed.command);
        let mut failure =
            failure_end("test_failure", &what, failed.output_tail.trim(), "the checks of the execution");
        failure.task_id.clone_from(&failed.task_id);
        Err(NoAnswer::Failed(failure))
    }

    /// Tells what looks like cheating.
    fn tell_suspicion(&self, verified: &Verified) {
        for words in faults(verified).filter(|_| verified.proof.as_ref().is_some_and(evidence::is_suspicious))
        {
            let what = format!("{}: {words}", self.job.issue);
            self.job.report(Told::Noticed(Notice::warning(what)));
        }
    }

    fn run_tests(
        &self,
        users: &Session,
        tests: Verification<'_>,
        place: &StepWorkplace,
    ) -> Result<Verified, Refusal> {
        let workplace = &place.workplace;
        let fresh = TestWorkplace {
            made_by: users,
            confinement: &self.job.confinement,
            workplace,
            variables: place.variables.clone(),
            // The agent wrote what these tests run, so they get no more than the agent.
            within: self.job.confinement.words(&workplace.folder, &ProgramNeeds::default()),
            prepared: place.prepared.iter().map(|path| path.line.clone()).collect(),
        };
        let mut environment = self.job.environment(&self.job.agent);
        environment.extend(PlaceVariables::named(users.store()));
        let tests = tests.in_workplace(fresh).within(environment).for_caller();
        Ok(tests.run(TEST_LIMIT, &mut NoObserver)?.view)
    }
}

/// What the tests do not show about the work.
fn faults(verified: &Verified) -> impl Iterator<Item = String> {
    let head = verified.checks.first().and_then(|check| check.commit.clone());
    let all = verified.proof.as_ref().map(|proof| evidence::with_look(proof, head.as_ref()));
    all.into_iter().flatten()
}

/// The failure of an execution whose tests passed, but are not proved to test its work.
fn unproved(verified: &Verified) -> Option<Failure> {
    let words: Vec<String> = faults(verified).collect();
    if words.is_empty() {
        return None;
    }
    Some(failure_end("unproved", &words.join("; "), "", "the checks of the execution"))
}
