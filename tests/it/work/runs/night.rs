//! A night alone, in short: whatever goes wrong, each issue ends where the report says, and a person is told of it once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::world::World;
use crate::support::{column, plan_on};

/// The plans are made from these, each for the issue whose name its planner finds in its directory.
const PLANNER: &str = r#"request=$(cat)
case "$PWD" in
    *ISS-2) if once rejected; then cat "$HERE/ISS-2-short.json"; else cat "$HERE/ISS-2.json"; fi;;
    *ISS-6) printf '{"solutions": [%s, %s]}' "$(cat "$HERE/ISS-6.json")" "$(cat "$HERE/ISS-6-other.json")";;
    *) cat "$HERE/$(basename "$PWD" | sed s/^read-//).json";;
esac"#;

/// Rejects one plan.
const REVIEWER: &str = r#"request=$(cat)
case "$PWD$(test -e "$HERE/reviewed" && echo done)" in
    *ISS-2) touch "$HERE/reviewed"; n=20;;
    *) n=90;;
esac
echo "{\"technical\": $n, \"risk\": $n, \"completeness\": $n, \"findings\": [\"short\"]}""#;

/// Works, and meets what can go wrong: a limit, a kill of the run, a failing test, a conflict.
const EXECUTOR: &str = r#"request=$(cat)
done='{"status": "completed"}'
case "$request" in *'"kind": "resolve"'*)
    echo both > shared.txt; git add shared.txt; git commit -q --no-edit; echo "$done"; exit;;
esac
issue=$(basename "$PWD" | sed 's/^SOL-\(ISS-[0-9]\).*/\1/')
case $issue in
    ISS-1) if once limited; then echo '429 Too Many Requests, retry after 1' >&2; exit 1; fi
           if once killed; then kill -9 "$(cat "$HERE/run")"; cat "$HERE/never"; fi;;
esac
case $issue in ISS-1|ISS-4) pwd > shared.txt; git add shared.txt;; esac
date > "$issue.txt"; git add "$issue.txt"; git commit -q -m "Do $issue"; echo "$done""#;

fn told(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.sandbox.root().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn night() -> World {
    let world = World::new();
    let plan = |name: &str, issue: &str, test: &str, cost: f64| {
        let mut plan = plan_on(&format!("{issue}.txt"));
        plan["description"] = json!(format!("As {name}"));
        plan["tasks"][0]["test"]["commands"] = json!([test]);
        plan["session"] = json!({"tokens": 5, "cost": {"amount": cost, "currency": "USD"}});
        std::fs::write(world.sandbox.root().join(format!("{name}.json")), plan.to_string()).unwrap();
    };
    for n in 1..=6 {
        let issue = format!("ISS-{n}");
        let test = if n == 3 { "false".to_owned() } else { format!("test -s {issue}.txt") };
        plan(&issue, &issue, &test, if n == 5 { 9.0 } else { 0.5 });
        if n > 1 {
            world.repo.issue(&issue);
        }
    }
    plan("ISS-2-short", "ISS-2", "test -s ISS-2.txt", 0.5);
    plan("ISS-6-other", "ISS-6", "test -e ISS-6.txt", 0.5);
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    for (role, script) in [("planner", PLANNER), ("reviewer", REVIEWER), ("executor", EXECUTOR)] {
        world.agent(role, script);
    }
    let told = world.sandbox.root().join("told");
    world.repo.git(&["config", "wf.notify", &format!("cat >> '{}'", told.display())]).ok();
    world
}

#[test]
fn in_the_morning_each_issue_has_landed_or_is_named() {
    let world = night();
    // What waits for a provider needs a clock that moves.
    let repo = world.repo.without_env("GIT_COMMITTER_DATE");
    let issues = "ISS-1 ISS-2 ISS-3 ISS-4 ISS-5 ISS-6";
    let options = "--mode batch --jobs 3 --land --issue-budget '5 USD' --yes";
    let (program, here) = (env!("CARGO_BIN_EXE_git-wf"), world.sandbox.root().display());
    let run = format!("echo $$ > '{here}/run'; exec '{program}' run {issues} {options}");
    assert_ne!(repo.sh(&["-c", &run]).code, 0);
    let resumed = format!("echo $$ > '{here}/run'; exec '{program}' run resume --yes");
    let ran = repo.sh(&["-c", &resumed]).fails(1);
    let report = repo.json(&["run", "report"]);
    let by_issue: BTreeMap<&str, &Value> = report["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["issue_id"].as_str().unwrap(), it))
        .collect();
    for issue in ["ISS-1", "ISS-2", "ISS-4"] {
        assert_eq!(by_issue[issue]["status"], "completed", "{report:#}\n{}", ran.stderr);
    }
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), [""; 0], "{}", ran.stderr);
    let waiting: BTreeSet<&str> =
        report["waiting"].as_array().unwrap().iter().filter_map(|it| it["issue_id"].as_str()).collect();
    for issue in ["ISS-3", "ISS-5", "ISS-6"] {
        assert!(waiting.contains(issue), "{issue}: {:#}", report["waiting"]);
    }
    // Each is told, and an event that is told again has the same id.
    let told = told(&world);
    let kinds = |issue: &str| -> BTreeSet<&str> {
        let about = told.iter().filter(|it| it["issue_id"] == issue);
        about.map(|it| it["type"].as_str().unwrap()).collect()
    };
    let is_told = |issue: &str, kind: &str| assert!(kinds(issue).contains(kind), "{issue} {kind}: {told:#?}");
    is_told("ISS-1", "landed");
    // The run is killed while this lands.
    is_told("ISS-2", "landed");
    is_told("ISS-3", "failed");
    is_told("ISS-4", "landed");
    is_told("ISS-5", "budget");
    is_told("ISS-6", "waits");
    assert!(told.iter().any(|it| it["type"] == "over"), "{told:#?}");
    let events: BTreeSet<(&str, &str)> = told
        .iter()
        .map(|it| (it["type"].as_str().unwrap(), it["issue_id"].as_str().unwrap_or_default()))
        .collect();
    let ids: BTreeSet<&str> = told.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(events.len(), ids.len(), "{told:#?}");
    // Nothing was asked twice: one execution of what went well, and no attempt for the limit.
    for issue in ["ISS-1", "ISS-2", "ISS-4"] {
        let executions = repo.json(&["show", issue])["executions"].clone();
        assert_eq!(column(&executions, "status"), ["completed"], "{issue}: {executions:#}");
    }
    repo.wf(&["fsck"]).ok();
}
