use std::io::Write;

use crate::cli::command::work::claim::{self, Intent, Meant};
use crate::cli::command::work::detail;
use crate::cli::command::work::ended::{self, Then};
use crate::cli::command::work::result;
use crate::cli::command::work::unfinished;
use crate::cli::input::text as text_input;
use crate::cli::{Context, Failure, Force, Outcome};
use crate::model::execution::{CommitLink, End, Event, ExecutionResult};
use crate::model::hash::PatchId;
use crate::model::status::ExecutionStatus;
use crate::ops::work as claims;
use crate::rules::folder::{ExecutionFolder, LinkedCommit};
use crate::rules::{evidence, facts};
use crate::store::{Read, Store, StoreError};
use crate::trail::patch_id;
use crate::trail::work::{self, Work};
use crate::ui::text::count;

/// Complete the execution of this worktree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// A summary of the work (a single word needs -m; `-` for stdin)
    text: Option<String>,
    /// A summary of the work; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    /// Read the executor's report from a JSON file (`-` for stdin), and compare it with git
    #[arg(long, value_name = "FILE")]
    result: Option<String>,
    #[command(flatten)]
    then: Then,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let lone = item.clone().filter(|_| text.is_none() && args.message.is_empty());
    let summary = text_input::said(&args.message, text.as_deref())?;
    let reported = args.result.as_deref().map(result::read).transpose()?;
    let mut seen = store.snapshot()?;
    let mut before = claim::meant(&store, &seen, item.as_deref())
        .map_err(|failure| text_input::or_text(failure, lone.as_deref(), "git wf done"))?;
    if claims::confirm(&*context.session()?, &before.execution)? {
        seen = store.snapshot()?;
        before = claim::meant(&store, &seen, item.as_deref())?;
    }
    // Reading the code's history and the work tree takes time, so it is done before the lock is taken.
    let named = match &reported {
        Some(reported) => reported.commits(&store)?,
        None => Vec::new(),
    };
    if let Some(reported) = &reported
        && args.force.why().is_none()
    {
        reported.refuse_differences(&store, &before.execution, &named)?;
    }
    if args.force.why().is_none() {
        let plan = detail::as_claimed(&store, &before.folder, &before.execution.execution).ok();
        let plan = plan.map(|plan| plan.typed_plan());
        claim::refuse_foreign(&store, &before.execution, Intent::End, &args.force)?;
        unfinished::refuse_uncommitted(&store, &before.execution, plan.as_ref())?;
    }
    let links = result::missing_links(&store, &before, &named)?;
    let made = Work::of(&store, &before.execution)?;
    let patch_id = patch_of(&store, &before.execution, &made, &links, context);
    let committed = context.transact(&store, |tx| {
        for link in &links {
            tx.log(&before.execution.execution.id, Event::Commit(link.clone()))?;
        }
        // Nothing is read twice where nothing has changed.
        let is_as_seen = links.is_empty() && tx.base().commit() == seen.commit();
        let now = if is_as_seen { None } else { Some(claim::meant(&store, tx, item.as_deref())?) };
        let Meant { folder, execution } = now.as_ref().unwrap_or(&before);
        claim::refuse_foreign(&store, execution, Intent::End, &args.force)?;
        let work_now = if is_as_seen { None } else { Some(Work::of(&store, execution)?) };
        let work = work_now.as_ref().unwrap_or(&made);
        let is_required = required(tx)? && args.force.why().is_none();
        let plan = match detail::as_claimed(&store, folder, &execution.execution) {
            Ok(plan) => Some(plan.typed_plan()),
            Err(failure) if is_required => return Err(failure),
            Err(_) => None,
        };
        // What is required is asked of all that is linked, as the server and the audit do, who cannot see the branches.
        let asked = if is_required { execution.work() } else { work.present.clone() };
        let missing = plan.as_ref().map(|plan| evidence::missing(plan, execution, &asked)).unwrap_or_default();
        if is_required && !missing.is_empty() {
            return Err(Failure::new("no-evidence", "the policy asks for evidence, and some is missing")
                .details(missing)
                .hint(
                    "commit what is missing, then `git wf verify`; `git wf unlink COMMIT` removes one that no branch has",
                ));
        }
        if args.force.why().is_none() {
            unfinished::refuse_empty(&store, execution, plan.as_ref(), work)?;
            unfinished::refuse_failed_checks(execution)?;
        }
        let commits = &work.effective;
        let mut files: Vec<String> = commits.iter().flat_map(|commit| commit.link.files.clone()).collect();
        files.sort();
        files.dedup();
        let mut result =
            ExecutionResult { summary: summary.clone(), files_modified: files, ..ExecutionResult::default() };
        if let Some(reported) = &reported {
            reported.record(&mut result);
        }
        let id = &execution.execution.solution_id;
        claim::end(
            tx,
            execution,
            End {
                status: ExecutionStatus::Completed,
                result: Some(result),
                failure: None,
                patch_id: patch_id.clone(),
                forced: args.force.why(),
            },
        )?;
        tx.note.force = args.force.why();
        tx.describe("done", format!("execution: complete {id} ({})", count(commits.len(), "commit")));
        Ok((execution.execution.id.clone(), commits.len(), missing.len()))
    })?;
    let (id, commits, missing) = committed.answer;
    claims::unbind_worktree(&*context.session()?, &id);
    if missing > 0 && (commits > 0 || args.force.why().is_none()) {
        let tests = count(missing, "test");
        context.warn(&format!(
            "{tests} of the plan {} no passing check{}; `git wf verify {}` runs what is missing",
            if missing == 1 { "has" } else { "have" },
            if commits > 0 { " at the last commit" } else { "" },
            id.issue()
        ));
    }
    let ended = &before.execution.execution;
    ended::finish(&args.then, &store, ended, context, |folder, context| {
        let (plan, issue, status) = (&ended.solution_id, id.issue(), facts::status(folder));
        let commits = count(commits, "commit");
        Ok(writeln!(context.screen, "completed {plan} with {commits}; {issue} is {status}")?)
    })
}

fn required(read: &impl Read) -> Result<bool, StoreError> {
    let root = crate::store::records::root(read)?;
    Ok(root.policy.evidence.as_deref() == Some("required"))
}

/// The patch id of all that the execution made, `links` included: by it a squash is found again, and nothing else depends on
/// it. None where others' commits lie between, or git cannot say.
fn patch_of(
    store: &Store,
    execution: &ExecutionFolder,
    work: &Work,
    links: &[CommitLink],
    context: &Context,
) -> Option<PatchId> {
    let mut commits = work.effective.clone();
    commits.extend(links.iter().map(|link| LinkedCommit { link: link.clone(), rewritten_from: vec![] }));
    let linked = execution.known_commits().chain(links.iter().map(|link| link.hash.clone())).collect();
    let found = work::span(store, &linked, &commits);
    let found = found.and_then(|span| match span {
        Some((base, head)) => patch_id::between(store, base, head),
        None => Ok(None),
    });
    match found {
        Ok(id) => id,
        Err(error) => {
            context.warn(&format!("no patch id is recorded: {error}"));
            None
        }
    }
}
