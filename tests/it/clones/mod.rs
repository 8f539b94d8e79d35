//! Two clones and a remote between them.

mod conflicts;
mod converge;
mod hostile;
mod init;
mod places;
mod races;
mod refused;
mod unmergeable;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Repo, Sandbox};

pub(crate) const REF: &str = "refs/wf/main";

/// A bare remote and two clones of it, each with the store.
pub(crate) struct Two {
    pub(crate) sandbox: Sandbox,
    pub(crate) origin: Repo,
    pub(crate) ada: Repo,
    pub(crate) bea: Repo,
}

impl Two {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.bare("origin.git");
        let ada = sandbox.clone(&origin, "ada");
        ada.wf(&["init"]).ok();
        ada.wf(&["sync"]).ok();
        let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        Self { sandbox, origin, ada, bea }
    }

    #[track_caller]
    pub(crate) fn assert_one_state(&self) {
        assert_eq!(self.ada.tip(), self.bea.tip());
        assert_eq!(self.ada.tip(), self.origin.tip());
        self.origin.git(&["fsck", "--strict"]).ok();
    }
}

pub(crate) fn folder(issue: &str) -> String {
    format!("issues/{:02x}/{issue}", Sha256::digest(issue)[0])
}

pub(crate) fn file(issue: &str) -> String {
    format!("{}/issue.json", folder(issue))
}

pub(crate) fn stamp(tick: u32) -> String {
    format!("2026-11-21T02:{:02}:{:02}.000Z/00000/0000000a", tick / 60, tick % 60)
}

/// An issue as a writer of the format makes it, born at `tick`.
pub(crate) fn issue(id: &str, tick: u32) -> Value {
    json!({
        "id": id, "author": "Ada <ada@example.org>", "created_at": "2026-11-21T02:00:00.000Z", "title": "as it was",
        "status": "registered", "priority": 3, "clock": {"*": stamp(tick)}
    })
}

/// The newest state of a record in a repository.
#[track_caller]
pub(crate) fn read(repo: &Repo, path: &str) -> Value {
    repo.git(&["show", &format!("{REF}:{path}")]).ok().json()
}

/// Puts a new issue into the store with plain git, as one commit.
pub(crate) fn create(repo: &Repo, id: &str, tick: u32) -> String {
    write(repo, &file(id), &issue(id, tick))
}

/// Changes one field of an issue, as one commit.
pub(crate) fn edit(repo: &Repo, id: &str, field: &str, value: impl Into<Value>, tick: u32) -> String {
    let mut record = read(repo, &file(id));
    record[field] = value.into();
    let clock = record["clock"].as_object_mut().unwrap();
    clock.insert(field.into(), stamp(tick).into());
    clock.sort_keys();
    write(repo, &file(id), &record)
}

pub(crate) fn write(repo: &Repo, path: &str, record: &Value) -> String {
    write_bytes(repo, path, &format!("{record:#}\n"))
}

fn write_bytes(repo: &Repo, path: &str, bytes: &str) -> String {
    let blob = repo.git_in(bytes, &["hash-object", "-w", "--stdin"]).ok();
    let entry = format!("100644,{},{path}", blob.line());
    change(repo, &["update-index", "--add", "--cacheinfo", &entry])
}

/// Deletes a file or a folder of the store with plain git, as one commit.
pub(crate) fn drop_path(repo: &Repo, path: &str) -> String {
    change(repo, &["rm", "--quiet", "-r", "--cached", "--", path])
}

/// Commits what a command does to an index that holds the newest state.
fn change(repo: &Repo, args: &[&str]) -> String {
    let dir = repo.git(&["rev-parse", "--absolute-git-dir"]).ok();
    let indexed = repo.with_env("GIT_INDEX_FILE", &format!("{}/wf-index", dir.line()));
    indexed.git(&["read-tree", REF]).ok();
    indexed.git(args).ok();
    let tree = indexed.git(&["write-tree"]).ok();
    commit_tree(repo, tree.line())
}

/// Puts a commit with this tree on top of the ref.
fn commit_tree(repo: &Repo, tree: &str) -> String {
    let commit = repo.git(&["commit-tree", tree, "-p", REF, "-m", "by hand"]).ok();
    repo.git(&["update-ref", REF, commit.line()]).ok();
    commit.line().to_owned()
}

fn tracking(repo: &Repo) -> Option<String> {
    let ran = repo.git(&["rev-parse", "--verify", "--quiet", "refs/wf-remotes/origin/main"]);
    (ran.code == 0).then(|| ran.line().to_owned())
}
