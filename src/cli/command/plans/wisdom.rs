use crate::cli::input::fields::FieldArgs;
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::model::WisdomType;
use crate::ops::plans::{self, AddWisdom, WisdomFilter};

/// List, search and record what the team has learned: learnings, decisions, conventions, open questions
///
/// Without a command, it lists what was learned, newest first, or what contains all the given words.
///
/// `git wf context` gives it to explorers, planners, reviewers and executors: entries from the same issue, or with
/// one of its tags or components, come first. Among these, and among the rest, an executor gets conventions first and
/// a reviewer decisions; otherwise the newest come first.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<WisdomCommand>,
    /// The words to search for in texts and tags, ignoring case; all must match
    words: Vec<String>,
    /// Only questions that nobody has answered
    #[arg(long)]
    open: bool,
    /// Only this type: learning, decision, convention or question
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<WisdomType>,
    /// Only entries with this tag
    #[arg(short, long, value_name = "TAG")]
    tag: Option<String>,
    /// Only entries that come from this issue
    #[arg(long, value_name = "ISSUE")]
    issue: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
}

#[derive(Debug, clap::Subcommand)]
enum WisdomCommand {
    /// Add a piece of wisdom
    Add {
        /// The text (`-` for stdin); or use -m, -F FILE, or -e
        text: Option<String>,
        /// The type: learning, decision, convention or question
        #[arg(long = "type", value_name = "TYPE", default_value = "learning")]
        kind: WisdomType,
        /// A tag; repeat for more
        #[arg(short, long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// The issue it comes from
        #[arg(long, value_name = "ISSUE")]
        issue: Option<String>,
        /// The run in which it was learned
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        #[command(flatten)]
        given: TextArgs,
    },
    /// Answer an open question, which closes it
    ///
    /// The answer takes the place of the question for agents, so it should be understandable by itself. `git wf wisdom
    /// --open` shows the questions.
    Answer {
        /// The question: its id, or an unambiguous prefix of it
        question: String,
        /// The text (`-` for stdin); or use -m, -F FILE, or -e
        text: Option<String>,
        /// The type: learning, decision or convention
        #[arg(long = "type", value_name = "TYPE", default_value = "decision")]
        kind: WisdomType,
        /// A tag; repeat for more
        #[arg(short, long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        #[command(flatten)]
        given: TextArgs,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { command, words, open, kind, tag, issue, fields } = args;
    match command {
        Some(WisdomCommand::Add { text, kind, tags, issue, run, given }) => {
            let help = format!("A {kind}, for everyone who works here.");
            let written = given.written(text.as_deref(), &session, false, "the entry", &help)?;
            let done = written.stored(|text| {
                let (tags, issue, run) = (tags.clone(), issue.clone(), run.clone());
                plans::add_wisdom(&session, &AddWisdom { kind, text, tags, issue, run, answers: None })
            })?;
            context.answer(done, |added, _, screen| print::wisdom::added(screen, added))
        }
        Some(WisdomCommand::Answer { question, text, kind, tags, given }) => {
            let help = "The answer, for everyone who works here.";
            let written = given.written(text.as_deref(), &session, false, "the entry", help)?;
            let answers = Some(question);
            let done = written.stored(|text| {
                let (tags, answers) = (tags.clone(), answers.clone());
                plans::add_wisdom(&session, &AddWisdom { kind, text, tags, issue: None, run: None, answers })
            })?;
            context.answer(done, |added, _, screen| print::wisdom::added(screen, added))
        }
        None => {
            context.only(fields);
            let now = session.now()?.millis();
            let done = plans::list_wisdom(&session, &WisdomFilter { kind, tag, issue, open, words })?;
            context.answer(done, |all, _, screen| print::wisdom::table(screen, all, now))
        }
    }
}
