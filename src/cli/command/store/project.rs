use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::store::{self, ProjectField, SetProject};

/// Show or set the project context for planners
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<ProjectCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ProjectCommand {
    /// Show the project context for planners
    Show,
    /// Set a field of the project context; JSON is stored as JSON, an empty string clears the field
    Set {
        /// The field
        #[arg(value_enum)]
        field: Field,
        /// The text (`-` for stdin); or use -m or -F FILE
        value: Option<String>,
        #[command(flatten)]
        text: TextArgs,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Field {
    /// Languages, frameworks, services
    TechStack,
    /// How work is done in this project
    Guidelines,
}

impl From<Field> for ProjectField {
    fn from(field: Field) -> Self {
        match field {
            Field::TechStack => Self::TechStack,
            Field::Guidelines => Self::Guidelines,
        }
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Some(ProjectCommand::Set { field, value, text }) = args.command else {
        let done = store::project(&session)?;
        return context.answer(done, |project, _, screen| print::store::project(screen, project));
    };
    session.check_store()?;
    let help = "The project context for planners.";
    let written = text.written(value.as_deref(), &session, false, "the field", help)?;
    let done =
        written.stored(|text| store::set_project(&session, &SetProject { field: field.into(), text }))?;
    context.answer(done, |project, _, screen| print::store::project(screen, project))
}
