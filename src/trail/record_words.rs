//! Describes a record in one line.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::{
    ASIDE, Comment, Event, Execution, Explored, Failure, Feedback, IssueId, Land, LandHow, LogEntry,
    QueueConflict, Redaction, Review, RoadmapEvent, RoadmapLogEntry, Run, RunEvent, RunLogEntry, RunPhase,
    RunStatus, TaskId, Wisdom, count,
};
use crate::rules::run::{breach_words, limited_words, order_words, question_words};
use crate::store::{Location, LogKind, Owner};

/// A quoted text is cut to this many characters.
const LONGEST: usize = 160;

/// Describes the record at `path` in one line; `value` is `None` if it cannot be read.
pub(super) fn summary(path: &str, value: Option<&Value>) -> String {
    let Some(location) = Location::parse(path) else { return format!("{path}, which is not a record") };
    let said = value.and_then(|value| words(&location, value));
    said.unwrap_or_else(|| format!("{path}, which cannot be read"))
}

fn words(location: &Location, value: &Value) -> Option<String> {
    Some(match location {
        Location::Root => "the settings of the store".to_owned(),
        Location::Item(queue, _) => {
            format!("item {} of {queue}: {}", field(value, "item_id"), field(value, "solution_id"))
        }
        Location::Record(owner) => match owner {
            Owner::Issue(id) => format!("issue {id} {}", cut(field(value, "title"))),
            Owner::Solution(id) => format!("plan {id}{}", quoted(field(value, "description"))),
            Owner::Queue(id) => format!("queue {id}{}", quoted(field(value, "name"))),
            Owner::Execution(_) => {
                let execution: Execution = typed(value)?;
                format!(
                    "execution {} of {} (attempt {}) by {}",
                    execution.id.short(),
                    execution.solution_id,
                    execution.attempt,
                    execution.actor
                )
            }
            Owner::Run(_) => {
                let run: Run = typed(value)?;
                let issues = run.issue_ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                format!("run {} ({}) for {}", run.id, run.mode, cut(&issues))
            }
            Owner::Roadmap(id) => format!("roadmap {id}{}", quoted(field(value, "title"))),
            Owner::Wisdom => return None,
        },
        Location::Entry(log, _) => entry(log, value)?,
    })
}

/// The text of a field, empty without one.
fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn entry(log: &LogKind, value: &Value) -> Option<String> {
    Some(match log {
        LogKind::Comments(issue) => {
            let comment: Comment = typed(value)?;
            let verb = if comment.edits.is_some() { "an edited comment" } else { "comment" };
            format!("{verb} on {issue} by {}{}", comment.author, quoted(&comment.body))
        }
        LogKind::Feedback(issue) => {
            let feedback: Feedback = typed(value)?;
            let said = quoted(&feedback.content);
            format!(
                "feedback on {issue} ({} at {}) by {}{said}",
                feedback.kind, feedback.stage, feedback.author
            )
        }
        LogKind::Explorations(issue) => {
            let explored: Explored = typed(value)?;
            let found = quoted(explored.found.key_findings.first().map_or("", String::as_str));
            format!("exploration of {issue} ({}) by {}{found}", explored.depth, explored.author)
        }
        LogKind::Reviews(plan) => {
            let review: Review = typed(value)?;
            let findings = review.findings.iter().map(|finding| cut(finding)).collect::<Vec<_>>().join("; ");
            let findings = bracketed(&findings);
            format!("review of {plan} by {}: {} {}{findings}", review.author, review.verdict, review.total)
        }
        LogKind::Events(execution) => {
            format!("{}: {}", execution.short(), event(&typed::<LogEntry>(value)?.event))
        }
        LogKind::Conflicts(queue) => {
            let conflict: QueueConflict = typed(value)?;
            let plans = conflict.solutions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let verb = if conflict.resolves.is_some() { "decision on a conflict" } else { "conflict" };
            let over = conflict.file.as_deref().map(|file| format!(" over {file}")).unwrap_or_default();
            let (kind, severity) = (conflict.kind, conflict.severity);
            format!("{verb} in {queue} ({kind}, {severity}){over} between {plans}: {}", conflict.resolution)
        }
        LogKind::RunEvents(run) => format!("{run}: {}", run_event(&typed::<RunLogEntry>(value)?.event)),
        LogKind::RoadmapEvents(roadmap) => {
            format!("{roadmap}: {}", roadmap_event(&typed::<RoadmapLogEntry>(value)?.event))
        }
        LogKind::Wisdom => {
            let wisdom: Wisdom = typed(value)?;
            format!("{} by {}{}", wisdom.kind, wisdom.author, quoted(&wisdom.text))
        }
        LogKind::Redactions(owner) => {
            let redaction: Redaction = typed(value)?;
            let is_record = owner.record_name() == Some(redaction.target.as_str());
            let target = if is_record { owner.id() } else { redaction.target.as_str() };
            let what = match redaction.field.as_str() {
                ASIDE => format!("{target} set aside"),
                field => format!("redaction of {field} in {target}"),
            };
            format!("{what} by {}{}", redaction.author, quoted(&redaction.reason))
        }
    })
}

/// An entry of an execution's log in words.
fn event(event: &Event) -> String {
    let of_task =
        |task: &Option<TaskId>| task.as_deref().map(|task| format!("[{task}] ")).unwrap_or_default();
    match event {
        Event::Commit(commit) => {
            format!(
                "commit {} {}{} ({})",
                commit.hash.short(),
                of_task(&commit.task_id),
                cut(&commit.subject),
                commit.linked_by
            )
        }
        Event::Rewrite(rewrite) => {
            format!("commit {} was rewritten to {}", rewrite.old.short(), rewrite.new.short())
        }
        Event::Unlink(unlink) => format!("commit {} unlinked", unlink.hash.short()),
        Event::Check(check) => {
            let outcome = check.outcome();
            let at = check.commit.as_ref().map(|hash| format!(" at {}", hash.short())).unwrap_or_default();
            let dirty = if check.dirty { ", with uncommitted changes" } else { "" };
            format!("check {}{} {outcome}{at}{dirty}", of_task(&check.task_id), cut(&check.command))
        }
        Event::Accept(accept) => {
            format!(
                "criterion {} of {} accepted{}",
                accept.criterion,
                accept.task_id,
                quoted(&accept.evidence)
            )
        }
        Event::Vouch(vouch) => format!("its tests hold, says a reviewer{}", quoted(&vouch.reason)),
        Event::Renew(renewal) => format!("lease renewed until {}", renewal.lease_expires_at),
        Event::Aside(aside) => format!("set aside by {} (was {})", aside.reason, aside.status),
        Event::Land(land) => landed(land),
        Event::Session(session) => {
            let model =
                session.model.as_deref().map(|model| format!(" ({})", cut(model))).unwrap_or_default();
            let said = quoted(session.summary.as_deref().unwrap_or_default());
            let agent = cut(&session.agent);
            match session.own_end() {
                Some(end) => {
                    format!("agent {agent}{model} worked on it from {} to {end}{said}", session.started_at)
                }
                None => format!("agent {agent}{model} began to work on it at {}{said}", session.started_at),
            }
        }
        Event::End(end) => {
            let result = end.result.as_ref().and_then(|result| result.summary.as_deref());
            let failure = end.failure.as_ref().and_then(|failure| failure.message.as_deref());
            format!("{}{}", end.status, quoted(result.or(failure).unwrap_or_default()))
        }
    }
}

/// A landing in words: how work came to its target branch.
pub(crate) fn landed(land: &Land) -> String {
    let why = quoted(land.reason.as_deref().or(land.url.as_deref()).unwrap_or_default());
    let commits = count(land.commits.len(), "commit");
    let (Some(onto), Some(after)) = (&land.onto, &land.after) else {
        return format!("nothing of {commits} needs to land{why}");
    };
    let how = if land.how == LandHow::As { String::new() } else { format!(" by {}", land.how) };
    format!("{commits} landed on {}{how} as {}{why}", onto.short(), after.short())
}

/// An entry of a run's log in words.
pub(crate) fn run_event(event: &RunEvent) -> String {
    match event {
        RunEvent::Phase(phase) if phase.driver.is_some() && phase.phase != RunPhase::Init => {
            format!("resumed, {}", phase.phase)
        }
        RunEvent::Phase(phase) if phase.stopped == Some(true) => format!("stopped, {}", phase.phase),
        RunEvent::Phase(phase) if phase.status == RunStatus::Completed => {
            format!("ended{}", message_of(phase.error.as_ref()))
        }
        RunEvent::Phase(phase) if phase.phase == RunPhase::Init => {
            format!("started{}", message_of(phase.error.as_ref()))
        }
        RunEvent::Phase(phase) => format!("{}{}", phase.phase, message_of(phase.error.as_ref())),
        RunEvent::Issue(issue) => {
            let note = bracketed(&cut(issue.note.as_deref().unwrap_or_default()));
            format!("{} {}{note}{}", issue.issue_id, issue.status, message_of(issue.error.as_ref()))
        }
        RunEvent::Action(action) => {
            let outcome = if action.skipped.is_some() { "skipped" } else { "done" };
            let why = action.skipped.as_deref().or(action.note.as_deref()).unwrap_or_default();
            format!("{}{} {outcome}{}", action.action.noun(), of_issue(action.issue_id.as_ref()), quoted(why))
        }
        RunEvent::Setback(setback) => {
            let of = of_issue(setback.issue_id.as_ref());
            format!("{}{of} failed{}", setback.action.noun(), message_of(Some(&setback.error)))
        }
        RunEvent::Spent(spent) => {
            format!("{}{} ended early", spent.action.noun(), of_issue(spent.issue_id.as_ref()))
        }
        RunEvent::Question(asked) => {
            format!("the run asks about {}: {}", asked.issue_id, question_words(asked))
        }
        RunEvent::Decision(decision) => {
            format!(
                "{} chosen after {} of {} failed",
                decision.choice,
                decision.action.noun(),
                decision.issue_id
            )
        }
        RunEvent::Breach(breach) => breach_words(breach, cut),
        RunEvent::Limited(limited) => {
            format!("{}{}", limited_words(limited), quoted(limited.why.as_deref().unwrap_or_default()))
        }
        RunEvent::Order(order) => order_words(order),
    }
}

/// The message of a failure, quoted; empty without one.
fn message_of(error: Option<&Failure>) -> String {
    quoted(error.and_then(|failure| failure.message.as_deref()).unwrap_or_default())
}

fn of_issue(issue: Option<&IssueId>) -> String {
    issue.map(|issue| format!(" of {issue}")).unwrap_or_default()
}

/// An entry of a roadmap's log in words.
fn roadmap_event(event: &RoadmapEvent) -> String {
    match event {
        RoadmapEvent::Revision(revision) => {
            let agent = revision
                .agent
                .as_deref()
                .map(|agent| format!(" by agent {}", cut(agent)))
                .unwrap_or_default();
            let parts =
                [("new", &revision.created), ("changed", &revision.changed), ("gone", &revision.gone)];
            let parts: Vec<String> = parts
                .iter()
                .filter(|(_, items)| !items.is_empty())
                .map(|(word, items)| format!("{word} {}", items.join(", ")))
                .collect();
            format!("document{agent}{}", quoted(&parts.join("; ")))
        }
        RoadmapEvent::Feedback(feedback) => {
            let parts: Vec<String> = feedback.parts().map(|(name, text)| format!("{name}: {text}")).collect();
            format!("feedback{}", quoted(&parts.join("; ")))
        }
        RoadmapEvent::Approval(_) => "approved".to_owned(),
    }
}

fn typed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    crate::model::typed::read(value).ok()
}

/// A text after a colon; nothing for an empty text.
fn quoted(text: &str) -> String {
    match cut(text) {
        text if text.is_empty() => text,
        text => format!(": {text}"),
    }
}

fn bracketed(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({text})") }
}

/// The first words of a text, on one line.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
