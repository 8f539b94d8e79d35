//! What a user may type for an id.

use crate::support::{Sandbox, plan_on};

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
    assert!(error["message"].as_str().unwrap().ends_with("`bd-19` and 15 more"), "{error}");
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
    // People see eight letters of the hash in the id of an execution.
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
    let second = repo.wf(&["queue", "new", "later"]).ok();
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    repo.wf(&["queue", "add", "ISS-002", "--queue", second.line()]).ok();
    let error = repo.refused(1, &["detail", "S-1"]);
    assert_eq!(error["code"], "ambiguous-id");
    assert!(error["message"].as_str().unwrap().contains(&format!("{}:S-1", second.line())), "{error}");
    repo.wf(&["next", &format!("{}:S-1", second.line())]).ok();
    assert_eq!(repo.json(&["detail", "S-1"])["issue_id"], "ISS-002");
}
