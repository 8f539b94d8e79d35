//! Pull requests that someone at the host changed before they were merged.

use serde_json::json;

use super::forge::{Host, OPEN, host_file, with_host};
use super::{clones, work};
use crate::support::plan_on;

/// A squash on `base` of what the branch of the pull request has, which then is `head`.
fn squashed(base: &str, head: &str) -> String {
    format!(
        r#"work=$(git --git-dir="$origin" rev-parse '{head}')
        old=$(git --git-dir="$origin" rev-parse {base})
        oid=$(GIT_AUTHOR_NAME=Forge GIT_AUTHOR_EMAIL=f@x GIT_COMMITTER_NAME=Forge GIT_COMMITTER_EMAIL=f@x \
            git --git-dir="$origin" commit-tree -p $old -m 'Squashed (#7)' "$work^{{tree}}")
        git --git-dir="$origin" update-ref refs/heads/{base} $oid
        echo '{{"number":7,"url":"https://github.com/ada/code/pull/7","state":"MERGED","baseRefName":"{base}",
            "headRefOid":"'$work'","mergeCommit":{{"oid":"'$oid'"}}}}'"#
    )
}

#[test]
fn a_pull_request_that_was_retargeted_is_no_landing() {
    let two = clones();
    two.ada.git(&["push", "--quiet", "origin", "main:develop"]).ok();
    let view = squashed("develop", "land/ISS-001");
    let repo = with_host(&two, &Host { views: &[&view] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let ran = repo.wf(&["land", "ISS-001", "--pr", "--watch"]).fails(1);
    assert!(ran.stdout.starts_with("merged without all of the work https://"), "{}", ran.stdout);
    assert!(ran.stderr.contains("it was merged into `develop`"), "{}", ran.stderr);
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["state"], "unlanded");
    assert!(!repo.last_message().starts_with("land: "), "{}", repo.last_message());
}

#[test]
fn a_pull_request_that_goes_elsewhere_is_named() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    let listed =
        r#"[{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN","baseRefName":"next"}]"#;
    std::fs::write(two.sandbox.root().join("host/listed"), listed).unwrap();
    let ran = repo.wf(&["land", "ISS-001", "--pr"]).ok();
    let said = "the pull request of `ISS-001` goes into `next`, not `main`";
    assert!(ran.stderr.contains(said) && ran.stderr.contains("gh pr edit 7 --base main"), "{}", ran.stderr);
}

#[test]
fn what_a_reviewer_took_off_a_pull_request_has_not_landed() {
    let two = clones();
    // The reviewer pushes the branch without its last commit, and squashes the rest.
    let view = squashed("main", "land/ISS-001~1");
    let repo = with_host(&two, &Host { views: &[&view] });
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    repo.planned("ISS-001", &plan);
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    let first = repo.commit("a.txt", "a\n", "Add a");
    let second = repo.commit("b.txt", "b\n", "Add b");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--pr", "--watch"]).fails(1);
    assert!(ran.stderr.contains("nothing shows that it still had 1 commit of the work"), "{}", ran.stderr);
    // The squash of what is left belongs to the plan as well.
    let squash = repo.id("origin/main");
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!((&landed["commits"], &landed["missing"]), (&json!([first, squash]), &json!([second])));
}

#[test]
fn a_squash_by_the_host_with_all_of_the_work_is_a_landing() {
    let two = clones();
    let view = squashed("main", "land/ISS-001");
    let repo = with_host(&two, &Host { views: &[&view] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let answer = repo.wf(&["land", "ISS-001", "--pr", "--watch", "--json"]).ok().json();
    assert_eq!(answer["pulls"][0]["state"], "merged");
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["state"], "landed");
    assert!(repo.last_message().starts_with("land: ISS-001 by "), "{}", repo.last_message());
    // The squash has no trailers, and still belongs to the plan.
    let audit = repo.wf(&["audit"]);
    assert!(!audit.stdout.contains("belongs to no plan"), "{}", audit.stdout);
}

/// A host that requires the status asks for that of the last commit. What ticks it off is one on top of what was tested.
#[test]
fn the_status_stands_on_the_last_commit_and_names_the_tested_one() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    repo.git(&["config", "wf.land.status", "true"]).ok();
    let tasks = "openspec/changes/feed/tasks.md";
    repo.commit("openspec/changes/feed/proposal.md", "# Feed\n\n## Why\n\nIt is hungry.\n", "Propose");
    repo.commit(tasks, "## 1. Prepare\n\n- [ ] 1.1 Wash the bowl\n", "Plan");
    repo.git(&["push", "--quiet", "origin", "main"]).ok();
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    let own = repo.commit("bowl.txt", "clean\n", "Wash the bowl");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "OS-feed", "--pr"]).ok();
    assert_eq!(two.origin.id("land/OS-feed~1"), own);
    let (calls, head) = (host_file(&two, "calls"), two.origin.id("land/OS-feed"));
    assert!(calls.contains(&format!("repos/ada/code/statuses/{head} ")), "{calls}");
    assert!(calls.contains(&format!("description=tested at {}: ", &own[..10])), "{calls}");
}
