//! Fields that two clones changed differently: the value in force, and the one that lost.

use maud::{Markup, html};

use crate::ops::{Refusal, clones};
use crate::sync::conflicts::{Conflict, ConflictSide};
use crate::web::forms::PageForm;
use crate::web::parts::{json_value, person, place_of, when};
use crate::web::view::{PageContent, View};

/// Maximum conflicts on the page.
const MOST: usize = 200;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let all = clones::conflicts(view.session)?.view;
    // Several values of one field can have lost; `take` selects one by number.
    let number = |n: usize| {
        let it: &Conflict = &all[n];
        all[..n].iter().filter(|other| (&other.path, &other.field) == (&it.path, &it.field)).count() + 1
    };
    let body = html! {
        h1 { "Conflicts " span.count { (all.len()) } }
        p.quiet { "Fields that two clones changed differently. The current value is in force; the other is kept until someone decides." }
        @if all.is_empty() { p { "No unresolved conflicts." } }
        @for (n, it) in all.iter().enumerate().take(MOST) { (part(view, n, number(n), it)) }
        @if all.len() > MOST { p.quiet { "and " (all.len() - MOST) " more" } }
    };
    Ok(PageContent::new("Conflicts", body))
}

fn part(view: &View<'_>, n: usize, number: usize, it: &Conflict) -> Markup {
    // If someone settles one above, the next conflict takes its place, but not its refusal.
    let form = |side: &str| PageForm::new(view, "settle", format!("{side}-{n}-{}-{}", it.path, it.field));
    let (keep, take) = (form("keep"), form("take"));
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
                (side(view, "Current", it, &it.stands, keep.small(html! {
                    (keep.hidden("record", &it.record)) (keep.hidden("field", &it.field))
                }, "Keep this")))
                (side(view, "Other", it, &it.other, take.small(html! {
                    (take.hidden("record", &it.record)) (take.hidden("field", &it.field)) (take.hidden("take", number))
                }, "Take this")))
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
