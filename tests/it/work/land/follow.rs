//! `wf.plans.follow`: the files of plan tools say what has landed.

use serde_json::json;

use super::project;
use crate::support::{Repo, Sandbox, plan_on};

const TASKS: &str = "openspec/changes/feed/tasks.md";
const BOXES: &str = "## 1. Prepare\n\n- [ ] 1.1 Wash the bowl\n- [ ] 1.2 Buy leaves\n";
const TICKED: &str = "## 1. Prepare\n\n- [x] 1.1 Wash the bowl\n- [x] 1.2 Buy leaves\n";

/// A project that tracks the change `feed` of OpenSpec, follows it, and has its work completed on the branch `work`.
fn completed(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = project(sandbox);
        repo.commit(
            "openspec/changes/feed/proposal.md",
            "# Feed the okapi\n\n## Why\n\nIt is hungry.\n",
            "Propose",
        );
        repo.commit(TASKS, BOXES, "Plan");
        repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
        repo.wf(&["import", "openspec", "."]).ok();
        repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
        repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
        repo.wf(&["next", "OS-feed"]).ok();
        repo.commit("bowl.txt", "clean\n", "Wash the bowl");
        repo.wf(&["done", "--force", "--reason", "a test"]).ok();
        repo.git(&["switch", "--quiet", "main"]).ok();
        repo
    })
}

#[test]
fn what_lands_is_ticked_in_a_commit_of_its_own() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.git(&["config", "wf.land.test", "grep -q 'x. 1.1' openspec/changes/feed/tasks.md"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes", "--json"]).ok().json();
    assert_eq!(landed["landed"][0]["after"], repo.id("main"), "the tests ran on what the branch has now");
    assert_eq!(repo.subjects("main")[..2], ["Tick off OS-feed in its openspec plan", "Merge OS-feed: feed"]);
    assert_eq!((repo.text_at("main", TASKS), repo.read(TASKS)), (TICKED.to_owned(), TICKED.to_owned()));
    assert_eq!(repo.git(&["diff", "--name-only", "main^", "main"]).ok().line(), TASKS);
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
    repo.wf(&["audit", "--strict", "main^..main"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(message.contains("Wf-Issue: OS-feed\nWf-Solution: SOL-OS-feed"), "{message}");
    // Nothing is left to export, and a new import does not close what was completed here.
    assert_eq!(repo.wf(&["export", "openspec", "."]).ok().line(), "nothing to change");
    for _ in 0..2 {
        repo.wf(&["import", "openspec", "."]).ok();
        assert_eq!(repo.json(&["show", "OS-feed"])["status"], "completed");
    }
}

/// The steps into which someone divides a task are no boxes of the list.
#[test]
fn the_box_of_a_task_that_was_refined_is_ticked() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit("openspec/changes/feed/proposal.md", "# Feed\n", "Propose");
    repo.commit(TASKS, BOXES, "Plan");
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    let plan = repo.json(&["solution", "list", "OS-feed"])[0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["task", "edit", &plan, "T1", "--step", "Rinse it", "--step", "Dry it"]).ok();
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    repo.commit("bowl.txt", "clean\n", "Wash the bowl");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
}

#[test]
fn it_is_taken_back_with_the_landing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.wf(&["land", "OS-feed", "--yes", "--how", "squash"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
    repo.wf(&["undo"]).ok();
    assert_eq!(repo.text_at("revert-OS-feed", TASKS), BOXES);
    assert_eq!(repo.git(&["ls-tree", "--name-only", "revert-OS-feed", "bowl.txt"]).ok().stdout, "");
}

#[test]
fn a_landing_that_is_only_foreseen_or_not_followed_ticks_nothing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.wf(&["land", "OS-feed", "--dry-run"]).ok();
    assert_eq!(repo.text_at("main", TASKS), BOXES);
    repo.git(&["config", "--unset", "wf.plans.follow"]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

#[test]
fn a_setting_that_cannot_be_followed_is_refused_and_a_missing_directory_named() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    for value in ["openspec", "jira:plans", "openspec:../plans", "openspec:/plans"] {
        repo.git(&["config", "wf.plans.follow", value]).ok();
        let error = repo.refused(1, &["land", "OS-feed", "--yes"]);
        assert_eq!(error["code"], "config", "{error}");
        assert!(error["message"].as_str().unwrap().contains(value), "{error}");
    }
    repo.git(&["config", "wf.plans.follow", "openspec:plans"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert!(
        landed.stderr.contains("`wf.plans.follow` names `plans`, which has no files"),
        "{}",
        landed.stderr
    );
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

#[test]
fn a_broken_file_does_not_stop_the_landing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.commit(".taskmaster/tasks/tasks.json", "{", "Break");
    repo.git(&["config", "--add", "wf.plans.follow", "task-master:."]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
}

#[test]
fn another_change_of_the_name_is_not_ticked_off() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    let change = "openspec/changes/feed";
    repo.git(&["mv", change, "openspec/changes/archive-2026-11-19-feed"]).ok();
    repo.commit("openspec/changes/archive/2026-11-19-feed/tasks.md", BOXES, "Archive");
    repo.commit(&format!("{change}/proposal.md"), "# Feed the lion\n", "Propose another");
    repo.commit(TASKS, BOXES, "Plan another");
    let landed = repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert!(landed.stderr.contains("`OS-feed` has no file in `openspec` any more"), "{}", landed.stderr);
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

/// A bare repository beside it, with the hooks of a server, to which both branches and the store are pushed.
fn with_server(sandbox: &Sandbox, repo: &Repo) -> Repo {
    let server = sandbox.bare("server");
    server.wf(&["hooks", "install", "--server"]).ok();
    repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
    repo.git(&["push", "--quiet", "origin", "main"]).ok();
    repo.wf(&["sync"]).ok();
    server
}

#[test]
fn a_server_that_wants_a_plan_for_each_commit_takes_the_tick() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.wf(&["settings", "commits=required"]).ok();
    let server = with_server(&sandbox, &repo);
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(server.text_at("main", TASKS), TICKED);
    assert_eq!(server.subjects("main")[0], "Tick off OS-feed in its openspec plan");
}

#[test]
fn work_that_must_be_proved_is_ticked_off_as_it_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit("openspec/changes/feed/proposal.md", "# Feed\n", "Propose");
    repo.commit(TASKS, BOXES, "Plan");
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    let test = "grep -q clean bowl.txt || { echo 'AssertionError: not clean'; exit 1; }";
    repo.git(&["config", "wf.land.test", test]).ok();
    repo.wf(&["settings", "evidence=proved"]).ok();
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    repo.commit("bowl.txt", "clean\n", "Wash the bowl");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes", "--json"]).ok().json();
    assert_eq!(landed["not_landed"], json!([]), "{landed:#}");
    assert_eq!(repo.text_at("main", TASKS), TICKED);
}

/// The tick is no part of the work: what was proved without it is recorded for what lands.
#[test]
fn the_proof_is_of_the_work_and_not_of_the_tick() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit("openspec/changes/feed/proposal.md", "# Feed\n", "Propose");
    repo.commit(TASKS, BOXES, "Plan");
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["settings", "evidence=proved"]).ok();
    let mut plan = plan_on("bowl.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["sh tests/bowl.sh"]);
    let plan = repo.wf_in(plan.to_string(), &["plan", "add", "OS-feed"]).ok().line().to_owned();
    repo.wf(&["plan", "choose", "OS-feed", &plan]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    repo.write("bowl.txt", "clean\n");
    repo.write("tests/bowl.sh", "grep -q clean bowl.txt || { echo 'AssertionError: not clean'; exit 1; }\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "--quiet", "-m", "Wash the bowl"]).ok();
    repo.wf(&["verify", "--yes", "--fresh"]).ok();
    repo.wf(&["done", "-m", "it is clean"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes", "--json"]).ok().json();
    assert_eq!(landed["not_landed"], json!([]), "{landed:#}");
    assert_eq!(repo.text_at("main", TASKS), TICKED);
    let shown = repo.json(&["show", "OS-feed"]);
    let check = shown["executions"][0]["checks"].as_array().unwrap().last().unwrap();
    assert_eq!(check["tree"], repo.id("main^{tree}"), "{check:#}");
    let proof = &check["proof"];
    assert_eq!((&proof["base_tests"], &proof["fails_without"]), (&json!("passed"), &json!("assertion")));
    assert_eq!(proof["changed_tests"], json!(null), "{check:#}");
}

#[test]
fn tasks_of_others_are_ticked_once_the_branch_has_their_linked_work() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    let other = "openspec/changes/paint/tasks.md";
    repo.commit("openspec/changes/paint/proposal.md", "# Paint\n", "Propose another");
    repo.commit(other, "- [ ] Buy paint\n- [ ] Paint\n", "Plan another");
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["queue", "add", "OS-paint", "--force", "--reason", "no tests"]).ok();
    repo.wf(&["next", "OS-paint"]).ok();
    // The first task is done on the branch that everyone shares, the second one elsewhere.
    let bought = repo.commit("paint.txt", "red\n", "Buy paint");
    repo.wf(&["link", &bought, "OS-paint", "--task", "T1"]).ok();
    repo.git(&["switch", "--quiet", "-c", "aside"]).ok();
    let painted = repo.commit("gate.txt", "red\n", "Paint");
    repo.wf(&["link", &painted, "OS-paint", "--task", "T2"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
    assert_eq!(repo.text_at("main", other), "- [x] Buy paint\n- [ ] Paint\n");
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(message.contains("Also the tasks of OS-paint whose work is here."), "{message}");
}

#[test]
fn a_batch_ticks_off_each_of_its_issues() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    let other = "openspec/changes/paint/tasks.md";
    repo.commit(other, "- [ ] Paint\n", "Plan another");
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["queue", "add", "OS-paint", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "painting", "main"]).ok();
    repo.wf(&["next", "OS-paint"]).ok();
    repo.commit("gate.txt", "red\n", "Paint");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "--all", "--batch", "2", "--yes"]).ok();
    assert_eq!(
        (repo.text_at("main", TASKS), repo.text_at("main", other)),
        (TICKED.to_owned(), "- [x] Paint\n".to_owned())
    );
    let ticks = repo.git(&["log", "--format=%s", "main"]).ok().stdout;
    assert_eq!(ticks.matches("Tick off").count(), 2, "{ticks}");
}

/// The ticks are no part of the works, so the tests of all works are proved on the same trees.
#[test]
fn a_batch_with_ticks_is_proved_at_once() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    let all = ["feed", "paint", "sing"];
    for name in all {
        repo.commit(&format!("openspec/changes/{name}/tasks.md"), "- [ ] Do it\n", "Plan");
    }
    repo.wf(&["import", "openspec", "."]).ok();
    for name in all {
        let issue = format!("OS-{name}");
        let mut plan = plan_on(&format!("{name}.txt"));
        plan["tasks"][0]["test"]["commands"] = json!([format!("sh tests/{name}.sh")]);
        let plan = repo.wf_in(plan.to_string(), &["plan", "add", &issue]).ok().line().to_owned();
        repo.wf(&["plan", "choose", &issue, &plan]).ok();
        repo.git(&["switch", "--quiet", "-c", name, "main"]).ok();
        repo.wf(&["next", &issue]).ok();
        repo.write(&format!("{name}.txt"), "done\n");
        let test = format!("grep -q done {name}.txt || {{ echo 'AssertionError: {name}'; exit 1; }}\n");
        repo.write(&format!("tests/{name}.sh"), &test);
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "--quiet", "-m", "Do it"]).ok();
        repo.wf(&["done", "--force", "--reason", "a test"]).ok();
        repo.git(&["switch", "--quiet", "main"]).ok();
    }
    // Each workplace says that nobody has agreed to this.
    repo.git(&["config", "wf.workplace.setup", "true"]).ok();
    let landed = repo.wf(&["land", "--all", "--batch", "3", "--yes"]).ok();
    let workplaces = landed.stderr.matches("the setup commands were not run").count();
    assert_eq!(workplaces, 2, "one with all works, and one without them: {}", landed.stderr);
    for name in all {
        let issue = repo.json(&["show", &format!("OS-{name}")]);
        let check = issue["executions"][0]["checks"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(check["proof"]["fails_without"], "assertion", "{check:#}");
        assert_eq!(check["proof"]["changed_tests"], json!(null), "{check:#}");
        let tasks = format!("openspec/changes/{name}/tasks.md");
        assert_eq!(repo.text_at("main", &tasks), "- [x] Do it\n");
    }
}

#[test]
fn a_pull_request_has_the_tick_on_top_of_the_work() {
    let two = super::clones();
    let repo = super::forge::with_host(&two, &super::forge::Host { views: &[super::forge::OPEN] });
    repo.commit("openspec/changes/feed/proposal.md", "# Feed\n", "Propose");
    repo.commit(TASKS, BOXES, "Plan");
    repo.git(&["push", "--quiet", "origin", "main"]).ok();
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    let work = repo.commit("bowl.txt", "clean\n", "Wash the bowl");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "OS-feed", "--pr"]).ok();
    assert_eq!(two.origin.text_at("land/OS-feed", TASKS), TICKED);
    assert_eq!(two.origin.id("land/OS-feed^"), work);
    // Again, it is the same commit.
    let tip = two.origin.id("land/OS-feed");
    repo.wf(&["land", "OS-feed", "--pr"]).ok();
    assert_eq!(two.origin.id("land/OS-feed"), tip);
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

#[test]
fn work_that_was_done_on_the_branch_itself_is_ticked_off() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.git(&["merge", "--quiet", "--ff-only", "work"]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.subjects("main")[..2], ["Tick off OS-feed in its openspec plan", "Wash the bowl"]);
    assert_eq!(repo.text_at("main", TASKS), TICKED);
    let again = repo.wf(&["land", "OS-feed", "--yes"]);
    assert!(again.stderr.contains("`OS-feed` is already on `main`"), "{}", again.stderr);
    assert_eq!(repo.subjects("main")[0], "Tick off OS-feed in its openspec plan");
}

#[test]
fn a_box_that_was_reworded_is_known_by_its_number_and_one_that_is_gone_is_named() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.commit(TASKS, &BOXES.replace("1.1 Wash", "1.1 Scrub").replace("1.2 Buy", "Fetch"), "Reword");
    let landed = repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert!(landed.stderr.contains("`OS-feed`: its file has no box any more for T2"), "{}", landed.stderr);
    let now = repo.text_at("main", TASKS);
    assert!(now.contains("- [x] 1.1 Scrub the bowl\n- [ ] Fetch leaves\n"), "{now}");
}
