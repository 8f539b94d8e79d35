//! Lists in columns.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{Painter, Screen, Style, UiSettings, style, text};

/// The blanks between two columns.
const GAP: usize = 2;
/// A flexible column does not become narrower than this, even if lines are then too long.
const LEAST_FLEXIBLE: usize = 12;
/// Spare columns are left out until the other flexible ones have this much room.
const READABLE: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Left,
    Right,
    Flexible,
}

/// One column: its title and its alignment.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: Cow<'static, str>,
    shape: Shape,
    is_spare: bool,
}

impl Column {
    /// For words.
    pub(crate) fn left(title: impl Into<Cow<'static, str>>) -> Self {
        Self { title: title.into(), shape: Shape::Left, is_spare: false }
    }

    /// For numbers.
    pub(crate) fn right(title: impl Into<Cow<'static, str>>) -> Self {
        Self { title: title.into(), shape: Shape::Right, is_spare: false }
    }

    /// For a column that is cut if the terminal is too narrow, such as a title. If there are several, the widest one
    /// is cut first.
    pub(crate) fn flexible(title: impl Into<Cow<'static, str>>) -> Self {
        Self { title: title.into(), shape: Shape::Flexible, is_spare: false }
    }

    /// Allows the column to be left out if the terminal is too narrow. If several columns are spare, the last one goes
    /// first.
    pub(crate) fn spare(self) -> Self {
        Self { is_spare: true, ..self }
    }
}

/// The text of one cell. It is cleaned to one line when it is printed, so it may come from anywhere.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A text in a style of [`style`].
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, style::PLAIN)
    }
}

/// Rows under column titles. If every title is empty, there is no title line, as for the fields of a record. There
/// may be a hundred thousand rows, so all texts are in one string.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    /// The width of the widest text of each column, including its title.
    widest: Vec<usize>,
    /// All cells, row by row.
    cells: Vec<StoredCell>,
    texts: String,
    /// Lines below rows, in the order of the rows.
    notes: Vec<Note>,
}

/// A line below a row.
#[derive(Debug)]
struct Note {
    /// How many rows are above it.
    rows: usize,
    painted: String,
}

/// A cell of the table.
#[derive(Debug, Clone, Copy)]
struct StoredCell {
    /// Where its text ends in `texts`.
    end: usize,
    /// The width of the text.
    width: usize,
    style: Style,
}

impl Table {
    /// A new table. Without rows, it prints nothing at all.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns: Vec<Column> = columns.into_iter().collect();
        let widest = columns.iter().map(|column| text::width(&column.title)).collect();
        Self { columns, widest, cells: Vec::new(), texts: String::new(), notes: Vec::new() }
    }

    /// Adds a row. Cells beyond the last column are dropped, and missing ones are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells = cells.into_iter();
        for widest in &mut self.widest {
            let cell = cells.next().unwrap_or_else(|| Cell::from(""));
            let text = text::clean_line(&cell.text);
            let width = text::width(&text);
            *widest = width.max(*widest);
            self.texts.push_str(&text);
            self.cells.push(StoredCell { end: self.texts.len(), width, style: cell.style });
        }
    }

    /// Adds a line below the last row. It is never cut, since it may have a command.
    pub(crate) fn note(&mut self, painted: String) {
        self.notes.push(Note { rows: self.cells.len() / self.columns.len(), painted });
    }

    /// Whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Prints the title line and the rows, cut to the screen's width if it has one.
    pub(crate) fn print(&self, screen: &mut Screen) -> io::Result<()> {
        self.print_indented(screen, 0)
    }

    /// Like [`Self::print`], with this many blanks before each line.
    pub(crate) fn print_indented(&self, screen: &mut Screen, by: usize) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let mut notes = self.notes.iter().peekable();
        if UiSettings::get().is_plain {
            for (n, line) in self.spoken().enumerate() {
                writeln!(screen, "{line}")?;
                while let Some(note) = notes.next_if(|note| note.rows == n + 1) {
                    writeln!(screen, "{}", note.painted)?;
                }
            }
            return Ok(());
        }
        let widths = self.widths(screen.columns().map(|columns| columns.saturating_sub(by)));
        let margin = " ".repeat(by);
        let painter = screen.painter();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles =
                self.columns.iter().map(|column| (&*column.title, text::width(&column.title), style::DIM));
            screen.write_all(margin.as_bytes())?;
            screen.write_all(self.line(titles, &widths, painter).as_bytes())?;
        }
        let mut begin = 0;
        for (n, row) in self.cells.chunks(self.columns.len()).enumerate() {
            let cells = row.iter().map(|cell| {
                let text = &self.texts[begin..cell.end];
                begin = cell.end;
                (text, cell.width, cell.style)
            });
            screen.write_all(margin.as_bytes())?;
            screen.write_all(self.line(cells, &widths, painter).as_bytes())?;
            while let Some(note) = notes.next_if(|note| note.rows == n + 1) {
                writeln!(screen, "{margin}  {}", note.painted)?;
            }
        }
        Ok(())
    }

    /// Each row as a reader speaks it: no alignment, and each value after the title of its column.
    fn spoken(&self) -> impl Iterator<Item = String> {
        let mut begin = 0;
        self.cells.chunks(self.columns.len()).map(move |row| {
            let mut parts: Vec<String> = Vec::new();
            for (n, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                let text = self.texts[begin..cell.end].trim();
                begin = cell.end;
                if !text.is_empty() {
                    let title = column.title.trim().to_lowercase();
                    let is_bare = n == 0 || title.is_empty() || text.starts_with(&title);
                    parts.push(if is_bare { text.to_owned() } else { format!("{title} {text}") });
                }
            }
            parts.join(", ")
        })
    }

    /// The width of each column; `None` for one that is left out.
    fn widths(&self, limit: Option<usize>) -> Vec<Option<usize>> {
        let mut widths: Vec<Option<usize>> = self.widest.iter().copied().map(Some).collect();
        let Some(limit) = limit else { return widths };
        while self.width_needed(&widths) > limit {
            let Some(last) =
                (0..widths.len()).rev().find(|at| self.columns[*at].is_spare && widths[*at].is_some())
            else {
                break;
            };
            widths[last] = None;
        }
        let gaps = GAP * widths.iter().flatten().count().saturating_sub(1);
        let mut over = (widths.iter().flatten().sum::<usize>() + gaps).saturating_sub(limit);
        while over > 0 {
            // If several are equally wide, the last one.
            let flexible =
                widths.iter().enumerate().filter(|(at, _)| self.columns[*at].shape == Shape::Flexible);
            let Some((at, widest)) =
                flexible.filter_map(|(at, width)| Some((at, (*width)?))).max_by_key(|column| column.1)
            else {
                break;
            };
            if widest <= LEAST_FLEXIBLE {
                break;
            }
            widths[at] = Some(widest - 1);
            over -= 1;
        }
        widths
    }

    /// The width of the table if its flexible columns are cut to what is still readable.
    fn width_needed(&self, widths: &[Option<usize>]) -> usize {
        self.columns
            .iter()
            .zip(widths)
            .filter_map(|(column, width)| {
                let least = match (column.shape, column.is_spare) {
                    (Shape::Flexible, true) => LEAST_FLEXIBLE,
                    (Shape::Flexible, false) => READABLE,
                    _ => usize::MAX,
                };
                width.map(|width| width.min(least) + GAP)
            })
            .sum::<usize>()
            .saturating_sub(GAP)
    }

    /// Prints one line.
    fn line<'a>(
        &self,
        cells: impl Iterator<Item = (&'a str, usize, Style)>,
        widths: &[Option<usize>],
        painter: Painter,
    ) -> String {
        let mut line = String::with_capacity(128);
        // Blanks are printed only when more text follows, so no line ends in blanks.
        let mut owed = 0;
        for (((text, wide, style), column), width) in cells.zip(&self.columns).zip(widths) {
            let Some(width) = *width else { continue };
            let (text, wide) = if wide <= width {
                (Cow::Borrowed(text), wide)
            } else {
                let cut = text::truncate(text, width);
                let wide = text::width(&cut);
                (Cow::Owned(cut), wide)
            };
            let padding = width.saturating_sub(wide);
            let (before, after) = if column.shape == Shape::Right { (padding, 0) } else { (0, padding) };
            owed += before;
            if !text.is_empty() {
                line.extend(std::iter::repeat_n(' ', owed));
                painter.paint_onto(&mut line, style, &text);
                owed = 0;
            }
            owed += after + GAP;
        }
        line.push('\n');
        line
    }
}

#[cfg(test)]
mod tests;
