//! What was done, written back into the files of the tools that the plans came from.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::plan_tools::{import, plan, project, replace};
use super::{issue, store};
use crate::support::{Repo, Sandbox};

/// Puts an issue into the queue and claims it.
fn claim(repo: &Repo, id: &str) {
    repo.wf(&["queue", "add", id, "--force", "--reason", "no tests"]).ok();
    repo.wf(&["next"]).ok();
}

fn complete(repo: &Repo) {
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

#[test]
fn boxes_are_ticked_and_nothing_else_changes() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "spec-kit");
    let folder = project.to_str().unwrap();
    assert_eq!(repo.refused(1, &["export", "spec-kit", folder])["code"], "empty");
    import(&repo, "spec-kit", &project);
    let plan = plan(&repo, "SK-001-feed-okapi");
    let said = |n: usize, name: &str| plan["tasks"][n][name].clone();
    assert_eq!(
        (said(0, "id"), said(0, "files")[0]["path"].clone()),
        (json!("T001"), json!("store/leaves.md"))
    );
    // `[P]` depends on nothing in its phase; what a task says itself counts.
    assert_eq!((said(1, "depends_on"), said(2, "depends_on")), (json!(null), json!(["T001", "T002"])));
    assert_eq!((said(3, "depends_on"), said(3, "scope")), (json!(["T003"]), json!("US1")));
    assert_eq!(said(4, "depends_on"), json!(["T003", "T004"]));

    let file = project.join("specs/001-feed-okapi/tasks.md");
    let before = fs::read_to_string(&file).unwrap();
    repo.wf(&["queue", "add", "SK-001-feed-okapi", "--force", "--reason", "no tests"]).ok();
    repo.wf(&["next"]).ok();
    assert_eq!(repo.wf(&["export", "spec-kit", folder]).ok().stdout.lines().count(), 1);
    repo.commit("docs/rota.md", "rota\n", "Write the rota");
    repo.wf(&["link", "HEAD", "SK-001-feed-okapi", "--task", "T004"]).ok();
    let dry = repo.json(&["export", "spec-kit", folder, "--dry-run"]);
    assert_eq!(
        (&dry["files"][0]["changes"], fs::read_to_string(&file).unwrap()),
        (&json!(1), before.clone())
    );
    repo.wf(&["export", "spec-kit", folder]).ok();
    let ticked = before.replace("- [ ] T004", "- [x] T004");
    assert_eq!(fs::read_to_string(&file).unwrap(), ticked);

    // A task whose number another one has now is named, and the rest is ticked.
    replace(&file, "T002 [P] Clean the bowl", "T002 [P] Order hay", 60);
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    let done = repo.json(&["export", "spec-kit", folder]);
    assert_eq!((&done["files"][0]["changes"], &done["files"][0]["missing"]), (&json!(2), &json!(["T002"])));
    let all = ticked
        .replace("Clean the bowl", "Order hay")
        .replace("[ ] T003", "[x] T003")
        .replace("[ ] T005", "[x] T005");
    assert_eq!(fs::read_to_string(&file).unwrap(), all);
}

#[test]
fn statuses_of_task_master_follow_the_work_and_nothing_else_changes() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "task-master");
    let folder = project.to_str().unwrap();
    let file = project.join(".taskmaster/tasks/tasks.json");
    replace(&file, r#""status": "in-progress""#, r#""status": "pending""#, 0);
    import(&repo, "task-master", &project);
    let before = read(&file);
    let export = || repo.json(&["export", "task-master", folder]);
    // One was cancelled there, and nothing has begun.
    assert_eq!((export()["files"].clone(), read(&file)), (json!([]), before.clone()));

    claim(&repo, "TM-master-1");
    let dry = repo.json(&["export", "task-master", folder, "--dry-run"]);
    assert_eq!((&dry["files"][0]["changes"], read(&file)), (&json!(1), before.clone()));
    export();
    let begun = before.replacen(r#""status": "pending""#, r#""status": "in-progress""#, 1);
    assert_eq!(read(&file), begun);
    repo.commit("docs/rota.md", "rota\n", "Write the rota");
    complete(&repo);
    // The file alone will do.
    let said = repo.wf(&["export", "task-master", file.to_str().unwrap()]).ok().stdout;
    assert!(said.starts_with("updated TM-master-1 in ") && said.ends_with(": 2 changes\n"), "{said}");
    let done = begun.replacen(r#""status": "in-progress""#, r#""status": "done""#, 1);
    let done = done.replacen(r#""status": "pending""#, r#""status": "done""#, 1);
    assert_eq!(read(&file), done);

    repo.wf(&["edit", "TM-master-2", "--status", "cancelled"]).ok();
    export();
    assert_eq!(read(&file), done.replacen(r#""status": "review""#, r#""status": "cancelled""#, 1));
    // What the tool lost is named; what it broke is left alone.
    replace(&file, r#""id": "2""#, r#""id": "22""#, 60);
    assert_eq!(export()["files"][0]["missing"], json!(["task 2 of `master`"]));
    fs::write(&file, "{").unwrap();
    let refused = repo.refused(1, &["export", "task-master", folder]);
    assert_eq!((&refused["code"], read(&file)), (&json!("cannot-read"), "{".to_owned()));
}

#[test]
fn tasks_of_backlog_get_their_status_their_ticks_and_a_reference() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "backlog.md");
    let folder = project.to_str().unwrap();
    import(&repo, "backlog", &project);
    let tasks = project.join("backlog/tasks");
    let file = tasks.join("task-1 - Feed-the-okapi.md");
    let before = read(&file);
    // The other tasks that are over are over there, too.
    assert_eq!(repo.json(&["export", "backlog", folder])["files"], json!([]));
    claim(&repo, "BL-TASK-1");
    repo.commit("src/gate.rs", "gate\n", "Open the gate");
    repo.json(&["export", "backlog", folder]);
    let begun = before
        .replace("status: To Do", "status: In Progress")
        .replace("  - src/feed.rs\ndocumentation", "  - src/feed.rs\n  - 'git-wf:BL-TASK-1'\ndocumentation");
    assert_eq!(read(&file), begun);
    complete(&repo);
    repo.json(&["export", "backlog", folder]);
    let done = begun.replace("status: In Progress", "status: Done").replace("- [ ] #", "- [x] #");
    assert_eq!(read(&file), done);
    assert_eq!(repo.json(&["export", "backlog", folder])["files"], json!([]));

    // Renumbered and renamed, as `backlog doctor --fix` does, it is the same issue.
    let moved = tasks.join("task-9 - Feed-the-okapi.md");
    fs::rename(&file, &moved).unwrap();
    replace(&moved, "id: TASK-1\n", "id: TASK-9\n", 60);
    replace(&moved, "title: Feed the okapi", "title: Feed both okapis", 60);
    let report = import(&repo, "backlog", &project);
    assert_eq!(report["created"], 0, "{report:#}");
    assert_eq!(issue(&repo, "BL-TASK-1")["title"], "Feed both okapis");
}

#[test]
fn what_was_completed_here_stays_completed_when_its_boxes_come_back() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "spec-kit");
    import(&repo, "spec-kit", &project);
    claim(&repo, "SK-001-feed-okapi");
    repo.commit("docs/rota.md", "rota\n", "Write the rota");
    complete(&repo);
    repo.json(&["export", "spec-kit", project.to_str().unwrap()]);
    // It counts as changed later.
    replace(&project.join("specs/001-feed-okapi/tasks.md"), "- [x] T001", "- [X] T001", 3600);
    import(&repo, "spec-kit", &project);
    assert_eq!(repo.status("SK-001-feed-okapi"), "completed");
}

#[test]
fn what_cannot_be_written_as_a_whole_is_not_begun() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "backlog.md");
    let folder = project.to_str().unwrap();
    import(&repo, "backlog", &project);
    for id in ["BL-TASK-1", "BL-TASK-2"] {
        repo.wf(&["close", id]).ok();
    }
    let tasks = project.join("backlog/tasks");
    let first = tasks.join("task-1 - Feed-the-okapi.md");
    let second = tasks.join("task-2 - Buy-leaves-fresh-1.md");
    let (before, good) = (read(&first), read(&second));
    let status = good.lines().find(|line| line.starts_with("status:")).unwrap();
    fs::write(&second, good.replace(status, "status: >-\n  To Do")).unwrap();
    let error = repo.refused(1, &["export", "backlog", folder]);
    assert!(error["message"].as_str().unwrap().contains("task-2 - Buy-leaves-fresh-1.md"), "{error}");
    assert_eq!(read(&first), before);
    // A directory that is a link leads elsewhere.
    fs::write(&second, good).unwrap();
    let outside = sandbox.root().join("outside");
    fs::rename(&tasks, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &tasks).unwrap();
    assert_eq!(repo.json(&["export", "backlog", folder])["files"], json!([]));
    assert_eq!(read(&outside.join("task-1 - Feed-the-okapi.md")), before);
    assert_eq!(repo.refused(1, &["export", "backlog", "nowhere"])["code"], "cannot-read");
}

#[test]
fn what_is_a_duplicate_was_done_by_nobody() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "spec-kit");
    import(&repo, "spec-kit", &project);
    repo.wf(&["close", "SK-001-feed-okapi", "--as", "duplicate"]).ok();
    assert_eq!(repo.json(&["export", "spec-kit", project.to_str().unwrap()])["files"], json!([]));
}

#[test]
fn a_byte_order_mark_stays() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "backlog.md");
    let folder = project.to_str().unwrap();
    let file = project.join("backlog/tasks/task-1 - Feed-the-okapi.md");
    fs::write(&file, format!("\u{feff}{}", read(&file))).unwrap();
    super::plan_tools::date(&file, 0);
    import(&repo, "backlog", &project);
    assert_eq!(issue(&repo, "BL-TASK-1")["title"], "Feed the okapi");
    claim(&repo, "BL-TASK-1");
    repo.json(&["export", "backlog", folder]);
    let now = read(&file);
    assert!(now.starts_with("\u{feff}---\n") && now.contains("status: In Progress"), "{now}");
}

#[test]
fn a_directory_without_the_files_of_the_tool_is_refused() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "spec-kit");
    import(&repo, "spec-kit", &project);
    claim(&repo, "SK-001-feed-okapi");
    complete(&repo);
    let empty = sandbox.root().join("empty");
    fs::create_dir(&empty).unwrap();
    let error = repo.refused(1, &["export", "spec-kit", empty.to_str().unwrap()]);
    assert_eq!(error["code"], "cannot-read");
    assert!(error["message"].as_str().unwrap().contains("none of its files is one of spec-kit"), "{error}");
}

#[test]
fn what_the_source_itself_calls_over_is_not_written_back() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let file = sandbox.root().join("tasks.json");
    let subtasks =
        json!([{"id": 1, "title": "x", "status": "deferred"}, {"id": 2, "title": "y", "status": "pending"}]);
    let tasks = json!([{"id": 1, "title": "A", "status": "done", "subtasks": subtasks}]);
    fs::write(&file, json!({"master": {"tasks": tasks}}).to_string()).unwrap();
    let before = read(&file);
    import(&repo, "task-master", &file);
    assert_eq!(repo.status("TM-master-1"), "closed");
    assert_eq!(repo.json(&["export", "task-master", file.to_str().unwrap()])["files"], json!([]));
    assert_eq!(read(&file), before);
    let project = project(&sandbox, "backlog.md");
    let task = project.join("backlog/tasks/task-5 - Done-but-not-moved.md");
    let text =
        read(&task) + "\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It holds\n<!-- AC:END -->\n";
    fs::write(&task, &text).unwrap();
    import(&repo, "backlog", &project);
    assert_eq!(repo.json(&["export", "backlog", project.to_str().unwrap()])["files"], json!([]));
    assert_eq!(read(&task), text);
}
