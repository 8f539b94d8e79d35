//! Steering a run that is at work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Tool};
use crate::model::{Op, OrderKind, text_enum};
use crate::ops::{Answer, Refusal};
use crate::run::{GiveAnswer, Steer, answer as give_answer, steer};

pub(super) struct RunSteer;

/// What to tell the run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[schemars(with = "String", extend("enum" = ["stop", "pause", "resume", "add", "answer"]))]
    order: SteerOrder,
    /// For `stop`, `add` and `answer`.
    issue: Option<String>,
    /// For `answer`: `retry`, `skip`, `abort`, or a plan.
    answer: Option<String>,
    /// If there are several.
    run: Option<String>,
}

text_enum!(
    /// What the run does.
    SteerOrder {
        /// Stop the work on an issue.
        Stop = "stop",
        /// Begin no other step.
        Pause = "pause",
        /// Go on after a pause.
        Resume = "resume",
        /// Take an issue in.
        Add = "add",
        /// Take an answer.
        Answer = "answer",
    }
);

/// The run that was told.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SteeredRun {
    /// The run.
    run_id: String,
}

impl Tool for RunSteer {
    const NAME: &'static str = "run_steer";
    const TITLE: &'static str = "Steer a run";
    const ABOUT: &'static str = "Steer a run: stop or add an issue, pause, resume, or answer its question.";
    const PERFORMS: &'static [Op] = &[Op::Run];
    const IS_IDEMPOTENT: bool = false;
    type Input = Input;
    type Output = SteeredRun;

    fn call(call: &Call<'_>, input: Input) -> Answer<SteeredRun> {
        let Input { order, issue, answer, run } = input;
        let order = match (order, issue.is_some(), answer.is_some()) {
            (SteerOrder::Stop, true, false) => OrderKind::Stop,
            (SteerOrder::Add, true, false) => OrderKind::Add,
            (SteerOrder::Pause, false, false) => OrderKind::Pause,
            (SteerOrder::Resume, false, false) => OrderKind::Resume,
            (SteerOrder::Answer, true, true) => {
                let (issue, answer) = (issue.unwrap_or_default(), answer.unwrap_or_default());
                let done = give_answer(call.session, &GiveAnswer { issue, answer, run })?;
                return Ok(done.map(|told| SteeredRun { run_id: told.run_id.to_string() }));
            }
            (order, ..) => {
                let hint = "`issue` goes with `stop`, `add` and `answer`, and `answer` with `answer`";
                return Err(Refusal::usage(format!("these arguments do not go with `{order}`")).hint(hint));
            }
        };
        let issues = issue.into_iter().collect();
        let done = steer(call.session, &Steer::about(run, order, issues))?;
        Ok(done.map(|told| SteeredRun { run_id: told.run_id.to_string() }))
    }
}
