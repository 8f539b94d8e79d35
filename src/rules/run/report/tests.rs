use serde_json::{Value, json};

use super::super::fixtures::folder;
use super::*;
use crate::model::Remedy;

fn report_of(folder: &RunFolder) -> RunReport {
    report(
        folder,
        &RunFacts {
            issues: &BTreeMap::new(),
            left: Some(LeftWork { onto: Branch::parse("refs/heads/main"), can_be_merged: true }),
            apart: BTreeMap::new(),
            kept: vec![],
            needed: BTreeMap::new(),
            unstored: BTreeMap::new(),
            is_driven: false,
            has_remote: false,
        },
    )
}

fn phase(status: &str, phase: &str) -> Value {
    json!({"type": "phase", "status": status, "phase": phase})
}

fn issue(id: &str, status: &str) -> Value {
    json!({"type": "issue", "issue_id": id, "status": status})
}

#[test]
fn a_run_is_reported_in_numbers_and_times() {
    let folder = folder(
        &["ISS-1", "ISS-2"],
        vec![
            (1, phase("running", "planning")),
            (2, issue("ISS-1", "planning")),
            (4, issue("ISS-1", "planned")),
            (5, issue("ISS-1", "queued")),
            (6, phase("running", "executing")),
            (6, issue("ISS-1", "executing")),
            (
                8,
                json!({"type": "setback", "action": "execute", "issue_id": "ISS-2", "error": {"message": "no answer"}}),
            ),
            (
                9,
                json!({"type": "breach", "action": "execute", "agent": "a", "what": "pushed", "undone": false}),
            ),
            (10, issue("ISS-1", "completed")),
            (
                11,
                json!({"type": "issue", "issue_id": "ISS-2", "status": "failed", "error": {"message": "no answer"}}),
            ),
            (12, phase("completed", "complete")),
        ],
    );
    let report = report_of(&folder);
    let totals = &report.totals;
    assert_eq!((totals.issue_count, totals.completed_count, totals.failed_count), (2, 1, 1));
    assert_eq!((totals.success_rate, totals.setback_count, totals.breach_count), (Some(50), 1, 1));
    assert_eq!((totals.tokens, totals.costs.len()), (None, 0));
    let phases: Vec<_> = report.phases.iter().map(|phase| (phase.phase.as_str(), phase.took_ms)).collect();
    assert_eq!(phases, [("init", 1000), ("planning", 5000), ("executing", 6000)]);
    assert_eq!(report.took_ms, 12_000);
    let spans: Vec<_> = report.issues[0]
        .spans
        .iter()
        .map(|span| (span.status.as_str(), span.until.millis() - span.from.millis()))
        .collect();
    assert_eq!(spans, [("planning", 2000), ("planned", 2000), ("executing", 4000), ("completed", 0)]);
    assert_eq!(report.issues[1].error.as_deref(), Some("no answer"));
    assert_eq!(report.issues[1].setback_count, 1);
    let waiting: Vec<&str> = report.waiting.iter().map(|waiting| waiting.what.as_str()).collect();
    assert_eq!(waiting[..2], ["the issue is missing here"; 2]);
    assert!(waiting[2].contains("could not be undone"), "{waiting:?}");
    assert_eq!(waiting[3], "the completed work is on the branch `wf/RUN-1`, not on `main`");
    let offered: Vec<Option<String>> = report.waiting[3].remedies.iter().map(Remedy::line).collect();
    assert_eq!(offered[0].as_deref(), Some("git wf land RUN-1"));
    assert_eq!(offered[1].as_deref(), Some("git merge heads/wf/RUN-1"));
    assert_eq!(waiting.len(), 4);
}

#[test]
fn an_unfinished_run_goes_on_until_its_last_entry() {
    let folder = folder(
        &["ISS-1"],
        vec![
            (1, phase("running", "planning")),
            (2, issue("ISS-1", "planning")),
            (7, phase("running", "planning")),
        ],
    );
    let report = report_of(&folder);
    assert_eq!(report.issues[0].spans[0].until.millis() - report.issues[0].spans[0].from.millis(), 5000);
    assert!(report.waiting.iter().any(|it| it.what == "the run has not ended"));
    assert_eq!(report.quality.score, Some(0));
}

#[test]
fn a_run_that_is_driven_leaves_only_what_failed_to_a_person() {
    let events = vec![
        (1, phase("running", "planning")),
        (2, issue("ISS-1", "planning")),
        (
            3,
            json!({"type": "issue", "issue_id": "ISS-2", "status": "failed", "error": {"message": "no answer"}}),
        ),
    ];
    let mut run = folder(&["ISS-1", "ISS-2"], events);
    let of = |run: &RunFolder, is_driven| -> Vec<Option<String>> {
        let issues = BTreeMap::new();
        let known = RunFacts {
            issues: &issues,
            left: None,
            apart: BTreeMap::new(),
            kept: vec![],
            needed: BTreeMap::new(),
            unstored: BTreeMap::new(),
            is_driven,
            has_remote: false,
        };
        report(run, &known)
            .waiting
            .iter()
            .map(|waiting| waiting.issue_id.as_ref().map(ToString::to_string))
            .collect()
    };
    assert_eq!(of(&run, false), [Some("ISS-1".to_owned()), Some("ISS-2".to_owned()), None]);
    assert_eq!(of(&run, true), [Some("ISS-2".to_owned())]);
    // Its process may still be there when it is over.
    run.log.extend(folder(&[], vec![(4, phase("completed", "complete"))]).log);
    assert_eq!(of(&run, true), [Some("ISS-1".to_owned()), Some("ISS-2".to_owned())]);
}

#[test]
fn a_run_without_issues_has_no_rate() {
    let report = report_of(&folder(&[], vec![]));
    assert_eq!((report.totals.success_rate, report.quality.score, report.took_ms), (None, None, 0));
}

#[test]
fn a_run_that_only_plans_is_complete_with_its_plans() {
    let mut folder = folder(&["ISS-1"], vec![(2, issue("ISS-1", "planned"))]);
    assert_eq!(report_of(&folder).quality.dimensions[0].score, Some(0));
    folder.run.steps = vec![RunStep::Plan];
    assert_eq!(report_of(&folder).quality.dimensions[0].score, Some(100));
}

#[test]
fn the_phases_and_the_interruption_add_up_to_the_whole_time() {
    let driven =
        |name: &str, by: &str| json!({"type": "phase", "status": "running", "phase": name, "driver": by});
    let log = vec![
        (0, driven("init", "a")),
        (1, phase("running", "planning")),
        (4, issue("ISS-1", "planned")),
        (20, driven("planning", "b")),
        (22, phase("running", "executing")),
        (25, phase("running", "planning")),
        (26, phase("completed", "complete")),
    ];
    let report = report_of(&folder(&["ISS-1"], log));
    let phases: Vec<_> = report.phases.iter().map(|phase| (phase.phase.as_str(), phase.took_ms)).collect();
    assert_eq!(phases, [("init", 1000), ("planning", 6000), ("executing", 3000)]);
    assert_eq!((report.interrupted_ms, report.took_ms), (16_000, 26_000));
}

#[test]
fn a_clock_that_was_set_back_makes_no_negative_time() {
    let log = vec![(9, issue("ISS-1", "planning")), (3, issue("ISS-1", "executing"))];
    let report = report_of(&folder(&["ISS-1"], log));
    assert_eq!(report.issues[0].spans[0].until.millis() - report.issues[0].spans[0].from.millis(), -6000);
    assert_eq!(report.phases.iter().map(|it| it.took_ms).collect::<Vec<_>>(), [9000]);
}
