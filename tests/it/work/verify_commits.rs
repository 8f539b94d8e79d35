//! Which commit `verify` says it tested, if HEAD moves or is not the linked one.

use serde_json::json;

use super::verify::{checks, claimed};
use crate::support::Sandbox;

#[test]
fn a_test_that_commits_did_not_test_that_commit() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["echo three > a.txt; git commit -qam moved", "true"])]);
    let before = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.wf(&["verify", "--yes"]).ok();
    let after = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let checks = checks(&repo);
    let told = |n: usize| (&checks[n]["commit"], &checks[n]["dirty"]);
    assert_eq!(told(0), (&json!(before), &json!(true)));
    assert_eq!(told(1), (&json!(after), &json!(false)));
}

#[test]
fn a_commit_made_between_two_looks_is_not_taken_for_the_one_that_was_tested() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let before = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    // Someone commits the changes after the commit was read, and before git looks for changes.
    repo.write("a.txt", "three\n");
    let folder = sandbox.root().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let git = repo.sh(&["-c", "command -v git"]).ok().line().to_owned();
    let wrapper = format!(
        "#!/bin/sh\ncase \"$*\" in *'status --porcelain'*)\n  if mkdir '{0}/once' 2> /dev/null; then \
         '{git}' -c core.hooksPath=/dev/null commit -qam Race; fi;;\nesac\nexec '{git}' \"$@\"\n",
        folder.display()
    );
    std::fs::write(folder.join("git"), wrapper).unwrap();
    repo.sh(&["-c", &format!("chmod +x '{}/git'", folder.display())]).ok();
    let path = repo.sh(&["-c", "echo \"$PATH\""]).ok().line().to_owned();
    repo.with_env("PATH", &format!("{}:{path}", folder.display())).wf(&["verify", "--yes"]).ok();
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]).ok().line(), "Race");
    let check = &checks(&repo)[0];
    assert_eq!((&check["commit"], &check["dirty"]), (&json!(before), &json!(true)));
}

#[test]
fn a_test_of_another_commit_than_the_last_linked_one_warns() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let linked = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let ran = repo.wf(&["verify", "--yes"]).ok();
    assert!(!ran.stderr.contains("last linked commit"), "{}", ran.stderr);
    repo.write("a.txt", "unlinked\n");
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-qam", "Unlinked"]).ok();
    let head = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let ran = repo.wf(&["verify", "--yes"]).ok();
    let told = ran.stderr.split("tested at ").nth(1).unwrap_or_else(|| panic!("{}", ran.stderr));
    let (tested, rest) = told.split_once(", but the last linked commit is ").unwrap();
    assert!(head.starts_with(tested) && linked.starts_with(rest.split(':').next().unwrap()), "{told}");
}

#[test]
fn work_that_was_reverted_commit_by_commit_is_none() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let first = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.commit("a.txt", "three\n", "again");
    repo.git(&["revert", "--no-edit", "HEAD", "HEAD~1"]).ok();
    let refused = repo.refused(1, &["done", "-m", "done"]);
    assert_eq!(refused["code"], "no-commit", "{refused}");
    let trace = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(
        trace.contains(&format!("(reverts {})", &first[..10])) && !trace.contains("reapplies"),
        "{trace}"
    );
}
