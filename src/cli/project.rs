use std::io::Write;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::text_input::{TextArgs, edit};
use super::{Context, Exit, Failure, Outcome};
use crate::model::root::Project;
use crate::model::schema::Shape;
use crate::model::strict;
use crate::store::{Store, records};
use crate::ui::style;
use crate::ui::text::indent;

/// Show or set what planners are told about the project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<ProjectCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ProjectCommand {
    /// Show both fields
    Show,
    /// Set one of the two fields; JSON is stored as such, an empty string clears it
    Set {
        /// The field
        #[arg(value_enum)]
        field: ProjectField,
        /// The text (`-` for stdin); or use -m or -F FILE
        value: Option<String>,
        #[command(flatten)]
        text: TextArgs,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum ProjectField {
    /// Languages, frameworks, services
    TechStack,
    /// How work is done in this project
    Guidelines,
}

impl ProjectField {
    fn name(self) -> &'static str {
        match self {
            Self::TechStack => "tech_stack",
            Self::Guidelines => "guidelines",
        }
    }

    fn of(self, project: &mut Project) -> &mut Option<Value> {
        match self {
            Self::TechStack => &mut project.tech_stack,
            Self::Guidelines => &mut project.guidelines,
        }
    }
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if let Some(ProjectCommand::Set { field, value, text }) = args.command {
        store.snapshot()?;
        let given = text.given_or(value.as_deref())?;
        let given = match given {
            Some(given) if !text.edit => given,
            None if !text.edit => {
                return Err(Failure::usage("a text is missing").hint("TEXT, -F FILE, or -e for your editor"));
            }
            start => edit(
                &store,
                context,
                &start.unwrap_or_default(),
                "What planners are told about the project.",
            )?,
        };
        set(&store, field, &given, context)?;
    }
    show(&store, context)
}

fn set(store: &Store, field: ProjectField, text: &str, context: &Context) -> Result<(), Failure> {
    let text = text.trim();
    let value = if text.is_empty() { None } else { Some(value_of(text)?) };
    context.transact(store, |tx| {
        tx.edit_root(|root| field.of(&mut root.project).clone_from(&value))?;
        tx.describe("project set", format!("project: set {}", field.name()));
        Ok(())
    })?;
    Ok(())
}

/// Only what cannot be anything else is taken for JSON: a text may well begin with a number or a quote.
fn value_of(text: &str) -> Result<Value, Failure> {
    if !text.starts_with(['{', '[']) || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Ok(Value::String(text.to_owned()));
    }
    match strict::parse(text.as_bytes()) {
        Ok(value) => Ok(Shape::Any.order(value)),
        Err(why) => Err(Failure::new("invalid-json", format!("this JSON cannot be stored: {why}"))
            .hint("put a word in front of it to store it as text")),
    }
}

fn show(store: &Store, context: &mut Context) -> Outcome {
    let mut project = records::root(&store.snapshot()?)?.project;
    if context.json() {
        context.screen.print_json(&project)?;
        return Ok(Exit::Done);
    }
    for field in [ProjectField::TechStack, ProjectField::Guidelines] {
        let heading = context.screen.painter().paint(style::HEADING, field.name());
        let text = match field.of(&mut project) {
            None => "(not set)".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        writeln!(context.screen, "{heading}\n{}", indent(&text, 4))?;
    }
    Ok(Exit::Done)
}
