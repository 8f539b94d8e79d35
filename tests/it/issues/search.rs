//! Full text.

use crate::support::{Repo, Sandbox, column, plan};

fn found(repo: &Repo, text: &str) -> String {
    column(&repo.json(&["search", text])["hits"], "id").join(" ")
}

#[test]
fn everything_that_people_write_is_found() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    repo.wf(&["new", "Kerberos tickets expire", "--id", "T-1"]).ok();
    repo.wf(&["new", "Another", "--id", "C-1", "-m", "It is about kerberos, too"]).ok();
    repo.issue("K-1");
    repo.wf(&["comment", "K-1", "-m", "Seen with Kerberos on Tuesday"]).ok();
    assert_eq!(
        found(&repo, "kerberos"),
        "T-1 C-1 K-1",
        "a title says more than a text, and that more than a comment"
    );
    repo.issue("P-1");
    repo.wf_in(plan().to_string(), &["solution", "add", "P-1"]).ok();
    let words = plan()["tasks"][0]["title"].as_str().unwrap().to_owned();
    assert_eq!(found(&repo, &format!("plans: \"{words}\"")), "P-1");
    repo.wf(&["queue", "add", "P-1"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("x", "x", "Make the flux capacitor hum");
    assert_eq!(found(&repo, "commits: capacitor"), "P-1");
    repo.wf(&["fail", "-m", "the gizmo exploded"]).ok();
    assert_eq!(found(&repo, "feedback: gizmo"), "P-1");
    repo.wf(&["close", "T-1"]).ok();
    assert_eq!(found(&repo, "ticket"), "T-1", "closed ones too, and one form of a word finds another");
    assert_eq!(column(&repo.json(&["list", "--search", "kerberos"]), "id").join(" "), "C-1 K-1");
    let hits = repo.json(&["search", "kerberos", "--limit", "1"]);
    assert_eq!((hits["total"].as_u64(), hits["hits"].as_array().unwrap().len()), (Some(3), 1));
    assert_eq!(hits["hits"][0]["matched"], serde_json::json!(["Kerberos"]));
    let text = repo.wf(&["search", "kerberos"]).ok().stdout;
    assert_eq!(text.lines().next(), Some("T-1 closed Kerberos tickets expire"));
}

#[test]
fn what_has_the_text_for_an_id_comes_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("beads_rust-0v1", "src/a.rs");
    repo.queued("beads_rust-x0v1", "src/b.rs");
    for id in ["beads_rust-0v1", "beads_rust-x0v1"] {
        repo.wf(&["edit", id, "--title", "A title"]).ok();
    }
    repo.wf(&["new", "--id", "T-1", "Another that mentions 0v1"]).ok();
    let made = repo.wf(&["new", "Made here"]).ok().line().to_owned();
    repo.wf(&["next", "S-1"]).ok();
    let execution =
        repo.json(&["show", "beads_rust-0v1"])["executions"][0]["id"].as_str().unwrap().to_owned();
    let queue = repo.json(&["queue", "show"])["id"].as_str().unwrap().to_owned();
    let last = |id: &str| id.rsplit('-').next().unwrap().to_owned();
    for text in [
        "beads_rust-0v1",
        "0v1",
        &plan,
        &last(&plan),
        &plan[..plan.len() - 2],
        &execution,
        "S-1",
        &format!("{queue}:S-1"),
    ] {
        let hits = &repo.json(&["search", text])["hits"];
        assert_eq!(hits[0]["id"], "beads_rust-0v1", "{text}: {hits}");
    }
    assert_eq!(found(&repo, "0v1"), "beads_rust-0v1 T-1", "once each");
    assert_eq!(repo.json(&["search", "0v1"])["total"], 2);
    assert_eq!(found(&repo, &last(&made)), made);
    assert_eq!(found(&repo, &last(&made)[..5]), made);
    assert_eq!(repo.json(&["search", &plan])["hits"][0]["matched"], serde_json::json!([plan]));
    for text in [&queue, &last(&queue)] {
        assert_eq!(repo.json(&["search", text])["queues"], serde_json::json!([queue]), "{text}");
        assert_eq!(
            repo.wf(&["search", text]).ok().stdout.lines().next(),
            Some(format!("{queue} queue").as_str())
        );
    }
    // A word that is also the start of an id is still a word.
    assert_eq!(found(&repo, "bead"), "");
}

#[test]
fn operators_work_and_no_text_is_an_error() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, title) in
        [("A-1", "red apple"), ("A-2", "green apple tree"), ("A-3", "red brick in src/wall.rs")]
    {
        repo.wf(&["new", title, "--id", id]).ok();
    }
    let sorted = |text: &str| {
        let mut ids = column(&repo.json(&["search", text])["hits"], "id");
        ids.sort();
        ids.join(" ")
    };
    for (text, ids) in [
        ("red apple", "A-1"),
        ("red OR tree", "A-1 A-2 A-3"),
        ("apple NOT red", "A-2"),
        ("app*", "A-1 A-2"),
        ("\"green apple\"", "A-2"),
        ("NEAR(green tree, 1)", "A-2"),
        ("title: brick", "A-3"),
        ("context: brick", ""),
        ("\"src/wall.rs\"", "A-3"),
        ("RED", "A-1 A-3"),
    ] {
        assert_eq!(sorted(text), ids, "{text}");
    }
    for (text, ids) in [
        ("src/wall.rs", "A-3"),
        ("wall.rs:12", ""),
        ("red-apple", "A-1"),
        ("apple (red OR tree)", "A-1 A-2"),
        ("wal*", "A-3"),
        ("src/wal*", "A-3"),
        // A query that cannot be parsed is searched word by word.
        ("\"green apple", "A-2"),
        ("(apple tree", "A-2"),
        ("tree AND", ""),
        ("nosuch: x", ""),
        ("*", ""),
        ("(", ""),
        ("", ""),
    ] {
        assert_eq!(sorted(text), ids, "{text}");
        let listed = repo.json(&["list", "--all", "--sort", "id", "--search", text]);
        assert_eq!(column(&listed, "id").join(" "), ids, "{text}");
    }
}

#[test]
fn ids_file_names_and_words_with_hyphens_are_found_as_they_stand() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&[
        "new",
        "Follow-up of beads_rust-0v1",
        "--id",
        "A-1",
        "-m",
        "see a-b in ledger.py, not in rust",
    ])
    .ok();
    repo.wf(&["new", "beads and rust", "--id", "A-2", "-m", "a ledger for b"]).ok();
    for (text, ids) in [
        ("beads_rust-0v1", "A-1"),
        ("ledger.py", "A-1"),
        ("a-b", "A-1"),
        ("follow-up NOT ledger", ""),
        ("don't", ""),
        ("50%", ""),
        ("--all", ""),
        ("c++", ""),
        ("x'); DROP TABLE words; --", ""),
    ] {
        let args: Vec<&str> = ["search", "--json", "--"].into_iter().chain(text.split(' ')).collect();
        let hits = repo.wf(&args).ok().json()["hits"].clone();
        assert_eq!(column(&hits, "id").join(" "), ids, "{text}");
    }
}

#[test]
fn text_without_blanks_is_found_and_shown_as_it_is() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "登录后令牌过期太早", "--id", "Z-1"]).ok();
    repo.wf(&["new", "ログインtokenの期限切れ", "--id", "J-1"]).ok();
    repo.wf(&["new", "한국어 문서를 고치다", "--id", "H-1"]).ok();
    for (text, id) in [
        ("令牌", "Z-1"),
        ("过期太早", "Z-1"),
        ("牌令", ""),
        ("ログイン", "J-1"),
        ("期限*", "J-1"),
        ("token", "J-1"),
        ("문서", "H-1"),
        ("令牌 OR 문서 NOT 한국", "Z-1"),
    ] {
        assert_eq!(found(&repo, text), id, "{text}");
    }
    let hit = &repo.json(&["search", "令牌"])["hits"][0];
    assert_eq!(hit["snippet"], "登录后令牌过期太早");
    assert_eq!(hit["matched"], serde_json::json!(["令牌"]));
}

/// More issues than are all ranked, one created each minute; all have one word.
fn very_many(repo: &Repo) {
    let line = |n: usize| {
        let title = match n {
            3 | 9_500 => "A pear",
            _ => "Another title",
        };
        let time = format!(
            "2026-{:02}-{:02}T{:02}:{:02}:00Z",
            1 + n / 1440 / 28,
            1 + n / 1440 % 28,
            n / 60 % 24,
            n % 60
        );
        serde_json::json!({"id": format!("br-{n}"), "title": title, "description": "With a pear in it", "status": "open",
            "priority": 2, "labels": ["fruit"], "created_at": time, "updated_at": time})
    };
    let lines: String = (0..10_001).map(|n| format!("{}\n", line(n))).collect();
    repo.wf_in(lines, &["import", "beads", "-"]).ok();
}

#[test]
fn among_very_many_the_best_of_the_newest_are_found_and_a_list_does_not_count_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    very_many(&repo);
    // The first of each says what it waits for.
    let (_, listed) = repo.on_terminal("", &["list", "-n", "1"]);
    assert!(listed.contains("indexing issues 0/10001") && !listed.contains("words"), "{listed}");
    let (_, found) = repo.on_terminal("", &["search", "pear", "-n", "1"]);
    assert!(found.contains("indexing words 0/10001"), "{found}");
    assert!(found.contains("10001 issues match; the best of the 1000 newest are shown"), "{found}");
    let found = repo.json(&["search", "pear", "--limit", "2"]);
    assert_eq!((&found["total"], &found["newest"]), (&10_001.into(), &1_000.into()));
    // The other one with the word in its title is older.
    assert_eq!(column(&found["hits"], "id")[0], "br-9500");
    assert_ne!(column(&found["hits"], "id")[1], "br-3");
    // With a greater limit than the newest, all are ranked.
    let found = repo.json(&["search", "pear", "--limit", "10001"]);
    assert_eq!((column(&found["hits"], "id").len(), &found["newest"]), (10_001, &serde_json::Value::Null));
    assert!(repo.wf(&["list", "-n", "2"]).ok().stderr.starts_with("note: 2 of 10001 issues; "));
    let by_tag = repo.wf(&["list", "-n", "2", "--tag", "fruit"]).ok().stderr;
    assert!(by_tag.starts_with("note: 2 of more than 101 issues; "), "{by_tag}");
    assert_eq!(repo.wf(&["list", "--count", "--tag", "fruit"]).ok().stdout, "10001\n");
}
