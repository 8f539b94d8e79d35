//! `--fields`: selected fields of records, and the hint at the end of a limited list.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan};

fn three(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        for id in ["ISS-001", "ISS-002", "ISS-003"] {
            repo.issue(id);
        }
        repo.wf(&["edit", "ISS-001", "--title", "two words", "-t", "a,b"]).ok();
        repo
    })
}

#[test]
fn only_the_fields_that_were_named_are_printed_in_their_order() {
    let sandbox = Sandbox::new();
    let repo = three(&sandbox);
    assert_eq!(
        repo.wf(&["list", "--fields", "status,id,tags,title", "--sort", "id", "-n", "1"]).ok().stdout,
        "registered\tISS-001\ta,b\ttwo words\n"
    );
    assert_eq!(
        repo.json(&["list", "--fields", "title, id", "--sort", "id"])[0].to_string(),
        r#"{"title":"two words","id":"ISS-001"}"#
    );
    assert_eq!(
        repo.json(&["show", "ISS-001", "--fields", "id,comments"]),
        json!({"id": "ISS-001", "comments": []})
    );
    assert_eq!(repo.wf(&["show", "ISS-001", "--fields", "id"]).ok().stdout, "ISS-001\n");
    let plan = repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    assert_eq!(repo.json(&["solution", "list", "--fields", "id"]), json!([{"id": plan}]));
    assert_eq!(repo.json(&["show", &plan, "--fields", "issue_id"]), json!({"issue_id": "ISS-001"}));
    let tasks = repo.json(&["task", "list", &plan, "--fields", "id,depends_on"]);
    assert_eq!(tasks[1], json!({"id": "T2", "depends_on": ["T1"]}));
    repo.wf(&["feedback", "ISS-001", "more"]).ok();
    assert_eq!(repo.json(&["feedback", "--fields", "content"]), json!([{"content": "more"}]));
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    for list in [
        &["queue", "manage", "list", "--fields", "id"][..],
        &["queue", "show", "--fields", "status"],
        &["lease", "--fields", "item_id"],
        &["log", "--fields", "op"],
        &["agents", "list", "--fields", "name"],
        &["conflicts", "--fields", "field"],
        &["queue", "overlaps", "--fields", "id"],
        &["run", "list", "--fields", "id"],
        &["roadmap", "list", "--fields", "id"],
        &["wisdom", "--fields", "id"],
        &["wisdom", "word", "--fields", "id"],
    ] {
        let answer = repo.json(list);
        let all = answer.as_array().cloned().unwrap_or_else(|| vec![answer]);
        for one in all {
            assert!(one.as_object().unwrap().len() <= 1, "{list:?}: {one}");
        }
        repo.wf(list).ok();
    }
    assert_eq!(repo.wf(&["log", "--fields", "op", "-n", "1"]).ok().stdout, "queue add\n");
    assert_eq!(
        repo.json(&["search", "two words", "--fields", "title,id"]),
        json!({"total": 1, "hits": [{"title": "two words", "id": "ISS-001"}]})
    );
}

#[test]
fn a_field_that_the_record_cannot_have_is_refused_with_the_nearest() {
    let sandbox = Sandbox::new();
    let repo = three(&sandbox);
    let error = repo.refused(1, &["list", "--fields", "titel"]);
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("unknown-field"), &json!("there is no field `titel` here"))
    );
    assert!(error["hint"].as_str().unwrap().starts_with("did you mean `title`? The fields are "), "{error}");
    // A list has no field `comments`, and an issue no field `tasks`.
    assert_eq!(repo.refused(1, &["list", "--fields", "comments"])["code"], "unknown-field");
    assert_eq!(repo.refused(1, &["show", "ISS-001", "--fields", "tasks"])["code"], "unknown-field");
    assert_eq!(repo.refused(1, &["log", "--fields", "colour"])["code"], "unknown-field");
    assert_eq!(repo.refused(1, &["search", "two", "--fields", "hits"])["code"], "unknown-field");
}

#[test]
fn a_list_that_a_limit_cut_says_how_many_there_are_and_how_to_go_on() {
    let sandbox = Sandbox::new();
    let repo = three(&sandbox);
    let note = "note: 2 of 3 issues; `--offset 2` shows the next ones\n";
    for args in [&["list", "-n", "2"][..], &["list", "-n", "2", "--fields", "id"]] {
        assert_eq!(repo.wf(args).ok().stderr, note, "{args:?}");
    }
    let ran = repo.wf(&["list", "-n", "2", "--json"]).ok();
    assert!(
        ran.stderr.contains("2 of 3 issues") && ran.json().as_array().unwrap().len() == 2,
        "{}",
        ran.stderr
    );
    for args in [&["list", "-n", "2", "--offset", "2"][..], &["list", "-n", "3"], &["list"]] {
        assert_eq!(repo.wf(args).ok().stderr, "", "{args:?}");
    }
    let found = repo.wf(&["search", "-n", "1", "About"]).ok();
    let note = "note: 1 of 2 issues; `--limit 2` shows all\n";
    assert_eq!(found.stderr, note);
    let found = repo.wf(&["search", "-n", "1", "About", "--fields", "status,id"]).ok();
    assert_eq!((found.stdout.as_str(), found.stderr.as_str()), ("registered\tISS-002\n", note));
    let logged = repo.wf(&["log", "-n", "1", "--offset", "1", "--oneline", "--op", "new"]).ok();
    assert_eq!(logged.stderr, "note: 1 of 3 commits; `--offset 2` shows the next ones\n");
    assert!(logged.stdout.contains("ISS-002"), "{}", logged.stdout);
    for args in [&["-n", "1", "--offset", "2"][..], &["-n", "3"], &[], &["-n", "9", "--offset", "9"]] {
        let ran = repo.wf(&[&["log", "--op", "new"], args].concat()).ok();
        assert_eq!(ran.stderr, "", "{args:?}");
    }
}

#[test]
fn times_have_the_form_that_was_asked_for() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &crate::support::plan());
    let shown = |args: &[&str]| repo.wf(args).ok().stdout;
    let list = ["list", "--fields", "id,created_at"];
    let stored = shown(&list);
    assert!(stored.starts_with("ISS-001\t2026-11-21T02:00:") && stored.ends_with(".000Z\n"), "{stored}");
    assert_eq!(shown(&[&list[..], &["--date", "short"]].concat()), "ISS-001\t2026-11-21\n");
    let form = "--format=%(title) %(created_at)";
    repo.wf(&["edit", "ISS-001", "--title", "2026-11-21T02:00:00.000Z"]).ok();
    assert_eq!(shown(&["list", form, "--date=short"]), "2026-11-21T02:00:00.000Z 2026-11-21\n", "only times");
    assert!(shown(&["solution", "show", &plan, "--date=short"]).contains(", 2026-11-21\n"));
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert!(shown(&["next", "--local", "--date=iso"]).contains("lease until 2026-11-21 06:00:"));
    let log = shown(&["log", "--date=iso", "-n", "1"]);
    assert!(log.contains(", 2026-11-21 02:00:") && !log.contains("(2026"), "{log}");
    // Programs get the same again later; people are told how long ago it was, or what `log.date` says.
    for args in [&["show", "ISS-001"][..], &["log"], &["feedback"]] {
        let now = shown(args);
        sandbox.advance(7200);
        assert_eq!(shown(args), now, "{args:?}");
        assert!(!now.contains(" ago"), "{now}");
    }
    assert!(repo.on_terminal("", &["show", "ISS-001"]).1.contains("hours ago"));
    assert!(shown(&["list", "--fields", "created_at", "--date=relative"]).contains(" hours ago"));
    // Whatever the form, the end of a lease has a time of day.
    let lease = |repo: &crate::support::Repo, args: &[&str]| {
        repo.wf(&[&["lease", "renew"], args].concat()).ok().stdout
    };
    for form in ["--date=short", "--date=human", "--date=relative", "--date=format:%d.%m.%Y"] {
        assert!(lease(&repo, &[form]).contains(" until 2026-11-21T"), "{form}");
    }
    assert!(shown(&["log", "--date=relative", "-n", "1"]).contains(" ago (2026-11-21T"));
    assert!(!shown(&["log", "--date=human", "-n", "1"]).contains("(2026"), "it is said once");
    assert!(!shown(&["solution", "show", &plan]).contains(".000Z"), "as in the log");
    repo.git(&["config", "log.date", "format:%d.%m.%Y"]).ok();
    assert!(lease(&repo, &[]).contains(" until 2026-11-21T"));
    assert!(shown(&["show", "ISS-001"]).contains(", 21.11.2026\n"));
    assert!(repo.on_terminal("", &["show", "ISS-001"]).1.contains(", 21.11.2026\n"));
    assert_eq!(shown(&list), stored, "a program asked for the field");
}
