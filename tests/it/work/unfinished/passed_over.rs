//! Commits that `done` must not pass over in silence.

use super::{executing, refused};
use crate::support::{Sandbox, plan_on};

const PAST_THE_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

#[test]
fn commits_that_no_plan_knows_are_named() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.git(&[&PAST_THE_HOOKS[..], &["commit", "-q", "--allow-empty", "-m", "by nobody"]].concat()).ok();
    repo.commit("src/b.rs", "b\n", "by mistake");
    repo.wf(&["link", "--remove", "HEAD", "ISS-001"]).ok();
    let grace = repo.as_person("Grace", "grace@example.org");
    grace.git(&[&PAST_THE_HOOKS[..], &["commit", "-q", "--allow-empty", "-m", "by Grace"]].concat()).ok();
    let hash = repo.git(&["rev-parse", "--short=10", "HEAD~2"]).ok().line().to_owned();
    let ran = repo.wf(&["done"]).ok();
    let expected = format!("1 commit since the claim is linked to no plan: {hash} \"by nobody\"; ");
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("git wf link {hash} ISS-001")), "{}", ran.stderr);
    repo.wf(&["link", "HEAD~2", "ISS-001"]).ok();
}

#[test]
fn a_commit_that_a_reset_brings_back_counts() {
    for is_relinked in [false, true] {
        let sandbox = Sandbox::new();
        let repo = executing(&sandbox, &[]);
        let first = repo.commit("src/a.rs", "a\n", "Add a");
        repo.git(&["commit", "-q", "--amend", "-m", "other words"]).ok();
        repo.git(&["reset", "-q", "--hard", &first]).ok();
        let shown = |of: &str| repo.wf(&["trace", of]).ok().stdout;
        assert!(!shown("ISS-001").contains("on no branch"), "{}", shown("ISS-001"));
        if is_relinked {
            let links = repo.json(&["link", "--find"])["links"].clone();
            assert_eq!(links[0]["commit"], first, "{links:#}");
            assert_eq!(links[0]["shown_by"], "earlier");
        }
        let ran = repo.wf(&["done"]).ok();
        assert!(ran.stdout.contains("with 1 commit;"), "{}", ran.stdout);
        let shown = repo.json(&["show", "ISS-001"]);
        let commits = shown["executions"][0]["commits"].as_array().unwrap();
        assert_eq!((commits.len(), &commits[0]["hash"]), (1, &first.clone().into()), "{commits:#?}");
        assert_eq!(repo.json(&["link", "--find"])["links"], serde_json::json!([]));
    }
}

#[test]
fn a_commit_that_another_plan_has_is_named() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.wf(&["done"]).ok();
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    repo.wf(&["queue", "add", "ISS-002"]).ok();
    repo.wf(&["next"]).ok();
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    let revert = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().line().to_owned();
    let error = refused(&repo, "no-commit");
    let hint = format!("`git wf link {revert} ISS-002` links what belongs to this plan, too");
    assert_eq!(error["hint"], hint, "{error}");
    repo.wf(&["link", &revert, "ISS-002"]).ok();
    repo.wf(&["done"]).ok();
}
