//! The report of a run as one self-contained HTML page, with pictures of the dependencies and of the times.

use std::io::{self, Write};

use super::run::crew;
use super::run_report::{
    amounts, breaches, details, makers, outcome, passed, review, score, spent, standing, took, verdict,
    waiting,
};
use crate::rules::run::RunReport;
use crate::ui::svg::{escaped as text, run_dependencies, run_times};
use crate::ui::{Screen, time};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}\
th{background:#f3f3f3}svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif}.pass,.completed{color:#176117}\
.review{color:#8a5a00}.fail,.failed{color:#a11}code{background:#f3f3f3}svg rect{fill:#e8e8e8;stroke:#888}svg .name{font-weight:bold}\
.arrow{fill:none;stroke:#555}.tip{fill:#555}.tick{stroke:#ddd;fill:#777}text.tick{stroke:none}svg .s-planning{fill:#cfe2ff}svg .s-planned{fill:#e6e0ff}\
svg .s-executing{fill:#fff0b3}svg .s-completed{fill:#c8ecc8}svg .s-failed{fill:#f7c6c6}";

/// The report as an HTML page.
pub(in crate::cli) fn html(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    let run = text(report.run_id.as_str());
    writeln!(screen, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(screen, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(
        screen,
        "<title>Run {run}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Run {run}</h1>"
    )?;
    writeln!(screen, "<p>{}; {}.</p>", text(&outcome(report)), text(&amounts(report)))?;
    writeln!(
        screen,
        "<p>{}, {}, started {} by {}; took {}.</p>",
        standing(report),
        report.mode,
        time::iso(report.started_at),
        text(&report.actor),
        text(&took(report))
    )?;
    if let Some(crew) = crew(&report.agents) {
        writeln!(screen, "<p>{}.</p>", text(&crew))?;
    }
    if let Some(confinement) = &report.confinement {
        writeln!(screen, "<p>{}.</p>", text(confinement))?;
    }
    let breaches = breaches(report);
    if !breaches.is_empty() {
        writeln!(screen, "<h2>Role breaches</h2>\n<ul>")?;
        for line in breaches {
            writeln!(screen, "<li>{}</li>", text(&line))?;
        }
        writeln!(screen, "</ul>")?;
    }
    let waiting = waiting(report);
    if !waiting.is_empty() {
        writeln!(screen, "<h2>Waiting for a person</h2>\n<ul>")?;
        for line in waiting {
            writeln!(screen, "<li>{}</li>", text(&line))?;
        }
        writeln!(screen, "</ul>")?;
    }
    writeln!(screen, "<h2>Quality</h2>\n<table>\n<tr><th>Dimension</th><th>Score</th><th>Basis</th></tr>")?;
    for it in &report.quality.dimensions {
        let class = it.gate.map_or("", |gate| gate.as_str());
        let score = score(it.score, it.gate);
        let counted = text(&it.counted);
        writeln!(
            screen,
            "<tr><td>{}</td><td class=\"{class}\">{score}</td><td>{counted}</td></tr>",
            it.dimension
        )?;
    }
    let quality = &report.quality;
    let class = quality.gate.map_or("", |gate| gate.as_str());
    let overall = quality.gate.map_or_else(|| "-".to_owned(), |gate| gate.to_string());
    writeln!(
        screen,
        "<tr><td>overall</td><td class=\"{class}\">{overall}</td><td>{}</td></tr>\n</table>",
        text(&verdict(report))
    )?;
    writeln!(screen, "<h2>Dependencies</h2>")?;
    screen.write_all(run_dependencies(report, &|_| None).as_bytes())?;
    writeln!(screen, "<h2>Timeline</h2>")?;
    screen.write_all(run_times(report, &|_| None).as_bytes())?;
    issues(screen, report)?;
    writeln!(screen, "</body>\n</html>")
}

fn issues(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    writeln!(
        screen,
        "<h2>Issues</h2>\n<table>\n<tr><th>Issue</th><th>Status</th><th>Plan</th><th>Review</th><th>Commits</th>"
    )?;
    writeln!(screen, "<th>Checks</th><th>Executed by</th><th>Spent</th><th>Title</th></tr>")?;
    for issue in &report.issues {
        let plan = issue.solution_id.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            screen,
            "<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            text(issue.issue_id.as_str()),
            issue.status,
            issue.status,
            text(&plan),
            review(issue),
            issue.commits.len(),
            passed(issue),
            text(&makers(issue)),
            text(&spent(issue.tokens, &issue.costs).join(", ")),
            text(&issue.title)
        )?;
    }
    writeln!(screen, "</table>")?;
    for issue in &report.issues {
        let lines = details(issue);
        if lines.is_empty() {
            continue;
        }
        let (id, title) = (text(issue.issue_id.as_str()), text(&issue.title));
        writeln!(screen, "<h3>{id} {title}</h3>\n<ul>")?;
        for line in lines {
            writeln!(screen, "<li>{}</li>", text(&line))?;
        }
        writeln!(screen, "</ul>")?;
    }
    Ok(())
}
