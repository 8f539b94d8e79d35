//! Cheats in what is stored about tests.

use serde_json::json;

use super::{Project, TEST_OF_THREE, THREE};

/// The tree of the commit is the same, but what ran was not it.
#[test]
fn a_check_of_a_work_tree_with_other_changes() {
    let project = Project::worked("sh add.sh 1 2 3 | grep -q 7", &[(THREE.0, Some(THREE.1))]);
    project.repo.wf(&["policy", "set", "evidence=required"]).ok();
    project.repo.write("add.sh", "echo 7\n");
    let ran = project.repo.wf(&["verify", "--yes"]).ok();
    assert!(ran.stderr.contains("so these checks are not evidence"), "{}", ran.stderr);
    project.repo.git(&["checkout", "--quiet", "--", "add.sh"]).ok();
    let error = project.repo.refused(1, &["done", "-m", "it is done"]);
    assert!(error.to_string().contains("has no passing check"), "{error}");
}

/// Whoever runs the test again in a work tree takes no proof away, and makes none.
#[test]
fn a_check_of_a_work_tree_proves_nothing() {
    let project = Project::worked(
        "sh tests/run.sh",
        &[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))],
    );
    project.repo.wf(&["verify", "--yes"]).ok();
    let error = project.repo.refused(1, &["done", "-m", "it is done"]).to_string();
    assert!(error.contains("but nobody looked whether it tests the work"), "{error}");
    project.verify().ok();
    project.repo.wf(&["verify", "--yes"]).ok();
    project.repo.wf(&["done", "-m", "it is done"]).ok();
    assert_eq!(project.proof(), json!(null));
}
