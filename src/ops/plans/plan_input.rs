//! Plans as they are given to a command.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::strict::json_fault;
use crate::model::{Code, JsonFault, Other, Remedy, RemedyCall, SolutionId, count};
use crate::ops::Refusal;
use crate::rules::plan_check::{self, SymbolicLink};
use crate::rules::{CheckReport, PlanSetting};
use crate::store::{Store, StoreError};

/// One plan and its origin.
#[derive(Debug, Clone)]
pub(crate) struct PlanInput {
    /// For messages: a file, a position in it, or the plan's id.
    pub(crate) place: String,
    /// The plan as written.
    pub(crate) plan: Value,
    /// Whether someone wrote it with options or as a text, and not as JSON.
    pub(crate) is_by_hand: bool,
}

/// The plans in a text, each with its position. `name` is what messages call the text, `place` what they call a plan
/// in it.
///
/// # Errors
/// `invalid-json`, `unsound-json`, `empty`.
pub(crate) fn read(text: &str, name: &str, place: &str) -> Result<Vec<PlanInput>, Refusal> {
    let refused = |code, why| {
        Refusal::new(code, why)
            .hint("a plan is a JSON object; for several, use an array or one object per line")
            .remedy(RemedyCall::new(Other::Schema, ["solution"]).flag("example"), "shows one")
    };
    let plans = plan_check::split(text).map_err(|fault| match &fault {
        JsonFault::Json(error) => {
            refused(Code::InvalidJson, format!("{name} is not JSON: {}", json_fault(error)))
        }
        JsonFault::Unsound(why) => refused(Code::UnsoundJson, format!("{name} cannot be read: {why}")),
    })?;
    if plans.is_empty() {
        return Err(refused(Code::Empty, format!("{name} holds no plan")));
    }
    let many = plans.len() > 1;
    let plans = plans.into_iter().enumerate().map(|(n, plan)| {
        let place = if many { format!("{place}[{n}]") } else { place.to_owned() };
        PlanInput { place, plan, is_by_hand: false }
    });
    Ok(plans.collect())
}

/// Checks the plans against every rule, and against the files of HEAD if there is a repository.
pub(super) fn examine(
    plans: &[PlanInput],
    setting: PlanSetting<'_>,
    store: Option<&Store>,
) -> Result<Vec<CheckReport>, StoreError> {
    let code = store.map(Store::code_tree).transpose()?.flatten();
    // A path that cannot be looked up is not an error of the plan.
    let known = |path: &str| code.as_ref().is_none_or(|code| code.has(path).unwrap_or(true));
    let known_files: Option<&dyn Fn(&str) -> bool> = if code.is_some() { Some(&known) } else { None };
    let link = |path: &str| {
        let (at, to) = code.as_ref()?.link_on(path).ok().flatten()?;
        Some(SymbolicLink { at, to })
    };
    let setting = PlanSetting { known_files, link_on: Some(&link), ..setting };
    Ok(plans.iter().map(|plan| plan_check::examine(&plan.plan, setting)).collect())
}

/// Refuses plans with errors, reporting all errors at once.
pub(super) fn refuse_faulty(plans: &[PlanInput], reports: &[CheckReport]) -> Result<(), Refusal> {
    let many = plans.len() > 1;
    let mut lines: Vec<String> = Vec::new();
    for (input, report) in plans.iter().zip(reports) {
        lines.extend(report.findings.iter().filter(|finding| finding.is_error()).map(|finding| {
            if input.is_by_hand {
                finding.in_options()
            } else if many {
                format!("{} {finding}", input.place)
            } else {
                finding.to_string()
            }
        }));
    }
    if lines.is_empty() {
        return Ok(());
    }
    // There is no file to check.
    let check = if plans.iter().all(|input| input.is_by_hand) {
        Remedy::words("correct what is named, and give the command again")
    } else {
        Remedy::call(RemedyCall::new(Other::SolutionCheck, ["FILE"]), "checks without storing")
    };
    Err(faulty(&format!("the plan has {}; nothing was stored", count(lines.len(), "error")), lines, check))
}

/// The refusal of a plan that cannot be stored, with its errors.
pub(super) fn faulty(message: &str, faults: Vec<String>, remedy: Remedy) -> Refusal {
    Refusal::new(Code::InvalidPlan, message).details(faults).next_step(remedy)
}

/// Refuses two plans with the same id.
pub(super) fn refuse_twins<'a>(ids: impl Iterator<Item = &'a SolutionId>) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Refusal::new(Code::InvalidPlan, format!("two plans have the id `{id}`"))
                .hint("leave the id out of one")
                .remedy(RemedyCall::new(Other::SolutionCheck, ["FILE"]), "checks without storing"));
        }
    }
    Ok(())
}
