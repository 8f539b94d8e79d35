//! The audit of a range of commits.

use maud::{Markup, html};

use crate::ops::trail::{self, Audit};
use crate::ops::{Refusal, RefusalKind};
use crate::page;
use crate::web::forms;
use crate::web::parts::sentence;
use crate::web::place::Place;
use crate::web::shown::Shown;
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let range = view.query.get("range").unwrap_or_default();
    let asked: Vec<String> = if range.is_empty() { vec![] } else { vec![range.to_owned()] };
    let is_option = range.starts_with('-');
    let outcome = if is_option {
        Err(Refusal::usage(format!("`{range}` is not a range")).hint("a range is, for example, main..topic"))
    } else {
        trail::audit(view.session, &asked)
    };
    let body = html! {
        h1 { "Audit" }
        @if !view.is_export() {
            form.filters method="get" action=(view.href(&Place::Audit)) {
                label.grow { "Commits" input type="text" name="range" value=(range) placeholder="since the first execution, or A..B"; }
                button type="submit" { "Audit" }
            }
        }
        @match &outcome {
            Ok(done) => (shown(view, &done.view)),
            Err(refusal) if refusal.kind == RefusalKind::Nothing => p.quiet { (sentence(view, &refusal.message)) },
            Err(refusal) => (forms::refused(view, refusal)),
        }
    };
    Ok(PageContent::new("Audit", body))
}

fn shown(view: &View<'_>, audit: &Audit) -> Markup {
    let shown = Shown::new(view);
    let blocks = shown.blocks(&page::audit::page(audit).blocks);
    html! {
        p { code { (audit.range) } }
        (blocks)
        (shown.lists.costly_pager(view, "git wf audit"))
    }
}
