use crate::cli::input::chosen::WhereArgs;
use crate::cli::input::editor;
use crate::cli::input::issue_fields::IssueFieldArgs;
use crate::cli::input::issue_text::{self, FirstShown, Sets};
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Failure, Force, Outcome, print};
use crate::model::{Code, StatusChange, StoredStatus};
use crate::ops::Refusal;
use crate::ops::issues::{self, Edit, Many, NewFields, SeenFields};

/// Edit an issue
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("A new description; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// The issue: its id, or an unambiguous prefix of the id or of its last part
    #[arg(required_unless_present = "query", conflicts_with = "query")]
    id: Option<String>,
    #[command(flatten)]
    chosen: WhereArgs,
    /// A new title
    #[arg(long, value_name = "TITLE")]
    #[arg(conflicts_with = "query")]
    title: Option<String>,
    /// The status: registered, planning, planned, paused or cancelled (`git wf close` closes an issue)
    #[arg(short, long, value_name = "STATUS", value_parser = parse_status)]
    status: Option<StatusChange>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    fields: IssueFieldArgs,
    #[command(flatten)]
    force: Force,
}

fn parse_status(text: &str) -> Result<StatusChange, String> {
    StatusChange::parse(text).ok_or_else(|| format!("expected one of {}", StoredStatus::words()))
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { id, chosen, title, status, text: given, fields, force } = args;
    let (fields, text) = (fields.read()?, given.flags_text()?);
    let Some(id) = id else {
        if text.is_some() || given.edit {
            return Err(Refusal::usage("--where sets fields and the status, not texts")
                .hint("`git wf edit ISSUE -m TEXT` changes the text of one issue")
                .into());
        }
        let change = Many::Edit { fields, status, force: force.why() };
        return chosen.change(change, "changed", context);
    };
    let seen = SeenFields::default();
    let input = Edit { issue: id, title, text, status, fields, seen, force: force.why() };
    let done = if given.edit {
        let stored = issues::stored(&session, &input.issue)?;
        let (mut base, mut seen) = (stored.clone(), SeenFields::new(&stored));
        let json = NewFields { json: input.fields.json.clone(), ..NewFields::default() };
        issues::preview(&session, &json, &mut base)?;
        let mut shown = base.clone();
        issues::preview(&session, &input.fields, &mut shown)?;
        if let Some(title) = input.title.as_deref().or(input.fields.title()) {
            title.clone_into(&mut shown.title);
        }
        if input.text.is_some() {
            shown.context.clone_from(&input.text);
        }
        let start = crate::rules::issue_text::written(&shown);
        let first = FirstShown::new(&[&stored, &shown]);
        editor::edit(&session, &start, issue_text::HELP)?.stored(|text| {
            let (title, text, written) = first.changed(issue_text::read(&text)?);
            let fields = issue_text::fields(&input.fields, &written, &Sets::new(&base));
            let edit = Edit { title, text, fields, seen: seen.clone(), ..input.clone() };
            if edit.is_empty() {
                return Ok(issues::unedited(&session, &input.issue)?);
            }
            let edited = issues::edit(&session, edit);
            if let Err(Refusal { code: Code::ChangedMeanwhile, field: Some(field), .. }) = &edited {
                // The user has now been told, and saves with that in mind the next time. Of the other fields, they have still
                // seen only what the editor showed first.
                seen.look_again(field, &issues::stored(&session, &input.issue)?);
            }
            Ok::<_, Failure>(edited?)
        })?
    } else {
        issues::edit(&session, input)?
    };
    context
        .answer(done, |view, is_changed, screen| print::issues::changed(screen, view, is_changed, "changed"))
}
