//! Where it works: worktrees, bare repositories, subdirectories, `GIT_DIR`, other object and ref formats.

use crate::support::{REF, Sandbox, column};

#[test]
fn a_worktree_shares_the_store() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let other = repo.worktree("b", "side");
    other.issue("ISS-001");
    repo.issue("ISS-002");
    assert_eq!(column(&other.json(&["list", "--sort", "id"]), "id"), ["ISS-001", "ISS-002"]);
    assert_eq!(repo.steps(), 3);
}

#[test]
fn a_bare_repository_does_all_but_execute() {
    let sandbox = Sandbox::new();
    let repo = sandbox.bare("a.git");
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    repo.wf(&["edit", "ISS-001", "-t", "auth"]).ok();
    assert_eq!(repo.status("ISS-001"), "queued");
    repo.json(&["detail", "S-1"]);
    repo.json(&["log", "ISS-001"]);
    repo.json(&["trace", "ISS-001"]);
    assert_eq!(repo.refused(1, &["next"])["code"], "bare");
    assert_eq!(repo.refused(1, &["done"])["code"], "no-claim");
    repo.git(&["fsck", "--strict"]).ok();
}

/// A bare repository among the files of another one, as a clone could contain it: each setting of its configuration
/// that names a program names one that leaves a mark.
#[test]
fn a_bare_repository_that_nobody_named_is_left_alone_where_git_is_told_so() {
    let sandbox = Sandbox::new();
    let outer = sandbox.store("a");
    outer.git(&["init", "--quiet", "--bare", "planted"]).ok();
    let planted = sandbox.at("a/planted");
    planted.wf(&["init"]).ok();
    planted.wf(&["new", "--id", "ISS-001", "A bait"]).ok();
    let mark = sandbox.root().join("mark");
    let program = format!("touch '{}'; false", mark.display());
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "credential.helper",
        "gpg.program",
        "gpg.ssh.program",
        "alias.fetch",
        "alias.rev-parse",
        "diff.external",
        "remote.origin.uploadpack",
        "remote.origin.receivepack",
    ] {
        planted.git(&["config", key, &program]).ok();
    }
    planted.git(&["config", "core.hooksPath", planted.path().to_str().unwrap()]).ok();
    planted.git(&["config", "remote.origin.url", "ssh://nowhere.invalid/x"]).ok();
    planted.git(&["config", "commit.gpgSign", "true"]).ok();
    for worktree in [None, Some("..")] {
        if let Some(worktree) = worktree {
            planted.git(&["config", "core.bare", "false"]).ok();
            planted.git(&["config", "core.worktree", worktree]).ok();
        }
        let told = outer.git(&["config", "--global", "safe.bareRepository", "explicit"]).ok();
        assert_eq!(told.stderr, "");
        for args in [
            &["list"][..],
            &["status"],
            &["new", "x"],
            &["new"],
            &["log"],
            &["sync"],
            &["fsck"],
            &["hooks", "install"],
            &["hooks", "status"],
            &["audit", "--signatures"],
            &["init"],
        ] {
            for place in [&planted, &sandbox.at("a/planted/refs")] {
                let error = place.wf(&[args, &["--json"]].concat()).fails(1).json_error();
                assert_eq!(error["code"], "bare-not-named", "{args:?}: {error}");
            }
        }
        assert!(!mark.exists(), "a program of the planted configuration was run");
        // A repository that someone names is accepted, and so are work trees and what is in their git directories.
        let named = planted.with_env("GIT_DIR", planted.path().to_str().unwrap());
        assert_eq!(column(&named.json(&["list"]), "id"), ["ISS-001"]);
        outer.wf(&["list"]).ok();
        sandbox.at("a/.git/refs").wf(&["list"]).ok();
        let side = sandbox.at("side");
        if worktree.is_none() {
            outer.worktree("side", "side");
        }
        side.wf(&["list"]).ok();
        outer.git(&["config", "--global", "safe.bareRepository", "all"]).ok();
        if worktree.is_none() {
            assert_eq!(column(&planted.json(&["list"]), "id"), ["ISS-001"]);
        }
        let _ = std::fs::remove_file(&mark);
    }
}

#[test]
fn a_subfolder_and_git_dir_lead_to_the_same_store() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("deep/er/file", "x");
    let run = |folder: &std::path::Path, git_dir: Option<&str>, args: &[&str]| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), args);
        command.current_dir(folder);
        if let Some(git_dir) = git_dir {
            command.env("GIT_DIR", git_dir);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&repo.path().join("deep/er"), None, &["new", "--id", "ISS-001", "From below"]);
    let absolute = repo.path().join(".git");
    run(sandbox.root(), absolute.to_str(), &["new", "--id", "ISS-002", "From outside"]);
    run(sandbox.root(), Some("a/.git"), &["new", "--id", "ISS-003", "By a relative path"]);
    assert_eq!(column(&repo.json(&["list", "--sort", "id"]), "id"), ["ISS-001", "ISS-002", "ISS-003"]);
    // As a git command: git sets variables for its children.
    let through_git = repo.git(&["-C", "deep", "wf", "list", "--json"]).ok();
    assert_eq!(through_git.json().as_array().unwrap().len(), 3);
}

#[test]
fn a_sha256_repository_goes_all_the_way() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
    repo.git(&["init", "--quiet", "--object-format=sha256"]).ok();
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.done();
    assert_eq!(repo.tip().unwrap().len(), 64);
    assert_eq!(repo.status("ISS-001"), "completed");
    assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), repo.steps());
    repo.git(&["fsck", "--strict"]).ok();
}

#[test]
fn reftable_is_refused_with_what_to_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
    if repo.git(&["init", "--quiet", "--ref-format=reftable"]).code != 0 {
        eprintln!("skipped: this git knows no reftable");
        return;
    }
    for args in [&["init"][..], &["list"], &["new", "Title"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "reftable");
        assert!(error["hint"].as_str().unwrap().contains("git refs migrate"), "{error}");
    }
}

#[test]
fn another_ref_can_be_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.git(&["config", "wf.ref", "refs/heads/wf/main"]).ok();
    repo.wf(&["init"]).ok();
    repo.issue("ISS-001");
    assert!(repo.tip().is_none(), "{REF} was written all the same");
    assert_eq!(repo.git(&["rev-list", "--count", "wf/main"]).ok().line(), "2");
    repo.git(&["config", "wf.ref", "not a ref"]).ok();
    let error = repo.refused(1, &["list"]);
    assert_eq!(error["code"], "config");
}

#[test]
fn what_git_is_told_for_one_command() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.git(&["config", "user.name", "Local"]).ok();
    repo.git(&[
        "-c",
        "user.name=O'Hara = Me!",
        "-c",
        "wf.lease=90s",
        "wf",
        "new",
        "Title",
        "--id",
        "ISS-001",
    ])
    .ok();
    assert_eq!(repo.json(&["show", "ISS-001"])["author"], "O'Hara = Me! <ada@example.org>");
    repo.git(&["-c", "wf.ref=refs/wf/other", "wf", "init"]).ok();
    repo.git(&["rev-parse", "--verify", "refs/wf/other"]).ok();
    repo.git(&["-c", "wf.ref=refs/wf/other", "wf", "show", "ISS-001"]).fails(1);
    // As git before 2.31 wrote it.
    let old = repo.with_env("GIT_CONFIG_PARAMETERS", "'user.name=Eve' 'core.quiet'");
    old.wf(&["edit", "ISS-001", "-t", "Other"]).ok();
    assert_eq!(repo.git(&["log", "-1", "--format=%an", REF]).ok().line(), "Eve");
    let error = repo.with_env("GIT_CONFIG_PARAMETERS", "user.name=Eve").refused(1, &["list"]);
    assert!(error["message"].as_str().unwrap().contains("GIT_CONFIG_PARAMETERS"), "{error}");
}

#[test]
fn inside_the_git_folder_it_works_as_git_does() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let other = repo.worktree("b", "side");
    let claim = other.json(&["next"]);
    let git_dir = repo.path().join(".git");
    let run = |folder: &std::path::Path, args: &[&str]| {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), args);
        let output = command.current_dir(folder).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for folder in [git_dir.clone(), git_dir.join("refs/heads"), git_dir.join("worktrees/b")] {
        for args in [
            &["list"][..],
            &["status"],
            &["show", "ISS-001"],
            &["search", "ISS"],
            &["log"],
            &["queue"],
            &["trace", "ISS-001"],
            &["detail", "S-1"],
            &["context", "ISS-001"],
            &["conflicts"],
            &["fsck"],
            &["lease"],
            &["link", "--find"],
            &["audit"],
            &["hooks", "status"],
            &["edit", "ISS-001", "-p", "1"],
            &["comment", "ISS-001", "-m", "from inside"],
        ] {
            let (code, _, stderr) = run(&folder, args);
            assert_eq!(code, Some(0), "{args:?} in {}: {stderr}", folder.display());
        }
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"].as_array().unwrap().len(), 3);
    // The git directory of a worktree means that worktree.
    let (_, shown, _) = run(&git_dir.join("worktrees/b"), &["detail", "--json"]);
    let detail: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(detail["execution_id"], claim["execution_id"]);
    let (code, _, stderr) = run(&git_dir, &["detail"]);
    assert!(code == Some(1) && stderr.contains("this worktree executes nothing"), "{stderr}");
}

#[test]
fn a_store_that_is_a_symbolic_ref_is_named_with_the_way_out() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.git(&["update-ref", "refs/heads/store", REF]).ok();
    repo.git(&["symbolic-ref", REF, "refs/heads/store"]).ok();
    for command in [&["init"][..], &["list"], &["new", "One"], &["sync"], &["fsck"]] {
        let error = repo.refused(1, command);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("is a symbolic ref to `refs/heads/store`"), "{command:?}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("git config wf.ref refs/heads/store"), "{error}");
    }
    repo.git(&["config", "wf.ref", "refs/heads/store"]).ok();
    repo.wf(&["new", "One"]).ok();
}
