//! `solution diff`.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan, plan_on};

fn paths(answer: &Value) -> Vec<String> {
    column(&answer["changes"], "path")
}

#[test]
fn two_plans_are_compared_task_by_task() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = repo.planned("ISS-001", &plan());
    let mut other = plan();
    other["score"] = json!(0.90);
    other["tasks"][0]["title"] = json!("Add a leaky bucket");
    other["tasks"][1]["id"] = json!("T3");
    let two = repo.json_in(other.to_string(), &["solution", "add", "ISS-001"])["added"][0].clone();
    let two = two.as_str().unwrap();
    let answer = repo.json(&["solution", "diff", &one, two]);
    assert_eq!(paths(&answer), ["tasks[T1].title", "tasks[T3]", "tasks[T2]"]);
    assert_eq!(column(&answer["changes"], "task_id"), ["T1", "T3", "T2"]);
    let first = &answer["changes"][0];
    assert_eq!((&first["old"], &first["new"]), (&json!("Add a token bucket"), &json!("Add a leaky bucket")));
    assert_eq!(answer["changes"][1]["old"], Value::Null);
    assert_eq!(answer["from"]["plan_digest"], repo.json(&["show", &one])["plan_digest"]);
    repo.screen("plans/diff-of-two", &["solution", "diff", &one, two]);
    let same = repo.wf(&["solution", "diff", &one, &one]).ok().stdout;
    assert!(same.ends_with("no difference\n"), "{same}");
}

#[test]
fn one_plan_is_compared_with_what_it_was() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let at = |time: &str| repo.with_env("GIT_COMMITTER_DATE", time).with_env("GIT_AUTHOR_DATE", time);
    let id = at("2026-11-01T10:00:00Z").planned("ISS-001", &plan_on("src/a.rs"));
    assert!(repo.wf(&["solution", "diff", &id]).ok().stdout.ends_with("no difference\n"));
    let edit = |time: &str, title: &str| {
        at(time).wf(&["task", "edit", &id, "T1", "--title", title]).ok();
        repo.tip().unwrap()
    };
    let second = edit("2026-11-03T10:00:00Z", "The second");
    edit("2026-11-05T10:00:00Z", "The third");
    repo.wf(&["comment", "ISS-001", "-m", "no change of the plan"]).ok();
    let titles = |args: &[&str]| {
        let answer = repo.json(&[&["solution", "diff"], args].concat());
        let change = &answer["changes"][0];
        format!("{} > {}", change["old"].as_str().unwrap_or("-"), change["new"].as_str().unwrap_or("-"))
    };
    let earlier = |n: usize| format!("{id}@{{{n}}}");
    assert_eq!(titles(&[&id]), "The second > The third");
    assert_eq!(titles(&[&earlier(1), &id]), "The second > The third");
    assert_eq!(titles(&[&earlier(2)]), "Add a token bucket > The third");
    assert_eq!(titles(&[&earlier(2), &earlier(1)]), "Add a token bucket > The second");
    assert_eq!(titles(&[&earlier(0), &earlier(2)]), "The third > Add a token bucket");
    assert_eq!(titles(&[&id, "--since", "2026-11-02"]), "Add a token bucket > The third");
    assert_eq!(titles(&[&id, "--since", "2026-11-04 12:00:00"]), "The second > The third");
    assert_eq!(titles(&[&id, "--since", &second]), "The second > The third");
    let code = at("2026-11-02T10:00:00Z").commit("a.txt", "a\n", "code");
    assert_eq!(titles(&[&id, "--since", &code]), "Add a token bucket > The third");
    assert_eq!(repo.refused(1, &["solution", "diff", &id, "--since", "2026-10-01"])["code"], "not-found");
    assert_eq!(repo.refused(1, &["solution", "diff", &id, "--since", "whenever"])["code"], "unknown-moment");
    assert_eq!(repo.refused(1, &["solution", "diff", &earlier(3)])["code"], "not-found");
    assert_eq!(repo.refused(2, &["solution", "diff", &format!("{id}@{{x}}")])["code"], "usage");
    assert_eq!(repo.refused(1, &["solution", "diff", "SOL-ISS-404-1"])["code"], "not-found");
}

#[test]
fn a_plan_is_shown_as_it_was_before() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    let before = repo.json(&["solution", "show", &id]);
    repo.wf(&["task", "edit", &id, "T1", "--title", "Another title"]).ok();
    let then = repo.json(&["solution", "show", &format!("{id}@{{1}}")]);
    assert_eq!((&then["plan_digest"], &then["tasks"]), (&before["plan_digest"], &before["tasks"]));
    let now = repo.json(&["solution", "show", &format!("{id}@{{0}}")]);
    assert_eq!(now["tasks"][0]["title"], "Another title");
    assert_eq!(repo.refused(1, &["solution", "show", &format!("{id}@{{2}}")])["code"], "not-found");
    assert_eq!(repo.refused(2, &["solution", "show", &format!("{id}@{{x}}")])["code"], "usage");
}
