//! `commits=required` on a server: each commit that a branch gains carries a trailer of a plan that is or was executed, or
//! is linked by an execution.
//!
//! What a branch has already is not asked again. What any other reference leads to is: else a push to a tag would be the
//! way around. A merge is asked for what it has and none of its parents, unless it is of commits of which one stands on
//! the other: that one says nothing, as git's `--no-ff` makes it, or it is a plain commit.

use std::collections::{BTreeMap, HashMap, HashSet};

use gix::ObjectId;

use super::pre_receive::Update;
use crate::model::hash::CommitHash;
use crate::model::id::SolutionId;
use crate::store::{Ancestors, CodeCommit, Read, Snapshot, Store, StoreError};
use crate::trail::links::{execution_of, solutions};
use crate::trail::{merges, relink, trailers};

/// So many steps through the history are taken to tell the parents of merges apart, in one push.
const MOST_STEPS: usize = 1_000_000;

/// A commit that no execution knows.
struct Unbound<'a> {
    commit: CodeCommit,
    branch: &'a str,
}

impl Unbound<'_> {
    fn told(&self, why: &str) -> String {
        let Self { commit, branch } = self;
        format!("{} \"{}\" on {branch}{why}", commit.id.to_hex_with_len(10), commit.subject)
    }
}

/// The commits that branches would gain and that have no plan behind them, in words. `state` is the store as it would be.
pub(super) fn faults(
    store: &Store,
    state: Option<&Snapshot<'_>>,
    updates: &[Update],
) -> Result<Vec<String>, StoreError> {
    let mut known = Known { state, linked: None, plans: HashMap::new() };
    let mut ancestors = Ancestors::new(store, MOST_STEPS);
    let mut faults = Vec::new();
    let mut merges = BTreeMap::new();
    for (id, branch) in gained(store, updates)? {
        let it = Unbound { commit: store.code_commit(id)?, branch };
        if known.knows(&it.commit)? {
            continue;
        }
        match joined(store, &mut ancestors, &it.commit)? {
            Joined::Nothing => faults.push(it.told("")),
            Joined::NothingNew => {}
            Joined::Others => drop(merges.insert(it.commit.id, it)),
            Joined::TooMany => faults.push(it.told(TOO_MANY)),
        }
    }
    let own = merges::own_changes(store, merges.values().map(|it| &it.commit))?;
    for it in merges.values() {
        let changed = own.changes.get(&it.commit.id).and_then(|files| files.keys().next());
        if own.unseen.contains(&it.commit.id) {
            faults.push(it.told(TOO_MUCH));
        } else if let Some(file) = changed {
            faults.push(it.told(&format!(", a merge with changes of its own in `{file}`")));
        }
    }
    Ok(faults)
}

const TOO_MANY: &str =
    ", a merge of more than can be looked at: it needs a plan, or fewer commits in one push";
const TOO_MUCH: &str = ", a merge whose trees unfold to more files than can be looked at";

/// What a commit joins.
enum Joined {
    /// It is no merge.
    Nothing,
    /// A commit with what it stands on, and it holds what that commit does.
    NothingNew,
    /// Commits that do not stand on each other.
    Others,
    /// More than anybody can tell apart.
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
        // What a parent had that another one stands on would pass for something that the merge only joins.
        Some(_) => Joined::Nothing,
    })
}

/// The commits that branches would gain, each once, with the name of the first branch.
fn gained<'a>(store: &Store, updates: &'a [Update]) -> Result<Vec<(ObjectId, &'a str)>, StoreError> {
    let failed = StoreError::object("cannot read what was pushed");
    let repo = store.repo();
    let is_commit =
        |id: &ObjectId| repo.find_header(*id).is_ok_and(|it| it.kind() == gix::objs::Kind::Commit);
    let is_branch = |name: &str| name.starts_with("refs/heads/") && name != store.reference();
    let mut present = Vec::new();
    for reference in repo.references().and_then(|all| all.all().map(Vec::from_iter)).map_err(&failed)? {
        // A reference that cannot be read leads nowhere.
        let Ok(mut reference) = reference else { continue };
        if is_branch(&reference.name().as_bstr().to_string()) {
            present.extend(reference.peel_to_id().ok().map(gix::Id::detach).filter(is_commit));
        }
    }
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for update in updates.iter().filter(|update| is_branch(&update.name)) {
        let Some(new) = update.new.filter(is_commit) else { continue };
        let branch = update.name.trim_start_matches("refs/heads/");
        let walk = repo.rev_walk([new]).with_hidden(present.iter().copied()).all().map_err(&failed)?;
        for info in walk {
            let id = info.map_err(&failed)?.id;
            if seen.insert(id) {
                found.push((id, branch));
            }
        }
    }
    Ok(found)
}

/// What the store knows of commits. None of it is read before it is needed, and nothing twice.
struct Known<'a> {
    state: Option<&'a Snapshot<'a>>,
    linked: Option<HashSet<CommitHash>>,
    /// Whether a plan is or was executed.
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

    fn is_executed(&mut self, state: &impl Read, solution: SolutionId) -> Result<bool, StoreError> {
        if let Some(known) = self.plans.get(&solution) {
            return Ok(*known);
        }
        let is_executed = execution_of(state, &solution)?.is_some();
        self.plans.insert(solution, is_executed);
        Ok(is_executed)
    }
}
