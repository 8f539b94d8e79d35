use super::{Context, Exit, Outcome};
use crate::rules::policy::{GATES, parse, set, value};
use crate::store::{Store, records};
use crate::ui::{Cell, Column, Table, style};

/// Show and set the gates of the project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PolicyCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum PolicyCommand {
    /// Show how each gate is set
    Show,
    /// Set gates, such as review=required
    Set {
        /// GATE=VALUE
        #[arg(required = true, value_name = "GATE=VALUE")]
        settings: Vec<String>,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if let Some(PolicyCommand::Set { settings }) = &args.command {
        let mut parsed = Vec::new();
        for setting in settings {
            parsed.push(parse(setting)?);
        }
        context.transact(&store, |tx| {
            tx.edit_root(|root| parsed.iter().for_each(|(gate, value)| set(&mut root.policy, gate, value)))?;
            let named: Vec<String> =
                parsed.iter().map(|(gate, value)| format!("{}={value}", gate.name)).collect();
            tx.describe("policy set", format!("policy: set {}", named.join(", ")));
            Ok(())
        })?;
    }
    show(&store, context)
}

fn show(store: &Store, context: &mut Context) -> Outcome {
    let root = records::root(&store.snapshot()?)?;
    if context.json() {
        let all = GATES.iter().map(|gate| (gate.name.to_owned(), value(&root.policy, gate).into()));
        context.screen.print_json(&all.collect::<serde_json::Map<String, serde_json::Value>>())?;
        return Ok(Exit::Done);
    }
    let mut table =
        Table::new([Column::left("GATE"), Column::left("SET TO"), Column::flexible("REQUIRED MEANS")]);
    for gate in GATES {
        let value = value(&root.policy, gate);
        let look = if value == gate.values[0] { style::PLAIN } else { style::WARN };
        table.row([Cell::new(gate.name, style::ID), Cell::new(value, look), Cell::from(gate.about)]);
    }
    table.print(&mut context.screen)?;
    Ok(Exit::Done)
}
