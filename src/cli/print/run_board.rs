//! The lines that show how far each issue of a run has come, and the run as a whole.

use std::time::{Duration, Instant};

use super::run_lines::TITLE;
use crate::model::{IssueId, IssueStatus, Order, OrderKind, RunEvent};
use crate::rules::run::{IssueStage, stage};
use crate::run::{RunUpdate, StartedIssue, WorkTest};
use crate::ui::{clean_line, time, truncate, width};

/// The cells of the bar.
const CELLS: usize = 20;

/// How far a run has come.
pub(super) struct Board {
    began: Instant,
    /// The issues, in the order of the run.
    rows: Vec<Row>,
}

struct Row {
    issue: IssueId,
    title: String,
    status: IssueStatus,
    /// What an agent, or a test, is doing for it.
    work: Option<Work>,
    /// The last line that its agents wrote.
    said: String,
    /// The rest of a line that is not complete.
    begun: String,
}

struct Work {
    step: &'static str,
    task: String,
    since: Instant,
}

impl Board {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), rows: Vec::new() }
    }

    /// Follows what a run tells.
    pub(super) fn update(&mut self, update: &RunUpdate<'_>) {
        match update {
            RunUpdate::Started { issues, .. } => {
                let row = |it: &StartedIssue| Row {
                    issue: it.id.clone(),
                    title: truncate(&clean_line(&it.title), TITLE),
                    status: it.status,
                    work: None,
                    said: String::new(),
                    begun: String::new(),
                };
                self.rows = issues.iter().map(row).collect();
            }
            RunUpdate::Began { issue, step, .. } => {
                self.change(issue, |row| row.begin(step.verb()));
            }
            RunUpdate::Tests { issue, of } => {
                let step = match of {
                    WorkTest::Copies => "test copies",
                    WorkTest::Landing => "land",
                };
                self.change(issue, |row| row.begin(step));
            }
            RunUpdate::Noticed(_) => {}
            RunUpdate::Ended { issue } => self.change(issue, |row| row.work = None),
            RunUpdate::Task { issue, task } => {
                let task = task.to_string();
                self.change(issue, |row| {
                    if let Some(work) = &mut row.work {
                        work.task = task;
                    }
                });
            }
            RunUpdate::Said { issue, text } => self.change(issue, |row| row.hear(text)),
            RunUpdate::Logged(entry) => self.logged(&entry.event),
        }
    }

    fn logged(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Issue(reached) => {
                self.change(&reached.issue_id, |row| row.status = reached.status);
            }
            RunEvent::Order(Order { order: OrderKind::Add, issue_id: Some(issue), .. })
                if !self.rows.iter().any(|row| row.issue == *issue) =>
            {
                self.rows.push(Row {
                    issue: issue.clone(),
                    title: String::new(),
                    status: IssueStatus::Registered,
                    work: None,
                    said: String::new(),
                    begun: String::new(),
                });
            }
            _ => {}
        }
    }

    fn change(&mut self, issue: &IssueId, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.issue == *issue) {
            change(row);
        }
    }

    /// At most this many lines: the issues, those in progress first, and below them a bar for the whole run.
    pub(super) fn lines(&self, rows: usize) -> Vec<String> {
        let room = rows.saturating_sub(2);
        let mut shown: Vec<&Row> = self.rows.iter().collect();
        if shown.len() > room {
            shown.sort_by_key(|row| row.work.is_none());
            shown.truncate(room);
        }
        let ids = shown.iter().map(|row| row.issue.as_str().len()).max().unwrap_or(0);
        let titles = shown.iter().map(|row| width(&row.title)).max().unwrap_or(0);
        let mut lines: Vec<String> = shown.iter().map(|row| row.line(ids, titles)).collect();
        let hidden = self.rows.len() - shown.len();
        if hidden > 0 {
            lines.push(format!("… and {hidden} more"));
        }
        lines.push(self.bar());
        lines
    }

    /// `[########············] 2 of 5 completed, 1 failed, 1m 4s`
    fn bar(&self) -> String {
        let count = |of: IssueStage| self.rows.iter().filter(|row| stage(row.status) == of).count();
        let (all, completed, failed) =
            (self.rows.len(), count(IssueStage::Completed), count(IssueStage::Failed));
        let full = ((completed + failed) * CELLS).checked_div(all).unwrap_or(0);
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(CELLS - full));
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        format!("[{bar}] {completed} of {all} completed{failed}, {}", length(self.began.elapsed()))
    }
}

impl Row {
    /// The row, with these widths for the ids and the titles.
    fn line(&self, ids: usize, titles: usize) -> String {
        let gap = " ".repeat(titles.saturating_sub(width(&self.title)));
        let issue = format!("{:<ids$}  {}{gap}", self.issue.as_str(), self.title);
        let Some(work) = &self.work else { return format!("{issue}  {}", self.status) };
        let task = if work.task.is_empty() { String::new() } else { format!(" {}", work.task) };
        let time = length(work.since.elapsed());
        format!("{issue}  {}{task}  {time}  {}", work.step, self.said)
    }

    fn begin(&mut self, step: &'static str) {
        self.work = Some(Work { step, task: String::new(), since: Instant::now() });
        self.said.clear();
        self.begun.clear();
    }

    /// Keeps the last line that says something: the `}` at the end of an answer does not.
    fn hear(&mut self, text: &str) {
        self.begun.push_str(text);
        let mut pieces = self.begun.rsplit('\n');
        let rest = pieces.next().unwrap_or_default().to_owned();
        let last =
            std::iter::once(rest.as_str()).chain(pieces).find(|line| line.contains(char::is_alphanumeric));
        if let Some(last) = last {
            self.said = last.trim().chars().take(LONGEST).collect();
        }
        // Output without line breaks must not grow.
        self.begun = rest.chars().take(LONGEST).collect();
    }
}

/// More of a line would not fit anywhere.
const LONGEST: usize = 400;

fn length(time: Duration) -> String {
    time::length(u64::try_from(time.as_millis()).unwrap_or(u64::MAX) / 1000 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{IssueReached, Person, RunLogEntry, RunStep, Time};

    fn id(n: usize) -> IssueId {
        IssueId::parse(&format!("ISS-{n}")).unwrap()
    }

    fn board(statuses: &[IssueStatus]) -> Board {
        let rows = (1..).zip(statuses).map(|(n, status)| Row {
            issue: id(n),
            title: format!("Mend {n}"),
            status: *status,
            work: None,
            said: String::new(),
            begun: String::new(),
        });
        Board { began: Instant::now(), rows: rows.collect() }
    }

    #[test]
    fn an_issue_has_its_step_its_task_and_the_last_line_of_its_agent() {
        use IssueStatus::{Completed, Failed, Queued, Registered};
        let mut board = board(&[Completed, Failed, Queued, Registered]);
        board.update(&RunUpdate::Began { issue: &id(3), step: RunStep::Execute, agent: "a", attempt: 1 });
        let lines = board.lines(20);
        assert_eq!((lines.len(), lines[0].as_str()), (5, "ISS-1  Mend 1  completed"));
        assert!(lines[2].starts_with("ISS-3  Mend 3  execute  "), "{lines:?}");
        assert!(lines[4].starts_with("[##########..........] 1 of 4 completed, 1 failed, "), "{lines:?}");
        for text in ["one\ntw", "o\n", "\n \n", "  ]\n}\n"] {
            board.update(&RunUpdate::Said { issue: &id(3), text });
        }
        assert!(board.lines(20)[2].ends_with("  two"), "{:?}", board.lines(20));
        board.update(&RunUpdate::Ended { issue: &id(3) });
        let entry = RunLogEntry {
            id: entry_id("20261121T021405123Z-00000"),
            event: RunEvent::Issue(IssueReached::plain(id(3), Completed)),
            actor: Person::from("Ada"),
            at: Time::EPOCH,
        };
        board.update(&RunUpdate::Logged(&entry));
        assert_eq!(board.lines(20)[2], "ISS-3  Mend 3  completed");
    }

    #[test]
    fn tests_of_completed_work_are_shown_as_long_as_they_run() {
        let mut board = board(&[IssueStatus::Completed, IssueStatus::Completed]);
        board.update(&RunUpdate::Tests { issue: &id(1), of: WorkTest::Copies });
        board.update(&RunUpdate::Tests { issue: &id(2), of: WorkTest::Landing });
        let lines = board.lines(20);
        assert!(lines[0].starts_with("ISS-1  Mend 1  test copies  "), "{lines:?}");
        assert!(lines[1].starts_with("ISS-2  Mend 2  land  "), "{lines:?}");
        board.update(&RunUpdate::Ended { issue: &id(1) });
        assert_eq!(board.lines(20)[0], "ISS-1  Mend 1  completed");
    }

    #[test]
    fn issues_in_work_are_shown_first_where_not_all_fit() {
        let mut board = board(&[IssueStatus::Registered; 9]);
        board.update(&RunUpdate::Began { issue: &id(8), step: RunStep::Plan, agent: "a", attempt: 1 });
        let lines = board.lines(5);
        assert_eq!((lines.len(), lines[3].as_str()), (5, "… and 6 more"));
        assert!(lines[0].starts_with("ISS-8  Mend 8  plan"), "{lines:?}");
    }
}
