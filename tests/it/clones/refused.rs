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
