//! Records that commits which `git reset` took away were made again in parts.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{CommitHash, Event, ExecutionId, Op, Rewrite, count};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::store::records;
use crate::trail::sources::Sources;

/// In each execution that links some of the commits `taken`, lets these lead to the last of the `parts` that it links and that
/// change one of their files, else to the last that it links. The parts come newest first. This needs no permit of a role: git has done it.
///
/// # Errors
/// Any error from reading or writing the store.
pub(crate) fn record_split(session: &Session, taken: &[CommitHash], parts: &[CommitHash]) -> Answer<()> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let sources = Sources::new(store, &snapshot);
    let mut executions: BTreeSet<ExecutionId> = BTreeSet::new();
    for old in taken {
        executions.extend(sources.known(old)?);
    }
    if executions.is_empty() {
        return Ok(session.done((), None));
    }
    let committed = store.transact(Op::Rewrite, |tx| {
        let mut followed = 0;
        for id in &executions {
            let Some(folder) = records::execution(tx, id, &mut Vec::new())? else { continue };
            let linked: BTreeMap<CommitHash, Vec<String>> =
                folder.commits().into_iter().map(|commit| (commit.link.hash, commit.link.files)).collect();
            for old in taken {
                let Some(files) = linked.get(old) else { continue };
                let Some(new) = part_of(files, parts, &linked) else { continue };
                let rewrite = Rewrite { old: old.clone(), new: new.clone(), tree: None };
                tx.log(id, Event::Rewrite(rewrite))?;
                followed += 1;
            }
        }
        tx.describe(format!("execution: follow the parts of {}", count(followed, "commit")));
        Ok::<_, Refusal>(())
    })?;
    session.notice_all(committed.far_future.warnings().map(Notice::from));
    Ok(session.done((), committed.commit))
}

/// The newest of the `parts` that is linked and changes one of these files, else the newest that is linked.
fn part_of<'a>(
    files: &[String],
    parts: &'a [CommitHash],
    linked: &BTreeMap<CommitHash, Vec<String>>,
) -> Option<&'a CommitHash> {
    let mut newest = None;
    for part in parts {
        let Some(changed) = linked.get(part) else { continue };
        if changed.iter().any(|file| files.contains(file)) {
            return Some(part);
        }
        newest = newest.or(Some(part));
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(digit: &str) -> CommitHash {
        CommitHash::from(crate::git::ObjectId::from_hex(digit.repeat(40).as_bytes()).unwrap())
    }

    #[test]
    fn a_commit_leads_to_the_newest_part_that_has_one_of_its_files() {
        let parts = [hash("a"), hash("b"), hash("c")];
        let linked = BTreeMap::from([
            (hash("b"), vec!["src/b.rs".to_owned()]),
            (hash("c"), vec!["src/c.rs".to_owned()]),
        ]);
        assert_eq!(part_of(&["src/c.rs".to_owned()], &parts, &linked), Some(&parts[2]));
        assert_eq!(part_of(&["src/other.rs".to_owned()], &parts, &linked), Some(&parts[1]));
        assert_eq!(part_of(&[], &parts, &BTreeMap::new()), None);
    }
}
