//! Renders forms, and performs their operations.

mod issues;
mod perform;
mod plans;
mod queue;
mod typed;
mod work;

pub(super) use issues::REOPEN;
pub(super) use perform::perform;

use maud::{Markup, html};

use super::parts::{editable, sentence};
use super::place::Query;
use super::view::{RefusedForm, View};
use crate::model::{Code, IssueField, Remedy, ValueKind};
use crate::ops::Refusal;
use crate::page::html::capitalized;

/// A form on a page.
pub(super) struct PageForm<'a, 'v> {
    view: &'a View<'v>,
    /// The operation, which ends the address that the form is sent to.
    op: &'static str,
    /// Distinguishes forms with the same operation on one page.
    key: String,
    refused: Option<&'a RefusedForm>,
}

impl<'a, 'v> PageForm<'a, 'v> {
    pub(super) fn new(view: &'a View<'v>, op: &'static str, key: impl ToString) -> Self {
        let key = key.to_string();
        let name = format!("{op}:{key}");
        Self { view, op, key, refused: view.refused.filter(|refused| refused.form == name) }
    }

    fn name(&self) -> String {
        format!("{}:{}", self.op, self.key)
    }

    /// An element id that is unique on the page.
    fn field_id(&self, field: &str) -> String {
        format!("{}-{field}", self.name()).replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    }

    /// What was typed if the form was refused, else `value`.
    fn value(&self, field: &str, value: &str) -> String {
        let typed = self.refused.and_then(|refused| refused.typed.raw(field));
        typed.unwrap_or(value).to_owned()
    }

    /// The value of a text field or a hidden one. The browser must send back every character of it.
    fn entered(&self, field: &str, value: &str) -> Markup {
        editable(&self.value(field, value))
    }

    /// Whether this form was refused.
    pub(super) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// The refusal to show at a field.
    fn fault(&self, field: &str) -> Option<Markup> {
        let refused = self.refused.filter(|refused| refused.field == Some(field))?;
        self.view.is_refusal_shown.set(true);
        Some(
            html! { div.refusal id=(format!("{}-fault", self.field_id(field))) { (words(self.view, &refused.refusal)) } },
        )
    }

    fn labelled(&self, field: &str, label: &str, input: &Markup) -> Markup {
        html! {
            div.field {
                label for=(self.field_id(field)) { (label) }
                (input)
                @if let Some(fault) = self.fault(field) { (fault) }
            }
        }
    }

    /// The element id of the field's refusal, for screen readers.
    fn described(&self, field: &str) -> Option<String> {
        self.refused
            .filter(|refused| refused.field == Some(field))
            .map(|_| format!("{}-fault", self.field_id(field)))
    }

    /// A one-line field.
    pub(super) fn text(&self, field: &str, label: &str, value: &str) -> Markup {
        let fault = self.described(field);
        let input = html! {
            input type="text" id=(self.field_id(field)) name=(field) value=(self.entered(field, value))
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")] dir="auto";
        };
        self.labelled(field, label, &input)
    }

    /// A number from 0 to `most`.
    pub(super) fn number(&self, field: &str, label: &str, value: &str, most: u32) -> Markup {
        let fault = self.described(field);
        let input = html! {
            input type="number" min="0" max=(most) id=(self.field_id(field)) name=(field) value=(self.value(field, value))
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")];
        };
        self.labelled(field, label, &input)
    }

    /// A multi-line field.
    pub(super) fn area(&self, field: &str, label: &str, value: &str, rows: usize) -> Markup {
        let fault = self.described(field);
        let input = html! {
            textarea id=(self.field_id(field)) name=(field) rows=(rows) dir="auto"
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")] {
                // Browsers drop the first line break of a text area.
                "\n" (self.entered(field, value))
            }
        };
        self.labelled(field, label, &input)
    }

    /// A choice of one word.
    pub(super) fn choice(&self, field: &str, label: &str, words: &[&str], value: &str) -> Markup {
        let chosen = self.value(field, value);
        let input = html! {
            select id=(self.field_id(field)) name=(field) {
                @for word in words { option value=(word) selected[*word == chosen] { (if word.is_empty() { "–" } else { word }) } }
            }
        };
        self.labelled(field, label, &input)
    }

    /// A field of an issue.
    pub(super) fn issue_field(&self, field: &IssueField, value: &str) -> Markup {
        match field.values {
            ValueKind::Choice { words, is_required, .. } => {
                let none = if is_required { None } else { Some("") };
                let words: Vec<&str> = none.into_iter().chain(words.iter().copied()).collect();
                self.choice(field.name, &capitalized(field.word), &words, value)
            }
            ValueKind::Person | ValueKind::Word => self.text(field.name, &capitalized(field.word), value),
        }
    }

    /// A hidden value.
    pub(super) fn hidden(&self, field: &str, value: impl ToString) -> Markup {
        html! { input type="hidden" name=(field) value=(editable(&value.to_string())); }
    }

    /// The hidden text that a field showed first. It is kept when the form is shown again, unless it was refused because
    /// the text is another one now.
    pub(super) fn hidden_first(&self, field: &str, value: &str) -> Markup {
        let is_outdated = self.refused.is_some_and(|refused| {
            refused.field == Some(field) && refused.refusal.code == Code::ChangedMeanwhile
        });
        let name = format!("was_{field}");
        let value = if is_outdated { editable(value) } else { self.entered(&name, value) };
        html! { input type="hidden" name=(name) value=(value); }
    }

    /// The form with its fields and a button.
    pub(super) fn whole(&self, fields: Markup, submit: &str) -> Markup {
        self.with_class("op", fields, submit)
    }

    /// A form that is only a button, or a small field with one.
    pub(super) fn small(&self, fields: Markup, submit: &str) -> Markup {
        self.with_class("op small", fields, submit)
    }

    fn with_class(&self, class: &str, fields: Markup, submit: &str) -> Markup {
        let here = format!("{}{}", self.view.place.path(), self.view.query.suffix());
        html! {
            @if self.view.may_write() {
                form class=(class) method="post" action=(format!("/do/{}", self.op)) id=(self.field_id("form")) {
                    // Its fields are rendered already, so a refusal that none of them shows is of the whole form.
                    @if let Some(form) = self.refused && !self.view.is_refusal_shown.replace(true) {
                        (refused(self.view, &form.refusal))
                    }
                    (self.hidden("form", self.name()))
                    (self.hidden("page", here))
                    (fields)
                    button type="submit" { (submit) }
                }
            }
        }
    }
}

/// A text field of the filters of a list.
pub(super) fn filter_field(query: &Query, name: &str, label: &str) -> Markup {
    html! { label { (label) input type="text" name=(name) value=[query.get(name)]; } }
}

/// Fields of forms with texts that people write.
const WRITTEN: &[&str] = &[
    "title",
    "text",
    "body",
    "content",
    "findings",
    "reason",
    "rationale",
    "tags",
    "depends_on",
    "assignee",
];

/// The refusal of a form that is not on the page, such as that of an item that someone else has removed, with the texts
/// that were written there.
pub(super) fn refused_elsewhere(view: &View<'_>) -> Markup {
    html! {
        @if let Some(form) = view.refused && !view.is_refusal_shown.replace(true) {
            (refused(view, &form.refusal))
            @for (name, text) in WRITTEN.iter().filter_map(|name| Some((name, form.typed.raw(name)?)))
                .filter(|(name, text)| !text.trim().is_empty() && form.typed.raw(&format!("was_{name}")) != Some(text)) {
                div.field {
                    p.quiet { "You wrote in `" (name) "`:" }
                    div.text dir="auto" { (text) }
                }
            }
        }
    }
}

/// A refusal in a box.
pub(super) fn refused(view: &View<'_>, refusal: &Refusal) -> Markup {
    html! { div.refusal role="alert" { (words(view, refusal)) } }
}

fn words(view: &View<'_>, refusal: &Refusal) -> Markup {
    html! {
        p { (sentence(view, &refusal.message)) }
        @if !refusal.details.is_empty() {
            ul { @for detail in &refusal.details { li { (sentence(view, &detail.message)) } } }
        }
        @if !refusal.remedies.is_empty() {
            ul.remedies { @for remedy in &refusal.remedies { li { (in_words(view, remedy)) } } }
        }
    }
}

/// A remedy, with its command for a terminal.
pub(super) fn in_words(view: &View<'_>, remedy: &Remedy) -> Markup {
    html! {
        @if let Some(line) = remedy.line() { code { (line) } " " }
        (sentence(view, &remedy.words))
    }
}
