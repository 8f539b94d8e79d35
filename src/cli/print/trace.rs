//! A trace as a tree for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::cli::print::execution;
use crate::cli::print::feedback;
use crate::cli::print::issues::status_style;
use crate::cli::print::queue as queue_print;
use crate::cli::print::review as review_print;
use crate::model::execution::{Check, CommitLink, LinkedBy};
use crate::model::hash::CommitHash;
use crate::model::provenance::Provenance;
use crate::model::task_id::{TaskId, listed};
use crate::model::test_count::counted;
use crate::ops::plans::SolutionView;
use crate::ops::trail::{TraceView, TracedCommit, TracedIssue};
use crate::ops::work::{CommitView, ExecutionView};
use crate::rules::evidence::is_of;
use crate::rules::folder::last_checks;
use crate::rules::undoing::{Undoing, undoing};
use crate::trail::reach::Unreached;
use crate::trail::trace::CommitFacts;
use crate::ui::text::{clean_line, count, truncate};
use crate::ui::{Screen, style};

/// The number of characters of a digest that is enough to tell plans apart.
const DIGEST: usize = 19;

/// The commits first, then each issue once.
pub(in crate::cli) fn trace(screen: &mut Screen, found: &TraceView) -> io::Result<()> {
    let mut asked: BTreeSet<&CommitHash> = BTreeSet::new();
    if let Some(commit) = &found.commit {
        asked.insert(&commit.hash);
        print_commit(commit, found, screen)?;
    }
    if let Some(commits) = &found.commits {
        asked.extend(commits.iter().map(|it| &it.commit.hash));
        print_commits(&found.query, commits, &found.unreached, screen)?;
    }
    let mark = if found.commit.is_some() { "  <- this one" } else { "  <- in the range" };
    for issue in &found.issues {
        let marked = Marked { asked: &asked, mark, provenance: &found.provenance };
        print_issue(issue, marked, screen)?;
    }
    Ok(())
}

fn print_commit(commit: &CommitFacts, found: &TraceView, screen: &mut Screen) -> io::Result<()> {
    let issues = &found.issues;
    let painter = screen.painter();
    let hash = painter.paint(style::WARN, commit.hash.short());
    let place = location_note(&found.unreached, &commit.hash);
    writeln!(screen, "commit {hash} {}{place}", clean_line(&commit.subject))?;
    writeln!(screen, "  by {}", clean_line(&commit.author))?;
    for it in &commit.provenance {
        writeln!(screen, "  {}", clean_line(&execution::provenance_line(it)))?;
    }
    if issues.is_empty() {
        let line = match commit.trailers.as_slice() {
            [] => "no execution links this commit, and its message names no plan".to_owned(),
            trailers => {
                format!("no execution here links this commit; its message says {}", trailers.join(", "))
            }
        };
        writeln!(screen, "  {}", painter.paint(style::DIM, &line))?;
    }
    for execution in issues.iter().flat_map(|it| &it.executions) {
        if !found.linked_by.contains(&execution.execution.id) {
            continue;
        }
        let linked = execution.commit(&commit.hash);
        let tasks = linked.map(|it| tasks_of(it.link.tasks())).unwrap_or_default();
        let solution = painter.paint(style::ID, execution.execution.solution_id.as_str());
        let how = linked.map(|it| how(&it.link)).unwrap_or_default();
        let undoing = linked.map(|it| undoing(&it.link, |hash| execution.link(hash))).unwrap_or_default();
        let verb = if undoing.is_empty() { "implements" } else { "belongs to" };
        let (reverts, reapplies) = Undoing::split(undoing);
        let undone = execution::undone(&reverts, &reapplies);
        let agent = execution::agent_note(linked.and_then(|it| it.made_by.as_ref()));
        let agent = clean_line(&agent);
        writeln!(screen, "  {verb} {}{solution}{agent}{how}{undone}", clean_line(&tasks))?;
        let plan = execution.execution.solution_id.as_str();
        let other = commit.trailers.iter().filter_map(|it| it.strip_prefix("Wf-Solution: "));
        for other in other.filter(|other| *other != plan && !is_linked_to(found, other)) {
            let line = format!("but its message says Wf-Solution: {other}");
            writeln!(screen, "  {}", painter.paint(style::WARN, &clean_line(&line)))?;
        }
        if let Some(now) = linked.filter(|it| it.link.hash != commit.hash) {
            let now = painter.paint(style::WARN, now.link.hash.short());
            writeln!(screen, "  rewritten since: now {now}")?;
        }
    }
    Ok(())
}

/// Whether one of the executions that link the traced commit carries out this plan.
fn is_linked_to(found: &TraceView, plan: &str) -> bool {
    let executions = found.issues.iter().flat_map(|it| &it.executions);
    executions
        .filter(|it| found.linked_by.contains(&it.execution.id))
        .any(|it| it.execution.solution_id.as_str() == plan)
}

/// `task T1 of `, `tasks T1, T2 of `, or nothing.
fn tasks_of<'a>(tasks: impl Iterator<Item = &'a TaskId>) -> String {
    let tasks: Vec<&TaskId> = tasks.collect();
    let word = if tasks.len() > 1 { "tasks" } else { "task" };
    listed(tasks).map(|tasks| format!("{word} {tasks} of ")).unwrap_or_default()
}

fn location_note(unreached: &Unreached, hash: &CommitHash) -> &'static str {
    if unreached.is_adrift(hash) { execution::ON_NO_BRANCH } else { "" }
}

fn print_commits(
    query: &str,
    commits: &[TracedCommit],
    unreached: &Unreached,
    screen: &mut Screen,
) -> io::Result<()> {
    let painter = screen.painter();
    let bound = commits.iter().filter(|it| !it.carries_out.is_empty()).count();
    let query = painter.paint(style::HEADING, query);
    writeln!(screen, "{query}: {}, {bound} of them linked to a plan", count(commits.len(), "commit"))?;
    for TracedCommit { commit, carries_out } in commits {
        let hash = painter.paint(style::WARN, commit.hash.short());
        let place = location_note(unreached, &commit.hash);
        writeln!(screen, "  commit {hash} {}{place}", clean_line(&commit.subject))?;
        for it in &commit.provenance {
            writeln!(screen, "    {}", clean_line(&execution::provenance_line(it)))?;
        }
        for it in carries_out {
            let task = tasks_of(it.task_id.iter().chain(&it.other_task_ids));
            let issue = painter.paint(style::ID, it.issue_id.as_str());
            let undone = execution::undone(&it.reverts, &it.reapplies);
            let agent = execution::agent_note(it.made_by.as_ref());
            let agent = clean_line(&agent);
            writeln!(screen, "    {issue}: {}{}{agent}{undone}", clean_line(&task), it.solution_id)?;
        }
        if carries_out.is_empty() {
            let line = match commit.trailers.as_slice() {
                [] => "no plan".to_owned(),
                trailers => format!("not linked; its message says {}", trailers.join(", ")),
            };
            writeln!(screen, "    {}", painter.paint(style::DIM, &line))?;
        }
    }
    Ok(())
}

/// What is shown beside commits.
#[derive(Clone, Copy)]
struct Marked<'a> {
    /// The commits that were asked for.
    asked: &'a BTreeSet<&'a CommitHash>,
    /// Their mark.
    mark: &'a str,
    /// What other tools recorded about a commit.
    provenance: &'a BTreeMap<CommitHash, Vec<Provenance>>,
}

fn print_issue(traced: &TracedIssue, marked: Marked<'_>, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let issue = &traced.issue.issue;
    let status = traced.issue.derived.status;
    writeln!(
        screen,
        "issue {} {} ({})",
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title),
        painter.paint(status_style(status), &traced.issue.derived.status_words())
    )?;
    for it in &traced.overrides {
        let role = it.role.as_deref().map(|role| format!(" as {role}")).unwrap_or_default();
        let line =
            format!("gate overridden: {} by {}{role}, {}: {}", it.operation, it.person, it.at, it.reason);
        writeln!(screen, "  {}", painter.paint(style::BAD, &line))?;
    }
    let is_told = |content: &str| {
        let failures = traced.executions.iter().filter_map(|it| it.failure.as_ref()?.message.as_deref());
        failures.map(str::trim).any(|message| message == content.trim())
    };
    // The failure of an attempt is shown with the attempt.
    for it in traced.feedback.iter().filter(|it| !is_told(&it.content)) {
        let line =
            format!("feedback: {} by {}: {}", feedback::heading(it), it.author, first_line(&it.content));
        writeln!(screen, "  {}", clean_line(&line))?;
    }
    for solution in &traced.solutions {
        let bound = if solution.is_bound { ", bound" } else { "" };
        let withdrawn = if solution.withdrawn.is_some() { ", withdrawn" } else { "" };
        let digest = &solution.plan_digest;
        writeln!(
            screen,
            "  plan {} ({}{bound}{withdrawn}) {}",
            painter.paint(style::ID, solution.id.as_str()),
            count(solution.task_count, "task"),
            painter.paint(style::DIM, digest.get(..DIGEST).unwrap_or(digest))
        )?;
        let executions = || traced.executions.iter().filter(|it| it.execution.solution_id == solution.id);
        // If the plan has changed since, its tasks are shown below each execution.
        let is_as_executed = |it: &ExecutionView| it.execution.plan_digest == *digest;
        if executions().next().is_none() || executions().any(is_as_executed) {
            for task in &solution.typed.tasks {
                print_task(&task.id, &task.title, 4, screen)?;
            }
        }
        review_print::reviews(&solution.reviews, digest, 4, screen)?;
        for it in traced.queued.iter().filter(|it| it.solution_id == solution.id) {
            let state = painter.paint(queue_print::status_style(it.status), it.status.as_str());
            writeln!(screen, "    queued as {} of {} ({state})", it.item_id, it.queue_id)?;
        }
        for it in executions() {
            print_execution(it, traced, solution, marked, screen)?;
        }
    }
    Ok(())
}

/// The most columns of a text that a trace repeats; `show` has all of it.
const LONGEST_TEXT: usize = 160;

/// The beginning of a text, which may be the whole output of a test.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let cut = truncate(&clean_line(first), LONGEST_TEXT);
    match lines.count() {
        0 => cut,
        more => format!("{cut} (and {})", count(more, "more line")),
    }
}

fn print_task(id: &TaskId, title: &str, indent: usize, screen: &mut Screen) -> io::Result<()> {
    let id = screen.painter().paint(style::ID, id);
    writeln!(screen, "{:indent$}{id} {}", "", clean_line(title))
}

/// How a commit was linked, if no hook saw it being made.
fn how(link: &CommitLink) -> &'static str {
    match link.linked_by {
        LinkedBy::Hook => "",
        LinkedBy::Trailer => " (linked by its content)",
        LinkedBy::Manual => " (linked by hand)",
        LinkedBy::Relink => " (linked afterwards)",
        LinkedBy::Run => " (linked by the run)",
    }
}

/// The commits that revert this one.
fn taken_back(commit: &CommitView, all: &[CommitView]) -> String {
    let by = all.iter().filter(|it| it.link.reverts.iter().any(|hash| commit.is(hash)));
    let by: Vec<&str> = by.map(|it| it.link.hash.short()).collect();
    if by.is_empty() { String::new() } else { format!(" (reverted by {})", by.join(", ")) }
}

fn print_execution(
    it: &ExecutionView,
    traced: &TracedIssue,
    solution: &SolutionView,
    marked: Marked<'_>,
    screen: &mut Screen,
) -> io::Result<()> {
    let painter = screen.painter();
    let branch = it.execution.branch.as_ref();
    let on = branch.map(|branch| format!(" on {branch}")).unwrap_or_default();
    writeln!(
        screen,
        "    executed as {} (attempt {}, {}) by {}{}{}",
        painter.paint(style::ID, it.execution.id.short()),
        it.execution.attempt,
        it.status_words(),
        clean_line(&it.execution.actor),
        clean_line(&on),
        clean_line(&execution::end_note(&it.execution.actor, it.ended_by.as_deref(), None))
    )?;
    if it.execution.plan_digest != solution.plan_digest {
        let claimed = it.execution.plan_digest.get(..DIGEST).unwrap_or(&it.execution.plan_digest);
        let line =
            format!("of an earlier version of the plan, {claimed}; `git wf plan diff {}`", solution.id);
        writeln!(screen, "      {}", painter.paint(style::WARN, &line))?;
    }
    for task in traced.claimed_tasks.get(&it.execution.id).into_iter().flatten() {
        print_task(&task.id, &task.title, 6, screen)?;
    }
    for commit in &it.commits {
        let hash = painter.paint(style::WARN, commit.link.hash.short());
        let task = listed(commit.link.tasks()).map(|tasks| format!(" [{tasks}]")).unwrap_or_default();
        let is_asked = marked.asked.iter().any(|hash| commit.is(hash));
        let (reverts, reapplies) = Undoing::split(undoing(&commit.link, |hash| it.link(hash)));
        writeln!(
            screen,
            "      commit {hash}{} {}{}{}{}{}{}{}",
            clean_line(&task),
            clean_line(&commit.link.subject),
            clean_line(&execution::agent_note(commit.made_by.as_ref())),
            commit.location_note(),
            how(&commit.link),
            execution::undone(&reverts, &reapplies),
            taken_back(commit, &it.commits),
            if is_asked { marked.mark } else { "" }
        )?;
        for old in &commit.rewritten_from {
            writeln!(screen, "        was {}", clean_line(old.short()))?;
        }
        for it in marked.provenance.get(&commit.link.hash).into_iter().flatten() {
            writeln!(screen, "        {}", clean_line(&execution::provenance_line(it)))?;
        }
    }
    for session in &it.sessions {
        writeln!(screen, "      agent {}", clean_line(&execution::session_line(session)))?;
    }
    for (check, earlier) in last_checks(&it.checks) {
        print_check(check, earlier, it, screen)?;
    }
    for it in traced.accepted_in(&it.execution.id) {
        let criteria = solution.typed.task(&it.task_id).map(|task| task.criteria()).unwrap_or_default();
        let place = usize::try_from(it.criterion).ok().and_then(|n| n.checked_sub(1));
        let text = place.and_then(|n| criteria.get(n)).map(|text| format!(" ({text})")).unwrap_or_default();
        let line = format!(
            "accepted [{}] criterion {}{text} by {}: {}",
            it.task_id, it.criterion, it.actor, it.evidence
        );
        writeln!(screen, "      {}", clean_line(&line))?;
    }
    if let Some(message) = it.failure.as_ref().and_then(|failure| failure.message.as_ref()) {
        writeln!(screen, "      failed: {}", painter.paint(style::BAD, &first_line(message)))?;
    }
    if let Some(summary) = it.result.as_ref().and_then(|result| result.summary.as_ref()) {
        writeln!(screen, "      done: {}", clean_line(summary))?;
    }
    for landing in &it.lands {
        writeln!(screen, "      {}", clean_line(&landing.words()))?;
    }
    for end in &it.other_ends {
        writeln!(screen, "      {}", clean_line(&end.note()))?;
    }
    Ok(())
}

/// The result of a check: `passed, 12 tests`.
pub(in crate::cli) fn outcome(check: &Check) -> String {
    format!("{}, {}", check.outcome(), counted(check.tests))
}
fn print_check(check: &Check, earlier: usize, it: &ExecutionView, screen: &mut Screen) -> io::Result<()> {
    let painter = screen.painter();
    let look = if check.has_passed() { style::GOOD } else { style::BAD };
    let task = check.task_id.as_deref().map(|task| format!(" [{task}]")).unwrap_or_default();
    let at = check.commit.as_ref().map(|hash| format!(" at {}", hash.short())).unwrap_or_default();
    let dirty = if check.dirty { " with uncommitted changes" } else { "" };
    let last = it.commits.last().map(|commit| &commit.link);
    let also = last.filter(|last| check.commit.as_ref() != Some(&last.hash) && is_of(check, last));
    let also = also.map(|last| format!(", which has the tree of {}", last.hash.short())).unwrap_or_default();
    let more = if earlier == 0 { String::new() } else { format!(", the last of {}", earlier + 1) };
    let proof = check.proof.as_ref().map(|proof| format!("; {}", clean_line(&proof.words())));
    let proof = proof.unwrap_or_default();
    writeln!(
        screen,
        "      check{} {} {}{}{dirty}{also}{more}; {}{proof}",
        clean_line(&task),
        clean_line(&check.command),
        painter.paint(look, &check.outcome().to_string()),
        clean_line(&at),
        counted(check.tests)
    )?;
    Ok(())
}
