//! What users may type instead of an id.

use crate::support::{Repo, Sandbox, plan, plan_on};

#[test]
fn an_unambiguous_start_will_do_and_an_exact_id_beats_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["ISS-1", "ISS-12", "GH-7"] {
        repo.issue(id);
    }
    let made = repo.wf(&["new", "Made here"]).ok();
    let uid = made.line().rsplit_once('-').unwrap().1;
    let shown = |text: &str| repo.json(&["show", text])["id"].as_str().unwrap().to_owned();
    assert_eq!(shown("ISS-1"), "ISS-1");
    assert_eq!(shown("ISS-12"), "ISS-12");
    assert_eq!(shown("GH"), "GH-7");
    assert_eq!(shown(uid), made.line());
    assert_eq!(shown(&made.line()[..14]), made.line());
    let error = repo.refused(1, &["show", "ISS-"]);
    assert_eq!(error["code"], "ambiguous-id");
    let message = error["message"].as_str().unwrap();
    for id in ["`ISS-1`", "`ISS-12`", made.line()] {
        assert!(message.contains(id), "{message}");
    }
    assert!(!message.contains("GH-7"), "{message}");
    for wrong in ["ISS-404", "", "../wf", "S-1", "QUE-1", "a:b", "GH-7 "] {
        assert_eq!(repo.refused(1, &["show", wrong])["code"], "not-found", "`{wrong}`");
    }
    repo.wf(&["edit", "12", "-t", "x"]).ok();
    assert_eq!(repo.json(&["show", "ISS-12"])["tags"][0], "x");
}

#[test]
fn a_long_list_of_candidates_is_cut() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let lines: String =
        (10..35).map(|n| format!("{{\"id\":\"bd-{n}\",\"title\":\"t\",\"status\":\"open\"}}\n")).collect();
    let lines = lines.replace(
        "\"status\"",
        "\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\",\"status\"",
    );
    repo.wf_in(lines, &["import", "beads", "-"]).ok();
    let error = repo.refused(1, &["show", "bd-"]);
    assert!(error["message"].as_str().unwrap().ends_with("`bd-19` or 15 more"), "{error}");
}

#[test]
fn every_kind_of_id_is_shown() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    let claim = repo.json(&["next"]);
    let queue = claim["queue_id"].as_str().unwrap();
    let execution = claim["execution_id"].as_str().unwrap();
    assert_eq!(repo.json(&["show", "ISS-001"])["title"], "About ISS-001");
    assert_eq!(repo.json(&["show", &solution])["plan_digest"], claim["plan_digest"]);
    assert_eq!(repo.json(&["show", execution])["attempt"], 1);
    assert_eq!(repo.json(&["show", queue])["items"][0]["item_id"], "S-1");
    for item in ["S-1", &format!("{queue}:S-1"), &format!("{queue}:{solution}")] {
        assert_eq!(repo.json(&["show", item])["solution_id"], solution.as_str(), "{item}");
    }
    // In the id of an execution, people see eight letters of the hash.
    let short = &execution[..execution.len() - 18];
    for text in ["ISS-001", solution.as_str(), short, queue, "S-1"] {
        let shown = repo.wf(&["show", text]).ok().stdout;
        assert!(shown.starts_with(text), "{shown}");
    }
}

#[test]
fn an_item_number_of_two_queues_is_ambiguous_but_for_the_own() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let second = repo.wf(&["queue", "manage", "new", "later"]).ok();
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    repo.wf(&["queue", "add", "ISS-002", "--queue", second.line()]).ok();
    let error = repo.refused(1, &["detail", "S-1"]);
    assert_eq!(error["code"], "ambiguous-id");
    assert!(error["message"].as_str().unwrap().contains(&format!("{}:S-1", second.line())), "{error}");
    repo.wf(&["next", &format!("{}:S-1", second.line())]).ok();
    assert_eq!(repo.json(&["detail", "S-1"])["issue_id"], "ISS-002");
}

#[test]
fn an_exact_last_part_beats_a_longer_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["beads_rust-0v1", "beads_rust-0v1x", "beads_rust-0v1.2", "zoo-7"] {
        repo.issue(id);
    }
    assert_eq!(repo.json(&["show", "0v1"])["id"], "beads_rust-0v1");
    repo.wf(&["comment", "0v1", "-m", "x"]).ok();
    assert_eq!(repo.json(&["show", "beads_rust-0v1"])["comments"].as_array().unwrap().len(), 1);
    assert_eq!(repo.refused(1, &["show", "0v"])["code"], "ambiguous-id");
    assert_eq!(repo.refused(1, &["edit", "0v", "-p", "1"])["code"], "ambiguous-id");
    // Even if the start of a plan's id would be enough.
    repo.wf_in(plan().to_string(), &["solution", "add", "0v1"]).ok();
    let mut other = plan_on("src/z.rs");
    other["id"] = "SOL-zoo-7-0v1x".into();
    repo.wf_in(other.to_string(), &["solution", "add", "7"]).ok();
    let of = repo.json(&["task", "list", "0v1"]);
    assert_eq!(of.as_array().unwrap().len(), 2, "the plan of the issue: {of:#}");
    repo.wf(&["queue", "add", "0v1", "7"]).ok();
    assert_eq!(repo.json(&["detail", "0v1"])["issue_id"], "beads_rust-0v1");
    // Where an item is expected, only items are candidates.
    assert_eq!(repo.json(&["detail", "0v1x"])["issue_id"], "zoo-7");
    assert_eq!(repo.refused(1, &["detail", "0v"])["code"], "ambiguous-id");
}

#[test]
fn relations_and_dependencies_take_short_ids() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["zoo-0v1", "zoo-0v1x", "zoo-2"] {
        repo.issue(id);
    }
    let made =
        repo.json(&["new", "t", "--relation", "relates-to:0v1,duplicates:zoo-2", "--depends-on", "0v1,2"]);
    assert_eq!(made["relations"], serde_json::json!(["duplicates:zoo-2", "relates-to:zoo-0v1"]));
    assert_eq!(made["depends_on"], serde_json::json!(["zoo-0v1", "zoo-2"]));
    let id = made["id"].as_str().unwrap();
    let edited = repo.json(&["edit", id, "--relation=-relates-to:0v1", "--relation", "relates-to:GH-404"]);
    assert_eq!(edited["relations"], serde_json::json!(["duplicates:zoo-2", "relates-to:GH-404"]));
    assert_eq!(repo.refused(1, &["edit", id, "--relation", "relates-to:40"])["code"], "not-found");
    assert_eq!(repo.refused(1, &["edit", id, "--relation", "relates-to:zoo"])["code"], "ambiguous-id");
    assert_eq!(repo.refused(1, &["edit", id, "--relation", "likes:0v1"])["code"], "invalid-relation");
}

/// Runs a command with a short id. Whatever else is wrong, the id is accepted.
#[track_caller]
fn takes(repo: &Repo, line: &str) {
    let args: Vec<&str> = line.split(' ').collect();
    let ran = repo.wf_in(plan_on("src/other.rs").to_string(), &[&args[..], &["--json"]].concat());
    assert_ne!(ran.code, 2, "{line}: {}", ran.stderr);
    if ran.code == 1 && !ran.stderr.is_empty() {
        let error = ran.json_error();
        let code = error["code"].as_str().unwrap();
        assert!(!["not-found", "ambiguous-id", "ambiguous", "invalid-id"].contains(&code), "{line}: {error}");
    }
}

#[test]
fn every_command_that_takes_an_id_takes_a_short_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["zoo-0v1", "zoo-0v1x", "zoo-2"] {
        repo.issue(id);
    }
    let mut first = plan_on("src/a.rs");
    first["id"] = "SOL-zoo-0v1-p1".into();
    repo.wf_in(first.to_string(), &["solution", "add", "0v1"]).ok();
    repo.planned("zoo-3", &plan_on("src/b.rs"));
    let made = repo.wf(&["queue", "manage", "new", "later"]).ok();
    let other = made.line().rsplit_once('-').unwrap().1.to_owned();
    for line in [
        "show 0v1",
        "edit 0v1 --title x",
        "comment 0v1 -m x",
        "close 2",
        "reopen 2",
        "log 0v1",
        "trace 0v1",
        "diff @{1}.. 0v1",
        "context 0v1",
        "feedback 0v1 x --solution p1",
        "feedback 0v1",
        "solution list 0v1",
        "solution show p1",
        "solution check p1",
        "solution check p1 --issue 0v1 --with 3",
        "solution diff p1",
        "solution add 0v1",
        "task list 0v1",
        "task list p1",
        "task edit p1 T1 --title x",
        "bind 0v1 p1",
        "plan choose 0v1 --none",
        "bind 0v1 p1",
        "queue add 0v1",
        "queue add 3",
        "queue hold 0v1 -m x",
        "queue release 0v1",
        "queue order 0v1 --before 3",
        "queue order p1 --after 3",
        "queue overlaps --add api --items 0v1,3 --order p1,3",
        "queue resolve CFT-1 --order 3,0v1",
        "queue resolve CFT-1 --order 0v1,3",
        "detail 0v1",
        "detail p1",
        "context p1",
        "next 0v1",
        "lease renew 0v1",
        "verify 0v1",
        "accept T1 1 --item 0v1 -m x",
        "link HEAD 0v1",
        "link --remove HEAD 0v1",
        "link HEAD p1",
        "link --remove HEAD p1",
        "fail --item 0v1 -m x",
        "retry 0v1",
        "next 0v1",
        "lease release 0v1",
        "next p1",
        "done --item 0v1 --force --reason x",
        "redact 0v1 title -m x",
        "queue remove 3",
    ] {
        takes(&repo, line);
    }
    for line in [
        "show Q",
        "queue show Q",
        "queue dag Q",
        "queue overlaps Q",
        "queue manage pause Q",
        "queue manage resume Q",
        "queue activate Q",
        "queue priority Q 3",
        "queue add 2 --queue Q",
        "next --queue Q",
        "log Q",
        "queue archive Q",
    ] {
        takes(&repo, &line.replace('Q', &other));
    }
    repo.wf(&["export", "jsonl"]).ok();
}
