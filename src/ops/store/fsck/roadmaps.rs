//! Checks the references from roadmaps to issues, and that their documents can be read.

use std::collections::BTreeSet;

use super::Findings;
use crate::model::IssueId;
use crate::store::{Redactions, Snapshot, StoreError, layout, records};

/// Checks all roadmaps of a state that has these `issues`.
pub(super) fn check(
    snapshot: &Snapshot<'_>,
    issues: &BTreeSet<IssueId>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    for id in records::roadmap_ids(snapshot)? {
        let path = layout::roadmap(&id);
        if snapshot.entry(&path)?.is_none() {
            found.error(&path, "missing, although its directory exists");
            continue;
        }
        // An unreadable roadmap was reported when its file was checked.
        let folder = match records::roadmap(snapshot, &id) {
            Err(StoreError::Broken { .. }) => continue,
            other => other?,
        };
        let Some(folder) = folder else { continue };
        let record = &folder.roadmap.record;
        for issue in record.issue_ids.iter().filter(|issue| !issues.contains(*issue)) {
            found.note(&path, format!("names `{issue}`, which is missing; another clone may have it"));
        }
        let is_hidden = !Redactions::at(snapshot, &path)?.is_empty();
        if let Err(error) = record.read()
            && !is_hidden
        {
            found.error(&path, format!("its document cannot be read, so nothing of it is shown: {error}"));
        }
    }
    Ok(())
}
