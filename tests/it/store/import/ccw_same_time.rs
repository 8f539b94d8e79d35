//! Stores of ccw that changed without a later time of change: every clone takes the same one of the two contents, under
//! a stamp of its own, so that `fsck` and a server find nothing wrong.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::ccw::{AT, import, issue, item, queue, write};
use super::store;
use crate::hooks::shared;
use crate::support::{Repo, Sandbox};

const FIRST: &str = "QUE-20260101080000";
const SECOND: &str = "QUE-20260101080001";

/// A project with two queues.
fn project(at: &Path) {
    let items = [item(1, 1, "pending", &json!({})), item(2, 2, "pending", &json!({}))];
    let mut second = queue(&[item(1, 3, "pending", &json!({}))], AT);
    second["id"] = SECOND.into();
    let issues = [1, 2, 3].map(|n| issue(n, "queued", &json!({})));
    write(at, &issues, &[], &[queue(&items, AT), second]);
}

/// Changes a file of a project.
fn change(project: &Path, file: &str, how: impl Fn(&mut Value)) {
    let path = project.join(".workflow/issues").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let mut values: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    values.iter_mut().for_each(how);
    fs::write(path, values.iter().map(|value| format!("{value}\n")).collect::<String>()).unwrap();
}

/// Changes a project.
type Change = fn(&Path);

/// The ways in which ccw changes something without a later time of change.
fn changes() -> [(&'static str, Change); 4] {
    [
        ("plan", |at| {
            change(at, "solutions/ISS-001.jsonl", |it| it["description"] = "Otherwise".into());
        }),
        ("queue status", |at| {
            change(at, &format!("queues/{FIRST}.json"), |it| it["status"] = "paused".into());
        }),
        ("item order", |at| {
            change(at, &format!("queues/{FIRST}.json"), |it| {
                it["solutions"][0]["execution_order"] = 2.into();
                it["solutions"][1]["execution_order"] = 1.into();
            });
        }),
        ("active queue", |at| {
            change(at, "queues/index.json", |it| it["active_queue_id"] = SECOND.into());
        }),
    ]
}

/// What the store says about plans and queues.
fn said(repo: &Repo) -> Value {
    let plan = repo.stored_json(&repo.store_path("/SOL-ISS-001-1/solution.json"))["plan"].clone();
    let queues = [FIRST, SECOND].map(|id| {
        let queue = repo.json(&["queue", "show", id]);
        let items: Vec<&Value> =
            queue["items"].as_array().unwrap().iter().map(|it| &it["issue_id"]).collect();
        json!([queue["status"], queue["priority"], items])
    });
    json!([plan, queues])
}

#[test]
fn a_change_without_a_later_time_is_taken_or_left_as_a_whole() {
    let sandbox = Sandbox::new();
    for (n, (what, how)) in changes().into_iter().enumerate() {
        let [old, new] = ["old", "new"].map(|name| sandbox.root().join(format!("{name} {n}")));
        project(&old);
        project(&new);
        how(&new);
        let alone = [&old, &new].map(|project| {
            let repo = store(&sandbox, &format!("alone {n} {}", project == &old));
            import(&repo, project);
            said(&repo)
        });
        assert_ne!(alone[0], alone[1], "{what}");

        let (server_sandbox, server, ada) = shared();
        let bea = server_sandbox.clone(&server, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        for (repo, first, then) in [(&ada, &old, &new), (&bea, &new, &old)] {
            import(repo, first);
            import(repo, then);
            assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes", "{what}");
            assert!(alone.contains(&said(repo)), "{what}: {:#}", said(repo));
        }
        assert_eq!(said(&ada), said(&bea), "{what}");
        for repo in [&ada, &bea, &ada] {
            repo.wf(&["sync"]).ok();
        }
        assert_eq!(ada.tip(), server.tip(), "{what}");
        assert_eq!(ada.json(&["conflicts"]), json!([]), "{what}");
    }
}

#[test]
fn clones_that_import_two_contents_of_one_time_meet() {
    let sandbox = Sandbox::new();
    for (n, (what, how)) in changes().into_iter().enumerate() {
        let [old, new] = ["old", "new"].map(|name| sandbox.root().join(format!("{name} {n}")));
        project(&old);
        project(&new);
        how(&new);
        let (server_sandbox, server, ada) = shared();
        let bea = server_sandbox.clone(&server, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        import(&ada, &old);
        import(&bea, &new);
        let alone = [&ada, &bea].map(said);
        for repo in [&ada, &bea, &ada] {
            repo.wf(&["sync"]).ok();
        }
        assert_eq!((ada.tip(), bea.tip()), (server.tip(), server.tip()), "{what}");
        assert!(alone.contains(&said(&ada)), "{what}: {:#}", said(&ada));
        let met = said(&ada);
        import(&ada, &new);
        import(&ada, &old);
        assert_eq!(said(&ada), met, "{what}: both are known already");
        ada.wf(&["sync"]).ok();
        assert_eq!(ada.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes", "{what}");
    }
}

/// The stamp of the order of the queues in a content, whose counter is the number of the content.
fn ordered(sandbox: &Sandbox, project: &Path, name: &str) -> String {
    let repo = store(sandbox, name);
    import(&repo, project);
    let queue = repo.stored_json(&repo.store_path(&format!("/{FIRST}/queue.json")));
    queue["clock"]["priority"].as_str().unwrap().to_owned()
}

/// The first and the third content have one order of the queues, the second has the other one, and their numbers rise.
#[test]
fn of_three_contents_of_one_time_one_orders_all_queues() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.root().join(name);
    let (mut one, mut two) = (at("one"), at("two"));
    let second_first =
        |at: &Path| change(at, "queues/index.json", |it| it["active_queue_id"] = SECOND.into());
    [&one, &two].into_iter().for_each(|at| project(at));
    second_first(&two);
    let [mut lower, mut higher] =
        [&one, &two].map(|at| ordered(&sandbox, at, &format!("{} alone", at == &one)));
    let is_turned = lower > higher;
    if is_turned {
        std::mem::swap(&mut one, &mut two);
        std::mem::swap(&mut lower, &mut higher);
    }
    let three = (0..30).map(|n| {
        let three = at(&format!("three {n}"));
        project(&three);
        if is_turned {
            second_first(&three);
        }
        change(&three, &format!("queues/{FIRST}.json"), |it| it["name"] = format!("Release {n}").into());
        let number = ordered(&sandbox, &three, &format!("third {n}"));
        (number > higher).then_some(three)
    });
    let three = three.flatten().next().unwrap();

    let (server_sandbox, server, ada) = shared();
    let bea = server_sandbox.clone(&server, "bea");
    bea.wf(&["init"]).ok();
    import(&ada, &one);
    import(&ada, &three);
    import(&bea, &two);
    let order = |repo: &Repo| [FIRST, SECOND].map(|id| repo.json(&["queue", "show", id])["priority"].clone());
    let alone = [&ada, &bea].map(order);
    assert_ne!(alone[0], alone[1]);
    for repo in [&ada, &bea, &ada] {
        repo.wf(&["sync"]).ok();
    }
    assert!(alone.contains(&order(&ada)), "{:?}", order(&ada));
    assert_eq!(order(&ada), order(&bea));
    let met = order(&ada);
    for project in [&one, &two, &three] {
        import(&ada, project);
    }
    assert!(alone.contains(&order(&ada)), "{met:?} became {:?}", order(&ada));
    assert_eq!(ada.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
}
