//! Plans as they are handed in.

use serde_json::Value;

use crate::cli::{Failure, json_fault, named, read_text};
use crate::model::id::SolutionId;
use crate::model::strict::Fault;
use crate::rules::plan_check::{self, Finding, Report, Setting};
use crate::store::Store;

/// One plan, and where it came from: a file, a place in it, or its id.
pub(in crate::cli) struct Handed {
    /// For people.
    pub(in crate::cli) place: String,
    /// As it was written.
    pub(in crate::cli) plan: Value,
}

/// The plans of a file, each with its place in it.
pub(super) fn read_plans(path: &str) -> Result<Vec<Handed>, Failure> {
    let text = read_text(path)?;
    let name = named(path);
    let plans = plan_check::split(&text).map_err(|error| {
        let (code, fault) = match &error {
            Fault::Json(error) => ("invalid-json", format!("{name} is not JSON: {}", json_fault(error))),
            Fault::Unsound(why) => ("unsound-json", format!("{name} cannot be read: {why}")),
        };
        Failure::new(code, fault)
            .hint("a plan is a JSON object; for several, use an array or one object per line")
    })?;
    if plans.is_empty() {
        return Err(Failure::new("empty", format!("{name} holds no plan"))
            .hint("a plan is a JSON object; for several, use an array or one object per line"));
    }
    let many = plans.len() > 1;
    let file = if path == "-" { "stdin" } else { path };
    let place = |n: usize| if many { format!("{file}[{n}]") } else { file.to_owned() };
    Ok(plans.into_iter().enumerate().map(|(n, plan)| Handed { place: place(n), plan }).collect())
}

/// Holds the plans against every rule, with the files that are checked out where there is a repository.
pub(super) fn examine(
    plans: &[Handed],
    setting: Setting<'_>,
    store: Option<&Store>,
) -> Result<Vec<Report>, Failure> {
    let code = store.map(Store::code_tree).transpose()?.flatten();
    // What cannot be read is nothing that the plan did wrong.
    let known = |path: &str| code.as_ref().is_none_or(|code| code.has(path).unwrap_or(true));
    let known_files: Option<&dyn Fn(&str) -> bool> = if code.is_some() { Some(&known) } else { None };
    Ok(plans.iter().map(|it| plan_check::examine(&it.plan, Setting { known_files, ..setting })).collect())
}

/// Every error of every plan, as one failure.
pub(super) fn errors(plans: &[Handed], reports: &[Report]) -> Option<Failure> {
    let many = plans.len() > 1;
    let mut lines: Vec<String> = Vec::new();
    for (it, report) in plans.iter().zip(reports) {
        let line = |finding: &Finding| {
            if many { format!("{} {finding}", it.place) } else { finding.to_string() }
        };
        lines.extend(report.findings.iter().filter(|finding| finding.is_error()).map(line));
    }
    if lines.is_empty() {
        return None;
    }
    let things = crate::ui::text::count(lines.len(), "fault");
    Some(
        Failure::new("invalid-plan", format!("the plan has {things}; nothing was stored"))
            .details(lines)
            .hint("`git wf solution check FILE` checks without storing"),
    )
}

/// Two plans under one name.
pub(super) fn refuse_twins<'a>(ids: impl Iterator<Item = &'a SolutionId>) -> Result<(), Failure> {
    let mut seen = std::collections::BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Failure::new("invalid-plan", format!("two plans have the id `{id}`"))
                .hint("leave the id out of one"));
        }
    }
    Ok(())
}
