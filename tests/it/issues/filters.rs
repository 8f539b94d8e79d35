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
    assert_eq!(ids(&repo, &["--has-solution"]), "A-4");
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
    assert_eq!(ids(&repo, &["--tag", "all", "--has-solution"]), "");
    assert_eq!(ids(&repo, &["--has-solution"]), "many-x");
    assert_eq!(repo.json(&["list", "--count", "--status", "closed"])["count"], 534);
}
