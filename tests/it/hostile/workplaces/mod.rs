//! What an agent can do in its workplace: nothing of its git directory is opened, run or waited for outside, and what it hands
//! in is judged record by record.

mod commits;
mod confined;
mod forged;
mod left_alone;
mod planted;

use std::collections::BTreeMap;
use std::path::Path;

use crate::plans::roadmaps::direct;
use crate::support::{Ran, Repo, Sandbox};

/// A store with an issue, and a file that an agent can change.
fn store(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.commit("src/csv.rs", "one\n", "Begin");
        repo.wf(&["new", "--id", "ISS-001", "Count"]).ok();
        repo
    })
}

/// Asks an agent that runs `script` in its workplace and then answers well. The script finds the user's repository in `$root`.
fn asked(repo: &Repo, script: &str) -> Ran {
    repo.write("answer.json", direct().to_string());
    let root = repo.path().display();
    let planner = format!("sh:cat > /dev/null; root={root}; {{ {script}\n}} >&2; cat {root}/answer.json");
    repo.wf(&["roadmap", "plan", "Export", "--planner", &planner])
}

/// Parts of a git directory that change if something is recorded.
const RECORDED: [&str; 4] = ["objects", "wf", "refs/wf", "logs/refs/wf"];

/// The files of a git directory.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(folder: &Path, top: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, top, found);
            } else {
                let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// The git directory is byte for byte as it was, but for what was recorded. No object is gone or changed.
#[track_caller]
fn assert_unchanged(before: &BTreeMap<String, Vec<u8>>, repo: &Repo, what: &str) {
    assert_unchanged_but(&RECORDED, before, repo, what);
}

/// Likewise, but for these parts.
#[track_caller]
pub(crate) fn assert_unchanged_but(
    recorded: &[&str],
    before: &BTreeMap<String, Vec<u8>>,
    repo: &Repo,
    what: &str,
) {
    let is_in =
        |file: &str, folder: &str| file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let now = files(&repo.path().join(".git"));
    for (file, content) in &now {
        if before.get(file) != Some(content) {
            assert!(recorded.iter().any(|part| is_in(file, part)), "{what}: `{file}` is new or changed");
            assert!(!is_in(file, "objects") || !before.contains_key(file), "{what}: `{file}` is changed");
        }
    }
    for file in before.keys().filter(|file| !now.contains_key(*file)) {
        let is_recorded = recorded.iter().any(|part| is_in(file, part)) && !is_in(file, "objects");
        assert!(is_recorded, "{what}: `{file}` is gone");
    }
}

/// No workplace is left beside the repository, and none of its refs and files.
#[track_caller]
fn assert_nothing_is_left(sandbox: &Sandbox, repo: &Repo) {
    let beside = std::fs::read_dir(sandbox.root()).unwrap();
    let mut names = beside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.find(|name| name.starts_with("a-")), None);
    assert_eq!(repo.git(&["for-each-ref", "refs/wf-kept"]).ok().stdout, "");
    let kept = std::fs::read_dir(repo.path().join(".git/wf/workplaces")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).filter(|name| name != "lock").collect();
    assert!(kept.is_empty(), "{kept:?}");
}
