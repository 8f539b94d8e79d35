//! Where a page is shown as HTML: what its names lead to, and which rows of its lists are on it.

use std::ops::Range;

use super::block::PerPage;
use super::line::Target;
use crate::model::time::Time;
use crate::ui::text::{clean, clean_line};
use crate::ui::time;

/// What a page needs to know of where it is shown. The defaults are those of a document on its own, which leads nowhere
/// and is never changed.
pub(crate) trait HtmlPlace {
    /// A text, with the ids in it as links.
    fn linked(&self, text: &str) -> String {
        escaped(&clean(text))
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
        format!("<pre>{}</pre>", escaped(&clean(text)))
    }

    /// A text from a record on one line.
    fn record(&self, text: &str) -> String {
        escaped(&clean_line(text))
    }

    /// A person.
    fn person(&self, name: &str) -> String {
        escaped(&clean_line(name))
    }

    /// A time.
    fn time(&self, at: Time) -> String {
        time::iso(at)
    }

    /// The name of something, as a link if it has a page.
    fn link(&self, _to: &Target, name: &str) -> String {
        format!("<span class=\"id\">{}</span>", escaped(&clean_line(name)))
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

/// Escapes text for HTML, also within quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
