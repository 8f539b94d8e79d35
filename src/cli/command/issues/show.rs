use crate::cli::command::issues::list::BriefIssue;
use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::fields::FieldNames;
use crate::ops::issues::{self, IssueView, ShownExecution, ShownRecord};
use crate::ops::plans::SolutionView;
use crate::ops::plans::roadmap::RoadmapView;
use crate::ops::queue::QueueAnswer;
use crate::ops::work::{self, DetailView};
use crate::ops::{Done, Refusal};
use crate::page::{self, terminal};

/// Show an issue, plan, execution, queue, item or roadmap
///
/// An item is shown as its executor needs it: its issue, its plan as claimed, and earlier attempts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or an unambiguous prefix of it or of its last part (default: the item that this worktree executes)
    id: Option<String>,
    /// For an imported issue, also show the source's record as last imported
    #[arg(long, requires = "id")]
    imported: bool,
    /// Print the few fields of an issue that `ccw issue list ID --brief` does, as JSON
    #[arg(long, hide = true, conflicts_with_all = ["imported", "fields", "format"])]
    brief: bool,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let now = session.now()?;
    let FieldArgs { fields, format } = &args.fields;
    let names_it = fields.iter().any(|field| field == "imported")
        || format.as_ref().is_some_and(|format| format.contains("%(imported)"));
    let Some(id) = args.id else {
        let done = work::detail(&session, None)?;
        context.only(args.fields);
        return context.answer(done, |detail, _, screen| print::detail::detail(screen, detail));
    };
    let done = issues::show(&session, &issues::ShowRecord { id, imported: args.imported || names_it })?;
    let done = match done {
        Done { view: ShownRecord::Issue(issue), commit, notices } if args.brief => {
            let done = Done { view: BriefIssue::from(*issue), commit, notices };
            return context.answer(done, |brief, _, screen| screen.print_json(brief));
        }
        done => done,
    };
    check(&done.view, &args.fields.fields)?;
    context.only(args.fields);
    context.answer(done, |record, _, screen| match record {
        ShownRecord::Issue(issue) => terminal::print(screen, &page::issue::page(issue)),
        ShownRecord::Plan(plan) => terminal::print(screen, &page::plan::page(plan)),
        ShownRecord::Execution(execution) => terminal::print(screen, &page::execution::page(execution)),
        ShownRecord::Queue(queue) => print::queue::queue(screen, queue, now.millis()),
        ShownRecord::Item(item) => {
            print::queue::item(screen, &item.item)?;
            print::detail::detail(screen, &item.detail)
        }
        ShownRecord::Roadmap(roadmap) => terminal::print(screen, &page::roadmap::page(roadmap)),
    })
}

/// Refuses fields that this kind of record does not have.
fn check(record: &ShownRecord, fields: &[String]) -> Result<(), Refusal> {
    if fields.is_empty() {
        return Ok(());
    }
    let checked = match record {
        ShownRecord::Issue(_) => FieldNames::parse::<IssueView>(fields),
        ShownRecord::Plan(_) => FieldNames::parse::<SolutionView>(fields),
        ShownRecord::Execution(_) => FieldNames::parse::<ShownExecution>(fields),
        ShownRecord::Queue(_) => FieldNames::parse::<QueueAnswer>(fields),
        ShownRecord::Item(_) => FieldNames::parse::<DetailView>(fields),
        ShownRecord::Roadmap(_) => FieldNames::parse::<RoadmapView>(fields),
    };
    checked.map(drop)
}
