//! A few small objects that expand to more than any server could check: the check stops, and they are refused.

use super::server::{refused, shared};
use crate::support::{REF, Repo};

/// A tree that contains this one ten times, nested twelve times.
pub(crate) fn bomb(repo: &Repo, within: &str) -> String {
    (0..12).fold(within.to_owned(), |inner, _| {
        let entries: String = (0..10).map(|n| format!("040000 tree {inner}\t{n}\n")).collect();
        repo.git_in(entries, &["mktree"]).ok().line().to_owned()
    })
}

fn leaf(repo: &Repo, name: &str) -> String {
    let entry = format!("100644 blob {}\t{name}\n", repo.blob(name));
    repo.git_in(entry, &["mktree"]).ok().line().to_owned()
}

fn over(repo: &Repo, parents: &[&str], tree: &str, message: &str) -> String {
    let mut args = vec!["commit-tree", "-m", message];
    args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
    args.push(tree);
    repo.git(&args).ok().line().to_owned()
}

#[test]
fn a_store_with_folders_without_end_stays_out() {
    let (_sandbox, server, repo) = shared();
    let tip = server.tip().unwrap();
    let top = repo.git(&["ls-tree", &tip]).ok().stdout;
    let empty = repo.git(&["mktree"]).ok().line().to_owned();
    for within in [empty, leaf(&repo, "a")] {
        let bomb = bomb(&repo, &within);
        let tree = repo.git_in(format!("{top}040000 tree {bomb}\tlater\n"), &["mktree"]).ok();
        let commit = over(&repo, &[&tip], tree.line(), "bomb");
        let told = refused(&repo, &format!("{commit}:{REF}"));
        assert!(told.contains("`later`: more files than a store can have"), "{told}");
    }
}

#[test]
fn a_merge_of_trees_without_end_stays_out() {
    let (_sandbox, _server, repo) = shared();
    let solution = repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "--local"]).ok();
    repo.wf(&["settings", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    let planned = format!("planned\n\nWf-Issue: ISS-001\nWf-Solution: {solution}\n");
    let [one, two, both] = ["a", "b", "c"].map(|name| bomb(&repo, &leaf(&repo, name)));
    let left = over(&repo, &["main"], &one, &planned);
    let right = over(&repo, &["main"], &two, &format!("also {planned}"));
    let merge = over(&repo, &[&left, &right], &both, "join");
    let told = refused(&repo, &format!("{merge}:refs/heads/in"));
    assert!(
        told.contains("a merge that needs a plan, since it cannot be checked: its trees contain more files"),
        "{told}"
    );
    // A merge with a plan needs no check.
    let merge = over(&repo, &[&left, &right], &both, &planned);
    repo.git(&["push", "-q", "origin", &format!("{merge}:refs/heads/in")]).ok();
}

#[test]
fn an_audit_says_what_it_cannot_look_into() {
    let (_sandbox, _server, repo) = shared();
    let start = repo.git(&["rev-parse", "main"]).ok().line().to_owned();
    let [one, two, both] = ["a", "b", "c"].map(|name| bomb(&repo, &leaf(&repo, name)));
    let left = over(&repo, &[&start], &one, "left");
    let right = over(&repo, &[&left], &two, "right");
    let merge = over(&repo, &[&left, &right], &both, "join");
    let audit = repo.json(&["audit", &format!("{start}..{merge}")]);
    let unseen = |it: &&serde_json::Value| it["kind"] == "unseen" && it["severity"] == "fault";
    let found: Vec<_> = audit["findings"].as_array().unwrap().iter().filter(unseen).collect();
    let mut named: Vec<&str> = found.iter().map(|it| it["commit"].as_str().unwrap()).collect();
    named.sort_unstable();
    let mut all = [left.as_str(), right.as_str(), merge.as_str()];
    all.sort_unstable();
    assert_eq!(named, all);
    assert!(found[0]["message"].as_str().unwrap().contains("contain more files"), "{}", found[0]);
    repo.wf(&["trace", &merge]).ok();
}

#[test]
fn why_and_relink_pass_by_what_nobody_can_look_at() {
    let (_sandbox, _server, repo) = shared();
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "--local"]).ok();
    let start = repo.commit("a.txt", "1\n", "bound");
    let top = repo.git(&["ls-tree", &start]).ok().stdout;
    let bomb = bomb(&repo, &leaf(&repo, "a"));
    let (old, new) = (repo.blob("1\n2\n3\n4\n5\n"), repo.blob("1\n2\n3\n4\n5\nsix\n"));
    let tree = |more: String| repo.git_in(format!("{top}{more}"), &["mktree"]).ok().line().to_owned();
    let crowded = tree(format!("040000 tree {bomb}\tx\n100644 blob {old}\told.txt\n"));
    let first = over(&repo, &[&start], &crowded, "crowded");
    let second = over(&repo, &[&first], &tree(format!("100644 blob {old}\told.txt\n")), "cleared");
    let renamed = over(&repo, &[&second], &tree(format!("100644 blob {new}\tnew.txt\n")), "renamed");
    repo.git(&["reset", "-q", "--hard", &renamed]).ok();
    let why = repo.json(&["why", "new.txt"]);
    let spans = why["spans"].as_array().unwrap().iter();
    let commits: Vec<_> = spans.map(|it| it["commit"]["hash"].clone()).collect();
    assert_eq!(commits, [first.as_str(), renamed.as_str()], "{why}");
    // If the file was renamed in such a commit, its old name is not looked up.
    let again = over(&repo, &[&first], &tree(format!("100644 blob {new}\tnew.txt\n")), "both at once");
    repo.git(&["reset", "-q", "--hard", &again]).ok();
    assert_eq!(repo.json(&["why", "new.txt:1"])["spans"][0]["commit"]["hash"], again.as_str());
    repo.wf(&["link", "--find"]).ok();
    repo.wf(&["link", &first, "ISS-001"]).ok();
    repo.wf(&["link", "--find"]).ok();
    repo.wf(&["done"]).ok();
}
