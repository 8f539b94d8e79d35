//! Checks that no version of a redacted comment came unnoticed from another clone.

use std::collections::BTreeMap;

use super::{Findings, FsckSeverity};
use crate::model::id::IssueId;
use crate::model::op::Op;
use crate::model::redaction::{ASIDE, Redaction};
use crate::model::remedy::{Remedy, RemedyCall};
use crate::ops::store::copies::versions;
use crate::ops::store::redact::HideValue;
use crate::store::history::HistoryLink;
use crate::store::redaction::Redactions;
use crate::store::{Snapshot, Store, StoreError, layout, records};

/// A readable version of a comment of which other versions are hidden.
pub(super) struct ReadableVersion {
    issue: IssueId,
    /// Its place in the directory of the issue: `comments/<ENTRY>.json`.
    target: String,
    path: String,
    /// The redactions of the other versions.
    redactions: Vec<String>,
}

/// The readable versions of comments of an issue of which other versions are hidden.
pub(super) fn readable(snapshot: &Snapshot<'_>, issue: &IssueId) -> Result<Vec<ReadableVersion>, StoreError> {
    let folder = layout::issue_folder(issue);
    if Redactions::of(snapshot, &folder)?.is_empty() {
        return Ok(vec![]);
    }
    let log = format!("{folder}/{}", layout::REDACTIONS);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for redaction in records::raw_log::<Redaction>(snapshot, &log, &mut Vec::new())? {
        let place = layout::entry(&log, &redaction.id);
        let Redaction { target, field, .. } = redaction;
        if field != ASIDE {
            for version in versions(snapshot, &HideValue { folder: folder.clone(), target, field })? {
                found.entry(version.target).or_default().push(place.clone());
            }
        }
    }
    let one = |(target, redactions)| ReadableVersion {
        issue: issue.clone(),
        path: format!("{folder}/{target}"),
        target,
        redactions,
    };
    Ok(found.into_iter().map(one).collect())
}

/// Notes the versions that were unknown when the others were hidden, and whose authors did not know of that either.
pub(super) fn check(
    store: &Store,
    snapshot: &Snapshot<'_>,
    versions: &[ReadableVersion],
    found: &mut Findings,
) -> Result<(), StoreError> {
    if versions.is_empty() {
        return Ok(());
    }
    // If the history cannot be walked, that was reported when its commits were checked.
    let Ok(steps) = store.commits_between(None, snapshot.commit()) else { return Ok(()) };
    for it in versions {
        let mut is_unnoticed = true;
        for redaction in &it.redactions {
            is_unnoticed &= is_apart(store, snapshot, &steps, [&it.path, redaction])?;
        }
        if is_unnoticed {
            let entry = it.target.trim_end_matches(".json");
            let redact = RemedyCall::new(Op::Redact, [it.issue.as_str(), entry])
                .flag("all-versions")
                .option("message", "TEXT");
            let what = "readable, although other versions of this comment are redacted: it came from another clone after that";
            let remedy = Some(Remedy::call(redact, "hides every version"));
            found.add_with(FsckSeverity::Note, &it.path, None, what, remedy);
        }
    }
    Ok(())
}

/// Whether each of two files was written without the other. False if the history does not say.
fn is_apart(
    store: &Store,
    snapshot: &Snapshot<'_>,
    steps: &[HistoryLink],
    [one, other]: [&str; 2],
) -> Result<bool, StoreError> {
    for (own, other) in [(one, other), (other, one)] {
        let Some(commit) = store.introducing_commit(steps, snapshot, own)? else { return Ok(false) };
        let Some(state) = store.state_at(commit)? else { return Ok(false) };
        if state.entry(other)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
