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
        @for (n, it) in lists.first_slice(&numbered, PAGE) { (part(view, *n, it)) }
        (lists.pager(view))
    };
    Ok(PageContent::new("Conflicts", body))
}

fn part(view: &View<'_>, n: usize, it: &Conflict) -> Markup {
    // If someone settles one above, the next conflict takes its place, but not its refusal.
    let form = |side: &str| PageForm::new(view, "settle", format!("{side}-{n}-{}-{}", it.path, it.field));
    let (keep, take) = (form("keep"), form("take"));
    let seen = it.digest();
    let named = |form: &PageForm<'_, '_>| {
        html! { (form.hidden("record", &it.record)) (form.hidden("field", &it.field)) (form.hidden("seen", &seen)) }
    };
    html! {
        section.conflict {
            h2 {
                @match place_of(&it.record) {
                    Some(place) => (view.id(&place, &it.record)),
                    None => span.id { (it.record) },
                }
                " " code { (if it.field == "*" { "the whole record" } else { it.field.as_str() }) }
            }
            div.columns.sides {
                (side(view, "Current", it, &it.stands, keep.small(named(&keep), "Keep this")))
                (side(view, "Other", it, &it.other, take.small(html! { (named(&take)) (take.hidden("take", 1)) }, "Take this")))
            }
        }
    }
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
