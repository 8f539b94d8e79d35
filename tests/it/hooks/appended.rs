//! Sections that other programs append to our hooks.

use super::{Bound, id};

const SECTION: &str = "## START OTHER\n{ echo \"$1\"; cat; } >> .git/other\n## END OTHER\n";

fn append(it: &Bound, name: &str) {
    let path = it.repo.path().join(".git/hooks").join(name);
    let text = std::fs::read_to_string(&path).unwrap() + SECTION;
    std::fs::write(&path, text).unwrap();
}

#[test]
fn they_run_with_the_arguments_and_the_list_of_git() {
    let it = Bound::new();
    append(&it, "commit-msg");
    append(&it, "post-rewrite");
    let old = it.repo.commit("a", "1\n", "work");
    it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    let new = id(&it.repo, "HEAD");
    assert_eq!(it.linked(), std::slice::from_ref(&new));
    let message = ".git/COMMIT_EDITMSG\n";
    assert_eq!(it.repo.read(".git/other"), format!("{message}{message}amend\n{old} {new}\n"));
}

#[test]
fn they_outlast_an_update_and_an_uninstall() {
    let it = Bound::new();
    append(&it, "commit-msg");
    let states = it.repo.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(states[0]["installed"], "current");
    let hook = it.repo.path().join(".git/hooks/commit-msg");
    let text = std::fs::read_to_string(&hook).unwrap().replace("shim, version ", "shim, version 0");
    std::fs::write(&hook, text).unwrap();
    let ran = it.repo.wf(&["hooks", "install"]).ok();
    assert!(!ran.stderr.contains("edited"), "{}", ran.stderr);
    it.repo.commit("a", "1\n", "work");
    assert_eq!(it.repo.read(".git/other").lines().count(), 1);
    let ran = it.repo.wf(&["hooks", "uninstall"]).ok();
    assert!(ran.stderr.contains("`commit-msg` keeps the lines that another program added"), "{}", ran.stderr);
    it.repo.commit("a", "2\n", "without git-wf");
    assert_eq!(it.repo.read(".git/other").lines().count(), 2);
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), format!("#!/bin/sh\n{SECTION}"));
}
