//! Where a page is shown as HTML: what its names lead to, and which rows of its lists are on it.

use std::ops::Range;

use super::block::PerPage;
use super::line::Target;
use crate::model::Time;
use crate::ui::svg::{escaped, escaped_whole};
use crate::ui::text::clean;
use crate::ui::time;

/// What a page needs to know of where it is shown. The defaults are those of a document on its own, which leads nowhere
/// and is never changed.
pub(crate) trait HtmlPlace {
    /// A text, with the ids in it as links.
    fn linked(&self, text: &str) -> String {
        escaped_whole(&clean(text))
    }

    /// A text in Markdown; `whole` leads to all of it if it is cut.
    fn markdown(&self, text: &str, _whole: Option<&Target>) -> String {
        self.long(text)
    }

    /// A text of several lines.
    fn long(&self, text: &str) -> String {
        format!("<div class=\"text\" dir=\"auto\">{}</div>", self.linked(text))
    }

    /// What a program printed.
    fn output(&self, text: &str) -> String {
        format!("<pre>{}</pre>", escaped_whole(&clean(text)))
    }

    /// A text from a record on one line.
    fn record(&self, text: &str) -> String {
        escaped(text)
    }

    /// A person.
    fn person(&self, name: &str) -> String {
        escaped(name)
    }

    /// A time.
    fn time(&self, at: Time) -> String {
        time::iso(at)
    }

    /// The name of something, as a link if it has a page.
    fn link(&self, _to: &Target, name: &str) -> String {
        format!("<span class=\"id\">{}</span>", escaped(name))
    }

    /// The address of a record's page.
    fn href(&self, _record: &str) -> Option<String> {
        None
    }

    /// Which rows of a list are on this page.
    fn rows(&self, len: usize, _per_page: PerPage) -> Range<usize> {
        0..len
    }

    /// Whether this is the first page, which also has what is not a list.
    fn is_first(&self) -> bool {
        true
    }

    /// The forms that belong to a section, an entry or a row.
    fn forms(&self, _key: &str) -> Option<String> {
        None
    }
}

/// A document on its own.
pub(crate) struct OnItsOwn;

impl HtmlPlace for OnItsOwn {}
