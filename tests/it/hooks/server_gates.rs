//! `pre-receive` on a server: `evidence=required` and `review=required` apply there, too.

use serde_json::json;

use super::server::{refused, shared};
use crate::support::{REF, Repo, entry_id, plan_on, record};

/// A server with this policy, and a clone with the same store.
fn with_policy(policy: &str) -> (crate::support::Sandbox, Repo, Repo) {
    let (sandbox, server, repo) = shared();
    repo.wf(&["settings", policy]).ok();
    repo.wf(&["sync"]).ok();
    (sandbox, server, repo)
}

/// The program of someone who ignores the policy: the state is made without one, and the policy is set again.
fn lax(repo: &Repo, policy: &str, work: impl Fn()) {
    let (gate, value) = policy.split_once('=').unwrap();
    let off = if gate == "evidence" { "warn" } else { "none" };
    repo.wf(&["settings", &format!("{gate}={off}")]).ok();
    work();
    repo.wf(&["settings", &format!("{gate}={value}")]).ok();
}

/// Ends the running execution with a commit that nobody tested.
fn done_untested(repo: &Repo, issue: &str) {
    repo.commit("a.txt", issue, "untested");
    repo.wf(&["link", "HEAD", issue]).ok();
    repo.wf(&["done"]).ok();
}

fn planned(repo: &Repo, id: &str) -> String {
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"] = json!({ "commands": ["true"] });
    repo.planned(id, &plan)
}

#[test]
fn what_is_completed_without_evidence_stays_out() {
    let policy = "evidence=required";
    let (_sandbox, server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    lax(&repo, policy, || done_untested(&repo, "ISS-001"));
    repo.wf(&["link", "--remove", "HEAD"]).ok();
    let told = refused(&repo, REF);
    assert!(told.contains("EXR-ISS-001-") && told.contains("no commit is linked"), "{told}");
    // Nothing else is refused.
    repo.commit("b.txt", "1\n", "unrelated");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    // With a commit and without a check, only the check is missing; then nothing is.
    repo.commit("a.txt", "1\n", "late");
    repo.wf(&["link", "HEAD", &solution]).ok();
    let told = refused(&repo, REF);
    assert!(told.contains("`true` has no passing check"), "{told}");
    repo.wf(&["verify", "--yes", "ISS-001"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn a_check_counts_for_a_reworded_commit_that_is_not_there_yet() {
    let (_sandbox, server, repo) = with_policy("evidence=required");
    planned(&repo, "ISS-001");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.commit("a.txt", "1\n", "work");
    repo.wf(&["verify", "--yes"]).ok();
    repo.git(&["commit", "-q", "--amend", "-m", "work, reworded"]).ok();
    repo.wf(&["done"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
    // A change of the content is untested, there as here.
    planned(&repo, "ISS-002");
    repo.wf(&["next", "ISS-002", "--local"]).ok();
    repo.commit("a.txt", "2\n", "work");
    repo.wf(&["verify", "--yes"]).ok();
    lax(&repo, "evidence=required", || {
        repo.write("a.txt", "3\n");
        repo.git(&["commit", "-qa", "--amend", "-m", "more"]).ok();
        repo.wf(&["done"]).ok();
    });
    let told = refused(&repo, REF);
    assert!(told.contains("which was rewritten since"), "{told}");
}

#[test]
fn evidence_that_was_waived_with_a_reason_comes_in_and_is_named() {
    let (_sandbox, server, repo) = with_policy("evidence=required");
    planned(&repo, "ISS-001");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.refused(1, &["done"]);
    repo.wf(&["done", "--force", "--reason", "no time left"]).ok();
    let ran = repo.git(&["push", "origin", REF]).ok();
    assert!(ran.stderr.contains("gate overridden: `EXR-ISS-001-"), "{}", ran.stderr);
    assert!(ran.stderr.contains("(forced: no time left)"), "{}", ran.stderr);
    assert_eq!(server.tip(), repo.tip());
    // A reason for something else does not count here.
    planned(&repo, "ISS-002");
    repo.wf(&["next", "ISS-002", "--local"]).ok();
    repo.wf(&["close", "ISS-001", "--force", "--reason", "another thing"]).ok();
    lax(&repo, "evidence=required", || done_untested(&repo, "ISS-002"));
    assert!(refused(&repo, REF).contains("EXR-ISS-002-"));
    // After a restart, the old attempt is no longer checked.
    repo.wf(&["reopen", "ISS-002"]).ok();
    repo.wf(&["sync"]).ok();
}

#[test]
fn what_is_begun_without_a_review_stays_out() {
    let policy = "review=required";
    let (_sandbox, server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    lax(&repo, policy, || {
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next", "--local"]).ok();
    });
    let told = refused(&repo, REF);
    assert!(told.contains("EXR-ISS-001-") && told.contains("was not reviewed"), "{told}");
    let rita = repo.as_person("Rita", "rita@example.org");
    rita.wf(&[&["solution", "review", &solution][..], &scores].concat()).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn a_review_that_was_waived_with_a_reason_comes_in_and_is_named() {
    let (_sandbox, server, repo) = with_policy("review=required");
    planned(&repo, "ISS-001");
    repo.refused(1, &["queue", "add", "ISS-001"]);
    repo.wf(&["queue", "add", "ISS-001", "--force", "--reason", "it burns"]).ok();
    // Queued in one push and claimed in the next.
    repo.wf(&["sync"]).ok();
    repo.wf(&["next", "--local"]).ok();
    let ran = repo.git(&["push", "origin", REF]).ok();
    assert!(
        ran.stderr.contains("was not reviewed") && ran.stderr.contains("(forced: it burns)"),
        "{}",
        ran.stderr
    );
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn an_author_who_praises_the_own_plan_does_not_count() {
    let policy = "review=required";
    let (_sandbox, _server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    repo.refused(1, &[&["solution", "review", &solution][..], &scores].concat());
    let own = [&["solution", "review", &solution][..], &scores, &["--force", "--reason", "alone"]].concat();
    repo.wf(&own).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next", "--local"]).ok();
    let ran = repo.git(&["push", "origin", REF]).ok();
    assert!(ran.stderr.contains("(forced: alone)"), "{}", ran.stderr);
}

#[test]
fn evidence_is_not_taken_from_what_is_completed() {
    let (_sandbox, server, repo) = with_policy("evidence=required");
    let solution = planned(&repo, "ISS-001");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.commit("a.txt", "1\n", "work");
    repo.wf(&["verify", "--yes"]).ok();
    repo.done();
    repo.wf(&["sync"]).ok();
    repo.wf(&["link", "--remove", "HEAD"]).ok();
    let told = refused(&repo, REF);
    assert!(told.contains("EXR-ISS-001-") && told.contains("no commit is linked"), "{told}");
    repo.wf(&["link", "HEAD", &solution]).ok();
    repo.wf(&["sync"]).ok();
    // After a restart, the old attempt is no longer checked.
    repo.wf(&["link", "--remove", "HEAD"]).ok();
    repo.wf(&["reopen", "ISS-001"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn what_comes_to_count_through_a_push_is_asked_however_that_comes_about() {
    let policy = "review=required";
    let (_sandbox, server, repo) = with_policy(policy);
    planned(&repo, "ISS-001");
    lax(&repo, policy, || drop(repo.wf(&["next", "ISS-001", "--local"]).ok()));
    let (begun, active) = (repo.tip().unwrap(), repo.read(".git/wf/active.json"));
    // If it was released while it ran, it does not count, and the push is accepted.
    repo.wf(&["lease", "release"]).ok();
    repo.git(&["push", "-q", "origin", REF]).ok();
    let before = server.tip();
    // Elsewhere it was completed, so its release no longer matters.
    repo.git(&["update-ref", REF, &begun]).ok();
    repo.write(".git/wf/active.json", active);
    repo.done();
    let ran = repo.wf(&["sync"]).fails(1);
    assert!(ran.stderr.contains("was begun:") && ran.stderr.contains("was not reviewed"), "{}", ran.stderr);
    assert_eq!(server.tip(), before);
}

#[test]
fn a_review_by_the_author_that_nobody_forced_counts_for_nothing() {
    let policy = "review=required";
    let (_sandbox, server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    lax(&repo, policy, || {
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next", "--local"]).ok();
    });
    let begun = repo.tip().unwrap();
    let rita = repo.as_person("Rita", "rita@example.org");
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    rita.wf(&[&["solution", "review", &solution][..], &scores].concat()).ok();
    // The same review by the author of the plan, from a program that does not object.
    let path = repo.store_path_in("/reviews/");
    let mut review = repo.stored_json(&path);
    let author = repo.stored_json(&repo.store_path("/solution.json"))["author"].clone();
    assert_ne!(review["author"], author);
    review["author"] = author;
    let place = review["id"].as_str().unwrap().rsplit_once('-').unwrap().0.to_owned();
    let (id, review) = record::entry(&place, review);
    let own = format!("{}/{id}.json", path.rsplit_once('/').unwrap().0);
    repo.git(&["update-ref", REF, &begun]).ok();
    repo.plumb(&[(&own, &format!("{review:#}\n"))]);
    let told = refused(&repo, REF);
    assert!(told.contains("EXR-ISS-001-") && told.contains("was not reviewed"), "{told}");
    // Rita's review counts, beside the other one.
    rita.wf(&[&["solution", "review", &solution][..], &scores].concat()).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

/// An entry made by hand, in a log or among redactions.
fn entry(repo: &Repo, folder: &str, place: &str, entry: &serde_json::Value) {
    let id = entry_id(place, entry);
    let mut named = serde_json::Map::new();
    named.insert("id".into(), json!(id));
    named.extend(entry.as_object().unwrap().clone());
    let text = format!("{:#}\n", serde_json::Value::Object(named));
    repo.plumb(&[(&format!("{folder}/{id}.json"), &text)]);
}

#[test]
fn a_check_that_failed_counts_although_its_command_is_hidden() {
    let (sandbox, _server, repo) = with_policy("evidence=required");
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"] = json!({ "commands": ["test ! -e ../bad"] });
    let solution = repo.planned("ISS-001", &plan);
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.commit("a.txt", "1\n", "work");
    repo.wf(&["link", "HEAD", &solution]).ok();
    repo.wf(&["verify", "--yes", "ISS-001"]).ok();
    repo.wf(&["sync"]).ok();
    sandbox.advance(60);
    std::fs::write(repo.path().join("../bad"), "").unwrap();
    repo.wf(&["verify", "--yes", "ISS-001"]).fails(1);
    let last = repo.store_paths().into_iter().filter(|path| path.contains("/log/")).max().unwrap();
    let (folder, log) = last.rsplit_once("/log/").unwrap();
    let execution = folder.rsplit('/').next().unwrap();
    let field = format!("log/{}", log.strip_suffix(".json").unwrap());
    for member in ["actor", "task_id"] {
        let error = repo.refused(1, &["redact", execution, &format!("{field}/{member}"), "-m", "r"]);
        assert_eq!(error["code"], "not-redactable", "{error}");
    }
    repo.wf(&["redact", execution, &format!("{field}/command"), "-m", "a password"]).ok();
    assert_eq!(repo.refused(1, &["done"])["code"], "no-evidence");
    let end = json!({"type": "end", "status": "completed", "actor": "Ada <ada@example.org>", "at": "2026-11-22T00:00:00.000Z"});
    entry(&repo, &format!("{folder}/log"), "20261122T000000000Z-00000", &end);
    let told = refused(&repo, REF);
    assert!(told.contains("failed at commit"), "{told}");
}

#[test]
fn a_plan_that_is_hidden_asks_for_the_evidence_that_it_asked_for() {
    let policy = "evidence=required";
    let (_sandbox, _server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.wf(&["redact", &solution, "plan", "-m", "a password"]).ok();
    lax(&repo, policy, || done_untested(&repo, "ISS-001"));
    let told = refused(&repo, REF);
    assert!(told.contains("its plan is hidden, and lacks evidence in 1 place"), "{told}");
    assert!(!told.contains("`true`"), "{told}");
}

#[test]
fn an_own_review_whose_author_somebody_hides_is_an_own_review() {
    let policy = "review=required";
    let (_sandbox, _server, repo) = with_policy(policy);
    let solution = planned(&repo, "ISS-001");
    let scores = ["--technical", "100", "--risk", "100", "--completeness", "100"];
    repo.wf(&[&["solution", "review", &solution, "--force", "--reason", "r"][..], &scores].concat()).ok();
    let review = repo.store_path_in("/reviews/");
    let (folder, name) = review.rsplit_once("/reviews/").unwrap();
    let target = format!("reviews/{name}");
    for (n, (target, field)) in [(target.as_str(), "author"), ("solution.json", "author")].iter().enumerate()
    {
        let stamp = (*target == "solution.json")
            .then(|| repo.stored_json(&format!("{folder}/solution.json"))["clock"]["*"].clone());
        let mut redaction = json!({"target": target, "field": field});
        redaction.as_object_mut().unwrap().extend(stamp.map(|stamp| ("stamp".to_owned(), stamp)));
        redaction["reason"] = json!("r");
        redaction["author"] = json!("Eve <eve@example.org>");
        redaction["created_at"] = json!("2026-11-21T02:00:00.000Z");
        entry(&repo, &format!("{folder}/redactions"), &format!("20261121T02000{n}000Z-00000"), &redaction);
    }
    let shown = repo.json(&["solution", "show", &solution]);
    assert_eq!(shown["reviews"][0]["author"], shown["author"]);
    assert!(shown["author"].as_str().unwrap().contains('@'), "{shown}");
}
