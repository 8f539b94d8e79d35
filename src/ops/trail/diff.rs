//! How records changed between two states of the store.

use schemars::JsonSchema;
use serde::Serialize;

use super::log::paths;
use crate::index::{Index, Needs};
use crate::model::{Code, CommitHash, Other, RemedyCall, Time};
use crate::ops::{Answer, Refusal, Session};
use crate::store::{ObjectId, PeriodBound, Store};
use crate::sync;
use crate::trail::log::changes;
use crate::trail::moment;
use crate::trail::record_change::{self, RecordChange};

/// What to compare. If both are given, their order does not matter.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    /// `A..B`, or `A` for the changes since then (default: since the last sync, or in the last commit).
    pub(crate) range: Option<String>,
    /// Only this record and what belongs to it.
    pub(crate) id: Option<String>,
}

/// What `diff` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoreDiff {
    /// The first state; null if there was no store yet.
    pub(crate) from: Option<StoreState>,
    /// The second state.
    pub(crate) to: StoreState,
    /// The records that differ, by their paths.
    pub(crate) changes: Vec<RecordChange>,
}

/// A state of the store.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoreState {
    /// The commit of the ref.
    pub(crate) commit: CommitHash,
    /// When it was created.
    pub(crate) at: Time,
    /// How it was named.
    pub(crate) name: String,
}

/// A commit of the ref, and how it was named.
type Named = (ObjectId, String);

/// How records changed between two states of the store.
///
/// # Errors
/// `usage` if the range is invalid; `not-found`, `ambiguous-id`.
pub(crate) fn diff(session: &Session, input: &Sides) -> Answer<StoreDiff> {
    let store = session.store();
    let index = session.index(Needs::LOG)?;
    let (range, id) = range_and_id(input, &index)?;
    let (from, to) = match range.as_deref() {
        Some(range) => sides(store, &index, range)?,
        None => since_last_sync(store, &index)?,
    };
    let snapshot = index.snapshot()?;
    let paths = match &id {
        Some(id) => paths(&snapshot, &index.resolve(id)??)?,
        None => Vec::new(),
    };
    let before = from.as_ref().map(|side| side.0);
    let files = session
        .counted("comparing records", None, |at| changes(store, &snapshot, before, to.0, &paths, at))?;
    let view = StoreDiff {
        from: from.map(|from| state(store, from)).transpose()?,
        to: state(store, to)?,
        changes: files.iter().filter_map(record_change::described).collect(),
    };
    Ok(session.done(view, None))
}

fn state(store: &Store, (commit, name): Named) -> Result<StoreState, Refusal> {
    Ok(StoreState { commit: commit.into(), at: store.step(commit)?.at, name })
}

/// Tells a range from an id: a single argument can be either, and two can come in either order.
fn range_and_id(input: &Sides, index: &Index<'_>) -> Result<(Option<String>, Option<String>), Refusal> {
    match (input.range.clone(), input.id.clone()) {
        (Some(one), Some(two)) if two.contains("..") && !one.contains("..") => Ok((Some(two), Some(one))),
        (Some(one), None) if !one.contains("..") => match index.resolve(&one)? {
            Ok(_) => Ok((None, Some(one))),
            Err(_) if one.starts_with(char::is_alphabetic) && one.contains('-') && !one.contains(' ') => {
                // It looks like an id; resolving it again reports what is wrong.
                Ok((None, Some(one)))
            }
            Err(_) => Ok((Some(one), None)),
        },
        both => Ok(both),
    }
}

fn sides(store: &Store, index: &Index<'_>, range: &str) -> Result<(Option<Named>, Named), Refusal> {
    let (from, to) = range.split_once("..").unwrap_or((range, ""));
    if to.starts_with('.') || to.contains("..") {
        return Err(Refusal::usage(format!("`{range}` is not of the form A..B"))
            .remedy(RemedyCall::new(Other::Diff, ["@{1}.."]), "shows what the last move of the ref changed")
            .remedy(
                RemedyCall::new(Other::Diff, ["2026-11-01..2026-11-15"]),
                "shows what changed between two days",
            ));
    }
    let from = side(store, index, from, PeriodBound::Since)?;
    let to = side(store, index, to, PeriodBound::Until)?.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("there was no store yet at `{to}`"))
            .remedy(Other::Log, "shows its first commit")
    })?;
    Ok((from, to))
}

/// One side of a range; without a text, the present. `None` if there was no store yet.
fn side(store: &Store, index: &Index<'_>, text: &str, bound: PeriodBound) -> Result<Option<Named>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Some((index.commit(), "now".to_owned())));
    }
    Ok(moment::state(store, index, text, bound)?.map(|commit| (commit, text.to_owned())))
}

fn since_last_sync(store: &Store, index: &Index<'_>) -> Result<(Option<Named>, Named), Refusal> {
    let now = (index.commit(), "now".to_owned());
    if let Some(remote) = sync::remote::of_the_ref(store)?
        && let Some(met) = moment::last_met(store, &remote)?
    {
        return Ok((Some((met, format!("the last sync with {remote}"))), now));
    }
    let before = store.parents(now.0)?.first().map(|commit| (*commit, "the previous commit".to_owned()));
    Ok((before, now))
}
