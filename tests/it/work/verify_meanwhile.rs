//! What changes in the work tree while a test runs was not tested.

use serde_json::json;

use super::verify::{checks, claimed};
use crate::support::Sandbox;

#[test]
fn a_file_that_is_edited_while_a_test_runs_is_not_what_was_tested() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["echo three > a.txt"])]);
    let ran = repo.wf(&["verify", "--yes"]).ok();
    assert_eq!(checks(&repo)[0]["dirty"], json!(true));
    assert!(ran.stderr.contains("these checks are not evidence"), "{}", ran.stderr);
}

#[test]
fn a_branch_that_is_switched_to_and_back_meanwhile_makes_the_check_dirty() {
    let sandbox = Sandbox::new();
    let test = "git switch -q --detach HEAD~1 && git switch -q main";
    let repo = claimed(&sandbox, &[("T1", &[test, "true"])]);
    repo.wf(&["verify", "--yes"]).ok();
    let checks = checks(&repo);
    assert_eq!((&checks[0]["dirty"], &checks[1]["dirty"]), (&json!(true), &json!(false)));
}

#[test]
fn new_files_that_a_test_leaves_change_nothing() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["echo made > made.txt", "test -f made.txt"])]);
    repo.wf(&["verify", "--yes"]).ok();
    let checks = checks(&repo);
    assert_eq!((&checks[0]["dirty"], &checks[1]["dirty"]), (&json!(false), &json!(false)));
}
