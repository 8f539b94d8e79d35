//! `verify` runs only what someone has seen and agreed to, and leaves nothing running when it ends.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::{Repo, Sandbox, plan_on};

/// A plan with these tests, claimed in this worktree.
fn claimed(sandbox: &Sandbox, tests: &[(&str, &str)]) -> Repo {
    sandbox.begin(tests, |sandbox| {
        let repo = sandbox.store("code");
        let mut plan = plan_on("a.txt");
        let first = plan["tasks"][0].clone();
        plan["tasks"] = tests
            .iter()
            .map(|(id, command)| {
                let mut task = first.clone();
                task["id"] = json!(id);
                task["test"] = json!({ "commands": [command] });
                task
            })
            .collect();
        repo.planned("ISS-001", &plan);
        repo.wf(&["next", "ISS-001"]).ok();
        repo
    })
}

/// The lines that the tests wrote beside the repository.
fn ran(sandbox: &Sandbox) -> Vec<String> {
    let text = std::fs::read_to_string(sandbox.root().join("ran")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn who_agreed_to_one_task_is_asked_for_the_other() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", "echo one >> ../ran"), ("T2", "echo two >> ../ran")]);
    let (code, shown) = repo.on_terminal("y\n", &["verify", "--task", "T1"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("T1: echo one") && !shown.contains("echo two"), "{shown}");
    // A command that was not shown was not agreed to.
    let error = repo.refused(1, &["verify"]);
    assert_eq!(
        (&error["code"], &error["details"]),
        (&json!("not-agreed"), &json!(["T2: echo two >> ../ran"]))
    );
    assert_eq!(ran(&sandbox), ["one"]);
    let (code, shown) = repo.on_terminal("n\n", &["verify"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("T2: echo two") && !shown.contains("echo one"), "{shown}");
    repo.wf(&["verify", "--task", "T1"]).ok();
    assert_eq!(ran(&sandbox), ["one", "one"]);
    let (code, shown) = repo.on_terminal("y\n", &["verify"]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(ran(&sandbox), ["one", "one", "one", "two"]);
    // Now there is nothing left to ask.
    repo.wf(&["verify"]).ok();
    assert_eq!(ran(&sandbox).len(), 6);
}

#[test]
fn a_yes_for_once_agrees_to_nothing_later() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", "echo one >> ../ran")]);
    repo.wf(&["verify", "--yes"]).ok();
    assert_eq!(repo.refused(1, &["verify"])["code"], "not-agreed");
}

#[test]
fn an_agreement_to_a_whole_plan_counts_for_nothing() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", "echo one >> ../ran")]);
    let digest = repo.json(&["detail"])["plan_digest"].as_str().unwrap().to_owned();
    let place = repo.path().join(".git").canonicalize().unwrap();
    let key = Sha256::digest([place.as_os_str().as_encoded_bytes(), b"\0", digest.as_bytes()].concat());
    let folder = sandbox.root().join("home/.local/state/git-wf/agreed");
    std::fs::create_dir_all(&folder).unwrap();
    let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(folder.join(name), format!("{digest}\n{}\n", place.display())).unwrap();
    assert_eq!(repo.refused(1, &["verify"])["code"], "not-agreed");
    assert!(ran(&sandbox).is_empty());
}

/// Puts a command into the stored plan that `solution add` would refuse.
fn bent(sandbox: &Sandbox, command: &str) -> Repo {
    let repo = sandbox.store("code");
    repo.planned("ISS-001", &plan_on("a.txt"));
    let path = repo.store_path("/solution.json");
    let mut record = repo.stored_json(&path);
    record["plan"]["tasks"][0]["test"]["commands"] = json!([command]);
    repo.plumb(&[(&path, &format!("{record:#}\n"))]);
    repo.wf(&["next", "ISS-001"]).ok();
    repo
}

#[test]
fn a_command_of_several_lines_is_shown_as_such_and_not_run() {
    let sandbox = Sandbox::new();
    let repo = bent(&sandbox, "true # quick check\necho gone >> ../ran");
    for args in [&["verify"][..], &["verify", "--yes"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "unseen-command", "{error}");
        assert!(error["message"].as_str().unwrap().contains("a line break, U+000A"), "{error}");
        assert_eq!(error["details"], json!(["true # quick check\\u{a}echo gone >> ../ran"]));
    }
    let (code, shown) = repo.on_terminal("y\n", &["verify"]);
    assert!(code == 1 && !shown.contains("[y/N]"), "{shown}");
    assert!(ran(&sandbox).is_empty());
    let solution = repo.json(&["detail"])["solution_id"].as_str().unwrap().to_owned();
    for args in [&["detail"][..], &["solution", "show", &solution], &["show", &solution]] {
        let shown = repo.wf(args).ok().stdout;
        assert!(shown.contains("true # quick check\\u{a}echo gone >> ../ran\n"), "{args:?}: {shown}");
    }
}

#[test]
fn a_plan_with_a_command_that_hides_something_is_not_accepted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    for command in
        ["true\nfalse", "a\tb", "a\u{1b}[2K", "a\u{9b}2J", "a\u{202e}b", "a\u{200b}b", "a\u{a0}b", "a\rb"]
    {
        let mut plan = plan_on("a.txt");
        plan["tasks"][0]["test"]["commands"] = json!(["true", command]);
        let error = repo.refused_in(plan.to_string(), 1, &["solution", "add", "ISS-001"]);
        let told = error.to_string();
        assert!(told.contains("tasks[0].test.commands[1]"), "{command:?}: {told}");
    }
}

#[test]
fn a_long_command_is_shown_whole_with_a_margin() {
    let sandbox = Sandbox::new();
    let command = format!("true {}T2: echo harmless; echo gone >> ../ran", " ".repeat(300));
    let repo = claimed(&sandbox, &[("T1", &command)]);
    let (code, shown) = repo.on_terminal("n\n", &["verify"]);
    assert_eq!(code, 1, "{shown}");
    let rows: Vec<&str> =
        shown.lines().skip_while(|row| !row.starts_with("The plan runs 1 command,")).skip(1).collect();
    let rows = &rows[..rows.iter().position(|row| row.contains("[y/N]")).unwrap()];
    let whole: String = rows
        .iter()
        .map(|row| row.strip_prefix("      | ").or(row.strip_prefix("  ")).expect("each row has a margin"))
        .collect();
    // Nobody would count 300 blanks, or see that a command follows them.
    assert_eq!(whole, "T1: true\\u{20}{301}T2: echo harmless; echo gone >> ../ran");
    assert!(rows.iter().all(|row| row.len() <= 80), "{rows:?}");
}

/// A fifo: it can be read to its end only after every process that has it open for writing has ended.
fn fifo(repo: &Repo) -> std::fs::File {
    let path = repo.path().parent().unwrap().join("alive");
    repo.sh(&["-c", "mkfifo ../alive"]).ok();
    // Opened for writing too, so that opening it does not block.
    std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap()
}

#[test]
fn nothing_outlives_a_verify_that_is_killed() {
    let sandbox = Sandbox::new();
    let escapes = if cfg!(target_os = "linux") { "setsid " } else { "" };
    let repo = claimed(
        &sandbox,
        &[(
            "T1",
            &format!(
                "exec 3>../alive; (trap '' TERM HUP; {escapes}sh -c 'echo far >&3; exec sleep 1000' &); \
                 sleep 1000 & echo near >&3; wait"
            ),
        )],
    );
    let both = fifo(&repo);
    let mut lines = BufReader::new(std::fs::File::open(repo.path().join("../alive")).unwrap());
    let mut verify = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["verify", "--yes"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut heard = Vec::new();
    for _ in 0..2 {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        heard.push(line.trim().to_owned());
    }
    heard.sort();
    assert_eq!(heard, ["far", "near"]);
    verify.kill().unwrap();
    verify.wait().unwrap();
    drop(both);
    // The end is reached when the last process that has it open is gone.
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_command_that_kills_its_watcher_leaves_nothing() {
    let sandbox = Sandbox::new();
    let repo = claimed(
        &sandbox,
        &[("T1", "exec 3>../alive; (sleep 1000 &); echo here >&3; kill -9 $PPID; exec sleep 1000")],
    );
    let both = fifo(&repo);
    let mut lines = BufReader::new(std::fs::File::open(repo.path().join("../alive")).unwrap());
    repo.wf(&["verify", "--yes"]).fails(1);
    drop(both);
    let mut all = String::new();
    lines.read_to_string(&mut all).unwrap();
    assert_eq!(all, "here\n");
    let shown = repo.json(&["show", "ISS-001"]);
    let tail = shown["executions"][0]["checks"][0]["output_tail"].as_str().unwrap();
    assert!(tail.contains("[ended by signal 9]"), "{tail}");
}

/// In a container, the leader of this program's session may be outside.
#[test]
fn a_killed_watcher_leaves_nothing_in_a_container() {
    let sandbox = Sandbox::new();
    let repo = claimed(
        &sandbox,
        &[("T1", "exec 3>../alive; (setsid sleep 1000 &); echo here >&3; kill -9 $PPID; exec sleep 1000")],
    );
    let container = "unshare --user --map-root-user --pid --fork --mount-proc";
    if repo.sh(&["-c", &format!("{container} true")]).code != 0 {
        eprintln!("skipped: no container can be made here");
        return;
    }
    let both = fifo(&repo);
    let mut lines = BufReader::new(std::fs::File::open(repo.path().join("../alive")).unwrap());
    let call = format!("{container} {} verify --yes", env!("CARGO_BIN_EXE_git-wf"));
    repo.sh(&["-c", &call]).fails(1);
    drop(both);
    let mut all = String::new();
    lines.read_to_string(&mut all).unwrap();
    assert_eq!(all, "here\n");
}

#[test]
fn nobody_types_the_watcher() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let error = repo.wf(&["run-watched", "--json", "--", "echo gone >> ../ran"]).fails(1).json_error();
    assert_eq!(error["code"], "not-watched", "{error}");
    assert!(ran(&sandbox).is_empty());
}
