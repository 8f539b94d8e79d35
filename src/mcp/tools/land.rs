//! Landing completed work.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Tool};
use crate::agent::in_hook;
use crate::mcp::progress::Tests;
use crate::model::{Code, Op, RemedyCall, exact};
use crate::ops::work::{self, LandMethod, LandView, LandWork, Landing};
use crate::ops::{Answer, Refusal};

pub(super) struct Land;

/// How long a test may take.
const TEST_LIMIT: Duration = Duration::from_secs(3600);

/// What to land.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    issue: String,
    /// Land the merge that you have resolved.
    #[serde(default, rename = "continue")]
    resolved: bool,
}

impl Tool for Land {
    const NAME: &'static str = "land";
    const TITLE: &'static str = "Land completed work";
    const ABOUT: &'static str = "Land a completed issue, once its tests pass on the merged tree.";
    const PERFORMS: &'static [Op] = &[Op::Land];
    const IS_OPEN: bool = true;
    type Input = Input;
    type Output = LandView;

    fn call(call: &Call<'_>, input: Input) -> Answer<LandView> {
        let session = call.session;
        let Input { issue, resolved } = input;
        if let Some(shown) = in_hook::shown_by(session.environment()) {
            let refusal = format!("a plan's commands never run from a git hook, and {shown}");
            return Err(Refusal::new(Code::InAHook, refusal)
                .hint("a person must start this server outside of git's hooks"));
        }
        let (what, how) = (vec![issue.clone()], LandMethod::Merge);
        let work = LandWork { what, all: false, onto: None, how, batch: 1, dry_run: false, by_hand: true };
        let landing = if resolved { work::continued(session, work)? } else { work::landing(session, work)? };
        agreed(call, &landing, &issue, resolved)?;
        landing.run(TEST_LIMIT, &mut Tests::telling(call.steps))
    }
}

/// Refuses commands that nobody here has agreed to: nobody can be asked here.
fn agreed(call: &Call<'_>, landing: &Landing<'_>, issue: &str, resolved: bool) -> Result<(), Refusal> {
    let unseen = landing.unseen()?;
    if unseen.is_empty() {
        return Ok(());
    }
    let shown = unseen.iter().map(|test| exact(test.command.as_str()).into_owned()).collect();
    let typed = RemedyCall::new(Op::Land, [issue]);
    let command = call.voice.command(&if resolved { typed.flag("continue") } else { typed });
    Err(Refusal::new(Code::NotAgreed, "nobody here has agreed to these commands").details(shown).command(
        command,
        "must be typed once by a person, who reads them and agrees; then call this tool again",
    ))
}
