use std::io::Write;

use crate::cli::print::json_array::JsonArray;
use crate::cli::print::record as record_print;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index::Needs;
use crate::model::id::SolutionId;
use crate::rules::roles;
use crate::store::dates::Bound;
use crate::store::history::Step;
use crate::store::resolve::Known;
use crate::store::{Read, Store, layout, records};
use crate::trail::log::{Log, Wanted};
use crate::trail::record_change::{self, RecordChange};
use crate::ui::lanes::{Drawn, Strokes, draw};
use crate::ui::text::{clean_line, width};
use crate::ui::{self, style};

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
    /// Only commits at this time or later: 2026-11-21, 2026-11-21T08:00:00Z, "2 weeks ago"
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits at this time or earlier
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only commits whose author, address or WF_ACTOR contains this
    #[arg(long = "author", value_name = "WHO")]
    authors: Vec<String>,
    /// Only commits of this command; `queue` includes `queue add` and so on
    #[arg(long = "op", value_name = "COMMAND", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    ops: Vec<String>,
    /// Only commits made in this role; `owner` stands for none
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    roles: Vec<String>,
    /// One line per commit
    #[arg(long, conflicts_with = "json")]
    oneline: bool,
    /// Draw the graph of commits and merges
    #[arg(long, conflicts_with_all = ["json", "patch"])]
    graph: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let wanted = wanted(&store, &args)?;
    warn_of_unknown(&args, context);
    let (index, known) = context
        .ask(&store, Needs::LOG, |index| args.id.as_deref().map(|id| index.resolve(id)).transpose())?;
    let known = known.transpose()?;
    let paths = match (&known, args.patch) {
        (_, false) => None,
        (None, true) => Some(Vec::new()),
        (Some(known), true) => Some(paths(&index.snapshot()?, known)?),
    };
    let mut log = Log::of(&store, index)?;
    let steps = log.find(known.as_ref().map(thing).as_deref(), &wanted, args.limit)?;
    if context.json() {
        let mut array = JsonArray::default();
        for n in steps {
            array.value(&log.step(n, paths.as_deref())?, &mut context.screen)?;
        }
        array.end(&mut context.screen)?;
        return Ok(Exit::Done);
    }
    let now = store.now()?.millis();
    let drawn = if args.graph { draw(&log.children(&steps)?, Strokes::from_env()) } else { Vec::new() };
    for (place, n) in steps.into_iter().enumerate() {
        let step = log.step(n, paths.as_deref())?;
        let lines = if args.oneline { vec![first_line(&step, context)] } else { lines(&step, now, context) };
        beside(drawn.get(place), &lines, context)?;
        let changes: Vec<RecordChange> = step.changes.iter().filter_map(record_change::of).collect();
        record_print::print(&changes, 4, context)?;
        if !changes.is_empty() && !args.oneline {
            writeln!(context.screen)?;
        }
    }
    Ok(Exit::Done)
}

/// A filter that nothing can pass is more likely misspelt than meant; another program may still have left such steps.
fn warn_of_unknown(args: &Args, context: &Context) {
    for op in args.ops.iter().filter(|op| !roles::is_operation(op)) {
        context.warn(&format!("`--op {op}`: no command here leaves steps of that name"));
    }
    for role in args.roles.iter().filter(|role| roles::names().all(|name| name != role.as_str())) {
        let known: Vec<&str> = roles::names().collect();
        context.warn(&format!("`--role {role}`: the roles are {}", known.join(", ")));
    }
}

fn wanted(store: &Store, args: &Args) -> Result<Wanted, Failure> {
    let moment = |text: &Option<String>, bound, name: &str| -> Result<_, Failure> {
        let Some(text) = text else { return Ok(None) };
        store.moment(text, bound)?.map(Some).ok_or_else(|| {
            Failure::usage(format!("`--{name} {text}` is not a date"))
                .hint("a date is 2026-11-21, 2026-11-21T08:00:00Z, yesterday or \"2 weeks ago\"")
        })
    };
    Ok(Wanted {
        since: moment(&args.since, Bound::Since, "since")?,
        until: moment(&args.until, Bound::Until, "until")?,
        authors: args.authors.clone(),
        ops: args.ops.clone(),
        roles: args.roles.clone(),
    })
}

/// Under which name the log knows it.
fn thing(known: &Known) -> String {
    match known {
        Known::Issue(id) => id.to_string(),
        Known::Solution(id) => id.to_string(),
        Known::Execution(id) => id.to_string(),
        Known::Queue(id) => id.to_string(),
        Known::Item(queue, solution) => format!("{queue}:{solution}"),
    }
}

/// Where the records of a thing lie: an issue is its folder and its items, wherever they are queued.
pub(in crate::cli) fn paths(read: &impl Read, known: &Known) -> Result<Vec<String>, Failure> {
    let items = |solutions: &[SolutionId]| -> Result<Vec<String>, Failure> {
        let queues = records::queue_ids(read)?;
        Ok(queues.iter().flat_map(|queue| solutions.iter().map(|id| layout::item(queue, id))).collect())
    };
    let parent = |path: String| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    Ok(match known {
        Known::Issue(id) => {
            let mut paths = vec![layout::issue_folder(id)];
            paths.extend(items(&records::solution_ids(read, id)?)?);
            paths
        }
        Known::Solution(id) => {
            let mut paths = vec![parent(layout::solution(id))];
            paths.extend(items(std::slice::from_ref(id))?);
            paths
        }
        Known::Execution(id) => vec![parent(layout::execution(id))],
        Known::Queue(id) => vec![parent(layout::queue(id))],
        Known::Item(queue, solution) => vec![layout::item(queue, solution)],
    })
}

fn first_line(step: &Step, context: &Context) -> String {
    let short = step.commit.get(..10).unwrap_or(&step.commit);
    format!("{} {}", context.screen.painter().paint(style::WARN, short), clean_line(&step.subject))
}

/// What is said of a step, beginning with the line that is always there.
fn lines(step: &Step, now: i64, context: &Context) -> Vec<String> {
    let painter = context.screen.painter();
    let mut who = step.author.clone();
    if let Some(actor) = &step.actor {
        who.push_str(&format!(" ({actor})"));
    }
    if let Some(role) = &step.role {
        who.push_str(&format!(" as {role}"));
    }
    // git keeps whole seconds, so no digits are shown behind them.
    let at = step.at.to_string().replace(".000Z", "Z");
    let line = format!("           {who}, {} ({at})", ui::time::ago(now, step.at.millis()));
    let mut lines = vec![first_line(step, context), painter.paint(style::DIM, &line)];
    if let Some(reason) = &step.force {
        lines.push(painter.paint(style::BAD, &format!("           forced: {reason}")));
    }
    lines
}

/// Writes the lines of one step, with its part of the graph in front of each.
fn beside(drawn: Option<&Drawn>, lines: &[String], context: &mut Context) -> Result<(), Failure> {
    let Some(drawn) = drawn else {
        return Ok(lines.iter().try_for_each(|line| writeln!(context.screen, "{line}"))?);
    };
    let painter = context.screen.painter();
    if let Some(link) = &drawn.link {
        writeln!(context.screen, "{}", painter.paint(style::DIM, link))?;
    }
    let room = width(&drawn.left) + 1 + width(&drawn.right);
    let room = room.max(width(&drawn.below));
    for (n, line) in lines.iter().enumerate() {
        let (text, used) = match n {
            0 => {
                let (left, right) =
                    (painter.paint(style::DIM, &drawn.left), painter.paint(style::DIM, &drawn.right));
                (format!("{left}*{right}"), width(&drawn.left) + 1 + width(&drawn.right))
            }
            _ => (painter.paint(style::DIM, &drawn.below), width(&drawn.below)),
        };
        writeln!(context.screen, "{text}{:pad$} {line}", "", pad = room - used)?;
    }
    Ok(())
}
