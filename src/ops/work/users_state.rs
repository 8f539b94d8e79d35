//! What an agent should leave alone: the refs, the files, the settings and the hooks of its user. A difference is reported and never
//! undone, since the user may have made it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::model::CommitHash;
use crate::ops::{Notice, Refusal, Session};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::landed::target::LandingTarget;

/// How many differences are named.
const MOST_NAMED: usize = 5;
/// Refs that this program moves while an agent works.
const OWN: [&str; 4] = ["refs/wf/", "refs/wf-kept/", "refs/wf-remotes/", "refs/heads/wf/"];

/// The files of a git directory that say what git runs, and what it takes for the user's.
const SETTINGS: [&str; 6] =
    ["config", "config.worktree", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"];
/// The directory with such files.
const HOOKS: &str = "hooks";

/// What a user has at one time.
#[derive(Debug)]
pub(crate) struct UsersState {
    refs: BTreeMap<String, ObjectId>,
    branch: Option<String>,
    changed: Vec<String>,
    /// The digests of the settings and hooks, by their paths in the git directory.
    settings: BTreeMap<String, Vec<u8>>,
    /// The branch on which the run lands work meanwhile.
    target: Option<LandingBranch>,
}

/// The branch on which a run lands work while an agent works.
#[derive(Debug)]
struct LandingBranch {
    name: String,
    /// The same branch as it was fetched last: whatever others push comes there.
    fetched: Option<String>,
}

impl UsersState {
    /// Looks at them.
    pub(crate) fn look(store: &Store) -> Result<Self, Refusal> {
        let mut refs = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
        refs.retain(|name, _| *name != store.reference() && !OWN.iter().any(|own| name.starts_with(own)));
        let changed = if store.work_dir().is_some() { store.git().uncommitted()? } else { vec![] };
        let branch = store.branch()?.map(|branch| branch.short().to_owned());
        Ok(Self { refs, branch, changed, settings: settings(&store.common_dir()), target: None })
    }

    /// The same for a run that lands work meanwhile, which is no difference.
    pub(crate) fn while_landing(self, store: &Store) -> Result<Self, Refusal> {
        let target = LandingTarget::find(store)?.map(|LandingTarget { branch, remote, .. }| LandingBranch {
            name: branch.as_str().to_owned(),
            fetched: remote.map(|remote| format!("refs/remotes/{remote}/{}", branch.short())),
        });
        Ok(Self { target, ..self })
    }

    /// Reports what is different now.
    pub(crate) fn report(&self, session: &Session, agent: &str) {
        if let Some(what) = self.changed(session.store(), BTreeSet::new) {
            let message = format!("while agent `{agent}` worked elsewhere, {what}");
            session.notice(Notice::warning(message));
        }
    }

    /// What is different now, in words; `None` if nothing is, or if somebody stopped the look. `landed` are the commits to which the
    /// run itself has moved the branch on which it lands.
    pub(crate) fn changed(
        &self,
        store: &Store,
        landed: impl FnOnce() -> BTreeSet<ObjectId>,
    ) -> Option<String> {
        let differences = match Self::look(store) {
            // It was noted before the branch moved.
            Ok(now) => self.differences(&now, &landed()),
            Err(refusal) if refusal.is_stop() => return None,
            Err(refusal) => vec![refusal.message],
        };
        let what = format!("someone changed this repository: {}", differences.join(", "));
        (!differences.is_empty()).then_some(what)
    }

    fn differences(&self, now: &Self, landed: &BTreeSet<ObjectId>) -> Vec<String> {
        let short = |id: &ObjectId| CommitHash::from(*id).short().to_owned();
        let mut found = Vec::new();
        if self.branch != now.branch {
            found.push(format!("HEAD is on {}", now.branch.as_deref().unwrap_or("no branch")));
        }
        for (name, id) in now.refs.iter().filter(|(name, id)| !self.is_of_landing(name, id, landed)) {
            match self.refs.get(name) {
                Some(before) if before == id => {}
                Some(before) => found.push(format!("{name} moved from {} to {}", short(before), short(id))),
                None => found.push(format!("{name} is new")),
            }
        }
        let gone = self.refs.keys().filter(|name| !now.refs.contains_key(*name));
        found.extend(gone.map(|name| format!("{name} is gone")));
        let paths: BTreeSet<&String> = self.settings.keys().chain(now.settings.keys()).collect();
        let other = paths.into_iter().filter(|path| self.settings.get(*path) != now.settings.get(*path));
        found.extend(other.map(|path| format!("{path} in the git directory is different")));
        let files = now.changed.iter().filter(|file| !self.changed.contains(file));
        found.extend(files.map(|file| file.trim().to_owned()));
        let restored = self.changed.iter().filter(|file| !now.changed.contains(file));
        found.extend(restored.map(|file| format!("no longer {}", file.trim())));
        let more = found.len().saturating_sub(MOST_NAMED);
        found.truncate(MOST_NAMED);
        if more > 0 {
            found.push(format!("and {more} more"));
        }
        found
    }

    /// Whether a ref is at a commit because the run landed something.
    fn is_of_landing(&self, name: &str, id: &ObjectId, landed: &BTreeSet<ObjectId>) -> bool {
        self.target.as_ref().is_some_and(|target| {
            target.fetched.as_deref() == Some(name) || (target.name == name && landed.contains(id))
        })
    }
}

/// The digests of the settings and hooks in a git directory; those of links are of where they lead.
fn settings(git_dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut paths: Vec<String> = SETTINGS.map(str::to_owned).into();
    let hooks = fs::read_dir(git_dir.join(HOOKS)).into_iter().flatten().flatten();
    paths.extend(hooks.map(|entry| format!("{HOOKS}/{}", entry.file_name().to_string_lossy())));
    let mut found = BTreeMap::new();
    for path in paths {
        if let Some(digest) = digest(&git_dir.join(&path)) {
            found.insert(path, digest);
        }
    }
    found
}

/// The digest of a file, or of where a link leads; `None` if it cannot be read. Nothing else is opened: it could be a pipe.
fn digest(path: &Path) -> Option<Vec<u8>> {
    let kind = path.symlink_metadata().ok()?.file_type();
    let content = if kind.is_symlink() {
        fs::read_link(path).ok()?.into_os_string().into_encoded_bytes()
    } else if kind.is_file() {
        fs::read(path).ok()?
    } else {
        Vec::new()
    };
    Some(Sha256::digest(content).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::test_repo::TestRepo;

    #[test]
    fn settings_and_hooks_count() {
        let repo = TestRepo::new();
        let store = repo.store();
        let git_dir = store.common_dir();
        let before = UsersState::look(&store).unwrap();
        assert_eq!(before.changed(&store, BTreeSet::new), None);
        fs::create_dir_all(git_dir.join("hooks")).unwrap();
        fs::write(git_dir.join("hooks/post-checkout"), "#!/bin/sh\n").unwrap();
        repo.run(&["config", "core.fsmonitor", "evil"]);
        assert_eq!(
            before.changed(&store, BTreeSet::new).unwrap(),
            "someone changed this repository: config in the git directory is different, \
             hooks/post-checkout in the git directory is different"
        );
    }
}
