//! Shows a page on a terminal, in a pipe, or to a screen reader.

use std::io::{self, Write};

use super::block::{Block, Column, EntryForm, Field, List, Page, Section, Table, Text, TextForm, Value};
use super::line::{Line, Span, Target};
use crate::model::{Priority, exact};
use crate::ui::{Cell, Screen, Style, UiSettings, clean_line, indent, markdown, style, table, time};

/// The blanks before what is under a heading.
const UNDER_HEADING: usize = 4;
/// The blanks before what belongs to an entry of a list.
const UNDER_ENTRY: usize = 2;
/// The columns of the name of a field, with the blank after it.
const NAME: usize = 13;

/// Prints a page.
///
/// # Errors
/// Any error of writing.
pub(crate) fn print(screen: &mut Screen, page: &Page) -> io::Result<()> {
    if !page.title.0.is_empty() {
        // What the page is about keeps its whole id.
        let title = page.title.0.iter().map(|span| match span {
            Span::Link { name, .. } => screen.painter().paint(style::ID, name),
            other => heading_span(screen, other),
        });
        let title: String = title.collect();
        writeln!(screen, "{title}")?;
    }
    print_fields(screen, 0, &page.facts)?;
    match page.blocks.split_first() {
        // No blank line before the first line.
        Some((Block::Section(first), rest))
            if page.title.0.is_empty() && page.facts.is_empty() && !is_picture(first) =>
        {
            print_headed(screen, 0, first)?;
            print_blocks(screen, rest)
        }
        _ => print_blocks(screen, &page.blocks),
    }
}

/// Prints blocks one below the other.
///
/// # Errors
/// Any error of writing.
pub(crate) fn print_blocks(screen: &mut Screen, blocks: &[Block]) -> io::Result<()> {
    blocks.iter().try_for_each(|block| print_block(screen, 0, block))
}

fn print_block(screen: &mut Screen, margin: usize, block: &Block) -> io::Result<()> {
    match block {
        Block::Line(line) => print_line(screen, margin, line),
        Block::Hint(words) => {
            let words = screen.painter().paint(style::DIM, words);
            writeln!(screen, "\n{words}")
        }
        Block::Fields(fields) => print_fields(screen, margin, fields),
        Block::Text(text) if margin == 0 => {
            writeln!(screen)?;
            print_text(screen, UNDER_HEADING, text)
        }
        Block::Text(text) => print_text(screen, margin, text),
        Block::Table(table) => print_table(screen, margin, table),
        Block::List(list) => print_list(screen, margin, list),
        Block::Section(section) => print_section(screen, margin, section),
        Block::Diagram(_) => Ok(()),
    }
}

fn print_section(screen: &mut Screen, margin: usize, section: &Section) -> io::Result<()> {
    if is_picture(section) {
        return Ok(());
    }
    writeln!(screen)?;
    print_headed(screen, margin, section)
}

/// Whether only a heading would be shown, since pictures are not.
fn is_picture(section: &Section) -> bool {
    section.blocks.iter().all(|block| matches!(block, Block::Diagram(_)))
}

fn print_headed(screen: &mut Screen, margin: usize, section: &Section) -> io::Result<()> {
    let heading = heading(screen, &section.heading);
    writeln!(screen, "{}{heading}", blanks(margin))?;
    section.blocks.iter().try_for_each(|block| print_block(screen, margin + UNDER_HEADING, block))
}

fn print_list(screen: &mut Screen, margin: usize, list: &List) -> io::Result<()> {
    for entry in &list.entries {
        print_line(screen, margin, &entry.head)?;
        if list.form != EntryForm::Folded {
            entry.body.iter().try_for_each(|block| print_block(screen, margin + UNDER_ENTRY, block))?;
        }
    }
    Ok(())
}

fn print_text(screen: &mut Screen, margin: usize, text: &Text) -> io::Result<()> {
    let shown = if text.form == TextForm::Markdown {
        markdown::indented(screen, &text.text, margin)
    } else {
        indent(&text.text, margin)
    };
    writeln!(screen, "{shown}")
}

fn print_fields(screen: &mut Screen, margin: usize, fields: &[Field]) -> io::Result<()> {
    let is_plain = UiSettings::get().is_plain;
    for field in fields {
        for (n, value) in field.values.iter().enumerate() {
            let name = if n == 0 || is_plain { &field.name } else { "" };
            let label = screen.painter().label(name);
            let label = format!("{}{label}", blanks(margin));
            match value {
                Value::Line(line) => {
                    let line = painted(screen, line);
                    writeln!(screen, "{label} {line}")?;
                }
                Value::Command(command) => writeln!(screen, "{label} {}", exact(command))?,
                Value::Text(text) => {
                    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
                    writeln!(screen, "{label} {}", clean_line(first))?;
                    if !rest.trim().is_empty() {
                        writeln!(screen, "{}", indent(rest, margin + NAME))?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn print_table(screen: &mut Screen, margin: usize, shown: &Table) -> io::Result<()> {
    let mut table = table::Table::new(shown.columns.iter().map(Column::on_terminal));
    for row in &shown.rows {
        let cells: Vec<Cell> = row.cells.iter().map(|line| cell(screen, line)).collect();
        table.row(cells);
        for note in &row.notes {
            table.note(painted(screen, note));
        }
    }
    table.print_indented(screen, blanks(margin).len())
}

impl Column {
    fn on_terminal(&self) -> table::Column {
        let title = self.title.to_uppercase();
        let column = if self.is_flexible {
            table::Column::flexible(title)
        } else if self.is_number {
            table::Column::right(title)
        } else {
            table::Column::left(title)
        };
        if self.is_spare { column.spare() } else { column }
    }
}

/// A cell has one style: that of the first of its parts that has one.
fn cell(screen: &Screen, line: &Line) -> Cell {
    let mut text = String::new();
    let mut style = style::PLAIN;
    for span in &line.0 {
        let (own, words) = styled(screen, span);
        text.push_str(&words);
        if style == style::PLAIN {
            style = own;
        }
    }
    Cell::new(text, style)
}

fn print_line(screen: &mut Screen, margin: usize, line: &Line) -> io::Result<()> {
    let line = painted(screen, line);
    writeln!(screen, "{}{line}", blanks(margin))
}

/// The blanks of a margin; a screen reader has none.
fn blanks(margin: usize) -> String {
    if UiSettings::get().is_plain { String::new() } else { " ".repeat(margin) }
}

/// A line with the styles of its parts.
pub(crate) fn painted(screen: &Screen, line: &Line) -> String {
    line.0.iter().map(|span| painted_span(screen, span)).collect()
}

/// A heading is painted as a whole, but for ids in it.
fn heading(screen: &Screen, line: &Line) -> String {
    line.0.iter().map(|span| heading_span(screen, span)).collect()
}

fn heading_span(screen: &Screen, span: &Span) -> String {
    match span {
        Span::Text(words) | Span::Record(words) => screen.painter().paint(style::HEADING, words),
        other => painted_span(screen, other),
    }
}

fn painted_span(screen: &Screen, span: &Span) -> String {
    let (style, words) = styled(screen, span);
    let painted = screen.painter().paint(style, &words);
    match span {
        Span::Link { to: Target::Web(address), .. } => screen.painter().link(address, painted),
        _ => painted,
    }
}

/// The words of a part, and its style.
fn styled(screen: &Screen, span: &Span) -> (Style, String) {
    match span {
        Span::Text(words) | Span::Record(words) | Span::Person(words) | Span::Code(words) => {
            (style::PLAIN, words.clone())
        }
        Span::Check(holds) => (style::PLAIN, if *holds { "[x] " } else { "[ ] " }.to_owned()),
        Span::Gap => (style::PLAIN, if UiSettings::get().is_plain { ", " } else { "  " }.to_owned()),
        Span::Message(words) => (style::PLAIN, screen.ids_in(words).into_owned()),
        Span::Styled(style, words) | Span::State(style, words) => (*style, words.clone()),
        Span::Priority(priority) => (priority_style(*priority), priority.name().to_owned()),
        Span::Link { to, name } => {
            let style = match to {
                Target::Commit(_) => style::WARN,
                Target::Listing(_) => style::DIM,
                Target::File(_) | Target::Tag(_) | Target::Web(_) | Target::Text(..) => style::PLAIN,
                _ => style::ID,
            };
            let is_record = matches!(to, Target::Record(_) | Target::Item(..));
            (style, if is_record { screen.id(name).to_owned() } else { name.clone() })
        }
        Span::Ago(at) => (style::PLAIN, time::when(*at)),
        Span::Point(at) => (style::PLAIN, time::point(*at)),
    }
}

/// The colour of a priority.
pub(crate) fn priority_style(priority: Priority) -> Style {
    match priority.number() {
        1 => style::BAD,
        2 => style::WARN,
        4 | 5 => style::DIM,
        _ => style::PLAIN,
    }
}
