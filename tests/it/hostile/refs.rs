//! Heads that are not a commit, not a store, or another store, and heads that were reset.

use super::*;

#[test]
fn a_ref_that_is_no_commit_is_an_error_that_says_what_it_is() {
    let world = World::new();
    let mine = world.ada.tip().unwrap();
    let text = world.ada.blob("x\n");
    let tree = raw_tree(&world.ada, &[entry("100644", "x", &text)]);
    let tag = raw(
        &world.ada,
        "tag",
        format!("object {mine}\ntype commit\ntag v1\ntagger E <e@example.org> 1795226400 +0000\n\nx\n"),
    );
    for (id, kind) in [(&text, "blob"), (&tree, "tree"), (&tag, "tag")] {
        world.ada.git(&["push", "--quiet", "--force", "origin", &format!("{id}:refs/kept/{kind}")]).ok();
        world.origin.git(&["update-ref", REF, id]).ok();
        let error = world.ada.wf(&["sync", "--json"]).fails(1).json_error();
        assert_eq!(error["code"], "not-a-store", "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(&format!("is a {kind}, not a commit")),
            "{error}"
        );
        assert_eq!(world.ada.tip().as_ref(), Some(&mine));

        // On our own ref, it is an error of every command, and none of them moves the ref.
        world.ada.git(&["update-ref", REF, id]).ok();
        for args in [
            &["list"][..],
            &["show", "ISS-001"],
            &["fsck"],
            &["fsck", "--repair"],
            &["sync"],
            &["log"],
            &["new", "T"],
        ] {
            let ran = world.ada.wf(args).fails(1);
            assert!(ran.stderr.contains(&format!("is a {kind}, not a commit")), "{args:?}: {}", ran.stderr);
        }
        assert_eq!(world.ada.tip().as_ref(), Some(id));
        world.ada.git(&["update-ref", REF, &mine]).ok();
    }
    world.origin.git(&["update-ref", REF, &mine]).ok();
    world.ada.wf(&["sync"]).ok();
    world.assert_usable();
}

/// A store whose first commit is not the one that all stores share.
fn unrelated(repo: &Repo, id: &str) -> String {
    let wf = repo.blob("{\n  \"format\": 1\n}\n");
    let record = repo.blob(format!("{:#}\n", issue(id)));
    let path = folder(id);
    let folders: Vec<&str> = path.split('/').collect();
    let tree = changed(repo, None, &folders, &|entries| entries.push(entry("100644", "issue.json", &record)));
    let tree = changed(repo, Some(&tree), &[], &|entries| entries.push(entry("100644", "wf.json", &wf)));
    repo.git(&["commit-tree", &tree, "-m", "another beginning"]).ok().line().to_owned()
}

#[test]
fn a_history_without_a_common_root_is_joined_and_fsck_says_so() {
    let world = World::new();
    let other = unrelated(&world.origin, "GH-7");
    world.origin.git(&["update-ref", REF, &other]).ok();
    let ran = world.ada.wf(&["sync", "--json"]).ok().json();
    assert_eq!((&ran["merged"], &ran["pushed"]), (&json!("merge"), &json!(true)));
    let ids: Vec<String> = world
        .ada
        .wf(&["list", "--json"])
        .ok()
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    let notes = world.ada.wf(&["fsck", "--json"]).ok().json();
    assert!(notes[0]["what"].as_str().unwrap().contains("2 root commits"), "{notes}");
    world.assert_usable();
}

#[test]
fn a_clone_can_begin_with_a_history_of_its_own() {
    let world = World::new();
    let other = unrelated(&world.origin, "GH-7");
    world.origin.git(&["update-ref", REF, &other]).ok();
    let carl = world.sandbox.clone(&world.origin, "carl");
    carl.wf(&["init"]).ok();
    assert_eq!(carl.tip(), Some(other));
    carl.wf(&["show", "GH-7"]).ok();
}

#[test]
fn an_unrelated_head_that_is_no_store_is_refused() {
    let world = World::new();
    let mine = world.ada.tip();
    let empty = world.origin.git_in("", &["mktree"]).ok();
    let head = world.origin.git(&["commit-tree", empty.line(), "-m", "nothing"]).ok();
    world.origin.git(&["update-ref", REF, head.line()]).ok();
    for command in ["sync", "pull"] {
        assert_eq!(world.ada.wf(&[command, "--json"]).fails(1).json_error()["code"], "not-a-store");
    }
    assert_eq!(world.ada.tip(), mine);
}

#[test]
fn a_commit_that_nobody_can_read_changes_nothing() {
    let world = World::new();
    let mine = world.ada.tip().unwrap();
    let tree = world.origin.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    for text in [
        "nonsense".to_owned(),
        format!("tree {tree}\nparent {mine}\n\nno author\n"),
        format!(
            "tree {tree}\nparent {mine}\nauthor \u{1b}[31m <> 99999999999999999999 +9999\ncommitter x\n\n\u{202e}\n"
        ),
        format!(
            "tree {tree}\nparent {mine}\nauthor E <e@x> -1 +0000\ncommitter E <e@x> 253402300800 +0000\n\n\u{1b}]0;owned\u{7}\u{202e}x\n"
        ),
    ] {
        let head = raw(&world.origin, "commit", &text);
        std::fs::write(world.origin.path().join(REF), format!("{head}\n")).unwrap();
        for args in [&["sync"][..], &["log"], &["fsck"], &["list"], &["log", "-p", "--json"]] {
            let ran = world.ada.wf(args);
            assert!(ran.code == 0 || ran.code == 1, "{text:?} {args:?}: {}\n{}", ran.code, ran.stderr);
            assert_printable(&ran);
        }
        world.ada.git(&["update-ref", REF, &mine]).ok();
    }
    world.origin.git(&["update-ref", REF, &mine]).ok();
    world.ada.wf(&["sync"]).ok();
    world.assert_usable();
}

#[test]
fn our_own_store_that_was_emptied_or_garbled_is_mended() {
    let world = World::new();
    let whole = world.ada.tip().unwrap();
    let empty = world.ada.git_in("", &["mktree"]).ok().line().to_owned();
    commit(&world.ada, &empty);
    let error = world.ada.wf(&["list", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "not-a-store");
    world.ada.wf(&["fsck"]).fails(1);
    let ran = world.ada.wf(&["fsck", "--repair"]).ok();
    assert!(ran.stdout.contains(&format!("restored {}", file("ISS-001"))), "{}", ran.stdout);
    world.assert_usable();

    world.ada.git(&["update-ref", REF, &whole]).ok();
    world.ada.plumb_bytes(&[("wf.json", b"{\"format\": 1, \"policy\": {\"review\": \"required\"}}\n")]);
    world.ada.plumb_bytes(&[("wf.json", b"{\"form")]);
    world.ada.wf(&["fsck", "--repair"]).ok();
    let wf = world.ada.git(&["show", &format!("{REF}:wf.json")]).ok().stdout;
    assert!(wf.contains("required"), "{wf}");
    world.assert_usable();
}
