//! A line of text in parts, each of which says what it is, so that each renderer can show it in its own way.

#![expect(clippy::needless_pass_by_value, reason = "callers pass ids and texts alike, owned or not")]

use crate::model::{CommitHash, EntryId, IssueId, Priority, QueueId, SolutionId, Time};
use crate::ui::Style;

/// What a part of a line leads to.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// A record, by its id.
    Record(String),
    /// A commit of the project.
    Commit(CommitHash),
    /// A task of a plan.
    Task(SolutionId, String),
    /// An item of a queue, such as `S-1`.
    Item(QueueId, String),
    /// A file of the project.
    File(String),
    /// The issues with a tag.
    Tag(String),
    /// An address on the web.
    Web(String),
    /// A description or a comment as a whole.
    Text(IssueId, Option<EntryId>),
    /// A list of the web front end, by its address.
    Listing(&'static str),
    /// A part of the same page, by its key.
    Here(String),
}

/// A part of a line.
#[derive(Debug, Clone)]
pub(crate) enum Span {
    /// Words of this program.
    Text(String),
    /// Two blanks, or what separates the parts of a spoken line.
    Gap,
    /// A message of this program, which may contain ids, and commands in backquotes.
    Message(String),
    /// Text from a record, shown on one line.
    Record(String),
    /// Words in a style.
    Styled(Style, String),
    /// The word for a state, in the style that belongs to it.
    State(Style, String),
    /// A priority.
    Priority(Priority),
    /// The name of something that may have a page. The id of a record is shortened on a terminal.
    Link { to: Target, name: String },
    /// A person, with the email address.
    Person(String),
    /// A time in the past.
    Ago(Time),
    /// A time that ends something.
    Point(Time),
    /// Whether something holds, before the words that say what.
    Check(bool),
    /// Text to be copied as it is, such as a command.
    Code(String),
}

/// A line of text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line(pub(crate) Vec<Span>);

impl Line {
    /// Adds a part, or the parts of another line.
    pub(crate) fn push(&mut self, part: impl Into<Line>) {
        self.0.extend(part.into().0);
    }

    /// Parts with commas between them.
    pub(crate) fn listed<T: Into<Line>>(parts: impl IntoIterator<Item = T>) -> Self {
        let mut line = Self::default();
        for part in parts {
            if !line.0.is_empty() {
                line.push(", ");
            }
            line.push(part);
        }
        line
    }
}

/// Makes a [`Line`] of its parts: texts, spans, other lines, and options of these.
macro_rules! line {
    ($($part:expr),* $(,)?) => {{
        let mut line = $crate::page::Line::default();
        $(line.push($part);)*
        line
    }};
}
pub(crate) use line;

impl From<Span> for Line {
    fn from(span: Span) -> Self {
        Self(vec![span])
    }
}

impl From<&str> for Line {
    fn from(words: &str) -> Self {
        if words.is_empty() { Self::default() } else { Span::Text(words.to_owned()).into() }
    }
}

impl From<String> for Line {
    fn from(words: String) -> Self {
        if words.is_empty() { Self::default() } else { Span::Text(words).into() }
    }
}

impl From<usize> for Line {
    fn from(number: usize) -> Self {
        Span::Text(number.to_string()).into()
    }
}

impl From<Time> for Line {
    fn from(at: Time) -> Self {
        Span::Ago(at).into()
    }
}

impl<T: Into<Line>> From<Option<T>> for Line {
    fn from(part: Option<T>) -> Self {
        part.map(Into::into).unwrap_or_default()
    }
}

/// The id of a record.
pub(crate) fn id(id: impl ToString) -> Span {
    named(Target::Record(id.to_string()), id)
}

/// The name of something that may have a page.
pub(crate) fn named(to: Target, name: impl ToString) -> Span {
    Span::Link { to, name: name.to_string() }
}

/// A commit by the beginning of its hash.
pub(crate) fn commit(hash: &CommitHash) -> Span {
    named(Target::Commit(hash.clone()), hash.short())
}

/// A person.
pub(crate) fn person(name: impl ToString) -> Span {
    Span::Person(name.to_string())
}

/// A text from a record, on one line.
pub(crate) fn record(text: impl ToString) -> Span {
    Span::Record(text.to_string())
}

/// A message of this program.
pub(crate) fn message(text: impl Into<String>) -> Span {
    Span::Message(text.into())
}

/// Words in a style.
pub(crate) fn styled(style: Style, words: impl ToString) -> Span {
    Span::Styled(style, words.to_string())
}

/// A state in the style that belongs to it.
pub(crate) fn state(style: Style, word: impl ToString) -> Span {
    Span::State(style, word.to_string())
}

/// A priority.
pub(crate) fn priority(priority: Priority) -> Span {
    Span::Priority(priority)
}
