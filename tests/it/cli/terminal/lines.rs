//! Every text of every record, with everything that could be taken for a line break.

use super::commands::hostile;
use super::*;

/// The same store, with line breaks in every text of every record that has no fixed form. Records whose names depend
/// on their content get other names.
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

/// A store with a record of each kind, and a running execution.
fn every_kind(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = hostile(sandbox);
        // One that failed, one that was completed, and one that was released, each in the log.
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
        repo.wf(&["queue", "overlaps", "--add", "api", "--items", items, "-m", "r", "--path", "f.txt"]).ok();
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
    })
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
    ids.push(repo.json(&["queue", "manage", "list"])[0]["id"].as_str().unwrap().to_owned());
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
        all.push(vec!["link", "--find", id]);
        all.push(vec!["accept", "T9", "9", "--item", id, "-m", LINES]);
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
        &["queue", "manage", "list"],
        &["queue", "graph"],
        &["queue", "overlaps"],
        &["queue", "forecast"],
        &["next"],
        &["detail"],
        &["lease"],
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
        &["settings"],
        &["hooks", "status"],
        &["trace", "elsewhere"],
        &["trace", "--dot", "elsewhere"],
        &["trace", "--mermaid", "elsewhere"],
        &["why", "ISS-012.txt"],
        &["verify", "--yes"],
        &["queue", "hold", "ISS-011", "--reason", LINES],
        &["queue", "remove", "S-99"],
        &["next", "ISS-013"],
        &["retry"],
        &["bind", "ISS-001"],
        &["prime"],
        &["context"],
        &["link", "--remove", "HEAD"],
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
