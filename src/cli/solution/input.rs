//! Plans as they are handed in.

use serde_json::Value;

use crate::cli::{Failure, json_fault, named, read_text};
use crate::model::id::IssueId;
use crate::model::strict::Fault;
use crate::rules::plan_check::{self, Checked, Finding};

/// The plans of a file, each with its place in it.
pub(super) fn read_plans(path: &str) -> Result<Vec<(String, Value)>, Failure> {
    let text = read_text(path)?;
    let name = named(path);
    let plans = plan_check::split(&text).map_err(|error| {
        let fault = match &error {
            Fault::Json(error) => json_fault(error),
            Fault::Unsound(why) => why.clone(),
        };
        Failure::new("invalid-json", format!("{name} is not JSON: {fault}"))
            .hint("a plan is a JSON object; several are an array or one object a line")
    })?;
    if plans.is_empty() {
        return Err(Failure::new("empty", format!("{name} holds no plan"))
            .hint("a plan is a JSON object; several are an array or one object a line"));
    }
    let many = plans.len() > 1;
    let file = if path == "-" { "stdin" } else { path };
    let place = |n: usize| if many { format!("{file}[{n}]") } else { file.to_owned() };
    Ok(plans.into_iter().enumerate().map(|(n, plan)| (place(n), plan)).collect())
}

/// Checks all plans; every finding of all of them is one failure.
pub(super) fn check_all(plans: &[(String, Value)], issue: Option<&IssueId>) -> Result<Vec<Checked>, Failure> {
    let mut findings: Vec<(String, Finding)> = Vec::new();
    let mut checked: Vec<Checked> = Vec::new();
    for (place, plan) in plans {
        match plan_check::check(plan, issue) {
            Ok(one) => checked.push(one),
            Err(found) => findings.extend(found.into_iter().map(|finding| (place.clone(), finding))),
        }
    }
    let ids: Vec<_> = checked.iter().filter_map(|one| one.id.as_ref()).collect();
    let twice = ids.iter().enumerate().find(|(n, id)| ids[..*n].contains(id));
    if let Some((_, id)) = twice {
        return Err(Failure::new("invalid-plan", format!("two plans are called `{id}`"))
            .hint("leave the id out of one"));
    }
    if findings.is_empty() {
        return Ok(checked);
    }
    let count = findings.len();
    let many = plans.len() > 1;
    let lines = findings
        .into_iter()
        .map(|(place, finding)| if many { format!("{place} {finding}") } else { finding.to_string() })
        .collect();
    let things = if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
    Err(Failure::new("invalid-plan", format!("the plan has {things}; nothing was stored"))
        .details(lines)
        .hint("`git wf solution check FILE` checks without storing"))
}
