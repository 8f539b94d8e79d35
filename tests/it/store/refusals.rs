//! When nothing is written, and which error says why.

use crate::support::{REF, Sandbox};

#[test]
fn before_init_every_command_says_so() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let all: [&[&str]; 11] = [
        &["list"],
        &["new", "Title"],
        &["show", "ISS-001"],
        &["edit", "ISS-001", "-t", "x"],
        &["solution", "add", "ISS-001"],
        &["queue", "add", "ISS-001"],
        &["next"],
        &["done"],
        &["retry"],
        &["trace", "HEAD"],
        &["log"],
    ];
    for args in all {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "not-initialised", "{args:?}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("git wf init"), "{error}");
    }
    assert_eq!(repo.tip(), None);
}

#[test]
fn init_twice_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.changes_nothing(&["init"]);
}

#[test]
fn outside_of_a_repository() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
    let error = repo.refused(1, &["list"]);
    assert_eq!(error["code"], "not-a-repository");
    assert!(error["message"].as_str().unwrap().contains(repo.path().to_str().unwrap()), "{error}");
    let error = repo.with_env("GIT_DIR", "nowhere/.git").refused(1, &["list"]);
    assert!(error["message"].as_str().unwrap().contains("nowhere/.git"), "{error}");
}

#[test]
fn without_an_identity_gits_own_words() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let nobody = repo
        .with_env("GIT_CONFIG_GLOBAL", "/dev/null")
        .with_env("HOME", "/nonexistent")
        .with_env("GIT_CONFIG_COUNT", "1")
        .with_env("GIT_CONFIG_KEY_0", "user.useConfigOnly")
        .with_env("GIT_CONFIG_VALUE_0", "true");
    for args in [&["new", "Title"][..], &["edit", "ISS-001", "-t", "x"], &["comment", "ISS-001", "-m", "x"]] {
        let error = nobody.refused(1, args);
        assert_eq!(error["code"], "identity");
        assert_eq!(error["message"], "no email was given and auto-detection is disabled");
        assert!(error["hint"].as_str().unwrap().contains("git config --global user.email"), "{error}");
    }
    nobody.json(&["show", "ISS-001"]);
    // A name alone is not enough, and an empty name does not count.
    let named = nobody.with_env("GIT_AUTHOR_NAME", "Ada").with_env("GIT_COMMITTER_NAME", "Ada");
    assert_eq!(named.refused(1, &["new", "Title"])["code"], "identity");
    let empty = repo.as_person("", "ada@example.org");
    let error = empty.refused(1, &["new", "Title"]);
    assert_eq!(error["message"], "empty ident name (for <ada@example.org>) not allowed");
}

#[test]
fn a_newer_format_is_left_alone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.plumb(&[("wf.json", "{\n  \"format\": 2\n}\n")]);
    for args in [&["list"][..], &["new", "Title"], &["edit", "ISS-001", "-t", "x"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "newer-format");
        assert_eq!(error["message"], "the store has format 2; this git-wf reads format 1");
    }
}

#[test]
fn a_ref_that_is_gone_or_no_store() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.git(&["update-ref", "-d", REF]).ok();
    assert_eq!(repo.refused(1, &["new", "Title"])["code"], "not-initialised");
    let blob = repo.git_in("x", &["hash-object", "-w", "--stdin"]).ok();
    repo.git(&["update-ref", REF, blob.line()]).ok();
    for args in [&["list"][..], &["new", "Title"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "not-a-store");
        assert!(error["message"].as_str().unwrap().contains("a blob, not a commit"), "{error}");
    }
    repo.git(&["update-ref", REF, "HEAD"]).ok();
    let error = repo.refused(1, &["list"]);
    assert!(error["message"].as_str().unwrap().contains("has no `wf.json`"), "{error}");
}

#[test]
fn a_mirror_is_not_written_to() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    for refspec in ["+refs/*:refs/*", "+refs/wf/*:refs/wf/*", "refs/wf/main:refs/wf/main"] {
        repo.git(&["config", "--replace-all", "remote.up.fetch", refspec]).ok();
        let error = repo.refused(1, &["new", "Title"]);
        assert_eq!(error["code"], "mirror");
        assert!(error["message"].as_str().unwrap().contains(refspec), "{error}");
        repo.json(&["list"]);
    }
    repo.git(&["config", "--replace-all", "remote.up.fetch", "+refs/wf/*:refs/wf-remotes/up/*"]).ok();
    repo.issue("ISS-002");
}

#[test]
fn a_name_is_cleaned_as_git_cleans_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a").as_person(" Ada <the> First.", "ada@example.org");
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "by git"]).ok();
    repo.issue("ISS-001");
    let who = |of: &str| repo.git(&["log", "-1", "--format=%an <%ae>", of]).ok().line().to_owned();
    assert_eq!(who(REF), who("HEAD"));
    assert_eq!(repo.json(&["show", "ISS-001"])["author"], who("HEAD"));
}

/// A hook or a setting in it could do anything in the name of the person who works there.
#[cfg(unix)]
#[test]
fn a_repository_of_somebody_else_is_opened_where_git_opens_it() {
    use std::os::unix::fs::{MetadataExt, chown};
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.git(&["config", "wf.ref", "refs/wf/local"]).ok();
    repo.wf(&["init"]).ok();
    repo.issue("ISS-001");
    if std::fs::metadata(repo.path()).unwrap().uid() != 0 {
        println!("skipped: only root can give a repository away");
        return;
    }
    for path in [repo.path().to_owned(), repo.path().join(".git")] {
        chown(path, Some(65_534), None).unwrap();
    }
    if repo.git(&["status"]).code == 0 {
        println!("skipped: this git does not ask whose repository it is");
        return;
    }
    let place = repo.path().to_str().unwrap();
    for args in [&["list"][..], &["new", "Title"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "dubious-ownership");
        assert_eq!(error["message"], format!("detected dubious ownership in repository at '{place}'"));
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains(&format!("git config --global --add safe.directory {place}")), "{error}");
    }
    // Naming the repository shows that it is meant; git does not ask then either.
    repo.with_env("GIT_DIR", ".git").json(&["show", "ISS-001"]);
    sandbox.at(".").git(&["config", "--global", "--add", "safe.directory", place]).ok();
    repo.json(&["show", "ISS-001"]);
    repo.issue("ISS-002");
}

/// The process that held the lock has died, or takes long.
#[test]
fn a_lock_that_somebody_left_behind_is_named() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea");
    // Do not wait for locks that are known to stay.
    for (key, value) in [("core.packedRefsTimeout", "1"), ("core.filesRefLockTimeout", "1")] {
        ada.git(&["config", key, value]).ok();
    }
    let named = |args: &[&str], path: &str| {
        let lock = ada.path().join(".git").join(path);
        std::fs::write(&lock, "").unwrap();
        let error = ada.wf(&[args, &["--json"]].concat()).fails(1).json_error();
        assert_eq!(error["code"], "lock-file", "{error}");
        assert!(error["message"].as_str().unwrap().contains(&*lock.to_string_lossy()), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("remove that file"), "{error}");
        assert!(lock.exists(), "it is not for us to remove");
        std::fs::remove_file(&lock).unwrap();
        ada.wf(args).ok();
    };
    named(&["new", "x"], "packed-refs.lock");
    ada.git(&["pack-refs", "--all"]).ok();
    named(&["new", "y"], "packed-refs.lock");
    ada.wf(&["sync"]).ok();
    bea.wf(&["init"]).ok();
    bea.wf(&["new", "z"]).ok();
    bea.wf(&["sync"]).ok();
    named(&["pull"], "refs/wf-remotes/origin/main.lock");
    bea.wf(&["new", "z"]).ok();
    bea.wf(&["sync"]).ok();
    named(&["sync"], "refs/wf-remotes/origin/main.lock");
    // If git writes, it names the file in words of its own.
    let carl = sandbox.clone(&origin, "carl");
    std::fs::write(carl.path().join(".git/config.lock"), "").unwrap();
    let ran = carl.wf(&["init"]);
    let words = format!("{}{}", ran.stdout, ran.stderr);
    assert!(words.contains(".git/config.lock` exists") && words.contains("remove that file"), "{words}");
}

#[test]
fn a_git_that_is_too_old_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let git = repo.sh(&["-c", "command -v git"]).ok().line().to_owned();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' version '*) echo git version 2.30.9;; *' --path-format=absolute '*) echo unknown option >&2; exit 129;; \
         *) exec {git} \"$@\";; esac\n"
    );
    repo.write("bin/git", script);
    repo.sh(&["-c", "chmod +x bin/git"]).ok();
    let ran = repo.sh(&["-c", "PATH=\"$PWD/bin:$PATH\" git-wf hooks install"]).fails(1);
    assert!(ran.stderr.contains("(git 2.30.9 is older than 2.31)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: install git 2.31 or later"), "{}", ran.stderr);
}
