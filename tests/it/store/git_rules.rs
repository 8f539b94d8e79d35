//! What git does with the files and objects of a repository, git-wf does as well.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan_on};

/// The modes of all files and folders below `folder` whose path passes, without the kind of file.
fn modes(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> BTreeSet<(bool, u32)> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            found.extend(modes(&path, wanted));
        }
        if wanted(&path) {
            found.insert((metadata.is_dir(), metadata.permissions().mode() & 0o7777));
        }
    }
    found
}

/// A repository with the hooks that executes GH-1, whose plan changes `a.txt`.
fn at_work(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("repo");
        repo.commit("a.txt", "a\n", "start");
        repo.wf(&["init", "--hooks"]).ok();
        repo.planned("GH-1", &plan_on("a.txt"));
        repo.wf(&["queue", "add", "GH-1"]).ok();
        repo.wf(&["next"]).ok();
        repo
    })
}

#[test]
fn in_a_shared_repository_files_have_the_modes_that_git_gives_them() {
    for (shared, umask) in
        [("group", "077"), ("all", "077"), ("0660", "022"), ("0640", "002"), ("umask", "027")]
    {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo");
        let label = format!("{shared} {umask}");
        let git_dir = repo.path().join(".git");
        std::fs::remove_dir_all(&git_dir).unwrap();
        let under = |script: &str| repo.sh(&["-c", &format!("umask {umask}; {script}")]).ok();
        // Files that git makes, to compare with.
        under(&format!("git init --quiet --shared={shared} . && git commit --quiet --allow-empty -m start"));
        under("for n in 1 2 3 4 5 6 7 8 9; do echo $n | git hash-object -w --stdin; done; git repack -adq");
        let objects = modes(&git_dir.join("objects"), &|path| path.is_file());
        let folders = modes(&git_dir.join("objects"), &|path| path.is_dir());
        let heads = modes(&git_dir.join("refs/heads"), &|_| true);
        let logs = modes(&git_dir.join("logs/refs/heads"), &|_| true);
        let root = git_dir.join("refs").metadata().unwrap().permissions().mode() & 0o7777;
        let before = git_dir.join("before");
        std::fs::write(&before, "").unwrap();
        under(
            "git wf init && git wf new --id I-1 one && git wf new --id I-2 two && git wf list && git wf search two",
        );
        let bulk: String = (0..200).map(|n| format!("{{\"id\":\"B-{n}\",\"title\":\"t\"}}\n")).collect();
        repo.write("bulk.jsonl", bulk);
        under("git wf import beads bulk.jsonl");
        let own_objects = modes(&git_dir.join("objects"), &|path| path.is_file());
        let own_folders = modes(&git_dir.join("objects"), &|path| path.is_dir());
        assert!(own_objects.is_subset(&objects), "{label}: {own_objects:?} {objects:?}");
        assert!(own_folders.is_subset(&folders), "{label}: {own_folders:?} {folders:?}");
        assert_eq!(modes(&git_dir.join("refs/wf"), &|_| true), heads, "{label}");
        assert_eq!(modes(&git_dir.join("logs/refs/wf"), &|_| true), logs, "{label}");
        // Whoever may write a ref may also write what is beside the store.
        let mut beside = modes(&git_dir.join("wf"), &|_| true);
        beside.extend(modes(&git_dir, &|path| path.ends_with(".git/wf")));
        for (is_folder, mode) in beside {
            let expected = if is_folder { root } else { *heads.iter().map(|(_, mode)| mode).next().unwrap() };
            assert_eq!(mode, expected, "{label}: {mode:o} {expected:o}");
        }
        repo.git(&["fsck", "--strict"]).ok();
    }
}

fn titles(repo: &Repo) -> Vec<String> {
    let listed = repo.wf(&["list", "--json"]).ok().json();
    listed.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn replacements_and_grafts_of_a_clone_do_not_change_what_it_writes() {
    let sandbox = Sandbox::new();
    let hub = sandbox.bare("hub");
    let repo = sandbox.clone(&hub, "repo");
    repo.wf(&["init"]).ok();
    for n in 1..=4 {
        repo.wf(&["new", "--id", &format!("I-{n}"), &format!("Issue {n}")]).ok();
    }
    repo.wf(&["sync"]).ok();
    let (tip, earlier) = (repo.tip().unwrap(), format!("{REF}~2"));
    repo.git(&["replace", REF, &earlier]).ok();
    let blob = repo.git(&["rev-parse", &format!("{earlier}^{{tree}}")]).ok();
    repo.git(&["replace", &format!("{tip}^{{tree}}"), blob.line()]).ok();
    repo.write(".git/info/grafts", format!("{tip}\n"));
    assert_eq!(titles(&repo).len(), 4);
    repo.wf(&["new", "--id", "I-5", "Issue 5"]).ok();
    // To git, this commit has no parent either, so that a push of it would not be a fast-forward.
    let unpushed = repo.tip().unwrap();
    repo.git(&["replace", "--graft", &unpushed]).ok();
    repo.write(".git/info/grafts", format!("{tip}\n{unpushed}\n"));
    repo.wf(&["sync"]).ok();
    let other = sandbox.clone(&hub, "other");
    other.wf(&["init"]).ok();
    assert_eq!(titles(&other).len(), 5);
    for clone in [&repo, &other] {
        clone.wf(&["fsck"]).ok();
    }
}

/// What one tool writes composed and another decomposed is one file.
#[test]
fn two_encodings_of_an_accent_are_one_file_for_the_audit() {
    let (composed, decomposed) = ("caf\u{e9}.txt", "cafe\u{301}.txt");
    for (planned, written) in [(composed, decomposed), (decomposed, composed)] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo");
        repo.commit("a", "a\n", "start");
        repo.wf(&["init", "--hooks"]).ok();
        repo.planned("GH-1", &plan_on(planned));
        repo.wf(&["queue", "add", "GH-1"]).ok();
        repo.wf(&["next"]).ok();
        repo.write(written, "one\n");
        repo.git(&["add", "."]).ok();
        let committed = repo.git(&["commit", "-m", "menu"]).ok();
        assert!(!committed.stderr.contains("does not name"), "{}", committed.stderr);
        repo.wf(&["done", "-m", "done"]).ok();
        let audit = repo.git_wf(&["audit", "--json"]).json();
        let kinds: Vec<&Value> = audit["findings"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
        assert!(kinds.iter().all(|kind| !kind.as_str().unwrap().contains("file")), "{audit:#}");
    }
}

#[test]
fn a_restored_export_passes_fsck() {
    let sandbox = Sandbox::new();
    let repo = at_work(&sandbox);
    repo.commit("a.txt", "b\n", "work");
    repo.wf(&["done", "-m", "done"]).ok();
    let export = repo.wf(&["export", "jsonl"]).ok().stdout;
    let other = sandbox.repo("other");
    other.commit("a.txt", "a\n", "start");
    other.wf(&["init"]).ok();
    other.wf_in(export, &["import", "jsonl", "-"]).ok();
    let tree = |repo: &Repo| repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    assert_eq!(tree(&repo), tree(&other));
    other.wf(&["fsck"]).ok();
}

#[test]
fn a_cut_history_is_named_and_no_error() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.commit("a.txt", "a\n", "start");
    repo.wf(&["init"]).ok();
    repo.planned("GH-1", &plan_on("a.txt"));
    repo.wf(&["queue", "add", "GH-1"]).ok();
    repo.wf(&["next", "--local"]).ok();
    repo.wf(&["new", "later"]).ok();
    let other = sandbox.repo("other");
    let url = format!("file://{}", repo.path().display());
    other.git(&["fetch", "--depth=1", &url, &format!("{REF}:{REF}")]).ok();
    let found = other.wf(&["fsck", "--json", "--verbose"]).ok().json();
    let said = found.as_array().unwrap().iter().filter(|it| it["what"].as_str().unwrap().contains("is cut"));
    assert_eq!(said.count(), 1, "{found:#}");
}

/// Such a tool writes every commit of every ref anew.
#[test]
fn a_history_that_a_tool_rewrote_is_named_and_comes_back() {
    let sandbox = Sandbox::new();
    let hub = sandbox.bare("hub");
    let repo = sandbox.clone(&hub, "repo");
    repo.commit("a.txt", "a\n", "start");
    repo.wf(&["init"]).ok();
    repo.planned("GH-1", &plan_on("a.txt"));
    repo.wf(&["queue", "add", "GH-1"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["sync"]).ok();
    let filter = "git update-index --add --cacheinfo 100644,$(echo | git hash-object -w --stdin),attributes";
    let filtered = repo.with_env("FILTER_BRANCH_SQUELCH_WARNING", "1");
    filtered.git(&["filter-branch", "--force", "--index-filter", filter, "--", "--all"]).ok();
    let found = repo.wf(&["fsck", "--json", "--verbose"]).ok().json();
    assert!(found.to_string().contains("rewrote its history"), "{found:#}");
    repo.wf(&["sync"]).ok();
    repo.wf(&["fsck"]).ok();
    let other = sandbox.clone(&hub, "other");
    other.wf(&["init"]).ok();
    assert_eq!(other.wf(&["show", "GH-1", "--json"]).ok().json()["executions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_commit_is_read_in_its_own_encoding() {
    let sandbox = Sandbox::new();
    let repo = at_work(&sandbox);
    repo.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]).ok();
    repo.write("a.txt", "b\n");
    repo.git(&["add", "."]).ok();
    repo.write(".git/latin", b"caf\xe9 gr\xfcn\n");
    repo.git(&["commit", "-F", ".git/latin"]).ok();
    let shown = repo.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!(shown["executions"][0]["commits"][0]["subject"], "caf\u{e9} gr\u{fc}n", "{shown:#}");
    let trailers = repo.git(&["log", "-1", "--format=%(trailers:key=Wf-Issue,valueonly)"]).ok();
    assert_eq!(trailers.line(), "GH-1");
}

#[test]
fn a_deleted_ref_comes_back_from_the_remote() {
    let sandbox = Sandbox::new();
    let hub = sandbox.bare("hub");
    let repo = sandbox.clone(&hub, "repo");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "--id", "I-1", "One"]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["update-ref", "-d", REF]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(titles(&repo), ["One"]);
    // A repository that never had a store gets none from a mistake.
    let other = sandbox.clone(&hub, "other");
    other.wf(&["sync"]).fails(1);
    assert_eq!(other.tip(), None);
}

#[test]
fn a_repair_takes_no_directory_away_for_a_file_that_a_merge_left_out() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let before = repo.tip().unwrap();
    repo.plumb(&[("docs", "one\n"), ("notes/a", "two\n")]);
    let records =
        [("docs", Value::Null), ("docs/x", json!({})), ("notes", Value::Null), ("notes", json!({}))];
    repo.plumb_records(&records.map(|(path, record)| (path.to_owned(), record)));
    let tip = repo.tip();
    repo.wf(&["fsck", "--repair"]).ok();
    assert_eq!(repo.tip(), tip);
    assert_ne!(tip, Some(before));
}

#[test]
fn a_commit_of_the_store_is_read_in_its_own_encoding() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a").with_env("GIT_AUTHOR_NAME", "Zoë");
    let (tip, tree) = (repo.tip().unwrap(), format!("{REF}^{{tree}}"));
    let tree = repo.git(&["rev-parse", &tree]).ok().line().to_owned();
    let text = b"caf\xe9\n\nWf-Op: edit\n";
    let latin = ["-c", "i18n.commitEncoding=ISO-8859-1", "commit-tree", &tree, "-p", &tip];
    let commit = repo.git_in(text, &latin).ok().line().to_owned();
    repo.git(&["update-ref", REF, &commit]).ok();
    assert_eq!(repo.json(&["log"])[0]["subject"], "caf\u{e9}");
}

#[test]
fn hooks_can_be_run_by_those_who_may_read_them() {
    for (shared, umask, mode) in
        [("umask", "077", 0o700), ("umask", "022", 0o755), ("group", "077", 0o770), ("0640", "077", 0o750)]
    {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo");
        repo.git(&["config", "core.sharedRepository", shared]).ok();
        repo.write(".git/hooks/commit-msg", "#!/bin/sh\n");
        repo.sh(&["-c", &format!("umask {umask}; chmod +x .git/hooks/commit-msg; git wf hooks install")])
            .ok();
        for name in ["commit-msg", "post-commit", "pre-push"] {
            let metadata = repo.path().join(".git/hooks").join(name).metadata().unwrap();
            assert_eq!(metadata.permissions().mode() & 0o7777, mode, "{shared} {umask} {name}");
        }
    }
}
