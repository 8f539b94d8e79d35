use super::*;
use crate::model::execution::Accept;
use crate::model::fixtures::entry_id;
use crate::model::{Check, CommitLink, Execution, LogEntry, Person, Rewrite, Unlink};
use crate::rules::GateValue;
use crate::rules::test_claim::{claim, time};
use serde_json::json;

/// An execution with these entries, one a second from 101 on.
fn execution(events: Vec<Event>) -> ExecutionFolder {
    let log = events.into_iter().zip(101..).map(|(event, second)| LogEntry {
        id: entry_id("20261121T021405123Z-00000"),
        event,
        actor: "a".into(),
        at: time(second),
    });
    let claimed = Execution { plan_digest: "sha256:1".into(), ..claim("EXR-ISS-1-a", 100) };
    ExecutionFolder { execution: claimed, log: log.collect() }
}

fn linked(hash: &str, by: LinkedBy, authored: i64) -> Event {
    Event::Commit(CommitLink {
        hash: hash.into(),
        task_id: Some("T1".into()),
        other_task_ids: vec![],
        subject: String::new(),
        author: Person::default(),
        authored_at: time(authored),
        files: vec![],
        linked_by: by,
        reverts: vec![],
        tree: None,
    })
}

fn hooked(hash: &str) -> Event {
    linked(hash, LinkedBy::Hook, 100)
}

fn passed(command: &str, commit: &str) -> Event {
    Event::Check(Check {
        task_id: Some("T1".into()),
        command: command.into(),
        exit_code: Some(0),
        duration_ms: 1,
        tree: None,
        output_sha256: String::new(),
        tests: None,
        named_tests: vec![],
        proof: None,
        signature: None,
        signed_at: None,
        output_tail: String::new(),
        commit: Some(commit.into()),
        dirty: false,
    })
}

/// A plan of one task on these files, with these tests.
fn plan(files: &serde_json::Value, commands: &[&str]) -> Plan {
    let task = json!({"id": "T1", "title": "t", "action": "Update", "files": files, "test": {"commands": commands},
        "acceptance": {"criteria": ["one", "two"]}});
    serde_json::from_value(json!({ "tasks": [task] })).unwrap()
}

fn on(file: &str) -> Plan {
    plan(&json!([{ "path": file }]), &[])
}

fn carried<'a>(execution: &'a ExecutionFolder, plan: Option<&'a Plan>) -> Carried<'a> {
    Carried {
        execution,
        work: execution.work(),
        status: ExecutionStatus::Completed,
        lost_at: None,
        plan,
        is_hidden: false,
        verdict: None,
        reviewed: PlanReview::None,
        is_reviewed: false,
        touched: None,
    }
}

fn commit(hash: &str, changes: &[(&str, FileEffect)]) -> AuditedCode {
    let changes = changes.iter().map(|(path, change)| ((*path).to_owned(), *change)).collect();
    AuditedCode {
        hash: hash.into(),
        is_merge: false,
        unseen: None,
        changes,
        stated: StatedWork::default(),
        unlinked_from: None,
    }
}

fn kinds(commits: &[AuditedCode], carried: &[Carried<'_>], policy: &Policy) -> Vec<(AuditSeverity, Kind)> {
    findings(commits, carried, &[], policy).iter().map(|finding| (finding.severity, finding.kind)).collect()
}

#[test]
fn what_a_hidden_plan_lacks_is_counted_and_not_named() {
    let plan = plan(&json!([{ "path": "secret" }, { "path": "a" }]), &["make secret", "make"]);
    let done = execution(vec![hooked("1")]);
    let shown = Carried { touched: Some(BTreeSet::from(["a".to_owned()])), ..carried(&done, Some(&plan)) };
    let of = |carried: Carried<'_>| findings(&[], &[carried], &[], &Policy::default());
    let named = of(Carried { touched: shown.touched.clone(), ..carried(&done, Some(&plan)) });
    assert_eq!(named.iter().filter(|it| it.message.contains("secret")).count(), 2);
    let hidden = of(Carried { is_hidden: true, ..shown });
    let words: Vec<&str> = hidden.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        words,
        [
            "its plan is hidden, and lacks evidence in 2 places",
            "its plan is hidden, and no commit touched 1 file that it names"
        ]
    );
}

#[test]
fn a_commit_is_bound_as_long_as_its_link_stands() {
    let plan = on("a");
    let commits = ["1", "2"].map(|hash| commit(hash, &[("a", FileEffect::Modified)]));
    let stands = execution(vec![
        hooked("1"),
        Event::Rewrite(Rewrite { old: "1".into(), new: "2".into(), tree: None }),
    ]);
    assert_eq!(kinds(&commits, &[carried(&stands, Some(&plan))], &Policy::default()), []);
    let unlinked = execution(vec![hooked("1"), Event::Unlink(Unlink { hash: "1".into() })]);
    let found = kinds(&commits, &[carried(&unlinked, Some(&plan))], &Policy::default());
    assert_eq!(found[..2], [(AuditSeverity::Fault, Kind::Unbound); 2]);
}

#[test]
fn a_merge_is_looked_at_for_what_it_adds() {
    let clean = AuditedCode { is_merge: true, ..commit("1", &[]) };
    assert_eq!(kinds(&[clean], &[], &Policy::default()), []);
    let merge = AuditedCode { is_merge: true, ..commit("1", &[("x", FileEffect::Added)]) };
    assert_eq!(kinds(&[merge], &[], &Policy::default()), [(AuditSeverity::Fault, Kind::Unbound)]);
}

#[test]
fn drift_is_what_no_plan_of_the_commit_names() {
    let (one, two) = (on("a"), plan(&json!([{"path": "dir/"}, {"path": "gone", "action": "delete"}]), &[]));
    let (first, second) = (execution(vec![hooked("1")]), execution(vec![hooked("1")]));
    let both = [carried(&first, Some(&one)), carried(&second, Some(&two))];
    let both = both.map(|carried| Carried { status: ExecutionStatus::Executing, ..carried });
    let fits = commit(
        "1",
        &[("a", FileEffect::Modified), ("dir/deep/b", FileEffect::Added), ("gone", FileEffect::Deleted)],
    );
    assert_eq!(kinds(&[fits], &both, &Policy::default()), []);
    let drifts = commit("1", &[("a", FileEffect::Deleted), ("directory", FileEffect::Added)]);
    assert_eq!(
        kinds(&[drifts], &both, &Policy::default()),
        [(AuditSeverity::Fault, Kind::UnplannedDeletion), (AuditSeverity::Fault, Kind::UnplannedFile)]
    );
}

#[test]
fn what_a_revert_takes_back_needs_no_word_of_the_plan() {
    let link = |hash: &str, files: &[&str], reverts: &[&str]| {
        let Event::Commit(link) = hooked(hash) else { unreachable!() };
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Event::Commit(CommitLink {
            files,
            reverts: reverts.iter().map(|revert| (*revert).into()).collect(),
            ..link
        })
    };
    let plan = on("a");
    let claimed = execution(vec![
        link("1", &["a", "x"], &[]),
        Event::Rewrite(Rewrite { old: "1".into(), new: "2".into(), tree: None }),
        link("3", &["a", "x", "y"], &["1"]),
        link("4", &["a", "x"], &["3"]),
    ]);
    let found = |commit: AuditedCode| kinds(&[commit], &[carried(&claimed, Some(&plan))], &Policy::default());
    assert_eq!(found(commit("3", &[("a", FileEffect::Deleted), ("x", FileEffect::Deleted)])), []);
    assert_eq!(found(commit("4", &[("a", FileEffect::Added), ("x", FileEffect::Added)])), []);
    // Other changes in such a commit are judged as usual, and so is a commit that reverts nothing.
    assert_eq!(
        found(commit("3", &[("y", FileEffect::Added)])),
        [(AuditSeverity::Fault, Kind::UnplannedFile)]
    );
    assert_eq!(
        found(commit("2", &[("a", FileEffect::Deleted)])),
        [(AuditSeverity::Fault, Kind::UnplannedDeletion)]
    );
}

#[test]
fn a_plan_that_cannot_be_read_is_one_finding() {
    let claimed = execution(vec![hooked("1")]);
    let found =
        kinds(&[commit("1", &[("x", FileEffect::Added)])], &[carried(&claimed, None)], &Policy::default());
    assert_eq!(found, [(AuditSeverity::Fault, Kind::BrokenPlan)]);
}

#[test]
fn files_that_are_named_must_be_touched_once_it_is_completed() {
    let plan = plan(&json!([{"path": "a"}, {"path": "dir/"}, {"path": "never"}]), &[]);
    let claimed = execution(vec![hooked("1")]);
    let touched = Some(BTreeSet::from(["a".to_owned(), "dir/b".to_owned(), "never-more".to_owned()]));
    let whole = Carried { touched: touched.clone(), ..carried(&claimed, Some(&plan)) };
    let found = findings(&[], &[whole], &[], &Policy::default());
    assert_eq!(found.len(), 1);
    assert!(found[0].kind == Kind::UntouchedFile && found[0].message.contains("`never`"), "{found:?}");
    let running = Carried { touched, status: ExecutionStatus::Executing, ..carried(&claimed, Some(&plan)) };
    assert_eq!(kinds(&[], &[running], &Policy::default()), []);
    // Not all touched files are known.
    assert_eq!(kinds(&[], &[carried(&claimed, Some(&plan))], &Policy::default()), []);
}

#[test]
fn reviews_count_as_they_ended_and_as_the_policy_says() {
    let (plan, claimed) = (on("a"), execution(vec![hooked("1")]));
    let of = |verdict, is_reviewed, required: bool| {
        let policy =
            Policy { review: Some(if required { "required" } else { "none" }.into()), ..Policy::default() };
        let judged = Carried { verdict, is_reviewed, ..carried(&claimed, Some(&plan)) };
        findings(&[], &[judged], &[], &policy)
            .iter()
            .filter(|finding| finding.kind == Kind::Unreviewed)
            .count()
    };
    assert_eq!(of(Some(Verdict::Approved), true, true), 0);
    assert_eq!(of(Some(Verdict::Rejected), true, false), 1);
    // Another version of the plan was reviewed.
    assert_eq!(of(None, true, false), 1);
    assert_eq!((of(None, false, false), of(None, false, true)), (0, 1));
}

#[test]
fn a_commit_on_a_lost_claim_is_dated_by_when_it_was_made() {
    let plan = on("a");
    let found = |events: Vec<Event>, hash: &str| {
        let claimed = execution(events);
        let lost = Carried {
            status: ExecutionStatus::Superseded,
            lost_at: Some(time(102)),
            ..carried(&claimed, Some(&plan))
        };
        !kinds(&[commit(hash, &[])], &[lost], &Policy::default()).is_empty()
    };
    let pause = || Event::Unlink(Unlink { hash: "0".into() });
    assert!(!found(vec![hooked("1")], "1"));
    assert!(found(vec![pause(), pause(), hooked("1")], "1"));
    // The link was found long after the commit was made, or after the claim was lost.
    assert!(!found(vec![pause(), pause(), linked("1", LinkedBy::Relink, 101)], "1"));
    assert!(found(vec![linked("1", LinkedBy::Relink, 200)], "1"));
    let rewrite = || Event::Rewrite(Rewrite { old: "1".into(), new: "2".into(), tree: None });
    assert!(found(vec![hooked("1"), pause(), rewrite()], "2"));
}

#[test]
fn acts_are_judged_by_role_and_reason() {
    let act = |operation: &str, role: Option<&str>, reason: Option<&str>| Act {
        commit: "1".into(),
        issue_id: None,
        operation: operation.into(),
        person: "Ada".into(),
        role: role.map(str::to_owned),
        reason: reason.map(str::to_owned),
        is_elsewhere: false,
    };
    let acts = [act("done", Some("planner"), Some("late")), act("done", Some("executor"), None)];
    let found = findings(&[], &[], &acts, &Policy::default());
    let kinds: Vec<_> = found.iter().map(|finding| (finding.severity, finding.kind)).collect();
    assert_eq!(kinds, [(AuditSeverity::Note, Kind::Override), (AuditSeverity::Fault, Kind::Role)]);
    assert!(found[0].message.ends_with(": late"), "{found:?}");
}

#[test]
fn evidence_is_a_test_that_passed_at_the_last_commit_or_all_criteria_accepted() {
    let tested = plan(&json!([]), &["make test"]);
    let count = |plan: &Plan, events: Vec<Event>| {
        let claimed = execution(events);
        tasks_with_evidence(&[carried(&claimed, Some(plan))], &Policy::default())
    };
    assert_eq!(count(&tested, vec![hooked("1"), passed("make test", "1")]), (1, 1));
    assert_eq!(count(&tested, vec![hooked("1"), passed("make test", "1"), hooked("2")]), (0, 1));
    let untested = plan(&json!([]), &[]);
    let accept =
        |criterion| Event::Accept(Accept { task_id: "T1".into(), criterion, evidence: "seen".into() });
    assert_eq!(count(&untested, vec![accept(1)]), (0, 1));
    assert_eq!(count(&untested, vec![accept(1), accept(2)]), (1, 1));
    assert_eq!(count(&untested, vec![hooked("1")]), (1, 1));
}

#[test]
fn a_check_that_was_overtaken_is_told() {
    let tested = plan(&json!([]), &["make test"]);
    let rewritten = execution(vec![
        hooked("1"),
        passed("make test", "1"),
        Event::Rewrite(Rewrite { old: "1".into(), new: "2".into(), tree: None }),
    ]);
    let missing =
        evidence::missing(&tested, &rewritten, &rewritten.work(), GateValue::Open, PlanReview::None);
    assert!(missing[0].contains("passed at 1000000000, which was rewritten since"), "{missing:?}");
    // A later run of the same test at the same commit replaces an earlier one.
    let mut failed = passed("make test", "1");
    if let Event::Check(check) = &mut failed {
        check.exit_code = Some(1);
    }
    let claimed = execution(vec![hooked("1"), passed("make test", "1"), failed]);
    assert_eq!(evidence::failing(&tested, &claimed, &claimed.work(), GateValue::Open).len(), 1);
}
