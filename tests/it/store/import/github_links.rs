//! `import github`: links between issues, types, and comments that moderators hid.

use serde_json::json;

use super::github::{record, with_gh};
use super::store;
use crate::support::Sandbox;

#[test]
fn gh_is_asked_for_what_it_has() {
    let repo = store(&Sandbox::new(), "a");
    let issue = json!([record(7, &json!({"issueType": {"name": "Bug"}}))]);
    repo.write("issues.json", issue.to_string());
    let asked = with_gh(&repo, "case \"$*\" in *blockedBy*) echo 'Unknown JSON field: \"blockedBy\"' >&2; echo 'Available fields:' >&2;
        echo '  issueType' >&2; echo '  parentage' >&2; exit 1;; esac; cat issues.json");
    assert_eq!(asked.json(&["import", "github", "--repo", "zoo/okapi"])["created"], 1);
    let args = repo.read(".git/gh-args");
    assert!(args.lines().any(|arg| arg.ends_with(",url,issueType")), "{args}");
    assert_eq!(repo.json(&["show", "GH-7"])["issue_type"], "bug");
}

#[test]
fn blockers_and_parents_are_links_and_stay_when_nobody_asks_for_them() {
    let repo = store(&Sandbox::new(), "a");
    let url = |n: u64| format!("https://github.com/zoo/okapi/issues/{n}");
    let links = json!({"url": url(7), "blockedBy": {"nodes": [{"number": 8, "url": url(8)}], "totalCount": 1},
        "parent": {"number": 9, "url": url(9)}});
    let others = [8, 9].map(|n| record(n, &json!({"url": url(n)})));
    let all = json!([record(7, &links), others[0], others[1]]).to_string();
    let report = repo.json_in(all, &["import", "github", "-"]);
    assert_eq!((&report["dependencies"], &report["relations"]), (&json!(1), &json!(1)), "{report}");
    let show = || repo.json(&["show", "GH-7"]);
    assert_eq!(show()["depends_on"], json!(["GH-8"]));
    assert_eq!(repo.json(&["show", "GH-9"])["children"][0]["id"], "GH-7");
    let bare = record(7, &json!({"url": url(7), "title": "New", "updatedAt": "2026-03-01T08:00:00Z"}));
    repo.json_in(json!([bare]).to_string(), &["import", "github", "-"]);
    assert_eq!((&show()["title"], &show()["depends_on"]), (&json!("New"), &json!(["GH-8"])));
    let free = json!({"url": url(7), "updatedAt": "2026-04-01T08:00:00Z", "blockedBy": {"nodes": [], "totalCount": 0}});
    repo.json_in(json!([record(7, &free)]).to_string(), &["import", "github", "-"]);
    assert_eq!(show().get("depends_on"), None);
}

#[test]
fn a_comment_that_moderators_hid_is_marked_and_no_agent_reads_it() {
    let repo = store(&Sandbox::new(), "a");
    let comment = |n: u64, hidden: bool| {
        json!({"id": format!("IC_{n}"), "url": format!("https://github.com/zoo/okapi/issues/7#issuecomment-{n}"), "author": {"login": "bea"},
            "body": format!("said {n}"), "createdAt": format!("2026-01-01T1{n}:00:00Z"), "isMinimized": hidden, "minimizedReason": if hidden { "SPAM" } else { "" }})
    };
    let issue = record(7, &json!({"comments": [comment(1, true), comment(2, false)]}));
    repo.json_in(json!([issue]).to_string(), &["import", "github", "-"]);
    let comments = repo.json(&["show", "GH-7"])["comments"].clone();
    assert_eq!(json!([comments[0]["hidden"], comments[1].get("hidden")]), json!(["spam", null]));
    assert!(repo.wf(&["show", "GH-7"]).ok().stdout.contains("hidden by moderators: spam"));
    let context = repo.wf(&["context", "GH-7", "--json"]).ok().stdout;
    assert!(context.contains("said 2") && !context.contains("said 1"), "{context}");
}
