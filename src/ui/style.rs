//! The few text styles, and whether to use them.

use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::sync::LazyLock;

use anstyle::AnsiColor;

use super::settings::{Color, Settings};
use super::text;

/// The styles of text. They are the only way to style output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// No style.
    Plain,
    /// An id that commands accept.
    Id,
    /// A title or heading.
    Heading,
    /// Done, passed, ready.
    Good,
    /// Failed, refused, broken.
    Bad,
    /// Blocked, held, about to run out.
    Warn,
    /// Secondary text: column titles, ages, closed records.
    Dim,
}

/// No style.
pub(crate) const PLAIN: Style = Style::Plain;
/// An id that commands accept.
pub(crate) const ID: Style = Style::Id;
/// A title or heading.
pub(crate) const HEADING: Style = Style::Heading;
/// Done, passed, ready.
pub(crate) const GOOD: Style = Style::Good;
/// Failed, refused, broken.
pub(crate) const BAD: Style = Style::Bad;
/// Blocked, held, about to run out.
pub(crate) const WARN: Style = Style::Warn;
/// Secondary text: column titles, ages, closed records.
pub(crate) const DIM: Style = Style::Dim;

const ALL: [Style; 7] = [PLAIN, ID, HEADING, GOOD, BAD, WARN, DIM];

impl Style {
    /// The style that one of our escapes starts.
    pub(super) fn of_escape(escape: &str) -> Option<Self> {
        ALL.into_iter().find(|style| style.escape() == escape)
    }

    fn escape(self) -> String {
        let style = anstyle::Style::new();
        let style = match self {
            // This escape ends any style.
            Self::Plain => return anstyle::Reset.render().to_string(),
            Self::Id => AnsiColor::Yellow.on_default(),
            Self::Heading => style.bold(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Warn => AnsiColor::Magenta.on_default(),
            Self::Dim => style.dimmed(),
        };
        style.render().to_string()
    }
}

/// Starts a mark: a noncharacter, which does not occur in exchanged text.
const MARK: char = '\u{fdd0}';
/// The number of digits in the key of this run.
const DIGITS: u32 = 8;

/// The key that distinguishes the marks of this run from anything in a text from outside.
static KEY: LazyLock<Vec<char>> = LazyLock::new(|| {
    let random = RandomState::new().hash_one(std::process::id());
    (0..DIGITS).filter_map(|n| char::from_u32(0xfde0 + (random >> (4 * n)) as u32 % 16)).collect()
});

/// Starts this style in `line`. Only the filter before the terminal understands the mark; see [`super::outlet`].
fn push_mark(line: &mut String, style: Style) {
    line.push(MARK);
    line.extend(char::from_u32(0xfdd1 + style as u32));
    line.extend(KEY.iter());
}

/// The beginning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// No mark.
    None,
    /// Perhaps the start of a mark.
    Torn,
    /// A mark: the escape that it stands for, and its length.
    Whole(String, usize),
}

/// Reads the mark that a text starts with.
pub(super) fn read_mark(text: &str) -> Mark {
    if !text.starts_with(MARK) {
        return Mark::None;
    }
    let mut chars = text.chars().skip(1);
    let Some(which) = chars.next() else { return Mark::Torn };
    let Some(style) = ALL.into_iter().find(|style| u32::from(which) == 0xfdd1 + *style as u32) else {
        return Mark::None;
    };
    for digit in KEY.iter() {
        match chars.next() {
            Some(c) if c == *digit => {}
            Some(_) => return Mark::None,
            None => return Mark::Torn,
        }
    }
    let len = MARK.len_utf8() + which.len_utf8() + KEY.iter().map(|c| c.len_utf8()).sum::<usize>();
    Mark::Whole(style.escape(), len)
}

/// Styles text, or leaves it plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Painter {
    colour: bool,
}

impl Painter {
    /// A painter without colour.
    #[cfg(test)]
    pub(crate) const OFF: Self = Self { colour: false };
    /// A painter with colour, whatever the environment says.
    #[cfg(test)]
    pub(crate) const ON: Self = Self { colour: true };

    /// Without colour, for documents.
    pub(crate) const NONE: Self = Self { colour: false };

    /// A painter with or without colour.
    pub(super) fn with_colour(colour: bool) -> Self {
        Self { colour }
    }

    /// For warnings and errors.
    pub(crate) fn stderr() -> Self {
        #[allow(clippy::disallowed_methods)] // It only reads a property.
        let is_terminal = std::io::stderr().is_terminal();
        Self::for_stream(is_terminal)
    }

    /// For a stream that is a terminal or not, according to the environment.
    pub(crate) fn for_stream(terminal: bool) -> Self {
        match Settings::get() {
            Settings { color: Color::Always, .. } => return Self { colour: true },
            Settings { color: Color::Never, .. } | Settings { is_plain: true, .. } => {
                return Self { colour: false };
            }
            _ => {}
        }
        let no_color = std::env::var_os("NO_COLOR");
        let term = std::env::var_os("TERM");
        Self { colour: terminal && wants_colour(no_color.as_deref(), term.as_deref()) }
    }

    /// Whether it adds colour; if so, marks that colour replaces can be left out.
    pub(crate) fn is_on(self) -> bool {
        self.colour
    }

    /// `text`, cleaned to one line, in `style`. Only for text that is then written to the screen or to stderr.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let mut painted = String::new();
        self.paint_onto(&mut painted, style, text);
        painted
    }

    /// Like [`Painter::paint`], but appends to `line`.
    pub(crate) fn paint_onto(self, line: &mut String, style: Style, text: &str) {
        let text = text::clean_line(text);
        if !self.colour || text.is_empty() || style == PLAIN {
            line.push_str(&text);
        } else {
            push_mark(line, style);
            line.push_str(&text);
            push_mark(line, PLAIN);
        }
    }
}

/// <https://no-color.org>: a variable that is set but empty does not count.
fn wants_colour(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colour() {
        let wants = |no_color: Option<&str>, term: Option<&str>| {
            wants_colour(no_color.map(OsStr::new), term.map(OsStr::new))
        };
        assert!(wants(None, Some("xterm")));
        assert!(wants(Some(""), None));
        assert!(!wants(Some("1"), Some("xterm")));
        assert!(!wants(None, Some("dumb")));
    }

    #[test]
    fn painted_text_is_clean_and_reset() {
        let painted = Painter::ON.paint(HEADING, "a\u{1b}b\n");
        let Mark::Whole(escape, len) = read_mark(&painted) else { panic!("{painted:?}") };
        assert_eq!(escape, "\u{1b}[1m");
        let end = painted[len..].strip_prefix("a\\u{1b}b ").unwrap();
        assert_eq!(read_mark(end), Mark::Whole("\u{1b}[0m".to_owned(), end.len()));
        assert_eq!(Painter::ON.paint(HEADING, ""), "");
        assert_eq!(Painter::ON.paint(PLAIN, "a"), "a");
        assert_eq!(Painter::OFF.paint(BAD, "a\u{1b}"), "a\\u{1b}");
    }

    #[test]
    fn each_style_has_a_mark_of_its_own() {
        let escapes: std::collections::BTreeSet<String> = ALL
            .iter()
            .map(|style| {
                let mut mark = String::new();
                push_mark(&mut mark, *style);
                let Mark::Whole(escape, _) = read_mark(&mark) else { panic!("{style:?}") };
                escape
            })
            .collect();
        assert_eq!(escapes.len(), ALL.len());
    }

    #[test]
    fn nothing_is_painted_where_there_is_no_terminal() {
        assert_eq!(Painter::for_stream(false), Painter::OFF);
    }
}
