//! `audit` of merges: their own changes are work like any other; the changes that they join are not theirs.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan_on};

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// A repository whose branches `main` and `side` diverge after the first commit; `main` is checked out.
fn parted(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.write("a.txt", LINES);
        repo.write("b.txt", "one\n");
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-qm", "start"]).ok();
        repo.git(&["branch", "side"]).ok();
        repo
    })
}

fn change_on(repo: &Repo, branch: &str, line: &str, to: &str) {
    repo.git(&["checkout", "-q", branch]).ok();
    repo.write("a.txt", LINES.replace(line, to));
    repo.git(&["commit", "-qam", &format!("Change a on {branch}")]).ok();
}

/// The findings of `audit` about the merge at HEAD alone.
fn of_merge(repo: &Repo) -> Value {
    let mut audit = repo.json(&["audit", "HEAD^!"]);
    let commits = audit["commits"].as_array_mut().unwrap();
    assert_eq!((commits.len(), &commits[0]["is_merge"]), (1, &json!(true)));
    audit
}

/// Merges `side`, and resolves the conflict in `a.txt`.
fn settle(repo: &Repo) {
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "side"]).fails(1);
    repo.write("a.txt", LINES.replace('5', "both"));
}

#[test]
fn a_settled_conflict_is_work_that_needs_a_plan() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "main", "5", "main");
    change_on(&repo, "side", "5", "side");
    settle(&repo);
    repo.write("evil name.txt", "x\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "Join"]).ok();
    let audit = of_merge(&repo);
    assert_eq!(audit["commits"][0]["own_files"], json!(["a.txt", "evil name.txt"]));
    assert_eq!((&audit["commit_count"], &audit["bound_count"]), (&json!(1), &json!(0)));
    let finding = &audit["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&json!("unbound"), &json!("fault")));
    assert!(finding["message"].as_str().unwrap().contains("changes of its own"), "{finding}");
    let text = repo.wf(&["audit", "--strict", "HEAD^!"]).fails(1).stdout;
    assert!(text.contains("the merge itself changes a.txt, evil name.txt"), "{text}");
    // Linked by hand, it is bound, and compared with the plan.
    let solution = repo.planned("ISS-001", &plan_on("a.txt"));
    repo.wf(&["next", "ISS-001"]).ok();
    repo.wf(&["link", "HEAD", &solution]).ok();
    let audit = of_merge(&repo);
    assert_eq!(audit["bound_count"], 1);
    let kinds: Vec<_> = audit["findings"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["unplanned_file"], "{audit:#}");
    assert!(audit["findings"][0]["message"].as_str().unwrap().contains("evil name.txt"));
}

#[test]
fn a_conflict_that_is_settled_under_a_claim_belongs_to_it() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "side", "5", "side");
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.planned("ISS-001", &plan_on("a.txt"));
    repo.wf(&["next", "ISS-001"]).ok();
    change_on(&repo, "main", "5", "main");
    settle(&repo);
    repo.git(&["commit", "-qam", "Join"]).ok();
    let audit = of_merge(&repo);
    assert_eq!((&audit["bound_count"], &audit["findings"]), (&json!(1), &json!([])), "{audit:#}");
}

#[test]
fn a_merge_that_only_joins_needs_no_plan() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    // Close to each other, in a file that one side also moved.
    change_on(&repo, "main", "3", "main");
    repo.git(&["mv", "a.txt", "moved.txt"]).ok();
    repo.git(&["commit", "-qm", "Move a"]).ok();
    change_on(&repo, "side", "5", "side");
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "-m", "Join", "side"]).ok();
    let audit = of_merge(&repo);
    assert_eq!((&audit["commit_count"], &audit["findings"]), (&json!(0), &json!([])), "{audit:#}");
    assert_eq!(audit["commits"][0]["own_files"], Value::Null);
}

#[test]
fn where_a_shallow_clone_ends_nobody_can_tell_what_was_changed() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "main", "5", "main");
    change_on(&repo, "side", "5", "side");
    settle(&repo);
    repo.git(&["commit", "-qam", "Join"]).ok();
    repo.commit("b.txt", "two\n", "More");
    for (depth, ends_at) in [("1", "HEAD"), ("2", "HEAD~1")] {
        let from = format!("file://{}", repo.path().display());
        repo.git(&["clone", "-q", "--depth", depth, &from, &format!("../shallow{depth}")]).ok();
        let shallow = sandbox.at(&format!("shallow{depth}"));
        shallow.wf(&["init"]).ok();
        let error = shallow.refused(1, &["audit", "HEAD"]);
        assert_eq!(error["code"], "shallow", "{error}");
        let end = repo.git(&["rev-parse", ends_at]).ok();
        assert!(error["message"].as_str().unwrap().contains(end.line()), "{error}");
    }
    // Without a range, the commits at which it ends are left out.
    let ran = sandbox.at("shallow1").wf(&["audit"]);
    assert!(ran.code == 0 || ran.code == 3, "{}", ran.stderr);
    // Commits above the shallow boundary are audited.
    assert_eq!(sandbox.at("shallow2").json(&["audit", "HEAD^!"])["commit_count"], 1);
}

/// Commits the staged state with two parents, whatever git would make of them.
fn join_by_hand(repo: &Repo, others: &[&str]) {
    let tree = repo.git(&["write-tree"]).ok().line().to_owned();
    let mut args = vec!["commit-tree", "-m", "Join", "-p", "main"];
    args.extend(others.iter().flat_map(|other| ["-p", other]));
    args.push(&tree);
    let merge = repo.git(&args).ok().line().to_owned();
    repo.git(&["reset", "-q", "--hard", &merge]).ok();
}

#[test]
fn a_submodule_of_its_own_is_told_whatever_its_settings_say() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    let [one, two] = ["1", "2"].map(|digit| digit.repeat(40));
    let point = |id: &str| {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},sub")]).ok();
    };
    change_on(&repo, "side", "5", "side");
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../sub\n\tignore = all\n");
    repo.git(&["add", "."]).ok();
    point(&one);
    repo.git(&["commit", "-qm", "Add a submodule"]).ok();
    let start = repo.git(&["rev-parse", "main"]).ok().line().to_owned();
    for (id, own) in [(&one, Value::Null), (&two, json!(["sub"]))] {
        repo.git(&["checkout", "-q", "side", "--", "a.txt"]).ok();
        point(id);
        join_by_hand(&repo, &["side"]);
        assert_eq!(of_merge(&repo)["commits"][0]["own_files"], own);
        repo.git(&["reset", "-q", "--hard", &start]).ok();
    }
}

#[test]
fn no_merge_driver_of_a_clone_is_run() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "main", "5", "main");
    change_on(&repo, "side", "5", "side");
    repo.git(&["checkout", "-q", "main"]).ok();
    let ran = sandbox.root().join("ran");
    repo.git(&["config", "merge.regen.driver", &format!("touch '{}'", ran.display())]).ok();
    repo.write(".gitattributes", "* merge=regen\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "Regenerate"]).ok();
    repo.git(&["merge", "-q", "-m", "Join", "side"]).ok();
    std::fs::remove_file(&ran).unwrap();
    for attributes in ["", "* merge=regen\n", "* merge=union\n"] {
        repo.write(".git/info/attributes", attributes);
        assert_eq!(of_merge(&repo)["commits"][0]["own_files"], json!(["a.txt"]), "{attributes}");
    }
    repo.git(&["config", "diff.algorithm", "patience"]).ok();
    repo.git(&["config", "merge.default", "regen"]).ok();
    assert_eq!(of_merge(&repo)["commits"][0]["own_files"], json!(["a.txt"]));
    assert!(!ran.exists(), "the driver was run");
}

#[test]
fn a_name_that_is_no_utf_8_is_told_beside_a_conflict() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "main", "5", "main");
    change_on(&repo, "side", "5", "side");
    repo.git(&["checkout", "-q", "main"]).ok();
    let blob = repo.git_in("x", &["hash-object", "-w", "--stdin"]).ok().line().to_owned();
    let entry = [b"100644 ", blob.as_bytes(), b"\tcaf\xe9\0"].concat();
    repo.git_in(entry, &["update-index", "-z", "--index-info"]).ok();
    join_by_hand(&repo, &["side"]);
    assert_eq!(of_merge(&repo)["commits"][0]["own_files"], json!(["a.txt", "caf\u{fffd}"]));
}

#[test]
fn an_old_git_is_named_where_it_cannot_repeat_an_octopus() {
    let sandbox = Sandbox::new();
    let repo = parted(&sandbox);
    change_on(&repo, "main", "2", "main");
    change_on(&repo, "side", "8", "side");
    repo.git(&["checkout", "-q", "-b", "third", "main~1"]).ok();
    repo.commit("c.txt", "c\n", "Third");
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "-m", "Join", "side", "third"]).ok();
    assert_eq!(of_merge(&repo)["findings"], json!([]));
    let git = repo.sh(&["-c", "command -v git"]).ok().line().to_owned();
    let script =
        format!("#!/bin/sh\ncase \" $* \" in *' merge-tree '*) exit 129;; *) exec {git} \"$@\";; esac\n");
    repo.write("bin/git", script);
    repo.sh(&["-c", "chmod +x bin/git"]).ok();
    let found = repo.sh(&["-c", "PATH=\"$PWD/bin:$PATH\" git-wf audit --json HEAD^!"]).json();
    let finding = &found["findings"][0];
    assert_eq!(finding["kind"], "unseen", "{found}");
    assert!(finding["message"].as_str().unwrap().contains("git is older than 2.39 here"), "{finding}");
}

/// The commits that `git subtree add --squash` and `git subtree pull --squash` make, whose script is not installed
/// everywhere: the files of another project, and a merge that moves them into a directory.
#[test]
fn a_squashed_subtree_is_merged_without_a_finding() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("repo");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.commit("src/a.rs", "1\n", "work");
    let blob = |text: &str| repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok().line().to_owned();
    let tree = |lines: &str| repo.git_in(lines, &["mktree"]).ok().line().to_owned();
    let commit = |tree: &str, parents: &[&str], words: &str| {
        let parents: Vec<&str> = parents.iter().flat_map(|parent| ["-p", parent]).collect();
        repo.git(&[&["commit-tree", "-m", words], &parents[..], &[tree]].concat()).ok().line().to_owned()
    };
    let merged = |lib: &str, squashed: &str, more: &str| {
        let own: String = repo.git(&["ls-tree", "HEAD"]).ok().stdout;
        let own: String =
            own.lines().filter(|line| !line.ends_with("\tvendor")).map(|line| format!("{line}\n")).collect();
        let inside = tree(&format!("040000 tree {lib}\tlib\n{more}"));
        let all = tree(&format!("{own}040000 tree {inside}\tvendor\n"));
        let merge = commit(&all, &["HEAD", squashed], "Merge as 'vendor/lib'");
        repo.git(&["reset", "-q", "--hard", &merge]).ok();
        let audit = repo.json(&["audit", "HEAD^!"]);
        audit["findings"].as_array().unwrap().iter().filter(|it| it["commit"] == json!(merge)).count()
    };
    let words = "Squashed 'vendor/lib/' content from commit 1234567\n\ngit-subtree-dir: vendor/lib\ngit-subtree-split: 1234567";
    let first = tree(&format!("100644 blob {}\tl.txt\n", blob("1\n")));
    let one = commit(&first, &[], words);
    assert_eq!(merged(&first, &one, ""), 0);
    let second = tree(&format!("100644 blob {}\tl.txt\n", blob("2\n")));
    let two = commit(&second, &[&one], words);
    assert_eq!(merged(&second, &two, ""), 0);
    // Anything else in it is a change of the merge.
    let third = commit(&first, &[&two], words);
    assert_eq!(merged(&first, &third, &format!("100644 blob {}\tx.txt\n", blob("x\n"))), 1);
    let fourth = commit(&second, &[&third], "without saying where it belongs");
    assert_eq!(merged(&second, &fourth, ""), 1);
    // Without `--squash`, the merge itself names the directory.
    let plain = commit(&first, &[], "of the library");
    for (words, findings) in [("Add 'other/'", 1), ("Add 'other/'\n\ngit-subtree-dir: other", 0)] {
        let own = repo.git(&["ls-tree", "HEAD"]).ok().stdout;
        let merge = commit(&tree(&format!("{own}040000 tree {first}\tother\n")), &["HEAD", &plain], words);
        let audit = repo.json(&["audit", &format!("{merge}^!")]);
        let found = audit["findings"].as_array().unwrap().iter().filter(|it| it["commit"] == json!(merge));
        assert_eq!(found.count(), findings, "{words}");
    }
}
