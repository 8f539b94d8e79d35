//! What git makes of the shims: a script stands in for `git-wf`, another for the earlier hook, and each
//! notes how it was called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use super::super::{install, shim};
use super::{place, program};
use crate::hooks::test_repo::TestRepo;

/// Notes the script's name, the arguments, a variable and stdin; ends with `code`.
fn noting(repo: &TestRepo, who: &str, code: u8) -> String {
    let notes = notes(repo);
    format!(
        "{{ printf '%s' '{who}'; for arg; do printf ' <%s>' \"$arg\"; done; printf ' %s|' \"$MARK\"; cat; \
         echo '|'; }} >>\"{}\"\nexit {code}",
        notes.display()
    )
}

fn notes(repo: &TestRepo) -> PathBuf {
    repo.root().join(".git/notes")
}

fn noted(repo: &TestRepo) -> String {
    let text = fs::read_to_string(notes(repo)).unwrap_or_default();
    let _ = fs::remove_file(notes(repo));
    text
}

/// A repository with the hooks installed, and a `PATH` on which there is no `git-wf`.
fn installed() -> TestRepo {
    let repo = TestRepo::new();
    install(&place(&repo), &program(&repo), false).unwrap();
    repo
}

/// The shim, run as git does, without `git-wf` on the `PATH`.
fn shim(repo: &TestRepo, name: &str, stdin: &str) -> Command {
    let input = repo.root().join(".git/stdin");
    fs::write(&input, stdin).unwrap();
    let mut command = Command::new(format!(".git/hooks/{name}"));
    command.current_dir(repo.root()).env("PATH", "/usr/bin:/bin").env("MARK", "mark");
    command.stdin(fs::File::open(input).unwrap());
    command
}

#[test]
fn without_any_program_they_succeed_in_silence() {
    let repo = installed();
    for shim_of in shim::SHIMS {
        let output = shim(&repo, shim_of.name, "a b\n").output().unwrap();
        assert!(output.status.success(), "{}", shim_of.name);
        assert_eq!((output.stdout, output.stderr), (vec![], vec![]), "{}", shim_of.name);
        fs::create_dir_all(program(&repo)).unwrap();
        assert!(shim(&repo, shim_of.name, "").status().unwrap().success(), "a folder is no program");
    }
}

#[test]
fn the_recorded_program_is_called_with_everything_that_git_gave() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 3));
    for shim_of in shim::SHIMS {
        let name = shim_of.name;
        let status = shim(&repo, name, "a b\n\n").args(["a  b", "*", ""]).status().unwrap();
        assert_eq!(status.code(), Some(3), "{name}");
        assert_eq!(noted(&repo), format!("wf <hook> <{name}> <a  b> <*> <> mark|a b\n\n|\n"));
    }
}

#[test]
fn the_program_on_the_path_comes_first() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "recorded", 0));
    let folder = repo.root().join("on-path");
    repo.script(&folder.join("git-wf"), &noting(&repo, "on path", 0));
    for shim_of in shim::SHIMS {
        let path = format!("{}:/usr/bin:/bin", folder.display());
        assert!(shim(&repo, shim_of.name, "").env("PATH", path).status().unwrap().success());
        assert_eq!(noted(&repo), format!("on path <hook> <{}> mark||\n", shim_of.name));
    }
}

#[test]
fn an_earlier_hook_is_called_first_with_the_same() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 5));
    for (name, stdin, of_wf) in [
        ("commit-msg", "", ""),
        ("post-commit", "", ""),
        ("post-merge", "", ""),
        ("post-rewrite", "a b\n\n", "a b\n\n"),
        ("post-rewrite", "", ""),
    ] {
        let earlier = repo.hooks().join(format!("{name}.before-git-wf"));
        repo.script(&earlier, &noting(&repo, "earlier", 0));
        let status = shim(&repo, name, stdin).args(["a  b", "*"]).status().unwrap();
        let expected =
            format!("earlier <a  b> <*> mark|{stdin}|\nwf <hook> <{name}> <a  b> <*> mark|{of_wf}|\n");
        assert_eq!(noted(&repo), expected);
        assert_eq!(status.code(), Some(if name == "commit-msg" { 5 } else { 0 }), "{name}");
    }
}

#[test]
fn the_failure_of_an_earlier_hook_is_the_shims() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    for (name, expected) in [
        ("commit-msg", "earlier mark||\n".to_owned()),
        ("post-commit", "earlier mark||\nwf <hook> <post-commit> mark||\n".to_owned()),
        ("post-merge", "earlier mark||\nwf <hook> <post-merge> mark||\n".to_owned()),
        ("post-rewrite", "earlier mark||\nwf <hook> <post-rewrite> mark||\n".to_owned()),
    ] {
        repo.script(&repo.hooks().join(format!("{name}.before-git-wf")), &noting(&repo, "earlier", 7));
        assert_eq!(shim(&repo, name, "").status().unwrap().code(), Some(7), "{name}");
        assert_eq!(noted(&repo), expected);
    }
    fs::remove_file(program(&repo)).unwrap();
    for shim_of in shim::SHIMS {
        assert_eq!(shim(&repo, shim_of.name, "").status().unwrap().code(), Some(7), "{}", shim_of.name);
    }
}

#[test]
fn an_earlier_hook_that_git_ignored_stays_ignored() {
    let repo = installed();
    for shim_of in shim::SHIMS {
        let earlier = repo.hooks().join(format!("{}.before-git-wf", shim_of.name));
        repo.script(&earlier, &noting(&repo, "earlier", 7));
        fs::set_permissions(&earlier, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(shim(&repo, shim_of.name, "").status().unwrap().success());
        assert_eq!(noted(&repo), "", "{}", shim_of.name);
    }
}

#[test]
fn an_earlier_hook_that_reads_nothing_is_no_trouble() {
    let repo = installed();
    repo.script(&repo.hooks().join("post-rewrite.before-git-wf"), "exit 0");
    fs::write(repo.root().join(".git/stdin"), "a b\n".repeat(100_000)).unwrap();
    // Where broken pipes are ignored, a shell's `printf` complains of them.
    let ignoring = "trap '' PIPE; .git/hooks/post-rewrite <.git/stdin";
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", ignoring]).current_dir(repo.root()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn git_runs_them() {
    let repo = TestRepo::new();
    repo.script(&repo.hooks().join("post-rewrite"), &noting(&repo, "earlier", 1));
    install(&place(&repo), &program(&repo), false).unwrap();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    let git = |args: &[&str]| {
        let output = repo.command(args).env("PATH", "/usr/bin:/bin").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    assert_eq!(noted(&repo), "wf <hook> <commit-msg> <.git/COMMIT_EDITMSG> ||\nwf <hook> <post-commit> ||\n");
    let old = repo.run(&["rev-parse", "HEAD"]);
    git(&["commit", "-q", "--amend", "--allow-empty", "-m", "two"]);
    let new = repo.run(&["rev-parse", "HEAD"]);
    let line = format!("{} {}\n", old.trim(), new.trim());
    assert!(
        noted(&repo)
            .ends_with(&format!("earlier <amend> |{line}|\nwf <hook> <post-rewrite> <amend> |{line}|\n"))
    );
    repo.script(&repo.hooks().join("commit-msg.before-git-wf"), "exit 1");
    let refused = repo.command(&["commit", "-q", "--allow-empty", "-m", "three"]).output().unwrap();
    assert!(!refused.status.success());
}
