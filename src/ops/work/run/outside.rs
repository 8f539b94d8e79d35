//! What an agent did outside of its bounds. The repository is looked at before and after each step of an agent, and what
//! its hooks did not stop is recorded, and undone where nothing can be lost by that.
//!
//! Others may work in the repository meanwhile: the user, and other agents of the run. So a change by itself blames nobody.
//! An agent is named only if git's trace of the commands that it ran shows the act. Otherwise a change is recorded, if at
//! all, without a name: a branch that was deleted, and whose commits nothing else holds, comes back; the user's work tree is
//! left as it is; and a branch that moved is taken for the work of whoever it belongs to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::job::{Came, Job, Report, Vain, failure, failure_of};
use crate::agent::secrets::masked;
use crate::agent::traced::GitAct;
use crate::git::Git;
use crate::model::id::RunId;
use crate::model::run_log::Breach;
use crate::ops::Refusal;
use crate::rules::roles;
use crate::rules::run::{is_private_or_remote, unplanned_words};
use crate::store::{EqualTrees, ObjectId, Store, StoreError, object_id};

/// How many files of a work tree a record names.
const SHOWN: usize = 5;

/// What all steps of a run share.
#[derive(Debug)]
pub(super) struct Outside {
    run: RunId,
    /// The worktrees in which the user may work; none if someone promised that nobody does, since those are put back.
    trees: Vec<(PathBuf, Git)>,
    /// What was recorded without a name: each thing once, however many agents were at work.
    told: Mutex<BTreeSet<String>>,
    /// Where the ref of the records was when someone last looked.
    tip: Mutex<Option<ObjectId>>,
}

impl Outside {
    /// `store` is that of the worktree in which the run was started.
    pub(super) fn of(store: &Store, run: &RunId, is_alone: bool) -> Result<Self, Refusal> {
        let trees = match is_alone {
            true => vec![],
            false => user_trees(store),
        };
        let trees =
            trees.into_iter().map(|(tree, git_dir)| (tree.clone(), Git::new(git_dir, Some(&tree)))).collect();
        Ok(Self { run: run.clone(), trees, told: Mutex::default(), tip: Mutex::new(store.tip()?) })
    }

    /// Puts the ref of the records back where it has lost some, since nothing of the run could be recorded otherwise: they
    /// only ever grow. What was done, in words; none if they are all there.
    pub(super) fn keep_records(&self, store: &Store) -> Result<Option<String>, Refusal> {
        let mut last = self.tip.lock().unwrap_or_else(PoisonError::into_inner);
        let tip = store.tip()?;
        let known = std::mem::replace(&mut *last, tip);
        let Some(known) = known.filter(|known| Some(*known) != tip) else { return Ok(None) };
        let is_readable = tip.is_some_and(|tip| store.snapshot_at(tip).is_ok());
        if let Some(tip) = tip.filter(|_| is_readable)
            && store.is_ancestor(known, tip)?
        {
            return Ok(None);
        }
        let reference = store.reference();
        match tip.filter(|_| !is_readable) {
            Some(tip) => drop(store.git().put_back(reference, Some(tip), Some(known))?),
            None => match store.merge_head(known, "the records of the run", EqualTrees::Leave) {
                Ok(_) => {}
                // Someone purged it: what is gone stays gone.
                Err(StoreError::Purged { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            },
        }
        *last = store.tip()?;
        Ok(Some(format!("`{reference}` was moved away from {}; all records were restored", hex(known))))
    }

    fn is_new(&self, what: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned())
    }
}

/// The worktrees in which the user may work, and their git directories: the main one, and that of `store`.
pub(super) fn user_trees(store: &Store) -> Vec<(PathBuf, PathBuf)> {
    let mut trees: Vec<(PathBuf, PathBuf)> = Vec::new();
    let main = store.repo().main_work_dir().map(|tree| (tree, store.common_dir()));
    for (tree, git_dir) in main.into_iter().chain(store.work_dir().map(|tree| (tree, store.git_dir()))) {
        if !trees.iter().any(|(known, _)| is_same(known, &tree)) {
            trees.push((tree, git_dir));
        }
    }
    trees
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
}

/// Lets an agent take a step, and looks at what it did beside that.
pub(super) fn held(job: &Job, work: impl FnOnce(&Job) -> Came) -> Came {
    let before = match Before::look(job) {
        Ok(before) => before,
        Err(refusal) => return Came::Gave(failure_of(&refusal)),
    };
    let came = work(job);
    let breaches = before.breaches(job).unwrap_or_else(|refusal| {
        vec![breach(job, None, format!("the repository cannot be inspected: {}", refusal.message), false)]
    });
    for breach in breaches {
        job.report(Report::Breach(breach));
    }
    job.guard.remove();
    came
}

fn breach(job: &Job, act: Option<&GitAct>, what: String, undone: bool) -> Breach {
    let what = match act {
        Some(act) => format!("{what}, by `{}`", masked(&act.words.join(" "), std::iter::empty())),
        None => what,
    };
    Breach {
        action: job.step,
        issue_id: Some(job.issue.clone()),
        agent: act.map(|_| job.agent.name().to_owned()),
        what,
        undone,
    }
}

/// Looks after the records at once: before an agent starts, and when it is done, since the rest of its step writes there.
pub(super) fn keep_records(job: &Job) {
    // What cannot be written fails the step soon.
    let kept = job.identity.store(&job.folder).and_then(|store| job.outside.keep_records(&store));
    if let Ok(Some(what)) = kept {
        job.report(Report::Breach(breach(job, None, what, true)));
    }
}

/// Refuses work that is outside of the agent's bounds, although it is on its own branch.
pub(super) fn refuse_outside(job: &Job, store: &Store) -> Result<(), Vain> {
    let bounds = job.guard.bounds();
    let (Some(base), Some(head)) = (object_id(bounds.base.as_str()), store.head().map_err(Refusal::from)?)
    else {
        return Ok(());
    };
    let certain = |kind: &str, what: String| {
        let agent = Some(job.agent.name().to_owned());
        let (action, issue_id) = (job.step, Some(job.issue.clone()));
        // It does not get into the branch of the run.
        job.report(Report::Breach(Breach { action, issue_id, agent, what: what.clone(), undone: true }));
        Err(Vain::Failed(failure(kind, &what, "")))
    };
    if store.branch().map_err(Refusal::from)? != bounds.branch {
        let branch = bounds.branch.as_deref().unwrap_or_default();
        return certain("other-branch", format!("its worktree is no longer on the branch `{branch}`"));
    }
    if store.git().show_between(base, head).is_err() {
        let what = "git cannot read a commit on its branch; `git fsck` says which";
        return certain("unreadable-commit", what.to_owned());
    }
    if base != head && !store.is_ancestor(base, head).map_err(Refusal::from)? {
        let base = bounds.base.short();
        return certain(
            "rewritten-branch",
            format!("its branch no longer contains the commit `{base}` at which it started"),
        );
    }
    let deleted = store.git().deleted_between(base, head).map_err(Refusal::from)?;
    match bounds.unplanned(deleted.iter().map(String::as_str)) {
        files if files.is_empty() => Ok(()),
        files => certain("unplanned-deletion", unplanned_words(&files)),
    }
}

/// The repository before a step.
struct Before {
    store: Store,
    refs: BTreeMap<String, ObjectId>,
    /// The state of each of the user's worktrees.
    trees: Vec<Vec<String>>,
}

impl Before {
    fn look(job: &Job) -> Result<Self, Refusal> {
        let store = job.identity.store(&job.folder)?;
        Ok(Self { refs: refs(&store)?, trees: states(job)?, store })
    }

    /// What is different now, and not by anyone's right.
    fn breaches(&self, job: &Job) -> Result<Vec<Breach>, Refusal> {
        let acts = job.guard.acts();
        let after = refs(&self.store)?;
        let look = Look { before: self, job, acts: &acts, after: &after };
        let mut found: Vec<Breach> = Vec::new();
        let names: BTreeSet<&String> = self.refs.keys().chain(after.keys()).collect();
        for name in names {
            let (old, new) = (self.refs.get(name).copied(), after.get(name).copied());
            if old != new && !is_private_or_remote(name) {
                found.extend(look.of_ref(name, old, new)?);
            }
        }
        found.extend(look.of_records()?);
        found.extend(look.of_trees()?);
        let pushed = acts.iter().filter(|act| act.has_pushed());
        found.extend(pushed.map(|act| breach(job, Some(act), "it pushed".to_owned(), false)));
        Ok(found)
    }
}

fn refs(store: &Store) -> Result<BTreeMap<String, ObjectId>, Refusal> {
    let failed = StoreError::object("cannot read the references");
    Ok(store.repo().all_refs().map_err(failed)?)
}

fn states(job: &Job) -> Result<Vec<Vec<String>>, Refusal> {
    job.outside.trees.iter().map(|(_, git)| Ok(git.state()?)).collect()
}

/// The line of a state that names the branch, and those that move with its commits.
const BRANCH: &str = "# branch.head ";
const REMARK: &str = "# ";

struct Look<'a> {
    before: &'a Before,
    job: &'a Job,
    acts: &'a [GitAct],
    after: &'a BTreeMap<String, ObjectId>,
}

impl Look<'_> {
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
            is_same(tree, worktree) && state.iter().any(|line| line.strip_prefix(BRANCH) == Some(branch))
        })
    }

    fn of_ref(
        &self,
        name: &str,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Option<Breach>, Refusal> {
        let store = &self.before.store;
        // The driver keeps the records, and looks whether they are all there.
        if name == store.reference() {
            let act = self.act_on(name).filter(|_| self.job.guard.bounds().branch.as_deref() != Some(name));
            return Ok(act.map(|act| breach(self.job, Some(act), format!("`{name}` was changed"), true)));
        }
        let is_own = self.job.guard.bounds().branch.as_deref() == Some(name);
        let short = name.strip_prefix("refs/heads/").unwrap_or(name);
        let act = self.act_on(name);
        match (old, new) {
            (Some(old), None) => {
                // A branch whose work is elsewhere, too, may be deleted by anyone.
                if act.is_none() && !is_own && self.is_held(old)? {
                    return Ok(None);
                }
                let undone = store.git().put_back(name, None, Some(old))?;
                Ok(self.recorded(act, format!("`{short}` was deleted at {}", hex(old)), undone))
            }
            (Some(_), Some(_)) if is_own => Ok(None),
            (Some(old), Some(new)) => {
                let Some(act) = act else { return Ok(None) };
                let why = store.repo().moves(name, 1)?.into_iter().next().map(|it| it.why);
                // The user worked there, too, and the agent's command did something else.
                if why.is_some_and(|why| !act.accounts_for(&why)) {
                    return Ok(None);
                }
                let undone =
                    self.is_one_move(name, old, new)? && store.git().put_back(name, Some(new), Some(old))?;
                let kept = if undone { self.keep(new)? } else { None };
                let kept = kept.map(|branch| format!(" (now on `{branch}`)")).unwrap_or_default();
                let what = format!("`{short}` was moved from {} to {}{kept}", hex(old), hex(new));
                Ok(Some(breach(self.job, Some(act), what, undone)))
            }
            (None, Some(new)) => {
                let Some(act) = act else { return Ok(None) };
                let others = |(other, id): (&String, &ObjectId)| other != name && *id == new;
                let is_held = self.after.iter().any(others) || self.before.refs.values().any(|id| *id == new);
                let undone = is_held && store.git().put_back(name, Some(new), None)?;
                Ok(Some(breach(self.job, Some(act), format!("`{short}` was created"), undone)))
            }
            (None, None) => Ok(None),
        }
    }

    /// A breach; one without a name only if it was not recorded yet.
    fn recorded(&self, act: Option<&GitAct>, what: String, undone: bool) -> Option<Breach> {
        let is_news = act.is_some() || self.job.outside.is_new(&what);
        is_news.then(|| breach(self.job, act, what, undone))
    }

    /// Whether another ref has a commit in its history.
    fn is_held(&self, commit: ObjectId) -> Result<bool, Refusal> {
        Ok(self.before.store.repo().is_commit(commit)
            && !self.before.store.git().refs_containing([commit].iter())?.is_empty())
    }

    /// Whether a ref went from one place to the other in one step: nobody built on what the agent did.
    fn is_one_move(&self, name: &str, old: ObjectId, new: ObjectId) -> Result<bool, Refusal> {
        let moves = self.before.store.repo().moves(name, 2)?;
        let at = |n: usize| moves.get(n).map(|it| it.commit);
        Ok(moves.is_empty() || (at(0) == Some(new) && at(1).is_none_or(|before| before == old)))
    }

    /// The branch on which a commit is kept that nothing else holds.
    fn keep(&self, commit: ObjectId) -> Result<Option<String>, Refusal> {
        if !self.before.store.repo().is_commit(commit) || self.is_held(commit)? {
            return Ok(None);
        }
        let branch = format!("wf/kept/{}-{}", self.job.outside.run, hex(commit));
        let is_kept =
            self.before.store.git().put_back(&format!("refs/heads/{branch}"), None, Some(commit))?;
        Ok(is_kept.then_some(branch))
    }

    /// Records that were changed in this agent's name, and that its role may not change.
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
            let what = format!("it ran `{op}` on the store, in the commit {}", hex(link.commit));
            found.push(Breach { agent: Some(actor.to_owned()), ..breach(self.job, None, what, false) });
        }
        Ok(found)
    }

    /// What changed in the user's worktrees.
    fn of_trees(&self) -> Result<Vec<Breach>, Refusal> {
        let mut found = Vec::new();
        for ((tree, git), before) in self.job.outside.trees.iter().zip(&self.before.trees) {
            let after = git.state()?;
            let changed = |old: &[String], new: &[String]| -> Vec<String> {
                let lines = new.iter().filter(|line| !old.contains(line));
                lines.filter(|line| !line.starts_with(REMARK) || line.starts_with(BRANCH)).cloned().collect()
            };
            let lines: BTreeSet<String> =
                changed(before, &after).into_iter().chain(changed(&after, before)).collect();
            if lines.is_empty() {
                continue;
            }
            let act = self.acts.iter().find(|act| {
                act.writes_here() && act.worktree.as_deref().is_some_and(|worktree| is_same(worktree, tree))
            });
            let names: BTreeSet<&str> = lines.iter().map(|line| path_of(line)).collect();
            let more = names.len().saturating_sub(SHOWN);
            let names = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let what = format!("the work tree {} changed: {names}{more}", tree.display());
            found.extend(self.recorded(act, what, false));
        }
        Ok(found)
    }
}

/// The path, or the branch, in a line of `git status --porcelain=v2` without renames.
fn path_of(line: &str) -> &str {
    let fields = match line.as_bytes().first() {
        Some(b'#') => return line.strip_prefix(BRANCH).unwrap_or(line),
        Some(b'1') => 8,
        Some(b'u') => 10,
        _ => 1,
    };
    line.splitn(fields + 1, ' ').nth(fields).unwrap_or(line)
}

fn hex(id: ObjectId) -> String {
    id.to_hex_with_len(8).to_string()
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn a_changed_file_is_named_by_its_path() {
        for (line, path) in [
            ("1 .M N... 100644 100644 100644 aa bb src/a b.rs", "src/a b.rs"),
            ("u UU N... 100644 100644 100644 100644 aa bb cc a.txt", "a.txt"),
            ("? new.txt", "new.txt"),
            ("# branch.head main", "main"),
        ] {
            assert_eq!(path_of(line), path);
        }
    }
}
