//! Shows a page as a document in Markdown.

use std::fmt::Write;

use super::block::{Block, Entry, Field, List, Page, Section, Table, Text, TextForm, Value};
use super::html::capitalized;
use super::line::{Line, Span};
use crate::model::exact;
use crate::ui::text::clean;
use crate::ui::{clean_line, time};

/// The whole page.
pub(crate) fn document(page: &Page) -> String {
    part(page, 1)
}

/// The page as a part of a document, under a heading of this level.
pub(crate) fn part(page: &Page, level: usize) -> String {
    let title = capitalized(&line(&page.title));
    let mut writer = Writer { out: format!("{} {title}\n", "#".repeat(level)), level: level + 1, depth: 0 };
    if !page.facts.is_empty() {
        writer.out.push('\n');
        writer.fields(&page.facts);
    }
    writer.blocks(&page.blocks);
    writer.out
}

/// Text in which nothing is markup but code in backquotes, which stays code.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    let text = clean_line(text);
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        let quotes = rest.len() - rest.trim_start_matches('`').len();
        if quotes > 1 {
            escaped.push_str(&"\\`".repeat(quotes));
            rest = &rest[quotes..];
            continue;
        }
        if let Some((code, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`'))
            && !code.is_empty()
            && !code.contains('|')
            && !after.starts_with('`')
        {
            escaped.push_str(&format!("`{code}`"));
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if r"\`*_{}[]<>#|~&!@$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A line of a text, which does not begin a list, and makes no heading of the line above.
fn plain_row(row: &str) -> String {
    let row = plain(row.trim_start());
    if row.starts_with(['-', '+', '=']) { format!("\\{row}") } else { row }
}

/// A fence that no line of the text ends.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn line(line: &Line) -> String {
    line.0.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    match span {
        Span::Text(words)
        | Span::Message(words)
        | Span::Record(words)
        | Span::Styled(_, words)
        | Span::State(_, words)
        | Span::Person(words) => plain(words),
        Span::Gap => " ".to_owned(),
        Span::Check(holds) => if *holds { "[x] " } else { "[ ] " }.to_owned(),
        Span::Priority(priority) => priority.name().to_owned(),
        Span::Link { name, .. } => plain(name),
        Span::Ago(at) | Span::Point(at) => time::iso(*at),
        Span::Code(text) => code(text),
    }
}

/// Text as code; a backquote in it would end it.
fn code(text: &str) -> String {
    let text = exact(text);
    if text.contains('`') || text.contains('|') { plain(&text) } else { format!("`{text}`") }
}

struct Writer {
    out: String,
    /// The level of the next heading.
    level: usize,
    /// How deep the next item of a list is.
    depth: usize,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        if self.depth == 0 && !matches!(block, Block::Section(_) | Block::Hint(_) | Block::Diagram(_)) {
            self.out.push('\n');
        }
        match block {
            Block::Line(words) if self.depth == 0 => {
                let _ = writeln!(self.out, "{}", line(words));
            }
            Block::Line(words) => {
                self.depth += 1;
                self.item(&line(words));
                self.depth -= 1;
            }
            Block::Fields(fields) => self.fields(fields),
            Block::Text(text) => self.text(text),
            Block::Table(table) => self.table(table),
            Block::List(list) => self.list(list),
            Block::Section(section) => self.section(section),
            // A document is not read in a terminal, and has no pictures.
            Block::Hint(_) | Block::Diagram(_) => {}
        }
    }

    fn item(&mut self, words: &str) {
        let _ = writeln!(self.out, "{}- {words}", "  ".repeat(self.depth.saturating_sub(1)));
    }

    fn section(&mut self, section: &Section) {
        // A picture is not shown, so its heading is not either.
        if section.blocks.iter().all(|block| matches!(block, Block::Diagram(_))) {
            return;
        }
        let heading = capitalized(&line(&section.heading));
        let _ = writeln!(self.out, "\n{} {heading}", "#".repeat(self.level.min(6)));
        self.level += 1;
        self.blocks(&section.blocks);
        self.level -= 1;
    }

    fn fields(&mut self, fields: &[Field]) {
        self.depth += 1;
        for field in fields {
            let name = capitalized(&plain(&field.name));
            if let [one] = field.values.as_slice() {
                self.item(&format!("{name}: {}", value(one)));
                continue;
            }
            self.item(&format!("{name}:"));
            self.depth += 1;
            field.values.iter().for_each(|one| self.item(&value(one)));
            self.depth -= 1;
        }
        self.depth -= 1;
    }

    fn text(&mut self, text: &Text) {
        let margin = "  ".repeat(self.depth);
        let words = clean(text.text.trim());
        let rows: Vec<String> = match text.form {
            TextForm::Markdown => words.lines().map(str::to_owned).collect(),
            TextForm::Plain => words.lines().map(plain_row).collect(),
            TextForm::Output => {
                let fence = fence(&words);
                let rows = words.lines().map(str::to_owned);
                [fence.clone()].into_iter().chain(rows).chain([fence]).collect()
            }
        };
        for row in rows {
            let _ = writeln!(self.out, "{}", format!("{margin}{row}").trim_end());
        }
    }

    fn list(&mut self, list: &List) {
        self.depth += 1;
        list.entries.iter().for_each(|entry| self.entry(entry));
        self.depth -= 1;
    }

    fn entry(&mut self, entry: &Entry) {
        self.item(&line(&entry.head));
        self.blocks(&entry.body);
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return;
        }
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title).collect();
        let _ = writeln!(self.out, "| {} |\n|{}", titles.join(" | "), "---|".repeat(titles.len()));
        for row in &table.rows {
            let cells: Vec<String> = row.cells.iter().map(line).collect();
            let _ = writeln!(self.out, "| {} |", cells.join(" | "));
        }
        let notes: Vec<&Line> = table.rows.iter().flat_map(|row| &row.notes).collect();
        if !notes.is_empty() {
            self.out.push('\n');
        }
        notes.into_iter().for_each(|note| {
            let _ = writeln!(self.out, "- {}", line(note));
        });
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Line(words) => line(words),
        Value::Text(text) => plain(text),
        Value::Command(command) => code(command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_markdown_is_markup() {
        assert_eq!(plain("`git wf sync` *x* `git a|b`"), r"`git wf sync` \*x\* \`git a\|b\`");
        assert_eq!(plain("<b> a|b `<x>` [y](z)\nq"), r"\<b\> a\|b `<x>` \[y\](z) q");
        assert_eq!(plain("a `` b ` c"), r"a \`\` b \` c");
        assert_eq!((plain_row("  --- <b>"), plain_row("1")), (r"\--- \<b\>".to_owned(), "1".to_owned()));
        assert_eq!((fence("a ```` b"), fence("a")), ("`````".to_owned(), "```".to_owned()));
    }
}
