use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::{Op, RemedyCall};
use crate::ops::Refusal;
use crate::ops::trail::{self, LinkCommits, Relink};

/// Link commits to a plan by hand, remove links, or find lost ones
///
/// With --find, commits are linked that no hook saw: made without the hooks or on another machine, squashed by a forge,
/// applied from an email, or rebased without hooks. They are recognized by their trailers, or else by the commits that
/// their message says they revert, copy or squash ("This reverts commit"), or else by git's patch id: that of a linked
/// commit, or of all commits of an execution together. A commit whose trailers name only an issue is linked to its only
/// execution, or to that of the bound plan; if neither is unique, the executions are listed with the commands to link it.
/// Links that --remove removed stay removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits, then the plan (or its issue, item or execution). With --remove, the plan is optional: it limits what
    /// is removed. With --find, the commits to search, as `git log` takes them (default: all branches)
    #[arg(value_names = ["COMMIT", "PLAN"], num_args = 1.., required_unless_present = "find")]
    ids: Vec<String>,
    /// The task that the commits implement
    #[arg(long, value_name = "TASK", conflicts_with_all = ["remove", "find"])]
    task: Option<String>,
    /// Remove the links of the commits
    #[arg(long, conflicts_with = "find")]
    remove: bool,
    /// Find and link commits that no hook saw
    #[arg(long)]
    find: bool,
    /// With --find, only print what would be linked
    #[arg(short = 'n', long, requires = "find")]
    dry_run: bool,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { ids, task, remove, find, dry_run, force } = args;
    if find && force.why().is_some() {
        return Err(Refusal::usage("`--find` passes no gate, so there is nothing to override")
            .remedy(RemedyCall::from(Op::Link).flag("find"), "links what it finds")
            .into());
    }
    if find {
        let done = trail::relink(&session, &Relink { range: range(ids)?, dry_run, only: None })?;
        return context.answer(done, |found, _, screen| print::relink::relinked(screen, found));
    }
    if remove {
        let done = trail::unlink(&session, &ids, force.why().as_deref())?;
        return context.answer(done, |links, _, screen| print::trail::unlinked(screen, links));
    }
    let mut commits = ids;
    let plan = commits.pop().unwrap_or_default();
    if commits.is_empty() {
        return Err(Refusal::usage(format!("`{plan}` alone is not enough: a link needs commits and a plan"))
            .remedy(RemedyCall::new(Op::Link, [&plan, "PLAN"]), "links that commit")
            .into());
    }
    let done = trail::link(&session, &LinkCommits { commits, plan, task, force: force.why() })?;
    context.answer(done, |links, _, screen| print::trail::linked(screen, links))
}

/// The one range to search, if there is one.
fn range(mut ids: Vec<String>) -> Result<Option<String>, Refusal> {
    let range = ids.pop();
    match ids.first() {
        None => Ok(range),
        Some(other) => Err(Refusal::usage(format!("`--find` searches one range, but `{other}` is another"))
            .hint("give both ends as one: `A..B`")),
    }
}
