//! Checks that no version of a redacted comment came unnoticed from another clone.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, FsckSeverity};
use crate::git::ObjectId;
use crate::model::{ASIDE, Comment, IssueId, Op, Redaction, Remedy, RemedyCall};
use crate::ops::store::copies::has_texts;
use crate::rules::folder::threads;
use crate::store::{HistoryLink, Redactions, Snapshot, Store, StoreError, layout, records};

const COMMENTS: &str = "comments";
/// At most this many pairs of a version and a commit with redactions are compared.
const MOST_COMPARED: usize = 100_000;

/// A comment of which some versions are hidden and others readable.
pub(super) struct PartlyHidden {
    issue: IssueId,
    /// The entries of the readable versions: `comments/<ENTRY>.json`.
    readable: Vec<String>,
    /// The paths of the redactions of its versions.
    redactions: Vec<String>,
}

impl PartlyHidden {
    fn path(&self, target: &str) -> String {
        format!("{}/{target}", layout::issue_folder(&self.issue))
    }
}

/// The comments of an issue of which some versions are hidden and others readable.
pub(super) fn partly_hidden(
    snapshot: &Snapshot<'_>,
    issue: &IssueId,
) -> Result<Vec<PartlyHidden>, StoreError> {
    let folder = layout::issue_folder(issue);
    let log = format!("{folder}/{}", layout::REDACTIONS);
    let mut by_target: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for redaction in records::raw_log::<Redaction>(snapshot, &log, &mut Vec::new())? {
        let place = layout::entry(&log, &redaction.id);
        if redaction.field != ASIDE {
            by_target.entry(redaction.target).or_default().push(place);
        }
    }
    if by_target.is_empty() {
        return Ok(vec![]);
    }
    let all = Redactions::load(snapshot, &folder)?;
    let target = |comment: &Comment| layout::entry(COMMENTS, &comment.id);
    let mut found = Vec::new();
    let log = format!("{folder}/{COMMENTS}");
    for versions in threads(&records::raw_log::<Comment>(snapshot, &log, &mut Vec::new())?) {
        let hidden = versions.iter().filter_map(|version| by_target.remove(&target(version)));
        let redactions: Vec<String> = hidden.flatten().collect();
        if redactions.is_empty() {
            continue;
        }
        let mut hidden = PartlyHidden { issue: issue.clone(), readable: vec![], redactions };
        for version in versions.iter().filter(|version| !version.body.trim().is_empty()) {
            let target = target(version);
            if has_texts(snapshot, &all, &hidden.path(&target))? {
                hidden.readable.push(target);
            }
        }
        if !hidden.readable.is_empty() {
            found.push(hidden);
        }
    }
    Ok(found)
}

/// Notes the versions whose authors did not know that another version was hidden, and that were unknown to the person
/// who hid it.
pub(super) fn check(
    store: &Store,
    snapshot: &Snapshot<'_>,
    comments: &[PartlyHidden],
    found: &mut Findings,
) -> Result<(), StoreError> {
    if comments.is_empty() {
        return Ok(());
    }
    // If the history cannot be walked, that was reported when its commits were checked.
    let Ok(steps) = store.commits_between(None, snapshot.commit()) else { return Ok(()) };
    let versions =
        comments.iter().flat_map(|comment| comment.readable.iter().map(|target| comment.path(target)));
    let redactions = comments.iter().flat_map(|comment| comment.redactions.iter().cloned());
    let added = added_by(store, &steps, versions.chain(redactions).collect())?;
    let mut compared = 0;
    for comment in comments {
        // What hides several versions at once does so in one commit.
        let hidden = comment.redactions.iter().filter_map(|path| Some((*added.get(path)?, path.as_str())));
        let hidden: BTreeMap<ObjectId, &str> = hidden.collect();
        for target in &comment.readable {
            let path = comment.path(target);
            let Some(own) = added.get(&path) else { continue };
            for (commit, redaction) in &hidden {
                compared += 1;
                if compared > MOST_COMPARED {
                    let what = "there are too many redactions of comments to check all of them for versions that came \
                                from another clone";
                    found.note(store.reference(), what);
                    return Ok(());
                }
                if lacks(store, *own, redaction)? && lacks(store, *commit, &path)? {
                    note(&comment.issue, target, &path, found);
                    break;
                }
            }
        }
    }
    Ok(())
}

fn note(issue: &IssueId, target: &str, path: &str, found: &mut Findings) {
    let entry = target.trim_end_matches(".json");
    let redact =
        RemedyCall::new(Op::Redact, [issue.as_str(), entry]).flag("all-versions").option("message", "TEXT");
    let what = "readable: another version of this comment was redacted in a clone that did not have this one yet; if \
                it has nothing to hide, leave it";
    let remedy = Some(Remedy::call(redact, "hides every version"));
    found.add_with(FsckSeverity::Note, path, None, what, remedy);
}

/// Whether a state of the history does not have a file. False if the state cannot be read.
fn lacks(store: &Store, commit: ObjectId, path: &str) -> Result<bool, StoreError> {
    Ok(match store.state_at(commit)? {
        Some(state) => state.entry(path)?.is_none(),
        None => false,
    })
}

/// The first commits with these files, found in one walk: what a merge has was already in one of its parents.
fn added_by(
    store: &Store,
    steps: &[HistoryLink],
    mut wanted: BTreeSet<String>,
) -> Result<BTreeMap<String, ObjectId>, StoreError> {
    let mut added = BTreeMap::new();
    for step in steps {
        if wanted.is_empty() {
            break;
        }
        let before = match step.parents.first() {
            Some(parent) => match store.commit_tree(*parent) {
                Ok(tree) => Some(tree),
                // The history of a shallow clone ends here, and does not say.
                Err(_) => continue,
            },
            None => None,
        };
        for file in store.differences(before, step.tree)? {
            if file.new.is_some()
                && let Some(path) = wanted.take(&file.path)
            {
                added.insert(path, step.commit);
            }
        }
    }
    Ok(added)
}
