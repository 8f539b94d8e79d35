use super::*;
use crate::model::fixtures::entry_id;
use crate::model::{Execution, LogEntry};
use crate::rules::test_claim::{claim, time};
use proptest::prelude::*;
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
            tree: None,
            output_sha256: String::new(),
            tests: None,
            named_tests: vec![],
            proof: None,
            signature: None,
            signed_at: None,
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
        let mut execution = execution(&checks.iter().map(|check| check.0).collect::<Vec<_>>());
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
        let mut execution = execution(&checks.iter().map(|check| check.1).collect::<Vec<_>>());
        for (entry, (command, _, is_dirty)) in execution.log.iter_mut().zip(checks) {
            let Event::Check(check) = &mut entry.event else { continue };
            (check.command, check.dirty) = ((*command).into(), *is_dirty);
        }
        (
            missing(&notify, &execution, &[], GateValue::Open, PlanReview::None).len(),
            failed_checks(&execution).len(),
        )
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
    let listed: Vec<_> =
        commands(&plan).into_iter().map(|(task, command)| (task.as_str(), command)).collect();
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
    assert_eq!(
        missing(&notify, &execution(&[]), &[], GateValue::Open, PlanReview::None),
        ["T1: `make test` has no passing check"]
    );
    assert_eq!(missing(&notify, &execution(&[0]), &[], GateValue::Open, PlanReview::None), [""; 0]);
    assert_eq!(
        missing(&notify, &execution(&[0, 1]), &[], GateValue::Open, PlanReview::None),
        ["T1: `make test` failed"]
    );
    for (action, more) in [
        ("Fix", json!({})),
        ("Notify", json!({"modification_points": [{"file": "a"}]})),
        ("Test", json!({"commit": {"type": "test"}})),
    ] {
        let mut task = json!({"id": "T1", "title": "t", "action": action, "test": test});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(
            missing(&plan(task), &execution(&[0]), &[], GateValue::Open, PlanReview::None),
            ["no commit is linked to it"],
            "{action}"
        );
    }
}

/// A check of `make test` at a commit.
fn check(exit_code: i32, commit: &str, tree: Option<&str>, dirty: bool) -> Event {
    Event::Check(Check {
        task_id: Some("T1".into()),
        command: "make test".into(),
        exit_code: Some(exit_code),
        duration_ms: 1,
        tree: tree.map(Into::into),
        output_sha256: String::new(),
        tests: None,
        named_tests: vec![],
        proof: None,
        signature: None,
        signed_at: None,
        output_tail: String::new(),
        commit: Some(commit.into()),
        dirty,
    })
}

fn link(commit: &str, tree: Option<&str>) -> Event {
    Event::Commit(CommitLink {
        hash: commit.into(),
        task_id: None,
        other_task_ids: Vec::new(),
        subject: String::new(),
        author: "a".into(),
        authored_at: time(1),
        files: vec![],
        linked_by: crate::model::execution::LinkedBy::Hook,
        reverts: vec![],
        tree: tree.map(Into::into),
    })
}

fn rewrite(old: &str, new: &str, tree: Option<&str>) -> Event {
    let tree = tree.map(Into::into);
    Event::Rewrite(crate::model::execution::Rewrite { old: old.into(), new: new.into(), tree })
}

/// What a plan with the test `make test` lacks after these events.
fn lacking(events: Vec<Event>, gate: GateValue) -> Vec<String> {
    let log = events.into_iter().map(|event| LogEntry {
        id: entry_id("20261121T021405123Z-00000"),
        event,
        actor: "a".into(),
        at: time(1),
    });
    let execution = ExecutionFolder { execution: claim("EXR-ISS-1-a", 1), log: log.collect() };
    let plan = plan(&[("T1", &[], &["make test"])]);
    missing(&plan, &execution, &execution.work(), gate, PlanReview::None)
}

#[test]
fn a_pass_counts_for_every_commit_with_its_tree() {
    use GateValue::{Open, Required};
    let passed = || check(0, "a", Some("1"), false);
    for gate in [Open, Required] {
        // Reworded.
        assert_eq!(
            lacking(vec![link("a", Some("1")), passed(), rewrite("a", "b", Some("1"))], gate),
            [""; 0]
        );
        // Picked, or squashed together with others.
        assert_eq!(lacking(vec![link("a", Some("1")), passed(), link("c", Some("1"))], gate), [""; 0]);
        // Another tree needs a check of its own, whatever commit the check names.
        let changed = lacking(vec![link("a", Some("1")), passed(), rewrite("a", "b", Some("2"))], gate);
        assert!(changed[0].contains("passed at a000000000, which was rewritten since"), "{changed:?}");
        assert_eq!(lacking(vec![link("a", Some("2")), passed()], gate).len(), 1);
        // The tree of the commit is unknown: only a check at that very commit counts.
        assert_eq!(lacking(vec![link("a", None), passed()], gate), [""; 0]);
        assert_eq!(lacking(vec![link("a", None), passed(), rewrite("a", "b", None)], gate).len(), 1);
        // Uncommitted changes are in no tree.
        assert_eq!(lacking(vec![link("a", Some("1")), check(0, "a", Some("1"), true)], gate).len(), 1);
        // The last check of a tree counts, at whichever of its commits it ran.
        let failed =
            vec![link("a", Some("1")), passed(), link("b", Some("1")), check(1, "b", Some("1"), false)];
        assert_eq!(lacking(failed, gate), ["T1: `make test` failed at commit b000000000"]);
    }
}

#[test]
fn a_check_without_a_tree_counts_only_where_evidence_is_not_required() {
    let events = || vec![link("a", Some("1")), check(0, "a", None, false)];
    assert_eq!(lacking(events(), GateValue::Open), [""; 0]);
    assert_eq!(
        lacking(events(), GateValue::Required),
        ["T1: the check of `make test` at commit a000000000 does not name the tree that was tested"]
    );
}

proptest! {
    /// Commits whose trees are equal are one to the evidence: renaming any of them changes nothing.
    #[test]
    fn only_trees_decide(
        steps in prop::collection::vec((0_u8..3, 1_u8..5, 1_u8..4, 0_i32..2, any::<bool>()), 0..12),
        is_required in any::<bool>(),
    ) {
        let gate = if is_required { GateValue::Required } else { GateValue::Open };
        let events = |name: &dyn Fn(usize, u8) -> String| -> Vec<Event> {
            steps.iter().enumerate().map(|(n, (kind, commit, tree, exit_code, dirty))| {
                let (commit, tree) = (name(n, *commit), tree.to_string());
                match kind {
                    0 => link(&commit, Some(&tree)),
                    _ => check(*exit_code, &commit, Some(&tree), *dirty),
                }
            }).collect()
        };
        let is_proven = |events: Vec<Event>| lacking(events, gate).is_empty();
        // Each step names a commit of its own, or all links and checks do.
        let apart = events(&|n, _| format!("{:x}", n + 0x10));
        let other = events(&|n, _| format!("{:x}", n + 0x80));
        prop_assert_eq!(is_proven(apart), is_proven(other));
    }
}
