//! Writes cells to the terminal. Like all other output, cells pass a filter, so that control and invisible characters
//! never reach the terminal.

use std::io::{self, BufWriter, Stdout, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{self, Clear};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::{Buffer, Cell, CellDiffOption};
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};

use crate::ui::text;

/// Buffer size in bytes, so that a frame takes few writes.
const FRAME: usize = 64 * 1024;

/// The terminal on stdout.
pub(super) struct Escapes {
    out: BufWriter<Stdout>,
    colour: bool,
}

impl Escapes {
    /// Without `colour`, cells keep the default colour.
    pub(super) fn new(colour: bool) -> Self {
        Self { out: BufWriter::with_capacity(FRAME, super::stdout()), colour }
    }

    fn look(&mut self, cell: &Cell) -> io::Result<()> {
        queue!(self.out, SetAttribute(Attribute::Reset))?;
        for (modifier, attribute) in [
            (Modifier::BOLD, Attribute::Bold),
            (Modifier::DIM, Attribute::Dim),
            (Modifier::UNDERLINED, Attribute::Underlined),
            (Modifier::REVERSED, Attribute::Reverse),
        ] {
            if cell.modifier.contains(modifier) {
                queue!(self.out, SetAttribute(attribute))?;
            }
        }
        if self.colour
            && let Some(number) = number(cell.fg)
        {
            write!(self.out, "\u{1b}[{number}m")?;
        }
        Ok(())
    }
}

/// The escape code of a colour. Only basic colours are used, which every terminal has and its user can choose.
fn number(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Red => 31,
        Color::Green => 32,
        Color::Yellow => 33,
        Color::Magenta => 35,
        _ => return None,
    })
}

/// The symbol to print for a cell; `?` if it contains a control or invisible character.
fn shown(symbol: &str) -> &str {
    match text::clean_line(symbol) {
        std::borrow::Cow::Borrowed(same) if !same.is_empty() => same,
        _ => "?",
    }
}

/// Marks rows to be redrawn whole if they have, or had in `before`, characters whose width differs between terminals,
/// since such a terminal misplaces the cells beside them. Returns which rows have such characters.
pub(super) fn write_unsure_rows(buffer: &mut Buffer, before: &[bool]) -> Vec<bool> {
    let width = usize::from(buffer.area.width).max(1);
    let mut unsure = Vec::new();
    for (n, row) in buffer.content.chunks_mut(width).enumerate() {
        let is_unsure = row.iter().any(|cell| is_composed(cell.symbol()));
        if is_unsure || before.get(n).is_some_and(|is_on| *is_on) {
            for cell in row {
                cell.diff_option = CellDiffOption::AlwaysUpdate;
            }
        }
        unsure.push(is_unsure);
    }
    unsure
}

/// Whether a symbol consists of several characters that have a width, such as a flag or a family.
fn is_composed(symbol: &str) -> bool {
    symbol.len() > 4 && symbol.chars().filter(|c| text::width(c.encode_utf8(&mut [0; 4])) > 0).count() > 1
        || symbol.contains('\u{fe0f}')
}

impl Backend for Escapes {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut next = None;
        let mut look = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.out, MoveTo(x, y))?;
            }
            let wanted = (cell.modifier, cell.fg);
            if look != Some(wanted) {
                self.look(cell)?;
                look = Some(wanted);
            }
            let symbol = shown(cell.symbol());
            queue!(self.out, Print(symbol))?;
            // The terminal may give a wide character another width, so the next cell needs a `MoveTo`.
            next = (text::width(symbol) == 1).then_some((x + 1, y));
        }
        queue!(self.out, SetAttribute(Attribute::Reset))
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        queue!(self.out, Hide)?;
        self.out.flush()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        queue!(self.out, Show)?;
        self.out.flush()
    }

    /// Never asked for: the program starts at the top of an empty screen.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        queue!(self.out, MoveTo(x, y))?;
        self.out.flush()
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        queue!(
            self.out,
            Clear(match clear_type {
                ClearType::All => terminal::ClearType::All,
                ClearType::AfterCursor => terminal::ClearType::FromCursorDown,
                ClearType::BeforeCursor => terminal::ClearType::FromCursorUp,
                ClearType::CurrentLine => terminal::ClearType::CurrentLine,
                ClearType::UntilNewLine => terminal::ClearType::UntilNewLine,
            })
        )?;
        self.out.flush()
    }

    fn size(&self) -> io::Result<Size> {
        terminal::size().map(|(width, height)| Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_composed_characters_are_written_as_a_whole_and_once_more() {
        for (symbol, expected) in [
            ("a", false),
            ("漢", false),
            ("e\u{301}", false),
            ("🇫🇷", true),
            ("👩\u{200d}💻", true),
            ("❤\u{fe0f}", true),
        ] {
            assert_eq!(is_composed(symbol), expected, "{symbol}");
        }
        let plain = Buffer::with_lines(["ab", "cd"]);
        let mut buffer = Buffer::with_lines(["ab", "🇫🇷"]);
        let before = write_unsure_rows(&mut buffer, &[]);
        assert_eq!(before, [false, true]);
        let mut next = plain.clone();
        assert_eq!(write_unsure_rows(&mut next, &before), [false, false]);
        assert_eq!(plain.diff(&next).len(), 2, "the row is written although it is the same");
    }

    #[test]
    fn no_cell_does_anything_to_a_terminal() {
        for (symbol, expected) in [
            ("a", "a"),
            ("漢", "漢"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("e\u{301}", "e\u{301}"),
            ("\u{1b}", "?"),
            ("\u{202e}", "?"),
            ("\u{9b}", "?"),
            ("\n", "?"),
            ("", "?"),
        ] {
            assert_eq!(shown(symbol), expected, "{symbol:?}");
        }
    }
}
