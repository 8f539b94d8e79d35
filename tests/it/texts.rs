//! What one has to say is said in one way everywhere: by `-m`, or as the last argument. `--reason` overrides a gate.

use serde_json::json;

use crate::support::{Repo, Sandbox};

fn executing(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    repo.wf(&["next"]).ok();
    repo
}

#[test]
fn a_text_is_the_last_argument_or_that_of_m() {
    for (way, done) in [("-m", &["-m", "It holds"][..]), ("last", &["It holds"])] {
        let sandbox = Sandbox::new();
        let repo = executing(&sandbox);
        let say = |command: &[&'static str], text: &'static str| -> Vec<&str> {
            if way == "-m" { [command, &["-m", text]].concat() } else { [command, &[text]].concat() }
        };
        repo.wf(&say(&["comment", "ISS-001"], "It is the cache")).ok();
        repo.wf(&say(&["feedback", "add", "ISS-001"], "Mind the cache")).ok();
        let shown = repo.json(&["show", "ISS-001"]);
        assert_eq!(shown["comments"][0]["body"], "It is the cache");
        assert_eq!(shown["feedback"][0]["content"], "Mind the cache");
        let held = repo.json(&say(&["queue", "hold", "S-2"], "not yet"));
        assert_eq!(held[0]["held"], "not yet");
        let failed = repo.json(&say(&["fail"], "no disk left"));
        assert_eq!(failed["failure"]["message"], "no disk left");
        repo.wf(&["retry", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        let failed = repo.json(&say(&["fail", "S-1"], "broken"));
        assert_eq!(failed["failure"]["message"], "broken");
        repo.wf(&["retry", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        let force = ["--force", "--reason", "a test"];
        let ended = repo.json(&[&["done"], done, &force].concat());
        assert_eq!(ended["result"]["summary"], "It holds");
        let closed = repo.json(&say(&["close", "ISS-002"], "nobody wants it"));
        assert_eq!(closed["close_reason"], "nobody wants it");
        repo.wf(&say(&["reopen", "ISS-002"], "they do")).ok();
        assert!(repo.last_message().starts_with("issue: reopen ISS-002: they do"), "{}", repo.last_message());
        repo.wf(&say(&["redact", "ISS-002", "title"], "a password")).ok();
        assert_eq!(repo.json(&["show", "ISS-002"])["title"], "[redacted]");
    }
}

#[test]
fn json_of_a_failure_can_be_the_last_argument() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let failure = json!({"task_id": "T1", "message": "2 of 3"});
    assert_eq!(repo.json(&["fail", &failure.to_string()])["failure"], failure);
}

#[test]
fn a_text_is_given_once_and_one_word_names_an_item() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for args in [
        &["fail", "no disk left", "-m", "again"][..],
        &["done", "S-1", "It holds", "-m", "again"],
        &["comment", "ISS-001", "x", "-m", "again"],
        &["close", "ISS-002", "x", "-m", "again"],
        &["fail"],
        &["queue", "hold", "S-2"],
        &["queue", "hold", "not yet"],
    ] {
        repo.refused(2, args);
    }
    assert_eq!(repo.refused(1, &["done", "S-9"])["code"], "not-found");
    // One word is no text, and no item either.
    repo.refused(2, &["fail", "broken"]);
}

#[test]
fn a_reason_alone_is_answered_with_what_was_meant() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for args in [
        &["fail", "--reason", "no disk left"][..],
        &["done", "--reason", "It holds"],
        &["queue", "hold", "S-2", "--reason", "not yet"],
        &["redact", "ISS-001", "title", "--reason", "a password"],
    ] {
        let error = repo.refused(2, args);
        assert_eq!(error["hint"], "give your text with `-m TEXT`", "{args:?}");
        let ran = repo.wf(args).fails(2);
        assert!(!ran.stderr.contains("--force"), "{}", ran.stderr);
    }
}

#[test]
fn an_issue_is_closed_for_a_reason() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (n, args, why) in [
        (1, &["--reason", "duplicate"][..], Some("duplicate")),
        (2, &["--reason", "duplicate", "-m", "of ISS-001"], Some("duplicate: of ISS-001")),
        (3, &["-m", "not planned"], Some("not planned")),
        (4, &["--force", "--reason", "an owner said so"], None),
    ] {
        let id = format!("ISS-00{n}");
        repo.issue(&id);
        let closed = repo.json(&[&["close", &id], args].concat());
        assert_eq!((&closed["status"], closed["close_reason"].as_str()), (&json!("closed"), why), "{args:?}");
    }
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["force"], "an owner said so");
    repo.refused(2, &["close", "ISS-001", "--force"]);
}
