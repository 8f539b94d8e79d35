use crate::cli::input::editor;
use crate::cli::input::issue_fields::IssueFieldArgs;
use crate::cli::input::issue_text::{self, Sets};
use crate::cli::input::text::TextArgs;
use crate::cli::{CliContext, Failure, Outcome, print, read_text};
use crate::model::{Code, Issue, IssueId};
use crate::ops::issues::{self, IssueView, NewFields, NewIssue};
use crate::ops::{Done, Refusal, Session};
use crate::rules;

/// Create an issue
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The description; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// One line that says what is wrong or wanted (`-`: the first line of stdin; the rest is the description)
    title: Option<String>,
    /// Use this id, such as GH-123, instead of a new one
    #[arg(long, value_name = "ID", value_parser = |text: &str| IssueId::parse(text).map_err(|e| e.to_string()))]
    id: Option<IssueId>,
    /// Start from this template in the editor: one of .wf/templates or .github/ISSUE_TEMPLATE (Markdown, or a form)
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    fields: IssueFieldArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    // Fail without a store before anyone writes a text.
    session.check_store()?;
    let Args { title, id, template, text, fields } = args;
    let fields = fields.read()?;
    let (title, on_stdin) = if title.as_deref() == Some("-") { from_stdin()? } else { (title, None) };
    let description = match (on_stdin, text.flags_text()?) {
        (Some(_), Some(_)) => {
            return Err(Refusal::usage("the description is given twice")
                .hint("put it after the title on stdin, or use `git wf new TITLE -m TEXT`")
                .into());
        }
        (on_stdin, given) => on_stdin.or(given),
    };
    let input = NewIssue { id, title, text: description, fields };
    let is_blank = input.title.is_none() && input.text.is_none() && input.fields.json.is_none();
    let done = if text.edit || template.is_some() || (is_blank && context.screen.can_edit()) {
        written_in_editor(&session, &input, template.as_deref())?
    } else {
        issues::new(&session, input)?
    };
    context.answer(done, |issue, _, screen| print::issues::created(screen, issue))
}

/// The title and the description, as in the editor.
fn from_stdin() -> Result<(Option<String>, Option<String>), Failure> {
    let text = read_text("-")?;
    let (title, rest) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    let [title, rest] = [title.trim(), rest.trim_matches('\n')];
    Ok(((!title.is_empty()).then(|| title.to_owned()), (!rest.is_empty()).then(|| rest.to_owned())))
}

/// The issue as the flags make it; with `json`, only as the JSON does.
fn start(session: &Session, input: &NewIssue, json: bool) -> Result<Issue, Failure> {
    let title = input.title.as_deref().or(input.fields.title()).unwrap_or_default();
    let id = IssueId::parse("new-issue").map_err(Refusal::from)?;
    let mut issue = Issue::new(id, "".into(), session.now()?, title.into());
    let fields = if json {
        NewFields { json: input.fields.json.clone(), ..NewFields::default() }
    } else {
        input.fields.clone()
    };
    issues::preview(session, &fields, &mut issue)?;
    issue.title = title.into();
    if input.text.is_some() {
        issue.context.clone_from(&input.text);
    }
    Ok(issue)
}

fn written_in_editor(
    session: &Session,
    input: &NewIssue,
    template: Option<&str>,
) -> Result<Done<IssueView>, Failure> {
    let (issue, base) = (start(session, input, false)?, Sets::new(&start(session, input, true)?));
    let is_given = !issue.title.is_empty() || input.text.is_some();
    let known = issues::templates(session);
    let names: Vec<&str> = known.iter().map(|(file, _)| issues::template_stem(file)).collect();
    let help = match names.as_slice() {
        [] => issue_text::HELP.to_owned(),
        names => format!("{}\nTemplates (--template NAME): {}", issue_text::HELP, names.join(", ")),
    };
    let written = match template {
        Some(name) => editor::fill_in(session, &issues::template_named(&known, name)?.text, &help)?,
        None if is_given => editor::edit(session, &rules::issue_text::written(&issue), &help)?,
        None => editor::fill_in(session, &rules::issue_text::written(&issue), &help)?,
    };
    written.stored(|text| {
        let text = issue_text::read(&text)?;
        if text.title.is_empty() {
            return Err(Refusal::new(Code::EmptyTitle, "the text is empty, so nothing was created")
                .hint("the first line below the fields is the title"));
        }
        let fields = issue_text::fields(&input.fields, &text, &base);
        let new = NewIssue { id: input.id.clone(), title: Some(text.title), text: Some(text.text), fields };
        issues::new(session, new)
    })
}
