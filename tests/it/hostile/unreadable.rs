//! A record that someone made unreadable, or rewrote in a merge: reported with its author, like any change that no
//! command makes.

use serde_json::{Value, json};

use crate::support::foreign::file;
use crate::support::{REF, Repo, Two};

fn shared() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["comment", "GH-1", "-m", "said"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two
}

/// What is reported of a commit: path, what it did, who.
fn told(ran: &Value, commit: &str) -> Vec<[String; 3]> {
    let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
    let of = ran["rewritten"].as_array().unwrap().iter().filter(|it| it["commit"] == commit);
    of.map(|it| [text(it, "path"), text(it, "what"), text(it, "author")]).collect()
}

#[test]
fn junk_and_links_in_place_of_records_are_told_of_whoever_put_them_there() {
    for command in ["sync", "pull"] {
        let two = shared();
        let comment = two.bea.store_path_in("/comments/");
        let junk = two.bea.blob("junk");
        let whole = two.bea.blob(two.bea.stored(&file("GH-1")));
        let ways: [&[(&str, &str, &str)]; 4] = [
            &[("100644", &junk, &file("GH-1"))],
            &[("120000", &whole, &file("GH-1"))],
            &[("160000", &two.bea.tip().unwrap(), &file("GH-1"))],
            &[("100644", &junk, &comment)],
        ];
        for files in ways {
            let path = files[0].2;
            let commit = two.bea.plumb_modes(files);
            // Someone else continues to write without knowing of it.
            let cem = two.bea.as_person("Cem", "cem@example.org");
            cem.wf(&["new", "meanwhile"]).ok();
            two.bea.git(&["push", "--quiet", "origin", REF]).ok();
            let ran = two.ada.wf(&[command, "--json"]).ok();
            let expected = [path, "made the record unreadable", "Bea <bea@example.org>"].map(str::to_owned);
            assert_eq!(told(&ran.json(), &commit), [expected], "{}", ran.stdout);
            assert_eq!(ran.json()["rewritten"].as_array().unwrap().len(), 1, "{}", ran.stdout);
            assert!(ran.json()["warnings"].to_string().contains("Bea"), "{}", ran.stdout);
            assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "as it was");
            let found = two.ada.wf(&["fsck", "--json"]).ok().json();
            let said: Vec<&Value> =
                found.as_array().unwrap().iter().filter(|it| it["commit"] == commit).collect();
            assert_eq!(said.len(), 1, "{found:#}");
            assert_eq!((&said[0]["severity"], &said[0]["path"]), (&json!("note"), &json!(path)));
            let what = said[0]["what"].as_str().unwrap();
            assert!(what.starts_with("made unreadable by Bea") && what.ends_with("restored since"), "{what}");
            two.ada.wf(&["sync"]).ok();
            two.bea.wf(&["sync"]).ok();
        }
    }
}

#[test]
fn what_is_still_unreadable_is_an_error_that_a_repair_mends() {
    let two = shared();
    let path = file("GH-1");
    let commit = two.bea.plumb(&[(&path, "junk")]);
    // More damage to it is not attributed to anyone else.
    two.bea.as_person("Cem", "cem@example.org").plumb(&[(&path, "more junk")]);
    let found = two.bea.wf(&["fsck", "--json"]).fails(1).json();
    let said: Vec<&Value> = found.as_array().unwrap().iter().filter(|it| !it["commit"].is_null()).collect();
    assert_eq!((said.len(), &said[0]["commit"], &said[0]["severity"]), (1, &json!(commit), &json!("error")));
    let what = said[0]["what"].as_str().unwrap();
    assert_eq!(what, "made unreadable by Bea <bea@example.org>");
    two.bea.wf(&["fsck", "--repair"]).ok();
    assert_eq!(two.bea.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "as it was");
    let found = two.bea.wf(&["fsck", "--json"]).ok().json();
    assert_eq!(found[0]["severity"], "note", "{found:#}");
}

/// What replaces the record of GH-1.
fn another(repo: &Repo) -> String {
    let mut record = repo.stored_json(&file("GH-1"));
    record["title"] = json!("another");
    record["clock"] = json!({"*": "2027-01-01T00:00:00.000Z/00000/00000000"});
    format!("{record:#}\n")
}

#[test]
fn a_record_that_is_written_anew_over_junk_is_a_second_birth() {
    let two = shared();
    let record = another(&two.bea);
    let junk = two.bea.plumb(&[(&file("GH-1"), "junk")]);
    let commit = two.bea.plumb(&[(&file("GH-1"), &record)]);
    two.bea.wf(&["push"]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok().json();
    assert_eq!(told(&ran, &junk)[0][1], "made the record unreadable", "{ran:#}");
    assert!(told(&ran, &commit)[0][1].starts_with("replaced the record born at"), "{ran:#}");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!((&open[0]["merge"], open.as_array().unwrap().len()), (&json!(commit), 1), "{open:#}");
    assert_eq!(open[0]["other"]["value"]["title"], "as it was");
}

/// A merge of the ref and a side branch by hand, with these files.
fn merge_by_hand(repo: &Repo, side: &str, files: &[(&str, &str)]) -> String {
    let top = repo.tip().unwrap();
    let commit = repo.plumb(files);
    let tree = repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]).ok().line().to_owned();
    let merge = repo.git(&["commit-tree", &tree, "-p", &top, "-p", side, "-m", "merge"]).ok();
    repo.git(&["update-ref", REF, merge.line()]).ok();
    merge.line().to_owned()
}

#[test]
fn a_second_birth_that_somebody_put_into_a_merge_is_a_conflict() {
    let two = shared();
    let record = another(&two.bea);
    let side = two.bea.tip().unwrap();
    two.bea.wf(&["new", "on one side", "--id", "GH-2"]).ok();
    let top = two.bea.tip().unwrap();
    two.bea.git(&["update-ref", REF, &side]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "edited on the other"]).ok();
    let merge = merge_by_hand(&two.bea, &top, &[(&file("GH-1"), &record)]);
    two.bea.git(&["push", "--quiet", "origin", REF]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok().json();
    assert!(told(&ran, &merge)[0][1].starts_with("replaced the record born at"), "{ran:#}");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!((&open[0]["field"], &open[0]["merge"]), (&json!("*"), &json!(merge)), "{open:#}");
    assert_eq!(open[0]["stands"]["value"]["title"], "another");
    assert_eq!(open[0]["stands"]["author"], "Bea <bea@example.org>");
    assert_eq!(open[0]["other"]["value"]["title"], "edited on the other");
    assert!(open[0]["other"]["author"].as_str().unwrap().starts_with("Ada"), "{open:#}");
    assert_eq!(open.as_array().unwrap().len(), 1, "{open:#}");
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json(), json!([]));
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "edited on the other");
}

/// The findings of an audit about changes that no command makes: severity, path, issue.
fn rewritten(audit: &Value) -> Vec<(String, String, Value)> {
    let of = audit["findings"].as_array().unwrap().iter().filter(|it| it["kind"] == "rewritten");
    let path = |it: &Value| it["message"].as_str().unwrap().split('`').nth(1).unwrap().to_owned();
    of.map(|it| (it["severity"].as_str().unwrap().to_owned(), path(it), it["issue_id"].clone())).collect()
}

#[test]
fn the_audit_looks_at_every_record() {
    let two = Two::new();
    two.ada.commit("a.txt", "one\n", "start");
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.queued("GH-1", "a.txt");
    two.ada.queued("GH-2", "b.txt");
    two.ada.wf(&["next", "GH-1"]).ok();
    two.ada.commit("a.txt", "two\n", "work");
    two.ada.wf(&["done"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let [one, other] = ["SOL-GH-1", "SOL-GH-2"].map(|id| {
        let mut paths = two.bea.store_paths();
        paths.retain(|path| path.contains("/items/") && path.contains(id));
        paths.remove(0)
    });
    let queue = two.bea.store_path("queue.json");
    let execution = two.bea.store_path("execution.json");
    let mut files = Vec::new();
    for path in [&one, &other, &queue] {
        let mut record = two.bea.stored_json(path);
        let field = if path == &queue { "created_at" } else { "queued_at" };
        record[field] = json!("2020-01-01T00:00:00.000Z");
        files.push((path.as_str(), format!("{record:#}\n")));
    }
    files.push(("wf.json", "junk".to_owned()));
    files.push((&execution, "junk".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    two.bea.plumb(&files);
    two.bea.git(&["push", "--quiet", "origin", REF]).ok();
    two.ada.wf(&["sync"]);
    let expect = |other_is: &str| {
        let mut expected: Vec<(String, String, Value)> = vec![
            ("fault".into(), one.clone(), json!("GH-1")),
            (other_is.into(), other.clone(), json!("GH-2")),
            ("fault".into(), queue.clone(), Value::Null),
            ("fault".into(), "wf.json".into(), Value::Null),
            ("fault".into(), execution.clone(), json!("GH-1")),
        ];
        expected.sort_by(|one, two| one.1.cmp(&two.1));
        expected
    };
    let audit = |range: &[&str]| {
        let ran = two.ada.wf(&[&["audit", "--json"], range].concat()).ok().json();
        let mut found = rewritten(&ran);
        found.sort_by(|one, two| one.1.cmp(&two.1));
        found
    };
    assert_eq!(audit(&[]), expect("fault"));
    assert_eq!(audit(&["HEAD"]), expect("note"));
    two.ada.wf(&["audit", "--strict"]).fails(1);
}
