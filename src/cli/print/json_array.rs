//! An array whose elements are printed one by one, since it may not fit in memory.

use std::io::{self, Write};

use serde::Serialize;

use crate::model::json_text;
use crate::ui::{Screen, text};

/// Prints the same text as if the array were printed as a whole.
#[derive(Debug, Default)]
pub(in crate::cli) struct JsonArray {
    has_elements: bool,
}

impl JsonArray {
    /// Prints one more element.
    pub(in crate::cli) fn value(&mut self, value: &impl Serialize, screen: &mut Screen) -> io::Result<()> {
        let is_compact = screen.is_compact();
        let element = if is_compact {
            serde_json::to_string(value)?
        } else {
            json_text::pretty(value)?.replace('\n', "\n  ")
        };
        let before = match (self.has_elements, is_compact) {
            (true, true) => ",",
            (true, false) => ",\n  ",
            (false, true) => "[",
            (false, false) => "[\n  ",
        };
        self.has_elements = true;
        write!(screen, "{before}{}", text::clean_json(&element))
    }

    /// Ends the array.
    pub(in crate::cli) fn end(self, screen: &mut Screen) -> io::Result<()> {
        let end = match (self.has_elements, screen.is_compact()) {
            (true, true) => "]",
            (true, false) => "\n]",
            (false, _) => "[]",
        };
        writeln!(screen, "{end}")
    }
}
