//! `pre-receive` on a server: the ref only moves forward, and commits name their plans if the policy requires it.

use super::id;
use crate::support::{REF, Repo, Sandbox};

/// A server with the hook, and a clone with hooks and a store that it shares.
pub(crate) fn shared() -> (Sandbox, Repo, Repo) {
    let sandbox = Sandbox::new();
    let server = sandbox.bare("the server.git");
    server.wf(&["hooks", "install", "--server"]).ok();
    let repo = sandbox.clone(&server, "repo");
    repo.commit("README", "a project\n", "begin");
    repo.wf(&["hooks", "install"]).ok();
    repo.wf(&["init"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    repo.wf(&["sync"]).ok();
    (sandbox, server, repo)
}

/// Forces a push that git and `sync` would refuse, and returns what the pusher is told.
pub(crate) fn refused(repo: &Repo, refspec: &str) -> String {
    let before = repo.git(&["ls-remote", "origin"]).ok().stdout;
    let ran = repo.git(&["push", "--force", "origin", refspec]).fails(1);
    assert!(ran.stderr.contains("pre-receive hook declined"), "{}", ran.stderr);
    assert_eq!(repo.git(&["ls-remote", "origin"]).ok().stdout, before);
    let told: Vec<&str> =
        ran.stderr.lines().filter_map(|line| line.strip_prefix("remote: ")).map(str::trim_end).collect();
    assert!(told[0].starts_with("error: ") && told[told.len() - 1].starts_with("hint: "), "{told:#?}");
    told.join("\n")
}

/// A commit of the ref on `parent` with a changed tree: `git update-index` takes `changes` on stdin.
pub(super) fn forged(repo: &Repo, parent: &str, changes: &str) -> String {
    let tree = repo.tree_from(parent, |index| {
        index.git_in(changes, &["update-index", "--index-info"]).ok();
    });
    repo.git(&["commit-tree", "-m", "forged", "-p", parent, &tree]).ok().line().to_owned()
}

#[test]
fn the_status_of_a_server_is_that_of_its_hook() {
    let (_sandbox, server, _) = shared();
    let states = server.wf(&["hooks", "status", "--json"]).ok().json();
    assert_eq!(states.as_array().unwrap().len(), 1);
    assert_eq!((&states[0]["name"], &states[0]["installed"]), (&"pre-receive".into(), &"current".into()));
    server.wf(&["hooks", "uninstall"]).ok();
    assert_eq!(server.wf(&["hooks", "status", "--json"]).ok().json()[0]["installed"], "absent");
}

#[test]
fn what_git_wf_itself_pushes_comes_in() {
    let (sandbox, server, repo) = shared();
    let other = sandbox.clone(&server, "other");
    other.wf(&["init"]).ok();
    for n in 0..3 {
        // With all records of an issue: plan, item, execution.
        repo.queued(&format!("ISS-{n}"), &format!("{n}.txt"));
        repo.wf(&["next", "--local"]).ok();
        repo.done();
        other.wf(&["new", "--id", &format!("ISS-{n}-b"), "Two"]).ok();
        repo.wf(&["sync"]).ok();
        other.wf(&["sync"]).ok();
        repo.wf(&["edit", &format!("ISS-{n}-b"), "-p", "high"]);
    }
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn the_ref_moves_forward_only_and_keeps_what_is_there() {
    let (_sandbox, server, repo) = shared();
    repo.wf(&["new", "--id", "ISS-001", "First"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Better"]).ok();
    repo.wf(&["sync"]).ok();
    let tip = repo.tip().unwrap();
    let path = repo.store_path("/issue.json");

    let told = refused(&repo, &format!("{tip}~1:{REF}"));
    assert!(told.contains("does not descend from"), "{told}");
    let told = refused(&repo, &format!(":{REF}"));
    assert!(told.contains("cannot be deleted"), "{told}");
    let null = "0".repeat(40);
    let dropped = forged(&repo, &tip, &format!("0 {null}\t{path}\n"));
    let told = refused(&repo, &format!("{dropped}:{REF}"));
    assert!(told.contains("`issues/90/ISS-001`: deleted"), "{told}");
    let older = repo.git(&["rev-parse", &format!("{tip}~1:{path}")]).ok().line().to_owned();
    let back = forged(&repo, &tip, &format!("100644 {older}\t{path}\n"));
    let told = refused(&repo, &format!("{back}:{REF}"));
    assert!(told.contains("set `title` back to an older value"), "{told}");
    let broken = repo.blob("{}\n");
    let new = path.replace("ISS-001", "ISS-002");
    for (at, why) in [
        (path.as_str(), "not a readable record"),
        (new.as_str(), "not the path of a record"),
        ("queues/QUE-20261121-7k3m2pq9/queue.json", "not a readable record"),
    ] {
        let commit = forged(&repo, &tip, &format!("100644 {broken}\t{at}\n"));
        let told = refused(&repo, &format!("{commit}:{REF}"));
        let folder = at.split('/').take(3).collect::<Vec<_>>().join("/");
        assert!(told.contains(why) && told.contains(&folder), "{at}: {told}");
    }
    let link = forged(&repo, &tip, &format!("120000 {broken}\tqueues/link\n"));
    assert!(refused(&repo, &format!("{link}:{REF}")).contains("queues/link"));
    let big = repo.blob(format!("\"{}\"\n", "x".repeat(17 * 1024 * 1024)));
    let large = forged(&repo, &tip, &format!("100644 {big}\tlater/version.json\n"));
    assert!(refused(&repo, &format!("{large}:{REF}")).contains("larger than a record can be"));
    let later = forged(&repo, &tip, &format!("100644 {}\twf.json\n", repo.blob("{\"format\": 99}\n")));
    assert!(refused(&repo, &format!("{later}:{REF}")).contains("format 99"));
    assert!(refused(&repo, &format!("main:{REF}")).contains("has no `wf.json`"));
    assert_eq!(server.tip().unwrap(), tip);
    // A path of a later version is accepted, and so is a commit that restores a record.
    let unknown = forged(&repo, &tip, &format!("100644 {broken}\tlater/version.json\n"));
    repo.git(&["push", "-q", "origin", &format!("{unknown}:{REF}")]).ok();
}

#[test]
fn a_first_push_must_be_a_store() {
    let sandbox = Sandbox::new();
    let server = sandbox.bare("server.git");
    server.wf(&["hooks", "install", "--server"]).ok();
    let repo = sandbox.clone(&server, "repo");
    repo.commit("README", "a project\n", "begin");
    assert!(refused(&repo, &format!("main:{REF}")).contains("wf.json"));
    let tree =
        repo.git_in(format!("100644 blob {}\twf.json\n", repo.blob("{\"format\": 1}\n")), &["mktree"]).ok();
    let alone = repo.git(&["commit-tree", "-m", "alone", tree.line()]).ok();
    let told = refused(&repo, &format!("{}:{REF}", alone.line()));
    assert!(told.contains("all stores share"), "{told}");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    repo.wf(&["init"]).ok();
    repo.wf(&["sync"]).ok();
}

#[test]
fn commits_need_a_plan_where_the_policy_that_was_there_says_so() {
    let (sandbox, server, repo) = shared();
    repo.wf(&["settings", "commits=required"]).ok();
    // The policy is pushed together with commits that it would refuse: it applies from then on.
    repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "before the policy"]).ok();
    repo.git(&["push", "-q", "origin", "main", REF]).ok();
    let solution = repo.queued("ISS-001", "a");
    repo.wf(&["next", "--local"]).ok();
    let bound = repo.commit("a", "1\n", "bound");
    let told = refused(&repo, "main");
    assert!(told.contains("\"bound\" on main"), "the claim is not known there yet: {told}");
    assert!(told.contains("git wf sync"), "{told}");
    // Together, in one push. A revert has no trailer, but is linked.
    repo.git(&["revert", "--no-edit", &bound]).ok();
    repo.git(&["push", "-q", "origin", "main", REF]).ok();
    assert_eq!(server.git(&["rev-parse", "main"]).ok().line(), id(&repo, "main"));
    // An amended commit is known by its new id.
    repo.commit("a", "2\n", "more");
    repo.git(&["commit", "-q", "--amend", "-m", "still more"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    // On another branch nothing is linked, and a merge needs no plan.
    repo.git(&["switch", "-q", "-c", "other"]).ok();
    let stray = repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "on my own"]);
    stray.ok();
    let told = refused(&repo, "other:refs/heads/anything");
    assert!(told.contains("\"on my own\" on anything") && !told.contains("still more"), "{told}");
    let other = repo.queued("ISS-404", "b");
    let invented = format!("named\n\nWf-Issue: ISS-404\nWf-Solution: {other}\n");
    repo.git(&["reset", "-q", "--hard", "main"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", &invented]).ok();
    assert!(refused(&repo, "other").contains("\"named\" on other"));
    repo.git(&["switch", "-q", "main"]).ok();
    repo.git(&["switch", "-q", "-c", "side", "main~1"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "main"]).ok();
    repo.git(&["push", "-q", "origin", "side"]).ok();
    repo.git(&["push", "-q", "origin", ":side"]).ok();
    // Linked by hand, and pushed.
    let off = ["-c", "core.hooksPath=/dev/null"];
    repo.git(&[&off[..], &["commit", "-q", "--allow-empty", "-m", "by hand"]].concat()).ok();
    repo.wf(&["link", "HEAD", &solution]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", "side"]).ok();
    // A push cannot turn off the policy and use that at once.
    repo.git(&[&off[..], &["commit", "-q", "--allow-empty", "-m", "sneaked in"]].concat()).ok();
    repo.wf(&["settings", "commits=free"]).ok();
    let ran = repo.git(&["push", "origin", "side", REF]).fails(1);
    assert!(ran.stderr.contains("commits from required to free: `wf.owner`"), "{}", ran.stderr);
    server.git(&["config", "wf.floor", "none"]).ok();
    let ran = repo.git(&["push", "origin", "side", REF]).fails(1);
    assert!(ran.stderr.contains("\"sneaked in\" on side"), "{}", ran.stderr);
    drop(sandbox);
}

#[test]
fn what_is_pushed_over_another_commit_than_the_one_that_is_there_stays_out() {
    let (_sandbox, server, repo) = shared();
    for title in ["One", "Two"] {
        repo.wf(&["new", title]).ok();
        repo.wf(&["sync"]).ok();
    }
    let tip = server.tip().unwrap();
    let [before, null] = [id(&repo, &format!("{tip}~1")), "0".repeat(40)];
    let pushed =
        |old: &str, new: &str| server.wf_in(format!("{old} {new} {REF}\n"), &["hook", "pre-receive"]);
    for old in [&before, &null, &id(&repo, "main")] {
        let told = pushed(old, &tip).fails(1).stderr;
        assert!(told.contains("was moved while this was pushed"), "{told}");
    }
    pushed(&tip, &tip).ok();
    let twice = format!("{tip} {tip} {REF}\n{before} {tip} {REF}\n");
    server.wf_in(twice, &["hook", "pre-receive"]).fails(1);
}

#[test]
fn a_server_that_cannot_look_lets_nothing_in() {
    let (_sandbox, server, repo) = shared();
    let hook = server.path().join("hooks/pre-receive");
    let text = std::fs::read_to_string(&hook).unwrap();
    let lines: Vec<String> = text
        .lines()
        .map(|line| if line.starts_with("git_wf='") { "git_wf='/gone'".to_owned() } else { line.to_owned() })
        .collect();
    std::fs::write(&hook, lines.join("\n") + "\n").unwrap();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "more"]).ok();
    let path = std::env::var("PATH").unwrap();
    let ran = repo.with_env("PATH", &path).git(&["push", "origin", "main"]).fails(1);
    assert!(ran.stderr.contains("git-wf is not installed on the server"), "{}", ran.stderr);
    assert_eq!(server.wf(&["hooks", "status", "--json"]).ok().json()[0]["installed"], "outdated");
    server.wf(&["hooks", "install", "--server"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
}

#[test]
fn a_repository_with_a_work_tree_checks_pushes_too() {
    let sandbox = Sandbox::new();
    let server = sandbox.repo("server");
    server.commit("README", "a project\n", "begin");
    server.git(&["config", "receive.denyCurrentBranch", "updateInstead"]).ok();
    server.wf(&["hooks", "install", "--server"]).ok();
    let side = server.worktree("side", "side");
    let repo = sandbox.clone(&server, "repo");
    repo.wf(&["init"]).ok();
    repo.wf(&["sync"]).ok();
    repo.commit("more", "1\n", "more");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    assert_eq!(server.read("more"), "1\n");
    let told = refused(&repo, &format!("main:{REF}"));
    assert!(told.contains("wf.json"), "{told}");
    repo.wf(&["settings", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    repo.commit("stray", "1\n", "stray");
    assert!(refused(&repo, "main").contains("\"stray\" on main"));
    // Through another worktree of it.
    repo.git(&["remote", "set-url", "origin", side.path().to_str().unwrap()]).ok();
    assert!(refused(&repo, "main").contains("\"stray\" on main"));
    assert_eq!(server.tip(), repo.tip());
}
