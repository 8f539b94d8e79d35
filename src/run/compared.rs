//! Compares the repository before and after a step: which refs, records and work trees of the user differ, and whether
//! an agent changed them. See [`super::outside`].

mod kept;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::PoisonError;

use self::kept::{Kept, now_on, now_the};
use super::job::AgentJob;
use super::leftovers::keep_tree;
use super::outside::{breach, is_same, pushed_words};
use super::users_trees::{self, BRANCH, CHANGED, REMARK, WorktreeSnapshot, path_of};
use crate::agent::traced::GitAct;
use crate::git;
use crate::git::raw::{self, RawContent};
use crate::model::branch;
use crate::model::run_log::Breach;
use crate::ops::Refusal;
use crate::ops::work::runs::tree;
use crate::rules::roles;
use crate::rules::run::{is_left_to_all, is_private_or_remote};
use crate::store::{ObjectId, Store, StoreError};

/// How many files of a work tree a record names.
const SHOWN: usize = 5;
/// The latest entry of `git stash`, and the log with the earlier ones.
const STASH: &str = "refs/stash";
const STASH_LOG: &str = "logs/refs/stash";

/// The repository before a step.
pub(super) struct Before {
    store: Store,
    refs: BTreeMap<String, ObjectId>,
    stash: Option<RawContent>,
    /// How each of the user's worktrees looked.
    trees: Vec<WorktreeSnapshot>,
}

impl Before {
    pub(super) fn look(job: &AgentJob) -> Result<Self, Refusal> {
        // The agent may remove its worktree.
        let store = job.identity.shared()?;
        let stash = raw::read(&store.common_dir(), Path::new(STASH_LOG)).ok();
        let trees = job.outside.looks_before(&store);
        Ok(Self { refs: refs(&store)?, trees, stash, store })
    }

    /// Differences that nobody was entitled to make.
    pub(super) fn breaches(&self, job: &AgentJob) -> Result<Vec<Breach>, Refusal> {
        let acts = job.guard.acts();
        let _only = job.outside.comparing.lock().unwrap_or_else(PoisonError::into_inner);
        let (after, left) = (refs(&self.store)?, job.outside.states_after());
        let look = TreeComparison { before: self, job, acts: &acts, after: &after };
        // First, since a branch that is checked out cannot be removed.
        let switched = look.switch_back(&left);
        let mut found: Vec<Breach> = Vec::new();
        let names: BTreeSet<&String> = self.refs.keys().chain(after.keys()).collect();
        for name in names {
            let (old, new) = (self.refs.get(name).copied(), after.get(name).copied());
            if old != new && !is_private_or_remote(name) {
                // A failure to examine one of them must not hide the others.
                found.extend(look.of_ref(name, old, new).unwrap_or_else(|refusal| {
                    Some(breach(
                        job,
                        None,
                        format!("`{name}` cannot be inspected: {}", refusal.message),
                        false,
                    ))
                }));
            }
        }
        found.extend(look.of_records()?);
        found.extend(look.of_trees(&left, &switched)?);
        if job.outside.trees.iter().any(|(tree, _)| look.act_in(tree).is_some()) {
            job.outside.states_after();
        }
        let pushed = acts.iter().filter(|act| act.has_pushed());
        found.extend(pushed.map(|act| {
            let breach = breach(job, Some(act), "it pushed".to_owned(), false);
            Breach { what: format!("{}; {}", breach.what, pushed_words(act)), ..breach }
        }));
        Ok(found)
    }
}

fn refs(store: &Store) -> Result<BTreeMap<String, ObjectId>, Refusal> {
    let failed = StoreError::object("cannot read the references");
    Ok(store.repo().all_refs().map_err(failed)?)
}

const TAGS: &str = "refs/tags/";
const NOTES: &str = "refs/notes/";

struct TreeComparison<'a> {
    before: &'a Before,
    job: &'a AgentJob,
    acts: &'a [GitAct],
    after: &'a BTreeMap<String, ObjectId>,
}

impl TreeComparison<'_> {
    /// The command of the agent that moved a ref, if it ran one.
    fn act_on(&self, name: &str) -> Option<&GitAct> {
        let branch = name.strip_prefix("refs/heads/");
        let is_there = |act: &&GitAct| {
            act.has_worked() && (act.names(name) || (act.moves_here() && self.is_checked_out(act, branch)))
        };
        self.acts.iter().find(is_there)
    }

    /// Whether this branch was checked out where the command ran.
    fn is_checked_out(&self, act: &GitAct, branch: Option<&str>) -> bool {
        let (Some(branch), Some(worktree)) = (branch, &act.worktree) else { return false };
        let mut trees = self.job.outside.trees.iter().zip(&self.before.trees);
        trees.any(|((tree, _), state)| {
            is_same(tree, worktree)
                && state.lines.iter().any(|line| line.strip_prefix(BRANCH) == Some(branch))
        })
    }

    fn of_ref(
        &self,
        name: &str,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Option<Breach>, Refusal> {
        let store = &self.before.store;
        // The driver restores the records, and checks that none are missing.
        if name == store.reference() {
            let act = self
                .act_on(name)
                .filter(|_| self.job.guard.bounds().branch.as_ref().is_none_or(|own| own != name));
            return Ok(act.map(|act| breach(self.job, Some(act), format!("`{name}` was changed"), true)));
        }
        let is_own = self.job.guard.bounds().branch.as_ref().is_some_and(|own| own == name);
        let shown = branch::short(name);
        let act = self.act_on(name);
        // Everything on the user's side is restored in the end.
        if self.job.outside.is_alone && act.is_none() && !is_own && !is_left_to_all(name) {
            return Ok(None);
        }
        match (old, new) {
            (Some(old), None) => {
                // The run itself also deletes branches whose work is elsewhere.
                if act.is_none() && !is_own && is_left_to_all(name) && self.is_held(old, name)? {
                    return Ok(None);
                }
                let undone = self.bring_back(name, old)?;
                Ok(self.recorded(act, format!("`{shown}` was deleted at {}", git::short(old)), undone))
            }
            (Some(_), Some(_)) if is_own => Ok(None),
            (Some(old), Some(new)) if act.is_none() && name.starts_with(TAGS) => {
                let (undone, kept) = self.put_back(name, new, Some(old))?;
                Ok(self.recorded(None, format!("`{shown}` was moved from {old} to {new}{kept}"), undone))
            }
            (Some(old), Some(_)) if act.is_none() && self.has_lost(name, old)? => {
                let (undone, kept) = match self.keep(old, name)? {
                    Kept::Held => return Ok(None),
                    Kept::On(branch) => (true, now_on(&branch)),
                    Kept::Tag(tag) => (true, now_the(&tag)),
                    Kept::No(why) => (false, format!(": {why}")),
                };
                Ok(self.recorded(None, format!("`{shown}` lost {}{kept}", git::short(old)), undone))
            }
            (Some(old), Some(new)) => {
                let Some(act) = act else {
                    let is_unlogged = name.starts_with("refs/heads/") && self.is_unlogged(name)?;
                    let what = format!(
                        "`{shown}` was moved from {} to {} without git, as its reflog shows",
                        git::short(old),
                        git::short(new)
                    );
                    return Ok(if is_unlogged { self.recorded(None, what, false) } else { None });
                };
                let why = store.repo().reflog(name, 1)?.into_iter().next().map(|it| it.why);
                // The user also worked there, and the agent's command did something else.
                if why.is_some_and(|why| !act.accounts_for(&why)) {
                    return Ok(None);
                }
                let (undone, kept) = match self.is_one_move(name, old, new)? {
                    true => self.put_back(name, new, Some(old))?,
                    false => (false, String::new()),
                };
                let what =
                    format!("`{shown}` was moved from {} to {}{kept}", git::short(old), git::short(new));
                Ok(Some(breach(self.job, Some(act), what, undone)))
            }
            (None, Some(new)) => {
                let Some(act) = act else { return Ok(None) };
                let others = |(other, id): (&String, &ObjectId)| other != name && *id == new;
                let is_held = self.after.iter().any(others) || self.before.refs.values().any(|id| *id == new);
                let is_safe = (is_held || store.repo().header(new).is_ok()) && self.leaves(name, new)?;
                let (undone, kept) = match is_safe {
                    true => self.put_back(name, new, None)?,
                    false => (false, String::new()),
                };
                Ok(Some(breach(self.job, Some(act), format!("`{shown}` was created{kept}"), undone)))
            }
            (None, None) => Ok(None),
        }
    }

    /// Restores a ref that is missing, or that git cannot read.
    fn bring_back(&self, name: &str, old: ObjectId) -> Result<bool, Refusal> {
        let store = &self.before.store;
        let is_back = store.git().bring_back(name, old, &store.common_dir())?;
        if let (true, true, Some(log)) = (is_back, name == STASH, &self.before.stash) {
            // Even if the log cannot be written, the latest entry is restored.
            let _ = raw::write(&store.common_dir(), Path::new(STASH_LOG), log);
        }
        Ok(is_back)
    }

    /// Whether a ref of notes, or the stash, moved to something that lacks earlier entries.
    fn has_lost(&self, name: &str, old: ObjectId) -> Result<bool, Refusal> {
        let store = &self.before.store;
        Ok(if name == STASH {
            match raw::read(&store.common_dir(), Path::new(STASH_LOG)) {
                Ok(log) => !String::from_utf8_lossy(&log.bytes).contains(&old.to_string()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
                // Nobody knows.
                Err(_) => false,
            }
        } else {
            name.starts_with(NOTES) && !self.is_held(old, "")?
        })
    }

    /// A breach; a nameless one only if it was not recorded yet.
    fn recorded(&self, act: Option<&GitAct>, what: String, undone: bool) -> Option<Breach> {
        let is_news = act.is_some() || self.job.outside.is_new(&what);
        is_news.then(|| breach(self.job, act, what, undone))
    }

    /// Whether a ref moved in a single step, so that nobody built on what the agent did.
    fn is_one_move(&self, name: &str, old: ObjectId, new: ObjectId) -> Result<bool, Refusal> {
        let reflog = self.before.store.repo().reflog(name, 2)?;
        let at = |n: usize| reflog.get(n).map(|it| it.commit);
        Ok(reflog.is_empty() || (at(0) == Some(new) && at(1).is_none_or(|before| before == old)))
    }

    /// Whether a ref has a reflog that does not lead to where it is: someone wrote the ref by another program than git.
    fn is_unlogged(&self, name: &str) -> Result<bool, Refusal> {
        let store = &self.before.store;
        let logged = store.repo().reflog(name, 1)?.into_iter().next().map(|it| it.commit);
        Ok(logged.is_some() && store.read_ref(name)? != logged)
    }

    /// Detaches HEAD in the agent's worktree if it is on the branch `name`. Returns false if it is checked
    /// out elsewhere.
    fn leaves(&self, name: &str, at: ObjectId) -> Result<bool, Refusal> {
        let store = &self.before.store;
        for (_, tree) in store.git().checked_out()?.iter().filter(|(branch, _)| branch == name) {
            if !is_same(tree, &self.job.folder) {
                return Ok(false);
            }
            tree::open_of(store, tree)?.git().detach_head(at)?;
        }
        Ok(true)
    }

    /// Changes of records in this agent's name that its role does not allow.
    fn of_records(&self) -> Result<Vec<Breach>, Refusal> {
        let store = &self.before.store;
        let (old, Some(new)) = (self.before.refs.get(store.reference()), store.tip()?) else {
            return Ok(vec![]);
        };
        if old == Some(&new) {
            return Ok(vec![]);
        }
        let (role, actor) = (self.job.role.as_str(), self.job.agent.name());
        let mut found = Vec::new();
        for link in store.commits_between(old.copied(), new)? {
            let step = store.step(link.commit)?;
            let is_its = step.actor.as_deref() == Some(actor) && step.role.as_deref() == Some(role);
            let Some(op) = step.op.filter(|op| is_its && !roles::may(role, op)) else { continue };
            let what = format!("it ran `{op}` on the store, in the commit {}", git::short(link.commit));
            found.push(Breach { agent: Some(actor.to_owned()), ..breach(self.job, None, what, false) });
        }
        Ok(found)
    }

    /// Checks out again what an agent's command left in one of the user's worktrees. Returns the states after that.
    fn switch_back(&self, left: &[Vec<String>]) -> Vec<Vec<String>> {
        let trees = self.job.outside.trees.iter().zip(&self.before.trees).zip(left);
        let switched = trees.map(|(((tree, git), before), left)| {
            let is_back = self.act_in(tree).is_some_and(|_| {
                users_trees::switch_back(&self.before.store, git, &before.lines, left).unwrap_or(false)
            });
            if is_back { users_trees::state(tree, git) } else { left.clone() }
        });
        switched.collect()
    }

    /// The last command of the agent that wrote into a worktree.
    fn act_in(&self, tree: &Path) -> Option<&GitAct> {
        let is_there = |act: &&GitAct| {
            act.may_have_written() && act.worktree.as_deref().is_some_and(|there| is_same(there, tree))
        };
        self.acts.iter().rfind(is_there)
    }

    /// Changes in the user's worktrees: the states that the step left, and those after [`Self::switch_back`].
    fn of_trees(&self, left: &[Vec<String>], switched: &[Vec<String>]) -> Result<Vec<Breach>, Refusal> {
        let mut found = Vec::new();
        let trees = self.job.outside.trees.iter().zip(&self.before.trees).zip(left.iter().zip(switched));
        for (((tree, git), before), (left, switched)) in trees {
            let act = self.act_in(tree);
            let lines = users_trees::difference(&before.lines, left);
            let has_lost = act.is_some() && !before.gone(tree).is_empty();
            if lines.is_empty() && !has_lost {
                continue;
            }
            let store = &self.before.store;
            let undone = act.is_some() && users_trees::restore(store, tree, git, before, switched)?;
            let kept = if undone { String::new() } else { self.kept(tree, before, left)? };
            let what =
                format!("the work tree {} changed: {}{kept}", tree.display(), said(before, left, &lines));
            found.extend(self.recorded(act, what, undone));
        }
        Ok(found)
    }

    /// Keeps what is lost in one of the user's worktrees; says where it is.
    fn kept(&self, tree: &Path, before: &WorktreeSnapshot, left: &[String]) -> Result<String, Refusal> {
        let is_change = |line: &&String| line.starts_with(CHANGED);
        let has_lost = before.lines.iter().filter(is_change).any(|line| !left.contains(line));
        let mut kept = String::new();
        if let Some(changes) = before.changes.filter(|_| has_lost) {
            kept = match self.keep(changes, "")? {
                Kept::Held | Kept::Tag(_) => String::new(),
                Kept::On(branch) => {
                    let branch = branch.operand();
                    format!(" (`git stash apply {branch}` brings back its uncommitted changes)")
                }
                // git removes the commit some day.
                Kept::No(_) => {
                    format!(
                        " (`git stash apply {changes}` brings back its uncommitted changes, if used soon)"
                    )
                }
            };
        }
        let gone = before.gone(tree);
        if !gone.is_empty() {
            let store = &self.before.store;
            let files = store.repo().write_tree_of(&gone)?;
            let branch = keep_tree(store, &store.git(), &self.job.outside.run, files)?;
            kept.push_str(&format!(" (files that git did not track are on `{branch}`)"));
        }
        Ok(kept)
    }
}

/// What is different in one of the user's worktrees, in words.
fn said(before: &WorktreeSnapshot, left: &[String], lines: &BTreeSet<String>) -> String {
    let (old, new) = (users_trees::branch(&before.lines), users_trees::branch(left));
    let switched = old.zip(new).filter(|(old, new)| old != new);
    let switched = switched.map(|(old, new)| format!("its branch was switched from {old} to {new}"));
    let names: BTreeSet<&str> =
        lines.iter().filter(|line| !line.starts_with(REMARK)).map(|line| path_of(line)).collect();
    let more = names.len().saturating_sub(SHOWN);
    let names = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let files = Some(format!("{names}{more}")).filter(|files| !files.is_empty());
    let said: Vec<String> = switched.into_iter().chain(files).collect();
    if said.is_empty() { "files that git did not track are gone".to_owned() } else { said.join("; ") }
}
