use std::io::Write;

use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::model::{Op, RemedyCall};
use crate::ops::store::{self, ProjectField, SetProject, Settings};
use crate::ops::{Done, Refusal, Session};

/// Show or change the settings of the project: its gates, and the context for planners
///
/// The gates are review, commits, evidence and landed; land.onto is the branch on which work lands (`land.onto=` unsets
/// it). The context has the fields tech_stack and guidelines: give a long one with -m or -F, as in `git wf settings
/// guidelines -F CONTRIBUTING.md`. JSON is stored as JSON, and an empty string clears the field.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to set, such as review=required; with -m, -F or -e, the name of one field of the context
    #[arg(value_name = "NAME=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    text: TextArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { settings, text } = args;
    let field = match &settings[..] {
        [one] => context_field(one),
        _ => None,
    };
    let done = match field {
        _ if settings.is_empty() && !text.is_used() => store::settings(&session)?,
        Some((field, value)) => {
            session.check_store()?;
            let help = "The project context for planners.";
            let written = text.written(value.as_deref(), &session, false, field.name(), help)?;
            written.stored(|text| store::set_project(&session, &SetProject { field, text }))?
        }
        None => set_gates(&session, &settings, &text)?,
    };
    let is_set = !settings.is_empty();
    context.answer(done, |settings, is_changed, screen| {
        if is_set && !is_changed {
            writeln!(screen, "these settings already have these values; nothing changed")?;
        }
        print::store::settings(screen, settings)
    })
}

fn set_gates(session: &Session, settings: &[String], text: &TextArgs) -> Result<Done<Settings>, Refusal> {
    if text.is_used() {
        return Err(Refusal::usage(
            "only one field of the project context takes a text: tech_stack or guidelines",
        )
        .remedy(RemedyCall::new(Op::Settings, ["guidelines"]).option("message", "TEXT"), "sets it"));
    }
    if let Some((field, _)) = settings.iter().find_map(|setting| context_field(setting)) {
        return Err(Refusal::usage(format!("`{}` cannot be set together with others", field.name()))
            .hint("set it in a command of its own"));
    }
    store::set_policy(session, settings)
}

/// The field of the project context that `NAME` or `NAME=VALUE` names, and the value.
fn context_field(setting: &str) -> Option<(ProjectField, Option<String>)> {
    let (name, value) = match setting.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (setting, None),
    };
    let field = ProjectField::ALL.into_iter().find(|field| field.name() == name)?;
    Some((field, value))
}
