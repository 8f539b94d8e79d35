//! Trees that git or a file system would not accept, in a remote's head and in our own.

use super::*;

/// What is put where, and the path for which it is refused.
fn evil(repo: &Repo) -> Vec<(Vec<&'static str>, Entry, &'static str)> {
    let text = repo.blob("[core]\n\tfsmonitor = touch /tmp/owned\n");
    let inner = raw_tree(repo, &[entry("100644", "config", &text)]);
    vec![
        (vec![], entry("40000", "..", &inner), ".."),
        (vec![], entry("100644", "..", &text), ".."),
        (vec![], entry("40000", ".", &inner), "."),
        (vec![], entry("40000", ".git", &inner), ".git"),
        (vec![], entry("40000", ".GiT", &inner), ".GiT"),
        (vec![], entry("40000", "git~1", &inner), "git~1"),
        (vec![], entry("100644", "", &text), ""),
        (vec![], entry("100644", "../../../owned", &text), "../../../owned"),
        (vec![], entry("100644", "issues/00", &text), "issues/00"),
        (
            vec![],
            entry("100644", ".gitmodules", &repo.blob("[submodule \"x\"]\n\tpath = -x\n")),
            ".gitmodules",
        ),
        (vec!["zoo", "deep"], entry("40000", "..", &inner), "zoo/deep/.."),
    ]
}

#[test]
fn a_head_with_a_tree_that_hosts_refuse_is_refused() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    let own = world.ada.tip();
    for (place, entry, path) in evil(&world.origin) {
        let label = format!("{} {path}", entry.mode);
        let whole = format!("{base}^{{tree}}");
        let tree = changed(&world.origin, Some(&whole), &place, &|entries| {
            entries.push(entry.clone());
            sort(entries);
        });
        world.origin.git(&["update-ref", REF, &base]).ok();
        commit(&world.origin, &tree);
        assert_refused(&world, &label);
        // A later commit without it changes nothing: a host that checks objects looks at the whole history.
        commit(&world.origin, world.origin.git(&["rev-parse", &whole]).ok().line());
        assert_refused(&world, &label);
        assert_eq!(world.ada.tip(), own, "{label}");
    }
    world.origin.git(&["update-ref", REF, &base]).ok();
    world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    world.assert_usable();
    assert!(!std::path::Path::new("/tmp/owned").exists());
}

#[track_caller]
fn assert_refused(world: &World, label: &str) {
    let error = world.ada.refused(1, &["sync"]);
    let message = error["message"].as_str().unwrap();
    // git itself cannot fetch a name without a letter.
    let is_named = message.contains("a tree that hosts which check objects refuse");
    assert!(is_named || error["code"] == "unreachable", "{label}: {error}");
}

#[test]
fn a_tree_with_a_name_twice_or_out_of_order_is_refused_and_mended() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    let text = world.origin.blob("x\n");
    let twice = |entries: &mut Vec<Entry>| {
        entries.push(entry("100644", "zoo", &text));
        entries.push(entry("100644", "zoo", &text));
    };
    let unsorted = |entries: &mut Vec<Entry>| entries.insert(0, entry("100644", "zoo", &text));
    let padded = |entries: &mut Vec<Entry>| entries.push(entry("0100644", "zoo", &text));
    // git reads it, and few others do.
    let filled = |entries: &mut Vec<Entry>| entries.push(entry("000100644", "zoo", &text));
    // Hosts take it only if it is a file.
    let attributes = |entries: &mut Vec<Entry>| entries.insert(0, entry("160000", ".gitattributes", &base));
    type Change<'a> = &'a dyn Fn(&mut Vec<Entry>);
    for (place, change) in [
        (&[][..], &twice as Change<'_>),
        (&[], &unsorted),
        (&[], &padded),
        (&["within"], &filled),
        (&[], &attributes),
    ] {
        let tree = changed(&world.origin, Some(&format!("{base}^{{tree}}")), place, change);
        world.origin.git(&["update-ref", REF, &base]).ok();
        commit(&world.origin, &tree);
        assert_refused(&world, "");
        world.origin.git(&["update-ref", REF, &base]).ok();
        // In a store that has it.
        let whole = world.ada.tip().unwrap();
        world.ada.blob("x\n");
        let tree = changed(&world.ada, Some(&format!("{whole}^{{tree}}")), place, change);
        commit(&world.ada, &tree);
        let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(found.to_string().contains("a tree that hosts which check objects refuse"), "{found}");
        let audit = world.ada.json(&["audit"]);
        let told = audit["findings"].as_array().unwrap().iter().find(|it| it["kind"] == "rewritten");
        let told = told.unwrap_or_else(|| panic!("{audit:#}"));
        assert!(
            told["message"].as_str().unwrap().contains("a tree that hosts which check objects"),
            "{told}"
        );
        assert_eq!(told["severity"], "fault", "{told}");
        world.ada.wf(&["fsck", "--repair"]).ok();
        world.ada.wf(&["fsck"]).ok();
        world.ada.wf(&["comment", "ISS-001", "-m", "on top"]).ok();
        let strict = world.sandbox.bare("strict");
        strict.git(&["config", "receive.fsckObjects", "true"]).ok();
        let url = strict.path().display().to_string();
        world.ada.git(&["push", &url, &format!("{REF}:{REF}")]).ok();
        assert!(world.ada.wf(&["show", "ISS-001"]).ok().stdout.contains("on top"));
        std::fs::remove_dir_all(strict.path()).unwrap();
        world.ada.git(&["update-ref", REF, &whole]).ok();
    }
    world.assert_usable();
}

#[test]
fn links_and_submodules_are_kept_and_nobody_follows_them() {
    let world = World::new();
    let here = folder("ISS-001");
    let here: Vec<&str> = here.split('/').collect();
    let link = world.origin.blob("/etc/passwd");
    let module = world.origin.tip().unwrap();
    let mut places: Vec<String> = Vec::new();
    for (place, new) in [
        (vec![], entry("120000", "wf.lnk", &link)),
        (vec![], entry("160000", "module", &module)),
        (vec!["zoo", "deep"], entry("120000", "link", &link)),
        (here.clone(), entry("120000", "comments", &link)),
        (here, entry("160000", "a\\b", &module)),
    ] {
        let name = String::from_utf8(new.name.clone()).unwrap();
        places.push(place.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("/"));
        // The remote has one more commit, and so have we.
        let tree = changed(&world.origin, Some(&format!("{REF}^{{tree}}")), &place, &|entries| {
            entries.push(new.clone());
            sort(entries);
        });
        commit(&world.origin, &tree);
        world.ada.wf(&["new", "an issue", "--json"]).ok();
        let ran = world.ada.wf(&["sync", "--json"]).ok();
        assert_eq!(ran.json()["refused"], json!([]));
        assert_eq!(world.ada.tip(), world.origin.tip());
        let names = world.ada.git(&["ls-tree", "-r", "--name-only", "-z", REF]).ok().stdout;
        for path in &places {
            assert!(names.split('\0').any(|name| name == path), "{path}: {names:?}");
        }
        world.ada.wf(&["log", "-p", "-n", "2"]).ok();
        world.ada.wf(&["export", "jsonl"]);
        world.ada.wf(&["fsck", "--repair"]);
        assert_git_likes(&world.sandbox, &world.ada);
    }
    assert_eq!(world.ada.wf(&["show", "ISS-001", "--json"]).ok().json()["comments"], json!([]));
    let found = world.ada.wf(&["fsck", "--json", "--verbose"]).fails(1).json();
    let of = |path: &str| found.as_array().unwrap().iter().find(|it| it["path"] == path).unwrap().clone();
    assert_eq!(of("wf.lnk")["severity"], "note");
    assert!(of(&places[3])["what"].as_str().unwrap().contains("where a record belongs"), "{found}");
    // A record that is written there replaces it.
    world.ada.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    assert_eq!(world.ada.wf(&["show", "ISS-001", "--json"]).ok().json()["comments"][0]["body"], "hello");
    world.ada.wf(&["fsck"]).ok();
    world.ada.wf(&["sync"]).ok();
    let bob = world.sandbox.clone(&world.origin, "late");
    bob.wf(&["init"]).ok();
    assert_eq!(bob.tip(), world.ada.tip());
}

#[test]
fn a_new_clone_looks_at_the_head_that_it_begins_with() {
    let world = World::new();
    for (place, entry, path) in evil(&world.origin).into_iter().step_by(4) {
        let base = world.origin.tip().unwrap();
        let tree = changed(&world.origin, Some(&format!("{base}^{{tree}}")), &place, &|entries| {
            entries.push(entry.clone());
            sort(entries);
        });
        commit(&world.origin, &tree);
        let carl = world.sandbox.clone(&world.origin, "carl");
        carl.wf(&["init"]).fails(1);
        assert_eq!(carl.tip(), None, "{path}");
        std::fs::remove_dir_all(carl.path()).unwrap();
        world.origin.git(&["update-ref", REF, &base]).ok();
    }
    world.assert_usable();
}

#[test]
fn our_own_ref_with_such_a_tree_stays_readable_and_fsck_names_it() {
    let world = World::new();
    let base = world.ada.tip().unwrap();
    for (place, entry, path) in evil(&world.ada) {
        let label = format!("{} {path}", entry.mode);
        let tree = changed(&world.ada, Some(&format!("{base}^{{tree}}")), &place, &|entries| {
            entries.push(entry.clone());
            sort(entries);
        });
        world.ada.git(&["update-ref", REF, &base]).ok();
        commit(&world.ada, &tree);
        let listed = world.ada.wf(&["list", "--json"]).ok().json();
        assert_eq!(listed.as_array().unwrap().len(), 2, "{label}");
        let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(
            found.as_array().unwrap().iter().any(|it| it["path"] == path && it["severity"] == "error"),
            "{label}: {found}"
        );
        assert_printable(&world.ada.wf(&["fsck", "--verbose"]));
        world.ada.wf(&["fsck", "--repair"]).ok();
        assert_git_likes(&world.sandbox, &world.ada);
    }
    world.assert_usable();
}

#[test]
fn files_where_folders_belong_and_the_reverse() {
    let world = World::new();
    let text = world.origin.blob("x\n");
    let inner = raw_tree(&world.origin, &[entry("100644", "x", &text)]);
    let here = folder("ISS-001");
    let here: Vec<&str> = here.split('/').collect();
    // The mode does not match the object; then both match, but in the wrong place.
    for (place, new) in [
        (vec![], entry("100644", "issues", &text)),
        (vec!["issues"], entry("100644", here[1], &text)),
        (here.clone(), entry("40000", "issue.json", &inner)),
        (here.clone(), entry("100644", "comments", &text)),
        (vec![], entry("40000", "wf.json", &inner)),
        (here.clone(), entry("100644", "feedback", &inner)),
        (vec![], entry("100644", "notes", &inner)),
        (vec![], entry("40000", "notes", &text)),
        (here.clone(), entry("40000", "solutions", &text)),
        (vec!["issues"], entry("40000", here[1], &text)),
    ] {
        let before = world.origin.tip().unwrap();
        let name = String::from_utf8(new.name.clone()).unwrap();
        let label = format!("{} {}/{name}", new.mode, place.join("/"));
        let tree = changed(&world.origin, Some(&format!("{REF}^{{tree}}")), &place, &|entries| {
            entries.retain(|it| it.name != new.name);
            entries.push(new.clone());
            sort(entries);
        });
        commit(&world.origin, &tree);
        let ran = world.ada.wf(&["sync", "--json"]);
        if ran.code == 1 {
            // git itself refuses to fetch it, and says so; if the object is here already, we do.
            let code = ran.json_error()["code"].clone();
            assert!(code == "unreachable" || ran.stderr.contains(OTHER_KIND), "{label}: {}", ran.stderr);
            world.origin.git(&["update-ref", REF, &before]).ok();
        } else {
            ran.ok();
        }
        let listed = world.ada.wf(&["list", "--json"]).ok().json();
        assert_eq!(listed.as_array().unwrap().len(), 2, "{label}");
        assert_git_likes(&world.sandbox, &world.ada);
    }
    world.assert_usable();
}

const OTHER_KIND: &str = "an entry whose object is of another kind than its mode says";

/// Both sides have all objects, so that no fetch looks at them.
#[test]
fn an_entry_whose_object_is_of_another_kind_is_refused_and_mended() {
    let world = World::new();
    let text = world.origin.blob("x\n");
    let inner = raw_tree(&world.origin, &[entry("100644", "x", &text)]);
    for new in [entry("100644", "zoo", &inner), entry("40000", "zoo", &text), entry("120000", "zoo", &inner)]
    {
        let label = new.mode.clone();
        let (base, own) = (world.origin.tip().unwrap(), world.ada.tip().unwrap());
        for repo in [&world.origin, &world.ada] {
            let text = repo.blob("x\n");
            raw_tree(repo, &[entry("100644", "x", &text)]);
            let tree = changed(repo, Some(&format!("{REF}^{{tree}}")), &[], &|entries| {
                entries.push(new.clone());
                sort(entries);
            });
            commit(repo, &tree);
        }
        let theirs = world.origin.tip().unwrap();
        // Everything that the remote has is here.
        std::fs::write(
            world.ada.path().join(".git/objects/info/alternates"),
            format!("{}\n", world.origin.path().join("objects").display()),
        )
        .unwrap();
        let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(found.to_string().contains(OTHER_KIND), "{label}: {found}");
        world.ada.git(&["update-ref", REF, &own]).ok();
        let refused = world.ada.refused(1, &["pull"]);
        // git reads a directory, and refuses it itself.
        let is_named = refused["message"].as_str().unwrap().contains(OTHER_KIND);
        assert!(is_named || (label == "40000" && refused["code"] == "unreachable"), "{label}: {refused}");
        assert_eq!(world.ada.tip().as_ref(), Some(&own), "{label}");
        world.ada.git(&["update-ref", REF, &theirs]).ok();
        world.ada.wf(&["fsck", "--repair"]).ok();
        assert!(!world.ada.wf(&["fsck", "--verbose"]).stdout.contains(OTHER_KIND), "{label}");
        assert_git_likes(&world.sandbox, &world.ada);
        world.ada.git(&["update-ref", REF, &own]).ok();
        world.origin.git(&["update-ref", REF, &base]).ok();
    }
    world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    world.assert_usable();
}

#[test]
fn folders_without_end() {
    let world = World::new();
    let text = world.origin.blob("x\n");
    let mut id = raw_tree(&world.origin, &[entry("100644", "x", &text)]);
    for _ in 0..30 {
        let ten: Vec<Entry> = (0..10).map(|n| entry("40000", format!("{n}"), &id)).collect();
        id = raw_tree(&world.origin, &ten);
    }
    let tree = changed(&world.origin, Some(&format!("{REF}^{{tree}}")), &[], &|entries| {
        entries.insert(0, entry("40000", "bomb", &id));
    });
    let before = world.origin.tip().unwrap();
    commit(&world.origin, &tree);
    let error = world.ada.refused(1, &["sync"]);
    assert_eq!(error["code"], "too-large");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("the directory `bomb") && message.contains("more than 200000 files"),
        "{message}"
    );
    assert_eq!(world.ada.git(&["ls-tree", "--name-only", REF]).ok().stdout, "issues\nwf.json\n");
    world.origin.git(&["update-ref", REF, &before]).ok();
    world.assert_usable();
    // The same on our own ref: no command walks it.
    commit(&world.ada, &tree);
    world.ada.wf(&["list"]).ok();
    let found = world.ada.wf(&["fsck", "--json"]).json();
    assert!(
        found.as_array().unwrap().iter().any(|it| it["path"].as_str().unwrap().starts_with("bomb")),
        "{found}"
    );
    world.ada.wf(&["log", "-p", "-n", "1"]).ok();
}

#[test]
fn ten_thousand_folders_in_each_other() {
    let world = World::new();
    for limit in [None, Some("20000")] {
        // By default, git walks only some thousand levels; even if git is told to walk more, we do not.
        for repo in [&world.origin, &world.ada].into_iter().filter(|_| limit.is_some()) {
            repo.git(&["config", "core.maxTreeDepth", limit.unwrap_or_default()]).ok();
        }
        let path = vec!["d"; 10_000].join("/");
        let whole = world.ada.tip().unwrap();
        let stream = format!(
            "commit {REF}\ncommitter E <e@example.org> 1795226400 +0000\ndata 1\nx\nfrom {whole}\n\
             M 100644 inline {path}/x\ndata 1\nx\n\n"
        );
        for (repo, is_ours) in [(&world.origin, false), (&world.ada, true)] {
            repo.git_in(&stream, &["fast-import", "--quiet"]).ok();
            let ran = world.ada.wf(&["sync", "--json"]);
            if ran.code == 1 {
                // The git of one side refuses to transfer it.
                let code = ran.json_error()["code"].clone();
                assert!(code == "unreachable" || code == "refused", "{}", ran.stderr);
            } else if !is_ours {
                assert!(ran.ok().json()["refused"][0].as_str().unwrap().starts_with("d/d/d"));
                assert_eq!(world.ada.git(&["ls-tree", "--name-only", REF]).ok().stdout, "issues\nwf.json\n");
            }
            world.ada.wf(&["list"]).ok();
            world.ada.wf(&["log", "-p", "-n", "1"]).ok();
            world.ada.wf(&["fsck"]).fails(i32::from(is_ours));
            world.ada.wf(&["fsck", "--repair"]).ok();
            assert_eq!(world.ada.git(&["ls-tree", "--name-only", REF]).ok().stdout, "issues\nwf.json\n");
            for repo in [&world.origin, &world.ada] {
                repo.git(&["update-ref", REF, &whole]).ok();
            }
            world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
        }
    }
    world.assert_usable();
}
