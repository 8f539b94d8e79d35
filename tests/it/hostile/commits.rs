//! Commits that git never makes: each is accepted, or the sync is refused and says which one, whose it is and why.

use super::*;

const WHO: &str = "E <e@example.org> 1795226400 +0000";

/// Makes a commit of these bytes the head of the remote.
fn head(world: &World, text: &[u8]) -> String {
    let id = raw(&world.origin, "commit", text);
    // git itself would check what it lets the ref point to.
    std::fs::write(world.origin.path().join(REF), format!("{id}\n")).unwrap();
    id
}

#[test]
fn a_malformed_commit_is_taken_in_or_named() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    let tree = world.origin.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    let begin = format!("tree {tree}\nparent {base}\n");
    let with = |rest: &str| format!("{begin}{rest}").into_bytes();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "a date of letters",
            with("author E <e@x> 17952x6400 +0000\ncommitter E <e@x> garbage +0000\n\nm\n"),
        ),
        ("a date before 1970", with("author E <e@x> -5 +0000\ncommitter E <e@x> -5 +0000\n\nm\n")),
        (
            "a date without end",
            with(&format!("author {WHO}\ncommitter E <e@x> {} +0000\n\nm\n", "9".repeat(30))),
        ),
        ("the last date", with(&format!("author {WHO}\ncommitter E <e@x> {} +0000\n\nm\n", i64::MAX))),
        ("no date", with("author E <e@x>\ncommitter E <e@x>\n\nm\n")),
        ("no author", with(&format!("committer {WHO}\n\nm\n"))),
        ("no committer", with(&format!("author {WHO}\n\nm\n"))),
        ("nobody", with("\nm\n")),
        ("an author without an address", with(&format!("author Ada\ncommitter {WHO}\n\nm\n"))),
        ("an encoding", with(&format!("author {WHO}\ncommitter {WHO}\nencoding UTF-7\n\nm+AGE-\n"))),
        (
            "bytes that are no text",
            [
                with("author E \u{fffd}").as_slice(),
                b"\xff\xfe <e@x> 1 +0000\ncommitter \xff <e@x> 1 +0000\n\n\xff\n",
            ]
            .concat(),
        ),
        ("a zero byte", with(&format!("author E\0 <e@x> 1 +0000\ncommitter {WHO}\n\nm\n"))),
        (
            "a parent that is no id",
            format!("tree {tree}\nparent xyz\nauthor {WHO}\ncommitter {WHO}\n\nm\n").into(),
        ),
        ("no tree", format!("parent {base}\nauthor {WHO}\ncommitter {WHO}\n\nm\n").into()),
        ("nothing", vec![]),
    ];
    let mut taken = Vec::new();
    let mut foreign = Vec::new();
    for (label, text) in cases {
        world.ada.git(&["update-ref", REF, &base]).ok();
        world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
        // A commit of our own, so that a merge is needed.
        world.ada.wf(&["comment", "ISS-001", "-m", label]).ok();
        let before = world.ada.tip().unwrap();
        let id = head(&world, &text);
        foreign.push(id.clone());
        let ran = world.ada.wf(&["sync", "--json"]);
        if ran.code == 0 {
            taken.push(label);
            let ours = world.ada.tip().unwrap();
            // git's objections to the commit from outside are its only objections.
            let found =
                world.ada.git(&["fsck", "--strict"]).stdout + &world.ada.git(&["fsck", "--strict"]).stderr;
            for line in
                found.lines().filter(|line| !line.starts_with("dangling ") && !line.starts_with("notice: "))
            {
                assert!(foreign.iter().any(|id| line.contains(id)), "{label}: {line}");
            }
            assert!(!found.contains(&format!("commit {ours}:")), "{label}: {found}");
            for args in [&["log"][..], &["conflicts"], &["fsck", "--reindex"], &["sync"]] {
                world.ada.wf(args).ok();
            }
            // What git objects to, the store's own check reports.
            let checked = world.ada.wf(&["fsck", "--json"]);
            let is_fine = ["an encoding", "the last date", "bytes that are no text"].contains(&label);
            let named = checked.json().as_array().unwrap().iter().any(|it| it["commit"] == id.as_str());
            assert_eq!((checked.code, named), if is_fine { (0, false) } else { (1, true) }, "{label}");
        } else {
            let error = ran.json_error();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(&id) && message.contains("`origin`"), "{label}: {message}");
            assert_eq!(world.ada.tip(), Some(before), "{label}");
            assert!(!message.contains("cannot compare"), "{label}: {message}");
        }
        std::fs::write(world.origin.path().join(REF), format!("{base}\n")).unwrap();
    }
    for label in ["a date before 1970", "a date without end", "the last date", "no date", "an encoding"] {
        assert!(taken.contains(&label), "{label} is harmless: {taken:?}");
    }
    world.ada.git(&["update-ref", REF, &base]).ok();
    world.ada.wf(&["sync"]).ok();
    world.ada.wf(&["comment", "ISS-001", "-m", "still here"]).ok();
}

#[test]
fn no_commit_of_ours_is_dated_before_1970() {
    let world = World::new();
    for date in ["@-1 +0000", "-1 +0000", "1960-01-01 00:00:00 +0000", "1969-12-31T23:59:59Z"] {
        let then = world.ada.with_env("GIT_COMMITTER_DATE", date).with_env("GIT_AUTHOR_DATE", date);
        assert_ne!(then.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).code, 0, "{date}");
        let before = world.ada.tip();
        let error = then.wf(&["comment", "ISS-001", "-m", "then", "--json"]).fails(1).json_error();
        assert_eq!(error["code"], "config", "{date}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("unset GIT_COMMITTER_DATE"), "{error}");
        assert_eq!(world.ada.tip(), before);
    }
    for date in ["@0 +0000", "@4102444800 -0130", "2001-02-03T04:05:06+0530"] {
        let then = world.ada.with_env("GIT_COMMITTER_DATE", date).with_env("GIT_AUTHOR_DATE", date);
        then.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]).ok();
        then.wf(&["comment", "ISS-002", "-m", date]).ok();
        let dates = |reference: &str| {
            world.ada.git(&["log", "-1", "--format=%cd", "--date=raw", reference]).ok().stdout
        };
        assert_eq!(dates(REF), dates("HEAD"), "{date}");
    }
    world.ada.git(&["fsck", "--strict"]).ok();
}
