//! Here-documents: their bodies are text, in which a shell may still run substitutions.

use super::{NotRead, Reader};

/// A here-document whose body has not been read yet.
#[derive(Debug)]
pub(super) struct HereDocument {
    /// The line that ends it.
    pub(super) end: String,
    /// Whether leading tabs are removed.
    pub(super) strips: bool,
    /// Whether its text stands for itself.
    pub(super) is_quoted: bool,
}

impl Reader {
    /// The bodies of the here-documents of the line that has just ended.
    pub(super) fn bodies(&mut self) -> Result<(), NotRead> {
        for document in std::mem::take(&mut self.here) {
            let body = self.body(&document);
            if !document.is_quoted {
                self.within(&body, Self::expansions)?;
            }
        }
        Ok(())
    }

    /// The lines up to the end of the document, or of the text.
    fn body(&mut self, document: &HereDocument) -> String {
        let mut body = String::new();
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            let line: String = rest[..length].iter().collect();
            self.at = (self.at + length + 1).min(self.text.len());
            let shown = if document.strips { line.trim_start_matches('\t') } else { &line };
            if shown == document.end {
                // The command continues as after any other line.
                break;
            }
            body.push_str(&line);
            body.push('\n');
        }
        body
    }
}
