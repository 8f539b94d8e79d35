//! The report of a run.

use std::collections::BTreeSet;

use super::execution::feedback_heading;
use super::looks::{gate_style, stage_style};
use super::remedy::with_remedies;
use super::{
    Block, Column, Diagram, Drawing, Entry, Field, Line, List, Page, PerPage, Section, Span, Table, commit,
    id, line, message, person, record, state,
};
use crate::model::test_count::counted;
use crate::model::{Cost, RunAgents, RunStatus};
use crate::rules::run::{IssueReport, ReportedCheck, SkippedStep, breach_words, money};
use crate::rules::{Counts, LandedState, QualityGate, RunReport};
use crate::ui::svg::{run_graph, run_times};
use crate::ui::{count, time};

/// Issues of a run, and what waits, on a page in a browser.
const ROWS: PerPage = PerPage::First(100);

/// The page of a run's report.
pub(crate) fn page(report: &RunReport) -> Page {
    let left_out = report.left_out.iter().map(|step| Line::from(message(left_out(step))));
    let breaches =
        report.breaches.iter().map(|breach| Line::from(record(breach_words(breach, str::to_owned))));
    let waiting = report.waiting.iter().map(|wait| {
        let issue = wait.issue_id.as_ref().map(|issue| line![id(issue), ": "]);
        line![issue, message(with_remedies(&wait.what, &wait.remedies))]
    });
    let details = report.issues.iter().map(details).filter(|entry| !entry.body.is_empty());
    let rows = |entries| List { per_page: ROWS, ..List::new::<Line>(entries) };
    let blocks = [
        Section::list("waiting for a person", rows(waiting.collect::<Vec<_>>())),
        Section::list("role breaches", rows(breaches.collect::<Vec<_>>())),
        Section::list("left out", rows(left_out.collect::<Vec<_>>())),
        Section::new("issues", [issues(report)]),
        Section::list("what happened", List { per_page: ROWS, ..List::new(details) }),
        Section::new("quality", [quality(report)]),
    ];
    let pictures = [
        dependencies(report).map(|picture| Section::new("dependencies", [picture])),
        (!report.issues.is_empty()).then(|| Section::new("timeline", [times(report)])),
    ];
    Page {
        title: line!["run ", id(&report.run_id)],
        facts: facts(report),
        blocks: blocks.into_iter().chain(pictures.into_iter().flatten()).collect(),
    }
}

fn facts(report: &RunReport) -> Vec<Field> {
    let standing = state(gate_style(report.quality.gate), standing(report));
    let fields = [
        Some(Field::new("status", standing)),
        Some(Field::new("issues", outcome(report))),
        Some(Field::new("work", amounts(report))),
        Some(Field::new("mode", report.mode.to_string())),
        Some(Field::new("started", line![Span::Point(report.started_at), " by ", person(&report.actor)])),
        Some(Field::new("took", took(report))),
        Some(Field::new(
            "agents",
            crew(&report.agents).map_or_else(|| "none".into(), |crew| line![record(crew)]),
        )),
        Field::given("confinement", report.confinement.as_ref().map(record)),
        Field::given("branch", report.branch.as_ref().map(|branch| record(branch.short()))),
    ];
    fields.into_iter().flatten().collect()
}

/// `2 of 3 issues completed (66%), 1 failed`
fn outcome(report: &RunReport) -> String {
    let totals = &report.totals;
    let rate = totals.success_rate.map(|rate| format!(" ({rate}%)")).unwrap_or_default();
    let failed = match totals.failed_count {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let waiting = waiting_words(totals.waiting_count);
    let issues = count(totals.issue_count, "issue");
    format!("{} of {issues} completed{rate}{failed}{waiting}", totals.completed_count)
}

/// How many issues of a run wait for someone to choose a plan; starts with a comma.
pub(crate) fn waiting_words(waiting: usize) -> String {
    match waiting {
        0 => String::new(),
        1 => ", 1 waits for you".to_owned(),
        n => format!(", {n} wait for you"),
    }
}

/// How the run ended, or what it is doing.
fn standing(report: &RunReport) -> String {
    let totals = &report.totals;
    match report.status {
        RunStatus::Completed => {
            let counts = Counts {
                total_issues: totals.issue_count,
                completed_count: totals.completed_count,
                failed_count: totals.failed_count,
            };
            counts.ended_as(totals.waiting_count).to_owned()
        }
        RunStatus::Pending | RunStatus::Running => format!("{}, {}", report.status, report.phase),
    }
}

/// The work: commits, checks, setbacks, and their cost.
fn amounts(report: &RunReport) -> String {
    let totals = &report.totals;
    let failed = match totals.failed_check_count {
        0 => String::new(),
        failed => format!(" ({failed} failed)"),
    };
    let checks = format!("{}{failed}", count(totals.check_count, "check"));
    let mut words = vec![count(totals.commit_count, "commit"), checks];
    if totals.setback_count > 0 {
        words.push(count(totals.setback_count, "failed step"));
    }
    match totals.breach_count {
        0 => {}
        1 => words.push("1 role breach".to_owned()),
        breaches => words.push(format!("{breaches} role breaches")),
    }
    words.extend(spent(totals.tokens, &totals.costs));
    words.join(", ")
}

/// Tokens and costs, if they are known.
fn spent(tokens: Option<u64>, costs: &[Cost]) -> Vec<String> {
    let tokens = tokens.map(|tokens| format!("{tokens} tokens"));
    tokens.into_iter().chain(costs.iter().map(money)).collect()
}

/// The time of the steps: `3 min 14 s: planning 3 min 2 s, executing 12 s`.
fn took(report: &RunReport) -> String {
    let mut parts: Vec<String> = report
        .phases
        .iter()
        .map(|phase| format!("{} {}", phase.phase, time::length(phase.took_ms)))
        .collect();
    if report.interrupted_ms > 0 {
        parts.push(format!("interrupted for {}", time::length(report.interrupted_ms)));
    }
    let whole = time::length(report.took_ms);
    if parts.is_empty() { whole } else { format!("{whole}: {}", parts.join(", ")) }
}

/// The agents with their roles; `None` if there is no agent.
pub(crate) fn crew(agents: &RunAgents) -> Option<String> {
    let agents = [
        ("explorer", &agents.explorer),
        ("planner", &agents.planner),
        ("reviewer", &agents.reviewer),
        ("executor", &agents.executor),
    ];
    let agents = agents.into_iter().filter_map(|(role, name)| Some(format!("{role}: {}", name.as_ref()?)));
    let agents: Vec<String> = agents.collect();
    (!agents.is_empty()).then(|| agents.join(", "))
}

/// A step that was left out, and why.
pub(crate) fn left_out(it: &SkippedStep) -> String {
    let issue = it.issue_id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
    format!("{issue}no {}: {}", it.action.noun(), it.why)
}

fn issues(report: &RunReport) -> Block {
    let columns = [
        Column::left("Issue"),
        Column::left("Status"),
        Column::left("Landed"),
        Column::left("Plan").spare(),
        Column::left("Review").spare(),
        Column::right("Commits").spare(),
        Column::left("Checks").spare(),
        Column::flexible("Executed by").spare(),
        Column::flexible("Spent").spare(),
        Column::flexible("Title"),
    ];
    let rows = report.issues.iter().map(|issue| {
        vec![
            id(&issue.issue_id).into(),
            state(stage_style(issue.status), issue.status).into(),
            landed(issue).into(),
            issue.solution_id.as_ref().map(id).into(),
            review(issue).into(),
            issue.commits.len().into(),
            passed(&issue.checks).into(),
            record(makers(issue)).into(),
            spent(issue.tokens, &issue.costs).join(", ").into(),
            record(&issue.title).into(),
        ]
    });
    Block::Table(Table { per_page: ROWS, ..Table::new("issues of the run", columns, rows) })
}

/// Whether the work of an issue has landed: `on main`, `not on main`; empty if it is not completed, or if there is no target.
fn landed(issue: &IssueReport) -> Option<Span> {
    let landed = issue.landed.as_ref()?;
    let words = match (&landed.waived, landed.state) {
        (Some(_), LandedState::Landed) => "nothing to land".to_owned(),
        (None, LandedState::Landed) => format!("on {}", landed.onto.short()),
        (_, LandedState::Unknown) => "unknown".to_owned(),
        (_, LandedState::Unlanded | LandedState::OnNoBranch) => landed.words()?,
    };
    Some(record(words))
}

/// The verdict and its total: `approved 92`.
fn review(issue: &IssueReport) -> String {
    let Some(review) = &issue.review else { return String::new() };
    let score = review.score.map(|score| format!(" {score}")).unwrap_or_default();
    format!("{}{score}", review.verdict)
}

/// How many test commands passed: `2/3`.
fn passed(checks: &[ReportedCheck]) -> String {
    let passed = checks.iter().filter(|check| check.outcome().has_passed()).count();
    format!("{passed}/{}", checks.len())
}

/// The agents that made commits of an issue, each once.
fn makers(issue: &IssueReport) -> String {
    let makers = issue.commits.iter().filter_map(|commit| commit.made_by.as_ref()).map(ToString::to_string);
    makers.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// What happened to an issue, one fact on each line.
fn details(issue: &IssueReport) -> Entry {
    let plan = issue.solution_id.as_ref().map(|plan| {
        let by = issue.planned_by.as_ref().map(|agent| line![" by ", record(agent)]);
        line!["plan ", id(plan), by]
    });
    let review = issue.review.as_ref().map(|reviewed| {
        let by = reviewed.reviewed_by.as_ref().map(|agent| line![" by ", record(agent)]);
        line!["review: ", review(issue), by]
    });
    let commits = issue.commits.iter().map(|made| {
        let task = made.task_id.as_deref().map(|task| format!(" [{task}]"));
        let by = made.made_by.as_ref().map(|by| record(format!(", with agent {by}")));
        line!["commit ", commit(&made.hash), task, " ", record(&made.subject), by]
    });
    let feedback = issue.feedback.iter().map(|said| {
        let content: Vec<&str> =
            said.content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        line![format!("{}: ", feedback_heading(said.kind, said.stage)), record(content.join("; "))]
    });
    let files: Vec<&str> = issue.unplanned_files.iter().map(String::as_str).collect();
    let outside = (!files.is_empty()).then(|| line!["changed outside the plan: ", record(files.join(", "))]);
    let setbacks = (issue.setback_count > 0)
        .then(|| format!("{} of its steps had to be retried or given up", issue.setback_count).into());
    let error = issue.error.iter().map(|error| line!["error: ", record(error)]);
    let spent = spent(issue.tokens, &issue.costs).join(", ");
    let spent = (!spent.is_empty()).then(|| format!("spent: {spent}").into());
    let lines = error
        .chain(plan)
        .chain(review)
        .chain(commits)
        .chain(issue.checks.iter().map(check))
        .chain(outside)
        .chain(feedback)
        .chain(setbacks)
        .chain(spent);
    let lines = List::new(lines);
    let entry = Entry::new(line![id(&issue.issue_id), " ", record(&issue.title)]);
    if lines.entries.is_empty() { entry } else { entry.with([Block::List(lines)]) }
}

fn check(it: &ReportedCheck) -> Line {
    let task = it.task_id.as_deref().map(|task| format!(" [{task}]"));
    let failed = (!it.failed_tests.is_empty()).then(|| record(format!(" ({})", it.failed_tests.join(", "))));
    let proof = it.proof.as_ref().map(|proof| record(format!(", {}", proof.words())));
    let tests = format!(", {}", counted(it.tests));
    line!["check", task, " ", record(&it.command), " ", it.outcome().to_string(), tests, failed, proof]
}

fn quality(report: &RunReport) -> Block {
    let quality = &report.quality;
    let columns = [Column::left("Dimension"), Column::left("Score"), Column::flexible("Basis")];
    let dimensions = quality.dimensions.iter().map(|dimension| {
        let score = dimension.score.map(|score| format!("{score} "));
        vec![
            dimension.dimension.as_str().into(),
            line![score, gate(dimension.gate)],
            record(&dimension.counted).into(),
        ]
    });
    let overall = vec!["overall".into(), gate(quality.gate), verdict(report).into()];
    Block::Table(Table::new("quality", columns, dimensions.chain([overall])))
}

fn gate(gate: Option<QualityGate>) -> Line {
    match gate {
        Some(known) => state(gate_style(gate), known).into(),
        None => "-".into(),
    }
}

/// The dimension that decides the verdict on the run, and the average of all dimensions.
fn verdict(report: &RunReport) -> String {
    let quality = &report.quality;
    let average = quality.score.map_or_else(|| "nothing".to_owned(), |score| score.to_string());
    let worst = quality
        .dimensions
        .iter()
        .filter(|dimension| dimension.score.is_some())
        .min_by_key(|dimension| dimension.score);
    match worst.filter(|dimension| dimension.score != quality.score) {
        Some(worst) => format!("decided by the lowest score, {} (average {average})", worst.dimension),
        None => format!("average {average}"),
    }
}

fn dependencies(report: &RunReport) -> Option<Block> {
    let (boxes, arrows) = run_graph(report);
    if arrows.is_empty() {
        return None;
    }
    let name = |n: usize| id(&report.issues[n].issue_id);
    let alternative =
        arrows.iter().map(|arrow| line![name(arrow.from), " before ", name(arrow.to)]).collect();
    let drawing = Drawing::Graph(boxes, arrows);
    Some(Block::Diagram(Diagram { name: "dependencies".into(), drawing, alternative }))
}

fn times(report: &RunReport) -> Block {
    let (scale, rows) = run_times(report);
    let drawing = Drawing::Times(scale, rows);
    Block::Diagram(Diagram { name: "timeline".into(), drawing, alternative: vec![] })
}
