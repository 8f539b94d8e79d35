//! A trace as a tree for people.

use std::collections::BTreeSet;
use std::io::Write;

use crate::cli::command::trail::trace::{Found, Traced, TracedCommit, accepted};
use crate::cli::print::issues::status_style;
use crate::cli::print::queue as queue_print;
use crate::cli::print::review as review_print;
use crate::cli::{Context, Failure, answer};
use crate::model::execution::{Check, CommitLink, LinkedBy};
use crate::model::hash::CommitHash;
use crate::model::solution::Solution;
use crate::rules::facts;
use crate::rules::folder::last_checks;
use crate::rules::undoing::{Undoing, undoing};
use crate::trail::reach::Unreached;
use crate::trail::trace::CommitFacts;
use crate::ui::style;
use crate::ui::text::{clean_line, count};

/// So much of a digest tells plans apart.
const DIGEST: usize = 19;

/// Commits first, then each issue once.
pub(in crate::cli) fn print(found: &Found, context: &mut Context) -> Result<(), Failure> {
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    if let Some(commit) = &found.commit {
        asked.insert(&commit.hash);
        print_commit(commit, found, context)?;
    }
    if let Some(commits) = &found.commits {
        asked.extend(commits.iter().map(|it| it.commit.hash.as_str()));
        print_commits(&found.query, commits, &found.unreached, context)?;
    }
    let mark = if found.commit.is_some() { "  <- this one" } else { "  <-" };
    for issue in &found.issues {
        print_issue(issue, &found.unreached, (&asked, mark), context)?;
    }
    Ok(())
}

fn print_commit(commit: &CommitFacts, found: &Found, context: &mut Context) -> Result<(), Failure> {
    let issues = &found.issues;
    let painter = context.screen.painter();
    let hash = painter.paint(style::WARN, commit.hash.short());
    let place = whereabouts(&found.unreached, &commit.hash);
    writeln!(context.screen, "commit {hash} {}{place}", clean_line(&commit.subject))?;
    writeln!(context.screen, "  by {}", clean_line(&commit.author))?;
    if issues.is_empty() {
        let line = match commit.trailers.as_slice() {
            [] => "no execution links this commit, and its message names none".to_owned(),
            trailers => {
                format!("no execution here links this commit; its message says {}", trailers.join(", "))
            }
        };
        writeln!(context.screen, "  {}", painter.paint(style::DIM, &line))?;
    }
    for Traced { folder, links, .. } in issues {
        for execution in folder.executions.iter().filter(|it| links.contains(&it.execution.id)) {
            let linked = execution
                .commits()
                .into_iter()
                .find(|it| it.link.hash == commit.hash || it.rewritten_from.contains(&commit.hash));
            let task = linked.as_ref().and_then(|commit| commit.link.task_id.clone());
            let task = task.map(|task| format!("task {task} of ")).unwrap_or_default();
            let solution = painter.paint(style::ID, execution.execution.solution_id.as_str());
            let how = linked.as_ref().map(|commit| how(&commit.link)).unwrap_or_default();
            let links = execution.links_by_hash();
            let undoing =
                linked.as_ref().map(|it| undoing(&it.link, |hash| links.get(hash))).unwrap_or_default();
            let verb = if undoing.is_empty() { "carries out" } else { "belongs to" };
            let undoing = undone(&undoing);
            writeln!(context.screen, "  {verb} {}{solution}{how}{undoing}", clean_line(&task))?;
            if let Some(now) = linked.filter(|linked| linked.link.hash != commit.hash) {
                let now = painter.paint(style::WARN, now.link.hash.short());
                writeln!(context.screen, "  rewritten since: now {now}")?;
            }
        }
    }
    Ok(())
}

fn whereabouts(unreached: &Unreached, hash: &CommitHash) -> &'static str {
    if unreached.is_adrift(hash) { answer::ON_NO_BRANCH } else { "" }
}

fn print_commits(
    query: &str,
    commits: &[TracedCommit],
    unreached: &Unreached,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let bound = commits.iter().filter(|it| !it.carries_out.is_empty()).count();
    let query = painter.paint(style::HEADING, query);
    writeln!(context.screen, "{query}: {}, {bound} of them for a plan", count(commits.len(), "commit"))?;
    for TracedCommit { commit, carries_out } in commits {
        let hash = painter.paint(style::WARN, commit.hash.short());
        let place = whereabouts(unreached, &commit.hash);
        writeln!(context.screen, "  commit {hash} {}{place}", clean_line(&commit.subject))?;
        for it in carries_out {
            let task = it.task_id.as_deref().map(|task| format!("task {task} of ")).unwrap_or_default();
            let issue = painter.paint(style::ID, it.issue_id.as_str());
            let reverts = it.reverts.iter().cloned().map(Undoing::Reverts).collect::<Vec<_>>();
            writeln!(
                context.screen,
                "    {issue}: {}{}{}",
                clean_line(&task),
                it.solution_id,
                undone(&reverts)
            )?;
        }
        if carries_out.is_empty() {
            let line = match commit.trailers.as_slice() {
                [] => "no plan".to_owned(),
                trailers => format!("not linked; its message says {}", trailers.join(", ")),
            };
            writeln!(context.screen, "    {}", painter.paint(style::DIM, &line))?;
        }
    }
    Ok(())
}

/// The commits that were asked for, and how they are marked.
type Asked<'a> = (&'a BTreeSet<&'a str>, &'a str);

fn print_issue(
    traced: &Traced,
    unreached: &Unreached,
    asked: Asked<'_>,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let folder = &traced.folder;
    let issue = &folder.issue.record;
    let status = facts::status(folder);
    writeln!(
        context.screen,
        "issue {} {} ({})",
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title),
        painter.paint(status_style(status), status.as_str())
    )?;
    for it in &traced.overrides {
        let role = it.role.as_deref().map(|role| format!(" as {role}")).unwrap_or_default();
        let line = format!("forced: {} by {}{role}, {}: {}", it.operation, it.person, it.at, it.reason);
        writeln!(context.screen, "  {}", painter.paint(style::BAD, &line))?;
    }
    for it in &folder.feedback {
        let line = format!("feedback: {} at {} by {}: {}", it.kind, it.stage, it.author, it.content);
        writeln!(context.screen, "  {}", clean_line(&line))?;
    }
    let executions = answer::executions_within(folder, unreached);
    for solution in folder.solutions.iter().map(|s| &s.record) {
        let bound = if issue.bound_solution_id.as_ref() == Some(&solution.id) { ", bound" } else { "" };
        let plan = solution.typed_plan();
        let digest = solution.plan_digest();
        writeln!(
            context.screen,
            "  plan {} ({}{bound}) {}",
            painter.paint(style::ID, solution.id.as_str()),
            count(plan.tasks.len(), "task"),
            painter.paint(style::DIM, digest.get(..DIGEST).unwrap_or(&digest))
        )?;
        for task in &plan.tasks {
            let id = painter.paint(style::ID, &task.id);
            writeln!(context.screen, "    {id} {}", clean_line(&task.title))?;
        }
        review_print::reviews(folder.reviews(&solution.id), &digest, 4, &mut context.screen)?;
        for it in traced.queued.iter().filter(|it| it.solution_id == solution.id) {
            let state = painter.paint(queue_print::status_style(it.status), it.status.as_str());
            writeln!(context.screen, "    queued as {} of {} ({state})", it.item_id, it.queue_id)?;
        }
        for it in executions.iter().filter(|it| it.execution.solution_id == solution.id) {
            print_execution(it, traced, (solution, &digest), asked, context)?;
        }
    }
    Ok(())
}

/// How a commit came to be linked, where no hook saw it being made.
fn how(link: &CommitLink) -> &'static str {
    match link.linked_by {
        LinkedBy::Hook => "",
        LinkedBy::Trailer => " (linked by its message)",
        LinkedBy::Manual => " (linked by hand)",
        LinkedBy::Relink => " (linked afterwards)",
    }
}

/// What a commit does to others of the same work.
fn undone(undoing: &[Undoing]) -> String {
    let each = |it: &Undoing| match it {
        Undoing::Reverts(hash) => format!("reverts {}", hash.short()),
        Undoing::Reapplies(hash) => format!("reapplies {}", hash.short()),
    };
    match undoing {
        [] => String::new(),
        all => format!(" ({})", all.iter().map(each).collect::<Vec<_>>().join(", ")),
    }
}

/// The commits that take this one back.
fn taken_back(commit: &answer::CommitAnswer, all: &[answer::CommitAnswer]) -> String {
    let is_it = |hash: &CommitHash| *hash == commit.link.hash || commit.rewritten_from.contains(hash);
    let by = all.iter().filter(|it| it.link.reverts.iter().any(is_it));
    let by: Vec<&str> = by.map(|it| it.link.hash.short()).collect();
    if by.is_empty() { String::new() } else { format!(" (reverted by {})", by.join(", ")) }
}

fn print_execution(
    it: &answer::ExecutionAnswer,
    traced: &Traced,
    (solution, digest): (&Solution, &str),
    (asked, mark): Asked<'_>,
    context: &mut Context,
) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let branch = it.execution.branch.as_deref().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
    let on = branch.map(|branch| format!(" on {branch}")).unwrap_or_default();
    writeln!(
        context.screen,
        "    executed as {} (attempt {}, {}) by {}{}{}",
        painter.paint(style::ID, it.execution.id.short()),
        it.execution.attempt,
        it.status,
        clean_line(&it.execution.actor),
        clean_line(&on),
        clean_line(&answer::end_note(&it.execution.actor, it.ended_by.as_deref(), None))
    )?;
    if it.execution.plan_digest != digest {
        let claimed = it.execution.plan_digest.get(..DIGEST).unwrap_or(&it.execution.plan_digest);
        let line = format!("of an earlier plan, {claimed}; `git wf solution diff {}`", solution.id);
        writeln!(context.screen, "      {}", painter.paint(style::WARN, &line))?;
    }
    let find = |hash: &CommitHash| {
        let is_it = |it: &&answer::CommitAnswer| it.link.hash == *hash || it.rewritten_from.contains(hash);
        it.commits.iter().find(is_it).map(|it| &it.link)
    };
    for commit in &it.commits {
        let hash = painter.paint(style::WARN, commit.link.hash.short());
        let task = commit.link.task_id.as_deref().map(|task| format!(" [{task}]")).unwrap_or_default();
        let is_asked = asked.contains(commit.link.hash.as_str())
            || commit.rewritten_from.iter().any(|old| asked.contains(old.as_str()));
        writeln!(
            context.screen,
            "      commit {hash}{} {}{}{}{}{}{}",
            clean_line(&task),
            clean_line(&commit.link.subject),
            commit.whereabouts(),
            how(&commit.link),
            undone(&undoing(&commit.link, find)),
            taken_back(commit, &it.commits),
            if is_asked { mark } else { "" }
        )?;
        for old in &commit.rewritten_from {
            writeln!(context.screen, "        was {}", clean_line(old.short()))?;
        }
    }
    for (check, earlier) in last_checks(&it.checks) {
        print_check(check, earlier, context)?;
    }
    let plan = solution.typed_plan();
    for it in accepted(&it.execution.id, &traced.folder) {
        let criteria = plan.task(&it.task_id).map(|task| task.criteria()).unwrap_or_default();
        let place = usize::try_from(it.criterion).ok().and_then(|n| n.checked_sub(1));
        let text = place.and_then(|n| criteria.get(n)).map(|text| format!(" ({text})")).unwrap_or_default();
        let line = format!(
            "accepted [{}] criterion {}{text} by {}: {}",
            it.task_id, it.criterion, it.actor, it.evidence
        );
        writeln!(context.screen, "      {}", clean_line(&line))?;
    }
    if let Some(message) = it.failure.as_ref().and_then(|failure| failure.message.as_ref()) {
        writeln!(context.screen, "      failed: {}", painter.paint(style::BAD, message))?;
    }
    if let Some(summary) = it.result.as_ref().and_then(|result| result.summary.as_ref()) {
        writeln!(context.screen, "      done: {}", clean_line(summary))?;
    }
    Ok(())
}

/// What came of a check, in a word.
pub(in crate::cli) fn outcome(check: &Check) -> String {
    match check.exit_code {
        Some(0) => "passed".to_owned(),
        Some(code) => format!("failed with {code}"),
        None => "was stopped".to_owned(),
    }
}

fn print_check(check: &Check, earlier: usize, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let look = if check.exit_code == Some(0) { style::GOOD } else { style::BAD };
    let task = check.task_id.as_deref().map(|task| format!(" [{task}]")).unwrap_or_default();
    let at = check.commit.as_ref().map(|hash| format!(" at {}", hash.short())).unwrap_or_default();
    let dirty = if check.dirty { " with uncommitted changes" } else { "" };
    let more = if earlier == 0 { String::new() } else { format!(", the last of {}", earlier + 1) };
    writeln!(
        context.screen,
        "      check{} {} {}{}{dirty}{more}",
        clean_line(&task),
        clean_line(&check.command),
        painter.paint(look, &outcome(check)),
        clean_line(&at)
    )?;
    Ok(())
}
