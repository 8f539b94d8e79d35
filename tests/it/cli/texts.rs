//! Text is given in the same way everywhere: with `-m`, or as the last argument. `--reason` overrides a gate.

use serde_json::json;

use crate::support::{Repo, Sandbox};

fn executing(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.queued("ISS-001", "src/a.rs");
        repo.queued("ISS-002", "src/b.rs");
        repo.wf(&["next"]).ok();
        repo
    })
}

#[test]
fn a_text_is_the_last_argument_or_that_of_m() {
    for (way, done) in [("-m", &["-m", "It holds"][..]), ("last", &["It holds"])] {
        let sandbox = Sandbox::new();
        let repo = executing(&sandbox);
        let say = |command: &[&'static str], text: &'static str| -> Vec<&str> {
            if way == "-m" { [command, &["-m", text]].concat() } else { [command, &[text]].concat() }
        };
        repo.wf(&say(&["comment", "ISS-001"], "It is the cache")).ok();
        repo.wf(&say(&["feedback", "ISS-001"], "Mind the cache")).ok();
        let shown = repo.json(&["show", "ISS-001"]);
        assert_eq!(shown["comments"][0]["body"], "It is the cache");
        assert_eq!(shown["feedback"][0]["content"], "Mind the cache");
        let held = repo.json(&say(&["queue", "hold", "S-2"], "not yet"));
        assert_eq!(held[0]["held"], "not yet");
        let failed = repo.json(&say(&["fail"], "no disk left"));
        assert_eq!(failed["failure"]["message"], "no disk left");
        repo.wf(&["retry", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        let failed = repo.json(&say(&["fail", "S-1"], "broken"));
        assert_eq!(failed["failure"]["message"], "broken");
        repo.wf(&["retry", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        let force = ["--force", "--reason", "a test"];
        let ended = repo.json(&[&["done"], done, &force].concat());
        assert_eq!(ended["result"]["summary"], "It holds");
        let closed = repo.json(&say(&["close", "ISS-002"], "nobody wants it"));
        assert_eq!(closed["close_reason"], "nobody wants it");
        repo.wf(&say(&["reopen", "ISS-002"], "they do")).ok();
        assert!(repo.last_message().starts_with("issue: reopen ISS-002: they do"), "{}", repo.last_message());
        repo.wf(&say(&["redact", "ISS-002", "title"], "a password")).ok();
        assert_eq!(repo.json(&["show", "ISS-002"])["title"], "[redacted]");
    }
}

#[test]
fn json_of_a_failure_can_be_the_last_argument() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let failure = json!({"task_id": "T1", "message": "2 of 3"});
    assert_eq!(repo.json(&["fail", &failure.to_string()])["failure"], failure);
}

#[test]
fn a_text_is_given_once_and_an_item_is_an_option_beside_it() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for args in [
        &["fail", "no disk left", "-m", "again"][..],
        &["done", "S-1", "It holds", "-m", "again"],
        &["comment", "ISS-001", "x", "-m", "again"],
        &["close", "ISS-002", "x", "-m", "again"],
        &["fail"],
        &["queue", "hold", "S-2"],
        &["queue", "hold", "not yet"],
    ] {
        repo.refused(2, args);
    }
    assert_eq!(repo.refused(1, &["done", "S-9"])["code"], "not-found");
    assert_eq!(repo.json(&["fail", "broken"])["failure"]["message"], "broken");
}

#[test]
fn a_reason_alone_is_answered_with_what_was_meant() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for args in [
        &["fail", "--reason", "no disk left"][..],
        &["done", "--reason", "It holds"],
        &["queue", "hold", "S-2", "--reason", "not yet"],
        &["redact", "ISS-001", "title", "--reason", "a password"],
    ] {
        let error = repo.refused(2, args);
        assert_eq!(error["hint"], "give your text with `-m TEXT`", "{args:?}");
        let ran = repo.wf(args).fails(2);
        assert!(!ran.stderr.contains("--force"), "{}", ran.stderr);
    }
}

#[test]
fn an_issue_is_closed_for_a_reason() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (n, args, why) in [
        (1, &["--reason", "duplicate"][..], Some("duplicate")),
        (2, &["--reason", "duplicate", "-m", "of ISS-001"], Some("duplicate: of ISS-001")),
        (3, &["-m", "not planned"], Some("not planned")),
        (4, &["--force", "--reason", "an owner said so"], None),
    ] {
        let id = format!("ISS-00{n}");
        repo.issue(&id);
        let closed = repo.json(&[&["close", &id], args].concat());
        assert_eq!((&closed["status"], closed["close_reason"].as_str()), (&json!("closed"), why), "{args:?}");
    }
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["force"], "an owner said so");
    repo.refused(2, &["close", "ISS-001", "--force"]);
}

#[test]
fn a_word_that_names_no_item_is_told_from_a_text() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for (code, args, hint) in [
        (2, &["queue", "hold", "later"][..], "`git wf queue hold later -m TEXT`"),
        (2, &["queue", "hold", "S-2", "later"], "if it is your text: `git wf queue hold S-2 -m later`"),
        (2, &["queue", "hold", "not yet"], "`git wf queue hold ITEM -m 'not yet'`"),
        (2, &["queue", "release", "S-2", "go on now"], "an item is S-1"),
        (2, &["queue", "remove", "S-2", "not needed"], "an item is S-1"),
        (2, &["lease", "release", "no time left"], "an item is S-1"),
        (1, &["lease", "release", "later"], "an item is S-1"),
        (1, &["detail", "some text"], "an item is S-1"),
    ] {
        let error = repo.refused(code, args);
        let whole = error["hint"].as_str().unwrap();
        assert!(whole.contains(hint), "{args:?}: {error}");
        let parts: Vec<&str> = whole.split("; ").collect();
        assert!(parts.iter().all(|part| whole.matches(part).count() == 1), "{args:?} says it twice: {error}");
        let word = args.last().unwrap();
        assert!(error.to_string().contains(word), "{args:?}: {error}");
    }
}

#[test]
fn a_dash_is_a_text_on_stdin() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.wf_in("It is the cache\n", &["comment", "ISS-001", "-"]).ok();
    repo.wf_in("Mind the cache\n", &["feedback", "ISS-001", "-"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["comments"][0]["body"], "It is the cache");
    assert_eq!(shown["feedback"][0]["content"], "Mind the cache");
    assert_eq!(repo.json_in("not yet\n", &["queue", "hold", "S-2", "-"])[0]["held"], "not yet");
    assert_eq!(repo.json_in("no disk left\n", &["fail", "-"])["failure"]["message"], "no disk left");
    let id = repo.wf_in("A title\n\nWhat it is about.\nTwo lines.\n", &["new", "-"]).ok().line().to_owned();
    let shown = repo.json(&["show", &id]);
    assert_eq!(
        (&shown["title"], &shown["context"]),
        (&json!("A title"), &json!("What it is about.\nTwo lines."))
    );
    repo.refused_in("A title\n\nmore\n", 2, &["new", "-", "-m", "again"]);
    repo.refused_in("", 2, &["new", "-"]);
    assert_eq!(repo.json_in("duplicate\n", &["close", "ISS-002", "-"])["close_reason"], "duplicate");
}

#[test]
fn an_option_of_another_name_is_answered_with_the_right_one() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for (args, hint) in [
        (&["comment", "ISS-001", "--reason", "later"][..], "give your text with `-m TEXT`"),
        (&["feedback", "ISS-001", "--reason", "later"], "give your text with `-m TEXT`"),
        (&["new", "x", "--description", "y"], "give your text with `-m TEXT`"),
        (&["new", "x", "--label", "y"], "`-t TAG`; separate several with commas"),
    ] {
        let error = repo.refused(2, args);
        assert_eq!(error["hint"], hint, "{args:?}");
        let option = args.iter().find(|it| it.starts_with("--")).unwrap();
        assert!(error["message"].as_str().unwrap().contains(&format!("has no option `{option}`")), "{error}");
    }
    let error = repo.refused(2, &["queue", "release", "S-2", "-m", "go on"]);
    assert!(error["message"].as_str().unwrap().contains("takes no text"), "{error}");
}

#[test]
fn a_list_with_commas_may_have_blanks_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    repo.issue("A-2");
    let id = "B-1";
    repo.wf(&["new", "--id", id, "x", "-t", "a, b", "--depends-on", "A-1, A-2", "--component", "c , d"]).ok();
    let shown = repo.json(&["show", id]);
    assert_eq!(shown["tags"], json!(["a", "b"]));
    assert_eq!(shown["depends_on"], json!(["A-1", "A-2"]));
    assert_eq!(shown["affected_components"], json!(["c", "d"]));
    assert_eq!(repo.json(&["edit", id, "-t", "-a, c"])["tags"], json!(["b", "c"]));
    assert_eq!(
        repo.json(&["list", "-t", "b, c", "-s", "registered, planned", "-p", "medium, high"])[0]["id"],
        id
    );
}

#[test]
fn an_id_of_another_kind_is_told_by_its_name() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let shown = repo.json(&["show", "ISS-001"]);
    let plan = shown["bound_solution_id"].as_str().unwrap();
    let execution = shown["executions"][0]["id"].as_str().unwrap();
    let queue = repo.json(&["queue", "show"])["id"].as_str().unwrap().to_owned();
    for (id, kind) in [(plan, "a plan"), (execution, "an execution"), ("S-1", "an item")] {
        for args in
            [&["close", id][..], &["comment", id, "x"], &["bind", id], &["plan", id], &["queue", "add", id]]
        {
            let error = repo.refused(1, args);
            assert_eq!(error["message"], format!("`{id}` is {kind}, not an issue"), "{args:?}");
            assert_eq!(error["hint"], "its issue is `ISS-001`; `git wf show ISS-001` shows it", "{args:?}");
        }
    }
    for (args, hint) in [
        (&["close", &queue][..], "`git wf list --all` shows the issues"),
        (&["comment", "some text", "ISS-001"], "the issue comes first, then the text"),
        (&["solution", "add", "plan.json", "ISS-001"], "the issue comes first, then the files"),
        (&["queue", "show", "S-1"], "`S-1` is an item"),
        (&["queue", "hold", &queue, "-m", "x"], "is a queue; `git wf show"),
        (&["detail", "T1"], "`T1` looks like a task"),
        (&["verify", "T1"], "`git wf verify --task T1` runs the tests of one task"),
    ] {
        let error = repo.refused(1, args);
        assert!(error["hint"].as_str().unwrap().contains(hint), "{args:?}: {error}");
    }
}

#[test]
fn arguments_in_another_order_are_told() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    for (args, message, hint) in [
        (&["link", "ISS-001", "HEAD"][..], "`HEAD` is a commit, but the plan comes last", "then the plan"),
        (
            &["close", "ISS-002", "ISS-001"],
            "takes one issue, but `ISS-001` is another",
            "`git wf close ISS-001`",
        ),
        (
            &["settings", "review=required", "guidelines=x"],
            "`guidelines` cannot be set together with others",
            "of its own",
        ),
        (
            &["accept", "1", "T1", "-m", "seen"],
            "counted from 1, after its task: T1 1",
            "git wf accept --help",
        ),
        (&["accept", "T1", "1"], "a criterion needs evidence", "`git wf accept -m TEXT T1 1`"),
        (
            &["new", "--id", "A", "x"],
            "`A` cannot be the id of an issue: an id looks like GH-123",
            "new --help",
        ),
        (&["accept", "T1", "1", "-e", "seen by eye"], "has no option `-e`", "`-m TEXT`"),
    ] {
        let error = repo.refused(2, args);
        assert!(error["message"].as_str().unwrap().contains(message), "{args:?}: {error}");
        assert!(error["hint"].as_str().unwrap().contains(hint), "{args:?}: {error}");
    }
    assert_eq!(repo.json(&["close", "ISS-002", "-m", "ISS-001"])["close_reason"], "ISS-001");
    // Evidence is a text like any other.
    repo.wf(&["accept", "T1", "1", "seen by eye"]).ok();
}

#[test]
fn a_text_from_the_editor_outlives_a_refusal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let written = repo.with_env("GIT_EDITOR", "printf 'My words\n\nand more\n' >");
    for (n, args) in [
        &["feedback", "NOSUCH", "-e"][..],
        &["wisdom", "add", "--issue", "NOSUCH", "-e"],
        &["wisdom", "answer", "NOSUCH", "-e"],
        &["new", "--id", "ISS-001", "-e"],
        &["edit", "ISS-001", "--status", "closed", "-e"],
    ]
    .into_iter()
    .enumerate()
    {
        let error = written.wf(&[args, &["--json"]].concat()).fails(1).json_error();
        assert!(error["hint"].as_str().unwrap().contains("EDITMSG-"), "{args:?}: {error}");
        let kept = repo.kept_texts();
        assert!(kept.len() == n + 1 && kept[n].starts_with("My words\n\nand more\n"), "{args:?}");
    }
    let long = repo.with_env("GIT_EDITOR", "head -c 17000000 /dev/zero | tr '\\0' x >");
    let error = long.wf(&["comment", "ISS-001", "-e", "--json"]).fails(1).json_error();
    assert!(error["hint"].as_str().unwrap().contains("EDITMSG-"), "{error}");
    written.wf(&["comment", "ISS-001", "-e"]).ok();
    assert_eq!(repo.kept_texts().len(), 6, "it is in the store");
    // An empty text is nothing to keep.
    let error = repo.with_env("GIT_EDITOR", ":").wf(&["new", "-e", "--json"]).fails(1).json_error();
    assert!(!error["hint"].as_str().unwrap().contains("EDITMSG-"), "{error}");
    assert_eq!(repo.kept_texts().len(), 6);
}
