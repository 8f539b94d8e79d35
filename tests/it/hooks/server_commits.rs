//! `commits=required` on a server cannot be circumvented.

use super::id;
use super::server::{refused, shared};
use crate::support::{REF, Repo, Sandbox};

/// A server that requires a plan for each commit, a clone, and the message of a commit that has one.
pub(super) fn required() -> (Sandbox, Repo, Repo, String) {
    let (sandbox, server, repo) = shared();
    let solution = repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "--local"]).ok();
    repo.wf(&["settings", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    (sandbox, server, repo, format!("planned\n\nWf-Issue: ISS-001\nWf-Solution: {solution}\n"))
}

/// A tree with these files, each with its name in it.
fn tree(repo: &Repo, files: &[&str]) -> String {
    tree_of(repo, &files.iter().map(|name| (*name, "100644", *name)).collect::<Vec<_>>())
}

/// A tree with files: name, mode and text.
pub(super) fn tree_of(repo: &Repo, files: &[(&str, &str, &str)]) -> String {
    let entry = |(name, mode, text): &(&str, &str, &str)| {
        let blob = repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok();
        format!("{mode} blob {}\t{name}\n", blob.line())
    };
    repo.git_in(files.iter().map(entry).collect::<String>(), &["mktree"]).ok().line().to_owned()
}

/// Made from its parts, so that the same parent can occur twice.
pub(super) fn commit(repo: &Repo, tree: &str, parents: &[&str], message: &str) -> String {
    let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
    let who = "Ada <ada@example.org> 1795226400 +0000";
    let text = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}\n");
    repo.git_in(text, &["hash-object", "-t", "commit", "-w", "--stdin"]).ok().line().to_owned()
}

pub(super) fn comes_in(repo: &Repo, commit: &str) {
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
    // A replace ref that was pushed has no effect.
    let planned = commit(&repo, &tree(&repo, &[]), &[], "planned\n\nWf-Issue: ISS-001");
    repo.git(&["push", "-q", "origin", &format!("{planned}:refs/replace/{stray}")]).ok();
    assert!(refused(&repo, &format!("{stray}:refs/heads/main")).contains("\"stray\" on main"));
    // Commits that a branch already has are not checked again.
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
    // Joined as `git merge` does it, also with `--no-ff`.
    comes_in(&repo, &commit(&repo, &both, &[&left, &right], "join"));
    comes_in(&repo, &commit(&repo, &one, &[&base, &left], "no fast-forward"));
    for (tree, parents, why) in [
        (&evil, vec![&left, &right], "a merge with changes of its own in `evil.txt`"),
        // The same parent twice, or one that is an ancestor of another, makes no merge.
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
    // A plan covers it.
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
        ([&tip, &main], "is a root commit, but not the one that all stores share"),
        ([&main, &tip], "is a root commit, but not the one that all stores share"),
        ([&tip, &stray], "has no `wf.json`"),
    ] {
        let merge = commit(&repo, &tree, &parents.map(String::as_str), "merge");
        let told = refused(&repo, &format!("{merge}:{REF}"));
        assert!(told.contains(why), "{told}");
    }
    // If such a merge is already there, nothing of the code gets into the store.
    let merge = commit(&repo, &tree, &[&tip, &main], "merge");
    repo.git(&["update-ref", REF, &merge]).ok();
    let before = repo.store_paths();
    let found = repo.wf(&["fsck"]).fails(1).stdout;
    assert!(found.contains(&format!("merged {main}")) && !found.contains("README"), "{found}");
    repo.wf(&["fsck", "--repair"]);
    assert_eq!(repo.store_paths(), before);
}

#[test]
fn a_merge_passes_if_git_makes_the_same_one() {
    let (_sandbox, _server, repo, planned) = required();
    let plain = |name: &'static str, text: &'static str| (name, "100644", text);
    let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let at = |n: &str, to: &str| lines.replace(n, to);
    let (five, two, eight) = (at("5", "five"), at("2", "two"), at("8", "eight"));
    let both = at("2", "two").replace('8', "eight");
    let made = |files: &[(&str, &str, &str)], parents: &[&str], message: &str| {
        commit(&repo, &tree_of(&repo, files), parents, message)
    };
    let main = id(&repo, "main");
    let rest = [plain("b", "b\n"), plain("c", "c\n")];
    let with = |a: &[(&'static str, &'static str, &'static str)]| [a, &rest].concat();
    let leak = |text: String| -> &'static str { text.leak() };
    let (lines, five, two, eight, both) = (plain("a", lines), leak(five), leak(two), leak(eight), leak(both));
    let base = made(&with(&[lines]), &[&main], &planned);
    let left = made(&with(&[plain("a", two)]), &[&base], &format!("left {planned}"));
    let right = made(&with(&[plain("a", eight)]), &[&base], &format!("right {planned}"));
    let moved = made(&with(&[plain("z", lines.2)]), &[&base], &format!("moved {planned}"));
    let other = made(&with(&[plain("a", "other\n")]), &[&base], &format!("other {planned}"));
    repo.git(&["push", "-q", "origin", &format!("{base}:refs/heads/base")]).ok();
    // Both changed the same file; one moved it and the other changed it.
    comes_in(&repo, &made(&with(&[plain("a", both)]), &[&left, &right], "clean"));
    comes_in(&repo, &made(&with(&[plain("z", two)]), &[&left, &moved], "clean rename"));
    // Three at once.
    comes_in(&repo, &made(&with(&[plain("z", both)]), &[&left, &right, &moved], "clean octopus"));
    let without_b = [plain("a", both), rest[1]];
    let renamed = [plain("a", both), plain("bb", "b\n"), rest[1]];
    let program = [plain("a", both), ("b", "100755", "b\n"), rest[1]];
    for (files, parents, path) in [
        (&renamed[..], [&left, &right], "b"),
        (&without_b, [&left, &right], "b"),
        (&program, [&left, &right], "b"),
        (&with(&[plain("a", five)]), [&left, &right], "a"),
        // The change of one side is dropped.
        (&with(&[plain("a", two)]), [&left, &right], "a"),
        // A conflict, however it is resolved.
        (&with(&[plain("a", "both\n")]), [&left, &other], "a"),
        (&with(&[plain("a", two)]), [&left, &other], "a"),
        (&with(&[plain("a", "other\n")]), [&left, &other], "a"),
    ] {
        let merge = made(files, &parents.map(String::as_str), "evil");
        let told = refused(&repo, &format!("{merge}:refs/heads/in"));
        assert!(
            told.contains(&format!("\"evil\" on in, a merge with changes of its own in `{path}`")),
            "{told}"
        );
    }
    let octopus = made(&renamed, &[&left, &right, &base], "evil");
    assert!(refused(&repo, &format!("{octopus}:refs/heads/in")).contains("\"evil\" on in"));
    let octopus = made(&with(&[plain("z", two)]), &[&left, &right, &moved], "evil");
    assert!(refused(&repo, &format!("{octopus}:refs/heads/in")).contains("changes of its own in `z`"));
    // A plan covers how it was resolved.
    let resolved = made(&with(&[plain("a", "both\n")]), &[&left, &other], "resolved");
    let solution = planned.split("Wf-Solution: ").nth(1).unwrap().trim();
    repo.wf(&["link", &resolved, solution]).ok();
    repo.wf(&["sync"]).ok();
    comes_in(&repo, &resolved);
}

#[test]
fn who_branches_off_an_old_tag_is_told_the_way() {
    let (_sandbox, server, repo, _) = required();
    let old = commit(&repo, &tree(&repo, &["old.txt"]), &[], "released long ago");
    repo.git(&["push", "-q", "origin", &format!("{old}:refs/tags/v1(beta)")]).ok();
    let told = refused(&repo, &format!("{old}:refs/heads/maint"));
    assert!(told.contains("\"released long ago\" on maint"), "{told}");
    assert!(told.contains("`git branch NAME 'v1(beta)'`"), "{told}");
    server.git(&["branch", "v1", "v1(beta)"]).ok();
    repo.git(&["push", "-q", "origin", &format!("{old}:refs/heads/maint")]).ok();
    // Without a tag there is no such hint.
    let stray = commit(&repo, &tree(&repo, &["stray.txt"]), &[&old], "stray");
    assert!(!refused(&repo, &format!("{stray}:refs/heads/maint")).contains("git branch"));
}

#[test]
fn of_several_tags_the_one_that_leads_to_most_is_named() {
    let (_sandbox, server, repo, planned) = required();
    let mut tip = String::new();
    for n in ["0.1", "0.2", "1.0"] {
        let parents: Vec<&str> = Some(tip.as_str()).filter(|tip| !tip.is_empty()).into_iter().collect();
        tip = commit(&repo, &tree(&repo, &[n]), &parents, &format!("release {n}"));
        repo.git(&["push", "-q", "origin", &format!("{tip}:refs/tags/v{n}")]).ok();
    }
    let told = refused(&repo, &format!("{tip}:refs/heads/maint"));
    assert!(told.contains("`git branch NAME v1.0`"), "{told}");
    // A tag that does not help is not named.
    let main = id(&repo, "main");
    let bound = commit(&repo, &tree(&repo, &["bound"]), &[&main], &planned);
    repo.git(&["push", "-q", "origin", &format!("{bound}:refs/tags/a")]).ok();
    let stray = commit(&repo, &tree(&repo, &["stray"]), &[&bound], "stray");
    let told = refused(&repo, &format!("{stray}:refs/heads/other"));
    assert!(told.contains("\"stray\" on other") && !told.contains("git branch"), "{told}");
    // Of two lines of history, the longer one is named first, then the other.
    let both = tree(&repo, &["1.0", "stray"]);
    let join = commit(&repo, &both, &[&stray, &tip], &format!("join {planned}"));
    repo.git(&["push", "-q", "origin", &format!("{stray}:refs/tags/w")]).ok();
    let told = refused(&repo, &format!("{join}:refs/heads/maint"));
    assert!(told.contains("`git branch NAME v1.0`"), "{told}");
    server.git(&["branch", "v1", "v1.0"]).ok();
    let told = refused(&repo, &format!("{join}:refs/heads/maint"));
    assert!(told.contains("`git branch NAME w`"), "{told}");
    server.git(&["branch", "w1", "w"]).ok();
    repo.git(&["push", "-q", "origin", &format!("{join}:refs/heads/maint")]).ok();
}
