//! `commits=required` on a server: no way around it.

use super::id;
use super::server::{refused, shared};
use crate::support::{REF, Repo, Sandbox};

/// A server that asks for a plan behind each commit, a clone, and the message of a commit that has one.
fn required() -> (Sandbox, Repo, Repo, String) {
    let (sandbox, server, repo) = shared();
    let solution = repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "--local"]).ok();
    repo.wf(&["policy", "set", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    (sandbox, server, repo, format!("planned\n\nWf-Issue: ISS-001\nWf-Solution: {solution}\n"))
}

/// A tree with these files, each with its name in it.
fn tree(repo: &Repo, files: &[&str]) -> String {
    let entry = |name: &&str| {
        let blob = repo.git_in(name, &["hash-object", "-w", "--stdin"]).ok();
        format!("100644 blob {}\t{name}\n", blob.line())
    };
    repo.git_in(files.iter().map(entry).collect::<String>(), &["mktree"]).ok().line().to_owned()
}

/// Made by hand, so that a parent can stand there twice.
fn commit(repo: &Repo, tree: &str, parents: &[&str], message: &str) -> String {
    let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
    let who = "Ada <ada@example.org> 1795226400 +0000";
    let text = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}\n");
    repo.git_in(text, &["hash-object", "-t", "commit", "-w", "--stdin"]).ok().line().to_owned()
}

fn comes_in(repo: &Repo, commit: &str) {
    repo.git(&["push", "-q", "origin", &format!("{commit}:refs/heads/in")]).ok();
    repo.git(&["push", "-q", "origin", ":refs/heads/in"]).ok();
}

#[test]
fn no_other_reference_hides_a_commit_from_a_branch() {
    let (_sandbox, _server, repo, _) = required();
    let main = id(&repo, "main");
    let stray = commit(&repo, &tree(&repo, &["evil.txt"]), &[&main], "stray");
    for reference in ["refs/tags/x", "refs/notes/x", "refs/wf/other", "refs/changes/1"] {
        repo.git(&["push", "-q", "origin", &format!("{stray}:{reference}")]).ok();
        let told = refused(&repo, &format!("{stray}:refs/heads/main"));
        assert!(told.contains("\"stray\" on main"), "{reference}: {told}");
    }
    // A replacement that was pushed stands for nothing.
    let planned = commit(&repo, &tree(&repo, &[]), &[], "planned\n\nWf-Issue: ISS-001");
    repo.git(&["push", "-q", "origin", &format!("{planned}:refs/replace/{stray}")]).ok();
    assert!(refused(&repo, &format!("{stray}:refs/heads/main")).contains("\"stray\" on main"));
    // What a branch has is not asked again.
    repo.git(&["push", "-q", "origin", "main:refs/heads/copy"]).ok();
}

#[test]
fn a_merge_is_asked_for_what_none_of_its_parents_has() {
    let (_sandbox, _server, repo, planned) = required();
    let base = id(&repo, "main");
    let both = tree(&repo, &["README", "a.txt", "b.txt"]);
    let evil = tree(&repo, &["README", "a.txt", "b.txt", "evil.txt"]);
    let [one, two] = [["README", "a.txt"], ["README", "b.txt"]].map(|files| tree(&repo, &files));
    let left = commit(&repo, &one, &[&base], &planned);
    let right = commit(&repo, &two, &[&base], &format!("also {planned}"));
    // Joined, as `git merge` does; also with `--no-ff`.
    comes_in(&repo, &commit(&repo, &both, &[&left, &right], "join"));
    comes_in(&repo, &commit(&repo, &one, &[&base, &left], "no fast-forward"));
    for (tree, parents, why) in [
        (&evil, vec![&left, &right], "a merge with changes of its own in `evil.txt`"),
        // One parent twice, or one that another stands on, makes no merge.
        (&evil, vec![&left, &left], "\"evil\" on in"),
        (&one, vec![&left, &left], "\"evil\" on in"),
        (&evil, vec![&left, &base], "\"evil\" on in"),
        (&two, vec![&left, &base], "\"evil\" on in"),
        (&evil, vec![&left, &right, &base], "\"evil\" on in"),
        (&id(&repo, &format!("{base}^{{tree}}")), vec![&left, &right, &base], "\"evil\" on in"),
        (&evil, vec![&left, &right, &left], "a merge with changes of its own in `evil.txt`"),
    ] {
        let parents: Vec<&str> = parents.into_iter().map(String::as_str).collect();
        let merge = commit(&repo, tree, &parents, "evil");
        let told = refused(&repo, &format!("{merge}:refs/heads/in"));
        assert!(told.contains(why), "{parents:?}: {told}");
    }
    // Somebody stands for it.
    let merge = commit(&repo, &evil, &[&left, &right], "evil");
    let solution = planned.split("Wf-Solution: ").nth(1).unwrap().trim();
    repo.wf(&["link", &merge, solution]).ok();
    repo.wf(&["sync"]).ok();
    comes_in(&repo, &merge);
}

#[test]
fn only_stores_are_parents_in_the_history_of_the_store() {
    let (_sandbox, server, repo, _) = required();
    let tip = server.tip().unwrap();
    let tree = id(&repo, &format!("{tip}^{{tree}}"));
    let main = id(&repo, "main");
    let stray = commit(&repo, &id(&repo, "main^{tree}"), &[&tip], "code over a store");
    for (parents, why) in [
        ([&tip, &main], "does not begin with the commit that all stores begin with"),
        ([&main, &tip], "does not begin with the commit that all stores begin with"),
        ([&tip, &stray], "has no `wf.json`"),
    ] {
        let merge = commit(&repo, &tree, &parents.map(String::as_str), "merge");
        let told = refused(&repo, &format!("{merge}:{REF}"));
        assert!(told.contains(why), "{told}");
    }
    // Where such a merge is already there, nothing of the code gets into the store.
    let merge = commit(&repo, &tree, &[&tip, &main], "merge");
    repo.git(&["update-ref", REF, &merge]).ok();
    let before = repo.store_paths();
    let found = repo.wf(&["fsck"]).fails(1).stdout;
    assert!(found.contains(&format!("merged with {main}")) && !found.contains("README"), "{found}");
    repo.wf(&["fsck", "--repair"]);
    assert_eq!(repo.store_paths(), before);
}
