//! Importing from GitHub, and telling an issue there what came of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::import::{Import, Selected, import};
use crate::interchange::Report;
use crate::interchange::github::{GITHUB, Pages, comment_on, completion, issues_of};
use crate::model::id::IssueId;
use crate::model::op::Op;
use crate::model::plan::Plan;
use crate::model::remedy::Call;
use crate::ops::issues::existing;
use crate::ops::work::{self, Accept};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{facts, reply_task};
use crate::store::resolve;

/// Where issues of GitHub come from.
pub(crate) enum GithubSource {
    /// A file, and what messages call it.
    File(String, Pages),
    /// A repository, asked through `gh`; by default that of a remote.
    Repository(Option<String>),
}

/// Imports issues of GitHub.
///
/// # Errors
/// `no-gh`, `not-logged-in`, `gh-failed`; usage if the repository is not clear; as [`import`].
pub(crate) fn import_github(session: &Session, source: GithubSource, how: Selected) -> Answer<Report> {
    let (name, mut pages) = match source {
        GithubSource::File(name, pages) => (name, pages),
        GithubSource::Repository(given) => {
            session.permit(Op::ImportGithub)?;
            session.store().snapshot()?;
            let repository = match given {
                Some(given) => named(given)?,
                None => of_remote(session)?,
            };
            let file = issues_of(&repository, &how.selection)?;
            (format!("`{repository}`"), Pages::of(repository, file))
        }
    };
    import(session, Op::ImportGithub, &GITHUB, Import { name: &name, records: &mut pages, how })
}

/// `OWNER/NAME` as someone gave it.
fn named(given: String) -> Result<String, Refusal> {
    if reply_task::is_repository(&given) {
        return Ok(given);
    }
    Err(Refusal::usage(format!("`{given}` is not a repository on GitHub")).hint("give it as OWNER/NAME"))
}

/// The repository on GitHub that the remotes name.
fn of_remote(session: &Session) -> Result<String, Refusal> {
    reply_task::repository(&session.store().repo().remote_urls()).ok_or_else(|| {
        Refusal::usage("no remote leads to a repository on GitHub").hint("give a file, or --repo OWNER/NAME")
    })
}

/// The comment for an issue of GitHub.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GithubComment {
    /// The issue here.
    pub(crate) issue_id: IssueId,
    /// `OWNER/NAME`; null if it is not known.
    pub(crate) repository: Option<String>,
    /// The number of the issue there; null if it is not known.
    pub(crate) number: Option<u64>,
    /// The comment, in Markdown.
    pub(crate) body: String,
    /// Whether it was sent.
    pub(crate) posted: bool,
    /// Its address on GitHub, if it was sent.
    pub(crate) url: Option<String>,
}

/// Writes what came of an issue as a comment for GitHub, and sends it there if `post` says so. Then the criteria of the
/// plan's reply task are confirmed, since this completes it.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `not-from-github`; `not-executed` if no plan was executed; `no-gh`, `not-logged-in`,
/// `gh-failed`.
pub(crate) fn comment_for_github(session: &Session, issue: &str, post: bool) -> Answer<GithubComment> {
    let state = session.store().snapshot()?;
    let id = resolve::issue(&state, issue)?;
    let folder = existing(&state, &id)?;
    let remote = reply_task::repository(&session.store().repo().remote_urls());
    let place = reply_task::Discussion::of(&folder.issue.record, remote).ok_or_else(|| {
        Refusal::new("not-from-github", format!("issue `{id}` did not come from GitHub")).hint(
            "an issue from GitHub has a `source_url` there, or the id GH-<number> and a remote on GitHub",
        )
    })?;
    let executed = facts::holder(&folder)
        .and_then(|execution| Some((execution, folder.solution(&execution.execution.solution_id)?)));
    let Some((execution, solution)) = executed else {
        return Err(Refusal::new("not-executed", format!("no plan of `{id}` was executed"))
            .hint("the comment says what was done; execute a plan first"));
    };
    let plan = solution.typed_plan();
    let body = completion(&plan, execution);
    let (repository, number) = place.parts();
    let repository = repository.map(str::to_owned);
    let mut comment =
        GithubComment { issue_id: id.clone(), repository, number, body, posted: false, url: None };
    if post {
        let (Some(repository), Some(number)) = (&comment.repository, comment.number) else {
            return Err(Refusal::new("not-from-github", format!("`{id}` has no known issue on GitHub"))
                .remedy(Call::new(Op::Edit, [&id]).option("source-url", "URL"), "sets its URL there"));
        };
        session.permit(Op::Accept)?;
        let url = comment_on(repository, number, &comment.body)?;
        confirm(session, solution.id.as_str(), &plan, &url);
        comment.posted = true;
        comment.url = Some(url).filter(|url| !url.is_empty());
    }
    Ok(session.done(comment, None))
}

/// Confirms the criteria of the reply task. The comment is there whether or not that succeeds.
fn confirm(session: &Session, solution: &str, plan: &Plan, url: &str) {
    let Some(task) = plan.tasks.iter().find(|task| reply_task::is_reply(task)) else { return };
    let evidence = if url.is_empty() { "the comment was sent".to_owned() } else { url.to_owned() };
    for (_, criterion) in task.criteria().iter().zip(1..) {
        let accept = Accept {
            item: Some(solution.to_owned()),
            task: task.id.to_string(),
            criterion,
            evidence: evidence.clone(),
            force: None,
        };
        if let Err(refusal) = work::accept(session, &accept) {
            let message =
                format!("the comment was sent, but task `{}` is not confirmed: {}", task.id, refusal.message);
            session.notice(Notice::warning(message));
            return;
        }
    }
}
