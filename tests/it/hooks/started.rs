//! Which git commands run by themselves while a plan is executed: each costs as much as a commit.

use serde_json::Value;

use super::Bound;
use crate::support::Repo;

/// The git commands that ran while `work` was done, sorted, without those of git's own upkeep.
fn started(it: &Bound, work: impl FnOnce(&Repo)) -> Vec<String> {
    let trace = it.sandbox.root().join("trace");
    work(&it.repo.with_env("GIT_TRACE2_EVENT", trace.to_str().unwrap()));
    let text = std::fs::read_to_string(&trace).unwrap_or_default();
    std::fs::remove_file(&trace).ok();
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut names: Vec<String> = events
        .filter(|event| event["event"] == "cmd_name")
        .filter_map(|event| event["name"].as_str().map(str::to_owned))
        .filter(|name| !["gc", "maintenance"].contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

#[test]
fn git_compares_a_staged_change_only_with_one_that_may_be_the_same() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "one");
    it.repo.commit("b", "1\n", "other");
    let another = started(&it, |repo| {
        repo.commit("a", "1\n2\n", "two");
    });
    assert_eq!(another, ["add", "commit"]);
    let back = started(&it, |repo| {
        repo.commit("a", "1\n", "back");
    });
    assert!(back.iter().any(|name| name == "patch-id"), "{back:?}");
    it.repo.git(&["switch", "-qc", "side"]).ok();
    it.repo.commit("c", "1\n", "on the side");
    it.repo.git(&["switch", "-q", "-"]).ok();
    let after_a_switch = started(&it, |repo| {
        repo.commit("a", "3\n", "three");
    });
    assert_eq!(after_a_switch, ["add", "commit"]);
}
