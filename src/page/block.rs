//! The blocks of a page.

use std::borrow::Cow;

use super::line::{Line, Target};
use crate::ui::{Arrow, Boxed, Scale, TimelineRow};

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Its heading.
    pub(crate) title: Line,
    /// Facts about the whole. A browser shows them beside the blocks.
    pub(crate) facts: Vec<Field>,
    /// Everything else, in the order in which it is read.
    pub(crate) blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Debug)]
pub(crate) enum Block {
    /// A paragraph of one line.
    Line(Line),
    /// What to type next. A browser has buttons and links instead.
    Hint(String),
    /// Names with their values.
    Fields(Vec<Field>),
    /// A text of several lines.
    Text(Text),
    /// Rows in columns.
    Table(Table),
    /// Entries below each other.
    List(List),
    /// Blocks under a heading.
    Section(Section),
    /// A picture, which only a browser shows.
    Diagram(Diagram),
}

/// A value with its name.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: Cow<'static, str>,
    pub(crate) values: Vec<Value>,
}

/// A value of a field.
#[derive(Debug)]
pub(crate) enum Value {
    /// One line.
    Line(Line),
    /// Any number of lines.
    Text(String),
    /// A command that will be run: nothing in it may be hidden or changed.
    Command(String),
}

impl<T: Into<Line>> From<T> for Value {
    fn from(line: T) -> Self {
        Self::Line(line.into())
    }
}

impl Field {
    /// A field with one value.
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Line>) -> Self {
        Self { name: name.into(), values: vec![Value::Line(value.into())] }
    }

    /// A field with a value, if there is one.
    pub(crate) fn given<T: Into<Line>>(name: &'static str, value: Option<T>) -> Option<Self> {
        value.map(|value| Self::new(name, value))
    }

    /// A field with several values, if there are any.
    pub(crate) fn all<T: Into<Value>>(
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Option<Self> {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        if values.is_empty() { None } else { Some(Self { name: name.into(), values }) }
    }
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// Markdown from a record.
    Markdown,
    /// Lines from a record.
    Plain,
    /// What a program printed.
    Output,
}

/// A text of several lines.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) form: TextForm,
    /// Where a page that cuts long texts has all of it.
    pub(crate) whole: Option<Target>,
}

impl Text {
    /// Lines from a record.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), form: TextForm::Plain, whole: None }
    }

    /// Markdown from a record.
    pub(crate) fn markdown(text: impl Into<String>) -> Self {
        Self { form: TextForm::Markdown, ..Self::plain(text) }
    }

    /// What a program printed.
    pub(crate) fn output(text: impl Into<String>) -> Self {
        Self { form: TextForm::Output, ..Self::plain(text) }
    }
}

/// How many rows a page in a browser has of a list; a terminal shows all.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PerPage {
    /// The first page has the first rows.
    First(usize),
    /// The first page has the last rows, in their own order.
    Latest(usize),
}

impl Default for PerPage {
    fn default() -> Self {
        Self::First(200)
    }
}

/// How a browser shows the entries of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum EntryForm {
    /// As a line each.
    #[default]
    Row,
    /// In a box each.
    Boxed,
    /// Folded to their first lines. A terminal shows only these.
    Folded,
}

/// An entry of a list: a line, and what is below it.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// Names the entry on its page, for links to it and for the forms that belong to it.
    pub(crate) key: Option<String>,
    /// Its first line.
    pub(crate) head: Line,
    /// What is below it.
    pub(crate) body: Vec<Block>,
    /// Whether it is the one that was asked for.
    pub(crate) is_current: bool,
}

impl Entry {
    /// An entry of one line.
    pub(crate) fn new(head: impl Into<Line>) -> Self {
        Self { head: head.into(), ..Self::default() }
    }

    /// The entry with blocks below its line.
    pub(crate) fn with(self, body: impl IntoIterator<Item = Block>) -> Self {
        Self { body: body.into_iter().collect(), ..self }
    }

    /// The entry with a name on its page.
    #[expect(clippy::needless_pass_by_value, reason = "callers pass texts and ids alike")]
    pub(crate) fn key(self, key: impl ToString) -> Self {
        Self { key: Some(key.to_string()), ..self }
    }
}

/// Entries below each other.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// What a screen reader says before it.
    pub(crate) label: &'static str,
    pub(crate) entries: Vec<Entry>,
    pub(crate) form: EntryForm,
    pub(crate) per_page: PerPage,
}

impl List {
    /// A list of entries, a line each.
    pub(crate) fn new<T: Into<Entry>>(entries: impl IntoIterator<Item = T>) -> Self {
        Self { entries: entries.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

impl From<Line> for Entry {
    fn from(head: Line) -> Self {
        Self::new(head)
    }
}

impl From<List> for Block {
    fn from(list: List) -> Self {
        Self::List(list)
    }
}

/// Blocks under a heading.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// Names the section on its page.
    pub(crate) key: Cow<'static, str>,
    pub(crate) heading: Line,
    /// How many entries it has, on all pages together.
    pub(crate) count: Option<usize>,
    /// A section without blocks is shown only if a form belongs to it.
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// Blocks under a heading.
    #[expect(clippy::new_ret_no_self, reason = "a section is used only as a block")]
    pub(crate) fn new(heading: impl Into<Line>, blocks: impl IntoIterator<Item = Block>) -> Block {
        Block::Section(Self {
            heading: heading.into(),
            blocks: blocks.into_iter().collect(),
            ..Self::default()
        })
    }

    /// A list under a heading that counts it; without entries, only a form that belongs to it is shown.
    pub(crate) fn list(heading: &'static str, list: List) -> Block {
        let count = list.entries.len();
        let blocks = if count == 0 { vec![] } else { vec![Block::List(list)] };
        Block::Section(Self { key: heading.into(), heading: heading.into(), count: Some(count), blocks })
    }
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// Its title, as in a sentence.
    pub(crate) title: &'static str,
    /// Whether a terminal that is too narrow cuts it.
    pub(crate) is_flexible: bool,
    /// Whether it is aligned to the right on a terminal.
    pub(crate) is_number: bool,
    /// Whether a terminal that is too narrow leaves it out.
    pub(crate) is_spare: bool,
}

impl Column {
    /// For words.
    pub(crate) const fn left(title: &'static str) -> Self {
        Self { title, is_flexible: false, is_number: false, is_spare: false }
    }

    /// For numbers.
    pub(crate) const fn right(title: &'static str) -> Self {
        Self { is_number: true, ..Self::left(title) }
    }

    /// For texts that may be cut.
    pub(crate) const fn flexible(title: &'static str) -> Self {
        Self { is_flexible: true, ..Self::left(title) }
    }

    /// The column, which a narrow terminal may leave out.
    pub(crate) const fn spare(self) -> Self {
        Self { is_spare: true, ..self }
    }
}

/// A row of a table.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Names the row on its page, for links to it and for the forms that belong to it.
    pub(crate) key: Option<String>,
    pub(crate) cells: Vec<Line>,
    /// Remarks on the row, shown below it.
    pub(crate) notes: Vec<Line>,
}

impl Row {
    /// A row without notes.
    pub(crate) fn new(cells: impl Into<Vec<Line>>) -> Self {
        Self { cells: cells.into(), ..Self::default() }
    }
}

/// Rows in columns. Without rows, nothing is shown.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// What a screen reader says before it.
    pub(crate) label: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) per_page: PerPage,
}

impl Table {
    /// A table of rows without notes.
    pub(crate) fn new(
        label: impl Into<String>,
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<Line>>,
    ) -> Self {
        Self {
            label: label.into(),
            columns: columns.into_iter().collect(),
            rows: rows.into_iter().map(Row::new).collect(),
            per_page: PerPage::default(),
        }
    }
}

/// What a picture shows. The `href` of a node is the id of a record, or `#` and a key of the page.
#[derive(Debug)]
pub(crate) enum Drawing {
    /// A dependency graph.
    Graph(Vec<Boxed>, Vec<Arrow>),
    /// What happened when.
    Times(Scale, Vec<TimelineRow>),
}

/// A picture with its content in words.
#[derive(Debug)]
pub(crate) struct Diagram {
    pub(crate) name: String,
    pub(crate) drawing: Drawing,
    /// What the diagram shows, as sentences for readers who cannot see it.
    pub(crate) alternative: Vec<Line>,
}
