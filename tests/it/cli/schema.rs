//! `schema`, and the schemas compared with a real session: stored records, inputs and answers.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan};

/// The schema as the program prints it.
#[track_caller]
fn schema(repo: &Repo, kind: &str) -> jsonschema::Validator {
    let printed = repo.wf(&["schema", kind]).ok().json();
    jsonschema::draft202012::new(&printed).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

#[track_caller]
pub(crate) fn fits(repo: &Repo, kind: &str, document: &Value) {
    crate::cli::answers::note(kind);
    let faults: Vec<String> = schema(repo, kind)
        .iter_errors(document)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{kind}: {faults:#?}\n{document:#}");
}

#[track_caller]
pub(crate) fn answer(repo: &Repo, kind: &str, args: &[&str]) -> Value {
    let document = repo.wf(&[&["--json"], args].concat()).ok().json();
    fits(repo, kind, &document);
    document
}

#[track_caller]
pub(crate) fn answers(repo: &Repo, kind: &str, args: &[&str]) {
    let list = repo.wf(&[&["--json"], args].concat()).ok().json();
    assert!(!list.as_array().unwrap().is_empty(), "{args:?}");
    for document in list.as_array().unwrap() {
        fits(repo, kind, document);
    }
}

/// Walks one issue from its creation to its end, and checks every answer.
pub(crate) fn session(repo: &Repo) {
    repo.wf(&["init"]).ok();
    let input = json!({
        "id": "ISS-001", "title": "Tokens expire too early", "priority": "high", "tags": ["auth"],
        "relations": ["relates-to:GH-1"], "extended_context": {"notes": {"wave": 1}}, "status": "ignored"
    });
    fits(repo, "issue-input", &input);
    let made = repo.wf_in(input.to_string(), &["--json", "new", "--from-json", "-"]).ok().json();
    fits(repo, "show-issue", &made);
    answer(repo, "show-issue", &["edit", "ISS-001", "-t", "later"]);
    answer(repo, "show-issue", &["edit", "ISS-001", "-t", "-later"]);
    answer(repo, "comment", &["comment", "ISS-001", "-m", "It is the cache."]);
    fits(repo, "solution", &plan());
    repo.write("plan.json", plan().to_string());
    answer(repo, "plan-check", &["solution", "check", "plan.json"]);
    answer(repo, "plan-add", &["plan", "add", "ISS-001", "plan.json"]);
    answers(repo, "show-solution", &["solution", "list", "ISS-001"]);
    let bea = repo.as_person("Bea", "bea@example.org");
    let plan = repo.wf(&["--json", "solution", "list"]).ok().json()[0]["id"].as_str().unwrap().to_owned();
    let opinion =
        json!({"scores": {"technical": 50, "risk": 40.5, "completeness": 30}, "findings": ["No way back"]});
    fits(repo, "review-input", &opinion);
    bea.write("review.json", opinion.to_string());
    answer(&bea, "plan-review", &["plan", "review", &plan, "--from-json", "review.json"]);
    let scores = ["--technical", "70", "--risk", "70", "--completeness", "70"];
    answer(&bea, "plan-review", &[&["plan", "review", &plan], &scores[..]].concat());
    answer(repo, "show-feedback", &["feedback", "ISS-001", "A day is 24 hours here"]);
    answers(repo, "show-feedback", &["feedback"]);
    answer(repo, "show-solution", &["solution", "show", &plan]);
    let plan = repo.json(&["solution", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    answer(repo, "show-solution", &["task", "edit", &plan, "T1", "--title", "Add a bucket of tokens"]);
    answers(repo, "task", &["task", "list", &plan]);
    answer(repo, "plan-diff", &["plan", "diff", &plan]);
    answer(repo, "plan-check", &["solution", "check", &plan, "--all-bound"]);
    answers(repo, "show-item", &["queue", "add", "ISS-001"]);
    answers(repo, "show-queue", &["queue", "manage", "list"]);
    answer(repo, "show-queue", &["queue", "show"]);
    queue_session(repo);
    repo.commit("a.txt", "a\n", "start");
    answer(repo, "next", &["next"]);
    answer(repo, "detail", &["detail"]);
    answer(repo, "lease", &["lease", "renew"]);
    answers(repo, "lease", &["lease"]);
    answer(repo, "home", &["status"]);
    let reason = json!({"task_id": "T1", "error_type": "test_failure", "message": "2 tests failed"});
    fits(repo, "failure-input", &reason);
    answer(repo, "show-execution", &["fail", "-m", &reason.to_string()]);
    answer(repo, "show-issue", &["show", "ISS-001"]);
    answer(repo, "planner-input", &["context", "ISS-001"]);
    answer(repo, "executor-input", &["context", "S-1"]);
    answer(repo, "explorer-input", &["context", "ISS-001", "--for", "explorer"]);
    answer(repo, "reviewer-input", &["context", "S-1", "--for", "reviewer"]);
    answers(repo, "show-issue", &["retry", "ISS-001"]);
    answer(repo, "next", &["next"]);
    answer(repo, "show-execution", &["lease", "release"]);
    answer(repo, "next", &["next", "ISS-001"]);
    let result = json!({"status": "completed", "files_modified": [], "tests_passed": true,
        "acceptance_verified": true, "errors": [], "summary": "It lasts a day now."});
    fits(repo, "result-input", &result);
    repo.write("result.json", result.to_string());
    answer(repo, "show-execution", &["done", "--result", "result.json", "--force", "--reason", "a test"]);
    answers(repo, "show-issue", &["list", "--all"]);
    answer(repo, "trace", &["trace", "ISS-001"]);
    answer(repo, "trace", &["trace", "HEAD..HEAD"]);
    answer(repo, "trace", &["trace", "HEAD"]);
    answer(repo, "diff", &["diff"]);
    answer(repo, "diff", &["diff", "1960-01-01.."]);
    answers(repo, "log-step", &["log", "-p"]);
    let error = repo.wf(&["--json", "show", "ISS-404"]).fails(1);
    fits(repo, "error", &json!({ "error": error.json_error() }));
}

/// A second issue, which conflicts with the first.
fn queue_session(repo: &Repo) {
    repo.wf(&["new", "--id", "ISS-002", "Another"]).ok();
    repo.wf(&["solution", "add", "ISS-002", "plan.json"]).ok();
    answers(repo, "show-item", &["queue", "add", "--all-planned"]);
    let input = json!({"type": "api", "solutions": ["S-1", "S-2"], "rationale": "both change it"});
    fits(repo, "queue-conflict-input", &input);
    let told =
        repo.wf_in(input.to_string(), &["--json", "queue", "overlaps", "--from-json", "-"]).ok().json();
    fits(repo, "show-conflict", &told[0]);
    answers(repo, "show-conflict", &["queue", "overlaps"]);
    answers(repo, "show-queue", &["queue"]);
    answers(repo, "show-conflict", &["queue", "resolve", "CFT-1", "--order", "S-1,S-2"]);
    answer(repo, "show-queue", &["queue", "order", "S-2", "--after", "S-1"]);
    answer(repo, "queue-graph", &["queue", "graph"]);
    answer(repo, "queue-forecast", &["queue", "forecast"]);
    answers(repo, "show-item", &["queue", "hold", "S-2", "-m", "later"]);
    answers(repo, "show-item", &["queue", "release", "S-2"]);
    let queue =
        repo.wf(&["queue", "manage", "list", "--json"]).ok().json()[0]["id"].as_str().unwrap().to_owned();
    for verb in ["pause", "resume", "activate"] {
        answers(repo, "show-queue", &["queue", "manage", verb, &queue]);
    }
    answers(repo, "show-queue", &["queue", "manage", "priority", &queue, "2"]);
    let other = answer(repo, "show-queue", &["queue", "manage", "new"])["id"].as_str().unwrap().to_owned();
    answer(repo, "show-queue", &["queue", "manage", "merge", &other, &queue]);
    answers(repo, "show-queue", &["queue", "manage", "archive", &other]);
    answers(repo, "queue-removed", &["queue", "remove", "S-2"]);
}

#[test]
fn a_session_answers_and_stores_what_the_schemas_say() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("here");
    session(&repo);
    let tree = repo.git(&["ls-tree", "-r", "--name-only", "refs/wf/main"]).ok();
    let mut seen = std::collections::BTreeSet::new();
    for path in tree.stdout.lines() {
        let parts: Vec<&str> = path.split('/').collect();
        let kind = match parts.as_slice() {
            ["wf.json"] => "wf",
            [.., "issue.json"] => "issue",
            [.., "comments", _] => "comment",
            [.., "feedback", _] => "feedback",
            [.., "solution.json"] => "solution-record",
            [.., "reviews", _] => "review",
            [.., "execution.json"] => "execution",
            [.., "log", _] => "execution-log-entry",
            [.., "queue.json"] => "queue",
            [.., "items", _, _] => "item",
            [.., "conflicts", _] => "queue-conflict",
            _ => panic!("{path} has no schema"),
        };
        seen.insert(kind);
        fits(&repo, kind, &repo.git(&["cat-file", "-p", &format!("refs/wf/main:{path}")]).ok().json());
    }
    assert_eq!(seen.len(), 11, "{seen:?}");
}

#[test]
fn the_kinds_are_listed_and_printed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("here");
    let listed = repo.wf(&["schema"]).ok().stdout;
    let kinds = repo.wf(&["schema", "--json"]).ok().json();
    for kind in kinds.as_array().unwrap() {
        let name = kind["kind"].as_str().unwrap();
        assert!(listed.lines().any(|line| line.trim_start().starts_with(name)), "{name}\n{listed}");
        let printed = repo.wf(&["schema", name]).ok().stdout;
        let committed = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.json"));
        assert_eq!(printed, std::fs::read_to_string(committed).unwrap());
    }
    let wrong = repo.wf(&["schema", "isue"]).fails(2);
    assert!(wrong.stderr.contains("issue"), "{}", wrong.stderr);
}

#[test]
fn completions_are_shell_scripts() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("here");
    for (shell, sign) in [("bash", "_git_wf()"), ("zsh", "#compdef git-wf"), ("fish", "--command git-wf")] {
        let script = repo.wf(&["setup", "--completions", shell]).ok().stdout;
        assert!(script.contains(sign), "{shell}");
        assert!(script.contains("WF_COMPLETE"), "{shell}");
    }
}

/// git's own completion calls our function, with `git` and the words after it.
#[test]
fn bash_completes_git_wf_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("here");
    if std::process::Command::new("bash").arg("--version").output().is_err() {
        return; // There is no bash to complete in.
    }
    let script = repo.wf(&["setup", "--completions", "bash"]).ok().stdout;
    let complete = |at: &str, words: &str| {
        let ask = format!(
            "{at}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _git_wf; echo ${{COMPREPLY[@]}}"
        );
        repo.write("complete.bash", format!("{script}\n{ask}\n"));
        let output = repo.command("bash", &["complete.bash"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.issue("ISS-002");
    assert_eq!(complete(":", "git wf lin"), "link");
    assert_eq!(complete(":", "git wf close ISS-00"), "ISS-001 ISS-002");
    assert_eq!(complete(":", "git wf next S"), "S-1");
    assert!(complete(":", "git wf show SOL-ISS-001").starts_with("SOL-ISS-001-"));
    assert_eq!(complete(":", "git wf schema issue-"), "issue-input");
    assert_eq!(complete("__git_cmd_idx=3", "git -C . wf queue rem"), "remove");
    assert_eq!(complete(":", "git wf task edit ISS-001 T"), "T1");
    assert_eq!(complete(":", "git wf list --status can"), "cancelled");
    assert_eq!(complete(":", "git wf agents test gem"), "gemini gemini-acp");
    // Someone who presses a key does not wait for an index.
    let index = repo.path().join(".git/wf/index.db");
    if index.exists() {
        std::fs::remove_file(&index).unwrap();
    }
    assert_eq!(complete(":", "git wf close ISS-00"), "ISS-001 ISS-002");
    assert!(!index.exists());
    repo.wf(&["list"]).ok();
    repo.issue("ISS-003");
    assert!(index.exists());
    assert_eq!(complete(":", "git wf close ISS-00"), "ISS-001 ISS-002 ISS-003");
}
