use super::*;
use crate::model::execution::{Execution, LogEntry};
use crate::model::fixtures::entry_id;
use crate::rules::test_claim::{claim, time};
use serde_json::json;

/// An execution in which a command was run, with these exit codes.
fn execution(codes: &[i32]) -> ExecutionFolder {
    let at = time(1);
    let log = codes.iter().map(|code| LogEntry {
        id: entry_id("20261121T021405123Z-00000"),
        event: Event::Check(Check {
            task_id: None,
            command: "make test".into(),
            exit_code: Some(*code),
            duration_ms: 1,
            output_sha256: String::new(),
            output_tail: String::new(),
            commit: None,
            dirty: false,
        }),
        actor: "a".into(),
        at,
    });
    let claimed = Execution { base_commit: Some("0123456789abcdef".into()), ..claim("EXR-ISS-1-a", 1) };
    ExecutionFolder { execution: claimed, log: log.collect() }
}

fn reported() -> Reported<'static> {
    Reported {
        commits: vec![("abc1234", Placement::After)],
        files: BTreeSet::from(["src/a.rs"]),
        tests_passed: Some(true),
        acceptance_verified: None,
        errors: 0,
    }
}

fn touched() -> BTreeSet<String> {
    BTreeSet::from(["src/a.rs".into(), "src/b.rs".into()])
}

#[test]
fn what_is_so_and_what_nobody_can_tell_passes() {
    assert_eq!(differences(&reported(), &touched(), &execution(&[])), [""; 0]);
    // It failed first, and then passed.
    assert_eq!(differences(&reported(), &touched(), &execution(&[1, 0])), [""; 0]);
}

#[test]
fn the_last_check_of_a_command_counts() {
    assert_eq!(failed_checks(&execution(&[])), [""; 0]);
    assert_eq!(failed_checks(&execution(&[1, 0])), [""; 0]);
    assert_eq!(
        failed_checks(&execution(&[0, 3])),
        ["`make test` failed with exit code 3 when it was last run"]
    );
}

#[test]
fn only_what_is_committed_and_ones_own_replaces_a_failure() {
    let checks = |checks: &[(i32, bool, &str)]| {
        let mut execution = execution(&checks.iter().map(|it| it.0).collect::<Vec<_>>());
        for (entry, (_, is_dirty, actor)) in execution.log.iter_mut().zip(checks) {
            entry.actor = (*actor).into();
            let Event::Check(check) = &mut entry.event else { continue };
            check.dirty = *is_dirty;
        }
        failed_checks(&execution).len()
    };
    let me = "a";
    assert_eq!(checks(&[(1, false, me), (0, true, me)]), 1, "the fix is in no commit");
    assert_eq!(checks(&[(1, true, me), (0, true, me)]), 0);
    assert_eq!(checks(&[(1, false, me), (0, true, me), (0, false, me)]), 0);
    assert_eq!(checks(&[(0, false, me), (1, false, "someone else")]), 0, "at a commit of theirs");
}

#[test]
fn a_failure_whose_command_is_hidden_could_be_one_of_any_test() {
    let plan = plan(&[("T1", &[], &["make test", "make lint"])]);
    let notify = Plan {
        tasks: plan.tasks.into_iter().map(|task| Task { action: "notify".into(), ..task }).collect(),
        ..plan
    };
    let of = |checks: &[(&str, i32, bool)]| {
        let mut execution = execution(&checks.iter().map(|it| it.1).collect::<Vec<_>>());
        for (entry, (command, _, is_dirty)) in execution.log.iter_mut().zip(checks) {
            let Event::Check(check) = &mut entry.event else { continue };
            (check.command, check.dirty) = ((*command).into(), *is_dirty);
        }
        (missing(&notify, &execution, &[]).len(), failed_checks(&execution).len())
    };
    let (test, lint) = (("make test", 0, false), ("make lint", 0, false));
    assert_eq!(of(&[test, lint]), (0, 0));
    assert_eq!(of(&[test, lint, (REDACTED, 1, false)]), (2, 1));
    assert_eq!(of(&[test, lint, (REDACTED, 0, false)]), (0, 0));
    assert_eq!(of(&[test, (REDACTED, 1, false), lint]), (1, 0));
    assert_eq!(of(&[(REDACTED, 1, false), test, lint]), (0, 0));
    assert_eq!(of(&[(REDACTED, 1, false), ("make test", 0, true)]).1, 1, "the fix is in no commit");
}

#[test]
fn each_difference_is_named() {
    let mut wrong = reported();
    wrong.commits.extend([("def5678", Placement::Nowhere), ("0000000", Placement::Before)]);
    wrong.files.insert("src/c.rs");
    wrong.errors = 1;
    wrong.acceptance_verified = Some(false);
    let found = differences(&wrong, &touched(), &execution(&[0, 2]));
    assert_eq!(
        found,
        [
            "commit `def5678` does not exist here",
            "commit `0000000` does not descend from 0123456789, where the execution began",
            "no commit of this execution touches `src/c.rs`",
            "it is completed, but lists errors",
            "it is completed, but `acceptance_verified` is false",
            "`tests_passed` is true, and `make test` failed with exit code 2 when it was last run",
        ]
    );
}

fn plan(tasks: &[(&str, &[&str], &[&str])]) -> Plan {
    let tasks: Vec<_> = tasks
        .iter()
        .map(|(id, depends_on, commands)| {
            json!({"id": id, "title": id, "action": "Add", "depends_on": depends_on, "test": {"commands": commands}})
        })
        .collect();
    serde_json::from_value(json!({ "tasks": tasks })).unwrap()
}

#[test]
fn tests_run_in_the_order_of_the_tasks() {
    let plan = plan(&[("T1", &["T3"], &["a", "b"]), ("T2", &[], &[]), ("T3", &[], &["c"])]);
    let listed: Vec<_> = commands(&plan).into_iter().map(|(task, it)| (task.as_str(), it)).collect();
    assert_eq!(listed, [("T3", "c"), ("T1", "a"), ("T1", "b")]);
}

#[test]
fn a_cycle_loses_no_test() {
    let plan = plan(&[("T1", &["T2"], &["a"]), ("T2", &["T1"], &["b"])]);
    assert_eq!(commands(&plan).len(), 2);
}

#[test]
fn a_plan_that_needs_no_commit_is_tested_anywhere() {
    let plan =
        |task: serde_json::Value| -> Plan { serde_json::from_value(json!({"tasks": [task]})).unwrap() };
    let test = json!({"commands": ["make test"]});
    let notify = plan(json!({"id": "T1", "title": "t", "action": "notify", "test": test}));
    assert_eq!(missing(&notify, &execution(&[]), &[]), ["T1: `make test` has no passing check"]);
    assert_eq!(missing(&notify, &execution(&[0]), &[]), [""; 0]);
    assert_eq!(missing(&notify, &execution(&[0, 1]), &[]), ["T1: `make test` failed"]);
    for (action, more) in [
        ("Fix", json!({})),
        ("Notify", json!({"modification_points": [{"file": "a"}]})),
        ("Test", json!({"commit": {"type": "test"}})),
    ] {
        let mut task = json!({"id": "T1", "title": "t", "action": action, "test": test});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(missing(&plan(task), &execution(&[0]), &[]), ["no commit is linked to it"], "{action}");
    }
}
