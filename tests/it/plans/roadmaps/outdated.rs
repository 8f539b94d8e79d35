//! A file that is as it was, while somebody else has changed the roadmap since.

use serde_json::{Value, json};

use super::{add, direct, issue_of, progressive, task};
use crate::support::{Two, column};

/// Ada adds a roadmap, and Bea another version of it, which both then have.
fn changed(first: &Value, second: &Value) -> (Two, Value) {
    let two = Two::new();
    let added = add(&two.ada, first, &[]);
    two.meet();
    two.sandbox.advance(60);
    add(&two.bea, second, &[]);
    two.meet();
    (two, added)
}

#[test]
fn an_unchanged_file_undoes_nothing() {
    let mut second = progressive();
    second["layers"][0]["goal"] = json!("Teams can export a year");
    second["risks"] = json!(["loud"]);
    let (two, added) = changed(&progressive(), &second);
    let ada = &two.ada;
    let tip = ada.tip();
    let again = add(ada, &progressive(), &[]);
    assert_eq!(ada.tip(), tip, "{again}");
    let outdated = &again["outdated"];
    assert_eq!(column(outdated, "part"), ["L0", "risks"]);
    assert_eq!(outdated[0]["author"], "Bea <bea@example.org>");
    let l0 = issue_of(&added, "L0");
    assert_eq!(ada.json(&["show", &l0])["title"], "[MVP] Teams can export a year");
    let shown = ada.wf_in(progressive().to_string(), &["roadmap", "add", "-"]).ok().stdout;
    assert!(shown.contains("L0: the file has an earlier version, so the later change by Bea"), "{shown}");

    // What Ada changed in her file comes, and what Bea changed stays.
    let mut third = progressive();
    third["layers"][1]["goal"] = json!("Teams can choose and sort the columns");
    let changed = add(ada, &third, &[]);
    assert_eq!(column(&changed["changed"], "item"), ["L1"]);
    assert_eq!(column(&changed["outdated"], "part"), ["L0", "risks"]);
    let document = ada.json(&["roadmap", "show"])["document"].clone();
    assert_eq!(document["layers"], json!([second["layers"][0], third["layers"][1]]));
    assert_eq!(document["risks"], second["risks"]);
    let tip = ada.tip();
    add(ada, &third, &[]);
    assert_eq!(ada.tip(), tip);

    // On purpose, it goes back.
    add(ada, &third, &["--revert"]);
    assert_eq!(ada.json(&["show", &l0])["title"], "[MVP] Teams can export one month");
    assert_eq!(ada.json(&["roadmap", "show"])["document"]["layers"], third["layers"]);
    ada.wf(&["fsck"]).ok();
}

#[test]
fn an_unchanged_file_neither_takes_tasks_away_nor_brings_them_back() {
    let mut more = direct();
    more["tasks"].as_array_mut().unwrap().push(task("T4", "Tell about it", "docs", &["T3"]));
    let (two, _) = changed(&direct(), &more);
    let tip = two.ada.tip();
    let again = add(&two.ada, &direct(), &[]);
    assert_eq!((two.ada.tip(), column(&again["outdated"], "part")), (tip, vec!["T4".to_owned()]));
    // A task that has become another one altogether is still known.
    let mut other = direct();
    other["tasks"][0] = task("T1", "Read spreadsheets", "src/sheet.rs", &[]);
    let two = Two::new();
    let added = add(&two.ada, &direct(), &[]);
    two.meet();
    two.sandbox.advance(60);
    add(&two.bea, &other, &["--gone", "keep"]);
    two.meet();
    let tip = two.ada.tip();
    add(&two.ada, &direct(), &[]);
    assert_eq!(two.ada.tip(), tip);
    let gone = two.ada.json(&["roadmap", "show"])["gone"].clone();
    assert_eq!(column(&gone, "issue_id"), [issue_of(&added, "T1")]);
}

#[test]
fn parts_of_two_versions_that_do_not_fit_together_are_refused() {
    // Bea inserts a task at the front, so that all others have another number.
    let mut second = direct();
    second["tasks"] = json!([
        task("T1", "Choose the columns", "src/columns.rs", &[]),
        task("T2", "Write CSV", "src/csv.rs", &[]),
        task("T3", "Write PDF", "src/pdf.rs", &[]),
        task("T4", "Offer both", "src/menu.rs", &["T2", "T3"]),
    ]);
    let (two, _) = changed(&direct(), &second);
    let tip = two.ada.tip();
    add(&two.ada, &direct(), &[]);
    assert_eq!(two.ada.tip(), tip, "as a whole, it is an earlier version");
    let mut third = direct();
    third["tasks"][1]["title"] = json!("Write PDF/A");
    let refused = two.ada.refused_in(third.to_string(), 1, &["roadmap", "add", "-"]);
    assert_eq!((refused["code"].as_str(), two.ada.tip()), (Some("invalid-roadmap"), tip));
    assert!(refused["hint"].as_str().unwrap().contains("--json` shows the newest document"), "{refused}");
}
