use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::input::{check_all, read_plans};
use crate::cli::{Context, Exit, Outcome, existing};
use crate::rules::plan_check::{self, Finding};
use crate::store::resolve;

/// Check plans without storing anything: a file, `-` for stdin, or the id of a plan
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan
    plan: String,
    /// The issue that it is for
    #[arg(long)]
    issue: Option<String>,
}

/// What `solution check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedAnswer {
    /// Whether `solution add` would store it.
    valid: bool,
    /// What is wrong.
    findings: Vec<Finding>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let plan = args.plan.as_str();
    let as_file = plan == "-" || std::path::Path::new(plan).exists();
    let issue = match &args.issue {
        Some(text) => Some(resolve::issue(&context.store()?.snapshot()?, text)?),
        None => None,
    };
    let plans = if as_file {
        read_plans(plan)?
    } else {
        let store = context.store()?;
        let snapshot = store.snapshot()?;
        let id = resolve::solution(&snapshot, plan, issue.as_ref())?;
        let folder = existing(&snapshot, &id.issue())?;
        let stored = folder.solution(&id).map(|solution| solution.plan.clone());
        vec![(id.to_string(), stored.unwrap_or_default())]
    };
    if context.json() {
        let mut findings = Vec::new();
        for (place, plan) in &plans {
            let found = plan_check::check(plan, issue.as_ref()).err().unwrap_or_default();
            let many = plans.len() > 1;
            findings.extend(found.into_iter().map(|finding| Finding {
                path: if many { format!("{place} {}", finding.path) } else { finding.path },
                ..finding
            }));
        }
        let valid = findings.is_empty();
        context.screen.print_json(&CheckedAnswer { valid, findings })?;
        return Ok(if valid { Exit::Done } else { Exit::Failed });
    }
    let checked = check_all(&plans, issue.as_ref()).map_err(|failure| {
        failure.retitled("; nothing was stored", "").hint("`git wf schema solution` says what a plan holds")
    })?;
    for (one, (place, _)) in checked.iter().zip(&plans) {
        let tasks = one.plan["tasks"].as_array().map_or(0, Vec::len);
        writeln!(context.screen, "{place}: {}, no fault", crate::ui::text::count(tasks, "task"))?;
    }
    Ok(Exit::Done)
}
