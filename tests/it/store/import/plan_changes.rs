//! Plans that change in their tool while they are executed, and what the tool does not say of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::plan_forms::write;
use super::plan_tools::{date, import, plan, replace};
use super::store;
use crate::support::{Repo, Sandbox, column};

const TASKS: &str = "openspec/changes/feed/tasks.md";

/// A repository whose issue `OS-feed` is being executed, and the project with its boxes.
fn claimed(sandbox: &Sandbox, boxes: &str) -> (Repo, PathBuf) {
    let repo = store(sandbox, "a");
    let project = sandbox.root().join("os");
    write(&project, TASKS, boxes);
    date(&project.join(TASKS), 0);
    import(&repo, "openspec", &project);
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.wf(&["next"]).ok();
    (repo, project)
}

/// Commits the work of a task.
fn work(repo: &Repo, task: &str) {
    repo.commit(&format!("{task}.txt"), "done\n", "Work");
    repo.wf(&["link", "HEAD", "OS-feed", "--task", task]).ok();
}

/// The boxes after an export.
fn exported(repo: &Repo, project: &Path) -> String {
    repo.wf(&["export", "openspec", project.to_str().unwrap()]).ok();
    fs::read_to_string(project.join(TASKS)).unwrap()
}

#[test]
fn a_box_is_ticked_for_its_own_work_also_when_the_list_has_changed_since() {
    let sandbox = Sandbox::new();
    let list = "- [ ] 1.1 Wash the bowl\n- [ ] 1.2 Test the gate\n- [ ] 1.3 Open it\n";
    let (repo, project) = claimed(&sandbox, list);
    // A task that needs no commit is not done as soon as it is claimed.
    assert_eq!(exported(&repo, &project), list);
    work(&repo, "T1");
    repo.commit("other.txt", "x\n", "Belongs to no task");
    repo.wf(&["link", "HEAD", "OS-feed"]).ok();
    replace(&project.join(TASKS), "- [ ] 1.1", "- [ ] 1.0 Ask legal\n- [ ] 1.1", 60);
    let report = import(&repo, "openspec", &project);
    assert_eq!(report["plans"], 1, "{report:#}");
    let longer = format!("- [ ] 1.0 Ask legal\n{list}");
    assert_eq!(exported(&repo, &project), longer.replace("[ ] 1.1", "[x] 1.1"));
    // What was added is not done with the rest.
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    let done = longer.replace("[ ]", "[x]").replace("[x] 1.0", "[ ] 1.0");
    assert_eq!(exported(&repo, &project), done);
}

#[test]
fn a_commit_does_not_tick_the_boxes_that_became_one_task() {
    let sandbox = Sandbox::new();
    let group = |name: &str| format!("## {name}\n{}", "- [ ] Fill one more bowl\n".repeat(6));
    let list = group("1. Prepare") + &group("2. Feed");
    let (repo, project) = claimed(&sandbox, &list);
    assert_eq!(column(&plan(&repo, "OS-feed")["tasks"], "id"), ["T1", "T7"]);
    work(&repo, "T1");
    assert_eq!(exported(&repo, &project), list);
    let criteria = plan(&repo, "OS-feed")["tasks"][0]["acceptance"]["criteria"].as_array().unwrap().len();
    for number in 1..=criteria {
        repo.wf(&["accept", "T1", &number.to_string(), "-m", "seen"]).ok();
    }
    assert_eq!(exported(&repo, &project), list.replacen("[ ]", "[x]", 6));
}

#[test]
fn what_is_being_executed_is_not_closed_by_its_own_ticks() {
    let sandbox = Sandbox::new();
    let (repo, project) = claimed(&sandbox, "- [ ] Wash\n- [ ] Fill\n");
    work(&repo, "T1");
    work(&repo, "T2");
    assert_eq!(exported(&repo, &project), "- [x] Wash\n- [x] Fill\n");
    date(&project.join(TASKS), 60);
    for _ in 0..2 {
        let report = import(&repo, "openspec", &project);
        assert!(report["notes"].to_string().contains("its plan is being executed here"), "{report:#}");
        assert_eq!(repo.status("OS-feed"), "executing");
    }
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    import(&repo, "openspec", &project);
    assert_eq!(repo.status("OS-feed"), "completed");
}

#[test]
fn a_change_with_open_tasks_in_other_files_is_not_closed() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("os");
    write(&project, TASKS, "- [x] 1.1 Plan\n");
    write(&project, "openspec/changes/feed/backend/tasks.md", "- [ ] 1.1 Serve\n");
    write(&project, "openspec/changes/only/web/tasks.md", "- [ ] 1.1 Show\n");
    for _ in 0..2 {
        let report = import(&repo, "openspec", &project);
        let said: Vec<String> = column(&report["notes"], "note");
        for name in ["backend/tasks.md", "web/tasks.md"] {
            assert!(said.contains(&format!("the tasks in `{name}` are not in its plan")), "{report:#}");
        }
        assert_eq!(repo.status("OS-feed"), "planned");
    }
    replace(&project.join("openspec/changes/feed/backend/tasks.md"), "[ ]", "[x]", 60);
    import(&repo, "openspec", &project);
    assert_eq!(repo.status("OS-feed"), "closed");
}

#[test]
fn a_later_change_of_a_name_is_found_although_its_proposal_was_edited() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("os");
    let archived = "openspec/changes/archive/2026-10-01-feed";
    for (folder, text) in [(archived, "first"), ("openspec/changes/feed", "second")] {
        write(&project, &format!("{folder}/proposal.md"), &format!("## Why\n\nThe {text}\n"));
        write(&project, &format!("{folder}/tasks.md"), &format!("- [ ] The {text}\n"));
    }
    import(&repo, "openspec", &project);
    repo.wf(&["close", "OS-feed-next"]).ok();
    write(&project, "openspec/changes/feed/proposal.md", "## Why\n\nAnother reason\n");
    assert_eq!(exported(&repo, &project), "- [x] The second\n");
}

#[test]
fn plans_of_get_shit_done_wait_for_the_phases_before_and_workstreams_stay_apart() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("gsd");
    let text = |tasks: &str| {
        format!(
            "---\nphase: x\nplan: 01\ndepends_on: []\nautonomous: false\n---\n<objective>\nWork\n</objective>\n<tasks>\n\
             {tasks}</tasks>\n<success_criteria>\n- [ ] It is fed\n</success_criteria>\n"
        )
    };
    let task = "<task type=\"auto\" tdd=\"true\"><name>Fill</name><behavior>\n- Empty: it calls\n</behavior><action>Fill it</action>\
                <verify>true</verify><done>Full</done></task>\n";
    let roadmap = "### Phase 1: Gate\n\n### Phase 2: Hay\n**Depends on**: Phase 1\n\n### Phase 3: Bowl\n**Depends on**: Phase 2\n";
    for (stream, goal) in [("alpha", "One"), ("beta", "Two")] {
        let planning = format!(".planning/workstreams/{stream}");
        write(
            &project,
            &format!("{planning}/ROADMAP.md"),
            &roadmap.replace("Gate\n", &format!("Gate\n**Goal**: {goal}\n")),
        );
        for phase in ["01-gate/01", "03-bowl/03"] {
            write(&project, &format!("{planning}/phases/{phase}-01-PLAN.md"), &text(task));
        }
        write(&project, &format!("{planning}/phases/02-hay/.gitkeep"), "");
    }
    let report = import(&repo, "gsd", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(10), &json!([])), "{report:#}");
    let said: Vec<String> = column(&report["kept"], "what");
    assert!(said.contains(&"`autonomous` has no field here".to_owned()), "{said:?}");
    let shown = |id: &str| repo.json(&["show", id]);
    assert_eq!(shown("GSD-alpha-gate")["expected_behavior"], "One");
    assert_eq!(shown("GSD-beta-gate")["expected_behavior"], "Two");
    // Phase 2 has no plan yet, and waits itself for the first one.
    assert_eq!(shown("GSD-alpha-bowl-01")["depends_on"], json!(["GSD-alpha-hay"]));
    assert_eq!(shown("GSD-alpha-hay")["depends_on"], json!(["GSD-alpha-gate"]));
    let criteria: Value = plan(&repo, "GSD-beta-bowl-01")["tasks"][0]["acceptance"]["criteria"].clone();
    assert_eq!(criteria, json!(["Full", "Empty: it calls", "It is fed"]));
    // The directory of a workstream alone has the same issues.
    let report = import(&repo, "gsd", &project.join(".planning/workstreams/beta"));
    assert_eq!((&report["created"], &report["updated"]), (&json!(0), &json!(0)), "{report:#}");
    write(&project, ".planning/workstreams/beta/phases/02-hay/02-01-PLAN.md", &text(task));
    import(&repo, "gsd", &project);
    assert_eq!(shown("GSD-beta-bowl-01")["depends_on"], json!(["GSD-beta-hay-01"]));
    repo.wf(&["close", "GSD-beta-gate-01"]).ok();
    repo.json(&["export", "gsd", project.to_str().unwrap()]);
    assert!(project.join(".planning/workstreams/beta/phases/01-gate/01-01-SUMMARY.md").is_file());
}
