//! Completes ids in prompts and in URIs of resources.

use rmcp::model::{CompletionInfo, Reference};

use super::{prompts, resources};
use crate::ops::store::{self, CompleteId, IdKind};
use crate::ops::{Refusal, Session};

/// The kind of ids that an argument takes; `None` if it takes none.
pub(super) fn kind(reference: &Reference, argument: &str) -> Option<IdKind> {
    match reference {
        Reference::Prompt(prompt) => prompts::kind(&prompt.name, argument),
        Reference::Resource(resource) => {
            let is_of_issues = resources::is_of_issues(&resource.uri)?;
            (argument == "id").then_some(if is_of_issues { IdKind::Issue } else { IdKind::Plan })
        }
        _ => None,
    }
}

/// The ids of this kind that start with `begin`.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn complete(session: &Session, kind: IdKind, begin: &str) -> Result<CompletionInfo, Refusal> {
    let found = store::ids(session, &CompleteId { kind, begin: begin.to_owned(), before: vec![] })?.view;
    let total = u32::try_from(found.len()).ok();
    let has_more = found.len() > CompletionInfo::MAX_VALUES;
    let values = found.into_iter().take(CompletionInfo::MAX_VALUES).map(|known| known.id).collect();
    Ok(CompletionInfo::with_pagination(values, total, has_more).unwrap_or_default())
}
