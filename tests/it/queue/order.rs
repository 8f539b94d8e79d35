//! The position of an item, and how the order is drawn.

use serde_json::json;

use super::{item_of, order_of};
use crate::support::{Repo, Sandbox, column, plan_on};

fn three(repo: &Repo) {
    for id in ["A-1", "A-2", "A-3"] {
        repo.queued(id, &format!("src/{id}.rs"));
    }
}

#[test]
fn an_item_is_put_before_or_behind_another() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    let shown = repo.json(&["queue", "order", "S-3", "--before", "S-1"]);
    assert_eq!(column(&shown["items"], "issue_id"), ["A-3", "A-1", "A-2"]);
    repo.changes_nothing(&["queue", "order", "S-3", "--before", "S-1"]);
    repo.wf(&["queue", "order", "A-3", "--after", "S-2"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-1", "A-2", "A-3"]);
    // The next item that is added goes where the rule puts it, and those that were moved stay.
    repo.wf(&["queue", "order", "S-1", "--after", "S-3"]).ok();
    repo.queued("A-4", "src/A-4.rs");
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-3", "A-1", "A-4"]);
    repo.refused(2, &["queue", "order", "S-1"]);
    repo.refused(2, &["queue", "order", "S-1", "--after", "S-1"]);
    assert_eq!(repo.refused(1, &["queue", "order", "S-1", "--after", "S-9"])["code"], "not-found");
    let other = repo.wf(&["queue", "manage", "new"]).ok().line().to_owned();
    repo.planned("A-5", &plan_on("src/A-5.rs"));
    repo.wf(&["queue", "add", "A-5", "--queue", &other]).ok();
    assert_eq!(repo.refused(1, &["queue", "order", "A-5", "--after", "S-2"])["code"], "other-queue");
    // There is always room, however often items are moved.
    for n in 0..40 {
        let (moved, other) = if n % 2 == 0 { ("A-2", "A-1") } else { ("A-3", "A-1") };
        repo.wf(&["queue", "order", moved, "--before", other]).ok();
    }
    let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(order_of(&repo, &[&queue]), ["A-2", "A-3", "A-1", "A-4"]);
}

/// For screen readers, nothing is drawn or aligned.
#[test]
fn a_plain_graph_is_told_in_words() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    repo.wf(&["edit", "A-3", "--depends-on", "A-1,A-2"]).ok();
    let shown = repo.wf(&["queue", "graph", "--plain"]).ok().stdout;
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert!(lines[0].starts_with("S-1, ready, group 1 parallel, issue A-1, title "), "{shown}");
    assert!(lines[2].starts_with("S-3, pending, group 2 parallel, after S-1 and S-2, issue A-3"), "{shown}");
    assert_eq!((lines.len(), lines[3]), (4, "0 of 3 completed"), "{shown}");
    for args in [&["show", "A-3"][..], &["solution", "show", "A-3"]] {
        let shown = repo.wf(&[args, &["--plain"]].concat()).ok().stdout;
        let padded = shown.lines().filter(|line| line.trim_start().contains("  ") && !line.contains("SOL-"));
        assert!(padded.count() <= 1, "only the title follows its id: {shown}");
    }
    assert!(repo.wf(&["show", "A-3", "--plain"]).ok().stdout.contains("\ndepends on: A-1, A-2\n"));
}

#[test]
fn no_order_goes_against_a_dependency() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    repo.wf(&["edit", "A-3", "--depends-on", "A-2"]).ok();
    let error = repo.refused(1, &["queue", "order", "S-3", "--before", "S-1"]);
    assert_eq!(error["code"], "order");
    assert!(error["details"][0].as_str().unwrap().starts_with("S-2 "), "{error}");
    repo.refused(1, &["queue", "order", "S-3", "--before", "S-2"]);
    repo.wf(&["queue", "order", "S-2", "--before", "S-1"]).ok();
    repo.wf(&["queue", "order", "S-3", "--before", "S-1"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-3", "A-1"]);
    // An item after another is also after what that one waits for: a ready item does not pass it.
    repo.wf(&["queue", "order", "S-2", "--after", "S-1"]).ok();
    repo.wf(&["queue", "order", "S-1", "--after", "S-3"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-3", "A-1"]);
}

#[test]
fn a_queue_is_drawn_for_people_and_for_programs() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let title = "Quote \"]; end --> <b> \\n `x`";
    repo.wf(&["new", "--id", "A-1", title]).ok();
    repo.wf_in(plan_on("src/A-1.rs").to_string(), &["solution", "add", "A-1"]).ok();
    for (id, on) in [("A-2", vec!["A-1"]), ("A-3", vec!["A-1"]), ("A-4", vec!["A-2", "A-3", "A-1"])] {
        repo.planned(id, &plan_on(&format!("src/{id}.rs")));
        for on in on {
            repo.wf(&["edit", id, "--depends-on", on]).ok();
        }
    }
    repo.wf(&["queue", "add", "--all-planned"]).ok();
    let drawn = repo.wf(&["queue", "graph"]).ok().stdout;
    let shape: Vec<String> =
        drawn.lines().skip(1).take(6).map(|line| line.split("  S-").next().unwrap().to_owned()).collect();
    assert_eq!(shape, ["○", "├─╮", "│ ·", "· │", "├─╯", "·"], "{drawn}");
    let ascii = repo.with_env("LC_ALL", "C").wf(&["queue", "graph"]).ok().stdout;
    assert!(ascii.is_ascii() && ascii.contains("+-+"), "{ascii}");
    let json = repo.json(&["queue", "graph"]);
    assert_eq!(column(&json["nodes"], "issue_id"), ["A-1", "A-2", "A-3", "A-4"]);
    assert_eq!(json["edges"].as_array().unwrap().len(), 5);
    assert_eq!(json["edges"][0]["type"], "depends_on");
    assert_eq!(column(&json["groups"], "id"), ["P1", "P2", "P3"]);
    assert_eq!(json["groups"][1]["item_ids"], json!(["S-2", "S-3"]));
    let dot = repo.wf(&["queue", "graph", "--dot"]).ok().stdout;
    assert!(dot.contains("Quote \\\"]; end --> <b> \\\\n `x`"), "{dot}");
    assert!(dot.contains("n0 -> n1;"), "{dot}");
    let mermaid = repo.wf(&["queue", "graph", "--mermaid"]).ok().stdout;
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("  n0 --> n1\n"), "{mermaid}");
    let node = mermaid.lines().find(|line| line.contains("n0[")).unwrap();
    assert!(
        node.ends_with("\"]:::ready") && node.matches('"').count() == 2 && !node.contains("<b>"),
        "{node}"
    );
    repo.refused(2, &["queue", "graph", "--dot", "--mermaid"]);
}

#[test]
fn the_queue_shows_who_holds_what_until_when() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    assert!(!repo.wf(&["queue"]).ok().stdout.contains("HOLDER"));
    repo.wf(&["next"]).ok();
    let text = repo.wf(&["queue"]).ok().stdout;
    assert!(text.contains("HOLDER") && text.contains("Ada") && text.contains("2026-11-21T06:00:"), "{text}");
    let shown = repo.on_terminal("", &["queue"]).1;
    assert!(shown.contains("in 4 hours"), "{shown}");
    let holder = item_of(&repo, "A-1")["holder"].clone();
    assert_eq!((&holder["status"], &holder["actor"]), (&json!("executing"), &json!("Ada <ada@example.org>")));
    sandbox.advance(5 * 3600);
    let text = repo.wf(&["queue"]).ok().stdout;
    assert!(text.contains("expired"), "{text}");
}

#[test]
fn priorities_and_groups_are_those_of_the_rule() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "A-1", "Base", "-p", "critical"]).ok();
    repo.wf_in(plan_on("src/x.rs").to_string(), &["solution", "add", "A-1"]).ok();
    repo.wf(&["new", "--id", "A-2", "On it", "-p", "high", "--depends-on", "A-1"]).ok();
    repo.wf_in(plan_on("src/x.rs").to_string(), &["solution", "add", "A-2"]).ok();
    repo.wf(&["new", "--id", "A-3", "Alone", "-p", "trivial"]).ok();
    repo.wf_in(plan_on("src/y.rs").to_string(), &["solution", "add", "A-3"]).ok();
    repo.wf(&["queue", "add", "--all-planned"]).ok();
    let of = |id: &str| {
        let item = item_of(&repo, id);
        (item["semantic_priority"].as_f64().unwrap(), item["execution_group"].as_str().unwrap().to_owned())
    };
    // .9 + .1 foundation + .05 for no dependency, at most 1.
    assert_eq!(of("A-1"), (1.0, "S1".into()));
    assert_eq!(of("A-2"), (0.7, "S1".into()));
    assert_eq!(of("A-3"), (0.15, "P1".into()));
}

#[test]
fn what_shares_files_goes_in_the_order_of_the_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, file) in [("A-1", "src/a.rs"), ("A-2", "src"), ("A-3", "docs/c.md")] {
        repo.queued(id, file);
    }
    repo.wf(&["queue", "order", "S-2", "--before", "S-1"]).ok();
    let conflict = repo.json(&["queue", "overlaps"])[0].clone();
    assert!(conflict["resolution_order"][0].as_str().unwrap().starts_with("SOL-A-2-"), "{conflict}");
    for args in [&["next", "S-1"][..], &["next", "A-1"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "out-of-order", "{args:?}");
        assert!(error["details"][0].as_str().unwrap().contains("shares `src/a.rs`"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("--allow-overlap"), "{error}");
    }
    // An item that shares no file is free to go, and one that cannot be claimed blocks nothing.
    repo.worktree("b", "b").wf(&["next", "S-3"]).ok();
    repo.wf(&["queue", "hold", "S-2", "-m", "not yet"]).ok();
    assert_eq!(repo.worktree("c", "c").json(&["next", "S-1"])["issue_id"], "A-1");
}

#[test]
fn an_order_is_passed_over_only_where_that_is_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["A-1", "A-2"] {
        repo.queued(id, "src/a.rs");
    }
    repo.refused(1, &["next", "S-2"]);
    assert_eq!(repo.json(&["next", "S-2", "--allow-overlap"])["issue_id"], "A-2");
}

#[test]
fn a_declared_order_stands_in_the_place_of_the_queues() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let (one, two) = (repo.queued("A-1", "src/a.rs"), repo.queued("A-2", "src/a.rs"));
    let told = json!({"type": "file", "file": "src/a.rs", "severity": "medium", "solutions": [one, two],
        "resolution": "sequential", "resolution_order": [two, one]});
    repo.wf_in(told.to_string(), &["queue", "overlaps", "--from-json", "-"]).ok();
    let error = repo.refused(3, &["next", "S-1"]);
    assert!(
        error["details"][0].as_str().unwrap().contains("which is queued, as decided for CFT-1"),
        "{error}"
    );
    assert_eq!(repo.json(&["next", "S-2"])["issue_id"], "A-2");
}

#[test]
fn titles_in_the_graph_are_whole_in_a_pipe_and_fill_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let title = "A long title of many words ".repeat(6);
    repo.wf(&["new", "--id", "A-1", &title]).ok();
    repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "A-1", "--queue"]).ok();
    let drawn = repo.wf(&["queue", "graph"]).ok().stdout;
    assert!(drawn.contains(title.trim()), "{drawn}");
    let (_, shown) = repo.on_terminal_of(120, &["queue", "graph", "--color", "never"]);
    let line = shown.lines().find(|line| line.contains("A long title")).unwrap();
    assert!(line.ends_with('…') && (110..=120).contains(&line.chars().count()), "{line:?}");
}
