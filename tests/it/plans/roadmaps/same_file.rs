//! One file that is added without an id, in two clones or twice.

use serde_json::{Value, json};

use super::{add, direct, issue_of, task};
use crate::support::{Repo, Sandbox, Two, column, plan_on};

/// The issues of the only roadmap, in the document or not, by title.
fn titles_of(repo: &Repo) -> Vec<String> {
    let shown = repo.json(&["roadmap", "show"]);
    let waves = shown["waves"].as_array().unwrap().iter().flat_map(|it| it["issues"].as_array().unwrap());
    let gone = shown.get("gone").and_then(Value::as_array).into_iter().flatten();
    let mut titles: Vec<String> =
        waves.chain(gone).map(|it| it["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn one_file_added_in_two_clones_is_one_roadmap() {
    for more in [&[][..], &["--new"]] {
        let two = Two::new();
        let (ada, bea) = (&two.ada, &two.bea);
        let first = add(ada, &direct(), more);
        two.sandbox.advance(60);
        let second = add(bea, &direct(), more);
        assert_eq!(first["id"], second["id"]);
        assert_eq!(column(&first["created"], "issue_id"), column(&second["created"], "issue_id"));
        two.meet();
        two.assert_one_state();
        for repo in [ada, bea] {
            assert_eq!(repo.json(&["roadmap", "list"]).as_array().unwrap().len(), 1);
            assert_eq!(
                titles_of(repo),
                ["[feature] Offer both", "[feature] Write CSV", "[feature] Write PDF"]
            );
            repo.wf(&["fsck"]).ok();
            assert_eq!(repo.json(&["conflicts"]), json!([]), "both are equal");
        }
        let again = add(bea, &direct(), &[]);
        assert_eq!((&again["is_new"], again["unchanged"].as_array().unwrap().len()), (&json!(false), 3));
    }
}

#[test]
fn two_versions_of_one_file_in_two_clones_lose_and_double_nothing() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let mut other = direct();
    other["tasks"][0]["title"] = json!("Write TSV");
    other["tasks"].as_array_mut().unwrap().push(task("T4", "Tell about it", "docs", &["T3"]));
    let first = add(ada, &direct(), &[]);
    two.sandbox.advance(60);
    let second = add(bea, &other, &[]);
    assert_eq!(first["id"], second["id"]);
    let id = first["id"].as_str().unwrap();
    two.meet();
    two.assert_one_state();
    for repo in [ada, bea] {
        let mut titles = column(&repo.json(&["list"]), "title");
        titles.sort();
        assert_eq!(
            titles,
            [
                "[feature] Offer both",
                "[feature] Tell about it",
                "[feature] Write CSV",
                "[feature] Write PDF",
                "[feature] Write TSV"
            ]
        );
        assert_eq!(titles_of(repo).len(), 4, "the later document is the current one");
        let conflicts = repo.wf(&["conflicts"]).stdout;
        assert!(conflicts.contains(id), "the conflict has both documents: {conflicts}");
        repo.wf(&["fsck"]).ok();
    }
    // Roadmaps of one title with other requirements stay two.
    let mut apart = direct();
    apart["requirement"] = json!("Something else.");
    assert_ne!(add(ada, &apart, &["--new"])["id"], first["id"]);
}

#[test]
fn a_preview_has_the_ids_that_an_add_uses() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for more in [&[][..], &["--new"], &["--new"]] {
        let preview = add(&repo, &direct(), &[more, &["--dry-run"]].concat());
        let added = add(&repo, &direct(), more);
        assert_eq!((&preview["id"], &preview["created"]), (&added["id"], &added["created"]));
    }
    assert_eq!(repo.json(&["roadmap", "list"]).as_array().unwrap().len(), 3);
}

#[test]
fn one_file_added_on_two_days_is_one_roadmap_here_and_named_from_elsewhere() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let first = add(ada, &direct(), &[]);
    two.sandbox.advance(86_400);
    let again = add(ada, &direct(), &[]);
    assert_eq!((&again["id"], again["unchanged"].as_array().unwrap().len()), (&first["id"], 3));
    let second = add(bea, &direct(), &[]);
    two.meet();
    let [one, other] = [&first, &second].map(|it| it["id"].as_str().unwrap());
    assert_ne!(one, other);
    for repo in [ada, bea] {
        let refused = repo.refused_in(direct().to_string(), 1, &["roadmap", "add", "-"]);
        let hint = refused["hint"].as_str().unwrap();
        assert_eq!((&refused["code"], &refused["details"]), (&json!("choice-needed"), &json!([one, other])));
        assert!(hint.contains(&format!("git wf roadmap add --roadmap {one} FILE")), "{hint}");
        assert!(hint.contains(&format!("git wf roadmap show {other}")), "{hint}");
        let listed = repo.wf(&["roadmap", "list"]).ok().stderr;
        assert!(listed.contains(one) && listed.contains(other) && listed.contains("one file"), "{listed}");
    }
    // Once nothing of one is left to do, the file is added to the other.
    for issue in column(&second["created"], "issue_id") {
        bea.wf(&["close", &issue, "-m", "a duplicate"]).ok();
    }
    assert_eq!(add(bea, &direct(), &[])["id"], first["id"]);
    assert_eq!(bea.wf(&["roadmap", "list"]).ok().stderr, "");
    // Nor is there a choice once nothing is left to do of the other.
    for issue in column(&first["created"], "issue_id") {
        bea.wf(&["close", &issue, "-m", "no longer wanted"]).ok();
    }
    assert_eq!(add(bea, &direct(), &[])["id"], first["id"]);
}

#[test]
fn a_file_whose_work_is_done_is_not_handed_out_again_without_a_word() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let first = add(ada, &direct(), &[]);
    ada.commit("src/csv.rs", "one\n", "Begin");
    let done = issue_of(&first, "T1");
    ada.wf_in(plan_on("src/csv.rs").to_string(), &["solution", "add", &done]).ok();
    ada.wf(&["queue", "add", &done]).ok();
    ada.wf(&["next"]).ok();
    ada.done();
    for issue in column(&first["created"], "issue_id").iter().filter(|it| **it != done) {
        ada.wf(&["close", issue, "-m", "not needed"]).ok();
    }
    two.sandbox.advance(86_400);
    let second = add(bea, &direct(), &[]);
    two.meet();
    let [one, other] = [&first, &second].map(|it| it["id"].as_str().unwrap());
    for args in [&["roadmap", "list"][..], &["roadmap", "next", other]] {
        let told = bea.wf(args).stderr;
        assert!(told.contains(&format!("`{one}` and `{other}`: one file was added")), "{args:?}: {told}");
        assert!(told.contains(&format!("git wf roadmap show {other}")), "{args:?}: {told}");
    }
    let refused = bea.refused_in(direct().to_string(), 1, &["roadmap", "add", "-"]);
    assert_eq!((&refused["code"], &refused["details"]), (&json!("choice-needed"), &json!([one, other])));
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("git wf roadmap show {other}")), "{hint}");
    assert!(!hint.contains(&format!("git wf roadmap show {one}")), "{hint}");
    for issue in column(&second["created"], "issue_id") {
        bea.wf(&["close", &issue, "-m", "a duplicate"]).ok();
    }
    assert_eq!(add(bea, &direct(), &[])["id"], first["id"], "the one that was worked on");
    assert_eq!(bea.wf(&["roadmap", "list"]).ok().stderr, "");
}

#[test]
fn a_file_is_known_by_what_it_was_when_its_roadmap_has_another_title_now() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let first = add(&repo, &direct(), &[]);
    let id = first["id"].as_str().unwrap();
    let mut renamed = direct();
    renamed["title"] = json!("Exports");
    add(&repo.as_person("Bea", "bea@example.org"), &renamed, &["--roadmap", id]);
    sandbox.advance(86_400);
    let again = add(&repo, &direct(), &[]);
    assert_eq!(
        (&again["id"], &again["title"], &again["created"]),
        (&json!(id), &json!("Exports"), &json!([]))
    );
}

#[test]
fn an_id_that_is_not_here_doubles_no_roadmap() {
    let repo = Sandbox::new().store("a");
    let id = add(&repo, &direct(), &[])["id"].as_str().unwrap().to_owned();
    let mut slip = direct();
    slip["id"] = json!("RMAP-export-for-teams-20261121-00000000");
    let text = slip.to_string();
    let error = repo.refused_in(text.clone(), 1, &["roadmap", "add", "-"]);
    assert_eq!((&error["code"], &error["details"]), (&json!("choice-needed"), &json!([id])));
    let hint = error["hint"].as_str().unwrap();
    for way in
        [&*format!("git wf roadmap add --roadmap {id} FILE"), "git wf roadmap add --new FILE", "git wf sync"]
    {
        assert!(hint.contains(way), "{way}: {hint}");
    }
    assert_eq!(add(&repo, &slip, &["--roadmap", &id])["unchanged"].as_array().unwrap().len(), 3);
    assert_eq!(add(&repo, &slip, &["--new"])["created"].as_array().unwrap().len(), 3);
    // Two of them have the title now.
    let error = repo.refused_in(direct().to_string(), 1, &["roadmap", "add", "-"]);
    assert!(error["hint"].as_str().unwrap().contains("git wf roadmap add --roadmap"), "{error}");
    // An id from elsewhere with a title of its own is a new roadmap with that id.
    slip["title"] = json!("Import for teams");
    assert_eq!(add(&repo, &slip, &[])["id"], slip["id"]);
}

#[test]
fn two_clones_that_each_keep_another_task_leave_a_roadmap_that_can_be_read() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let whole = json!({"title": "Export", "requirement": "Export what is booked.",
        "tasks": [task("T1", "Write CSV", "src/csv", &[]), task("T2", "Write PDF", "src/pdf", &[])]});
    let first = add(ada, &whole, &[]);
    let id = first["id"].as_str().unwrap();
    two.meet();
    for (repo, n, left_out) in [(ada, 0, "requirement"), (bea, 1, "title")] {
        two.sandbox.advance(60);
        let mut part = whole.clone();
        part.as_object_mut().unwrap().remove(left_out);
        part["tasks"] = json!([whole["tasks"][n].clone()]);
        part["tasks"][0]["id"] = json!(format!("T{}", n + 1));
        add(repo, &part, &["--roadmap", id, "--gone", "keep"]);
    }
    two.meet();
    two.assert_one_state();
    for repo in [ada, bea] {
        let shown = repo.json(&["roadmap", "show", id]);
        assert_eq!(shown["document"], json!({}), "each clone removed what the other kept");
        assert_eq!(column(&shown["gone"], "item").len(), 2);
        assert_eq!(repo.json(&["roadmap", "list"])[0]["id"], id);
        repo.wf(&["roadmap", "show", id]).ok();
        repo.wf(&["fsck"]).ok();
    }
}
