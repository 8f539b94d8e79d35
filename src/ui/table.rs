//! Lists in columns.

use std::borrow::Cow;
use std::io::{self, Write};

use super::screen::Screen;
use super::style::{self, Painter, Style};
use super::text;

/// The blanks between two columns.
const GAP: usize = 2;
/// A flexible column does not become narrower than this, even if lines are then too long.
const LEAST_FLEXIBLE: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Left,
    Right,
    Flexible,
}

/// One column: its title and its alignment.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: &'static str,
    shape: Shape,
}

impl Column {
    /// For words.
    pub(crate) fn left(title: &'static str) -> Self {
        Self { title, shape: Shape::Left }
    }

    /// For numbers.
    pub(crate) fn right(title: &'static str) -> Self {
        Self { title, shape: Shape::Right }
    }

    /// For the column that is cut if the terminal is too narrow, such as a title. If there are several, the last one
    /// is cut.
    pub(crate) fn flexible(title: &'static str) -> Self {
        Self { title, shape: Shape::Flexible }
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
    cells: Vec<Kept>,
    texts: String,
}

/// A cell of the table.
#[derive(Debug, Clone, Copy)]
struct Kept {
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
        let widest = columns.iter().map(|column| text::width(column.title)).collect();
        Self { columns, widest, cells: Vec::new(), texts: String::new() }
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
            self.cells.push(Kept { end: self.texts.len(), width, style: cell.style });
        }
    }

    /// Whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Prints the title line and the rows, cut to the screen's width if it has one.
    pub(crate) fn print(&self, screen: &mut Screen) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let widths = self.widths(screen.columns());
        let painter = screen.painter();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles =
                self.columns.iter().map(|column| (column.title, text::width(column.title), style::DIM));
            screen.write_all(self.line(titles, &widths, painter).as_bytes())?;
        }
        let mut begin = 0;
        for row in self.cells.chunks(self.columns.len()) {
            let cells = row.iter().map(|cell| {
                let text = &self.texts[begin..cell.end];
                begin = cell.end;
                (text, cell.width, cell.style)
            });
            screen.write_all(self.line(cells, &widths, painter).as_bytes())?;
        }
        Ok(())
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths = self.widest.clone();
        let flexible = self.columns.iter().rposition(|column| column.shape == Shape::Flexible);
        if let (Some(limit), Some(at)) = (limit, flexible) {
            let whole = widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
            let narrower = widths[at].saturating_sub(whole.saturating_sub(limit));
            widths[at] = widths[at].min(narrower.max(LEAST_FLEXIBLE));
        }
        widths
    }

    /// Prints one line.
    fn line<'a>(
        &self,
        cells: impl Iterator<Item = (&'a str, usize, Style)>,
        widths: &[usize],
        painter: Painter,
    ) -> String {
        let mut line = String::with_capacity(128);
        // Blanks are printed only when more text follows, so no line ends in blanks.
        let mut owed = 0;
        for (((text, wide, style), column), width) in cells.zip(&self.columns).zip(widths) {
            let (text, wide) = match wide <= *width {
                true => (Cow::Borrowed(text), wide),
                false => {
                    let cut = text::truncate(text, *width);
                    let wide = text::width(&cut);
                    (Cow::Owned(cut), wide)
                }
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
mod tests {
    use super::*;
    use crate::ui::screen::tests::screen;

    fn printed(table: &Table, columns: Option<usize>) -> String {
        let (mut screen, written) = screen(columns);
        table.print(&mut screen).unwrap();
        screen.finish().unwrap();
        written.text()
    }

    fn issues() -> Table {
        let mut table = Table::new([
            Column::left("ID"),
            Column::right("PRIO"),
            Column::flexible("TITLE"),
            Column::left("TAGS"),
        ]);
        table.row(["ISS-1".into(), "1".into(), "A title of some length".into(), "auth".into()]);
        table.row(["ISS-22".into(), "12".into(), "漢字の長い題名です".into()]);
        table
    }

    #[test]
    fn a_pipe_gets_everything() {
        assert_eq!(
            printed(&issues(), None),
            "ID      PRIO  TITLE                   TAGS\n\
             ISS-1      1  A title of some length  auth\n\
             ISS-22    12  漢字の長い題名です\n"
        );
    }

    #[test]
    fn a_terminal_gets_the_flexible_column_cut() {
        let shown = printed(&issues(), Some(33));
        assert_eq!(
            shown,
            "ID      PRIO  TITLE          TAGS\n\
             ISS-1      1  A title of s…  auth\n\
             ISS-22    12  漢字の長い題…\n"
        );
        assert!(shown.lines().all(|line| text::width(line) <= 33));
    }

    #[test]
    fn a_column_never_becomes_too_narrow_to_read() {
        assert!(printed(&issues(), Some(5)).contains("A title of …  auth"));
    }

    #[test]
    fn empty_cells_keep_their_place() {
        let mut table = Table::new([Column::left("A"), Column::right("B"), Column::left("C")]);
        table.row(["a".into(), "".into(), "c".into()]);
        table.row(["aa".into(), "10".into(), "".into()]);
        assert_eq!(printed(&table, None), "A    B  C\na       c\naa  10\n");
    }

    #[test]
    fn no_titles_no_title_line_and_no_rows_no_table() {
        let mut table = Table::new([Column::left(""), Column::left("")]);
        assert_eq!(printed(&table, None), "");
        table.row(["status".into(), "planned".into()]);
        assert_eq!(printed(&table, None), "status  planned\n");
    }

    #[test]
    fn cells_are_cleaned_before_they_are_measured() {
        let mut table = Table::new([Column::left(""), Column::left("")]);
        table.row(["a\u{1b}[2J\nb".into(), Cell::new("x", style::GOOD)]);
        table.row(["b".into(), "y".into()]);
        assert_eq!(printed(&table, None), "a\\u{1b}[2J b  x\nb             y\n");
    }

    #[test]
    fn colour_takes_no_room() {
        let table = issues();
        let cells =
            [("ISS-1", 5, style::ID), ("1", 1, style::PLAIN), ("t", 1, style::PLAIN), ("x", 1, style::PLAIN)];
        let (mut screen, written) = screen(None);
        screen.write_all(table.line(cells.into_iter(), &[6, 4, 3, 4], Painter::ON).as_bytes()).unwrap();
        screen.finish().unwrap();
        let painted = written.text();
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), "ISS-1      1  t    x\n");
        assert!(painted.starts_with("\u{1b}[33mISS-1\u{1b}[0m "));
    }
}
