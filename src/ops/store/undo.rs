//! Undoes the user's last command with a new commit that restores the fields which that command changed.
//!
//! Only fields that nobody has changed since are restored. Entries of logs stay, except that a comment is withdrawn;
//! new records stay, except that an item leaves its queue.

mod chosen;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::chosen::{Chosen, chosen};
use crate::git::ObjectId;
use crate::model::redaction::is_hidden;
use crate::model::{
    Code, Comment, CommitHash, Doc, EntryId, IssueId, Op, Other, Remedy, RemedyCall, Schema, SolutionId,
};
use crate::ops::issues::append_comment;
use crate::ops::work::{self, PreparedRevert};
use crate::ops::{Answer, Refusal, Session};
use crate::store::layout::{self, LogKind as Logs};
use crate::store::{
    Form, HistoryStep, Location, Owner, ReadState, Redactions, Store, StoreError, Tx, object_id, read_blob,
    records,
};

/// The beginning of the subject of a commit that undoes another.
const SUBJECT: &str = "undo: ";

/// What was undone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Undone {
    /// The commit that was taken back.
    pub(crate) commit: CommitHash,
    /// Its subject.
    pub(crate) subject: String,
    /// What was restored.
    pub(crate) restored: Vec<Restored>,
    /// What could not be taken back.
    pub(crate) kept: Vec<KeptField>,
    /// The commit that takes a landing back; the branch does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revert: Option<PreparedRevert>,
}

#[serde_with::skip_serializing_none]
/// A field with its earlier value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Restored {
    /// The id of the record; of a comment, the issue, and of an item, the queue.
    pub(crate) record: String,
    /// The comment.
    pub(crate) comment: Option<EntryId>,
    /// The plan that was removed from the queue.
    pub(crate) item: Option<String>,
    /// The field, element or leaf: `title`, `tags/auth`; `body` of a comment; absent if a comment was withdrawn or an item
    /// removed.
    pub(crate) field: Option<String>,
    /// Whether the field has a value now, or the set has the element.
    #[serde(skip)]
    pub(crate) is_set: bool,
}

/// Something that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct KeptField {
    /// The id of the record, or the path of an entry.
    pub(crate) what: String,
    /// Why it stays.
    pub(crate) why: String,
}

/// Undoes the user's last command that has not been undone, or the one of this commit (the start of its id).
///
/// # Errors
/// `nothing-to-do` if there is none; `cannot-undo` if none of its changes can be undone.
pub(crate) fn undo(session: &Session, commit: Option<&str>) -> Answer<Undone> {
    let permit = session.permit(Op::Undo)?;
    let store = session.store();
    let Chosen { step, before, undos } = chosen(session, commit)?;
    let op = step.op.as_deref().and_then(Op::parse);
    if let Some(op) = op {
        // A role may undo only what it may do.
        session.refuse_undoing(op)?;
    }
    if op == Some(Op::Land) {
        let revert = Some(work::prepare_revert(session, &step.commit)?);
        let undone =
            Undone { commit: step.commit, subject: step.subject, restored: vec![], kept: vec![], revert };
        return Ok(session.done(undone, None));
    }
    let committed = session.transact(permit, |tx| {
        let mut work =
            Work { store, step: &step, undos: &undos, issue: None, restored: vec![], kept: vec![] };
        work.all(tx)?;
        let Work { restored, kept, issue, .. } = work;
        if restored.is_empty() {
            let earlier = undoable(session.store(), tx, &before, &undos)?;
            return Err(cannot(&step, op, &kept, issue.as_ref(), earlier));
        }
        let short = step.commit.short();
        tx.describe(format!("{SUBJECT}{short} {}", step.subject));
        Ok((restored, kept))
    })?;
    let (restored, kept) = committed.answer;
    let undone = Undone { commit: step.commit, subject: step.subject, restored, kept, revert: None };
    Ok(session.done(undone, committed.commit))
}

/// Explains why nothing can be undone, and what to do instead.
fn cannot(
    step: &HistoryStep,
    op: Option<Op>,
    kept: &[KeptField],
    of_issue: Option<&IssueId>,
    earlier: Option<&HistoryStep>,
) -> Refusal {
    let what = format!("cannot undo `{}`", step.subject);
    let details = kept.iter().map(|kept| format!("{}: {}", kept.what, kept.why)).collect();
    let refusal = Refusal::new(Code::CannotUndo, what).details(details);
    let of_issue = of_issue.map_or("ISSUE", IssueId::as_str);
    let instead = match op {
        Some(Op::New) => {
            Remedy::call(RemedyCall::new(Op::Edit, [of_issue]).option("status", "cancelled"), "cancels it")
        }
        Some(Op::Next) => Remedy::call(Op::LeaseRelease, "gives the item back"),
        Some(Op::Done) => Remedy::call(RemedyCall::new(Op::Reopen, [of_issue]), "reopens the issue"),
        Some(Op::Fail) => Remedy::call(RemedyCall::new(Op::Retry, [of_issue]), "queues it again"),
        Some(Op::Link) => Remedy::call(RemedyCall::new(Op::Unlink, ["COMMIT"]), "removes a link"),
        Some(Op::Unlink) => {
            Remedy::call(RemedyCall::new(Op::Link, ["COMMIT", "PLAN"]), "links the commit again")
        }
        Some(Op::SolutionAdd) => {
            let plan = kept.iter().find_map(|kept| SolutionId::parse(&kept.what).ok());
            let plan = plan.as_ref().map_or("PLAN", SolutionId::as_str);
            let withdraw = RemedyCall::new(Op::SolutionWithdraw, [plan]).option("message", "WHY");
            Remedy::call(withdraw, "withdraws the plan")
        }
        _ => Remedy::call(RemedyCall::from(Other::Log).flag("patch"), "shows what it did"),
    };
    let earlier = earlier.map(|step| {
        let undo = RemedyCall::new(Op::Undo, [step.commit.short()]);
        Remedy::call(undo, format!("undoes `{}`", step.subject))
    });
    refusal.remedies([instead].into_iter().chain(earlier).collect())
}

/// The first of these commands of which something can be undone. The transaction is not used for anything else.
fn undoable<'a>(
    store: &Store,
    tx: &mut Tx<'_>,
    steps: &'a [HistoryStep],
    undos: &[CommitHash],
) -> Result<Option<&'a HistoryStep>, Refusal> {
    for step in steps {
        if step.op.as_deref().and_then(Op::parse) == Some(Op::Land) {
            return Ok(Some(step));
        }
        let mut work = Work { store, step, undos, issue: None, restored: vec![], kept: vec![] };
        work.all(tx)?;
        if !work.restored.is_empty() {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// A commit that is being undone.
struct Work<'a> {
    store: &'a Store,
    step: &'a HistoryStep,
    /// The user's commits that undo others, made since.
    undos: &'a [CommitHash],
    /// The first issue that it changed.
    issue: Option<IssueId>,
    restored: Vec<Restored>,
    kept: Vec<KeptField>,
}

impl Work<'_> {
    fn all(&mut self, tx: &mut Tx<'_>) -> Result<(), Refusal> {
        let Some(commit) = object_id(&self.step.commit) else { return Ok(()) };
        let [parent] = self.store.parents(commit)?[..] else { return Ok(()) };
        let (old, new) = (self.store.snapshot_at(parent)?, self.store.snapshot_at(commit)?);
        for change in self.store.differences(Some(old.tree()), new.tree())? {
            let read = |id| read_blob(self.store.repo(), id, &change.path);
            let before = change.old_file().map(read).transpose()?;
            let after = change.new_file().map(read).transpose()?;
            let Some(location) = Location::parse(&change.path) else {
                self.keep(&change.path, "it is not a record of this version");
                continue;
            };
            self.issue = self.issue.take().or_else(|| location.issue());
            match (layout::form(&change.path), before, after) {
                ((Form::Doc(schema), id), Some(before), Some(after)) => {
                    let read = |bytes: &[u8]| layout::own_doc(schema, id.as_deref(), bytes).ok();
                    let (Some(before), Some(after)) = (read(&before), read(&after)) else {
                        self.keep(&change.path, "it could not be read");
                        continue;
                    };
                    let Some(now) = records::doc(tx, schema, &change.path)? else {
                        self.keep(&change.path, "it no longer exists");
                        continue;
                    };
                    self.fields(tx, &change.path, schema, before, &after, now)?;
                }
                ((Form::Doc(_), _), None, Some(_)) => self.created(tx, &location)?,
                ((Form::Entry(_), _), None, Some(_)) => self.appended(tx, &change.path, &location)?,
                _ => self.keep(&change.path, "it stays as it is"),
            }
        }
        Ok(())
    }

    /// Restores the fields that the commit changed and nobody has changed since.
    fn fields(
        &mut self,
        tx: &mut Tx<'_>,
        path: &str,
        schema: &'static Schema,
        mut before: Doc,
        after: &Doc,
        mut now: Doc,
    ) -> Result<(), Refusal> {
        let record = now.id().unwrap_or(path).to_owned();
        let changed: Vec<String> =
            after.said_since(Some(&before)).map(|value| value.key.to_owned()).collect();
        // What was hidden since must not come back.
        Redactions::at(tx, path)?.doc(path, &mut before);
        let mut is_changed = false;
        for key in changed {
            let value = before.value(&key);
            let is_same = now.made(&key) == after.made(&key) || self.has_undone(path, schema, &key, &now)?;
            if !is_same || now.value(&key) != after.value(&key) {
                self.keep(&record, &format!("`{key}` has been changed since"));
            } else if value.is_some_and(is_hidden) {
                self.keep(&record, &format!("the earlier value of `{key}` is redacted"));
            } else if value != now.value(&key) {
                now.decide(&key, value.cloned(), tx.stamper()).map_err(StoreError::frozen(&record))?;
                let (record, is_set) =
                    (record.clone(), value.is_some_and(|value| *value != Value::Bool(false)));
                self.restored.push(Restored { record, comment: None, item: None, field: Some(key), is_set });
                is_changed = true;
            }
        }
        if is_changed {
            tx.write_doc(path.to_owned(), &now)?;
        }
        Ok(())
    }

    /// Undoes the creation of a record.
    fn created(&mut self, tx: &mut Tx<'_>, location: &Location) -> Result<(), Refusal> {
        match location {
            Location::Item(queue, plan) => {
                if tx.edit_item(queue, plan, |item| item.removed = Some(true))? {
                    let (record, item) = (queue.to_string(), Some(plan.to_string()));
                    self.restored.push(Restored { record, comment: None, item, field: None, is_set: false });
                }
            }
            Location::Record(owner) => {
                let id = match owner {
                    Owner::Issue(id) => id.to_string(),
                    Owner::Solution(id) => id.to_string(),
                    Owner::Queue(id) => id.to_string(),
                    other => other.to_string(),
                };
                self.keep(&id, "it was created, and records are never removed");
            }
            other => self.keep(&other.to_string(), "it was created, and records are never removed"),
        }
        Ok(())
    }

    /// Undoes an entry of a log.
    fn appended(&mut self, tx: &mut Tx<'_>, path: &str, location: &Location) -> Result<(), Refusal> {
        let Location::Entry(Logs::Comments(issue), id) = location else {
            let log = match location {
                Location::Entry(log, _) => words_of(log),
                _ => path.to_owned(),
            };
            self.keep(&log, "entries of a log are never removed");
            return Ok(());
        };
        let edited_since =
            |first: &EntryId| (format!("comment {} on {issue}", first.short()), "it has been edited since");
        let Some(folder) = records::issue(tx, issue)? else { return Ok(()) };
        for standing in folder.standing_comments() {
            let mut versions = standing.replaces;
            versions.push(standing.comment);
            let Some(at) = versions.iter().position(|version| version.id == *id) else { continue };
            // Only the current version counts: it says what this one said if the user undid what came between.
            if let Some(last) = versions[at + 1..].last() {
                let entry = Location::Entry(Logs::Comments(issue.clone()), last.id.clone()).to_string();
                if last.body != versions[at].body || !self.is_of_undo(&entry)? {
                    let (what, why) = edited_since(&versions[0].id);
                    self.keep(&what, why);
                    return Ok(());
                }
            }
            // A new comment is withdrawn; an edited one gets back its earlier text.
            let body = at.checked_sub(1).map(|n| versions[n].body.clone()).unwrap_or_default();
            let field = (!body.is_empty()).then(|| "body".to_owned());
            let edits = Some(standing.comment.id.clone());
            match &standing.comment.source_id {
                None => drop(append_comment(tx, issue, body, edits)?),
                // It counts as what the source said last, so that the next import brings back what it says now.
                Some(_) => {
                    let undone =
                        Comment { body, author: tx.person().to_owned(), edits, ..standing.comment.clone() };
                    tx.append(&layout::comments(issue), |id| Comment { id, ..undone })?;
                }
            }
            let (record, comment) = (issue.to_string(), Some(versions[0].id.clone()));
            self.restored.push(Restored { record, comment, item: None, is_set: field.is_some(), field });
            return Ok(());
        }
        let (what, why) = edited_since(id);
        self.keep(&what, why);
        Ok(())
    }

    /// Whether the value that a field has now was restored by one of the user's own `undo`s.
    fn has_undone(&self, path: &str, schema: &'static Schema, key: &str, now: &Doc) -> Result<bool, Refusal> {
        for (undo, parent) in self.own_undos()? {
            let made = |at| {
                let doc = records::doc(&self.store.snapshot_at(at)?, schema, path)?;
                Ok::<_, Refusal>(doc.and_then(|doc| doc.made(key)))
            };
            if made(undo)? == now.made(key) && made(parent)? != now.made(key) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one of the user's own `undo`s wrote the file.
    fn is_of_undo(&self, path: &str) -> Result<bool, Refusal> {
        for (undo, parent) in self.own_undos()? {
            let is_in = |at| Ok::<_, Refusal>(self.store.snapshot_at(at)?.file(path)?.is_some());
            if is_in(undo)? && !is_in(parent)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The user's commits since that undo others, each with its parent.
    fn own_undos(&self) -> Result<Vec<(ObjectId, ObjectId)>, Refusal> {
        let mut found = Vec::new();
        for id in self.undos.iter().filter_map(|hash| object_id(hash)) {
            found.extend(self.store.parents(id)?.first().map(|parent| (id, *parent)));
        }
        Ok(found)
    }

    fn keep(&mut self, what: &str, why: &str) {
        let kept = KeptField { what: what.to_owned(), why: why.to_owned() };
        // A command adds several entries to a log.
        if !self.kept.contains(&kept) {
            self.kept.push(kept);
        }
    }
}

/// A log as people know it.
fn words_of(log: &Logs) -> String {
    match log {
        Logs::Comments(issue) => format!("the comments on {issue}"),
        Logs::Feedback(issue) => format!("the feedback on {issue}"),
        Logs::Explorations(issue) => format!("the explorations of {issue}"),
        Logs::Reviews(plan) => format!("the reviews of {plan}"),
        Logs::Events(execution) => format!("the log of {}", execution.short()),
        Logs::Conflicts(queue) => format!("the conflicts of {queue}"),
        Logs::RunEvents(run) => format!("the log of {run}"),
        Logs::RoadmapEvents(roadmap) => format!("the log of {roadmap}"),
        Logs::Wisdom => "what was learned".to_owned(),
        Logs::Redactions(_) => "what was redacted".to_owned(),
    }
}
