//! A roadmap as a Markdown document, from the state of its issues.

use std::io::{self, Write};

use serde_json::Value;

use super::roadmap::bar;
use crate::model::roadmap::RoadmapMode;
use crate::model::status::IssueStatus;
use crate::ops::plans::roadmap::{RoadmapIssue, RoadmapView, WaveView};
use crate::rules::roadmap::Status;
use crate::ui::Screen;
use crate::ui::text::{clean, clean_line};

/// How deep nested JSON is written as lists; what is deeper is written as JSON.
const DEEPEST: usize = 4;

fn strategy(it: &RoadmapView) -> &'static str {
    it.mode.map_or("unknown", RoadmapMode::as_str)
}

/// The whole document.
pub(in crate::cli) fn document(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    writeln!(screen, "# Roadmap: {}\n", clean_line(&it.title))?;
    let status = match it.status {
        Status::Planning => "Planning",
        Status::Refining => "Refining",
        Status::Ready => "Ready",
    };
    writeln!(screen, "- Id: `{}`\n- Status: {status}\n- Strategy: {}", it.id, strategy(it))?;
    writeln!(screen, "- Progress: {}", bar(it.done, it.total))?;
    writeln!(screen, "- Added: {} by {}", it.created_at, clean_line(&it.author))?;
    if let Some(updated) = it.updated_at.filter(|updated| *updated != it.created_at) {
        writeln!(screen, "- Updated: {updated}")?;
    }
    if let Some(requirement) = &it.requirement {
        writeln!(screen, "\n## Requirement\n\n{}", clean(requirement.trim()))?;
    }
    assessment(screen, it)?;
    writeln!(screen, "\n## Roadmap")?;
    it.waves.iter().try_for_each(|wave| table(screen, it, wave))?;
    if !it.gone.is_empty() {
        writeln!(screen, "\n### No longer in the document\n")?;
        for issue in &it.gone {
            writeln!(screen, "- `{}` {} ({})", issue.issue_id, clean_line(&issue.title), issue.status)?;
        }
    }
    writeln!(screen, "\n## Convergence")?;
    it.waves.iter().flat_map(|wave| &wave.issues).try_for_each(|issue| convergence(screen, issue))?;
    risks(screen, it)?;
    history(screen, it)?;
    if let Some(context) = &it.codebase_context {
        writeln!(screen, "\n## Codebase context\n")?;
        match context {
            Value::String(text) => writeln!(screen, "{}", clean(text.trim()))?,
            other => nested(screen, other, 0)?,
        }
    }
    Ok(())
}

fn assessment(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    let (Some(given), Some(assessed)) = (&it.assessment, &it.assessed) else { return Ok(()) };
    writeln!(screen, "\n## Strategy assessment\n\n| Factor | Uncertainty |\n|---|---|")?;
    for (name, extent) in assessed.factors.all() {
        writeln!(screen, "| {} | {} |", name.replace('_', " "), extent.map_or("", |extent| extent.as_str()))?;
    }
    let recommended = assessed.recommended.map_or("undecided", |mode| mode.as_str());
    let (high, medium, low) = (assessed.high, assessed.medium, assessed.low);
    writeln!(
        screen,
        "\nRecommended: {recommended} ({high} high, {medium} medium, {low} low). Selected: {}.",
        strategy(it)
    )?;
    if let Some(goal) = &given.goal {
        writeln!(screen, "\n- Goal: {}", clean_line(goal))?;
    }
    for (name, lines) in [
        ("Constraints", &given.constraints),
        ("Stakeholders", &given.stakeholders),
        ("Keywords", &given.keywords),
    ] {
        if !lines.is_empty() {
            writeln!(screen, "- {name}: {}", clean_line(&lines.0.join("; ")))?;
        }
    }
    Ok(())
}

fn table(screen: &mut Screen, it: &RoadmapView, wave: &WaveView) -> io::Result<()> {
    let (label, goal) = match it.mode {
        Some(RoadmapMode::Progressive) => ("Layer", "Goal"),
        Some(RoadmapMode::Direct) | None => ("Type", "Title"),
    };
    writeln!(screen, "\n### Wave {} {}\n", wave.wave, bar(wave.done, wave.total))?;
    writeln!(
        screen,
        "| Wave | Issue | {label} | {goal} | Status | Priority | Depends on |\n|---|---|---|---|---|---|---|"
    )?;
    for issue in &wave.issues {
        let on: Vec<String> = issue.depends_on.iter().map(|id| format!("`{id}`")).collect();
        writeln!(
            screen,
            "| {} | `{}` | {} {} | {} | {} | {} | {} |",
            wave.wave,
            issue.issue_id,
            issue.item,
            cell(&issue.label),
            cell(&issue.goal),
            issue.status,
            issue.priority,
            on.join(", ")
        )?;
    }
    Ok(())
}

/// Whether a criterion holds, as far as is known.
pub(super) fn is_met(it: &RoadmapIssue, criterion: &str) -> bool {
    matches!(it.status, IssueStatus::Completed | IssueStatus::Closed)
        || it.accepted.iter().any(|by| by.criterion == criterion)
}

fn convergence(screen: &mut Screen, it: &RoadmapIssue) -> io::Result<()> {
    writeln!(screen, "\n### `{}` {}\n", it.issue_id, clean_line(&it.title))?;
    for criterion in &it.criteria {
        let mark = if is_met(it, criterion) { "x" } else { " " };
        writeln!(screen, "- [{mark}] {}", clean_line(criterion))?;
    }
    writeln!(screen, "\nVerification: {}", clean_line(&it.verification.join("; ")))?;
    writeln!(screen, "\nDone: {}", clean_line(&it.definition_of_done))?;
    if !it.accepted.is_empty() {
        writeln!(screen, "\nAccepted:\n")?;
    }
    for accepted in &it.accepted {
        let (criterion, evidence) = (clean_line(&accepted.criterion), clean_line(&accepted.evidence));
        writeln!(screen, "- {}: {criterion}: {evidence}", clean_line(&accepted.task_id))?;
    }
    Ok(())
}

fn risks(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    if it.risks.is_empty() {
        return Ok(());
    }
    writeln!(screen, "\n## Risks\n\n| Part | Risk | Severity | Mitigation |\n|---|---|---|---|")?;
    for of in &it.risks {
        writeln!(
            screen,
            "| {} | {} | {} | {} |",
            cell(of.item.as_deref().unwrap_or("all")),
            cell(&of.risk.risk),
            cell(of.risk.severity.as_deref().unwrap_or_default()),
            cell(of.risk.mitigation.as_deref().unwrap_or_default())
        )?;
    }
    Ok(())
}

fn history(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    if it.rounds.is_empty() {
        return Ok(());
    }
    writeln!(
        screen,
        "\n## Iteration history\n\n| Round | Feedback | Changes | Status | By |\n|---|---|---|---|---|"
    )?;
    for round in &it.rounds {
        let said: Vec<String> =
            round.feedback.parts().map(|(name, text)| format!("{name}: {text}")).collect();
        let changes = round.changes.join(", ");
        writeln!(
            screen,
            "| {} | {} | {} | {} | {} |",
            round.round,
            cell(&said.join("; ")),
            cell(&changes),
            round.status,
            cell(&round.author)
        )?;
    }
    Ok(())
}

/// A text in a table: one line, without a character that would end the cell.
fn cell(text: &str) -> String {
    clean_line(text).replace('|', "\\|")
}

/// JSON as nested lists.
pub(super) fn nested(screen: &mut Screen, value: &Value, depth: usize) -> io::Result<()> {
    let blanks = "  ".repeat(depth);
    let is_leaf = |value: &Value| depth + 1 >= DEEPEST || !(value.is_object() || value.is_array());
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let pairs: Vec<(Option<&str>, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (Some(name.as_str()), value)).collect(),
        Value::Array(items) => items.iter().map(|value| (None, value)).collect(),
        other => vec![(None, other)],
    };
    for (name, value) in pairs {
        let name = name.map(|name| format!("{}: ", clean_line(name))).unwrap_or_default();
        if is_leaf(value) {
            writeln!(screen, "{blanks}- {name}{}", clean_line(&text(value)))?;
        } else {
            writeln!(screen, "{blanks}- {}", name.trim_end())?;
            nested(screen, value, depth + 1)?;
        }
    }
    Ok(())
}
