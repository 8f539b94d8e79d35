//! An execution: the claim, its commits, its checks, and how it ended.

use super::looks::execution_style;
use super::words::{agent_note, session_line};
use super::{
    Block, Entry, EntryForm, Field, Line, List, Page, PerPage, Section, Span, Target, Text, commit, id, line,
    named, person, record, state, styled,
};
use crate::model::test_count::counted;
use crate::model::{Check, CheckOutcome, FeedbackType, Stage};
use crate::ops::issues::ShownExecution;
use crate::ops::work::{CommitView, EndView, ExecutionView, LandingView};
use crate::ui::{style, time};

/// Commits on a page in a browser.
const COMMITS: usize = 200;
/// Checks on a page in a browser.
const CHECKS: usize = 50;

/// The page of an execution.
pub(crate) fn page(shown: &ShownExecution) -> Page {
    let it = &shown.execution;
    let execution = &it.execution;
    let name = named(Target::Record(execution.id.to_string()), execution.id.short());
    let failure = it.failure.as_ref();
    let failed = failure.and_then(|failure| failure.message.as_ref());
    let trace = failure.and_then(|failure| failure.stack_trace.as_ref());
    let failed = failed.map(|text| Block::Text(Text::plain(text)));
    let trace = trace.map(|text| Block::Text(Text::output(text)));
    let failed: Vec<Block> = failed.into_iter().chain(trace).collect();
    let summary = it.result.as_ref().and_then(|result| result.summary.as_ref());
    let commits = it.commits.iter().map(|one| commit_line(it, one));
    let commits = List { label: "commits", per_page: PerPage::First(COMMITS), ..List::new(commits) };
    let sessions = it.sessions.iter().map(|session| Line::from(record(session_line(session))));
    let vouches = it.vouches.iter().map(|vouch| Line::from(record(vouch.words())));
    let ends = it.other_ends.iter().map(other_end);
    let checks = it.checks.iter().map(|check| check_entry(it, check));
    let per_page = PerPage::First(CHECKS);
    let blocks = [
        (!failed.is_empty()).then(|| Section::new("failed", failed)),
        summary.map(|text| Section::new("done", [Block::Text(Text::plain(text))])),
        Some(Section::list("landed", List::new(it.lands.iter().map(landing)))),
        Some(Section::list("also ended by other clones", List::new(ends))),
        Some(Section::list("agents", List::new(sessions))),
        Some(Section::list("commits", commits)),
        Some(Section::list("vouches", List::new(vouches))),
        Some(Section::list("checks", List { form: EntryForm::Folded, per_page, ..List::new(checks) })),
    ];
    Page {
        title: line![name, Span::Gap, record(&shown.title)],
        facts: facts(it),
        blocks: blocks.into_iter().flatten().collect(),
    }
}

fn facts(it: &ExecutionView) -> Vec<Field> {
    let execution = &it.execution;
    let has_ended = it.finished_at.is_some();
    let lease = if time::is_past(execution.lease_expires_at) { "lease ended" } else { "lease until" };
    let plan = line![id(&execution.solution_id), format!(" at {}", execution.plan_digest)];
    let kind = it.failure.as_ref().and_then(|failure| failure.error_type.as_ref());
    let fields = [
        Some(Field::new("status", state(execution_style(it.status), it.status_words()))),
        Some(Field::new("attempt", execution.attempt.to_string())),
        Some(Field::new("issue", id(&execution.issue_id))),
        Some(Field::new("plan", plan)),
        Some(Field::new("by", person(&execution.actor))),
        Field::given("role", execution.role.as_ref().map(record)),
        Field::given("branch", execution.branch.as_ref().map(|branch| record(branch.to_string()))),
        Field::given("base", execution.base_commit.as_ref().map(commit)),
        Field::given("worktree", execution.worktree.as_ref().map(record)),
        Field::given("claimed through", execution.via.as_ref().map(|via| record(via.to_string()))),
        Some(Field::new("began", execution.started_at)),
        Field::given(lease, (!has_ended).then_some(Span::Point(execution.lease_expires_at))),
        Field::given("ended", it.finished_at),
        Field::given("ended by", it.ended_by.as_ref().map(person)),
        Field::given("override", it.forced.as_ref().map(record)),
        Field::given("error", kind.map(record)),
    ];
    fields.into_iter().flatten().collect()
}

/// A commit in one line, with its task.
pub(super) fn commit_line(it: &ExecutionView, one: &CommitView) -> Line {
    let tasks = one
        .link
        .tasks()
        .map(|task| named(Target::Task(it.execution.solution_id.clone(), task.to_string()), task));
    let tasks = Line::listed(tasks);
    let tasks = if tasks.0.is_empty() { tasks } else { line![" [", tasks, "]"] };
    let agent = record(agent_note(one.made_by.as_ref()));
    line![commit(&one.link.hash), tasks, " ", record(&one.link.subject), agent, one.location_note()]
}

/// One execution in the list of its issue. If there are several results, each is shown with the person who reported it.
pub(super) fn attempt(it: &ExecutionView, is_one_of_several: bool) -> Entry {
    let execution = &it.execution;
    let head = line![
        named(Target::Record(execution.id.to_string()), execution.id.short()),
        Span::Gap,
        format!("attempt {}, ", execution.attempt),
        state(execution_style(it.status), it.status_words()),
        ", by ",
        person(&execution.actor),
        ", ",
        execution.started_at,
        record(it.end_note()),
    ];
    let commits = it.commits.iter().map(|one| commit_line(it, one));
    let commits = List { label: "commits", per_page: PerPage::First(COMMITS), ..List::new(commits) };
    let failure = it.failure.as_ref().and_then(|failure| failure.message.as_ref());
    let failure = failure.map(|message| Block::Line(styled(style::BAD, message).into()));
    let is_told = is_one_of_several || !it.other_ends.is_empty();
    let summary = if is_told { it.result.as_ref().and_then(|result| result.summary.as_ref()) } else { None };
    let summary = summary.map(|text| Block::Line(line!["done: ", record(text)]));
    let rest = it.lands.iter().map(landing).chain(it.other_ends.iter().map(other_end));
    Entry::new(head).with(
        [Block::List(commits)]
            .into_iter()
            .chain(failure)
            .chain(summary)
            .chain([Block::List(List::new(rest))]),
    )
}

fn landing(it: &LandingView) -> Line {
    line![record(it.words()), ", by ", person(&it.landed_by), ", ", it.landed_at]
}

/// What another clone reported about the same execution.
fn other_end(it: &EndView) -> Line {
    record(it.note()).into()
}

fn check_entry(it: &ExecutionView, check: &Check) -> Entry {
    let outcome = check.outcome();
    let look = if outcome.has_passed() { style::GOOD } else { style::BAD };
    let word = match outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::NoTests => "no tests",
        CheckOutcome::FailedTests(_) | CheckOutcome::Failed(_) => "failed",
        CheckOutcome::Stopped => "stopped",
    };
    let plan = &it.execution.solution_id;
    let task = check.task_id.as_ref();
    let task = task.map(|task| line![" [", named(Target::Task(plan.clone(), task.to_string()), task), "]"]);
    let at = check.commit.as_ref().map(|hash| line![" at ", commit(hash)]);
    let dirty = check.dirty.then_some(", with uncommitted changes");
    let amounts = format!(", {}, {}", time::length(check.duration_ms), counted(check.tests));
    let proved = check.proof.as_ref().map(|proof| if proof.holds() { ", proved" } else { ", not proved" });
    let head =
        line![state(look, word), task, " ", Span::Code(check.command.clone()), at, amounts, dirty, proved];
    let tests = check
        .named_tests
        .iter()
        .map(|test| line![state(style::PLAIN, test.outcome.as_str()), " ", record(&test.name)]);
    let proof = check.proof.as_ref().map(|proof| Block::Line(record(proof.words()).into()));
    Entry::new(head).with(
        [Block::List(List::new(tests))]
            .into_iter()
            .chain(proof)
            .chain([Block::Text(Text::output(&check.output_tail))]),
    )
}

/// What kind of feedback it is, and where it arose: `failed during execution`.
pub(crate) fn feedback_heading(kind: FeedbackType, stage: Stage) -> String {
    let kind = match kind {
        FeedbackType::Failure => "failed",
        FeedbackType::Clarification => "clarified",
        FeedbackType::Rejection => "rejected",
    };
    let stage = match stage {
        Stage::New => "when it was registered",
        Stage::Plan => "during planning",
        Stage::Review => "in review",
        Stage::Execute => "during execution",
    };
    format!("{kind} {stage}")
}
