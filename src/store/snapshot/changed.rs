//! The issues in which two states differ: the index must read these again.

use std::collections::{BTreeMap, BTreeSet};

use bstr::ByteSlice;

use crate::git::{EntryId, EntryKind, ObjectId};
use crate::model::{IssueId, QueueId, SolutionId};
use crate::store::{Store, StoreError, layout};

/// The issues and queues in which two states differ.
#[derive(Debug, Default)]
pub(crate) struct ChangedRecords {
    /// By the directory that holds them, `issues/<xx>`, so that each directory is read once. Includes issues of which
    /// only a queue item differs.
    pub(crate) issues: BTreeMap<String, BTreeSet<IssueId>>,
    /// Queues in which something differs.
    pub(crate) queues: BTreeSet<QueueId>,
}

impl Store {
    /// Compares two trees down to the directories of issues and the items of queues, no deeper. Without an `old`
    /// tree, everything in `new` has changed.
    pub(crate) fn changed(&self, old: Option<ObjectId>, new: ObjectId) -> Result<ChangedRecords, StoreError> {
        let mut changed = ChangedRecords::default();
        let top = [(layout::ISSUES, true), (layout::QUEUES, false)];
        for (name, is_issues) in top {
            let (before, after) = (self.folder_in(name, old)?, self.folder_in(name, Some(new))?);
            if is_issues {
                self.changed_issues(before, after, &mut changed)?;
            } else {
                self.changed_queues(before, after, &mut changed)?;
            }
        }
        Ok(changed)
    }

    fn folder_in(&self, name: &str, tree: Option<ObjectId>) -> Result<Option<ObjectId>, StoreError> {
        let Some(tree) = tree else { return Ok(None) };
        Ok(folder(self.repo.look_up(tree, name.into())?))
    }

    /// The number of directories of issues and of items in which two states differ. This reads a few small trees,
    /// however many issues there are: of the 256 directories, half differ if 180 issues differ, and three quarters if
    /// 360 differ.
    pub(crate) fn changed_folders(&self, old: ObjectId, new: ObjectId) -> Result<usize, StoreError> {
        let mut count = 0;
        self.differing(Some(old), Some(new), &mut |name, old, new| match name {
            layout::ISSUES => self.differing(folder(old), folder(new), &mut |_, _, _| {
                count += 1;
                Ok(())
            }),
            layout::QUEUES => self.differing(folder(old), folder(new), &mut |_, old, new| {
                self.differing(folder(old), folder(new), &mut |name, old, new| {
                    if name == "items" {
                        count += self.repo.differing(folder(old), folder(new))?.len();
                    }
                    Ok(())
                })
            }),
            _ => Ok(()),
        })?;
        Ok(count)
    }

    fn changed_issues(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        changed: &mut ChangedRecords,
    ) -> Result<(), StoreError> {
        self.differing(old, new, &mut |fan, old, new| {
            let mut found = BTreeSet::new();
            self.differing(folder(old), folder(new), &mut |name, _, _| {
                let id = IssueId::parse(name).ok();
                found.extend(id.filter(|id| is_in(id, fan)));
                Ok(())
            })?;
            if !found.is_empty() {
                changed.issues.entry(fan.to_owned()).or_default().extend(found);
            }
            Ok(())
        })
    }

    fn changed_queues(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        changed: &mut ChangedRecords,
    ) -> Result<(), StoreError> {
        self.differing(old, new, &mut |name, old, new| {
            let Ok(queue) = QueueId::parse(name) else { return Ok(()) };
            changed.queues.insert(queue);
            let (old, new) = (folder(old), folder(new));
            // A redaction may hide a value of any item, whose own file stays as it is.
            let mut is_redacted = false;
            self.differing(old, new, &mut |name, _, _| {
                is_redacted |= name == "redactions";
                Ok(())
            })?;
            self.differing(if is_redacted { None } else { old }, new, &mut |name, old, new| {
                if name != "items" {
                    return Ok(());
                }
                self.differing(folder(old), folder(new), &mut |fan, old, new| {
                    self.differing(folder(old), folder(new), &mut |name, _, _| {
                        let solution = name.strip_suffix(".json").and_then(|id| SolutionId::parse(id).ok());
                        if let Some(issue) = solution.map(|id| id.issue()).filter(|id| is_in(id, fan)) {
                            changed.issues.entry(fan.to_owned()).or_default().insert(issue);
                        }
                        Ok(())
                    })
                })
            })
        })
    }

    /// Calls `found` with each record that has an id and whose files differ between two trees. A file in the
    /// directory of an issue also counts for the issue, and an item also counts for its plan and its issue.
    pub(crate) fn touched(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        found: &mut dyn FnMut(&str) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.differing(old, Some(new), &mut |top, old, new| match top {
            layout::ISSUES => self.differing(folder(old), folder(new), &mut |_, old, new| {
                self.differing(folder(old), folder(new), &mut |name, old, new| {
                    found(name)?;
                    self.differing(folder(old), folder(new), &mut |kind, old, new| match kind {
                        "solutions" | "executions" => {
                            self.differing(folder(old), folder(new), &mut |name, _, _| found(name))
                        }
                        _ => Ok(()),
                    })
                })
            }),
            layout::QUEUES => self.differing(folder(old), folder(new), &mut |queue, old, new| {
                found(queue)?;
                self.differing(folder(old), folder(new), &mut |inner, old, new| match inner {
                    "items" => self.differing(folder(old), folder(new), &mut |_, old, new| {
                        self.differing(folder(old), folder(new), &mut |name, _, _| {
                            let Some(solution) = name.strip_suffix(".json") else { return Ok(()) };
                            let Ok(id) = SolutionId::parse(solution) else { return Ok(()) };
                            found(solution)?;
                            found(id.issue().as_str())?;
                            found(&format!("{queue}:{solution}"))
                        })
                    }),
                    _ => Ok(()),
                })
            }),
            layout::RUNS | layout::ROADMAPS => {
                self.differing(folder(old), folder(new), &mut |id, _, _| found(id))
            }
            _ => Ok(()),
        })
    }

    /// Calls `found` with each name in which the two directories differ, and with both entries.
    fn differing(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        found: &mut dyn FnMut(&str, Side, Side) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for (name, old, new) in self.repo.differing(old, new)? {
            // A name that is not UTF-8 is not an id.
            if let Ok(name) = name.to_str() {
                found(name, old, new)?;
            }
        }
        Ok(())
    }
}

type Side = Option<EntryId>;

fn folder(side: Side) -> Option<ObjectId> {
    side.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id)
}

/// Whether the issue belongs in `issues/<fan>`.
fn is_in(id: &IssueId, fan: &str) -> bool {
    layout::Fan::parse(fan) == Some(layout::Fan::new(id))
}
