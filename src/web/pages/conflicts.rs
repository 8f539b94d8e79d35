//! Fields that two clones changed differently: the value in force, and the one that lost.

use maud::{Markup, html};

use crate::ops::{Refusal, clones};
use crate::sync::conflicts::{Conflict, ConflictSide};
use crate::web::forms::PageForm;
use crate::web::parts::{PagedLists, json_value, person, place_of, when};
use crate::web::view::{PageContent, View};

/// Conflicts per page.
const PAGE: usize = 200;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let all = view.kept(view.place, || Ok(clones::conflicts(view.session)?.view))?;
    let (lists, numbered) = (PagedLists::asked(view), all.iter().enumerate().collect::<Vec<_>>());
    let body = html! {
        h1 { "Conflicts " span.count { (all.len()) } }
        p.quiet { "Fields that two clones changed differently. The current value is in force; the other is kept until someone decides." }
        @if all.is_empty() { p { "No unresolved conflicts." } }
        @for (n, conflict) in lists.first_slice(&numbered, PAGE) { (part(view, *n, conflict)) }
        (lists.pager(view))
    };
    Ok(PageContent::new("Conflicts", body))
}

fn part(view: &View<'_>, n: usize, conflict: &Conflict) -> Markup {
    // If someone settles one above, the next conflict takes its place, but not its refusal.
    let key = format!("{n}-{}-{}", conflict.path, conflict.field);
    let keep = PageForm::new(view, "settle", format!("keep-{key}"));
    let take = PageForm::new(view, "settle", format!("take-{key}"));
    html! {
        section.conflict {
            h2 {
                @match place_of(&conflict.record) {
                    Some(place) => (view.id(&place, &conflict.record)),
                    None => span.id { (conflict.record) },
                }
                " " code { (if conflict.field == "*" { "the whole record" } else { conflict.field.as_str() }) }
            }
            div.columns.sides {
                (side(view, "Current", conflict, &conflict.stands, keep.small(settled(&keep, conflict), "Keep this")))
                (side(view, "Other", conflict, &conflict.other, take.small(html! { (settled(&take, conflict)) (take.hidden("take", 1)) }, "Take this")))
            }
        }
    }
}

/// The fields that say what is settled.
fn settled(form: &PageForm<'_, '_>, conflict: &Conflict) -> Markup {
    html! { (form.hidden("record", &conflict.record)) (form.hidden("field", &conflict.field)) (form.hidden("seen", conflict.digest())) }
}

fn side(view: &View<'_>, name: &str, conflict: &Conflict, side: &ConflictSide, form: Markup) -> Markup {
    html! {
        div {
            h3 { (name) }
            p.quiet {
                @if let Some(author) = &side.author { (person(author.as_str())) " " }
                @if let Some(at) = side.at { (when(view, at)) }
            }
            div.value-box { (json_value(view, &conflict.in_words(side))) }
            (form)
        }
    }
}
