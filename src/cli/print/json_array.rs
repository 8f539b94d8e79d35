//! An array whose elements are printed one by one, since there may be more than memory should hold.

use std::io::{self, Write};

use serde::Serialize;

use crate::ui::{Screen, text};

/// Looks as if it had been printed as a whole.
#[derive(Debug, Default)]
pub(in crate::cli) struct JsonArray {
    has_elements: bool,
}

impl JsonArray {
    /// One more element.
    pub(in crate::cli) fn value(&mut self, value: &impl Serialize, screen: &mut Screen) -> io::Result<()> {
        let element = serde_json::to_string_pretty(value)?.replace('\n', "\n  ");
        let before = if self.has_elements { ",\n  " } else { "[\n  " };
        self.has_elements = true;
        write!(screen, "{before}{}", text::clean_json(&element))
    }

    /// There are no more.
    pub(in crate::cli) fn end(self, screen: &mut Screen) -> io::Result<()> {
        writeln!(screen, "{}", if self.has_elements { "\n]" } else { "[]" })
    }
}
