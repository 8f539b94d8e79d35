//! Describes a record in one line.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::execution::{Event, Execution, Failure, Land, LandHow, LogEntry};
use crate::model::exploration::Explored;
use crate::model::id::IssueId;
use crate::model::issue::{Comment, Feedback};
use crate::model::queue_conflict::QueueConflict;
use crate::model::redaction::{ASIDE, Redaction};
use crate::model::review::Review;
use crate::model::roadmap_log::{RoadmapEvent, RoadmapLogEntry};
use crate::model::run::Run;
use crate::model::run_log::{RunEvent, RunLogEntry, RunPhase, RunStatus};
use crate::model::task_id::TaskId;
use crate::model::wisdom::Wisdom;
use crate::model::words::count;
use crate::rules::run::breach_words;
use crate::store::layout::{Location, LogKind, Owner};

/// A quoted text is cut to this many characters.
const LONGEST: usize = 160;

/// Describes the record at `path` in one line; `value` is `None` if it cannot be read.
pub(super) fn summary(path: &str, value: Option<&Value>) -> String {
    let Some(location) = Location::parse(path) else { return format!("{path}, which is not a record") };
    let said = value.and_then(|value| words(&location, value));
    said.unwrap_or_else(|| format!("{path}, which cannot be read"))
}

fn words(location: &Location, value: &Value) -> Option<String> {
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match location {
        Location::Root => "the settings of the store".to_owned(),
        Location::Item(queue, _) => {
            format!("item {} of {queue}: {}", field("item_id"), field("solution_id"))
        }
        Location::Record(owner) => match owner {
            Owner::Issue(id) => format!("issue {id} {}", cut(field("title"))),
            Owner::Solution(id) => format!("plan {id}{}", quoted(field("description"))),
            Owner::Queue(id) => format!("queue {id}{}", quoted(field("name"))),
            Owner::Execution(_) => {
                let it: Execution = typed(value)?;
                format!("execution {} of {} (attempt {}) by {}", it.id, it.solution_id, it.attempt, it.actor)
            }
            Owner::Run(_) => {
                let it: Run = typed(value)?;
                let issues = it.issue_ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                format!("run {} ({}) for {}", it.id, it.mode, cut(&issues))
            }
            Owner::Roadmap(id) => format!("roadmap {id}{}", quoted(field("title"))),
            Owner::Wisdom => return None,
        },
        Location::Entry(log, _) => entry(log, value)?,
    })
}

fn entry(log: &LogKind, value: &Value) -> Option<String> {
    Some(match log {
        LogKind::Comments(issue) => {
            let it: Comment = typed(value)?;
            let verb = if it.edits.is_some() { "an edited comment" } else { "comment" };
            format!("{verb} on {issue} by {}{}", it.author, quoted(&it.body))
        }
        LogKind::Feedback(issue) => {
            let it: Feedback = typed(value)?;
            let said = quoted(&it.content);
            format!("feedback on {issue} ({} at {}) by {}{said}", it.kind, it.stage, it.author)
        }
        LogKind::Explorations(issue) => {
            let it: Explored = typed(value)?;
            let found = quoted(it.found.key_findings.first().map_or("", String::as_str));
            format!("exploration of {issue} ({}) by {}{found}", it.depth, it.author)
        }
        LogKind::Reviews(plan) => {
            let it: Review = typed(value)?;
            let findings = it.findings.iter().map(|finding| cut(finding)).collect::<Vec<_>>().join("; ");
            let findings = bracketed(&findings);
            format!("review of {plan} by {}: {} {}{findings}", it.author, it.verdict, it.total)
        }
        LogKind::Events(execution) => format!("{execution}: {}", event(&typed::<LogEntry>(value)?.event)),
        LogKind::Conflicts(queue) => {
            let it: QueueConflict = typed(value)?;
            let plans = it.solutions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let verb = if it.resolves.is_some() { "decision on a conflict" } else { "conflict" };
            let over = it.file.as_deref().map(|file| format!(" over {file}")).unwrap_or_default();
            let (kind, severity) = (it.kind, it.severity);
            format!("{verb} in {queue} ({kind}, {severity}){over} between {plans}: {}", it.resolution)
        }
        LogKind::RunEvents(run) => format!("{run}: {}", run_event(&typed::<RunLogEntry>(value)?.event)),
        LogKind::RoadmapEvents(roadmap) => {
            format!("{roadmap}: {}", roadmap_event(&typed::<RoadmapLogEntry>(value)?.event))
        }
        LogKind::Wisdom => {
            let it: Wisdom = typed(value)?;
            format!("{} by {}{}", it.kind, it.author, quoted(&it.text))
        }
        LogKind::Redactions(owner) => {
            let it: Redaction = typed(value)?;
            let is_record = owner.record_name() == Some(it.target.as_str());
            let target = if is_record { owner.id() } else { it.target.as_str() };
            let what = match it.field.as_str() {
                ASIDE => format!("{target} set aside"),
                field => format!("redaction of {field} in {target}"),
            };
            format!("{what} by {}{}", it.author, quoted(&it.reason))
        }
    })
}

/// An entry of an execution's log in words.
fn event(event: &Event) -> String {
    let of_task =
        |task: &Option<TaskId>| task.as_deref().map(|task| format!("[{task}] ")).unwrap_or_default();
    match event {
        Event::Commit(it) => {
            format!(
                "commit {} {}{} ({})",
                it.hash.short(),
                of_task(&it.task_id),
                cut(&it.subject),
                it.linked_by
            )
        }
        Event::Rewrite(it) => format!("commit {} was rewritten to {}", it.old.short(), it.new.short()),
        Event::Unlink(it) => format!("commit {} unlinked", it.hash.short()),
        Event::Check(it) => {
            let outcome = it.outcome();
            let at = it.commit.as_ref().map(|hash| format!(" at {}", hash.short())).unwrap_or_default();
            let dirty = if it.dirty { ", with uncommitted changes" } else { "" };
            format!("check {}{} {outcome}{at}{dirty}", of_task(&it.task_id), cut(&it.command))
        }
        Event::Accept(it) => {
            format!("criterion {} of {} accepted{}", it.criterion, it.task_id, quoted(&it.evidence))
        }
        Event::Vouch(it) => format!("its tests hold, says a reviewer{}", quoted(&it.reason)),
        Event::Renew(it) => format!("lease renewed until {}", it.lease_expires_at),
        Event::Aside(it) => format!("set aside by {} (was {})", it.reason, it.status),
        Event::Land(it) => landed(it),
        Event::Session(it) => {
            let model = it.model.as_deref().map(|model| format!(" ({})", cut(model))).unwrap_or_default();
            let said = quoted(it.summary.as_deref().unwrap_or_default());
            let agent = cut(&it.agent);
            match it.own_end() {
                Some(end) => {
                    format!("agent {agent}{model} worked on it from {} to {end}{said}", it.started_at)
                }
                None => format!("agent {agent}{model} began to work on it at {}{said}", it.started_at),
            }
        }
        Event::End(it) => {
            let result = it.result.as_ref().and_then(|result| result.summary.as_deref());
            let failure = it.failure.as_ref().and_then(|failure| failure.message.as_deref());
            format!("{}{}", it.status, quoted(result.or(failure).unwrap_or_default()))
        }
    }
}

/// How work came to its target branch, in words.
/// A landing in words.
pub(crate) fn landed(it: &Land) -> String {
    let why = quoted(it.reason.as_deref().or(it.url.as_deref()).unwrap_or_default());
    let commits = count(it.commits.len(), "commit");
    let (Some(onto), Some(after)) = (&it.onto, &it.after) else {
        return format!("nothing of {commits} needs to land{why}");
    };
    let how = if it.how == LandHow::As { String::new() } else { format!(" by {}", it.how) };
    format!("{commits} landed on {}{how} as {}{why}", onto.short(), after.short())
}

/// An entry of a run's log in words.
pub(crate) fn run_event(event: &RunEvent) -> String {
    let why = |error: &Option<Failure>| {
        quoted(error.as_ref().and_then(|failure| failure.message.as_deref()).unwrap_or_default())
    };
    let of = |issue: &Option<IssueId>| issue.as_ref().map(|issue| format!(" of {issue}")).unwrap_or_default();
    match event {
        RunEvent::Phase(it) if it.driver.is_some() && it.phase != RunPhase::Init => {
            format!("resumed, {}", it.phase)
        }
        RunEvent::Phase(it) if it.stopped == Some(true) => format!("stopped, {}", it.phase),
        RunEvent::Phase(it) if it.status == RunStatus::Completed => format!("ended{}", why(&it.error)),
        RunEvent::Phase(it) if it.phase == RunPhase::Init => format!("started{}", why(&it.error)),
        RunEvent::Phase(it) => format!("{}{}", it.phase, why(&it.error)),
        RunEvent::Issue(it) => {
            let note = bracketed(&cut(it.note.as_deref().unwrap_or_default()));
            format!("{} {}{note}{}", it.issue_id, it.status, why(&it.error))
        }
        RunEvent::Action(it) => {
            let (of, outcome) = (of(&it.issue_id), if it.skipped.is_some() { "skipped" } else { "done" });
            let why = it.skipped.as_deref().or(it.note.as_deref()).unwrap_or_default();
            format!("{}{of} {outcome}{}", it.action.noun(), quoted(why))
        }
        RunEvent::Setback(it) => {
            format!("{}{} failed{}", it.action.noun(), of(&it.issue_id), why(&Some(it.error.clone())))
        }
        RunEvent::Decision(it) => {
            format!("{} chosen after {} of {} failed", it.choice, it.action.noun(), it.issue_id)
        }
        RunEvent::Breach(it) => breach_words(it, cut),
    }
}

/// An entry of a roadmap's log in words.
fn roadmap_event(event: &RoadmapEvent) -> String {
    match event {
        RoadmapEvent::Revision(it) => {
            let agent =
                it.agent.as_deref().map(|agent| format!(" by agent {}", cut(agent))).unwrap_or_default();
            let parts = [("new", &it.created), ("changed", &it.changed), ("gone", &it.gone)];
            let parts: Vec<String> = parts
                .iter()
                .filter(|(_, items)| !items.is_empty())
                .map(|(word, items)| format!("{word} {}", items.join(", ")))
                .collect();
            format!("document{agent}{}", quoted(&parts.join("; ")))
        }
        RoadmapEvent::Feedback(it) => {
            let parts: Vec<String> = it.parts().map(|(name, text)| format!("{name}: {text}")).collect();
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
