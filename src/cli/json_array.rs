//! An array whose elements are printed one by one, since there may be more than memory should hold.

use std::io::{self, Write};

use serde::Serialize;

use crate::ui::{Screen, text};

/// Looks as if it had been printed as a whole.
#[derive(Debug, Default)]
pub(super) struct JsonArray {
    has_elements: bool,
}

impl JsonArray {
    /// One more element.
    pub(super) fn value(&mut self, value: &impl Serialize, screen: &mut Screen) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        self.text(&text.replace('\n', "\n  "), screen)
    }

    /// One more element, whose lines but the first are moved in already.
    pub(super) fn text(&mut self, element: &str, screen: &mut Screen) -> io::Result<()> {
        let before = if self.has_elements { ",\n  " } else { "[\n  " };
        self.has_elements = true;
        write!(screen, "{before}{}", text::clean_json(element))
    }

    /// There are no more.
    pub(super) fn end(self, screen: &mut Screen) -> io::Result<()> {
        writeln!(screen, "{}", if self.has_elements { "\n]" } else { "[]" })
    }
}
