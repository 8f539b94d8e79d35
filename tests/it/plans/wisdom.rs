//! What the team learned: added, found, hidden, given to agents, merged.

use serde_json::json;

use crate::support::{Sandbox, Two, column, plan_on};

#[test]
fn wisdom_is_added_listed_and_found() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let added =
        repo.json(&["wisdom", "add", "Tokens expire after an hour", "--tag", "auth", "--issue", "ISS-001"]);
    assert_eq!(
        (&added["type"], &added["tags"], &added["issue_id"]),
        (&json!("learning"), &json!(["auth"]), &json!("ISS-001"))
    );
    let message = repo.last_message();
    assert!(message.starts_with("wisdom: learning\n\nWf-Op: wisdom add"), "{message}");
    repo.wf(&["wisdom", "add", "-m", "Errors are lower case", "--type", "convention"]).ok();
    repo.wf_in("Which clock?\n", &["wisdom", "add", "-", "--type", "question"]).ok();
    let texts = |args: &[&str]| column(&repo.json(&[&["wisdom"], args].concat()), "text");
    assert_eq!(texts(&[]), ["Which clock?", "Errors are lower case", "Tokens expire after an hour"]);
    assert_eq!(texts(&["--type", "convention"]), ["Errors are lower case"]);
    assert_eq!(texts(&["--tag", "AUTH"]), ["Tokens expire after an hour"]);
    assert_eq!(texts(&["--issue", "ISS-001"]), ["Tokens expire after an hour"]);
    assert_eq!(texts(&["EXPIRE", "auth"]), ["Tokens expire after an hour"]);
    assert_eq!(texts(&["nothing"]), [""; 0]);
    let paths = repo.store_paths();
    assert_eq!(paths.iter().filter(|it| it.starts_with("wisdom/20") && it.ends_with(".json")).count(), 3);
    repo.assert_ids();
    repo.wf(&["fsck"]).ok();
    for (args, code) in [
        (&["wisdom", "add", " "][..], "empty"),
        (&["wisdom", "add", "x", "--issue", "ISS-404"], "not-found"),
        (&["wisdom", "add", "x", "--run", "RUN-404"], "not-found"),
    ] {
        assert_eq!(repo.refused(1, args)["code"], code);
    }
    assert!(repo.wf(&["log"]).ok().stdout.contains("wisdom: convention"));
    assert!(repo.wf(&["wisdom"]).ok().stdout.contains("Errors are lower case"));
}

#[test]
fn every_role_gets_it_with_its_context() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["edit", "ISS-001", "--tag", "auth"]).ok();
    repo.wf(&["wisdom", "add", "of the tag", "--tag", "auth"]).ok();
    for n in 0..20 {
        repo.wf(&["wisdom", "add", &format!("other {n}")]).ok();
    }
    for (id, role) in [
        ("ISS-001", "explorer"),
        ("ISS-001", "planner"),
        (plan.as_str(), "reviewer"),
        (plan.as_str(), "executor"),
    ] {
        let context = repo.json(&["context", id, "--for", role]);
        let told = column(&context["wisdom"], "text");
        assert_eq!(
            (told.len(), told[0].as_str(), told[1].as_str()),
            (20, "of the tag", "other 19"),
            "{role}"
        );
        let left = context["left_out"].as_array().unwrap().iter().find(|it| it["what"] == "wisdom").unwrap();
        assert_eq!((&left["entries"], &left["command"]), (&json!(1), &json!("git wf wisdom --json")));
        let people = repo.wf(&["context", id, "--for", role]).ok().stdout;
        assert!(people.contains("what the team learned") && people.contains("of the tag"), "{people}");
    }
}

#[test]
fn wisdom_can_be_hidden_exported_and_merged() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    let entry = ada.json(&["wisdom", "add", "the password is hunter2", "--tag", "one"])["id"].clone();
    bea.wf(&["wisdom", "add", "of bea"]).ok();
    for repo in [ada, bea, ada] {
        repo.wf(&["sync"]).ok();
    }
    assert_eq!(column(&ada.json(&["wisdom"]), "text").len(), 2);
    assert_eq!(ada.json(&["wisdom"]), bea.json(&["wisdom"]));
    ada.wf(&["redact", "wisdom", entry.as_str().unwrap(), "-m", "a password"]).ok();
    for repo in [ada, bea] {
        repo.wf(&["sync"]).ok();
        let listed = repo.wf(&["wisdom", "--json"]).ok().stdout;
        assert!(listed.contains("[redacted]") && !listed.contains("hunter2"), "{listed}");
        assert!(!repo.wf(&["export", "jsonl"]).ok().stdout.contains("hunter2"));
        repo.wf(&["fsck"]).ok();
    }
    let other = two.sandbox.store("other");
    let exported = ada.wf(&["export", "jsonl"]).ok().stdout;
    other.wf_in(exported, &["import", "jsonl", "-"]).ok();
    assert_eq!(column(&other.json(&["wisdom"]), "text"), column(&ada.json(&["wisdom"]), "text"));
    assert_eq!(ada.refused(1, &["redact", "wisdom", "2030", "-m", "r"])["code"], "not-found");
    ada.wf(&["redact", "--purge", "--yes"]).ok();
    assert!(!ada.git(&["log", "-p", "refs/wf/main"]).ok().stdout.contains("hunter2"));
    assert_eq!(ada.json(&["wisdom"]).as_array().unwrap().len(), 2);
    ada.wf(&["fsck"]).ok();
}

#[test]
fn a_question_is_closed_by_its_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan_on("a.txt"));
    let asked = repo.json(&["wisdom", "add", "Which clock?", "--type", "question"])["id"].clone();
    let uid = asked.as_str().unwrap().rsplit('-').next().unwrap()[..8].to_owned();
    let listed = repo.wf(&["wisdom"]).ok().stdout;
    assert!(listed.contains(&format!("{uid}  question")), "{listed}");
    assert_eq!(column(&repo.json(&["wisdom", "--open"]), "text"), ["Which clock?"]);
    let said = repo.wf(&["wisdom", "answer", &uid, "Clocks are UTC"]).ok().stdout;
    assert!(said.contains("a decision, which answers") && said.contains(&uid), "{said}");
    assert_eq!(repo.json(&["wisdom", "--open"]), json!([]));
    let all = repo.json(&["wisdom"]);
    assert_eq!((&all[0]["answers"], &all[1]["answered_by"]), (&asked, &all[0]["id"]), "{all:#}");
    let listed = repo.wf(&["wisdom"]).ok().stdout;
    assert!(listed.contains(&format!("{uid}  answered")), "{listed}");
    let told = column(&repo.json(&["context", &id, "--for", "executor"])["wisdom"], "text");
    assert_eq!(told, ["Clocks are UTC"]);
    let answer = all[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(repo.refused(1, &["wisdom", "answer", &answer, "x"])["code"], "not-a-question");
    assert_eq!(repo.refused(1, &["wisdom", "answer", "nowhere", "x"])["code"], "not-found");
    repo.wf(&["fsck"]).ok();
}
