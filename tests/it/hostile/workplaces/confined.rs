//! What an agent can reach from its workplace if bubblewrap confines it.

use super::{asked, assert_nothing_is_left, assert_unchanged, files, store};
use crate::support::{Repo, Sandbox};

/// Whether bubblewrap works on this machine. Some containers forbid it.
fn can_confine() -> bool {
    let tried = std::process::Command::new("bwrap")
        .args(["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"])
        .status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: bubblewrap does not work here");
    }
    works
}

/// A store whose agents must be confined.
fn confined(sandbox: &Sandbox) -> Repo {
    let repo = store(sandbox);
    repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    repo
}

/// The line that the script of an agent printed after a word.
#[track_caller]
fn said(stderr: &str, word: &str) -> String {
    let found = stderr.lines().find_map(|line| line.split_once(&format!("| {word}:")));
    found.unwrap_or_else(|| panic!("{word}: {stderr}")).1.trim().to_owned()
}

#[test]
fn an_agent_writes_only_its_workplace() {
    if !can_confine() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = confined(&sandbox);
    let before = files(&repo.path().join(".git"));
    let script = r#"
        try() { if sh -c "$2" 2> /dev/null; then echo "$1: done"; else echo "$1: refused"; fi; }
        try here 'echo x > made && git commit -q --allow-empty -m x'
        try temporary 'echo x > "$TMPDIR/x" && echo x > /tmp/x'
        try records 'git wf comment ISS-001 -m heard'
        try file "echo x > $root/src/csv.rs"
        try ref "git -C $root branch other"
        try hook "echo x > $root/.git/hooks/pre-commit"
        try home 'echo x > "$HOME/.profile"'
        try config 'git config --global alias.st status'
        try system 'echo x > /etc/wf-was-here'
    "#;
    let ran = asked(&repo, script).ok();
    let told = "agents are confined: they can write only to their workplace and their own state";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    for word in ["here", "temporary", "records"] {
        assert_eq!(said(&ran.stderr, word), "done", "{word}");
    }
    for word in ["file", "ref", "hook", "home", "config", "system"] {
        assert_eq!(said(&ran.stderr, word), "refused", "{word}");
    }
    assert_eq!(repo.read("src/csv.rs"), "one\n");
    assert_unchanged(&before, &repo, "confined");
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn an_agent_cannot_read_secrets() {
    if !can_confine() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = confined(&sandbox);
    let home = sandbox.root().join("home");
    for (file, text) in [(".ssh/id", "key"), (".netrc", "login"), (".token", "token"), ("notes", "seen")] {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    repo.git(&["config", "wf.run.hide", "~/.token"]).ok();
    let script = r#"for name in .ssh/id .netrc .token notes; do echo "$name: $(cat "$HOME/$name" 2> /dev/null)"; done"#;
    let ran = asked(&repo, script).ok();
    for name in [".ssh/id", ".netrc", ".token"] {
        assert_eq!(said(&ran.stderr, name), "", "{name}");
    }
    assert_eq!(said(&ran.stderr, "notes"), "seen");
    // Without a sandbox, nothing is hidden.
    repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    let ran = asked(&repo, script).ok();
    assert_eq!(said(&ran.stderr, ".ssh/id"), "key");
    assert!(ran.stderr.contains("agents are not confined: `wf.run.sandbox` is off"), "{}", ran.stderr);
}

#[test]
fn what_may_be_written_besides_never_contains_the_repository() {
    if !can_confine() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = confined(&sandbox);
    repo.git(&["config", "wf.run.writable", sandbox.root().to_str().unwrap()]).ok();
    let script = "touch $root/../home/made && echo home: done; touch $root/made || echo repository: refused; ls $root/.git/config > /dev/null && echo read: done";
    let ran = asked(&repo, script).ok();
    assert_eq!(said(&ran.stderr, "home"), "done");
    assert_eq!(said(&ran.stderr, "repository"), "refused");
    assert_eq!(said(&ran.stderr, "read"), "done");
    repo.git(&["config", "wf.run.writable", "caches"]).ok();
    let ran = asked(&repo, "true").fails(1);
    let told = "`caches` is not a value for `wf.run.writable`: it takes an absolute path";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn nobody_inside_is_root_or_outlives_the_agent() {
    if !can_confine() {
        return;
    }
    let sandbox = Sandbox::new();
    let repo = confined(&sandbox);
    let script =
        r#"echo "user: $(id -u)"; echo "processes: $(ls -d /proc/[0-9]* | wc -l)"; setsid sleep 1000 &"#;
    let ran = asked(&repo, script).ok();
    assert_ne!(said(&ran.stderr, "user"), "0");
    let processes: u32 = said(&ran.stderr, "processes").parse().unwrap();
    assert!(processes < 12, "{processes}");
}

#[test]
fn where_there_is_no_sandbox_agents_work_without_or_not_at_all() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    // A program of this name that does nothing useful.
    repo.write("../bin/bwrap", "#!/bin/sh\necho \"no namespaces here\" >&2; exit 1\n");
    std::fs::set_permissions(
        sandbox.root().join("bin/bwrap"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let own = std::env::var("PATH").unwrap();
    let repo = repo.with_env("PATH", &format!("{}:{own}", sandbox.root().join("bin").display()));
    repo.git(&["config", "wf.run.sandbox", "auto"]).ok();
    let ran = asked(&repo, "true").ok();
    let told = "agents are not confined: bubblewrap does not work here: no namespaces here";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    let ran = asked(&repo, "echo started >> $root/started").fails(1);
    assert!(
        ran.stderr.contains("no namespaces here") && ran.stderr.contains("wf.run.sandbox"),
        "{}",
        ran.stderr
    );
    assert!(!repo.path().join("started").exists());
    repo.git(&["config", "wf.run.sandbox", "maybe"]).ok();
    let ran = asked(&repo, "true").fails(1);
    let told = "`maybe` is not a value for `wf.run.sandbox`: it takes auto, require or off";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}
