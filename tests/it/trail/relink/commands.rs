//! `link`, `unlink` and `task start`.

use serde_json::json;

use crate::support::{Repo, Sandbox, column, plan};

/// A repository that executes a plan with two tasks, with hooks; the plan's id.
fn executing(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("repo");
        repo.wf(&["hooks", "install"]).ok();
        let solution = repo.planned("ISS-001", &plan());
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        (repo, solution)
    })
}

fn linked(repo: &Repo) -> Vec<(String, serde_json::Value, serde_json::Value)> {
    let show = repo.json(&["show", "ISS-001"]);
    let commits = show["executions"][0]["commits"].as_array().unwrap().clone();
    commits
        .into_iter()
        .map(|it| {
            (it["subject"].as_str().unwrap().to_owned(), it["task_id"].clone(), it["linked_by"].clone())
        })
        .collect()
}

#[test]
fn each_task_gets_its_commits() {
    let sandbox = Sandbox::new();
    let (repo, solution) = executing(&sandbox);
    let started = repo.json(&["task", "start", "T1"]);
    assert_eq!((&started["task_id"], &started["solution_id"]), (&json!("T1"), &json!(solution)));
    repo.commit("a", "1\n", "one");
    repo.commit("a", "2\n", "two");
    let ran = repo.changes_nothing(&["task", "start", "T2"]);
    assert!(ran.stdout.contains("working on T2 of SOL-ISS-001-"), "{}", ran.stdout);
    repo.changes_nothing(&["task", "start", "T2"]);
    // Claiming it again keeps the task.
    repo.wf(&["next"]).ok();
    repo.commit("a", "3\n", "three");
    let hook = json!("hook");
    let expected = [("one", "T1"), ("two", "T1"), ("three", "T2")];
    assert_eq!(linked(&repo), expected.map(|(s, t)| (s.to_owned(), json!(t), hook.clone())));
    let message = repo.git(&["log", "-1", "--format=%B"]).ok().stdout;
    assert!(message.contains("Wf-Task: T2\n"), "{message}");
    let error = repo.refused(1, &["task", "start", "T9"]);
    let plan = repo.json(&["show", "ISS-001"])["bound_solution_id"].as_str().unwrap().to_owned();
    let hint = format!("its tasks are T1, T2; `git wf task list {plan}` shows them");
    assert_eq!((&error["code"], &error["hint"]), (&json!("not-found"), &json!(hint)));
    repo.git(&["switch", "-q", "--detach"]).ok();
    assert!(repo.wf(&["task", "start", "T1"]).ok().stderr.contains("not linked"));
    repo.git(&["switch", "-q", "main"]).ok();
    repo.done();
    assert_eq!(repo.refused(1, &["task", "start", "T1"])["code"], "no-claim");
}

#[test]
fn a_commit_is_linked_by_hand_and_the_link_taken_back() {
    let sandbox = Sandbox::new();
    let (repo, solution) = executing(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    let one = repo.commit("a", "1\n", "one");
    let two = repo.commit("a", "2\n", "two");
    assert!(linked(&repo).is_empty());
    let steps = repo.steps();
    let answer = repo.json(&["link", "HEAD~1", &two[..9], &solution, "--task", "T1"]);
    assert_eq!(column(&answer, "commit"), [one.clone(), two.clone()]);
    assert_eq!(repo.steps(), steps + 1, "one change");
    let manual = json!("manual");
    let both = |task: &str| ["one", "two"].map(|s| (s.to_owned(), json!(task), manual.clone()));
    assert_eq!(linked(&repo), both("T1"));
    repo.changes_nothing(&["link", "HEAD~1", "HEAD", &solution]);
    repo.changes_nothing(&["link", "HEAD~1", "HEAD", &solution, "--task", "T1"]);
    repo.wf(&["link", "HEAD~1", "HEAD", &solution, "--task", "T2"]).ok();
    assert_eq!(linked(&repo), both("T2"));
    assert!(repo.wf(&["trace", "HEAD"]).ok().stdout.contains("(linked by hand)"));

    repo.wf(&["link", "--remove", "HEAD", &solution]).ok();
    assert_eq!(linked(&repo), both("T2")[..1]);
    repo.changes_nothing(&["link", "--remove", "HEAD"]);
    // A commit that was unlinked stays so until it is linked by hand again.
    assert_eq!(repo.json(&["link", "--find"])["links"], json!([]));
    repo.wf(&["link", "HEAD", &solution]).ok();
    assert_eq!(linked(&repo)[1], ("two".to_owned(), json!(null), manual.clone()));
    // A rewritten commit is also known by its old id; one that git has lost, by a part of its id.
    repo.wf(&["hooks", "install"]).ok();
    repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    repo.wf(&["link", "--remove", &two]).ok();
    assert_eq!(linked(&repo).len(), 1);

    for (args, code) in [
        (&["link", "HEAD", "SOL-ISS-404-1"][..], "not-found"),
        (&["link", "HEAD", "ISS-404"], "not-found"),
        (&["link", "nowhere", &solution], "not-found"),
        (&["link", "HEAD", &solution, "--task", "T9"], "not-found"),
        (&["link", "--remove", "HEAD~2"], "not-linked"),
        (&["link", "--remove", "nowhere"], "not-found"),
        (&["link", "--find", "no..where"], "not-found"),
    ] {
        assert_eq!(repo.refused(1, args)["code"], code, "{args:?}");
    }
    repo.refused(2, &["link", "HEAD"]);
    repo.refused(2, &["link", "--remove", &solution]);
}
