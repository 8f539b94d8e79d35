//! `commits=required` on a server: each commit that a branch gains must carry the trailer of a plan that is or was
//! executed, or be linked by an execution.
//!
//! Commits that a branch already has are not checked again. Commits that only another ref contains are checked:
//! otherwise a push to a tag first would get around the check. A merge needs no plan if git makes the same merge of
//! its parents by itself, see [`merges`].

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::push::Update;
use crate::git::{self, Ancestors, ObjectId};
use crate::model::{CommitHash, SolutionId, branch, shell};
use crate::store::{CodeCommit, ReadState, Snapshot, Store, StoreError, one_line};
use crate::trail::links::{execution_of, solutions};
use crate::trail::merges::{self, MergeBudget};
use crate::trail::{relink, trailers};

/// At most this many steps through the history are made for one push to find which parents of its merges are
/// ancestors of others.
const MOST_STEPS: usize = 1_000_000;

/// A commit without a plan.
struct Unbound<'a> {
    commit: CodeCommit,
    branch: &'a str,
}

impl Unbound<'_> {
    fn described(&self, why: &str) -> String {
        let Self { commit, branch } = self;
        format!("{} \"{}\" on {branch}{why}", git::short(commit.id), commit.subject)
    }
}

/// The commits without a plan that branches would gain, described. `state` is the store as it would be after the
/// push.
pub(super) fn faults(
    store: &Store,
    state: Option<&Snapshot<'_>>,
    updates: &[Update],
) -> Result<Vec<String>, StoreError> {
    let mut known = Known { state, linked: None, plans: HashMap::new() };
    let mut ancestors = Ancestors::new(store.repo(), MOST_STEPS);
    let mut faults: Vec<(ObjectId, String)> = Vec::new();
    let mut merges = BTreeMap::new();
    let gained = gained(store, updates)?;
    for (id, branch) in &gained {
        let unbound = Unbound { commit: store.code_commit(*id)?, branch };
        if known.knows(&unbound.commit)? {
            continue;
        }
        match joined(store, &mut ancestors, &unbound.commit)? {
            Joined::Nothing => faults.push((*id, unbound.described(""))),
            Joined::NothingNew => {}
            Joined::Others => drop(merges.insert(unbound.commit.id, unbound)),
            Joined::TooMany => faults.push((*id, unbound.described(TOO_MANY))),
        }
    }
    let own =
        merges::own_changes(store, merges.values().map(|merge| &merge.commit), MergeBudget::of_a_push())?;
    for merge in merges.values() {
        let changed = own.changes.get(&merge.commit.id).and_then(|files| files.keys().next());
        if let Some(why) = own.unseen.get(&merge.commit.id) {
            let why = format!(", a merge that needs a plan, since it cannot be checked: {why}");
            faults.push((merge.commit.id, merge.described(&why)));
        } else if let Some(file) = changed {
            let why = format!(", a merge with changes of its own in `{}`", one_line(file));
            faults.push((merge.commit.id, merge.described(&why)));
        }
    }
    // First, since it is the way out for many of them.
    let way = behind_a_tag(store, &gained, &faults.iter().map(|(id, _)| *id).collect())?;
    Ok(way.into_iter().chain(faults.into_iter().map(|(_, message)| message)).collect())
}

const TOO_MANY: &str =
    ", a merge of too many commits to compare: give it a plan, or push fewer commits at once";
/// What a merge joins.
enum Joined {
    /// The commit is not a merge.
    Nothing,
    /// A commit and its own ancestor, and the tree is that of the commit.
    NothingNew,
    /// Commits none of which is an ancestor of another.
    Others,
    /// Too many to find out.
    TooMany,
}

fn joined(store: &Store, ancestors: &mut Ancestors<'_>, commit: &CodeCommit) -> Result<Joined, StoreError> {
    let parents = commit.parents.iter().collect::<HashSet<_>>().len();
    if parents < 2 {
        return Ok(Joined::Nothing);
    }
    Ok(match ancestors.independent(&commit.parents)?.as_deref() {
        None => Joined::TooMany,
        Some([one]) if store.code_tree_of(*one)? == store.code_tree_of(commit.id)? => Joined::NothingNew,
        Some(found) if found.len() == parents => Joined::Others,
        // `--no-ff` merges a commit with its own ancestor, and then changes nothing else.
        Some(_) => Joined::Nothing,
    })
}

/// How to continue with commits that a tag of this repository contains but no branch does. Nobody checked them when the
/// tag was pushed, so only someone who works on the server itself can accept them. Names the tag that contains most
/// of the rejected commits.
fn behind_a_tag(
    store: &Store,
    gained: &[(ObjectId, &str)],
    at_fault: &HashSet<ObjectId>,
) -> Result<Option<String>, StoreError> {
    if at_fault.is_empty() {
        return Ok(None);
    }
    let order: HashMap<ObjectId, usize> = gained.iter().enumerate().map(|(n, (id, _))| (*id, n)).collect();
    let mut tags = Vec::new();
    let failed = StoreError::object("cannot read the references");
    for tag in store.repo().tags().map_err(failed)? {
        let name = tag.short_name();
        if let Some(n) = tag.target().and_then(|id| order.get(&id)) {
            tags.push((*n, name));
        }
    }
    // Newest first, since its history contains most of the others.
    tags.sort();
    let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
    let mut behind_others = HashSet::new();
    let mut best: Option<(usize, String)> = None;
    let mut steps = 0;
    for (n, name) in tags {
        let tip = gained[n].0;
        if behind_others.contains(&tip) {
            continue;
        }
        let (mut seen, mut open) = (HashSet::from([tip]), vec![tip]);
        while steps < MOST_STEPS
            && let Some(id) = open.pop()
        {
            steps += 1;
            let above = match parents.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(store.code_commit(id)?.parents),
            };
            open.extend(above.iter().filter(|id| order.contains_key(*id) && seen.insert(**id)));
        }
        let count = seen.intersection(at_fault).count();
        if count > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((count, name));
        }
        behind_others.extend(seen);
    }
    Ok(best.map(|(_, name)| {
        let name = shell::word(&name);
        format!(
            "no branch here has the commits of the tag {name}: to accept them as they are, create a branch on the \
             server itself with `git branch NAME {name}`, and push again"
        )
    }))
}

/// The commits that branches would gain, each once, with the name of the first such branch.
fn gained<'a>(store: &Store, updates: &'a [Update]) -> Result<Vec<(ObjectId, &'a str)>, StoreError> {
    let failed = StoreError::object("cannot read what was pushed");
    let repo = store.repo();
    let mut present = Vec::new();
    for branch in repo.branches().map_err(&failed)? {
        if is_code_branch(store, &branch.name()) {
            present.extend(branch.target().filter(|id| repo.is_commit(*id)));
        }
    }
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for update in updates.iter().filter(|update| is_code_branch(store, &update.name)) {
        let Some(new) = update.new.filter(|id| repo.is_commit(*id)) else { continue };
        let branch = branch::short(&update.name);
        let walk = repo.walk([new], present.iter().copied()).map_err(&failed)?;
        for info in walk {
            let id = info.map_err(&failed)?.id;
            if seen.insert(id) {
                found.push((id, branch));
            }
        }
    }
    Ok(found)
}

/// Whether a ref is a branch other than the one with the store.
fn is_code_branch(store: &Store, name: &str) -> bool {
    name.starts_with("refs/heads/") && name != store.reference()
}

/// What the store says about commits; read on demand, and only once.
struct Known<'a> {
    state: Option<&'a Snapshot<'a>>,
    linked: Option<HashSet<CommitHash>>,
    /// Whether the plan is or was executed.
    plans: HashMap<SolutionId, bool>,
}

impl Known<'_> {
    fn knows(&mut self, commit: &CodeCommit) -> Result<bool, StoreError> {
        let Some(state) = self.state else { return Ok(false) };
        for solution in solutions(state, &trailers::parse(&commit.message))? {
            if self.is_executed(state, solution)? {
                return Ok(true);
            }
        }
        let linked = match &mut self.linked {
            Some(linked) => linked,
            None => self.linked.insert(relink::linked(state)?),
        };
        Ok(linked.contains(&CommitHash::from(commit.id)))
    }

    fn is_executed(&mut self, state: &impl ReadState, solution: SolutionId) -> Result<bool, StoreError> {
        if let Some(known) = self.plans.get(&solution) {
            return Ok(*known);
        }
        let is_executed = execution_of(state, &solution)?.is_some();
        self.plans.insert(solution, is_executed);
        Ok(is_executed)
    }
}
