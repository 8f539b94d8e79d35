//! Issues that depend on cancelled, reopened or circular ones, and statuses that other programs declare.

use serde_json::json;

use crate::support::{Sandbox, Two, plan_on};

#[test]
fn a_cancelled_dependency_blocks_nobody_and_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "1\n", "begin");
    repo.issue("ISS-001");
    repo.queued("ISS-002", "a.txt");
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "pending".into())]);
    repo.wf(&["edit", "ISS-001", "--status", "cancelled"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    let ran = repo.wf(&["next"]).ok();
    assert!(ran.stderr.contains("`ISS-002` depends on `ISS-001`, which was cancelled"), "{}", ran.stderr);
}

#[test]
fn done_names_a_dependency_that_was_reopened_meanwhile() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "1\n", "begin");
    repo.issue("ISS-001");
    repo.wf(&["close", "ISS-001"]).ok();
    repo.queued("ISS-002", "a.txt");
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["reopen", "ISS-001"]).ok();
    repo.commit("a.txt", "2\n", "work");
    repo.wf(&["link", "HEAD", "ISS-002"]).ok();
    let ran = repo.wf(&["done"]).ok();
    let told = "`ISS-002` depends on `ISS-001`, which is not done: it is registered";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn a_cycle_made_by_two_clones_is_shown_as_one_and_no_planner_is_asked() {
    let two = Two::new();
    two.ada.commit("a.txt", "1\n", "begin");
    for id in ["G-1", "G-2", "G-3"] {
        two.ada.issue(id);
    }
    two.ada.wf(&["edit", "G-3", "--depends-on", "G-1"]).ok();
    two.meet();
    two.bea.commit("a.txt", "1\n", "begin");
    two.bea.wf(&["edit", "G-1", "--depends-on", "G-2"]).ok();
    two.ada.wf(&["edit", "G-2", "--depends-on", "G-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    let ran = two.bea.wf(&["sync"]).ok();
    assert!(ran.stderr.contains("in a cycle") && ran.stderr.contains("G-1 → G-2 → G-1"), "{}", ran.stderr);
    let repo = &two.bea;
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("cycle  G-1  depend on each other: G-1 → G-2 → G-1"), "{home}");
    assert!(home.contains("G-1  in a cycle") && home.contains("G-3  after G-1"), "{home}");
    assert!(home.contains("git wf edit --depends-on=-G-2 G-1"), "{home}");
    let ran = repo.wf(&["show", "G-3"]).ok();
    assert!(ran.stderr.contains("waits for a dependency cycle: G-1 → G-2 → G-1"), "{}", ran.stderr);
    let ran = repo.wf(&["show", "G-1"]).ok();
    assert!(ran.stderr.contains("`G-1` is in a dependency cycle: G-1 → G-2 → G-1"), "{}", ran.stderr);
    for args in [&["list"][..], &["list", "--json"], &["list", "-n", "1"]] {
        let ran = repo.wf(args).ok();
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            told.contains("in a cycle, so none of them can be executed: G-1 → G-2 → G-1"),
            "{args:?} {told}"
        );
    }
    assert!(repo.wf(&[]).ok().stdout.contains("in a cycle"));
    let prime = repo.wf(&["prime"]).ok().stdout;
    assert!(prime.contains("G-1 → G-2 → G-1; `git wf edit --depends-on=-G-2 G-1`"), "{prime}");
    let agent = "touch ../asked; cat";
    for issues in [&["G-1", "G-2", "G-3"][..], &["--all-pending"]] {
        let run = ["run", "--planner", agent, "--executor", agent, "--yes"];
        let ran = repo.wf(&[&run[..], issues].concat()).fails(1);
        assert!(ran.stderr.contains("they depend on each other: G-1 → G-2 → G-1"), "{}", ran.stderr);
        let dry = repo.wf(&[&run[..], issues, &["--dry-run"]].concat()).fails(1);
        assert!(dry.stderr.contains("G-1 → G-2 → G-1"), "{}", dry.stderr);
    }
    assert!(!repo.path().join("../asked").exists(), "an agent was asked");
    let ran = repo.wf(&["fsck"]).fails(1);
    assert!(ran.stdout.contains("dependency cycle: G-1 → G-2 → G-1"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("wf.fsckAccepted"), "{}", ran.stdout);
    repo.wf(&["edit", "--depends-on=-G-2", "G-1"]).ok();
    for args in [&[][..], &["list"], &["status"], &["prime"]] {
        let ran = repo.wf(args).ok();
        assert!(
            !ran.stdout.contains("cycle") && !ran.stderr.contains("cycle"),
            "{args:?}: the cycle is gone"
        );
    }
}

#[test]
fn relations_lead_back_to_nobody() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for id in ["P-1", "P-2", "P-3"] {
        repo.issue(id);
    }
    for kind in ["parent-child", "duplicates", "supersedes", "discovered-from", "relates-to"] {
        let own = repo.refused(1, &["edit", "P-1", "--relation", &format!("{kind}:P-1")]);
        assert_eq!(own["code"], "self-dependency", "{own}");
        repo.wf(&["edit", "P-2", "--relation", &format!("{kind}:P-1")]).ok();
        repo.wf(&["edit", "P-3", "--relation", &format!("{kind}:P-2")]).ok();
        let back = ["edit", "P-1", "--relation", &format!("{kind}:P-3")];
        if kind == "relates-to" {
            repo.wf(&back).ok();
            continue;
        }
        let refused = repo.refused(1, &back);
        assert_eq!(refused["code"], "cycle");
        assert!(refused["message"].as_str().unwrap().contains("P-1 → P-3 → P-2 → P-1"), "{refused}");
    }
    repo.wf(&["fsck"]).ok();
}

#[test]
fn nobody_waits_in_a_circle_through_an_issue_that_is_over() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("A-1");
    repo.issue("A-2");
    repo.wf(&["edit", "A-1", "--depends-on", "A-2"]).ok();
    let refused = repo.refused(1, &["edit", "A-2", "--depends-on", "A-1"]);
    assert_eq!(refused["message"], "the issues would depend on each other in a cycle: A-2 → A-1 → A-2");
    repo.wf(&["close", "A-1"]).ok();
    repo.wf(&["edit", "A-2", "--depends-on", "A-1"]).ok();
    repo.wf(&["fsck"]).ok();
    let ran = repo.wf(&["reopen", "A-1"]).ok();
    assert!(ran.stderr.contains("in a cycle") && ran.stderr.contains("A-1 → A-2 → A-1"), "{}", ran.stderr);
    assert!(repo.wf(&["fsck"]).fails(1).stdout.contains("A-1 → A-2 → A-1"));
    repo.wf(&["close", "A-2"]).ok();
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_circle_of_relations_that_a_merge_made_is_told() {
    let two = Two::new();
    two.ada.issue("P-1");
    two.ada.issue("P-2");
    two.meet();
    two.ada.wf(&["edit", "P-1", "--relation", "parent-child:P-2"]).ok();
    two.bea.wf(&["edit", "P-2", "--relation", "parent-child:P-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    let circle = "`parent-child` in a circle: P-1 → P-2 → P-1";
    let said = two.bea.wf(&["sync"]).ok().stderr;
    assert!(said.contains(circle), "{said}");
    two.meet();
    let said = two.ada.wf(&["show", "P-2"]).ok().stderr;
    assert!(said.contains(circle), "{said}");
    let said = two.ada.wf(&[]).ok().stdout;
    assert!(said.contains("P-1 → P-2 → P-1"), "{said}");
    let ran = two.ada.wf(&["fsck"]).fails(1);
    assert!(ran.stdout.contains("`parent-child` in a circle: P-1 → P-2 → P-1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("git wf edit --relation=-parent-child:P-2 P-1"), "{}", ran.stdout);
    two.ada.wf(&["edit", "--relation=-parent-child:P-2", "P-1"]).ok();
    two.ada.wf(&["fsck"]).ok();
    assert!(!two.ada.wf(&["show", "P-2"]).ok().stderr.contains("circle"));
}

#[test]
fn closing_an_issue_names_its_open_parts() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for id in ["P-1", "P-2", "P-3"] {
        repo.issue(id);
    }
    repo.wf(&["edit", "P-2", "--relation", "parent-child:P-1"]).ok();
    repo.wf(&["edit", "P-3", "--relation", "parent-child:P-1"]).ok();
    let ran = repo.wf(&["close", "P-1"]).ok();
    assert!(ran.stderr.contains("`P-1` has parts that stay open: P-2, P-3"), "{}", ran.stderr);
    repo.wf(&["reopen", "P-1"]).ok();
    repo.wf(&["close", "P-2"]).ok();
    let ran = repo.wf(&["close", "P-1"]).ok();
    assert!(ran.stderr.contains("`P-1` has a part that stays open: P-3"), "{}", ran.stderr);
    repo.wf(&["close", "P-3"]).ok();
    repo.wf(&["reopen", "P-1"]).ok();
    assert_eq!(repo.wf(&["close", "P-1"]).ok().stderr, "");
}

#[test]
fn however_an_issue_ends_its_open_parts_are_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for (parent, part) in [("P-1", "C-1"), ("P-2", "C-2"), ("P-3", "C-3")] {
        repo.queued(parent, &format!("src/{parent}.rs"));
        repo.issue(part);
        repo.wf(&["edit", part, "--relation", &format!("parent-child:{parent}")]).ok();
    }
    repo.wf(&["edit", "P-3", "--tag", "old"]).ok();
    repo.wf(&["next", "P-1"]).ok();
    repo.commit("src/P-1.rs", "1\n", "Work");
    repo.wf(&["link", "HEAD", "P-1"]).ok();
    for (command, said) in [
        (&["done"][..], "`P-1` has a part that stays open: C-1"),
        (&["edit", "P-2", "--status", "cancelled"], "`P-2` has a part that stays open: C-2"),
        (&["close", "--where", "--tag old", "--yes"], "`P-3` has a part that stays open: C-3"),
    ] {
        let ran = repo.wf(command).ok();
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn in_progress_is_harmless_at_every_stage() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "1\n", "begin");
    let begin = |status: &str| {
        repo.wf(&["update", "ISS-100", "--status", "in-progress"]).ok();
        assert_eq!(repo.status("ISS-100"), status);
    };
    repo.issue("ISS-100");
    begin("planning");
    begin("planning");
    let plan = plan_on("a.txt").to_string();
    repo.wf_in(&plan, &["solution", "add", "ISS-100", "-"]).ok();
    begin("planned");
    repo.wf(&["queue", "add", "ISS-100"]).ok();
    begin("queued");
    repo.wf(&["next"]).ok();
    begin("executing");
    repo.wf(&["fail", "-m", "broken"]).ok();
    begin("failed");
    repo.wf(&["retry", "ISS-100"]).ok();
    begin("queued");
    repo.wf(&["queue", "remove", "ISS-100"]).ok();
    // Someone who names the status moves it.
    repo.wf(&["edit", "ISS-100", "--status", "planning"]).ok();
    assert_eq!(repo.status("ISS-100"), "planning");
    for status in ["paused", "cancelled"] {
        repo.wf(&["edit", "ISS-100", "--status", status]).ok();
        begin(status);
        let told = repo.changes_nothing(&["update", "ISS-100", "--status", "in-progress"]).stderr;
        let left = format!("`in-progress` does not reopen an issue: ISS-100 ({status})");
        assert!(told.contains(&left) && told.contains("git wf reopen ISS-100"), "{told}");
    }
    repo.wf(&["close", "ISS-100"]).ok();
    begin("closed");
    repo.issue("ISS-101");
    let told = repo.wf(&["edit", "--where", "--all", "--status", "in-progress", "--yes"]).ok().stderr;
    assert!(told.contains("does not reopen an issue: ISS-100 (closed)"), "{told}");
    assert_eq!(repo.status("ISS-101"), "planning");
}

#[test]
fn a_status_that_holds_already_is_no_fault() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "1\n", "begin");
    let again = |status: &str| {
        assert_eq!(repo.status("ISS-100"), status);
        repo.changes_nothing(&["edit", "ISS-100", "--status", status]);
    };
    repo.planned("ISS-100", &plan_on("a.txt"));
    again("planned");
    repo.wf(&["queue", "add", "ISS-100"]).ok();
    again("queued");
    repo.wf(&["next"]).ok();
    again("executing");
    repo.wf(&["fail", "-m", "broken"]).ok();
    again("failed");
    repo.wf(&["retry", "ISS-100"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("a.txt", "2\n", "change");
    repo.wf(&["done", "-m", "done", "--force", "--reason", "x"]).ok();
    again("completed");
    repo.wf(&["close", "ISS-100"]).ok();
    again("closed");
}

#[test]
fn the_hints_of_a_refused_status_can_be_followed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let hint = |status: &str| {
        repo.refused(1, &["edit", "ISS-100", "--status", status])["hint"].as_str().unwrap().to_owned()
    };
    repo.issue("ISS-100");
    for status in ["queued", "executing"] {
        let told = hint(status);
        assert!(told.contains("git wf plan add --queue ISS-100 FILE"), "{status}: {told}");
    }
    let planned = hint("planned");
    assert!(planned.contains("git wf plan add ISS-100 FILE") && !planned.contains("--status"), "{planned}");
    repo.wf_in(plan_on("a.txt").to_string(), &["solution", "add", "ISS-100", "-"]).ok();
    assert_eq!(hint("executing"), "`git wf next ISS-100` queues it, and claims it");
    repo.wf(&["queue", "add", "ISS-100"]).ok();
    let planned = hint("planned");
    assert!(planned.contains("git wf queue remove ISS-100") && !planned.contains("plan add"), "{planned}");
    for status in ["paused", "cancelled", "closed"] {
        match status {
            "closed" => repo.wf(&["close", "ISS-100"]).ok(),
            _ => repo.wf(&["edit", "ISS-100", "--status", status]).ok(),
        };
        for wanted in ["queued", "executing", "completed", "failed"] {
            let told = hint(wanted);
            let is_way = told.contains("git wf reopen ISS-100")
                || (status == "paused" && told.contains("git wf close ISS-100"))
                || (status == "paused" && told.contains("git wf fail"));
            assert!(is_way && !told.contains("git wf next"), "{status} → {wanted}: {told}");
        }
    }
}

#[test]
fn without_a_chosen_plan_an_issue_with_plans_is_planning() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let one = repo.planned("ISS-001", &plan_on("a.txt"));
    repo.wf_in(plan_on("b.txt").to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    repo.wf(&["bind", "ISS-001", &one]).ok();
    assert_eq!(repo.json(&["plan", "choose", "ISS-001", "--none"])["status"], json!("planning"));
}

#[test]
fn a_declared_conflict_of_items_that_depend_on_each_other_is_decided() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "1\n", "begin");
    for (id, file) in [("ISS-001", "a.txt"), ("ISS-002", "b.txt"), ("ISS-003", "c.txt")] {
        repo.queued(id, file);
    }
    let declare = |items: &str| {
        repo.wf(&["queue", "overlaps", "--add", "api", "--items", items, "-m", "same endpoint"]).ok()
    };
    declare("ISS-001,ISS-002");
    assert!(repo.wf(&["queue", "overlaps"]).ok().stdout.contains("in which order"));
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    assert!(!repo.wf(&["queue", "overlaps"]).ok().stdout.contains("in which order"));
    let states = |id: &str| repo.items().iter().find(|it| it.0 == id).unwrap().1.clone();
    assert_eq!((states("S-1"), states("S-2")), ("ready".into(), "pending".into()));
    // Through another item, too; but not of one that depends on neither.
    repo.wf(&["edit", "ISS-003", "--depends-on", "ISS-002"]).ok();
    declare("ISS-003,ISS-001");
    assert!(!repo.wf(&["queue", "overlaps"]).ok().stdout.contains("in which order"));
}
