//! A check belongs to the tree that was tested: it counts for every commit with that tree.

use serde_json::json;

use super::verify::{checks, claimed};
use crate::support::{Repo, Sandbox, record};

fn tree(repo: &Repo, commit: &str) -> String {
    repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]).ok().line().to_owned()
}

/// A repository that requires evidence, with a commit for the claimed plan, whose only test has passed.
fn tested(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = claimed(sandbox, &[("T1", &["true"])]);
        repo.wf(&["settings", "evidence=required"]).ok();
        repo.wf(&["verify", "--yes"]).ok();
        repo
    })
}

#[test]
fn a_check_names_its_tree_unless_there_are_other_changes() {
    let sandbox = Sandbox::new();
    let repo = tested(&sandbox);
    assert_eq!(checks(&repo)[0]["tree"], tree(&repo, "HEAD"));
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["commits"][0]["tree"], tree(&repo, "HEAD"));
    repo.write("a.txt", "changed\n");
    repo.wf(&["verify", "--yes"]).ok();
    assert_eq!(checks(&repo)[1].get("tree"), None);
}

#[test]
fn a_reworded_commit_needs_no_new_check() {
    let sandbox = Sandbox::new();
    let repo = tested(&sandbox);
    let old = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().line().to_owned();
    repo.git(&["commit", "-q", "--amend", "-m", "change, reworded"]).ok();
    let new = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().line().to_owned();
    let traced = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(traced.contains(&format!("passed at {old}, which has the tree of {new}")), "{traced}");
    repo.wf(&["done", "-m", "ok"]).ok();
    let audit = repo.json(&["audit"]);
    assert_eq!((&audit["evidenced_count"], &audit["task_count"]), (&json!(1), &json!(1)), "{audit:#}");
    assert_eq!(audit["commits"][0]["bound_to"][0]["checks_passed"], 1, "{audit:#}");
}

#[test]
fn a_changed_commit_does() {
    let sandbox = Sandbox::new();
    let repo = tested(&sandbox);
    repo.write("a.txt", "three\n");
    repo.git(&["commit", "-qa", "--amend", "-m", "more"]).ok();
    let error = repo.refused(1, &["done"]);
    assert!(error.to_string().contains("which was rewritten since"), "{error}");
    // The tree is that of git, whatever an amend back and forth did.
    repo.write("a.txt", "two\n");
    repo.git(&["commit", "-qa", "--amend", "-m", "as tested"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn a_squash_and_a_picked_commit_keep_the_evidence() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    repo.wf(&["settings", "evidence=required"]).ok();
    repo.git(&["branch", "start", "HEAD~1"]).ok();
    repo.write("a.txt", "three\n");
    repo.git(&["commit", "-qam", "change more"]).ok();
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["done"]).ok();
    // A forge squashes the branch, without our hooks, and deletes it.
    repo.git(&["switch", "-q", "start"]).ok();
    repo.git(&["merge", "-q", "--squash", "main"]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-qm", "The feature (#12)"]).ok();
    repo.git(&["branch", "-qD", "main"]).ok();
    repo.wf(&["link", "--find"]).ok();
    let audit = repo.json(&["audit"]);
    assert_eq!(audit["evidenced_count"], 1, "{audit:#}");
    assert_eq!(audit["findings"], json!([]), "{audit:#}");
}

#[test]
fn what_a_link_claims_counts_less_than_the_commit() {
    let sandbox = Sandbox::new();
    let repo = tested(&sandbox);
    let is_link = |path: &&String| path.contains("/log/") && repo.stored_json(path)["type"] == "commit";
    let path = repo.store_paths().iter().find(is_link).unwrap().clone();
    // Another commit is linked, by an entry that says it has the tested tree.
    repo.write("a.txt", "untested\n");
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-qam", "untested"]).ok();
    let mut link = repo.stored_json(&path);
    link["hash"] = json!(repo.git(&["rev-parse", "HEAD"]).ok().line());
    link.as_object_mut().unwrap().remove("id");
    let (place, _) = path.rsplit('/').next().unwrap().rsplit_once('-').unwrap();
    let later = place.replace("-00000", "-00001");
    let (id, link) = record::entry(&later, link);
    let folder = path.rsplit_once('/').unwrap().0;
    repo.plumb_records(&[(format!("{folder}/{id}.json"), link)]);
    let error = repo.refused(1, &["done"]);
    assert!(error.to_string().contains("has no passing check"), "{error}");
}

/// What git is told not to look at was tested all the same.
#[test]
fn a_change_that_git_status_does_not_show_is_in_no_tree() {
    let sandbox = Sandbox::new();
    let inner = sandbox.repo("inner");
    inner.commit("file", "one\n", "begin");
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let tested = || {
        repo.wf(&["verify", "--yes"]).ok();
        checks(&repo).last().unwrap()["dirty"] == false
    };
    assert!(tested());
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        repo.git(&["update-index", flag, "a.txt"]).ok();
        assert!(tested(), "{flag}: as committed");
        repo.write("a.txt", "changed\n");
        assert!(!tested(), "{flag}");
        repo.git(&["update-index", &flag.replace("--", "--no-"), "a.txt"]).ok();
        repo.git(&["checkout", "-q", "a.txt"]).ok();
    }
    // A file that is left out of the work tree is no change.
    repo.git(&["update-index", "--skip-worktree", "a.txt"]).ok();
    std::fs::remove_file(repo.path().join("a.txt")).unwrap();
    assert!(tested());
    repo.git(&["update-index", "--no-skip-worktree", "a.txt"]).ok();
    repo.git(&["checkout", "-q", "a.txt"]).ok();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "inner"];
    repo.git(&add).ok();
    repo.git(&["config", "-f", ".gitmodules", "submodule.inner.ignore", "all"]).ok();
    repo.git(&["commit", "-qam", "bring it"]).ok();
    assert!(tested());
    repo.write("inner/file", "changed\n");
    assert!(!tested(), "a change in a submodule");
}
