//! SVG pictures for HTML pages: dependency graphs and timelines. Colours are classes (`s-executing`), which the style
//! sheet of the page defines, and every picture has a name for screen readers.

mod dag;
mod layers;
mod run;
mod timeline;

pub(crate) use dag::{Arrow, Boxed, dag};
pub(crate) use run::{run_graph, run_times};
pub(crate) use timeline::{Bar, Scale, TimelineRow, timeline};

use super::clean_line;

/// Escapes text for HTML, SVG and quoted attributes, and makes invisible characters visible.
pub(crate) fn escaped(text: &str) -> String {
    escaped_whole(&clean_line(text))
}

/// Escapes text for HTML, SVG and quoted attributes. Every character stays, such as the ends of lines.
pub(crate) fn escaped_whole(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let escaped = escaped("<script>alert(\"1\")</script> & 'x'\n\u{1b}[31m");
        assert!(!escaped.contains(['<', '>', '"', '\'', '\n', '\u{1b}']), "{escaped}");
        assert!(escaped.starts_with("&lt;script&gt;alert(&quot;1&quot;)"), "{escaped}");
    }
}
