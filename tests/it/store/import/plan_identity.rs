//! Which issue a plan is when its files were moved, renamed or removed.

use std::fs;

use serde_json::json;

use super::plan_forms::write;
use super::plan_tools::{date, date_folder, import, plan, project};
use super::store;
use crate::support::Sandbox;

#[test]
fn a_change_of_an_older_openspec_stays_its_issue_each_time_its_name_is_used() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("os");
    let changes = project.join("openspec/changes");
    let change = |folder: &str, text: &str| {
        write(&changes, &format!("{folder}/proposal.md"), &format!("## Why\n\n{text}\n"));
        write(&changes, &format!("{folder}/tasks.md"), &format!("- [ ] {text}\n"));
    };
    change("archive/2026-10-01-feed", "first");
    change("feed", "second");
    let report = import(&repo, "openspec", &project);
    assert_eq!(report["created"], 2, "{report:#}");
    fs::rename(changes.join("feed"), changes.join("archive/2026-11-01-feed")).unwrap();
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["updated"]), (&json!(0), &json!(1)), "{report:#}");
    assert_eq!(["OS-feed", "OS-feed-next"].map(|id| repo.status(id)), ["closed", "closed"]);
    change("feed", "third");
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["updated"]), (&json!(1), &json!(0)), "{report:#}");
    let tip = repo.tip();
    import(&repo, "openspec", &project);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_file_that_was_removed_is_a_change() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("os");
    let change = project.join("openspec/changes/feed");
    write(&change, "tasks.md", "- [ ] Fill the bowl\n");
    write(&change, "specs/z/spec.md", "## ADDED\n### R\n#### Scenario: Noon\n- **THEN** it eats\n");
    for (file, later) in [("tasks.md", 10), ("specs/z/spec.md", 60)] {
        date(&change.join(file), later);
    }
    for folder in ["specs/z", "specs", ".", ".."] {
        date_folder(&change.join(folder), 60);
    }
    import(&repo, "openspec", &project);
    assert_eq!(repo.json(&["show", "OS-feed"])["expected_behavior"], "Noon: THEN it eats");
    fs::remove_dir_all(change.join("specs/z")).unwrap();
    date_folder(&change.join("specs"), 90);
    let report = import(&repo, "openspec", &project);
    assert_eq!(report["updated"], 1, "{report:#}");
    assert_eq!(repo.json(&["show", "OS-feed"])["expected_behavior"], json!(null));
}

#[test]
fn phases_keep_their_issues_when_a_milestone_is_completed() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("gsd");
    let roadmap = ".planning/ROADMAP.md";
    write(
        &project,
        roadmap,
        "- [ ] **Phase 1: Gate & fence** - x\n\n### Phase 1: Gate & fence\n**Goal**: A gate\n\n\
         ### Phase 2: Configuração\n**Goal**: A panel\n**Depends on**: Phase 1 (needs 2 posts), Phase 9\n",
    );
    let task = "<task type=\"auto\"><name>Fill</name><action>Fill it</action><verify>true</verify><done>Full</done></task>\n";
    let fields = "phase: 01-gate\nplan: 01\ndepends_on: []\nfiles_modified: [app/[slug]/page.tsx, @x/y.ts]\n";
    let text = format!("---\n{fields}---\n<objective>\nWork\n</objective>\n<tasks>\n{task}</tasks>\n");
    write(&project, ".planning/phases/01-gate/01-01-PLAN.md", &text);
    let tdd = "---\nphase: 01-gate\nplan: 02\ntype: tdd\ndepends_on: [\"01-gate-01\"]\nmust_haves:\n  truths:\n    - User sees: a list\n---\n\
               <feature><name>Check mail</name><files>src/v.rs</files><behavior>a@b holds</behavior></feature>\n";
    write(&project, ".planning/phases/01-gate/01-02-PLAN.md", tdd);
    write(&project, ".planning/phases/01-gate/01-03-PLAN.md", "---\nphase: 01-gate\n---\nNothing\n");
    write(&project, ".planning/todos/pending/x.md", "x\n");
    let report = import(&repo, "gsd", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(5), &json!([])), "{report:#}");
    let said = report["notes"].to_string();
    for part in [
        "its fields are not YAML",
        "it has no task that can be read",
        "phase 9, which the roadmap does not have",
    ] {
        assert!(said.contains(part), "{part}: {report:#}");
    }
    assert!(report["remarks"].to_string().contains("not read: `todos/`"), "{report:#}");
    assert_eq!(repo.json(&["show", "GSD-configura-o"])["depends_on"], json!(["GSD-gate"]));
    let first = repo.json(&["show", "GSD-gate-01"]);
    assert_eq!(first["affected_components"], json!(["@x/y.ts", "app/[slug]/page.tsx"]));
    assert_eq!(repo.json(&["show", "GSD-gate-02"])["depends_on"], json!(["GSD-gate-01"]));
    let second = plan(&repo, "GSD-gate-02")["tasks"][0].clone();
    assert_eq!(second["title"], "Check mail");
    assert_eq!(second["acceptance"]["criteria"], json!(["a@b holds", "User sees: a list"]));
    // Then the roadmap only lists the phase.
    write(&project, roadmap, "<details>\n\n- [x] Phase 1: Gate & fence (2/2 plans)\n\n</details>\n");
    let report = import(&repo, "gsd", &project);
    assert_eq!(report["created"], 0, "{report:#}");
    assert_eq!(["GSD-gate", "GSD-gate-01"].map(|id| repo.status(id)), ["closed", "planned"]);
    assert_eq!(repo.json(&["show", "GSD-gate"])["expected_behavior"], "A gate");
}

#[test]
fn what_backlog_reads_is_read() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = sandbox.root().join("bl");
    let task = |number: u32, more: &str| {
        format!(
            "---\nid: task-{number}\ntitle: Task {number}\nstatus: Shipped\n{more}created_date: '2026-11-01'\n---\n"
        )
    };
    // There are no open tasks, and the settings are not YAML.
    write(&project, "backlog/config.yml", "project_name: Zoo: the game\nstatuses: [Open, Shipped]\n");
    let more = "assignee:\n  - @bea\nreferences:\n  - src/feed.rs\n  - https://example.org/1\n";
    let comments = "## Comments\n<!-- COMMENTS:BEGIN -->\nauthor: @bea\ncreated: 2026-11-02 17:02\n---\na | b\n--- | ---\n1 | 2\n---\n\
                    <!-- COMMENTS:END -->\n";
    write(&project, "backlog/completed/task-1 - One.md", &(task(1, more) + comments));
    write(&project, "backlog/completed/readme.md", "About\n");
    let report = import(&repo, "backlog", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(1), &json!([])), "{report:#}");
    let remarks = report["remarks"].to_string();
    assert!(remarks.contains("line by line") && remarks.contains("not read: `readme.md`"), "{remarks}");
    let shown = repo.json(&["show", "BL-TASK-1"]);
    assert_eq!((&shown["assignee"], &shown["source_url"]), (&json!("@bea"), &json!("https://example.org/1")));
    assert_eq!(shown["comments"][0]["body"], "a | b\n--- | ---\n1 | 2");
    assert!(report["kept"].to_string().contains("further people and references"), "{report:#}");
}

#[test]
fn long_and_reserved_names_get_an_id() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "openspec");
    for name in ["migrate-package.json", "a..b", &"long".repeat(30)] {
        write(&project, &format!("openspec/changes/{name}/tasks.md"), "- [ ] one\n");
    }
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(4), &json!([])), "{report:#}");
}
