//! Two clones import one source at different dates and meet: what the later state no longer has is gone, from every kind of
//! source.

use std::path::Path;

use serde_json::{Value, json};

use super::ccw::{issue, item, queue, write};
use super::git_bug::{Bug, bug};
use super::{paths, store};
use crate::support::{Repo, Sandbox, Two};

/// The records of all issues without their stamps, and the items of all queues.
fn said(repo: &Repo) -> Vec<Value> {
    let issues = paths(repo).into_iter().filter(|path| path.ends_with("/issue.json"));
    let mut all: Vec<Value> = issues.map(|path| repo.stored_json(&path)).collect();
    all.iter_mut().for_each(|it| drop(it.as_object_mut().unwrap().remove("clock")));
    let queues = repo.json(&["queue", "manage", "list", "--all"]);
    for queue in queues.as_array().unwrap() {
        let shown = repo.json(&["queue", "show", queue["id"].as_str().unwrap()]);
        let items = shown["items"].as_array().unwrap().iter();
        all.push(items.map(|it| json!([it["item_id"], it["status"]])).collect());
    }
    all
}

/// Lets two clones import an older and a newer state of a source, in both orders, and meet.
fn later_state_stands(import: impl Fn(&Repo, usize)) {
    let alone = store(&Sandbox::new(), "alone");
    import(&alone, 1);
    let expected = said(&alone);
    for (ada, bea) in [(0, 1), (1, 0)] {
        let two = Two::new();
        import(&two.ada, ada);
        import(&two.bea, bea);
        two.meet();
        two.assert_one_state();
        assert_eq!(said(&two.ada), expected, "{ada} {bea}");
        let tip = two.ada.tip();
        for repo in [&two.ada, &two.bea] {
            import(repo, 1);
            import(repo, 0);
            assert_eq!(repo.tip(), tip, "nothing is left to import");
            assert_eq!(repo.json(&["conflicts"]), json!([]));
            repo.wf(&["fsck"]).ok();
        }
    }
}

#[test]
fn of_ccw() {
    later_state_stands(|repo, n| {
        let project = repo.path().join("project");
        let _ = std::fs::remove_dir_all(&project);
        state_of_ccw(&project, n);
        repo.wf(&["import", "ccw", project.to_str().unwrap()]).ok();
    });
}

/// The later state has lost an item, a tag, an assignee and a dependency.
fn state_of_ccw(project: &Path, n: usize) {
    let at = format!("2026-01-0{}T08:00:00.000Z", n + 2);
    let more = match n {
        0 => json!({"tags": ["a", "b"], "assignee": "Ada", "depends_on": ["ISS-001"]}),
        _ => json!({"tags": ["b"]}),
    };
    let with_time = |more: &Value| {
        let mut more = more.clone();
        more["updated_at"] = at.clone().into();
        more
    };
    let items = match n {
        0 => vec![item(1, 1, "pending", &json!({})), item(2, 2, "pending", &json!({}))],
        _ => vec![item(1, 1, "pending", &json!({}))],
    };
    let status = if n == 0 { "queued" } else { "planned" };
    let issues = [issue(1, "queued", &with_time(&json!({}))), issue(2, status, &with_time(&more))];
    write(project, &issues, &[], &[queue(&items, &at)]);
}

#[test]
fn of_github() {
    let record = |n: usize| {
        let label = |name: &str| json!({"name": name});
        let comment = json!({"author": {"login": "bea"}, "body": "Hm.", "createdAt": "2026-01-01T09:00:00Z", "id": "c"});
        let (labels, people, body, comments, milestone) = match n {
            0 => (
                json!([label("a"), label("b")]),
                json!([{"login": "ada"}]),
                json!("Why"),
                json!([comment]),
                json!({"title": "1.0"}),
            ),
            _ => (json!([label("b")]), json!([]), json!(""), json!([]), json!(null)),
        };
        json!([{"number": 7, "title": "About 7", "body": body, "state": "OPEN", "stateReason": "", "labels": labels,
            "assignees": people, "milestone": milestone, "author": {"login": "ada"}, "createdAt": "2026-01-01T08:00:00Z",
            "updatedAt": format!("2026-01-0{}T08:00:00Z", n + 2), "closedAt": null, "comments": comments,
            "url": "https://github.com/zoo/okapi/issues/7"}])
    };
    later_state_stands(|repo, n| drop(repo.json_in(record(n).to_string(), &["import", "github", "-"])));
}

#[test]
fn of_git_bug() {
    let label = |added: &[&str], removed: &[&str], at| Bug::Labels {
        added: added.iter().map(|it| (*it).to_owned()).collect(),
        removed: removed.iter().map(|it| (*it).to_owned()).collect(),
        at,
    };
    let older = || vec![label(&["a", "b"], &[], 10), Bug::Status(2, 20)];
    let newer = || vec![label(&[], &["a"], 30), Bug::Status(1, 40)];
    let states = [older(), older().into_iter().chain(newer()).collect()];
    later_state_stands(|repo, n| {
        bug(repo, &states[n]);
        repo.wf(&["import", "git-bug"]).ok();
    });
}
