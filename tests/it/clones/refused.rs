//! Remotes that refuse or do not answer: a clear error, and nothing changes here.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;

fn hook(origin: &Repo, name: &str, text: &str) {
    let folder = origin.path().join("hooks");
    std::fs::create_dir_all(&folder).unwrap();
    script(&folder.join(name), text);
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_hook_of_the_remote() {
    let two = Two::new();
    hook(&two.origin, "pre-receive", "echo 'no issues\n\x1b[31mhere' >&2; exit 1");
    let mine = create(&two.ada, "ISS-001", 1);
    let before = (two.origin.tip(), tracking(&two.ada));
    for command in ["sync", "push"] {
        let ran = two.ada.wf(&[command]).fails(1);
        let first = ran.stderr.lines().next().unwrap();
        assert!(
            first.starts_with(
                "error: `origin` refused `refs/wf/main`: pre-receive hook declined; no issues; "
            ),
            "{first}"
        );
        assert!(!first.contains('\x1b'), "{first:?}");
        assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
        assert_eq!(two.ada.wf(&[command, "--json"]).fails(1).json_error()["code"], "refused");
    }
    assert_eq!((two.origin.tip(), tracking(&two.ada)), before);
    assert_eq!(two.ada.tip().unwrap(), mine);
    // What the remote has can still be pulled.
    two.ada.wf(&["pull"]).ok();
}

#[test]
fn a_remote_that_is_gone() {
    let two = Two::new();
    let mine = create(&two.ada, "ISS-001", 1);
    std::fs::remove_dir_all(two.origin.path()).unwrap();
    for command in ["sync", "pull", "push"] {
        let ran = two.ada.wf(&[command]).fails(1);
        assert!(ran.stderr.starts_with("error: `origin` cannot be reached: '/"), "{}", ran.stderr);
        assert!(ran.stderr.contains("does not appear to be a git repository\nhint: "), "{}", ran.stderr);
    }
    assert_eq!(two.ada.tip().unwrap(), mine);
}

#[test]
fn a_remote_that_wants_a_password() {
    let two = Two::new();
    let says = two.sandbox.root().join("asks");
    script(&says, "echo 'fatal: Authentication failed for you' >&2; exit 1");
    two.ada.git(&["config", "protocol.ext.allow", "always"]).ok();
    two.ada.git(&["config", "remote.origin.url", &format!("ext::{}", says.display())]).ok();
    let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "credentials", "{error}");
}

#[test]
fn a_push_alone_does_not_merge() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    assert_eq!(two.ada.wf(&["push"]).ok().stdout, "pushed 1 commit to origin\n");
    assert_eq!(two.ada.wf(&["push"]).ok().stdout, "origin: up to date\n");
    let mine = create(&two.bea, "ISS-002", 2);
    let ran = two.bea.wf(&["push"]).fails(1);
    assert_eq!(
        ran.stderr,
        "error: `origin` holds commits of `refs/wf/main` that are not here yet\n\
         hint: `git wf sync origin` merges them and then pushes\n"
    );
    assert_eq!(two.bea.tip().unwrap(), mine);
    assert_eq!(two.bea.wf(&["pull"]).ok().stdout, "pulled 1 commit from origin\n");
    assert_eq!(two.bea.wf(&["push"]).ok().stdout, "pushed 2 commits to origin\n");
}

#[test]
fn somebody_who_pushes_between_our_fetch_and_our_push() {
    let two = Two::new();
    create(&two.bea, "ISS-002", 2);
    two.bea.git(&["push", "--quiet", "origin", &format!("{REF}:refs/heads/waiting")]).ok();
    create(&two.ada, "ISS-001", 1);
    // Ada's first push finds that Bea has just moved the ref.
    let marker = two.sandbox.root().join("once");
    hook(
        &two.origin,
        "pre-receive",
        &format!(
            "test -e '{0}' && exit 0; touch '{0}'; unset GIT_QUARANTINE_PATH; \
             git update-ref {REF} refs/heads/waiting",
            marker.display()
        ),
    );
    let ran = two.ada.wf(&["sync", "--json"]).ok().json();
    assert!(marker.exists());
    assert_eq!((&ran["merged"], &ran["incoming"]), (&"merge".into(), &1.into()));
    two.bea.wf(&["sync"]).ok();
    two.assert_one_state();
}

#[test]
fn before_init() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    for command in ["sync", "pull", "push"] {
        assert_eq!(ada.wf(&[command, "--json"]).fails(1).json_error()["code"], "not-initialised");
    }
    assert_eq!(ada.wf(&["sync", "a", "b"]).code, 2);
}

#[test]
fn a_lock_that_was_left_at_the_remote() {
    let two = Two::new();
    let mine = create(&two.ada, "ISS-001", 1);
    let lock = two.origin.path().join("refs/wf/main.lock");
    std::fs::write(&lock, "").unwrap();
    let ran = two.ada.wf(&["sync"]).fails(1);
    assert!(
        ran.stderr
            .starts_with("error: `origin` refused `refs/wf/main`: failed to update ref; cannot lock ref")
    );
    let mut lines = ran.stderr.lines();
    assert!(lines.next().unwrap().ends_with("File exists"), "{}", ran.stderr);
    let hint = lines.next().unwrap();
    assert!(hint.contains("refs/wf/main.lock` there: remove it") && !hint.contains("wf.ref"), "{hint}");
    assert_eq!(two.ada.tip().unwrap(), mine);
    std::fs::remove_file(&lock).unwrap();
    two.ada.wf(&["sync"]).ok();
}

/// How often a hook of the remote ran that records it.
fn pushes(two: &Two) -> usize {
    std::fs::read_to_string(two.sandbox.root().join("pushes")).map_or(0, |text| text.lines().count())
}

fn set(two: &Two, key: &str, value: &str) {
    two.ada.git(&["config", key, value]).ok();
}

#[test]
fn a_remote_that_hangs_up_with_words_is_tried_three_times() {
    let two = Two::new();
    let root = two.sandbox.root().display();
    let dies = format!("echo x >>{root}/pushes; echo 'quota exceeded: ask Bob' >&2; kill -9 $PPID");
    hook(&two.origin, "pre-receive", &dies);
    create(&two.ada, "ISS-001", 1);
    let before = two.origin.tip();
    for (command, times) in [("sync", 3), ("push", 4)] {
        let error = two.ada.wf(&[command, "--json"]).fails(1).json_error();
        assert_eq!(error["code"], "refused", "{error}");
        // Whether the words of the hook arrive before the end of the connection is up to the system.
        let message = error["message"].as_str().unwrap();
        let words = ["quota exceeded: ask Bob", "unexpected disconnect", "Killed"];
        assert!(words.iter().any(|words| message.contains(words)), "{error}");
        assert!(!error["hint"].as_str().unwrap().contains("wf.ref"), "{error}");
        assert_eq!(pushes(&two), times, "{command}");
    }
    assert_eq!(two.origin.tip(), before);
}

#[test]
fn what_git_itself_refuses_to_push_is_told_in_its_words() {
    let rows = [
        ("push.pushOption", "ci.skip", "does not support push options"),
        ("push.gpgSign", "true", "does not support --signed push"),
        ("remote.origin.receivepack", "echo 'not here' >&2; false", "not here"),
    ];
    for (key, value, words) in rows {
        let two = Two::new();
        create(&two.ada, "ISS-001", 1);
        two.origin.git(&["config", "receive.advertisePushOptions", "false"]).ok();
        set(&two, key, value);
        let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words) && !message.contains("others pushed first"), "{key}: {error}");
        // Without that setting, everything goes on.
        two.ada.git(&["config", "--unset", key]).ok();
        two.ada.wf(&["sync"]).ok();
    }
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    let bundle = two.sandbox.root().join("bundle");
    two.origin.git(&["bundle", "create", "-q", bundle.to_str().unwrap(), "--all"]).ok();
    set(&two, "remote.origin.url", bundle.to_str().unwrap());
    let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
    assert!(!error["message"].as_str().unwrap().contains("others pushed first"), "{error}");
}

#[test]
fn a_remote_that_is_a_mirror_gets_only_the_store() {
    let two = Two::new();
    set(&two, "remote.origin.mirror", "true");
    two.ada.git(&["branch", "-f", "own", "HEAD"]);
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    assert_eq!(two.ada.tip(), two.origin.tip());
    let refs = two.origin.git(&["for-each-ref", "--format=%(refname)"]).ok().stdout;
    assert!(refs.lines().all(|name| name == REF), "{refs}");
}

#[test]
fn a_denied_write_is_told_from_a_remote_that_is_away() {
    let rows = [
        "ERROR: Permission to ada/x.git denied to bea.",
        "ERROR: You are not allowed to push code to this project.",
        "ERROR: The key you are authenticating with has been marked as read only.",
        "fatal: remote error: access denied or repository not exported: /x.git",
    ];
    for words in rows {
        let two = Two::new();
        create(&two.ada, "ISS-001", 1);
        set(&two, "remote.origin.receivepack", &format!("echo '{words}' >&2; false"));
        for command in ["sync", "push"] {
            let error = two.ada.wf(&[command, "--json"]).fails(1).json_error();
            assert_eq!(error["code"], "refused", "{words}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(words.trim_end_matches('.').trim_start_matches("fatal: ")), "{error}");
            assert!(error["hint"].as_str().unwrap().contains("let you write there"), "{error}");
        }
    }
}

#[test]
fn objects_of_a_repository_that_is_gone_are_not_the_remotes_fault() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    let alternates = two.ada.path().join(".git/objects/info/alternates");
    std::fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    std::fs::write(&alternates, "/nowhere/objects\n").unwrap();
    std::fs::remove_dir_all(two.origin.path()).unwrap();
    let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`/nowhere/objects`") && !message.contains("cannot be reached"), "{error}");
}

#[test]
fn objects_that_a_lender_borrows_are_not_the_remotes_fault_either() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    let lender = two.sandbox.bare("lender.git");
    let objects = lender.path().join("objects");
    for (borrower, from) in [
        (objects.clone(), "/nowhere/objects"),
        (two.ada.path().join(".git/objects"), objects.to_str().unwrap()),
    ] {
        std::fs::create_dir_all(borrower.join("info")).unwrap();
        std::fs::write(borrower.join("info/alternates"), format!("{from}\n")).unwrap();
    }
    std::fs::remove_dir_all(two.origin.path()).unwrap();
    let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`/nowhere/objects`") && !message.contains("cannot be reached"), "{error}");
}

#[test]
fn a_lender_that_is_gone_is_named_by_whatever_needs_its_objects() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let [lender, own] = [&two.ada, &two.bea].map(|repo| repo.path().join(".git/objects"));
    for entry in
        std::fs::read_dir(&own).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "info")
    {
        std::fs::remove_dir_all(entry.path()).unwrap();
    }
    std::fs::create_dir_all(own.join("info")).unwrap();
    std::fs::write(own.join("info/alternates"), format!("{}\n", lender.display())).unwrap();
    two.bea.wf(&["show", "ISS-001"]).ok();
    std::fs::rename(&lender, lender.with_file_name("moved")).unwrap();
    for args in [&["show", "ISS-001", "--json"][..], &["new", "Another", "--json"], &["fsck", "--json"]] {
        let error = two.bea.wf(args).fails(1).json_error();
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(&format!("borrows objects from `{}`", lender.display())),
            "{args:?}: {error}"
        );
        assert!(!error["hint"].as_str().unwrap().contains("--refetch"), "{args:?}: {error}");
    }
}

#[test]
fn a_broken_ref_of_this_clone_is_not_the_remotes_fault() {
    let two = Two::new();
    create(&two.bea, "ISS-002", 1);
    two.bea.wf(&["sync"]).ok();
    two.ada.write(".git/refs/heads/broken", "1".repeat(40) + "\n");
    let error = two.ada.wf(&["sync", "--json"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("bad object refs/heads/broken") && !message.contains("cannot be reached"),
        "{error}"
    );
    assert_eq!(error["code"], "object");
}

#[test]
fn a_symbolic_ref_among_the_tracking_refs_is_removed() {
    let two = Two::new();
    two.ada.commit("a.txt", "a", "first");
    let branch = two.ada.git(&["symbolic-ref", "HEAD"]).ok().line().to_owned();
    let head = two.ada.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    two.bea.wf(&["new", "of Bea", "--id", "ISS-002"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.bea.git(&["push", "-q", "origin", &format!("{REF}:refs/wf/other")]).ok();
    for name in ["main", "other"] {
        let target = if name == "main" { branch.as_str() } else { "refs/heads/made" };
        two.ada.git(&["symbolic-ref", &format!("refs/wf-remotes/origin/{name}"), target]).ok();
    }
    create(&two.ada, "ISS-001", 1);
    for command in ["push", "sync"] {
        two.ada.wf(&[command]);
        assert_eq!(two.ada.git(&["rev-parse", "HEAD"]).ok().line(), head);
        assert!(two.ada.git(&["rev-parse", "-q", "--verify", "refs/heads/made"]).code != 0);
    }
    assert_eq!(two.ada.tip(), two.origin.tip());
    assert_eq!(tracking(&two.ada), two.origin.tip());
}
