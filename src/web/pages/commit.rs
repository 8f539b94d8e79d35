//! The trail of a commit of the project: the tasks, plans and issues that it belongs to.

use crate::ops::{Refusal, trail};
use crate::page;
use crate::web::place::Hex;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>, hash: &Hex) -> Result<PageContent, Refusal> {
    let trace = trail::trace(view.session, hash.as_str(), false)?.view;
    let subject = trace.commit.as_ref().map(|commit| commit.subject.as_str()).unwrap_or_default();
    let title = format!("{} {subject}", hash.short());
    Ok(PageContent::new(title, Shown::new(view).page(&page::trace::page(&trace), &Beside::default())))
}
