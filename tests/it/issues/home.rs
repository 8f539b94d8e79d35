//! `git wf` without a command.

use serde_json::{Value, json};

use crate::support::{Sandbox, plan_on};

#[test]
fn before_init_it_says_what_init_would_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains("`git wf init` creates it"), "{said}");
    assert_eq!(repo.wf(&["--json"]).json()["next"][0]["operation"], "init");
    assert!(repo.wf(&["list"]).code != 0, "nothing was created");
}

#[test]
fn it_says_what_is_ready_and_blocked_and_what_waits_for_whom() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    assert_eq!(repo.wf(&["--json"]).json()["next"][0]["operation"], "new");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
    let home = repo.wf(&["--json"]).json();
    assert_eq!((&home["ready"]["count"], &home["blocked"]["count"]), (&json!(1), &json!(1)), "{home}");
    assert_eq!(home["blocked"]["first"][0]["blocked_by"][0]["issue_id"], "ISS-001");
    assert_eq!(home["next"][0]["operation"], "next");
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains("ready (1)") && said.contains("queued, not ready (1)"), "{said}");

    repo.wf(&["next", "--local"]).ok();
    let home = repo.wf(&["--json"]).json();
    assert_eq!(home["execution"]["task"]["id"], "T1", "{home}");
    assert_eq!(home["next"][0]["operation"], "show");
    repo.wf(&["fail", "-m", "it does not build"]).ok();
    repo.wf(&["wisdom", "add", "Who owns the parser?", "--type", "question"]).ok();
    let kinds = |home: &Value| -> Vec<String> {
        let all = home["attention"].as_array().unwrap().iter();
        all.map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
    };
    let home = repo.wf(&["--json"]).json();
    assert_eq!(kinds(&home), ["failure", "question"], "{home}");
    assert_eq!(home["next"][0]["operation"], "retry");
    let home = repo.with_env("WF_ROLE", "planner").wf(&["--json"]).json();
    assert_eq!(kinds(&home), ["question"], "a planner may not retry: {home}");
}

#[test]
fn issues_outside_the_queues_are_named_with_what_they_wait_for() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["new", "Two", "--id", "ISS-002", "--depends-on", "ISS-001"]).ok();
    let home = repo.wf(&["--json"]).json();
    assert_eq!(home["unblocked"]["first"][0]["issue_id"], "ISS-001", "{home}");
    assert_eq!(home["waiting"]["first"][0]["waits_for"], json!(["ISS-001"]));
    assert_eq!((&home["unblocked"]["count"], &home["waiting"]["count"]), (&json!(1), &json!(1)));
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains("not queued (1)\n    ISS-001  registered  One\n"), "{said}");
    assert!(said.contains("waiting for other work (1)\n    ISS-002  after ISS-001  Two\n"), "{said}");
    repo.wf(&["close", "ISS-001", "-m", "done"]).ok();
    let home = repo.wf(&["--json"]).json();
    assert_eq!((&home["unblocked"]["count"], &home["waiting"]["count"]), (&json!(1), &json!(0)));
}

#[test]
fn each_thing_that_waits_says_what_to_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    for id in ["ISS-001", "ISS-002"] {
        repo.queued(id, &format!("src/{id}.rs"));
        repo.wf(&["next", id, "--local"]).ok();
        repo.wf(&["fail", "-m", "it does not build"]).ok();
    }
    let said = repo.wf(&[]).ok().stdout;
    let lines: Vec<&str> = said.lines().collect();
    for id in ["ISS-001", "ISS-002"] {
        let row = lines.iter().position(|line| line.starts_with("    failed") && line.contains(id)).unwrap();
        assert_eq!(lines[row + 1], format!("      `git wf retry {id}` queues it again"), "{said}");
    }
    let plain = repo.wf(&["--plain"]).ok().stdout;
    let (_, after) = plain.split_once("failed, ISS-001, ").unwrap();
    assert_eq!(after.lines().nth(1), Some("`git wf retry ISS-001` queues it again"), "{plain}");
}

#[test]
fn an_expired_lease_is_named_by_its_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next", "--local"]).ok();
    sandbox.advance(5 * 3600);
    let said = repo.wf(&[]).ok().stdout;
    let row = said.lines().find(|line| line.contains("expired")).unwrap();
    assert!(row.contains("ISS-001") && row.contains("; the lease expired at "), "{said}");
    assert!(!row.contains("EXR-"), "{said}");
    let item = repo.wf(&["--json"]).json()["attention"][0]["first"][0].clone();
    let expired_at = item["expired_at"].as_str().unwrap();
    assert!(expired_at.starts_with("2026-11-21T06:00:") && item["actor"].is_string(), "{item}");
    for (form, shown) in [("unix", "expired at 17952"), ("short", "expired at 2026-11-21T06:00:")] {
        let said = repo.wf(&[&format!("--date={form}")]).ok().stdout;
        assert!(said.contains(shown), "{said}");
    }
}

#[test]
fn titles_are_whole_for_programs_and_fit_a_terminal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    let title = format!("{}日本語の題名 🚀👩\u{200d}💻 to the end", "A long title of many words ".repeat(8));
    repo.wf(&["edit", "ISS-001", "--title", &title]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next", "--local"]).ok();
    assert_eq!(repo.wf(&["--json"]).json()["execution"]["title"], title);
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains(&format!("executing ISS-001  {title}\n")), "{said}");
    let (_, shown) = repo.on_terminal_of(60, &[]);
    let line = shown.lines().find(|line| line.contains("executing")).unwrap();
    assert!(line.ends_with('…'), "{line:?}");
    // Agents get what their budget allows.
    let primed = repo.json(&["prime"]);
    assert!(primed["execution"]["title"].as_str().unwrap().ends_with('…'), "{primed}");
    let plain = repo.wf(&["--plain"]).ok().stdout;
    assert!(plain.contains("next: git wf show: ") && !plain.contains("next:,"), "{plain}");
}

#[test]
fn a_bare_repository_executes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.bare("hub");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["new", "Two", "--id", "ISS-002", "--depends-on", "ISS-001", "--priority", "1"]).ok();
    assert_eq!(repo.wf(&["--json"]).json()["is_bare"], true);
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.starts_with("bare repository\n") && !said.contains("worktree"), "{said}");
    assert!(said.contains("git wf plan ISS-001 "), "nothing is in the way of that one: {said}");
}

#[test]
fn a_plan_that_a_gate_keeps_out_of_the_queue_is_not_suggested() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.wf(&["new", "One", "--id", "ISS-001", "-p", "1"]).ok();
    repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "ISS-001"]).ok();
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    assert!(repo.wf(&[]).ok().stdout.contains("git wf queue add ISS-001"));
    repo.wf(&["settings", "review=required"]).ok();
    let said = repo.wf(&[]).ok().stdout;
    assert!(!said.contains("queue add"), "neither was reviewed: {said}");
    let bea = repo.as_person("Bea", "bea@example.org");
    bea.wf(&["solution", "review", "ISS-002", "--technical", "90", "--risk", "90", "--completeness", "90"])
        .ok();
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains("git wf queue add ISS-002") && !said.contains("queue add ISS-001"), "{said}");
}

#[test]
fn a_person_is_led_to_the_editor_and_an_agent_to_the_context() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.issue("ISS-001");
    let said = repo.wf(&[]).ok().stdout;
    assert!(said.contains("git wf plan ISS-001 "), "{said}");
    let said = repo.with_env("CLAUDECODE", "1").wf(&[]).ok().stdout;
    assert!(said.contains("git wf context ISS-001 "), "{said}");
    let refused = repo.wf(&["queue", "add", "ISS-001"]).fails(1).stderr;
    assert!(
        refused.contains("`git wf plan ISS-001` writes a plan; `git wf plan add ISS-001 FILE`"),
        "{refused}"
    );
}

#[test]
fn a_configured_remote_that_does_not_exist_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.git(&["config", "wf.remote", "nobody"]).ok();
    let home = repo.wf(&["--json"]).json();
    assert!(home["warnings"][0].as_str().is_some_and(|it| it.contains("`nobody`")), "{home}");
    assert_eq!(home["sync"], json!({}), "{home}");
}

#[test]
fn a_claim_whose_worktree_is_gone_is_named_with_what_gives_it_up() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.commit("src/a.rs", "one\n", "Begin");
    for (issue, removal) in [("ISS-001", true), ("ISS-002", false)] {
        repo.queued(issue, &format!("src/{issue}.rs"));
        let linked = repo.worktree(issue, &format!("branch-{issue}"));
        linked.wf(&["next", issue, "--local"]).ok();
        assert_eq!(repo.wf(&["--json"]).ok().json()["attention"], json!([]));
        if removal {
            repo.git(&["worktree", "remove", linked.path().to_str().unwrap()]).ok();
        } else {
            std::fs::remove_dir_all(linked.path()).unwrap();
        }
        let home = repo.wf(&["--json"]).ok().json();
        assert_eq!(home["attention"][0]["kind"], "lease", "{home}");
        assert_eq!(home["attention"][0]["first"][0]["gone_worktree"], issue, "{home}");
        let said = repo.wf(&["status"]).ok().stdout;
        let row = said.lines().find(|line| line.contains("abandoned")).unwrap();
        assert!(row.contains(&format!("in the worktree `{issue}`, which is gone")), "{said}");
        assert!(said.contains(&format!("`git wf lease release {issue}` gives it up")), "{said}");
        repo.wf(&["lease", "release", issue]).ok();
        assert_eq!(repo.wf(&["--json"]).ok().json()["attention"], json!([]));
    }
}
