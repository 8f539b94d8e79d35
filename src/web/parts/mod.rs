//! Building blocks of pages.

pub(super) mod burn_up;
mod lists;
mod markdown;
mod plan;
mod table;
mod text;
mod value;

pub(super) use lists::{ListPosition, PagedLists, pager};
pub(super) use markdown::markdown;
pub(super) use plan::{file, task};
pub(super) use table::{issue_id, issue_table};
pub(super) use text::{
    block, cut, editable, encoded, linked, long, one_line, parts, person, place_of, record_text, sentence,
    with_c1,
};
pub(super) use value::{changes, json_value};

use maud::{Markup, PreEscaped, html};

use super::view::View;
use crate::model::{Priority, Time};
use crate::ops::Notice;
use crate::ui::time;

/// A status as a coloured word; the style sheet adds a shape that says the same without colour.
pub(super) fn badge(word: &str) -> Markup {
    let first = word.split(',').next().unwrap_or_default();
    let class = format!("badge s-{}", first.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    html! { span class=(class) { (word) } }
}

/// A priority.
pub(super) fn priority(priority: Priority) -> Markup {
    let class = format!("prio p{}", priority.number());
    html! { span class=(class) title=(format!("priority {}", priority.number())) { (priority.name()) } }
}

/// A relative time, with the exact one on demand. An export has only the exact time, which does not age.
pub(super) fn when(view: &View<'_>, at: Time) -> Markup {
    let exact = at.to_string();
    let shown = if view.is_export() {
        exact.get(..16).unwrap_or(&exact).replace('T', " ")
    } else {
        time::ago_on_page(view.now.millis(), at.millis())
    };
    html! { time datetime=(exact) title=(exact) { (shown) } }
}

/// Notices, such as that a record cannot be read.
pub(super) fn notices(view: &View<'_>, notices: &[Notice]) -> Markup {
    html! {
        @if !notices.is_empty() {
            ul.notices role="status" {
                @for notice in notices { li { (sentence(view, &notice.message)) } }
            }
        }
    }
}

/// A picture, in a region that scrolls if it is wider than the page.
pub(super) fn picture(name: &str, svg: String) -> Markup {
    html! { div.picture role="region" aria-label=(name) tabindex="0" { (PreEscaped(svg)) } }
}

/// A heading with a count.
pub(super) fn counted(title: &str, count: usize) -> Markup {
    html! { h2 { (title) " " span.count { (count) } } }
}

/// A row in a list of facts; nothing without a value.
pub(super) fn fact(name: &str, value: Option<Markup>) -> Markup {
    html! { @if let Some(value) = value { div { dt { (name) } dd { (value) } } } }
}
