//! Landing completed work.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Tool};
use crate::agent::in_hook;
use crate::mcp::progress::Tests;
use crate::model::code::Code;
use crate::model::hidden::exact;
use crate::model::op::Op;
use crate::model::remedy::RemedyCall;
use crate::ops::work::{self, LandMethod, LandView, LandWork, Landing};
use crate::ops::{Answer, Refusal};

pub(super) struct Land;

/// How long a test may take.
const TEST_LIMIT: Duration = Duration::from_secs(3600);

/// What to land.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue.
    issue: String,
    /// Only say what would land.
    #[serde(default)]
    dry_run: bool,
    /// Land the merge whose conflicts you have resolved.
    #[serde(default, rename = "continue")]
    resolved: bool,
}

impl Tool for Land {
    const NAME: &'static str = "land";
    const TITLE: &'static str = "Land completed work";
    const ABOUT: &'static str = "Bring a completed issue to the target branch, once its tests pass on the merged tree. Say what \
        did not land to a person.";
    const PERFORMS: &'static [Op] = &[Op::Land];
    const IS_OPEN: bool = true;
    type Input = Input;
    type Output = LandView;

    fn call(call: &Call<'_>, input: Input) -> Answer<LandView> {
        let session = call.session;
        let Input { issue, dry_run, resolved } = input;
        if !dry_run && let Some(shown) = in_hook::shown_by(session.environment()) {
            let refusal = format!("a plan's commands never run from a git hook, and {shown}");
            return Err(Refusal::new(Code::InAHook, refusal)
                .hint("a person must start this server outside of git's hooks"));
        }
        let (what, how) = (vec![issue.clone()], LandMethod::Merge);
        let work = LandWork { what, all: false, onto: None, how, batch: 1, dry_run, by_hand: true };
        let landing = if resolved { work::continued(session, work)? } else { work::landing(session, work)? };
        agreed(call, &landing, &issue)?;
        landing.run(TEST_LIMIT, &mut Tests::telling(call.steps))
    }
}

/// Refuses commands that nobody here has agreed to: nobody can be asked here.
fn agreed(call: &Call<'_>, landing: &Landing<'_>, issue: &str) -> Result<(), Refusal> {
    let unseen = landing.unseen()?;
    if unseen.is_empty() {
        return Ok(());
    }
    let shown = unseen.iter().map(|test| exact(test.command.as_str()).into_owned()).collect();
    let command = call.voice.command(&RemedyCall::new(Op::Land, [issue]));
    Err(Refusal::new(Code::NotAgreed, "nobody here has agreed to these commands").details(shown).command(
        command,
        "must be typed once by a person, who reads them and agrees; then call this tool again",
    ))
}
