//! A trace: from a commit to its task, plan and issue, and from an issue to all its work.

use std::collections::{BTreeMap, BTreeSet};

use super::execution::{commit_line, feedback_heading};
use super::looks::{execution_style, issue_style, item_style};
use super::review::{bound, reviews};
use super::words::{agent_note, end_note, provenance_line, session_line, undone};
use super::{
    Block, Entry, Field, Line, List, Page, PerPage, Section, Span, Target, commit, id, line, named, person,
    record, state, styled,
};
use crate::model::task_id::listed;
use crate::model::test_count::counted;
use crate::model::{Check, CommitHash, CommitLink, LinkedBy, Proof, Provenance, TaskId};
use crate::ops::plans::SolutionView;
use crate::ops::trail::{TraceView, TracedCommit, TracedIssue};
use crate::ops::work::{CommitView, ExecutionView};
use crate::rules::Undoing;
use crate::rules::evidence::is_of;
use crate::rules::folder::last_checks;
use crate::rules::undoing::undoing;
use crate::trail::trace::CommitFacts;
use crate::ui::{clean_line, count, style, truncate};

/// The number of characters of a digest that is enough to tell plans apart.
const DIGEST: usize = 19;
/// The most columns of a text that a trace repeats; `show` has all of it.
const LONGEST_TEXT: usize = 160;
/// Commits and checks of an execution in a browser; its own page has all.
const MOST: PerPage = PerPage::First(200);

/// The page of a trace: the commits first, then each issue once.
pub(crate) fn page(found: &TraceView) -> Page {
    let mut page = Page::default();
    let mut asked: BTreeSet<&CommitHash> = BTreeSet::new();
    if let Some(commit) = &found.commit {
        asked.insert(&commit.hash);
        head(commit, found, &mut page);
    }
    if let Some(commits) = &found.commits {
        asked.extend(commits.iter().map(|traced| &traced.commit.hash));
        let linked = commits.iter().filter(|traced| !traced.carries_out.is_empty()).count();
        let number = count(commits.len(), "commit");
        page.title = line![record(&found.query), format!(": {number}, {linked} of them linked to a plan")];
        let entries = commits.iter().map(|traced| traced_commit(traced, found));
        page.blocks.push(Block::List(List::new(entries)));
    }
    let mark = if found.commit.is_some() { "  <- this one" } else { "  <- in the range" };
    let marked = Marked { asked: &asked, mark, provenance: &found.provenance };
    page.blocks.extend(found.issues.iter().map(|issue| traced_issue(issue, marked)));
    page
}

/// The commit that was asked for.
fn head(of: &CommitFacts, found: &TraceView, page: &mut Page) {
    page.title = line!["commit ", commit(&of.hash), " ", record(&of.subject), location_note(found, &of.hash)];
    let trailers = Field::all("trailers", of.trailers.iter().map(|trailer| trailer_line(trailer)));
    let by_others = of.provenance.iter().map(|stated| record(provenance_line(stated)));
    let facts = [Some(Field::new("author", person(&of.author))), trailers, Field::all("recorded", by_others)];
    page.facts = facts.into_iter().flatten().collect();
    if found.issues.is_empty() {
        let words = if of.trailers.is_empty() {
            "no execution links this commit, and its message names no plan"
        } else {
            "no execution here links this commit, although its message names a plan"
        };
        page.blocks.push(Block::Line(styled(style::DIM, words).into()));
    }
    let executions = found.issues.iter().flat_map(|issue| &issue.executions);
    let linking = executions.filter(|execution| found.linked_by.contains(&execution.execution.id));
    page.blocks.extend(linking.flat_map(|execution| belongs_to(of, execution, found)).map(Block::Line));
}

/// A trailer; one that names an issue or a plan leads to it.
fn trailer_line(trailer: &str) -> Line {
    match trailer.split_once(": ").filter(|(key, _)| matches!(*key, "Wf-Issue" | "Wf-Solution")) {
        Some((key, value)) => line![format!("{key}: "), id(value.trim())],
        None => record(trailer).into(),
    }
}

/// What the commit does for a plan, and what contradicts that.
fn belongs_to(of: &CommitFacts, it: &ExecutionView, found: &TraceView) -> Vec<Line> {
    let linked = it.commit(&of.hash);
    let plan = &it.execution.solution_id;
    let undone_by = linked.map(|commit| undoing(&commit.link, |hash| it.link(hash))).unwrap_or_default();
    let verb = if undone_by.is_empty() { "implements " } else { "belongs to " };
    let (reverts, reapplies) = Undoing::split(undone_by);
    let tasks = linked.map(|commit| tasks_of(it, commit.link.tasks()));
    let agent = record(agent_note(linked.and_then(|commit| commit.made_by.as_ref())));
    let how = linked.map(|commit| how(&commit.link));
    let mut lines = vec![line![verb, tasks, id(plan), agent, how, undone(&reverts, &reapplies)]];
    let others = of.trailers.iter().filter_map(|trailer| trailer.strip_prefix("Wf-Solution: "));
    for other in others.filter(|other| *other != plan.as_str() && !is_linked_to(found, other)) {
        lines.push(styled(style::WARN, format!("but its message says Wf-Solution: {other}")).into());
    }
    if let Some(now) = linked.filter(|commit| commit.link.hash != of.hash) {
        lines.push(line!["rewritten since: now ", commit(&now.link.hash)]);
    }
    lines
}

/// Whether one of the executions that link the traced commit executes this plan.
fn is_linked_to(found: &TraceView, plan: &str) -> bool {
    let executions = found.issues.iter().flat_map(|issue| &issue.executions);
    executions
        .filter(|execution| found.linked_by.contains(&execution.execution.id))
        .any(|execution| execution.execution.solution_id.as_str() == plan)
}

/// `task T1 of `, `tasks T1, T2 of `, or nothing.
fn tasks_of<'a>(it: &ExecutionView, tasks: impl Iterator<Item = &'a TaskId>) -> Line {
    let plan = &it.execution.solution_id;
    let tasks: Vec<Span> =
        tasks.map(|task| named(Target::Task(plan.clone(), task.to_string()), task)).collect();
    let word = if tasks.len() > 1 { "tasks " } else { "task " };
    if tasks.is_empty() { Line::default() } else { line![word, Line::listed(tasks), " of "] }
}

fn location_note(found: &TraceView, hash: &CommitHash) -> Line {
    let is_adrift = found.unreached.is_adrift(hash);
    is_adrift.then(|| line![" (", state(style::BAD, "on no branch"), ")"]).into()
}

/// A commit of a range.
fn traced_commit(TracedCommit { commit: facts, carries_out }: &TracedCommit, found: &TraceView) -> Entry {
    let head =
        line!["commit ", commit(&facts.hash), " ", record(&facts.subject), location_note(found, &facts.hash)];
    let by_others = facts.provenance.iter().map(|stated| Line::from(record(provenance_line(stated))));
    let plans = carries_out.iter().map(|carried| {
        let word = if carried.other_task_ids.is_empty() { "task" } else { "tasks" };
        let tasks = listed(carried.task_id.iter().chain(&carried.other_task_ids));
        let tasks = tasks.map(|tasks| format!("{word} {tasks} of "));
        let agent = record(agent_note(carried.made_by.as_ref()));
        line![
            id(&carried.issue_id),
            ": ",
            tasks,
            id(&carried.solution_id),
            agent,
            undone(&carried.reverts, &carried.reapplies)
        ]
    });
    let none = carries_out.is_empty().then(|| {
        let words = match facts.trailers.as_slice() {
            [] => "no plan".to_owned(),
            trailers => format!("not linked; its message says {}", trailers.join(", ")),
        };
        styled(style::DIM, words).into()
    });
    Entry::new(head).with([Block::List(List::new(by_others.chain(plans).chain(none)))])
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

fn traced_issue(traced: &TracedIssue, marked: Marked<'_>) -> Block {
    let (issue, derived) = (&traced.issue.issue, &traced.issue.derived);
    let status = state(issue_style(derived.status), derived.status_words());
    let heading = line!["issue ", id(&issue.id), " ", record(&issue.title), " (", status, ")"];
    let overrides = traced.overrides.iter().map(|forced| {
        let role = forced.role.as_deref().map(|role| format!(" as {role}"));
        let what = styled(style::BAD, format!("gate overridden: {} by ", forced.operation));
        line![what, person(&forced.person), role, ", ", forced.at, ": ", record(&forced.reason)]
    });
    // The failure of an attempt is shown with the attempt.
    let feedback =
        traced.feedback.iter().filter(|entry| !is_shown_with_attempt(traced, &entry.content)).map(|entry| {
            line![
                format!("feedback: {} by ", feedback_heading(entry.kind, entry.stage)),
                person(&entry.author),
                ": ",
                record(first_line(&entry.content))
            ]
        });
    let plans = traced.solutions.iter().map(|plan| traced_plan(plan, traced, marked));
    let entries = overrides.chain(feedback).map(Entry::new).chain(plans);
    Section::new(heading, [Block::List(List::new(entries))])
}

fn is_shown_with_attempt(traced: &TracedIssue, content: &str) -> bool {
    let failures =
        traced.executions.iter().filter_map(|execution| execution.failure.as_ref()?.message.as_deref());
    failures.map(str::trim).any(|message| message == content.trim())
}

fn traced_plan(plan: &SolutionView, traced: &TracedIssue, marked: Marked<'_>) -> Entry {
    let digest = &plan.plan_digest;
    let bound = bound(plan);
    let bound = if bound.0.is_empty() { bound } else { line![", ", bound] };
    let short = styled(style::DIM, digest.get(..DIGEST).unwrap_or(digest));
    let head =
        line!["plan ", id(&plan.id), format!(" ({}", count(plan.task_count, "task")), bound, ") ", short];
    let executions: Vec<&ExecutionView> =
        traced.executions.iter().filter(|execution| execution.execution.solution_id == plan.id).collect();
    // If the plan has changed since, its tasks are shown below each execution.
    let is_as_executed = executions.iter().any(|execution| execution.execution.plan_digest == *digest);
    let tasks = plan.typed.tasks.iter().map(|task| task_line(plan, &task.id, &task.title));
    let tasks = if executions.is_empty() || is_as_executed { List::new(tasks) } else { List::default() };
    let queued = traced.queued.iter().filter(|queued_as| queued_as.solution_id == plan.id).map(|queued_as| {
        let item = named(
            Target::Item(queued_as.queue_id.clone(), queued_as.item_id.to_string()),
            &queued_as.item_id,
        );
        let status = state(item_style(queued_as.status), queued_as.status);
        line!["queued as ", item, " of ", id(&queued_as.queue_id), " (", status, ")"]
    });
    let executions =
        executions.into_iter().map(|execution| traced_execution(execution, traced, plan, marked));
    let lists = [tasks, reviews(&plan.reviews, digest), List::new(queued), List::new(executions)];
    Entry::new(head).with(lists.map(Block::List))
}

fn task_line(plan: &SolutionView, task: &TaskId, title: &str) -> Line {
    line![named(Target::Task(plan.id.clone(), task.to_string()), task), " ", record(title)]
}

/// The beginning of a text, which may be the whole output of a test.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let cut = truncate(&clean_line(lines.next().unwrap_or_default()), LONGEST_TEXT);
    match lines.count() {
        0 => cut,
        more => format!("{cut} (and {})", count(more, "more line")),
    }
}

/// How a commit was linked, if no hook saw it being made.
fn how(link: &CommitLink) -> &'static str {
    match link.linked_by {
        LinkedBy::Hook => "",
        LinkedBy::Trailer => " (linked by its content)",
        LinkedBy::Manual => " (linked by hand)",
        LinkedBy::Relink => " (linked afterwards)",
        LinkedBy::Run => " (linked by the run)",
        LinkedBy::Land => " (linked by the landing)",
    }
}

/// The commits that revert this one.
fn taken_back(commit: &CommitView, all: &[CommitView]) -> String {
    let by = all.iter().filter(|other| other.link.reverts.iter().any(|hash| commit.is(hash)));
    let by: Vec<&str> = by.map(|other| other.link.hash.short()).collect();
    if by.is_empty() { String::new() } else { format!(" (reverted by {})", by.join(", ")) }
}

fn traced_execution(
    it: &ExecutionView,
    traced: &TracedIssue,
    plan: &SolutionView,
    marked: Marked<'_>,
) -> Entry {
    let execution = &it.execution;
    let name = named(Target::Record(execution.id.to_string()), execution.id.short());
    let status = state(execution_style(it.status), it.status_words());
    let on = execution.branch.as_ref().map(|branch| record(format!(" on {branch}")));
    let ended = record(end_note(&execution.actor, it.ended_by.as_deref(), None));
    let attempt = format!(" (attempt {}, ", execution.attempt);
    let head = line!["executed as ", name, attempt, status, ") by ", person(&execution.actor), on, ended];
    let outdated = (execution.plan_digest != plan.plan_digest).then(|| {
        let claimed = execution.plan_digest.get(..DIGEST).unwrap_or(&execution.plan_digest);
        let words = format!("of an earlier version of the plan, {claimed}; `git wf plan diff {}`", plan.id);
        styled(style::WARN, words).into()
    });
    let claimed = traced.claimed_tasks.get(&execution.id).into_iter().flatten();
    let claimed = claimed.map(|task| task_line(plan, &task.id, &task.title));
    let commits = it.commits.iter().map(|commit| linked_commit(it, commit, marked));
    let sessions = it.sessions.iter().map(|session| line!["agent ", record(session_line(session))]);
    let checks = last_checks(&it.checks).into_iter().map(|(check, earlier)| check_line(check, earlier, it));
    let lists = [
        List::new(outdated.into_iter().chain(claimed)),
        List { per_page: MOST, ..List::new(commits) },
        List::new(sessions),
        List { per_page: MOST, ..List::new(checks) },
        List::new(it.vouches.iter().map(|vouch| Line::from(record(vouch.words())))),
        List::new(accepted(it, traced, plan)),
        List::new(outcome(it)),
    ];
    Entry::new(head).with(lists.map(Block::List))
}

fn linked_commit(it: &ExecutionView, commit: &CommitView, marked: Marked<'_>) -> Entry {
    let is_current = marked.asked.iter().any(|hash| commit.is(hash));
    let (reverts, reapplies) = Undoing::split(undoing(&commit.link, |hash| it.link(hash)));
    let head = line![
        "commit ",
        commit_line(it, commit),
        how(&commit.link),
        undone(&reverts, &reapplies),
        taken_back(commit, &it.commits),
        is_current.then_some(marked.mark),
    ];
    let earlier = commit.rewritten_from.iter().map(|old| line!["was ", old.short()]);
    let by_others = marked.provenance.get(&commit.link.hash).into_iter().flatten();
    let by_others = by_others.map(|stated| Line::from(record(provenance_line(stated))));
    let below = List::new(earlier.chain(by_others));
    Entry { is_current, ..Entry::new(head).with([Block::List(below)]) }
}

fn accepted(it: &ExecutionView, traced: &TracedIssue, plan: &SolutionView) -> impl Iterator<Item = Line> {
    traced.accepted_in(&it.execution.id).map(|confirmed| {
        let criteria = plan.typed.task(&confirmed.task_id).map(|task| task.criteria()).unwrap_or_default();
        let place = usize::try_from(confirmed.criterion).ok().and_then(|n| n.checked_sub(1));
        let text = place.and_then(|n| criteria.get(n)).map(|text| line![" (", record(text), ")"]);
        let what = format!("accepted [{}] criterion {}", confirmed.task_id, confirmed.criterion);
        line![what, text, " by ", person(&confirmed.actor), ": ", record(&confirmed.evidence)]
    })
}

/// How an execution ended, and where its commits landed.
fn outcome(it: &ExecutionView) -> Vec<Line> {
    let failure = it.failure.as_ref().and_then(|failure| failure.message.as_ref());
    let failure = failure.map(|message| line!["failed: ", styled(style::BAD, first_line(message))]);
    let summary = it.result.as_ref().and_then(|result| result.summary.as_ref());
    let summary = summary.map(|summary| line!["done: ", record(summary)]);
    let lands = it.lands.iter().map(|landing| Line::from(record(landing.words())));
    let ends = it.other_ends.iter().map(|end| Line::from(record(end.note())));
    failure.into_iter().chain(summary).chain(lands).chain(ends).collect()
}

/// The proof of a check. Once it was repeated without one, as in a work tree, that of an earlier one of the same tree counts.
fn proof_of<'a>(check: &'a Check, all: &'a [Check]) -> Option<&'a Proof> {
    if check.proof.is_some() || check.tree.is_none() || !check.has_passed() {
        return check.proof.as_ref();
    }
    all.iter()
        .rev()
        .filter(|other| {
            (&other.task_id, &other.command, &other.tree) == (&check.task_id, &check.command, &check.tree)
        })
        .find_map(|other| other.proof.as_ref())
}

fn check_line(check: &Check, earlier: usize, it: &ExecutionView) -> Line {
    let look = if check.has_passed() { style::GOOD } else { style::BAD };
    let task = check.task_id.as_deref().map(|task| format!(" [{task}]"));
    let at = check.commit.as_ref().map(|hash| line![" at ", commit(hash)]);
    let dirty = check.dirty.then_some(" with uncommitted changes");
    let last = it.commits.last().map(|commit| &commit.link);
    let also = last.filter(|last| check.commit.as_ref() != Some(&last.hash) && is_of(check, last));
    let also = also.map(|last| line![", which has the tree of ", commit(&last.hash)]);
    let more = (earlier > 0).then(|| format!(", the last of {}", earlier + 1));
    let proof = proof_of(check, &it.checks).map(|proof| record(format!("; {}", proof.words())));
    let (outcome, tests) = (styled(look, check.outcome()), format!("; {}", counted(check.tests)));
    line!["check", task, " ", record(&check.command), " ", outcome, at, dirty, also, more, tests, proof]
}
