use crate::cli::input::issue_fields::FieldArgs;
use crate::cli::input::text::{self, TextArgs};
use crate::cli::{Context, Failure, Outcome, print, read_text};
use crate::model::code::Code;
use crate::model::id::IssueId;
use crate::ops::issues::{self, IssueView, New};
use crate::ops::{Done, Session};

/// Create an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// One line that says what is wrong or wanted (`-`: the first line of stdin; the rest is the description)
    title: Option<String>,
    /// Use this id, such as GH-123, instead of a new one
    #[arg(long, value_name = "ID", value_parser = |text: &str| IssueId::parse(text).map_err(|e| e.to_string()))]
    id: Option<IssueId>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    fields: FieldArgs,
}

const HELP: &str = "The first line is the title; the rest is the description, in Markdown.\n\
    An empty text creates nothing.";

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    // Fail without a store before anyone writes a text.
    session.check_store()?;
    let Args { title, id, text, fields } = args;
    let fields = fields.read()?;
    let (title, on_stdin) = if title.as_deref() == Some("-") { from_stdin()? } else { (title, None) };
    let description = match (on_stdin, text.flags_text()?) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("the description is given twice")
                .hint("put it after the title on stdin, or use `git wf new TITLE -m TEXT`"));
        }
        (on_stdin, given) => on_stdin.or(given),
    };
    let input = New { id, title, text: description, fields };
    let is_blank = input.title.is_none() && input.text.is_none() && input.fields.json.is_none();
    let done = if text.edit || (is_blank && context.screen.is_terminal()) {
        written_in_editor(&session, input)?
    } else {
        issues::new(&session, input)?
    };
    context.answer(done, |issue, _, screen| print::issues::created(screen, issue))
}

/// The title and the description, as in the editor.
fn from_stdin() -> Result<(Option<String>, Option<String>), Failure> {
    let text = read_text("-")?;
    let (title, rest) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok((some(title.trim()), some(rest.trim_matches('\n'))))
}

fn written_in_editor(session: &Session, mut input: New) -> Result<Done<IssueView>, Failure> {
    let title = input.title.as_deref().or(input.fields.title()).unwrap_or_default();
    let start = format!("{title}\n\n{}", input.text.as_deref().unwrap_or_default());
    text::edit(session, start.trim(), HELP)?.stored(|text| {
        let (title, rest) = text::title_and_rest(&text);
        if title.is_empty() {
            return Err(Failure::new(Code::EmptyTitle, "the text is empty, so nothing was created")
                .hint("the first line is the title"));
        }
        (input.title, input.text) = (Some(title), Some(rest));
        Ok(issues::new(session, input)?)
    })
}
