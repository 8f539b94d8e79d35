//! How many tests ran, as their runners say.

use serde_json::{Value, json};

use super::verify::{checks, claimed};
use crate::support::Sandbox;

/// A filter that matches nothing ends well in most runners.
#[test]
fn a_command_that_ran_no_test_is_not_evidence() {
    let sandbox = Sandbox::new();
    let nothing = "echo 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s'";
    let some = "echo '=== 3 passed, 1 skipped in 0.12s ==='";
    let repo = claimed(&sandbox, &[("T1", &[nothing, some, "true"])]);
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    let told = "ran no tests, which is not a pass (`test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; \
                7 filtered out; finished in 0.00s`: check its filter, and where its runner looks for tests) in ";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(ran.stdout.contains("(3 tests, 1 skipped)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("(tests not counted)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 of 3 checks passed"), "{}", ran.stdout);
    let checks = checks(&repo);
    let counted: Vec<&Value> = checks.iter().map(|check| &check["tests"]).collect();
    let of = |passed: u64, skipped: u64| json!({"passed": passed, "failed": 0, "skipped": skipped});
    assert_eq!(counted, [&of(0, 0), &of(3, 1), &Value::Null]);
    let refused = repo.wf(&["done", "--verify", "--yes", "-m", "all done"]).fails(1);
    assert!(refused.stderr.contains("ran no tests"), "{}", refused.stderr);
    assert!(repo.wf(&["trace", "ISS-001"]).ok().stdout.contains(" ran no tests at "));
    let missing = repo.refused(1, &["done", "-m", "all done"]);
    assert!(missing.to_string().contains("` ran no tests at "), "{missing}");
}

/// The last command of a pipe, or `|| true`, hides how the tests ended.
#[test]
fn a_command_whose_runner_counted_a_failure_has_not_passed() {
    let sandbox = Sandbox::new();
    let hidden = "printf '1..2\\nok 1 adds\\nnot ok 2 takes away\\n'; true";
    let repo = claimed(&sandbox, &[("T1", &[hidden])]);
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    let told = "ended with exit code 0, although 1 test failed, which is not a pass (`not ok 2 takes away`: ";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert_eq!(checks(&repo)[0]["tests"], json!({"passed": 1, "failed": 1, "skipped": 0}));
    let refused = repo.wf(&["done", "--verify", "--yes", "-m", "all done"]).fails(1);
    assert!(refused.stderr.contains("no pipe, no `|| true`"), "{}", refused.stderr);
    assert!(repo.wf(&["trace", "ISS-001"]).ok().stdout.contains("; 2 tests, 1 failed"));
}
