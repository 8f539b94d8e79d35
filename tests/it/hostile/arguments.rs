//! Values that git would take for options. A `git` before the real one on the PATH records every call.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::*;
use crate::support::{plan_on, record};

/// A part of every value that comes from outside.
const MARK: &str = "EVIL";

/// A `git` that writes its arguments to one file for each call, and then runs the real one.
fn recorder(world: &Path) -> (PathBuf, PathBuf) {
    let (bin, calls) = (world.join("recorder"), world.join("calls"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&calls).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|it| it.is_file()).unwrap();
    let script = format!(
        "#!/bin/sh\nfile=$(mktemp '{}/XXXXXXXX')\nprintf '%s\\0' \"$@\" >\"$file\"\nexec '{}' \"$@\"\n",
        calls.display(),
        real.display()
    );
    std::fs::write(bin.join("git"), script).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    (bin, calls)
}

/// The same directory with that `git` first on the PATH.
fn recorded(repo: &Repo, bin: &Path) -> Repo {
    let path = std::env::var("PATH").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_git-wf")).parent().unwrap();
    repo.with_env("PATH", &format!("{}:{}:{path}", bin.display(), program.display()))
}

/// The words of every call.
fn calls(folder: &Path) -> Vec<Vec<String>> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    };
    folder.read_dir().unwrap().map(read).collect()
}

/// Whether a value from outside is where git could take it for an option.
fn is_open(call: &[String]) -> bool {
    let options = call.iter().take_while(|word| *word != "--end-of-options" && *word != "--");
    // A value that is joined to an option belongs to it.
    let is_glued = |word: &str| ["--exclude=", "-bwf/", "--contains="].iter().any(|it| word.starts_with(it));
    options.into_iter().any(|word| word.contains(MARK) && !is_glued(word))
}

#[test]
fn no_value_is_taken_for_an_option() {
    let sandbox = Sandbox::new();
    let remote = format!("--upload-pack={MARK}");
    let branch = format!("--output={MARK}");
    let file = format!("--output={MARK}.rs");
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.repo("ada");
    ada.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
    // git itself would not accept such a name for a remote or a branch, but a configuration and a ref can contain
    // one.
    ada.git(&["config", &format!("remote.{remote}.url"), origin.path().to_str().unwrap()]).ok();
    ada.git(&["update-ref", &format!("refs/heads/{branch}"), "HEAD"]).ok();
    ada.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]).ok();
    ada.git(&["config", &format!("remote.{remote}.wfPush"), "true"]).ok();
    let (bin, folder) = recorder(sandbox.root());
    let it = recorded(&ada, &bin);
    it.wf(&["init", "--hooks", &format!("--remote={remote}")]).ok();
    it.wf(&["sync", "--", &remote]).ok();
    let mut plan = plan_on(&file);
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    ada.planned("ISS-001", &plan);
    ada.queued("ISS-002", "b.rs");
    it.wf(&["queue", "add", "ISS-001"]).ok();
    it.wf(&["next", "ISS-001"]).ok();
    let hash = it.commit(&file, "one\n", &format!("--author={MARK}"));
    it.git(&["-c", "core.editor=true", "commit", "--quiet", "--amend", "--no-edit"]).ok();
    for args in [
        &["sync"][..],
        &["sync", "--", &remote],
        &["status"],
        &["verify", "--yes"],
        &["why", "--", &file],
        &["why", "--", &format!("{file}:1")],
        &["why", "--", &format!("--output={MARK}2")],
        &["trace", "--", &format!("--output={MARK}")],
        &["trace", "--", &format!("--output={MARK}..HEAD")],
        &["trace", "--", &branch],
        &["trace", &hash],
        &["audit", "--", &format!("--output={MARK}")],
        &["audit", "--", &format!("--output={MARK}..HEAD")],
        &["audit"],
        &["export", "agent-trace", "--", &format!("--output={MARK}")],
        &["export", "agent-trace", "--", &format!("--output={MARK}..HEAD")],
        &["export", "agent-trace", &hash],
        &["export", "in-toto", "--", &format!("--output={MARK}")],
        &["link", "--", &format!("--output={MARK}"), "ISS-001"],
        &["link", "--find", "--", &format!("--output={MARK}")],
        &["link", "--find"],
        &["log", "--", &format!("--output={MARK}")],
        &["log", &format!("--since=--output={MARK}")],
        &["diff", "--", &format!("--output={MARK}..HEAD")],
        &["next", "ISS-002", &format!("--worktree=--{MARK}-worktree")],
        &["queue", "forecast"],
        &["hook", "commit-msg", "message"],
        &["done"],
        &["link", "--remove", "--", &format!("--output={MARK}")],
        &["link", "--remove", &hash],
        &["fsck"],
        &["pull", "--", &remote],
        &["push", "--", &remote],
        &["redact", "ISS-002", "title", "-m", MARK],
        &["redact", "--purge", "--yes"],
        &["hooks", "status"],
        &["hooks", "install"],
        &["log"],
    ] {
        // Their results do not matter here; but git is not called at all if nothing is executed.
        if args[0] == "queue" {
            // A branch to merge.
            let other = format!("./--{MARK}-worktree");
            let commit =
                ["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--allow-empty", "-m", "other"];
            it.git(&[&["-C", &other][..], &commit].concat()).ok();
        }
        if args[0] == "hook" {
            // git puts a `git` of its own before ours when it runs hooks, so this hook is called directly, with a
            // change that reverts the work.
            it.git(&["rm", "--quiet", "--cached", "--", &file]).ok();
            it.write("message", "take it back\n");
        }
        let ran = it.wf(args);
        if args[0] == "hook" {
            it.git(&["reset", "--quiet"]).ok();
            std::fs::remove_file(it.path().join("message")).unwrap();
        }
        if args == ["done"] {
            ran.ok();
        }
    }
    let pushed = format!("refs/heads/{branch} {hash} refs/heads/x {hash}\n");
    it.wf_in(pushed, &["hook", "pre-push", "--", &remote, "url"]);
    let calls = calls(&folder);
    let ours = |call: &&Vec<String>| !call.iter().any(|word| word == "wf" || word == "commit");
    let open: Vec<_> = calls.iter().filter(ours).filter(|call| is_open(call)).collect();
    assert!(open.is_empty(), "{open:#?}");
    // The calls include each git command that gets a value, and the values themselves.
    for name in [
        "blame",
        "config",
        "diff-index",
        "diff-tree",
        "fetch",
        "for-each-ref",
        "log",
        "ls-files",
        "merge-tree",
        "patch-id",
        "push",
        "reflog",
        "remote",
        "rev-list",
        "rev-parse",
        "worktree",
    ] {
        assert!(calls.iter().any(|call| call.iter().any(|word| word == name)), "no `git {name}` was run");
    }
    for value in [&remote, &branch, &file] {
        assert!(
            calls.iter().flatten().any(|word| word.contains(value.as_str())),
            "`{value}` was never passed"
        );
    }
    let made = ada.git(&["status", "--porcelain", "--untracked-files=all"]).ok().stdout;
    let made = made.replace(&format!("?? --{MARK}-worktree/"), "");
    assert!(!made.contains(MARK) && !sandbox.root().join(MARK).exists(), "{made}");
}

#[test]
fn a_foreign_hash_writes_no_hook() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
    ada.wf(&["init"]).ok();
    ada.queued("ISS-001", "a.rs");
    ada.wf(&["sync"]).ok();
    ada.wf(&["next"]).ok();
    ada.commit("a.rs", "x\n", "work");
    ada.wf(&["sync"]).ok();
    let hook = ada.path().join(".git/hooks/post-commit");
    assert!(!hook.exists());
    // Someone who may push writes into the log of the running execution.
    let id = ada.store_path("/execution.json").replace("/execution.json", "");
    let at = "2026-11-21T02:30:00.000Z";
    let entry = json!({"type": "commit", "hash": "--output=.git/hooks/post-commit", "subject": "s",
        "author": "a", "authored_at": at, "linked_by": "hook", "actor": "a", "at": at});
    let (name, entry) = record::entry("20261121T050000000Z-00000", entry);
    origin.plumb_bytes(&[(&format!("{id}/log/{name}.json"), format!("{entry:#}\n").as_bytes())]);
    ada.wf(&["sync"]).ok();
    let found = ada.wf(&["fsck", "--json"]).fails(1).json();
    let found = found.to_string();
    assert!(found.contains(&name) && found.contains("is not an object id"), "{found}");
    ada.done();
    assert!(!hook.exists(), "`done` wrote {}", hook.display());
    assert_eq!(ada.status("ISS-001"), "completed");
}
