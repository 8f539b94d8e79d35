//! `commits=required` on a server: merges with hidden changes, and merges that would take the server too long.

use super::id;
use super::server::refused;
use super::server_commits::{comes_in, commit, required, tree_of};
use crate::support::Repo;

/// A tree of these entries: mode, name and id.
fn raw(repo: &Repo, entries: &[(&str, &str, &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend(format!("{mode} {name}\0").bytes());
        bytes.extend((0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    let made = repo.git_in(bytes, &["hash-object", "-t", "tree", "-w", "--stdin", "--literally"]).ok();
    made.line().to_owned()
}

fn told(repo: &Repo, tree: &str, parents: &[&str]) -> String {
    let merge = commit(repo, tree, parents, "evil");
    refused(repo, &format!("{merge}:refs/heads/in"))
}

#[test]
fn a_tree_that_is_only_written_differently_is_a_change_of_its_own() {
    let (_sandbox, _server, repo, planned) = required();
    let main = id(&repo, "main");
    let [a, b] = ["a", "b"].map(|text| repo.blob(text));
    let empty = repo.git(&["mktree"]).ok().line().to_owned();
    let within = |mode: &str| raw(&repo, &[(mode, "x", &a)]);
    let plain = within("100644");
    let left = commit(&repo, &raw(&repo, &[("100644", "a", &a), ("40000", "d", &plain)]), &[&main], &planned);
    let right = raw(&repo, &[("100644", "b", &b), ("40000", "d", &plain)]);
    let right = commit(&repo, &right, &[&main], &format!("right {planned}"));
    let base = [("100644", "a", a.as_str()), ("100644", "b", &b)];
    let with = |more: &[(&str, &str, &str)]| raw(&repo, &[&base, more].concat());
    comes_in(&repo, &commit(&repo, &with(&[("40000", "d", &plain)]), &[&left, &right], "join"));
    let odd = within("100664");
    for (tree, path) in [
        (with(&[("40000", "d", &odd)]), "d"),
        (with(&[("40000", "d", &plain), ("40000", "e", &empty)]), "e"),
        (raw(&repo, &[("100664", "a", &a), ("100644", "b", &b), ("40000", "d", &plain)]), "."),
    ] {
        let told = told(&repo, &tree, &[&left, &right]);
        assert!(told.contains(&format!("a merge with changes of its own in `{path}`")), "{path}: {told}");
    }
}

#[test]
fn merges_of_many_shapes_pass_if_they_only_join() {
    let (_sandbox, _server, repo, planned) = required();
    let main = id(&repo, "main");
    let plan = |name: &str| format!("{name} {planned}");
    let made = |files: &[&str], parents: &[&str], message: &str| {
        let files: Vec<_> = files.iter().map(|name| (*name, "100644", *name)).collect();
        commit(&repo, &tree_of(&repo, &files), parents, message)
    };
    // Two branches that merged each other and continued.
    let left = made(&["README", "a"], &[&main], &plan("left"));
    let right = made(&["README", "b"], &[&main], &plan("right"));
    let both = ["README", "a", "b"];
    let [one, two] =
        [[&left, &right], [&right, &left]].map(|it| made(&both, &it.map(String::as_str), "join"));
    let one = made(&["README", "a", "b", "c"], &[&one], &plan("one"));
    let two = made(&["README", "a", "b", "d"], &[&two], &plan("two"));
    let joined = ["README", "a", "b", "c", "d"];
    comes_in(&repo, &made(&joined, &[&one, &two], "criss-cross"));
    let evil = made(&["README", "a", "b", "c", "d", "e"], &[&one, &two], "evil");
    assert!(refused(&repo, &format!("{evil}:refs/heads/in")).contains("changes of its own in `e`"));
    let evil = made(&["README", "a", "b", "c"], &[&one, &two], "evil");
    assert!(refused(&repo, &format!("{evil}:refs/heads/in")).contains("changes of its own in `d`"));
    // Histories without a common ancestor.
    let other = made(&["other"], &[], &plan("other"));
    comes_in(&repo, &made(&["README", "a", "other"], &[&left, &other], "unrelated"));
    let evil = made(&["README", "a"], &[&left, &other], "evil");
    assert!(refused(&repo, &format!("{evil}:refs/heads/in")).contains("changes of its own in `other`"));
}

#[test]
fn no_merge_driver_and_no_attribute_of_the_server_has_a_say() {
    let (_sandbox, server, repo, planned) = required();
    let main = id(&repo, "main");
    let made = |text: &str, parents: &[&str], message: &str| {
        let files = [("a", "100644", text), (".gitattributes", "100644", "a merge=union\n")];
        commit(&repo, &tree_of(&repo, &files), parents, message)
    };
    let base = made("1\n", &[&main], &planned);
    let left = made("1\nleft\n", &[&base], &format!("left {planned}"));
    let right = made("1\nright\n", &[&base], &format!("right {planned}"));
    let above = made("0\n1\n", &[&base], &format!("above {planned}"));
    let ran = server.path().join("ran");
    server.git(&["config", "merge.regen.driver", &format!("touch '{}'; true", ran.display())]).ok();
    server.git(&["config", "merge.default", "regen"]).ok();
    std::fs::create_dir_all(server.path().join("info")).unwrap();
    for attributes in ["* merge=regen", "* merge=union", "* -merge", ""] {
        std::fs::write(server.path().join("info/attributes"), format!("{attributes}\n")).unwrap();
        let union = made("1\nleft\nright\n", &[&left, &right], "union");
        let told = refused(&repo, &format!("{union}:refs/heads/in"));
        assert!(told.contains("a merge with changes of its own in `a`"), "{attributes}: {told}");
        // A blank line in between keeps the two changes apart.
        let joined = made("0\n1\n", &[&base, &above], "not a merge of two");
        comes_in(&repo, &joined);
    }
    assert!(!ran.exists(), "the driver was run");
}

#[test]
fn a_merge_of_large_files_needs_a_plan() {
    let (_sandbox, _server, repo, planned) = required();
    let main = id(&repo, "main");
    let text = "a\n".repeat(1_100_000);
    let made = |text: &str, parents: &[&str], message: &str| {
        commit(&repo, &tree_of(&repo, &[("large", "100644", text)]), parents, message)
    };
    let base = made(&text, &[&main], &planned);
    let left = made(&format!("left\n{text}"), &[&base], &format!("left {planned}"));
    let right = made(&format!("{text}right\n"), &[&base], &format!("right {planned}"));
    let both = format!("left\n{text}right\n");
    let merge = made(&both, &[&left, &right], "join");
    let told = refused(&repo, &format!("{merge}:refs/heads/in"));
    assert!(told.contains("needs a plan, since it cannot be checked: it is too large to check"), "{told}");
    comes_in(&repo, &made(&both, &[&left, &right], &planned));
}

#[test]
fn the_merges_of_one_push_are_bounded() {
    let (_sandbox, _server, repo, planned) = required();
    let main = id(&repo, "main");
    let mut stream = String::new();
    let mut mark = 0;
    for (name, text) in [("x", "first"), ("y", "second"), ("z", "third")] {
        mark += 1;
        let message = format!("{name} {planned}");
        let parent = if mark == 1 { main.clone() } else { ":1".into() };
        stream += &format!(
            "commit refs/scratch/{name}\nmark :{mark}\ncommitter A <a@example.org> 1795226400 +0000\ndata {}\n\
             {message}\nfrom {parent}\ndeleteall\n",
            message.len()
        );
        for n in 0..990 {
            let text = format!("{n}\n{text}\n{}", "line\n".repeat(1_700));
            stream += &format!("M 100644 inline {name}{n}\ndata {}\n{text}\n", text.len());
        }
    }
    repo.git_in(stream, &["fast-import", "--quiet"]).ok();
    let [left, right] = ["refs/scratch/y", "refs/scratch/z"].map(|name| id(&repo, name));
    let tree = id(&repo, "refs/scratch/y^{tree}");
    let mut args = vec!["push".to_owned(), "-q".into(), "origin".into()];
    for n in 0..10 {
        let merge = commit(&repo, &tree, &[&left, &right], &format!("merge {n}"));
        args.push(format!("{merge}:refs/heads/in{n}"));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let told = repo.git(&args).fails(1).stderr;
    assert!(told.contains("there are too many merges to check at once"), "{told}");
    assert!(told.contains("changes of its own"), "{told}");
    // Each of them alone can be checked.
    let told = repo.git(&args[..4]).fails(1).stderr;
    assert!(told.contains("changes of its own"), "{told}");
}
