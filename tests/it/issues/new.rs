//! `new`: every way to give it an issue, and what it refuses.

use serde_json::json;

use crate::support::{Repo, Sandbox};

#[test]
fn every_flag_lands_in_its_field() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let issue = repo.json(&[
        "new",
        "Tokens expire",
        "--id=GH-12",
        "-m",
        "First.",
        "-m",
        "Second.",
        "-p",
        "High",
        "-t",
        "web",
        "-t",
        "auth",
        "--depends-on=001",
        "--component=api",
        "--relation=relates-to:ISS-001",
        "--assignee= Bo ",
        "--type=bug",
        "--source-url=https://example.org/12",
    ]);
    let expected = json!({
        "id": "GH-12",
        "author": "Ada <ada@example.org>",
        "title": "Tokens expire",
        "status": "registered",
        "source": "text",
        "priority": 2,
        "context": "First.\n\nSecond.",
        "tags": ["auth", "web"],
        "depends_on": ["ISS-001"],
        "affected_components": ["api"],
        "relations": ["relates-to:ISS-001"],
        "assignee": "Bo",
        "issue_type": "bug",
        "source_url": "https://example.org/12",
        "solution_count": 0,
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&issue[field], value, "{field}");
    }
    assert_eq!(issue["created_at"], issue["updated_at"]);
}

#[test]
fn an_id_is_made_where_none_is_given() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = repo.wf(&["new", "Tokens expire"]).ok();
    let two = repo.wf(&["new", "Tokens expire"]).ok();
    assert_eq!(one.stdout, format!("{}\n", one.line()), "the bare id when piped");
    assert!(one.line().starts_with("ISS-20261121-") && one.line().len() == 21, "{}", one.line());
    assert_ne!(one.line(), two.line());
}

#[test]
fn the_text_comes_from_a_file_from_stdin_or_from_the_editor() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("text.md", "From a file.\n\n");
    assert_eq!(repo.json(&["new", "One", "-F", "text.md"])["context"], "From a file.");
    assert_eq!(repo.json_in("# From stdin\n", &["new", "Two", "-F", "-"])["context"], "# From stdin");
    repo.refused(1, &["new", "Three", "-F", "missing.md"]);
    repo.refused(2, &["new", "Three", "-F", "text.md", "-m", "both"]);
    repo.write(
        "editor",
        "#!/bin/sh\ncat \"$1\" >seen\nprintf 'Edited\\n\\nBody.\\n; no comment\\n# a heading\\n' >\"$1\"\n",
    );
    let editor = repo.with_env("GIT_EDITOR", "sh ./editor");
    let issue = editor.json(&["new", "Draft", "-m", "so far", "-e"]);
    assert_eq!(
        (&issue["title"], &issue["context"]),
        (&json!("Edited"), &json!("Body.\n; no comment\n# a heading"))
    );
    let seen = repo.read("seen");
    assert!(
        seen.contains("---\nDraft\n\nso far\n")
            && seen.contains("# The first line below the fields is the title"),
        "{seen}"
    );
    // If the editor fails or the text is empty, no issue is created.
    assert_eq!(repo.refused(1, &["new", "Draft", "-e"])["code"], "editor");
    repo.write("editor", "#!/bin/sh\n: >\"$1\"\n");
    assert_eq!(editor.refused(1, &["new", "Draft", "-e"])["code"], "empty-title");
}

#[test]
fn json_is_taken_and_flags_beat_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let input = json!({
        "id": "GH-7",
        "title": "From JSON",
        "description": "Under another name.",
        "priority": "low",
        "tags": ["a", "b"],
        "extended_context": {"location": "src/a.rs", "suggested_fix": "less", "notes": {"n": 1}},
        "expected_behavior": "a",
        "actual_behavior": "b",
        "lifecycle_requirements": {"test_strategy": "unit"},
        "status": "closed",
        "author": "someone else"
    });
    repo.write("issue.json", input.to_string());
    let issue = repo.json(&["new", "--from-json", "issue.json", "-p", "1"]);
    for field in ["id", "title", "tags", "extended_context", "expected_behavior", "actual_behavior"] {
        assert_eq!(issue[field], input[field], "{field}");
    }
    assert_eq!(issue["lifecycle_requirements"], input["lifecycle_requirements"]);
    assert_eq!((&issue["context"], &issue["priority"]), (&json!("Under another name."), &json!(1)));
    assert_eq!((&issue["status"], &issue["author"]), (&json!("registered"), &json!("Ada <ada@example.org>")));
    // What `show --json` prints can be read again.
    let shown = repo.wf(&["show", "GH-7", "--json"]).ok().stdout;
    let copy = repo.json_in(shown, &["new", "--from-json", "-", "--id", "GH-8"]);
    assert_eq!((&copy["id"], &copy["context"]), (&json!("GH-8"), &issue["context"]));
}

#[test]
fn lifecycle_requirements_take_the_known_words_and_no_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let all = json!({"test_strategy": "e2e", "regression_scope": "related", "acceptance_type": "both",
        "commit_strategy": "per-task"});
    let input = json!({"title": "T", "lifecycle_requirements": all});
    let issue = repo.json_in(input.to_string(), &["new", "--from-json", "-"]);
    assert_eq!(issue["lifecycle_requirements"], all);
    for (field, words) in [
        ("test_strategy", "unit, integration, e2e, manual, auto"),
        ("regression_scope", "affected, related, full"),
        ("acceptance_type", "automated, manual, both"),
        ("commit_strategy", "per-task, per-issue, squash, atomic"),
    ] {
        for value in [json!("sometimes"), json!("Unit"), json!(""), json!(1)] {
            let input = json!({"title": "T", "lifecycle_requirements": {field: value}}).to_string();
            let id = issue["id"].as_str().unwrap();
            for command in [&["new", "--from-json", "-"][..], &["edit", id, "--from-json", "-"]] {
                let error = repo.refused_in(&input, 1, command);
                assert_eq!(error["code"], "invalid-word");
                assert!(error["message"].as_str().unwrap().contains(field), "{error}");
                assert!(error["hint"].as_str().unwrap().contains(words), "{error}");
            }
        }
    }
    // What another program stored is read unchanged.
    let path = repo.store_path("/issue.json");
    let text = repo.stored(&path).replace("\"e2e\"", "\"by feel\"");
    repo.plumb(&[(&path, &text)]);
    let shown = repo.json(&["show", issue["id"].as_str().unwrap()]);
    assert_eq!(shown["lifecycle_requirements"]["test_strategy"], "by feel");
    repo.wf(&["edit", issue["id"].as_str().unwrap(), "-p", "1"]).ok();
    // The only fault is that it kept the stamp of another value.
    let found = repo.wf(&["fsck", "--json"]).fails(1).json();
    let is_of_stamp =
        |it: &serde_json::Value| it["what"].as_str().unwrap().contains("without changing its stamp");
    assert!(found.as_array().unwrap().iter().all(is_of_stamp), "{found}");
}

#[test]
fn dependencies_in_the_notes_are_dependencies() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["ISS-001", "ISS-002", "ISS-003"] {
        repo.issue(id);
    }
    let new = |input: serde_json::Value| repo.json_in(input.to_string(), &["new", "--from-json", "-"]);
    let issue = new(json!({"title": "T", "depends_on": ["ISS-002"],
        "extended_context": {"notes": {"wave": 2, "depends_on_issues": ["ISS-001"]}}}));
    assert_eq!(issue["depends_on"], json!(["ISS-001", "ISS-002"]));
    assert_eq!(issue["extended_context"], json!({"notes": {"wave": 2}}));
    let issue = new(json!({"title": "T", "extended_context": {"notes": {"depends_on_issues": ["ISS-001"]}}}));
    assert_eq!((&issue["depends_on"], &issue["extended_context"]), (&json!(["ISS-001"]), &json!(null)));
    let id = issue["id"].as_str().unwrap();
    let notes = json!({"extended_context": {"notes": {"depends_on_issues": ["ISS-003"]}}}).to_string();
    let issue = repo.json_in(notes, &["edit", id, "--from-json", "-"]);
    assert_eq!(issue["depends_on"], json!(["ISS-003"]));
    let wrong =
        json!({"title": "T", "extended_context": {"notes": {"depends_on_issues": "ISS-001"}}}).to_string();
    let error = repo.refused_in(&wrong, 1, &["new", "--from-json", "-"]);
    assert!(
        error["message"].as_str().unwrap().contains("extended_context.notes.depends_on_issues"),
        "{error}"
    );
}

#[test]
fn a_planner_s_names_for_what_came_from_github_are_taken() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let new = |input: serde_json::Value| repo.json_in(input.to_string(), &["new", "--from-json", "-"]);
    let issue = new(json!({"title": "T", "labels": ["bug", {"name": "ui", "color": "f00"}], "tags": ["x"],
        "github_url": "https://github.com/ada/engine/issues/12"}));
    assert_eq!(
        (&issue["id"], &issue["tags"], &issue["source"], &issue["source_url"]),
        (
            &json!("GH-12"),
            &json!(["bug", "ui", "x"]),
            &json!("github"),
            &json!("https://github.com/ada/engine/issues/12")
        )
    );
    let issue = new(json!({"title": "T", "github_number": 13}));
    assert_eq!(
        (&issue["id"], &issue["source"], &issue["source_url"]),
        (&json!("GH-13"), &json!("github"), &json!(null))
    );
    let issue = new(json!({"title": "T", "id": "ISS-009", "github_number": 14}));
    assert_eq!(issue["id"], "ISS-009");
    repo.git(&["remote", "add", "origin", "git@github.com:ada/engine.git"]).ok();
    let issue = new(json!({"title": "T", "github_number": 15}));
    assert_eq!(issue["source_url"], "https://github.com/ada/engine/issues/15");
    for wrong in [
        json!({"title": "T", "github_number": 3, "github_url": "https://github.com/ada/engine/issues/4"}),
        json!({"title": "T", "source_url": "https://example.org/1", "github_url": "https://github.com/ada/engine/issues/4"}),
        json!({"title": "T", "github_number": 0}),
        json!({"title": "T", "labels": "bug"}),
    ] {
        let error = repo.refused_in(wrong.to_string(), 1, &["new", "--from-json", "-"]);
        assert_eq!(error["code"], "invalid-json", "{error}");
    }
    let error = repo.refused_in(r#"{"title": "T", "github_url": "x"}"#, 1, &["new", "--from-json", "-"]);
    assert_eq!(error["code"], "invalid-url");
}

#[test]
fn json_that_is_no_issue_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let message = |stdin: &str| {
        let error = repo.refused_in(stdin, 1, &["new", "Title", "--from-json", "-"]);
        assert_eq!(error["code"], "invalid-json", "{error}");
        error["message"].as_str().unwrap().to_owned()
    };
    assert!(message(r#"{"title": "x", "colour": "red"}"#).contains("unknown field `colour`"));
    let half = message(r#"{"title": "x""#);
    assert_eq!(half, "stdin is not an issue: the JSON is cut off, at line 1, column 13");
    assert!(
        message(r#"{"title": "x"} {"title": "y"}"#)
            .contains("something follows the JSON, at line 1, column 16")
    );
    assert!(message(r#"{"priority": 9}"#).contains("9 is not a priority"));
    assert!(message("[]").contains("stdin"), "it says where the input came from");
    assert_eq!(message("[[1]]"), "stdin is not an issue: expected an object, found an array");
    assert_eq!(message("\"text\""), "stdin is not an issue: expected an object, found a string");
    assert_eq!(message(""), "stdin is not an issue: it is empty");
    let error = repo.refused_in(r#"{"source_url": "javascript:x"}"#, 1, &["new", "T", "--from-json", "-"]);
    assert_eq!(error["code"], "invalid-url");
}

#[test]
fn titles_that_are_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for empty in ["", "  \t"] {
        assert_eq!(repo.refused(1, &["new", empty])["code"], "empty-title");
    }
    assert_eq!(repo.refused(2, &["new"])["code"], "usage");
    let huge = json!({"title": "x".repeat(1 << 20)}).to_string();
    let error = repo.refused_in(huge, 1, &["new", "--from-json", "-"]);
    assert_eq!(error["code"], "too-long");
    assert_eq!(error["message"], "the title has 1048576 characters; at most 500 are allowed");
    assert_eq!(repo.refused(1, &["new", "bell\u{7}"])["code"], "invalid-title");
    repo.wf(&["new", &"é".repeat(500)]).ok();
}

#[test]
fn bytes_that_are_no_text() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for args in [&["new", "Title", "-F", "-"][..], &["new", "--from-json", "-"]] {
        let error = repo.refused_in(b"abc\xff\xfe", 1, args);
        assert_eq!(error["code"], "invalid-utf8");
        assert_eq!(error["message"], "stdin is not UTF-8: byte 255 at offset 3");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let tip = repo.tip();
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &["new"]);
        let output = command.arg(std::ffi::OsStr::from_bytes(b"T\xff")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("an argument is not UTF-8"));
        assert_eq!(repo.tip(), tip);
    }
}

#[test]
fn ids_that_are_taken_or_impossible() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let error = repo.refused(1, &["new", "Again", "--id", "ISS-001"]);
    assert_eq!(error["code"], "exists");
    assert_eq!(error["message"], "issue `ISS-001` already exists");
    for id in ["../../etc", "a/b-c", "1-a", "SOL-1", "x", "a-b.lock", "a-b..c", "a-b\nc"] {
        assert_eq!(repo.refused(2, &["new", "Title", "--id", id])["code"], "usage", "{id}");
    }
    refused_fields(&repo);
}

fn refused_fields(repo: &Repo) {
    repo.refused(2, &["new", "Title", "-p", "urgent"]);
    repo.refused(2, &["new", "Title", "--source-url", "ftp://example.org"]);
    assert_eq!(repo.refused(1, &["new", "Title", "-t", "two\nlines"])["code"], "invalid-label");
    for field in ["tags", "affected_components"] {
        let input = format!(r#"{{"title": "t", "{field}": ["two\nlines"]}}"#);
        assert_eq!(repo.refused_in(input, 1, &["new", "--from-json", "-"])["code"], "invalid-label");
    }
    assert_eq!(repo.refused(1, &["new", "Title", "--relation", "likes:ISS-001"])["code"], "invalid-relation");
    assert_eq!(repo.refused(1, &["new", "Title", "--depends-on", "ISS-404"])["code"], "not-found");
    let input = r#"{"id": "ISS-002", "title": "t", "depends_on": ["ISS-002"]}"#;
    assert_eq!(repo.refused_in(input, 1, &["new", "--from-json", "-"])["code"], "self-dependency");
}

#[test]
fn lists_are_separated_by_commas_as_statuses_are() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let made =
        repo.json(&["new", "t", "--id", "A-1", "-t", "auth,ui", "-t", "slow", "--component", "api,web"]);
    assert_eq!(made["tags"], serde_json::json!(["auth", "slow", "ui"]));
    assert_eq!(made["affected_components"], serde_json::json!(["api", "web"]));
    repo.wf(&["new", "t", "--id", "A-2", "-t", "ui"]).ok();
    for (args, ids) in [
        (&["-t", "auth,ui"][..], "A-1"),
        (&["-t", "ui"], "A-1 A-2"),
        (&["--component", "api,web"], "A-1"),
        (&["-t", "ui,none"], ""),
    ] {
        let listed = repo.json(&[&["list", "--sort", "id"], args].concat());
        assert_eq!(crate::support::column(&listed, "id").join(" "), ids, "{args:?}");
    }
    let edited = repo.json(&["edit", "A-1", "-t=-auth,-slow,new", "--component=-web"]);
    assert_eq!(
        (&edited["tags"], &edited["affected_components"]),
        (&serde_json::json!(["new", "ui"]), &serde_json::json!(["api"]))
    );
    assert_eq!(repo.refused(1, &["edit", "A-1", "-t", "a,,b"])["code"], "invalid-label");
}

#[test]
fn a_new_issue_has_nothing_to_remove() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for option in ["-t=-foo", "--component=-foo", "--depends-on=-A-9", "--relation=-relates-to:A-9"] {
        let error = repo.refused(2, &["new", "t", option]);
        assert!(error["message"].as_str().unwrap().contains("a new issue has none"), "{option}: {error}");
    }
    let input = r#"{"title": "t", "tags": ["foo", "bar"]}"#;
    let made = repo.wf_in(input, &["new", "--from-json", "-", "-t=-foo", "--json"]).ok().json();
    assert_eq!(made["tags"], serde_json::json!(["bar"]));
}
