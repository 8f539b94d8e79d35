//! The bytes of records, and that nothing unknown is lost from them.

use crate::support::{REF, Repo, Sandbox};

fn issue_path(repo: &Repo) -> String {
    repo.store_path("/ISS-001/issue.json")
}

#[test]
fn a_record_is_written_in_the_order_of_the_format() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let args = ["-m", "Ends «too» early.", "-p", "high", "-t", "web", "-t", "auth", "--component", "api"];
    repo.wf(&[&["new", "--id", "ISS-001", "Tokens expire"], &args[..]].concat()).ok();
    let text = repo.stored(&issue_path(&repo));
    let stamp = text.split("\"*\": \"").nth(1).unwrap().split('"').next().unwrap();
    let time = stamp.split('/').next().unwrap();
    let expected = format!(
        r#"{{
  "id": "ISS-001",
  "author": "Ada <ada@example.org>",
  "created_at": "{time}",
  "source": "text",
  "title": "Tokens expire",
  "status": "registered",
  "priority": 2,
  "context": "Ends «too» early.",
  "tags": [
    "auth",
    "web"
  ],
  "affected_components": [
    "api"
  ],
  "clock": {{
    "*": "{stamp}"
  }}
}}
"#
    );
    assert_eq!(text, expected);
}

/// Only the stamp of the changed field depends on the way to a state.
#[test]
fn one_state_has_one_form_whatever_way_led_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "Tokens expire", "-t", "auth"]).ok();
    let before = repo.stored_json(&issue_path(&repo));
    repo.wf(&["edit", "ISS-001", "-t", "web", "-t=-auth", "-p", "1"]).ok();
    repo.wf(&["edit", "ISS-001", "-t=-web", "-t", "auth", "-p", "3"]).ok();
    let mut after = repo.stored_json(&issue_path(&repo));
    let clock = after.as_object_mut().unwrap().shift_remove("clock").unwrap();
    let keys: Vec<&str> = clock.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["*", "-tags/web", "priority", "tags/auth"]);
    let mut before = before;
    before.as_object_mut().unwrap().shift_remove("clock");
    assert_eq!(before.to_string(), after.to_string());
}

#[test]
fn what_is_unknown_survives_every_edit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let path = issue_path(&repo);
    let number = "12345678901234567890.12345678901234567890e-3";
    let odd = format!("\"x_odd\": {{\n    \"deep\": [\n      {number},\n      1.0,\n      null\n    ]\n  }}");
    let text = repo.stored(&path).replace("\n}\n", &format!(",\n  {odd}\n}}\n"));
    let text = text.replace(
        "\n  \"bound_solution_id\"",
        "\n  \"extended_context\": {\n    \"location\": \"src\",\n    \"x_leaf\": 1\n  },\n  \"bound_solution_id\"",
    );
    let root = "{\n  \"format\": 1,\n  \"x_root\": true\n}\n";
    let log = format!(
        "{}/comments/20261121T021405123Z-00000-7k3m2pq9.txt",
        path.strip_suffix("/issue.json").unwrap()
    );
    repo.plumb(&[(&path, &text), ("wf.json", root), ("later/version.bin", "\u{1}2"), (&log, "no entry")]);
    let more = r#"{"title": "Another", "extended_context": {"location": "src", "notes": "n"}}"#;
    repo.wf_in(more, &["edit", "ISS-001", "--from-json", "-"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    repo.wf(&["close", "ISS-001", "-m", "enough"]).ok();
    let now = repo.stored(&path);
    assert!(now.contains(&odd), "{now}");
    assert!(now.contains("\"x_leaf\": 1"), "{now}");
    assert!(now.contains("\"title\": \"Another\"") && now.contains("\"notes\": \"n\""), "{now}");
    assert_eq!(repo.stored("wf.json"), root);
    assert_eq!(repo.stored("later/version.bin"), "\u{1}2");
    assert_eq!(repo.stored(&log), "no entry");
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"].as_array().unwrap().len(), 1);
    repo.git(&["fsck", "--strict"]).ok();
}

#[test]
fn numbers_of_a_plan_are_kept_as_they_were_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let plan = crate::support::plan().to_string().replace("\"score\":0.9", "\"score\":0.90,\"x_big\":1e400");
    repo.wf_in(&plan, &["solution", "add", "ISS-001"]).ok();
    let text = repo.stored(&repo.store_path("/solution.json"));
    assert!(text.contains("\"score\": 0.90,"), "{text}");
    assert!(text.contains("\"x_big\": 1e400"), "{text}");
}

#[test]
fn what_has_no_type_is_shown_and_rewritten_as_it_was_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let odd = r#"{"n":[1e5,1E5,-0,1.50,null],"$serde_json::private::Number":"1"}"#;
    let input = format!(r#"{{"title": "t", "extended_context": {{"notes": {odd}}}}}"#);
    repo.wf_in(&input, &["new", "--from-json", "-", "--id", "ISS-001"]).ok();
    let path = repo.store_path("/ISS-001/issue.json");
    let text = repo.stored(&path).replace("\n}\n", ",\n  \"x_odd\": 1e5\n}\n");
    repo.plumb(&[(&path, &text)]);
    repo.wf(&["edit", "ISS-001", "--title", "u"]).ok();
    let flat = |text: &str| text.split_whitespace().collect::<String>();
    // In byte order of the names, as in every object that the schema does not know.
    let notes = r#""notes":{"$serde_json::private::Number":"1","n":[1e5,1E5,-0,1.50,null]}"#;
    let stored = flat(&repo.stored(&path));
    assert!(stored.contains(notes) && stored.contains(r#""x_odd":1e5"#), "{stored}");
    for args in [&["show", "ISS-001", "--json"][..], &["list", "--json"], &["export", "jsonl"]] {
        let shown = flat(&repo.wf(args).ok().stdout);
        assert!(shown.contains(notes), "{args:?}: {shown}");
    }
    repo.wf(&["fsck"]).ok();
}

#[test]
fn nulls_of_a_plan_are_not_written_and_not_in_its_digest() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut plan = crate::support::plan();
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let context = plan["exploration_context"].clone();
    plan["x_null"] = serde_json::Value::Null;
    plan["tasks"][0]["x_null"] = serde_json::Value::Null;
    plan["exploration_context"] = serde_json::json!({"kept": null});
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    plan["exploration_context"] = context;
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let texts: Vec<String> = repo
        .store_paths()
        .iter()
        .filter(|path| path.ends_with("/solution.json"))
        .map(|path| repo.stored(path))
        .collect();
    assert_eq!(texts.iter().map(|text| text.matches("null").count()).sum::<usize>(), 1, "{texts:#?}");
    let plans = repo.json(&["show", "ISS-001"])["solutions"].as_array().unwrap().clone();
    let mut digests = crate::support::column(&plans.into(), "plan_digest");
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 2);
}

#[test]
fn a_broken_record_is_named_and_not_in_the_way_of_the_rest() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    let comment = "issues/90/ISS-001/comments/20261121T021405123Z-00000-00000000000000000000000001.json";
    repo.plumb(&[(&repo.store_path("/ISS-002/issue.json"), "{\"id\": \"ISS-002\""), (comment, "[]")]);
    let list = repo.wf(&["list", "--json"]).ok();
    assert_eq!(crate::support::column(&list.json(), "id"), ["ISS-001"]);
    assert!(list.stderr.contains("1 unreadable issue"), "{}", list.stderr);
    let shown = repo.wf(&["show", "ISS-001", "--json"]).ok();
    assert!(shown.json()["warnings"].to_string().contains(comment), "{}", shown.stdout);
    let error = repo.refused(1, &["show", "ISS-002"]);
    assert_eq!(error["code"], "broken-record");
    assert!(error["message"].as_str().unwrap().contains("ISS-002/issue.json"), "{error}");
    repo.wf(&["edit", "ISS-001", "--title", "Another"]).ok();
}

#[test]
fn no_write_goes_past_the_last_stamp() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let tree = repo.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
    let path = tree.lines().find(|path| path.ends_with("/ISS-001/issue.json")).unwrap();
    let text = repo.git(&["cat-file", "-p", &format!("{REF}:{path}")]).ok().stdout;
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut put = |stamp: &str| {
        record["clock"] = serde_json::json!({ "*": stamp });
        repo.plumb(&[(path, &record.to_string())]);
    };
    put("9998-12-30T23:59:59.999Z/99999/zzzzzzzz");
    assert_eq!(repo.refused(1, &["edit", "ISS-001", "--title", "Other"])["code"], "frozen");
    repo.json(&["show", "ISS-001"]);
    put("9998-12-31T23:59:59.999Z/99999/zzzzzzzz");
    assert_eq!(repo.refused(1, &["show", "ISS-001"])["code"], "broken-record");
}
