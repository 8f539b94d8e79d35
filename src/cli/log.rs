use std::io::Write;

use similar::{ChangeTag, TextDiff};

use super::json_array::JsonArray;
use super::{Context, Exit, Failure, Outcome};
use crate::index::{Index, IndexError, Needs};
use crate::model::id::SolutionId;
use crate::store::history::{FileChange, Step};
use crate::store::resolve::{Known, ResolveError};
use crate::store::{Read, layout, records};
use crate::trail::log::Log;
use crate::ui::text::clean_line;
use crate::ui::{self, style};

/// Show the audit log: every step, who and when; of one record, or of the whole store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only steps of this record
    id: Option<String>,
    /// Show what each step changed
    #[arg(short, long)]
    patch: bool,
    /// At most so many, the newest
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (index, found) = context.ask(&store, Needs::LOG, |index| find(index, &args))?;
    let (known, steps) = found?;
    let paths = match (&known, args.patch) {
        (_, false) => None,
        (None, true) => Some(Vec::new()),
        (Some(known), true) => Some(paths(&index.snapshot()?, known)?),
    };
    let mut log = Log::of(&store, index)?;
    if context.json() {
        let mut array = JsonArray::default();
        for n in steps {
            array.value(&log.step(n, paths.as_deref())?, &mut context.screen)?;
        }
        array.end(&mut context.screen)?;
        return Ok(Exit::Done);
    }
    let now = store.now()?.millis();
    for n in steps {
        print(&log.step(n, paths.as_deref())?, now, context)?;
    }
    Ok(Exit::Done)
}

/// What is asked for, and the numbers of its steps.
type Found = (Option<Known>, Vec<i64>);

fn find(index: &Index<'_>, args: &Args) -> Result<Result<Found, ResolveError>, IndexError> {
    let known = match &args.id {
        None => None,
        Some(text) => match index.resolve(text)? {
            Ok(known) => Some(known),
            Err(error) => return Ok(Err(error)),
        },
    };
    let steps = index.steps(known.as_ref().map(thing).as_deref(), args.limit)?;
    Ok(Ok((known, steps)))
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
fn paths(read: &impl Read, known: &Known) -> Result<Vec<String>, Failure> {
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

fn print(step: &Step, now: i64, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let short = step.commit.get(..10).unwrap_or(&step.commit);
    writeln!(context.screen, "{} {}", painter.paint(style::WARN, short), clean_line(&step.subject))?;
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
    writeln!(context.screen, "{}", painter.paint(style::DIM, &line))?;
    if let Some(reason) = &step.force {
        let line = format!("           forced: {reason}");
        writeln!(context.screen, "{}", painter.paint(style::BAD, &line))?;
    }
    for change in &step.changes {
        print_change(change, context)?;
    }
    Ok(())
}

fn print_change(change: &FileChange, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    writeln!(context.screen, "    {}", painter.paint(style::HEADING, &change.path))?;
    let diff = TextDiff::from_lines(before, after);
    for group in diff.grouped_ops(2) {
        for op in group {
            for line in diff.iter_changes(&op) {
                let (sign, look) = match line.tag() {
                    ChangeTag::Delete => ('-', style::BAD),
                    ChangeTag::Insert => ('+', style::GOOD),
                    ChangeTag::Equal => (' ', style::PLAIN),
                };
                let text = format!("    {sign}{}", line.value().trim_end_matches('\n'));
                writeln!(context.screen, "{}", painter.paint(look, &text))?;
            }
        }
    }
    writeln!(context.screen)?;
    Ok(())
}
