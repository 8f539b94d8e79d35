//! What a roadmap says beside its waves, in plain form.

use std::io::{self, Write};

use super::roadmap_document::{is_met, nested};
use crate::model::roadmap::RoadmapMode;
use crate::ops::plans::roadmap::RoadmapView;
use crate::ui::text::{clean, clean_line, indent};
use crate::ui::{Screen, style};

fn heading(screen: &mut Screen, text: &str) -> io::Result<()> {
    let heading = screen.painter().paint(style::HEADING, text);
    writeln!(screen, "\n{heading}")
}

/// The factors by how uncertain they are, and what follows from them.
pub(super) fn assessment(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    let Some(assessed) = &it.assessed else { return Ok(()) };
    heading(screen, "strategy assessment")?;
    let factors = assessed.factors.all();
    for extent in ["high", "medium", "low"] {
        let names: Vec<String> = factors
            .iter()
            .filter(|(_, given)| given.is_some_and(|given| given.as_str() == extent))
            .map(|(name, _)| name.replace('_', " "))
            .collect();
        if !names.is_empty() {
            writeln!(screen, "  {extent} uncertainty: {}", names.join(", "))?;
        }
    }
    let recommended = assessed.recommended.map_or("undecided", RoadmapMode::as_str);
    writeln!(screen, "  recommended: {recommended}")
}

/// When each issue is done; a criterion that holds has a cross.
pub(super) fn convergence(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    heading(screen, "convergence")?;
    for issue in it.waves.iter().flat_map(|wave| &wave.issues) {
        let id = screen.painter().paint(style::ID, screen.id(issue.issue_id.as_str()));
        writeln!(screen, "  {id} {}", clean_line(&issue.title))?;
        for criterion in &issue.criteria {
            let mark = if is_met(issue, criterion) { "x" } else { " " };
            writeln!(screen, "    [{mark}] {}", clean_line(criterion))?;
        }
        writeln!(screen, "    verification: {}", clean_line(&issue.verification.join("; ")))?;
        writeln!(screen, "    done: {}", clean_line(&issue.definition_of_done))?;
    }
    Ok(())
}

/// What could go wrong.
pub(super) fn risks(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    if it.risks.is_empty() {
        return Ok(());
    }
    heading(screen, "risks")?;
    for of in &it.risks {
        let (item, risk) = (of.item.as_deref().unwrap_or("all"), clean_line(&of.risk.risk));
        let severity = of.risk.severity.as_ref().map(|word| format!(" ({word})")).unwrap_or_default();
        let mitigation = of.risk.mitigation.as_ref().map(|text| format!("; {text}")).unwrap_or_default();
        writeln!(
            screen,
            "  {}: {risk}{}{}",
            clean_line(item),
            clean_line(&severity),
            clean_line(&mitigation)
        )?;
    }
    Ok(())
}

/// What the planner found out about the code.
pub(super) fn context(screen: &mut Screen, it: &RoadmapView) -> io::Result<()> {
    let Some(context) = &it.codebase_context else { return Ok(()) };
    heading(screen, "codebase context")?;
    match context.as_str() {
        Some(text) => writeln!(screen, "{}", indent(&clean(text.trim()), 2)),
        None => nested(screen, context, 1),
    }
}
