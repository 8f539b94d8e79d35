//! Shows a page as HTML: parts of a page of the web front end, or a document of its own.

use std::fmt::Write;
use std::ops::Range;

use super::block::{
    Block, Column, Diagram, Drawing, Entry, EntryForm, Field, List, PerPage, Row, Section, Table, Text,
    TextForm, Value,
};
pub(crate) use super::html_place::{HtmlPlace, OnItsOwn};
use super::line::{Line, Span, Target};
use crate::model::exact;
use crate::ui::svg::{dag, escaped, escaped_whole, timeline};
use crate::ui::{Boxed, Style, TimelineRow};

/// A word as a part of a CSS class: `partly failed` is `partly-failed`.
fn class_of(word: &str) -> String {
    let first = word.split(',').next().unwrap_or_default();
    first.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// A name that can be in an address after `#`, and at an element.
pub(crate) fn anchor(key: &str) -> String {
    key.replace(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c)), "-")
}

/// Words that begin with a capital letter.
pub(crate) fn capitalized(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A line within an element.
pub(crate) fn line(place: &dyn HtmlPlace, line: &Line) -> String {
    line.0.iter().map(|part| span(place, part)).collect()
}

fn span(place: &dyn HtmlPlace, span: &Span) -> String {
    match span {
        Span::Text(words) => escaped(words),
        Span::Gap => " ".to_owned(),
        Span::Check(true) => "<span class=\"good\">✓ </span>".to_owned(),
        Span::Check(false) => "<span class=\"quiet\">○ </span>".to_owned(),
        Span::Message(words) => message(place, words),
        Span::Record(text) => place.record(text),
        Span::Styled(style, words) => styled(*style, words),
        Span::State(_, word) if word.is_empty() => String::new(),
        Span::State(_, word) => {
            let class = class_of(word);
            format!("<span class=\"badge s-{class}\">{}</span>", escaped(word))
        }
        Span::Priority(priority) => {
            let (number, name) = (priority.number(), priority.name());
            format!("<span class=\"prio p{number}\" title=\"priority {number}\">{name}</span>")
        }
        Span::Link { to: Target::Here(key), name, .. } => {
            format!("<a class=\"id\" href=\"#{}\">{}</a>", anchor(key), escaped(name))
        }
        Span::Link { to, name, .. } => place.link(to, name),
        Span::Person(name) => place.person(name),
        Span::Ago(at) | Span::Point(at) => place.time(*at),
        Span::Code(text) => format!("<code>{}</code>", escaped_whole(&exact(text))),
    }
}

fn styled(style: Style, words: &str) -> String {
    let words = escaped(words);
    match style {
        Style::Plain => words,
        Style::Heading => format!("<strong>{words}</strong>"),
        Style::Dim => format!("<span class=\"quiet\">{words}</span>"),
        Style::Id => format!("<span class=\"id\">{words}</span>"),
        Style::Good => format!("<span class=\"good\">{words}</span>"),
        Style::Warn | Style::Bad => format!("<span class=\"bad\">{words}</span>"),
    }
}

/// A message: what is in backquotes is code.
fn message(place: &dyn HtmlPlace, text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let mut html = String::new();
    for (n, part) in parts.iter().enumerate() {
        if n % 2 == 1 && n + 1 < parts.len() {
            let _ = write!(html, "<code>{}</code>", place.linked(part));
        } else {
            html.push_str(if n % 2 == 1 { "`" } else { "" });
            html.push_str(&place.linked(part));
        }
    }
    html
}

/// Blocks below each other. A page that is not the first has only lists.
pub(crate) fn blocks(place: &dyn HtmlPlace, blocks: &[Block]) -> String {
    Writer { place, level: 2, is_nested: false }.blocks(blocks)
}

/// Facts, each with its name.
pub(crate) fn fields(place: &dyn HtmlPlace, fields: &[Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let mut html = String::from("<dl class=\"facts\">\n");
    for field in fields {
        let values: Vec<String> = field.values.iter().map(|one| value(place, one)).collect();
        let values = if values.len() == 1 { values.concat() } else { plain_list(&values) };
        let _ = writeln!(html, "<div><dt>{}</dt><dd>{values}</dd></div>", escaped(&field.name));
    }
    html + "</dl>\n"
}

fn plain_list(items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{item}</li>")).collect();
    format!("<ol class=\"plain\">{items}</ol>")
}

fn value(place: &dyn HtmlPlace, value: &Value) -> String {
    match value {
        Value::Line(value) => line(place, value),
        Value::Text(text) => place.long(text),
        Value::Command(command) => format!("<pre><code>{}</code></pre>", escaped_whole(&exact(command))),
    }
}

/// The attribute that gives an element its name on the page.
fn id_attribute(key: Option<&str>) -> String {
    match key {
        None | Some("") => String::new(),
        Some(key) => format!(" id=\"{}\"", anchor(key)),
    }
}

struct Writer<'a> {
    place: &'a dyn HtmlPlace,
    /// The level of the next heading.
    level: usize,
    /// Whether it writes a part of an entry, which is on one page as a whole.
    is_nested: bool,
}

impl Writer<'_> {
    fn blocks(&self, blocks: &[Block]) -> String {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(&self, block: &Block) -> String {
        match block {
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table),
            Block::Section(section) => self.section(section),
            _ if !self.is_nested && !self.place.is_first() => String::new(),
            Block::Line(words) => format!("<p>{}</p>\n", line(self.place, words)),
            Block::Fields(all) => fields(self.place, all),
            Block::Text(text) => self.text(text),
            Block::Diagram(diagram) => self.diagram(diagram),
            Block::Hint(_) => String::new(),
        }
    }

    fn text(&self, text: &Text) -> String {
        match text.form {
            TextForm::Markdown => self.place.markdown(&text.text, text.whole.as_ref()),
            TextForm::Plain => self.place.long(&text.text),
            TextForm::Output => self.place.output(&text.text),
        }
    }

    fn section(&self, section: &Section) -> String {
        let inner = Self { level: self.level + 1, ..*self };
        let body = inner.blocks(&section.blocks);
        let forms = if self.place.is_first() { self.place.forms(&section.key) } else { None };
        if body.is_empty() && forms.is_none() {
            return String::new();
        }
        let id = id_attribute(Some(&section.key));
        let level = self.level.min(6);
        let heading = self.heading(section);
        let forms = forms.unwrap_or_default();
        format!("<section{id}>\n<h{level}>{heading}</h{level}>\n{body}{forms}</section>\n")
    }

    /// The heading of a section with its count, starting with a capital letter.
    fn heading(&self, section: &Section) -> String {
        let mut heading = match section.heading.0.split_first() {
            Some((Span::Text(words), rest)) => {
                let rest: String = rest.iter().map(|part| span(self.place, part)).collect();
                format!("{}{rest}", escaped(&capitalized(words)))
            }
            _ => line(self.place, &section.heading),
        };
        if let Some(count) = section.count.filter(|count| *count > 0) {
            let _ = write!(heading, " <span class=\"count\">{count}</span>");
        }
        heading
    }

    /// Which rows of a list are shown, and how many are not on any page.
    fn rows(&self, len: usize, per_page: PerPage) -> (Range<usize>, usize) {
        let (PerPage::First(most) | PerPage::Latest(most)) = per_page;
        if self.is_nested {
            (0..len.min(most), len.saturating_sub(most))
        } else {
            (self.place.rows(len, per_page), 0)
        }
    }

    fn list(&self, list: &List) -> String {
        let (rows, left_out) = self.rows(list.entries.len(), list.per_page);
        let mut html: String = list.entries[rows].iter().map(|entry| self.entry(entry, list.form)).collect();
        if list.form == EntryForm::Row && !html.is_empty() {
            let label = escaped(list.label);
            let label = if label.is_empty() { label } else { format!(" aria-label=\"{label}\"") };
            html = format!("<ul class=\"rows\"{label}>\n{html}</ul>\n");
        }
        if left_out > 0 {
            let _ = writeln!(html, "<p class=\"quiet\">and {left_out} more</p>");
        }
        html
    }

    fn entry(&self, entry: &Entry, form: EntryForm) -> String {
        let head = line(self.place, &entry.head);
        let body = Self { level: self.level + 1, is_nested: true, ..*self }.blocks(&entry.body);
        let forms = entry.key.as_deref().and_then(|key| self.place.forms(key)).unwrap_or_default();
        let id = id_attribute(entry.key.as_deref());
        let current = if entry.is_current { " aria-current=\"true\"" } else { "" };
        match form {
            EntryForm::Row => format!("<li{id}{current}>{head}{body}{forms}</li>\n"),
            EntryForm::Boxed => {
                format!("<article class=\"entry\"{id}><header>{head}</header>\n{body}{forms}</article>\n")
            }
            EntryForm::Folded => {
                format!("<details class=\"entry\"{id}><summary>{head}</summary>\n{body}{forms}</details>\n")
            }
        }
    }

    fn table(&self, table: &Table) -> String {
        let (shown, left_out) = self.rows(table.rows.len(), table.per_page);
        if shown.is_empty() {
            return String::new();
        }
        let forms = |row: &Row| row.key.as_deref().and_then(|key| self.place.forms(key));
        let rows = &table.rows[shown];
        let has_forms = rows.iter().any(|row| forms(row).is_some());
        let title = |column: &Column| format!("<th{}>{}</th>", wide(column), escaped(column.title));
        let titles: String = table.columns.iter().map(title).collect();
        let change = if has_forms { "<th>Change</th>" } else { "" };
        let label = escaped(&table.label);
        let head = if has_forms || table.columns.iter().any(|column| !column.title.is_empty()) {
            format!("<thead><tr>{titles}{change}</tr></thead>\n")
        } else {
            String::new()
        };
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table>\n{head}<tbody>\n"
        );
        for row in rows {
            let _ = write!(html, "<tr{}>", id_attribute(row.key.as_deref()));
            for (column, cell) in table.columns.iter().zip(&row.cells) {
                let _ = write!(html, "<td{}>{}", wide(column), line(self.place, cell));
                if column.is_flexible && !column.is_spare {
                    for note in &row.notes {
                        let _ = write!(html, "<div class=\"quiet\">{}</div>", line(self.place, note));
                    }
                }
                html.push_str("</td>");
            }
            if has_forms {
                let _ = write!(html, "<td class=\"forms\">{}</td>", forms(row).unwrap_or_default());
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table>\n</div>\n");
        if left_out > 0 {
            let _ = writeln!(html, "<p class=\"quiet\">and {left_out} more</p>");
        }
        html
    }

    fn diagram(&self, diagram: &Diagram) -> String {
        let name = escaped(&diagram.name);
        let svg = match &diagram.drawing {
            Drawing::Graph(boxes, arrows) => {
                let boxes: Vec<Boxed> = boxes
                    .iter()
                    .map(|node| Boxed { href: self.address(node.href.as_deref()), ..node.clone() })
                    .collect();
                dag(&diagram.name, &boxes, arrows)
            }
            Drawing::Times(scale, rows) => {
                let rows: Vec<TimelineRow> = rows
                    .iter()
                    .map(|row| TimelineRow { href: self.address(row.href.as_deref()), ..row.clone() })
                    .collect();
                timeline(&diagram.name, *scale, &rows)
            }
        };
        let mut html = format!(
            "<div class=\"picture\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\">{svg}</div>\n"
        );
        if !diagram.alternative.is_empty() {
            let items: String = diagram
                .alternative
                .iter()
                .map(|sentence| format!("<li>{}</li>", line(self.place, sentence)))
                .collect();
            let _ = writeln!(
                html,
                "<details class=\"alternative\"><summary>As a list</summary><ul>{items}</ul></details>"
            );
        }
        html
    }

    /// The address that a node of a picture leads to.
    fn address(&self, to: Option<&str>) -> Option<String> {
        let to = to?;
        match to.strip_prefix('#') {
            Some(key) => Some(format!("#{}", anchor(key))),
            None => self.place.href(to),
        }
    }
}

/// The class of the cells of a column that takes the room that is left.
fn wide(column: &Column) -> &'static str {
    if column.is_flexible && !column.is_spare { " class=\"wide\"" } else { "" }
}
