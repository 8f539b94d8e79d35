use std::io::Write;

use crate::cli::command::store::redact_purge;
use crate::cli::input::text as text_input;
use crate::cli::{Context, Exit, Failure, Force, Outcome};
use crate::model::doc::Doc;
use crate::model::execution::{Event, Failure as ModelFailure, LogEntry};
use crate::model::id::{EntryId, SolutionId};
use crate::model::issue::{Feedback, FeedbackType};
use crate::model::redaction::{self, ALL, Redaction};
use crate::model::review::{Review, Verdict};
use crate::model::schema::Kind;
use crate::model::strict;
use crate::rules::review::rejection_text;
use crate::store::layout::{self, Form, form};
use crate::store::redact::Redactions;
use crate::store::resolve::{self, Known};
use crate::store::{Read, Store, Tx, records};
use crate::ui::style;
use crate::ui::text::clean_line;

/// Hide a value everywhere: it shows as `[redacted]`
///
/// The text stays in the history of the ref, where plain git shows it: everyone who has fetched it has it.
///
/// With --purge the history is rewritten, so that no commit of the ref in this repository holds a hidden value. The remote
/// keeps the old history until the new one is force-pushed, and every other clone until it is purged too; the commands for
/// both are printed. Until then, `sync`, `pull`, `push` and `next` refuse to merge the two. Purge again to take over what
/// others pushed in the meantime and to print the command again; in a clone that fetched the purged history, this keeps
/// what was never published. A server with the hook of `hooks install --server` refuses forced pushes: purge there as well.
///
/// Nothing reaches backups, forks, the caches of a host, or what someone has already read: if you published a password,
/// change it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue, plan, execution, queue or item
    #[arg(required_unless_present = "purge", requires = "field")]
    id: Option<String>,
    /// The field: title, context, tags, plan, …; or comments/ENTRY, feedback/ENTRY, reviews/ENTRY, log/ENTRY
    /// or conflicts/ENTRY, with /FIELD for one field of it
    field: Option<String>,
    /// The reason, recorded in the log
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// The reason, recorded in the log
    #[arg(short = 'm', long, value_name = "TEXT", requires = "field")]
    message: Vec<String>,
    /// Rewrite the history without anything hidden
    #[arg(long)]
    purge: bool,
    /// Do not ask for confirmation
    #[arg(long, requires = "purge")]
    yes: bool,
    #[command(flatten)]
    force: Force,
}

/// What to hide, and why.
struct Request {
    id: String,
    field: String,
    reason: String,
    force: Option<String>,
}

/// The logs beside each record.
const LOGS: &[&str] = &["comments", "feedback", "reviews", "log", "conflicts"];

/// What is to be hidden.
struct Wanted {
    /// The folder with the record.
    folder: String,
    target: String,
    field: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let request = match (args.id, args.field) {
        (Some(id), Some(field)) => {
            let reason = text_input::said(&args.message, args.text.as_deref())?.ok_or_else(|| {
                Failure::usage("a redaction needs a reason").hint("`-m TEXT`, which shows in the log")
            })?;
            Some(Request { id, field, reason, force: args.force.why() })
        }
        _ => None,
    };
    if args.purge {
        store.snapshot()?;
        redact_purge::confirm(&store, args.yes)?;
    }
    if let Some(request) = request {
        let hidden = hide_value(&store, &request, context)?;
        if !args.purge {
            return print(&request, hidden, context);
        }
    }
    redact_purge::run(&store, context)
}

/// Hides it: of what, the entries that were written, and whether any was.
fn hide_value(
    store: &Store,
    request: &Request,
    context: &Context,
) -> Result<(String, Vec<Redaction>, bool), Failure> {
    let reason = &request.reason;
    let committed = context.transact(store, |tx| {
        let (id, wanted) = wanted(tx, request)?;
        let mut made = vec![hide(tx, &wanted, reason)?];
        // The source's own record of an issue holds the same texts once more.
        if wanted.target == "issue.json" && wanted.field != "imported" {
            let imported = Wanted { field: "imported".into(), ..wanted };
            made.extend(if is_there(tx, &imported)? { Some(hide(tx, &imported, reason)?) } else { None });
        } else {
            for copy in copies(tx, &wanted)? {
                made.push(hide(tx, &copy, reason)?);
            }
        }
        tx.note.force.clone_from(&request.force);
        tx.describe(
            "redact",
            format!(
                "redact: {} of {id}",
                made.iter().flatten().map(|it| it.field.as_str()).collect::<Vec<_>>().join(", ")
            ),
        );
        Ok((id, made.into_iter().flatten().collect::<Vec<_>>()))
    })?;
    let (id, made) = committed.answer;
    Ok((id, made, committed.commit.is_some()))
}

fn print(
    request: &Request,
    (id, made, is_new): (String, Vec<Redaction>, bool),
    context: &mut Context,
) -> Outcome {
    if context.json() {
        context.screen.print_json(&made)?;
        return Ok(Exit::Done);
    }
    let shown = context.screen.painter().paint(style::ID, &id);
    let field = clean_line(&request.field);
    if !is_new {
        writeln!(context.screen, "`{field}` of {shown} is already hidden; nothing changed")?;
    } else {
        writeln!(
            context.screen,
            "`{field}` of {shown} now shows as [redacted]; the history keeps it until `git wf redact --purge`"
        )?;
    }
    Ok(Exit::Done)
}

fn wanted(tx: &Tx<'_>, args: &Request) -> Result<(String, Wanted), Failure> {
    let (id, path) = match resolve::any(tx, &args.id)? {
        Known::Issue(id) => (id.to_string(), layout::issue(&id)),
        Known::Solution(id) => (id.to_string(), layout::solution(&id)),
        Known::Execution(id) => (id.to_string(), layout::execution(&id)),
        Known::Queue(id) => (id.to_string(), layout::queue(&id)),
        Known::Item(queue, solution) => (format!("{queue}:{solution}"), layout::item(&queue, &solution)),
    };
    let Some((folder, target)) = layout::redacted_by(&path) else {
        return Err(Failure::new("not-redactable", format!("nothing of `{id}` can be hidden")));
    };
    let in_log = args.field.split_once('/').filter(|(log, _)| LOGS.contains(log));
    let Some((log, rest)) = in_log else {
        return Ok((id, Wanted { folder, target, field: args.field.clone() }));
    };
    let (text, field) = rest.split_once('/').unwrap_or((rest, ALL));
    let entry = entry(tx, &format!("{folder}/{log}"), text, &id)?;
    Ok((id, Wanted { folder, target: format!("{log}/{entry}.json"), field: field.to_owned() }))
}

/// The entry of a log whose name, or whose last part, begins with `text`.
fn entry(tx: &Tx<'_>, folder: &str, text: &str, id: &str) -> Result<EntryId, Failure> {
    let text = text.strip_suffix(".json").unwrap_or(text);
    let names = tx.names(folder)?;
    let all = names.iter().filter_map(|name| EntryId::parse(name.strip_suffix(".json")?).ok());
    let is_meant = |it: &EntryId| {
        let name = it.to_string();
        let uid = name.rsplit('-').next().unwrap_or_default();
        !text.is_empty() && (name.starts_with(text) || uid.starts_with(text))
    };
    let mut fitting: Vec<EntryId> = all.filter(is_meant).collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(Failure::new("not-found", format!("`{id}` has no entry `{text}` there"))
            .hint(format!("`git wf show {id} --json` shows the ids of its entries"))),
        _ => Err(Failure::new("ambiguous-id", format!("`{text}` could be any of several entries of `{id}`"))
            .details(fitting.iter().map(EntryId::to_string).collect())
            .hint("type more of it")),
    }
}

/// Entries that hold the same texts once more: a failure and a rejection are kept with the issue's feedback, too.
fn copies(tx: &Tx<'_>, wanted: &Wanted) -> Result<Vec<Wanted>, Failure> {
    let Some((log, name)) = wanted.target.split_once('/') else { return Ok(vec![]) };
    let issue = wanted.folder.split('/').take(3).collect::<Vec<_>>().join("/");
    let said = |folder: &str, log: &str| said_in(tx, folder, log);
    let Some((_, text)) = said(&wanted.folder, log)?.into_iter().find(|(of, _)| of == name) else {
        return Ok(vec![]);
    };
    let folders = match log {
        "reviews" | "log" => vec![(issue, "feedback")],
        "feedback" => {
            let mut folders = Vec::new();
            for (kind, log) in [("solutions", "reviews"), ("executions", "log")] {
                let records = tx.names(&format!("{issue}/{kind}"))?;
                folders.extend(records.iter().map(|record| (format!("{issue}/{kind}/{record}"), log)));
            }
            folders
        }
        _ => vec![],
    };
    let mut found = Vec::new();
    for (folder, log) in folders {
        for (name, copy) in said(&folder, log)? {
            let target = format!("{log}/{name}");
            if copy == text && has_texts(tx, &folder, &format!("{folder}/{target}"))? {
                found.push(Wanted { folder: folder.clone(), target, field: ALL.to_owned() });
            }
        }
    }
    Ok(found)
}

/// What an entry says that is kept in two places.
#[derive(PartialEq)]
enum Said {
    Rejection(String),
    Failure(ModelFailure),
}

/// What the entries of a log say that is kept in two places, with their file names, as it is stored.
fn said_in(tx: &Tx<'_>, folder: &str, log: &str) -> Result<Vec<(String, Said)>, Failure> {
    let (place, broken) = (format!("{folder}/{log}"), &mut Vec::new());
    let named = |id: &EntryId, said| Some((format!("{id}.json"), said));
    Ok(match log {
        "reviews" => {
            let id = folder.rsplit('/').next().and_then(|id| SolutionId::parse(id).ok());
            let Some(id) = id else { return Ok(vec![]) };
            let all = records::raw_log::<Review>(tx, &place, broken)?;
            let rejected = all.iter().filter(|it| it.verdict == Verdict::Rejected);
            rejected.filter_map(|it| named(&it.id, Said::Rejection(rejection_text(&id, it)))).collect()
        }
        "log" => {
            let all = records::raw_log::<LogEntry>(tx, &place, broken)?;
            let failure = |it: &LogEntry| match &it.event {
                Event::End(end) => named(&it.id, Said::Failure(end.failure.clone()?)),
                _ => None,
            };
            all.iter().filter_map(failure).collect()
        }
        "feedback" => {
            let said = |it: &Feedback| match it.kind {
                FeedbackType::Rejection => named(&it.id, Said::Rejection(it.content.clone())),
                FeedbackType::Failure => named(&it.id, Said::Failure(it.detail.failure())),
                FeedbackType::Clarification => None,
            };
            records::raw_log::<Feedback>(tx, &place, broken)?.iter().filter_map(said).collect()
        }
        _ => vec![],
    })
}

/// Whether there is anything in an entry that can be hidden, and is not yet.
fn has_texts(tx: &Tx<'_>, folder: &str, path: &str) -> Result<bool, Failure> {
    let (Form::Entry(check), id) = form(path) else { return Ok(false) };
    let Some(bytes) = tx.file(path)? else { return Ok(false) };
    let Ok(mut before) = strict::parse(&bytes) else { return Ok(false) };
    Redactions::of(tx, folder)?.entry(path, &mut before);
    let mut after = before.clone();
    redaction::hide(&mut after, ALL, &|value| check(value).is_ok() && layout::bears(value, id.as_deref()));
    Ok(after != before)
}

fn is_there(tx: &Tx<'_>, wanted: &Wanted) -> Result<bool, Failure> {
    let path = format!("{}/{}", wanted.folder, wanted.target);
    let Form::Doc(schema) = form(&path).0 else { return Ok(false) };
    Ok(records::doc(tx, schema, &path)?.is_some_and(|doc| doc.written(&wanted.field).is_some()))
}

/// Writes the entry; none where all of it is hidden already. Something must be hidden by it.
fn hide(tx: &mut Tx<'_>, wanted: &Wanted, reason: &str) -> Result<Option<Redaction>, Failure> {
    let Wanted { folder, target, field } = wanted;
    let path = format!("{folder}/{target}");
    let nothing = |why: &str| {
        Failure::new("not-redactable", format!("`{field}` of `{target}` {why}"))
            .hint("texts can be hidden: title, context, plan, …; ids, times and the names of kinds cannot")
    };
    if target == layout::CLAIM {
        return Err(Failure::new("not-redactable", format!("`{field}` of an execution cannot be hidden"))
            .hint("its id is made of what it says, and its log lies under that id; entries of the log can be hidden: log/ENTRY"));
    }
    let bytes = tx.file(&path)?.ok_or_else(|| nothing("does not exist"))?;
    let stamp = match form(&path).0 {
        Form::Doc(schema) => {
            let doc = Doc::parse(schema, &bytes).map_err(|broken| nothing(&broken.to_string()))?;
            let set = field.split_once('/').and_then(|(name, _)| schema.field(name));
            if set.is_some_and(|field| matches!(field.kind, Kind::Set)) {
                // The redaction itself would show it.
                return Err(nothing("is hidden with its whole set, under the name of the set"));
            }
            doc.written(field).ok_or_else(|| nothing("does not exist"))?
        }
        _ => {
            strict::parse(&bytes).map_err(|why| nothing(&why))?;
            None
        }
    };
    let before = Redactions::of(tx, folder)?;
    if before.has(target, field, stamp.as_ref()) {
        return Ok(None);
    }
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let place = format!("{folder}/{}", layout::REDACTIONS);
    let redaction = tx.append(&place, |id| Redaction {
        id,
        target: target.clone(),
        field: field.clone(),
        stamp,
        reason: reason.to_owned(),
        author,
        created_at,
    })?;
    if Redactions::of(tx, folder)?.text(&path, &bytes) == before.text(&path, &bytes) {
        return Err(nothing("cannot be hidden"));
    }
    Ok(Some(redaction))
}
