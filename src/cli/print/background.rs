//! The context for the next attempt at an issue, for people; agents get the same as JSON.

use std::io::{self, Write};

use crate::model::{CheckOutcome, ExecutionStatus, Source};
use crate::ops::work::status_words;
use crate::page::looks::verdict_style;
use crate::rules::background::{
    AttemptContext, CheckContext, DependencyContext, FeedbackContext, ReviewContext,
};
use crate::rules::{Background, ExplorationContext, IssueContext, Omission};
use crate::ui::{Screen, clean_line, count, indent, style, time};

fn heading(text: &str, screen: &mut Screen) -> io::Result<()> {
    let shown = screen.painter().paint(style::HEADING, &clean_line(text));
    writeln!(screen, "\n{shown}")
}

fn section(name: &str, text: Option<&str>, screen: &mut Screen) -> io::Result<()> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(()) };
    heading(name, screen)?;
    writeln!(screen, "{}", indent(text, 4))
}

/// The content of an issue, without its id and title.
pub(in crate::cli) fn issue(context: &IssueContext, screen: &mut Screen) -> io::Result<()> {
    let joined = |set: &std::collections::BTreeSet<String>| {
        (!set.is_empty()).then(|| set.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    let lifecycle = &context.lifecycle_requirements;
    let others = [
        ("tags", joined(&context.tags)),
        ("components", joined(&context.affected_components)),
        ("relations", joined(&context.relations)),
        ("source", context.source.filter(|it| *it != Source::Text).map(|source| source.to_string())),
        ("url", context.source_url.clone()),
        ("location", context.extended_context.location.clone()),
        ("tests", lifecycle.test_strategy.clone()),
        ("regression", lifecycle.regression_scope.clone()),
        ("acceptance", lifecycle.acceptance_type.clone()),
        ("commits", lifecycle.commit_strategy.clone()),
    ];
    let status = [("status", Some(context.status.to_string()))];
    for (name, value) in status.into_iter().chain(context.fields.texts()).chain(others) {
        let Some(value) = value else { continue };
        let label = screen.painter().label(name);
        writeln!(screen, "{label} {}", clean_line(&value))?;
    }
    for it in &context.depends_on {
        dependency(it, screen)?;
    }
    if !context.description.is_empty() {
        writeln!(screen, "\n{}", indent(&context.description, 4))?;
    }
    let notes = context
        .extended_context
        .notes
        .as_ref()
        .map(|notes| notes.as_str().map_or_else(|| format!("{notes:#}"), str::to_owned));
    for (name, text) in [
        ("expected", context.expected_behavior.as_deref()),
        ("actual", context.actual_behavior.as_deref()),
        ("suggested fix", context.extended_context.suggested_fix.as_deref()),
        ("design", context.extended_context.design.as_deref()),
        ("notes", notes.as_deref()),
    ] {
        section(name, text, screen)?;
    }
    Ok(())
}

fn dependency(it: &DependencyContext, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let label = painter.label("depends on");
    let id = painter.paint(style::ID, it.issue_id.as_str());
    let state = it.status.map_or("not here".to_owned(), |status| status.to_string());
    let state = painter.paint(if it.is_met { style::GOOD } else { style::WARN }, &state);
    let title = it.title.as_deref().unwrap_or_default();
    writeln!(screen, "{label} {id} ({state}) {}", clean_line(title))
}

/// Prints the findings of an explorer.
pub(in crate::cli) fn exploration(
    context: Option<&ExplorationContext>,
    screen: &mut Screen,
) -> io::Result<()> {
    let Some(context) = context else { return Ok(()) };
    heading("exploration", screen)?;
    let (who, depth, complexity) =
        (clean_line(&context.author), context.depth, context.complexity_assessment);
    writeln!(
        screen,
        "    {depth} by {who}, {}: {complexity} complexity, {} impact",
        time::when(context.created_at),
        context.impact_scope
    )?;
    for file in &context.relevant_files {
        let why = file.rationale.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        writeln!(screen, "        {}{}", clean_line(&file.path), clean_line(&why))?;
    }
    for (name, list) in [
        ("findings", &context.key_findings),
        ("depends on", &context.dependencies),
        ("patterns", &context.existing_patterns),
        ("related changes", &context.related_changes),
    ] {
        if !list.is_empty() {
            writeln!(screen, "    {name}:")?;
        }
        for text in list {
            writeln!(screen, "{}", indent(text, 8))?;
        }
    }
    Ok(())
}

/// Prints what was tried and said so far.
pub(in crate::cli) fn background(context: &Background, screen: &mut Screen) -> io::Result<()> {
    if !context.attempts.is_empty() {
        let goes_on = context.attempts.iter().any(|it| it.status == ExecutionStatus::Executing);
        let attempts = if goes_on { "attempts" } else { "earlier attempts" };
        heading(&format!("{attempts}, newest first"), screen)?;
    }
    for it in &context.attempts {
        attempt(it, screen)?;
    }
    if !context.feedback.is_empty() {
        heading("feedback, newest first", screen)?;
    }
    for it in &context.feedback {
        feedback(it, screen)?;
    }
    if !context.comments.is_empty() {
        heading("comments, newest first", screen)?;
    }
    for it in &context.comments {
        writeln!(screen, "    {}, {}:", clean_line(&it.author), time::when(it.created_at))?;
        writeln!(screen, "{}", indent(&it.body, 8))?;
    }
    if !context.wisdom.is_empty() {
        heading("what the team learned", screen)?;
    }
    for it in &context.wisdom {
        let issue = it.issue_id.as_ref().map(|id| format!(", from {id}")).unwrap_or_default();
        let tags = if it.tags.is_empty() { String::new() } else { format!(" ({})", it.tags.join(", ")) };
        writeln!(screen, "    {}{}, {}{issue}:", it.kind, clean_line(&tags), clean_line(&it.author))?;
        writeln!(screen, "{}", indent(&it.text, 8))?;
    }
    let (bound, others): (Vec<&ReviewContext>, Vec<_>) = context.reviews.iter().partition(|it| it.is_bound);
    if !bound.is_empty() {
        heading("reviews of the current plan", screen)?;
    }
    reviews(&bound, screen)?;
    let mut left = others;
    while let Some(first) = left.first() {
        let (of_one, rest): (Vec<&ReviewContext>, Vec<_>) =
            left.iter().partition(|it| it.solution_id == first.solution_id);
        heading(&format!("reviews of {}, which is not bound", first.solution_id), screen)?;
        reviews(&of_one, screen)?;
        left = rest;
    }
    Ok(())
}

fn reviews(all: &[&ReviewContext], screen: &mut Screen) -> io::Result<()> {
    for it in all {
        let verdict = screen.painter().paint(verdict_style(it.verdict), it.verdict.as_str());
        let (plan, author) = (&it.solution_id, clean_line(&it.author));
        writeln!(screen, "    {plan}: {verdict} {} by {author}, {}", it.total, time::when(it.created_at))?;
        for finding in &it.findings {
            writeln!(screen, "        - {}", indent(finding, 10).trim_start())?;
        }
    }
    Ok(())
}

fn attempt(it: &AttemptContext, screen: &mut Screen) -> io::Result<()> {
    let ended = it.finished_at.map_or(String::new(), |at| format!(" {}", time::when(at)));
    let other = it.ended_by.as_ref().filter(|person| **person != it.actor);
    let ended = other.map_or(ended.clone(), |person| format!("{ended} by {}", clean_line(person)));
    let forced = it.forced.as_deref().map(|reason| format!(", gate overridden: {}", clean_line(reason)));
    let ended = format!("{ended}{}", forced.unwrap_or_default());
    let id = screen.painter().paint(style::ID, it.execution_id.short());
    writeln!(
        screen,
        "    attempt {} of {} by {}: {}{ended}  {id}",
        it.attempt,
        it.solution_id,
        clean_line(&it.actor),
        status_words(it.status, it.set_aside)
    )?;
    if let Some(failure) = &it.failure {
        let of = [failure.task_id.as_deref(), failure.error_type.as_deref()];
        let of: Vec<&str> = of.into_iter().flatten().collect();
        let what = if of.is_empty() { String::new() } else { format!("{}: ", of.join(", ")) };
        let message = failure.message.as_deref().unwrap_or("no message");
        let bad = screen.painter().paint(style::BAD, "failed:");
        writeln!(screen, "        {bad} {}", indent(&format!("{what}{message}"), 8).trim_start())?;
        if let Some(trace) = &failure.stack_trace {
            writeln!(screen, "{}", indent(trace, 12))?;
        }
    }
    for check in &it.failed_checks {
        failed_check(check, screen)?;
    }
    if let Some(summary) = &it.summary {
        writeln!(screen, "        summary: {}", indent(summary, 8).trim_start())?;
    }
    if let Some(branch) = &it.branch {
        writeln!(screen, "        on {}", clean_line(branch.short()))?;
    }
    for commit in &it.commits {
        let task = commit.task_id.as_ref().map(|task| format!(" [{task}]")).unwrap_or_default();
        let hash = commit.hash.short();
        let hash = screen.painter().paint(style::WARN, hash);
        writeln!(screen, "        {hash}{} {}", clean_line(&task), clean_line(&commit.subject))?;
    }
    Ok(())
}

fn failed_check(it: &CheckContext, screen: &mut Screen) -> io::Result<()> {
    let task = it.task_id.as_deref().map(|task| format!(" [{task}]")).unwrap_or_default();
    let how = CheckOutcome::new(it.exit_code, it.tests).to_string();
    let at = it.commit.as_ref().map(|hash| format!(" at {}", hash.short())).unwrap_or_default();
    let dirty = if it.dirty { " with uncommitted changes" } else { "" };
    let how = screen.painter().paint(style::BAD, &how);
    writeln!(
        screen,
        "        check{} {} {how}{}{dirty}",
        clean_line(&task),
        clean_line(&it.command),
        clean_line(&at)
    )?;
    if it.output_tail.trim().is_empty() {
        return Ok(());
    }
    writeln!(screen, "{}", indent(it.output_tail.trim_end(), 12))
}

fn feedback(it: &FeedbackContext, screen: &mut Screen) -> io::Result<()> {
    let of = it.solution_id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
    let author = clean_line(&it.author);
    writeln!(screen, "    {}{of} ({}) by {author}, {}:", it.kind, it.stage, time::when(it.created_at))?;
    let parts = [it.task_id.as_deref(), it.error_type.as_deref()];
    let what: String = parts.into_iter().flatten().map(|part| format!("{part}: ")).collect();
    writeln!(screen, "{}", indent(&format!("{what}{}", it.content), 8))
}

/// Lists what was left out, with the commands that show it.
pub(in crate::cli) fn left_out(all: &[Omission], screen: &mut Screen) -> io::Result<()> {
    if !all.is_empty() {
        heading("left out", screen)?;
    }
    for it in all {
        let entries = if it.entries == 1 { "entry" } else { "entries" };
        let older = (it.entries > 0).then(|| format!("{} more {entries}", it.entries));
        let short = (it.shortened > 0).then(|| format!("{} cut", count(it.shortened, "text")));
        let how: Vec<String> = older.into_iter().chain(short).collect();
        writeln!(
            screen,
            "    {}: {}; `{}` shows all",
            clean_line(&it.what),
            how.join(", "),
            it.command.command()
        )?;
    }
    Ok(())
}
