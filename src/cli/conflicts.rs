use std::io::Write;

use super::{Context, Exit, Failure, Outcome};
use crate::model::redaction::REDACTED;
use crate::store::resolve::{self, ResolveError};
use crate::store::{Store, StoreError, layout, records};
use crate::sync::conflicts::{Conflict, Side, WHOLE, open};
use crate::ui::style;
use crate::ui::text::{clean, clean_line, count};

/// Show and resolve fields that two clones changed differently
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<ConflictCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ConflictCommand {
    /// List unresolved conflicts
    List,
    /// Restore a value that lost
    Take {
        #[command(flatten)]
        which: Which,
        /// Which value, if several lost: 1 is the first that `conflicts` shows for this field
        #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        number: Option<u32>,
    },
    /// Keep the current value
    Keep(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The record: its id, or an unambiguous prefix
    record: String,
    /// The field (default: the only unresolved field of the record)
    field: Option<String>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command.unwrap_or(ConflictCommand::List) {
        ConflictCommand::List => list(context),
        ConflictCommand::Take { which, number } => settle(&which, Some(number), context),
        ConflictCommand::Keep(which) => settle(&which, None, context),
    }
}

fn list(context: &mut Context) -> Outcome {
    let store = context.store()?;
    let conflicts = open(&store)?;
    if context.json() {
        context.screen.print_json(&conflicts)?;
        return Ok(Exit::Done);
    }
    for (n, conflict) in conflicts.iter().enumerate() {
        let of_field = |it: &&Conflict| it.path == conflict.path && it.field == conflict.field;
        let earlier = conflicts[..n].iter().filter(of_field).count();
        let is_only = conflicts.iter().filter(of_field).count() == 1;
        if earlier == 0 {
            let painter = context.screen.painter();
            let record = painter.paint(style::ID, &conflict.record);
            let what = if conflict.field == WHOLE { "the whole record, born twice" } else { &conflict.field };
            writeln!(context.screen, "{record} {}", painter.paint(style::HEADING, &clean_line(what)))?;
            print_side("stands", &conflict.stands, context)?;
        }
        let name = if is_only { "other".to_owned() } else { format!("other {}", earlier + 1) };
        print_side(&name, &conflict.other, context)?;
    }
    if conflicts.is_empty() {
        writeln!(context.screen, "no unresolved conflicts")?;
    } else {
        let open = count(conflicts.len(), "conflict");
        writeln!(context.screen, "{open}; `git wf conflicts take|keep RECORD FIELD` resolves one")?;
    }
    Ok(Exit::Done)
}

fn print_side(name: &str, side: &Side, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let author = side.author.as_deref().unwrap_or("somebody");
    let at = side.at.map(|at| format!(", {at}")).unwrap_or_default();
    let label = painter.paint(style::DIM, &format!("  {name:<7}"));
    writeln!(context.screen, "{label} {}{at}", clean_line(author))?;
    let text = match &side.value {
        serde_json::Value::Null => "(taken away)".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    for line in clean(&text).lines() {
        writeln!(context.screen, "          {line}")?;
    }
    Ok(())
}

/// Takes the other value, or that of this number; without `take` keeps what stands.
fn settle(which: &Which, take: Option<Option<u32>>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let conflict = pick(&store, which, take)?;
    let take = take.is_some();
    let verb = if take { "take" } else { "keep" };
    let chosen = if take { &conflict.other.value } else { &conflict.stands.value };
    let is_hidden = |value: &serde_json::Value| value.as_str() == Some(REDACTED);
    if is_hidden(chosen) || chosen.as_object().is_some_and(|fields| fields.values().any(is_hidden)) {
        // To write it anew would show it again, or put the word for it in its place.
        return Err(Failure::new("redacted", format!("that value of `{}` is redacted", conflict.field))
            .hint("set the field with `git wf edit`; that resolves it too"));
    }
    let committed = context.transact(&store, |tx| {
        let (layout::Form::Doc(schema), _) = layout::form(&conflict.path) else { return Ok(()) };
        let Some(mut doc) = records::doc(tx, schema, &conflict.path)? else { return Ok(()) };
        let frozen = || StoreError::frozen(&conflict.record);
        let side = if take { &conflict.other } else { &conflict.stands };
        if conflict.field == WHOLE {
            let is_changed = take && doc.update(&side.value, tx.stamper()).map_err(frozen())?;
            let first = doc.registers().next().map(str::to_owned);
            // Any write says that somebody has seen both; this one changes nothing else.
            if let Some(first) = first.filter(|_| !is_changed) {
                doc.decide(&first, doc.value(&first).cloned(), tx.stamper()).map_err(frozen())?;
            }
        } else {
            let value = Some(side.value.clone()).filter(|value| !value.is_null());
            doc.decide(&conflict.field, value, tx.stamper()).map_err(frozen())?;
        }
        tx.write_doc(conflict.path.clone(), &doc)?;
        tx.describe("conflicts", format!("conflicts: {verb} {} of {}", conflict.field, conflict.record));
        Ok(())
    })?;
    if context.json() {
        context.screen.print_json(&conflict)?;
    } else if committed.commit.is_some() {
        let what = if take { "restored the other value of" } else { "kept the current value of" };
        let (field, record) = (clean_line(&conflict.field), clean_line(&conflict.record));
        writeln!(context.screen, "{what} `{field}` of {record}")?;
    }
    Ok(Exit::Done)
}

/// The record that is meant: the one of those with a conflict that the text names, else whatever it names.
fn record(store: &Store, which: &Which, conflicts: &[Conflict]) -> Result<String, Failure> {
    let mut ids: Vec<String> = conflicts.iter().map(|it| it.record.clone()).collect();
    ids.sort();
    ids.dedup();
    match resolve::one_of("record", &which.record, ids) {
        Err(ResolveError::NotFound { .. }) => {
            Ok(resolve::any(&store.snapshot()?, &which.record)?.to_string())
        }
        found => Ok(found?),
    }
}

fn pick(store: &Store, which: &Which, take: Option<Option<u32>>) -> Result<Conflict, Failure> {
    let mut fitting = open(store)?;
    let record = record(store, which, &fitting)?;
    fitting.retain(|it| it.record == record);
    fitting.retain(|it| which.field.as_ref().is_none_or(|field| *field == it.field));
    let field = which.field.as_deref().map(|field| format!(", field `{field}`")).unwrap_or_default();
    let Some(first) = fitting.first() else {
        return Err(Failure::new("not-found", format!("`{record}`{field} has no unresolved conflict"))
            .hint("`git wf conflicts` lists the unresolved conflicts"));
    };
    let is_one_field = fitting.iter().all(|it| it.path == first.path && it.field == first.field);
    let number = match take {
        _ if !is_one_field => None,
        // What stands is the same, whatever it stands against.
        None => Some(1),
        Some(None) if fitting.len() == 1 => Some(1),
        Some(number) => number,
    };
    let count = fitting.len();
    match number.map(|number| number as usize) {
        Some(number) if number <= count => Ok(fitting.swap_remove(number - 1)),
        Some(number) => Err(Failure::new(
            "not-found",
            format!("there is no value {number} to take for `{record}`{field}"),
        )
        .hint(format!("there {} {count}", if count == 1 { "is" } else { "are" }))),
        None => {
            let hint =
                if is_one_field { "name the record, the field and the number" } else { "name the field too" };
            Err(Failure::new("ambiguous", format!("more than one conflict fits `{record}`{field}"))
                .details(fitting.iter().enumerate().map(|(n, it)| describe(n, it, is_one_field)).collect())
                .hint(hint))
        }
    }
}

fn describe(n: usize, conflict: &Conflict, numbered: bool) -> String {
    let Conflict { record, field, other, .. } = conflict;
    let author = clean_line(other.author.as_deref().unwrap_or("somebody")).into_owned();
    if numbered { format!("{record} {field} {}  by {author}", n + 1) } else { format!("{record} {field}") }
}
