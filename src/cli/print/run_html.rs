//! The report of a run as one self-contained HTML page, with pictures of the dependencies and of the times.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::run_report::{
    amounts, breaches, details, makers, outcome, passed, phases, score, spent, standing, waiting,
};
use crate::model::id::IssueId;
use crate::rules::run::{IssueStage, RunReport};
use crate::ui::text::{clean_line, truncate};
use crate::ui::{Screen, time};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}\
th{background:#f3f3f3}svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif}.pass,.completed{color:#176117}\
.review{color:#8a5a00}.fail,.failed{color:#a11}code{background:#f3f3f3}";

/// Text within HTML or SVG, and within a quoted attribute: nothing in it is markup.
fn text(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn colour(stage: IssueStage) -> &'static str {
    match stage {
        IssueStage::Registered => "#e8e8e8",
        IssueStage::Planning => "#cfe2ff",
        IssueStage::Planned => "#e6e0ff",
        IssueStage::Executing => "#fff0b3",
        IssueStage::Completed => "#c8ecc8",
        IssueStage::Failed => "#f7c6c6",
    }
}

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
        "<p>{}, {}, started {} by {}; took {}: {}.</p>",
        standing(report),
        report.mode,
        report.started_at,
        text(&report.actor),
        time::length(report.took_ms),
        text(&phases(report))
    )?;
    let breaches = breaches(report);
    if !breaches.is_empty() {
        writeln!(screen, "<h2>Breaches of roles</h2>\n<ul>")?;
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
    writeln!(screen, "<h2>Quality</h2>\n<table>\n<tr><th>Dimension</th><th>Score</th><th>Counted</th></tr>")?;
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
    let overall = score(quality.score, quality.gate);
    writeln!(
        screen,
        "<tr><td>overall</td><td class=\"{class}\">{overall}</td><td>the average</td></tr>\n</table>"
    )?;
    writeln!(screen, "<h2>Dependencies</h2>")?;
    dag(screen, report)?;
    writeln!(screen, "<h2>Timeline</h2>")?;
    timeline(screen, report)?;
    issues(screen, report)?;
    writeln!(screen, "</body>\n</html>")
}

fn issues(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    writeln!(
        screen,
        "<h2>Issues</h2>\n<table>\n<tr><th>Issue</th><th>Status</th><th>Plan</th><th>Commits</th>"
    )?;
    writeln!(screen, "<th>Checks</th><th>Agent</th><th>Spent</th><th>Title</th></tr>")?;
    for issue in &report.issues {
        let plan = issue.solution_id.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(
            screen,
            "<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            text(issue.issue_id.as_str()),
            issue.status,
            issue.status,
            text(&plan),
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

/// The length of the longest chain of dependencies before each issue; in a cycle, at most the number of issues.
fn levels(report: &RunReport) -> BTreeMap<&IssueId, usize> {
    let mut levels: BTreeMap<&IssueId, usize> = report.issues.iter().map(|it| (&it.issue_id, 0)).collect();
    for _ in 0..report.issues.len() {
        let mut is_changed = false;
        for issue in &report.issues {
            let before = issue.depends_on.iter().filter_map(|id| levels.get(id)).max();
            let level = before.map_or(0, |level| level + 1).min(report.issues.len());
            if levels.insert(&issue.issue_id, level) != Some(level) {
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    levels
}

/// A box for each issue, the first on the left, and an arrow from each to those that depend on it.
fn dag(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    const WIDE: usize = 200;
    const HIGH: usize = 44;
    const ACROSS: usize = 260;
    const DOWN: usize = 60;
    let levels = levels(report);
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places: BTreeMap<&IssueId, (usize, usize)> = BTreeMap::new();
    for issue in &report.issues {
        let level = levels.get(&issue.issue_id).copied().unwrap_or_default();
        let row = rows.entry(level).or_default();
        places.insert(&issue.issue_id, (10 + level * ACROSS, 10 + *row * DOWN));
        *row += 1;
    }
    let wide = 20 + rows.keys().max().copied().unwrap_or_default() * ACROSS + WIDE;
    let high = 20 + rows.values().max().copied().unwrap_or(1) * DOWN;
    writeln!(
        screen,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"dependencies\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">"
    )?;
    writeln!(
        screen,
        "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#555\"/></marker></defs>"
    )?;
    for issue in &report.issues {
        let Some((x, y)) = places.get(&issue.issue_id) else { continue };
        for (from_x, from_y) in issue.depends_on.iter().filter_map(|id| places.get(id)) {
            let (from_x, from_y, to_y) = (from_x + WIDE, from_y + HIGH / 2, y + HIGH / 2);
            writeln!(
                screen,
                "<line x1=\"{from_x}\" y1=\"{from_y}\" x2=\"{x}\" y2=\"{to_y}\" stroke=\"#555\" marker-end=\"url(#tip)\"/>"
            )?;
        }
    }
    for issue in &report.issues {
        let Some((x, y)) = places.get(&issue.issue_id) else { continue };
        let fill = colour(issue.status);
        let (id, title) = (text(issue.issue_id.as_str()), clean_line(&issue.title));
        let (short, whole) = (text(&truncate(&title, 28)), text(&title));
        writeln!(screen, "<g><title>{id} {whole} ({})</title>", issue.status)?;
        writeln!(
            screen,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{HIGH}\" rx=\"6\" fill=\"{fill}\" stroke=\"#888\"/>"
        )?;
        writeln!(screen, "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{id}</text>", x + 8, y + 18)?;
        writeln!(screen, "<text x=\"{}\" y=\"{}\">{short}</text></g>", x + 8, y + 36)?;
    }
    writeln!(screen, "</svg>")
}

/// A row for each issue, with a bar for each of its stages, as long as the stage lasted.
fn timeline(screen: &mut Screen, report: &RunReport) -> io::Result<()> {
    const LABEL: u64 = 180;
    const WIDE: u64 = 800;
    const ROW: usize = 26;
    let start = report.started_at.millis();
    let at = |millis: i64| {
        let since = u64::try_from(millis.saturating_sub(start)).unwrap_or(0).min(report.took_ms);
        LABEL + since * WIDE / report.took_ms.max(1)
    };
    let (wide, high) = (LABEL + WIDE + 10, 30 + report.issues.len() * ROW);
    writeln!(
        screen,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"timeline\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\">"
    )?;
    writeln!(screen, "<text x=\"{LABEL}\" y=\"14\">0</text>")?;
    writeln!(
        screen,
        "<text x=\"{}\" y=\"14\" text-anchor=\"end\">{}</text>",
        LABEL + WIDE,
        time::length(report.took_ms)
    )?;
    for (row, issue) in report.issues.iter().enumerate() {
        let y = 22 + row * ROW;
        writeln!(
            screen,
            "<text x=\"0\" y=\"{}\">{}</text>",
            y + 14,
            text(&truncate(issue.issue_id.as_str(), 26))
        )?;
        for span in &issue.spans {
            let (from, until) = (at(span.from.millis()), at(span.until.millis()));
            let (fill, wide) = (colour(span.status), until.saturating_sub(from).max(3));
            let took = u64::try_from(span.until.millis().saturating_sub(span.from.millis())).unwrap_or(0);
            writeln!(
                screen,
                "<rect x=\"{from}\" y=\"{y}\" width=\"{wide}\" height=\"20\" fill=\"{fill}\" stroke=\"#888\"><title>{}: {}</title></rect>",
                span.status,
                time::length(took)
            )?;
        }
    }
    writeln!(screen, "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let escaped = text("<script>alert(\"1\")</script> & 'x'\n\u{1b}[31m");
        assert!(!escaped.contains(['<', '>', '"', '\'', '\n', '\u{1b}']), "{escaped}");
        assert!(escaped.starts_with("&lt;script&gt;alert(&quot;1&quot;)"), "{escaped}");
    }
}
