//! What `solution add` does about the answer that an issue from GitHub waits for.

use crate::cli::command::plans::solution::Handed;
use crate::cli::{Context, Failure, existing};
use crate::model::id::IssueId;
use crate::rules::reply_task::{self, Place, Unadded};
use crate::store::Store;

/// Looks at plans for an issue that came from GitHub, each with its place in what was given. With `append`, those that do
/// not answer there get a task that does; without, a warning says so. Plans for any other issue stay as they are.
pub(in crate::cli) fn settle(
    store: &Store,
    issue: &IssueId,
    plans: Vec<Handed>,
    append: bool,
    context: &Context,
) -> Result<Vec<Handed>, Failure> {
    let folder = existing(&store.snapshot()?, issue)?;
    let repository = reply_task::repository(&store.remote_urls());
    let Some(place) = Place::of(&folder.issue.record, repository) else {
        if append {
            return Err(Failure::new("not-from-github", format!("issue `{issue}` did not come from GitHub"))
                .hint("leave --add-reply-task out; a `source_url` there, or the id GH-<number> and a remote on GitHub, say where it came from"));
        }
        return Ok(plans);
    };
    let mut settled = Vec::new();
    for Handed { place: at, plan } in plans {
        let plan = match reply_task::append(&plan, &place) {
            Ok(longer) if append => longer,
            Ok(_) | Err(Unadded::Full) if !append => {
                context.warn(&format!(
                    "{at}: issue `{issue}` came from GitHub, and no task answers there; --add-reply-task adds one"
                ));
                plan
            }
            Err(Unadded::Full) => {
                return Err(Failure::new(
                    "too-many-tasks",
                    format!("{at}: the plan has no room for one more task"),
                )
                .hint("leave --add-reply-task out, or join two of its tasks"));
            }
            _ => plan,
        };
        settled.push(Handed { place: at, plan });
    }
    Ok(settled)
}
