//! What an owner is told about a completed execution.

use crate::model::{ExecutionId, Op, Other, RemedyCall, count};
use crate::ops::Notice;

/// The notice that tests of the plan have not passed at its last commit.
pub(super) fn untested(issue: &str, commits: usize, missing: usize) -> Notice {
    let message = format!(
        "{} of the plan {} no passing check{}",
        count(missing, "test"),
        if missing == 1 { "has" } else { "have" },
        if commits > 0 { " at the last commit" } else { "" }
    );
    Notice::warning(message).remedy(RemedyCall::new(Op::Verify, [issue]), "runs what is missing")
}

/// The notice that the plan cannot be read.
pub(super) fn unread(id: &ExecutionId) -> Notice {
    Notice::warning("the claimed plan cannot be read, so its tests were not checked")
        .remedy(RemedyCall::new(Op::Fsck, std::iter::empty::<&str>()), "says what is wrong with it")
        .remedy(RemedyCall::new(Other::Show, [id.short()]), "shows the claim")
}

/// The notice that the result was not sent to GitHub, which is the last task of the plan.
pub(super) fn unsent(issue: &str, task: &str) -> Notice {
    let post = RemedyCall::new(Other::ExportGithub, [issue]).flag("post");
    Notice::note(format!("task {task} of the plan reports the result on GitHub")).remedy(post, "sends it")
}

/// The notice that no commit implements some tasks of the plan.
pub(super) fn left_out(issue: &str, tasks: &[String]) -> Notice {
    let (named, each) = (tasks.join(", "), &tasks[0]);
    let message = match tasks.len() {
        1 => format!("task {named} has no commit and no accepted criterion"),
        _ => format!("tasks {named} have no commits and no accepted criteria"),
    };
    let link = RemedyCall::new(Op::Link, ["COMMIT", issue]).option("task", each);
    Notice::warning(message)
        .remedy(link, "links a commit that implements it")
        .remedy(RemedyCall::new(Op::Reopen, [issue]), "reopens the issue")
}
