use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::trail::log;
use crate::cli::print::record as record_print;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index::{Index, Needs};
use crate::model::time::Time;
use crate::store::dates::Bound;
use crate::store::{ObjectId, Store};
use crate::sync;
use crate::trail::log::changes;
use crate::trail::moment;
use crate::trail::record_change::{self, RecordChange};
use crate::ui::style;

/// Show how records changed between two states of the store
///
/// A and B are commits of the ref (`git wf log` shows them), `@{2}` (the ref two moves ago), `@~3`, a remote (its
/// state when last fetched), or dates. Without A..B, show what changed since the last sync with the remote of the
/// ref, or in the last commit if there is no remote.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The two states (default for either: the present one)
    #[arg(value_name = "A..B")]
    range: Option<String>,
    /// Limit to this record and what belongs to it
    id: Option<String>,
}

/// What `diff` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoreDiff {
    /// The one state; none before there was a store.
    from: Option<State>,
    /// The other.
    to: State,
    /// The records that differ, by their paths.
    changes: Vec<RecordChange>,
}

/// A state of the store.
#[derive(Debug, Serialize, JsonSchema)]
struct State {
    /// The commit of the ref.
    commit: String,
    /// When it was made.
    at: Time,
    /// As what it was asked for.
    name: String,
}

/// A commit of the ref, and as what it was asked for.
type Named = (ObjectId, String);

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (index, ()) = context.ask(&store, Needs::LOG, |_| Ok(()))?;
    let (range, id) = told_apart(args, &index)?;
    let (from, to) = match range.as_deref() {
        Some(range) => sides(&store, &index, range)?,
        None => since_last_sync(&store, &index)?,
    };
    let snapshot = index.snapshot()?;
    let paths = match &id {
        Some(id) => log::paths(&snapshot, &index.resolve(id)??)?,
        None => Vec::new(),
    };
    let files = changes(&store, &snapshot, from.as_ref().map(|it| it.0), to.0, &paths)?;
    let state = |(commit, name): &Named| -> Result<State, Failure> {
        Ok(State { commit: commit.to_string(), at: store.step(*commit)?.at, name: name.clone() })
    };
    let answer = StoreDiff {
        from: from.as_ref().map(state).transpose()?,
        to: state(&to)?,
        changes: files.iter().filter_map(record_change::of).collect(),
    };
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(Exit::Done)
}

/// One argument is either; two are given in this order, or in the other.
fn told_apart(args: Args, index: &Index<'_>) -> Result<(Option<String>, Option<String>), Failure> {
    match (args.range, args.id) {
        (Some(one), Some(two)) if two.contains("..") && !one.contains("..") => Ok((Some(two), Some(one))),
        (Some(one), None) if !one.contains("..") => match index.resolve(&one)? {
            Ok(_) => Ok((None, Some(one))),
            Err(_) if one.starts_with(char::is_alphabetic) && one.contains('-') && !one.contains(' ') => {
                // It looks like an id; what is wrong with it shows when it is resolved again.
                Ok((None, Some(one)))
            }
            Err(_) => Ok((Some(one), None)),
        },
        both => Ok(both),
    }
}

fn sides(store: &Store, index: &Index<'_>, range: &str) -> Result<(Option<Named>, Named), Failure> {
    let (from, to) = range.split_once("..").unwrap_or((range, ""));
    if to.starts_with('.') || to.contains("..") {
        return Err(Failure::usage(format!("`{range}` is not of the form A..B"))
            .hint("`git wf diff @{1}..`, `git wf diff 2026-11-01..2026-11-15`"));
    }
    let side = |text: &str, bound| -> Result<Option<Named>, Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Some((index.commit(), "now".to_owned())));
        }
        Ok(moment::state(store, index, text, bound)?.map(|commit| (commit, text.to_owned())))
    };
    let from = side(from, Bound::Since)?;
    let to = side(to, Bound::Until)?.ok_or_else(|| {
        Failure::new("not-found", format!("at `{to}` there was no store yet"))
            .hint("`git wf log` shows its first step")
    })?;
    Ok((from, to))
}

fn since_last_sync(store: &Store, index: &Index<'_>) -> Result<(Option<Named>, Named), Failure> {
    let now = (index.commit(), "now".to_owned());
    if let Some(remote) = sync::remote::of_the_ref(store)?
        && let Some(met) = moment::last_met(store, &remote)?
    {
        return Ok((Some((met, format!("the last sync with {remote}"))), now));
    }
    let before = store.parents(now.0)?.first().map(|commit| (*commit, "the step before".to_owned()));
    Ok((before, now))
}

fn print(answer: &StoreDiff, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    for (sign, look, side) in
        [("---", style::BAD, answer.from.as_ref()), ("+++", style::GOOD, Some(&answer.to))]
    {
        let sign = painter.paint(look, sign);
        let Some(side) = side else {
            writeln!(context.screen, "{sign} before there was a store")?;
            continue;
        };
        let short = painter.paint(style::WARN, side.commit.get(..10).unwrap_or(&side.commit));
        let at = side.at.to_string().replace(".000Z", "Z");
        let name = painter.paint(style::DIM, &side.name);
        writeln!(context.screen, "{sign} {short} ({at})  {name}")?;
    }
    if answer.changes.is_empty() {
        writeln!(context.screen, "no difference")?;
    }
    record_print::print(&answer.changes, 0, context)?;
    Ok(())
}
