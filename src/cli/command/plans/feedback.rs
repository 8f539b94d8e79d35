use crate::cli::input::fields::FieldArgs;
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::model::{FeedbackType, Stage};
use crate::ops::Refusal;
use crate::ops::plans::{self, AddFeedback};

/// Add feedback on an issue for its next planner, or list it
///
/// With a text, the feedback is added; without one, or with the word `list` before the issue, it is listed: on the issue, or
/// on all issues.
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The feedback; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// The issue
    issue: Option<String>,
    /// The text (`-` for stdin); or use -m, -F FILE, or -e. A failure can be JSON, as for `fail -m`
    text: Option<String>,
    /// The type: failure, clarification or rejection (default: clarification; of a list, all)
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<FeedbackType>,
    /// The stage: new, plan, review or execute (default: by type)
    #[arg(long, value_name = "STAGE")]
    stage: Option<Stage>,
    /// The plan the feedback is about
    #[arg(long, alias = "solution", value_name = "PLAN")]
    plan: Option<String>,
    #[command(flatten)]
    given: TextArgs,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { mut issue, mut text, kind, stage, plan: solution, given, fields } = args;
    // `wisdom list` and `task list` are such commands, too.
    if issue.as_deref() == Some("list") {
        issue = text.take();
    }
    let adds = text.is_some() || given.is_used() || stage.is_some() || solution.is_some();
    if !adds {
        context.only(fields);
        let now = session.now()?.millis();
        let done = plans::feedback(&session, issue.as_deref(), kind)?;
        return context.answer(done, |all, _, screen| print::feedback::table(screen, all, now));
    }
    let Some(issue) = issue else {
        return Err(Refusal::usage("no issue is named for the feedback")
            .hint("`git wf feedback ISSUE TEXT` adds it")
            .into());
    };
    let help = format!("Feedback on {issue}, for its next planner.");
    let written = given.written(text.as_deref(), &session, false, "the feedback", &help)?;
    let kind = kind.unwrap_or(FeedbackType::Clarification);
    let done = written.stored(|text| {
        let (issue, solution) = (issue.clone(), solution.clone());
        plans::add_feedback(&session, &AddFeedback { issue, text, kind, stage, solution })
    })?;
    context.answer(done, |added, _, screen| print::feedback::added(screen, added))
}
