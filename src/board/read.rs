//! The thread that reads. Of several pending requests of one kind, it answers only the last, and so never falls behind.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use super::event::{BoardEvent, RefusedText, WantedPage};
use super::overlay::{Choosing, MenuPlan};
use super::page::IssuePage;
use super::{BoardSettings, dag};
use crate::ops::issues::{self, Lanes, ShownRecord};
use crate::ops::plans::SolutionView;
use crate::ops::trail::{self, IssuePatches, LogInput};
use crate::ops::{Done, Notice, Progress, Refusal, Session, plans};
use crate::page::remedy::with_remedies;
use crate::page::{self, terminal};
use crate::ui::captured::capture;
use crate::ui::{Strokes, StyledLine, style, text};

/// Maximum lines of a page; the commands print the rest.
const MOST_LINES: usize = 5_000;
/// Maximum steps of the log on its page.
const MOST_STEPS: usize = 50;
/// Minimum time between two reports of progress.
const PACE: Duration = Duration::from_millis(100);

/// A request.
#[allow(clippy::large_enum_variant)] // Only a few exist at a time.
#[derive(Debug)]
pub(super) enum ReadRequest {
    /// The lanes; the number identifies the request.
    Lanes(u64, Lanes),
    /// A page; the number identifies the request.
    Page(u64, WantedPage),
    /// The plans of an issue, for a menu.
    Plans(String, Choosing),
}

/// Answers requests until the board ends.
pub(super) fn answer(
    settings: &BoardSettings,
    colour: bool,
    asked: &Receiver<ReadRequest>,
    events: &Sender<BoardEvent>,
) {
    while let Ok(first) = asked.recv() {
        for question in last_of_each(std::iter::once(first).chain(asked.try_iter())) {
            let event = Reader { settings, colour, events }.event(question);
            if events.send(event).is_err() {
                return;
            }
        }
    }
}

/// All requests for plans, then the last one for lanes and the last one for a page.
fn last_of_each(all: impl Iterator<Item = ReadRequest>) -> Vec<ReadRequest> {
    let (mut lanes, mut page, mut kept) = (None, None, Vec::new());
    for question in all {
        match question {
            ReadRequest::Lanes(..) => lanes = Some(question),
            ReadRequest::Page(..) => page = Some(question),
            ReadRequest::Plans(..) => kept.push(question),
        }
    }
    kept.into_iter().chain(lanes).chain(page).collect()
}

struct Reader<'a> {
    settings: &'a BoardSettings,
    colour: bool,
    events: &'a Sender<BoardEvent>,
}

impl Reader<'_> {
    fn event(&self, question: ReadRequest) -> BoardEvent {
        match question {
            ReadRequest::Lanes(number, input) => BoardEvent::Lanes(
                number,
                self.read(|session| issues::lanes(session, &input).map(|done| done.view)),
            ),
            ReadRequest::Page(number, wanted) => {
                BoardEvent::Page(number, self.read(|session| self.page(session, &wanted)))
            }
            ReadRequest::Plans(issue, choosing) => {
                let found = self.read(|session| {
                    let done = plans::list(session, Some(&issue))?;
                    Ok(done.view.iter().map(MenuPlan::from).collect())
                });
                BoardEvent::Plans(issue, choosing, found)
            }
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Session) -> Result<T, Refusal>) -> Result<T, RefusedText> {
        let progress = ReadProgress { events: self.events.clone(), last: Cell::new(Instant::now()) };
        let session = self.settings.session(Box::new(progress));
        session.and_then(|session| read(&session)).map_err(|refusal| super::write::refused(refusal, &[]))
    }

    /// The lines of a page and the notices below them, wrapped to its width.
    fn page(&self, session: &Session, wanted: &WantedPage) -> Result<Vec<StyledLine>, Refusal> {
        let WantedPage { issue, page, columns } = wanted;
        let (lines, notices) = match page {
            IssuePage::Issue => self.issue(session, issue, *columns)?,
            IssuePage::Plan => self.plan(session, issue, *columns)?,
            IssuePage::Tasks => {
                let (plan, notices) = plan_of(session, issue)?;
                (plan.map_or_else(no_plan, |plan| dag::lines(&plan.typed, Strokes::from_env())), notices)
            }
            IssuePage::Trail => {
                let Done { view, notices, .. } = trail::trace(session, issue, false)?;
                (
                    self.captured(*columns, |screen| terminal::print(screen, &page::trace::page(&view)))?,
                    notices,
                )
            }
            IssuePage::Diff => {
                let Done { view, notices, .. } = trail::patches(session, issue)?;
                (diff(&view), notices)
            }
            IssuePage::Log => self.log(session, issue, *columns)?,
        };
        let mut rows: Vec<StyledLine> = lines.iter().flat_map(|line| line.wrapped(*columns)).collect();
        if rows.len() > MOST_LINES {
            let left = text::count(rows.len() - MOST_LINES, "more line");
            rows.truncate(MOST_LINES);
            rows.push(StyledLine::new(style::DIM, &format!("… {left}")));
        }
        for Notice { message, remedies, .. } in notices {
            let words = format!("warning: {}", with_remedies(&message, &remedies));
            rows.push(StyledLine::default());
            rows.extend(StyledLine::new(style::WARN, &words).wrapped(*columns));
        }
        Ok(rows)
    }

    fn captured(
        &self,
        columns: usize,
        print: impl FnOnce(&mut crate::ui::Screen) -> std::io::Result<()>,
    ) -> Result<Vec<StyledLine>, Refusal> {
        capture(columns, self.colour, print).map_err(super::gone)
    }

    fn issue(&self, session: &Session, issue: &str, columns: usize) -> Result<Read, Refusal> {
        let Done { view, notices, .. } = issues::show(session, &issues::ShowRecord::new(issue))?;
        let lines = match &view {
            ShownRecord::Issue(view) => {
                self.captured(columns, |screen| terminal::print(screen, &page::issue::page(view)))?
            }
            // Not reached: the id is that of an issue.
            _ => vec![],
        };
        Ok((lines, notices))
    }

    fn plan(&self, session: &Session, issue: &str, columns: usize) -> Result<Read, Refusal> {
        let (plan, notices) = plan_of(session, issue)?;
        let lines = match &plan {
            Some(plan) => {
                self.captured(columns, |screen| terminal::print(screen, &page::plan::page(plan)))?
            }
            None => no_plan(),
        };
        Ok((lines, notices))
    }

    fn log(&self, session: &Session, issue: &str, columns: usize) -> Result<Read, Refusal> {
        let input = LogInput {
            id: Some(issue.to_owned()),
            with_changes: true,
            limit: Some(MOST_STEPS),
            ..LogInput::default()
        };
        let Done { view, notices, .. } = trail::log(session, &input)?;
        let now = session.store().now()?.millis();
        let steps = view.collect::<Result<Vec<_>, _>>()?;
        let lines = self.captured(columns, |screen| {
            steps.iter().try_for_each(|step| (self.settings.lent.step)(screen, step, None, Some(now)))
        })?;
        Ok((lines, notices))
    }
}

/// The lines of a page, and the notices.
type Read = (Vec<StyledLine>, Vec<Notice>);

/// The bound plan of an issue, or else its latest.
fn plan_of(session: &Session, issue: &str) -> Result<(Option<SolutionView>, Vec<Notice>), Refusal> {
    let Done { view: plans, notices, .. } = plans::list(session, Some(issue))?;
    let at = plans.iter().position(|plan| plan.is_bound).or(plans.len().checked_sub(1));
    Ok((at.and_then(|at| plans.into_iter().nth(at)), notices))
}

fn no_plan() -> Vec<StyledLine> {
    vec![StyledLine::new(style::DIM, "no plan yet; `git wf plan` writes one")]
}

fn diff(patches: &IssuePatches) -> Vec<StyledLine> {
    if patches.commits.is_empty() {
        return vec![StyledLine::new(style::DIM, "no commits are linked to it")];
    }
    let mut lines = Vec::new();
    for commit in &patches.commits {
        let task = commit.task.as_ref().map(|task| format!(" [{task}]")).unwrap_or_default();
        let heading = format!("commit {}{task} {}", commit.hash.short(), commit.subject);
        lines.push(StyledLine::new(style::HEADING, &heading));
        match &commit.text {
            None => lines.push(StyledLine::new(
                style::WARN,
                "this commit is not in this repository; `git fetch` may bring it",
            )),
            Some(text) => {
                lines.extend(
                    text.lines().map(|line| StyledLine::new(look(line), &line.replace('\t', "    "))),
                );
            }
        }
        if commit.is_cut {
            lines.push(StyledLine::new(
                style::DIM,
                &format!("… cut; `git show {}` shows all of it", commit.hash.short()),
            ));
        }
        lines.push(StyledLine::default());
    }
    if patches.left_out > 0 {
        let more = text::count(patches.left_out, "more commit");
        lines.push(StyledLine::new(style::DIM, &format!("… {more}; `git wf trace` lists them")));
    }
    lines
}

/// The style of a patch line. Its first character says the same without colour.
fn look(line: &str) -> style::Style {
    match line.as_bytes().first() {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => style::HEADING,
        Some(b'+') => style::GOOD,
        Some(b'-') => style::BAD,
        Some(b'@') => style::ID,
        Some(b'd') if line.starts_with("diff ") => style::HEADING,
        _ => style::PLAIN,
    }
}

impl From<&SolutionView> for MenuPlan {
    fn from(plan: &SolutionView) -> Self {
        let about = plan.typed.description.as_deref().unwrap_or_default();
        let (tasks, bound) =
            (text::count(plan.task_count, "task"), if plan.is_bound { ", bound" } else { "" });
        let review = plan.standing.verdict.map(|it| format!(", {it}")).unwrap_or_default();
        let withdrawn = if plan.withdrawn.is_some() { ", withdrawn" } else { "" };
        Self {
            id: plan.id.to_string(),
            words: format!("{} ({tasks}{review}{bound}{withdrawn}) {about}", plan.id),
            is_bound: plan.is_bound,
            digest: plan.plan_digest.clone(),
        }
    }
}

/// Reports progress to the board, at most once every [`PACE`].
struct ReadProgress {
    events: Sender<BoardEvent>,
    last: Cell<Instant>,
}

impl Progress for ReadProgress {
    fn at(&self, doing: &'static str, done: usize, total: usize) {
        self.count(doing, done as u64, Some(total as u64));
    }

    fn count(&self, doing: &'static str, done: u64, total: Option<u64>) {
        if self.last.get().elapsed() >= PACE {
            self.last.set(Instant::now());
            // The board may have ended.
            let _ = self.events.send(BoardEvent::Progress(doing, done, total));
        }
    }

    fn end(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_question_of_a_kind_is_answered() {
        let page =
            |n| ReadRequest::Page(n, WantedPage { issue: "A-1".into(), page: IssuePage::Issue, columns: 80 });
        let plans = || ReadRequest::Plans("A-1".into(), Choosing::Bind);
        let kept = last_of_each([page(1), plans(), page(2), plans(), page(3)].into_iter());
        assert!(
            matches!(kept[..], [ReadRequest::Plans(..), ReadRequest::Plans(..), ReadRequest::Page(3, _)]),
            "{kept:?}"
        );
    }

    #[test]
    fn the_lines_of_a_patch_say_what_they_are_without_colour() {
        for (line, style) in [
            ("+x", style::GOOD),
            ("-x", style::BAD),
            ("--- a/x", style::HEADING),
            ("@@ -1 +1 @@", style::ID),
            (" x", style::PLAIN),
            ("", style::PLAIN),
        ] {
            assert_eq!(look(line), style, "{line}");
        }
    }
}
