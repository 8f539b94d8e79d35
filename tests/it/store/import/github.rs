//! `import github` and `export github`, with a stand-in for `gh`.

use serde_json::{Value, json};

use super::{comments, issue, store};
use crate::support::{Repo, Sandbox};

pub(super) fn record(number: u64, more: &Value) -> Value {
    let mut record = json!({
        "number": number, "title": format!("About {number}"), "body": "Too early.", "state": "OPEN", "stateReason": "",
        "labels": [], "assignees": [], "milestone": null, "author": {"login": "ada"},
        "createdAt": "2026-01-01T08:00:00Z", "updatedAt": "2026-01-02T08:00:00Z", "closedAt": null, "comments": [],
        "url": format!("https://github.com/zoo/okapi/issues/{number}")
    });
    for (name, value) in more.as_object().unwrap() {
        record[name] = value.clone();
    }
    record
}

/// The repository with a `gh` in its PATH that runs this script. Its arguments are in `gh-args`, its input in `gh-input`.
pub(super) fn with_gh(repo: &Repo, script: &str) -> Repo {
    use std::os::unix::fs::PermissionsExt;
    let folder = repo.path().join(".git/bin");
    std::fs::create_dir_all(&folder).unwrap();
    let here = repo.path().display();
    let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{here}/.git/gh-args'\ncd '{here}'\n{script}\n");
    std::fs::write(folder.join("gh"), text).unwrap();
    std::fs::set_permissions(folder.join("gh"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    repo.with_env("PATH", &format!("{}:{path}", folder.display()))
}

#[test]
fn an_issue_that_can_be_read_in_two_ways_is_named_and_the_others_come_in() {
    let repo = store(&Sandbox::new(), "a");
    let twice = record(8, &json!({})).to_string().replacen('{', "{\"title\": \"Another\", ", 1);
    let of = |number: u64| record(number, &json!({})).to_string();
    let file = format!("[{}, {twice}]\n{}\n", of(7), of(9));
    let refused = repo.wf_in(&file, &["import", "github", "-", "--strict"]).fails(1);
    assert!(
        refused.stderr.contains("issue 2: the key `title` appears twice in one object"),
        "{}",
        refused.stderr
    );
    let report = repo.json_in(&file, &["import", "github", "-"]);
    assert_eq!(report["created"], 2, "{report:#}");
    assert_eq!(
        report["skipped"],
        json!([{"unit": "issue", "line": 2, "id": null, "reason": "the key `title` appears twice in one object"}])
    );
    let again = repo.json_in(&file, &["import", "github", "-"]);
    assert_eq!((&again["unchanged"], &again["commit"]), (&json!(2), &Value::Null));
    // Nor does one with broken JSON or another encoding hide those after it.
    let cut = b"\n{\"number\": 11,\n{\"number\": 12, \"title\": \"\xff\"}\n".to_vec();
    let broken = [of(10).into_bytes(), cut, of(13).into_bytes()];
    let report = repo.json_in(broken.concat(), &["import", "github", "-"]);
    assert_eq!(report["created"], 2, "{report:#}");
    let whys: Vec<&str> =
        report["skipped"].as_array().unwrap().iter().map(|it| it["reason"].as_str().unwrap()).collect();
    assert_eq!(
        whys,
        ["line 3, column 1: not JSON: key must be a string", "line 3, column 26: the byte 0xff is not UTF-8"]
    );
}

#[test]
fn a_type_that_gh_does_not_know_selects_nothing_in_silence() {
    let older =
        "case \"$*\" in *issueType*) echo 'Unknown JSON field: \"issueType\"' >&2; exit 1 ;; esac\necho '[]'";
    let repo = with_gh(&store(&Sandbox::new(), "a"), older);
    for option in ["--only", "--skip-type"] {
        let refused = repo.refused(2, &["import", "github", "--repo", "zoo/okapi", option, "bug"]);
        assert!(refused["message"].as_str().unwrap().contains("--only"), "{refused}");
        assert!(refused.to_string().contains("repos/zoo/okapi/issues"), "{refused}");
    }
    let typed = json!([record(7, &json!({"type": {"name": "Bug"}})), record(8, &json!({"type": null}))]);
    let report = repo.json_in(typed.to_string(), &["import", "github", "-", "--only", "bug"]);
    assert_eq!((&report["created"], &report["left_out"][0]["reason"]), (&json!(1), &json!("no type")));
}

#[test]
fn issues_come_from_a_file_and_a_later_one_undoes_nothing() {
    let repo = store(&Sandbox::new(), "a");
    let comment = json!({"author": {"login": "bea"}, "body": "Hm.", "createdAt": "2026-01-01T09:00:00Z"});
    let first = json!([
        record(
            7,
            &json!({"labels": [{"name": "bug"}], "comments": [comment], "milestone": {"title": "1.0"}})
        ),
        record(
            8,
            &json!({"state": "CLOSED", "stateReason": "NOT_PLANNED", "closedAt": "2026-01-02T07:00:00Z"})
        ),
    ]);
    let report = repo.json_in(first.to_string(), &["import", "github", "-"]);
    assert_eq!((&report["created"], &report["comments"]), (&json!(2), &json!(1)), "{report}");
    assert_eq!(report["kept"], json!([{"what": "`milestone` has no field here", "issues": 1}]));
    let read = issue(&repo, "GH-7");
    for (name, value) in [
        ("source", json!("github")),
        ("source_url", json!("https://github.com/zoo/okapi/issues/7")),
        ("tags", json!(["bug"])),
        ("author", json!("ada")),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    assert_eq!(comments(&repo, "GH-7")[0]["author"], "bea");
    let given_up = repo.json(&["show", "GH-8"]);
    assert_eq!(
        (&given_up["status"], &given_up["close_reason"]),
        (&json!("cancelled"), &json!("not planned"))
    );
    assert_eq!(given_up["closed_at"], "2026-01-02T07:00:00.000Z");

    repo.wf(&["edit", "GH-7", "--title", "Mine"]).ok();
    let later = json!([record(
        7,
        &json!({"title": "Theirs", "body": "Far too early.",
        "updatedAt": "2026-01-03T08:00:00Z", "comments": [comment]})
    )]);
    let report = repo.json_in(later.to_string(), &["import", "github", "-"]);
    assert_eq!((&report["updated"], &report["comments"]), (&json!(1), &json!(0)));
    let read = issue(&repo, "GH-7");
    assert_eq!((&read["title"], &read["context"]), (&json!("Mine"), &json!("Far too early.")));
    assert!(read.get("tags").is_none());
    let tip = repo.tip();
    repo.json_in(first.to_string(), &["import", "github", "-"]);
    repo.json_in(later.to_string(), &["import", "github", "-"]);
    assert_eq!(repo.tip(), tip);
}

#[test]
fn a_member_that_is_missing_says_nothing_and_an_empty_one_removes() {
    let repo = store(&Sandbox::new(), "a");
    let comment = json!({"author": {"login": "bea"}, "body": "Hm.", "createdAt": "2026-01-01T09:00:00Z"});
    let whole = json!({"labels": [{"name": "bug"}], "comments": [comment], "assignees": [{"login": "bea"}],
        "milestone": {"title": "1.0"}});
    repo.json_in(json!([record(7, &whole)]).to_string(), &["import", "github", "-"]);
    let mut few = json!({"number": 7, "title": "Another title", "state": "OPEN", "comments": 1,
        "createdAt": "2026-01-01T08:00:00Z", "updatedAt": "2026-01-03T08:00:00Z"});
    let report = repo.json_in(json!([few]).to_string(), &["import", "github", "-"]);
    assert_eq!((&report["updated"], &report["notes"]), (&json!(1), &json!([])), "{report}");
    let read = issue(&repo, "GH-7");
    for (name, value) in [
        ("title", json!("Another title")),
        ("context", json!("Too early.")),
        ("tags", json!(["bug"])),
        ("assignee", json!("bea")),
        ("source_url", json!("https://github.com/zoo/okapi/issues/7")),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    assert_eq!(comments(&repo, "GH-7").len(), 1);
    few["labels"] = json!([]);
    few["body"] = json!("");
    few["updatedAt"] = json!("2026-01-04T08:00:00Z");
    repo.json_in(json!([few]).to_string(), &["import", "github", "-"]);
    let read = issue(&repo, "GH-7");
    assert_eq!(
        (&read["tags"], &read["context"], &read["assignee"]),
        (&Value::Null, &Value::Null, &json!("bea")),
        "an empty set is not written"
    );
}

#[test]
fn pages_of_the_rest_api_and_pull_requests() {
    let repo = store(&Sandbox::new(), "a");
    let rest = |number: u64, more: &Value| {
        let mut record = json!({"id": 90 + number, "number": number, "title": format!("About {number}"), "state": "open",
            "user": {"login": "ada"}, "labels": [], "assignees": [], "comments": 0, "body": null,
            "created_at": "2026-01-01T08:00:00Z", "updated_at": "2026-01-02T08:00:00Z",
            "html_url": format!("https://github.com/zoo/okapi/issues/{number}")});
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        record
    };
    let pages = format!(
        "{}{}",
        json!([rest(1, &json!({})), rest(2, &json!({"pull_request": {"url": "x"}}))]),
        json!([rest(3, &json!({"comments": 2})), {"number": 4}])
    );
    let report = repo.json_in(&pages, &["import", "github", "-"]);
    assert_eq!(report["created"], 2);
    assert_eq!(report["left_out"], json!([{"reason": "pull request", "issues": 1}]));
    assert_eq!(report["kept"][0]["what"], "its comments are not in the source, only their number");
    let skipped = &report["skipped"][0];
    assert_eq!(
        (&skipped["unit"], &skipped["line"], &skipped["id"]),
        (&json!("issue"), &json!(4), &json!("GH-4"))
    );
    let cut = &pages[..pages.len() - 20];
    let report = repo.json_in(cut, &["import", "github", "-"]);
    assert!(
        report["skipped"][0]["reason"].as_str().unwrap().starts_with("the rest cannot be read"),
        "{report}"
    );
    assert_eq!(repo.refused_in(cut, 1, &["import", "github", "--strict", "-"])["code"], "not-strict");
    assert_eq!(repo.refused_in("{}", 1, &["import", "github", "-"])["code"], "wrong-source");
}

#[test]
fn gh_is_asked_for_the_issues_of_a_repository() {
    let repo = store(&Sandbox::new(), "a");
    repo.write("issues.json", json!([record(7, &json!({})), record(9, &json!({}))]).to_string());
    let asked = with_gh(&repo, "cat issues.json");
    let report = asked.json(&[
        "import",
        "github",
        "--repo",
        "zoo/okapi",
        "--state",
        "open",
        "-l",
        "bug",
        "--limit",
        "1",
    ]);
    assert_eq!(report["created"], 0, "none has the label");
    let args = repo.read(".git/gh-args");
    for line in ["issue", "list", "--state", "open", "--repo=zoo/okapi", "--limit=1", "--label=bug"] {
        assert!(args.lines().any(|arg| arg == line), "{line}: {args}");
    }
    assert_eq!(asked.json(&["import", "github", "--repo", "zoo/okapi"])["created"], 2);
    assert!(repo.read(".git/gh-args").contains("--limit=10000\n"), "nobody chose a limit");
    // Filters of ours come after what `gh` is asked for.
    asked.json(&["import", "github", "--repo", "zoo/okapi", "--limit", "1", "--since", "2026-01-01"]);
    assert!(repo.read(".git/gh-args").contains("--limit=10000\n"));
    // The repository of a remote.
    asked.refused(2, &["import", "github"]);
    repo.git(&["remote", "add", "upstream", "git@github.com:zoo/okapi.git"]).ok();
    assert_eq!(asked.json(&["import", "github"])["unchanged"], 2);
    assert!(repo.read(".git/gh-args").contains("--repo=zoo/okapi\n"));
    for wrong in ["zoo", "--help/x", "zoo/$(id)"] {
        asked.refused(2, &["import", "github", &format!("--repo={wrong}")]);
    }
}

#[test]
fn what_gh_lacks_is_named() {
    let repo = store(&Sandbox::new(), "a");
    let tip = repo.tip();
    let import = ["import", "github", "--repo", "zoo/okapi"];
    let no_login =
        with_gh(&repo, "echo 'To get started with GitHub CLI, please run:  gh auth login' >&2\nexit 4");
    let error = no_login.refused(1, &import);
    assert_eq!(error["code"], "not-logged-in");
    assert!(error["hint"].as_str().unwrap().contains("gh auth login"), "{error}");
    let failed = with_gh(&repo, "echo 'GraphQL: Could not resolve to a Repository' >&2\nexit 1");
    let error = failed.refused(1, &import);
    assert_eq!(error["code"], "gh-failed");
    assert!(error["message"].as_str().unwrap().contains("Could not resolve"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("gh repo view zoo/okapi"), "{error}");
    let cut = with_gh(&repo, "printf '[{\"number\": 7, \"ti'").refused(1, &import);
    assert_eq!(cut["message"], "the output of `gh` is cut off: the JSON is cut off, at line 1, column 18");
    let empty = repo.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for program in ["git", "sh"] {
        let found = repo.sh(&["-c", &format!("command -v {program}")]).ok();
        std::os::unix::fs::symlink(found.line(), empty.join(program)).unwrap();
    }
    let error = repo.with_env("PATH", empty.to_str().unwrap()).refused(1, &import);
    assert_eq!((&error["code"], &error["message"]), (&json!("no-gh"), &json!("`gh` is not installed")));
    assert_eq!(repo.tip(), tip);
}

/// An issue of GitHub whose plan was executed.
fn executed(repo: &Repo) {
    repo.json_in(json!([record(7, &json!({}))]).to_string(), &["import", "github", "-"]);
    let plan = json!({
        "description": "Let tokens last", "approach": "Read the `max-age` of the policy",
        "tasks": [{
            "id": "T1", "title": "Keep tokens longer", "action": "Fix", "scope": "auth",
            "modification_points": [{"file": "src/a.rs", "target": "expiry", "change": "seconds to days"}],
            "implementation": ["Read the policy", "Use it"], "test": {"commands": ["grep -q two src/a.rs"]},
            "acceptance": {"criteria": ["A token lasts 30 days"], "verification": ["Run the tests"]}
        }]
    });
    repo.wf_in(plan.to_string(), &["solution", "add", "GH-7", "-", "--add-reply-task"]).ok();
    repo.wf(&["queue", "add", "GH-7"]).ok();
    repo.wf(&["next", "--local"]).ok();
    repo.wf(&["task", "start", "T1"]).ok();
}

#[test]
fn the_comment_tells_what_was_done_and_carries_out_the_reply_task() {
    let repo = Sandbox::new().store("a");
    repo.wf(&["hooks", "install"]).ok();
    assert_eq!(repo.refused(1, &["export", "github", "GH-7"])["code"], "not-found");
    executed(&repo);
    let page = "https://github.com/zoo/okapi/issues/7#issuecomment-1";
    let asked = with_gh(&repo, &format!("cat > .git/gh-input\necho {page}"));
    let body = |repo: &Repo| repo.wf(&["export", "github", "GH-7"]).ok().stdout;
    assert!(body(&repo).starts_with("## In progress\n"));
    let post = ["export", "github", "GH-7", "--post"];
    let error = asked.refused(1, &post);
    assert_eq!(error["code"], "open-tasks");
    assert_eq!(error["details"], json!(["T1: Keep tokens longer: no commit, and no criterion is confirmed"]));
    assert!(error["hint"].as_str().unwrap().contains("git wf link COMMIT GH-7"), "{error}");
    let commit = repo.commit("src/a.rs", "two\n", "Let tokens last\n\nAs agreed.");
    let error = asked.refused(1, &post);
    assert_eq!(error["code"], "open-tasks");
    assert!(
        error["details"][0].as_str().unwrap().contains("`grep -q two src/a.rs` has no passing check"),
        "{error}"
    );
    assert!(!repo.path().join(".git/gh-args").exists(), "nothing was sent");
    repo.wf(&["verify", "--yes"]).ok();
    let hash = &commit[..10];
    let view = repo.json(&["show", "GH-7"]);
    let execution = view["executions"][0]["id"].as_str().unwrap();
    let told = body(&repo);
    assert_eq!(
        told,
        format!(
            "## Completed\n\nLet tokens last\n\n### Approach\n\nRead the `max-age` of the policy\n\n### Tasks\n\n\
             - **T1** Keep tokens longer (`src/a.rs`) — {hash}\n\n### Commits\n\n- {hash} Let tokens last\n\n\
             ### Changed files\n\n- `src/a.rs`\n\n### Verification\n\n- `grep -q two src/a.rs` passed\n\n\
             <!-- git-wf: {execution} -->\n"
        )
    );
    // Whoever writes the record chooses the repository.
    let error = asked.refused(1, &post);
    assert_eq!(error["code"], "other-repository");
    let call = "git wf export github --post --repo zoo/okapi GH-7";
    assert!(error["hint"].as_str().unwrap().contains(call), "{error}");
    let other = asked.refused(1, &[&post[..], &["--repo", "zoo/gnu"]].concat());
    assert_eq!(other["code"], "other-repository");
    assert!(!repo.path().join(".git/gh-args").exists(), "nothing was sent");
    repo.git(&["remote", "add", "okapi", "git@github.com:Zoo/Okapi.git"]).ok();
    let sent = asked.json(&post);
    assert_eq!(sent["url"], page);
    assert_eq!((&sent["posted"], sent["body"].as_str()), (&json!(true), Some(told.as_str())));
    assert_eq!(repo.read(".git/gh-input"), told);
    assert_eq!(repo.read(".git/gh-args"), "issue\ncomment\n7\n--body-file\n-\n--repo=zoo/okapi\n");
    // Once.
    let error = asked.refused(1, &post);
    assert_eq!(error["code"], "already-posted");
    assert!(error["message"].as_str().unwrap().contains(page), "{error}");
    let kept = repo.json(&["show", "GH-7"])["comments"].clone();
    assert_eq!((&kept[0]["source_id"], kept[0]["body"].as_str()), (&json!(page), Some(told.as_str())));
    // What was sent comes back as the same comment, although GitHub has its own time for it.
    let comment = json!({"id": "IC_1", "url": page, "author": {"login": "ada"}, "createdAt": "2027-01-01T09:00:00Z",
        "body": told.trim_end(), "includesCreatedEdit": false});
    let again = record(7, &json!({"updatedAt": "2027-01-01T09:00:00Z", "comments": [comment]}));
    let report = repo.json_in(json!([again]).to_string(), &["import", "github", "-"]);
    assert_eq!((&report["comments"], &report["edited_comments"]), (&json!(0), &json!(0)), "{report}");
    repo.git(&["remote", "remove", "okapi"]).ok();
    let forced =
        [&post[..], &["--repo", "zoo/okapi", "--force", "--reason", "it was deleted there"]].concat();
    assert_eq!(asked.json(&forced)["posted"], true);
    repo.wf(&["log", "GH-7"]).ok();
    // The reply task is done.
    repo.wf(&["done", "-m", "Tokens last now", "--force", "--reason", "a test"]).ok();
    let told = body(&repo);
    assert!(told.starts_with("## Completed\n\nTokens last now\n"), "{told}");
    assert!(told.contains("- T2, criterion 1: https://github.com/"), "{told}");
}

#[test]
fn an_issue_without_a_plan_or_from_elsewhere_has_no_comment() {
    let repo = Sandbox::new().store("a");
    repo.wf(&["new", "--id", "ISS-1", "Ours"]).ok();
    assert_eq!(repo.refused(1, &["export", "github", "ISS-1"])["code"], "not-from-github");
    repo.json_in(json!([record(7, &json!({}))]).to_string(), &["import", "github", "-"]);
    assert_eq!(repo.refused(1, &["export", "github", "GH-7", "--post"])["code"], "not-executed");
}

#[test]
fn a_list_without_issues_brings_nothing_and_is_no_error() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    for text in ["[]", "[]\n[]\n"] {
        let report = repo.json_in(text, &["import", "github", "-"]);
        assert_eq!((&report["created"], &report["commit"]), (&json!(0), &Value::Null), "{report}");
        let told = repo.wf_in(text, &["import", "github", "-"]).ok();
        assert!(told.stdout.contains("nothing new"), "{}{}", told.stdout, told.stderr);
    }
    assert_eq!(repo.refused_in("", 1, &["import", "github", "-"])["code"], "empty");
}
