//! The few text styles, and whether to use them.

use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::sync::LazyLock;

use anstyle::AnsiColor;

use super::{Color, UiSettings, links, text};
use crate::git;

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

/// The columns of the name of a field.
const LABEL: usize = 12;

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

/// Stands after [`MARK`] if the address of a link follows the key, and [`LINK_END`] ends it; an empty address ends a
/// link.
const LINK: char = '\u{fdd9}';
const LINK_END: char = '\u{fdda}';

fn push_link(line: &mut String, address: &str) {
    line.push(MARK);
    line.push(LINK);
    line.extend(KEY.iter());
    line.push_str(address);
    line.push(LINK_END);
}

/// The prefix of a text.
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
    let style = ALL.into_iter().find(|style| u32::from(which) == 0xfdd1 + *style as u32);
    if style.is_none() && which != LINK {
        return Mark::None;
    }
    for digit in KEY.iter() {
        match chars.next() {
            Some(c) if c == *digit => {}
            Some(_) => return Mark::None,
            None => return Mark::Torn,
        }
    }
    let len = MARK.len_utf8() + which.len_utf8() + KEY.iter().map(|c| c.len_utf8()).sum::<usize>();
    if let Some(style) = style {
        return Mark::Whole(style.escape(), len);
    }
    match text[len..].split_once(LINK_END) {
        Some((address, _)) if address.is_empty() || links::is_fit(address) => {
            Mark::Whole(links::escape(address), len + address.len() + LINK_END.len_utf8())
        }
        // Only this program knows the key, and it links nothing else.
        Some(_) => Mark::None,
        None => Mark::Torn,
    }
}

/// Adds styles to text, or leaves them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Painter {
    colour: bool,
    /// Whether the terminal knows links.
    links: bool,
}

impl Painter {
    /// A painter without colour.
    #[cfg(test)]
    pub(crate) const OFF: Self = Self { colour: false, links: false };
    /// A painter with colour, whatever the environment says.
    #[cfg(test)]
    pub(crate) const ON: Self = Self { colour: true, links: false };

    /// Without colour, for documents.
    pub(crate) const NONE: Self = Self { colour: false, links: false };

    /// A painter with or without colour.
    pub(super) fn with_colour(colour: bool) -> Self {
        Self { colour, links: false }
    }

    /// For warnings and errors.
    pub(crate) fn stderr() -> Self {
        #[allow(clippy::disallowed_methods)] // It only reads a property.
        let is_terminal = std::io::stderr().is_terminal();
        Self::for_stream(is_terminal)
    }

    /// For a stream that is a terminal or not, according to the environment.
    pub(crate) fn for_stream(terminal: bool) -> Self {
        let settings = UiSettings::get();
        let links = terminal && !settings.is_plain && links::are_known(|name| std::env::var(name).ok());
        match settings {
            UiSettings { color: Color::Always, .. } => return Self { colour: true, links },
            UiSettings { color: Color::Never, .. } | UiSettings { is_plain: true, .. } => {
                return Self { colour: false, links };
            }
            _ => {}
        }
        let no_color = std::env::var_os("NO_COLOR");
        let term = std::env::var_os("TERM");
        let is_seen = terminal || is_in_pager();
        let colour = is_seen && wants_colour(no_color.as_deref(), term.as_deref()) && git_wants_colour();
        Self { colour, links }
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

    /// The name of a field, before its value: padded to a column, or followed by a colon for screen readers.
    pub(crate) fn label(self, name: &str) -> String {
        if !UiSettings::get().is_plain {
            self.paint(DIM, &format!("{name:<LABEL$}"))
        } else if name.is_empty() {
            String::new()
        } else {
            self.paint(DIM, &format!("{name}:"))
        }
    }

    /// Text that was painted, as a link to an address if the terminal knows links and the address is fit for one.
    pub(crate) fn link(self, address: &str, painted: String) -> String {
        if !self.links || !links::is_fit(address) {
            return painted;
        }
        let mut linked = String::new();
        push_link(&mut linked, address);
        linked.push_str(&painted);
        push_link(&mut linked, "");
        linked
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

/// Whether git itself started a pager for this program, as it does with `pager.wf` or `git -p wf`.
pub(super) fn is_in_pager() -> bool {
    std::env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| value == "true")
}

/// `color.wf` or `color.ui`, asked once. `always` counts as `auto`: what programs read in a pipe has colour only with
/// `--color=always`.
fn git_wants_colour() -> bool {
    static ANSWER: LazyLock<bool> = LazyLock::new(git::wants_colour);
    *ANSWER
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
    fn a_link_is_one_mark_at_each_end() {
        let painter = Painter { colour: false, links: true };
        let linked = painter.link("https://e.org/x", "here".to_owned());
        let Mark::Whole(escape, len) = read_mark(&linked) else { panic!("{linked:?}") };
        assert_eq!(escape, "\u{1b}]8;;https://e.org/x\u{1b}\\");
        let end = linked[len..].strip_prefix("here").unwrap();
        assert_eq!(read_mark(end), Mark::Whole("\u{1b}]8;;\u{1b}\\".to_owned(), end.len()));
        assert_eq!(read_mark(&linked[..len - 3]), Mark::Torn);
        assert_eq!(painter.link("javascript:x", "here".to_owned()), "here");
        assert_eq!(Painter::ON.link("https://e.org/x", "here".to_owned()), "here");
    }

    #[test]
    fn nothing_is_painted_where_there_is_no_terminal() {
        assert_eq!(Painter::for_stream(false), Painter::OFF);
    }
}
