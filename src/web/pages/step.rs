//! One change of the store, field by field.

use maud::{Markup, html};

use super::queue::item;
use crate::model::Code;
use crate::ops::Refusal;
use crate::ops::trail::{self, Sides};
use crate::store::{Location, object_id};
use crate::trail::record_change::{HowChanged, RecordChange};
use crate::web::parts::{
    PagedLists, badge, changes, counted, fact, linked, one_line, person, place_of, when,
};
use crate::web::place::Hex;
use crate::web::view::{PageContent, View};

/// Records per page.
const PAGE: usize = 300;

pub(super) fn page(view: &View<'_>, hash: &Hex) -> Result<PageContent, Refusal> {
    let hash_text = hash.as_str();
    let since_parent = Sides { range: Some(format!("{hash_text}~..{hash_text}")), id: None };
    let diff = match trail::diff(view.session, &since_parent) {
        // The first commit has no parent. Compared with itself, it shows no changes.
        Err(refusal) if refusal.code == Code::UnknownMoment => {
            let itself = Sides { range: Some(format!("{hash_text}..{hash_text}")), id: None };
            trail::diff(view.session, &itself)?.view
        }
        diff => diff?.view,
    };
    let step = object_id(&diff.to.commit).map(|id| view.session.store().step(id)).transpose()?;
    let lists = PagedLists::asked(view);
    let body = html! {
        div.heading { h1 { span.id { (hash.short()) } @if let Some(step) = &step { " " (linked(view, &step.subject)) } } }
        @if let Some(step) = &step {
            dl.facts.wide {
                (fact("who", Some(person(step.author.as_str()))))
                (fact("agent", step.actor.as_deref().map(one_line)))
                (fact("role", step.role.as_deref().map(one_line)))
                (fact("when", Some(when(view, step.at))))
                (fact("operation", step.op.as_deref().map(one_line)))
                (fact("forced", step.force.as_deref().map(one_line)))
            }
        }
        (counted("Records", diff.changes.len()))
        @for it in lists.first_slice(&diff.changes, PAGE) {
            article.entry {
                header {
                    (badge(match it.change { HowChanged::Added => "added", HowChanged::Changed => "changed", HowChanged::Removed => "removed" })) " "
                    @if let Some(id) = &it.id {
                        (named(view, it, id)) " "
                    }
                    (linked(view, &it.summary))
                }
                @if !it.kind.is_entry() || it.change == HowChanged::Changed { (changes(view, &it.fields)) }
                p.quiet { code { (it.path) } }
            }
        }
        (lists.costly_pager(view, &format!("git wf diff {0}~..{0}", hash.short())))
    };
    Ok(PageContent::new(hash.short(), body))
}

/// The id of a record as a link to its page; that of an item, which is unique in its queue only, to its row there.
fn named(view: &View<'_>, change: &RecordChange, id: &str) -> Markup {
    if let Some(Location::Item(queue, _)) = Location::parse(&change.path) {
        return item(view, &queue, id, id);
    }
    html! {
        @match place_of(id) {
            Some(place) => (view.id(&place, id)),
            None => span.id { (id) },
        }
    }
}
