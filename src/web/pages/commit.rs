//! The trail of a commit of the project: the tasks, plans and issues that it belongs to.

use crate::ops::Refusal;
use crate::ops::trail::{self, TraceInput};
use crate::page;
use crate::web::place::Hex;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>, hash: &Hex) -> Result<PageContent, Refusal> {
    let input = TraceInput { of: hash.as_str().to_owned(), with_items: false };
    let trace = trail::trace(view.session, &input)?.view;
    let subject = trace.commit.as_ref().map(|commit| commit.subject.as_str()).unwrap_or_default();
    let title = format!("{} {subject}", hash.short());
    Ok(PageContent::new(title, Shown::new(view).page(&page::trace::page(&trace), &Beside::default())))
}
