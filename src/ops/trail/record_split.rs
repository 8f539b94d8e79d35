//! Records that commits which `git reset` took away were made again in parts.

use std::collections::BTreeSet;

use crate::model::{CommitHash, Event, ExecutionId, Op, Rewrite, count};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::store::records;
use crate::trail::sources::Sources;

/// In each execution that links some of the commits `taken`, lets these lead to the last of the `parts` that it links. The parts
/// come newest first. This needs no permit of a role: git has done it.
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
            let linked: BTreeSet<CommitHash> =
                folder.commits().into_iter().map(|commit| commit.link.hash).collect();
            let Some(new) = parts.iter().find(|part| linked.contains(*part)) else { continue };
            for old in taken.iter().filter(|old| linked.contains(*old)) {
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
