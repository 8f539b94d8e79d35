//! Answers are of bounded length, whatever the records hold.

use serde_json::{Value, json};

use super::Client;
use crate::support::{Repo, Sandbox, plan_on};

fn code(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        repo.commit("src/a.rs", "one\n", "Begin");
        repo.wf(&["hooks", "install"]).ok();
        repo
    })
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

#[test]
fn the_output_of_tests_is_short_and_given_once() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    let mut plan = plan_on("src/a.rs");
    let tests = ["one", "two", "three"].map(|word| format!("yes {word} | head -n 2000"));
    let task = plan["tasks"][0].clone();
    let tasks = (1..=5).map(|n| {
        let mut task = task.clone();
        task["id"] = json!(format!("T{n}"));
        task["test"]["commands"] = json!(tests);
        task
    });
    plan["tasks"] = tasks.collect();
    repo.planned("ISS-001", &plan);
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("src/a.rs", "two\n", "Change");
    assert_eq!(repo.on_terminal("y\n", &["verify"]).0, 0);
    let mut client = Client::of(&repo, &[]);
    let mut verified = client.call("verify", json!({}));
    for _ in 0..2 {
        verified = client.call("verify", json!({}));
    }
    assert!(size(&verified) < 13_000, "{}: {verified:#}", size(&verified));
    let checks = verified["checks"].as_array().unwrap();
    let id = verified["execution_id"].as_str().unwrap().to_owned();
    let mark = format!("[last 1000 of 4095 characters; `git wf show {id} --json` shows all] …");
    let output = checks[0]["output_tail"].as_str().unwrap();
    assert_eq!(checks.len(), 15);
    assert!(output.starts_with(&mark[..14]) && output.trim_end().ends_with("one\none"), "{output}");
    assert!(output.contains(&format!("`git wf show {id} --json` shows all")), "{output}");
    let again = checks.iter().filter(|it| it["output_tail"] == "(as above)").count();
    assert_eq!(again, 12, "{verified:#}");

    let shown = client.call("show", json!({"id": "ISS-001", "include": ["executions"]}));
    let left_out =
        format!("45 earlier results are left out of `checks`; `git wf show {id} --json` shows all");
    assert_eq!(shown["warnings"], json!([left_out]));
    let finished = client.call("finish", json!({"outcome": "completed", "summary": "Done", "verify": true}));
    let traced = client.call("trace", json!({"of": "HEAD"}));
    let issue = client.call("trace", json!({"of": "ISS-001"}));
    let execution = client.call("show", json!({"id": id}));
    let read = client.ask("resources/read", json!({"uri": "wf://issue/ISS-001"}));
    for answer in [&shown, &finished, &traced, &issue, &execution, &read] {
        assert!(size(answer) < 40_000, "{}: {answer:#}", size(answer));
    }
    // On the command line, all of it.
    assert_eq!(repo.json(&["show", &id])["checks"].as_array().unwrap().len(), 75);
}

#[test]
fn long_texts_are_cut_in_every_answer() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    let long = "long!".repeat(80_000);
    repo.wf_in(
        json!({"title": "Long", "context": long}).to_string(),
        &["new", "--id", "ISS-001", "--from-json", "-"],
    )
    .ok();
    let mut plan = plan_on("src/a.rs");
    plan["description"] = json!("wide!".repeat(40_000));
    let id = repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    let mut client = Client::of(&repo, &[]);
    client.call("claim", json!({"item": "ISS-001", "task": "T1"}));
    repo.commit("src/a.rs", "two\n", "Change");
    let summary = "done!".repeat(40_000);
    let finished = client.call("finish", json!({"outcome": "completed", "summary": summary}));
    let found = client.call("find", json!({"all": true, "fields": ["id", "context"]}));
    let alone = client.call("find", json!({"all": true, "fields": ["context"]}));
    let review = client.call("plan_context", json!({"id": id, "role": "reviewer"}));
    let asked = client.ask("prompts/get", json!({"name": "reviewer", "arguments": {"plan": id}}));
    let traced = ["HEAD", "ISS-001", "src/a.rs:1"].map(|of| client.call("trace", json!({"of": of})));
    let answers = [&finished, &found, &alone, &review, &asked].into_iter().chain(&traced);
    for answer in answers {
        assert!(size(answer) < 60_000, "{}: {answer:#}", size(answer));
    }
    let mark = |id: &str, length, first| {
        format!("[first {first} of {length} characters; `git wf show {id} --json` shows all]")
    };
    let of_issue = mark("ISS-001", 400_000, 16_000);
    for answer in [&found, &traced[0], &traced[1]] {
        assert!(answer.to_string().contains(&of_issue), "{answer:#}");
    }
    // Parts of an issue are cut shorter.
    for (answer, first) in [(&review, 16_000), (&asked, 16_000), (&traced[0], 4_000)] {
        assert!(answer.to_string().contains(&mark(&id, 200_000, first)), "{answer:#}");
    }
    assert!(alone.to_string().contains(&mark("ID", 400_000, 16_000)), "{alone:#}");
    assert!(finished.to_string().contains("of 200000 characters"), "{finished:#}");
}

#[test]
fn resources_are_listed_page_by_page() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let lines: Vec<String> =
        (0..105).map(|n| json!({"id": format!("ISS-{n:03}"), "title": "x"}).to_string()).collect();
    for line in &lines {
        repo.wf_in(line, &["new", "--from-json", "-"]).ok();
    }
    let mut client = Client::of(&repo, &[]);
    let first = client.ask("resources/list", json!({}));
    let next = client.ask("resources/list", json!({"cursor": first["nextCursor"]}));
    let uris = |page: &Value| -> Vec<String> {
        page["resources"].as_array().unwrap().iter().map(|it| it["uri"].to_string()).collect()
    };
    let mut all = [uris(&first), uris(&next)].concat();
    assert_eq!((uris(&first).len(), uris(&next).len(), next.get("nextCursor")), (101, 5, None));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 106);
    // A change on any page is a change of the list. The last one on the list is of low priority.
    repo.wf(&["new", "Another", "--id", "ISS-900", "--priority", "trivial"]).ok();
    client.notified("notifications/resources/list_changed");
    let wrong = client.ask("resources/list", json!({"cursor": "x"}));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}
