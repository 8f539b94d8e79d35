use std::io::Write;

use clap::builder::PossibleValue;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::store::examples;
use crate::cli::schemas::{self, KINDS, Sort};
use crate::cli::{CliContext, Exit, Outcome};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::{Cell, Column, Table, style};

/// Print the JSON Schema of a record, an input or an answer
///
/// Without KIND, list all of them, with the commands that print each with --json.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The kind of document
    #[arg(value_name = "KIND", value_parser = known(), hide_possible_values = true)]
    kind: Option<String>,
    /// Print an example instead; for `solution`, a complete plan
    #[arg(long, requires = "kind")]
    example: bool,
}

/// One kind of document, as `schema` lists it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct SchemaList {
    /// Its name: what `schema KIND` takes.
    kind: &'static str,
    /// What it is for.
    #[schemars(extend("enum" = ["record", "input", "agent", "answer"]))]
    sort: &'static str,
    /// A one-line description, with the commands that answer in this form.
    about: &'static str,
}

/// An unknown kind is wrong usage, and shells complete the known ones.
fn known() -> Vec<PossibleValue> {
    KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about)).collect()
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    if args.kind.is_some() {
        context.screen.verbatim()?;
    }
    if args.example
        && let Some(name) = args.kind.as_deref()
    {
        let Some(example) = examples::find(name) else {
            return Err(Refusal::new(Code::NotFound, format!("there is no example of `{name}`"))
                .hint(format!("`git wf schema {name}` prints its schema"))
                .into());
        };
        context.screen.print_json(&example)?;
    } else if let Some(kind) = args.kind.as_deref().and_then(schemas::find) {
        context.screen.print_json(&kind.schema())?;
    } else if context.json() {
        let list = KINDS.iter().map(|kind| SchemaList {
            kind: kind.name,
            sort: kind.sort.word(),
            about: kind.about,
        });
        context.screen.print_json(&list.collect::<Vec<_>>())?;
    } else {
        list(context)?;
    }
    Ok(Exit::Done)
}

fn list(context: &mut CliContext) -> std::io::Result<()> {
    for sort in [Sort::Record, Sort::Input, Sort::Agent, Sort::Answer] {
        let heading = context.screen.painter().paint(style::HEADING, sort.heading());
        writeln!(context.screen, "{heading}")?;
        let mut table = Table::new([Column::left(""), Column::flexible("")]);
        for kind in KINDS.iter().filter(|kind| kind.sort == sort) {
            table.row([Cell::new(format!("  {}", kind.name), style::ID), Cell::from(kind.about)]);
        }
        table.print(&mut context.screen)?;
    }
    Ok(())
}
