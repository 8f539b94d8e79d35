//! Records that no writer makes.

use super::*;
use crate::support::record;

/// The bytes of a record of `ISS-003` that is broken in one way, and what fsck says about it.
fn broken() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut record = issue("ISS-003");
        change(&mut record);
        format!("{record:#}\n").into_bytes()
    };
    vec![
        ("empty", vec![], "EOF"),
        ("not UTF-8", b"{\"title\": \"\xff\xfe\"}".to_vec(), "invalid unicode"),
        ("a key twice", b"{\"title\": \"a\", \"title\": \"b\"}".to_vec(), "the key `title` appears twice"),
        ("deep", [vec![b'['; 10_000], vec![b']'; 10_000]].concat(), "nested deeper than"),
        (
            "many",
            format!("{{\"x\": [{}0]}}", "0,".repeat(1_100_000)).into_bytes(),
            "more than 1000000 values",
        ),
        ("another id", with(&|it| it["id"] = "ISS-004".into()), "has the id of another"),
        ("an id that is a path", with(&|it| it["id"] = "../../etc".into()), "cannot be the id of an issue"),
        ("priority", with(&|it| it["priority"] = json!(99)), "priority"),
        (
            "a number without end",
            with(&|it| it["priority"] = serde_json::from_str("1e999999").unwrap()),
            "priority",
        ),
        ("a year", with(&|it| it["created_at"] = "9999-01-01T00:00:00.000Z".into()), "9999"),
        (
            "a clock",
            with(&|it| it["clock"]["title"] = "9999-01-01T00:00:00.000Z/00000/0000000a".into()),
            "is not a stamp",
        ),
        (
            "a clock without a field",
            with(&|it| it["clock"]["tags/x"] = BIRTH.into()),
            "has a stamp but no value",
        ),
        ("a list", b"[]\n".to_vec(), "not an object"),
        ("a text where a set belongs", with(&|it| it["tags"] = "x".into()), "not a list of strings"),
    ]
}

#[test]
fn broken_records_are_named_and_in_nobodys_way() {
    let world = World::new();
    let base = world.origin.tip().unwrap();
    for (label, bytes, what) in broken() {
        world.origin.git(&["update-ref", REF, &base]).ok();
        world.origin.plumb_bytes(&[(&file("ISS-003"), &bytes)]);
        world.ada.git(&["update-ref", REF, &base]).ok();
        // Otherwise, what the remote had before would be kept.
        world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
        world.ada.wf(&["sync"]).ok();
        let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert_eq!(found[0]["path"], file("ISS-003"), "{label}: {found}");
        assert!(found[0]["what"].as_str().unwrap().contains(what), "{label}: {found}");
        world.ada.wf(&["show", "ISS-003"]).fails(1);
        let listed = world.ada.wf(&["list", "--json"]).ok().json();
        assert_eq!(listed.as_array().unwrap().len(), 2, "{label}");
    }
    // The sound version wins, whichever side it is on.
    let before = world.ada.tip().unwrap();
    world.origin.plumb_bytes(&[(&file("ISS-003"), format!("{:#}\n", issue("ISS-003")).as_bytes())]);
    assert_ne!(world.origin.tip().unwrap(), before);
    world.ada.wf(&["sync"]).ok();
    world.ada.wf(&["show", "ISS-003"]).ok();
    world.origin.plumb_bytes(&[(&file("ISS-003"), b"{")]);
    let ran = world.ada.wf(&["sync", "--json"]).ok().json();
    assert_eq!(ran["restored"], json!([file("ISS-003")]));
    world.ada.wf(&["show", "ISS-003"]).ok();
    world.assert_usable();
}

#[test]
fn a_record_of_100_mb_is_named_and_not_read() {
    let world = World::new();
    let mut huge = b"{\"id\": \"ISS-003\", \"title\": \"".to_vec();
    huge.resize(100 * 1024 * 1024, b'x');
    world.origin.plumb_bytes(&[
        (&file("ISS-003"), &huge),
        (
            &format!(
                "{}/comments/20261121T021405123Z-00000-00000000000000000000000001.json",
                folder("ISS-001")
            ),
            &huge,
        ),
    ]);
    world.ada.wf(&["sync"]).ok();
    let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
    let large = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["what"].as_str().unwrap().contains("larger than a record can be"));
    assert_eq!(large.count(), 2, "{found}");
    let ran = world.ada.wf(&["show", "ISS-001"]).ok();
    assert!(ran.stderr.contains("20261121T021405123Z-00000-00000000000000000000000001"), "{}", ran.stderr);
    // No command needs as much memory as the size of the record.
    limited(&world.ada, 90, &["show", "ISS-001"]).ok();
    world.assert_usable();
    // Nor does a command write such a record: the text alone would fit, but not with the record around it.
    let text = "x".repeat(16 * 1024 * 1024);
    let error = world.ada.wf_in(text, &["comment", "ISS-001", "-F", "-", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "too-large", "{error}");
}

#[test]
fn entries_in_the_wrong_place_are_named() {
    let world = World::new();
    let here = folder("ISS-001");
    let comment = |id: &str| {
        json!({"id": id, "body": "b", "author": "a", "created_at": "2026-11-21T02:00:00.000Z"}).to_string()
    };
    let other = "20261121T021405123Z-00000-00000000000000000000000001";
    let at = "2026-11-21T02:00:00.000Z";
    let (odd_id, odd) = record::execution(
        json!({"nonce": "n", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1", "attempt": 1, "actor": "Eve",
        "plan_digest": format!("sha256:{}", "0".repeat(64)), "plan_commit": "0".repeat(40),
        "branch": "refs/heads/../../x", "started_at": at, "lease_expires_at": at}),
    );
    let cases = [
        (
            format!("{here}/executions/{odd_id}/execution.json"),
            odd.to_string(),
            "is not the full name of a branch",
        ),
        (format!("{here}/comments/yesterday.json"), comment(other), "it is <time>-<counter>-<26 letters"),
        (
            format!("{here}/comments/99991121T021405123Z-00000-00000000000000000000000001.json"),
            comment(other),
            "it is <time>-<counter>-<26 letters",
        ),
        (
            format!("{here}/comments/20261121T021405124Z-00000-00000000000000000000000001.json"),
            comment(other),
            "has the id of another",
        ),
        (
            format!("issues/00/{}/issue.json", "ISS-001"),
            issue("ISS-001").to_string(),
            "the directory of this issue is",
        ),
        ("issues/00/..x-/issue.json".into(), "{}".into(), "cannot be the id of an issue"),
        (format!("{here}/solutions/SOL-ISS-002-1/solution.json"), "{}".into(), "a plan for `ISS-002`"),
        (format!("{here}/comments/{other}.json"), comment(other), "its id does not match its content"),
        (format!("{here}/feedback/{other}.json"), "{\"id\": 1}".into(), "broken entry"),
        (format!("{here}/executions/EXR-ISS-001-1/log/x"), "{}".into(), "cannot be the id of an execution"),
        ("queues/QUE/queue.json".into(), "{}".into(), "cannot be the id of a queue"),
        ("queues/QUE-1/items/00/SOL-ISS-001-1.json".into(), "{}".into(), "the file of this item is"),
    ];
    let files: Vec<(&str, &[u8])> =
        cases.iter().map(|(path, text, _)| (path.as_str(), text.as_bytes())).collect();
    world.origin.plumb_bytes(&files);
    world.ada.wf(&["sync"]).ok();
    let found = world.ada.wf(&["fsck", "--json"]).fails(1).json();
    for (path, _, what) in &cases {
        let named = found.as_array().unwrap().iter().any(|it| {
            path.starts_with(it["path"].as_str().unwrap()) && it["what"].as_str().unwrap().contains(what)
        });
        assert!(named, "{path}: {what}\n{found:#}");
    }
    world.assert_usable();
}

#[test]
fn no_text_reaches_the_terminal_as_it_is() {
    let world = World::new();
    let evil = "\u{1b}[31mred\u{1b}]0;title\u{7} \u{202e}gpj.exe \u{9b}2J \r over\u{8}\u{0}\u{2066}x";
    // git accepts it.
    let branch = "refs/heads/\u{202e}gpj.exe\u{9b}2J\u{2066}x";
    let here = folder("ISS-001");
    let mut record = issue("ISS-001");
    for field in [
        "title",
        "context",
        "assignee",
        "issue_type",
        "close_reason",
        "expected_behavior",
        "source_url",
        "author",
    ] {
        record[field] = evil.into();
    }
    record["tags"] = json!([evil]);
    record["extended_context"] = json!({"notes": evil, "location": evil});
    record["unknown"] = evil.into();
    let at = "2026-11-21T02:00:00.000Z";
    let entry = |it| record::entry(record::PLACE, it);
    let (comment_id, comment) = entry(json!({"body": evil, "author": evil, "created_at": at}));
    let (feedback_id, feedback) =
        entry(json!({"type": "failure", "stage": "execute", "content": evil, "author": evil,
        "created_at": at, "detail": {"message": evil}}));
    let solution = json!({"id": "SOL-ISS-001-1", "issue_id": "ISS-001", "author": evil, "created_at": at,
        "plan": {"description": evil, "tasks": [{"id": "T1", "title": evil, "action": evil, "scope": evil,
            "implementation": [evil], "acceptance": {"criteria": [evil]}}]}, "clock": {"*": BIRTH}});
    let (execution_id, execution) = record::execution(
        json!({"nonce": evil, "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1", "plan_digest": evil,
        "plan_commit": "0".repeat(40), "attempt": 1, "actor": evil, "branch": branch, "worktree": evil, "started_at": at,
        "lease_expires_at": at}),
    );
    let (log_id, log) = entry(
        json!({"type": "commit", "hash": "0".repeat(40), "subject": evil, "author": evil, "authored_at": at,
        "files": [evil], "linked_by": "hook", "actor": evil, "at": at}),
    );
    let queue = json!({"id": "QUE-1", "created_at": at, "name": evil, "status": "active", "priority": 1, "clock": {"*": BIRTH}});
    let item = json!({"item_id": "S-1", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1", "plan_digest": evil,
        "position": "m", "held": evil, "queued_at": at, "clock": {"*": BIRTH}});
    let fan = here.split('/').nth(1).unwrap().to_owned();
    let files = [
        (format!("{here}/issue.json"), record),
        (format!("{here}/comments/{comment_id}.json"), comment),
        (format!("{here}/feedback/{feedback_id}.json"), feedback),
        (format!("{here}/solutions/SOL-ISS-001-1/solution.json"), solution),
        (format!("{here}/executions/{execution_id}/execution.json"), execution),
        (format!("{here}/executions/{execution_id}/log/{log_id}.json"), log),
        ("queues/QUE-1/queue.json".into(), queue),
        (format!("queues/QUE-1/items/{fan}/SOL-ISS-001-1.json"), item),
        (format!("{here}/comments/{}.json", evil.replace('\0', "")), json!({"id": evil})),
        (evil.replace(['\0', '/'], ""), json!(evil)),
    ];
    let texts: Vec<(String, String)> =
        files.iter().map(|(path, value)| (path.clone(), value.to_string())).collect();
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    world.ada.plumb_bytes(&files);
    let tree = world.ada.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    let who = format!("{} <e@example.org>", evil.replace(['\0', '\n', '<', '>'], ""));
    let tip = world.ada.tip().unwrap();
    let text = format!(
        "tree {tree}\nparent {tip}\nauthor {who} 1795226400 +0000\ncommitter {who} 1795226400 +0000\n\n{}\n\nWf-Actor: {}\nWf-Force: {}\n",
        evil.replace('\0', ""),
        evil.replace('\0', ""),
        evil.replace('\0', "")
    );
    let head = raw(&world.ada, "commit", text);
    world.ada.git(&["update-ref", REF, &head]).ok();
    for args in [
        &["list"][..],
        &["list", "--all"],
        &["show", "ISS-001"],
        &["show", "SOL-ISS-001-1"],
        &["show", &execution_id],
        &["show", "QUE-1"],
        &["show", "QUE-1:S-1"],
        &["log"],
        &["log", "-p"],
        &["log", "-p", "ISS-001"],
        &["fsck", "-v"],
        &["status"],
        &["queue", "manage", "list"],
        &["queue", "show"],
        &["solution", "list"],
        &["trace", "ISS-001"],
        &["conflicts"],
        &["detail", "S-1"],
        &["next"],
        &["sync"],
        &["retry"],
        &["solution", "show", "SOL-ISS-001-1"],
    ] {
        for json in [false, true] {
            let args = if json { [args, &["--json"]].concat() } else { args.to_vec() };
            let ran = world.ada.wf(&args);
            assert!((0..=3).contains(&ran.code), "{args:?}: {}\n{}", ran.code, ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{args:?}: {}", ran.stderr);
            assert_printable(&ran);
        }
    }
}

#[test]
fn a_real_store_with_bytes_changed_at_random() {
    let world = World::new();
    let plan = crate::support::plan().to_string();
    let solution = world.ada.wf_in(plan, &["solution", "add", "ISS-001", "-"]).ok().line().to_owned();
    world.ada.commit("a.txt", "a\n", "first");
    world.ada.wf(&["bind", "ISS-001", &solution]).ok();
    world.ada.wf(&["queue", "add", "ISS-001"]).ok();
    world.ada.wf(&["comment", "ISS-001", "-m", "a remark"]).ok();
    world.ada.wf(&["next"]).ok();
    world.ada.wf(&["fail", "-m", "no"]).ok();
    world.ada.wf(&["redact", "ISS-001", "title", "-m", "r"]).ok();
    world.ada.wf(&["sync"]).ok();
    let whole = world.ada.tip().unwrap();
    let listed = world.ada.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
    let paths: Vec<&str> = listed.lines().filter(|path| *path != file("ISS-002")).collect();
    let rounds = if std::env::var_os("WF_LONG").is_some() { 300 } else { 10 };
    let mut seed = 20_261_121u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % most.max(1)
    };
    for round in 0..rounds {
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        for _ in 0..3 {
            let path = paths[below(paths.len())];
            let mut bytes = world.ada.git(&["show", &format!("{whole}:{path}")]).ok().stdout.into_bytes();
            for _ in 0..=below(3) {
                let at = below(bytes.len());
                match below(3) {
                    0 => bytes[at] ^= 1 << below(8),
                    1 => bytes.truncate(at + 1),
                    _ => drop(bytes.remove(at)),
                }
            }
            files.retain(|(known, _)| *known != path);
            files.push((path, bytes));
        }
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
        // On our own ref first, then as the head of the remote.
        world.ada.plumb_bytes(&files);
        for args in [
            &["fsck", "-v"][..],
            &["list", "--all"],
            &["show", "ISS-001"],
            &["queue", "show"],
            &["log", "-p"],
            &["status"],
        ] {
            let ran = world.ada.wf(args);
            assert!(
                (0..=3).contains(&ran.code) && !ran.stderr.contains("panicked"),
                "{round} {args:?}: {}",
                ran.stderr
            );
            assert_printable(&ran);
        }
        world.ada.git(&["push", "--quiet", "--force", "origin", &format!("{REF}:{REF}")]).ok();
        world.ada.git(&["update-ref", REF, &whole]).ok();
        world.ada.wf(&["sync"]).ok();
        for id in ["ISS-001", "ISS-002", &solution] {
            world.ada.wf(&["show", id]).ok();
        }
        // A sound record stays, and one that was changed into another sound one is that one now.
        let errors = world.ada.wf(&["fsck", "--json"]);
        let broken = errors
            .json()
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["what"].as_str().unwrap().starts_with("broken "));
        assert!(!broken, "{round}: {}", errors.stdout);
        world.ada.git(&["update-ref", REF, &whole]).ok();
        world.origin.git(&["update-ref", REF, &whole]).ok();
        world.ada.git(&["update-ref", "-d", "refs/wf-remotes/origin/main"]).ok();
    }
    assert_git_likes(&world.sandbox, &world.ada);
}
