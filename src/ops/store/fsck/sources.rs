//! Checks that an imported issue in which something is redacted no longer follows its source.

use super::{Findings, FsckSeverity};
use crate::model::redaction::SOURCE_RECORD;
use crate::model::{ISSUE, IssueId, Op, Remedy, RemedyCall};
use crate::store::{Redactions, Snapshot, StoreError, layout, records};

/// Notes an imported issue that still follows its source although part of it is redacted, as earlier versions of
/// this program left it: the next import would bring the text back.
pub(super) fn check(
    snapshot: &Snapshot<'_>,
    issue: &IssueId,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let path = layout::issue(issue);
    if !records::hides_something(snapshot, issue)?
        || Redactions::load(snapshot, &layout::issue_folder(issue))?.hides_source()
    {
        return Ok(());
    }
    let is_imported =
        records::doc(snapshot, &ISSUE, &path)?.is_some_and(|doc| doc.value(SOURCE_RECORD).is_some());
    if is_imported {
        let what = "part of it is redacted, but it still follows its source, which can bring the text back";
        let redact = RemedyCall::new(Op::Redact, [issue.as_str(), SOURCE_RECORD]).option("message", "TEXT");
        let remedy =
            Remedy::call(redact, "hides the record of its source, which no import changes from then on");
        found.add_with(FsckSeverity::Note, &path, None, what, Some(remedy));
    }
    Ok(())
}
