//! `pre-receive` and the records that a push changes: what is written once stays, and everything has the form that
//! the format requires.

use serde_json::{Value, json};

use super::server::{forged, refused, shared};
use crate::support::{REF, Repo};

fn bytes(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// What the server says about a store in which this file has this text.
fn told(repo: &Repo, path: &str, text: &str) -> String {
    let tip = repo.tip().unwrap();
    let commit = forged(repo, &tip, &format!("100644 {}\t{path}\n", repo.blob(text)));
    let told = refused(repo, &format!("{commit}:{REF}"));
    assert!(told.contains(&format!("`{path}`")) && told.contains("by Ada <ada@example.org>"), "{told}");
    told
}

#[test]
fn an_entry_keeps_its_bytes() {
    let (_sandbox, server, repo) = shared();
    repo.issue("ISS-001");
    repo.wf(&["comment", "ISS-001", "-m", "as it was written"]).ok();
    repo.wf(&["sync"]).ok();
    let path = repo.store_paths().into_iter().find(|path| path.contains("/comments/")).unwrap();
    let comment = repo.stored_json(&path);
    assert!(told(&repo, &path, &(comment.to_string() + "\n")).contains("not in canonical form"));
    let mut other = comment;
    other["body"] = json!("zzz: what was never said");
    told(&repo, &path, &bytes(&other));
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn a_record_keeps_its_birth_and_what_was_written_once() {
    let (_sandbox, _server, repo) = shared();
    repo.issue("ISS-001");
    repo.wf(&["sync"]).ok();
    let path = repo.store_path("/issue.json");
    let issue = repo.stored_json(&path);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut issue = issue.clone();
        change(&mut issue);
        bytes(&issue)
    };
    assert_eq!(with(&|_| {}), repo.stored(&path));
    let author = with(&|it| it["author"] = json!("Zoe <zoe@example.org>"));
    assert!(told(&repo, &path, &author).contains("`author`"));
    let birth = with(&|it| {
        it["author"] = json!("Zoe <zoe@example.org>");
        it["clock"]["*"] = json!("2026-11-21T12:00:00.000Z/00000/7k3m2pq9");
    });
    let said = told(&repo, &path, &birth);
    assert!(said.contains("replaced the record born at"), "{said}");
    let compact = issue.to_string() + "\n";
    assert!(told(&repo, &path, &compact).contains("not in canonical form"));
}

#[test]
fn what_is_stamped_in_the_future_stays_out() {
    let (_sandbox, _server, repo) = shared();
    repo.issue("ISS-001");
    repo.wf(&["sync"]).ok();
    let tip = repo.tip().unwrap();
    let hours = |hours: i64| repo.ahead(hours * 3600);
    for args in [
        &["edit", "ISS-001", "--title", "Later"][..],
        &["comment", "ISS-001", "-m", "Later"],
        &["new", "New"],
    ] {
        hours(48).wf(args).ok();
        let told = refused(&repo, REF);
        assert!(
            told.contains("is stamped 2026-11-23") && told.contains("more than a day ahead"),
            "{args:?}: {told}"
        );
        repo.git(&["update-ref", REF, &tip]).ok();
    }
    // A clock that is wrong by some hours is accepted.
    hours(12).wf(&["comment", "ISS-001", "-m", "Soon"]).ok();
    repo.git(&["push", "-q", "origin", REF]).ok();
}

#[test]
fn two_births_that_met_in_a_merge_come_in() {
    let (sandbox, server, repo) = shared();
    let other = sandbox.clone(&server, "other");
    other.wf(&["init"]).ok();
    repo.issue("ISS-001");
    repo.wf(&["sync"]).ok();
    // Created later, in a clone that did not know of the first.
    other.issue("ISS-001");
    other.wf(&["sync"]).ok();
    assert_eq!(server.tip(), other.tip());
}
