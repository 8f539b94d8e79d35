//! The store as plain git sees it, and as someone with git plumbing changes it.

use serde_json::Value;

use super::{Repo, Sandbox, record};

/// The ref.
pub(crate) const REF: &str = "refs/wf/main";

/// The name of an entry at this place (time and counter) of a log.
pub(crate) fn entry_id(place: &str, entry: &Value) -> String {
    record::entry(place, entry.clone()).0
}

impl Sandbox {
    /// A repository with one commit on `main` and an empty store.
    pub(crate) fn store(&self, name: &str) -> Repo {
        self.begin(name, |sandbox| {
            let repo = sandbox.repo(name);
            repo.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
            repo.wf(&["init"]).ok();
            repo
        })
    }
}

impl Repo {
    /// Every file of the store, by path.
    pub(crate) fn store_paths(&self) -> Vec<String> {
        let ran = self.git(&["ls-tree", "-r", "--name-only", REF]).ok();
        ran.stdout.lines().map(str::to_owned).collect()
    }

    /// The only path of the store with this ending.
    #[track_caller]
    pub(crate) fn store_path(&self, end: &str) -> String {
        let mut found = self.store_paths();
        found.retain(|path| path.ends_with(end));
        assert_eq!(found.len(), 1, "paths that end in `{end}`: {found:?}");
        found.remove(0)
    }

    /// The only path of the store that contains this.
    #[track_caller]
    pub(crate) fn store_path_in(&self, part: &str) -> String {
        let mut found = self.store_paths();
        found.retain(|path| path.contains(part));
        assert_eq!(found.len(), 1, "paths with `{part}`: {found:?}");
        found.remove(0)
    }

    /// Each entry and each execution has the id that `gitwf-format(5)` prescribes.
    #[track_caller]
    pub(crate) fn assert_ids(&self) {
        for path in self.store_paths() {
            let Some(id) = path.rsplit('/').next().and_then(|name| name.strip_suffix(".json")) else {
                continue;
            };
            if id == "execution" {
                let stored = self.stored_json(&path);
                assert_eq!(record::execution(stored.clone()).0, stored["id"], "{path}");
            } else if id.starts_with("20") && id.len() == 52 {
                assert_eq!(record::entry(&id[..25], self.stored_json(&path)).0, id, "{path}");
            }
        }
    }

    /// The text of a file of the store.
    pub(crate) fn stored(&self, path: &str) -> String {
        self.git(&["cat-file", "blob", &format!("{REF}:{path}")]).ok().stdout
    }

    /// The same, as JSON.
    #[track_caller]
    pub(crate) fn stored_json(&self, path: &str) -> Value {
        serde_json::from_str(&self.stored(path)).unwrap()
    }

    /// The directory above that of an issue, which depends on its id.
    pub(crate) fn fan(&self, issue: &str) -> String {
        super::foreign::folder(issue)["issues/".len()..][..2].to_owned()
    }

    /// How many commits the ref has.
    pub(crate) fn steps(&self) -> usize {
        self.git(&["rev-list", "--count", REF]).ok().line().parse().unwrap()
    }

    /// Message of the newest commit of the ref.
    /// Makes the last commit of the store one that was made in `role`, as another program could.
    pub(crate) fn made_as(&self, role: &str) {
        let tree = format!("{REF}^{{tree}}");
        let message = format!("{}\nWf-Role: {role}\n", self.last_message());
        let parent = format!("{REF}~1");
        let made = self.git_in(message, &["commit-tree", "-p", &parent, "-F", "-", &tree]).ok();
        self.git(&["update-ref", REF, made.line()]).ok();
    }

    pub(crate) fn last_message(&self) -> String {
        self.git(&["log", "-1", "--format=%B", REF]).ok().line().to_owned()
    }
}
