//! What surrounds an issue: sub-issues, dependents, edited and withdrawn comments, and ids in any case.

use serde_json::json;

use crate::support::Sandbox;

fn ids(list: &serde_json::Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn filters_find_what_is_unblocked_of_a_type_a_part_or_mine() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001", "--type", "Bug"]).ok();
    repo.wf(&["new", "Two", "--id", "ISS-002", "--depends-on", "ISS-001"]).ok();
    repo.wf(&["new", "Three", "--id", "ISS-003", "--relation", "parent-child:ISS-001"]).ok();
    let name = repo.git(&["config", "user.name"]).ok().stdout;
    repo.wf(&["edit", "ISS-003", "--assignee", name.trim()]).ok();
    let list = |options: &[&str]| repo.wf(&[&["list", "--json"], options].concat()).json();
    assert_eq!(ids(&list(&["--unblocked"])), ["ISS-001", "ISS-003"]);
    assert_eq!(ids(&list(&["--waiting"])), ["ISS-002"]);
    repo.refused(2, &["list", "--waiting", "--unblocked"]);
    assert_eq!(ids(&list(&["--type", "bug"])), ["ISS-001"]);
    assert_eq!(ids(&list(&["--parent", "iss-001"])), ["ISS-003"]);
    assert_eq!(ids(&list(&["--mine"])), ["ISS-003"]);
    let shown = repo.wf(&["show", "iss-001", "--json"]).json();
    assert_eq!((ids(&shown["children"]), ids(&shown["dependents"])), (vec!["ISS-003"], vec!["ISS-002"]));
    let said = repo.wf(&["show", "ISS-001"]).ok().stdout;
    assert!(said.contains("parts\n") && said.contains("needed by\n"), "{said}");
    repo.wf(&["close", "ISS-001", "-m", "done"]).ok();
    assert_eq!(ids(&list(&["--unblocked"])), ["ISS-002", "ISS-003"]);
}

#[test]
fn a_comment_is_edited_and_withdrawn_by_a_part_of_its_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    let comment = repo.wf(&["comment", "ISS-001", "first", "--json"]).json();
    let id = comment["id"].as_str().unwrap().rsplit('-').next().unwrap()[..8].to_owned();
    let bodies = || {
        let shown = repo.wf(&["show", "ISS-001", "--json"]).json();
        let all = shown["comments"].as_array().unwrap().iter();
        all.map(|it| (it["body"].clone(), it["is_withdrawn"].clone())).collect::<Vec<_>>()
    };
    assert!(repo.wf(&["show", "ISS-001"]).ok().stdout.contains(&format!("(comment {id})")));
    repo.wf(&["comment", "ISS-001", "--edit", &id, "-m", "second"]).ok();
    assert_eq!(bodies(), [(json!("second"), json!(null))]);
    // The id of the first version still names the comment.
    repo.wf(&["comment", "ISS-001", "--withdraw", &id]).ok();
    assert_eq!(bodies(), [(json!(""), json!(true))]);
    assert!(repo.wf(&["show", "ISS-001"]).ok().stdout.contains(", withdrawn (comment"));
    let again = repo.wf(&["comment", "ISS-001", "--withdraw", &id]).ok().stdout;
    assert!(again.contains("already withdrawn"), "{again}");
    assert_eq!(repo.wf(&["comment", "ISS-001", "--withdraw", "zzz"]).code, 1);
}

#[test]
fn a_comment_keeps_its_id_through_edits() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", "one"]).ok();
    let shown = || {
        let said = repo.wf(&["show", "ISS-001"]).ok().stdout;
        said.split("(comment ").nth(1).unwrap().split(')').next().unwrap().to_owned()
    };
    let id = shown();
    let said = repo.wf(&["comment", "ISS-001", "--edit", &id, "-m", "two"]).ok().stdout;
    assert_eq!(said, format!("changed comment {id} on ISS-001\n"));
    assert_eq!(shown(), id);
    let said = repo.wf(&["comment", "ISS-001", "--withdraw", &id]).ok().stdout;
    assert_eq!(said, format!("withdrew comment {id} on ISS-001\n"));
    assert_eq!(shown(), id);
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains(&format!("`body` of comment {id} ")), "{said}");
}

#[test]
fn what_is_mine_is_found_under_a_name_with_an_accent() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work").as_person("Élodie", "elodie@example.org");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    repo.wf(&["edit", "ISS-001", "--assignee", "Élodie"]).ok();
    assert_eq!(ids(&repo.json(&["list", "--mine"])), ["ISS-001"]);
}

#[test]
fn the_end_of_a_queues_id_is_found_in_any_case() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.queued("ISS-001", "a.txt");
    let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
    let end = queue.rsplit('-').next().unwrap().to_uppercase();
    assert_eq!(repo.json(&["show", &end])["id"], queue);
}
