//! Which roadmap is meant, and documents as they are given.

use std::collections::BTreeSet;

use serde_json::Value;

use super::add::AddRoadmap;
use super::show::view_of;
use crate::model::code::Code;
use crate::model::id::RoadmapId;
use crate::model::op::{Op, Other};
use crate::model::person::Person;
use crate::model::remedy::RemedyCall;
use crate::model::roadmap::{Roadmap, RoadmapDocument};
use crate::model::strict::{self, strict_fault};
use crate::model::time::Time;
use crate::model::uid::Uid;
use crate::ops::{Notice, Refusal};
use crate::rules::folder::RoadmapFolder;
use crate::rules::roadmap;
use crate::store::resolve::ResolveError;
use crate::store::{ReadState, StoreError, Tx, records, resolve};

/// What is said of roadmaps of one file.
const TWINS: &str = "one file was added as several roadmaps, in clones that had not met yet";
/// What becomes of the later ones.
const CLOSES_TWIN: &str = "shows the issues of the later one; close them if nobody works on them";
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
                    // Nobody knows what it has left to do.
                    Err(StoreError::Broken { .. }) => true,
                    folder => folder?.map(|it| is_open(read, &it)).transpose()?.unwrap_or_default(),
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
/// else a new one.
pub(super) fn target(
    tx: &Tx<'_>,
    input: &AddRoadmap,
    document: &RoadmapDocument,
) -> Result<RoadmapTarget, Refusal> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let given = document.id.as_ref();
    let before = match (&input.roadmap, given) {
        (Some(text), _) => Some(existing(tx, &resolve::roadmap(tx, text)?)?),
        (None, _) if input.is_new => None,
        (None, Some(id)) => records::roadmap(tx, id)?,
        (None, None) => known(tx, document, &made(input, document, created_at, 1))?,
    };
    if let Some(folder) = before {
        let Roadmap { id, author, created_at, .. } = folder.roadmap.record.clone();
        return Ok(RoadmapTarget { id, author, created_at, before: Some(folder) });
    }
    let id = match given.filter(|_| !input.is_new) {
        Some(id) => id.clone(),
        None => {
            let taken: BTreeSet<RoadmapId> = records::roadmap_ids(tx)?.into_iter().collect();
            let mut ids = (1_u64..).map(|number| made(input, document, created_at, number));
            ids.find(|id| !taken.contains(id)).unwrap_or_else(|| unreachable!("numbers do not end"))
        }
    };
    Ok(RoadmapTarget { id, author, created_at, before: None })
}

/// The id of a new roadmap: the same in two clones that add the same file on one day, so that it is one roadmap after a
/// sync. A roadmap is known by its title and requirement; one that is added in spite of another with its title, by the
/// whole document.
fn made(input: &AddRoadmap, document: &RoadmapDocument, created_at: Time, number: u64) -> RoadmapId {
    let title = roadmap::title(document).unwrap_or_default();
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let whole = if input.is_new { input.document.to_string() } else { String::new() };
    let requirement = plain(document.requirement.as_deref().unwrap_or_default());
    let parts = [plain(title), requirement, whole, number.to_string()];
    RoadmapId::made(title, created_at, &Uid::of(&parts.each_ref().map(String::as_bytes)))
}

/// The roadmap of which a document without an id is a version: the one with its title, in any case; else the one that was
/// made of the same title and requirement, whenever that was, and has another title now. `made` is the id that the document
/// would get.
fn known(
    read: &impl ReadState,
    document: &RoadmapDocument,
    made: &RoadmapId,
) -> Result<Option<RoadmapFolder>, Refusal> {
    let title = roadmap::title(document).unwrap_or_default();
    let mut others = Vec::new();
    for id in records::roadmap_ids(read)? {
        match records::roadmap(read, &id) {
            Ok(folder) => others.extend(folder),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut found: Vec<RoadmapFolder> =
        others.extract_if(.., |it| it.roadmap.record.title.to_lowercase() == title.to_lowercase()).collect();
    if found.is_empty() {
        let is_made = |id: &RoadmapId| id == made || id.is_twin_of(made);
        found = others.into_iter().filter(|it| is_made(&it.roadmap.record.id)).collect();
    }
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let ids: Vec<RoadmapId> = found.iter().map(|it| it.roadmap.record.id.clone()).collect();
    if !ids.windows(2).all(|pair| pair[0].is_twin_of(&pair[1])) {
        return Err(several(&format!("several roadmaps have the title `{title}`"), &ids));
    }
    let mut open = Vec::new();
    for folder in found {
        if is_open(read, &folder)? {
            open.push(folder);
        }
    }
    match open.len() {
        1 => Ok(open.pop()),
        _ => Err(choose_twin(&ids)),
    }
}

/// Whether something is left to do of a roadmap.
fn is_open(read: &impl ReadState, folder: &RoadmapFolder) -> Result<bool, Refusal> {
    let view = view_of(read, folder)?;
    Ok(view.done < view.total)
}

/// The refusal to choose between roadmaps of one file.
fn choose_twin(ids: &[RoadmapId]) -> Refusal {
    let [first, later @ ..] = ids else { return several(TWINS, ids) };
    let call = RemedyCall::new(Op::RoadmapAdd, ["FILE"]).option("roadmap", first.as_str());
    let refusal = Refusal::new(Code::ChoiceNeeded, TWINS)
        .details(ids.iter().map(ToString::to_string).collect())
        .remedy(call, "updates the earliest");
    later.iter().fold(refusal, |refusal, twin| refusal.remedy(shown(twin), CLOSES_TWIN))
}

/// Notices on roadmaps of one file, of those that have something left to do, in order of their ids.
pub(super) fn twins(open: &[RoadmapId]) -> Vec<Notice> {
    let mut found = Vec::new();
    for (n, later) in open.iter().enumerate() {
        let Some(first) = open[..n].iter().find(|it| it.is_twin_of(later)) else { continue };
        let notice = Notice::warning(format!("`{first}` and `{later}`: {TWINS}"));
        found.push(notice.remedy(shown(later), CLOSES_TWIN));
    }
    found
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
