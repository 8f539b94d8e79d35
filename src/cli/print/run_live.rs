//! A run in progress, on stderr: lines that are redrawn in place on a terminal, one line per event elsewhere, and one
//! JSON object per line for programs.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::run_board::Board;
use super::run_events::RunNews;
use super::run_lines::{RunLines, lines_of};
use super::with_remedies;
use crate::cli::input::ask;
use crate::model::{Choice, Failure, IssueId, RunEvent, SolutionId, typed};
use crate::ops::{Notice, Weight};
use crate::process::supervise::Interrupts;
use crate::rules::CommandLine;
use crate::run::{OwnCommands, PlanToChoose, Reply, RunUpdate, RunWatch};
use crate::ui::text::clean_json;
use crate::ui::{self, Live, Painter, Remarks, clean_line, count, style};

/// How often the lines are drawn.
const OFTEN: Duration = Duration::from_millis(200);

/// Shows what happens, and asks.
pub(in crate::cli) struct Following {
    interrupts: Arc<Interrupts>,
    /// How often someone wanted the run to stop.
    stops: Arc<AtomicUsize>,
    output: Arc<Mutex<RunOutput>>,
    is_json: bool,
    lines: RunLines,
    /// Notices to list in a JSON answer.
    noticed: Vec<Notice>,
    painter: Painter,
    /// Whether the tests of plans may be run unseen.
    is_agreed: bool,
    /// Whether nothing is asked.
    is_unattended: bool,
}

/// What is shown. Each thread of the run can tell that a request to stop was noticed.
struct RunOutput {
    out: Remarks,
    form: Form,
    painter: Painter,
    /// How many requests to stop were noticed.
    stops: usize,
}

enum Form {
    Json,
    Lines,
    /// Only errors and breaches.
    Quiet,
    Live {
        live: Live,
        board: Board,
        drawn: Option<Instant>,
    },
}

impl Following {
    pub(in crate::cli) fn new(interrupts: Interrupts, is_unattended: bool, json: bool) -> Self {
        let form = match Live::start() {
            _ if json => Form::Json,
            Some(live) => Form::Live { live, board: Board::new(), drawn: None },
            None if ui::UiSettings::get().is_quiet => Form::Quiet,
            None => Form::Lines,
        };
        let output = RunOutput { out: Remarks::new(), form, painter: Painter::stderr(), stops: 0 };
        Self {
            interrupts: Arc::new(interrupts),
            stops: Arc::default(),
            output: Arc::new(Mutex::new(output)),
            is_json: json,
            lines: RunLines::new(Painter::stderr()),
            noticed: Vec::new(),
            painter: Painter::stderr(),
            is_agreed: is_unattended,
            is_unattended,
        }
    }

    /// The notices for a JSON answer; empty if they were printed.
    pub(in crate::cli) fn noticed(mut self) -> Vec<Notice> {
        std::mem::take(&mut self.noticed)
    }

    fn output(&self) -> MutexGuard<'_, RunOutput> {
        // Nothing is shown halfway.
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, text: &str) {
        self.output().line(text);
    }

    /// Whether someone reads what is asked.
    fn is_at_terminal(&self) -> bool {
        !self.is_json && ui::can_ask()
    }

    /// Whether someone says yes.
    fn confirmed(&mut self, question: &str) -> bool {
        self.asked(question).is_some_and(|answer| matches!(answer.as_str(), "y" | "yes"))
    }

    /// The answer to a question that can be settled elsewhere, in lower case.
    fn asked_unless(&mut self, question: &str, is_settled: &dyn Fn() -> bool) -> Reply<String> {
        self.output().make_room();
        match self.interrupts.while_asking(|| ask::answer_unless(question, is_settled)) {
            Ok(Reply::Given(answer)) => Reply::Given(answer.to_lowercase()),
            Ok(Reply::Elsewhere) => {
                // The question has no line break yet.
                self.line("");
                Reply::Elsewhere
            }
            Ok(Reply::None) | Err(_) => Reply::None,
        }
    }

    /// The answer to a question, in lower case; `None` if there is none.
    fn asked(&mut self, question: &str) -> Option<String> {
        self.output().make_room();
        let answer = self.interrupts.while_asking(|| ask::answer(question));
        answer.ok().flatten().map(|answer| answer.to_lowercase())
    }
}

impl Drop for Following {
    /// Wipes what is drawn, before the answer is printed, even if the output is kept for longer; and lets signals end this
    /// program again.
    fn drop(&mut self) {
        self.output().make_room();
        self.interrupts.end();
    }
}

/// Whether an update is printed even with `--quiet`.
fn is_urgent(update: &RunUpdate<'_>) -> bool {
    match update {
        RunUpdate::Noticed(notice) => notice.weight == Weight::Error,
        RunUpdate::Logged(entry) => matches!(entry.event, RunEvent::Breach(_)),
        _ => false,
    }
}

impl RunOutput {
    fn notice(&mut self, notice: &Notice) {
        let (style, label) = match notice.weight {
            Weight::Note => (style::DIM, "note:"),
            Weight::Warning => (style::WARN, "warning:"),
            Weight::Error => (style::BAD, "error:"),
        };
        let text = with_remedies(&notice.message, &notice.remedies);
        let line = format!("{} {}", self.painter.paint(style, label), clean_line(&text));
        self.line(&line);
    }

    /// Writes a line that stays.
    fn line(&mut self, text: &str) {
        self.make_room();
        // A reader that has gone does not stop the run.
        let _ = writeln!(self.out, "{text}");
    }

    /// Wipes the lines that are drawn, so that something else can be written.
    fn make_room(&mut self) {
        if let Form::Live { live, drawn, .. } = &mut self.form {
            live.wipe();
            *drawn = None;
        }
    }

    fn draw(&mut self) {
        let Form::Live { live, board, drawn } = &mut self.form else { return };
        if drawn.is_none_or(|drawn| drawn.elapsed() >= OFTEN) {
            live.draw(&board.lines(Live::size().0));
            *drawn = Some(Instant::now());
        }
    }

    fn event(&mut self, news: &RunNews) {
        // Every event has a JSON form, and a reader that has gone does not stop the run.
        let line = typed::own_json(news).to_string();
        let _ = writeln!(self.out, "{}", clean_json(&line));
    }

    /// Reports the requests to stop that were not noticed yet; there are this many in all.
    fn tell_stops(&mut self, stops: usize) {
        while self.stops < stops {
            self.stops += 1;
            match (&self.form, self.stops) {
                (Form::Json, stops) => self.event(&RunNews::Stopping { at_once: stops > 1 }),
                (Form::Quiet, _) => {}
                (_, 1) => {
                    self.line("stopping after the current steps; press Ctrl-C again to stop at once");
                }
                _ => self.line("stopping"),
            }
        }
    }
}

impl Following {
    /// Shows commands and asks for consent to them, unless someone consented to all of the run.
    fn agree_to(&mut self, heading: &str, commands: &[&CommandLine], question: &str) -> bool {
        if self.is_agreed {
            return true;
        }
        if !self.is_at_terminal() {
            return false;
        }
        self.line(heading);
        for command in commands {
            self.line(&format!("  {}", clean_line(command.as_str())));
        }
        self.confirmed(question)
    }
}

impl RunWatch for Following {
    fn update(&mut self, update: &RunUpdate<'_>) {
        let output = Arc::clone(&self.output);
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        if let Form::Json = output.form {
            if let RunUpdate::Noticed(notice) = update {
                self.noticed.push((*notice).clone());
            }
            return output.event(&RunNews::from(update));
        }
        if let Form::Live { board, .. } = &mut output.form {
            board.update(update);
        }
        let lines = self.lines.lines(update);
        if matches!(output.form, Form::Quiet) && !is_urgent(update) {
            return;
        }
        match (update, lines) {
            (RunUpdate::Noticed(notice), _) => output.notice(notice),
            (_, Some(lines)) => output.line(&lines),
            (_, None) => {}
        }
        output.draw();
    }

    fn tick(&mut self) {
        self.output().draw();
    }

    fn stops(&self) -> Box<dyn Fn() -> usize + Send + Sync> {
        let (interrupts, stops) = (Arc::clone(&self.interrupts), Arc::clone(&self.stops));
        let output = Arc::clone(&self.output);
        Box::new(move || {
            if interrupts.take() {
                stops.fetch_add(1, Ordering::Relaxed);
            }
            let stops = stops.load(Ordering::Relaxed);
            // Otherwise another thread is writing, and the next call tells it.
            if let Ok(mut output) = output.try_lock() {
                output.tell_stops(stops);
            }
            stops
        })
    }

    fn agree_to_plans_to_come(&mut self) -> bool {
        if self.is_agreed {
            return true;
        }
        if !self.is_at_terminal() {
            return false;
        }
        self.is_agreed = self.confirmed(
            "Run the tests of all plans that the agents make, without asking for each plan? [y/N] ",
        );
        true
    }

    fn agree_to_own(&mut self, what: OwnCommands, commands: &[CommandLine]) -> bool {
        let commands: Vec<&CommandLine> = commands.iter().collect();
        let (heading, question) = match what {
            OwnCommands::Setup => {
                ("the setup of each worktree:", "Run it, now and for each later worktree here? [y/N] ")
            }
            OwnCommands::LandTests => {
                ("the tests of all work that lands:", "Run them, now and for each later landing here? [y/N] ")
            }
        };
        self.agree_to(heading, &commands, question)
    }

    fn has_agreed(&self) -> bool {
        self.is_agreed
    }

    fn take_agreement(&mut self) {
        self.is_agreed = true;
    }

    fn can_ask(&self) -> bool {
        !self.is_unattended && self.is_at_terminal()
    }

    fn decide(&mut self, issue: &IssueId, failure: &Failure, is_settled: &dyn Fn() -> bool) -> Reply<Choice> {
        if !self.can_ask() {
            return Reply::None;
        }
        let id = self.painter.paint(style::ID, issue.as_str());
        self.line(&format!("{id} failed again: {}", lines_of(failure)));
        loop {
            match self.asked_unless("Retry it, skip it, or abort the run? [r/s/a] ", is_settled) {
                Reply::Given(answer) => match answer.as_str() {
                    "r" | "retry" => return Reply::Given(Choice::Retry),
                    "s" | "skip" => return Reply::Given(Choice::Skip),
                    "a" | "abort" => return Reply::Given(Choice::Abort),
                    _ => {}
                },
                Reply::Elsewhere => return Reply::Elsewhere,
                Reply::None => return Reply::None,
            }
        }
    }

    fn choose(
        &mut self,
        issue: &IssueId,
        plans: &[PlanToChoose],
        is_settled: &dyn Fn() -> bool,
    ) -> Reply<usize> {
        if !self.can_ask() {
            return Reply::None;
        }
        let id = self.painter.paint(style::ID, issue.as_str());
        self.line(&format!("{id} has {} plans:", plans.len()));
        for (n, plan) in (1..).zip(plans) {
            let (id, about) = (self.painter.paint(style::ID, plan.id.as_str()), clean_line(&plan.about));
            self.line(&format!("  {n}  {id}  {}  {about}", count(plan.tasks, "task")));
        }
        self.line("`git wf plan show PLAN` shows one of them");
        loop {
            let question = format!("Execute which of them, or none for now? [1-{}/n] ", plans.len());
            match self.asked_unless(&question, is_settled) {
                Reply::Given(answer) => match answer.as_str() {
                    "n" | "none" | "no" => return Reply::None,
                    answer => match answer.parse::<usize>() {
                        Ok(n) if (1..=plans.len()).contains(&n) => return Reply::Given(n - 1),
                        _ => {}
                    },
                },
                Reply::Elsewhere => return Reply::Elsewhere,
                Reply::None => return Reply::None,
            }
        }
    }

    fn agree(&mut self, solution: &SolutionId, commands: &[&CommandLine]) -> bool {
        let question = "Run them, now and whenever this plan is verified here? [y/N] ";
        self.agree_to(&format!("the tests of {solution}:"), commands, question)
    }
}
