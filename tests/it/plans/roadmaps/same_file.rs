//! One file that is added without an id, in two clones or twice.

use serde_json::{Value, json};

use super::{add, direct, task};
use crate::support::{Repo, Sandbox, Two, column};

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
