//! Queues of ccw whose times are ahead of the clock of this machine.

use serde_json::json;

use super::ccw::{AT, import, issue, item, queue, write};
use super::store;
use crate::support::Sandbox;

const FIRST: &str = "QUE-20260101080000";
const SECOND: &str = "QUE-20260101080001";

#[test]
fn a_queue_that_changed_in_the_future_counts_as_changed_now() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let state = |updated: &str| {
        let first = queue(&[item(1, 1, "pending", &json!({}))], AT);
        let mut second = queue(&[item(1, 2, "pending", &json!({}))], updated);
        second["id"] = SECOND.into();
        write(
            &project,
            &[issue(1, "queued", &json!({})), issue(2, "queued", &json!({}))],
            &[],
            &[first, second],
        );
    };
    state("2099-01-01T00:00:00.000Z");
    let report = import(&repo, &project);
    let notes = report["notes"].to_string();
    assert_eq!(notes.matches("the queue changed at 2099-01-01").count(), 1, "{notes}");
    let stored = repo.git(&["log", "-p", "--format=", "refs/wf/main", "--", "queues"]).ok().stdout;
    assert!(stored.contains(FIRST) && !stored.contains("2099"), "{stored}");
    // It can be changed here, and its source can correct its clock.
    repo.wf(&["queue", "hold", &format!("{SECOND}:S-1"), "-m", "wait"]).ok();
    state(AT);
    import(&repo, &project);
    assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
}
