//! The context of a page: the session, the request, and how addresses are written.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use maud::{Markup, html};

use super::export::file;
use super::named::{self, Named};
use super::place::{FilePath, Place, Query};
use crate::model::Time;
use crate::ops::{Refusal, Session};
use crate::store::CodeTree;

/// What a page is rendered for, which decides how addresses are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum RenderTarget<'a> {
    /// The server. `may_write` says whether forms are shown.
    Server { may_write: bool },
    /// An export: addresses are relative, and nothing needs a server.
    Files(&'a ExportState),
}

/// The state of an export.
#[derive(Debug)]
pub(super) struct ExportState {
    /// The files of its pages. A link to any other page becomes plain text.
    pub(super) known: BTreeSet<String>,
    /// Files of the project that have a page.
    pub(super) files: Vec<FilePath>,
    /// What there is more of.
    pub(super) leaves_out: LeavesOut,
    /// Further pages and long texts to which its pages link, and which are not written yet.
    pub(super) more: RefCell<Vec<(Place, Query)>>,
    /// What the pages that are written now are made of; see [`ExportState::kept`].
    pub(super) kept: RefCell<Option<(Place, Rc<dyn Any>)>>,
    /// The places for which [`ExportState::kept`] computed something, in order.
    #[cfg(test)]
    pub(super) computed: RefCell<Vec<Place>>,
}

impl ExportState {
    /// Computes what the page of a place, its further pages and its long texts are made of. They are written one after the
    /// other, so that all of them need it only once.
    pub(super) fn kept<T: 'static>(
        &self,
        of: &Place,
        compute: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<Rc<T>, Refusal> {
        let last = self.kept.borrow().as_ref().filter(|(place, _)| place == of).map(|(_, it)| Rc::clone(it));
        if let Some(known) = last.and_then(|it| it.downcast().ok()) {
            return Ok(known);
        }
        let new = Rc::new(compute()?);
        #[cfg(test)]
        self.computed.borrow_mut().push(of.clone());
        *self.kept.borrow_mut() = Some((of.clone(), Rc::clone(&new) as Rc<dyn Any>));
        Ok(new)
    }
}

/// The pages that an export does not have.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct LeavesOut {
    pub(super) files: bool,
}

/// A refused form. It is shown again with the typed values and the reason.
#[derive(Debug)]
pub(super) struct RefusedForm {
    /// The name of the form.
    pub(super) form: String,
    /// The field at fault, if known.
    pub(super) field: Option<&'static str>,
    /// The typed values.
    pub(super) typed: Query,
    /// The reason.
    pub(super) refusal: Refusal,
}

/// A request for a page.
pub(super) struct View<'a> {
    pub(super) session: &'a Session,
    pub(super) place: &'a Place,
    pub(super) query: &'a Query,
    pub(super) target: RenderTarget<'a>,
    pub(super) refused: Option<&'a RefusedForm>,
    /// Whether a part of the page shows why the form was refused.
    pub(super) is_refusal_shown: Cell<bool>,
    pub(super) now: Time,
    named: Named<'a>,
    tree: OnceCell<Option<CodeTree<'a>>>,
}

/// A page.
pub(super) struct PageContent {
    /// Its title.
    pub(super) title: String,
    /// What it shows.
    pub(super) body: Markup,
    /// Whether it can change without a change of the ref, as while agents work.
    pub(super) is_moving: bool,
}

impl PageContent {
    pub(super) fn new(title: impl Into<String>, body: Markup) -> Self {
        Self { title: title.into(), body, is_moving: false }
    }
}

impl<'a> View<'a> {
    /// A request for the page of a place, at the time `now`.
    pub(super) fn new(
        session: &'a Session,
        place: &'a Place,
        query: &'a Query,
        target: RenderTarget<'a>,
        refused: Option<&'a RefusedForm>,
        now: Time,
    ) -> Self {
        let named = Named::new(session);
        let (is_refusal_shown, tree) = (Cell::new(false), OnceCell::new());
        Self { session, place, query, target, refused, is_refusal_shown, now, named, tree }
    }
}

impl View<'_> {
    /// The page of an issue or a commit that a word of a text names.
    pub(super) fn named(&self, word: &str) -> Option<Place> {
        match self.target {
            RenderTarget::Server { .. } => self.named.place(word),
            RenderTarget::Files(export) => named::in_export(export, word),
        }
    }

    /// Whether the project has a file whose lines can be explained. One that a plan will make is not there yet.
    pub(super) fn has_file(&self, path: &FilePath) -> bool {
        let store = self.session.store();
        let tree = self.tree.get_or_init(|| {
            store.work_dir()?;
            store.code_tree().ok().flatten()
        });
        tree.as_ref().is_some_and(|tree| tree.has_file(path.as_str()).unwrap_or(false))
    }

    /// The address of a page.
    pub(super) fn href(&self, place: &Place) -> String {
        self.href_with(place, &Query::default())
    }

    /// The address of a page with a query. In an export, only the page number of a query counts.
    pub(super) fn href_with(&self, place: &Place, query: &Query) -> String {
        match self.target {
            RenderTarget::Server { .. } => format!("{}{}", place.path(), query.suffix()),
            RenderTarget::Files(_) => self.file(&file(place, query)),
        }
    }

    /// The address of an exported file, relative to this page.
    pub(super) fn file(&self, file: &str) -> String {
        let own = self::file(self.place, self.query);
        format!("{}{}", "../".repeat(own.matches('/').count()), super::parts::encoded(file))
    }

    /// Whether forms are shown.
    pub(super) fn may_write(&self) -> bool {
        matches!(self.target, RenderTarget::Server { may_write: true })
    }

    /// Whether the page is rendered for an export.
    pub(super) fn is_export(&self) -> bool {
        matches!(self.target, RenderTarget::Files(_))
    }

    /// Whether the page exists; an export lacks some.
    pub(super) fn has(&self, place: &Place) -> bool {
        self.has_with(place, &Query::default())
    }

    /// Whether there is such a page of a list.
    pub(super) fn has_with(&self, place: &Place, query: &Query) -> bool {
        match self.target {
            RenderTarget::Server { .. } => true,
            RenderTarget::Files(export) => export.known.contains(&file(place, query)),
        }
    }

    /// What the page of a place is made of. For an export, see [`ExportState::kept`].
    pub(super) fn kept<T: 'static>(
        &self,
        of: &Place,
        compute: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<Rc<T>, Refusal> {
        match self.target {
            RenderTarget::Server { .. } => compute().map(Rc::new),
            RenderTarget::Files(export) => export.kept(of, compute),
        }
    }

    /// Lets an export include a page that its other pages lead to.
    pub(super) fn exported_too(&self, place: &Place, query: Query) {
        if let RenderTarget::Files(export) = self.target {
            export.more.borrow_mut().push((place.clone(), query));
        }
    }

    /// A link to a whole text, which an export then includes.
    pub(super) fn whole_text(&self, place: &Place, text: &str) -> Markup {
        self.exported_too(place, Query::default());
        html! { a href=(self.href(place)) { (text) } }
    }

    /// A link to a page, or only the text if there is no such page.
    pub(super) fn link(&self, place: &Place, text: &str) -> Markup {
        html! { @if self.has(place) { a href=(self.href(place)) { (text) } } @else { (text) } }
    }

    /// A link or text, in the style of an id.
    pub(super) fn id(&self, place: &Place, text: &str) -> Markup {
        html! { @if self.has(place) { a.id href=(self.href(place)) { (text) } } @else { span.id { (text) } } }
    }
}
