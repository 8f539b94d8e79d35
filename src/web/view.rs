//! What every page gets: the session, what was asked for, and how addresses are written.

use std::cell::RefCell;
use std::collections::BTreeSet;

use maud::{Markup, html};

use super::export::file;
use super::place::{Place, Query};
use crate::model::time::Time;
use crate::ops::{Refusal, Session};

/// Where the pages go, which decides how addresses are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'a> {
    /// A browser, from a server. `may_write` says whether forms are shown.
    Server { may_write: bool },
    /// Files: addresses are relative, and nothing needs a server.
    Files(&'a Export),
}

/// An export, as its pages know it.
#[derive(Debug)]
pub(super) struct Export {
    /// Its pages. A link to any other is only text.
    pub(super) known: BTreeSet<String>,
    /// Long texts to which its pages link.
    pub(super) texts: RefCell<Vec<Place>>,
}

/// A form that was refused: it is shown again with what was typed, and with the reason.
#[derive(Debug)]
pub(super) struct Refused {
    /// The name of the form.
    pub(super) form: String,
    /// The field that is at fault, if it is known.
    pub(super) field: Option<&'static str>,
    /// What was typed.
    pub(super) typed: Query,
    /// Why.
    pub(super) refusal: Refusal,
}

/// One look at a page.
pub(super) struct View<'a> {
    pub(super) session: &'a Session,
    pub(super) place: &'a Place,
    pub(super) query: &'a Query,
    pub(super) target: Target<'a>,
    pub(super) refused: Option<&'a Refused>,
    pub(super) now: Time,
}

/// A page.
pub(super) struct Content {
    /// Its title.
    pub(super) title: String,
    /// What it shows.
    pub(super) body: Markup,
    /// Whether it changes although the ref does not move, as while agents work.
    pub(super) is_moving: bool,
}

impl Content {
    pub(super) fn new(title: impl Into<String>, body: Markup) -> Self {
        Self { title: title.into(), body, is_moving: false }
    }
}

impl View<'_> {
    /// The address of a page.
    pub(super) fn href(&self, place: &Place) -> String {
        self.href_with(place, &Query::default())
    }

    /// The address of a page with a query. In an export, only the number of a page counts.
    pub(super) fn href_with(&self, place: &Place, query: &Query) -> String {
        match self.target {
            Target::Server { .. } => format!("{}{}", place.path(), query.suffix()),
            Target::Files(_) => self.file(&file(place, query)),
        }
    }

    /// The address of a file of an export, from this page.
    pub(super) fn file(&self, file: &str) -> String {
        let own = self::file(self.place, self.query);
        format!("{}{}", "../".repeat(own.matches('/').count()), super::parts::encoded(file))
    }

    /// Whether forms are shown.
    pub(super) fn may_write(&self) -> bool {
        matches!(self.target, Target::Server { may_write: true })
    }

    /// Whether there is no server.
    pub(super) fn is_export(&self) -> bool {
        matches!(self.target, Target::Files(_))
    }

    /// Whether there is such a page.
    pub(super) fn has(&self, place: &Place) -> bool {
        match self.target {
            Target::Server { .. } => true,
            Target::Files(export) => export.known.contains(&place.file()),
        }
    }

    /// A link to the page with a whole text, which an export then has, too.
    pub(super) fn whole_text(&self, place: &Place, text: &str) -> Markup {
        if let Target::Files(export) = self.target {
            export.texts.borrow_mut().push(place.clone());
        }
        html! { a href=(self.href(place)) { (text) } }
    }

    /// A link to a page, if there is one.
    pub(super) fn link(&self, place: &Place, text: &str) -> Markup {
        html! { @if self.has(place) { a href=(self.href(place)) { (text) } } @else { (text) } }
    }

    /// A link in the style of an id.
    pub(super) fn id(&self, place: &Place, text: &str) -> Markup {
        html! { @if self.has(place) { a.id href=(self.href(place)) { (text) } } @else { span.id { (text) } } }
    }
}
