//! A purged history and the old one: they are never merged, and nothing of either is lost.

use serde_json::{Value, json};

use super::purge::{SECRET, assert_purged, held, hide, store};
use crate::support::{REF, Repo, Sandbox};

/// Two clones that share a store with a secret, which the first one has hidden and purged.
struct Purged {
    sandbox: Sandbox,
    origin: Repo,
    ada: Repo,
    bea: Repo,
    old: String,
    answer: Value,
}

impl Purged {
    /// `is_known` says whether the second clone knows what is hidden before the purge.
    fn new(is_known: bool) -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.bare("origin.git");
        Self::at(sandbox, origin, is_known)
    }

    fn at(sandbox: Sandbox, origin: Repo, is_known: bool) -> Self {
        let ada = sandbox.clone(&origin, "ada");
        store(&ada);
        ada.wf(&["sync"]).ok();
        let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        hide(&ada);
        if is_known {
            ada.wf(&["sync"]).ok();
            bea.wf(&["sync"]).ok();
        }
        let old = ada.tip().unwrap();
        let answer = ada.json(&["redact", "--purge", "--yes"]);
        Self { sandbox, origin, ada, bea, old, answer }
    }

    fn push(&self) -> String {
        self.answer["remotes"][0]["push"].as_str().unwrap().to_owned()
    }

    fn clones(&self) -> String {
        self.answer["remotes"][0]["clones"].as_str().unwrap().to_owned()
    }
}

#[track_caller]
fn run(repo: &Repo, command: &str) {
    repo.sh(&["-c", command]).ok();
}

/// A commit with the content of another, but without its history.
pub(crate) fn flat(repo: &Repo, commit: &str) -> String {
    let root = repo.git(&["rev-list", "--max-parents=0", commit]).ok();
    let tree = format!("{commit}^{{tree}}");
    repo.git(&["commit-tree", "-m", "all at once", "-p", root.line(), &tree]).ok().line().to_owned()
}

/// No two commits of the log have the same time, author and subject.
#[track_caller]
fn assert_each_step_once(repo: &Repo) {
    let log = repo.git(&["log", "--no-merges", "--format=%at %ae %s", REF]).ok().stdout;
    let mut steps: Vec<&str> = log.lines().collect();
    steps.sort_unstable();
    let all = steps.len();
    steps.dedup();
    assert_eq!(steps.len(), all, "{log}");
}

#[track_caller]
fn assert_refused(repo: &Repo, args: &[&str]) {
    let error = repo.refused(1, args);
    assert_eq!(error["code"], "purged", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("git wf redact --purge"), "{error}");
}

#[test]
fn the_old_history_is_not_merged_back() {
    let it = Purged::new(true);
    let new = it.ada.tip();
    for args in [["sync"], ["pull"], ["push"]] {
        assert_refused(&it.ada, &args);
    }
    it.ada.git(&["fetch", "--quiet", "origin"]).ok();
    assert_refused(&it.ada, &["sync"]);
    // Another worktree, a garbage collection, and a lost file change nothing about it.
    let beside = it.ada.worktree("beside", "beside");
    assert_refused(&beside, &["sync"]);
    it.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    it.ada.git(&["gc", "--quiet", "--prune=now"]).ok();
    it.ada.git(&["cat-file", "-e", &it.old]).fails(1);
    assert_refused(&it.ada, &["sync"]);
    std::fs::remove_file(it.ada.path().join(".git/wf/purged")).unwrap();
    assert_refused(&it.ada, &["sync"]);
    assert_refused(&it.ada, &["pull"]);
    assert_eq!(it.ada.tip(), new);
    assert_purged(&it.ada);
    // It prints the same again.
    let again = it.ada.json(&["redact", "--purge", "--yes"]);
    assert_eq!(again["remotes"], it.answer["remotes"]);
    assert_eq!((&again["commits"], &again["to"]), (&json!(0), &json!(new)));
    let text = it.ada.wf(&["redact", "--purge", "--yes"]).ok().stdout;
    assert!(
        text.contains(&it.push()) && text.contains(&it.clones()),
        "nothing else is known of the remote: {text}"
    );
    assert_refused(&it.ada, &["sync"]);
    let text = it.ada.wf(&["redact", "--purge", "--yes"]).ok().stdout;
    assert!(text.contains(&it.push()) && text.contains(&it.clones()), "{text}");

    run(&it.ada, &it.push());
    let synced = it.ada.json(&["sync"]);
    assert_eq!((&synced["merged"], &synced["pushed"]), (&json!("none"), &json!(false)));
    assert_eq!(it.origin.tip(), new);
    assert_each_step_once(&it.ada);
}

#[test]
fn what_was_never_published_comes_over() {
    for is_known in [true, false] {
        let it = Purged::new(is_known);
        it.bea.wf(&["comment", "ISS-000", "-m", "of Bea"]).ok();
        it.bea.wf(&["new", "Of Bea", "--id", "ISS-002"]).ok();
        run(&it.ada, &it.push());
        it.ada.wf(&["new", "Since then", "--id", "ISS-003"]).ok();
        it.ada.wf(&["sync"]).ok();

        assert_refused(&it.bea, &["sync"]);
        assert_refused(&it.bea, &["pull"]);
        assert_eq!(it.origin.tip(), it.ada.tip());
        run(&it.bea, &it.clones());
        it.ada.wf(&["sync"]).ok();
        assert_eq!((it.ada.tip(), it.origin.tip()), (it.bea.tip(), it.bea.tip()));
        for repo in [&it.ada, &it.bea, &it.origin] {
            assert_purged(repo);
            assert_each_step_once(repo);
        }
        assert_eq!(it.ada.json(&["list", "--all"]).as_array().unwrap().len(), 4);
        let comments = it.ada.json(&["show", "ISS-000"])["comments"].clone();
        assert!(comments.to_string().contains("of Bea"), "{comments}");
        assert_eq!(it.bea.json(&["redact", "--purge", "--yes"])["commits"], 0);
    }
}

#[test]
fn what_others_pushed_meanwhile_comes_over() {
    let it = Purged::new(true);
    it.bea.wf(&["new", "Of Bea", "--id", "ISS-002"]).ok();
    it.bea.wf(&["sync"]).ok();
    it.ada.sh(&["-c", &it.push()]).fails(1);
    assert_refused(&it.ada, &["sync"]);
    let answer = it.ada.json(&["redact", "--purge", "--yes"]);
    assert_eq!(answer["merged"], json!(["refs/wf-remotes/origin/main"]));
    run(&it.ada, answer["remotes"][0]["push"].as_str().unwrap());
    it.ada.wf(&["sync"]).ok();
    run(&it.bea, &it.clones());
    assert_eq!(it.ada.tip(), it.bea.tip());
    assert_purged(&it.ada);
    assert_each_step_once(&it.ada);
    it.ada.wf(&["show", "ISS-002"]).ok();
}

#[test]
fn what_a_clone_without_this_rule_merged_is_told_apart() {
    let it = Purged::new(true);
    run(&it.ada, &it.push());
    let new = it.ada.tip().unwrap();
    // Merges the two as an earlier git-wf does.
    it.bea.git(&["fetch", "--quiet", "origin"]).ok();
    let beside = it.sandbox.bare("beside.git");
    it.bea
        .git(&["push", "--quiet", beside.path().to_str().unwrap(), &format!("{}:{REF}", flat(&it.bea, &new))])
        .ok();
    let merging = it.sandbox.clone(&beside, "merging");
    merging.git(&["fetch", "--quiet", it.bea.path().to_str().unwrap(), &format!("{REF}:{REF}")]).ok();
    merging.wf(&["sync", "origin"]).ok();
    let merged = merging.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok();
    it.bea.git(&["fetch", "--quiet", merging.path().to_str().unwrap(), REF]).ok();
    assert!(held(&it.bea, &[merged.line()]).contains(SECRET));
    let merge = ["commit-tree", "-m", "sync: merge two heads", "-p", &new, "-p", &it.old, merged.line()];
    let commit = it.bea.git(&merge);
    it.bea.git(&["push", "--quiet", "origin", &format!("{}:{REF}", commit.ok().line())]).ok();

    for repo in [&it.ada, &it.sandbox.clone(it.ada.path(), "third")] {
        if repo.tip().is_none() {
            repo.wf(&["init"]).ok();
            repo.git(&["remote", "set-url", "origin", it.origin.path().to_str().unwrap()]).ok();
        }
        assert_refused(repo, &["sync"]);
    }
    let answer = it.ada.json(&["redact", "--purge", "--yes"]);
    run(&it.ada, answer["remotes"][0]["push"].as_str().unwrap());
    it.ada.wf(&["sync"]).ok();
    assert_each_step_once(&it.ada);
    assert_purged(&it.origin);
}

#[test]
fn a_second_purge_after_the_first() {
    let it = Purged::new(true);
    run(&it.ada, &it.push());
    run(&it.bea, &it.clones());
    let another = "correct horse";
    it.bea.wf(&["comment", "ISS-000", "-m", another]).ok();
    it.bea.wf(&["sync"]).ok();
    it.ada.wf(&["sync"]).ok();
    let comment = it.ada.json(&["show", "ISS-000"])["comments"][1]["id"].as_str().unwrap().to_owned();
    it.ada.wf(&["redact", "ISS-000", &format!("comments/{comment}"), "-m", "a password"]).ok();
    it.ada.wf(&["sync"]).ok();
    let answer = it.ada.json(&["redact", "--purge", "--yes"]);
    assert_refused(&it.ada, &["sync"]);
    run(&it.ada, answer["remotes"][0]["push"].as_str().unwrap());
    it.bea.wf(&["new", "Of Bea", "--id", "ISS-002"]).ok();
    assert_refused(&it.bea, &["sync"]);
    run(&it.bea, &it.clones());
    it.ada.wf(&["sync"]).ok();
    assert_eq!(it.ada.tip(), it.bea.tip());
    for repo in [&it.ada, &it.bea] {
        assert_purged(repo);
        assert!(!held(repo, &[REF]).contains(another));
        assert_each_step_once(repo);
    }
    // The first old history is still refused.
    it.bea.git(&["push", "--quiet", "--force", "origin", &format!("{}:{REF}", it.old)]).ok();
    assert_refused(&it.ada, &["sync"]);
    assert_refused(&it.bea, &["sync"]);
}

#[test]
fn a_server_with_a_gate_is_purged_itself() {
    let sandbox = Sandbox::new();
    let server = sandbox.bare("the server.git");
    server.wf(&["hooks", "install", "--server"]).ok();
    let it = Purged::at(sandbox, server, true);
    let told = it.ada.sh(&["-c", &it.push()]).fails(1).stderr;
    assert!(told.contains("was purged") && told.contains("`git wf redact --purge` on the server"), "{told}");
    it.origin.wf(&["redact", "--purge", "--yes"]).ok();
    assert_eq!(it.origin.tip(), it.ada.tip());
    it.ada.wf(&["sync"]).ok();
    // A clone that does not know of it brings nothing back.
    let old = format!("{}:{REF}", it.old);
    let told = it.bea.git(&["push", "--force", "origin", &old]).fails(1).stderr;
    assert!(told.contains("brings back what was purged here"), "{told}");
    it.bea.wf(&["new", "Of Bea", "--id", "ISS-002"]).ok();
    run(&it.bea, &it.clones());
    assert_eq!(it.origin.tip(), it.bea.tip());
    assert_purged(&it.origin);
    assert!(!held(&it.bea, &[REF]).contains(SECRET));
}

#[test]
fn claims_wait_for_the_purge() {
    let it = Purged::new(true);
    let beside = it.ada.worktree("beside", "beside");
    beside.queued("ISS-009", "other.txt");
    let error = beside.refused(1, &["next", "ISS-009"]);
    assert_eq!(error["code"], "purged", "{error}");
    run(&it.ada, &it.push());
    beside.wf(&["next", "ISS-009"]).ok();
    assert_eq!(it.origin.tip(), it.ada.tip());
}

#[test]
fn a_second_purge_prints_the_commands_again_until_the_remote_is_purged() {
    let purged = Purged::new(false);
    let again = purged.ada.json(&["redact", "--purge", "--yes"]);
    assert_eq!((&again["commits"], &again["remotes"]), (&json!(0), &purged.answer["remotes"]));
    let text = purged.ada.wf(&["redact", "--purge", "--yes"]).ok().stdout;
    assert!(text.contains(&purged.push()) && text.contains(&purged.clones()), "{text}");
    run(&purged.ada, &purged.push());
    let after = purged.ada.json(&["redact", "--purge", "--yes"]);
    assert_eq!(after["remotes"], json!([]), "it has the new history");
    purged.ada.wf(&["sync"]).ok();
    assert_eq!(purged.ada.json(&["redact", "--purge", "--yes"])["remotes"], json!([]));
}
