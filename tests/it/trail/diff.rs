//! `diff` and `log -p`: what changed, as people read it.

use serde_json::Value;

use crate::support::{Repo, Sandbox, column, plan};

fn kinds(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().unwrap();
    let word = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    changes.iter().map(|it| format!("{} {}", word(it, "change"), word(it, "kind"))).collect()
}

fn fields(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().unwrap().iter();
    changes.flat_map(|it| column(&it["fields"], "path")).collect()
}

#[test]
fn a_step_is_read_field_by_field() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    assert_eq!(kinds(&repo.json(&["diff"])), ["added issue"]);
    let context = "Everyone is logged out after an hour, whatever they do, and nobody knows why.";
    repo.wf(&["edit", "ISS-001", "-m", context, "--tag", "auth"]).ok();
    let later = context.replace("an hour", "one minute");
    repo.wf(&["edit", "ISS-001", "-m", &later, "-p", "high"]).ok();
    let answer = repo.json(&["diff"]);
    assert_eq!(
        (kinds(&answer), fields(&answer)),
        (vec!["changed issue".into()], vec!["priority".into(), "context".into()])
    );
    assert_eq!(answer["changes"][0]["fields"][0]["new"], 2);
    repo.screen("trail/diff-a-step", &["diff"]);
    // The same in the log, under its commit.
    let log = repo.wf(&["log", "-p", "-n", "1"]).ok().stdout;
    assert!(log.contains("\n    ~ issue ISS-001 About ISS-001\n        priority: 3 → 2\n"), "{log}");
    let plan = repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    repo.wf(&["task", "edit", &plan, "T1", "--title", "Add a leaky bucket"]).ok();
    assert_eq!(fields(&repo.json(&["diff"])), ["tasks[T1].title"]);
    let text = repo.wf(&["diff"]).ok().stdout;
    assert!(
        text.contains("    T1 Add a leaky bucket\n        title: Add a [-token-]{+leaky+} bucket\n"),
        "{text}"
    );
    let text = repo.wf(&["diff", "@~2.."]).ok().stdout;
    assert!(
        text.contains(&format!("\n+ plan {plan}")) && text.contains("\n    + T1 Add a leaky bucket\n"),
        "{text}"
    );
}

#[test]
fn an_entry_is_one_line() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &plan());
    let bea = repo.as_person("Bea", "bea@example.org");
    bea.wf(&["comment", "ISS-001", "-m", "first line\nsecond line"]).ok();
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    bea.wf(&[&["solution", "review", &plan], &scores[..]].concat()).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    let hash = repo.commit("src/a.rs", "x", "extend it");
    repo.wf(&["link", &hash, &plan, "--task", "T2"]).ok();
    repo.wf(&["done", "-m", "it lasts", "--force", "--reason", "a test"]).ok();
    repo.screen("trail/diff-entries", &["diff", "@~6.."]);
    let claim = repo.stored_json(&repo.store_path("/execution.json"))["id"].as_str().unwrap().to_owned();
    // The changes of one record only.
    assert_eq!(
        kinds(&repo.json(&["diff", "@~6..", &claim])),
        ["added execution", "added event", "added event"]
    );
    assert_eq!(kinds(&repo.json(&["diff", &plan, "@~6.."])), ["added review", "added item"]);
    // Backwards, they are removals.
    assert_eq!(kinds(&repo.json(&["diff", "@..@~6", &plan])), ["removed review", "removed item"]);
    assert!(repo.wf(&["diff", "@..@~6", &plan]).ok().stdout.contains("\n- review of "));
}

#[test]
fn states_are_steps_moves_dates_and_remotes() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let repo = sandbox.clone(&origin, "a");
    repo.git(&["commit", "--allow-empty", "-qm", "first"]).ok();
    repo.wf(&["init"]).ok();
    let at = |time: &str| repo.with_env("GIT_COMMITTER_DATE", time).with_env("GIT_AUTHOR_DATE", time);
    for (day, id) in [(1, "ISS-001"), (3, "ISS-002"), (5, "ISS-003")] {
        at(&format!("2026-11-0{day}T10:00:00Z")).issue(id);
    }
    let ids = |args: &[&str]| column(&repo.json(&[&["diff"], args].concat())["changes"], "id");
    let second = repo.git(&["rev-parse", "refs/wf/main~1"]).ok().line().to_owned();
    assert_eq!(ids(&[&format!("{second}..")]), ["ISS-003"]);
    assert_eq!(ids(&[&second[..9]]), ["ISS-003"]);
    assert_eq!(ids(&["@{1}"]), ["ISS-003"]);
    assert_eq!(ids(&["@{2}..@{1}"]), ["ISS-002"]);
    assert_eq!(ids(&["2026-11-02..2026-11-03"]), ["ISS-002"]);
    assert_eq!(ids(&["2026-11-03T12:00:00Z.."]), ["ISS-003"]);
    let mut all = ids(&["2026-11-01..2026-11-05"]);
    all.sort();
    assert_eq!(all, ["ISS-001", "ISS-002", "ISS-003"]);
    assert_eq!(repo.json(&["diff", "1960-01-01..@"])["from"], Value::Null);
    // If nothing was synced yet, the last commit. Later, what the remote does not have.
    assert_eq!(ids(&[]), ["ISS-003"]);
    repo.wf(&["sync"]).ok();
    let nothing = repo.wf(&["diff"]).ok().stdout;
    assert!(
        nothing.contains("the last sync with origin") && nothing.ends_with("no difference\n"),
        "{nothing}"
    );
    repo.issue("ISS-004");
    repo.issue("ISS-005");
    let mut new = ids(&[]);
    new.sort();
    assert_eq!(new, ["ISS-004", "ISS-005"]);
    assert_eq!(ids(&["origin..", "ISS-005"]), ["ISS-005"]);
    assert_eq!(ids(&["ISS-004"]), ["ISS-004"]);
    // What others did meanwhile does not appear as undone here.
    let bea = sandbox.clone(&origin, "b").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    bea.issue("ISS-006");
    bea.wf(&["sync"]).ok();
    repo.git(&["fetch", "--quiet"]).ok();
    let mut new = ids(&[]);
    new.sort();
    assert_eq!(new, ["ISS-004", "ISS-005"]);
    for (code, wrong) in
        [(1, "HEAD.."), (1, "nonsense.."), (1, "@{99}.."), (2, "a...b"), (1, "ISS-404"), (1, "..1960-01-01")]
    {
        repo.refused(code, &["diff", wrong]);
    }
}

#[test]
fn what_is_hidden_shows_in_no_difference() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "The password is hunter2"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Still hunter2"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "it is hunter2"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "About passwords"]).ok();
    let entry = repo.json(&["show", "ISS-001"])["comments"][0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["redact", "ISS-001", &format!("comments/{entry}"), "-m", "secret"]).ok();
    repo.wf(&["redact", "ISS-001", "title", "-m", "secret"]).ok();
    for args in [&["diff", "@~6.."][..], &["diff", "@~6..@~3"], &["diff", "@~5..", "ISS-001"], &["log", "-p"]]
    {
        for more in [&[][..], &["--json"]] {
            let ran = repo.wf(&[args, more].concat()).ok();
            assert!(!ran.stdout.contains("hunter2") && ran.stdout.contains("[redacted]"), "{}", ran.stdout);
        }
    }
}

#[test]
fn a_hostile_record_is_cleaned() {
    let sandbox = Sandbox::new();
    let repo: Repo = sandbox.store("a");
    repo.issue("ISS-001");
    let path = repo.store_path("/issue.json");
    let text = repo.stored(&path).replace("About ISS-001", "About \\u001b[2J\\u202eback\\nwards");
    repo.plumb(&[
        (&path, &text),
        ("notes.txt", "\u{1b}[2J"),
        (&path.replace("issue.json", "comments/x.json"), "{"),
    ]);
    let text = repo.wf(&["diff"]).ok().stdout;
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    assert!(text.contains("+ notes.txt, which is not a record"), "{text}");
    let answer = repo.json(&["diff"]);
    assert_eq!(kinds(&answer), ["added other", "changed issue", "added other"]);
    assert_eq!(fields(&answer), ["title"]);
}

#[test]
fn long_work_shows_its_progress_on_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    repo.issue("ISS-001");
    for (command, words) in
        [(&["link", "--find"][..], "searching commits 0/"), (&["diff"], "comparing records 0")]
    {
        let (code, screen) = repo.on_terminal("", command);
        assert!(code == 0 && screen.contains(words), "{command:?}: {screen}");
        // In a pipe there is none.
        assert_eq!(repo.wf(command).ok().stderr, "");
    }
}
