//! Forms: how they are shown, and the operation that each performs.

mod issues;
mod perform;
mod plans;
mod queue;
mod work;

pub(super) use perform::perform;

use maud::{Markup, html};

use super::parts::sentence;
use super::view::{Refused, View};
use crate::model::remedy::Remedy;
use crate::ops::Refusal;

/// A form of a page.
pub(super) struct Form<'a> {
    view: &'a View<'a>,
    /// The operation, which is the address that the form is sent to.
    op: &'static str,
    /// Tells it from other forms of the page with the same operation.
    key: String,
    refused: Option<&'a Refused>,
}

impl<'a> Form<'a> {
    pub(super) fn new(view: &'a View<'a>, op: &'static str, key: impl ToString) -> Self {
        let key = key.to_string();
        let name = format!("{op}:{key}");
        Self { view, op, key, refused: view.refused.filter(|it| it.form == name) }
    }

    fn name(&self) -> String {
        format!("{}:{}", self.op, self.key)
    }

    /// A name that no other field of the page has.
    fn field_id(&self, field: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        format!("{}-{field}", self.name()).chars().map(plain).collect()
    }

    /// What was typed before the form was refused, else `value`.
    fn value(&self, field: &str, value: &str) -> String {
        let typed = self.refused.and_then(|it| it.typed.raw(field));
        typed.unwrap_or(value).to_owned()
    }

    /// The refusal at a field.
    fn fault(&self, field: &str) -> Option<Markup> {
        let it = self.refused.filter(|it| it.field == Some(field))?;
        Some(
            html! { div.refusal id=(format!("{}-fault", self.field_id(field))) { (words(self.view, &it.refusal)) } },
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

    /// What an input says about its fault, for screen readers.
    fn described(&self, field: &str) -> Option<String> {
        self.refused.filter(|it| it.field == Some(field)).map(|_| format!("{}-fault", self.field_id(field)))
    }

    /// A field of one line.
    pub(super) fn text(&self, field: &str, label: &str, value: &str) -> Markup {
        let fault = self.described(field);
        let input = html! {
            input type="text" id=(self.field_id(field)) name=(field) value=(self.value(field, value))
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")] dir="auto";
        };
        self.labelled(field, label, &input)
    }

    /// A number.
    pub(super) fn number(&self, field: &str, label: &str, value: &str, most: u32) -> Markup {
        let fault = self.described(field);
        let input = html! {
            input type="number" min="0" max=(most) id=(self.field_id(field)) name=(field) value=(self.value(field, value))
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")];
        };
        self.labelled(field, label, &input)
    }

    /// A field of several lines.
    pub(super) fn area(&self, field: &str, label: &str, value: &str, rows: usize) -> Markup {
        let fault = self.described(field);
        let input = html! {
            textarea id=(self.field_id(field)) name=(field) rows=(rows) dir="auto"
                aria-describedby=[fault.as_ref()] aria-invalid=[fault.as_ref().map(|_| "true")] {
                // A browser drops the first line end.
                "\n" (super::parts::editable(&self.value(field, value)))
            }
        };
        self.labelled(field, label, &input)
    }

    /// One of several words.
    pub(super) fn choice(&self, field: &str, label: &str, words: &[&str], value: &str) -> Markup {
        let chosen = self.value(field, value);
        let input = html! {
            select id=(self.field_id(field)) name=(field) {
                @for word in words { option value=(word) selected[*word == chosen] { (if word.is_empty() { "–" } else { word }) } }
            }
        };
        self.labelled(field, label, &input)
    }

    /// A value that is sent along.
    pub(super) fn hidden(&self, field: &str, value: impl ToString) -> Markup {
        html! { input type="hidden" name=(field) value=(value.to_string()); }
    }

    /// A text that is sent along, as it was when the form was made.
    pub(super) fn hidden_text(&self, field: &str, value: &str) -> Markup {
        html! { input type="hidden" name=(field) value=(self.value(field, value)); }
    }

    /// The form with these fields and a button.
    pub(super) fn whole(&self, fields: Markup, submit: &str) -> Markup {
        self.with_class("op", fields, submit)
    }

    /// A form that is only a button, or one beside a small field.
    pub(super) fn small(&self, fields: Markup, submit: &str) -> Markup {
        self.with_class("op small", fields, submit)
    }

    fn with_class(&self, class: &str, fields: Markup, submit: &str) -> Markup {
        let here = format!("{}{}", self.view.place.path(), self.view.query.suffix());
        html! {
            @if self.view.may_write() {
                form class=(class) method="post" action=(format!("/do/{}", self.op)) id=(self.field_id("form")) {
                    @if let Some(it) = self.refused.filter(|it| it.field.is_none()) {
                        div.refusal role="alert" { (words(self.view, &it.refusal)) }
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

/// What can be done, with the command for a terminal.
pub(super) fn in_words(view: &View<'_>, remedy: &Remedy) -> Markup {
    html! {
        @if let Some(call) = &remedy.call { code { (call.command()) } " " }
        (sentence(view, &remedy.words))
    }
}
