//! The branch on which work lands: where it is, here and at the remote, and how it moves here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::GitError;
use crate::model::{Branch, Code, shell};
use crate::ops::{Notice, Refusal, Session, clones};
use crate::store::{ObjectId, Store, StoreError};
use crate::sync;
use crate::trail::landed::target::LandingTarget;

/// How often it is looked whether another landing moves the branch here, and how long to wait in between.
const MOVES: usize = 5;
const MOVE_PAUSE: Duration = Duration::from_millis(100);

/// The branch, and the remote that shares it.
#[derive(Debug, Clone)]
pub(super) struct LandTarget {
    /// The branch.
    pub(super) branch: Branch,
    /// The remote to which it is pushed; `None` if this clone has none.
    pub(super) remote: Option<String>,
    /// Whether a remote, the policy or the configuration names the branch.
    is_named: bool,
}

/// Where the branch is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetTips {
    /// The commit on which work is put.
    pub(super) tip: ObjectId,
    /// The branch here; `None` if there is none.
    pub(super) local: Option<ObjectId>,
    /// The branch at the remote; `None` if it has none, or if there is no remote.
    pub(super) at_remote: Option<ObjectId>,
}

impl LandTarget {
    /// The branch that is named, else the target of this repository.
    ///
    /// # Errors
    /// `no-target`.
    pub(super) fn find(session: &Session, named: Option<&str>) -> Result<Self, Refusal> {
        let store = session.store();
        let Some(named) = named else {
            let found = LandingTarget::find(store)?.ok_or_else(no_target)?;
            return Ok(Self { remote: found.remote, branch: found.branch, is_named: found.is_named });
        };
        let short = named.strip_prefix("refs/heads/").unwrap_or(named);
        let branch = Branch::of_short(short).ok_or_else(|| {
            Refusal::usage(format!("`{named}` cannot be the name of a branch"))
                .command("git branch --all", "lists the branches")
        })?;
        let found = LandingTarget::of_branch(store, branch)?;
        Ok(Self { remote: found.remote, branch: found.branch, is_named: true })
    }

    /// Merges what the remote of the store has: another clone may have completed or landed the work.
    pub(super) fn update_store(&self, session: &Session) -> Result<(), Refusal> {
        let store = session.store();
        let Some(remote) = sync::remote::of_the_ref(store)? else { return Ok(()) };
        let before = store.tip()?;
        let synced = session.asking(|watch| sync::pull(store, &remote, watch))?;
        session.notice_all(clones::came_with(store, &synced, before)?);
        Ok(())
    }

    /// Where the branch is now.
    ///
    /// # Errors
    /// `no-target` if it is neither here nor at the remote; any reason why the remote cannot be reached.
    pub(super) fn look(&self, session: &Session) -> Result<TargetTips, Refusal> {
        let store = session.store();
        let at_remote = match &self.remote {
            Some(remote) => session.asking(|watch| sync::fetch_branch(store, remote, &self.branch, watch))?,
            None => None,
        };
        let local = store.read_ref(self.branch.as_str())?;
        match at_remote.or(local) {
            Some(tip) => Ok(TargetTips { tip, local, at_remote }),
            None => Err(self.missing()),
        }
    }

    fn missing(&self) -> Refusal {
        let short = self.branch.short();
        let place = match &self.remote {
            Some(remote) => format!("here or at `{remote}`"),
            None => "here".to_owned(),
        };
        let named = if self.is_named { "work lands on" } else { "there is no branch to land on: tried" };
        Refusal::new(Code::NoTarget, format!("{named} `{short}`, and there is no such branch {place}"))
            .command(format!("git branch {} COMMIT", shell::operand(short)), "creates it")
            .hint("or name another one: `--onto BRANCH`, or `wf.land.onto`")
    }

    /// Refuses to go on if the branch cannot move here: changes in a work tree in which it is checked out would be overwritten, or
    /// a rebase or a bisect returns to it and there is no remote to move instead. Nothing has moved yet.
    ///
    /// # Errors
    /// `uncommitted`; `in-progress`.
    pub(super) fn refuse_stuck(
        &self,
        session: &Session,
        tips: &TargetTips,
        new: ObjectId,
    ) -> Result<(), Refusal> {
        let store = session.store();
        let Some(local) = tips.local else { return Ok(()) };
        if !store.is_ancestor(local, new)? {
            return Ok(());
        }
        let Some(folder) = self.checked_out(store)? else { return Ok(()) };
        let there = Store::open(&folder, session.environment())?;
        if there.branch()?.as_ref() != Some(&self.branch) {
            return if self.remote.is_some() { Ok(()) } else { Err(self.returned_to(&folder)) };
        }
        let Err(words) = there.git().try_forward(local, new).map_err(StoreError::Git)? else {
            return Ok(());
        };
        // Another landing moves the files, and then the branch: then this one starts again.
        for _ in 0..MOVES {
            if !is_still(store, &self.branch, Some(local))? {
                return Ok(());
            }
            std::thread::sleep(MOVE_PAUSE);
        }
        let lock = there.git_dir().join("index.lock");
        if lock.exists() {
            return Err(StoreError::Git(GitError::LockFile(lock)).into());
        }
        let message = format!(
            "`{}` is checked out in {}, with changes that landing would overwrite: {words}",
            self.branch.short(),
            folder.display()
        );
        Err(Refusal::new(Code::Uncommitted, message).command(
            "git stash --include-untracked",
            "puts them aside there; or commit them on another branch",
        ))
    }

    /// The work tree in which the branch is checked out.
    fn checked_out(&self, store: &Store) -> Result<Option<PathBuf>, Refusal> {
        let all = store.repo().checked_out().map_err(StoreError::Git)?;
        Ok(all.into_iter().find(|(branch, _)| *branch == self.branch).map(|(_, folder)| folder))
    }

    /// Moves the branch of this clone forward to `new`. Returns false if it is not in the history of `new` any more; then
    /// nothing has moved.
    pub(super) fn forward(&self, session: &Session, new: ObjectId) -> Result<bool, Refusal> {
        let store = session.store();
        let local = store.read_ref(self.branch.as_str())?;
        if let Some(local) = local {
            if local == new {
                return Ok(true);
            }
            if !store.is_ancestor(local, new)? {
                return Ok(false);
            }
        }
        let Some(folder) = self.checked_out(store)? else {
            return Ok(store.git().move_branch(&self.branch, local, new).map_err(StoreError::Git)?);
        };
        let there = Store::open(&folder, session.environment())?;
        if there.branch()?.as_ref() != Some(&self.branch) {
            if self.remote.is_none() {
                return Err(self.returned_to(&folder));
            }
            session
                .notice(self.not_moved("a rebase or a bisect returns to it", &folder.display().to_string()));
            return Ok(true);
        }
        let mut git = there.git();
        let brings_hooks = local.map_or(Ok(false), |local| git.brings_hooks(local, new));
        if brings_hooks.map_err(StoreError::Git)? {
            git = git.for_agent();
            session.notice(Notice::note(
                "`post-merge` did not run: what landed changes the directory of hooks, which nobody here has looked at since",
            ));
        }
        match git.forward(new).map_err(StoreError::Git)? {
            Ok(()) => Ok(true),
            Err(_) if !is_still(store, &self.branch, local)? => Ok(false),
            Err(words) => {
                if self.remote.is_none() {
                    return Err(Refusal::new(
                        Code::Uncommitted,
                        format!(
                            "`{}` cannot move forward in {}: {words}",
                            self.branch.short(),
                            folder.display()
                        ),
                    )
                    .command(
                        "git stash --include-untracked",
                        "puts changes aside there; or commit them on another branch",
                    ));
                }
                session.notice(self.not_moved(&words, &folder.display().to_string()));
                Ok(true)
            }
        }
    }

    /// The branch of this clone follows what the remote has taken, if it can.
    pub(super) fn follow(&self, session: &Session, new: ObjectId) -> Result<(), Refusal> {
        if session.store().read_ref(self.branch.as_str())?.is_none() {
            return Ok(());
        }
        if !self.forward(session, new)? {
            let short = self.branch.short();
            let message = format!(
                "`{short}` of this clone has commits that are not at the remote, so it was not moved"
            );
            session
                .notice(Notice::warning(message).command("git pull", "joins the two, with it checked out"));
        }
        Ok(())
    }

    /// The refusal to move a branch to which a rebase or a bisect returns.
    fn returned_to(&self, folder: &Path) -> Refusal {
        let place = folder.display().to_string();
        let message = format!("a rebase or a bisect of `{}` is in progress in {place}", self.branch.short());
        Refusal::new(Code::InProgress, message)
            .command(format!("git -C {} status", shell::word(&place)), "says how to end it")
    }

    fn not_moved(&self, why: &str, folder: &str) -> Notice {
        let short = self.branch.short();
        Notice::warning(format!("`{short}` of this clone was not moved, since {why}, in {folder}"))
    }
}

fn is_still(store: &Store, branch: &Branch, at: Option<ObjectId>) -> Result<bool, StoreError> {
    Ok(store.read_ref(branch.as_str())? == at)
}

fn no_target() -> Refusal {
    Refusal::new(
        Code::NoTarget,
        "there is no branch to land on: neither a remote's default branch nor `main` or `master`",
    )
    .command("git config wf.land.onto BRANCH", "names one")
}
