//! The resources: issues, plans, and what the worktree executes, as JSON that a client can watch.

use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceTemplate};
use serde::Serialize;
use serde_json::Value;

use super::tools::Call;
use super::{bounds, refused};
use crate::model::{Code, ExecutionId, Other, RemedyCall, typed};
use crate::ops::issues::{self, List, ShownRecord};
use crate::ops::work::{self, DetailView, PrimeAgent, PrimedExecution, PrimedTask};
use crate::ops::{Refusal, Session};
use crate::rules::Means;

/// What this worktree executes.
pub(super) const CURRENT: &str = "wf://execution/current";
const ISSUE: &str = "wf://issue/";
const PLAN: &str = "wf://plan/";
pub(super) const JSON: &str = "application/json";
/// The issues of a page.
const MOST: usize = 100;

/// A page of the resources, and the cursor of the next page: what is executed, then the open issues, the most urgent first.
///
/// # Errors
/// `invalid-cursor`; any error from reading the store.
pub(super) fn list(
    session: &Session,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), Refusal> {
    let offset: usize = cursor.map_or(Ok(0), |cursor| {
        cursor.parse().map_err(|_| {
            Refusal::new(Code::InvalidCursor, format!("`{cursor}` is not a cursor of `resources/list`"))
                .hint("give the `nextCursor` of the page before, or leave it out for the first page")
        })
    })?;
    let current = Resource::new(CURRENT, "current execution")
        .with_title("What this worktree executes")
        .with_description("The plan that this worktree executes, with its current task")
        .with_mime_type(JSON);
    let open = List { limit: Some(MOST + 1), offset, ..List::default() };
    let mut rows = issues::rows(session, &open)?.view.rows;
    let next = (rows.len() > MOST).then(|| (offset + MOST).to_string());
    rows.truncate(MOST);
    let issues = rows.into_iter().map(|row| {
        Resource::new(format!("{ISSUE}{}", row.id), row.id.to_string())
            .with_title(row.title)
            .with_mime_type(JSON)
    });
    let current = (offset == 0).then_some(current);
    Ok((current.into_iter().chain(issues).collect(), next))
}

/// The id and the title of every issue on any page.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn open_issues(session: &Session) -> Result<Vec<(String, String)>, Refusal> {
    let rows = issues::rows(session, &List::default())?.view.rows;
    Ok(rows.into_iter().map(|row| (row.id.to_string(), row.title)).collect())
}

/// The forms of their URIs.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        template(
            &format!("{ISSUE}{{id}}"),
            "issue",
            "An issue with its plans, executions, comments and feedback",
        ),
        template(&format!("{PLAN}{{id}}"), "plan", "A plan with its tasks and reviews"),
        template(CURRENT, "current", "What the worktree in a directory executes"),
    ]
}

fn template(uri: &str, name: &str, about: &str) -> ResourceTemplate {
    ResourceTemplate::new(format!("{uri}{{?directory}}"), name).with_description(about).with_mime_type(JSON)
}

/// The directory in a URI, such as `wf://issue/ISS-1?directory=/srv/work`.
pub(super) fn directory(uri: &str) -> Option<String> {
    let (_, query) = uri.split_once('?')?;
    let named = query.split('&').find_map(|part| part.strip_prefix("directory="))?;
    Some(percent_decode_str(named).decode_utf8_lossy().into_owned())
}

/// The kind of record whose ids complete a template.
pub(super) fn is_of_issues(template: &str) -> Option<bool> {
    match template {
        _ if template.starts_with(ISSUE) => Some(true),
        _ if template.starts_with(PLAN) => Some(false),
        _ => None,
    }
}

/// Reads a resource from the session's directory.
///
/// # Errors
/// `not-found`, `ambiguous-id`; any error from reading the store.
pub(super) fn read(call: &Call<'_>, uri: &str) -> Result<String, Refusal> {
    let mut record = whole(call.session, uri)?;
    let all = match (record["id"].as_str(), record["detail"]["solution_id"].as_str()) {
        (Some(id), _) => Some(bounds::whole(id)),
        (None, Some(_)) => Some(RemedyCall::from(Other::Show).flag("json")),
        (None, None) => None,
    };
    let bounded = if record.get("detail").is_some() { &mut record["detail"] } else { &mut record };
    if let (Some(all), Value::Object(fields)) = (all, bounded) {
        let left_out = bounds::bound(fields, &all, 0);
        if !left_out.is_empty() {
            let left_out: Vec<LeftOut> = left_out
                .iter()
                .map(|omission| {
                    let command = call.voice.command(&omission.command);
                    LeftOut { what: omission.what.clone(), entries: omission.entries, command }
                })
                .collect();
            fields.insert("left_out".into(), typed::own_json(&left_out));
        }
    }
    let notice = bounds::fit(call, &mut record);
    if let (Some(notice), Value::Object(fields)) = (notice, &mut record) {
        fields.insert("warnings".into(), vec![refused::warning(&notice, call.voice)].into());
    }
    Ok(record.to_string())
}

/// All of a resource, which changes whenever anything in it does.
///
/// # Errors
/// The errors of `read`.
pub(super) fn whole(session: &Session, uri: &str) -> Result<Value, Refusal> {
    let named = uri.split_once('?').map_or(uri, |(named, _)| named);
    if named == CURRENT {
        return current(session);
    }
    if let Some(id) = named.strip_prefix(ISSUE) {
        return match issues::show(session, &issues::ShowRecord::new(id))?.view {
            ShownRecord::Issue(issue) => Ok(typed::own_json(&issue)),
            _ => Err(other_kind(uri, "an issue")),
        };
    }
    if let Some(id) = named.strip_prefix(PLAN) {
        return match issues::show(session, &issues::ShowRecord::new(id))?.view {
            ShownRecord::Plan(plan) => Ok(typed::own_json(&plan)),
            _ => Err(other_kind(uri, "a plan")),
        };
    }
    Err(Refusal::new(Code::NotFound, format!("there is no resource `{uri}`"))
        .hint(format!("the resources are {ISSUE}ID, {PLAN}ID and {CURRENT}"))
        .remedy(RemedyCall::from(Other::List).flag("all"), "finds issues"))
}

fn other_kind(uri: &str, kind: &str) -> Refusal {
    let id = uri.rsplit('/').next().unwrap_or(uri);
    Refusal::new(Code::NotFound, format!("`{uri}` does not name {kind}"))
        .remedy(RemedyCall::new(Other::Show, [id]), "shows what it names")
}

fn current(session: &Session) -> Result<Value, Refusal> {
    session.check_store()?;
    let primed = work::prime(session, &PrimeAgent::with(Means::Tools))?.view.and_then(|view| view.execution);
    let Some(PrimedExecution { execution_id, solution_id, task, .. }) = primed else {
        return Ok(typed::own_json(&Current { execution_id: None, work: None }));
    };
    let detail = work::detail(session, Some(solution_id.as_str()))?.view;
    Ok(typed::own_json(&Current {
        execution_id: Some(execution_id),
        work: Some(CurrentWork { task, detail }),
    }))
}

/// What this worktree executes, if anything.
#[derive(Debug, Serialize)]
struct Current {
    execution_id: Option<ExecutionId>,
    #[serde(flatten)]
    work: Option<CurrentWork>,
}

/// The task to work on, unless every task was begun, and the whole plan.
#[derive(Debug, Serialize)]
struct CurrentWork {
    task: Option<PrimedTask>,
    detail: DetailView,
}

/// What a shortened record lacks, and the command that shows it.
#[derive(Debug, Serialize)]
struct LeftOut {
    what: String,
    entries: usize,
    command: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_may_name_a_directory() {
        assert_eq!(directory("wf://issue/A-1?directory=%2Fsrv%2Fa%20b&x=1").as_deref(), Some("/srv/a b"));
        assert_eq!(directory("wf://execution/current?x=1&directory=../b").as_deref(), Some("../b"));
        for none in ["wf://issue/A-1", "wf://issue/A-1?", "wf://issue/directory=x"] {
            assert_eq!(directory(none), None, "{none}");
        }
    }
}
