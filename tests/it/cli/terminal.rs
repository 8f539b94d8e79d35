//! Nothing that came from outside reaches a terminal raw: every command, with every text that others can write bent.

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan, record};

/// What a terminal would obey, what turns the line round, what is not seen, and what begins a line of its own.
const EVIL: &str = "a\u{1b}[41mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{7f}\u{e0041}\rb\nFORGED c";
/// Whatever a terminal, or somebody who reads line by line, may take for the end of a line.
const LINES: &str =
    "x\nFORGED\r\nFORGED\rFORGED\u{85}FORGED\u{2028}FORGED\u{2029}FORGED\u{b}FORGED\u{c}FORGED\n\nFORGED y";
/// The same on one line, where git allows no other.
const ROW: &str = "a\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}b";

/// Our own colours and how the progress line is wiped.
const OWN: [&str; 8] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[35m",
    "\r\u{1b}[K",
];

/// What is wrong with what a terminal was given.
fn fault(shown: &str) -> Option<String> {
    let mut text = shown.to_owned();
    for own in OWN {
        text = text.replace(own, "");
    }
    let raw = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(
                c,
                '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
            )
    };
    if let Some(c) = text.chars().find(raw) {
        return Some(format!("{c:?} is raw"));
    }
    text.lines()
        .find(|line| line.starts_with("FORGED"))
        .map(|line| format!("`{line}` passes for a line of ours"))
}

/// Every text of a record but those of which something else depends.
fn bend(value: &mut Value, kept: &[&str]) {
    bend_with(value, EVIL, kept);
}

fn bend_with(value: &mut Value, evil: &str, kept: &[&str]) {
    match value {
        Value::String(text) => text.push_str(evil),
        Value::Array(items) => items.iter_mut().for_each(|item| bend_with(item, evil, kept)),
        Value::Object(map) => {
            map.iter_mut()
                .filter(|(name, _)| !kept.contains(&name.as_str()))
                .for_each(|(_, it)| bend_with(it, evil, kept));
        }
        _ => {}
    }
}

/// What a record may not say otherwise without becoming another record, or none.
const KEPT: &[&str] = &[
    "id",
    "item_id",
    "issue_id",
    "issue_ids",
    "solution_id",
    "execution_id",
    "queue_id",
    "bound_solution_id",
    "plan_digest",
    "plan_commit",
    "base_commit",
    "hash",
    "old",
    "new",
    "commit",
    "type",
    "status",
    "verdict",
    "severity",
    "resolution",
    "stage",
    "source",
    "linked_by",
    "mode",
    "phase",
    "created_at",
    "queued_at",
    "started_at",
    "authored_at",
    "at",
    "lease_expires_at",
    "clock",
    "position",
    "depends_on",
    "relations",
    "resolution_order",
    "solutions",
    "resolves",
    "target",
    "field",
    "stamp",
    "via",
    "role",
    "format",
    "policy",
    "plan",
    "output_sha256",
    "task_id",
];

/// The store again, with line breaks in every text of every record that has no form of its own. Records that are named
/// after what they say get other names.
fn forge_lines(repo: &Repo) {
    let mut files: Vec<(String, Value)> =
        repo.store_paths().into_iter().map(|path| (path.clone(), repo.stored_json(&path))).collect();
    let mut renamed = Vec::new();
    for (path, value) in &mut files {
        let is_aside = value["type"] == "aside";
        let kept: Vec<&str> = KEPT.iter().copied().chain(is_aside.then_some("reason")).collect();
        bend_with(value, LINES, &kept);
        if path.ends_with("/execution.json") {
            let old = value["id"].as_str().unwrap().to_owned();
            let (new, named) = record::execution(value.take());
            *value = named;
            renamed.push((old, new));
        }
    }
    let rename = |text: String| renamed.iter().fold(text, |text, (old, new)| text.replace(old, new));
    let mut stream = format!(
        "commit {REF}\ncommitter E <e@example.org> 1795226400 +0000\ndata 1\nx\nfrom {REF}^0\ndeleteall\n"
    );
    for (path, value) in files {
        let mut path = rename(path);
        let mut value: Value = serde_json::from_str(&rename(value.to_string())).unwrap();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        if name.len() == "20261121T021405123Z-00000-".len() + 26 + ".json".len() && name.contains("Z-") {
            let (id, named) = record::entry(name.rsplit_once('-').unwrap().0, value);
            (path, value) = (format!("{folder}/{id}.json"), named);
        }
        let text = format!("{value:#}\n");
        stream += &format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    }
    repo.git_in(stream, &["fast-import", "--quiet", "--force"]).ok();
    let active = repo.read(".git/wf/active.json");
    repo.write(".git/wf/active.json", rename(active));
}

/// A store in which each kind of record says evil things wherever it can, and somebody is at work.
fn hostile(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.store("a").as_person(ROW, &format!("{ROW}@example.org"));
    let bare = sandbox.bare("server.git");
    repo.git(&["remote", "add", "origin", bare.path().to_str().unwrap()]).ok();
    repo.git(&["checkout", "-q", "-b", &format!("br{ROW}")]).ok();
    repo.commit(&format!("f{ROW}\u{1b}[41m.txt"), "one\ntwo\n", ROW);
    repo.wf(&["new", "--id", "ISS-001", "Title", "-t", "tag", "-m", EVIL]).ok();
    let mut plan = plan();
    plan["tasks"][0]["test"]["commands"] = json!(["printf 'a\\033[41m\\302\\2332J\\342\\200\\256b\\r'"]);
    plan["tasks"][1]["test"]["commands"] = json!(["true"]);
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001"]).ok();
    repo.issue("ISS-002");
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-002"]).ok();
    repo.issue("ISS-003");
    // What no command takes, a remote may bring.
    let issue = repo.store_path("/ISS-001/issue.json");
    let mut record = repo.stored_json(&issue);
    let fields = json!({
        "title": "t", "context": "c", "close_reason": "r", "assignee": "x", "expected_behavior": "e",
        "actual_behavior": "a", "tags": ["tag"], "affected_components": ["one"], "issue_type": "bug",
        "extended_context": {"location": "l", "suggested_fix": "s", "notes": "n"},
        "lifecycle_requirements": {"test_strategy": "t"}, "new_field": "x"
    });
    for (name, mut value) in fields.as_object().unwrap().clone() {
        bend(&mut value, &[]);
        record[name.as_str()] = value;
    }
    bend(&mut record["author"], &[]);
    let of_plan = repo.store_paths().into_iter().filter(|path| path.ends_with("/solution.json"));
    let mut files = vec![(issue, record)];
    for path in of_plan {
        let mut record = repo.stored_json(&path);
        bend(&mut record["plan"], &["id", "depends_on", "commands", "action", "file"]);
        bend(&mut record["author"], &[]);
        files.push((path, record));
    }
    let files: Vec<(String, String)> =
        files.into_iter().map(|(path, it)| (path, format!("{it:#}\n"))).collect();
    repo.plumb(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    let bob = repo.as_person(&format!("Bob{ROW}"), "bob@example.org").with_env("WF_ACTOR", "bot");
    bob.wf(&["comment", "ISS-001", "-m", EVIL]).ok();
    repo.wf(&["feedback", "add", "ISS-001", EVIL, "--type", "clarification"]).ok();
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90", "--finding", ROW];
    bob.wf(&[&["solution", "review", "ISS-001"][..], &scores].concat());
    repo.wf(&["project", "set", "tech_stack", EVIL]).ok();
    repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
    let queue = repo.store_path("/queue.json");
    let mut record = repo.stored_json(&queue);
    record["name"] = json!(EVIL);
    repo.plumb(&[(&queue, &format!("{record:#}\n"))]);
    repo.wf(&["queue", "hold", "ISS-002", "-m", EVIL]);
    repo.wf(&["next"]).ok();
    let hash = repo.commit(&format!("f{ROW}\u{1b}[41m.txt"), "one\nthree\n", &format!("{ROW}\n\n{EVIL}"));
    let solution = repo.json(&["detail"])["solution_id"].as_str().unwrap().to_owned();
    repo.wf(&["link", &hash, &solution]).ok();
    repo.wf(&["accept", "T1", "1", "--evidence", EVIL]).ok();
    repo
}

#[test]
fn no_command_gives_a_terminal_text_from_outside_raw() {
    let sandbox = Sandbox::new();
    let repo = hostile(&sandbox);
    let shown = repo.json(&["show", "ISS-001"]);
    let solution = shown["solutions"][0]["id"].as_str().unwrap().to_owned();
    let execution = shown["executions"][0]["id"].as_str().unwrap().to_owned();
    let queue = repo.json(&["queue", "list"])[0]["id"].as_str().unwrap().to_owned();
    let file = format!("f{ROW}\u{1b}[41m.txt:2");
    let told = format!("no{}", EVIL.replace('\n', ""));
    let all: &[&[&str]] = &[
        &["list", "--all"],
        &["show", "ISS-001"],
        &["show", "ISS-002"],
        &["show", &solution],
        &["show", &execution],
        &["show", &queue],
        &["show", "S-1"],
        &["status"],
        &["search", "red"],
        &["search", "red OR (\u{1b}[41m"],
        &["solution", "list"],
        &["solution", "show", &solution],
        &["solution", "diff", "ISS-001"],
        &["solution", "check", "ISS-001"],
        &["feedback", "list", "ISS-001"],
        &["context", "ISS-001"],
        &["context", &solution],
        &["task", "list", "ISS-001"],
        &["task", "start", "T1"],
        &["queue", "list"],
        &["queue", "show", &queue],
        &["queue", "dag"],
        &["queue", "conflict", "check"],
        &["queue", "conflict", "list"],
        &["detail"],
        &["detail", "S-2"],
        &["next"],
        &["start", "ISS-001"],
        &["verify", "--yes"],
        &["verify", "--yes", "--task", "T1"],
        &["accept", "T1", "2", "--evidence", EVIL],
        &["accept", "T1", "99", "--evidence", EVIL],
        &["lease", "list"],
        &["lease", "renew"],
        &["trace", "ISS-001"],
        &["trace", "HEAD"],
        &["why", &file],
        &["audit"],
        &["log"],
        &["log", "-p"],
        &["log", "ISS-001"],
        &["diff"],
        &["diff", "refs/wf/main~3..refs/wf/main"],
        &["conflicts"],
        &["fsck"],
        &["policy", "show"],
        &["project", "show"],
        &["hooks", "status"],
        &["relink"],
        &["unlink", "HEAD"],
        &["export", "jsonl"],
        &["sync"],
        &["push"],
        // What was typed may have come from anywhere too.
        &["show", &told],
        &["list", "--status", &told],
        &["conflicts", "take", "ISS-001", &told],
        &[&told],
        &["list", &format!("--{told}")],
        &["solution", "add", "ISS-003", &told],
        &["import", "beads", &told],
        &["done", "--result", &told],
        &["fail", "-m", EVIL],
        &["show", &execution],
        &["show", "ISS-001"],
        &["context", "ISS-001"],
        &["trace", "ISS-001"],
        &["retry"],
        &["next"],
        &["done"],
        &["status"],
        &["audit"],
        &["reopen", "ISS-001"],
        &["close", "ISS-001", "-m", EVIL],
        &["redact", "ISS-001", "title", "-m", EVIL],
        &["log", "-p"],
    ];
    let mut bent = 0;
    for args in all {
        for form in [&[][..], &["--json"]] {
            let args = [args, form].concat();
            let (_, shown) = repo.on_terminal("n\n", &args);
            if let Some(fault) = fault(&shown) {
                panic!("{args:?}: {fault}\n{}", shown.escape_debug());
            }
            assert!(!shown.contains("panicked at"), "{args:?}: {shown}");
            bent += usize::from(shown.contains("\\u{202e}") || shown.contains("\\u202e"));
        }
    }
    assert!(bent > all.len(), "only {bent} answers had anything to clean");
}

#[test]
fn the_field_that_a_conflict_names_is_no_line_of_ours() {
    let sandbox = Sandbox::new();
    let bare = sandbox.bare("server.git");
    let ada = sandbox.clone(bare.path(), "ada");
    ada.wf(&["init"]).ok();
    ada.issue("ISS-001");
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(bare.path(), "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    let field = format!("x{EVIL}");
    let path = ada.store_path("/ISS-001/issue.json");
    for (repo, stamp) in
        [(&ada, "2026-11-22T03:00:00.000Z/00000/0000000a"), (&bea, "2026-11-22T04:00:00.000Z/00000/0000000b")]
    {
        let mut record = repo.stored_json(&path);
        record[field.as_str()] = json!(stamp);
        record["clock"][field.as_str()] = json!(stamp);
        repo.plumb(&[(&path, &format!("{record:#}\n"))]);
        repo.wf(&["sync"]);
    }
    for args in [&["conflicts"][..], &["conflicts", "take", "ISS-001"], &["log", "-p"], &["conflicts"]] {
        let (_, shown) = bea.on_terminal("", args);
        if let Some(fault) = fault(&shown) {
            panic!("{args:?}: {fault}\n{}", shown.escape_debug());
        }
    }
}

#[test]
fn an_export_is_exact_in_a_pipe_and_escaped_on_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", EVIL]).ok();
    let piped = repo.wf(&["export", "jsonl"]).ok().stdout;
    assert!(piped.contains('\u{202e}') && piped.contains('\u{9b}'), "JSON leaves these as they are");
    let (code, shown) = repo.on_terminal("", &["export", "jsonl"]);
    assert_eq!((code, fault(&shown)), (0, None), "{}", shown.escape_debug());
    // How far it has come is told and wiped in front of the first line.
    let value = |line: &str| serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    let values = |text: &str| -> Vec<Value> { text.lines().map(value).collect() };
    assert_eq!(values(&shown), values(&piped), "another spelling of the same");
}

/// A store with a record of each kind, and an execution at work.
fn every_kind(sandbox: &Sandbox) -> Repo {
    let repo = hostile(sandbox);
    // One that failed, one that was completed, and one that was given back, each in the log.
    for id in ["ISS-011", "ISS-012", "ISS-013"] {
        repo.queued(id, &format!("{id}.txt"));
    }
    let other = repo.worktree("other", "elsewhere");
    other.wf(&["next", "ISS-011"]).ok();
    other.commit("ISS-011.txt", "1\n", "elsewhere");
    other.wf(&["link", "HEAD", "ISS-011"]).ok();
    let failure = json!({"message": "m", "error_type": "timeout", "stack_trace": "s", "task_id": "T1"});
    other.wf(&["fail", "-m", &failure.to_string()]).ok();
    other.wf(&["retry", "ISS-011"]).ok();
    other.wf(&["next", "ISS-012"]).ok();
    other.commit("ISS-012.txt", "1\n", "there");
    let report = json!({"summary": "s", "tasks": [{"id": "T1", "note": "n"}]});
    other.wf_in(report.to_string(), &["done", "--result", "-", "--force", "--reason", "a test"]).ok();
    other.wf(&["next", "ISS-013"]).ok();
    other.wf(&["lease", "renew"]).ok();
    other.wf(&["lease", "release"]).ok();
    repo.wf(&["verify", "--yes"]);
    let items = "ISS-011,ISS-013";
    repo.wf(&[
        "queue",
        "conflict",
        "add",
        "--type",
        "api",
        "--items",
        items,
        "--rationale",
        "r",
        "--file",
        "f.txt",
    ])
    .ok();
    repo.wf(&["redact", "ISS-013", "title", "-m", "private"]).ok();
    let run = "RUN-20261121-7k3m2pq9";
    let at = "2026-11-21T02:00:00.000Z";
    let started =
        json!({"id": run, "mode": "quick", "issue_ids": ["ISS-001"], "created_at": at, "note": "n"});
    let error = json!({"type": "issue", "issue_id": "ISS-001", "status": "failed", "error": {"message": "m"}, "actor": "a", "at": at});
    let action = json!({"type": "action", "action": "plan", "issue_id": "ISS-001", "actor": "a", "at": at});
    let [error, action] = [error, action].map(|entry| record::entry(record::PLACE, entry));
    repo.plumb(&[
        (&format!("runs/{run}/run.json"), &format!("{started:#}\n")),
        (&format!("runs/{run}/log/{}.json", error.0), &format!("{:#}\n", error.1)),
        (&format!("runs/{run}/log/{}.json", action.0), &format!("{:#}\n", action.1)),
    ]);
    forge_lines(&repo);
    repo
}

#[test]
fn no_text_of_any_record_begins_a_line_of_its_own() {
    let sandbox = Sandbox::new();
    let repo = every_kind(&sandbox);
    let broken: Vec<Value> = repo.wf(&["fsck", "--json"]).json().as_array().unwrap().clone();
    let unreadable: Vec<&Value> =
        broken.iter().filter(|it| it["what"].as_str().unwrap().contains("not a record")).collect();
    assert!(unreadable.is_empty(), "what nobody reads shows nothing: {unreadable:#?}");
    let mut ids: Vec<String> =
        ["ISS-001", "ISS-002", "ISS-011", "ISS-012", "ISS-013", "S-1", "S-3"].map(str::to_owned).into();
    for id in ["ISS-001", "ISS-011", "ISS-012", "ISS-013"] {
        let shown = repo.json(&["show", id]);
        for list in ["solutions", "executions"] {
            ids.extend(
                shown[list].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()),
            );
        }
    }
    ids.push(repo.json(&["queue", "list"])[0]["id"].as_str().unwrap().to_owned());
    let mut all: Vec<Vec<&str>> = Vec::new();
    for id in &ids {
        for command in ["show", "trace", "log", "detail", "context"] {
            all.push(vec![command, id]);
        }
        all.push(vec!["log", "-p", id]);
        for group in ["solution", "task", "feedback"] {
            all.push(vec![group, "list", id]);
        }
        all.push(vec!["solution", "show", id]);
        all.push(vec!["solution", "check", id]);
        all.push(vec!["solution", "diff", id]);
        all.push(vec!["queue", "show", id]);
        all.push(vec!["relink", id]);
        all.push(vec!["accept", "T9", "9", id, "--evidence", LINES]);
        all.push(vec!["done", id, "--result", "/nowhere"]);
        all.push(vec!["redact", id, "nothing", "-m", LINES]);
        all.push(vec!["edit", id, "--title", ""]);
    }
    let others: &[&[&str]] = &[
        &["list", "--all"],
        &["status"],
        &["search", "begin"],
        &["search", "FORGED"],
        &["queue"],
        &["queue", "list"],
        &["queue", "dag"],
        &["queue", "conflict", "list"],
        &["queue", "conflict", "check"],
        &["next"],
        &["detail"],
        &["lease", "list"],
        &["log"],
        &["log", "-p"],
        &["log", "-n", "3"],
        &["diff"],
        &["diff", "refs/wf/main~9..refs/wf/main"],
        &["conflicts"],
        &["fsck"],
        &["audit"],
        &["audit", "--signatures"],
        &["audit", "main..elsewhere"],
        &["policy", "show"],
        &["project", "show"],
        &["hooks", "status"],
        &["trace", "elsewhere"],
        &["trace", "--dot", "elsewhere"],
        &["trace", "--mermaid", "elsewhere"],
        &["why", "ISS-012.txt"],
        &["verify", "--yes"],
        &["queue", "hold", "ISS-011", "--reason", LINES],
        &["queue", "remove", "S-99"],
        &["start", "ISS-013"],
        &["retry"],
        &["bind", "ISS-001"],
        &["prime"],
        &["context"],
        &["unlink", "HEAD"],
        &["lease", "release", "ISS-011"],
        &["conflicts", "keep", "ISS-001", "title"],
        &["sync"],
        &["fsck", "--repair"],
        &["close", "ISS-002", "-m", LINES],
        &["fail", "--reason", LINES],
        &["reopen", "ISS-001"],
        &["log", "-p"],
        &["status"],
    ];
    all.extend(others.iter().map(|args| args.to_vec()));
    let other = sandbox.at("other");
    let mut escaped = 0;
    for args in &all {
        let (_, shown) = repo.on_terminal("n\n", args);
        if let Some(fault) = fault(&shown) {
            panic!("{args:?}: {fault}\n{}", shown.escape_debug());
        }
        escaped += usize::from(shown.contains("FORGED"));
        let ran = repo.wf(args);
        for shown in [&ran.stdout, &ran.stderr] {
            let line = shown.lines().find(|line| line.starts_with("FORGED"));
            assert!(line.is_none(), "{args:?}: {line:?} in\n{shown}");
            assert!(!shown.contains("panicked at"), "{args:?}: {shown}");
        }
    }
    for args in [&["status"][..], &["next"], &["detail"]] {
        assert_eq!(fault(&other.on_terminal("n\n", args).1), None, "{args:?}");
    }
    assert!(escaped > all.len() / 4, "only {escaped} of {} answers show such a text", all.len());
}
