//! Hiding a value everywhere.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::copies::{copies, versions};
use crate::model::redaction::{ALL, ISSUE_FILE, SOURCE_RECORD, field_of_part, holds_hidden, issue_of_part};
use crate::model::{
    Code, Doc, EpochStamp, FieldKind, ISSUE, IssueId, Op, Other, REDACTED, ROADMAP, Redaction, RemedyCall,
    RoadmapId, strict,
};
use crate::ops::entries::entry;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{Status, roadmap};
use crate::store::layout::{self, form};
use crate::store::{
    Form, KnownRecord, Location, LogKind, Owner, ReadState, Redactions, StoreError, Tx, records, resolve,
};

/// What to hide, and why.
#[derive(Debug)]
pub(crate) struct Redact {
    /// The issue, plan, execution, queue or item.
    pub(crate) id: String,
    /// The field; or `comments/ENTRY` and the like, with `/FIELD` for one field of the entry.
    pub(crate) field: String,
    /// Whether the other versions of a comment are hidden, too.
    pub(crate) all_versions: bool,
    /// The reason; it is shown in the log.
    pub(crate) reason: String,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// The logs in the directory of a record.
const LOGS: &[&str] = &["comments", "feedback", "explorations", "reviews", "log", "conflicts"];

/// A value to hide.
pub(super) struct HideValue {
    /// The directory of the record.
    pub(super) folder: String,
    pub(super) target: String,
    pub(super) field: String,
}

impl HideValue {
    /// The record or entry that has it.
    pub(super) fn place(&self) -> Option<Location> {
        Location::parse(&format!("{}/{}", self.folder, self.target))
    }
}

/// What was hidden.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Redacted {
    /// The entries written.
    pub(crate) entries: Vec<Redaction>,
    /// The whole id of what holds the value.
    #[serde(skip)]
    pub(crate) id: String,
}

/// Hides a value, and its copies elsewhere in the issue. The history still contains the value. An imported issue no
/// longer follows its source from then on: the record of the source has the same texts, and a later one would bring them
/// back.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `not-redactable`; usage if the versions of something else than a comment are meant.
pub(crate) fn redact(session: &Session, input: &Redact) -> Answer<Redacted> {
    let permit = session.permit(Op::Redact)?;
    let reason = &input.reason;
    let mut notices = Vec::new();
    let committed = session.transact(permit, |tx| {
        notices.clear();
        let (id, wanted) = wanted(tx, input)?;
        let ready = ready_roadmaps(tx)?;
        let mut made = vec![hide(tx, &wanted, reason)?];
        for copy in copies(tx, &wanted)? {
            made.push(hide(tx, &copy, reason)?);
        }
        let versions = versions(tx, &wanted)?;
        if input.all_versions && !matches!(wanted.place(), Some(Location::Entry(LogKind::Comments(_), _))) {
            return Err(
                Refusal::usage("only a comment has other versions").hint("name one of them: comments/ENTRY")
            );
        }
        if input.all_versions {
            for version in &versions {
                made.push(hide(tx, version, reason)?);
            }
            notices.push(Notice::note(
                "a version of this comment that another clone has not shared yet stays readable: \
                 repeat the command after the next sync",
            ));
        } else {
            notices.extend(still_readable(&id, &input.field, &versions));
        }
        if let Some(issue) = wanted.place().and_then(|place| place.issue()) {
            for part in parts_of_roadmaps(tx, &issue)? {
                made.push(hide(tx, &part, reason)?);
            }
            if let Some((of_source, notice)) = hide_source(tx, &issue, reason)? {
                made.push(Some(of_source));
                notices.push(notice);
            }
        }
        notices.extend(also_in_issue(tx, &wanted)?);
        let still_ready = ready_roadmaps(tx)?;
        notices.extend(ready.difference(&still_ready).map(no_longer_approved));
        tx.note.force.clone_from(&input.force);
        let fields: Vec<&str> = made.iter().flatten().map(|hidden| hidden.field.as_str()).collect();
        tx.describe(format!("redact: {} of {id}", fields.join(", ")));
        Ok(Redacted { entries: made.into_iter().flatten().collect(), id })
    })?;
    session.notice_all(notices);
    Ok(session.done(committed.answer, committed.commit))
}

/// A notice on the other versions of a comment, of which only the named one is hidden; `None` without any.
fn still_readable(id: &str, field: &str, versions: &[HideValue]) -> Option<Notice> {
    let (one, many) = ("another version of this comment is", "other versions of this comment are");
    let which = match versions.len() {
        0 => return None,
        1 => one.to_owned(),
        count => format!("{count} {many}"),
    };
    let names = versions.iter().map(|version| format!("`{}`", version.target.trim_end_matches(".json")));
    let names = names.collect::<Vec<_>>().join(", ");
    let call = RemedyCall::new(Op::Redact, [id, field]).flag("all-versions").option("message", "TEXT");
    Some(Notice::warning(format!("{which} still readable: {names}")).remedy(call, "hides every version"))
}

/// Hides the record of the source of an issue, whatever it is and will be; `None` if the issue was not imported, or if it is
/// hidden. If the issue cannot be read, nobody can tell whether it was imported: then it is hidden, too.
fn hide_source(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    reason: &str,
) -> Result<Option<(Redaction, Notice)>, Refusal> {
    let parted = "every import leaves it as it is, and its record there is hidden";
    let (stamp, said) = match records::doc(tx, &ISSUE, &layout::issue(issue)) {
        Ok(Some(doc)) if doc.value(SOURCE_RECORD).is_some() => {
            (doc.last_stamp(SOURCE_RECORD), format!("`{issue}` no longer follows its source: {parted}"))
        }
        Ok(_) => return Ok(None),
        Err(StoreError::Broken { .. }) => (
            None,
            format!(
                "`{issue}` cannot be read; if it was imported, it no longer follows its source: {parted}"
            ),
        ),
        Err(error) => return Err(error.into()),
    };
    let folder = layout::issue_folder(issue);
    if Redactions::load(tx, &folder)?.hides_source() {
        return Ok(None);
    }
    let wanted = HideValue { folder, target: ISSUE_FILE.into(), field: SOURCE_RECORD.into() };
    Ok(Some((written(tx, &wanted, stamp, reason)?, Notice::warning(said))))
}

/// A notice if the issue that was made of a hidden layer or task still shows the same texts.
fn also_in_issue(tx: &Tx<'_>, wanted: &HideValue) -> Result<Option<Notice>, Refusal> {
    let Some(Location::Record(Owner::Roadmap(_))) = wanted.place() else { return Ok(None) };
    let Some(issue) = issue_of_part(&wanted.field) else { return Ok(None) };
    let path = layout::issue(&issue);
    let stored = match records::doc(tx, &ISSUE, &path) {
        // `fsck` reports it, and no part of it can be hidden.
        Ok(None) | Err(StoreError::Broken { .. }) => return Ok(None),
        Ok(Some(doc)) => doc,
        Err(error) => return Err(error.into()),
    };
    let mut shown = stored.clone();
    Redactions::at(tx, &path)?.doc(&path, &mut shown);
    let is_readable = |field: &str| {
        let value = stored.value(field);
        value == shown.value(field) && value.is_some_and(|value| !holds_hidden(value))
    };
    let texts = [("context", "hides its description, too"), ("title", "hides its title, too")];
    let mut readable = texts.into_iter().filter(|(field, _)| is_readable(field)).peekable();
    if readable.peek().is_none() {
        return Ok(None);
    }
    let notice = Notice::warning(format!("`{issue}`, which was created from it, still shows the same texts"));
    Ok(Some(readable.fold(notice, |notice, (field, effect)| {
        let redact = RemedyCall::new(Op::Redact, [issue.as_str(), field]).option("message", "TEXT");
        notice.remedy(redact, effect)
    })))
}

/// The roadmaps that are ready, of those that can be read.
fn ready_roadmaps(tx: &Tx<'_>) -> Result<BTreeSet<RoadmapId>, Refusal> {
    let mut ready = BTreeSet::new();
    for id in records::roadmap_ids(tx)? {
        match records::roadmap(tx, &id) {
            Ok(Some(folder)) if roadmap::status(&folder) == Status::Ready => drop(ready.insert(id)),
            Ok(_) | Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(ready)
}

/// An approval is of a document as it is shown.
fn no_longer_approved(id: &RoadmapId) -> Notice {
    let approve = RemedyCall::new(Op::RoadmapRevise, [id]).flag("approve");
    Notice::warning(format!("`{id}` is no longer approved, since something in its document is hidden now"))
        .remedy(approve, "approves it as it is")
}

/// The layer or task of an issue in the document of each roadmap that has one: it has the same texts.
fn parts_of_roadmaps(tx: &Tx<'_>, issue: &IssueId) -> Result<Vec<HideValue>, Refusal> {
    let mut parts = Vec::new();
    if !issue.is_made() {
        return Ok(parts);
    }
    let field = field_of_part(issue);
    for id in records::roadmap_ids(tx)? {
        let path = layout::roadmap(&id);
        let doc = match records::doc(tx, &ROADMAP, &path) {
            Err(StoreError::Broken { .. }) => continue,
            doc => doc?,
        };
        let is_there = doc.is_some_and(|doc| doc.value(&field).is_some_and(|part| *part != REDACTED));
        let place = if is_there { layout::redacted_by(&path) } else { None };
        parts.extend(place.map(|(folder, target)| HideValue { folder, target, field: field.clone() }));
    }
    Ok(parts)
}

/// Writes a redaction.
fn written(
    tx: &mut Tx<'_>,
    HideValue { folder, target, field }: &HideValue,
    stamp: Option<EpochStamp>,
    reason: &str,
) -> Result<Redaction, Refusal> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let (target, field, reason) = (target.clone(), field.clone(), reason.to_owned());
    let place = format!("{folder}/{}", layout::REDACTIONS);
    Ok(tx.append(&place, |id| Redaction { id, target, field, stamp, reason, author, created_at })?)
}

fn wanted(tx: &Tx<'_>, input: &Redact) -> Result<(String, HideValue), Refusal> {
    if input.id == layout::WISDOM {
        let (text, field) = input.field.split_once('/').unwrap_or((&input.field, ALL));
        let shown = RemedyCall::from(Other::WisdomList).flag("json");
        let entry = entry(tx, &layout::wisdom(), text, &input.id, shown)?;
        let wanted =
            HideValue { folder: layout::wisdom(), target: format!("{entry}.json"), field: field.to_owned() };
        return Ok((input.id.clone(), wanted));
    }
    let (id, path) = match resolve::any(tx, &input.id)? {
        KnownRecord::Issue(id) => (id.to_string(), layout::issue(&id)),
        KnownRecord::Solution(id) => (id.to_string(), layout::solution(&id)),
        KnownRecord::Execution(id) => (id.to_string(), layout::execution(&id)),
        KnownRecord::Queue(id) => (id.to_string(), layout::queue(&id)),
        KnownRecord::Roadmap(id) => (id.to_string(), layout::roadmap(&id)),
        KnownRecord::Item(queue, solution) => {
            (format!("{queue}:{solution}"), layout::item(&queue, &solution))
        }
    };
    let Some((folder, target)) = layout::redacted_by(&path) else {
        return Err(Refusal::new(Code::NotRedactable, format!("nothing of `{id}` can be hidden"))
            .remedy(RemedyCall::new(Other::Show, [&id]), "shows it"));
    };
    let in_log = input.field.split_once('/').filter(|(log, _)| LOGS.contains(log));
    let Some((log, rest)) = in_log else {
        return Ok((id, HideValue { folder, target, field: input.field.clone() }));
    };
    let (text, field) = rest.split_once('/').unwrap_or((rest, ALL));
    let shown = RemedyCall::new(Other::Show, [&id]).flag("json");
    let entry = entry(tx, &format!("{folder}/{log}"), text, &id, shown)?;
    Ok((id, HideValue { folder, target: format!("{log}/{entry}.json"), field: field.to_owned() }))
}

/// Writes the redaction; `None` if everything that it would hide is already hidden. Refuses a redaction that hides
/// nothing.
pub(super) fn hide(tx: &mut Tx<'_>, wanted: &HideValue, reason: &str) -> Result<Option<Redaction>, Refusal> {
    let HideValue { folder, target, field } = wanted;
    let path = format!("{folder}/{target}");
    // A person names the record, not its file.
    let of = match Location::parse(&path) {
        Some(Location::Record(owner)) => owner.id().to_owned(),
        Some(Location::Item(_, plan)) => plan.to_string(),
        _ => target.clone(),
    };
    let nothing = |why: &str| {
        Refusal::new(Code::NotRedactable, format!("`{field}` of `{of}` {why}"))
            .hint("texts can be hidden, such as the title, the context or a comment; ids, times, statuses and types cannot")
    };
    if target == layout::CLAIM {
        return Err(Refusal::new(Code::NotRedactable, format!("`{field}` of an execution cannot be hidden"))
            .hint("its id is derived from its content; entries of its log can be hidden: log/ENTRY"));
    }
    let bytes = tx.file(&path)?.ok_or_else(|| nothing("does not exist"))?;
    let stamp = match form(&path).0 {
        Form::Doc(schema) => {
            let doc = Doc::parse(schema, &bytes).map_err(|broken| nothing(&broken.to_string()))?;
            let set = field.split_once('/').and_then(|(name, _)| schema.field(name));
            if set.is_some_and(|field| matches!(field.kind, FieldKind::Set)) {
                // The redaction itself would reveal it.
                return Err(nothing("can be hidden only with its whole set, by the name of the set"));
            }
            if !doc.is_written(field) {
                return Err(nothing("does not exist"));
            }
            doc.last_stamp(field)
        }
        _ => {
            strict::parse(&bytes).map_err(|why| nothing(&why))?;
            None
        }
    };
    let before = Redactions::load(tx, folder)?;
    if before.has(target, field, stamp.as_ref()) {
        return Ok(None);
    }
    let redaction = written(tx, wanted, stamp, reason)?;
    if Redactions::load(tx, folder)?.text(&path, &bytes) == before.text(&path, &bytes) {
        return Err(nothing("cannot be hidden"));
    }
    Ok(Some(redaction))
}
