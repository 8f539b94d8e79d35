//! Imports issues from GitHub, and reports the outcome of an issue there.

use schemars::JsonSchema;
use serde::Serialize;

use super::import::{Import, Selected, import};
use crate::interchange::ImportReport;
use crate::interchange::github::{GITHUB, IssuePages, comment_on, completion, issues_of};
use crate::model::{Code, Comment, ExecutionStatus, IssueId, Op, Other, Plan, RemedyCall, count};
use crate::ops::host::limited;
use crate::ops::issues::existing;
use crate::ops::work::{self, Accept};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{ExecutionFolder, IssueFolder, facts, reply_task};
use crate::store::{ObjectId, layout, resolve};

/// Where issues of GitHub come from.
pub(crate) enum GithubSource {
    /// A file, and what messages call it.
    File(String, IssuePages),
    /// A repository, asked through `gh`; by default that of a remote.
    Repository(Option<String>),
}

/// What to import from GitHub.
pub(crate) struct ImportFromGithub {
    /// Where the issues come from.
    pub(crate) source: GithubSource,
    /// Which of them, and how.
    pub(crate) how: Selected,
}

/// Imports issues of GitHub.
///
/// # Errors
/// `no-gh`, `not-logged-in`, `gh-failed`; usage if the repository is not clear, or if types are selected, which `gh` does
/// not know; as [`import`].
pub(crate) fn import_github(session: &Session, input: ImportFromGithub) -> Answer<ImportReport> {
    let ImportFromGithub { source, how } = input;
    let (name, mut pages) = match source {
        GithubSource::File(name, pages) => (name, pages),
        GithubSource::Repository(given) => {
            session.permit(Op::ImportGithub)?;
            session.store().snapshot()?;
            let repository = match given {
                Some(given) => named(given)?,
                None => of_remote(session)?,
            };
            let pages = limited(session, || issues_of(&repository, &how.selection))?;
            if how.selection.is_by_type() && pages.lacks_types() {
                return Err(untyped(&repository));
            }
            (format!("`{repository}`"), pages)
        }
    };
    let (op, tracker) = (Op::ImportGithub, &GITHUB);
    import(session, Import { op, tracker, name: &name, records: &mut pages, how })
}

/// The refusal to select issues by a type that an older `gh issue list` does not say.
fn untyped(repository: &str) -> Refusal {
    Refusal::usage(
        "`gh` is older than 2.94 and does not say the types of issues, so --only and --skip-type cannot select them",
    )
    .command(
        format!("gh api --paginate 'repos/{repository}/issues?state=all' > issues.json"),
        "saves the issues with their types; then import that file",
    )
    .hint("or select by label, with --label")
}

/// `OWNER/NAME` as someone gave it.
pub(super) fn named(given: String) -> Result<String, Refusal> {
    if reply_task::is_repository(&given) {
        return Ok(given);
    }
    Err(Refusal::usage(format!("`{given}` is not a repository on GitHub")).hint("give it as OWNER/NAME"))
}

/// The repository on GitHub that the remotes name.
pub(super) fn of_remote(session: &Session) -> Result<String, Refusal> {
    reply_task::repository(&session.store().repo().remote_urls()).ok_or_else(|| {
        Refusal::usage("no remote leads to a repository on GitHub")
            .hint("give a file, or --repo OWNER/NAME")
            .command("git remote -v", "shows the remotes")
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

/// A comment for GitHub.
#[derive(Debug, Clone)]
pub(crate) struct GithubReply {
    /// The id of the issue, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// Send it.
    pub(crate) post: bool,
    /// The repository that it may be sent to, if no remote leads there.
    pub(crate) repo: Option<String>,
    /// Why a gate is overridden.
    pub(crate) force: Option<String>,
}

/// Writes the outcome of an issue as a comment for GitHub and, if `post`, sends it there. A posted comment is also
/// added to the issue here, and the criteria of the plan's reply task are confirmed, since posting completes that task.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `not-from-github`; `not-executed` if no plan was executed; to post, `open-tasks` while
/// other work of the plan is left, `already-posted`, `other-repository`; `no-gh`, `not-logged-in`, `gh-failed`.
pub(crate) fn comment_for_github(session: &Session, input: &GithubReply) -> Answer<GithubComment> {
    let state = session.store().snapshot()?;
    let id = resolve::issue(&state, &input.issue)?;
    let folder = existing(&state, &id)?;
    let remote = reply_task::repository(&session.store().repo().remote_urls());
    let place = reply_task::Discussion::from_issue(&folder.issue.record, remote).ok_or_else(|| {
        Refusal::new(Code::NotFromGithub, format!("issue `{id}` did not come from GitHub"))
            .hint(
                "this works for an issue whose source URL is on GitHub, or whose id is GH-NUMBER in a repository with a \
                 remote on GitHub",
            )
            .remedy(RemedyCall::new(Op::Edit, [&id]).option("source-url", "URL"), "says where it is discussed")
    })?;
    let executed = facts::holder(&folder)
        .and_then(|execution| Some((execution, folder.solution(&execution.execution.solution_id)?)));
    let Some((execution, solution)) = executed else {
        return Err(Refusal::new(Code::NotExecuted, format!("no plan of `{id}` was executed"))
            .hint("the comment says what was done; execute a plan first")
            .remedy(RemedyCall::new(Op::Next, ["ITEM"]), "claims one"));
    };
    let plan = solution.typed_plan();
    let body = completion(&plan, execution);
    let (repository, number) = place.parts();
    let repository = repository.map(str::to_owned);
    let mut comment =
        GithubComment { issue_id: id.clone(), repository, number, body, posted: false, url: None };
    if !input.post {
        return Ok(session.done(comment, None));
    }
    let (Some(repository), Some(number)) = (&comment.repository, comment.number) else {
        return Err(Refusal::new(Code::NotFromGithub, format!("`{id}` has no known issue on GitHub"))
            .remedy(RemedyCall::new(Op::Edit, [&id]).option("source-url", "URL"), "sets its URL there"));
    };
    session.permit(Op::Accept)?;
    if input.force.is_none() {
        refuse_early(&plan, &id, execution)?;
        refuse_second(&folder, execution)?;
    }
    refuse_elsewhere(session, &id, repository, input.repo.as_deref())?;
    let url = limited(session, || comment_on(repository, number, &comment.body))?;
    let url = Some(url).filter(|url| !url.is_empty());
    let commit = keep(session, &id, &comment.body, url.as_deref(), input.force.as_deref());
    // A reply task completed earlier is not confirmed again: the comment says that it was sent.
    if execution.outcome() == ExecutionStatus::Executing {
        confirm(session, solution.id.as_str(), &plan, url.as_deref());
    }
    comment.posted = true;
    comment.url = url;
    Ok(session.done(comment, commit))
}

/// Whoever can write a record chooses its address. So nothing is sent to a repository that is neither of a remote here nor
/// `given`.
pub(super) fn refuse_elsewhere(
    session: &Session,
    issue: &IssueId,
    repository: &str,
    given: Option<&str>,
) -> Result<(), Refusal> {
    let call = RemedyCall::new(Other::ExportGithub, [issue]).flag("post").option("repo", repository);
    match given {
        Some(given) if given.eq_ignore_ascii_case(repository) => Ok(()),
        None if reply_task::is_remote(&session.store().repo().remote_urls(), repository) => Ok(()),
        Some(given) => {
            let message = format!("`{issue}` is discussed in `{repository}`, not in `{given}`");
            Err(Refusal::new(Code::OtherRepository, message).remedy(call, "posts it there"))
        }
        None => {
            let message = format!(
                "`{issue}` is discussed in `{repository}`, to which no remote of this repository leads"
            );
            Err(Refusal::new(Code::OtherRepository, message).remedy(call, "posts it there nevertheless"))
        }
    }
}

/// The reply is the last task.
fn refuse_early(plan: &Plan, issue: &IssueId, execution: &ExecutionFolder) -> Result<(), Refusal> {
    let open = reply_task::open_work(plan, execution);
    if open.is_empty() {
        return Ok(());
    }
    let message = format!("the reply is the last task, and {} open", count_are(open.len()));
    // Tests run at the commits.
    let (call, does) = if execution.work().is_empty() {
        (RemedyCall::new(Op::Link, ["COMMIT", issue.as_str()]), "links an existing commit")
    } else {
        (Op::Verify.into(), "runs the tests")
    };
    Err(Refusal::new(Code::OpenTasks, message).details(open).remedy(call, does).hint("finish the work first"))
}

/// `1 thing is`, `2 things are`.
fn count_are(number: usize) -> String {
    format!("{} {}", count(number, "thing"), if number == 1 { "is" } else { "are" })
}

fn refuse_second(folder: &IssueFolder, execution: &ExecutionFolder) -> Result<(), Refusal> {
    let Some(sent) = reply_task::sent(folder, &execution.execution.id) else { return Ok(()) };
    let place = sent.source_id.as_ref().map(|url| format!(" as {url}")).unwrap_or_default();
    let (author, at) = (&sent.author, sent.created_at);
    let message = format!("the result was already posted{place}, by {author} at {at}");
    Err(Refusal::new(Code::AlreadyPosted, message)
        .remedy(RemedyCall::new(Other::Show, [&folder.issue.record.id]), "shows it among the comments")
        .hint("edit it on GitHub if it is wrong"))
}

/// Stores what was sent as a comment on the issue, so that it is not sent again. A failure does not undo the posting.
fn keep(
    session: &Session,
    issue: &IssueId,
    body: &str,
    url: Option<&str>,
    force: Option<&str>,
) -> Option<ObjectId> {
    let kept = session.permit(Op::Comment).and_then(|permit| {
        session.transact(permit, |tx| {
            let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
            tx.append(&layout::comments(issue), |id| Comment {
                id,
                body: body.to_owned(),
                author,
                created_at,
                edits: None,
                source_id: url.map(str::to_owned),
            })?;
            tx.note.force = force.map(str::to_owned);
            tx.describe(format!("issue: report the result of {issue} on GitHub"));
            Ok(())
        })
    });
    match kept {
        Ok(committed) => committed.commit,
        Err(refusal) => {
            let message = format!("the comment was sent, but it is not recorded here: {}", refusal.message);
            session.notice(Notice::warning(message));
            None
        }
    }
}

/// Confirms the criteria of the reply task. A failure does not undo the posting.
fn confirm(session: &Session, solution: &str, plan: &Plan, url: Option<&str>) {
    let Some(task) = plan.tasks.iter().find(|task| reply_task::is_reply(task)) else { return };
    let evidence = url.unwrap_or("the comment was sent").to_owned();
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
