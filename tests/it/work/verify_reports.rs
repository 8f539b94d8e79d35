//! Reports that test commands write.

use serde_json::json;

use super::verify::{checks, claimed};
use crate::support::Sandbox;

const REPORT: &str = "<testsuite><testcase classname=\"a\" name=\"one\"/><testcase name=\"two\"><skipped/></testcase></testsuite>";
const FAILED: &str =
    "<testsuite><testcase name=\"one\"/><testcase name=\"two\"><failure/></testcase></testsuite>";

#[test]
fn a_report_gives_the_number_and_the_names_of_tests() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &[&format!("mkdir -p out; echo '{REPORT}' > out/a.xml")])]);
    repo.git(&["config", "wf.test.report", "--junit out/*.xml"]).ok();
    let ran = repo.wf(&["verify", "--yes"]).ok();
    assert!(ran.stdout.contains("(1 test, 1 skipped)"), "{}", ran.stdout);
    let check = &checks(&repo)[0];
    assert_eq!(check["tests"], json!({"passed": 1, "failed": 0, "skipped": 1}));
    assert_eq!(
        check["named_tests"],
        json!([{"name": "two", "outcome": "skipped"}, {"name": "a.one", "outcome": "passed"}])
    );
}

#[test]
fn a_report_of_a_failure_is_no_pass() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &[&format!("echo '{FAILED}' > a.xml; echo '1 passed in 0.1s'")])]);
    repo.git(&["config", "wf.test.report", "--junit *.xml"]).ok();
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    assert!(ran.stdout.contains("ended with exit code 0, although 1 test failed"), "{}", ran.stdout);
}

/// A report that was there before the command ran, a link to one, or something else, counts for nothing.
#[test]
fn a_report_that_the_command_did_not_write_counts_for_nothing() {
    let sandbox = Sandbox::new();
    let command = "ln -s a.xml b.xml; echo '<html/>' > c.xml; echo '0 tests, 0 failures'";
    let repo = claimed(&sandbox, &[("T1", &[command])]);
    repo.git(&["config", "wf.test.report", "--junit=*.xml"]).ok();
    repo.commit("a.xml", REPORT, "Add a forged report");
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    assert!(ran.stdout.contains("ran no tests"), "{}", ran.stdout);
    assert!(checks(&repo)[0].get("named_tests").is_none());
}

#[test]
fn a_setting_of_another_form_is_refused() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    repo.git(&["config", "wf.test.report", "out.json"]).ok();
    assert_eq!(repo.refused(1, &["verify", "--yes"])["code"], "config");
}

/// Whoever writes the report could leave out what failed.
#[test]
fn a_report_with_fewer_failures_than_the_runner_says_is_not_believed() {
    let sandbox = Sandbox::new();
    let fine = "<testsuite><testcase name=\"one\"/><testcase name=\"two\"/></testsuite>";
    let command = format!("echo '{fine}' > a.xml; echo '1 failed, 1 passed in 0.1s'");
    let repo = claimed(&sandbox, &[("T1", &[&command])]);
    repo.git(&["config", "wf.test.report", "--junit *.xml"]).ok();
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    assert!(ran.stdout.contains("ended with exit code 0, although 1 test failed"), "{}", ran.stdout);
    assert_eq!(checks(&repo)[0]["tests"]["failed"], 1);
}
