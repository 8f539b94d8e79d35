//! One command for one thing: what a command took over from others, and words that are understood but not taught.

use serde_json::json;

use crate::support::{Repo, Sandbox};

/// A store with a queued item, in a repository with a commit.
fn queued(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.commit("src/a.rs", "one\n", "Begin");
        repo.queued("ISS-001", "src/a.rs");
        repo
    })
}

#[test]
fn an_issue_is_closed_as_what_it_is() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["ISS-001", "ISS-002", "ISS-003", "ISS-004"] {
        repo.issue(id);
    }
    let closed = |args: &[&str]| {
        let issue = repo.json(&[&["close"], args].concat());
        (issue["status"].clone(), issue["close_reason"].clone())
    };
    assert_eq!(closed(&["ISS-001", "released"]), (json!("closed"), json!("released")));
    assert_eq!(
        closed(&["ISS-002", "--as", "duplicate", "-m", "of ISS-001"]),
        (json!("closed"), json!("duplicate: of ISS-001"))
    );
    assert_eq!(
        closed(&["ISS-003", "--as", "cancelled", "-m", "nobody needs it"]),
        (json!("cancelled"), json!("nobody needs it"))
    );
    repo.changes_nothing(&["close", "ISS-003", "--as", "cancelled"]);
    assert!(repo.wf(&["show", "ISS-003"]).ok().stdout.contains("closed as cancelled"));
    repo.wf(&["close", "--where", "--status registered", "--as", "cancelled", "--yes"]).ok();
    assert_eq!(repo.json(&["show", "ISS-004"])["status"], "cancelled");
    repo.refused(2, &["close", "ISS-004", "--as", "done"]);
    for (id, how, said) in [
        ("ISS-005", "completed", "closed ISS-005\n"),
        ("ISS-006", "cancelled", "closed ISS-006 as cancelled\n"),
        ("ISS-007", "duplicate", "closed ISS-007 as a duplicate\n"),
    ] {
        repo.issue(id);
        assert_eq!(repo.wf(&["close", id, "--as", how]).ok().stdout, said);
    }
}

#[test]
fn the_words_of_a_plan_are_those_of_its_tasks() {
    let sandbox = Sandbox::new();
    let repo = queued(&sandbox);
    repo.wf(&["queue", "remove", "ISS-001"]).ok();
    let title = ["task", "add", "ISS-001", "--title", "Print", "--action", "Add"];
    let steps = ["--step", "a", "--step", "b", "--verify", "run sh t.sh: it prints 3"];
    let values = ["--done-when", "it prints 3", "--test", "sh t.sh", "--path", "a.sh", "--after", ""];
    let added = repo.json(&[&title[..], &steps, &values].concat());
    let task = added["tasks"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&task["test"]["commands"][0], &added["files_touched"][0]),
        (&json!("sh t.sh"), &json!("a.sh")),
        "{added}"
    );
    for option in ["--criterion", "--test-command", "--file", "--depends-on"] {
        repo.refused(2, &[&title[..], &steps, &[option, "T1"]].concat());
    }
    assert_eq!(repo.json(&["list", "--has-plan"]).as_array().unwrap().len(), 1);
    let plan = repo.json(&["plan", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    for option in ["--plan", "--solution"] {
        assert_eq!(
            repo.json(&["feedback", "ISS-001", "Use it", option, &plan])["detail"]["solution_id"],
            plan.as_str()
        );
    }
}

#[test]
fn no_answer_begins_with_a_blank_line_and_ids_of_executions_are_short() {
    let sandbox = Sandbox::new();
    let repo = queued(&sandbox);
    repo.wf(&["next"]).ok();
    let execution = repo.json(&["show", "ISS-001"])["executions"][0]["id"].as_str().unwrap().to_owned();
    assert!(repo.wf(&["trace", "ISS-001"]).ok().stdout.starts_with("issue ISS-001 "));
    let diff = repo.wf(&["diff"]).ok().stdout;
    assert!(diff.contains(&execution[..execution.len() - 18]) && !diff.contains(&execution), "{diff}");
}

#[test]
fn a_person_approves_or_rejects_a_plan() {
    let sandbox = Sandbox::new();
    let repo = queued(&sandbox);
    let bea = repo.as_person("Bea", "bea@example.org");
    let approved = bea.json(&["plan", "review", "ISS-001", "--approve"]);
    assert_eq!(approved["review"]["verdict"], "approved", "{approved}");
    let error = bea.refused(2, &["plan", "review", "ISS-001", "--reject"]);
    assert!(error["hint"].as_str().unwrap().contains("--reject -m TEXT ISS-001"), "{error}");
    let rejected = bea.json(&["plan", "review", "ISS-001", "--reject", "-m", "Keep the old limit"]);
    assert_eq!(
        (&rejected["review"]["verdict"], &rejected["review"]["findings"]),
        (&json!("rejected"), &json!(["Keep the old limit"]))
    );
    bea.refused(2, &["plan", "review", "ISS-001", "--approve", "--reject", "-m", "x"]);
    bea.refused(2, &["plan", "review", "ISS-001", "--approve", "--technical", "90"]);
}

#[test]
fn an_item_is_shown_as_its_executor_needs_it() {
    let sandbox = Sandbox::new();
    let repo = queued(&sandbox);
    let shown = repo.json(&["show", "S-1"]);
    assert_eq!(shown, repo.json(&["detail", "S-1"]), "`detail` is a word of ccw");
    assert_eq!((&shown["item_id"], &shown["issue_id"]), (&json!("S-1"), &json!("ISS-001")));
    assert_eq!(repo.refused(1, &["show"])["code"], "no-claim");
    repo.wf(&["next"]).ok();
    assert_eq!(repo.json(&["show"])["item_id"], "S-1");
}

#[test]
fn next_queues_the_plan_of_an_issue_and_only_that_has_a_gate() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.planned("ISS-001", &crate::support::plan_on("src/a.rs"));
    assert_eq!(repo.refused(2, &["next", "--force", "--reason", "late"])["code"], "usage");
    assert_eq!(repo.json(&["next", "ISS-001"])["item_id"], "S-1");
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["op"], "next");
}

#[test]
fn what_holds_for_the_project_is_set_in_one_place() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let set = repo.json(&["settings", "review=required", "commits=required"]);
    assert_eq!(
        (&set["policy"]["review"], &set["policy"]["commits"]),
        (&json!("required"), &json!("required"))
    );
    assert_eq!(
        repo.json(&["settings", "guidelines=Small commits"])["project"]["guidelines"],
        "Small commits"
    );
    assert_eq!(repo.json(&["settings", "guidelines", "-m", "None"])["project"]["guidelines"], "None");
    assert_eq!(repo.json(&["settings", "guidelines="])["project"], json!({}));
    repo.changes_nothing(&["settings", "review=required"]);
    repo.refused(2, &["settings", "review=required", "-m", "text"]);
}

#[test]
fn the_short_help_has_the_options_of_the_command_alone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let (short, long) = (repo.wf(&["reopen", "-h"]).ok().stdout, repo.wf(&["reopen", "--help"]).ok().stdout);
    assert!(short.contains("--message") && !short.contains("--color <WHEN>"), "{short}");
    assert!(short.contains("Every command also takes --json"), "{short}");
    assert!(long.contains("--color <WHEN>") && !long.contains("Every command also takes"), "{long}");
    let words = repo.wf(&["help", "words"]).ok().stdout;
    for word in ["issue", "plan", "task", "item", "group", "execution", "attempt"] {
        assert!(words.lines().any(|line| line.trim_start().starts_with(word)), "{word}: {words}");
    }
    assert!(words.lines().count() <= 24, "it is one screen: {words}");
    // Words of ccw are understood, but no help teaches them.
    let all = repo.wf(&["-h"]).ok().stdout;
    for word in ["solution", "bind", "detail", "status", "start", "relink", "policy"] {
        assert!(!all.lines().any(|line| line.trim_start().starts_with(&format!("{word} "))), "{word}");
    }
}

#[test]
fn a_duplicate_names_its_original() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    let closed = repo.json(&["close", "ISS-002", "--as", "duplicate", "--of", "ISS-001"]);
    assert_eq!(
        (&closed["close_reason"], &closed["relations"]),
        (&json!("duplicate"), &json!(["duplicates:ISS-001"]))
    );
    repo.refused(2, &["close", "ISS-001", "--of", "ISS-002"]);
    assert_eq!(
        repo.refused(1, &["close", "ISS-001", "--as", "duplicate", "--of", "ISS-002"])["code"],
        "cycle"
    );
    assert_eq!(
        repo.refused(1, &["close", "ISS-001", "--as", "duplicate", "--of", "ISS-9"])["code"],
        "not-found"
    );
    let row = repo.wf(&["list", "--all"]).ok().stdout;
    assert!(row.contains("closed"), "{row}");
}

#[test]
fn no_option_is_ignored() {
    let sandbox = Sandbox::new();
    let repo = queued(&sandbox);
    for words in [
        &["queue", "overlaps", "-m", "why"][..],
        &["link", "--find", "--force", "--reason", "why"],
        &["show", "--imported"],
    ] {
        repo.refused(2, words);
    }
    assert!(repo.wf(&["queue", "overlaps"]).ok().stderr.contains("no two plans of the queue share a file"));
    repo.wf(&["feedback", "ISS-001", "slow"]).ok();
    assert_eq!(repo.json(&["feedback", "list", "ISS-001"])[0]["content"], "slow");
    assert_eq!(repo.json(&["feedback", "list"]).as_array().unwrap().len(), 1);
    let error = repo.refused(1, &["settings", "land.onto=nobranch"]);
    assert_eq!(error["code"], "not-found");
    repo.wf(&["settings", "land.onto=main"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["accept", "T1.1", "-m", "seen"]).ok();
    repo.wf(&["accept", "T1", "1", "seen again"]).ok();
}
