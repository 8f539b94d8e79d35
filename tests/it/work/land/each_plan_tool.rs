//! A plan of each tool, in files as the tool writes them: imported, claimed, executed by the example agent, landed and ticked
//! off. `tests/clients/plan_tools.py` does the same with the tools.

use super::project;
use crate::support::{Repo, Sandbox};

/// Steps that the example agent understands.
const EDITS: [&str; 2] =
    [r#"In zoo.txt replace "hay" with "leaves""#, r#"In zoo.txt replace "seven" with "eight""#];

/// A plan of a tool.
struct ToolPlan<'a> {
    tool: &'a str,
    /// The directory that is followed.
    folder: &'a str,
    /// The issue that it becomes.
    issue: &'a str,
    /// The file in which it stands, and its text.
    file: &'a str,
    text: String,
    /// What the file is once it has landed.
    ticked: String,
}

/// Has a plan executed and landed; `None` if there is no Python for the agent.
fn landed(sandbox: &Sandbox, plan: &ToolPlan<'_>) -> Option<Repo> {
    let repo = project(sandbox);
    if repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the example agent");
        return None;
    }
    let agent = concat!("'", env!("CARGO_MANIFEST_DIR"), "/examples/agents/executor.py'");
    repo.git(&["config", "wf.agent.example.command", agent]).ok();
    repo.git(&["config", "wf.plans.follow", &format!("{}:{}", plan.tool, plan.folder)]).ok();
    repo.commit("zoo.txt", "The okapi eats hay.\nIt eats at seven.\n", "Zoo");
    repo.commit(plan.file, &plan.text, "Plan");
    repo.wf(&["import", plan.tool, "."]).ok();
    assert_eq!(repo.json(&["show", plan.issue])["status"], "planned");
    repo.wf(&["run", plan.issue, "--execute-only", "--executor", "example", "--yes", "--land"]).ok();
    assert_eq!(repo.text_at("main", "zoo.txt"), "The okapi eats leaves.\nIt eats at eight.\n");
    for _ in 0..2 {
        assert_eq!(repo.json(&["show", plan.issue])["status"], "completed");
        repo.wf(&["import", plan.tool, "."]).ok();
    }
    assert_eq!(repo.wf(&["export", plan.tool, "."]).ok().line(), "nothing to change");
    Some(repo)
}

#[track_caller]
fn is_ticked(plan: &ToolPlan<'_>) {
    let sandbox = Sandbox::new();
    let Some(repo) = landed(&sandbox, plan) else { return };
    assert_eq!(repo.text_at("main", plan.file), plan.ticked);
    assert_eq!(repo.read(plan.file), plan.ticked);
}

#[test]
fn openspec() {
    let text = format!("# Tasks\n\n## 1. Food\n\n- [ ] {}\n\n## 2. Time\n\n- [ ] {}\n", EDITS[0], EDITS[1]);
    is_ticked(&ToolPlan {
        tool: "openspec",
        folder: "openspec",
        issue: "OS-feed",
        file: "openspec/changes/feed/tasks.md",
        ticked: text.replace("[ ]", "[x]"),
        text,
    });
}

#[test]
fn spec_kit() {
    let text =
        format!("# Tasks: Feed\n\n## Phase 1\n\n- [ ] T001 {}\n- [ ] T002 [US1] {}\n", EDITS[0], EDITS[1]);
    is_ticked(&ToolPlan {
        tool: "spec-kit",
        folder: "specs",
        issue: "SK-001-feed",
        file: "specs/001-feed/tasks.md",
        ticked: text.replace("[ ]", "[x]"),
        text,
    });
}

#[test]
fn task_master() {
    let subtask = |id: u64, edit: &str| {
        format!(
            r#"{{"id": {id}, "title": "Step {id}", "details": {}, "status": "pending", "dependencies": []}}"#,
            serde_json::json!(edit)
        )
    };
    let text = format!(
        "{{\"master\": {{\"tasks\": [{{\"id\": \"1\", \"title\": \"Feed\", \"status\": \"in-progress\", \"dependencies\": [], \
         \"subtasks\": [{},\n{}]}}], \"metadata\": {{\"created\": \"2026-11-01T00:00:00Z\"}}}}}}\n",
        subtask(1, EDITS[0]),
        subtask(2, EDITS[1])
    );
    is_ticked(&ToolPlan {
        tool: "task-master",
        folder: ".",
        issue: "TM-master-1",
        file: ".taskmaster/tasks/tasks.json",
        ticked: text.replace("in-progress", "done").replace("pending", "done"),
        text,
    });
}

#[test]
fn backlog() {
    let text = format!(
        "---\nid: TASK-1\ntitle: Feed\nstatus: In Progress\nassignee: []\ncreated_date: '2026-11-01 08:00'\nlabels: []\n\
         dependencies: []\n---\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It eats\n<!-- AC:END -->\n\n\
         ## Implementation Plan\n\n<!-- SECTION:PLAN:BEGIN -->\n1. {}\n2. {}\n<!-- SECTION:PLAN:END -->\n",
        EDITS[0], EDITS[1]
    );
    let done = text.replace("status: In Progress", "status: Done").replace("[ ]", "[x]");
    is_ticked(&ToolPlan {
        tool: "backlog",
        folder: ".",
        issue: "BL-TASK-1",
        file: "backlog/tasks/task-1 - Feed.md",
        ticked: done.replace("dependencies: []\n", "dependencies: []\nreferences:\n  - 'git-wf:BL-TASK-1'\n"),
        text,
    });
}

#[test]
fn get_shit_done() {
    let task = |edit: &str| {
        format!(
            "<task type=\"auto\"><name>Task</name><files>zoo.txt</files><action>{edit}</action><verify>true</verify><done>Done</done></task>\n"
        )
    };
    let text = format!(
        "---\nphase: 01-feed\nplan: 01\nwave: 1\ndepends_on: []\nfiles_modified: [zoo.txt]\n---\n\n<objective>\nFeed it.\n\
         </objective>\n\n<tasks>\n{}{}</tasks>\n",
        task(EDITS[0]),
        task(EDITS[1])
    );
    let sandbox = Sandbox::new();
    let plan = ToolPlan {
        tool: "gsd",
        folder: ".planning",
        issue: "GSD-feed-01",
        file: ".planning/phases/01-feed/01-01-PLAN.md",
        ticked: String::new(),
        text,
    };
    let Some(repo) = landed(&sandbox, &plan) else { return };
    let summary = repo.text_at("main", ".planning/phases/01-feed/01-01-SUMMARY.md");
    assert!(summary.contains("**Feed it.**") && summary.contains("Done as `GSD-feed-01`"), "{summary}");
}
