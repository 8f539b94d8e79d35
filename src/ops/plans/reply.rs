//! Reply tasks for issues from GitHub, where someone waits for an answer.

use super::PlanInput;
use crate::model::{Code, IssueId, Op, RemedyCall};
use crate::ops::issues::existing;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::Discussion;
use crate::rules::reply_task::{self, Unadded};

/// Checks plans for an issue from GitHub. With `append`, adds a task that replies there to those that have none;
/// otherwise reports them in a notice. Plans for other issues are not changed.
///
/// # Errors
/// `not-from-github`, `too-many-tasks`.
pub(super) fn settle(
    session: &Session,
    issue: &IssueId,
    plans: &mut [PlanInput],
    append: bool,
) -> Result<(), Refusal> {
    let store = session.store();
    let folder = existing(&store.snapshot()?, issue)?;
    let repository = reply_task::repository(&store.repo().remote_urls());
    let Some(place) = Discussion::from_issue(&folder.issue.record, repository) else {
        if append {
            return Err(Refusal::new(Code::NotFromGithub, format!("issue `{issue}` did not come from GitHub"))
                .hint("only an issue from GitHub gets a reply task: it has a `source_url` there, or the id GH-<number> and a remote on GitHub")
                .remedy(RemedyCall::new(Op::Edit, [issue]).option("source-url", "URL"), "says where it is discussed"));
        }
        return Ok(());
    };
    for PlanInput { place: at, plan, .. } in plans {
        match reply_task::append(plan, &place) {
            Ok(longer) if append => *plan = longer,
            Ok(_) | Err(Unadded::Full) if !append => {
                let message = format!("{at}: issue `{issue}` came from GitHub, but no task replies there");
                session.notice(Notice::warning(message).remedy(
                    RemedyCall::new(Op::SolutionAdd, [issue.as_str(), "FILE"]).flag("add-reply-task"),
                    "adds one",
                ));
            }
            Err(Unadded::Full) => {
                return Err(Refusal::new(
                    Code::TooManyTasks,
                    format!("{at}: the plan has no room for one more task"),
                )
                .hint("merge two of its tasks, or omit the reply task"));
            }
            _ => {}
        }
    }
    Ok(())
}
