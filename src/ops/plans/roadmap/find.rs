//! Which roadmap is meant, and documents as they are given.

use serde_json::Value;

use super::show::view_of;
use crate::model::code::Code;
use crate::model::id::RoadmapId;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::model::strict::{self, strict_fault};
use crate::ops::Refusal;
use crate::rules::folder::RoadmapFolder;
use crate::store::resolve::ResolveError;
use crate::store::{ReadState, StoreError, records, resolve};

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
            .remedy(RemedyCall::new(crate::model::op::Op::RoadmapAdd, ["FILE"]), "adds one")),
        (Some(last), false) => {
            all.push(last);
            let mut open = Vec::new();
            for id in &all {
                let is_open = match records::roadmap(read, id) {
                    // Nobody knows what it has left to do.
                    Err(StoreError::Broken { .. }) => true,
                    folder => {
                        folder?.map(|it| view_of(read, &it)).transpose()?.is_some_and(|it| it.done < it.total)
                    }
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

/// The roadmap with this title, in any case; `None` if there is none.
pub(super) fn titled(read: &impl ReadState, title: &str) -> Result<Option<RoadmapFolder>, Refusal> {
    let mut found = Vec::new();
    for id in records::roadmap_ids(read)? {
        match records::roadmap(read, &id) {
            Ok(folder) => found.extend(folder),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    found.retain(|folder| folder.roadmap.record.title.to_lowercase() == title.to_lowercase());
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => {
            let ids: Vec<RoadmapId> = found.into_iter().map(|it| it.roadmap.record.id).collect();
            Err(several(&format!("several roadmaps have the title `{title}`"), &ids))
        }
    }
}

fn several(message: &str, ids: &[RoadmapId]) -> Refusal {
    Refusal::new(Code::ChoiceNeeded, message)
        .details(ids.iter().map(ToString::to_string).collect())
        .hint("name one of them")
        .remedy(Other::RoadmapList, "shows them")
}
