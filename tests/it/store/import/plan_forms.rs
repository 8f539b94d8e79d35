//! Forms of plans that the tools also write, beside those of the samples.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::plan_tools::{date, date_folder, import, plan, project};
use super::store;
use crate::support::{Sandbox, Two, column};

pub(super) fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn kept(report: &Value) -> Vec<String> {
    column(&report["kept"], "what")
}

#[test]
fn a_feature_with_many_tasks_becomes_a_plan_with_one_task_for_each_group() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("kit");
    let mut list = "# Tasks: Feed the okapi\n\n<!--\n- [ ] T900 An example\n-->\n".to_owned();
    for (phase, first) in [("Setup", 1), ("Story", 7), ("Polish", 13)] {
        list.push_str(&format!("\n## Phase: {phase}\n\n"));
        for number in first..first + 6 {
            list.push_str(&format!("- [ ] **T{number:03}** [P] Do part {number} in src/{phase}.rs\n"));
        }
        list.push_str("\n**Checkpoint**: reached\n---\n");
    }
    write(&project, "specs/001-feed/tasks.md", &list);
    write(&project, "specs/001-feed/checklists/ux.md", "- [ ] CHK001 Is it good?\n");
    let report = import(&repo, "spec-kit", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(1), &json!([])), "{report:#}");
    assert!(!report["notes"].to_string().contains("draft"), "{report:#}");
    let said = kept(&report);
    for part in ["single boxes: as there are many", "boxes without a number", "the files in `checklists`"] {
        assert!(said.iter().any(|what| what.contains(part)), "{part}: {said:?}");
    }
    assert_eq!(repo.status("SK-001-feed"), "planned");
    let tasks = plan(&repo, "SK-001-feed")["tasks"].clone();
    assert_eq!(column(&tasks, "id"), ["T001", "T007", "T013"]);
    assert_eq!(tasks[1]["depends_on"], json!(["T001"]));
    assert_eq!(tasks[2]["implementation"].as_array().unwrap().len(), 6);
    // All of them are ticked once it is done, and the example is not.
    repo.wf(&["close", "SK-001-feed"]).ok();
    repo.json(&["export", "spec-kit", project.to_str().unwrap()]);
    let now = fs::read_to_string(project.join("specs/001-feed/tasks.md")).unwrap();
    assert_eq!(now, list.replace("- [ ] **T0", "- [x] **T0"));
}

#[test]
fn plans_of_get_shit_done_depend_on_plans_of_other_phases_and_ask_people() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("gsd");
    write(
        &project,
        ".planning/ROADMAP.md",
        "# Roadmap\n\n## Phases\n\n<details>\n<summary>v1</summary>\n\n- [x] **Phase 1: Gate** - done\n\n### Phase 1: Gate\n\
         **Goal**: A gate\n\n</details>\n\n#### Phase 2: Bowl (INSERTED)\n**Goal:** A bowl\n**Depends on:** Phase 1\n",
    );
    let plan_text = |depends_on: &str, tasks: &str| {
        format!(
            "---\nphase: 02-bowl\nplan: 01\nwave: 1\ndepends_on: {depends_on}\nfiles_modified: []\nrequirements: [REQ-1]\n\
             must_haves:\n  truths: []\n  key_links:\n    - from: a\n---\n<objective>\nWork\n</objective>\n<tasks>\n{tasks}</tasks>\n"
        )
    };
    let task = "<task type=\"auto\"><name>Task 1: Fill</name><files>src/a.rs (new), `src/b.rs`</files>\
                <read_first>src/c.rs</read_first><action>Fill it</action><verify>npm test\ntsc --noEmit passes</verify>\
                <acceptance_criteria>\n- a.rs has fill\n</acceptance_criteria><done>Full</done></task>\n";
    let ask = "<task type=\"checkpoint:decision\" gate=\"blocking\"><decision>Which leaves?</decision><options>\
               <option id=\"a\"><name>Fresh</name></option><option id=\"b\"><name>Dry</name></option></options></task>\n";
    write(&project, ".planning/phases/01-gate/01-01-PLAN.md", &plan_text("[]", task));
    write(&project, ".planning/phases/01-gate/01-01-SUMMARY.md", "done\n");
    write(&project, ".planning/phases/02-bowl/2-PLAN-01-fill.md", &plan_text("[\"01-01\"]", task));
    write(&project, ".planning/phases/02-bowl/plans/PLAN-02-ask.md", &plan_text("[\"01\", \"9-9\"]", ask));
    write(&project, ".planning/phases/02-bowl/02-03-PLAN-OUTLINE.md", "not a plan\n");
    let report = import(&repo, "gsd", &project);
    assert_eq!(report["created"], 5, "{report:#}");
    let statuses = ["GSD-gate", "GSD-bowl", "GSD-gate-01", "GSD-bowl-01", "GSD-bowl-02"];
    assert_eq!(statuses.map(|id| repo.status(id)), ["closed", "registered", "closed", "planned", "planned"]);
    assert_eq!(repo.json(&["show", "GSD-bowl-01"])["depends_on"], json!(["GSD-gate-01"]));
    // What its phase depends on comes before each of its plans.
    assert_eq!(repo.json(&["show", "GSD-bowl-02"])["depends_on"], json!(["GSD-bowl-01", "GSD-gate-01"]));
    assert!(
        report["notes"].to_string().contains("it depends on `9-9`, which is not another plan"),
        "{report:#}"
    );
    assert!(kept(&report).contains(&"`must_haves.key_links` has no field here".to_owned()), "{report:#}");
    let fill = plan(&repo, "GSD-bowl-01")["tasks"][0].clone();
    assert_eq!(
        fill["test"],
        json!({"commands": ["npm test"], "manual_checks": ["tsc --noEmit passes"]}),
        "a sentence is no command"
    );
    assert_eq!(column(&fill["files"], "path"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(fill["acceptance"]["criteria"], json!(["Full", "a.rs has fill"]));
    let ask = plan(&repo, "GSD-bowl-02")["tasks"][0].clone();
    assert_eq!(
        (&ask["title"], &ask["implementation"]),
        (&json!("Which leaves?"), &json!(["Option: Fresh", "Option: Dry"]))
    );
    // What is done gets a summary, by which the tool knows it.
    repo.wf(&["close", "GSD-bowl-01"]).ok();
    let folder = project.to_str().unwrap();
    let report = repo.json(&["export", "gsd", folder]);
    assert_eq!(report["files"][0]["changes"], 1, "{report:#}");
    let summary = fs::read_to_string(project.join(".planning/phases/02-bowl/2-SUMMARY-01-fill.md")).unwrap();
    assert!(summary.starts_with("---\nphase: 02-bowl\nplan: 01\n---\n"), "{summary}");
    assert_eq!(repo.json(&["export", "gsd", folder])["files"], json!([]));
}

#[test]
fn names_that_an_id_cannot_have_are_told_apart() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("tm");
    let task = json!({"id": 1, "title": "One", "subtasks": [
        {"id": 1, "title": "Buy"}, {"id": 2, "title": "Fill", "dependencies": ["1.1"]}]});
    let tags = json!({"äpfel": {"tasks": [task]}, "öpfel": {"tasks": [task]}});
    write(&project, ".taskmaster/tasks/tasks.json", &tags.to_string());
    let report = import(&repo, "task-master", &project);
    assert_eq!(report["created"], 2, "{report:#}");
    let list = repo.json(&["list", "--all"]);
    let rows = list["issues"].as_array().or(list.as_array()).unwrap().clone();
    let id = rows[0]["id"].as_str().unwrap();
    // `1.1` is a subtask of the task itself.
    assert_eq!(plan(&repo, id)["tasks"][1]["depends_on"], json!(["T1"]));
}

#[test]
fn the_specs_of_a_change_may_be_nested() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("os");
    let change = "openspec/changes/feed";
    write(&project, &format!("{change}/tasks.md"), "- [ ] Fill the bowl\n- [WIP] Wash it\n");
    write(
        &project,
        &format!("{change}/specs/zoo/feeding/spec.md"),
        "## ADDED Requirements\n\n### Requirement: It eats\n\n#### Scenario: Noon\n- **WHEN** it is noon\n- **THEN** it eats\n",
    );
    let report = import(&repo, "openspec", &project);
    let criteria = plan(&repo, "OS-feed")["tasks"][0]["acceptance"]["criteria"].clone();
    assert_eq!(criteria, json!(["Fill the bowl", "Noon: WHEN it is noon, THEN it eats"]));
    assert!(kept(&report).contains(&"the mark `[WIP]`, which makes no task".to_owned()), "{report:#}");
}

#[test]
fn clones_that_import_before_and_after_a_number_was_given_out_again_end_alike() {
    let two = Two::new();
    let sandbox = Sandbox::new();
    let project = project(&sandbox, "backlog.md");
    import(&two.ada, "backlog", &project);
    let (tasks, archive) = (project.join("backlog/tasks"), project.join("backlog/archive/tasks"));
    let old = "task-2 - Buy-leaves-fresh-1.md";
    fs::rename(tasks.join(old), archive.join(old)).unwrap();
    date_folder(&archive, 30);
    let text = fs::read_to_string(tasks.join("task-5 - Done-but-not-moved.md")).unwrap();
    let new = tasks.join("task-2 - Paint.md");
    let text = text.replace("TASK-5", "TASK-2").replace("Done but not moved", "Paint");
    fs::write(&new, text.replace("2026-11-19 16", "2026-11-19 18")).unwrap();
    date(&new, 60);
    import(&two.bea, "backlog", &project);
    import(&two.ada, "backlog", &project);
    two.meet();
    for repo in [&two.ada, &two.bea] {
        let titled = |title: &str| {
            let all = repo.json(&["list", "--all"]);
            let rows = all["issues"].as_array().or(all.as_array()).unwrap().clone();
            let ids = rows.iter().filter(|row| row["title"] == title).map(|row| row["id"].clone());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(titled("Buy leaves: \"fresh\" #1"), [json!("BL-TASK-2")]);
        assert_eq!(titled("Paint"), [json!("BL-TASK-2-2026-11-19-Paint")]);
        let tip = repo.tip();
        import(repo, "backlog", &project);
        assert_eq!(repo.tip(), tip);
    }
}

#[test]
fn sections_of_backlog_may_be_without_markers() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("bl");
    write(
        &project,
        "backlog/tasks/task-7 - Feed.md",
        "---\nid: task-7\ntitle: Feed\nstatus: To Do\ncreated_date: '2026-11-01'\n---\n\n## Description\n\nIt is hungry.\n\n\
         ## Acceptance Criteria\n\n- [ ] It eats\n\n## Implementation Plan\n\n1. Buy leaves\n2. Fill the bowl\n",
    );
    import(&repo, "backlog", &project);
    let shown = repo.json(&["show", "BL-TASK-7"]);
    assert_eq!((&shown["context"], &shown["status"]), (&json!("It is hungry."), &json!("planned")));
    let tasks = plan(&repo, "BL-TASK-7")["tasks"].clone();
    assert_eq!(column(&tasks, "title"), ["Buy leaves", "Fill the bowl"]);
    assert_eq!(tasks[1]["acceptance"]["criteria"], json!(["It eats"]));
    // They are ticked in the same places.
    repo.wf(&["close", "BL-TASK-7"]).ok();
    repo.wf(&["export", "backlog", project.to_str().unwrap()]).ok();
    let text = fs::read_to_string(project.join("backlog/tasks/task-7 - Feed.md")).unwrap();
    assert!(text.contains("status: Done\n") && text.contains("\n\n- [x] It eats\n\n## "), "{text}");
}

#[test]
fn what_plans_of_get_shit_done_depend_on_stays_when_phases_are_renumbered() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "gsd");
    import(&repo, "gsd", &project);
    let planning = project.join(".planning");
    let [okapi, wash] = ["phases/01-okapi", "phases/02-wash-the-okapi"].map(|folder| planning.join(folder));
    // As the tool removes the first phase: what plans say stays as it was.
    fs::rename(planning.join("phases/02-okapi"), &okapi).unwrap();
    fs::rename(planning.join("phases/03-wash-the-okapi"), &wash).unwrap();
    for (old, new) in
        [("02-01-PLAN", "01-01-PLAN"), ("02-01-SUMMARY", "01-01-SUMMARY"), ("02-02-PLAN", "01-02-PLAN")]
    {
        fs::rename(okapi.join(format!("{old}.md")), okapi.join(format!("{new}.md"))).unwrap();
    }
    let plan = fs::read_to_string(okapi.join("01-01-PLAN.md")).unwrap();
    let plan = plan
        .replace("02-okapi", "03-wash-the-okapi")
        .replace("depends_on: []", "depends_on: [\"02-02\", \"3-02\"]");
    fs::write(wash.join("02-01-PLAN.md"), &plan).unwrap();
    fs::write(wash.join("02-02-PLAN.md"), plan.replace("[\"02-02\", \"3-02\"]", "[]")).unwrap();
    let roadmap = fs::read_to_string(planning.join("ROADMAP.md")).unwrap();
    let roadmap = roadmap
        .replace("Phase 1:", "Phase 0.9:")
        .replace("Phase 2:", "Phase 1:")
        .replace("Phase 3:", "Phase 2:");
    fs::write(planning.join("ROADMAP.md"), roadmap).unwrap();
    let report = import(&repo, "gsd", &project);
    let on = |id: &str| repo.json(&["show", id])["depends_on"].clone();
    assert_eq!(on("GSD-okapi-02"), json!(["GSD-okapi-01"]), "{report:#}");
    assert_eq!(on("GSD-wash-the-okapi-01"), json!(["GSD-okapi-02", "GSD-wash-the-okapi-02"]), "{report:#}");
}

#[test]
fn a_plan_of_task_master_is_followed_once_the_tool_says_when_it_was_made() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let file = sandbox.root().join("tasks.json");
    let text = |metadata: &str, step: &str| {
        format!(
            r#"{{"master": {{"tasks": [{{"id": 1, "title": "Feed", "subtasks": [{{"id": 1, "title": "{step}"}}]}}]{metadata}}}}}"#
        )
    };
    let metadata = r#", "metadata": {"created": "2026-11-18T08:00:00Z"}"#;
    for (later, metadata, step) in
        [(0, "", "Open"), (30, metadata, "Look"), (60, "", "Close"), (90, metadata, "Leave")]
    {
        fs::write(&file, text(metadata, step)).unwrap();
        date(&file, later);
        let report = import(&repo, "task-master", &file);
        assert_eq!(plan(&repo, "TM-master-1")["tasks"][0]["title"], step, "{report:#}");
        assert_eq!(report["plans"], 1, "{report:#}");
        let notes = report["notes"].to_string();
        assert!(!notes.contains("differs") && !notes.contains("different"), "{notes}");
    }
}

#[test]
fn subtasks_that_were_given_up_are_no_tasks_and_many_become_fewer() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let file = sandbox.root().join("tasks.json");
    let many: Vec<Value> = (1..=11).map(|n| json!({"id": n, "title": format!("Step {n}")})).collect();
    let tasks = json!({"master": {"tasks": [
        {"id": 1, "title": "One", "testStrategy": "Run the zoo", "status": "odd", "priority": "urgent"},
        {"id": 2, "title": "Two", "status": "completed", "subtasks": [{"id": 1, "title": "a", "priority": "low"},
            {"id": 2, "title": "b", "status": "cancelled"}, {"id": 3, "title": "c", "dependencies": [2, 2.1]}]},
        {"id": 3, "title": "Many", "dependencies": [2.1], "subtasks": many},
    ]}});
    fs::write(&file, tasks.to_string()).unwrap();
    let report = import(&repo, "task-master", &file);
    assert!(!report["notes"].to_string().contains("draft"), "{report:#}");
    assert!(
        report["notes"]
            .to_string()
            .contains("its subtask 3 depends on 2, which was given up or is not there"),
        "{report:#}"
    );
    let said = kept(&report);
    for part in ["the status `odd` became `registered`", "`priority` of a subtask has no field here"] {
        assert!(said.iter().any(|what| what == part), "{said:?}");
    }
    let first = repo.json(&["show", "TM-master-1"]);
    assert_eq!((&first["context"], &first["priority"]), (&json!("Test strategy: Run the zoo"), &json!(1)));
    assert_eq!(repo.status("TM-master-2"), "closed");
    let tasks = plan(&repo, "TM-master-2")["tasks"].clone();
    assert_eq!(
        (column(&tasks, "id"), &tasks[1]["depends_on"]),
        (vec!["T1".to_owned(), "T3".into()], &json!(["T1"]))
    );
    assert_eq!(repo.json(&["show", "TM-master-3"])["depends_on"], json!(["TM-master-2"]));
    let tasks = plan(&repo, "TM-master-3")["tasks"].clone();
    assert_eq!((tasks.as_array().unwrap().len(), &tasks[5]["id"]), (6, &json!("T11")));
}

#[test]
fn rows_without_a_time_follow_their_file() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let file = sandbox.root().join("t.csv");
    let name = file.to_str().unwrap().to_owned();
    let import = |text: &str, later: u64| {
        fs::write(&file, text).unwrap();
        date(&file, later);
        repo.json(&["import", "csv", &name])
    };
    import("id;title;status\n1;Feed;open\n2;'=1+1;open\n", 0);
    assert_eq!(repo.json(&["show", "CSV-2"])["title"], "=1+1");
    let report = import("id;title;status\n1;Feed;closed\n2;'=1+1;open\n", 60);
    assert_eq!((&report["updated"], &report["unchanged"]), (&json!(1), &json!(1)), "{report:#}");
    assert_eq!(repo.status("CSV-1"), "closed");
}

#[test]
fn issues_of_two_projects_of_gitlab_and_what_jira_gave_up_are_told_apart() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let gitlab = "Title,Issue ID,URL,State,Assignee Username\nA,7,https://gitlab.example/g/a/-/issues/7,Open,\"bea, cy\"\n\
                  B,7,https://gitlab.example/g/b/-/issues/7,Open,\n";
    repo.wf_in(gitlab, &["import", "csv", "-"]).ok();
    assert_eq!(repo.json(&["show", "GL-g-a-7"])["assignee"], "bea");
    assert_eq!(repo.json(&["show", "GL-g-b-7"])["title"], "B");
    // A table of one project gives its issues the same ids.
    let other = store(&sandbox, "b");
    let one = gitlab.lines().take(2).collect::<Vec<_>>().join("\n");
    other.wf_in(&one, &["import", "csv", "-"]).ok();
    assert_eq!(other.json(&["show", "GL-g-a-7"])["title"], "A");
    let jira = "Summary,Issue key,Status,Status Category,Resolution\nA,ZOO-1,Released,Done,Done\nB,ZOO-2,Done,Done,Won't Do\n";
    repo.wf_in(jira, &["import", "csv", "-"]).ok();
    assert_eq!(["ZOO-1", "ZOO-2"].map(|id| repo.status(id)), ["closed", "cancelled"]);
}
