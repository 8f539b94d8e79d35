//! Prints an audit: as a table for people, and as Markdown for a pull request.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::cli::print::execution::{ON_NO_BRANCH, undone};
use crate::cli::print::with_remedies;
use crate::model::execution::LinkedBy;
use crate::model::hash::CommitHash;
use crate::model::review::Verdict;
use crate::model::task_id::listed;
use crate::ops::trail::{Audit, AuditedCommit, LinkingExecution};
use crate::rules::audit::{AuditFinding, AuditSeverity};
use crate::ui::settings::UiSettings;
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Screen, Table, style};

/// A range with full hashes shortened.
fn short_range(range: &str) -> String {
    let short =
        |part| CommitHash::parse(part).map_or_else(|| part.to_owned(), |hash| hash.short().to_owned());
    range.split("..").map(short).collect::<Vec<_>>().join("..")
}

/// What a finding says, with its remedies.
fn said(finding: &AuditFinding) -> String {
    with_remedies(&finding.message, &finding.remedies)
}

fn share(part: usize, whole: usize) -> String {
    (part * 100).checked_div(whole).map(|percent| format!(" ({percent}%)")).unwrap_or_default()
}

fn how(by: LinkedBy) -> &'static str {
    match by {
        LinkedBy::Hook => "by the hook",
        LinkedBy::Trailer => "by its content",
        LinkedBy::Manual => "by hand",
        LinkedBy::Relink => "found afterwards",
        LinkedBy::Run => "by the run",
    }
}

/// The source of a link, as a table cell.
fn cell(by: LinkedBy) -> String {
    // Either the message names the plan or one of its commits, or the change is the same as in one.
    if by == LinkedBy::Trailer { "content".into() } else { by.to_string() }
}

/// How much of the work is linked and has evidence, in one line.
fn coverage(audit: &Audit) -> String {
    let links: Vec<String> = audit.links.iter().map(|(by, n)| format!("{n} {}", how(*by))).collect();
    let links = if links.is_empty() { String::new() } else { format!(" [{}]", links.join(", ")) };
    format!(
        "{} of {} linked{}{links}, {} of {} with evidence{}",
        audit.bound_count,
        count(audit.commit_count, "commit"),
        share(audit.bound_count, audit.commit_count),
        audit.evidenced_count,
        count(audit.task_count, "task"),
        share(audit.evidenced_count, audit.task_count),
    )
}

/// One row for each execution that links the commit, or a single row if none does.
fn rows(commit: &AuditedCommit) -> Vec<[String; 7]> {
    let row = |binding: Option<&LinkingExecution>| {
        let of = |text: fn(&LinkingExecution) -> String| binding.map(text).unwrap_or_default();
        [
            commit.hash.short().to_owned(),
            of(|it| it.issue_id.to_string()),
            of(|it| listed(it.task_id.iter().chain(&it.other_task_ids)).unwrap_or_default()),
            of(|it| it.linked_by.map(cell).unwrap_or_default()),
            of(|it| it.review.map(|verdict| verdict.as_str().to_owned()).unwrap_or_default()),
            of(|it| {
                if it.check_count == 0 {
                    String::new()
                } else {
                    format!("{}/{}", it.checks_passed, it.check_count)
                }
            }),
            format!("{}{}", subject(commit), of(|it| undone(&it.reverts, &it.reapplies))),
        ]
    };
    if commit.bound_to.is_empty() {
        return vec![row(None)];
    }
    commit.bound_to.iter().map(|binding| row(Some(binding))).collect()
}

/// The subject, and for a merge what it changes itself.
fn subject(commit: &AuditedCommit) -> String {
    const MOST: usize = 3;
    let files = &commit.own_files;
    let place = if commit.on_no_branch { ON_NO_BRANCH } else { "" };
    if files.is_empty() {
        return format!("{}{place}", commit.subject);
    }
    let shown = files.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    let more = files.len().saturating_sub(MOST);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{} (the merge itself changes {shown}{rest}){place}", commit.subject)
}

/// Where a finding is.
fn place(finding: &AuditFinding) -> String {
    match (&finding.commit, &finding.execution_id, &finding.issue_id) {
        (Some(commit), _, Some(issue)) => format!("{} {issue}", commit.short()),
        (Some(commit), ..) => commit.short().to_owned(),
        (None, Some(execution), _) => execution.short().to_owned(),
        (None, None, Some(issue)) => issue.to_string(),
        (None, None, None) => String::new(),
    }
}

/// Findings in order; those of one commit are grouped by kind and execution: at most a few of each group, and the
/// number of the others. A commit that moves a whole tree would otherwise hide all other findings.
fn in_short(findings: Vec<&AuditFinding>) -> Vec<(Vec<&AuditFinding>, usize)> {
    const MOST: usize = 10;
    let mut groups: Vec<(Vec<&AuditFinding>, usize)> = Vec::new();
    for finding in findings {
        let of = |it: &AuditFinding| (it.kind, it.commit.clone(), it.execution_id.clone());
        match groups.last_mut().filter(|(group, _)| finding.commit.is_some() && of(group[0]) == of(finding)) {
            Some((group, rest)) if group.len() >= MOST => *rest += 1,
            Some((group, _)) => group.push(finding),
            None => groups.push((vec![finding], 0)),
        }
    }
    groups
}

/// For people.
pub(in crate::cli) fn text(screen: &mut Screen, audit: &Audit) -> io::Result<()> {
    let painter = screen.painter();
    writeln!(
        screen,
        "{}: {}",
        painter.paint(style::HEADING, &clean_line(&short_range(&audit.range))),
        coverage(audit)
    )?;
    if !audit.commits.is_empty() {
        writeln!(screen)?;
    }
    let mut table = Table::new([
        Column::left("COMMIT"),
        Column::left("ISSUE"),
        Column::left("TASK"),
        Column::left("LINK").spare(),
        Column::left("REVIEW").spare(),
        Column::left("CHECKS").spare(),
        Column::flexible("SUBJECT"),
    ]);
    for commit in &audit.commits {
        for [hash, issue, task, link, review, checks, subject] in rows(commit) {
            let only_joins = commit.is_merge && commit.own_files.is_empty();
            let look = if only_joins { style::DIM } else { style::PLAIN };
            let verdict = if review == Verdict::Rejected.as_str() { style::BAD } else { style::PLAIN };
            table.row([
                Cell::new(hash, style::WARN),
                Cell::new(issue, style::ID),
                Cell::from(task.as_str()),
                Cell::from(link.as_str()),
                Cell::new(review, verdict),
                Cell::from(checks.as_str()),
                Cell::new(subject, look),
            ]);
        }
    }
    table.print(screen)?;
    for (severity, heading, look) in
        [(AuditSeverity::Fault, "errors", style::BAD), (AuditSeverity::Note, "notes", style::DIM)]
    {
        let of_kind: Vec<&AuditFinding> =
            audit.findings.iter().filter(|it| it.severity == severity).collect();
        if of_kind.is_empty() {
            continue;
        }
        writeln!(screen, "\n{}", painter.paint(look, &format!("{heading} ({})", of_kind.len())))?;
        let (margin, gap) = if UiSettings::get().is_plain { ("", ": ") } else { ("  ", "  ") };
        for (findings, rest) in in_short(of_kind) {
            for finding in &findings {
                let place = painter.paint(style::ID, &place(finding));
                writeln!(screen, "{margin}{place}{gap}{}", clean_line(&said(finding)))?;
            }
            if rest > 0 {
                let place = painter.paint(style::ID, &place(findings[0]));
                writeln!(screen, "{margin}{place}{gap}and {rest} more of this kind (`--json` has all)")?;
            }
        }
    }
    if audit.findings.is_empty() {
        writeln!(screen, "{}", painter.paint(style::GOOD, "no problems found"))?;
    }
    Ok(())
}

/// For a pull request. All text from records and commits is escaped.
pub(in crate::cli) fn markdown(audit: &Audit) -> String {
    let mut page = String::new();
    let faults = audit.findings.iter().filter(|it| it.severity == AuditSeverity::Fault).count();
    let verdict = if faults == 0 { "no problems found".to_owned() } else { count(faults, "error") };
    // Writing to a String cannot fail.
    let _ = writeln!(
        page,
        "### Audit of {}: {verdict}\n\n{}\n",
        escaped(&short_range(&audit.range)),
        coverage(audit)
    );
    let _ = writeln!(page, "| commit | issue | task | link | review | checks | subject |");
    let _ = writeln!(page, "|---|---|---|---|---|---|---|");
    for commit in &audit.commits {
        for row in rows(commit) {
            let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }
    for (severity, heading) in [(AuditSeverity::Fault, "Errors"), (AuditSeverity::Note, "Notes")] {
        let of_kind: Vec<&AuditFinding> =
            audit.findings.iter().filter(|it| it.severity == severity).collect();
        if !of_kind.is_empty() {
            let _ = writeln!(page, "\n#### {heading}\n");
        }
        for (findings, rest) in in_short(of_kind) {
            for finding in &findings {
                let _ = writeln!(page, "- {}: {}", escaped(&place(finding)), escaped(&said(finding)));
            }
            if rest > 0 {
                let _ = writeln!(page, "- {}: and {rest} more of this kind", escaped(&place(findings[0])));
            }
        }
    }
    page
}

/// Escapes text for Markdown, in one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in clean_line(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '@' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\n' | '\r' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_others_stays_text() {
        assert_eq!(escaped("a|b <img> [x](y) `c`\n# d"), "a\\|b &lt;img&gt; \\[x\\](y) \\`c\\` \\# d");
    }
}
