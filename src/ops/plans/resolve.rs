//! Resolves the plan that an id means; an issue or an item can stand for its plan.

use super::in_words;
use crate::model::{Code, Op, Other, Remedy, RemedyCall, SolutionId};
use crate::ops::Refusal;
use crate::ops::issues::existing;
use crate::rules::IssueFolder;
use crate::store::{KnownRecord, ReadState, ResolveError, resolve};

/// The plan that `text` names: a plan itself, the plan of an item, or the bound or only plan of an issue.
///
/// # Errors
/// `not-found`, `ambiguous-id`; the same as [`plan_of_issue`].
pub(crate) fn plan_named(read: &impl ReadState, text: &str) -> Result<SolutionId, Refusal> {
    let named = resolve::any(read, text);
    // Try plans first, so that a prefix is enough if no other plan has it.
    if !named.as_ref().is_ok_and(|known| known.is_named_exactly(text)) {
        match resolve::solution(read, text, None) {
            Err(ResolveError::NotFound { .. }) => {}
            found => return Ok(found?),
        }
    }
    match named {
        Ok(KnownRecord::Solution(id) | KnownRecord::Item(_, id)) => Ok(id),
        Ok(KnownRecord::Issue(id)) => {
            plan_of_issue(&existing(read, &id)?, Remedy::words("give the id of a plan in place of the issue"))
        }
        Ok(KnownRecord::Execution(_) | KnownRecord::Queue(_) | KnownRecord::Roadmap(_)) => {
            Err(Refusal::new(Code::NotFound, format!("`{text}` is not a plan"))
                .remedy(Other::SolutionList, "shows the plans"))
        }
        Err(ResolveError::NotFound { .. }) => {
            Err(ResolveError::NotFound { kind: "solution", text: text.to_owned(), near: None }.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The bound or only plan of an issue. `remedy` says what to do if there are several.
///
/// # Errors
/// `no-solution`, `choice-needed`.
pub(crate) fn plan_of_issue(folder: &IssueFolder, remedy: Remedy) -> Result<SolutionId, Refusal> {
    if let Some(bound) = folder.bound() {
        return Ok(bound.id.clone());
    }
    let issue = &folder.issue.record.id;
    match folder.plans().as_slice() {
        [only] => Ok(only.id.clone()),
        [] => Err(Refusal::new(Code::NoSolution, format!("issue `{issue}` has no plan"))
            .remedy(RemedyCall::new(Op::SolutionAdd, [issue.as_str(), "FILE"]), "adds one")),
        many => {
            let what = format!("issue `{issue}` has {} plans; name one", many.len());
            Err(Refusal::new(Code::ChoiceNeeded, what).details(in_words(many)).next_step(remedy))
        }
    }
}
