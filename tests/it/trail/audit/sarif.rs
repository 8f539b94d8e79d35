//! `audit --sarif`: findings for code-scanning pages.

use serde_json::{Value, json};

use super::{claimed, commit, start, tested};
use crate::support::{Published, Repo, Sandbox};

/// One plan that was executed otherwise, one commit without a plan, and an act that a role does not allow.
fn with_faults(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = start(sandbox);
        claimed(&repo, "ISS-001", &tested("a.txt", &[]));
        commit(&repo, "odd name#1.txt", "two\n");
        repo.done();
        commit(&repo, "b.txt", "two\n");
        repo.wf(&["close", "ISS-001", "-m", "over", "--force", "--reason", "a test"]).ok();
        repo
    })
}

fn uris(result: &Value) -> Vec<(String, String)> {
    let places = result["locations"].as_array().unwrap();
    let file = |place: &Value| place["physicalLocation"]["artifactLocation"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    places.iter().map(file).map(|file| (text(&file["uriBaseId"]), text(&file["uri"]))).collect()
}

#[test]
fn findings_have_rules_levels_and_files() {
    let sandbox = Sandbox::new();
    let repo = with_faults(&sandbox);
    let ran = repo.wf(&["audit", "--sarif", "--strict"]).fails(1);
    let sarif = ran.json();
    Published::schema("sarif-2.1.0.json").fits(&sarif);
    let run = &sarif["runs"][0];
    let audit = repo.json(&["audit"]);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), audit["findings"].as_array().unwrap().len());
    for (result, finding) in results.iter().zip(audit["findings"].as_array().unwrap()) {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &result["ruleId"]), (&finding["kind"], &finding["kind"]));
        let is_fault = finding["severity"] == "fault";
        assert_eq!(result["level"], if is_fault { "error" } else { "note" });
        assert!(!uris(result).is_empty(), "{result:#}");
    }
    let of = |rule: &str| results.iter().find(|it| it["ruleId"] == rule).unwrap();
    let file = |name: &str| vec![("%SRCROOT%".to_owned(), name.to_owned())];
    assert_eq!(uris(of("unplanned_file")), file("odd%20name%231.txt"));
    assert_eq!(uris(of("untouched_file")), file("a.txt"));
    // No path of its own: those of its commit, else the record in the ref.
    assert_eq!(uris(of("unbound")), file("b.txt"));
    let (base, record) = uris(of("override")).remove(0);
    assert!(base == "WFREF" && record.ends_with("/ISS-001/issue.json"), "{base} {record}");
    assert!(repo.stored_json(&record)["id"] == "ISS-001");
    assert!(of("unbound")["message"]["text"].as_str().unwrap().contains("\"Change b.txt\""));
}

#[test]
fn equal_findings_have_equal_fingerprints_in_a_later_audit() {
    let sandbox = Sandbox::new();
    let repo = with_faults(&sandbox);
    let prints = || -> Vec<Value> {
        let sarif = repo.wf(&["audit", "--sarif"]).ok().json();
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        results.iter().map(|it| it["partialFingerprints"].clone()).collect()
    };
    let before = prints();
    commit(&repo, "c.txt", "two\n");
    let after = prints();
    assert!(before.iter().all(|print| after.contains(print)));
    assert_eq!(after.len(), before.len() + 1);
    assert!((1..after.len()).all(|n| !after[..n].contains(&after[n])), "{after:#?}");
}

#[test]
fn it_goes_to_a_file_and_excludes_other_forms() {
    let sandbox = Sandbox::new();
    let repo = with_faults(&sandbox);
    let printed = repo.wf(&["audit", "--sarif"]).ok().stdout;
    assert_eq!(repo.wf(&["audit", "--sarif", "-o", "out.sarif"]).ok().stdout, "");
    assert_eq!(repo.read("out.sarif"), printed);
    for other in ["--json", "--markdown", "--signatures"] {
        repo.wf(&["audit", "--sarif", other]).fails(2);
    }
    repo.wf(&["audit", "-o", "out.sarif"]).fails(2);
}

#[test]
fn an_audit_without_findings_has_no_results() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    let sarif = repo.wf(&["audit", "--sarif", "--strict"]).ok().json();
    Published::schema("sarif-2.1.0.json").fits(&sarif);
    assert_eq!(sarif["runs"][0]["results"], json!([]));
}

#[test]
fn a_young_repository_has_no_findings() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for is_begun in [false, true] {
        if is_begun {
            repo.commit("a.txt", "a\n", "Begin");
        }
        let scanned = repo.wf(&["audit", "--sarif", "--strict"]).ok().json();
        Published::schema("sarif-2.1.0.json").fits(&scanned);
        assert_eq!(scanned["runs"][0]["results"], json!([]));
        let ran = repo.wf(&["audit", "--sarif", "-o", "audit.sarif"]).ok();
        assert!(ran.stderr.starts_with("note: "), "{}", ran.stderr);
        assert!(repo.read("audit.sarif").contains("2.1.0"));
    }
    repo.wf(&["audit"]).fails(3);
}
