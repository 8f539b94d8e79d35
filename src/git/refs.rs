//! References: where they point, where they pointed before, and how to move one.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bstr::ByteSlice;
use gix::lock::acquire::Fail;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::{
    Args, Fault, FsyncPart, Git, GitError, ObjectId, Repository, SharedMode, Signature, fault, fsync,
};
use crate::model::Branch;

/// A reference.
pub(crate) struct Reference<'repo>(gix::Reference<'repo>);

impl Reference<'_> {
    /// Its full name.
    pub(crate) fn name(&self) -> String {
        self.0.name().as_bstr().to_string()
    }

    /// Its name as a branch; `None` if it is none.
    pub(crate) fn branch(&self) -> Option<Branch> {
        Branch::parse(&self.name())
    }

    /// Its name without `refs/heads/` or `refs/tags/`.
    pub(crate) fn short_name(&self) -> String {
        self.0.name().shorten().to_string()
    }

    /// The object that it points to, after following symbolic refs and tags.
    pub(crate) fn target(mut self) -> Option<ObjectId> {
        self.0.peel_to_id().ok().map(gix::Id::detach)
    }
}

/// A move of a ref, from its reflog.
pub(crate) struct RefMove {
    /// The new target.
    pub(crate) commit: ObjectId,
    /// Seconds since 1970, by this machine's clock.
    pub(crate) at: i64,
    /// The reason: `update by push`, `fetch …`.
    pub(crate) why: String,
}

/// A ref update.
pub(crate) struct RefUpdate<'a> {
    /// Its full name.
    pub(crate) name: &'a str,
    /// Its current target; `None` if it does not exist.
    pub(crate) expected: Option<ObjectId>,
    /// Its new target.
    pub(crate) new: ObjectId,
    /// For its reflog.
    pub(crate) message: String,
    /// For its reflog.
    pub(crate) by: Signature,
}

/// Whether a ref can have this full name.
pub(crate) fn is_ref_name(name: &str) -> bool {
    FullName::try_from(name).is_ok()
}

/// The branch checked out in the worktree with this git directory; `None` if there is none, or HEAD cannot be read.
pub(crate) fn checked_out_in(git_dir: &Path) -> Option<Branch> {
    Branch::parse(&gix::open(git_dir).ok()?.head_name().ok()??.as_bstr().to_str_lossy())
}

impl Repository {
    /// The branch that is checked out; `None` if HEAD is detached, or on a ref that is not a branch.
    pub(crate) fn branch(&self) -> Result<Option<Branch>, GitError> {
        let name = self.gix.head_name().map_err(GitError::object("cannot read HEAD"))?;
        Ok(name.and_then(|name| Branch::parse(&name.as_bstr().to_str_lossy())))
    }

    /// The commit that is checked out; `None` on a branch without commits.
    pub(crate) fn head(&self) -> Result<Option<ObjectId>, GitError> {
        let found = self.peeled_head()?;
        // A `git pack-refs` may have moved the branch between two looks (see `read_ref`).
        if found.is_some() { Ok(found) } else { self.peeled_head() }
    }

    fn peeled_head(&self) -> Result<Option<ObjectId>, GitError> {
        let mut head = self.gix.head().map_err(GitError::object("cannot read HEAD"))?;
        Ok(head.try_peel_to_id().map_err(GitError::object("cannot read HEAD"))?.map(gix::Id::detach))
    }

    /// The target of a ref, without following symbolic refs or tags. Its own file is read before `packed-refs`, as git
    /// does; gix reads them the other way round, and so misses a ref that `git pack-refs` moves between the two.
    pub(crate) fn read_ref(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let failed = GitError::object("cannot read a reference");
        if let Some(loose) = self.gix.refs.try_find_loose(name).map_err(&failed)? {
            return Ok(loose.target.try_id().map(ToOwned::to_owned));
        }
        let found = self.gix.try_find_reference(name).map_err(failed)?;
        Ok(found.and_then(|reference| reference.try_id().map(gix::Id::detach)))
    }

    /// What a symbolic ref points to; `None` if there is no such symbolic ref.
    pub(crate) fn symbolic_target(&self, name: &str) -> Result<Option<String>, GitError> {
        let loose =
            self.gix.refs.try_find_loose(name).map_err(GitError::object("cannot read a reference"))?;
        Ok(loose.and_then(|reference| Some(reference.target.try_name()?.as_bstr().to_string())))
    }

    /// The default branch of a remote, as `refs/remotes/NAME/HEAD` notes it; `None` if nothing is noted.
    pub(crate) fn remote_head(&self, remote: &str) -> Result<Option<Branch>, GitError> {
        let name = format!("refs/remotes/{remote}/HEAD");
        let failed = GitError::object("cannot read a reference");
        let found = self.gix.try_find_reference(&name).map_err(failed)?;
        let target = found.and_then(|reference| Some(reference.target().try_name()?.as_bstr().to_string()));
        let short =
            target.as_deref().and_then(|target| target.strip_prefix(&format!("refs/remotes/{remote}/")));
        Ok(short.and_then(Branch::of_short))
    }

    /// All readable branches.
    pub(crate) fn branches(&self) -> Result<Vec<Reference<'_>>, Fault> {
        let all = self.gix.references()?;
        Ok(all.local_branches()?.filter_map(Result::ok).map(Reference).collect())
    }

    /// All readable tags.
    pub(crate) fn tags(&self) -> Result<Vec<Reference<'_>>, Fault> {
        let all = self.gix.references()?;
        Ok(all.tags()?.filter_map(Result::ok).map(Reference).collect())
    }

    /// The names and targets of all refs whose names begin with `prefix`, which ends in a slash, in order of their
    /// names. A ref that cannot be read is left out.
    pub(crate) fn refs_under(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let failed = GitError::object("cannot read the references");
        let all = self.gix.references().map_err(&failed)?;
        let found = all.prefixed(prefix).map_err(&failed)?.filter_map(Result::ok).map(Reference);
        let mut refs: Vec<(String, ObjectId)> =
            found.filter_map(|reference| Some((reference.name(), reference.target()?))).collect();
        refs.sort();
        Ok(refs)
    }

    /// The tips of branches, here and at remotes.
    pub(crate) fn branch_tips(&self) -> Result<Vec<ObjectId>, GitError> {
        let (here, remote) = (self.refs_under("refs/heads/")?, self.refs_under("refs/remotes/")?);
        let all = here.into_iter().chain(remote).map(|(_, tip)| tip);
        Ok(all.filter(|tip| self.is_commit(*tip)).collect())
    }

    /// The newest tips of branches, here and at remotes, newest first, each once. One that cannot be read is left out.
    pub(crate) fn newest_tips(&self, most: usize) -> Result<Vec<ObjectId>, GitError> {
        let mut tips = Vec::new();
        for tip in self.branch_tips()? {
            tips.extend(self.commit(tip).and_then(|commit| Ok((Reverse(commit.seconds()?), tip))));
        }
        tips.sort();
        tips.dedup();
        Ok(tips.into_iter().take(most).map(|(_, tip)| tip).collect())
    }

    /// The names of the symbolic refs below `prefix`, which ends in a slash, including those whose file is a symbolic
    /// link, and those that point to nothing.
    pub(crate) fn symbolic_refs_under(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let failed = GitError::object("cannot read the references");
        let all = self.gix.references().map_err(&failed)?;
        let found = all.prefixed(prefix).map_err(&failed)?.filter_map(Result::ok);
        let common = self.common_dir();
        let symbolic = found.filter(|reference| {
            reference.try_id().is_none()
                || common.join(reference.name().as_bstr().to_str_lossy().as_ref()).is_symlink()
        });
        Ok(symbolic.map(|reference| reference.name().as_bstr().to_string()).collect())
    }

    /// All refs that point to an object, by their full names; symbolic ones are left out.
    pub(crate) fn all_refs(&self) -> Result<BTreeMap<String, ObjectId>, Fault> {
        let all = self.gix.references()?;
        let found = all.all()?.filter_map(Result::ok);
        Ok(found
            .filter_map(|reference| {
                Some((reference.name().as_bstr().to_string(), reference.try_id()?.detach()))
            })
            .collect())
    }

    /// The moves of a ref, latest first, at most `most`; empty if it has no reflog.
    pub(crate) fn reflog(&self, reference: &str, most: usize) -> Result<Vec<RefMove>, GitError> {
        let found =
            self.gix.try_find_reference(reference).map_err(GitError::object("cannot read a reference"))?;
        let Some(found) = found else { return Ok(Vec::new()) };
        let mut log = found.log_iter();
        let lines = log.rev().map_err(GitError::io(self.common_dir().join("logs").join(reference)))?;
        let lines = lines.into_iter().flatten().map_while(Result::ok).take(most);
        let reflog = lines.map(|line| RefMove {
            commit: line.new_oid,
            at: line.signature.time.seconds,
            why: line.message.to_str_lossy().trim().to_owned(),
        });
        Ok(reflog.collect())
    }

    /// The lock file that exists while a ref is moved.
    pub(crate) fn ref_lock(&self, name: &str) -> PathBuf {
        self.common_dir().join(format!("{name}.lock"))
    }

    /// The lock file on refs or settings of all worktrees that stays for as long as git waits for one.
    pub(crate) fn lasting_lock(&self) -> Option<PathBuf> {
        const WAIT: Duration = Duration::from_secs(1);
        const LOOK: Duration = Duration::from_millis(50);
        let locks = ["packed-refs.lock", "config.lock"].map(|name| self.common_dir().join(name));
        let began = Instant::now();
        locks.into_iter().find(|path| {
            let held = modified(path);
            while held.is_some() && modified(path) == held {
                if began.elapsed() >= WAIT {
                    return true;
                }
                std::thread::sleep(LOOK);
            }
            false
        })
    }

    /// Moves a ref. `last` runs just before, while nobody else can move it. Returns false if the ref is not where it
    /// was expected.
    pub(crate) fn move_ref<E: From<GitError>>(
        &self,
        update: RefUpdate<'_>,
        last: impl FnOnce() -> Result<(), E>,
    ) -> Result<bool, E> {
        let failed = GitError::object("cannot move the reference");
        let edit = RefEdit {
            change: Change::Update {
                log: LogChange {
                    mode: RefLog::AndReference,
                    force_create_reflog: true,
                    message: update.message.into(),
                },
                expected: match update.expected {
                    Some(tip) => PreviousValue::MustExistAndMatch(Target::Object(tip)),
                    None => PreviousValue::MustNotExist,
                },
                new: Target::Object(update.new),
            },
            name: FullName::try_from(update.name).map_err(|error| failed(gix::Error::from_error(error)))?,
            deref: false,
        };
        let mut buf = gix::date::parse::TimeBuf::default();
        let (own, packed) = self.lock_waits();
        let packed_lock = self.common_dir().join("packed-refs.lock");
        let held = modified(&packed_lock);
        let shared = self.shared_mode();
        self.share_ref(update.name, shared)?;
        let moved = match self.gix.refs.transaction().prepare(Some(edit), own, packed) {
            Ok(prepared) => {
                // gix compared with what `packed-refs` held before it took the lock.
                let now = self.read_ref(update.name)?;
                if now != update.expected && now != Some(update.new) {
                    return Ok(false);
                }
                last()?;
                let lock = self.ref_lock(update.name);
                shared.adjust(&lock).map_err(GitError::io(lock))?;
                fault::point("locked");
                if fsync::is_wanted(self, FsyncPart::Reference) {
                    // The file must be on disk before it is renamed; gix does not ensure that.
                    fsync::sync(&self.ref_lock(update.name))?;
                }
                prepared.commit(update.by.to_ref(&mut buf))
            }
            Err(error) => Err(error),
        };
        match moved {
            Ok(_) => Ok(true),
            // The same lock file was there for as long as git waits: its process holds it, or has died. Trying again
            // would not help.
            Err(error) if error.is_retryable() && held.is_some() && modified(&packed_lock) == held => {
                Err(GitError::LockFile(packed_lock).into())
            }
            // "Not found" is said of an expected ref that was deleted, and of one that is being packed.
            Err(error) if error.is_conflict() || error.is_retryable() || error.is_not_found() => Ok(false),
            Err(error) => {
                self.refuse_ref_in_the_way(update.name)?;
                Err(failed(error).into())
            }
        }
    }

    /// Refuses a ref if the name of another one is the beginning of its path, so that both cannot exist.
    fn refuse_ref_in_the_way(&self, name: &str) -> Result<(), GitError> {
        for (at, _) in name.match_indices('/').skip(1) {
            let other = &name[..at];
            if self.read_ref(other)?.is_some() {
                return Err(GitError::RefInTheWay { reference: name.to_owned(), other: other.to_owned() });
            }
        }
        Ok(())
    }

    /// Makes the folders and the reflog of a ref as git makes them in a shared repository; gix follows the umask.
    pub(super) fn share_ref(&self, name: &str, shared: SharedMode) -> Result<(), GitError> {
        if shared == SharedMode::Umask {
            return Ok(());
        }
        let log = self.common_dir().join("logs").join(name);
        for path in [&self.common_dir().join(name), &log] {
            let folder = path.parent().unwrap_or(path);
            shared.create_folder(folder).map_err(GitError::io(folder))?;
        }
        shared.open(&log).map(drop).map_err(GitError::io(log))
    }

    /// How long git waits for the lock files of refs, and of `packed-refs`.
    pub(super) fn lock_waits(&self) -> (Fail, Fail) {
        let own = self.wait_for_lock("core.filesRefLockTimeout", 100);
        (own, self.wait_for_lock("core.packedRefsTimeout", 1000))
    }

    /// How long git waits for another process's lock file, in milliseconds; negative means for ever.
    fn wait_for_lock(&self, key: &str, default: i64) -> Fail {
        match self.config().integer(key).unwrap_or(default) {
            0 => Fail::Immediately,
            wait => {
                Fail::AfterDurationWithBackoff(Duration::from_millis(u64::try_from(wait).unwrap_or(u64::MAX)))
            }
        }
    }
}

/// When a file was last written; `None` if it does not exist.
fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|file| file.modified()).ok()
}

impl Git {
    /// Asks a remote for its default branch, and notes it if that branch was fetched. A failure changes nothing.
    pub(crate) fn note_remote_head(&self, remote: &str) {
        let _ = self.output(Args::new(&["remote", "set-head"]).value(remote).options(&["--auto"]));
    }

    /// Deletes a symbolic ref; what it points to stays.
    pub(crate) fn delete_symbolic_ref(&self, name: &str) -> Result<(), GitError> {
        self.run(Args::new(&["update-ref", "--no-deref", "-d"]).value(name)).map(drop)
    }

    /// Sets a ref, with an entry in its reflog.
    pub(crate) fn set_ref(
        &self,
        name: &str,
        commit: ObjectId,
        message: &'static str,
    ) -> Result<(), GitError> {
        let args = Args::new(&["update-ref", "--create-reflog", "-m"]).options(&[message]);
        self.run(args.value(name).value(commit.to_string())).map(drop)
    }

    /// Creates a ref that keeps a commit. Returns false if there is one of that name, or it cannot be created.
    pub(crate) fn keep(&self, name: &str, commit: ObjectId) -> Result<bool, GitError> {
        let args = Args::new(&["update-ref", "--no-deref", "--create-reflog", "-m", "wf: keep"]);
        // For git, an empty value is a ref that is not there.
        Ok(self.output(args.value(name).value(commit.to_string()).value(""))?.status.success())
    }

    /// Empties the reflog of a ref; a bare repository has none.
    pub(crate) fn expire_reflog(&self, name: &str) -> Result<(), GitError> {
        if self.output(Args::new(&["reflog", "exists"]).value(name))?.status.success() {
            self.run(Args::new(&["reflog", "expire", "--expire=all"]).value(name))?;
        }
        Ok(())
    }

    /// The refs with one of these commits in their history.
    pub(crate) fn refs_containing<'a>(
        &self,
        commits: impl Iterator<Item = &'a ObjectId>,
    ) -> Result<Vec<String>, GitError> {
        let mut commits = commits.peekable();
        if commits.peek().is_none() {
            // git would list all refs.
            return Ok(vec![]);
        }
        let args = Args::new(&["for-each-ref", "--format=%(refname)"]);
        let listed = self.run(commits.fold(args, |args, id| args.with("--contains=", id)))?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests;
