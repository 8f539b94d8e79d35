//! A document that is added again.

use serde_json::{Value, json};

use super::{add, direct, issue_of, progressive, task};
use crate::support::{Sandbox, Two, column};

#[test]
fn adding_twice_is_adding_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let tip = repo.tip();
    sandbox.advance(60);
    let second = add(&repo, &direct(), &[]);
    assert_eq!(repo.tip(), tip, "nothing changed");
    assert_eq!((&second["id"], &second["is_new"]), (&first["id"], &json!(false)));
    assert_eq!(column(&second["unchanged"], "issue_id"), column(&first["created"], "issue_id"));
    let new = add(&repo, &direct(), &["--new"]);
    assert_ne!(new["id"], first["id"]);
    assert_eq!(repo.refused_in(direct().to_string(), 1, &["roadmap", "add", "-"])["code"], "choice-needed");
    let id = first["id"].as_str().unwrap();
    assert_eq!(add(&repo, &direct(), &["--roadmap", id])["unchanged"].as_array().unwrap().len(), 3);
    let mut named = direct();
    named["id"] = json!(id);
    assert_eq!(add(&repo, &named, &[])["unchanged"].as_array().unwrap().len(), 3);
}

#[test]
fn what_the_document_changed_comes_and_what_people_changed_stays() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let [one, two] = ["T1", "T2"].map(|item| issue_of(&first, item));
    sandbox.advance(60);
    repo.wf(&["edit", &one, "--priority", "critical", "--tag", "urgent"]).ok();
    repo.wf(&["edit", &two, "--title", "Another title"]).ok();
    sandbox.advance(60);
    let mut changed = direct();
    changed["tasks"][0]["title"] = json!("Write CSV and TSV");
    changed["tasks"][0]["effort"] = json!("small");
    changed["tasks"][1]["scope"] = json!(["src/pdf"]);
    changed["tasks"].as_array_mut().unwrap().push(task("T4", "Tell about it", "docs", &["T3"]));
    let tip = repo.tip();
    let preview = add(&repo, &changed, &["--dry-run"]);
    assert_eq!((repo.tip(), &preview["dry_run"]), (tip, &json!(true)));
    let second = add(&repo, &changed, &[]);
    assert_eq!(column(&second["created"], "item"), ["T4"]);
    assert_eq!(column(&second["changed"], "item"), ["T1", "T2"]);
    assert_eq!(column(&preview["changed"], "item"), ["T1", "T2"]);
    assert_eq!(column(&second["unchanged"], "item"), ["T3"]);
    let issue = repo.json(&["show", &one]);
    assert_eq!((&issue["title"], &issue["priority"]), (&json!("[feature] Write CSV and TSV"), &json!(1)));
    assert!(issue["tags"].to_string().contains("urgent"));
    let issue = repo.json(&["show", &two]);
    assert_eq!(issue["title"], "Another title", "only its scope changed in the document");
    assert!(issue["context"].as_str().unwrap().contains("- src/pdf\n"));
    assert_eq!(repo.json(&["show", &issue_of(&second, "T4")])["wave"], 3);
    // What both changed is the document's, and what was here is named.
    changed["tasks"][1]["title"] = json!("Write PDF/A");
    let third = add(&repo, &changed, &[]);
    let was = &third["overridden"][0];
    assert_eq!(
        (&was["issue_id"], &was["field"], &was["value"]),
        (&json!(two), &json!("title"), &json!("Another title"))
    );
    assert_eq!(repo.json(&["show", &two])["title"], "[feature] Write PDF/A");
    repo.wf(&["fsck"]).ok();
}

#[test]
fn nothing_loses_its_task_in_silence() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let [one, three] = ["T1", "T3"].map(|item| issue_of(&first, item));
    let mut less = direct();
    less["tasks"].as_array_mut().unwrap().truncate(2);
    let tip = repo.tip();
    let refused = repo.refused_in(less.to_string(), 1, &["roadmap", "add", "-"]);
    assert_eq!((refused["code"].as_str(), repo.tip()), (Some("would-orphan"), tip));
    assert!(refused["details"].to_string().contains(&three));
    let kept = add(&repo, &less, &["--gone", "keep"]);
    assert_eq!(column(&kept["gone"], "issue_id"), [three.as_str()]);
    let issue = repo.json(&["show", &three]);
    assert_eq!((&issue["status"], &issue["wave"]), (&json!("registered"), &json!(null)));
    assert_eq!(column(&repo.json(&["roadmap", "show"])["gone"], "issue_id"), [three.as_str()]);
    let tip = repo.tip();
    add(&repo, &less, &[]);
    assert_eq!(repo.tip(), tip, "it is settled");
    // It comes back as the same issue.
    let back = add(&repo, &direct(), &[]);
    assert_eq!(issue_of(&back, "T3"), three);
    assert_eq!(repo.json(&["show", &three])["wave"], 2);
    add(&repo, &less, &["--gone", "cancel"]);
    assert_eq!(repo.status(&three), "cancelled");
    add(&repo, &direct(), &[]);
    assert_eq!(repo.status(&three), "registered");
    // What is done needs no decision.
    repo.wf(&["close", &one]).ok();
    let mut other = direct();
    other["tasks"].as_array_mut().unwrap().remove(0);
    other["tasks"][1]["depends_on"] = json!(["T2"]);
    add(&repo, &other, &[]);
    assert_eq!(repo.status(&one), "closed");
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_task_is_known_by_its_title_whatever_its_number() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let [one, two, three] = ["T1", "T2", "T3"].map(|item| issue_of(&first, item));
    // The first task is removed, one is inserted, and the others move.
    let mut moved = direct();
    moved["tasks"] = json!([
        task("T1", "Write PDF", "src/pdf.rs", &[]),
        task("T2", "Choose the columns", "src/columns.rs", &[]),
        task("T3", "Offer both", "src/menu.rs", &["T1", "T2"]),
    ]);
    let refused = repo.refused_in(moved.to_string(), 1, &["roadmap", "add", "-"]);
    assert!(refused["details"].to_string().contains(&one), "{refused}");
    let second = add(&repo, &moved, &["--gone", "cancel"]);
    assert_eq!(column(&second["gone"], "issue_id"), [one.as_str()]);
    assert_eq!((issue_of(&second, "T1") == two, issue_of(&second, "T3") == three), (true, true));
    let was = second["changed"].as_array().unwrap().iter().find(|it| it["issue_id"] == json!(two)).unwrap();
    assert_eq!((&was["item"], &was["was"]), (&json!("T1"), &json!("T2")));
    assert_eq!((repo.status(&one).as_str(), repo.status(&two).as_str()), ("cancelled", "registered"));
    let new = issue_of(&second, "T2");
    let shown = repo.json(&["show", &three]);
    let mut on = vec![two.clone(), new];
    on.sort();
    assert_eq!(shown["depends_on"], json!(on));
    assert_eq!(shown["extended_context"]["notes"]["depends_on_issues"], json!(on));
    assert_eq!(column(&repo.json(&["roadmap", "show"])["gone"], "issue_id"), [one.as_str()]);
    let tip = repo.tip();
    add(&repo, &moved, &[]);
    assert_eq!(repo.tip(), tip, "it is settled");
    // A task that returns under another number gets its old issue back.
    moved["tasks"].as_array_mut().unwrap().push(task("T4", "Write CSV", "src/csv.rs", &[]));
    assert_eq!(issue_of(&add(&repo, &moved, &[]), "T4"), one);
    assert_eq!(repo.status(&one), "registered");
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_dependency_that_closes_a_circle_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let [one, two] = ["T1", "T2"].map(|item| issue_of(&first, item));
    repo.wf(&["edit", &one, "--depends-on", &two]).ok();
    let mut changed = direct();
    changed["tasks"][1]["depends_on"] = json!(["T1"]);
    let tip = repo.tip();
    assert_eq!(repo.refused_in(changed.to_string(), 1, &["roadmap", "add", "-"])["code"], "cycle");
    assert_eq!(repo.tip(), tip);
}

#[test]
fn two_clones_that_change_it_end_alike() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let first = add(ada, &direct(), &[]);
    let id = first["id"].as_str().unwrap();
    two.meet();
    let mut of_ada = direct();
    of_ada["tasks"][0]["title"] = json!("Write CSV quickly");
    of_ada["tasks"].as_array_mut().unwrap().push(task("T4", "Tell about it", "docs", &["T3"]));
    add(ada, &of_ada, &[]);
    let mut of_bea = direct();
    of_bea["tasks"][1]["title"] = json!("Write PDF quickly");
    of_bea["tasks"].as_array_mut().unwrap().push(task("T4", "Tell about it", "docs", &["T3"]));
    two.sandbox.advance(60);
    add(bea, &of_bea, &[]);
    bea.wf(&["roadmap", "revise", id, "--scope", "without PDF"]).ok();
    ada.wf(&["roadmap", "revise", id, "--convergence", "name the limit"]).ok();
    two.meet();
    two.assert_one_state();
    let shown = ada.json(&["roadmap", "show"]);
    let issues: Vec<_> =
        shown["waves"].as_array().unwrap().iter().flat_map(|it| it["issues"].as_array().unwrap()).collect();
    assert_eq!(issues.len(), 4, "both added T4, and it is one issue: {shown:#}");
    let titles: Vec<&str> = issues.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert!(
        titles.contains(&"[feature] Write CSV quickly") && titles.contains(&"[feature] Write PDF quickly"),
        "{titles:?}"
    );
    assert_eq!(shown["rounds"].as_array().unwrap().len(), 2);
    for repo in [ada, bea] {
        assert_eq!(repo.json(&["roadmap", "show"]), shown);
        repo.wf(&["fsck"]).ok();
    }
    let exported = ada.wf(&["export", "jsonl"]).ok().stdout;
    let other = two.sandbox.store("other");
    other.wf_in(exported, &["import", "jsonl", "-"]).ok();
    assert_eq!(other.json(&["roadmap", "show"])["document"], shown["document"]);
}

#[test]
fn an_issue_with_something_redacted_no_longer_follows_the_document() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let repo = sandbox.store("a");
        let mut document = direct();
        document["tasks"][0]["convergence"]["definition_of_done"] = json!("hunter2 is the password here");
        let added = add(&repo, &document, &[]);
        let (one, three) = (issue_of(&added, "T1"), issue_of(&added, "T3"));
        repo.wf(&["redact", &one, "context", "-m", "a password"]).ok();
        if is_purged {
            repo.wf(&["redact", "--purge", "--yes"]).ok();
        }
        sandbox.advance(60);
        document["tasks"][0]["convergence"]["definition_of_done"] = json!("hunter2 is still the password");
        document["tasks"][2]["effort"] = json!("large");
        let again = add(&repo, &document, &[]);
        assert_eq!(
            (column(&again["redacted"], "item"), column(&again["changed"], "item")),
            (vec!["T1".to_owned()], vec!["T3".to_owned()])
        );
        assert_eq!((&again["created"], &again["redacted"][0]["issue_id"]), (&json!([]), &json!(one)));
        let nowhere = || {
            for args in [
                &["show", &one, "--imported", "--json"][..],
                &["roadmap", "show"],
                &["roadmap", "show", "--json"],
                &["roadmap", "show", "--markdown"],
                &["export", "jsonl"],
                &["log", "-p"],
            ] {
                let shown = repo.wf(args).ok().stdout;
                assert!(!shown.contains("hunter2"), "{args:?}: {shown}");
            }
        };
        nowhere();
        let waves = repo.json(&["roadmap", "show"])["waves"].clone();
        assert_eq!(column(&waves[0]["issues"], "issue_id").len(), 2, "{waves}");
        assert_eq!(repo.json(&["show", &three])["depends_on"].as_array().unwrap().len(), 2);
        // It is named when the document no longer has it, too.
        let original = document.clone();
        document["tasks"].as_array_mut().unwrap().remove(0);
        document["tasks"][1]["depends_on"] = json!(["T2"]);
        let refused = repo.refused_in(document.to_string(), 1, &["roadmap", "add", "-"]);
        assert_eq!(refused["code"], "would-orphan");
        assert!(refused["details"].to_string().contains("redacted, so it stays as it is"), "{refused}");
        assert!(refused["remedies"].to_string().contains(&one), "{refused}");
        let without = add(&repo, &document, &["--gone", "cancel"]);
        assert_eq!(
            (column(&without["redacted"], "item"), &without["gone"]),
            (vec!["T1".to_owned()], &json!([]))
        );
        assert_eq!(repo.json(&["show", &one])["status"], "registered");
        nowhere();
        let again = add(&repo, &document, &[]);
        assert_eq!((&again["redacted"], &again["created"]), (&Value::Null, &json!([])));
        let text = repo.wf_in(document.to_string(), &["roadmap", "add", "-"]).ok().stdout;
        assert!(!text.contains("hunter2"), "{text}");
        let back = add(&repo, &original, &[]);
        assert_eq!(
            (column(&back["redacted"], "issue_id"), &back["created"]),
            (vec![one.clone()], &json!([]))
        );
        nowhere();
        repo.wf(&["fsck"]).ok();
    }
}

#[test]
fn a_hidden_document_shows_nowhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut secret = progressive();
    secret["requirement"] = json!("hunter2");
    let added = add(&repo, &secret, &[]);
    let id = added["id"].as_str().unwrap();
    repo.wf(&["redact", id, "document", "-m", "a password"]).ok();
    for args in [
        &["roadmap", "show"][..],
        &["roadmap", "show", "--markdown"],
        &["roadmap", "show", "--json"],
        &["log", "-p"],
    ] {
        let shown = repo.wf(args).ok().stdout;
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    repo.wf(&["fsck"]).ok();
    repo.wf(&["roadmap", "list"]).ok();
}

#[test]
fn clones_that_change_other_layers_keep_both_changes() {
    let two = Two::new();
    add(&two.ada, &progressive(), &[]);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let mut more = progressive();
    let mut third = more["layers"][1].clone();
    third["id"] = json!("L2");
    third["goal"] = json!("Teams can print");
    third["scope"] = json!(["print"]);
    third["depends_on"] = json!(["L1"]);
    more["layers"].as_array_mut().unwrap().push(third);
    more["layers"][1]["risks"] = json!(["late", "loud"]);
    more["scope"].as_array_mut().unwrap().push(json!("print"));
    let added = add(&two.ada, &more, &[]);
    two.sandbox.advance(60);
    let mut other = progressive();
    other["layers"][0]["convergence"]["definition_of_done"] = json!("Accounting reads hours from a file");
    add(&two.bea, &other, &[]);
    two.meet();
    two.assert_one_state();
    more["layers"][0] = other["layers"][0].clone();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(repo.json(&["conflicts"]), json!([]));
        let shown = repo.json(&["roadmap", "show"]);
        assert_eq!(shown["document"]["layers"], more["layers"]);
        let text = repo.wf(&["roadmap", "show", "--markdown"]).ok().stdout;
        assert!(text.contains("Accounting reads hours from a file") && text.contains("loud"), "{text}");
        let issue = repo.json(&["show", &issue_of(&added, "L0")]);
        assert!(issue["context"].as_str().unwrap().contains("Accounting reads hours from a file"));
        let again = add(repo, &more, &[]);
        assert_eq!(again["unchanged"].as_array().unwrap().len(), 3, "{again}");
        repo.wf(&["fsck"]).ok();
    }
}

#[test]
fn clones_that_change_one_layer_have_one_conflict_in_it() {
    let two = Two::new();
    add(&two.ada, &progressive(), &[]);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let with = |done: &str| {
        let mut document = progressive();
        document["layers"][0]["convergence"]["definition_of_done"] = json!(done);
        document
    };
    let added = add(&two.ada, &with("Accounting reads hours"), &[]);
    two.sandbox.advance(60);
    add(&two.bea, &with("Accounting reads days"), &[]);
    two.meet();
    let l0 = issue_of(&added, "L0");
    let open = two.ada.json(&["conflicts"]);
    let of_document: Vec<&Value> = open
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["field"].as_str().unwrap().starts_with("document"))
        .collect();
    assert_eq!(of_document.len(), 1, "{open}");
    assert_eq!(of_document[0]["field"], format!("document/{l0}"));
    let shown = two.ada.json(&["roadmap", "show"]);
    let done =
        shown["document"]["layers"][0]["convergence"]["definition_of_done"].as_str().unwrap().to_owned();
    let issue = two.ada.json(&["show", &l0]);
    assert!(
        issue["context"].as_str().unwrap().contains(&done),
        "the issue says what the document says: {issue}"
    );
}
