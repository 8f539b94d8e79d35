//! `why`: from a line of code back to the task, plan and issue.

use serde_json::json;

use crate::support::{Repo, Sandbox};

/// A repository with one line that belongs to no plan, and two that an execution of `ISS-001` wrote.
fn planned_lines(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.write("src/a.txt", "old\n");
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-qm", "start"]).ok();
        repo.queued("ISS-001", "src/a.txt");
        repo.wf(&["next"]).ok();
        repo.write("src/a.txt", "old\nnew one\nnew two\n");
        repo.git(&["commit", "-qam", "Write two lines", "-m", "Wf-Task: T1"]).ok();
        repo
    })
}

#[test]
fn a_line_leads_to_its_issue() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    let why = repo.json(&["why", "src/a.txt:2"]);
    let origin = &why["spans"][0]["origins"][0];
    assert_eq!((&origin["issue_id"], &origin["task_id"]), (&json!("ISS-001"), &json!("T1")), "{why:#}");
    assert_eq!(origin["linked_by"], "hook");
    assert!(origin["task_title"].is_string() && origin["plan"].is_string(), "{origin}");
    repo.screen("trail/why-a-line", &["why", "src/a.txt:2"]);
}

#[test]
fn a_whole_file_says_which_lines_have_a_plan() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    repo.write("src/a.txt", "old\nnew one\nnew two\nunsaved\n");
    let why = repo.json(&["why", "src/a.txt"]);
    assert_eq!((&why["line_count"], &why["planned_line_count"]), (&json!(4), &json!(2)));
    let spans: Vec<_> =
        why["spans"].as_array().unwrap().iter().map(|s| (&s["first_line"], &s["last_line"])).collect();
    assert_eq!(spans, [(&json!(1), &json!(1)), (&json!(2), &json!(3)), (&json!(4), &json!(4))]);
    assert!(why["spans"][2]["commit"].is_null());
    let text = repo.wf(&["why", "src/a.txt"]).ok().stdout;
    assert!(text.contains("no plan") && text.contains("not committed yet"), "{text}");
}

#[test]
fn the_way_back_goes_through_renames_and_rewrites() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    repo.git(&["commit", "-q", "--amend", "-m", "Write two lines, better"]).ok();
    repo.done();
    repo.git(&["mv", "src/a.txt", "b.txt"]).ok();
    repo.git(&["commit", "-qm", "Rename"]).ok();
    let why = repo.json(&["why", "b.txt:2,3"]);
    assert_eq!(why["spans"].as_array().unwrap().len(), 1, "{why:#}");
    assert_eq!(why["spans"][0]["path_then"], "src/a.txt");
    assert_eq!(why["spans"][0]["origins"][0]["issue_id"], "ISS-001");
}

#[test]
fn files_are_named_from_the_current_folder() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    let binary = env!("CARGO_BIN_EXE_git-wf");
    let ran = repo.sh(&["-c", &format!("cd src && {binary} why a.txt:2 --json")]).ok();
    assert_eq!(ran.json()["file"], "src/a.txt");
    let whole = repo.path().join("src/a.txt:3");
    assert_eq!(repo.json(&["why", whole.to_str().unwrap()])["file"], "src/a.txt");
    // As compilers write a location.
    assert_eq!(repo.json(&["why", "src/a.txt:2:7"])["spans"][0]["first_line"], 2);
    let bare = sandbox.bare("bare");
    repo.git(&["push", "-q", bare.path().to_str().unwrap(), "HEAD", "refs/wf/main"]).ok();
    assert_eq!(bare.json(&["why", "src/a.txt:2"])["spans"][0]["origins"][0]["issue_id"], "ISS-001");
}

#[test]
fn what_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    let error = repo.refused(1, &["why", "src/a.txt:9"]);
    assert!(error["message"].as_str().unwrap().contains("has no line 9; its last is 3"), "{error}");
    assert_eq!(repo.refused(1, &["why", "nothing.txt"])["code"], "not-found");
    assert_eq!(repo.refused(1, &["why", "/etc/passwd:1"])["code"], "not-found");
    // Before the first commit, there is nothing to show either.
    let empty = [sandbox.store("empty"), sandbox.bare("bare-and-empty")];
    empty[1].wf(&["init"]).ok();
    empty[0].write("x", "x\n");
    for repo in empty {
        assert_eq!(repo.refused(1, &["why", "x:1"])["code"], "not-found");
    }
    for wrong in ["src/a.txt:0", "src/a.txt:3,2", "src/a.txt:1,x"] {
        repo.refused(2, &["why", wrong]);
    }
    repo.write("-odd: name.txt", "x\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "Odd"]).ok();
    let why = repo.wf(&["why", "--json", "--", "-odd: name.txt:1"]).ok().json();
    assert_eq!(why["line_count"], 1);
}

#[test]
fn a_commit_that_only_says_it_belongs_to_a_plan_is_told_apart() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    repo.done();
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.write("c.txt", "x\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "Elsewhere", "-m", "Wf-Issue: ISS-001"]).ok();
    let why = repo.json(&["why", "c.txt:1"]);
    assert_eq!(why["spans"][0]["origins"], json!([]));
    let text = repo.wf(&["why", "c.txt:1"]).ok().stdout;
    assert!(text.contains("its message says Wf-Issue: ISS-001"), "{text}");
}

#[test]
fn a_file_that_is_gone_says_where_it_went() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    repo.git(&["rm", "-q", "src/a.txt"]).ok();
    repo.git(&["commit", "-qm", "Remove it"]).ok();
    let head = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().line().to_owned();
    let error = repo.refused(1, &["why", "src/a.txt:1"]);
    assert_eq!(error["message"], format!("`src/a.txt` was deleted in {head}"));
    assert!(error["hint"].as_str().unwrap().contains(&format!("git wf trace {head}")), "{error}");
}

#[test]
fn odd_names_are_shown_as_they_are() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    let (old, new) = ("say \"ä\" \\ once.txt", "say \"ö\"\ttwice.txt");
    repo.git(&["mv", "src/a.txt", old]).ok();
    repo.git(&["commit", "-qm", "Rename"]).ok();
    repo.write(old, "old\nnew one\nnew two\nnew three\n");
    repo.git(&["commit", "-qam", "A third"]).ok();
    repo.git(&["mv", old, new]).ok();
    repo.git(&["commit", "-qm", "Rename again"]).ok();
    let why = repo.json(&["why", &format!("{new}:4")]);
    assert_eq!((&why["file"], &why["spans"][0]["path_then"]), (&json!(new), &json!(old)));
}

#[test]
fn a_line_of_a_squashed_commit_leads_to_its_issue_once_it_is_found() {
    let sandbox = Sandbox::new();
    let repo = planned_lines(&sandbox);
    repo.done();
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["checkout", "-q", "-b", "squashed", "HEAD~1"]).ok();
    repo.git(&["merge", "-q", "--squash", "main"]).ok();
    repo.git(&["commit", "-qm", "Squashed elsewhere"]).ok();
    assert_eq!(repo.json(&["why", "src/a.txt:2"])["spans"][0]["origins"], json!([]));
    repo.wf(&["link", "--find"]).ok();
    let why = repo.json(&["why", "src/a.txt:2"]);
    let origin = &why["spans"][0]["origins"][0];
    assert_eq!((&origin["issue_id"], &origin["linked_by"]), (&json!("ISS-001"), &json!("relink")), "{why:#}");
}
