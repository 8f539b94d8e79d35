//! Steering a run that is at work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Tool};
use crate::model::{Op, OrderKind};
use crate::ops::{Answer, Refusal};
use crate::run::{Steer, steer};

pub(super) struct RunSteer;

/// What to tell the run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[schemars(with = "String", extend("enum" = ["stop", "pause", "resume", "add"]))]
    order: OrderKind,
    /// For `stop` and `add`.
    issue: Option<String>,
    /// If there are several.
    run: Option<String>,
}

/// The run that was told.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SteeredRun {
    /// The run.
    run_id: String,
}

impl Tool for RunSteer {
    const NAME: &'static str = "run_steer";
    const TITLE: &'static str = "Steer a run";
    const ABOUT: &'static str = "Steer a run: stop or add an issue, pause, or resume.";
    const PERFORMS: &'static [Op] = &[Op::Run];
    const IS_IDEMPOTENT: bool = false;
    type Input = Input;
    type Output = SteeredRun;

    fn call(call: &Call<'_>, input: Input) -> Answer<SteeredRun> {
        let Input { order, issue, run } = input;
        let needs_issue = matches!(order, OrderKind::Stop | OrderKind::Add);
        if needs_issue != issue.is_some() {
            let what = if needs_issue { "this order needs `issue`" } else { "`issue` is not for this order" };
            return Err(Refusal::usage(what).hint("`issue` goes with `stop` and `add`"));
        }
        let issues = issue.into_iter().collect();
        let done = steer(call.session, &Steer::about(run, order, issues))?;
        Ok(done.map(|told| SteeredRun { run_id: told.run_id.to_string() }))
    }
}
