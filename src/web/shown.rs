//! Shows a page of [`crate::page`] in the web front end: links, long lists in pages, and the forms that belong to its parts.

use std::ops::Range;

use maud::{Markup, PreEscaped, html};

use super::layout::one;
use super::parts::{self, PagedLists, place_of};
use super::place::{Hex, Place, Query};
use super::view::View;
use crate::model::Time;
use crate::model::hash::SHORT;
use crate::page::html::HtmlPlace;
use crate::page::{self, Page, PerPage, Target};

/// Where a page is shown.
pub(super) struct Shown<'a, 'v> {
    view: &'a View<'v>,
    pub(super) lists: PagedLists,
    forms: &'a dyn Fn(&str) -> Option<Markup>,
}

/// What the web front end adds to a page.
#[derive(Default)]
pub(super) struct Beside {
    /// Below the facts.
    pub(super) facts: Option<Markup>,
    /// Before the blocks, if there is something to say first.
    pub(super) notice: Option<Markup>,
    /// After the blocks.
    pub(super) after: Option<Markup>,
}

impl<'a, 'v> Shown<'a, 'v> {
    /// A page without forms.
    pub(super) fn new(view: &'a View<'v>) -> Self {
        Self::with_forms(view, &|_| None)
    }

    /// A page with forms: `forms` makes those of a section, an entry or a row.
    pub(super) fn with_forms(view: &'a View<'v>, forms: &'a dyn Fn(&str) -> Option<Markup>) -> Self {
        Self { view, lists: PagedLists::asked(view), forms }
    }

    /// Blocks, without what is beside them.
    pub(super) fn blocks(&self, blocks: &[page::Block]) -> Markup {
        PreEscaped(page::html::blocks(self, blocks))
    }

    /// The whole page: its heading, its blocks, and beside them its facts and what `beside` adds to them.
    pub(super) fn page(&self, page: &Page, beside: &Beside) -> Markup {
        let blocks = self.blocks(&page.blocks);
        html! {
            div.heading { h1 { (PreEscaped(page::html::line(self, &page.title))) } }
            div.columns.main-aside {
                div {
                    @if let Some(notice) = &beside.notice { (notice) }
                    (blocks)
                    @if let Some(after) = &beside.after { (after) }
                    (self.lists.pager(self.view))
                }
                aside aria-label="facts" {
                    (PreEscaped(page::html::fields(self, &page.facts)))
                    @if let Some(facts) = &beside.facts && self.lists.is_first() { (facts) }
                }
            }
        }
    }
}

impl HtmlPlace for Shown<'_, '_> {
    fn linked(&self, text: &str) -> String {
        parts::linked(self.view, text).into_string()
    }

    fn markdown(&self, text: &str, whole: Option<&Target>) -> String {
        let whole = match whole {
            Some(Target::Text(issue, entry)) => Some(Place::Text(issue.clone(), entry.clone())),
            _ => None,
        };
        parts::markdown(self.view, text, whole.as_ref()).into_string()
    }

    fn long(&self, text: &str) -> String {
        parts::long(self.view, text).into_string()
    }

    fn output(&self, text: &str) -> String {
        parts::block(text).into_string()
    }

    fn record(&self, text: &str) -> String {
        parts::record_text(self.view, text).into_string()
    }

    fn person(&self, name: &str) -> String {
        parts::person(name).into_string()
    }

    fn time(&self, at: Time) -> String {
        parts::when(self.view, at).into_string()
    }

    fn link(&self, to: &Target, name: &str) -> String {
        let view = self.view;
        let link = match to {
            Target::Record(id) => match place_of(id) {
                Some(place) => view.id(&place, name),
                None => html! { span.id { (name) } },
            },
            Target::Commit(hash) => commit(view, hash.as_str()),
            Target::Task(plan, task) => parts::task(view, plan, task),
            Target::Item(queue, item) => super::pages::item(view, queue, item, name),
            Target::File(path) => parts::file(view, path),
            Target::Tag(tag) if view.is_export() => html! { span.tag { (tag) } },
            Target::Tag(tag) => {
                html! { a.tag href=(view.href_with(&Place::Issues, &one("tag", tag))) { (tag) } }
            }
            Target::Web(url) if crate::rules::limits::web_address(url).is_ok() => {
                html! { a href=(url) rel="noreferrer noopener" { (parts::one_line(name)) } }
            }
            Target::Web(_) => parts::one_line(name),
            Target::Text(issue, entry) => view.whole_text(&Place::Text(issue.clone(), entry.clone()), name),
            Target::Listing(address) => {
                let (path, query) = address.split_once('?').unwrap_or((address, ""));
                let query = Query::parse(query);
                // An export has no list with a filter.
                match Place::parse(path) {
                    Some(place) if query.is_empty() || !view.is_export() => {
                        html! { span.quiet { a href=(view.href_with(&place, &query)) { (name) } } }
                    }
                    _ => html! { span.quiet { (name) } },
                }
            }
            Target::Here(key) => html! { a.id href=(format!("#{key}")) { (name) } },
        };
        link.into_string()
    }

    fn href(&self, record: &str) -> Option<String> {
        place_of(record).filter(|place| self.view.has(place)).map(|place| self.view.href(&place))
    }

    fn rows(&self, len: usize, per_page: PerPage) -> Range<usize> {
        self.lists.rows(len, per_page)
    }

    fn is_first(&self) -> bool {
        self.lists.is_first()
    }

    fn forms(&self, key: &str) -> Option<String> {
        (self.forms)(key).map(Markup::into_string).filter(|html| !html.is_empty())
    }
}

/// A commit of the project as a link to its trail.
pub(super) fn commit(view: &View<'_>, hash: &str) -> Markup {
    match Hex::parse(hash) {
        Some(hash) => {
            let short = hash.short().to_owned();
            view.id(&Place::Commit(hash), &short)
        }
        _ => html! { code { (hash.get(..SHORT).unwrap_or(hash)) } },
    }
}
