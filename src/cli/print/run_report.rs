//! The report of a run, for a terminal and as Markdown.

use std::io::{self, Write};

use crate::cli::print::remedy::spelled;
use crate::cli::print::run::{crew, left_out, waiting_words};
use crate::model::agent_session::Cost;
use crate::model::run_log::RunStatus;
use crate::model::task_id::TaskId;
use crate::model::test_count::counted;
use crate::rules::landed::Landed;
use crate::rules::run::{Counts, IssueReport, IssueStage, QualityGate, RunReport, breach_words};
use crate::ui::style::{self, Style};
use crate::ui::text::{clean_line, count, truncate};
use crate::ui::{Cell, Column, Screen, Table, time};

/// How many of the files that an issue's plan does not name are listed.
const SHOWN_FILES: usize = 5;

/// `2 of 3 completed (66%), 1 failed`
pub(super) fn outcome(report: &RunReport) -> String {
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

/// How the run ended, or what it is doing.
pub(super) fn standing(report: &RunReport) -> String {
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
pub(super) fn amounts(report: &RunReport) -> String {
    let totals = &report.totals;
    let mut words =
        vec![count(totals.commit_count, "commit"), checks(totals.check_count, totals.failed_check_count)];
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

fn checks(all: usize, failed: usize) -> String {
    match failed {
        0 => count(all, "check"),
        failed => format!("{} ({failed} failed)", count(all, "check")),
    }
}

/// Tokens and costs, if they are known.
pub(super) fn spent(tokens: Option<u64>, costs: &[Cost]) -> Vec<String> {
    let tokens = tokens.map(|tokens| format!("{tokens} tokens"));
    let costs = costs.iter().map(|cost| format!("{} {}", cost.amount, clean_line(&cost.currency)));
    tokens.into_iter().chain(costs).collect()
}

/// Such as `3 min 14 s: planning 3 min 2 s, executing 12 s`.
pub(super) fn took(report: &RunReport) -> String {
    let phase = report.phases.iter().map(|it| format!("{} {}", it.phase, time::length(it.took_ms)));
    let gap = Some(report.interrupted_ms).filter(|ms| *ms > 0);
    let parts: Vec<String> =
        phase.chain(gap.map(|ms| format!("interrupted for {}", time::length(ms)))).collect();
    let colon = if parts.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", time::length(report.took_ms), parts.join(", "))
}

/// The dimension that decides the verdict on the run, and the average of all dimensions.
pub(super) fn verdict(report: &RunReport) -> String {
    let quality = &report.quality;
    let average = quality.score.map_or_else(|| "nothing".to_owned(), |score| score.to_string());
    let worst = quality.dimensions.iter().filter(|it| it.score.is_some()).min_by_key(|it| it.score);
    match worst.filter(|it| it.score != quality.score) {
        Some(worst) => format!("decided by the lowest score, {} (average {average})", worst.dimension),
        None => format!("average {average}"),
    }
}

/// The plan of an issue, with its author if the run had it made.
fn planned(issue: &IssueReport) -> Option<String> {
    let plan = issue.solution_id.as_ref()?;
    let by = issue.planned_by.as_ref().map(|agent| format!(" by {agent}")).unwrap_or_default();
    Some(format!("plan {plan}{by}"))
}

/// Such as `approved, 92`.
pub(super) fn review(issue: &IssueReport) -> String {
    let Some(review) = &issue.review else { return String::new() };
    let score = review.score.map(|score| format!(" {score}")).unwrap_or_default();
    format!("{}{score}", review.verdict)
}

/// How many of an issue's test commands passed: `2/3`.
pub(super) fn passed(issue: &IssueReport) -> String {
    let passed = issue.checks.iter().filter(|check| check.outcome().has_passed()).count();
    format!("{passed}/{}", issue.checks.len())
}

/// The agents that made commits of an issue, each once.
pub(super) fn makers(issue: &IssueReport) -> String {
    let mut makers: Vec<String> =
        issue.commits.iter().filter_map(|commit| commit.made_by.as_ref()).map(ToString::to_string).collect();
    makers.sort();
    makers.dedup();
    makers.join(", ")
}

/// What waits for a person, with the remedies.
pub(super) fn waiting(report: &RunReport) -> Vec<String> {
    let line = |it: &crate::rules::run::WaitsForPerson| {
        let issue = it.issue_id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
        let remedies = spelled(&it.remedies).map(|remedies| format!("; {remedies}")).unwrap_or_default();
        format!("{issue}{}{remedies}", it.what)
    };
    report.waiting.iter().map(line).collect()
}

/// Actions that the roles of agents do not allow.
pub(super) fn breaches(report: &RunReport) -> Vec<String> {
    report.breaches.iter().map(|breach| breach_words(breach, str::to_owned)).collect()
}

fn gate_style(gate: Option<QualityGate>) -> Style {
    match gate {
        Some(QualityGate::Pass) => style::GOOD,
        Some(QualityGate::Review) => style::WARN,
        Some(QualityGate::Fail) => style::BAD,
        None => style::DIM,
    }
}

/// The status of an issue in words: `completed, not on main`.
fn status_words(issue: &IssueReport) -> String {
    match issue.landed.as_ref().and_then(Landed::words) {
        Some(words) => format!("{}, {words}", issue.status),
        None => issue.status.to_string(),
    }
}

fn stage_style(stage: IssueStage) -> Style {
    match stage {
        IssueStage::Completed => style::GOOD,
        IssueStage::Failed => style::BAD,
        IssueStage::Registered => style::DIM,
        IssueStage::Planning | IssueStage::Planned | IssueStage::Executing => style::PLAIN,
    }
}

/// A score with its gate: `85 pass`, or `-`.
pub(super) fn score(score: Option<usize>, gate: Option<QualityGate>) -> String {
    match (score, gate) {
        (Some(score), Some(gate)) => format!("{score} {gate}"),
        _ => "-".to_owned(),
    }
}

/// The report for people.
pub(in crate::cli) fn people(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    let painter = screen.painter();
    writeln!(
        screen,
        "{} {}, {}, started {} by {}",
        painter.paint(style::ID, report.run_id.as_str()),
        painter.paint(style::HEADING, &standing(report)),
        report.mode,
        time::point(report.started_at),
        clean_line(&report.actor)
    )?;
    writeln!(screen, "  {}", outcome(report))?;
    writeln!(screen, "  {}", amounts(report))?;
    writeln!(screen, "  took {}", took(report))?;
    if let Some(crew) = crew(&report.agents) {
        writeln!(screen, "  {crew}")?;
    }
    if let Some(confinement) = &report.confinement {
        writeln!(screen, "  {}", clean_line(confinement))?;
    }
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("STATUS"),
        Column::left("REVIEW").spare(),
        Column::left("COMMITS").spare(),
        Column::left("CHECKS").spare(),
        Column::flexible("EXECUTED BY").spare(),
        Column::flexible("TITLE"),
    ]);
    for issue in &report.issues {
        table.row([
            Cell::new(issue.issue_id.as_str(), style::ID),
            Cell::new(status_words(issue), stage_style(issue.status)),
            Cell::from(review(issue)),
            Cell::from(issue.commits.len().to_string()),
            Cell::from(passed(issue)),
            Cell::from(truncate(&makers(issue), 30)),
            Cell::from(issue.title.as_str()),
        ]);
    }
    table.print(screen)?;
    for issue in report.issues.iter().filter(|it| !it.unplanned_files.is_empty()) {
        let files: Vec<&str> = issue.unplanned_files.iter().map(String::as_str).take(SHOWN_FILES).collect();
        let more = issue.unplanned_files.len() - files.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let id = painter.paint(style::ID, issue.issue_id.as_str());
        writeln!(screen, "{id}: changed outside the plan: {}{more}", clean_line(&files.join(", ")))?;
    }
    for line in left_out(&report.left_out) {
        writeln!(screen, "{}", painter.paint(style::WARN, &line))?;
    }
    let mut table = Table::new([Column::left("QUALITY"), Column::left("SCORE"), Column::flexible("BASIS")]);
    for it in &report.quality.dimensions {
        table.row([
            Cell::from(it.dimension.as_str()),
            Cell::new(score(it.score, it.gate), gate_style(it.gate)),
            Cell::from(it.counted.as_str()),
        ]);
    }
    let gate = report.quality.gate;
    table.row([
        Cell::from("overall"),
        Cell::new(gate.map_or_else(|| "-".to_owned(), |gate| gate.to_string()), gate_style(gate)),
        Cell::from(verdict(report)),
    ]);
    table.print(screen)?;
    for line in breaches(report) {
        writeln!(screen, "{} {}", painter.paint(style::WARN, "breach:"), clean_line(&line))?;
    }
    for line in waiting(report) {
        writeln!(screen, "{} {}", painter.paint(style::WARN, "waiting:"), clean_line(&line))?;
    }
    Ok(())
}

/// Text within Markdown: nothing in it is markup but commands in backquotes, which stay code.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    let text = clean_line(text);
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        if let Some((code, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`'))
            && code.starts_with("git ")
            && !code.contains('|')
        {
            escaped.push_str(&format!("`{code}`"));
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if r"\`*_{}[]<>#|~&!".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The report as Markdown.
pub(in crate::cli) fn markdown(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    writeln!(screen, "# Run {}\n", plain(report.run_id.as_str()))?;
    writeln!(screen, "{}; {}.\n", outcome(report), amounts(report))?;
    let lines = [
        ("Status", standing(report)),
        ("Mode", report.mode.to_string()),
        ("Started", format!("{} by {}", time::iso(report.started_at), report.actor)),
        ("Took", took(report)),
        ("Agents", crew(&report.agents).unwrap_or_else(|| "none".to_owned())),
        ("Confinement", report.confinement.clone().unwrap_or_else(|| "not recorded".to_owned())),
        ("Branch", report.branch.as_ref().map_or_else(|| "none".to_owned(), |it| it.short().to_owned())),
    ];
    for (name, value) in lines {
        writeln!(screen, "- {name}: {}", plain(&value))?;
    }
    for line in left_out(&report.left_out) {
        writeln!(screen, "- {}", plain(&line))?;
    }
    writeln!(screen, "\n## Issues\n")?;
    writeln!(screen, "| Issue | Status | Plan | Review | Commits | Checks | Executed by | Spent | Title |")?;
    writeln!(screen, "|---|---|---|---|---|---|---|---|---|")?;
    for issue in &report.issues {
        let plan = issue.solution_id.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            screen,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            plain(issue.issue_id.as_str()),
            status_words(issue),
            plain(&plan),
            review(issue),
            issue.commits.len(),
            passed(issue),
            plain(&makers(issue)),
            plain(&spent(issue.tokens, &issue.costs).join(", ")),
            plain(&issue.title)
        )?;
    }
    for issue in &report.issues {
        writeln!(screen, "\n### {} {}\n", plain(issue.issue_id.as_str()), plain(&issue.title))?;
        for line in details(issue) {
            writeln!(screen, "- {}", plain(&line))?;
        }
    }
    writeln!(screen, "\n## Quality\n\n| Dimension | Score | Basis |\n|---|---|---|")?;
    for it in &report.quality.dimensions {
        writeln!(screen, "| {} | {} | {} |", it.dimension, score(it.score, it.gate), plain(&it.counted))?;
    }
    let gate = report.quality.gate.map_or_else(|| "-".to_owned(), |gate| gate.to_string());
    writeln!(screen, "| overall | {gate} | {} |", verdict(report))?;
    let breaches = breaches(report);
    if !breaches.is_empty() {
        writeln!(screen, "\n## Role breaches\n")?;
    }
    for line in breaches {
        writeln!(screen, "- {}", plain(&line))?;
    }
    let waiting = waiting(report);
    if !waiting.is_empty() {
        writeln!(screen, "\n## Waiting for a person\n")?;
    }
    for line in waiting {
        writeln!(screen, "- {}", plain(&line))?;
    }
    Ok(())
}

/// The outcome of an issue, one fact on each line.
pub(super) fn details(issue: &IssueReport) -> Vec<String> {
    let task = |id: &Option<TaskId>| id.as_deref().map(|id| format!(" [{id}]")).unwrap_or_default();
    let mut lines = Vec::new();
    lines.extend(issue.error.iter().map(|error| format!("error: {error}")));
    lines.extend(planned(issue));
    lines.extend(issue.review.as_ref().map(|it| {
        let by = it.reviewed_by.as_ref().map(|agent| format!(" by {agent}")).unwrap_or_default();
        format!("review: {}{by}", review(issue))
    }));
    lines.extend(issue.commits.iter().map(|it| {
        let by = it.made_by.as_ref().map(|by| format!(", with agent {by}")).unwrap_or_default();
        format!("commit {}{} {}{by}", it.hash.short(), task(&it.task_id), it.subject)
    }));
    lines.extend(issue.checks.iter().map(|it| {
        let tests = counted(it.tests);
        let failed = it.failed_tests.join(", ");
        let failed = if failed.is_empty() { failed } else { format!(" ({failed})") };
        let proof = it.proof.as_ref().map(|proof| format!(", {}", proof.words())).unwrap_or_default();
        format!("check{} {} {}, {tests}{failed}{proof}", task(&it.task_id), it.command, it.outcome())
    }));
    if !issue.unplanned_files.is_empty() {
        let files: Vec<&str> = issue.unplanned_files.iter().map(String::as_str).collect();
        lines.push(format!("changed outside the plan: {}", files.join(", ")));
    }
    lines.extend(issue.feedback.iter().map(|it| {
        let content: Vec<&str> = it.content.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        format!("{} ({}): {}", it.kind, it.stage, content.join("; "))
    }));
    if issue.setback_count > 0 {
        lines.push(format!("{} of its steps had to be retried or given up", issue.setback_count));
    }
    lines.extend(
        Some(spent(issue.tokens, &issue.costs).join(", "))
            .filter(|text| !text.is_empty())
            .map(|text| format!("spent: {text}")),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_markdown_is_markup() {
        assert_eq!(plain("`git wf sync` *x* `git a|b`"), r"`git wf sync` \*x\* \`git a\|b\`");
        assert_eq!(plain("<b> a|b `x` [y](z)\nq"), r"\<b\> a\|b \`x\` \[y\](z) q");
    }
}
