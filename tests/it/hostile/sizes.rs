//! Objects of a hundred megabytes, most of which are a few kilobytes when they are transferred: commits, trees,
//! records.

use super::*;

const HUGE: usize = 100 * 1024 * 1024;
/// The memory that a command may use, in MB.
const MEMORY: u32 = 200;

/// Every command that reads works with that much memory.
fn assert_readable(world: &World) {
    for args in [
        &["list", "--json"][..],
        &["show", "ISS-001"],
        &["log", "--json"],
        &["log", "-p"],
        &["conflicts"],
        &["search", "was"],
        &["status"],
        &["fsck", "--reindex"],
        &["export", "jsonl"],
        &["comment", "ISS-002", "-m", "still here"],
    ] {
        let ran = limited(&world.ada, MEMORY, args).ok();
        assert!(ran.stdout.len() < 1024 * 1024, "{args:?} printed {} bytes", ran.stdout.len());
    }
}

/// What fsck says, within the same memory.
fn checked(world: &World) -> String {
    let ran = limited(&world.ada, MEMORY, &["fsck", "--json"]);
    assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
    ran.json().to_string()
}

/// A commit with the state of the ref, with this header and message.
fn commit_of(repo: &Repo, header: &str, message: &[u8]) -> String {
    let tip = repo.tip().unwrap();
    let tree = repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok();
    let mut text = format!("tree {}\nparent {tip}\n{header}\n", tree.line()).into_bytes();
    text.extend(message);
    let commit = raw(repo, "commit", text);
    repo.git(&["update-ref", REF, &commit]).ok();
    commit
}

const WHO: &str = "author E <e@example.org> 1795226400 +0000\ncommitter E <e@example.org> 1795226400 +0000\n";

#[test]
fn a_commit_of_100_mb_is_not_taken_over() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    let parents = "parent 441dcc324b8c7eb6eb155294920f6f982538e215\n".repeat(HUGE / 48);
    for (label, header, message) in [
        ("one line", WHO.to_owned(), vec![b'y'; HUGE]),
        ("parents", format!("{parents}{WHO}"), b"x\n".to_vec()),
    ] {
        let commit = commit_of(&world.origin, &header, &message);
        // git's own fetch needs several times the size of a commit.
        world.ada.git(&["fetch", "--quiet"]).ok();
        for on_top in [false, true] {
            let mine = world.ada.tip();
            if on_top {
                world.origin.plumb_bytes(&[(&file("ISS-004"), issue("ISS-004").to_string().as_bytes())]);
                world.ada.git(&["fetch", "--quiet"]).ok();
            }
            for args in [&["sync", "--json"][..], &["pull", "--json"]] {
                let error = limited(&world.ada, MEMORY, args).fails(1).json_error();
                assert_eq!(error["code"], "not-a-store", "{label}: {error}");
                let message = error["message"].as_str().unwrap();
                assert!(message.contains(&commit) && message.contains("16 MB"), "{label}: {message}");
            }
            assert_eq!(world.ada.tip(), mine, "{label}");
        }
        assert_readable(&world);
        // Once the remote is reset, everything works again.
        world.origin.git(&["update-ref", REF, &base]).ok();
        world.ada.wf(&["sync"]).ok();
        assert_eq!(checked(&world), "[]", "{label}");
        world.origin.git(&["update-ref", REF, &base]).ok();
    }
    let carl = world.sandbox.clone(&world.origin, "carl");
    let commit = commit_of(&world.origin, WHO, &vec![0; HUGE]);
    let error = carl.wf(&["init", "--json"]).fails(1).json_error();
    assert!(error["message"].as_str().unwrap().contains(&commit), "{error}");
    world.assert_usable();
}

#[test]
fn a_commit_of_100_mb_in_our_own_ref_is_named() {
    let world = World::new();
    let base = world.ada.tip().unwrap();
    let commit = commit_of(&world.ada, WHO, &vec![b'y'; HUGE]);
    for args in [&["list", "--json"][..], &["fsck", "--json"], &["log", "--json"], &["sync", "--json"]] {
        let error = limited(&world.ada, MEMORY, args).fails(1).json_error();
        assert!(error["message"].as_str().unwrap().contains(&commit), "{args:?}: {error}");
    }
    world.ada.git(&["update-ref", REF, &base]).ok();
    world.assert_usable();
}

#[test]
fn a_long_line_of_a_commit_is_cut_short() {
    let world = World::new();
    let most = 15 * 1024 * 1024;
    commit_of(&world.origin, WHO, &vec![b'y'; most]);
    commit_of(&world.origin, WHO, &b"y\n".repeat(most / 2));
    let name = "E".repeat(most);
    commit_of(&world.origin, &WHO.replace("author E", &format!("author {name}")), b"Wf-Op: new\n");
    world.ada.wf(&["sync"]).ok();
    assert_eq!(world.ada.tip(), world.origin.tip());
    assert_readable(&world);
    assert_eq!(checked(&world), "[]");
    world.assert_usable();
}

#[test]
fn a_tree_of_100_mb_is_refused_by_name_and_in_the_way_of_nothing_else() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    let blob = world.origin.blob("x\n");
    let folder = |repo: &Repo, many: usize| {
        let entries: Vec<Entry> = (0..many).map(|n| entry("100644", format!("n{n:070}"), &blob)).collect();
        raw_tree(repo, &entries)
    };
    for place in [vec!["zoo".to_owned()], folder_of_comments()] {
        let tree = folder(&world.origin, 1024 * 1024);
        let (name, above) = place.split_last().unwrap();
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        let new = changed(&world.origin, Some(&format!("{base}^{{tree}}")), &above, &|entries| {
            entries.push(entry("40000", name, &tree));
            sort(entries);
        });
        commit(&world.origin, &new);
        world.ada.git(&["fetch", "--quiet"]).ok();
        let theirs = world.origin.tip().unwrap();
        let before = world.ada.tip();
        let error = limited(&world.ada, MEMORY, &["sync", "--json"]).fails(1).json_error();
        assert_eq!(error["code"], "too-large");
        assert!(error["message"].as_str().unwrap().contains(&format!("`{}`", place.join("/"))), "{error}");
        assert_eq!(world.ada.tip(), before);
        limited(&world.ada, MEMORY, &["list"]).ok();
        limited(&world.ada, MEMORY, &["show", "ISS-001"]).ok();
        // The same without the merge in between.
        world.ada.git(&["update-ref", REF, &theirs]).ok();
        limited(&world.ada, MEMORY, &["list"]).ok();
        limited(&world.ada, MEMORY, &["show", "ISS-001"]).ok();
        limited(&world.ada, MEMORY, &["log"]).ok();
        assert!(checked(&world).contains(&place.join("/")), "{place:?}");
        for repo in [&world.origin, &world.ada] {
            repo.git(&["update-ref", REF, &base]).ok();
        }
        world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    }
    world.assert_usable();
}

fn folder_of_comments() -> Vec<String> {
    let path = format!("{}/comments", folder("ISS-001"));
    path.split('/').map(str::to_owned).collect()
}

#[test]
fn records_that_inflate_to_100_mb_are_named() {
    let world = World::new();
    let huge = vec![b' '; HUGE];
    let mut text = issue("ISS-003").to_string().into_bytes();
    text.resize(HUGE, b' ');
    let comment =
        format!("{}/comments/20261121T021405123Z-00000-00000000000000000000000001.json", folder("ISS-001"));
    let (third, second) = (file("ISS-003"), file("ISS-002"));
    world.origin.plumb_bytes(&[(&third, &text), (&second, &huge), (&comment, &huge), ("wf.json", &huge)]);
    let bad = world.origin.tip().unwrap();
    world.ada.git(&["fetch", "--quiet"]).ok();
    let synced = limited(&world.ada, MEMORY, &["sync", "--json"]).ok().json();
    assert_eq!(synced["restored"], json!([second, "wf.json"]));
    assert_readable(&world);
    let found = checked(&world);
    assert!(found.contains(&third) && found.contains(&comment), "{found}");
    // The same on our own ref, where the history must restore what it can.
    world.ada.git(&["update-ref", REF, &bad]).ok();
    let found = checked(&world);
    assert!([&third, &comment, &second, "wf.json"].iter().all(|it| found.contains(*it)), "{found}");
    limited(&world.ada, MEMORY, &["fsck", "--repair"]);
    assert_readable(&world);
    world.assert_usable();
}

#[test]
fn a_loose_object_that_lies_about_its_size() {
    let world = World::new();
    world.ada.plumb_bytes(&[(&file("ISS-003"), b"a record"), (&file("ISS-005"), b"another record")]);
    for (id, said) in [("ISS-003", "20"), ("ISS-005", "99999999999999")] {
        let blob = world.ada.git(&["rev-parse", &format!("{REF}:{}", file(id))]).ok();
        let (folder, name) = blob.line().split_at(2);
        let path = world.ada.path().join(".git/objects").join(folder).join(name);
        let bytes = [format!("blob {said}\0").into_bytes(), vec![b' '; HUGE]].concat();
        // git compresses what it is given, so the object is written as a file directly.
        let deflated = deflated(&bytes);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, deflated).unwrap();
    }
    for args in
        [&["list", "--json"][..], &["show", "ISS-001"], &["log", "-p"], &["fsck"], &["export", "jsonl"]]
    {
        let ran = limited(&world.ada, MEMORY, args);
        assert!(matches!(ran.code, 0 | 1) && !ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
    }
}

/// Compressed as zlib does it.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut stream = gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST_SPEED);
    stream.write_all(bytes).unwrap();
    stream.flush().unwrap();
    stream.into_inner()
}
