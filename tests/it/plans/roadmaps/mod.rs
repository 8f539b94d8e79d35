//! Roadmaps: added, added again, assessed, revised, planned by agents, handed over, merged and shown.

mod agents;
mod next;
mod outdated;
mod redacted;
mod same_file;
mod screens;
mod updates;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column};

fn convergence() -> Value {
    json!({"criteria": ["`export` writes 3 files"], "verification": "run `export` and count the files",
        "definition_of_done": "A team lead hands a month over to accounting"})
}

fn task(id: &str, title: &str, file: &str, depends_on: &[&str]) -> Value {
    json!({"id": id, "title": title, "type": "feature", "scope": [file], "outputs": [], "effort": "small",
        "depends_on": depends_on, "convergence": convergence()})
}

/// Three tasks in two waves.
pub(crate) fn direct() -> Value {
    json!({
        "title": "Export for teams",
        "requirement": "Team leads want to hand a month over to accounting.",
        "assessment": {"factors": {"scope_clarity": "low", "technical_risk": "low", "dependency_unknown": "low",
            "domain_familiarity": "medium", "requirement_stability": "high"}, "goal": "Export for teams"},
        "tasks": [
            task("T1", "Write CSV", "src/csv.rs", &[]),
            task("T2", "Write PDF", "src/pdf.rs", &[]),
            task("T3", "Offer both", "src/menu.rs", &["T1", "T2"]),
        ],
        "risks": [{"risk": "accounting wants another format", "severity": "medium", "mitigation": "ask | them"}],
        "codebase_context": {"entry": "src/main.rs", "formats": ["json"]},
        "owner": "Ada"
    })
}

/// Two layers.
pub(super) fn progressive() -> Value {
    let layer = |id: &str, name: &str, scope: &str, effort: &str, on: &[&str]| {
        json!({"id": id, "name": name, "goal": format!("Teams can {scope}"), "scope": [scope], "effort": effort,
            "depends_on": on, "convergence": convergence(), "risks": ["late"]})
    };
    json!({
        "title": "用户导出", "mode": "progressive", "scope": ["export one month", "choose the columns"],
        "layers": [
            layer("L0", "MVP", "export one month", "small", &[]),
            layer("L1", "Usable", "choose the columns", "large", &["L0"]),
        ],
    })
}

/// Adds a document; the answer.
#[track_caller]
fn add(repo: &Repo, document: &Value, more: &[&str]) -> Value {
    repo.json_in(document.to_string(), &[&["roadmap", "add", "-"], more].concat())
}

fn issue_of(added: &Value, item: &str) -> String {
    let all = ["created", "changed", "unchanged", "gone"].iter().flat_map(|it| added[it].as_array().unwrap());
    all.filter(|it| it["item"] == item).map(|it| it["issue_id"].as_str().unwrap().to_owned()).next().unwrap()
}

#[test]
fn a_file_of_another_system_is_read_and_one_with_two_meanings_is_not() {
    let repo = Sandbox::new().store("a");
    let text = serde_json::to_string_pretty(&direct()).unwrap();
    repo.write("marked.json", format!("\u{feff}{}", text.replace('\n', "\r\n")));
    assert_eq!(repo.json(&["roadmap", "add", "marked.json"])["created"].as_array().unwrap().len(), 3);
    let twice = text.replacen('{', "{\"title\": \"Another\",", 1);
    let refused = repo.refused_in(twice, 1, &["roadmap", "add", "-"]);
    assert_eq!(refused["message"], "stdin is not a roadmap: the key `title` appears twice in one object");
}

#[test]
fn its_issues_are_made_in_one_commit_with_everything_that_it_says() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let before = repo.git(&["rev-list", "--count", "refs/wf/main"]).ok().line().to_owned();
    let added = add(&repo, &direct(), &[]);
    let after = repo.git(&["rev-list", "--count", "refs/wf/main"]).ok().line().to_owned();
    assert_eq!(before.parse::<u32>().unwrap() + 1, after.parse::<u32>().unwrap());
    let id = added["id"].as_str().unwrap();
    assert!(id.starts_with("RMAP-export-for-teams-2026"), "{id}");
    assert!(
        repo.last_message()
            .starts_with(&format!("roadmap: add {id} \"Export for teams\" (3 new)\n\nWf-Op: roadmap add"))
    );
    let three = repo.json(&["show", &issue_of(&added, "T3")]);
    assert_eq!(
        (&three["title"], &three["wave"], &three["priority"]),
        (&json!("[feature] Offer both"), &json!(2), &json!(4))
    );
    assert_eq!(three["tags"], json!(["direct", "feature", "roadmap", "wave-2"]));
    let mut on = vec![issue_of(&added, "T1"), issue_of(&added, "T2")];
    on.sort();
    assert_eq!(three["depends_on"], json!(on));
    let notes = &three["extended_context"]["notes"];
    assert_eq!(
        (&notes["session"], &notes["strategy"], &notes["original_id"], &notes["wave"]),
        (&json!(id), &json!("direct"), &json!("T3"), &json!(2))
    );
    let context = three["context"].as_str().unwrap();
    for section in
        ["## Goal", "## Scope", "## Convergence criteria", "## Verification", "## Definition of done"]
    {
        assert!(context.contains(section), "{context}");
    }
    let words = &three["lifecycle_requirements"];
    assert_eq!((&words["test_strategy"], &words["commit_strategy"]), (&json!("auto"), &json!("per-task")));
    let shown = repo.json(&["show", id]);
    assert_eq!((&shown["document"]["owner"], &shown["status"]), (&json!("Ada"), &json!("planning")));
    assert_eq!(column(&repo.json(&["list", "--wave", "1"]), "id").len(), 2);
    assert_eq!(column(&repo.json(&["list", "--tag", "req-plan"]), "id").len(), 3);
    repo.assert_ids();
    repo.wf(&["fsck"]).ok();
    assert!(repo.wf(&["log", id]).ok().stdout.contains("roadmap: add"));
    assert!(repo.wf(&["log", "-p", id]).ok().stdout.contains("document: new T1, T2, T3"));
}

#[test]
fn layers_of_any_script_become_waves() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let added = add(&repo, &progressive(), &[]);
    let id = added["id"].as_str().unwrap();
    assert!(id.starts_with("RMAP-用户导出-2026"), "{id}");
    let one = repo.json(&["show", &issue_of(&added, "L1")]);
    assert_eq!(
        (&one["title"], &one["priority"]),
        (&json!("[Usable] Teams can choose the columns"), &json!(2))
    );
    assert_eq!(one["tags"], json!(["progressive", "roadmap", "usable", "wave-2"]));
    assert!(one["context"].as_str().unwrap().contains("## Risks\n\n- late"));
    assert_eq!(repo.json(&["roadmap", "show", id])["waves"].as_array().unwrap().len(), 2);
    // Its last part is enough.
    let uid = id.rsplit('-').next().unwrap();
    assert_eq!(repo.json(&["roadmap", "show", uid])["id"], id);
    assert_eq!(repo.refused(1, &["show", "RMAP-nothing"])["code"], "not-found");
    assert_eq!(repo.refused(2, &["new", "x", "--id", id])["code"], "usage");
}

#[test]
fn what_is_not_sound_is_refused_as_a_whole() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let tip = repo.tip();
    let mut vague = direct();
    vague["tasks"][0]["convergence"]["criteria"] = json!(["works fine"]);
    vague["tasks"][1]["depends_on"] = json!(["T3"]);
    let refused = repo.refused_in(vague.to_string(), 1, &["roadmap", "add", "-"]);
    assert_eq!(refused["code"], "invalid-roadmap");
    let details = refused["details"].to_string();
    assert!(
        details.contains("expected something that can be checked") && details.contains("T2 → T3 → T2"),
        "{details}"
    );
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for (text, code) in [
        ("{".to_owned(), "invalid-json"),
        ("[]".to_owned(), "invalid-roadmap"),
        (deep, "invalid-json"),
        (format!("{{\"a\": \"{}\"}}", "x".repeat(1024 * 1024)), "too-large"),
        (
            json!({"title": "t", "id": "RMAP-../../x-20261121-4c8w1z0p", "tasks": []}).to_string(),
            "invalid-roadmap",
        ),
    ] {
        assert_eq!(repo.refused_in(text, 1, &["roadmap", "add", "-"])["code"], code);
    }
    for role in ["executor", "reviewer", "explorer"] {
        let error =
            repo.with_env("WF_ROLE", role).refused_in(direct().to_string(), 1, &["roadmap", "add", "-"]);
        assert_eq!(error["code"], "not-your-role", "{role}");
    }
    assert_eq!(repo.tip(), tip);
    repo.with_env("WF_ROLE", "planner").wf_in(direct().to_string(), &["roadmap", "add", "-"]).ok();
}

#[test]
fn what_the_factors_leave_open_somebody_decides() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut open = direct();
    open["mode"] = json!("auto");
    open["assessment"]["factors"]["scope_clarity"] = json!("high");
    let refused = repo.refused_in(open.to_string(), 1, &["roadmap", "add", "-"]);
    assert_eq!(refused["code"], "undecided");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("--mode progressive") && hint.contains("--mode direct"), "{hint}");
    assert_eq!(
        repo.refused_in(open.to_string(), 1, &["roadmap", "add", "-", "--mode", "progressive"])["code"],
        "other-mode"
    );
    let added = add(&repo, &open, &["--mode", "direct"]);
    assert_eq!(added["mode"], "direct");
    // It is decided from then on.
    assert_eq!(add(&repo, &open, &[])["unchanged"].as_array().unwrap().len(), 3);
    let mut other = direct();
    other["assessment"]["factors"] = json!({"scope_clarity": "high", "technical_risk": "high", "dependency_unknown": "high",
        "domain_familiarity": "low", "requirement_stability": "low"});
    other["title"] = json!("Another");
    assert_eq!(repo.refused_in(other.to_string(), 1, &["roadmap", "add", "-"])["code"], "other-mode");

    let factors = |words: [&str; 5]| {
        let names = [
            "--scope-clarity",
            "--technical-risk",
            "--dependency-unknown",
            "--domain-familiarity",
            "--requirement-stability",
        ];
        let mut args = vec!["roadmap".to_owned(), "plan".to_owned(), "--assess".to_owned()];
        args.extend(names.iter().zip(words).flat_map(|(name, word)| [(*name).to_owned(), word.to_owned()]));
        args
    };
    let assess = |words| {
        let args = factors(words);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = repo.wf(&[&["--json"], &args[..]].concat());
        (
            ran.code,
            if ran.code == 0 { ran.json()["recommended"].clone() } else { ran.json_error()["code"].clone() },
        )
    };
    assert_eq!(assess(["high", "high", "high", "low", "low"]), (0, json!("progressive")));
    assert_eq!(assess(["low", "low", "low", "high", "medium"]), (0, json!("direct")));
    assert_eq!(assess(["high", "high", "low", "low", "medium"]), (1, json!("undecided")));
    repo.write("roadmap.json", open.to_string());
    assert_eq!(repo.refused(1, &["roadmap", "plan", "--assess", "roadmap.json"])["code"], "undecided");
    let low = repo.json(&["roadmap", "plan", "--assess", "roadmap.json", "--scope-clarity", "low"]);
    assert_eq!(low["recommended"], "direct");
    assert_eq!(
        repo.refused(1, &["roadmap", "plan", "--assess", "--technical-risk", "low"])["code"],
        "incomplete"
    );
    let three = ["--technical-risk", "high", "--scope-clarity", "high", "--requirement-stability", "high"];
    let decided = repo.json(&[&["roadmap", "plan", "--assess"], &three[..]].concat());
    assert_eq!(decided["recommended"], "progressive", "the others cannot change it");
}

#[test]
fn on_a_terminal_somebody_is_asked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut open = direct();
    open["assessment"]["factors"]["scope_clarity"] = json!("high");
    repo.write("roadmap.json", open.to_string());
    let (code, shown) = repo.on_terminal("x\n", &["roadmap", "add", "roadmap.json"]);
    assert!(code == 1 && shown.contains("(progressive) or into tasks (direct)?"), "{shown}");
    let (code, shown) = repo.on_terminal("d\n", &["roadmap", "add", "roadmap.json"]);
    assert!(code == 0 && shown.contains("(direct) Export for teams"), "{shown}");
    let given = ["roadmap", "plan", "--assess", "roadmap.json"];
    assert!(repo.on_terminal("p\n", &given).1.contains("progressive"));
    let id = repo.json(&["roadmap", "list"])[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(repo.json(&["trace", &id])["issues"].as_array().unwrap().len(), 3);
}
