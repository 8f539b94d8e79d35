//! `run --land`: each issue lands as soon as it is completed, and later issues begin with what has landed.

use super::pair::five_bugs;
use super::world::{BUILDS, World};
use crate::support::{Sandbox, column};

#[test]
fn a_run_lands_each_issue_as_it_completes() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let told = repo.wf(&["run", "--all-pending", "--land", "--yes"]).ok();
    assert!(!told.stdout.contains("git merge"), "everything has landed: {}", told.stdout);
    let ran = repo.git(&["log", "--first-parent", "--format=%s", "main"]).ok().stdout;
    let merges = ran.lines().filter(|subject| subject.starts_with("Merge ISS-")).count();
    assert_eq!(merges, 5, "{ran}");
    repo.sh(&["-c", "python3 -B -m unittest tests"]).ok();
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    let lands = repo.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert_eq!(lands.lines().filter(|subject| subject.starts_with("land: ISS-")).count(), 5, "{lands}");
    repo.wf(&["fsck"]).ok();
}

/// The test of the first issue passes for its executor. When it lands, the same test ends only once the second issue is being
/// executed, which begins after the first is merged.
#[test]
fn work_is_tested_for_landing_beside_the_agents() {
    let world = World::new();
    let repo = &world.repo;
    repo.issue("ISS-2");
    repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    let here = world.sandbox.root().display().to_string();
    let wait = format!("n=0; until test -e '{here}/second' || test $n = 300; do n=$((n+1)); sleep 0.1; done");
    let test = format!("mkdir '{here}/tested' 2> /dev/null || {{ {wait}; test -e '{here}/second'; }}");
    world.plan("plan.json", &test);
    world.agent(
        "executor",
        "cat > /dev/null; case \"$PWD\" in *ISS-2*) touch \"$HERE/second\";; esac; date >> a.txt; git add a.txt; \
         git commit -q -m Change; echo '{\"status\": \"completed\"}'",
    );
    let ran = repo.wf(&["run", "ISS-1", "ISS-2", "--land", "--jobs", "2", "--yes"]).ok();
    assert!(ran.stderr.contains("ISS-1 About ISS-1: landing"), "{}", ran.stderr);
    // What the run itself moves meanwhile is not taken for a change by somebody else.
    assert_eq!(repo.json(&["run", "show"])["breaches"], serde_json::Value::Null);
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    let merges = repo.git(&["log", "--first-parent", "--format=%s", "main"]).ok().stdout;
    assert_eq!(merges.lines().filter(|subject| subject.starts_with("Merge ISS-")).count(), 2, "{merges}");
}

#[test]
fn a_run_that_does_not_land_says_how() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let before = repo.git(&["rev-parse", "main"]).ok().line().to_owned();
    let ran = repo.wf(&["run", "ISS-3", "--yes"]).ok();
    let run = repo.json(&["run", "list"])[0]["id"].as_str().unwrap().to_owned();
    assert!(
        ran.stdout.contains(&format!("`git wf land {run}` tests the work and lands it")),
        "{}",
        ran.stdout
    );
    assert_eq!(repo.git(&["rev-parse", "main"]).ok().line(), before);
    repo.wf(&["land", &run, "--yes"]).ok();
    assert_eq!(
        repo.git(&["log", "-1", "--format=%s", "main"]).ok().line(),
        "Merge ISS-3: Mend products (ISS-3)"
    );
}

/// Without a sandbox, an agent can move any branch of its user. What the run itself lands meanwhile hides nothing of that.
#[test]
fn a_run_that_lands_reports_who_else_moves_the_branch() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    let main = repo.path().display().to_string();
    let moves = format!(
        "git -C '{main}' commit -q --allow-empty -m Mine 2> /dev/null || \
         git --git-dir='{main}/.git' update-ref refs/heads/main $(git --git-dir='{main}/.git' commit-tree -p main -m Mine 'main^{{tree}}')"
    );
    world.agent("executor", &format!("(unset $(git rev-parse --local-env-vars); {moves})\n{BUILDS}"));
    repo.wf(&["run", "ISS-1", "--land", "--yes"]);
    assert!(repo.git(&["log", "--format=%s", "main"]).ok().stdout.contains("Mine"));
    let breaches = repo.json(&["run", "show"])["breaches"].to_string();
    assert!(breaches.contains("refs/heads/main moved from"), "{breaches}");
}

#[test]
fn the_tests_of_the_project_are_agreed_to_before_the_run_begins() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["config", "wf.land.test", "test -s a.txt"]).ok();
    let args = ["run", "ISS-1", "--land"];
    let (code, shown) = repo.on_terminal("n\n", &args);
    assert_eq!(code, 1, "{shown}");
    assert!(
        shown.contains("the tests of all work that lands:") && shown.contains("test -s a.txt"),
        "{shown}"
    );
    assert_eq!(repo.json(&["run", "list"]), serde_json::json!([]));
    let error = repo.refused(1, &args);
    assert_eq!(error["code"], "not-agreed", "{error:#}");
    repo.wf(&["run", "ISS-1", "--land", "--yes"]).ok();
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0]);
    // Whoever does not land runs none of them.
    repo.git(&["config", "--add", "wf.land.test", "test -e other"]).ok();
    repo.issue("ISS-2");
    repo.wf(&["run", "ISS-2", "--yes"]).ok();
}

/// Whoever asks whether the work of a dependency is here gets one answer, whatever form the work has.
#[test]
fn a_run_and_next_agree_on_what_has_arrived() {
    let world = World::new();
    let repo = &world.repo;
    repo.wf(&["run", "ISS-1", "--yes"]).ok();
    let branch = repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
    repo.queued("ISS-2", "b.txt");
    repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    let next = ["next", "ISS-2", "--worktree", "../two"];
    let run = ["run", "ISS-2", "--execute-only", "--dry-run"];
    let here = repo.wf(&next).fails(3);
    assert!(here.stderr.contains("ISS-1"), "{}", here.stderr);
    let ran = repo.wf(&run);
    assert!(
        format!("{}{}", ran.stdout, ran.stderr).contains("the work on ISS-1 is on the branch"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    // Somebody squashes it on another commit, so nothing of the branch is in the history.
    repo.commit("c.txt", "c\n", "Go on");
    repo.git(&["merge", "-q", "--squash", branch.trim_start_matches("refs/heads/")]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Squash"]).ok();
    let ran = repo.wf(&run).ok();
    assert!(
        !format!("{}{}", ran.stdout, ran.stderr).contains("the work on ISS-1"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    repo.wf(&next).ok();
}

#[test]
fn a_bug_that_ends_a_landing_ends_neither_the_run_nor_its_other_attempts() {
    let world = World::new();
    let panics = world.repo.with_env("WF_FAULT", "landing").with_env("WF_FAULT_RUN", "false");
    let ran = panics.wf(&["run", "ISS-1", "--land", "--yes"]).ok();
    assert!(ran.stderr.contains("did not land: a bug in git-wf ended it"), "{}", ran.stderr);
    assert_eq!(column(&world.repo.json(&["list", "--unlanded"]), "id"), [""; 0], "{}", ran.stderr);
}
