//! Captures what a command would print as lines in memory, to show it in a part of the screen.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use unicode_segmentation::UnicodeSegmentation;

use super::{Painter, Screen, Style, style, text};

/// A line of styled parts, already cleaned, without line breaks or tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StyledLine(pub(crate) Vec<(Style, String)>);

/// A tab becomes this many spaces.
const TAB: usize = 4;

/// Captures what `print` writes to a screen of this width, in columns. Without `colour`, parts have no style, and the
/// marks that replace colour are included.
///
/// # Errors
/// Any error of `print`.
pub(crate) fn capture(
    columns: usize,
    colour: bool,
    print: impl FnOnce(&mut Screen) -> io::Result<()>,
) -> io::Result<Vec<StyledLine>> {
    let kept = CapturedOutput::default();
    let mut screen = Screen::in_memory(columns, Painter::with_colour(colour), Box::new(kept.clone()));
    print(&mut screen)?;
    screen.finish()?;
    let bytes = std::mem::take(&mut *kept.0.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(lines(&String::from_utf8_lossy(&bytes)))
}

#[derive(Clone, Default)]
struct CapturedOutput(Arc<Mutex<Vec<u8>>>);

impl Write for CapturedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Parses the output of a screen, whose only escapes are those of our styles.
fn lines(shown: &str) -> Vec<StyledLine> {
    let mut style = style::PLAIN;
    let mut all = Vec::new();
    for line in shown.lines() {
        let mut parts: Vec<(Style, String)> = Vec::new();
        for (n, piece) in line.split('\u{1b}').enumerate() {
            let rest = match piece.find('m') {
                Some(end) if n > 0 => {
                    style = Style::of_escape(&format!("\u{1b}{}", &piece[..=end])).unwrap_or(style::PLAIN);
                    &piece[end + 1..]
                }
                _ => piece,
            };
            if !rest.is_empty() {
                parts.push((style, rest.replace('\t', &" ".repeat(TAB))));
            }
        }
        all.push(StyledLine(parts));
    }
    all
}

impl StyledLine {
    /// A line in one style, cleaned.
    pub(crate) fn new(style: Style, words: &str) -> Self {
        Self(vec![(style, text::clean_line(words).into_owned())])
    }

    /// The text without styles.
    #[cfg(test)]
    pub(crate) fn words(&self) -> String {
        self.0.iter().map(|part| part.1.as_str()).collect()
    }

    /// Wraps the line at `columns`, at blanks if possible. Continuation rows keep the indent of the first.
    pub(crate) fn wrapped(&self, columns: usize) -> Vec<Self> {
        let columns = columns.max(1);
        let clusters: Vec<(Style, &str, usize)> = self
            .0
            .iter()
            .flat_map(|(style, words)| {
                words.graphemes(true).map(|grapheme| (*style, grapheme, text::width(grapheme)))
            })
            .collect();
        if clusters.iter().map(|cluster| cluster.2).sum::<usize>() <= columns {
            return vec![self.clone()];
        }
        let indent = clusters.iter().take_while(|cluster| cluster.1 == " ").count();
        let indent = if indent * 2 > columns { 0 } else { indent };
        let (mut rows, mut begin) = (Vec::new(), 0);
        while begin < clusters.len() {
            let margin = if rows.is_empty() { 0 } else { indent };
            let (mut used, mut end) = (margin, begin);
            while end < clusters.len() && (used + clusters[end].2 <= columns || end == begin) {
                used += clusters[end].2;
                end += 1;
            }
            // Not in the first half, which would leave the row nearly empty.
            let least = begin + (end - begin) / 2 + margin.saturating_sub(1);
            let blank =
                clusters[begin..end].iter().rposition(|cluster| cluster.1 == " ").map(|at| begin + at);
            let next = match blank.filter(|at| end < clusters.len() && *at > least) {
                _ if clusters.get(end).is_some_and(|cluster| cluster.1 == " ") => end,
                Some(at) => at,
                None => end,
            };
            rows.push(row(margin, &clusters[begin..next]));
            begin = next + clusters[next..].iter().take_while(|cluster| cluster.1 == " ").count();
        }
        rows
    }
}

fn row(margin: usize, clusters: &[(Style, &str, usize)]) -> StyledLine {
    let mut parts: Vec<(Style, String)> = Vec::new();
    if margin > 0 {
        parts.push((style::PLAIN, " ".repeat(margin)));
    }
    for (style, words, _) in clusters {
        match parts.last_mut() {
            Some((last, text)) if last == style => text.push_str(words),
            _ => parts.push((*style, (*words).to_owned())),
        }
    }
    StyledLine(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(words: &str, columns: usize) -> Vec<String> {
        StyledLine::new(style::PLAIN, words).wrapped(columns).iter().map(StyledLine::words).collect()
    }

    #[test]
    fn styles_are_told_from_text() {
        let print = |screen: &mut Screen| {
            let title = screen.painter().paint(style::HEADING, "a\u{1b}[2J");
            writeln!(screen, "{title} b\tc\n\n{}", screen.painter().paint(style::ID, "ISS-1"))
        };
        let shown = capture(80, true, print).unwrap();
        assert_eq!(
            shown[0].0,
            [(style::HEADING, "a\\u{1b}[2J".to_owned()), (style::PLAIN, " b    c".to_owned())]
        );
        assert_eq!(shown[1], StyledLine::default());
        assert_eq!(shown[2].0, [(style::ID, "ISS-1".to_owned())]);
        let plain = capture(80, false, print).unwrap();
        assert!(plain.iter().flat_map(|line| &line.0).all(|part| part.0 == style::PLAIN));
    }

    #[test]
    fn lines_are_broken_at_blanks_and_keep_their_indent() {
        assert_eq!(wrapped("one two three", 9), ["one two", "three"]);
        assert_eq!(wrapped("one two", 7), ["one two"]);
        assert_eq!(wrapped("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrapped("漢字", 1), ["漢", "字"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("          x y z", 6), ["      ", "x y z"]);
    }
}
