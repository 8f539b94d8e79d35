use crate::cli::command::issues::new;
use crate::cli::input::issue_fields::{FieldArgs, some};
use crate::cli::input::text::{TextArgs, edit, title};
use crate::cli::{Context, Failure, Force, Outcome, print};
use crate::model::execution::AsideReason;
use crate::model::id::IssueId;
use crate::model::issue::StoredStatus;
use crate::model::status::IssueStatus;
use crate::ops::{issues, work};
use crate::rules::{facts, moves};
use crate::store::{Tx, records, resolve};

/// Edit an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue: its id, or an unambiguous prefix of the id or of its last part
    id: String,
    /// A new title
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// The status: registered, planning, planned, paused or cancelled
    #[arg(short, long, value_name = "STATUS", value_parser = parse_status)]
    status: Option<IssueStatus>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    fields: FieldArgs,
    #[command(flatten)]
    force: Force,
}

fn parse_status(text: &str) -> Result<IssueStatus, String> {
    IssueStatus::given(text).ok_or_else(|| format!("allowed are {}", StoredStatus::words()))
}

const HELP: &str = "The first line is the title, what follows is the description in Markdown.";

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let is_text_given = args.text.edit || args.text.file.is_some() || !args.text.message.is_empty();
    if args.title.is_none() && args.status.is_none() && !is_text_given && args.fields.is_empty() {
        return Err(Failure::usage("nothing to change")
            .hint("name a field, such as --title TITLE, or -e to edit the text"));
    }
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::issue(&snapshot, &args.id)?;
    let input = args.fields.input()?;
    if let Some(other) = input.as_ref().and_then(|input| input.id.as_ref()).filter(|other| **other != id) {
        return Err(Failure::new("other-issue", format!("the input is issue `{other}`, not `{id}`"))
            .hint(format!("leave `id` out of it, or `git wf edit {other}`")));
    }
    let mut new_title =
        args.title.as_deref().or_else(|| input.as_ref()?.title.as_deref()).map(title).transpose()?;
    let mut new_text = args.text.given()?;
    if args.text.edit {
        let issue = records::issue(&snapshot, &id)?.map(|folder| folder.issue.record);
        let old = issue.as_ref();
        let start = format!(
            "{}\n\n{}",
            new_title.as_deref().or(old.map(|issue| issue.title.as_str())).unwrap_or_default(),
            new_text.as_deref().or(old.and_then(|issue| issue.context.as_deref())).unwrap_or_default()
        );
        let written = edit(&store, context, start.trim(), HELP)?;
        let (first, rest) = written.split_once('\n').unwrap_or((&written, ""));
        new_title = Some(title(first)?);
        new_text = Some(rest.trim().to_owned());
    }
    let committed = context.transact(&store, |tx| {
        let folder = crate::cli::existing_outline(tx, &id)?;
        if let Some(status) = args.status {
            move_to(tx, &id, status, &args.force)?;
        }
        let mut target = folder.issue.record.clone();
        args.fields.changes(tx)?.over(input.clone()).apply(&mut target)?;
        if let Some(title) = &new_title {
            target.title.clone_from(title);
        }
        if let Some(text) = &new_text {
            target.context = some(text.clone());
        }
        let dependencies_changed = target.depends_on != folder.issue.record.depends_on;
        let edited = tx.edit_issue(&id, |issue| {
            // What the move has just decided stands.
            let kept = (issue.status, issue.close_reason.clone(), issue.bound_solution_id.clone());
            *issue = target;
            (issue.status, issue.close_reason, issue.bound_solution_id) = kept;
        })?;
        if dependencies_changed {
            new::check_dependencies(tx, &id)?;
        }
        tx.note.force = args.force.why();
        let what = match args.status {
            Some(status) if !edited => format!("issue: {id} is {status}"),
            Some(status) => format!("issue: edit {id}, which is {status}"),
            None => format!("issue: edit {id}"),
        };
        tx.describe("edit", what);
        Ok(())
    })?;
    let done = issues::answer(&*context.session()?, &id, committed.commit)?;
    context
        .answer(done, |view, is_changed, screen| print::issues::changed(screen, view, is_changed, "changed"))
}

/// Makes the decision `to`, where the table of moves allows it.
fn move_to(tx: &mut Tx<'_>, id: &IssueId, to: IssueStatus, force: &Force) -> Result<(), Failure> {
    let folder = crate::cli::existing(tx, id)?;
    let from = facts::status(&folder);
    let stored = match to {
        IssueStatus::Registered => StoredStatus::Registered,
        IssueStatus::Planning => StoredStatus::Planning,
        IssueStatus::Planned => StoredStatus::Planned,
        IssueStatus::Paused => StoredStatus::Paused,
        IssueStatus::Cancelled => StoredStatus::Cancelled,
        IssueStatus::Closed => {
            return Err(Failure::new("own-command", "an issue is not edited to `closed`, it is closed")
                .hint(format!("`git wf close {id} -m REASON`")));
        }
        derived => {
            let command = match derived {
                IssueStatus::Queued => "git wf queue add",
                IssueStatus::Executing => "git wf next",
                IssueStatus::Completed => "git wf done",
                _ => "git wf fail",
            };
            return Err(Failure::new(
                "derived-status",
                format!("the status `{derived}` is derived and cannot be set"),
            )
            .hint(format!("`{command}` leads there")));
        }
    };
    if from == to {
        return Ok(());
    }
    if force.why().is_none() {
        moves::permit(id, from, &format!("edit --status {to}"))?;
        if stored == StoredStatus::Planned && folder.issue.record.bound_solution_id.is_none() {
            return Err(Failure::new("not-bound", format!("issue `{id}` has no plan that is bound"))
                .hint(format!("`git wf solution add {id} FILE`, or `git wf bind {id} SOLUTION`")));
        }
    }
    if from == IssueStatus::Executing && stored == StoredStatus::Cancelled {
        work::set_aside(tx, &folder, AsideReason::Release, force.why().as_deref())?;
    }
    tx.edit_issue(id, |issue| {
        if issue.status == StoredStatus::Closed {
            issue.close_reason = None;
        }
        issue.status = stored;
    })?;
    Ok(())
}
