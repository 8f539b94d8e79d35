//! Unusual changes that an exchange brought in.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::model::{IssueId, Op, count};
use crate::ops::{Notice, Refusal, issues, queue, work};
use crate::rules::{DependencyCycle, readiness};
use crate::store::{Location, ObjectId, Owner, Rewritten, Store, layout, read_blob};
use crate::sync::{Moved, Synced};

/// At most this many are named; the view has all of them.
const NAMED: usize = 10;

/// Notices about an exchange that another operation made; `before` is the tip before it.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn came_with(
    store: &Store,
    synced: &Synced,
    before: Option<ObjectId>,
) -> Result<Vec<Notice>, Refusal> {
    let mut notices = losses(synced);
    if synced.merged != Moved::None
        && let Some(before) = before
    {
        let (before, now) = (store.snapshot_at(before)?, store.snapshot()?);
        notices.extend(work::notices_of_ends_apart(store, &before, &now)?);
    }
    Ok(notices)
}

/// Reports what the remote had lost and this store kept or restored.
pub(crate) fn losses(synced: &Synced) -> Vec<Notice> {
    let remote = &synced.remote;
    let mut notices: Vec<Notice> = waited(synced).into_iter().chain(apart(synced)).collect();
    if synced.rewound {
        notices.push(Notice::warning(format!(
            "`{remote}` was reset to an earlier state; its later commits are kept"
        )));
    }
    if !synced.restored.is_empty() {
        notices.push(Notice::warning(format!(
            "restored records that `{remote}` had lost or damaged: {}",
            some(&synced.restored)
        )));
    }
    if !synced.refused.is_empty() {
        notices.push(Notice::warning(format!(
            "skipped or repaired entries of `{remote}` that do not belong in a store: {}",
            some(&synced.refused)
        )));
    }
    notices
}

/// Reports that a command waited because of the host's rate limit.
pub(super) fn waited(synced: &Synced) -> Option<Notice> {
    let Synced { remote, waited_seconds: seconds, .. } = synced;
    (*seconds > 0).then(|| {
        let waited = format!("`{remote}` limits the rate of requests, so this waited {seconds} s");
        Notice::note(waited)
    })
}

/// Reports the URLs of a remote that did not take a push, although the one that is fetched from has it.
pub(super) fn apart(synced: &Synced) -> Option<Notice> {
    let urls = synced.apart.join(", ");
    (!urls.is_empty())
        .then(|| Notice::warning(format!("another URL of `{}` did not take the push: {urls}", synced.remote)))
}

/// The first few paths, and how many more there are.
pub(crate) fn some(paths: &[String]) -> String {
    let mut named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
    let rest = format!("and {} more", paths.len() - named.len());
    if paths.len() > NAMED {
        named.push(&rest);
    }
    named.join(", ")
}

/// Changes that no operation makes, and their authors.
pub(super) fn rewritten(rewritten: &[Rewritten]) -> Vec<Notice> {
    let mut notices: Vec<Notice> = rewritten
        .iter()
        .take(NAMED)
        .map(|rewritten| {
            let commit = rewritten.commit.short();
            Notice::error(format!(
                "`{}`: {} {} in commit {commit}",
                rewritten.path, rewritten.author, rewritten.what
            ))
        })
        .collect();
    if rewritten.len() > NAMED {
        let more = rewritten.len() - NAMED;
        notices
            .push(Notice::error(format!("and {more} more such changes")).remedy(Op::Fsck, "lists them all"));
    }
    notices
}

/// At most this many of the files that came in are read.
const MOST_READ: usize = 2000;

/// The number of records and entries among what came in that cannot be read.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn unreadable(store: &Store, before: ObjectId) -> Result<Option<Notice>, Refusal> {
    let (before, now) = (store.snapshot_at(before)?, store.snapshot()?);
    let (files, _) = store.differences_within(Some(before.tree()), now.tree(), MOST_READ)?;
    let mut broken = 0;
    for file in files {
        let Some(id) = file.new_file() else { continue };
        if matches!(layout::form(&file.path).0, layout::Form::Unknown) {
            continue;
        }
        let bytes = read_blob(store.repo(), id, &file.path)?;
        broken += usize::from(layout::sound(&file.path, &bytes).is_err());
    }
    let what = match broken {
        0 => return Ok(None),
        1 => "an incoming record cannot be read, and is skipped".to_owned(),
        _ => format!("{broken} incoming records cannot be read, and are skipped"),
    };
    Ok(Some(Notice::warning(what).remedy(Op::Fsck, "names what is wrong")))
}

/// The cycles of dependencies and relations that came about: each side of a merge may have added a part of one.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn cycles(store: &Store, before: ObjectId) -> Result<Vec<Notice>, Refusal> {
    let (before, now) = (store.snapshot_at(before)?, store.snapshot()?);
    let (files, _) = store.differences_within(Some(before.tree()), now.tree(), MOST_READ)?;
    let changed: Vec<IssueId> = files
        .iter()
        .filter_map(|file| match Location::parse(&file.path)? {
            Location::Record(Owner::Issue(id)) => Some(id),
            _ => None,
        })
        .collect();
    let facts = queue::facts_of(&now, changed.iter().cloned())?;
    let stuck = readiness::stuck_in_cycles(&changed, &facts);
    let cycles: BTreeSet<&Rc<DependencyCycle>> = stuck.values().collect();
    let mut notices: Vec<Notice> = cycles.into_iter().map(|cycle| Notice::of_cycle(cycle)).collect();
    let related = issues::relation_cycles(&now, changed)?;
    notices.extend(related.iter().map(Notice::of_relations));
    notices.truncate(NAMED);
    Ok(notices)
}

/// The number of fields that two clones changed differently.
pub(super) fn conflicts(open: usize) -> Option<Notice> {
    let changed = format!("{} changed differently in two clones", count(open, "field"));
    (open > 0).then(|| Notice::warning(changed).remedy(Op::Conflicts, "shows both values"))
}
