//! Running the tests of a plan.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Tool};
use crate::agent::in_hook;
use crate::mcp::progress::Tests;
use crate::model::remedy::RemedyCall as Suggested;
use crate::model::{Code, Op, TaskId, exact};
use crate::ops::work::{self, Verification, Verified, VerifyTests};
use crate::ops::{Answer, Refusal};

pub(super) struct Verify;

/// A command may run this long unless asked otherwise.
const USUAL: u64 = 3600;

/// Which tests to run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Input {
    /// Only this task, such as T1.
    task: Option<String>,
    /// Default: this worktree's.
    execution: Option<String>,
    /// In a fresh workplace; test the tests, too.
    fresh: bool,
    /// Default: 3600.
    #[schemars(range(min = 1))]
    timeout_seconds: Option<u64>,
}

impl Tool for Verify {
    const NAME: &'static str = "verify";
    const TITLE: &'static str = "Run the tests of a plan";
    const ABOUT: &'static str = "Run the tests of the plan that this worktree executes, and record the results. Commit first. Only \
        commands that a person agreed to are run.";
    const PERFORMS: &'static [Op] = &[Op::Verify];
    const IS_IDEMPOTENT: bool = false;
    type Input = Input;
    type Output = Verified;

    fn call(call: &Call<'_>, input: Input) -> Answer<Verified> {
        let session = call.session;
        if let Some(shown) = in_hook::shown_by(session.environment()) {
            let refusal = format!("a plan's commands never run from a git hook, and {shown}");
            return Err(Refusal::new(Code::InAHook, refusal)
                .hint("a person must start this server outside of git's hooks"));
        }
        if input.execution.is_none() {
            work::link_and_tell(session)?;
        }
        let tasks = input.task.into_iter().collect();
        let tests = VerifyTests { execution: input.execution, tasks, fresh: input.fresh, as_verifier: false };
        let verification = work::verification(session, &tests)?;
        agreed(call, &verification)?;
        let timeout = Duration::from_secs(input.timeout_seconds.unwrap_or(USUAL).max(1));
        verification.run(timeout, &mut Tests::telling(call.steps))
    }
}

/// Refuses commands that nobody here has agreed to: nobody can be asked here.
pub(super) fn agreed(call: &Call<'_>, verification: &Verification<'_>) -> Result<(), Refusal> {
    let unseen = verification.unseen()?;
    if unseen.is_empty() {
        return Ok(());
    }
    let command = call.voice.command(&Suggested::from(Op::Verify));
    Err(Refusal::new(Code::NotAgreed, "nobody here has agreed to these commands")
        .details(
            unseen
                .iter()
                .map(|test| {
                    let tasks: Vec<&str> = test.tasks.iter().map(TaskId::as_str).collect();
                    format!("{}: {}", tasks.join(", "), exact(test.command.as_str()))
                })
                .collect(),
        )
        .command(
            command,
            format!(
                "must be typed once by a person in {}, who reads them and agrees; then call this tool again",
                verification.folder().display()
            ),
        ))
}
