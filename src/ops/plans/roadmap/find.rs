//! Which roadmap is meant, and documents as they are given.

use std::collections::BTreeSet;

use serde_json::Value;

use super::show::view_of;
use super::view::RoadmapView;
use crate::model::strict::{self, strict_fault};
use crate::model::{
    Code, IssueStatus, Op, Other, Person, RemedyCall, Roadmap, RoadmapDocument, RoadmapId, Time, Uid,
};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{RoadmapFolder, roadmap};
use crate::store::{ReadState, ResolveError, StoreError, Tx, records, resolve};

/// A message about roadmaps that were made of one file.
const TWINS: &str = "one file was added as several roadmaps, in clones that had not synced yet";
/// The remedy for those that are not kept.
const CLOSES_TWIN: &str = "shows its issues; close them if the work is done in the other";
/// The most bytes of a document. The store holds each layer or task a second time, in its issue.
const LARGEST: usize = 1024 * 1024;

/// Reads a document. `name` is what messages call the text.
///
/// # Errors
/// `too-large`, `invalid-json`.
pub(crate) fn read(text: &str, name: &str) -> Result<Value, Refusal> {
    if text.len() > LARGEST {
        return Err(Refusal::new(
            Code::TooLarge,
            format!("{name} has {} bytes; a roadmap has at most {LARGEST}", text.len()),
        )
        .hint("make several roadmaps of it"));
    }
    strict::parse_text(text).map_err(|fault| {
        Refusal::new(Code::InvalidJson, format!("{name} is not a roadmap: {}", strict_fault(&fault)))
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes a roadmap")
    })
}

/// A roadmap whose id was resolved.
pub(super) fn existing(read: &impl ReadState, id: &RoadmapId) -> Result<RoadmapFolder, Refusal> {
    match records::roadmap(read, id)? {
        Some(folder) => Ok(folder),
        None => Err(ResolveError::NotFound { kind: "roadmap", text: id.to_string(), near: None }.into()),
    }
}

/// The id of the roadmap that is meant; if none is named, of the only one, or of the only one that is not done.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `choice-needed`; nothing to do without any roadmap.
pub(crate) fn meant(session: &Session, text: Option<&str>) -> Result<String, Refusal> {
    let folder = named(&session.store().snapshot()?, text)?;
    Ok(folder.roadmap.record.id.to_string())
}

/// The roadmap that is named; without a name, the only one, or the only one that is not done.
pub(super) fn named(read: &impl ReadState, text: Option<&str>) -> Result<RoadmapFolder, Refusal> {
    if let Some(text) = text {
        return existing(read, &resolve::roadmap(read, text)?);
    }
    let mut all = records::roadmap_ids(read)?;
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => existing(read, &only),
        (None, _) => Err(Refusal::nothing("there is no roadmap")
            .remedy(RemedyCall::new(Op::RoadmapAdd, ["FILE"]), "adds one")),
        (Some(last), false) => {
            all.push(last);
            let mut open = Vec::new();
            for id in &all {
                let is_open = match records::roadmap(read, id) {
                    // It cannot be read, so whether it has work left is unknown.
                    Err(StoreError::Broken { .. }) => true,
                    folder => folder?.map(|folder| is_open(read, &folder)).transpose()?.unwrap_or_default(),
                };
                open.extend(is_open.then_some(id));
            }
            if let [only] = open[..] {
                return existing(read, only);
            }
            Err(several("there are several roadmaps", &all))
        }
    }
}

/// The roadmap to add to, and its birth.
pub(super) struct RoadmapTarget {
    /// Its id.
    pub(super) id: RoadmapId,
    /// Who added it.
    pub(super) author: Person,
    /// The time.
    pub(super) created_at: Time,
    /// It as it is; `None` if it is new.
    pub(super) before: Option<RoadmapFolder>,
}

/// The roadmap that a document is added to: the one that is named, that the document names, or of which it is a version;
/// else a new one. `whole` is the document as it was given.
pub(super) fn target(
    tx: &Tx<'_>,
    named: Option<&str>,
    is_new: bool,
    whole: &Value,
    document: &RoadmapDocument,
) -> Result<RoadmapTarget, Refusal> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let given = document.id.as_ref();
    let whole = is_new.then_some(whole);
    let before = match (named, given) {
        (Some(text), _) => Some(existing(tx, &resolve::roadmap(tx, text)?)?),
        (None, _) if is_new => None,
        (None, Some(id)) => match records::roadmap(tx, id)? {
            None => refuse_double(tx, id, document)?,
            found => found,
        },
        (None, None) => known(tx, document, &made(whole, document, created_at, 1))?,
    };
    if let Some(folder) = before {
        let Roadmap { id, author, created_at, .. } = folder.roadmap.record.clone();
        return Ok(RoadmapTarget { id, author, created_at, before: Some(folder) });
    }
    let id = match given {
        Some(id) if !is_new => id.clone(),
        _ => {
            let taken: BTreeSet<RoadmapId> = records::roadmap_ids(tx)?.into_iter().collect();
            let mut ids = (1_u64..).map(|number| made(whole, document, created_at, number));
            ids.find(|id| !taken.contains(id)).unwrap_or_else(|| unreachable!("numbers do not end"))
        }
    };
    Ok(RoadmapTarget { id, author, created_at, before: None })
}

/// The id of a new roadmap: the same in two clones that add the same file on one day, so that it is one roadmap after a
/// sync. A roadmap is known by its title and requirement; one that is added in spite of another with its title, by the
/// `whole` document.
fn made(whole: Option<&Value>, document: &RoadmapDocument, created_at: Time, number: u64) -> RoadmapId {
    let title = roadmap::title(document).unwrap_or_default();
    let whole = whole.map_or(String::new(), Value::to_string);
    let requirement = folded(document.requirement.as_deref().unwrap_or_default());
    let parts = [folded(title), requirement, whole, number.to_string()];
    RoadmapId::made(title, created_at, &Uid::from_content(&parts.each_ref().map(String::as_bytes)))
}

/// The text in lower case, with single blanks between its words.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The roadmap of which a document without an id is a version: the one with its title, in any case; else the one that was
/// made of the same title and requirement, whenever that was, and has another title now. `made` is the id that the document
/// would get.
fn known(
    read: &impl ReadState,
    document: &RoadmapDocument,
    made: &RoadmapId,
) -> Result<Option<RoadmapFolder>, Refusal> {
    let (mut found, others) = titled(read, document)?;
    if found.is_empty() {
        found = others
            .into_iter()
            .filter(|folder| &folder.roadmap.record.id == made || folder.roadmap.record.id.is_twin_of(made))
            .collect();
    }
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let ids: Vec<RoadmapId> = found.iter().map(|folder| folder.roadmap.record.id.clone()).collect();
    if !ids.windows(2).all(|pair| pair[0].is_twin_of(&pair[1])) {
        let title = roadmap::title(document).unwrap_or_default();
        let updates = RemedyCall::new(Op::RoadmapAdd, ["FILE"]).option("roadmap", "RMAP");
        return Err(several(&format!("several roadmaps have the title `{title}`"), &ids)
            .remedy(updates, "updates that one"));
    }
    let twins = found
        .iter()
        .map(|folder| Ok(Twin::new(&view_of(read, folder)?)))
        .collect::<Result<Vec<_>, Refusal>>()?;
    if twins.iter().enumerate().any(|(n, later)| twins[..n].iter().any(|earlier| earlier.doubles(later))) {
        return Err(choose_twin(&twins));
    }
    let kept = twins.iter().position(|twin| twin.is_open).unwrap_or_else(|| kept(&twins));
    Ok(Some(found.swap_remove(kept)))
}

/// The roadmaps with the title of a document, in any case, and the others; without those that cannot be read.
fn titled(
    read: &impl ReadState,
    document: &RoadmapDocument,
) -> Result<(Vec<RoadmapFolder>, Vec<RoadmapFolder>), Refusal> {
    let title = roadmap::title(document).unwrap_or_default().to_lowercase();
    let mut all = Vec::new();
    for id in records::roadmap_ids(read)? {
        match records::roadmap(read, &id) {
            Ok(folder) => all.extend(folder),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(all.into_iter().partition(|folder| folder.roadmap.record.title.to_lowercase() == title))
}

/// Refuses an id that is not here if another roadmap has the document's title: then every issue would be here twice. An
/// id from a clone that this one has not met yet comes with a sync.
fn refuse_double(
    read: &impl ReadState,
    id: &RoadmapId,
    document: &RoadmapDocument,
) -> Result<Option<RoadmapFolder>, Refusal> {
    let (found, _) = titled(read, document)?;
    let Some(first) = found.first().map(|folder| &folder.roadmap.record.id) else { return Ok(None) };
    let ids = found.iter().map(|folder| folder.roadmap.record.id.to_string()).collect();
    let call = RemedyCall::new(Op::RoadmapAdd, ["FILE"]);
    Err(Refusal::new(
        Code::ChoiceNeeded,
        format!("the document has the id `{id}`, which is not here; its title is that of another roadmap"),
    )
    .details::<String>(ids)
    .remedy(call.clone().option("roadmap", first.as_str()), "updates that one")
    .remedy(call.flag("new"), "adds another one, with an id of its own")
    .remedy(Other::Sync, "fetches it, if another clone has it"))
}

/// Whether something is left to do of a roadmap.
fn is_open(read: &impl ReadState, folder: &RoadmapFolder) -> Result<bool, Refusal> {
    let view = view_of(read, folder)?;
    Ok(view.done < view.total)
}

/// A roadmap that may be one of several of one file.
pub(super) struct Twin {
    id: RoadmapId,
    is_open: bool,
    /// Whether an issue of it is completed, and not only closed.
    has_completed: bool,
}

impl Twin {
    pub(super) fn new(view: &RoadmapView) -> Self {
        let mut issues = view.waves.iter().flat_map(|wave| &wave.issues);
        Self {
            id: view.id.clone(),
            is_open: view.done < view.total,
            has_completed: issues.any(|issue| issue.status == IssueStatus::Completed),
        }
    }

    /// Whether the work of one file is, or was, to be done in both of them.
    fn doubles(&self, other: &Self) -> bool {
        self.id.is_twin_of(&other.id) && (self.repeats(other) || other.repeats(self))
    }

    fn repeats(&self, other: &Self) -> bool {
        self.is_open && (other.is_open || other.has_completed)
    }
}

/// The place of the one to keep: the earliest in which something was done, or else the earliest.
fn kept(twins: &[Twin]) -> usize {
    twins.iter().position(|twin| twin.has_completed).unwrap_or(0)
}

/// The refusal to choose between roadmaps of one file.
fn choose_twin(twins: &[Twin]) -> Refusal {
    let kept = kept(twins);
    let ids = twins.iter().map(|twin| twin.id.to_string()).collect();
    let call = RemedyCall::new(Op::RoadmapAdd, ["FILE"]).option("roadmap", twins[kept].id.as_str());
    let what =
        if twins[kept].has_completed { "updates the one that was worked on" } else { "updates the earliest" };
    let refusal = Refusal::new(Code::ChoiceNeeded, TWINS).details::<String>(ids).remedy(call, what);
    let others = twins.iter().enumerate().filter(|(n, twin)| *n != kept && twin.is_open);
    others.fold(refusal, |refusal, (_, twin)| refusal.remedy(shown(&twin.id), CLOSES_TWIN))
}

/// Notices on roadmaps of one file, in order of their ids.
pub(super) fn twins(all: &[Twin]) -> Vec<Notice> {
    let mut found = Vec::new();
    for (n, later) in all.iter().enumerate() {
        found.extend(
            all[..n].iter().find(|earlier| earlier.doubles(later)).map(|first| doubled(first, later)),
        );
    }
    found
}

/// Notices on the other roadmaps of the file of this one.
pub(super) fn twins_of(read: &impl ReadState, view: &RoadmapView) -> Result<Vec<Notice>, Refusal> {
    let this = Twin::new(view);
    let mut found = Vec::new();
    for id in records::roadmap_ids(read)?.into_iter().filter(|id| id.is_twin_of(&this.id)) {
        let other = match existing(read, &id).and_then(|folder| view_of(read, &folder)) {
            Err(refusal) if refusal.code == Code::BrokenRecord => continue,
            view => Twin::new(&view?),
        };
        let (first, later) = if other.id < this.id { (&other, &this) } else { (&this, &other) };
        found.extend(first.doubles(later).then(|| doubled(first, later)));
    }
    Ok(found)
}

fn doubled(first: &Twin, later: &Twin) -> Notice {
    let left = if later.is_open && (first.has_completed || !later.has_completed) || !first.is_open {
        later
    } else {
        first
    };
    Notice::warning(format!("`{}` and `{}`: {TWINS}", first.id, later.id))
        .remedy(shown(&left.id), CLOSES_TWIN)
}

fn shown(id: &RoadmapId) -> RemedyCall {
    RemedyCall::new(Other::RoadmapShow, [id])
}

fn several(message: &str, ids: &[RoadmapId]) -> Refusal {
    Refusal::new(Code::ChoiceNeeded, message)
        .details(ids.iter().map(ToString::to_string).collect())
        .hint("name one of them")
        .remedy(Other::RoadmapList, "shows them")
}
