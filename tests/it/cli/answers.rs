//! Every kind of answer that `schema` lists is given by a command, and fits its schema.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli::schema;
use crate::support::{Repo, Sandbox, Two, plan_on, record};

thread_local! {
    /// The kinds that this test has checked.
    static SEEN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes that an answer of this kind was checked against its schema.
pub(crate) fn note(kind: &str) {
    SEEN.with_borrow_mut(|seen| seen.insert(kind.to_owned()));
}

/// The answers of a session with one plan are checked in [`crate::cli::schema`]; these are the others.
fn others(repo: &Repo) {
    let (answer, answers) = (schema::answer, schema::answers);
    answer(repo, "init", &["init"]);
    repo.commit("src/a.rs", "one\n", "Begin");
    answer(repo, "settings", &["settings"]);
    answer(repo, "settings", &["settings", "review=none"]);
    answer(repo, "settings", &["settings", "tech_stack", "-m", r#"["Rust"]"#]);
    answers(repo, "schema", &["schema"]);
    answer(repo, "completions", &["setup", "--completions", "bash"]);
    answers(repo, "hook-state", &["hooks", "install"]);
    answers(repo, "hook-state", &["hooks", "status"]);
    answers(repo, "hook-lines", &["hooks", "lines", "lefthook"]);

    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    let solution = repo.planned("ISS-001", &plan);
    repo.wf(&["edit", "ISS-001", "--title", "Tokens expire"]).ok();
    repo.wf(&["new", "hunter2", "--id", "ISS-002"]).ok();
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    answer(repo, "list-count", &["list", "--count"]);
    answers(repo, "list-brief", &["list", "--brief"]);
    answer(repo, "home", &[]);
    answer(repo, "many-changed", &["edit", "--where", "--search hunter2", "--tag", "a", "--yes"]);
    answer(repo, "undo", &["undo"]);
    answer(repo, "search", &["search", "tokens"]);
    answer(repo, "show-issue", &["status", "ISS-001"]);
    answer(repo, "reindex", &["fsck", "--reindex"]);
    answer(repo, "wisdom", &["wisdom", "add", "Tokens expire", "--tag", "auth"]);
    answers(repo, "wisdom-view", &["wisdom"]);
    answers(repo, "wisdom-view", &["wisdom", "tokens"]);
    repo.write("roadmap.json", crate::plans::roadmaps::direct().to_string());
    answer(repo, "roadmap-add", &["roadmap", "add", "roadmap.json"]);
    answer(repo, "show-roadmap", &["roadmap", "show"]);
    answers(repo, "roadmap-summary", &["roadmap", "list"]);
    answer(repo, "roadmap-next", &["roadmap", "next"]);
    let factors = ["--scope-clarity", "low", "--technical-risk", "low", "--dependency-unknown", "low"];
    let others = ["--domain-familiarity", "high", "--requirement-stability", "medium"];
    answer(repo, "roadmap-assess", &[&["roadmap", "plan", "--assess"], &factors[..], &others[..]].concat());
    answer(repo, "show-issue", &["plan", "choose", "ISS-001", "--none"]);
    answer(repo, "show-issue", &["bind", "ISS-001"]);
    answer(repo, "show-solution", &["show", &solution]);
    let title = ["--title", "Another step", "--action", "Test", "--step", "See that it holds"];
    let criteria = ["--done-when", "the request is answered with 429", "--verify", "cargo test limit"];
    let added = [&["task", "add", "ISS-001"], &title[..], &criteria[..]].concat();
    answer(repo, "show-solution", &added);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    answer(repo, "detail", &["show", "S-1"]);
    repo.wf(&["next", "--local"]).ok();
    answer(repo, "prime", &["prime"]);
    answer(repo, "prime-stop", &["prime", "--stop"]);
    answer(repo, "task-start", &["task", "start", "T1"]);
    let commit = repo.commit("src/a.rs", "two\n", "Let tokens last");
    answers(repo, "link", &["link", "--remove", &commit]);
    answers(repo, "link", &["link", &commit, &solution]);
    answer(repo, "link-find", &["link", "--find"]);
    answer(repo, "verify", &["verify", "--yes"]);
    answer(repo, "verify", &["verify", "--yes", "--fresh"]);
    answer(repo, "show-execution", &["accept", "T1", "1", "-m", "seen by eye"]);
    answer(repo, "audit", &["audit"]);
    answer(repo, "audit-signatures", &["audit", "--signatures"]);
    answer(repo, "why", &["why", "src/a.rs:1"]);
    let execution = repo.json(&["show", "ISS-001"])["executions"][0]["id"].as_str().unwrap().to_owned();
    answer(repo, "show-execution", &["show", &execution]);
    repo.queued("ISS-003", "src/b.rs");
    answer(repo, "done-next", &["done", "--next", "--force", "--reason", "a test"]);

    repo.wf(&["edit", "ISS-001", "--source-url", "https://github.com/zoo/okapi/issues/7"]).ok();
    answer(repo, "export-github", &["export", "github", "ISS-001"]);
    answer(
        &with_host(repo),
        "export-github-sync",
        &["export", "github", "ISS-001", "--sync", "--repo", "zoo/okapi"],
    );
    answer(repo, "export", &["export", "jsonl", "--output", "all.jsonl"]);
    answer(repo, "import-jsonl", &["import", "jsonl", "all.jsonl"]);
    let bead = json!({"id": "bd-1", "title": "From beads", "status": "open", "priority": 2, "issue_type": "bug", "due_at": "2026-02-01",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"});
    repo.write("beads.jsonl", format!("{bead}\n"));
    answer(repo, "import", &["import", "beads", "beads.jsonl"]);
    answer(repo, "show-issue", &["show", "bd-1", "--imported"]);
    repo.write("specs/001-one/tasks.md", "- [ ] T001 Work\n");
    answer(repo, "import", &["import", "spec-kit", "."]);
    answer(repo, "show-issue", &["close", "SK-001-one"]);
    answer(repo, "export-progress", &["export", "spec-kit", "."]);
    answer(repo, "solutions", &["solutions", "ISS-001"]);
    answer(repo, "export-ccw", &["export", "ccw", "-o", "for-ccw"]);
    answer(repo, "export-beads", &["export", "beads", "--output", "out.jsonl"]);
    answer(repo, "export-agent-trace", &["export", "agent-trace", &commit, "--output", "trace.jsonl"]);
    answer(repo, "export-in-toto", &["export", "in-toto", "--output", "audit.json"]);
    repo.wf(&["export", "in-toto", "--tests", "--output", "tests.jsonl"]).ok();
    answer(repo, "audit-against", &["audit", "--against", "tests.jsonl"]);
    answer(repo, "web", &["web", "--export", "pages"]);
    answer(repo, "export-csv", &["export", "csv", "--output", "out.csv"]);
    answer(repo, "show-issue", &["close", "bd-1"]);
    answer(repo, "show-issue", &["reopen", "bd-1"]);
    answers(repo, "agent", &["agents", "list"]);
    answer(repo, "agents-setup", &["agents", "setup", "--list"]);
    let pong = r#"sh:sed -n 's/.*"nonce": "\(.*\)".*/{"pong": "\1"}/p'"#;
    answer(repo, "agent-test", &["agents", "test", pong]);
    repo.plumb_records(&record::run(
        "RUN-1",
        &["ISS-001"],
        &[
            json!({"type": "phase", "status": "running", "phase": "init"}),
            json!({"type": "question", "issue_id": "ISS-001"}),
        ],
    ));
    answer(repo, "run-answered", &["run", "answer", "ISS-001", "skip"]);
    repo.issue("ISS-009");
    let dry = ["run", "ISS-009", "--planner", "sh:exit 3", "--plan-only", "--dry-run"];
    answer(repo, "run-dry", &dry);
    let run = ["run", "ISS-009", "--plan-only", "--planner", "sh:exit 3", "--mode", "quick", "--json"];
    let ran = repo.wf(&run).fails(1);
    schema::fits(repo, "run-show", &ran.json());
    for line in ran.stderr.lines() {
        schema::fits(repo, "run-event", &serde_json::from_str(line).unwrap());
    }
    answer(repo, "run-show", &["run", "show"]);
    run_diff(repo);
    answer(repo, "run-report", &["run", "report"]);
    answers(repo, "run-summary", &["run", "list"]);
    answers(repo, "run-log-entry", &["run", "log"]);
    answer(repo, "demo", &["demo"]);
    answer(repo, "help", &["help", "claims"]);
    let home = repo.with_env("HOME", repo.path().join("home").to_str().unwrap());
    answer(&home, "setup", &["setup"]);
    answer(repo, "version", &["--version"]);

    answers(repo, "redaction", &["redact", "ISS-002", "title", "-m", "a password"]);
    answer(repo, "purge", &["redact", "--purge", "--yes"]);
    answers(repo, "hook-state", &["hooks", "uninstall"]);
    repo.plumb(&[("notes.txt", "of another program")]);
    answers(repo, "fsck-finding", &["fsck"]);
}

/// What an agent has changed so far, as the agent itself sees it.
fn run_diff(repo: &Repo) {
    repo.issue("ISS-010");
    repo.wf_in(plan_on("a.txt").to_string(), &["solution", "add", "ISS-010"]).ok();
    let file = repo.path().join("../diff.json");
    let asks = format!(
        "date > new.txt; git -C '{0}' wf run diff ISS-010 --json > '{1}'; unset WF_ROLE WF_ACTOR WF_RUN WF_RUN_FILES; \
        git -C '{0}' wf run pause --json > '{1}.paused'; git -C '{0}' wf run resume --json; exit 3",
        repo.path().display(),
        file.display()
    );
    repo.wf(&["run", "ISS-010", "--execute-only", "--executor", &format!("sh:{asks}"), "--yes"]).fails(1);
    let told = std::fs::read_to_string(format!("{}.paused", file.display())).unwrap();
    schema::fits(repo, "run-steered", &serde_json::from_str(&told).unwrap());
    let diff: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(diff["patch"].as_str().unwrap().contains("+++ b/new.txt"), "{diff}");
    schema::fits(repo, "run-diff", &diff);
}

/// The answers that need a second clone.
fn across() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    schema::answer(ada, "sync", &["push"]);
    schema::answer(bea, "sync", &["pull"]);
    for (repo, title) in [(ada, "ada's"), (bea, "bea's")] {
        repo.wf(&["edit", "GH-1", "--title", title]).ok();
        schema::answer(repo, "sync", &["sync"]);
    }
    schema::answers(bea, "conflict", &["conflicts"]);
    schema::answers(bea, "conflict", &["conflicts"]);
    schema::answer(bea, "conflict", &["conflicts", "keep", "GH-1", "title"]);
}

#[test]
fn each_kind_of_answer_is_given_and_fits_its_schema() {
    let sandbox = Sandbox::new();
    schema::session(&sandbox.repo("here"));
    others(&sandbox.repo("there"));
    across();
    crate::work::land::each_answer(schema::answer);
    let repo = sandbox.repo("here too");
    let kinds = repo.json(&["schema"]);
    let is_answer = |kind: &&Value| kind["sort"] == "answer";
    let all: BTreeSet<String> = kinds
        .as_array()
        .unwrap()
        .iter()
        .filter(is_answer)
        .map(|it| it["kind"].as_str().unwrap().to_owned())
        .collect();
    let seen = SEEN.take();
    let unseen: Vec<&String> = all.difference(&seen).collect();
    assert!(unseen.is_empty(), "no answer was held against the schema of {unseen:?}");
}

/// The repository with a `gh` in its PATH that knows one issue.
fn with_host(repo: &Repo) -> Repo {
    use std::os::unix::fs::PermissionsExt;
    let folder = repo.path().join(".git/host");
    std::fs::create_dir_all(&folder).unwrap();
    let script = "#!/bin/sh\necho '{\"number\":7,\"comments\":[],\"url\":\"https://github.com/zoo/okapi/issues/7\"}'\n";
    std::fs::write(folder.join("gh"), script).unwrap();
    std::fs::set_permissions(folder.join("gh"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = repo.sh(&["-c", "echo $PATH"]).ok().line().to_owned();
    repo.with_env("PATH", &format!("{}:{path}", folder.display()))
}
