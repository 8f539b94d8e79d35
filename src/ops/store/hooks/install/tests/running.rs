//! How git runs the shims. One script stands in for `git-wf` and another for the earlier hook; each notes how it was
//! called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use super::super::{HookSide, install, shim};
use super::{place, program};
use crate::ops::test_repo::TestRepo;

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
    for side in [HookSide::Client, HookSide::Server] {
        install(&place(&repo), &program(&repo), side, false).unwrap();
    }
    repo
}

/// The shim, run as git runs it, without `git-wf` on the `PATH`.
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
    for shim_of in shim::SHIMS.iter().filter(|shim| shim.side == HookSide::Client) {
        let output = shim(&repo, shim_of.name, "a b\n").output().unwrap();
        assert!(output.status.success(), "{}", shim_of.name);
        assert_eq!((output.stdout, output.stderr), (vec![], vec![]), "{}", shim_of.name);
        fs::create_dir_all(program(&repo)).unwrap();
        assert!(shim(&repo, shim_of.name, "").status().unwrap().success(), "a folder is not a program");
    }
}

#[test]
fn without_the_program_that_checks_it_nothing_comes_in() {
    let repo = installed();
    let output = shim(&repo, "pre-receive", "a b c\n").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("git-wf is not installed on the server"));
}

#[test]
fn the_recorded_program_is_called_with_everything_that_git_gave() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 3));
    for shim_of in shim::SHIMS {
        let name = shim_of.name;
        let status = shim(&repo, name, "a b\n\n").args(["a  b", "*", ""]).status().unwrap();
        assert_eq!(status.code(), Some(if name == "pre-push" { 0 } else { 3 }), "{name}");
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
fn no_program_of_the_work_tree_is_called() {
    let repo = installed();
    let planted = repo.root().join("planted");
    for name in ["git-wf", "git", "grep", "cmp", "cat"] {
        for place in [repo.root().join(name), repo.root().join("bin").join(name)] {
            repo.script(&place, &format!("echo $0 >>'{}'", planted.display()));
        }
    }
    let sound = "/usr/bin:/bin";
    let paths = [".:P", "./:P", "bin:P", ":P", "P:", "P:.", "/usr/bin::/bin", "..:.:P", ":", "."];
    for is_on_path in [false, true] {
        let folder = repo.root().join(".git/on-path");
        let who = if is_on_path { "on path" } else { "recorded" };
        repo.script(&program(&repo), &noting(&repo, "recorded", 0).replace("cat;", "/bin/cat;"));
        repo.script(&folder.join("git-wf"), &noting(&repo, "on path", 0).replace("cat;", "/bin/cat;"));
        for (path, shell) in paths.iter().flat_map(|path| [(path, "dash"), (path, "bash"), (path, "sh")]) {
            let path = path.replace('P', sound);
            let path = if is_on_path { format!("{path}:{}", folder.display()) } else { path };
            for shim_of in shim::SHIMS {
                let hook = format!(".git/hooks/{}", shim_of.name);
                let mut command = Command::new(format!("/bin/{shell}"));
                command.arg(hook).current_dir(repo.root()).env("PATH", &path).env("MARK", "mark");
                let Ok(status) = command.stdin(std::process::Stdio::null()).status() else {
                    // Not every system has all of these shells.
                    continue;
                };
                assert!(status.success(), "{shell} {path}: {}", shim_of.name);
                assert_eq!(
                    noted(&repo),
                    format!("{who} <hook> <{}> mark||\n", shim_of.name),
                    "{shell} {path}"
                );
            }
        }
    }
    assert!(!planted.exists(), "{}", fs::read_to_string(&planted).unwrap_or_default());
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
        ("pre-push", "a b c d\n\n", "a b c d\n\n"),
        ("pre-receive", "a b c\n", "a b c\n"),
    ] {
        let earlier = repo.hooks().join(format!("before-git-wf/{name}"));
        repo.script(&earlier, &noting(&repo, "earlier", 0));
        let status = shim(&repo, name, stdin).args(["a  b", "*"]).status().unwrap();
        let expected =
            format!("earlier <a  b> <*> mark|{stdin}|\nwf <hook> <{name}> <a  b> <*> mark|{of_wf}|\n");
        assert_eq!(noted(&repo), expected);
        assert_eq!(status.code(), Some(if name == "pre-push" { 0 } else { 5 }), "{name}");
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
        ("pre-push", "earlier mark||\n".to_owned()),
        ("pre-receive", "earlier mark||\n".to_owned()),
    ] {
        repo.script(&repo.hooks().join(format!("before-git-wf/{name}")), &noting(&repo, "earlier", 7));
        assert_eq!(shim(&repo, name, "").status().unwrap().code(), Some(7), "{name}");
        assert_eq!(noted(&repo), expected);
    }
    fs::remove_file(program(&repo)).unwrap();
    for shim_of in shim::SHIMS.iter().filter(|shim| shim.side == HookSide::Client) {
        assert_eq!(shim(&repo, shim_of.name, "").status().unwrap().code(), Some(7), "{}", shim_of.name);
    }
}

#[test]
fn a_failure_of_an_earlier_hook_names_its_file() {
    let repo = installed();
    for shim_of in shim::SHIMS.iter().filter(|shim| shim.side == HookSide::Client) {
        repo.script(&repo.hooks().join(format!("before-git-wf/{}", shim_of.name)), "exit 7");
        let output = shim(&repo, shim_of.name, "").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&format!("before-git-wf/{}", shim_of.name)), "{said}");
        assert!(said.contains(&format!("`git wf hooks discard {}`", shim_of.name)), "{said}");
    }
}

#[test]
fn a_refused_push_is_aborted_and_any_other_failure_is_ignored() {
    let repo = installed();
    for (code, expected) in [(0, 0), (1, 1), (2, 0), (101, 0)] {
        repo.script(&program(&repo), &format!("exit {code}"));
        assert_eq!(shim(&repo, "pre-push", "a b c d\n").status().unwrap().code(), Some(expected), "{code}");
    }
}

/// What another program appended gets the same arguments and the same stdin.
#[test]
fn what_was_appended_runs_after_git_wf() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    for shell in ["sh", "dash", "bash"] {
        for (shim_of, stdin) in shim::SHIMS.iter().flat_map(|shim| [(shim, "a b\nc d\n"), (shim, "")]) {
            let hook = repo.hooks().join(shim_of.name);
            let text = shim_of.text(&program(&repo));
            let section = noting(&repo, "appended", 4);
            fs::write(&hook, [text, section.into_bytes()].concat()).unwrap();
            let mut command = shim(&repo, shim_of.name, stdin);
            let input = fs::File::open(repo.root().join(".git/stdin")).unwrap();
            if shell != "sh" {
                command = Command::new(format!("/bin/{shell}"));
                command.arg(format!(".git/hooks/{}", shim_of.name)).current_dir(repo.root());
                command.env("PATH", "/usr/bin:/bin").env("MARK", "mark").stdin(input);
            }
            // Not every system has all of these shells.
            let Ok(status) = command.args(["a  b", "*"]).status() else { continue };
            assert_eq!(status.code(), Some(4), "{shell} {}", shim_of.name);
            let told = noted(&repo);
            // Without stdin of its own, a hook shares that of git.
            let (first, second) = match shim_of.name {
                "commit-msg" | "post-commit" | "post-merge" => (stdin, ""),
                _ => (stdin, stdin),
            };
            let name = shim_of.name;
            let expected =
                format!("wf <hook> <{name}> <a  b> <*> mark|{first}|\nappended <a  b> <*> mark|{second}|\n");
            assert_eq!(told, expected, "{shell}");
        }
    }
}

#[test]
fn the_exit_code_of_git_wf_remains_if_nothing_was_appended() {
    let repo = installed();
    repo.script(&program(&repo), "exit 3");
    for shim_of in shim::SHIMS.iter().filter(|shim| shim.name != "pre-push") {
        assert_eq!(shim(&repo, shim_of.name, "").status().unwrap().code(), Some(3), "{}", shim_of.name);
    }
}

#[test]
fn a_shim_beside_a_newer_one_only_runs_what_was_appended_to_it() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    for shim_of in shim::SHIMS {
        let moved = repo.hooks().join(format!("{}.legacy", shim_of.name));
        let text = [shim_of.text(&program(&repo)), b"echo appended >>.git/notes\n".to_vec()].concat();
        fs::write(&moved, text).unwrap();
        let legacy = format!(".git/hooks/{}.legacy", shim_of.name);
        let ran = Command::new("sh")
            .arg(legacy)
            .current_dir(repo.root())
            .stdin(std::process::Stdio::null())
            .status();
        assert!(ran.unwrap().success(), "{}", shim_of.name);
        assert_eq!(noted(&repo), "appended\n", "{}", shim_of.name);
    }
}

#[test]
fn an_earlier_hook_that_git_ignored_stays_ignored() {
    let repo = installed();
    for shim_of in shim::SHIMS.iter().filter(|shim| shim.side == HookSide::Client) {
        let earlier = repo.hooks().join(format!("before-git-wf/{}", shim_of.name));
        repo.script(&earlier, &noting(&repo, "earlier", 7));
        fs::set_permissions(&earlier, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(shim(&repo, shim_of.name, "").status().unwrap().success());
        assert_eq!(noted(&repo), "", "{}", shim_of.name);
    }
}

#[test]
fn an_earlier_hook_that_reads_nothing_is_no_trouble() {
    let repo = installed();
    repo.script(&repo.hooks().join("before-git-wf/post-rewrite"), "exit 0");
    fs::write(repo.root().join(".git/stdin"), "a b\n".repeat(100_000)).unwrap();
    // If broken pipes are ignored, a shell's `printf` complains about them.
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
    install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap();
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
    repo.script(&repo.hooks().join("before-git-wf/commit-msg"), "exit 1");
    let refused = repo.command(&["commit", "-q", "--allow-empty", "-m", "three"]).output().unwrap();
    assert!(!refused.status.success());
}

/// What an earlier hook finds in `$0` and in its directory.
#[test]
fn an_earlier_script_is_called_by_its_own_name() {
    let repo = installed();
    repo.script(&program(&repo), "exit 0");
    repo.script(&repo.hooks().join("beside"), "echo sourced");
    let asks =
        "printf '%s %s %s' \"$0\" \"$(basename \"$0\")\" \"$#\"; . \"$(dirname \"$0\")/beside\"; exit 4";
    for (begin, option) in [("/bin/sh", ""), ("/usr/bin/env sh", ""), (" /bin/sh", " -e"), ("/bin/bash", "")]
    {
        let earlier = repo.hooks().join("before-git-wf/commit-msg");
        repo.script(&earlier, "");
        fs::write(&earlier, format!("#!{begin}{option}\n{asks}\n")).unwrap();
        let output = shim(&repo, "commit-msg", "").args(["a b", ""]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said, ".git/hooks/commit-msg commit-msg 2sourced\n", "{begin}");
        assert_eq!(output.status.code(), Some(4), "{begin}");
    }
}

#[test]
fn what_is_no_plain_shell_script_is_started_where_it_lies() {
    let repo = installed();
    repo.script(&program(&repo), "exit 0");
    let earlier = repo.hooks().join("before-git-wf/commit-msg");
    repo.script(&earlier, "");
    let main = "#!/bin/bash\nmain() { printf 'main %s' \"${0##*/}\"; }\n\
                if [ \"${BASH_SOURCE[0]}\" = \"$0\" ]; then main; fi\n";
    for text in [main, "#!/usr/bin/awk -f\nBEGIN { printf \"main commit-msg\"; exit }\n"] {
        fs::write(&earlier, text).unwrap();
        let output = shim(&repo, "commit-msg", "").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "main commit-msg", "{text}");
        assert!(output.status.success());
    }
    fs::remove_file(&earlier).unwrap();
    std::os::unix::fs::symlink("/bin/true", &earlier).unwrap();
    assert!(shim(&repo, "commit-msg", "").output().unwrap().status.success());
}

#[test]
fn an_earlier_hook_that_starts_itself_again_is_not_started_twice() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    let again = "if [ -z \"$AGAIN\" ]; then export AGAIN=1; sh -e \"$0\" \"$@\"; exit; fi";
    let earlier = repo.hooks().join("before-git-wf/commit-msg");
    repo.script(&earlier, &format!("{again}\n{}", noting(&repo, "earlier", 0)));
    assert!(shim(&repo, "commit-msg", "").arg("file").status().unwrap().success());
    assert_eq!(noted(&repo), "earlier <file> mark||\nwf <hook> <commit-msg> <file> mark||\n");
}

#[test]
fn a_shim_that_was_moved_works_from_there_unless_another_is_in_its_place() {
    let repo = installed();
    repo.script(&program(&repo), &noting(&repo, "wf", 0));
    repo.script(&repo.hooks().join("before-git-wf/commit-msg"), "echo ${0##*/} >>.git/notes");
    let moved = repo.hooks().join("commit-msg.legacy");
    fs::copy(repo.hooks().join("commit-msg"), &moved).unwrap();
    let moved = Command::new("sh").arg(".git/hooks/commit-msg.legacy").current_dir(repo.root()).status();
    assert!(moved.unwrap().success());
    assert_eq!(noted(&repo), "");
    repo.script(&repo.hooks().join("commit-msg"), "exec sh .git/hooks/commit-msg.legacy \"$@\"");
    assert!(shim(&repo, "commit-msg", "").status().unwrap().success());
    assert_eq!(noted(&repo), "commit-msg\nwf <hook> <commit-msg> mark||\n");
}
