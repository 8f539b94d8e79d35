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
        ("echo 'x > /etc/x'", Ok(())),
    ] {
        assert_eq!(judged(line), decided, "{line}");
    }
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
