//! Clones with only a part of the history, and read-only remotes.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::support::{Repo, Sandbox, Two};

fn ids(repo: &Repo) -> Vec<String> {
    let listed = repo.wf(&["list", "--all", "--json"]).ok().json();
    let mut ids: Vec<String> =
        listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

/// A remote with three commits of code, and a store with two issues.
fn origin(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let origin = sandbox.bare("origin.git");
        let ada = sandbox.clone(&origin, "ada");
        for n in 1..=3 {
            ada.commit("a.txt", &format!("{n}\n"), &format!("commit {n}"));
        }
        ada.git(&["push", "--quiet", "origin", "HEAD"]).ok();
        ada.wf(&["init"]).ok();
        ada.wf(&["new", "One", "--id", "GH-1"]).ok();
        ada.wf(&["new", "Two", "--id", "GH-2"]).ok();
        ada.wf(&["sync"]).ok();
        (origin, ada)
    })
}

fn shallow(sandbox: &Sandbox, origin: &Repo) -> Repo {
    let url = format!("file://{}", origin.path().display());
    Repo::git(&sandbox.at(""), &["clone", "--quiet", "--depth=1", &url, "shallow"]).ok();
    let clone = sandbox.at("shallow").as_person("Bea", "bea@example.org");
    assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]).ok().line(), "1");
    clone
}

#[test]
fn a_shallow_clone_has_all_of_the_store() {
    let sandbox = Sandbox::new();
    let (origin, ada) = origin(&sandbox);
    let bea = shallow(&sandbox, &origin);
    bea.wf(&["init"]).ok();
    assert_eq!(bea.tip(), ada.tip());
    bea.wf(&["new", "Three", "--id", "GH-3"]).ok();
    ada.wf(&["new", "Four", "--id", "GH-4"]).ok();
    for repo in [&bea, &ada, &bea] {
        repo.wf(&["sync"]).ok();
    }
    assert_eq!(bea.tip(), ada.tip());
    assert_eq!(ids(&bea), ["GH-1", "GH-2", "GH-3", "GH-4"]);
    let commits = |repo: &Repo| repo.git(&["rev-list", "--count", "refs/wf/main"]).ok().line().to_owned();
    assert_eq!(commits(&bea), commits(&ada));
    for repo in [&bea, &ada, &origin] {
        repo.wf(&["fsck"]).ok();
        repo.git(&["fsck", "--strict"]).ok();
    }
}

#[test]
fn a_store_of_which_a_plain_fetch_cut_off_the_history() {
    let sandbox = Sandbox::new();
    let (origin, ada) = origin(&sandbox);
    let bea = shallow(&sandbox, &origin);
    bea.wf(&["init"]).ok();
    bea.wf(&["new", "Three", "--id", "GH-3"]).ok();
    ada.wf(&["new", "Four", "--id", "GH-4"]).ok();
    ada.wf(&["edit", "GH-4", "--title", "Four again"]).ok();
    ada.wf(&["sync"]).ok();
    // The refspec fetches the head of the store, and `--depth` none of its ancestors.
    bea.git(&["fetch", "--quiet", "--depth=1"]).ok();
    for repo in [&bea, &ada, &bea] {
        repo.wf(&["sync"]).ok();
    }
    assert_eq!(bea.tip(), ada.tip());
    for repo in [&bea, &ada] {
        assert_eq!(ids(repo), ["GH-1", "GH-2", "GH-3", "GH-4"]);
        repo.wf(&["fsck"]).ok();
        repo.git(&["fsck", "--strict"]).ok();
    }
    origin.git(&["fsck", "--strict"]).ok();
    bea.git(&["fetch", "--quiet", "--unshallow"]).ok();
    bea.wf(&["sync"]).ok();
    bea.wf(&["fsck"]).ok();
}

#[test]
fn a_remote_that_may_only_be_read() {
    let Two { sandbox, origin, ada, bea } = Two::new();
    bea.wf(&["new", "From elsewhere", "--id", "GH-1"]).ok();
    bea.wf(&["sync"]).ok();
    ada.wf(&["new", "From here", "--id", "GH-2"]).ok();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if is_root {
        let known = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status();
        if !known.is_ok_and(|status| status.success()) {
            println!("skipped: root may write everywhere, and there is no setpriv to be someone else");
            return;
        }
        let mode = |path: &std::path::Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(sandbox.root(), 0o755);
        mode(&sandbox.root().join("tmp"), 0o777);
        ada.git(&["config", "--global", "safe.directory", "*"]).ok();
        ada.sh(&["-c", "chown -R 65534:65534 ."]).ok();
    } else {
        origin.sh(&["-c", "chmod -R a-w ."]).ok();
    }
    let run = |args: &[&str]| {
        if is_root {
            let start = "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\"";
            ada.sh(&[&["-c", start, env!("CARGO_BIN_EXE_git-wf")], args].concat())
        } else {
            ada.wf(args)
        }
    };
    let before = origin.tip();
    for command in ["sync", "push", "sync"] {
        let error = run(&[command, "--json"]).fails(1).json_error();
        assert_eq!(error["code"], "refused", "{command}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("unable to create temporary object directory"), "{command}: {message}");
    }
    assert_eq!(origin.tip(), before);
    // What was written here stays, and what could be fetched was merged.
    let listed = run(&["list", "--json"]).ok().stdout;
    assert!(listed.contains("GH-1") && listed.contains("GH-2"), "{listed}");
    run(&["pull"]).ok();
    run(&["fsck"]).ok();
    if !is_root {
        origin.sh(&["-c", "chmod -R u+w ."]).ok();
    }
    ada.git(&["config", "--global", "safe.directory", "*"]).ok();
    ada.wf(&["sync"]).ok();
    bea.wf(&["sync"]).ok();
    assert_eq!(bea.tip(), ada.tip());
}
