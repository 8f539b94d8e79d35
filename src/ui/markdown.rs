//! Markdown on a terminal: headings, lists, quotes, code, tables and links, wrapped at its width.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::text::{clean, fold};
use super::{Painter, Screen, Style, clean_line, indent, links, style, width};

/// Longer lines are hard to read.
const WIDEST: usize = 100;
/// Narrower lines are harder.
const NARROWEST: usize = 20;

/// A text in Markdown, indented by `by` blanks. Without colour there is nothing to show emphasis with, and a program reads
/// the source: then it is the text as it was written. A line break stays one.
pub(crate) fn indented(screen: &Screen, text: &str, by: usize) -> String {
    match screen.columns() {
        Some(columns) if screen.painter().is_on() => {
            let columns = columns.min(WIDEST).saturating_sub(by).max(NARROWEST);
            let margin = " ".repeat(by);
            let lines = rendered(text, columns, screen.painter());
            lines
                .into_iter()
                .map(|line| if line.is_empty() { line } else { format!("{margin}{line}") })
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => indent(text, by),
    }
}

/// The lines of a text, each of at most `columns` unless a word is longer.
fn rendered(text: &str, columns: usize, painter: Painter) -> Vec<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let text = clean(text);
    let mut writer = Writer { columns, painter, ..Writer::default() };
    for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) if is_bold(&text, &range) => {
                writer.bold(matches!(event, Event::Start(_)));
            }
            // What a terminal cannot show keeps its marks, and so do names such as `__init__.py`.
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => writer.push(&text[range][..2]),
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => writer.push(&text[range][..1]),
            Event::Start(Tag::Strikethrough) | Event::End(TagEnd::Strikethrough) => {
                writer.push(if text[range].starts_with("~~") { "~~" } else { "~" });
            }
            event => writer.event(event),
        }
    }
    writer.flush();
    while writer.lines.last().is_some_and(String::is_empty) {
        writer.lines.pop();
    }
    writer.lines
}

/// Whether a strong part of the text is shown in bold instead of between its marks: not if these can belong to a name, as in
/// `src/**/mod.rs`.
fn is_bold(text: &str, range: &Range<usize>) -> bool {
    let part = &text[range.clone()];
    let (before, after) = (text[..range.start].chars().next_back(), text[range.end..].chars().next());
    let inside = part.trim_matches('*');
    part.starts_with("**")
        && !inside.starts_with('/')
        && !inside.ends_with('/')
        && ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || matches!(c, '/' | '_'))
}

/// A part of a line in one style, with the address that it leads to.
#[derive(Debug, Clone)]
struct Span {
    style: Style,
    text: String,
    to: Option<String>,
}

#[derive(Default)]
struct Writer {
    columns: usize,
    painter: Painter,
    lines: Vec<String>,
    /// What was read of a paragraph.
    spans: Vec<Span>,
    /// What comes before each line of the blocks that are open: quotes and items.
    margins: Vec<String>,
    /// What comes before the next line instead of the last margin: the mark of an item.
    mark: Option<String>,
    /// The number of the next item of each open list; none if its items have no numbers.
    lists: Vec<Option<u64>>,
    styles: Vec<Style>,
    links: Vec<String>,
    code: Option<String>,
    table: Vec<Vec<String>>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push_with_addresses(&text),
            },
            // The cells of a table have no colour of their own.
            Event::Code(text) if !self.table.is_empty() => self.push(&format!("`{text}`")),
            Event::Code(text) => {
                self.styles.push(style::ID);
                self.push(&text);
                self.styles.pop();
            }
            // Raw HTML is text.
            Event::InlineHtml(text) => self.push(&text),
            Event::Html(text) => {
                for line in text.lines() {
                    self.push(line);
                    self.flush();
                }
            }
            Event::SoftBreak | Event::HardBreak => self.flush(),
            Event::TaskListMarker(is_done) => self.push(if is_done { "[x] " } else { "[ ] " }),
            Event::Rule => {
                self.gap();
                self.line(&"─".repeat(self.columns.min(40)), style::DIM);
                self.gap();
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock if self.mark.is_none() => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.styles.push(style::HEADING);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.margins.push("│ ".to_owned());
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.margins.push(" ".repeat(width(&mark)));
                self.mark = Some(mark);
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    self.line(&clean_line(&language), style::DIM);
                }
                self.code = Some(String::new());
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
            }
            Tag::Table(_) => self.gap(),
            Tag::TableHead | Tag::TableRow => self.table.push(vec![]),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.margins.pop();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.flush();
                self.mark = None;
                self.margins.pop();
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let room = self.room().saturating_sub(2).max(1);
                for line in code.lines() {
                    for part in fold(&line.replace('\t', "    "), Some(room)) {
                        self.line(&format!("  {part}"), style::ID);
                    }
                }
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some(to) = self.links.pop() {
                    let shown: String = self.spans.iter().map(|span| span.text.as_str()).collect();
                    if !shown.ends_with(&to) {
                        self.styles.push(style::DIM);
                        self.push(&format!(" <{to}>"));
                        self.styles.pop();
                    }
                }
            }
            TagEnd::TableCell => {
                let cell: String = self.spans.drain(..).map(|span| span.text).collect();
                if let Some(row) = self.table.last_mut() {
                    row.push(clean_line(cell.trim()).into_owned());
                }
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    /// Begins or ends a part in bold. The cells of a table keep its marks.
    fn bold(&mut self, begins: bool) {
        if !self.table.is_empty() {
            self.push("**");
        } else if begins {
            self.styles.push(style::HEADING);
        } else {
            self.styles.pop();
        }
    }

    fn push(&mut self, text: &str) {
        let style = self.styles.last().copied().unwrap_or(style::PLAIN);
        self.spans.push(Span { style, text: clean_line(text).into_owned(), to: self.links.last().cloned() });
    }

    /// A text, in which an address leads to where it says.
    fn push_with_addresses(&mut self, text: &str) {
        for (part, is_address) in links::parts(text) {
            if is_address && self.links.is_empty() {
                self.links.push(part.to_owned());
                self.push(part);
                self.links.pop();
            } else {
                self.push(part);
            }
        }
    }

    /// The columns within the margins.
    fn room(&self) -> usize {
        let taken: usize = self.margins.iter().map(|margin| width(margin)).sum();
        self.columns.saturating_sub(taken).max(NARROWEST)
    }

    /// The margin of the next line.
    fn margin(&mut self) -> String {
        let mut margins = self.margins.clone();
        if let (Some(last), Some(mark)) = (margins.last_mut(), self.mark.take()) {
            *last = mark;
        }
        margins.concat()
    }

    /// An empty line between blocks.
    fn gap(&mut self) {
        self.flush();
        if self.mark.is_none() && self.lines.last().is_some_and(|line| !line.trim().is_empty()) {
            let margin = self.margins.concat().trim_end().to_owned();
            self.lines.push(margin);
        }
    }

    fn line(&mut self, text: &str, style: Style) {
        let margin = self.margin();
        self.lines.push(format!("{margin}{}", self.painter.paint(style, text)));
    }

    /// Wraps what was read of a paragraph.
    fn flush(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if spans.iter().all(|span| span.text.trim().is_empty()) {
            return;
        }
        let room = self.room();
        let (mut line, mut used) = (String::new(), 0);
        let mut is_apart = false;
        // A word can go through several spans; only at a blank may a line end.
        let mut word: Vec<Span> = Vec::new();
        let mut words: Vec<Vec<Span>> = Vec::new();
        for span in spans {
            for (n, part) in span.text.split(' ').enumerate() {
                if n > 0 && !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if !part.is_empty() {
                    word.push(Span { text: part.to_owned(), ..span.clone() });
                }
            }
        }
        words.push(word);
        for word in words.into_iter().filter(|word| !word.is_empty()) {
            let wide: usize = word.iter().map(|word| width(&word.text)).sum();
            if is_apart && used + 1 + wide > room {
                let margin = self.margin();
                self.lines.push(format!("{margin}{line}"));
                (line, used, is_apart) = (String::new(), 0, false);
            }
            if is_apart {
                line.push(' ');
                used += 1;
            }
            for span in word {
                let painted = self.painter.paint(span.style, &span.text);
                line.push_str(&match &span.to {
                    Some(to) => self.painter.link(to, painted),
                    None => painted,
                });
            }
            used += wide;
            is_apart = true;
        }
        let margin = self.margin();
        self.lines.push(format!("{margin}{line}"));
    }

    /// A table in columns; one that is too wide has its rows without them.
    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count)
            .map(|n| rows.iter().filter_map(|row| row.get(n)).map(|cell| width(cell)).max().unwrap_or(0))
            .collect();
        let fits = widths.iter().sum::<usize>() + 2 * count <= self.room();
        for (n, row) in rows.iter().enumerate() {
            let cells: Vec<String> =
                row.iter()
                    .zip(&widths)
                    .map(|(text, wide)| {
                        if fits { format!("{text}{}", " ".repeat(wide - width(text))) } else { text.clone() }
                    })
                    .collect();
            let line = cells.join(if fits { "  " } else { " | " });
            let style = if n == 0 { style::HEADING } else { style::PLAIN };
            let room = self.room();
            for part in fold(line.trim_end(), Some(room)) {
                self.line(part, style);
            }
        }
    }
}

#[cfg(test)]
mod tests;
