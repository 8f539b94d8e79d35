use std::io::Write;

use crate::cli::input::issue_fields::{FieldArgs, IssueInput, some};
use crate::cli::input::text::{TextArgs, checked, edit, title};
use crate::cli::{Context, Exit, Failure, Outcome, read_text};
use crate::model::id::IssueId;
use crate::model::issue::{Issue, Source};
use crate::model::uid::Uid;
use crate::ops::issues::IssueView;
use crate::rules::{readiness, reply_task};
use crate::store::{Store, Tx, layout, random_uid, records};

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

const HELP: &str = "The first line is the title, what follows is the description in Markdown.\n\
    An empty text registers nothing.";

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    // Whether there is a store is said before anybody writes a text.
    store.snapshot()?;
    let mut input = args.fields.input()?;
    let (mut given_title, on_stdin) = match args.title.as_deref() {
        Some("-") => from_stdin()?,
        title => (title.map(str::to_owned), None),
    };
    given_title = given_title.or_else(|| input.as_ref().and_then(|input| input.title.clone()));
    let mut text = match (on_stdin, args.text.given()?) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("the description is given twice")
                .hint("it follows the title on stdin, or `git wf new TITLE -m TEXT`"));
        }
        (on_stdin, given) => on_stdin.or(given),
    };
    if args.text.edit
        || (given_title.is_none() && text.is_none() && input.is_none() && context.screen.is_terminal())
    {
        (given_title, text) = write_in_editor(&store, context, given_title, text)?;
    }
    let given_title = given_title.ok_or_else(|| {
        Failure::usage("an issue needs a title").hint("`git wf new TITLE`, or -e to write it in your editor")
    })?;
    let title = title(&given_title)?;
    let of_input = |input: &IssueInput| input.id.clone().or_else(|| input.github_id());
    let given_id = args.id.clone().or_else(|| input.as_ref().and_then(of_input));
    let nonce = random_uid()?;
    if let Some(input) = &mut input {
        input.title = None;
        input.locate(|| reply_task::repository(&store.remote_urls()));
    }
    let committed = context.transact(&store, |tx| {
        let id = given_id.clone().unwrap_or_else(|| make_id(tx, &title, &nonce));
        let mut issue = Issue::new(id, tx.person().to_owned(), tx.stamper().now(), title.clone());
        issue.source = Some(Source::Text);
        args.fields.changes(tx)?.over(input.clone()).apply(&mut issue)?;
        if let Some(text) = &text {
            issue.context = some(text.clone());
        }
        register(tx, &issue)?;
        Ok(issue.id)
    })?;
    let id = committed.answer;
    if context.json() {
        let snapshot = store.snapshot()?;
        let folder = records::issue(&snapshot, &id)?;
        context.screen.print_json(&folder.as_ref().map(IssueView::of))?;
    } else if context.screen.is_terminal() {
        writeln!(
            context.screen,
            "registered {}",
            context.screen.painter().paint(crate::ui::style::ID, id.as_str())
        )?;
    } else {
        writeln!(context.screen, "{id}")?;
    }
    Ok(Exit::Done)
}

fn make_id(tx: &Tx<'_>, title: &str, nonce: &Uid) -> IssueId {
    let now = tx.stamper().now();
    let uid = Uid::of(&[
        title.as_bytes(),
        tx.person().as_bytes(),
        now.to_string().as_bytes(),
        nonce.as_str().as_bytes(),
    ]);
    IssueId::made(now, &uid)
}

fn register(tx: &mut Tx<'_>, issue: &Issue) -> Result<(), Failure> {
    if crate::store::Read::file(tx, &layout::issue(&issue.id))?.is_some() {
        return Err(Failure::new("exists", format!("there is an issue `{}` already", issue.id))
            .hint(format!("`git wf show {}` shows it; leave out --id and a new id is made", issue.id)));
    }
    tx.create_issue(issue)?;
    check_dependencies(tx, &issue.id)?;
    tx.describe("new", format!("issue: create {} \"{}\"", issue.id, issue.title));
    Ok(())
}

/// Refuses dependencies on issues that are not here, and cycles.
pub(in crate::cli) fn check_dependencies(tx: &Tx<'_>, id: &IssueId) -> Result<(), Failure> {
    let facts = crate::ops::queue::facts_of(tx, [id.clone()])?;
    for dependency in facts.get(id).into_iter().flat_map(|issue| &issue.depends_on) {
        if !facts.contains_key(dependency) {
            return Err(Failure::new("not-found", format!("there is no issue `{dependency}` to depend on"))
                .hint("create it first; `git wf list --all` lists the issues"));
        }
    }
    if let Some(cycle) = readiness::dependency_cycle(id, &facts) {
        return Err(Failure::new(
            "cycle",
            format!("the issues would depend on each other in a cycle: {cycle}"),
        )
        .hint("leave out one of these dependencies"));
    }
    Ok(())
}

/// The title and what follows it, as they are written in an editor.
fn from_stdin() -> Result<(Option<String>, Option<String>), Failure> {
    let text = read_text("-")?;
    let (title, rest) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    let rest = checked(rest.trim_start_matches('\n'))?;
    Ok((some(title.trim().to_owned()), some(rest)))
}

fn write_in_editor(
    store: &Store,
    context: &Context,
    title: Option<String>,
    text: Option<String>,
) -> Result<(Option<String>, Option<String>), Failure> {
    let start = format!("{}\n\n{}", title.unwrap_or_default(), text.unwrap_or_default());
    let written = edit(store, context, start.trim(), HELP)?;
    let Some((title, text)) =
        written.split_once('\n').or(Some((written.as_str(), ""))).filter(|(t, _)| !t.trim().is_empty())
    else {
        return Err(Failure::new("empty-title", "the text is empty, so nothing was created")
            .hint("the first line is the title"));
    };
    Ok((Some(title.to_owned()), some(text.trim().to_owned())))
}
