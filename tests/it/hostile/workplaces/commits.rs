//! What an executor commits in its workplace: it is judged like a push from a stranger.

use serde_json::{Value, json};

use super::{assert_nothing_is_left, assert_unchanged, files, store};
use crate::support::{Repo, Sandbox, plan_on};

/// A store with a plan for `src/csv.rs`.
fn planned(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = store(sandbox);
        repo.commit("src/other.rs", "other\n", "Go on");
        let solution = repo.planned("ISS-002", &plan_on("src/csv.rs"));
        (repo, solution)
    })
}

/// The branch of an executor that runs `script`, and what is told on stderr.
#[track_caller]
fn made(repo: &Repo, solution: &str, script: &str) -> (Value, String) {
    let root = repo.path().display();
    let answer = json!({"status": "completed", "summary": "done"});
    let agent = format!("sh:cat > /dev/null; root={root}; {{ {script}\n}} >&2; printf '%s' '{answer}'");
    let input = json!({"solution_id": solution, "issue_id": "ISS-002"}).to_string();
    let args = ["--json", "agents", "test", &agent, "--role", "executor", "--input", "-"];
    let ran = repo.wf_in(input, &args).ok();
    (ran.json()["branch"].clone(), ran.stderr)
}

#[test]
fn the_commits_of_an_executor_are_judged_and_dropped() {
    let sandbox = Sandbox::new();
    let (repo, solution) = planned(&sandbox);
    let before = files(&repo.path().join(".git"));
    let script = "git symbolic-ref --short HEAD; echo two > src/csv.rs; git commit -qam Two; git mv src/csv.rs src/new.rs; git commit -qm Move; echo three > src/new.rs; touch x";
    let (branch, told) = made(&repo, &solution, script);
    assert_eq!(branch["commits"].as_array().unwrap().len(), 2, "{branch:#} {told}");
    assert_eq!(branch["refused"], Value::Null);
    assert_eq!(branch["changed"], json!(["D src/csv.rs", "?? src/new.rs", "?? x"]));
    assert_unchanged(&before, &repo, "commits");
    assert_eq!(repo.read("src/csv.rs"), "one\n");
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn what_an_executor_may_not_commit_is_named() {
    let sandbox = Sandbox::new();
    let (repo, solution) = planned(&sandbox);
    repo.commit(".gitignore", ".env\n", "Ignore a file");
    repo.commit(".worktreeinclude", ".env\n", "Bring it");
    repo.write(".env", "KEY=secret\n");
    let before = files(&repo.path().join(".git"));
    for (script, why) in [
        ("git rm -q src/other.rs; git commit -qm x", "no task of the plan names `src/other.rs`"),
        ("git mv src/other.rs src/moved.rs; git commit -qm x", "no task of the plan names `src/other.rs`"),
        ("git add -f .env; git commit -qm x", "has in `.env` the content of `.env`"),
        (
            "cp .env src/copy; git add src/copy; git commit -qm x; git rm -q src/copy; git commit -qm y",
            "has in `src/copy` the content of `.env`",
        ),
        (
            "git init -q sub; git -C sub commit -q --allow-empty -m x; git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub; git commit -qm x",
            "a commit that its repository here does not have",
        ),
        ("git reset -q --hard HEAD~1", "it does not descend from"),
        (
            "git update-ref $(git symbolic-ref HEAD) $(git commit-tree -m x $(git write-tree))",
            "it does not descend from",
        ),
        (
            "b=.git/$(git symbolic-ref HEAD); mkdir -p $(dirname $b); t=$(git rev-parse HEAD^{tree}); echo $t > $b",
            "it does not point to a commit",
        ),
        ("git symbolic-ref $(git symbolic-ref HEAD) refs/heads/elsewhere", "is a symbolic ref"),
        ("b=$(git symbolic-ref HEAD); git checkout -q --detach; git update-ref -d $b", "is gone"),
        ("echo two > src/csv.rs; git commit -qam x; rm .git/objects/??/*", ""),
        (
            "echo two > src/csv.rs; git commit -qam x; b=.git/$(git symbolic-ref HEAD); rm $b; mkfifo $b",
            "is a pipe",
        ),
        ("b=.git/$(git symbolic-ref HEAD); mkdir -p $(dirname $b); printf x > $b", "cannot be read"),
    ] {
        let (branch, told) = made(&repo, &solution, script);
        let refused = branch["refused"].as_array().unwrap_or_else(|| panic!("{script}: {branch:#} {told}"));
        let refused: Vec<&str> = refused.iter().map(|why| why.as_str().unwrap()).collect();
        assert!(refused.iter().any(|refused| refused.contains(why)), "{script}: {refused:?} {told}");
        assert_unchanged(&before, &repo, script);
    }
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn a_submodule_moves_to_a_commit_that_is_here() {
    let sandbox = Sandbox::new();
    let lib = sandbox.repo("lib");
    lib.commit("lib.rs", "one\n", "Begin");
    lib.commit("lib.rs", "two\n", "Go on");
    let (repo, solution) = planned(&sandbox);
    let path = lib.path().to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", path, "lib"]).ok();
    repo.git(&["commit", "--quiet", "-m", "Add a submodule"]).ok();
    let script = "git -C lib checkout -q HEAD~1; git commit -qam Back";
    let (branch, told) = made(&repo, &solution, script);
    assert_eq!(
        (branch["commits"].as_array().unwrap().len(), &branch["refused"]),
        (1, &Value::Null),
        "{told}"
    );
    let script = "git -C lib commit -q --allow-empty -m Own; git commit -qam Own";
    let (branch, told) = made(&repo, &solution, script);
    assert!(branch["refused"][0].as_str().unwrap().contains("sets submodule `lib`"), "{branch:#} {told}");
}

#[test]
fn what_the_user_has_already_is_not_judged_again() {
    let sandbox = Sandbox::new();
    let (repo, solution) = planned(&sandbox);
    repo.git(&["tag", "old", "HEAD"]).ok();
    repo.git(&["switch", "--quiet", "-c", "side", "HEAD~1"]).ok();
    repo.commit("src/side.rs", "side\n", "Aside");
    repo.git(&["tag", "side"]).ok();
    repo.git(&["switch", "--quiet", "-"]).ok();
    let (branch, told) = made(&repo, &solution, "git merge -q -m Merge tags/side");
    assert_eq!(
        (branch["commits"].as_array().unwrap().len(), &branch["refused"]),
        (1, &Value::Null),
        "{told}"
    );
}
