use crate::cli::input::fields::FieldArgs;
use crate::cli::print::rows::Rows;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::fields::known;
use crate::ops::trail::{self, LogInput};
use crate::ops::{Done, Notice};
use crate::store::HistoryStep;
use crate::ui::lanes::draw;
use crate::ui::{Strokes, UiSettings};

/// Show the audit log of the store, or of one record
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only commits that changed this record
    id: Option<String>,
    /// Show what each commit changed, field by field
    #[arg(short, long)]
    patch: bool,
    /// Show at most N commits, the newest
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Skip the newest N commits
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Only commits at this time or later: 2026-11-21 (a day in UTC), 2026-11-21T08:00:00Z, "2 weeks ago"
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits at this time or earlier
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only commits whose author, address or WF_ACTOR contains this
    #[arg(long = "author", value_name = "PERSON")]
    authors: Vec<String>,
    /// Only commits of this command; `queue` includes `queue add` and so on
    #[arg(long = "op", value_name = "COMMAND", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    ops: Vec<String>,
    /// Only commits made in this role; `owner` means no role
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    roles: Vec<String>,
    /// One line per commit
    #[arg(long, conflicts_with_all = ["json", "fields", "format"])]
    oneline: bool,
    /// Draw the graph of commits and merges
    #[arg(long, conflicts_with_all = ["json", "patch", "fields", "format"])]
    graph: bool,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { id, patch, limit, offset, since, until, authors, ops, roles, oneline, graph, fields } = args;
    let session = context.session()?;
    let rows = Rows::wanted(&fields, context.json(), known::<HistoryStep>)?;
    let input =
        LogInput { id, with_changes: patch, limit, offset, since, until, authors, operations: ops, roles };
    let Done { view: steps, notices, .. } = trail::log(&session, &input)?;
    context.show_notices(notices);
    let cut = steps.cut().filter(|(shown, _)| *shown > 0).map(|(shown, total)| {
        let next = offset + shown;
        Notice::note(format!("{shown} of {total} commits; `--offset {next}` shows the next ones"))
    });
    context.show_notices(cut);
    if let Some(mut rows) = rows {
        for step in steps {
            rows.add(&step?, &mut context.screen)?;
        }
        rows.end(&mut context.screen)?;
        return Ok(Exit::Done);
    }
    let now = if oneline { None } else { Some(session.now()?.millis()) };
    let drawn = if graph && !UiSettings::get().is_plain {
        draw(&steps.children()?, Strokes::from_env())
    } else {
        Vec::new()
    };
    for (place, step) in steps.enumerate() {
        print::log::step(&mut context.screen, &step?, drawn.get(place), now)?;
    }
    Ok(Exit::Done)
}
