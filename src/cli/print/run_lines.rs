//! What happens in a run, as lines for people. Each line about an issue begins with its id and its title.

use std::collections::BTreeMap;

use crate::model::{
    ActionDone, Branch, Failure, IssueId, IssueReached, IssueStatus, Run, RunAgents, RunEvent, RunStatus,
    RunStep, Setback,
};
use crate::rules::run::{ALL_FAILED, breach_words, is_for_a_person, limited_words, order_words};
use crate::run::{RunUpdate, StartedIssue, WorkTest};
use crate::ui::{Painter, clean_line, count, indent, style, truncate};

/// The columns that a title may take.
pub(super) const TITLE: usize = 40;
/// How far the lines below the first are indented.
const MARGIN: usize = 4;

/// Turns updates into lines.
pub(super) struct RunLines {
    painter: Painter,
    titles: BTreeMap<IssueId, String>,
    /// The short name of the branch of the run.
    branch: Option<Branch>,
    /// The last failure reported, by issue.
    failed: BTreeMap<IssueId, Failure>,
}

impl RunLines {
    pub(super) fn new(painter: Painter) -> Self {
        Self { painter, titles: BTreeMap::new(), branch: None, failed: BTreeMap::new() }
    }

    /// What to say about an update: one line or several, without a newline at the end; nothing if another update says
    /// it.
    pub(super) fn lines(&mut self, update: &RunUpdate<'_>) -> Option<String> {
        match update {
            RunUpdate::Started { run, agents, is_resumed, issues } => {
                Some(self.started(run, agents, *is_resumed, issues))
            }
            RunUpdate::Began { issue, step, agent, attempt } => {
                let again = match attempt {
                    0 | 1 => String::new(),
                    n => format!(", {} attempt", ordinal(*n)),
                };
                Some(self.about(issue, &format!("{} by {}{again}", step.noun(), clean_line(agent))))
            }
            RunUpdate::Tests { issue, of } => {
                let what = match of {
                    WorkTest::Copies => "tests of copies of its commits",
                    WorkTest::Landing => "landing",
                };
                Some(self.about(issue, what))
            }
            RunUpdate::Logged(entry) => self.logged(&entry.event),
            RunUpdate::Noticed(_)
            | RunUpdate::Ended { .. }
            | RunUpdate::Task { .. }
            | RunUpdate::Said { .. } => None,
        }
    }

    fn started(
        &mut self,
        run: &Run,
        agents: &RunAgents,
        is_resumed: bool,
        issues: &[StartedIssue],
    ) -> String {
        self.branch = run.branch();
        self.titles = issues.iter().map(|it| (it.id.clone(), it.title.clone())).collect();
        let again = if is_resumed { " resumes" } else { "" };
        let id = self.painter.paint(style::ID, run.id.as_str());
        let mut lines = vec![format!("{id}{again}: {}, {}", run.mode, count(issues.len(), "issue"))];
        lines.extend(crate::page::run_report::crew(agents).map(|crew| format!("  {crew}")));
        let width = issues.iter().map(|it| it.id.as_str().len()).max().unwrap_or(0);
        lines.extend(issues.iter().map(|it| {
            let id = self.painter.paint(style::ID, &format!("{:<width$}", it.id.as_str()));
            let title = clean_line(&it.title);
            let status = match it.status {
                IssueStatus::Registered => String::new(),
                status => format!(" ({status})"),
            };
            format!("  {id}  {title}{status}")
        }));
        lines.join("\n")
    }

    /// A sentence about an issue.
    fn about(&self, issue: &IssueId, what: &str) -> String {
        let title = self.titles.get(issue).map(String::as_str).unwrap_or_default();
        let title = match truncate(&clean_line(title), TITLE) {
            title if title.is_empty() => title,
            title => format!(" {title}"),
        };
        format!("{}{title}: {what}", self.painter.paint(style::ID, issue.as_str()))
    }

    fn about_any(&self, issue: Option<&IssueId>, what: &str) -> String {
        issue.map_or_else(|| what.to_owned(), |issue| self.about(issue, what))
    }

    fn logged(&mut self, event: &RunEvent) -> Option<String> {
        match event {
            RunEvent::Phase(it) => {
                // The outcome of the run says when every issue failed.
                let error = it.error.as_ref().filter(|it| it.error_type.as_deref() != Some(ALL_FAILED))?;
                let label = self.painter.paint(style::WARN, "warning:");
                let what = if it.status == RunStatus::Completed { "the run has ended: " } else { "" };
                Some(format!("{label} {what}{}", lines_of(error)))
            }
            RunEvent::Issue(it) => self.reached(it),
            RunEvent::Action(it) => self.done(it),
            RunEvent::Setback(it) => Some(self.setback(it)),
            RunEvent::Spent(_) => None,
            RunEvent::Limited(it) => {
                let label = self.painter.paint(style::WARN, "limit:");
                Some(format!("{label} {}", clean_line(&limited_words(it))))
            }
            RunEvent::Order(it) => Some(order_words(it)),
            // Whoever is asked sees it.
            RunEvent::Question(_) => None,
            RunEvent::Decision(it) => Some(self.about(&it.issue_id, &format!("{} was chosen", it.choice))),
            RunEvent::Breach(it) => {
                let label = self.painter.paint(style::WARN, "breach:");
                Some(format!("{label} {}", clean_line(&breach_words(it, str::to_owned))))
            }
        }
    }

    fn reached(&mut self, it: &IssueReached) -> Option<String> {
        let issue = &it.issue_id;
        if let Some(error) = &it.error {
            let is_known = self.failed.get(issue) == Some(error);
            let what = match it.status {
                IssueStatus::Failed => "failed",
                // It has several plans, and none of them is bound; or its plan has no review.
                _ if is_for_a_person(error) => "waits",
                _ => "left to others",
            };
            let why = if is_known { String::new() } else { format!(": {}", lines_of(error)) };
            return Some(self.about(issue, &format!("{what}{why}")));
        }
        let note = it.note.as_deref().map(clean_line);
        let what = match (it.status, note) {
            (IssueStatus::Planned, None) => match &it.solution_id {
                Some(solution) => format!("planned: {solution}"),
                None => return None,
            },
            (IssueStatus::Queued, None) => match &it.item_id {
                Some(item) => format!("queued as {item}"),
                None => "queued again".to_owned(),
            },
            (IssueStatus::Completed, None) => "completed".to_owned(),
            // The step that begins now says so.
            (IssueStatus::Planning | IssueStatus::Executing, None) => return None,
            (status, None) => status.to_string(),
            (status, Some(note)) => format!("{status} ({note})"),
        };
        Some(self.about(issue, &what))
    }

    fn done(&mut self, it: &ActionDone) -> Option<String> {
        let issue = it.issue_id.as_ref();
        if let Some(why) = &it.skipped {
            let is_known = issue.and_then(|id| self.failed.get(id)?.message.as_ref()) == Some(why);
            let why = if is_known { String::new() } else { format!(": {}", clean_line(why)) };
            return Some(self.about_any(issue, &format!("no {}{why}", it.action.noun())));
        }
        let by = it.agent.as_deref().map(|agent| format!(" by {}", clean_line(agent))).unwrap_or_default();
        let what = match (it.action, it.note.as_deref().map(clean_line)) {
            (RunStep::Explore, Some(note)) => format!("explored{by}: {note}"),
            (RunStep::Explore, None) => format!("explored{by}"),
            (RunStep::Review, Some(note)) => format!("reviewed{by}: {note}"),
            (RunStep::Review, None) => format!("reviewed{by}"),
            (RunStep::Plan, Some(note)) => note.into_owned(),
            (RunStep::Integrate, _) => match &self.branch {
                Some(branch) => format!("merged into {branch}"),
                None => "merged".to_owned(),
            },
            // The issue's own line reports the outcome.
            (RunStep::Plan | RunStep::Queue | RunStep::Execute, _) => return None,
        };
        Some(self.about_any(issue, &what))
    }

    fn setback(&mut self, it: &Setback) -> String {
        if let Some(issue) = &it.issue_id {
            self.failed.insert(issue.clone(), it.error.clone());
        }
        let what = format!("{} failed: {}", it.action.noun(), lines_of(&it.error));
        self.about_any(it.issue_id.as_ref(), &what)
    }
}

/// What went wrong: a line, and below it those of the output of a program.
pub(super) fn lines_of(error: &Failure) -> String {
    let message = error.message.as_deref().or(error.error_type.as_deref()).unwrap_or_default();
    text_lines(message)
}

/// A text of several lines, of which the ones below the first are indented.
pub(super) fn text_lines(message: &str) -> String {
    match message.trim().split_once('\n') {
        None => clean_line(message.trim()).into_owned(),
        Some((first, rest)) => format!("{}\n{}", clean_line(first), indent(rest, MARGIN)),
    }
}

fn ordinal(n: usize) -> String {
    match n {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        n => format!("{n}th"),
    }
}
