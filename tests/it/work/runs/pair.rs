//! Runs with the example agents: they really plan, review, edit, test and commit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column};

/// The tests of the program, which all fail at first.
const TESTS: &str = "import unittest
import products, sums, words


class Tests(unittest.TestCase):
    def test_add(self):
        self.assertEqual(sums.add(1, 2), 3)

    def test_sub(self):
        self.assertEqual(sums.sub(3, 2), 1)

    def test_mul(self):
        self.assertEqual(products.mul(2, 3), 6)

    def test_loud(self):
        self.assertEqual(words.loud('a'), 'A')

    def test_twice(self):
        self.assertEqual(words.twice('a'), 'AA')
";

/// A program of three files with five bugs, and a failing test for each. ISS-1 and ISS-2 are in one file, and ISS-5
/// depends on ISS-4.
pub(super) fn five_bugs(sandbox: &Sandbox) -> Option<Repo> {
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    if repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the example agents");
        return None;
    }
    let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/agents");
    for name in ["planner", "executor"] {
        repo.git(&["config", &format!("wf.agent.{name}.command"), &format!("'{agents}/{name}.py'")]).ok();
    }
    for (role, name) in
        [("explorer", "planner"), ("planner", "planner"), ("reviewer", "planner"), ("executor", "executor")]
    {
        repo.git(&["config", &format!("wf.run.{role}"), name]).ok();
    }
    repo.write("sums.py", "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n");
    repo.write("products.py", "def mul(a, b):\n    return a / b\n");
    repo.write(
        "words.py",
        "def loud(text):\n    return text.lower()\n\n\ndef twice(text):\n    return text\n",
    );
    repo.write("tests.py", TESTS);
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "-q", "-m", "Begin"]).ok();
    let failed = repo.sh(&["-c", &tested("")]).fails(1).stderr;
    assert!(failed.contains("FAILED (failures=5)"), "{failed}");
    for (id, file, old, new, test) in [
        ("ISS-1", "sums", "    return a - b\\n\\n", "    return a + b\\n\\n", "add"),
        ("ISS-2", "sums", "def sub(a, b):\\n    return a + b", "def sub(a, b):\\n    return a - b", "sub"),
        ("ISS-3", "products", "a / b", "a * b", "mul"),
        ("ISS-4", "words", "text.lower()", "text.upper()", "loud"),
        ("ISS-5", "words", "    return text\\n", "    return loud(text) * 2\\n", "twice"),
    ] {
        let test = tested(&format!(".Tests.test_{test}"));
        let text = format!("In {file}.py replace \"{old}\" with \"{new}\"\nTest: {test}\n");
        repo.wf(&["new", &format!("Mend {file} ({id})"), "--id", id, "-m", &text]).ok();
    }
    repo.wf(&["edit", "ISS-5", "--depends-on", "ISS-4"]).ok();
    Some(repo)
}

/// The command that runs the tests of the program, or one of them.
fn tested(which: &str) -> String {
    format!("python3 -B -m unittest tests{which}")
}

/// Holds the branch of a run against all that was asked for.
#[track_caller]
pub(super) fn all_is_mended(repo: &Repo, branch: &str) {
    repo.git(&["checkout", "-q", "-b", "seen", branch]).ok();
    repo.sh(&["-c", &tested("")]).ok();
    for n in 1..=5 {
        let issue = repo.json(&["show", &format!("ISS-{n}")]);
        assert_eq!(issue["status"], "completed", "{issue:#}");
        assert_eq!(issue["executions"].as_array().unwrap().len(), 1, "nothing was done twice: {issue:#}");
        assert_eq!(issue["solutions"].as_array().unwrap().len(), 1, "nothing was planned twice: {issue:#}");
    }
    let subjects = repo.git(&["log", "--no-merges", "--format=%s", "main..seen"]).ok().stdout;
    assert_eq!(subjects.lines().count(), 5, "{subjects}");
    repo.wf(&["audit", "main..seen"]).ok();
    repo.wf(&["fsck"]).ok();
}

#[test]
fn five_issues_are_planned_and_mended_by_three_at_once() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let before = repo.git(&["rev-parse", "main"]).ok().stdout;
    repo.write("mine.txt", "not committed\n");
    let run = repo.wf(&["run", "--all-pending", "--jobs", "3", "--yes", "--json"]).ok().json();
    assert_eq!(run["mode"], "batch");
    assert_eq!(run["steps"], json!(["explore", "plan", "review", "queue", "execute", "integrate"]));
    let state = &run["state"];
    assert_eq!((&state["status"], &state["phase"]), (&json!("completed"), &json!("complete")));
    assert_eq!(
        state["context"],
        json!({"total_issues": 5, "completed_count": 5, "failed_count": 0}),
        "{state:#}"
    );
    assert_eq!(state["errors"], json!([]));
    // The user's branch, index and work tree are as they were.
    assert_eq!(repo.git(&["rev-parse", "main"]).ok().stdout, before);
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "?? mine.txt\n");
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).ok().stdout.matches("worktree ").count(), 1);
    assert!(!repo.path().parent().unwrap().join(format!("code-{}", run["id"].as_str().unwrap())).exists());
    let branch = run["branch"].as_str().unwrap().trim_start_matches("refs/heads/");
    all_is_mended(&repo, branch);
    // A plan was judged by someone else than its author.
    let reviews = repo.json(&["solution", "list", "ISS-1"])[0]["reviews"].clone();
    assert!(reviews.to_string().contains("planner-reviewer"), "{reviews}");
    // The trail names the agent of each commit, and the report agrees with it.
    let report = repo.json(&["run", "report"]);
    assert_eq!(report["totals"]["completed_count"], 5, "{report:#}");
    let mut reported: Vec<String> = Vec::new();
    for issue in report["issues"].as_array().unwrap() {
        let made_by = |commit: &Value| commit["made_by"]["agent"] == "executor";
        assert!(issue["commits"].as_array().unwrap().iter().all(made_by), "{issue:#}");
        reported.extend(column(&issue["commits"], "hash"));
    }
    // It has the same commits as git.
    let made = repo.git(&["rev-list", "--no-merges", &format!("main..{branch}")]).ok().stdout;
    let mut made: Vec<&str> = made.lines().collect();
    made.sort_unstable();
    reported.sort_unstable();
    assert_eq!(reported, made);
    assert_eq!(report["totals"]["commit_count"], 5, "{report:#}");
    is_valid(&repo, state);
}

/// The state has the members and the values that programs for runs of this kind expect.
#[track_caller]
fn is_valid(repo: &Repo, state: &Value) {
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let members = [
        "status",
        "phase",
        "work_dir",
        "issues",
        "queue",
        "completed_actions",
        "context",
        "errors",
        "created_at",
        "updated_at",
    ];
    assert_eq!(names(state), set(&members));
    assert!(std::path::Path::new(state["work_dir"].as_str().unwrap()).is_dir(), "{state:#}");
    let of_issue = ["id", "title", "status", "solution_id", "planned_at", "executed_at", "error"];
    for (id, issue) in state["issues"].as_object().unwrap() {
        assert_eq!((names(issue), &issue["id"]), (set(&of_issue), &json!(id)));
    }
    for item in state["queue"].as_array().unwrap() {
        assert_eq!(names(item), set(&["item_id", "issue_id", "solution_id", "status"]));
    }
    let run = repo.json(&["run", "show"]);
    let history = run["history"].as_array().unwrap();
    for entry in history {
        assert_eq!(names(entry), set(&["timestamp", "phase", "completed_actions", "issues_count"]));
    }
    assert_eq!(
        history.last().unwrap()["completed_actions"],
        state["completed_actions"].as_array().unwrap().len()
    );
}

#[test]
fn an_issue_that_is_missing_is_skipped_and_named_ones_are_enough() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    repo.wf(&["run"]).fails(2);
    let dry = repo.wf(&["run", "ISS-3", "ISS-404", "--dry-run", "--json"]).ok().json();
    assert_eq!((&dry["mode"], &dry["issue_ids"]), (&json!("quick"), &json!(["ISS-3"])));
    assert!(dry["warnings"][0].as_str().unwrap().contains("skipped `ISS-404`"), "{dry}");
    assert_eq!(repo.json(&["run", "list"]), json!([]));
    let ran = repo.wf(&["run", "ISS-3", "ISS-404", "--yes"]).ok();
    assert!(ran.stderr.contains("ISS-3 Mend products (ISS-3): planning by planner"), "{}", ran.stderr);
    assert!(ran.stdout.contains("merges the work"), "{}", ran.stdout);
    assert_eq!(repo.status("ISS-3"), "completed");
    assert_eq!(column(&repo.json(&["run", "list"]), "status"), ["completed"]);
    // What is over is not begun again.
    repo.wf(&["run", "ISS-3"]).fails(3);
}

#[test]
fn the_issues_of_a_wave_are_taken() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    for (issue, tags) in
        [("ISS-1", ["wave-1", "auth"]), ("ISS-3", ["wave-2", "auth"]), ("ISS-4", ["wave-2", "x"])]
    {
        for tag in tags {
            repo.wf(&["edit", issue, "--tag", tag]).ok();
        }
    }
    let chosen = |args: &[&str]| {
        repo.wf(&[&["run", "--dry-run", "--json"], args].concat()).ok().json()["issue_ids"].clone()
    };
    assert_eq!(chosen(&["--wave", "2"]), json!(["ISS-3", "ISS-4"]));
    assert_eq!(chosen(&["--wave", "2", "--tag", "auth"]), json!(["ISS-3"]));
    assert_eq!(chosen(&["ISS-5", "--wave", "1", "--all-pending"]), json!(["ISS-5", "ISS-1"]));
    repo.wf(&["run", "--wave", "7"]).fails(3);
    repo.wf(&["run", "--wave", "0"]).fails(2);
}

#[test]
fn a_run_may_only_plan_and_another_may_only_execute() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let planned = repo.wf(&["run", "ISS-3", "ISS-4", "--plan-only", "--mode", "full", "--json"]).ok().json();
    assert_eq!(
        (&planned["steps"], &planned["branch"]),
        (&json!(["explore", "plan", "review"]), &json!(null))
    );
    assert_eq!((repo.status("ISS-3"), repo.status("ISS-4")), ("planned".into(), "planned".into()));
    // Nobody agreed to the tests of the plans.
    let refused = repo.wf(&["run", "ISS-3", "--execute-only"]).fails(1);
    assert!(refused.stderr.contains("nobody here has agreed"), "{}", refused.stderr);
    repo.wf(&["run", "--all-pending", "--execute-only", "--yes"]).ok();
    assert_eq!((repo.status("ISS-3"), repo.status("ISS-4")), ("completed".into(), "completed".into()));
}
