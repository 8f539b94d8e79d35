//! An execution: the claim, its commits, its checks, and how it ended.

use crate::model::ExecutionId;
use crate::ops::Refusal;
use crate::ops::issues::{self, ShownRecord};
use crate::page;
use crate::web::pages::no_page;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>, id: &ExecutionId) -> Result<PageContent, Refusal> {
    let shown = view.kept(view.place, || {
        match issues::show(view.session, &issues::ShowRecord::new(id.as_str()))?.view {
            ShownRecord::Execution(shown) => Ok(shown),
            _ => Err(no_page(format!("`{id}` is not an execution"))),
        }
    })?;
    let claim = &shown.execution.execution;
    let title = format!("Attempt {} at {}", claim.attempt, claim.issue_id);
    Ok(PageContent::new(title, Shown::new(view).page(&page::execution::page(&shown), &Beside::default())))
}
