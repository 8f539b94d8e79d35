//! Roadmaps that agents write.

use serde_json::{Value, json};

use super::{direct, issue_of};
use crate::support::{Repo, Sandbox, column};

/// An agent that answers with these documents, one after another, and keeps what it was asked.
fn answers(repo: &Repo, documents: &[&Value]) -> String {
    for (n, document) in documents.iter().enumerate() {
        repo.write(&format!("answer-{}.json", n + 1), document.to_string());
    }
    let root = repo.path().display();
    format!(
        "sh:n=$(($(cat {root}/asked 2>/dev/null || echo 0) + 1)); echo $n > {root}/asked; cat > {root}/request-$n.json; \
         echo thinking >&2; cat {root}/answer-$n.json 2>/dev/null || cat {root}/answer-1.json"
    )
}

fn store(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.commit("src/csv.rs", "one\n", "Begin");
        repo
    })
}

/// The error of a command that asks an agent, whose words are shown without `--json`.
#[track_caller]
fn refused(repo: &Repo, args: &[&str]) -> Value {
    repo.wf(&[&["--json"], args].concat()).fails(1).json_error()
}

#[test]
fn a_planner_is_told_what_is_wrong_and_its_answer_is_added() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.wf(&["wisdom", "add", "Months begin on the first", "--type", "convention"]).ok();
    let mut vague = direct();
    vague["tasks"][0]["convergence"]["criteria"] = json!(["works"]);
    let mut good = direct();
    good["wisdom"] = json!([{"type": "learning", "text": "The menu is generated"}]);
    let planner = answers(&repo, &[&vague, &good]);
    let added = repo.json(&["roadmap", "plan", "Export for teams", "--planner", &planner]);
    assert_eq!(column(&added["created"], "item"), ["T1", "T2", "T3"]);
    let first: Value = serde_json::from_str(&repo.read("request-1.json")).unwrap();
    assert_eq!((&first["kind"], &first["role"]), (&json!("roadmap"), &json!("planner")));
    assert_eq!(
        (&first["input"]["requirement"], &first["input"]["mode"]),
        (&json!("Export for teams"), &json!("auto"))
    );
    assert_eq!(first["input"]["wisdom"][0]["text"], "Months begin on the first");
    assert!(first["input"]["rules"].as_array().unwrap().len() > 10);
    crate::cli::schema::fits(&repo, "roadmap-input", &first["input"]);
    crate::cli::schema::fits(&repo, "roadmap-answer", &good);
    let second: Value = serde_json::from_str(&repo.read("request-2.json")).unwrap();
    assert!(
        second["faults"].to_string().contains("expected something that can be checked"),
        "{}",
        second["faults"]
    );
    let message = repo.git(&["log", "--format=%B", "refs/wf/main"]).ok().stdout;
    assert!(message.contains("Wf-Op: roadmap add") && message.contains("Wf-Role: planner"), "{message}");
    assert!(repo.wf(&["wisdom"]).ok().stdout.contains("The menu is generated"));
    assert_eq!(repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1, "its worktree is gone");
    // Feedback goes to the planner with the document.
    let mut changed = direct();
    changed["tasks"][1]["title"] = json!("Write HTML");
    std::fs::remove_file(repo.path().join("asked")).unwrap();
    let planner = answers(&repo, &[&changed]);
    let id = added["id"].as_str().unwrap();
    let revised =
        repo.json(&["roadmap", "revise", id, "--scope", "HTML instead of PDF", "--planner", &planner]);
    assert_eq!((&revised["id"], column(&revised["changed"], "item")), (&json!(id), vec!["T2".to_owned()]));
    let asked: Value = serde_json::from_str(&repo.read("request-1.json")).unwrap();
    assert_eq!(asked["input"]["feedback"][0]["scope"], "HTML instead of PDF");
    assert_eq!(asked["input"]["roadmap"]["document"]["title"], "Export for teams");
    let view = repo.json(&["roadmap", "show"]);
    assert_eq!(
        (&view["rounds"][0]["status"], view["rounds"].as_array().unwrap().len()),
        (&json!("answered"), 1)
    );
    assert_eq!(repo.json(&["show", &issue_of(&revised, "T2")])["title"], "[feature] Write HTML");
    // An answer without a task names the command that brings it again: there is no file.
    changed["tasks"].as_array_mut().unwrap().pop();
    std::fs::remove_file(repo.path().join("asked")).unwrap();
    let planner = answers(&repo, &[&changed]);
    let orphans = refused(&repo, &["roadmap", "revise", id, "--scope", "no menu", "--planner", &planner]);
    assert_eq!(orphans["code"], "would-orphan");
    let hint = orphans["hint"].as_str().unwrap();
    assert!(hint.contains("roadmap revise --planner") && !hint.contains("FILE"), "{hint}");
    let message = orphans["message"].as_str().unwrap();
    assert!(
        message.contains("the planner's document") && !message.contains("nothing was stored"),
        "{message}"
    );
    assert_eq!(repo.json(&["roadmap", "show"])["rounds"].as_array().unwrap().len(), 2, "the feedback stays");
}

#[test]
fn an_assessment_that_leaves_it_open_goes_back_to_people() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let mut open = json!({"title": "t", "assessment": direct()["assessment"].clone()});
    open["assessment"]["factors"]["scope_clarity"] = json!("high");
    let planner = answers(&repo, &[&open]);
    let tip = repo.tip();
    let open_one = refused(&repo, &["roadmap", "plan", "Export", "--planner", &planner]);
    assert_eq!((open_one["code"].as_str(), repo.tip()), (Some("undecided"), tip));
    let hint = open_one["hint"].as_str().unwrap();
    assert!(hint.contains("--mode progressive") && hint.contains("--mode direct"), "{hint}");
    std::fs::remove_file(repo.path().join("asked")).unwrap();
    let planner = answers(&repo, &[&open, &direct()]);
    let added = repo.json(&["roadmap", "plan", "Export", "--planner", &planner, "--mode", "direct"]);
    assert_eq!(added["mode"], "direct");
    let executor = repo.with_env("WF_ROLE", "executor");
    assert_eq!(
        executor.refused(1, &["roadmap", "plan", "x", "--planner", &planner])["code"],
        "not-your-role"
    );
    for (planner, code) in
        [("sh:exit 3", "no-answer"), ("nobody", "unknown-agent"), ("/nowhere/x", "agent-not-found")]
    {
        assert_eq!(
            refused(&repo, &["roadmap", "plan", "x", "--planner", planner])["code"],
            code,
            "{planner}"
        );
    }
    assert_eq!(repo.refused(1, &["roadmap", "plan", "x"])["code"], "no-agent");
}

#[test]
fn what_a_planner_changes_is_thrown_away() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.write("answer.json", direct().to_string());
    let root = repo.path().display().to_string();
    let planner = format!(
        "sh:cat > /dev/null; echo two > src/csv.rs; git commit -qam two; git branch mine; cat {root}/answer.json"
    );
    let ran = repo.wf(&["roadmap", "plan", "Export", "--planner", &planner]).ok();
    assert!(ran.stderr.contains("should only read, but changed its work tree"), "{}", ran.stderr);
    assert_eq!(repo.read("src/csv.rs"), "one\n");
    assert_eq!(repo.git(&["branch", "--list", "mine"]).ok().stdout, "");
}

#[test]
fn the_example_planner_makes_a_roadmap() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    if repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the example agents");
        return;
    }
    repo.write("src/b.txt", "b\n");
    repo.git(&["add", "src"]).ok();
    repo.git(&["commit", "-q", "-m", "More"]).ok();
    let planner = format!("'{}/examples/agents/planner.py'", env!("CARGO_MANIFEST_DIR"));
    repo.git(&["config", "wf.agent.planner.command", &planner]).ok();
    repo.git(&["config", "wf.run.planner", "planner"]).ok();
    let text = "Count in words\nIn src/csv.rs replace \"one\" with \"two\"\nIn src/b.txt replace \"b\" with \"c\"\nIn src/csv.rs replace \"two\" with \"three\"\n";
    let added = repo.json(&["roadmap", "plan", text]);
    assert_eq!((&added["title"], &added["mode"]), (&json!("Count in words"), &json!("direct")));
    let waves = column(&repo.json(&["list", "--wave", "1"]), "id");
    assert_eq!((waves.len(), repo.json(&["show", &issue_of(&added, "T3")])["wave"].clone()), (2, json!(2)));
}
