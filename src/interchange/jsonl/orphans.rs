//! Files that belong to a record which did not come in: the comments and plans of a skipped issue, the items of a
//! skipped plan. Nothing would show them, and `fsck` would call their directory broken, so they are skipped too.

use std::collections::BTreeMap;

use crate::interchange::Skipped;
use crate::model::words;
use crate::store::{Folder, Location, Owner, StoreError, Tx, layout};

/// The depths of the directories that a record gives its name: queues, runs and roadmaps; issues; plans and executions.
const OWNER_DEPTHS: [usize; 3] = [2, 3, 5];

/// Takes back the new files whose owner is neither in the transaction nor in the store. Returns their number, and an
/// entry for each missing record.
pub(super) fn take_back(tx: &mut Tx<'_>) -> Result<(u64, Vec<Skipped>), StoreError> {
    let (mut missing, mut orphans) = (BTreeMap::<String, (Owner, u64)>::new(), Vec::new());
    let mut previous = String::new();
    // The directory of an owner without a record that was seen last; the paths are sorted.
    let mut orphaned: Option<String> = None;
    let paths: Vec<String> = tx.written().map(str::to_owned).collect();
    for path in paths {
        if orphaned.as_deref().is_none_or(|folder| !is_inside(&path, folder)) {
            orphaned = None;
            for (depth, (end, _)) in path.match_indices('/').enumerate() {
                let folder = &path[..end];
                if !OWNER_DEPTHS.contains(&(depth + 1)) || is_inside(&previous, folder) {
                    continue;
                }
                let Some(Folder::Owner(owner)) = Folder::parse(folder) else { continue };
                let record = Location::Record(owner.clone()).to_string();
                if !exists(tx, &record)? {
                    missing.insert(folder.to_owned(), (owner, 0));
                    orphaned = Some(folder.to_owned());
                    break;
                }
            }
            previous.clone_from(&path);
        }
        let owner = match &orphaned {
            Some(folder) => folder.clone(),
            None => match plan_without_record(tx, &path)? {
                Some(plan) => {
                    let folder = plan.to_string();
                    missing.entry(folder.clone()).or_insert((plan, 0));
                    folder
                }
                None => continue,
            },
        };
        // What is already there is no worse than before.
        if tx.base().entry(&path)?.is_none() {
            missing.entry(owner).and_modify(|(_, files)| *files += 1);
            orphans.push(path);
        }
    }
    for path in &orphans {
        tx.take_back(path);
    }
    let skipped =
        missing.into_values().filter(|(_, files)| *files > 0).map(|(owner, files)| skipped(&owner, files));
    Ok((orphans.len() as u64, skipped.collect()))
}

/// The plan of the item at `path`, if it is missing.
fn plan_without_record(tx: &Tx<'_>, path: &str) -> Result<Option<Owner>, StoreError> {
    if !path.starts_with(layout::QUEUES) {
        return Ok(None);
    }
    let Some(Location::Item(_, plan)) = Location::parse(path) else { return Ok(None) };
    let (record, issue) = (layout::solution(&plan), layout::issue(&plan.issue()));
    Ok((!exists(tx, &record)? || !exists(tx, &issue)?).then_some(Owner::Solution(plan)))
}

fn exists(tx: &Tx<'_>, path: &str) -> Result<bool, StoreError> {
    Ok(tx.has_written(path) || tx.base().entry(path)?.is_some())
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn skipped(owner: &Owner, files: u64) -> Skipped {
    let unit = match owner {
        Owner::Issue(_) => "issue",
        Owner::Solution(_) => "plan",
        Owner::Execution(_) => "execution",
        Owner::Queue(_) => "queue",
        Owner::Run(_) => "run",
        Owner::Roadmap(_) => "roadmap",
        Owner::Wisdom => "entry",
    };
    let files = words::count(usize::try_from(files).unwrap_or(usize::MAX), "file");
    let reason = format!("{files} skipped, because its record was not imported and is not here");
    Skipped { unit: unit.to_owned(), number: 0, id: Some(owner.id().to_owned()), reason }
}
