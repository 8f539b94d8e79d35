//! A store whose ref some other program deleted.

use crate::support::Sandbox;

#[test]
fn a_store_whose_ref_is_gone_is_brought_back_as_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["list"]).ok();
    let last = repo.tip().unwrap();
    repo.git(&["update-ref", "-d", "refs/wf/main"]).ok();
    let refused = repo.refused(1, &["fsck"]);
    assert!(refused["message"].as_str().unwrap().contains(&format!("it was at `{last}`")), "{refused}");
    let command = format!("git update-ref refs/wf/main {last}");
    assert!(refused["hint"].as_str().unwrap().contains(&command), "{refused}");
    repo.git(&["update-ref", "refs/wf/main", &last]).ok();
    repo.wf(&["fsck"]).ok();
    // As `git filter-repo --path` leaves it, which also removes the objects.
    repo.git(&["update-ref", "-d", "refs/wf/main"]).ok();
    let gone = "1".repeat(40);
    repo.write(".git/filter-repo/ref-map", format!("old new ref\n{gone} {} refs/wf/main\n", "0".repeat(40)));
    let refused = repo.refused(1, &["fsck"]);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("`git filter-repo` deleted `refs/wf/main`"), "{message}");
    assert!(message.contains(&format!("it was at `{gone}`, which is no longer here")), "{message}");
    assert!(
        refused["hint"].as_str().unwrap().contains("git fetch PATH refs/wf/main:refs/wf/main"),
        "{refused}"
    );
}
