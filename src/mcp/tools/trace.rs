//! From commits, lines and issues to what caused them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Tool};
use crate::model::Op;
use crate::ops::Answer;
use crate::ops::trail::{self, AskedLines, Why};

pub(super) struct TraceTool;

/// What to trace.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A commit, range, branch, issue, plan or execution; or FILE, FILE:LINE or FILE:FIRST,LAST.
    of: String,
}

#[serde_with::skip_serializing_none]
/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Traced {
    /// For commits and ids: the issues, with their plans, executions and commits.
    trace: Option<Box<trail::TraceView>>,
    /// For lines of a file: the commits that made them, and why.
    why: Option<Box<Why>>,
}

impl Tool for TraceTool {
    const NAME: &'static str = "trace";
    const TITLE: &'static str = "Trace commits and lines";
    const ABOUT: &'static str = "Find out why code is as it is: from a commit or FILE:LINE to its task, plan and issue, or from an issue to \
        its commits.";
    const PERFORMS: &'static [Op] = &[];
    type Input = Input;
    type Output = Traced;

    fn call(call: &Call<'_>, Input { of }: Input) -> Answer<Traced> {
        let place = AskedLines::parse(call.folder, &of)?;
        if place.lines.is_some() {
            return why(call, &place);
        }
        match trail::trace(call.session, &of, true) {
            Ok(done) => Ok(done.map(|trace| Traced { trace: Some(Box::new(trace)), why: None })),
            // Ids and commits come before files of the same name.
            Err(_) if call.folder.join(&place.file).is_file() => why(call, &place),
            Err(refusal) => Err(refusal),
        }
    }
}

fn why(call: &Call<'_>, place: &AskedLines) -> Answer<Traced> {
    let done = trail::why(call.session, place)?;
    Ok(done.map(|why| Traced { trace: None, why: Some(Box::new(why)) }))
}
