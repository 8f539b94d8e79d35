use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::{Context, Exit, Outcome};
use crate::model::root::Policy;
use crate::rules::policy::{GATES, parse, set, value};
use crate::store::{Store, records};
use crate::ui::{Cell, Column, Table, style};

/// Show or set the gates of the project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PolicyCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum PolicyCommand {
    /// Show the value of every gate
    Show,
    /// Set gates, such as review=required
    Set {
        /// GATE=VALUE
        #[arg(required = true, value_name = "GATE=VALUE")]
        settings: Vec<String>,
    },
}

/// What `policy` answers: each gate by its name, and what it is set to.
#[derive(Debug)]
pub(super) struct Gates;

impl Gates {
    fn of(policy: &Policy) -> Map<String, Value> {
        GATES.iter().map(|gate| (gate.name.to_owned(), value(policy, gate).into())).collect()
    }
}

impl JsonSchema for Gates {
    fn schema_name() -> Cow<'static, str> {
        "Gates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let gates = GATES.iter().map(|gate| {
            let [open, .., closed] = gate.values else { return (gate.name, Value::Bool(true)) };
            let about = format!("`{open}` unless set; `{closed}`: {}", gate.about);
            (gate.name, serde_json::json!({"description": about, "type": "string", "enum": gate.values}))
        });
        let gates: Map<String, Value> = gates.map(|(name, schema)| (name.to_owned(), schema)).collect();
        let names: Vec<&str> = GATES.iter().map(|gate| gate.name).collect();
        json_schema!({"type": "object", "properties": gates, "required": names})
    }
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
        context.screen.print_json(&Gates::of(&root.policy))?;
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
