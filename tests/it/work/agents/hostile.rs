//! Agents that do what no agent should: each ends in a clear error, and leaves nothing behind.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use super::{agent, fails, transcript};
use crate::support::{Repo, Sandbox};

/// A fifo: it can be read to its end only after every process that has it open for writing has ended.
pub(in crate::work) fn fifo(repo: &Repo) -> (std::fs::File, BufReader<std::fs::File>) {
    let path = repo.path().join("../alive");
    repo.sh(&["-c", "mkfifo ../alive"]).ok();
    // Opened for writing too, so that opening it does not block.
    let both = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    (both, BufReader::new(std::fs::File::open(path).unwrap()))
}

/// Everything that is written until every process that could write has ended.
pub(in crate::work) fn rest((both, mut lines): (std::fs::File, BufReader<std::fs::File>)) -> String {
    drop(both);
    let mut text = String::new();
    lines.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_hundred_megabytes_are_neither_kept_nor_in_the_way() {
    let sandbox = Sandbox::new();
    let repo = agent(
        &sandbox,
        "head -c 100000000 /dev/zero | tr '\\0' '['; head -c 1000000 /dev/zero >&2; printf '\\n%s\\n' \"$pong\"",
    );
    repo.wf(&["--json", "agents", "test", "mine"]).ok();
    let size = std::fs::metadata(repo.path().join(".git/wf/transcripts/test-mine.jsonl")).unwrap().len();
    assert!(size < 10_000_000, "{size}");
    let (stream, text) = transcript(&repo).pop().unwrap();
    assert!(stream == "note" && text.ends_with("bytes are left out"), "{text}");
}

#[test]
fn who_says_nothing_or_nonsense_has_not_answered() {
    let sandbox = Sandbox::new();
    for (script, code) in [
        (":", "no-answer"),
        ("echo Done.", "no-answer"),
        ("printf '\\377\\376 \\000 \\033]0;title\\007'", "no-answer"),
        ("echo '{\"pong\": '", "unfit-answer"),
        ("echo '{\"pong\": \"a\", \"pong\": \"b\"}'", "unfit-answer"),
        ("echo '[]'", "unfit-answer"),
        ("echo 1e999", "unfit-answer"),
        ("kill -9 $$", "agent-killed"),
    ] {
        let error = fails(&agent(&Sandbox::new(), script));
        assert_eq!(error["code"], code, "{script}: {error}");
    }
    drop(sandbox);
}

#[test]
fn what_it_writes_cannot_command_a_terminal() {
    let sandbox = Sandbox::new();
    let repo =
        agent(&sandbox, "printf '\\033[2J\\033]0;x\\007error: forged\\r\\n' >&2; printf 'a\\033[1m'; exit 1");
    let ran = repo.wf(&["agents", "test", "mine"]).fails(1);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{7}'), "{:?}", ran.stderr);
    assert!(ran.stderr.lines().filter(|line| line.starts_with("error:")).count() == 1, "{}", ran.stderr);
}

#[test]
fn who_hangs_is_stopped_with_all_that_it_started() {
    let sandbox = Sandbox::new();
    let escapes = if cfg!(target_os = "linux") { "setsid " } else { "" };
    let script = format!(
        "exec 3>../alive; trap '' TERM; (trap '' TERM HUP; {escapes}sh -c 'echo far >&3; exec sleep 1000' &)
         sleep 1000 & echo near >&3; while :; do wait; done"
    );
    let repo = agent(&sandbox, &script);
    repo.git(&["config", "wf.agent.mine.timeout", "1s"]).ok();
    let alive = fifo(&repo);
    let error = fails(&repo);
    assert_eq!(error["code"], "agent-timeout", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("wf.agent.mine.timeout"), "{error}");
    let mut said: Vec<String> = rest(alive).lines().map(str::to_owned).collect();
    said.sort();
    assert_eq!(said, ["far", "near"]);
}

#[test]
fn who_answers_and_leaves_processes_behind_leaves_none() {
    let sandbox = Sandbox::new();
    let escapes = if cfg!(target_os = "linux") { "setsid " } else { "" };
    let script = format!(
        "exec 3>../alive; (trap '' HUP; {escapes}sh -c 'echo here >&3; exec sleep 1000' >/dev/null 2>&1 &)
         read line < ../go; echo \"$pong\""
    );
    let repo = agent(&sandbox, &script);
    repo.sh(&["-c", "mkfifo ../go"]).ok();
    let mut alive = fifo(&repo);
    let child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["agents", "test", "mine"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    alive.1.read_line(&mut line).unwrap();
    assert_eq!(line, "here\n");
    repo.sh(&["-c", "echo go > ../go"]).ok();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(rest(alive), "");
}

#[cfg(target_os = "linux")]
#[test]
fn who_kills_its_watcher_leaves_nothing() {
    let sandbox = Sandbox::new();
    let repo = agent(
        &sandbox,
        "exec 3>../alive; (setsid sleep 1000 &); echo here >&3; kill -9 $PPID; exec sleep 1000",
    );
    // In a sandbox, it cannot reach its watcher.
    repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    let alive = fifo(&repo);
    assert_eq!(fails(&repo)["code"], "agent-killed");
    assert_eq!(rest(alive), "here\n");
}

#[test]
fn an_interrupt_ends_it() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "exec 3>../alive; echo here >&3; exec sleep 1000");
    let mut alive = fifo(&repo);
    let child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["--json", "agents", "test", "mine"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    alive.1.read_line(&mut line).unwrap();
    repo.sh(&["-c", &format!("kill -INT {}", child.id())]).ok();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"interrupted\""));
    assert_eq!(rest(alive), "");
}

#[test]
fn it_has_no_terminal_to_write_to() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "(echo x > /dev/tty) 2>/dev/null && exit 9; echo \"$pong\"");
    if repo.sh(&["-c", "command -v script"]).code != 0 {
        eprintln!("skipped: there is no `script` to make a terminal");
        return;
    }
    let call = format!("{} agents test mine", env!("CARGO_BIN_EXE_git-wf"));
    let ran = repo.sh(&["-c", &format!("script -qec '{call}' /dev/null")]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}
