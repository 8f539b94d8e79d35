//! A hidden text is hidden in each entry that repeats it; of a comment, in the named version or in all.

use serde_json::json;

use crate::support::{Repo, Sandbox, Two, column, plan_on};

const SECRET: &str = "hunter2";

fn entries(repo: &Repo, log: &str) -> Vec<String> {
    let name = |path: &String| Some(path.split_once(log)?.1.strip_suffix(".json")?.to_owned());
    repo.store_paths().iter().filter_map(name).collect()
}

#[track_caller]
fn assert_hidden(repo: &Repo, more: &[&[&str]]) {
    for args in [&[&["export", "jsonl"][..], &["log", "-p"]], more].concat() {
        let shown = repo.wf(args).ok().stdout;
        assert!(!shown.contains(SECRET), "{args:?}: {shown}");
    }
    repo.wf(&["fsck"]).ok();
}

#[test]
fn the_reason_of_a_conflict_is_hidden_in_its_decision_and_in_another_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let queue = |ids: &[&str]| {
        let queue = repo.wf(&["queue", "manage", "new"]).ok().line().to_owned();
        for id in ids {
            repo.planned(id, &plan_on(&format!("src/{id}.rs")));
            repo.wf(&["queue", "add", id, "--queue", &queue]).ok();
        }
        queue
    };
    let one = queue(&["A-1"]);
    let two = queue(&["B-1", "B-2"]);
    repo.wf(&["queue", "overlaps", "--add", "api", "--items", "B-1,B-2", "-m", SECRET]).ok();
    let first = entries(&repo, &format!("{two}/conflicts/")).pop().unwrap();
    repo.wf(&["queue", "resolve", "CFT-1", "--order", "B-1,B-2"]).ok();
    repo.wf(&["queue", "manage", "merge", &two, &one]).ok();
    assert_eq!(entries(&repo, &format!("{one}/conflicts/")).len(), 1);
    repo.wf(&["redact", &two, &format!("conflicts/{first}"), "-m", "a password"]).ok();
    assert_hidden(&repo, &[&["queue", "show", &one, "--json"], &["queue", "show", &two, "--json"]]);
}

/// The id of a comment with a secret, of which a second version repeats it and a third does without.
fn edited(repo: &Repo) -> [String; 3] {
    let id = |said: serde_json::Value| said["id"].as_str().unwrap().to_owned();
    let first = id(repo.json(&["comment", "ISS-001", "-m", SECRET]));
    let edit = |text: &str| id(repo.json(&["comment", "ISS-001", "--edit", &first, "-m", text]));
    let [second, third] = [format!("It is {SECRET}."), "It is secret.".to_owned()].map(|text| edit(&text));
    repo.wf(&["comment", "ISS-001", "-m", "another"]).ok();
    [first, second, third]
}

#[test]
fn the_other_versions_of_a_redacted_comment_are_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let [first, second, third] = edited(&repo);
    let redact = |version: &str| {
        repo.wf(&["redact", "ISS-001", &format!("comments/{version}"), "-m", "a password"]).ok().stderr
    };
    let told = redact(&first);
    assert!(
        told.contains(&format!(
            "2 other versions of this comment are still readable: `comments/{second}`, `comments/{third}`"
        )),
        "{told}"
    );
    assert!(
        told.contains(&format!("git wf redact --all-versions -m TEXT ISS-001 comments/{first}")),
        "{told}"
    );
    let told = redact(&second);
    assert!(
        told.contains(&format!("another version of this comment is still readable: `comments/{third}`")),
        "{told}"
    );
    // The one that does without the text stays.
    assert_eq!(column(&repo.json(&["show", "ISS-001"])["comments"], "body"), ["It is secret.", "another"]);
    assert_hidden(&repo, &[]);
    assert!(!redact(&third).contains("still readable"));
}

#[test]
fn each_version_of_a_comment_is_hidden_on_request() {
    for field in ["", "/body"] {
        for named in 0..3 {
            let sandbox = Sandbox::new();
            let repo = sandbox.store("a");
            repo.issue("ISS-001");
            let versions = edited(&repo);
            let comment = format!("comments/{}{field}", versions[named]);
            let redact = ["redact", "ISS-001", &comment, "--all-versions", "-m", "a password"];
            let told = repo.wf(&redact).ok().stderr;
            assert!(!told.contains("still readable"), "{told}");
            assert!(told.contains("that another clone has not shared yet stays readable"), "{told}");
            assert_hidden(&repo, &[&["show", "ISS-001"], &["show", "ISS-001", "--json"]]);
            let shown = repo.json(&["show", "ISS-001"]);
            assert_eq!(column(&shown["comments"], "body"), ["[redacted]", "another"]);
            let tip = repo.tip();
            repo.wf(&redact).ok();
            assert_eq!(repo.tip(), tip, "repeating it changes nothing");
        }
    }
}

#[test]
fn a_withdrawn_version_has_no_text_and_nothing_else_has_versions() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let first = repo.json(&["comment", "ISS-001", "-m", SECRET])["id"].as_str().unwrap().to_owned();
    repo.wf(&["comment", "ISS-001", "--withdraw", &first]).ok();
    let told = repo.wf(&["redact", "ISS-001", &format!("comments/{first}"), "-m", "a password"]).ok().stderr;
    assert!(!told.contains("still readable"), "{told}");
    let refused = repo.refused(2, &["redact", "ISS-001", "title", "--all-versions", "-m", "a name"]);
    assert_eq!(refused["message"], "only a comment has other versions");
}

/// What `fsck` says of versions of comments.
fn noted(repo: &Repo) -> Vec<serde_json::Value> {
    let all = repo.json(&["fsck"]).as_array().unwrap().clone();
    all.into_iter().filter(|it| it["what"].as_str().unwrap().contains("of this comment")).collect()
}

#[test]
fn a_version_that_came_after_the_others_were_hidden_is_noted() {
    let two = Two::new();
    two.ada.issue("ISS-001");
    let [first, _, third] = edited(&two.ada);
    two.meet();
    let comment = format!("comments/{first}");
    two.ada.wf(&["redact", "ISS-001", &comment, "--all-versions", "-m", "a password"]).ok();
    // Bea does not know of that yet.
    let edit = two.bea.json(&["comment", "ISS-001", "--edit", &third, "-m", SECRET]);
    two.meet();
    let [note] = &noted(&two.ada)[..] else { panic!("{:?}", noted(&two.ada)) };
    assert_eq!(note["severity"], "note");
    let fourth = edit["id"].as_str().unwrap();
    assert!(note["path"].as_str().unwrap().ends_with(&format!("/comments/{fourth}.json")), "{note}");
    let remedy = format!("git wf redact --all-versions -m TEXT ISS-001 comments/{fourth}");
    let told = two.bea.wf(&["fsck", "--verbose"]).ok().stdout;
    assert!(told.contains(&remedy), "{told}");
    let comment = format!("comments/{fourth}");
    two.bea.wf(&["redact", "ISS-001", &comment, "--all-versions", "-m", "a password"]).ok();
    assert_eq!(noted(&two.bea), [json!(null); 0]);
    assert_hidden(&two.bea, &[&["show", "ISS-001"]]);
}

#[test]
fn a_version_is_noted_even_if_its_author_knew_of_an_earlier_redaction() {
    let two = Two::new();
    two.ada.issue("ISS-001");
    let [first, _, third] = edited(&two.ada);
    let comment = format!("comments/{first}");
    two.ada.wf(&["redact", "ISS-001", &comment, "-m", "a password"]).ok();
    two.meet();
    let edit = two.bea.json(&["comment", "ISS-001", "--edit", &third, "-m", SECRET]);
    two.ada.wf(&["redact", "ISS-001", &comment, "--all-versions", "-m", "a password"]).ok();
    two.meet();
    let [note] = &noted(&two.ada)[..] else { panic!("{:?}", noted(&two.ada)) };
    let fourth = edit["id"].as_str().unwrap();
    assert!(note["path"].as_str().unwrap().ends_with(&format!("/comments/{fourth}.json")), "{note}");
}

#[test]
fn a_version_that_someone_left_readable_is_not_noted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let [first, second, third] = edited(&repo);
    for version in [first, second] {
        repo.wf(&["redact", "ISS-001", &format!("comments/{version}"), "-m", "a password"]).ok();
    }
    assert_eq!(noted(&repo), [json!(null); 0], "the third was there, and has nothing to hide");
    repo.wf(&["redact", "ISS-001", &format!("comments/{third}"), "-m", "a password"]).ok();
    repo.wf(&["comment", "ISS-001", "--edit", &third, "-m", "without it"]).ok();
    assert_eq!(noted(&repo), [json!(null); 0], "its author knew of it");
}
