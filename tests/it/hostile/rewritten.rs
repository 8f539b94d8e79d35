//! Records that are written once, rewritten under their own paths by someone with push access.

use super::*;
use crate::support::plan;

/// A clone with a rejected review, a comment, and a claim whose end was pushed; the paths of the four.
fn world() -> (World, [String; 4]) {
    let world = World::new();
    let ada = &world.ada;
    ada.commit("a.txt", "a\n", "first");
    let reviewed = ada.planned("ISS-003", &plan());
    let scores = ["--technical", "10", "--risk", "10", "--completeness", "10"];
    let bea = ada.as_person("Bea", "bea@example.org");
    bea.wf(&[&["solution", "review", &reviewed], &scores[..]].concat()).ok();
    ada.wf(&["comment", "ISS-003", "-m", "as it was said"]).ok();
    ada.queued("ISS-004", "src/a.rs");
    ada.wf(&["next", "ISS-004"]).ok();
    ada.wf(&["fail", "-m", "no"]).ok();
    ada.wf(&["sync"]).ok();
    let paths = ada.store_paths();
    let one = |part: &str| {
        let mut found = paths.iter().filter(|path| path.contains(part) && path.contains("issues/"));
        (found.next().unwrap().clone(), found.next().cloned())
    };
    let (comment, none) = one("/ISS-003/comments/");
    assert_eq!(none, None);
    let entry = paths.iter().rfind(|path| path.contains("/log/")).unwrap().clone();
    assert_eq!(ada.stored_json(&entry)["type"], "end");
    let all = [comment, one("/execution.json").0, entry, one("/reviews/").0];
    (world, all)
}

/// What the attacker makes of each: sound, except that its id no longer matches its content.
fn rewritten(repo: &Repo, [comment, claim, end, review]: &[String; 4]) -> Vec<(String, String)> {
    let changed = |path: &String, change: &dyn Fn(&mut Value)| {
        let mut record = repo.stored_json(path);
        change(&mut record);
        (path.clone(), format!("{record:#}\n"))
    };
    vec![
        changed(comment, &|it| it["body"] = json!("zzz: the opposite")),
        changed(claim, &|it| {
            it["actor"] = json!("Zoe <zoe@example.org>");
            it["branch"] = json!("refs/heads/zoe");
        }),
        changed(end, &|it| {
            *it = json!({"id": it["id"], "type": "renew", "lease_expires_at": "2999-01-01T00:00:00.000Z",
                "actor": it["actor"], "at": it["at"]});
        }),
        changed(review, &|it| {
            it["verdict"] = json!("approved");
            it["scores"] = json!({"technical": 100, "risk": 100, "completeness": 100});
            it["total"] = json!(100);
        }),
    ]
}

fn put(repo: &Repo, files: &[(String, String)]) {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&path[..], &text[..])).collect();
    repo.plumb(&files);
}

#[test]
fn a_sync_keeps_what_was_written_and_says_what_it_put_back() {
    let (world, paths) = world();
    let ada = &world.ada;
    let mut named = paths.clone();
    named.sort();
    let before = paths.each_ref().map(|path| ada.stored(path));
    put(&world.origin, &rewritten(ada, &paths));
    let synced = ada.wf(&["sync", "--json"]).ok();
    assert_eq!(synced.json()["restored"], json!(named), "{}", synced.stdout);
    assert!(synced.json()["warnings"].to_string().contains(&paths[0]), "{}", synced.stdout);
    assert_eq!(paths.each_ref().map(|path| ada.stored(path)), before);
    assert_eq!(paths.each_ref().map(|path| world.origin.stored(path)), before);
    ada.wf(&["fsck"]).ok();
    // The same by someone who does not know of our last commits.
    let old = world.origin.tip().unwrap();
    put(&world.origin, &rewritten(ada, &paths));
    ada.wf(&["comment", "ISS-001", "-m", "meanwhile"]).ok();
    assert_eq!(ada.wf(&["sync", "--json"]).ok().json()["restored"], json!(named));
    assert_eq!(paths.each_ref().map(|path| ada.stored(path)), before);
    assert_ne!(world.origin.tip().unwrap(), old);
    world.assert_usable();
}

#[test]
fn whoever_has_nothing_else_is_told_and_shown_none_of_it() {
    let (world, paths) = world();
    put(&world.origin, &rewritten(&world.ada, &paths));
    let bob = world.sandbox.clone(&world.origin, "bob").as_person("Bob", "bob@example.org");
    bob.wf(&["init"]).ok();
    let found = bob.wf(&["fsck", "--json"]).fails(1).json();
    for path in &paths {
        let named = found.as_array().unwrap().iter().any(|it| {
            it["path"] == json!(path)
                && it["what"].as_str().unwrap().contains("its id does not match its content")
        });
        assert!(named, "{path}: {found:#}");
    }
    let shown = bob.json(&["show", "ISS-003"]);
    assert_eq!((&shown["comments"], &shown["solutions"][0]["review"]), (&json!([]), &json!("none")));
    assert_eq!(bob.json(&["show", "ISS-004"])["executions"], json!([]));
    // A clone that has the records restores them for everyone.
    world.ada.wf(&["sync"]).ok();
    bob.wf(&["sync"]).ok();
    bob.wf(&["fsck"]).ok();
    assert_eq!(bob.tip(), world.ada.tip());
    assert_eq!(bob.json(&["show", "ISS-003"])["comments"][0]["body"], "as it was said");
}

#[test]
fn another_form_of_the_same_words_is_no_damage() {
    let (world, paths) = world();
    let files: Vec<(String, String)> =
        paths.iter().map(|path| (path.clone(), world.ada.stored_json(path).to_string())).collect();
    put(&world.origin, &files);
    world.ada.wf(&["sync"]).ok();
    world.ada.wf(&["fsck"]).ok();
    assert_eq!(world.ada.json(&["show", "ISS-003"])["comments"][0]["body"], "as it was said");
}

#[test]
fn the_ids_that_commands_make_are_those_of_the_formats_page() {
    let (world, _) = world();
    world.ada.wf(&["feedback", "ISS-001", "it broke"]).ok();
    world.ada.wf(&["redact", "ISS-001", "title", "-m", "a name"]).ok();
    world.ada.assert_ids();
}
