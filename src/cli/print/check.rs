//! The findings of plan checks.

use std::io::{self, Write};

use crate::ops::plans::{CheckedAnswer, CheckedPlan};
use crate::rules::{PlanFinding, Quality, SharedFile};
use crate::ui::{Cell, Column, Screen, Table, UiSettings, clean_line, count, style};

/// Each plan with its quality and findings, and the files that several plans share.
pub(in crate::cli) fn checked(screen: &mut Screen, it: &CheckedAnswer) -> io::Result<()> {
    it.plans.iter().try_for_each(|plan| one(screen, plan))?;
    match &it.shared_files {
        Some(files) => shared(screen, files, !it.plans.is_empty()),
        None => Ok(()),
    }
}

fn one(screen: &mut Screen, it: &CheckedPlan) -> io::Result<()> {
    let findings = &it.report.findings;
    let (errors, others): (Vec<&PlanFinding>, Vec<&PlanFinding>) =
        findings.iter().partition(|it| it.is_error());
    let found = match (errors.len(), others.len()) {
        (0, 0) => "no errors".to_owned(),
        (0, warnings) => format!("no errors, {}", count(warnings, "warning")),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    writeln!(
        screen,
        "{}: {}, {}, {} complexity (by size), {found}",
        clean_line(&it.plan),
        count(it.tasks, "task"),
        count(it.files, "file"),
        it.computed_complexity
    )?;
    quality(screen, &it.report.quality)?;
    errors.into_iter().chain(others).try_for_each(|it| finding(screen, it))
}

fn quality(screen: &mut Screen, quality: &Quality) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("  QUALITY"),
        Column::right("WEIGHT"),
        Column::right("SHARE"),
        Column::right("SCORE"),
    ]);
    for part in quality.parts() {
        let look = if part.share < 1.0 { style::WARN } else { style::PLAIN };
        table.row([
            Cell::from(format!("  {}", part.part.name())),
            Cell::from(part.weight.to_string()),
            Cell::new(format!("{:.0}%", part.share * 100.0), look),
            Cell::from(format!("{:.3}", part.score)),
        ]);
    }
    let look = if quality.suffices() { style::GOOD } else { style::BAD };
    let total = Cell::new(format!("{:.2}", quality.total()), look);
    table.row([Cell::from("  total"), Cell::from("1"), Cell::from(""), total]);
    table.print(screen)
}

/// What is wrong, and below it what to do.
fn finding(screen: &mut Screen, finding: &PlanFinding) -> io::Result<()> {
    let painter = screen.painter();
    let look = if finding.is_error() { style::BAD } else { style::WARN };
    let severity = finding.severity.as_str();
    let (word, margin) = if UiSettings::get().is_plain {
        (format!("{severity}:"), "")
    } else {
        (format!("{severity:<8}"), "         ")
    };
    let word = painter.paint(look, &word);
    let cost = finding.cost.map_or(String::new(), |cost| format!(" (quality -{cost})"));
    writeln!(screen, "{word} {}{cost}", clean_line(&finding.to_string()))?;
    writeln!(screen, "{margin}{}", painter.paint(style::DIM, finding.remedy))
}

fn shared(screen: &mut Screen, shared: &[SharedFile], below: bool) -> io::Result<()> {
    if below {
        writeln!(screen)?;
    }
    if shared.is_empty() {
        return writeln!(screen, "the plans share no files");
    }
    let mut table = Table::new([Column::left("SHARED FILE"), Column::flexible("PLANS")]);
    for it in shared {
        table.row([Cell::new(it.file.to_string(), style::WARN), Cell::from(it.plans.join(", "))]);
    }
    table.print(screen)
}
