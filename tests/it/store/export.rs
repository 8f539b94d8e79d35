//! `export jsonl` and `import jsonl`: the whole state out, and in again.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan};

const HEAD: &str = "{\"format\":\"git-wf-export\",\"version\":1}";

/// Every kind of record, and files that this program does not know.
fn full(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("full");
        repo.wf(&["new", "--id", "GH-1", "Tokens expire", "-m", "Too early.", "--tag", "auth"]).ok();
        repo.wf(&["comment", "GH-1", "-m", "I see it too"]).ok();
        repo.wf_in(plan().to_string(), &["solution", "add", "GH-1", "-"]).ok();
        repo.wf(&["queue", "add", "GH-1"]).ok();
        repo.wf(&["next"]).ok();
        repo.wf(&["done", "-m", "Fixed", "--force", "--reason", "a test"]).ok();
        repo.wf(&["settings", "evidence=warn"]);
        repo.wf(&["new", "--id", "GH-2", "Another", "--depends-on", "GH-1"]).ok();
        repo.wf(&["edit", "GH-2", "--title", "Another title"]).ok();
        let issue = repo.store_path("/GH-2/issue.json");
        let mut later = repo.stored_json(&issue);
        later["mood"] = json!({"a": ["A", "\u{1b}"], "b": "B"});
        let later = format!("{later:#}\n").replace("\"B\"", "1.50").replace("\"A\"", "1e400");
        let folder = issue.trim_end_matches("/issue.json").to_owned();
        repo.plumb(&[
            (&issue, &later),
            ("notes/readme.txt", "no record\n"),
            ("notes.txt", ""),
            ("notes-x", "{\"not\":\"pretty\"}"),
            (&format!("{folder}/later.json"), "{\n  \"a\": 1,\n  \"a\": 2\n}\n"),
        ]);
        let blob = repo.git_in(b"\xff\x00bytes", &["hash-object", "-w", "--stdin"]).ok();
        let index = repo.with_env("GIT_INDEX_FILE", repo.path().join("bytes.index").to_str().unwrap());
        index.git(&["read-tree", REF]).ok();
        index
            .git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},notes/bytes", blob.line())])
            .ok();
        let tree = index.git(&["write-tree"]).ok();
        let commit = repo.git(&["commit-tree", tree.line(), "-p", REF, "-m", "bytes"]).ok();
        repo.git(&["update-ref", REF, commit.line()]).ok();
        repo
    })
}

fn tree(repo: &Repo) -> String {
    repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned()
}

fn export(repo: &Repo) -> String {
    repo.wf(&["export", "jsonl"]).ok().stdout
}

fn import(repo: &Repo, export: &str) -> Value {
    repo.wf_in(export, &["--json", "import", "jsonl", "-"]).ok().json()
}

fn of(lines: &[&str]) -> String {
    format!("{HEAD}\n{}\n{{\"files\":{}}}\n", lines.join("\n"), lines.len())
}

#[test]
fn an_empty_store_becomes_the_same_one() {
    let sandbox = Sandbox::new();
    let (one, two) = (full(&sandbox), sandbox.store("two"));
    let text = export(&one);
    let files = one.store_paths().len();
    assert!(text.starts_with(&format!("{HEAD}\n")));
    assert!(text.ends_with(&format!("\n{{\"files\":{files}}}\n")));
    assert_eq!(text.lines().count(), files + 2);
    for line in text.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    assert!(text.contains("{\"path\":\"notes/bytes\",\"hex\":\"ff006279746573\"}"), "{text}");
    assert!(text.contains("{\"path\":\"notes-x\",\"text\":\"{\\\"not\\\":\\\"pretty\\\"}\"}"));
    assert!(text.contains("\"mood\":{\"a\":[1e400,\"\\u001b\"],\"b\":1.50}"));
    let taken = import(&two, &text);
    assert_eq!(tree(&two), tree(&one));
    assert_eq!(taken["issues"], 2);
    assert_eq!(taken["commit"].as_str(), two.tip().as_deref());
    assert_eq!(two.steps(), 2);
    assert_eq!(
        two.last_message(),
        format!(
            "import: 2 issues and {} files, {} merged\n\nWf-Op: import jsonl",
            taken["added"], taken["merged"]
        )
    );
    assert_eq!(export(&two), text);
    let before = two.tip();
    let again = import(&two, &text);
    assert_eq!((&again["commit"], &again["unchanged"]), (&Value::Null, &json!(files)));
    assert_eq!(two.tip(), before);
    let said = two.wf_in(&text, &["import", "jsonl", "-"]).ok().stdout;
    assert_eq!(said, format!("nothing new to import\n  unchanged    {files:>6}\n"));
}

#[test]
fn into_a_store_with_other_work_it_is_what_a_merge_makes() {
    let sandbox = Sandbox::new();
    let one = full(&sandbox);
    let two = sandbox.store("two");
    two.wf(&["pull", one.path().to_str().unwrap()]);
    two.git(&["fetch", "--quiet", "../full", "+refs/wf/*:refs/wf/*"]).ok();
    two.wf(&["edit", "GH-1", "--title", "Here", "--tag", "here"]).ok();
    two.wf(&["comment", "GH-2", "-m", "Here"]).ok();
    two.wf(&["new", "--id", "GH-3", "Only here"]).ok();
    one.wf(&["edit", "GH-1", "--priority", "low", "--tag", "there"]).ok();
    one.wf(&["edit", "GH-2", "--title", "There"]).ok();
    one.plumb(&[("notes.txt", "there\n")]);
    two.plumb(&[("notes.txt", "here\n")]);
    let copied =
        std::process::Command::new("cp").arg("-r").args([two.path(), &sandbox.root().join("three")]).status();
    assert!(copied.unwrap().success());
    let three = sandbox.at("three");
    let taken = import(&two, &export(&one));
    three.git(&["remote", "add", "one", "../full"]).ok();
    three.wf(&["pull", "one"]).ok();
    assert_eq!(tree(&two), tree(&three));
    assert_eq!(
        (&taken["issues"], &taken["merged"]),
        (&json!(0), &json!(if two.stored("notes.txt") == "here\n" { 2 } else { 3 }))
    );
    let issue = two.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((&issue["title"], &issue["tags"]), (&json!("Here"), &json!(["auth", "here", "there"])));
}

#[test]
fn what_is_redacted_does_not_leave_and_does_not_come_back() {
    let sandbox = Sandbox::new();
    let (one, two) = (full(&sandbox), sandbox.store("two"));
    let before = export(&one);
    one.wf(&["redact", "GH-1", "title", "-m", "a name"]).ok();
    let comment = one.store_paths().into_iter().find(|path| path.contains("/GH-1/comments/")).unwrap();
    let comment = Path::new(&comment).file_stem().unwrap().to_str().unwrap().to_owned();
    one.wf(&["redact", "GH-1", &format!("comments/{comment}"), "-m", "a name"]).ok();
    let text = export(&one);
    assert!(before.contains("Tokens expire") && before.contains("I see it too"));
    assert!(!text.contains("Tokens expire\"") && !text.contains("I see it too"), "{text}");
    import(&two, &text);
    assert_eq!(two.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "[redacted]");
    import(&two, &before);
    import(&one, &before);
    for repo in [&one, &two] {
        assert_eq!(repo.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "[redacted]");
        assert_eq!(export(repo), text);
    }
}

#[test]
fn what_is_no_export_is_refused_whole_if_it_must_be_sound() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.plumb(&[("notes/a", "a\n")]);
    let before = repo.tip();
    let good = r#"{"path":"b/c","record":{}}"#;
    let long = format!("{{\"path\":\"{}x\",\"text\":\"\"}}", "d/".repeat(70));
    let deep = format!("{{\"path\":\"x\",\"record\":{}1{}}}", "[".repeat(20_000), "]".repeat(20_000));
    let many = |text: &str| format!("{HEAD}\n{text}\n");
    for (file, line, why) in [
        (String::new(), 0, "stdin is empty, so nothing was imported"),
        ("{}\n".into(), 1, "the first line must say"),
        ("{\"id\":\"zoo-1\",\"title\":\"t\"}\n".into(), 1, "the first line must say"),
        (HEAD.replace(":1", ":2"), 1, "it is an export of version 2; this git-wf reads version 1"),
        (many(good), 3, "it is truncated after 1 files"),
        (many("{\"files\":1}"), 2, "it says 1 files, but there are 0"),
        (of(&[good, r#"{"path":"b","text":""}"#]), 5, "`b` cannot be a file and the directory of `b/c`"),
        (of(&[good, r#"{"path":"notes","text":""}"#]), 3, "`notes` is a directory here"),
        (of(&[r#"{"path":"notes/a/b","text":""}"#]), 2, "a directory of `notes/a/b` is a file here"),
        (of(&[r#"{"path":"../x","text":""}"#]), 2, "`path` is `../x`: a name that git reserves"),
        (of(&[r#"{"path":"/x","text":""}"#]), 2, "an empty name"),
        (of(&[r#"{"path":"a/.git/x","text":""}"#]), 2, "a name that git reserves"),
        (of(&[r#"{"path":"x","text":"","hex":""}"#]), 2, "one of `record`, `text` and `hex`"),
        (of(&[r#"{"path":"x","hex":"f"}"#]), 2, "not an even number of hex digits"),
        (of(&[r#"{"path":"x","hex":"+f"}"#]), 2, "not an even number of hex digits"),
        (of(&[r#"{"path":"x"}"#]), 2, "one of `record`, `text` and `hex`"),
        (of(&[r#"{"path":"x","mode":1,"text":""}"#]), 2, "unknown field `mode`"),
        (of(&[r#"{"path":"x","path":"y","text":""}"#]), 2, "the key `path` appears twice in one object"),
        (of(&[&long]), 2, "it is nested deeper than any record"),
        (of(&[&deep]), 2, "`x` would have more than 16 MiB"),
        (of(&[good, "{\"path\":"]), 3, "the JSON is cut off"),
        (of(&["\u{1b}[31m"]), 2, "invalid JSON"),
        (of(&[r#"{"path":"wf.json","record":{"format":2}}"#]), 0, "the store has format 2"),
    ] {
        let ran = repo.wf_in(&file, &["import", "jsonl", "--strict", "-"]).fails(1);
        assert!(ran.stderr.contains(why), "{file:.80}: {}", ran.stderr);
        if line > 0 {
            let places =
                [format!("error: stdin, line {line}"), format!("so nothing was imported: line {line}")];
            assert!(places.iter().any(|place| ran.stderr.contains(place)), "{}", ran.stderr);
            assert!(ran.stderr.contains("nothing was imported"), "{}", ran.stderr);
        }
        // What is skipped without --strict can be left out.
        let can_be_skipped = ran.stderr.contains("cannot be imported as a whole");
        assert_eq!(ran.stderr.contains("import the rest without --strict"), can_be_skipped, "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
        assert_eq!(repo.tip(), before);
    }
    let gone = repo.wf(&["import", "jsonl", "none.jsonl"]).fails(1);
    assert!(gone.stderr.contains("cannot read `none.jsonl`") && gone.stderr.contains("hint: give the file"));
    let folder = repo.wf(&["import", "jsonl", "."]).fails(1);
    assert!(folder.stderr.contains("cannot read `.`"), "{}", folder.stderr);
    sandbox.repo("b").wf_in(of(&[good]), &["import", "jsonl", "-"]).fails(1);
}

#[test]
fn a_line_that_cannot_be_imported_is_named_and_stops_nothing() {
    let sandbox = Sandbox::new();
    let one = full(&sandbox);
    let whole = export(&one);
    let mut lines: Vec<&str> = whole.lines().collect();
    let comment = lines.iter().position(|line| line.contains("/comments/")).unwrap();
    let broken = &lines[comment][..lines[comment].len() - 5];
    lines[comment] = broken;
    let repo = sandbox.store("a");
    let text = lines.join("\n");
    let taken = import(&repo, &text);
    assert_eq!(taken["issues"], 2);
    let skipped = taken["skipped"].as_array().unwrap();
    assert_eq!((skipped.len(), &skipped[0]["line"]), (1, &json!(comment + 1)), "{skipped:?}");
    assert!(skipped[0]["reason"].as_str().unwrap().contains("the JSON is cut off"), "{skipped:?}");
    assert_eq!(repo.store_paths().len() + 1, one.store_paths().len());
    // A truncated file, and files that are not exports.
    lines.pop();
    let cut = sandbox.store("cut");
    let ran = cut.wf_in(lines.join("\n"), &["import", "jsonl", "-"]).ok();
    assert!(ran.stdout.contains("the last line is missing"), "{}", ran.stdout);
    assert!(ran.stdout.contains("skipped           2"), "{}", ran.stdout);
    for text in [String::new(), "{}\n".into(), HEAD.replace(":1", ":2")] {
        repo.wf_in(text, &["import", "jsonl", "-"]).fails(1);
    }
}

#[test]
fn what_fsck_would_call_broken_is_not_imported() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("one");
    one.wf(&["new", "--id", "GH-1", "Tokens expire"]).ok();
    one.wf(&["comment", "GH-1", "-m", "Hm."]).ok();
    let whole = export(&one);
    let line = |part: &str| whole.lines().find(|line| line.contains(part)).unwrap();
    let (issue, comment) = (line("issue.json"), line("/comments/"));
    let mut untitled: Value = serde_json::from_str(issue).unwrap();
    untitled["record"].as_object_mut().unwrap().remove("title");
    let moved = issue.replace("/GH-1/", "/GH-2/");
    let fan = issue.split('/').nth(1).unwrap();
    let placeless = issue.replace(&format!("/{fan}/"), if fan == "00" { "/01/" } else { "/00/" });
    let future = issue.replace("\"clock\":{\"*\":\"2026", "\"clock\":{\"*\":\"2996");
    let rewritten = comment.replace("Hm.", "Ha.");
    let later = comment.replace("comments/2026", "comments/2996");
    for (n, (broken, why)) in [
        (untitled.to_string().as_str(), "missing field `title`"),
        (moved.as_str(), "the directory of this issue is"),
        (placeless.as_str(), "the directory of this issue is"),
        (future.as_str(), "is stamped ahead of the clock of this machine"),
        (rewritten.as_str(), "broken entry"),
        (later.as_str(), "broken entry"),
        (r#"{"path":"issues","text":""}"#, "it is the path of a directory"),
        (r#"{"path":"wf.json","text":"{"}"#, "EOF while parsing"),
    ]
    .into_iter()
    .enumerate()
    {
        let sound = line("wf.json");
        let lines = if broken.contains("wf.json") { vec![broken] } else { vec![sound, broken] };
        let text = of(&lines);
        let two = sandbox.store(&format!("two{n}"));
        let taken = import(&two, &text);
        let reason = taken["skipped"][0]["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(why), "{why}: {taken}");
        assert_eq!(two.wf(&["fsck"]).ok().stdout, "0 errors, 0 notes\n");
        two.wf_in(&text, &["import", "jsonl", "--strict", "-"]).fails(1);
    }
    // Another spelling of a record is the record.
    let two = sandbox.store("spelling");
    let odd = whole.replace("Tokens", "\\u0054okens");
    assert_eq!(import(&two, &odd)["skipped"], json!([]));
    assert_eq!(tree(&two), tree(&one));
}

#[test]
fn only_the_issues_that_were_asked_for_come_in() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("one");
    for (id, args) in [
        ("ISS-1", &["--type", "bug", "-t", "auth"][..]),
        ("ISS-2", &["--type", "chore", "-t", "auth"]),
        ("ISS-3", &["--type", "bug"]),
    ] {
        one.wf(&[&["new", "--id", id, "About it"], args].concat()).ok();
        one.wf(&["comment", id, "-m", "Hm."]).ok();
    }
    one.wf(&["close", "ISS-3", "-m", "done"]).ok();
    one.queued("ISS-4", "src/a.rs");
    let whole = export(&one);
    let ids = |repo: &Repo| -> Vec<String> {
        let all = repo.wf(&["list", "--all", "--json"]).ok().json();
        let mut ids: Vec<String> =
            all.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    for (n, (args, expected, left_out)) in [
        (&["--only", "bug"][..], &["ISS-1", "ISS-3"][..], json!([["no type", 1], ["type chore", 1]])),
        (&["--skip-type", "bug"], &["ISS-2", "ISS-4"], json!([["type bug", 2]])),
        (&["--state", "closed"], &["ISS-3"], json!([["open", 3]])),
        (
            &["--label", "auth", "--state", "open"],
            &["ISS-1", "ISS-2"],
            json!([["without the label auth", 2]]),
        ),
        (&["--since", "2100-01-01"], &[], json!([["not changed since then", 4]])),
    ]
    .into_iter()
    .enumerate()
    {
        let repo = sandbox.store(&format!("some{n}"));
        let taken = repo.wf_in(&whole, &[&["--json", "import", "jsonl", "-"], args].concat()).ok().json();
        assert_eq!(ids(&repo), expected, "{args:?}");
        let told: Vec<Value> = taken["left_out"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| json!([it["reason"], it["issues"]]))
            .collect();
        assert_eq!(json!(told), left_out, "{args:?}");
        assert!(!repo.store_paths().iter().any(|path| path.starts_with("queues/")), "{args:?}");
        repo.wf(&["fsck"]).ok();
    }
    let repo = sandbox.store("limit");
    let answer =
        repo.wf_in(&whole, &["--json", "import", "jsonl", "-", "--limit", "1", "--dry-run"]).ok().json();
    assert_eq!((&answer["issues"], &answer["commit"]), (&json!(1), &Value::Null));
    assert!(ids(&repo).is_empty());
}

#[test]
fn into_a_file_and_of_some_issues() {
    let sandbox = Sandbox::new();
    let repo = full(&sandbox);
    let said = repo.wf(&["export", "jsonl", "--output", "all.jsonl"]).ok().stdout;
    let all = export(&repo);
    assert_eq!(repo.read("all.jsonl"), all);
    assert_eq!(said, format!("exported {} files to all.jsonl\n", all.lines().count() - 2));
    let answer = repo.wf(&["export", "jsonl", "GH-2", "--json", "-o", "some.jsonl"]).ok().json();
    let some = repo.read("some.jsonl");
    assert_eq!(answer["files"], some.lines().count() - 2);
    assert_eq!((&answer["output"], &answer["left_out"]), (&json!("some.jsonl"), &json!([])));
    assert!(some.lines().skip(1).all(|line| line.contains("/GH-2/") || line.contains("files")));
    let two = sandbox.store("two");
    assert_eq!(import(&two, &some)["issues"], 1);
    repo.wf(&["export", "jsonl", "--json"]).fails(2);
    repo.wf(&["export", "jsonl", "GH-9"]).fails(1);
    let ran = repo.wf(&["export", "jsonl", "-o", "no/such/folder.jsonl"]).fails(1);
    assert!(ran.stderr.contains("cannot write `no/such/folder.jsonl`"), "{}", ran.stderr);
    let names: Vec<_> = repo.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_str().unwrap().starts_with(".wf-export")), "{names:?}");
}

#[test]
fn what_cannot_be_exported_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let blob = repo.git_in("target", &["hash-object", "-w", "--stdin"]).ok();
    let wf = repo.git(&["rev-parse", &format!("{REF}:wf.json")]).ok();
    let listing = format!("120000 blob {}\tlink\n100644 blob {}\twf.json\n", blob.line(), wf.line());
    let tree = repo.git_in(listing, &["mktree"]).ok();
    let commit = repo.git(&["commit-tree", tree.line(), "-p", REF, "-m", "a link"]).ok();
    repo.git(&["update-ref", REF, commit.line()]).ok();
    let ran = repo.wf(&["export", "jsonl"]).ok();
    assert_eq!(ran.stderr, "warning: `link` is left out: a symbolic link\n");
    assert_eq!(ran.stdout.lines().count(), 3);
}

#[test]
fn a_dry_run_of_an_import_says_what_would_come() {
    let sandbox = Sandbox::new();
    let text = full(&sandbox).wf(&["export", "jsonl"]).ok().stdout;
    let other = sandbox.store("other");
    let tip = other.tip();
    let mut told = other.json_in(&text, &["import", "jsonl", "--dry-run", "-"]);
    assert_eq!((&told["dry_run"], &told["issues"], other.tip()), (&json!(true), &json!(2), tip.clone()));
    let shown = other.wf_in(&text, &["import", "jsonl", "-n", "-"]).ok().stdout;
    assert!(shown.starts_with("would import 2 issues (dry run)\n"), "{shown}");
    assert_eq!(other.tip(), tip);
    let done = other.json_in(&text, &["import", "jsonl", "-"]);
    (told["dry_run"], told["commit"]) = (json!(false), done["commit"].clone());
    assert_eq!(told, done);
}
