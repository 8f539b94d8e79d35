//! A hidden text is hidden in each entry that repeats it.

use crate::support::{Repo, Sandbox, plan_on};

const SECRET: &str = "hunter2";

fn entries(repo: &Repo, log: &str) -> Vec<String> {
    let name = |path: &String| Some(path.split_once(log)?.1.strip_suffix(".json")?.to_owned());
    repo.store_paths().iter().filter_map(name).collect()
}

#[track_caller]
fn assert_hidden(repo: &Repo, more: &[&[&str]]) {
    for args in [&[&["export", "jsonl"][..], &["log", "-p"]], more].concat() {
        let shown = repo.wf(args).ok().stdout;
        assert!(!shown.contains(SECRET), "{args:?}: {shown}");
    }
    repo.wf(&["fsck"]).ok();
}

#[test]
fn the_reason_of_a_conflict_is_hidden_in_its_decision_and_in_another_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let queue = |ids: &[&str]| {
        let queue = repo.wf(&["queue", "new"]).ok().line().to_owned();
        for id in ids {
            repo.planned(id, &plan_on(&format!("src/{id}.rs")));
            repo.wf(&["queue", "add", id, "--queue", &queue]).ok();
        }
        queue
    };
    let one = queue(&["A-1"]);
    let two = queue(&["B-1", "B-2"]);
    repo.wf(&["queue", "conflict", "add", "--type", "api", "--items", "B-1,B-2", "--rationale", SECRET]).ok();
    let first = entries(&repo, &format!("{two}/conflicts/")).pop().unwrap();
    repo.wf(&["queue", "resolve", "CFT-1", "--order", "B-1,B-2"]).ok();
    repo.wf(&["queue", "merge", &two, &one]).ok();
    assert_eq!(entries(&repo, &format!("{one}/conflicts/")).len(), 1);
    repo.wf(&["redact", &two, &format!("conflicts/{first}"), "-m", "a password"]).ok();
    assert_hidden(&repo, &[&["queue", "show", &one, "--json"], &["queue", "show", &two, "--json"]]);
}
