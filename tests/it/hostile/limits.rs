//! What can be written can be read, and no merge exceeds the limit.

use serde_json::json;

use crate::support::foreign::file;
use crate::support::{Two, is_long, plan};

#[test]
fn two_records_near_the_limits_join_into_one_that_can_be_read() {
    let two = Two::with_issue();
    // With `WF_LONG=1`, 9 MiB in each clone, so that both together exceed the limit of a record that is written once.
    let count = if is_long() { 9 } else { 2 };
    let text = "0123456789".repeat(104_000);
    let known = ["context", "expected_behavior", "actual_behavior", "assignee"];
    for (repo, known, by) in [(&two.ada, &known[..2], "ada"), (&two.bea, &known[2..], "bea")] {
        let mut record = repo.stored_json(&file("GH-1"));
        for field in known {
            record[field] = json!(text);
        }
        for n in known.len()..count {
            record[format!("zoo_{by}_{n}")] = json!(text);
        }
        repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    }
    two.meet();
    two.assert_one_state();
    let shown = two.bea.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((&shown["context"], &shown["actual_behavior"]), (&json!(text), &json!(text)));
    two.bea.wf(&["edit", "GH-1", "--title", "it can be written"]).ok();
    let found = two.bea.wf(&["fsck", "--json"]).ok().json();
    assert!(found.as_array().unwrap().iter().all(|it| it["severity"] == "note"), "{found}");
}

#[test]
fn a_value_that_is_too_large_is_refused_by_name_and_size() {
    let two = Two::new();
    let repo = &two.ada;
    repo.wf(&["new", "small", "--id", "GH-1"]).ok();
    let tip = repo.tip();
    let text = "x".repeat((1 << 20) - 1);
    repo.write("large.txt", &text);
    let mut large = plan();
    large["exploration_context"] = json!({"notes": text});
    repo.write("plan.json", large.to_string());
    for (args, field) in [
        (&["new", "large", "-F", "large.txt", "--json"][..], "`context`"),
        (&["edit", "GH-1", "--from-json", "-", "--json"], "`context`"),
        (&["solution", "add", "GH-1", "plan.json", "--json"], "`plan`"),
    ] {
        let error = repo.wf_in(json!({"context": text}).to_string(), args).fails(1).json_error();
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], "too-large", "{error}");
        assert!(message.contains(field) && message.contains("10") && message.contains("1048576"), "{error}");
        assert_eq!(repo.tip(), tip, "nothing was written");
    }
}

/// Adds this many removed tags, with a stamp that is ahead of all clocks here by less than a day.
fn fill(repo: &crate::support::Repo, count: usize) {
    let mut record = repo.stored_json(&file("GH-1"));
    for n in 0..count {
        record["clock"][format!("-tags/e{n:05}")] = json!("2026-11-22T01:00:00.000Z/00000/0000000a");
    }
    repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
}

#[test]
fn a_full_set_is_refused_by_name_and_a_repair_makes_room() {
    // More than a write may leave, and far more.
    for count in [4096, 8191] {
        let two = Two::new();
        two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
        two.ada.wf(&["sync"]).ok();
        two.bea.wf(&["sync"]).ok();
        fill(&two.bea, count);
        two.bea.wf(&["sync"]).ok();
        // Someone who does not know of it adds a tag.
        two.ada.wf(&["edit", "GH-1", "-t", "honest"]).ok();
        let told = two.ada.wf(&["sync"]).ok();
        assert!(told.stderr.contains("more than a write may"), "{}", told.stderr);
        let tip = two.ada.tip();
        let error = two.ada.refused(1, &["edit", "GH-1", "-t", "new"]);
        assert!(error["message"].as_str().unwrap().contains("nothing can be added"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("fsck --repair"), "{error}");
        assert_eq!(two.ada.tip(), tip, "nothing was written");
        two.ada.wf(&["edit", "GH-1", "--title", "it can be written"]).ok();
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        let is_full = |it: &serde_json::Value| it["what"].as_str().unwrap().starts_with("its sets are full");
        assert!(found.as_array().unwrap().iter().any(is_full), "{found:#}");
        // The person who filled it is still reported.
        two.ada.wf(&["fsck", "--repair"]).fails(1);
        for n in 0..3 {
            two.ada.wf(&["edit", "GH-1", "-t", &format!("new{n}")]).ok();
        }
        two.meet();
        two.assert_one_state();
        let shown = two.bea.wf(&["show", "GH-1", "--json"]).ok().json();
        assert_eq!(shown["tags"], json!(["auth", "honest", "new0", "new1", "new2"]), "{count}");
        // What was removed stays removed.
        let clock = &two.bea.stored_json(&file("GH-1"))["clock"];
        let removed = clock.as_object().unwrap().keys().filter(|key| key.starts_with("-tags/")).count();
        assert_eq!(removed, count);
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(!found.as_array().unwrap().iter().any(is_full), "{found:#}");
    }
}

/// Puts this much into the record by hand, as no command does, with the stamp of its birth.
fn crowd(repo: &crate::support::Repo, by: &str, tags: usize, fields: usize) {
    let mut record = repo.stored_json(&file("GH-1"));
    record["tags"] = (0..tags).map(|n| json!(format!("{by}{n:05}"))).collect();
    for n in 0..fields {
        record[format!("zoo_{by}_{n:02}")] = json!(n);
    }
    repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
}

#[test]
fn what_was_pushed_beyond_what_a_write_may_costs_nobody_anything() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    crowd(&two.ada, "ada", 5000, 14);
    crowd(&two.bea, "bea", 6000, 15);
    // A clone that knows of neither, and whose write is earlier.
    let cyd = two.sandbox.clone(&two.origin, "cyd");
    cyd.wf(&["init"]).ok();
    cyd.wf(&["edit", "GH-1", "-t", "honest"]).ok();
    for repo in [&two.ada, &cyd, &two.bea, &two.ada, &cyd] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    assert_eq!(cyd.tip(), two.ada.tip());
    let shown = two.bea.wf(&["show", "GH-1", "--json"]).ok().json();
    let tags = shown["tags"].as_array().unwrap();
    // `auth` was removed by hand, without a trace, so the others still have it.
    assert_eq!(tags.len(), 5000 + 6000 + 2);
    assert!(tags.contains(&json!("honest")) && tags.contains(&json!("ada00000")));
    let stored = cyd.stored_json(&file("GH-1"));
    let unknown = stored.as_object().unwrap().keys().filter(|key| key.starts_with("zoo_")).count();
    assert_eq!(unknown, 14 + 15);
    two.bea.wf(&["edit", "GH-1", "--title", "it can be written"]).ok();
    let found = two.bea.wf(&["fsck", "--json"]).fails(1).stdout;
    assert!(found.contains("29 fields that this version does not know"), "{found}");
    assert!(found.contains("Ada <ada@example.org> brought its sets to 5000 elements"), "{found}");
}

#[test]
fn a_gate_lets_nobody_fill_a_set_and_a_repaired_one_in() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.origin.wf(&["hooks", "install", "--server"]).ok();
    fill(&two.bea, 4096);
    let told = two.bea.wf(&["sync"]).fails(1).stderr;
    assert!(told.contains("4097 elements of sets"), "{told}");
    two.bea.git(&["update-ref", "refs/wf/main", &two.ada.tip().unwrap()]).ok();
    // What is merged leaves room for what others wrote without knowing of it.
    fill(&two.bea, 4095);
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["edit", "GH-1", "-t", "honest"]).ok();
    assert!(two.ada.wf(&["sync"]).fails(1).stderr.contains("4097 elements of sets"));
    two.ada.wf(&["fsck", "--repair"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.assert_one_state();
    assert_eq!(two.bea.wf(&["show", "GH-1", "--json"]).ok().json()["tags"], json!(["auth", "honest"]));
    two.bea.wf(&["edit", "GH-1", "-t", "more"]).ok();
    two.bea.wf(&["sync"]).ok();
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

#[test]
fn two_clones_that_add_as_much_as_a_write_may_lose_nothing() {
    let two = Two::with_issue();
    let tags = |by: &str, count: usize| (0..count).map(|n| format!("{by}{n:04}")).collect::<Vec<_>>();
    for (repo, by) in [(&two.ada, "a"), (&two.bea, "b")] {
        let error =
            repo.wf_in(json!({"tags": tags(by, 4097)}).to_string(), &["edit", "GH-1", "--from-json", "-"]);
        assert!(error.fails(1).stderr.contains("4097 elements"));
        repo.wf_in(json!({"tags": tags(by, 4096)}).to_string(), &["edit", "GH-1", "--from-json", "-"]).ok();
    }
    two.meet();
    two.assert_one_state();
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!(shown["tags"], json!([tags("a", 4096), tags("b", 4096)].concat()));
    two.ada.wf_in(json!({"tags": tags("a", 3)}).to_string(), &["edit", "GH-1", "--from-json", "-"]).ok();
    two.ada.wf(&["edit", "GH-1", "-t", "more"]).fails(1);
    two.ada.wf(&["fsck", "--repair"]).ok();
    two.ada.wf(&["edit", "GH-1", "-t", "more"]).ok();
    let tags = [tags("a", 3), vec!["more".into()]].concat();
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["tags"], json!(tags));
}
