//! What reaches stdout and stderr, and how the program ends.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan_on};

/// A list that is longer than a pipe holds.
fn large(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        let title = "x".repeat(480);
        let line = |n: usize| {
            json!({
                "id": format!("bd-{n}"),
                "title": title,
                "status": "open",
                "created_at": "2026-01-01T00:00:00Z",
                "updated_at": "2026-01-01T00:00:00Z"
            })
        };
        let lines: String = (0..400).map(|n| format!("{}\n", line(n))).collect();
        repo.wf_in(lines, &["import", "beads", "-"]).ok();
        repo
    })
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let sandbox = Sandbox::new();
    let repo = large(&sandbox);
    let own = env!("CARGO_BIN_EXE_git-wf");
    let list: [(&str, &[&str]); 4] =
        [(own, &["list"]), (own, &["list", "--json"]), (own, &["log", "-p"]), ("git", &["wf", "list"])];
    for (program, args) in list {
        let mut child =
            repo.command(program, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 2]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
    let piped = repo.command("sh", &["-c", "git wf list | head -1"]).output().unwrap();
    assert!(piped.stdout.starts_with(b"ID ") && piped.stderr.is_empty());
}

#[test]
fn a_full_disk_is_a_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = repo.command(env!("CARGO_BIN_EXE_git-wf"), &["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write the answer"));
    // The exit code is the same even if the message cannot be written.
    for (args, code) in [(&["show", "ISS-404"][..], 1), (&["comment"], 2), (&["next", "--json"], 3)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = repo.command(env!("CARGO_BIN_EXE_git-wf"), args).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
    }
}

/// Text that turns the screen red, hides text, or reverses the line.
const EVIL: &str = "a\u{1b}[31mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}b";

fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn what_came_from_elsewhere_never_reaches_a_terminal_raw() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["comment", "ISS-001", "-m", EVIL]).ok();
    repo.wf(&["close", "ISS-001", "-m", EVIL]).ok();
    repo.wf(&["reopen", "ISS-001"]).ok();
    let claim = repo.json(&["next"]);
    let execution = claim["execution_id"].as_str().unwrap();
    repo.wf(&["fail", "-m", EVIL]).ok();
    // No command accepts such a title, but it can come from a remote.
    let evil = json!(EVIL).to_string();
    let path = repo.store_path("/ISS-001/issue.json");
    let issue =
        repo.stored(&path).replace("\"About ISS-001\"", &evil).replace("\"close_reason\"", "\"context\"");
    let plan_path = repo.store_path("/solution.json");
    let bent =
        repo.stored(&plan_path).replace("\"Add a token bucket\"", &evil).replace("\"src/a.rs\"", &evil);
    let queue = repo.store_path("/queue.json");
    let named = repo.stored(&queue).replace("  \"status\"", &format!("  \"name\": {evil},\n  \"status\""));
    repo.plumb(&[(&path, &issue), (&plan_path, &bent), (&queue, &named)]);
    let queue_id = claim["queue_id"].as_str().unwrap();
    let all: [&[&str]; 15] = [
        &["list"],
        &["show", "ISS-001"],
        &["show", &solution],
        &["show", execution],
        &["show", queue_id],
        &["status"],
        &["solution", "list"],
        &["queue", "manage", "list"],
        &["queue", "show", queue_id],
        &["detail", "S-1"],
        &["trace", "ISS-001"],
        &["log"],
        &["log", "-p"],
        &["edit", "ISS-001", "-t", "x"],
        &["retry"],
    ];
    for args in all {
        for form in [&[][..], &["--json"]] {
            let ran = repo.wf(&[args, form].concat());
            assert!(
                is_clean(&ran.stdout) && is_clean(&ran.stderr),
                "{args:?} {form:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["title"], EVIL, "JSON means what is stored");
    assert!(repo.wf(&["list"]).ok().stdout.contains("a\\u{1b}[31mred"));
    let said = repo.wf(&["show", EVIL]).fails(1);
    assert!(is_clean(&said.stderr), "{}", said.stderr);
    let said = repo.wf(&["show", EVIL, "--json"]).fails(1);
    assert!(is_clean(&said.stderr), "{}", said.stderr);
    let said = repo.wf(&["list", "--status", EVIL]).fails(2);
    assert!(is_clean(&said.stderr), "{}", said.stderr);
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    assert!(!repo.wf(&["list"]).ok().stdout.contains('\u{1b}'), "a pipe has no colour");
    let on_terminal = |repo: &Repo| {
        let call = format!("'{}' list", env!("CARGO_BIN_EXE_git-wf"));
        repo.command("script", &["-qec", &call, "/dev/null"]).stdin(Stdio::null()).output()
    };
    let colourful = repo.with_env("TERM", "xterm").with_env("GIT_PAGER", "cat");
    match on_terminal(&colourful) {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.contains("\u{1b}[33mISS-001"), "{text:?}");
            assert!(text.contains("1 issue"), "{text:?}");
        }
        _ => {
            eprintln!("skipped: there is no `script` to make a terminal");
            return;
        }
    }
    for plain in [colourful.with_env("NO_COLOR", "1"), colourful.with_env("TERM", "dumb")] {
        let text = String::from_utf8_lossy(&on_terminal(&plain).unwrap().stdout).into_owned();
        assert!(text.contains("ISS-001") && !text.contains("\u{1b}["), "{text:?}");
    }
}

#[test]
fn exit_codes_and_errors() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["--version"]).ok();
    assert!(repo.wf(&["--help"]).ok().stdout.contains("Usage: git wf"));
    for without in ["board", "mcp"] {
        let help = repo.wf(&[without, "--help"]).ok().stdout;
        assert!(help.contains(&format!("Usage: git wf {without}")) && !help.contains("--json"), "{help}");
        assert!(repo.wf(&[without, "--json"]).fails(2).stderr.contains("has no --json"), "{without}");
    }
    assert!(repo.wf(&["solution", "add", "--help"]).ok().stdout.contains("Usage: git wf plan add"));
    for usage in [&["nonsense"][..], &["list", "--colour"], &["edit"], &["bind"], &["plan", "add"]] {
        let plain = repo.wf(usage).fails(2);
        let ways = ["Usage", "--help` shows its usage", "`git wf -h` lists all commands"];
        let tells = ways.iter().any(|way| plain.stderr.contains(way));
        assert!(plain.stdout.is_empty() && tells, "{usage:?}: {}", plain.stderr);
        assert!(!plain.stderr.contains("For more information"), "{usage:?}: {}", plain.stderr);
        let error = repo.refused(2, usage);
        assert_eq!(error["code"], "usage", "{usage:?}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n'), "{error}");
        assert!(error["hint"].is_string(), "{error}");
    }
    assert_eq!(repo.refused(1, &["show", "ISS-404"])["message"], "there is no record `ISS-404`");
    repo.refused(3, &["next"]);
    repo.refused(3, &["retry"]);
    // The flag may be anywhere.
    let error = repo.wf(&["--json", "show", "ISS-404"]).fails(1).json_error();
    let names: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(names, ["code", "message", "hint", "remedies"]);
}

#[test]
fn every_json_answer_is_one_document() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = plan_on("src/a.rs").to_string();
    repo.write("plan.json", &plan);
    let bead = r#"{"id": "bd-1", "title": "From beads", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"}"#;
    repo.write("beads.jsonl", bead);
    let object: [&[&str]; 18] = [
        &["new", "--id", "ISS-001", "Title"],
        &["edit", "ISS-001", "-t", "x"],
        &["edit", "ISS-001", "-t", "x"],
        &["comment", "ISS-001", "-m", "hello"],
        &["close", "ISS-001"],
        &["reopen", "ISS-001"],
        &["show", "ISS-001"],
        &["status"],
        &["status", "ISS-001"],
        &["solution", "add", "ISS-001", "plan.json"],
        &["solution", "check", "plan.json"],
        &["plan", "choose", "ISS-001", "--none"],
        &["bind", "ISS-001"],
        &["trace", "ISS-001"],
        &["trace", "HEAD"],
        &["queue", "manage", "new", "later"],
        &["import", "beads", "beads.jsonl"],
        &["detail", "S-1"],
    ];
    for args in &object[..17] {
        assert!(repo.json(args).is_object(), "{args:?}");
    }
    let lists: [&[&str]; 5] = [
        &["queue", "add", "ISS-001"],
        &["list"],
        &["solution", "list"],
        &["queue", "manage", "list"],
        &["log"],
    ];
    for args in lists {
        assert!(repo.json(args).is_array(), "{args:?}");
    }
    for args in [object[17], &["queue", "show"], &["show", "S-1"], &["next"], &["fail", "-m", "x"]] {
        assert!(repo.json(args).is_object(), "{args:?}");
    }
    for args in [&["retry"][..], &["queue", "remove", "S-1"]] {
        assert!(repo.json(args).is_array(), "{args:?}");
    }
    for args in [&["queue", "add", "ISS-001"][..], &["next"], &["done", "--force", "--reason", "a test"]] {
        assert!(!repo.json(args).is_null(), "{args:?}");
    }
    let shown: Value = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["status"], "completed");
    assert_eq!(repo.git(&["cat-file", "-t", REF]).ok().line(), "commit");
}

#[test]
fn wrong_usage_says_what_is_missing_and_where_to_look() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plain = repo.wf(&["queue", "add"]).fails(2);
    assert!(plain.stderr.ends_with("hint: `git wf queue add --help` shows its usage\n"), "{}", plain.stderr);
    let error = repo.refused(2, &["queue", "add"]);
    assert!(error["message"].as_str().unwrap().contains("needs `<ISSUES|--all-planned|"), "{error}");
    assert_eq!(error["hint"], "`git wf queue add --help` shows its usage");
    assert!(repo.refused(2, &["nxt"])["hint"].as_str().unwrap().contains("`next`"));
    let error = repo.refused(2, &["queue", "manage", "frob"]);
    assert!(error["hint"].as_str().unwrap().contains("are: new, list, activate"), "{error}");
}

#[test]
fn an_error_names_its_remedies_as_data() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("here");
    repo.wf(&["init"]).ok();
    let error = repo.wf(&["--json", "show", "ISS-404"]).fails(1).json_error();
    assert_eq!(
        error["remedies"][0],
        json!({"operation": "list", "options": [{"name": "all"}], "values": [], "words": "lists the issues"})
    );
    assert!(error["hint"].as_str().unwrap().starts_with("`git wf list --all` lists the issues"), "{error}");
    let error = repo.wf(&["--json", "new", "--tag", "a,,b", "A title"]).fails(1).json_error();
    assert_eq!(error["message"], "a tag or component is empty");
    assert!(error.get("remedies").is_none(), "words alone are the hint: {error}");
}
