//! The context for agents, printed for people.

use std::io::{self, Write};

use serde_json::Value;

use super::background;
use crate::model::{Project, SolutionId};
use crate::ops::plans::{
    AgentContext, Candidates, ExecutorInput, ExplorerInput, PlannerInput, ReviewerInput,
};
use crate::ui::{Screen, clean_line, count, indent, style};

/// The context of any role.
pub(in crate::cli) fn context(screen: &mut Screen, it: &AgentContext) -> io::Result<()> {
    match it {
        AgentContext::Explorer(input) => explorer(screen, input),
        AgentContext::Planner(input) => planner(screen, input),
        AgentContext::Reviewer(input) => reviewer(screen, input),
        AgentContext::Executor(input) => executor(screen, input),
    }
}

fn executor(screen: &mut Screen, it: &ExecutorInput) -> io::Result<()> {
    let painter = screen.painter();
    let issue = painter.paint(style::ID, it.issue_id.as_str());
    let id = painter.paint(style::ID, it.solution_id.as_str());
    let title = painter.paint(style::HEADING, it.title.as_deref().unwrap_or_default());
    writeln!(screen, "{id} for {issue}  {title}")?;
    writeln!(screen, "{}", painter.paint(style::DIM, it.plan_digest.as_deref().unwrap_or_default()))?;
    let load = it
        .load
        .iter()
        .flat_map(|load| [("plan", &load.solution), ("issue", &load.issue), ("project", &load.project)]);
    for (name, command) in load {
        writeln!(screen, "{} {}", painter.label(name), command.command())?;
    }
    if let Some(issue) = &it.issue {
        background::issue(issue, screen)?;
    }
    background::background(&it.background, screen)?;
    background::left_out(&it.background.left_out, screen)
}

/// What the project tells its planners, if set.
fn project(screen: &mut Screen, project: &Project) -> io::Result<()> {
    for (name, value) in [("tech stack", &project.tech_stack), ("guidelines", &project.guidelines)] {
        let text = match value {
            None => continue,
            Some(Value::String(text)) => text.clone(),
            Some(other) => format!("{other:#}"),
        };
        writeln!(screen, "\n{}\n{}", screen.painter().paint(style::HEADING, name), indent(&text, 4))?;
    }
    Ok(())
}

/// The context of an explorer.
fn explorer(screen: &mut Screen, input: &ExplorerInput) -> io::Result<()> {
    let painter = screen.painter();
    let title = painter.paint(style::HEADING, &input.title);
    writeln!(screen, "{}  {title}", painter.paint(style::ID, input.issue_id.as_str()))?;
    writeln!(screen, "{} {}", painter.paint(style::DIM, "depth"), input.depth)?;
    background::issue(&input.issue, screen)?;
    project(screen, &input.project_context)?;
    background::exploration(input.exploration.as_ref(), screen)?;
    background::background(&input.background, screen)?;
    background::left_out(&input.background.left_out, screen)
}

/// The context of a reviewer; the plan is printed as in `plan show`.
fn reviewer(screen: &mut Screen, input: &ReviewerInput) -> io::Result<()> {
    let painter = screen.painter();
    let issue = painter.paint(style::ID, input.issue_id.as_str());
    let id = painter.paint(style::ID, input.solution_id.as_str());
    writeln!(screen, "{id} for {issue}  {}", painter.paint(style::HEADING, &input.title))?;
    writeln!(screen, "{}", painter.paint(style::DIM, &input.plan_digest))?;
    writeln!(screen, "{} {:.2}", painter.paint(style::DIM, "quality"), input.quality)?;
    for finding in &input.findings {
        writeln!(screen, "  {}", clean_line(&finding.to_string()))?;
    }
    writeln!(screen, "{} git wf plan show {}", painter.paint(style::DIM, "plan"), input.solution_id)?;
    background::issue(&input.issue, screen)?;
    project(screen, &input.project_context)?;
    background::exploration(input.exploration.as_ref(), screen)?;
    if let Some(note) = input.no_context {
        writeln!(screen, "\n{note}")?;
    }
    background::background(&input.background, screen)?;
    background::left_out(&input.background.left_out, screen)
}

/// The context of a planner.
fn planner(screen: &mut Screen, input: &PlannerInput) -> io::Result<()> {
    let painter = screen.painter();
    let heading = |text: &str| painter.paint(style::HEADING, text);
    writeln!(screen, "{}  {}", painter.paint(style::ID, input.issue_id.as_str()), heading(&input.title))?;
    background::issue(&input.issue, screen)?;
    project(screen, &input.project_context)?;
    let Candidates { min, max } = input.candidates;
    let plans = match (min, max) {
        (1, 1) => "one plan is enough".to_owned(),
        (min, max) if min == max => format!("{min} plans are wanted"),
        (min, max) => format!("{min} to {max} plans are wanted"),
    };
    let label = painter.label("complexity");
    writeln!(screen, "\n{label} {}; {plans}", input.complexity)?;
    background::exploration(input.exploration.as_ref(), screen)?;
    failures(screen, input)?;
    if !input.plans.is_empty() {
        writeln!(screen, "\n{}", heading("plans"))?;
    }
    for it in &input.plans {
        let bound = if it.is_bound { " (bound)" } else { "" };
        let what = it.description.as_deref().unwrap_or_default();
        writeln!(
            screen,
            "    {}{bound}  {}",
            painter.paint(style::ID, it.solution_id.as_str()),
            clean_line(what)
        )?;
        if let Some(approach) = &it.approach {
            writeln!(screen, "{}", indent(approach, 8))?;
        }
        writeln!(screen, "        touches {}", clean_line(&it.files_touched.join(", ")))?;
    }
    if !input.other_plans.is_empty() {
        writeln!(screen, "\n{}", heading("other plans that touch the same files"))?;
    }
    for it in &input.other_plans {
        let plan = painter.paint(style::ID, it.solution_id.as_str());
        writeln!(screen, "    {plan} ({}, {})  {}", it.item_id, it.status, clean_line(&it.title))?;
        writeln!(screen, "        touches {}", clean_line(&it.files.join(", ")))?;
    }
    background::background(&input.background, screen)?;
    background::left_out(&input.background.left_out, screen)
}

fn failures(screen: &mut Screen, input: &PlannerInput) -> io::Result<()> {
    let painter = screen.painter();
    let analysis = &input.failure_analysis;
    if !analysis.has_failures {
        return Ok(());
    }
    let failed = format!("failures: {}, newest first", count(analysis.failure_count, "attempt"));
    writeln!(screen, "\n{}", painter.paint(style::HEADING, &failed))?;
    let plans: Vec<&str> = analysis.patterns.failed_approaches.iter().map(SolutionId::as_str).collect();
    for (name, list) in
        [("repeated errors", analysis.patterns.repeated_errors.join(", ")), ("plans", plans.join(", "))]
    {
        if !list.is_empty() {
            writeln!(screen, "    {name}: {}", clean_line(&list))?;
        }
    }
    for it in &analysis.failures {
        let task = it.task_id.as_deref().map(|task| format!("{task}, ")).unwrap_or_default();
        let error = it.error_type.as_deref().unwrap_or("failure");
        let text = indent(&format!("{task}{error}: {}", it.message), 8);
        writeln!(screen, "    {}", text.trim_start())?;
        if let Some(trace) = &it.stack_trace {
            writeln!(screen, "{}", indent(trace, 12))?;
        }
    }
    Ok(())
}
