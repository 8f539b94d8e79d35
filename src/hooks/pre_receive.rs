//! `pre-receive`: what must hold against anyone, checked where everybody pushes to, by the policy that held before the
//! push.
//!
//! The ref moves forward only, keeps what is there, and brings sound records. Where the policy asks for it, what is
//! claimed was reviewed and what is completed has its evidence (see [`gates`]), and each new commit of a branch carries a
//! trailer of a plan that is or was executed, or is linked by an execution. Merges are not asked: what they bring was. A
//! commit that a tag alone leads to is not looked at.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::{HookError, Verdict, gates};
use crate::store::{Read, Snapshot, Store, StoreError, object_id, records};
use crate::trail::links::{execution_of, solutions};
use crate::trail::{relink, trailers};

/// So many faults are told.
const MOST_TOLD: usize = 10;

/// One line of the hook's stdin.
#[derive(Debug)]
struct Update {
    /// None where the reference is new.
    old: Option<ObjectId>,
    /// None where it is deleted.
    new: Option<ObjectId>,
    name: String,
}

/// Looks at everything that is pushed at once: git takes all of it or nothing.
pub(crate) fn run(store: Store, input: &[u8]) -> Result<Verdict, HookError> {
    let held = store.with_quarantine()?;
    let store = &held.store;
    let Some(updates) = input.lines().map(update).collect::<Option<Vec<Update>>>() else {
        let what = "git did not say which references are pushed".to_owned();
        return Ok(refused(what, vec![], "`pre-receive` reads lines of `old new name` from stdin"));
    };
    let of_store = updates.iter().find(|it| it.name == store.reference());
    if let Some(update) = of_store {
        let faults = match update.new {
            Some(new) => store.check_received(update.old, new)?,
            None => vec!["it cannot be deleted".to_owned()],
        };
        if !faults.is_empty() {
            return Ok(refused(format!("`{}` may not move so", update.name), faults, UNSOUND));
        }
    }
    let Some(tip) = store.tip()? else { return Ok(Verdict::Go) };
    let before = store.snapshot_at(tip)?;
    let policy = records::root(&before)?.policy;
    let mut forced = Vec::new();
    let after = match of_store.and_then(|it| it.new) {
        Some(new) => {
            let after = store.snapshot_at(new)?;
            let passed = gates::look(store, &before, &after, &policy)?;
            if !passed.faults.is_empty() {
                let what = "the policy asks for reviews or evidence that are not there";
                return Ok(refused(what.into(), passed.faults, UNSHOWN));
            }
            forced = passed.forced;
            after
        }
        None => before,
    };
    if policy.commits.as_deref() == Some("required") {
        let faults = unbound(store, &after, &updates)?;
        if !faults.is_empty() {
            let what = "the policy asks for a plan behind each commit, and some name none that is executed";
            return Ok(refused(what.into(), faults, UNBOUND));
        }
    }
    Ok(if forced.is_empty() { Verdict::Go } else { Verdict::Told(told(forced)) })
}

/// What was let in over a gate, in one line.
fn told(mut forced: Vec<String>) -> String {
    let more = forced.len().saturating_sub(MOST_TOLD);
    forced.truncate(MOST_TOLD);
    if more > 0 {
        forced.push(format!("{more} more"));
    }
    format!("let in over a gate: {}", forced.join("; "))
}

const UNSOUND: &str =
    "`git wf sync` merges what is there and pushes the result; `git wf fsck` says what is wrong";
const UNSHOWN: &str = "`git wf verify` and `git wf link` record evidence, `git wf solution review` a review; `git wf reopen` begins anew";
const UNBOUND: &str =
    "`git wf sync` publishes the links that the hooks recorded; `git wf link COMMIT SOLUTION` makes one";

fn refused(what: String, mut details: Vec<String>, hint: &'static str) -> Verdict {
    let more = details.len().saturating_sub(MOST_TOLD);
    details.truncate(MOST_TOLD);
    if more > 0 {
        details.push(format!("and {more} more"));
    }
    Verdict::NotReceived { what, details, hint }
}

fn update(line: &[u8]) -> Option<Update> {
    let mut words = line.splitn(3, |c| *c == b' ');
    let mut id = || Some(object_id(words.next()?.to_str().ok()?)?).map(|id| (!id.is_null()).then_some(id));
    let (old, new) = (id()?, id()?);
    Some(Update { old, new, name: words.next()?.to_str_lossy().into_owned() })
}

/// The commits that branches would gain and that belong to no execution.
fn unbound(store: &Store, state: &Snapshot<'_>, updates: &[Update]) -> Result<Vec<String>, StoreError> {
    let failed = StoreError::object("cannot read what was pushed");
    let repo = store.repo();
    let mut present = Vec::new();
    for reference in repo.references().and_then(|all| all.all().map(Vec::from_iter)).map_err(&failed)? {
        // A reference that cannot be read leads nowhere.
        let Ok(mut reference) = reference else { continue };
        present.extend(reference.peel_to_id().ok().map(gix::Id::detach));
    }
    let is_commit =
        |id: &ObjectId| repo.find_header(*id).is_ok_and(|it| it.kind() == gix::objs::Kind::Commit);
    present.retain(is_commit);
    let mut linked: Option<HashSet<String>> = None;
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for update in updates {
        let Some(branch) = update.name.strip_prefix("refs/heads/") else { continue };
        let Some(new) = update.new.filter(|new| update.name != store.reference() && is_commit(new)) else {
            continue;
        };
        let walk = repo.rev_walk([new]).with_hidden(present.iter().copied()).all().map_err(&failed)?;
        for info in walk {
            let id = info.map_err(&failed)?.id;
            if !seen.insert(id) {
                continue;
            }
            let commit = store.code_commit(id)?;
            if commit.parents.len() > 1 || names_plan(state, &commit.message)? {
                continue;
            }
            let linked = match &mut linked {
                Some(linked) => linked,
                None => linked.insert(relink::linked(state)?),
            };
            if !linked.contains(&id.to_string()) {
                faults.push(format!("{} \"{}\" on {branch}", id.to_hex_with_len(10), commit.subject));
            }
        }
    }
    Ok(faults)
}

/// Whether a message has the trailer of a plan that is or was executed.
fn names_plan(state: &impl Read, message: &[u8]) -> Result<bool, StoreError> {
    for solution in solutions(state, &trailers::parse(message))? {
        if execution_of(state, &solution)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
