//! Every command, on records in which every text is hostile.

use super::*;

/// A store in which each kind of record has hostile texts wherever possible, with a running execution.
pub(super) fn hostile(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
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
        // No command accepts these, but they can come from a remote.
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
        repo.wf(&["feedback", "ISS-001", EVIL, "--type", "clarification"]).ok();
        let scores = ["--technical", "90", "--risk", "90", "--completeness", "90", "--finding", ROW];
        bob.wf(&[&["solution", "review", "ISS-001"][..], &scores].concat());
        repo.wf(&["settings", "tech_stack", "-m", EVIL]).ok();
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
        repo.wf(&["accept", "T1", "1", "-m", EVIL]).ok();
        repo
    })
}

#[test]
fn no_command_gives_a_terminal_text_from_outside_raw() {
    let sandbox = Sandbox::new();
    let repo = hostile(&sandbox);
    let shown = repo.json(&["show", "ISS-001"]);
    let solution = shown["solutions"][0]["id"].as_str().unwrap().to_owned();
    let execution = shown["executions"][0]["id"].as_str().unwrap().to_owned();
    let queue = repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned();
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
        &["feedback", "ISS-001"],
        &["context", "ISS-001"],
        &["context", &solution],
        &["task", "list", "ISS-001"],
        &["task", "start", "T1"],
        &["queue", "manage", "list"],
        &["queue", "show", &queue],
        &["queue", "graph"],
        &["queue", "forecast"],
        &["queue", "overlaps"],
        &["detail"],
        &["detail", "S-2"],
        &["next"],
        &["next", "ISS-001"],
        &["verify", "--yes"],
        &["verify", "--yes", "--task", "T1"],
        &["accept", "T1", "2", "-m", EVIL],
        &["accept", "T1", "99", "-m", EVIL],
        &["lease"],
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
        &["settings"],
        &["hooks", "status"],
        &["link", "--find"],
        &["link", "--remove", "HEAD"],
        &["export", "jsonl"],
        &["sync"],
        &["push"],
        // Arguments may have come from anywhere, too.
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
