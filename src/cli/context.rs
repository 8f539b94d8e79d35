//! What every command gets: the output for its answer, and the store of the current directory.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::agent::calling;
use crate::cli::input::fields::FieldArgs;
use crate::cli::{Exit, Failure, Outcome, print, system_words};
use crate::git::Environment;
use crate::model::{Code, typed};
use crate::ops::fields::{self, FieldNames};
use crate::ops::format::Format;
use crate::ops::{self, Done, Notice, Refusal, Session, Weight};
use crate::process::left_behind::RUN;
use crate::store::{Acting, Clock, ObjectId, Store, one_line};
use crate::ui::{ProgressLine, Screen, time};

/// One run of the program.
pub(crate) struct CliContext {
    /// The output for the answer.
    pub(crate) screen: Screen,
    /// Whether to print more.
    is_verbose: bool,
    /// With `--json`, the remarks that the document will contain.
    remarks: RefCell<Vec<String>>,
    /// What `--fields` and `--format` ask for.
    wanted: FieldArgs,
    /// The session for the store of the current directory, once it was opened.
    session: OnceCell<Rc<Session>>,
}

/// A progress line on stderr.
struct Line {
    is_json: bool,
    line: RefCell<Option<(&'static str, ProgressLine)>>,
}

impl ops::Progress for Line {
    fn at(&self, doing: &'static str, done: usize, total: usize) {
        if total >= WORTH_SHOWING {
            self.count(doing, done as u64, Some(total as u64));
        }
    }

    fn count(&self, doing: &'static str, done: u64, total: Option<u64>) {
        let mut line = self.line.borrow_mut();
        if line.as_ref().is_none_or(|(known, line)| *known != doing || line.total() != total) {
            // The previous line must disappear first.
            *line = None;
            *line = Some((doing, ProgressLine::start(doing, total, self.is_json)));
        }
        if let Some((_, progress)) = &mut *line {
            progress.at(done);
        }
    }

    fn wait(&self, why: &'static str, seconds: u64, _: u64) {
        // Nobody knows how long it will take.
        self.count(why, seconds, None);
    }

    fn end(&self) {
        self.line.take();
    }
}

/// The options `--force --reason`, which override a gate.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Force {
    /// Override a gate; the log records the reason
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,
    /// Why the gate is overridden
    #[arg(long, value_name = "TEXT", requires = "force", value_parser = parse_reason)]
    pub(crate) reason: Option<String>,
}

pub(super) fn parse_reason(text: &str) -> Result<String, String> {
    match one_line(text) {
        reason if reason.is_empty() => Err("the reason must not be empty".into()),
        reason => Ok(reason),
    }
}

impl Force {
    /// The reason, if a gate is to be overridden.
    pub(crate) fn why(&self) -> Option<String> {
        if self.force { self.reason.clone() } else { None }
    }
}

impl CliContext {
    /// A run whose answer goes to stdout.
    pub(crate) fn new(json: bool, is_verbose: bool) -> Self {
        Self {
            screen: Screen::from_env(json),
            is_verbose,
            remarks: RefCell::default(),
            wanted: FieldArgs::default(),
            session: OnceCell::new(),
        }
    }

    /// Shows the answer. If it is a JSON object, the remarks become its `warnings`; otherwise they are returned.
    pub(crate) fn finish(mut self) -> (io::Result<()>, Vec<String>) {
        let remarks = self.remarks.take();
        let added = if remarks.is_empty() { Ok(true) } else { self.screen.add_field("warnings", &remarks) };
        let shown = self.screen.finish();
        match added {
            Ok(true) => (shown, vec![]),
            Ok(false) => (shown, remarks),
            Err(error) => (Err(error), remarks),
        }
    }

    /// Opens the repository of the current directory.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        let store = Store::open(Path::new("."), &environment())?.acting(acting());
        time::set_log_date(store.config("log.date").as_deref());
        Ok(store)
    }

    /// The session for the store of the current directory, with the actor.
    pub(crate) fn session(&self) -> Result<Rc<Session>, Failure> {
        if let Some(session) = self.session.get() {
            return Ok(Rc::clone(session));
        }
        let store = self.store()?;
        if let (Clock::Fixed(_), Ok(now)) = (store.clock(), store.now()) {
            time::stand_still(now);
        }
        let line = Line { is_json: self.json(), line: RefCell::default() };
        let session = Session::new(store, Box::new(line));
        let session = Rc::new(session.called_by(calling::agent(&environment())));
        Ok(Rc::clone(self.session.get_or_init(|| session)))
    }

    /// Prints the answer of an operation: the view as a JSON document, or as `print` writes it for people. The flag for
    /// `print` says whether anything changed. See [`CliContext::only`] to print only some fields.
    pub(crate) fn answer<V: Serialize + JsonSchema>(
        &mut self,
        done: Done<V>,
        print: impl FnOnce(&V, bool, &mut Screen) -> io::Result<()>,
    ) -> Outcome {
        let Done { view, commit, notices } = done;
        self.show_notices(notices);
        if let Some(commit) = commit {
            self.note_commit(commit);
        }
        if self.wanted.is_given() {
            self.print_wanted(&fields::known::<V>(), typed::own_json(&view))?;
        } else if self.json() {
            self.screen.print_json(&view)?;
        } else {
            print(&view, commit.is_some(), &mut self.screen)?;
        }
        Ok(Exit::Done)
    }

    fn note_commit(&self, commit: ObjectId) {
        if self.is_verbose && !self.json() {
            self.remark(crate::ui::style::DIM, "note:", &format!("commit {commit} of the store records it"));
        }
    }

    /// Prints the fields that were asked for. `known` are those of the answer.
    fn print_wanted(&mut self, known: &BTreeSet<String>, answer: Value) -> Result<(), Failure> {
        if let Some(format) = &self.wanted.format {
            let format = Format::parse(format, known)?;
            let picked = format.fields.picked(answer);
            print::fields::formatted(&mut self.screen, &format, &picked)?;
            return Ok(());
        }
        let fields = FieldNames::among(&self.wanted.fields, known)?;
        let picked = fields.picked(answer);
        if self.json() {
            self.screen.print_json(&picked)?;
        } else {
            print::fields::fields(&mut self.screen, &fields, &picked)?;
        }
        Ok(())
    }

    /// Limits the answer to some fields; empty for all.
    pub(crate) fn only(&mut self, args: FieldArgs) {
        self.wanted = args;
    }

    /// Shows the notices of an operation that was then refused.
    pub(crate) fn show_rest(&self) {
        self.show_notices(self.session.get().map(|session| session.notices()).unwrap_or_default());
    }

    /// Shows notices.
    pub(crate) fn show_notices(&self, notices: impl IntoIterator<Item = Notice>) {
        for Notice { weight, message, remedies } in notices {
            // A program that reads JSON gets all notices.
            if weight != Weight::Error && !self.json() && crate::ui::UiSettings::get().is_quiet {
                continue;
            }
            let message = print::with_remedies(&message, &remedies);
            match weight {
                Weight::Note => self.remark(crate::ui::style::DIM, "note:", &message),
                Weight::Warning => self.warn(&message),
                Weight::Error => self.error(&message),
            }
        }
    }

    /// Whether the answer is one JSON document.
    pub(crate) fn json(&self) -> bool {
        self.screen.json()
    }

    /// Shows a remark beside the answer: on stderr, or in the `warnings` of a JSON document.
    pub(crate) fn warn(&self, text: &str) {
        self.remark(crate::ui::style::WARN, "warning:", text);
    }

    /// Shows an error that did not stop the command; it goes where warnings go.
    pub(crate) fn error(&self, text: &str) {
        self.remark(crate::ui::style::BAD, "error:", text);
    }

    /// Whether to print more.
    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    fn remark(&self, style: crate::ui::style::Style, label: &str, text: &str) {
        let text = crate::ui::text::clean_line(text);
        if self.json() {
            self.remarks.borrow_mut().push(text.into());
        } else {
            let label = crate::ui::Painter::stderr().paint(style, label);
            crate::ui::say(&format!("{label} {text}"));
        }
    }
}

/// The environment of this process, for the modules below.
pub(crate) fn environment() -> Environment {
    Environment::new(std::env::vars_os())
}

/// The current directory, which may have been deleted.
pub(crate) fn current_dir() -> Result<PathBuf, Refusal> {
    std::env::current_dir().map_err(|error| {
        Refusal::new(Code::NoDirectory, format!("cannot find the current directory: {error}"))
            .hint("change to a directory that exists")
    })
}

/// The actor, from the environment.
pub(crate) fn acting() -> Acting {
    let acting = acting_as(variable("WF_ROLE"));
    if is_in_run() { acting.in_run() } else { acting }
}

/// Whether an agent of a run started this. An agent can hide that, and is then no better off: whatever it does in its workplace
/// is judged when it hands it in.
pub(crate) fn is_in_run() -> bool {
    environment().filled(RUN).is_some()
}

/// The actor, from the environment, in another role than it names.
pub(crate) fn acting_as(role: Option<String>) -> Acting {
    Acting::new(variable("WF_ACTOR"), role, clock())
}

/// `GIT_COMMITTER_DATE` has the same effect as in git.
fn clock() -> Clock {
    Clock::at(variable("GIT_COMMITTER_DATE"))
}

/// A variable of the environment. A value that is not UTF-8 is kept, lossily, so that it is refused and not ignored.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// With fewer records, the work is done before anyone looks.
const WORTH_SHOWING: usize = 2000;

/// How messages call the file of an argument.
pub(crate) fn named(path: &str) -> String {
    if path == "-" { "stdin".into() } else { format!("`{path}`") }
}

/// Reads text from a file, or from stdin for `-`.
pub(crate) fn read_text(path: &str) -> Result<String, Refusal> {
    let mut bytes = read_bytes(path)?;
    // A byte order mark.
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..'\u{feff}'.len_utf8());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Refusal::new(
            Code::InvalidUtf8,
            format!("{} is not UTF-8: byte {} at offset {at}", named(path), error.as_bytes()[at]),
        )
        .hint("convert it, for example with `iconv -t UTF-8`")
    })
}

/// Reads bytes from a file, or from stdin for `-`.
pub(crate) fn read_bytes(path: &str) -> Result<Vec<u8>, Refusal> {
    let read = if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| {
        Refusal::new(Code::CannotRead, format!("cannot read {}: {}", named(path), system_words(&error)))
            .hint("name an existing file, or `-` for stdin")
    })
}
