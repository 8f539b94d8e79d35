//! Plans of tools that keep them in files: OpenSpec, Spec Kit, Task Master, Get Shit Done and Backlog.md, in files that the
//! tools wrote themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{issue, store};
use crate::support::{Repo, Sandbox, Two};

/// A Friday before the clock of the sandbox.
const WRITTEN: u64 = 1_795_132_800;

/// A copy of the files of a tool that can be changed.
pub(super) fn project(sandbox: &Sandbox, tool: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plan-tools").join(tool);
    let to = sandbox.root().join(tool);
    copy(&from, &to);
    to
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, new) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &new);
        } else {
            // They were written after the time that the clock of the sandbox says.
            fs::write(&new, fs::read_to_string(&path).unwrap().replace("2026-11-28", "2026-11-19")).unwrap();
            date(&new, 0);
        }
    }
    date_folder(to, 0);
}

/// As if the file had been written so many seconds later.
pub(super) fn date(file: &Path, later: u64) {
    let at = UNIX_EPOCH + Duration::from_secs(WRITTEN + later);
    fs::File::options().write(true).open(file).unwrap().set_modified(at).unwrap();
}

/// As if something had been moved into or out of the directory so many seconds later.
pub(super) fn date_folder(folder: &Path, later: u64) {
    let at = UNIX_EPOCH + Duration::from_secs(WRITTEN + later);
    fs::File::open(folder).unwrap().set_modified(at).unwrap();
}

pub(super) fn replace(file: &Path, old: &str, new: &str, later: u64) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(file, text.replace(old, new)).unwrap();
    date(file, later);
}

#[track_caller]
pub(super) fn import(repo: &Repo, tool: &str, from: &Path) -> Value {
    repo.json(&["import", tool, from.to_str().unwrap()])
}

pub(super) fn plan(repo: &Repo, id: &str) -> Value {
    repo.json(&["show", id])["solutions"][0].clone()
}

fn kept(report: &Value) -> Vec<&str> {
    report["kept"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect()
}

#[test]
fn a_change_of_openspec_becomes_an_issue_with_its_plan() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "openspec");
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["plans"]), (&json!(1), &json!(1)), "{report:#}");
    let shown = repo.json(&["show", "OS-add-okapi"]);
    assert_eq!((&shown["title"], &shown["status"]), (&json!("Add the okapi"), &json!("planned")));
    assert!(shown["context"].as_str().unwrap().starts_with("## Why\n\nThe okapi is hungry"));
    assert!(shown["extended_context"]["design"].as_str().unwrap().contains("Leaves, not hay."));
    assert_eq!(shown["expected_behavior"], "A Saturday: WHEN it is Saturday at 08:00, THEN the bowl is full");
    let plan = plan(&repo, "OS-add-okapi");
    let tasks = plan["tasks"].as_array().unwrap();
    // Every box counts, also in the code block; there are more than a plan has tasks.
    let steps: Vec<usize> = tasks.iter().map(|it| it["implementation"].as_array().unwrap().len()).collect();
    assert_eq!((steps, &tasks[0]["title"]), (vec![10, 3], &json!("1. Prepare")));
    assert_eq!(tasks[1]["depends_on"], json!(["T1"]));
    assert!(kept(&report).iter().any(|what| what.contains("`[~]`")), "{report:#}");

    // A second import changes nothing, and a third one only what changed there.
    let tip = repo.tip();
    import(&repo, "openspec", &project);
    assert_eq!(repo.tip(), tip);
    repo.wf(&["edit", "OS-add-okapi", "--title", "Ours"]).ok();
    replace(&project.join("openspec/changes/add-okapi/tasks.md"), "Fill the bowl", "Fill both bowls", 60);
    import(&repo, "openspec", &project);
    assert_eq!(issue(&repo, "OS-add-okapi")["title"], "Ours");
    assert!(self::plan(&repo, "OS-add-okapi").to_string().contains("2.1 Fill both bowls at eight"));
}

#[test]
fn an_archived_change_is_closed_and_frees_its_name() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "openspec");
    let changes = project.join("openspec/changes");
    copy(&changes.join("add-okapi"), &changes.join("archive/2026-11-19-add-okapi"));
    fs::create_dir(changes.join("archive/odd")).unwrap();
    date_folder(&changes.join("archive"), 0);
    let report = import(&repo, "openspec", &project);
    assert_eq!(report["created"], 2);
    assert_eq!(report["remarks"], json!(["changes/archive/odd is empty"]));
    // The name belongs to the first change that had it, and the other one has its day.
    let archived = repo.json(&["show", "OS-add-okapi"]);
    assert_eq!(
        (&archived["status"], &archived["close_reason"]),
        (&json!("closed"), &json!("archived on 2026-11-19"))
    );
    assert_eq!(repo.status("OS-add-okapi-2026-11-19"), "planned");
}

#[test]
fn a_change_that_is_archived_stays_the_issue_that_it_was() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "openspec");
    import(&repo, "openspec", &project);
    let changes = project.join("openspec/changes");
    fs::create_dir_all(changes.join("archive")).unwrap();
    fs::rename(changes.join("add-okapi"), changes.join("archive/2026-11-19-add-okapi")).unwrap();
    date_folder(&changes.join("archive"), 30);
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["updated"]), (&json!(0), &json!(1)), "{report:#}");
    assert_eq!(repo.status("OS-add-okapi"), "closed");
    // A later change of that name is another issue, and the archived one stays as it is.
    copy(&changes.join("archive/2026-11-19-add-okapi"), &changes.join("add-okapi"));
    replace(&changes.join("add-okapi/proposal.md"), "hungry", "thirsty", 60);
    let report = import(&repo, "openspec", &project);
    assert_eq!((&report["created"], &report["updated"]), (&json!(1), &json!(0)), "{report:#}");
    assert_eq!(repo.status("OS-add-okapi"), "closed");
    assert!(repo.json(&["show", "OS-add-okapi-2026-11-19"])["context"].as_str().unwrap().contains("thirsty"));
    let tip = repo.tip();
    import(&repo, "openspec", &project);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_task_of_backlog_stays_its_issue_when_its_number_is_given_out_again() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "backlog.md");
    let tasks = project.join("backlog/tasks");
    let dependent = "task-5 - Done-but-not-moved.md";
    import(&repo, "backlog", &project);
    assert_eq!(repo.json(&["show", "BL-TASK-2"])["title"], "Buy leaves: \"fresh\" #1");
    repo.wf(&["comment", "BL-TASK-2", "Where from?"]).ok();
    let old = "task-2 - Buy-leaves-fresh-1.md";
    let archive = project.join("backlog/archive/tasks");
    fs::rename(tasks.join(old), archive.join(old)).unwrap();
    date_folder(&archive, 30);
    let new = tasks.join("task-2 - Paint.md");
    fs::copy(tasks.join(dependent), &new).unwrap();
    let text =
        fs::read_to_string(&new).unwrap().replace("TASK-5", "TASK-2").replace("Done but not moved", "Paint");
    fs::write(&new, text).unwrap();
    date(&new, 60);
    let report = import(&repo, "backlog", &project);
    assert_eq!((&report["created"], &report["skipped"]), (&json!(1), &json!([])), "{report:#}");
    let archived = repo.json(&["show", "BL-TASK-2"]);
    assert_eq!(
        (&archived["title"], &archived["status"]),
        (&json!("Buy leaves: \"fresh\" #1"), &json!("cancelled"))
    );
    assert_eq!(archived["comments"].as_array().unwrap().len(), 1);
    assert_eq!(repo.json(&["show", "BL-TASK-2-2026-11-19-Paint"])["title"], "Paint");
    let tip = repo.tip();
    import(&repo, "backlog", &project);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn numbers_of_task_master_may_be_texts() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "task-master");
    import(&repo, "task-master", &project);
    let tip = repo.tip();
    let file = project.join(".taskmaster/tasks/tasks.json");
    let text = fs::read_to_string(&file).unwrap();
    let mut flipped = text.clone();
    for number in 1..=9 {
        flipped = flipped.replace(&format!("\"id\": \"{number}\","), &format!("\"id\": {number},"));
    }
    assert_ne!(flipped, text);
    fs::write(&file, flipped).unwrap();
    date(&file, 0);
    assert_eq!(import(&repo, "task-master", &project)["updated"], 0);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn tasks_of_task_master_keep_their_numbers_and_subtasks_are_a_plan() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "task-master");
    let report = import(&repo, "task-master", &project);
    assert_eq!(report["created"], 4, "{report:#}");
    let first = repo.json(&["show", "TM-master-1"]);
    assert_eq!((&first["priority"], &first["tags"]), (&json!(2), &json!(["master"])));
    let tasks = plan(&repo, "TM-master-1")["tasks"].clone();
    assert_eq!((&tasks[0]["id"], &tasks[1]["depends_on"]), (&json!("T1"), &json!(["T1"])));
    // `1.2` is a subtask of the first one.
    assert_eq!(repo.json(&["show", "TM-master-2"])["depends_on"], json!(["TM-master-1"]));
    assert_eq!(repo.status("TM-master-3"), "cancelled");
    assert!(kept(&report).contains(&"the status `blocked` became `registered`"), "{report:#}");
    // The file alone will do, and so does one without tags.
    let file = project.join(".taskmaster/tasks/tasks.json");
    let tip = repo.tip();
    import(&repo, "task-master", &file);
    assert_eq!(repo.tip(), tip);
    let old = sandbox.root().join("tasks.json");
    fs::write(&old, r#"{"tasks": [{"id": 7, "title": "Seven", "estimate": 3}, {"title": "none"}]}"#).unwrap();
    date(&old, 0);
    let report = import(&repo, "task-master", &old);
    assert_eq!((&report["created"], kept(&report)), (&json!(1), vec!["`estimate` has no field here"]));
    assert_eq!(report["skipped"][0]["reason"], "its `id` is not a number");
    assert_eq!(issue(&repo, "TM-master-7")["title"], "Seven");
    // A long file is read like any other.
    let details = "Peel the leaves. ".repeat(100_000);
    let long = json!({"tasks": [{"id": 8, "title": "Eight"}], "metadata": {"description": details}});
    fs::write(&old, long.to_string()).unwrap();
    assert_eq!(import(&repo, "task-master", &old)["created"], 1);
}

#[test]
fn phases_are_known_by_name_and_their_plans_are_issues_below_them() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "gsd");
    import(&repo, "gsd", &project);
    let statuses = ["GSD-leaves", "GSD-okapi", "GSD-okapi-01", "GSD-okapi-02"].map(|id| repo.status(id));
    assert_eq!(statuses, ["closed", "registered", "closed", "planned"]);
    let second = repo.json(&["show", "GSD-okapi-02"]);
    assert_eq!(second["depends_on"], json!(["GSD-leaves", "GSD-okapi-01"]));
    assert_eq!(second["relations"], json!(["parent-child:GSD-okapi"]));
    let task = plan(&repo, "GSD-okapi-02")["tasks"][0].clone();
    assert_eq!((&task["title"], &task["test"]["commands"]), (&json!("Oil the hinge"), &json!(["true"])));
    assert_eq!(
        task["acceptance"]["criteria"],
        json!(["It opens without a sound", "The gate opens at eight"])
    );
    assert_eq!(repo.json(&["show", "GSD-urgent-hay"])["depends_on"], json!(["GSD-leaves"]));
    // Tasks without a type are tasks, whether or not one with a type follows.
    let second = project.join(".planning/phases/02-okapi/02-02-PLAN.md");
    let task = "<task><name>Find the hinge</name><action>Look</action><verify>true</verify><done>Seen</done></task>\n";
    replace(&second, "<task ", &format!("{task}<task "), 30);
    import(&repo, "gsd", &project);
    let titles = crate::support::column(&plan(&repo, "GSD-okapi-02")["tasks"], "title");
    assert_eq!(titles, ["Find the hinge", "Oil the hinge"]);
    // Numbers move when a phase is removed.
    let roadmap = project.join(".planning/ROADMAP.md");
    replace(&roadmap, "### Phase 3: Wash the okapi", "### Phase 4: Wash the okapi", 60);
    let report = import(&repo, "gsd", &project);
    assert_eq!(report["created"], 0, "{report:#}");
}

#[test]
fn tasks_of_backlog_come_with_their_sections() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "backlog.md");
    // What is no regular file has no settings, and is not waited for.
    std::os::unix::fs::symlink("/dev/zero", project.join("backlog.config.yml")).unwrap();
    let report = import(&repo, "backlog", &project);
    assert_eq!(report["created"], 9, "{report:#}");
    let first = repo.json(&["show", "BL-TASK-1"]);
    assert_eq!(
        (&first["priority"], &first["issue_type"], &first["assignee"]),
        (&json!(2), &json!("bug"), &json!("@ada"))
    );
    assert_eq!(
        (&first["tags"], &first["source_url"]),
        (&json!(["food", "urgent"]), &json!("https://example.org/1"))
    );
    assert!(first["context"].as_str().unwrap().ends_with("## A heading inside\n\ntext"));
    let bodies = crate::support::column(&first["comments"], "body");
    assert_eq!(bodies, ["First remark\n\nwith two paragraphs", "Second remark"]);
    assert_eq!(first["comments"][0]["author"], "@bea");
    let task = plan(&repo, "BL-TASK-1")["tasks"][0].clone();
    let criteria = ["It sleeps", "Bowl, with commas: and colons"];
    assert_eq!(task["convergence"], json!({"criteria": criteria, "definition_of_done": "Docs updated"}));
    let statuses = ["BL-TASK-2", "BL-TASK-3", "BL-TASK-5", "BL-DRAFT-1"].map(|id| repo.status(id));
    assert_eq!(statuses, ["planned", "closed", "closed", "paused"]);
    assert_eq!(repo.json(&["show", "BL-TASK-1.2"])["relations"], json!(["parent-child:BL-TASK-1"]));
    // The number of an archived task was given out again.
    assert_eq!(repo.status("BL-TASK-4"), "cancelled");
    let again = issue(&repo, "BL-TASK-4-2026-11-19-After-archive--same-id");
    assert_eq!(again["title"], "After archive, same id");
}

#[test]
fn clones_that_import_at_different_times_end_alike() {
    let two = Two::new();
    let sandbox = Sandbox::new();
    let project = project(&sandbox, "openspec");
    import(&two.ada, "openspec", &project);
    replace(&project.join("openspec/changes/add-okapi/tasks.md"), "Fill the bowl", "Fill both bowls", 60);
    import(&two.bea, "openspec", &project);
    two.meet();
    for repo in [&two.ada, &two.bea] {
        assert!(plan(repo, "OS-add-okapi").to_string().contains("Fill both bowls"));
        let tip = repo.tip();
        import(repo, "openspec", &project);
        assert_eq!(repo.tip(), tip);
        assert_eq!(repo.json(&["conflicts"]), json!([]));
    }
}

#[test]
fn a_directory_without_plans_is_refused_and_nothing_is_half_written() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let empty = sandbox.root().join("empty");
    fs::create_dir(&empty).unwrap();
    let tip = repo.tip();
    for tool in ["openspec", "spec-kit", "task-master", "gsd", "backlog"] {
        let error = repo.refused(1, &["import", tool, empty.to_str().unwrap()]);
        assert_eq!(error["code"], "cannot-read", "{error}");
        assert!(
            error["message"].as_str().unwrap().ends_with(&format!("contains no plans of {tool}")),
            "{error}"
        );
    }
    let project = project(&sandbox, "backlog.md");
    let broken = project.join("backlog/tasks/task-9 - Broken.md");
    fs::write(&broken, "---\nid: TASK-9\ntitle: [\n---\n").unwrap();
    let folder = project.to_str().unwrap();
    let refused = repo.refused(1, &["import", "backlog", folder, "--strict"]);
    assert_eq!((&refused["code"], repo.tip()), (&json!("not-strict"), tip));
    assert_eq!(import(&repo, "backlog", &project)["created"], 9);
}

#[test]
fn a_table_is_imported_by_its_columns() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let table = "No,Name,Status,Opened\n1,Feed the okapi,Open,2026-11-01\n2,Buy leaves,Done,1/Nov/26 5:02 PM\n,nameless,,\n";
    let refused = repo.wf_in(table, &["import", "csv", "-"]).fails(1);
    assert!(refused.stderr.contains("none of its columns is known to hold the ids"), "{}", refused.stderr);
    let map = ["import", "csv", "-", "--map", "id=No", "--map", "title=Name", "--map", "status=Status"];
    let dated = [&map[..], &["--map", "created_at=Opened"]].concat();
    let preview = repo.wf_in(table, &[&dated[..], &["--json", "--dry-run"]].concat()).ok().json();
    assert_eq!((&preview["created"], &preview["skipped"][0]["line"]), (&json!(2), &json!(4)));
    repo.wf_in(table, &dated).ok();
    assert_eq!(["CSV-1", "CSV-2"].map(|id| repo.status(id)), ["registered", "closed"]);
    let tip = repo.tip();
    repo.wf_in(table, &dated).ok();
    assert_eq!(repo.tip(), tip);
    let refused = repo.wf_in(table, &["import", "csv", "-", "--map", "owner=Name"]).fails(2);
    assert!(refused.stderr.contains("`owner` is not a field"), "{}", refused.stderr);
}

/// Task Master writes the file of all tasks whenever one changes.
#[test]
fn a_file_that_is_written_again_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let project = project(&sandbox, "task-master");
    import(&repo, "task-master", &project);
    let tip = repo.tip();
    let file = project.join(".taskmaster/tasks/tasks.json");
    date(&file, 60);
    let report = import(&repo, "task-master", &project);
    assert_eq!((&report["updated"], repo.tip()), (&json!(0), tip), "{report:#}");
}
