//! Prints the context of an agent when its session starts and before it stops: as text, and in the form that the hooks
//! of each agent expect.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use super::remedy::command;
use crate::interchange::agent_files::HookForm;
use crate::model::{Branch, Detail, count};
use crate::ops::work::{Prime, PrimedExecution, PrimedTask, PrimedWaiting, Reminder, linked_words};
use crate::page::remedy::with_remedies;
use crate::rules::{TokenBudget, Waiting};
use crate::ui::clean_line;

/// Where an agent is and what it has to do. Every text from outside is one line.
pub(in crate::cli) fn prime(it: &Prime) -> String {
    let mut out = String::from("# git wf: the issues and plans of this repository\n\n");
    let place = match &it.worktree {
        Some(name) => format!("Linked worktree {}", code_span(name)),
        None if it.is_bare => "Bare repository".to_owned(),
        None => "Main worktree".to_owned(),
    };
    let branch = match &it.branch {
        Some(name) => format!("on branch {}", branch_span(name)),
        None => "with a detached HEAD".to_owned(),
    };
    let role = it.role.map_or_else(|| "no role (WF_ROLE)".to_owned(), |role| format!("role {role}"));
    let _ = writeln!(out, "{place}, {branch}, {role}. Records: {}.", clean_line(&it.reference));
    match (&it.execution, &it.lost) {
        (Some(execution), _) => self::execution(execution, &mut out),
        (None, Some(why)) => {
            let _ = writeln!(out, "This worktree no longer executes {}", clean_line(why));
        }
        (None, None) if it.is_bare => {}
        (None, None) => out.push_str("This worktree executes nothing.\n"),
    }
    for Detail { message, remedies } in it.hooks.iter().chain(&it.cycles) {
        let _ = writeln!(out, "Warning: {}.", with_remedies(&clean_line(message), remedies));
    }
    if let Some(waiting) = &it.waiting {
        self::waiting(waiting, &mut out);
    }
    out.push_str("\n## Commands\n\n");
    for remedy in &it.commands {
        let call = remedy.call.as_ref().map(command).unwrap_or_default();
        let _ = writeln!(out, "- `{call}` {}", remedy.words);
    }
    out.push_str("\nAll commands take --json and --help.\n\n## Rules\n\n");
    for rule in &it.rules {
        let _ = writeln!(out, "- {rule}");
    }
    out
}

/// A text as code in Markdown. Backticks in it need a longer fence, as CommonMark has it.
fn code_span(text: &str) -> String {
    let text = clean_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn execution(it: &PrimedExecution, out: &mut String) {
    let _ = writeln!(
        out,
        "It executes plan {} for issue {}: \"{}\".",
        it.solution_id,
        it.issue_id,
        clean_line(&it.title)
    );
    if let Some(branch) = &it.branch {
        let _ = writeln!(out, "Work on branch {}: only its commits are linked.", branch_span(branch));
    }
    let names: Vec<&str> = it.open.iter().map(|id| &**id).collect();
    let more = it.open_count - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = match it.open_count {
        0 => writeln!(
            out,
            "{}, each with a commit: verify, then complete the execution.",
            count(it.tasks, "task")
        ),
        _ => writeln!(
            out,
            "{}; still to do: {}{more}.",
            count(it.tasks, "task"),
            clean_line(&names.join(", "))
        ),
    };
    if let Some(task) = &it.task {
        self::task(task, out);
    }
}

/// The name of a branch, cut if it would fill the context of an agent.
fn branch_span(branch: &Branch) -> String {
    code_span(&TokenBudget::new(40).text(branch.short(), 40).unwrap_or_default())
}

fn task(it: &PrimedTask, out: &mut String) {
    let _ = writeln!(out, "\n## Task {}: {}\n", clean_line(&it.id), clean_line(&it.title));
    if let Some(text) = &it.description {
        let _ = writeln!(out, "{}\n", clean_line(text));
    }
    for it in &it.criteria {
        let mark = if it.is_accepted { " (accepted)" } else { "" };
        let _ = writeln!(out, "{}. {}{mark}", it.number, clean_line(&it.text));
    }
    let list = |name: &str, all: &[String], out: &mut String| {
        if !all.is_empty() {
            let all: Vec<String> = all.iter().map(|it| code_span(it)).collect();
            let _ = writeln!(out, "{name}: {}", all.join(", "));
        }
    };
    list("Tests", &it.tests, out);
    list("Files", &it.files, out);
    let more = match it.left_out {
        0 => String::new(),
        1 => "1 more line of it and ".to_owned(),
        n => format!("{n} more lines of it and "),
    };
    let _ = writeln!(out, "`git wf show` shows {more}the whole plan.");
}

fn waiting(it: &PrimedWaiting, out: &mut String) {
    let heading = match it.what {
        Waiting::Items => "Ready to be claimed",
        Waiting::Unplanned => "Issues without a plan",
        Waiting::Unqueued => "Issues with a plan that is not queued",
    };
    let shown = match it.count - it.first.len() {
        0 => it.count.to_string(),
        _ => format!("{} of {}", it.first.len(), it.count),
    };
    let _ = writeln!(out, "\n## {heading} ({shown})\n");
    for it in &it.first {
        let item = it.item.as_ref().map(|name| format!("{} ", clean_line(name))).unwrap_or_default();
        let _ = writeln!(out, "- {item}{}: {}", it.issue_id, clean_line(&it.title));
    }
    if it.count == 0 {
        out.push_str("None.\n");
    }
}

/// What an agent that is about to stop has left unfinished, in one line.
pub(in crate::cli) fn reminder(it: &Reminder) -> String {
    let text = unfinished(it);
    if it.linked.is_empty() {
        text
    } else {
        format!("{text}; {}", clean_line(&linked_words(it.linked.clone())))
    }
}

fn unfinished(it: &Reminder) -> String {
    let issue = &it.issue_id;
    if it.is_ready_to_end {
        return format!(
            "{issue}: every task was begun and every test passed, but the execution has not ended; \
             `git wf done -m SUMMARY` completes it"
        );
    }
    let mut left = Vec::new();
    if !it.open.is_empty() {
        let names: Vec<&str> = it.open.iter().take(8).map(|id| &**id).collect();
        let more = if it.open.len() > 8 { ", …" } else { "" };
        left.push(format!("{} to do ({}{more})", count(it.open.len(), "task"), names.join(", ")));
    }
    if it.missing_tests > 0 {
        left.push(format!("{} without a pass", count(it.missing_tests, "test")));
    }
    // Tests come last: they count for the last commit.
    let next = match (it.missing_tests > 0, it.open.is_empty()) {
        (true, true) => "`git wf verify` runs the tests".to_owned(),
        (false, true) => format!("`git wf link COMMIT {}` links one", it.solution_id),
        (_, false) => "commit each task, then `git wf done -m SUMMARY` completes the plan".to_owned(),
    };
    let left = if left.is_empty() { "no commit is linked".to_owned() } else { left.join(", ") };
    let said = format!("{issue} is still executing: {left}; {next}; `git wf fail -m REASON` gives up");
    clean_line(&said).into_owned()
}

/// What a hook at the start of a session answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(in crate::cli) enum SessionStart {
    #[serde(rename_all = "camelCase")]
    OfEvent {
        hook_specific_output: EventContext,
    },
    Snake {
        additional_context: String,
    },
    #[serde(rename_all = "camelCase")]
    Camel {
        additional_context: String,
    },
}

/// The context that a hook adds at an event.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct EventContext {
    hook_event_name: &'static str,
    additional_context: String,
}

/// What a hook answers before an agent stops.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(in crate::cli) enum SessionStop {
    /// The agent continues.
    Decision { decision: &'static str, reason: String },
    /// The agent continues with this as its next message.
    Followup { followup_message: String },
    /// The user is told.
    #[serde(rename_all = "camelCase")]
    Told { system_message: String },
}

/// The start of a session, as the hooks of an agent expect it.
pub(in crate::cli) fn start_for(form: HookForm, additional_context: String) -> SessionStart {
    match form {
        HookForm::Claude | HookForm::Gemini => SessionStart::OfEvent {
            hook_specific_output: EventContext { hook_event_name: "SessionStart", additional_context },
        },
        HookForm::Cursor => SessionStart::Snake { additional_context },
        HookForm::Copilot => SessionStart::Camel { additional_context },
    }
}

/// The reminder, as the hooks of an agent expect it: the agent continues if only the end is missing, and otherwise the
/// user is told, if the agent can do that.
pub(in crate::cli) fn stop_for(form: HookForm, it: &Reminder) -> Option<SessionStop> {
    let text = reminder(it);
    match (form, it.is_ready_to_end) {
        (HookForm::Claude | HookForm::Copilot, true) => {
            Some(SessionStop::Decision { decision: "block", reason: text })
        }
        (HookForm::Gemini, true) => Some(SessionStop::Decision { decision: "deny", reason: text }),
        (HookForm::Cursor, true) => Some(SessionStop::Followup { followup_message: text }),
        (HookForm::Claude | HookForm::Gemini, false) => Some(SessionStop::Told { system_message: text }),
        (HookForm::Cursor | HookForm::Copilot, false) => None,
    }
}

/// Whether the input of a stop hook says that such a hook has already made the agent continue, or that the turn was
/// aborted.
pub(in crate::cli) fn already_continued(input: &Value) -> bool {
    let is_active = |name: &str| input[name] == true;
    is_active("stop_hook_active")
        || is_active("stopHookActive")
        || input["loop_count"].as_u64().is_some_and(|count| count > 0)
        || input["status"].as_str().is_some_and(|status| status != "completed")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{IssueId, SolutionId, typed};

    fn reminder_of(is_ready_to_end: bool) -> Reminder {
        let open = if is_ready_to_end { vec![] } else { vec!["T2".into()] };
        Reminder {
            issue_id: IssueId::parse("ISS-1").unwrap(),
            solution_id: SolutionId::parse("SOL-ISS-1-1").unwrap(),
            is_ready_to_end,
            open,
            missing_tests: 0,
            linked: vec![],
        }
    }

    #[test]
    fn a_command_with_backticks_has_a_longer_fence() {
        assert_eq!(code_span("true"), "`true`");
        assert_eq!(code_span("echo `date` two"), "`` echo `date` two ``");
        assert_eq!(code_span("``"), "``` `` ```");
    }

    #[test]
    fn an_agent_goes_on_only_if_nothing_but_the_end_is_missing() {
        let keys = |form, ready| {
            let answer = typed::own_json(&stop_for(form, &reminder_of(ready))?);
            Some(answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" "))
        };
        for (form, on, answer) in [
            (HookForm::Claude, "decision reason", Some("systemMessage")),
            (HookForm::Gemini, "decision reason", Some("systemMessage")),
            (HookForm::Cursor, "followup_message", None),
            (HookForm::Copilot, "decision reason", None),
        ] {
            assert_eq!(keys(form, true).as_deref(), Some(on));
            assert_eq!(keys(form, false).as_deref(), answer);
        }
    }

    #[test]
    fn each_agent_finds_the_context_of_a_session_where_it_looks() {
        let context = json!({ "hookEventName": "SessionStart", "additionalContext": "text" });
        for (form, answer) in [
            (HookForm::Claude, json!({ "hookSpecificOutput": context })),
            (HookForm::Gemini, json!({ "hookSpecificOutput": context })),
            (HookForm::Cursor, json!({ "additional_context": "text" })),
            (HookForm::Copilot, json!({ "additionalContext": "text" })),
        ] {
            assert_eq!(typed::own_json(&start_for(form, "text".into())), answer, "{form}");
        }
    }

    #[test]
    fn a_hook_does_not_hold_an_agent_twice() {
        for input in [
            json!({"stop_hook_active": true}),
            json!({"stopHookActive": true}),
            json!({"status": "completed", "loop_count": 1}),
            json!({"status": "aborted", "loop_count": 0}),
        ] {
            assert!(already_continued(&input), "{input}");
        }
        for input in [json!({}), json!(null), json!({"status": "completed", "loop_count": 0})] {
            assert!(!already_continued(&input), "{input}");
        }
    }
}
