use super::*;
use crate::agent::acp::place::{GIT_OWN, OUTSIDE};

fn judged(line: &str) -> Result<(), &'static str> {
    of_line(Path::new("/tree"), line).map_err(|forbidden| forbidden.why)
}

#[test]
fn only_a_shell_without_a_script_reads_what_is_around_it() {
    for line in [
        "git commit -m 'Warn before rm' && which bash",
        "sh -c 'git commit -m \"Warn before rm\"' sh",
        "ls | xargs -n1 sh -c 'grep \"git push\" \"$1\"' sh",
        "grep -rn 'rm -rf' scripts/bash",
        "echo 'rm x' | bash scripts/count.sh",
        "bash -euo pipefail -c 'git commit -m \"rm x\"' bash",
        "bash --norc -c \"git commit -m 'rm x'\"",
        "sh -co pipefail 'git commit -m \"rm\"'",
        "git commit -m 'rm x'; . venv/bin/activate",
        "git commit -m 'rm x'; source ./env.sh; echo zsh",
        "echo 'cargo test' | bash",
        "command -v bash; git commit -m 'rm x'",
    ] {
        assert_eq!(judged(line), Ok(()), "{line}");
    }
    for line in [
        "echo 'rm x' | bash",
        "echo 'rm x' | bash -s",
        "echo 'rm x' | bash -s -- a b",
        "echo 'rm x' | bash -e /dev/stdin",
        "echo 'rm x' | bash -",
        "echo 'rm x' | env bash",
        "echo 'rm x' | sh -c sh",
        "echo 'rm x' | sh -c 'cat | sh'",
        "echo 'rm x' | bash --rcfile y",
        "echo 'rm x' | bash -o pipefail",
        "bash <(echo rm x)",
        "source <(echo rm x)",
        "echo 'rm x' | . /dev/stdin",
        "bash <<E\nrm x\nE",
        "bash -c -e 'rm x'",
        "echo 'rm x' | su",
        "echo 'rm x' | sudo -s",
    ] {
        assert!(judged(line).is_err(), "{line}");
    }
}

#[test]
fn a_redirection_names_a_file() {
    for (line, decided) in [
        ("cargo test > out.txt 2>&1", Ok(())),
        ("cargo test > /tree/out.txt", Ok(())),
        ("cargo test > /dev/null 2> /dev/stderr < /dev/null", Ok(())),
        ("cargo test 2> /dev/fd/2", Ok(())),
        ("echo x > /tree/../x", Err(OUTSIDE)),
        ("> /somewhere/outside.txt", Err(OUTSIDE)),
        ("git commit -m x > /etc/x", Err(OUTSIDE)),
        ("cat < ~/.ssh/id_rsa", Err(OUTSIDE)),
        ("{ echo x; } >> ../x", Err(OUTSIDE)),
        ("sh -c 'echo x > /etc/x'", Err(OUTSIDE)),
        ("echo x > /dev/tcp/example.org/80", Err(OUTSIDE)),
        ("echo 'exit 0' > .git/hooks/commit-msg", Err(GIT_OWN)),
        ("cd .git/hooks && echo 'exit 0' > commit-msg", Err(GIT_OWN)),
        ("cd /etc && echo > x", Err(OUTSIDE)),
        ("cd /tree/sub && cd .. && cd - && cd \"$X\" && cd", Ok(())),
        ("echo x > \"$X\"", Err(HIDDEN_FILE)),
        ("for i in 1 2; do cargo test > run-$i.log 2> \"logs/err-$i\"; done", Ok(())),
        ("echo x > logs/$X", Err(HIDDEN_FILE)),
        ("echo x > \"a$X/b\"", Err(HIDDEN_FILE)),
        ("echo x > .$X", Err(HIDDEN_FILE)),
        ("echo x > /etc/a$X", Err(OUTSIDE)),
        ("cargo test > /tmp/out-$$.log 2>&1; tail < /tmp/out", Ok(())),
        ("echo x > /tmp/a/b", Err(OUTSIDE)),
        ("echo x > /tmp/../etc/x", Err(OUTSIDE)),
        ("echo x > /tmp/$X", Err(HIDDEN_FILE)),
        ("echo 'x > /etc/x'", Ok(())),
    ] {
        assert_eq!(judged(line), decided, "{line}");
    }
}

#[test]
fn a_directory_is_followed_along_the_line() {
    for (line, decided) in [
        ("cd .. && echo x > y", Err(OUTSIDE)),
        ("cd sub/../.. && echo x > y", Err(OUTSIDE)),
        ("cd sub && cd ../.. && echo x > y", Err(OUTSIDE)),
        ("cd sub && echo x > ../y", Ok(())),
        ("cd sub && make && echo x > ../y", Ok(())),
        ("cd sub && echo x > ../../y", Err(OUTSIDE)),
        // It may have failed.
        ("cd sub; echo x > ../y", Err(OUTSIDE)),
        ("cd sub; echo x > y", Ok(())),
        ("! cd sub && echo x > ../y", Err(OUTSIDE)),
        ("true | cd sub && echo x > ../y", Err(OUTSIDE)),
        ("cd sub || true && echo x > ../y", Err(OUTSIDE)),
        // A subshell changes the directory only for itself.
        ("(cd .. && ls); echo x > y", Ok(())),
        ("(cd sub) && echo x > ../y", Err(OUTSIDE)),
        ("(cd .. && echo x > y)", Err(OUTSIDE)),
        ("here=$(cd .. && pwd); echo `cd ..` > y", Ok(())),
        ("cd .. && (echo x > y)", Err(OUTSIDE)),
        ("cd .. && sh -c 'echo x > y'", Err(OUTSIDE)),
        ("cd .git && (cd ..; echo x > y)", Err(GIT_OWN)),
        ("cd \"$X\" && echo x > y", Err(HIDDEN_FILE)),
        ("cd - && echo x > y", Err(HIDDEN_FILE)),
        ("cd && echo x > y", Err(HIDDEN_FILE)),
        ("cd \"$X\"; cd /tree && echo x > y", Ok(())),
        ("pushd sub && popd && echo x > y", Err(HIDDEN_FILE)),
        ("command cd .. && echo x > y", Err(OUTSIDE)),
        ("eval 'cd ..' && echo x > y", Err(HIDDEN_FILE)),
        ("cd .. && cargo test", Ok(())),
        ("cd sub && git commit -F message.txt", Ok(())),
    ] {
        assert_eq!(judged(line), decided, "{line}");
    }
}

#[test]
fn a_link_leads_a_command_elsewhere() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("a/b/c")).unwrap();
    std::os::unix::fs::symlink("a/b/c", root.path().join("deep")).unwrap();
    std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
    let judged = |line| of_line(root.path(), line).map_err(|forbidden| forbidden.why);
    assert_eq!(judged("cd etc && echo x > y"), Err(OUTSIDE));
    assert_eq!(judged("cd deep && echo x > ../y"), Ok(()), "the file is beside the real directory");
    assert_eq!(judged("cd deep && cd .. && cd .. && echo x > y"), Err(OUTSIDE));
    assert_eq!(judged("cd deep && cd .. && echo x > y"), Ok(()));
}

#[test]
fn a_patch_on_a_command_line_names_files() {
    let patch = |file: &str| {
        format!("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {file}\n+x\n*** End Patch\nEOF")
    };
    assert_eq!(judged(&patch("a.txt")), Ok(()));
    assert_eq!(judged(&patch("/etc/passwd")), Err(OUTSIDE));
    let words = ["apply_patch", "*** Begin Patch\n*** Add File: ../x\n*** End Patch"].map(str::to_owned);
    assert_eq!(of_words(Path::new("/tree"), &words).map_err(|forbidden| forbidden.why), Err(OUTSIDE));
}

#[test]
fn variables_of_git_name_places() {
    for (line, decided) in [
        ("GIT_DIR=/somewhere/.git git status", Err(OUTSIDE)),
        ("GIT_DIR=.git git status", Err(GIT_OWN)),
        ("GIT_WORK_TREE=.. git status", Err(OUTSIDE)),
        ("env GIT_DIR=../other/.git git log", Err(OUTSIDE)),
        ("export GIT_OBJECT_DIRECTORY=/x; git log", Err(OUTSIDE)),
        ("GIT_DIR=\"$X\" git status", Err(HIDDEN_FILE)),
        ("git --git-dir=/x/.git log", Err(OUTSIDE)),
        ("git --git-dir ../x log", Err(OUTSIDE)),
        (
            "GIT_INDEX_FILE=/tmp/index git read-tree HEAD || true; unset GIT_DIR",
            Err("agents may not run this command of git"),
        ),
        ("GIT_INDEX_FILE=/tmp/index git add . && unset GIT_DIR", Ok(())),
        ("GIT_AUTHOR_DATE=@1 git commit -m x", Ok(())),
    ] {
        assert_eq!(judged(line), decided, "{line}");
    }
}

#[test]
fn an_executor_uses_git_wf_for_its_own_work() {
    for line in [
        "git wf",
        "git wf --json",
        "git wf show ISS-1",
        "git wf --color never show ISS-1",
        "git wf --date=iso list",
        "git wf verify --yes",
        "git wf accept T1 1 -m seen",
        "git wf task start T2",
        "git wf plan show SOL-1",
        "git wf feedback add ISS-1 -m text",
        "git wf comment ISS-1 -m 'is done'",
    ] {
        assert_eq!(judged(line), Ok(()), "{line}");
    }
    for line in [
        "git wf done",
        "git wf --color never done",
        "git wf --color=never --json done",
        "git wf --date iso -q done",
        "git wf --unknown show done",
        "git wf land ISS-1",
        "git wf undo",
        "git wf import github",
        "git wf task edit T1",
        "git wf plan ISS-1",
        "git wf queue",
        "git wf hooks uninstall",
        "git wf $X",
    ] {
        assert_eq!(judged(line), Err(PLANS), "{line}");
    }
    for line in [
        "git wf audit --sarif -o /any/path",
        "git wf audit --sarif --output=/any/path",
        "git wf comment ISS-1 -F /outside",
        "git wf comment ISS-1 -F../outside",
        "git wf plan check ../plan.json",
    ] {
        assert_eq!(judged(line), Err(OUTSIDE), "{line}");
    }
    assert!(judged("git wf verify ISS-1 --as-verifier").is_err());
    for line in
        ["git wf audit --sarif -o out.sarif", "git wf comment ISS-1 -F note.md", "git wf plan check p.json"]
    {
        assert_eq!(judged(line), Ok(()), "{line}");
    }
}

#[test]
fn only_settings_that_run_nothing_are_granted() {
    for line in [
        "git -c user.name=x -c color.ui=never commit -m x",
        "git -c core.quotepath=off -c diff.renames=true diff",
        "git -c core.pager=cat log",
    ] {
        assert_eq!(judged(line), Ok(()), "{line}");
    }
    for key in [
        "gpg.ssh.defaultKeyCommand=./x",
        "interactive.diffFilter=./x",
        "man.x.path=./x",
        "gc.recentObjectsHook=./x",
        "browser.x.path=./x",
        "core.fsmonitor=./x",
        "core.hooksPath=x",
        "diff.x.textconv=./x",
        "submodule.x.update=!./x",
        "url.x.insteadOf=y",
        "safe.directory=*",
    ] {
        assert!(judged(&format!("git -c {key} log")).is_err(), "{key}");
    }
}
