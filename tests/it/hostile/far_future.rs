//! Stamps that no honest clock makes: a field with the last possible stamp cannot be overwritten until one clone
//! repairs it.

use serde_json::{Value, json};

use crate::support::foreign::{file, folder};
use crate::support::{REF, Repo, Sandbox, Two};

const LAST: &str = "9998-12-30T23:59:59.999Z/99999/zzzzzzzz";

/// A record of the store with something changed, put in place with plain git.
fn forge(repo: &Repo, path: &str, change: impl FnOnce(&mut Value)) {
    let mut record = repo.stored_json(path);
    change(&mut record);
    repo.plumb(&[(path, &format!("{record:#}\n"))]);
}

/// Two clones that share a store in which the issue GH-1 is cancelled forever.
fn frozen_issue() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    forge(&two.ada, &file("GH-1"), |it| {
        it["status"] = json!("cancelled");
        it["clock"]["status"] = json!(LAST);
    });
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two
}

#[track_caller]
fn status(repo: &Repo) -> Value {
    repo.wf(&["show", "GH-1", "--json"]).ok().json()["status"].clone()
}

#[test]
fn a_frozen_field_is_refused_by_name_and_named_by_fsck() {
    let two = frozen_issue();
    let error = two.bea.wf(&["reopen", "GH-1", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "frozen", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("`GH-1`") && message.contains("`status`"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("fsck --repair"), "{error}");
    // Other fields can still be changed.
    two.bea.wf(&["edit", "GH-1", "--title", "another"]).ok();
    let found = two.bea.wf(&["fsck", "--json"]).fails(1).json();
    let what = found[0]["what"].as_str().unwrap();
    assert!(what.contains("stamps ahead of the clock") && what.contains("`status`"), "{found}");
}

#[test]
fn an_issue_that_was_cancelled_for_good_is_healed_in_one_clone_whichever_merges_first() {
    for healer_first in [true, false] {
        let two = frozen_issue();
        two.sandbox.advance(10);
        two.bea.wf(&["comment", "GH-1", "-m", "meanwhile"]).ok();
        let ran = two.ada.wf(&["fsck", "--repair"]).ok();
        assert!(ran.stdout.contains("can be changed again"), "{}", ran.stdout);
        assert_eq!(status(&two.ada), "cancelled", "the value that stood");
        two.ada.wf(&["reopen", "GH-1"]).ok();
        let (one, other) = if healer_first { (&two.ada, &two.bea) } else { (&two.bea, &two.ada) };
        for repo in [one, other, one] {
            repo.wf(&["sync"]).ok();
        }
        two.assert_one_state();
        assert_eq!(status(&two.bea), "registered");
        let record = two.bea.stored_json(&file("GH-1"));
        assert_eq!((&record["epoch"], &record["tags"]), (&json!(1), &json!(["auth"])));
        assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
        assert_eq!(two.bea.wf(&["conflicts", "--json"]).ok().json(), json!([]));
        // Nothing else is repaired, and the record can be written to from now on.
        let tip = two.ada.tip();
        two.ada.wf(&["fsck", "--repair"]).ok();
        assert_eq!(two.ada.tip(), tip);
    }
}

#[test]
fn what_somebody_wrote_to_the_frozen_record_meanwhile_is_kept() {
    let two = frozen_issue();
    two.sandbox.advance(10);
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    two.ada.wf(&["fsck", "--repair"]).ok();
    two.ada.wf(&["edit", "GH-1", "-t", "ui"]).ok();
    for repo in [&two.bea, &two.ada, &two.bea] {
        let synced = repo.wf(&["sync", "--json"]).ok();
        assert_eq!(synced.json()["rewritten"], json!([]), "{}", synced.stderr);
    }
    two.assert_one_state();
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((&shown["title"], &shown["tags"]), (&json!("by bea"), &json!(["auth", "ui"])));
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json(), json!([]));
    assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

/// Between the two repairs, one of the stamps stops being ahead.
#[test]
fn two_repairs_at_times_between_which_a_stamp_comes_true_lose_nothing() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    forge(&two.ada, &file("GH-1"), |it| {
        it["clock"]["*"] = json!("2026-11-24T00:00:00.000Z/00000/0000000a");
        it["clock"]["title"] = json!("2026-11-24T00:00:00.000Z/00001/0000000a");
        it["clock"]["status"] = json!(LAST);
    });
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["fsck", "--repair"]);
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.sandbox.advance(3 * 24 * 3600);
    two.bea.wf(&["edit", "GH-1", "-t", "ui"]).ok();
    two.bea.wf(&["fsck", "--repair"]);
    two.bea.wf(&["edit", "GH-1", "-p", "high"]).ok();
    two.meet();
    two.assert_one_state();
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!(
        (&shown["title"], &shown["tags"], &shown["priority"]),
        (&json!("by ada"), &json!(["auth", "ui"]), &json!(2))
    );
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json(), json!([]));
}

#[test]
fn a_policy_that_was_set_for_good_can_be_set_again() {
    for healer_first in [true, false] {
        let two = Two::new();
        forge(&two.ada, "wf.json", |it| {
            it["policy"] = json!({"commits": "required"});
            it["clock"] = json!({"policy/commits": LAST});
        });
        two.ada.wf(&["sync"]).ok();
        two.bea.wf(&["sync"]).ok();
        let error = two.ada.wf(&["settings", "commits=free", "--json"]).fails(1).json_error();
        assert!(error["message"].as_str().unwrap().contains("`policy/commits`"), "{error}");
        two.ada.wf(&["fsck", "--repair"]).ok();
        two.ada.wf(&["settings", "commits=free"]).ok();
        let (one, other) = if healer_first { (&two.ada, &two.bea) } else { (&two.bea, &two.ada) };
        for repo in [one, other, one] {
            repo.wf(&["sync"]).ok();
        }
        two.assert_one_state();
        let record = two.bea.stored_json("wf.json");
        assert_eq!((&record["format"], &record["epoch"]), (&json!(1), &json!(1)), "{record}");
        assert_ne!(record["policy"]["commits"], "required");
        assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
    }
}

#[test]
fn a_birth_of_the_far_future_is_healed_with_the_record() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    forge(&two.ada, &file("GH-1"), |it| it["clock"] = json!({"*": LAST}));
    assert!(two.ada.wf(&["edit", "GH-1", "--title", "x"]).fails(1).stderr.contains("last stamp"));
    let ran = two.ada.wf(&["fsck", "--repair"]).fails(1);
    assert!(ran.stdout.contains("can be changed again"), "{}", ran.stdout);
    two.ada.wf(&["edit", "GH-1", "--title", "x"]).ok();
    // The forgery itself stays in the history, and is reported with its author.
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found:#}");
    assert!(found[0]["what"].as_str().unwrap().contains("replaced the record born at"), "{found:#}");
}

#[test]
fn what_is_hidden_stays_hidden_when_the_record_is_started_anew() {
    let two = frozen_issue();
    two.ada.wf(&["redact", "GH-1", "title", "-m", "a name"]).ok();
    two.sandbox.advance(10);
    two.ada.wf(&["fsck", "--repair"]).ok();
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "[redacted]");
    two.ada.wf(&["edit", "GH-1", "--title", "shown"]).ok();
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "shown");
}

#[test]
fn a_redaction_up_to_the_far_future_hides_what_a_clone_repaired_that_did_not_know_of_it() {
    let two = Two::new();
    two.ada.wf(&["new", "a secret", "--id", "GH-1"]).ok();
    forge(&two.ada, &file("GH-1"), |it| it["clock"]["title"] = json!(LAST));
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["redact", "GH-1", "title", "-m", "a name"]).ok();
    two.bea.wf(&["fsck", "--repair"]).ok();
    two.meet();
    two.assert_one_state();
    assert_eq!(two.bea.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "[redacted]");
    two.bea.wf(&["edit", "GH-1", "--title", "shown"]).ok();
    assert_eq!(two.bea.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "shown");
}

#[test]
fn a_redaction_of_a_value_from_the_future_hides_nothing_that_is_written_after_a_repair() {
    let two = Two::new();
    two.ada.wf(&["new", "a secret", "--id", "GH-1"]).ok();
    forge(&two.ada, &file("GH-1"), |it| {
        it["clock"]["title"] = json!("2027-01-01T00:00:00.000Z/00000/0000000a");
    });
    two.ada.wf(&["redact", "GH-1", "title", "-m", "a name"]).ok();
    two.ada.wf(&["fsck", "--repair"]).ok();
    let title = |repo: &Repo| repo.wf(&["show", "GH-1", "--json"]).ok().json()["title"].clone();
    assert_eq!(title(&two.ada), "[redacted]");
    two.ada.wf(&["edit", "GH-1", "--title", "shown"]).ok();
    assert_eq!(title(&two.ada), "shown");
    two.ada.wf(&["redact", "GH-1", "title", "-m", "that too"]).ok();
    assert_eq!(title(&two.ada), "[redacted]");
    two.ada.wf(&["edit", "GH-1", "--title", "shown again"]).ok();
    assert_eq!(title(&two.ada), "shown again");
}

#[test]
fn a_repair_doubts_a_clock_that_the_history_contradicts() {
    let two = Two::new();
    for n in 0..4 {
        two.ada.wf(&["new", "as it was", "--id", &format!("GH-{n}")]).ok();
    }
    // The clock of this machine has lost its battery.
    let behind = two.ada.ahead(-40 * 24 * 3600);
    assert_eq!(behind.wf(&["fsck", "--json"]).fails(1).json().as_array().unwrap().len(), 4);
    let tip = two.ada.tip();
    let error = behind.wf(&["fsck", "--repair", "--json"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], "doubted-clock");
    assert!(message.contains("says 2026-10-12") && message.contains("most of the newest commits"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("--trust-clock"), "{error}");
    assert_eq!(two.ada.tip(), tip);
    // If the clock is right, the command says what it compared with.
    forge(&two.ada, &file("GH-1"), |it| {
        it["clock"]["title"] = json!("2027-01-01T00:00:00.000Z/00000/0000000a");
    });
    let ran = two.ada.wf(&["fsck", "--repair"]).ok();
    assert!(
        ran.stderr.contains("judged by the clock of this machine, which says 2026-11-21"),
        "{}",
        ran.stderr
    );
}

#[test]
fn one_commit_by_somebody_else_is_enough_to_doubt_a_clock() {
    let two = Two::new();
    two.bea.wf(&["new", "by bea", "--id", "GH-1"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    let behind = two.ada.ahead(-40 * 24 * 3600);
    for n in 2..10 {
        behind.wf(&["new", "as it was", "--id", &format!("GH-{n}")]).ok();
    }
    let tip = two.ada.tip();
    let error = behind.wf(&["fsck", "--repair", "--json"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("by Bea <bea@example.org> is dated 2026-11-21"), "{error}");
    assert_eq!(two.ada.tip(), tip);
    behind.wf(&["fsck", "--repair", "--trust-clock"]).ok();
    assert_eq!(two.ada.stored_json(&file("GH-1"))["epoch"], 1);
}

#[test]
fn after_the_last_epoch_only_history_helps() {
    let two = frozen_issue();
    forge(&two.ada, &file("GH-1"), |it| {
        let clock = it.as_object_mut().unwrap().remove("clock").unwrap();
        it["epoch"] = json!(999);
        it["clock"] = clock;
    });
    let ran = two.ada.wf(&["fsck", "--repair"]).fails(1);
    assert!(ran.stderr.contains("only rewriting the history"), "{}", ran.stderr);
}

/// The file of an entry with this content and the last possible stamp.
fn last_entry(folder: &str, mut entry: Value) -> (String, String) {
    let id = crate::support::entry_id("99981230T235959999Z-99999", &entry);
    entry["id"] = json!(id);
    // The id comes first, as in every record.
    let mut ordered = serde_json::Map::new();
    ordered.insert("id".into(), json!(id));
    ordered.extend(entry.as_object().unwrap().clone());
    (format!("{folder}/{id}.json"), format!("{:#}\n", Value::Object(ordered)))
}

#[test]
fn a_log_that_ends_in_the_far_future_takes_entries_and_is_healed_by_one_clone() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    let comments = format!("{}/comments", folder("GH-1"));
    let (path, text) = last_entry(
        &comments,
        json!({"body": "the end", "author": "Eve <eve@example.org>", "created_at": "2026-11-21T02:00:00.000Z"}),
    );
    two.ada.plumb(&[(&path, &text)]);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let bodies = |repo: &Repo| -> Vec<String> {
        let shown = repo.wf(&["show", "GH-1", "--json"]).ok().json();
        shown["comments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["body"].as_str().unwrap().to_owned())
            .collect()
    };
    let ran = two.ada.wf(&["comment", "GH-1", "-m", "after it"]).ok();
    assert!(ran.stderr.contains("far future") && ran.stderr.contains("fsck --repair"), "{}", ran.stderr);
    assert_eq!(bodies(&two.ada), ["after it", "the end"], "nothing is lost");
    two.ada.wf(&["comment", "GH-1", "-m", "and after that"]).ok();
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    assert_eq!(found[0]["remedies"][0]["words"], "sets it aside", "{found}");
    let ran = two.ada.wf(&["fsck", "--repair"]).ok();
    assert!(ran.stdout.contains("set aside"), "{}", ran.stdout);
    two.bea.wf(&["comment", "GH-1", "-m", "by bea"]).ok();
    for repo in [&two.bea, &two.ada, &two.bea] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    assert_eq!(bodies(&two.bea).len(), 3, "the entry counts for nothing");
    let found = two.bea.wf(&["fsck", "--json"]).ok().json();
    assert!(
        found[0]["severity"] == "note" && found[0]["what"].as_str().unwrap().contains("set aside"),
        "{found}"
    );
    assert!(two.bea.stored(&path).contains("the end"), "it is kept");
    let ran = two.bea.wf(&["comment", "GH-1", "-m", "quiet"]).ok();
    assert!(!ran.stderr.contains("far future"), "{}", ran.stderr);
    let listed = two.bea.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
    assert!(listed.lines().all(|path| !path.contains("/9999")), "every name is legal: {listed}");
}

#[test]
fn a_commit_whose_log_ends_in_the_far_future_says_so() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "--local"]).ok();
    let claim = repo.store_path("/execution.json");
    let at = "2026-11-21T02:00:00.000Z";
    let renew = json!({"type": "renew", "lease_expires_at": at, "actor": "Eve <eve@example.org>", "at": at});
    let (path, text) = last_entry(&claim.replace("execution.json", "log"), renew);
    repo.plumb(&[(&path, &text)]);
    repo.write("a.txt", "1\n");
    repo.git(&["add", "."]).ok();
    let ran = repo.git(&["commit", "-qm", "work"]).ok();
    assert!(ran.stderr.contains("far future") && ran.stderr.contains("fsck --repair"), "{}", ran.stderr);
    let ran = repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    assert!(ran.stderr.contains("far future"), "{}", ran.stderr);
}

#[test]
fn a_log_that_a_server_declines_comes_in_after_a_repair() {
    let (_sandbox, server, repo) = crate::hooks::shared();
    repo.queued("ISS-001", "a.txt");
    repo.queued("ISS-002", "b.txt");
    repo.wf(&["next"]).ok();
    repo.commit("a.txt", "1\n", "work");
    repo.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    let text = json!({"body": "the end", "author": "Eve <eve@example.org>", "created_at": "2026-11-21T02:00:00.000Z"});
    let (path, text) = last_entry(&format!("{}/comments", folder("GH-1")), text);
    repo.plumb(&[(&path, &text)]);
    let ran = repo.wf(&["fail", "-m", "no"]).ok();
    assert!(
        ran.stderr.contains("`git wf fsck --repair`") && !ran.stderr.contains("brings it there"),
        "{}",
        ran.stderr
    );
    let error = repo.wf(&["next", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "declined", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("`git wf fsck --repair`") && !hint.contains("--local"), "{hint}");
    repo.wf(&["fsck", "--repair"]);
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
    repo.wf(&["next"]).ok();
}

#[test]
fn a_value_that_was_rewritten_under_an_older_stamp_is_in_the_history() {
    let two = frozen_issue();
    let ada = &two.ada;
    ada.wf(&["fsck", "--repair"]).ok();
    forge(ada, &file("GH-1"), |it| {
        it["status"] = json!("paused");
        it["clock"]["status"] = json!(".000/2026-11-21T02:00:00.000Z/00000/0000000a");
    });
    let (tip, log) = (ada.tip().unwrap(), ada.wf(&["log", "GH-1", "-p"]).ok().stdout);
    assert!(log.contains("cancelled → paused"), "{log}");
    let served = crate::web::Served::of(ada, &[]);
    let page = served.browser().page(&format!("/history/{tip}"));
    assert!(page.contains("<del>cancelled</del>") && page.contains("<ins>paused</ins>"), "{page}");
    let all = served.browser().page("/history?id=GH-1");
    assert!(all.contains(&format!("/history/{}", &tip[..12])), "{all}");
}
