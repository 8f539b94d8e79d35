//! An audit of commits: what is wrong with them, and which plans they belong to.

use super::looks::verdict_style;
use super::remedy::with_remedies;
use super::words::undone;
use super::{
    Block, Column, Entry, Line, List, Page, PerPage, Section, Span, Table, Target, commit, id, line, message,
    named, record, state, styled,
};
use crate::model::{CommitHash, LinkedBy, Proof};
use crate::ops::store::{ComparedStatement, ComparedStatements};
use crate::ops::trail::{Audit, AuditedCommit, LinkingExecution};
use crate::rules::{AuditFinding, AuditSeverity};
use crate::ui::{Style, count, style};

/// Commits on a page in a browser.
const COMMITS: PerPage = PerPage::Latest(500);
/// Findings of a severity on a page in a browser.
const FINDINGS: PerPage = PerPage::First(500);
/// How many findings of one kind at one commit are shown: a commit that moves a whole tree would otherwise hide all others.
const MOST_OF_A_KIND: usize = 10;
/// How many files that a merge itself changes are named.
const MOST_FILES: usize = 3;

/// The page of an audit.
pub(crate) fn page(audit: &Audit) -> Page {
    let verdict = if audit.findings.is_empty() {
        state(style::GOOD, "no problems found")
    } else if audit.is_at_fault() {
        let errors = audit.findings.iter().filter(|finding| finding.severity == AuditSeverity::Fault).count();
        state(style::BAD, count(errors, "error"))
    } else {
        state(style::GOOD, "no errors")
    };
    let columns = [
        Column::left("Commit"),
        Column::left("Issue"),
        Column::left("Task"),
        Column::left("Link").spare(),
        Column::left("Review").spare(),
        Column::left("Checks").spare(),
        Column::flexible("Subject"),
    ];
    let table =
        Table { per_page: COMMITS, ..Table::new("commits", columns, audit.commits.iter().flat_map(rows)) };
    let commits = (!audit.commits.is_empty()).then(|| Section::new("commits", [Block::Table(table)]));
    let findings = [("errors", AuditSeverity::Fault, style::BAD), ("notes", AuditSeverity::Note, style::DIM)];
    let findings = findings.map(|(heading, severity, look)| {
        let of_kind: Vec<&AuditFinding> =
            audit.findings.iter().filter(|finding| finding.severity == severity).collect();
        self::findings(heading, look, &of_kind)
    });
    let blocks = [Block::Line(coverage(audit).into()), Block::Line(verdict.into())];
    Page {
        title: line!["audit of ", record(short_range(&audit.range))],
        facts: vec![],
        blocks: blocks.into_iter().chain(findings.into_iter().flatten()).chain(commits).collect(),
    }
}

/// The page that holds statements about test results beside the checks of the store.
pub(crate) fn compared(compared: &ComparedStatements) -> Page {
    let signed = match compared.signers.as_deref() {
        None => Line::from("not signed"),
        Some([]) => styled(style::BAD, "the signature is not one of an allowed signer").into(),
        Some(signers) => line!["signed by ", record(signers.join(", "))],
    };
    let statements = List::new(compared.statements.iter().map(compared_statement));
    Page {
        title: Line::from("statements about tests"),
        facts: vec![],
        blocks: vec![Block::List(statements), Block::Line(signed)],
    }
}

fn compared_statement(statement: &ComparedStatement) -> Entry {
    let ComparedStatement { tree, result, here, faults } = statement;
    let verdict = match (faults.is_empty(), here) {
        (true, _) => styled(style::GOOD, "as the checks here say"),
        (false, Some(_)) => styled(style::BAD, "the checks here do not agree"),
        (false, None) => styled(style::BAD, "nothing here says so"),
    };
    let head = line![format!("tree {} {result}: ", tree.short()), verdict];
    let faults = faults.iter().map(|fault| Line::from(record(fault)));
    Entry::new(head).with([Block::List(List::new(faults))])
}

/// A range with full hashes shortened.
fn short_range(range: &str) -> String {
    let short =
        |part| CommitHash::parse(part).map_or_else(|| part.to_owned(), |hash| hash.short().to_owned());
    range.split("..").map(short).collect::<Vec<_>>().join("..")
}

/// How much of the work is linked and has evidence.
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
        LinkedBy::Land => "by the landing",
    }
}

/// One row for each execution that links the commit, or a single row if none does.
fn rows(commit: &AuditedCommit) -> Vec<Vec<Line>> {
    if commit.bound_to.is_empty() {
        return vec![row(commit, None)];
    }
    commit.bound_to.iter().map(|binding| row(commit, Some(binding))).collect()
}

fn row(of: &AuditedCommit, binding: Option<&LinkingExecution>) -> Vec<Line> {
    let tasks = binding.map(|link| {
        let tasks = link.task_id.iter().chain(&link.other_task_ids);
        Line::listed(tasks.map(|task| named(Target::Task(link.solution_id.clone(), task.to_string()), task)))
    });
    // Either the message names the plan or one of its commits, or the change is the same as in one.
    let link = binding
        .and_then(|link| link.linked_by)
        .map(|by| if by == LinkedBy::Trailer { "content".to_owned() } else { by.to_string() });
    let review = binding.and_then(|link| link.review).map(|verdict| state(verdict_style(verdict), verdict));
    let checks = binding.filter(|link| link.check_count > 0);
    let checks = checks.map(|link| {
        let proved = if link.proof.as_ref().is_some_and(Proof::holds) { " proved" } else { "" };
        format!("{}/{}{proved}", link.checks_passed, link.check_count)
    });
    let undone = binding.map(|link| undone(&link.reverts, &link.reapplies));
    vec![
        commit(&of.hash).into(),
        binding.map(|link| id(&link.issue_id)).into(),
        tasks.into(),
        link.into(),
        review.into(),
        checks.into(),
        line![subject(of), undone],
    ]
}

/// The subject, and for a merge what it changes itself.
fn subject(of: &AuditedCommit) -> Line {
    let only_joins = of.is_merge && of.own_files.is_empty();
    let subject = if only_joins { styled(style::DIM, &of.subject) } else { record(&of.subject) };
    let more = of.own_files.len().saturating_sub(MOST_FILES);
    let more = (more > 0).then(|| format!(" and {more} more"));
    let files: Vec<&str> = of.own_files.iter().take(MOST_FILES).map(String::as_str).collect();
    let files = (!files.is_empty())
        .then(|| line![" (the merge itself changes ", record(files.join(", ")), more, ")"]);
    let place = of.on_no_branch.then(|| line![" (", state(style::BAD, "on no branch"), ")"]);
    line![subject, files, place]
}

/// The findings of a severity in order; those of one commit are grouped by kind and execution.
fn findings(heading: &str, look: Style, findings: &[&AuditFinding]) -> Option<Block> {
    let groups = findings.chunk_by(|a, b| {
        a.commit.is_some() && (a.kind, &a.commit, &a.execution_id) == (b.kind, &b.commit, &b.execution_id)
    });
    let mut entries: Vec<Line> = Vec::new();
    for group in groups {
        let shown = group.iter().take(MOST_OF_A_KIND);
        entries.extend(shown.map(|finding| {
            line![place(finding), Span::Gap, message(with_remedies(&finding.message, &finding.remedies))]
        }));
        if group.len() > MOST_OF_A_KIND {
            let rest = group.len() - MOST_OF_A_KIND;
            let more = format!("and {rest} more of this kind (`--json` has all)");
            entries.push(line![place(group[0]), Span::Gap, message(more)]);
        }
    }
    let heading = styled(look, format!("{heading} ({})", findings.len()));
    let list = List { per_page: FINDINGS, ..List::new(entries.into_iter().map(Entry::new)) };
    (!findings.is_empty()).then(|| Section::new(heading, [Block::List(list)]))
}

/// Where a finding is.
fn place(finding: &AuditFinding) -> Line {
    let issue = finding.issue_id.as_ref().map(id);
    match (&finding.commit, &finding.execution_id) {
        (Some(hash), _) => line![commit(hash), issue.is_some().then_some(" "), issue],
        (None, Some(execution)) => named(Target::Record(execution.to_string()), execution.short()).into(),
        (None, None) => issue.into(),
    }
}
