//! `export github --sync` and `export github ROADMAP`: what is here goes to GitHub, and never twice. A stand-in for `gh` keeps
//! state.

use serde_json::{Value, json};

use super::github::{record, with_gh};
use super::{issue, store};
use crate::support::{Repo, Sandbox};

/// A `gh` that shows the issue in `view.json`, lists those in `made.json`, and writes down what it is told.
const HOST: &str = r#"
case "$1 $2" in
  "issue view") echo "$@" >>.git/asked; cat view.json ;;
  "issue list") cat made.json ;;
  "issue edit") echo "$@" >>.git/told ;;
  "issue comment") echo "$@" >>.git/told; cat >>.git/comments; echo https://github.com/zoo/okapi/issues/7#issuecomment-9 ;;
  "issue create")
    echo "$@" >>.git/told; cat >>.git/bodies
    n=$(($(cat .git/made 2>/dev/null || echo 100) + 1)); echo $n >.git/made; echo https://github.com/zoo/okapi/issues/$n ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac"#;

fn linked(number: u64) -> Value {
    json!({"number": number, "url": format!("https://github.com/zoo/okapi/issues/{number}")})
}

/// Issues 7, 8 and 9 of GitHub; 7 is of type Task, blocked by 8, and has a comment.
fn imported(sandbox: &Sandbox) -> Repo {
    let repo = store(sandbox, "a");
    repo.git(&["remote", "add", "origin", "https://github.com/zoo/okapi.git"]).ok();
    let comment = json!({"id": "IC_1", "author": {"login": "bea"}, "body": "Hm.", "createdAt": "2026-01-01T09:00:00Z",
        "url": "https://github.com/zoo/okapi/issues/7#issuecomment-1"});
    let more = json!({"issueType": {"name": "Task"}, "blockedBy": {"nodes": [linked(8)], "totalCount": 1}, "parent": null,
        "comments": [comment]});
    let (seven, none) = (record(7, &more), json!({}));
    repo.write("view.json", seven.to_string());
    repo.json_in(json!([seven, record(8, &none), record(9, &none)]).to_string(), &["import", "github", "-"]);
    with_gh(&repo, HOST)
}

fn told(repo: &Repo) -> String {
    std::fs::read_to_string(repo.path().join(".git/told")).unwrap_or_default()
}

#[test]
fn types_links_and_comments_go_to_github_once() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    let sync = ["export", "github", "GH-7", "--sync"];
    assert_eq!(repo.json(&sync)["issues"], json!([]));
    repo.wf(&["edit", "GH-7", "--type", "bug", "--depends-on", "GH-9", "--depends-on", "-GH-8"]).ok();
    repo.wf(&["edit", "GH-7", "--relation", "parent-child:GH-9"]).ok();
    repo.wf(&["comment", "GH-7", "It is hungry."]).ok();
    let would = repo.wf(&sync).ok().stdout;
    assert!(
        would.starts_with("would send GH-7 to https://github.com/zoo/okapi/issues/7: type Bug, sub-issue of #9, blocked by #9, "),
        "{would}"
    );
    assert_eq!(told(&repo), "");
    let post = [&sync[..], &["--post"]].concat();
    let sent = repo.json(&post);
    let changes = sent["issues"][0]["changes"].as_array().unwrap();
    assert_eq!(
        changes[..4],
        [
            json!("type Bug"),
            json!("sub-issue of #9"),
            json!("blocked by #9"),
            json!("no longer blocked by #8")
        ]
    );
    assert!(changes[4].as_str().unwrap().starts_with("comment by "), "{sent}");
    let lines = told(&repo);
    assert!(
        lines.starts_with(
            "issue edit 7 --type=Bug --parent=9 --add-blocked-by=9 --remove-blocked-by=8 --repo=zoo/okapi\n"
        ),
        "{lines}"
    );
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let body = repo.read(".git/comments");
    assert!(body.starts_with("**") && body.contains("It is hungry.\n\n<!-- git-wf sent: "), "{body}");

    // GitHub has it now: nothing is sent again, and nothing of it comes in again.
    let mut now: Value = serde_json::from_str(&repo.read("view.json")).unwrap();
    now["issueType"]["name"] = json!("Bug");
    now["parent"] = linked(9);
    now["blockedBy"] = json!({"nodes": [linked(9)], "totalCount": 1});
    let comments = now["comments"].as_array_mut().unwrap();
    comments.push(
        json!({"id": "IC_9", "author": {"login": "robot"}, "body": body, "createdAt": "2026-11-20T09:00:00Z",
        "url": "https://github.com/zoo/okapi/issues/7#issuecomment-9"}),
    );
    now["updatedAt"] = json!("2026-11-20T09:00:00Z");
    repo.write("view.json", now.to_string());
    assert_eq!(repo.json(&post)["issues"], json!([]));
    let report = repo.json_in(json!([now]).to_string(), &["import", "github", "-"]);
    assert_eq!((&report["comments"], &report["edited_comments"]), (&json!(0), &json!(0)), "{report:#}");
    let known = repo.json(&["show", "GH-7"])["comments"].clone();
    assert_eq!(crate::support::column(&known, "author")[0], "bea");
    assert_eq!(known.as_array().unwrap().len(), 2);
    assert_eq!(told(&repo).lines().count(), 2);
}

#[test]
fn what_changed_there_since_the_last_import_stays() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    repo.wf(&["edit", "GH-7", "--type", "bug"]).ok();
    let mut now: Value = serde_json::from_str(&repo.read("view.json")).unwrap();
    now["issueType"]["name"] = json!("Feature");
    now["blockedBy"] = json!({"nodes": [], "totalCount": 0});
    repo.write("view.json", now.to_string());
    assert_eq!(repo.json(&["export", "github", "GH-7", "--sync", "--post"])["issues"], json!([]));
    assert_eq!(told(&repo), "");
}

#[test]
fn an_older_gh_is_named_and_comments_are_sent_nevertheless() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    repo.wf(&["comment", "GH-7", "Well."]).ok();
    let old = format!(
        "case \"$*\" in *blockedBy*|*parent*) echo 'Unknown JSON field: \"blockedBy\"' >&2; echo 'Available fields:' >&2; exit 1 ;; esac\n{HOST}"
    );
    let old = with_gh(&repo, &old);
    let sent = old.wf(&["export", "github", "GH-7", "--sync", "--post"]).ok();
    assert!(sent.stderr.contains("need `gh` 2.94 or later"), "{}", sent.stderr);
    assert!(sent.stdout.contains("comment by "), "{}", sent.stdout);
    repo.write("made.json", "[]");
    let report = old.json(&["import", "github"]);
    assert!(
        report["notes"].to_string().contains("older than 2.94")
            || report.to_string().contains("older than 2.94"),
        "{report:#}"
    );
    old.refused(2, &["import", "github", "--only", "bug"]);
}

#[test]
fn a_roadmap_becomes_an_issue_with_sub_issues() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    let task = |id: &str, title: &str, on: &[&str]| {
        json!({"id": id, "title": title, "type": "feature", "scope": title, "inputs": [], "outputs": [title],
            "convergence": {"criteria": [format!("{title} works")], "verification": "cargo test", "definition_of_done": "It works"},
            "depends_on": on, "parallel_group": if on.is_empty() { 1 } else { 2 }})
    };
    let roadmap = json!({"title": "Feed the okapi", "requirement": "It must eat", "mode": "direct",
        "tasks": [task("T1", "Buy leaves", &[]), task("T2", "Fill the bowl", &["T1"])]});
    let added = repo.json_in(roadmap.to_string(), &["roadmap", "add", "-"]);
    let id = added["id"].as_str().or(added["roadmap"]["id"].as_str()).unwrap().to_owned();
    repo.write("made.json", "[]");
    // What the host has of an issue that was just made: nothing yet.
    repo.write(
        "view.json",
        json!({"number": 102, "url": "https://github.com/zoo/okapi/issues/102", "comments": [],
        "issueType": null, "parent": linked(101), "blockedBy": {"nodes": [], "totalCount": 0}})
        .to_string(),
    );
    let would = repo.json(&["export", "github", &id]);
    assert_eq!((would["issues"].as_array().unwrap().len(), told(&repo)), (3, String::new()), "{would:#}");
    repo.json(&["export", "github", &id, "--post"]);
    let lines = told(&repo);
    let made: Vec<&str> = lines.lines().filter(|line| line.starts_with("issue create")).collect();
    assert_eq!(made.len(), 3, "{lines}");
    assert!(
        !made[0].contains("--parent") && made[1].contains("--parent=101") && made[2].contains("--parent=101"),
        "{lines}"
    );
    assert!(lines.contains("--add-blocked-by=10"), "{lines}");
    let ids = crate::support::column(&repo.json(&["list", "--all"]), "id");
    let own: Vec<&String> = ids.iter().filter(|id| !id.starts_with("GH-")).collect();
    for id in own {
        let url = issue(&repo, id)["source_url"].clone();
        assert!(url.as_str().unwrap().starts_with("https://github.com/zoo/okapi/issues/10"), "{url}");
    }
    // The roadmap is known by its mark, and its issues by their addresses; on import, they are no new issues.
    let body = repo.read(".git/bodies").lines().find(|line| line.contains(&id)).unwrap().to_owned();
    let made = record(101, &json!({"body": body}));
    repo.write("made.json", json!([made]).to_string());
    repo.json(&["export", "github", &id, "--post"]);
    assert_eq!(told(&repo).matches("issue create").count(), 3);
    let report = repo.json_in(json!([made]).to_string(), &["import", "github", "-"]);
    assert_eq!(
        (&report["created"], &report["left_out"][0]["reason"]),
        (&json!(0), &json!("issue that was made from here"))
    );
}

#[test]
fn limits_of_the_host_are_waited_out() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    repo.git(&["config", "wf.land.poll", "0"]).ok();
    repo.wf(&["comment", "GH-7", "Well."]).ok();
    let limited = format!(
        "if test ! -f .git/limited-$2; then touch .git/limited-$2; echo 'HTTP 403: API rate limit exceeded' >&2; exit 1; fi\n{HOST}"
    );
    let repo = with_gh(&repo, &limited);
    let sent = repo.wf(&["export", "github", "GH-7", "--sync", "--post"]).ok();
    assert!(sent.stderr.contains("waited for the host"), "{}", sent.stderr);
    assert_eq!(told(&repo).lines().count(), 1, "{}", told(&repo));
    repo.write("made.json", "[]");
    assert_eq!(repo.json(&["import", "github"])["created"], 0);
    // Without an end, it gives up.
    let never = with_gh(&repo, "echo 'HTTP 429' >&2; exit 1");
    let told = never.wf(&["import", "github"]).fails(1).stderr;
    assert!(told.contains("waited for the host") && told.contains("error: `gh` failed: HTTP 429"), "{told}");
}

#[test]
fn all_comments_of_an_issue_come_in_though_a_list_has_only_some() {
    let sandbox = Sandbox::new();
    let repo = imported(&sandbox);
    let comment = |n: u32| {
        json!({"id": format!("IC_{n}"), "author": {"login": "bea"}, "body": format!("{n}"), "createdAt": "2026-01-01T09:00:00Z",
            "url": format!("https://github.com/zoo/okapi/issues/9#issuecomment-{n}")})
    };
    let with = |count: u32| {
        let comments: Vec<Value> = (1..=count).map(comment).collect();
        record(9, &json!({"comments": comments, "updatedAt": "2026-11-01T09:00:00Z"}))
    };
    repo.write("made.json", json!([with(100)]).to_string());
    repo.write("view.json", with(101).to_string());
    let report = repo.json(&["import", "github"]);
    assert_eq!(report["comments"], 101, "{report:#}");
}
