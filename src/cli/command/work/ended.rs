//! What `done` and `fail` do once the end is recorded: they publish it, and take the next item where that is asked for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::answer::{self, ExecutionAnswer};
use crate::cli::{Context, Exit, Failure, Outcome, existing_outline, print};
use crate::model::execution::Execution;
use crate::ops::work::{self, Claim, Wish};
use crate::rules::folder::IssueFolder;
use crate::store::Store;

/// What comes after the end.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Then {
    /// Then take the next ready item, like `git wf next`, in the same push. Exits with 3 if nothing is ready,
    /// and with 1 if the end is recorded but no item could be taken
    #[arg(long)]
    next: bool,
}

/// What `done --next` and `fail --next` answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndedAndTaken {
    /// The execution that ended.
    ended: ExecutionAnswer,
    /// The claim; none where nothing could be taken, and stderr bears why.
    next: Option<Claim>,
}

/// Publishes the end of an execution that is recorded here, and says so: to people by `say`.
pub(in crate::cli) fn finish(
    then: &Then,
    store: &Store,
    ended: &Execution,
    context: &mut Context,
    say: impl FnOnce(&IssueFolder, &mut Context) -> Result<(), Failure>,
) -> Outcome {
    let taken = then.next.then(|| next(context));
    let remote = work::through(store, ended)?;
    match (&remote, &taken) {
        // It went with the claim.
        (Some(remote), Some(_)) if store.read_ref(&store.tracking(remote))? == store.tip()? => {}
        // Nobody waits for it twice.
        (Some(remote), Some(Err(failure))) if failure.code() == "unreachable" => {
            context.tell([work::unpublished(remote, failure.message(), None)]);
        }
        _ => work::publish(&*context.session()?, ended)?,
    }
    let folder = existing_outline(&store.snapshot()?, &ended.issue_id)?;
    let (taken, failure) = match taken {
        Some(Ok(taken)) => (Some(taken), None),
        Some(Err(failure)) => (None, Some(failure)),
        None => (None, None),
    };
    if context.json() {
        let answers = answer::executions(&folder);
        let Some(ended) = answers.into_iter().find(|it| it.execution.id == ended.id) else {
            return Err(Failure::unreadable(&format!("execution `{}`", ended.id)));
        };
        if then.next {
            context.screen.print_json(&EndedAndTaken { ended, next: taken })?;
        } else {
            context.screen.print_json(&ended)?;
        }
    } else {
        say(&folder, context)?;
        if let Some(claim) = &taken {
            print::work::claim(&mut context.screen, claim)?;
        }
    }
    failure.map_or(Ok(Exit::Done), Err)
}

/// The next item for this worktree.
fn next(context: &Context) -> Result<Claim, Failure> {
    let done = work::claim(&*context.session()?, &Wish::default())?;
    context.tell(done.notices);
    Ok(done.view)
}
