//! The filters and orders of `list`.

use serde_json::json;

use crate::support::{Repo, Sandbox, column, plan_on};

fn ids(repo: &Repo, args: &[&str]) -> String {
    column(&repo.json(&[&["list"], args].concat()), "id").join(" ")
}

#[test]
fn filters_of_all_kinds_at_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let bea = repo.as_person("Bea Müller", "bea@example.org");
    repo.wf(&["new", "One", "--id", "A-1", "-t", "wave-1", "--component", "core"]).ok();
    sandbox.advance(24 * 60 * 60);
    bea.wf(&["new", "Two", "--id", "A-2", "-t", "wave-2", "--component", "core", "--component", "ui"]).ok();
    sandbox.advance(24 * 60 * 60);
    bea.wf(&["new", "Three", "--id", "A-3", "-t", "wave-2"]).ok();
    repo.queued("A-4", "src/a.rs");
    repo.wf(&["close", "A-3"]).ok();
    assert_eq!(ids(&repo, &["--wave", "2"]), "A-2");
    assert_eq!(ids(&repo, &["--wave", "2", "--all"]), "A-2 A-3");
    assert_eq!(ids(&repo, &["--component", "core", "--component", "ui"]), "A-2");
    assert_eq!(ids(&repo, &["--author", "müll", "-a"]), "A-2 A-3");
    assert_eq!(ids(&repo, &["--since", "2026-11-22"]), "A-2 A-4");
    assert_eq!(ids(&repo, &["--until", "2026-11-22"]), "A-1 A-2");
    assert_eq!(ids(&repo, &["--since", "2026-11-22", "--until", "yesterday"]), "A-2");
    assert_eq!(ids(&repo, &["--since", "36 hours ago"]), "A-2 A-4");
    assert_eq!(ids(&repo, &["--has-plan"]), "A-4");
    assert_eq!(ids(&repo, &["--ready"]), "A-4");
    repo.wf(&["next"]).ok();
    assert_eq!(ids(&repo, &["--ready"]), "");
    assert_eq!(ids(&repo, &["--search", "one OR two", "--author", "bea"]), "A-2");
    assert_eq!(ids(&repo, &["--offset", "1", "--limit", "1"]), "A-2");
    assert_eq!(ids(&repo, &["--offset", "9"]), "");
    assert_eq!(repo.json(&["list", "--count", "--wave", "2"]), json!({"count": 1}));
    assert_eq!(repo.wf(&["list", "--count", "--all", "--limit", "1"]).ok().line(), "4");
    for date in ["soon", "2026-02-30", ""] {
        let error = repo.refused(2, &["list", "--since", date]);
        assert!(error["hint"].as_str().unwrap().contains("2 weeks ago"), "{error}");
    }
}

#[test]
fn issues_are_found_and_sorted_by_when_they_were_closed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let closed = |id: &str, at: &str| {
        json!({"id": id, "title": format!("About {id}"), "status": "closed", "closed_at": at,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-03-01T00:00:00Z"})
    };
    let file =
        format!("{}\n{}\n", closed("zoo-1", "2026-02-01T08:00:00Z"), closed("zoo-2", "2026-02-20T08:00:00Z"));
    repo.wf_in(&file, &["import", "beads", "-"]).ok();
    repo.wf(&["new", "Given up", "--id", "A-1"]).ok();
    repo.wf(&["new", "Open", "--id", "A-2"]).ok();
    repo.wf(&["close", "A-1"]).ok();
    assert_eq!(ids(&repo, &["--all", "--sort", "closed"]), "A-1 zoo-2 zoo-1 A-2");
    assert_eq!(ids(&repo, &["--all", "--sort", "closed_at", "-n", "2"]), "A-1 zoo-2");
    assert_eq!(ids(&repo, &["--closed-since", "2026-02-20", "--sort", "closed"]), "A-1 zoo-2");
    assert_eq!(ids(&repo, &["--closed-until", "2026-02-19"]), "zoo-1");
    assert_eq!(repo.json(&["list", "--count", "--closed-since", "2026-02-02"]), json!({"count": 2}));
    let table =
        repo.wf(&["list", "--closed-until", "2026-02-20", "--sort", "closed", "--date", "short"]).ok();
    assert_eq!(
        table.stdout,
        "ID     PRIORITY  STATUS  CLOSED      TITLE        TAGS\n\
         zoo-2  medium    closed  2026-02-20  About zoo-2\n\
         zoo-1  medium    closed  2026-02-01  About zoo-1\n"
    );
    let open = repo.wf(&["list", "--sort", "closed"]).ok();
    assert!(open.stderr.contains("--all"), "{}", open.stderr);
    repo.wf(&["reopen", "A-1"]).ok();
    assert_eq!(ids(&repo, &["--closed-since", "2026-02-20"]), "zoo-2", "it is open again");
    repo.refused(2, &["list", "--closed-since", "soon"]);
}

#[test]
fn a_filter_that_fits_very_many_goes_by_the_order() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let lines: String = (0..1600)
        .map(|n| {
            let line = json!({"id": format!("many-{n:04}"), "title": format!("number {n}"), "priority": n % 5,
                "status": if n % 3 == 0 { "closed" } else { "open" }, "issue_type": "task", "labels": ["all"],
                "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"});
            format!("{line}\n")
        })
        .collect();
    repo.wf_in(&lines, &["import", "beads", "-"]).ok();
    repo.planned("many-x", &plan_on("src/x.rs"));
    let expected = |over: bool, by_id: bool| {
        let mut all: Vec<usize> = (0..1600).filter(|n| over || n % 3 != 0).collect();
        all.sort_by_key(|n| if by_id { 0 } else { n % 5 });
        all.iter().take(3).map(|n| format!("many-{n:04}")).collect::<Vec<_>>().join(" ")
    };
    let urgent = expected(false, false);
    assert_eq!(ids(&repo, &["-n", "3"]), urgent);
    assert_eq!(ids(&repo, &["-n", "3", "--tag", "all"]), urgent);
    assert_eq!(ids(&repo, &["-n", "3", "--search", "number"]), urgent);
    // Issues of one status come in the same order, whether they are many or few.
    let closed = (0..1600).filter(|n| n % 3 == 0 && n % 5 == 0).take(3).map(|n| format!("many-{n:04}"));
    assert_eq!(ids(&repo, &["-n", "3", "--status", "registered", "--tag", "all"]), urgent);
    assert_eq!(ids(&repo, &["-n", "3", "--status", "closed"]), closed.collect::<Vec<_>>().join(" "));
    assert_eq!(ids(&repo, &["-n", "3", "--tag", "all", "--all"]), expected(true, false));
    assert_eq!(ids(&repo, &["-n", "3", "--tag", "all", "--sort", "id"]), expected(false, true));
    assert_eq!(ids(&repo, &["--tag", "all", "--has-plan"]), "");
    assert_eq!(ids(&repo, &["--has-plan"]), "many-x");
    assert_eq!(repo.json(&["list", "--count", "--status", "closed"])["count"], 534);
}
