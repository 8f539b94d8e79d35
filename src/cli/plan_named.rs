//! Which plan is meant where an issue or an item can stand for its plan.

use super::{Failure, existing};
use crate::model::id::SolutionId;
use crate::rules::folder::IssueFolder;
use crate::store::Read;
use crate::store::resolve::{self, Known, ResolveError};

/// The plan that `text` names: a plan, that of an item, or of an issue the one that is bound or the only one.
pub(super) fn plan_named(read: &impl Read, text: &str) -> Result<SolutionId, Failure> {
    let named = resolve::any(read, text);
    // Plans alone come first, so that a start of an id which no other plan has is enough.
    if !named.as_ref().is_ok_and(|known| known.is_named_exactly(text)) {
        match resolve::solution(read, text, None) {
            Err(ResolveError::NotFound { .. }) => {}
            found => return Ok(found?),
        }
    }
    match named {
        Ok(Known::Solution(id) | Known::Item(_, id)) => Ok(id),
        Ok(Known::Issue(id)) => plan_of_issue(&existing(read, &id)?, "name one of them"),
        Ok(Known::Execution(_) | Known::Queue(_)) => {
            Err(Failure::new("not-found", format!("`{text}` is not a plan"))
                .hint("`git wf solution list` shows the plans"))
        }
        Err(ResolveError::NotFound { .. }) => {
            Err(ResolveError::NotFound { kind: "solution", text: text.to_owned() }.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The plan of an issue that is bound, or the only one. `remedy` is what to do where there are several.
pub(super) fn plan_of_issue(folder: &IssueFolder, remedy: &str) -> Result<SolutionId, Failure> {
    if let Some(bound) = folder.bound() {
        return Ok(bound.id.clone());
    }
    let issue = &folder.issue.record.id;
    match folder.solutions.as_slice() {
        [only] => Ok(only.record.id.clone()),
        [] => Err(Failure::new("no-solution", format!("issue `{issue}` has no plan"))
            .hint(format!("`git wf solution add {issue} FILE` adds one"))),
        many => {
            let candidates = many.iter().map(|it| {
                format!("{}  {}", it.record.id, it.record.typed_plan().description.unwrap_or_default())
            });
            let what = format!("issue `{issue}` has {} plans, so one must be named", many.len());
            Err(Failure::new("choice-needed", what).details(candidates.collect()).hint(remedy))
        }
    }
}
