//! Where a command's answer goes: a terminal, a pager, a pipe or a file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

use super::{OutletFilter, Painter, Replacement, UiSettings, pager, style, text, wrap};
use crate::model::id::{short, shortened};
use crate::model::json_text;

/// Used if a terminal does not report its size.
pub(super) const DEFAULT_COLUMNS: usize = 80;

/// Stdout, with the settings from the environment. Commands write to it with `write!`. Everything is cleaned on its
/// way out (see [`super::outlet`]). Text that is not the program's own must still go through [`Painter::paint`],
/// [`text::clean_line`], [`text::indent`] or a table, since only these prevent its line breaks from making lines that
/// look like the program's.
///
/// Call [`Screen::finish`] at the end of the command, even if it failed: on a terminal, the answer is held back until
/// then.
pub(crate) struct Screen {
    json: bool,
    terminal: bool,
    /// Whether an editor can have the terminal: not if git started a pager, which has it.
    is_direct: bool,
    painter: Painter,
    columns: Option<usize>,
    /// The line that has not ended yet, if lines are wrapped before they are shown.
    line: Option<Vec<u8>>,
    filter: OutletFilter,
    held: Option<HeldAnswer>,
    /// The JSON document, to which a field can still be added.
    document: Option<String>,
    out: BufWriter<Box<dyn Write + Send>>,
}

/// An answer that may turn out too tall for the terminal.
struct HeldAnswer {
    rows: usize,
    answer: Vec<u8>,
}

impl Screen {
    /// Stdout with the settings from the environment. With `json`, the reader is a program, even on a terminal: no
    /// colour, no pager, no limit to the width.
    pub(crate) fn from_env(json: bool) -> Self {
        #[allow(clippy::disallowed_methods)] // One of the two places where output leaves the program.
        let stdout = io::stdout();
        let is_direct = stdout.is_terminal();
        // Behind the pager that git started with `pager.wf` or `git -p`, people read, too.
        let terminal = (is_direct || style::is_in_pager()) && !UiSettings::get().is_plain;
        let for_people = terminal && !json;
        let size = if for_people { terminal_size::terminal_size_of(&stdout) } else { None };
        // git tells the width to programs that it puts in front of a pager.
        let columns = columns_of_variable()
            .or_else(|| {
                let any = if for_people { terminal_size::terminal_size() } else { None };
                size.or(any).map(|(terminal_size::Width(columns), _)| usize::from(columns))
            })
            .filter(|columns| *columns > 0)
            .unwrap_or(DEFAULT_COLUMNS);
        Self {
            json,
            terminal,
            is_direct,
            // A JSON document has no colour, whatever is asked for.
            painter: if json { Painter::NONE } else { Painter::for_stream(for_people) },
            columns: for_people.then_some(columns),
            line: for_people.then(Vec::new),
            filter: OutletFilter::new(Replacement::Text),
            held: size
                .filter(|(_, terminal_size::Height(rows))| *rows > 0)
                .map(|(_, terminal_size::Height(rows))| HeldAnswer { rows: rows.into(), answer: Vec::new() }),
            document: None,
            out: BufWriter::new(Box::new(stdout)),
        }
    }

    /// A screen in memory that behaves like a terminal of this width.
    pub(super) fn in_memory(columns: usize, painter: Painter, out: Box<dyn Write + Send>) -> Self {
        Self {
            json: false,
            terminal: true,
            is_direct: true,
            painter,
            columns: Some(columns),
            // Whoever shows it wraps it.
            line: None,
            filter: OutletFilter::new(Replacement::Text),
            held: None,
            document: None,
            out: BufWriter::new(out),
        }
    }

    /// Whether the answer must be one JSON document.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether people read stdout, on a terminal or in git's pager: there, `new` prints a sentence instead of the bare id.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether a command without a text may open an editor: stdout is a terminal, and no pager has it.
    pub(crate) fn can_edit(&self) -> bool {
        self.terminal && self.is_direct
    }

    /// An id: on a terminal the part that suffices to type it, for programs the whole.
    pub(crate) fn id<'a>(&self, id: &'a str) -> &'a str {
        if self.terminal { short(id) } else { id }
    }

    /// A line whose ids are shown like [`Screen::id`].
    pub(crate) fn ids_in<'a>(&self, line: &'a str) -> Cow<'a, str> {
        if self.terminal { shortened(line) } else { Cow::Borrowed(line) }
    }

    /// On a terminal, says that a list is empty and how to fill it. A program sees that itself.
    pub(crate) fn nothing(&mut self, sentence: &str) -> io::Result<()> {
        if self.terminal { writeln!(self, "{}", self.painter.paint(style::DIM, sentence)) } else { Ok(()) }
    }

    /// The maximum width of a line in columns; `None` if there is no limit.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// The painter for this screen.
    pub(crate) fn painter(&self) -> Painter {
        self.painter
    }

    /// Sets the answer: one JSON document, which [`Screen::finish`] prints with a newline at its end. A value that
    /// has no JSON form is an error of kind `Other`.
    pub(crate) fn print_json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.send_document()?;
        self.document = Some(self.written(value)?);
        Ok(())
    }

    /// Adds a last field to the JSON document. Returns whether that was possible: an array has no fields.
    pub(crate) fn add_field(&mut self, name: &str, value: &impl Serialize) -> io::Result<bool> {
        if self.document.is_none() {
            return Ok(false);
        }
        let field = self.written(&BTreeMap::from([(name, value)]))?;
        let Some(document) = &mut self.document else { return Ok(false) };
        // If the document is pretty-printed, an object with fields ends with a line of its own.
        let open = match document.strip_suffix("\n}") {
            None if document.starts_with('{') && document != "{}" => document.strip_suffix('}'),
            open => open,
        };
        if let Some(open) = open {
            *document = format!("{open},{}", field.strip_prefix('{').unwrap_or(&field));
        } else if document == "{}" {
            *document = field;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether JSON is written without white space: `--json` into a pipe or a file, for programs only.
    pub(crate) fn is_compact(&self) -> bool {
        self.json && !self.terminal
    }

    fn written(&self, value: &impl Serialize) -> io::Result<String> {
        let written = if self.is_compact() { serde_json::to_string(value) } else { json_text::pretty(value) };
        Ok(written?)
    }

    /// Sends the JSON document before the command ends: no field can be added to it then. [`Write::flush`] shows it at once.
    pub(crate) fn send_document(&mut self) -> io::Result<()> {
        let Some(document) = self.document.take() else { return Ok(()) };
        // This cleans it as JSON, so nothing is left for the filter.
        self.send(text::clean_json(&document).as_bytes())?;
        self.send(b"\n")
    }

    /// Prints what was held back, in the pager if it is taller than the terminal, and returns any write error. See
    /// [`is_broken_pipe`].
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.send_document()?;
        let mut rest = Vec::new();
        self.filter.end(&mut rest);
        self.send(&rest)?;
        self.send_line()?;
        if let Some(HeldAnswer { rows, answer }) = self.held.take() {
            // The prompt needs the last row.
            if rows_taken(&answer, self.columns) >= rows
                && let Some(pager) = pager::chosen()
                && pager::show(&pager, &answer)?
            {
                return Ok(());
            }
            self.out.write_all(&answer)?;
        }
        self.out.flush()
    }
}

impl Screen {
    /// The output for JSON that another program reads back: see [`JsonLines`].
    pub(crate) fn json_lines(&mut self) -> io::Result<JsonLines<'_>> {
        self.flush()?;
        Ok(JsonLines::new(&mut self.out))
    }

    /// The output for a table: byte for byte to a file or a pipe.
    pub(crate) fn table(&mut self) -> io::Result<Box<dyn Write + '_>> {
        self.flush()?;
        Ok(if self.terminal { Box::new(JsonLines::new(&mut self.out)) } else { Box::new(&mut self.out) })
    }

    /// Does not wrap what follows: it is code, or for programs.
    pub(crate) fn verbatim(&mut self) -> io::Result<()> {
        self.send_line()?;
        self.line = None;
        Ok(())
    }

    fn send(&mut self, cleaned: &[u8]) -> io::Result<()> {
        let (Some(line), Some(columns)) = (&mut self.line, self.columns) else { return self.put(cleaned) };
        line.extend_from_slice(cleaned);
        let Some(end) = line.iter().rposition(|byte| *byte == b'\n') else { return Ok(()) };
        let rest = line.split_off(end + 1);
        let whole = std::mem::replace(line, rest);
        self.put(wrap::wrapped(&String::from_utf8_lossy(&whole), columns).as_bytes())
    }

    /// Sends what was written of a line that has not ended.
    fn send_line(&mut self) -> io::Result<()> {
        let line = self.line.as_mut().map(std::mem::take).unwrap_or_default();
        self.put(&line)
    }

    fn put(&mut self, cleaned: &[u8]) -> io::Result<()> {
        match &mut self.held {
            Some(held) => held.answer.write_all(cleaned),
            None => self.out.write_all(cleaned),
        }
    }
}

/// Writes JSON in which control and invisible characters are escaped: another spelling of the same values.
pub(crate) struct JsonLines<'a> {
    filter: OutletFilter,
    out: &'a mut dyn Write,
}

impl<'a> JsonLines<'a> {
    /// Writes to `out`. The JSON must end in a line break.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { filter: OutletFilter::new(Replacement::Json), out }
    }
}

impl Write for JsonLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.filter.passes(bytes) {
            return self.out.write(bytes);
        }
        let mut cleaned = Vec::with_capacity(bytes.len());
        self.filter.push(bytes, &mut cleaned);
        self.out.write_all(&cleaned).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.filter.passes(bytes) {
            return self.send(bytes).map(|()| bytes.len());
        }
        let mut cleaned = Vec::with_capacity(bytes.len());
        self.filter.push(bytes, &mut cleaned);
        self.send(&cleaned).map(|()| bytes.len())
    }

    /// Shows at once what was written so far. From then on, there is no pager: for commands that report as they go
    /// along.
    fn flush(&mut self) -> io::Result<()> {
        self.send_line()?;
        if let Some(held) = self.held.take() {
            self.out.write_all(&held.answer)?;
        }
        self.out.flush()
    }
}

/// Whether the reader of our output has gone away, as `head` does. That ends the program quietly with exit code 0.
pub(crate) fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Whether stdout is a terminal, or the pager that git started.
pub(super) fn is_read_by_people() -> bool {
    #[allow(clippy::disallowed_methods)] // It only reads a property.
    let is_terminal = io::stdout().is_terminal();
    is_terminal || style::is_in_pager()
}

/// The value of `COLUMNS`, which takes precedence over the terminal's own width, as in git.
pub(super) fn columns_of_variable() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0)
}

/// How many rows of a terminal the answer fills, including those of wrapped lines.
fn rows_taken(answer: &[u8], columns: Option<usize>) -> usize {
    let answer = String::from_utf8_lossy(answer);
    let columns = columns.unwrap_or(usize::MAX);
    answer
        .lines()
        .map(|line| {
            let shown = anstream::adapter::strip_str(line).to_string();
            text::width(&shown).div_ceil(columns).max(1)
        })
        .sum()
}

#[cfg(test)]
pub(crate) mod tests;
