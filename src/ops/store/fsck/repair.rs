//! Repairs the store in one commit.

use super::heal::{self, Healed};
use super::{gone, history};
use crate::model::{Op, count};
use crate::ops::store::purge::mend_trees;
use crate::ops::{Answer, Notice, Session};
use crate::store::merge;

/// What a repair did.
#[derive(Debug)]
pub(crate) struct Repaired {
    /// Entries that git refuses and that were removed from the tree.
    pub(crate) removed: Vec<String>,
    /// Records that were restored.
    pub(crate) restored: Vec<String>,
    /// Records that can be changed again.
    pub(crate) freed: Vec<String>,
    /// Entries that were set aside.
    pub(crate) aside: Vec<String>,
    /// Records that were rewritten in canonical form.
    pub(crate) rewritten: Vec<String>,
}

/// Restores what was deleted or made unreadable, and repairs records with stamps in the future, in one commit.
///
/// # Errors
/// `doubted-clock` if commits by others are dated after this clock, unless `trust_clock` is set.
pub(crate) fn repair(session: &Session, trust_clock: bool) -> Answer<Repaired> {
    let permit = session.permit(Op::Fsck)?;
    let store = session.store();
    gone::refuse_migrated(store)?;
    let to_heal = heal::wanted(store, trust_clock)?;
    let repairs = history::repairs(store)?;
    let tip = store.existing_tip()?;
    store.refuse_unmergeable(tip, None)?;
    let mut removed = merge::refused(&store.in_memory(), store.commit_tree(tip)?)?;
    let rewritten = mend_trees(store)?;
    if rewritten > 0 {
        let (commits, reference) = (count(rewritten, "commit"), store.reference());
        session.notice(Notice::warning(format!(
            "{commits} of the history had to be rewritten; `git push REMOTE +{reference}` replaces them where the \
             old ones are"
        )));
    }
    removed.extend(store.mend()?.map(|mended| mended.refused).unwrap_or_default());
    let committed = session.transact(permit, |tx| {
        for (path, bytes) in &repairs {
            tx.write(path.clone(), bytes.clone())?;
        }
        let healed = heal::heal(tx, &to_heal)?;
        tx.describe(subject(repairs.len(), &healed));
        Ok(healed)
    })?;
    let healed = committed.answer;
    if healed.is_by_clock() {
        let clock = format!("judged by the clock of this machine, which says {}", to_heal.now);
        session.notice(Notice::warning(clock));
    }
    for path in &healed.stuck {
        let why = "already repaired as often as possible; only rewriting the history of the ref helps";
        session.notice(Notice::warning(format!("`{path}`: {why}")));
    }
    let removed = removed.into_iter().collect();
    let mut view = Repaired { removed, restored: vec![], freed: vec![], aside: vec![], rewritten: vec![] };
    if committed.commit.is_some() {
        view.restored = repairs.into_keys().collect();
        view.freed = [healed.freed, healed.emptied].concat();
        (view.aside, view.rewritten) = (healed.aside, healed.rewritten);
    }
    Ok(session.done(view, committed.commit))
}

fn subject(restored: usize, healed: &Healed) -> String {
    let parts = [
        (restored, "restore", "record"),
        (healed.freed.len() + healed.emptied.len(), "repair", "record"),
        (healed.aside.len(), "set aside", "entry"),
        (healed.rewritten.len(), "rewrite", "record"),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let said = parts.map(|(n, verb, what)| match (*n, *what) {
        (n, "entry") if n > 1 => format!("{verb} {n} entries"),
        (n, what) => format!("{verb} {}", count(n, what)),
    });
    format!("fsck: {}", said.collect::<Vec<_>>().join(", "))
}
