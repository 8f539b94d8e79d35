//! Pull requests, with a stand-in for `gh` that keeps state.

use serde_json::json;

use super::{clones, work};
use crate::support::{Repo, Two};

/// What the host answers to `gh pr view`, one after the other, as shell commands; the last one is given again and again.
pub(super) struct Host<'a> {
    pub(super) views: &'a [&'a str],
}

pub(super) const OPEN: &str =
    r#"echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN"}'"#;

/// A clone with a remote at GitHub that nobody contacts, and a `gh` in its PATH.
pub(super) fn with_host(two: &Two, host: &Host<'_>) -> Repo {
    use std::os::unix::fs::PermissionsExt;
    two.ada.git(&["remote", "add", "github", "https://github.com/ada/code.git"]).ok();
    two.ada.git(&["config", "wf.land.poll", "0"]).ok();
    let state = two.sandbox.root().join("host");
    std::fs::create_dir(&state).unwrap();
    let mut views = String::new();
    for (n, view) in (1..).zip(host.views) {
        let pattern = if n == host.views.len() { "*".to_owned() } else { n.to_string() };
        views.push_str(&format!("      {pattern}) {view} ;;\n"));
    }
    let (here, origin) = (state.display(), two.origin.path().display());
    let script = format!(
        r#"#!/bin/sh
cd '{here}'
origin='{origin}'
echo "$*" >>calls
limits=$(cat limits 2>/dev/null || echo 0)
if test "$limits" -gt 0; then echo $((limits - 1)) >limits; echo 'HTTP 429: too many requests' >&2; exit 1; fi
case "$1 $2" in
  "pr list")
    if test -f listed; then cat listed; elif test -f open; then echo '[{{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN"}}]'; else echo '[]'; fi ;;
  "pr create")
    cat >body
    if test -f labels; then grep -q x labels; elif echo "$*" | grep -q -e --label; then touch labels; echo "could not add label: 'auth' not found" >&2; exit 1; fi
    touch open; echo https://github.com/ada/code/pull/7 ;;
  "pr edit") cat >body ;;
  "api --method") echo '{{}}' ;;
  "api --paginate") if test -f inline; then cat inline; else echo '[]'; fi ;;
  "pr view")
    n=$(($(cat views 2>/dev/null || echo 0) + 1)); echo $n >views
    case $n in
{views}    esac ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"#
    );
    std::fs::write(state.join("gh"), script).unwrap();
    std::fs::set_permissions(state.join("gh"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = two.ada.sh(&["-c", "echo $PATH"]).ok().line().to_owned();
    two.ada.with_env("PATH", &format!("{here}:{path}"))
}

pub(super) fn host_file(two: &Two, name: &str) -> String {
    std::fs::read_to_string(two.sandbox.root().join("host").join(name)).unwrap()
}

#[test]
fn a_pull_request_is_opened_with_the_trail_and_updated_later() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    let own = repo.complete(&work("GH-12", "a.txt", "a\n"));
    repo.wf(&["edit", "GH-12", "--source-url", "https://github.com/ada/code/issues/12"]).ok();
    let ran = repo.wf(&["land", "GH-12", "--pr"]).ok();
    assert_eq!(ran.stdout, "opened https://github.com/ada/code/pull/7 for GH-12: About GH-12\n");
    assert_eq!(two.origin.id("land/GH-12"), own);
    let body = host_file(&two, "body");
    for part in ["## Completed", "### Commits", "Closes #12\n", "plan SOL-GH-12-"] {
        assert!(body.contains(part), "{part} in {body}");
    }
    let calls = host_file(&two, "calls");
    assert!(calls.contains("--head=land/GH-12 --base=main --repo=ada/code --title=About GH-12"), "{calls}");
    let ran = repo.wf(&["land", "GH-12", "--pr"]).ok();
    assert!(ran.stdout.starts_with("updated "), "{}", ran.stdout);
    assert_eq!(host_file(&two, "calls").matches("pr create").count(), 1);
    assert_ne!(two.origin.id("main"), own);
}

/// The host lists the branches of this name in all forks.
#[test]
fn a_pull_request_from_a_fork_is_left_alone() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let listed = r#"[{"number":1,"url":"https://github.com/ada/code/pull/1","state":"OPEN","isCrossRepository":true}]"#;
    std::fs::write(two.sandbox.root().join("host/listed"), listed).unwrap();
    let ran = repo.wf(&["land", "ISS-001", "--pr"]).ok();
    assert!(ran.stdout.starts_with("opened https://github.com/ada/code/pull/7"), "{}", ran.stdout);
    assert!(!host_file(&two, "calls").contains("pr edit"));
}

/// Only if it is wanted: the host shows it beside its own checks.
#[test]
fn the_outcome_of_the_tests_is_a_status_of_the_commit() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    let own = repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    assert!(!host_file(&two, "calls").contains("statuses"));
    repo.git(&["config", "wf.land.status", "true"]).ok();
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    let calls = host_file(&two, "calls");
    let call = format!("api --method POST repos/ada/code/statuses/{own} --raw-field state=");
    // Nobody has tested it yet.
    assert!(calls.contains(&format!("{call}failure")) && calls.contains("context=git-wf"), "{calls}");
    repo.wf(&["verify", "ISS-001", "--fresh", "--yes"]).ok();
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    let calls = host_file(&two, "calls");
    assert!(calls.contains(&format!("{call}success")), "{calls}");
}

#[test]
fn labels_that_the_host_does_not_know_are_left_out() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["edit", "ISS-001", "-t", "auth"]).ok();
    std::fs::remove_file(two.sandbox.root().join("host/labels")).ok();
    let ran = repo.wf(&["land", "ISS-001", "--pr"]);
    assert!(
        ran.stderr.contains("the pull request has no labels: could not add label: 'auth' not found"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_the_host_says_becomes_feedback_until_it_merges() {
    let two = clones();
    let failing = r#"echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN",
        "statusCheckRollup":[{"name":"build","conclusion":"FAILURE","detailsUrl":"https://ci/1"},{"name":"lint","conclusion":"SUCCESS"}],
        "reviews":[{"author":{"login":"bea"},"body":"Name it better","state":"CHANGES_REQUESTED"}]}'"#;
    let merged = r#"git --git-dir="$origin" update-ref refs/heads/main refs/heads/land/ISS-001
        oid=$(git --git-dir="$origin" rev-parse main)
        echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"MERGED","baseRefName":"main","mergeCommit":{"oid":"'$oid'"}}'"#;
    let limited = "echo 'HTTP 429: too many requests' >&2; exit 1";
    let denied = "echo 'HTTP 403: API rate limit exceeded' >&2; exit 1";
    let cut = r#"printf '{"number":7,"url":"https'"#;
    let views = [OPEN, limited, denied, cut, failing, failing, merged];
    let repo = with_host(&two, &Host { views: &views });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let answer = repo.wf(&["land", "ISS-001", "--pr", "--watch", "--json"]).ok().json();
    let pulled = &answer["pulls"][0];
    assert_eq!(
        (&pulled["state"], &pulled["feedback"], &pulled["number"]),
        (&json!("merged"), &json!(2), &json!(7))
    );
    let feedback = repo.json(&["feedback", "ISS-001"]);
    assert_eq!(feedback.as_array().unwrap().len(), 2, "each is told once");
    assert_eq!(
        feedback[0]["content"],
        "check `build` failed on https://github.com/ada/code/pull/7 https://ci/1"
    );
    assert_eq!((&feedback[1]["type"], &feedback[1]["stage"]), (&json!("rejection"), &json!("review")));
    assert!(feedback[1]["content"].as_str().unwrap().ends_with("Name it better"));
    // The branch of this clone follows, and the merge is recorded.
    assert_eq!(repo.id("main"), two.origin.id("main"));
    assert!(repo.last_message().starts_with("land: ISS-001 by https://github.com/ada/code/pull/7\n"));
    assert_eq!(two.origin.tip(), repo.tip());
}

#[test]
fn a_host_that_never_answers_is_given_up() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &["echo 'HTTP 502: bad gateway' >&2; exit 1"] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let ran = repo.wf(&["land", "ISS-001", "--pr", "--watch"]).fails(1);
    assert!(ran.stderr.contains("`gh` failed: HTTP 502: bad gateway"), "{}", ran.stderr);
    assert_eq!(host_file(&two, "views"), "9\n");
}

#[test]
fn without_gh_or_a_repository_it_says_so() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    let error = two.ada.refused(2, &["land", "ISS-001", "--pr"]);
    assert_eq!(error["message"], "no remote leads to a repository on GitHub");
    let repo = with_host(&two, &Host { views: &[OPEN] });
    std::fs::write(two.sandbox.root().join("host/gh"), "#!/bin/sh\necho 'run: gh auth login' >&2\nexit 4\n")
        .unwrap();
    let ran = repo.wf(&["land", "ISS-001", "--pr"]).fails(1);
    assert!(ran.stderr.contains("`gh` is not logged in"), "{}", ran.stderr);
}

#[test]
fn commits_that_a_reviewer_pushed_are_not_overwritten() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    two.bea.git(&["fetch", "--quiet"]).ok();
    two.bea.git(&["switch", "--quiet", "land/ISS-001"]).ok();
    let fix = two.bea.commit("a.txt", "fixed\n", "Review fix");
    two.bea.git(&["push", "--quiet", "origin", "land/ISS-001"]).ok();
    repo.git(&["switch", "--quiet", "work-ISS-001"]).ok();
    repo.commit("b.txt", "b\n", "More");
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    let error = repo.wf(&["land", "ISS-001", "--pr"]).fails(1).stderr;
    assert!(
        error.contains("`land/ISS-001` of `origin` has commits that are not part of the work: "),
        "{error}"
    );
    assert!(error.contains("Review fix") && error.contains("git fetch origin"), "{error}");
    assert_eq!(two.origin.id("land/ISS-001"), fix);
    // What the work has replaced may go.
    two.origin.git(&["update-ref", "refs/heads/land/ISS-001", "work-ISS-001"]);
    two.bea.git(&["push", "--quiet", "--force", "origin", "HEAD~1:land/ISS-001"]).ok();
    repo.git(&["commit", "--quiet", "--amend", "-m", "More, better"]).ok();
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    assert_eq!(two.origin.id("land/ISS-001"), repo.id("work-ISS-001"));
    repo.git(&["commit", "--quiet", "--amend", "-m", "More, best"]).ok();
    repo.wf(&["land", "ISS-001", "--pr"]).ok();
    assert_eq!(two.origin.id("land/ISS-001"), repo.id("work-ISS-001"));
}

#[test]
fn remarks_become_feedback_with_their_place() {
    let two = clones();
    let said = r#"echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN",
        "comments":[{"id":"C1","author":{"login":"cy"},"body":"Why at all?"}],
        "reviews":[{"author":{"login":"bea"},"body":"","state":"COMMENTED"},
            {"id":"R2","author":{"login":"dan"},"body":"","state":"CHANGES_REQUESTED"}]}'
        echo '[{"id":5,"path":"a.txt","line":3,"user":{"login":"bea"},"body":"Name it better"}]' >inline"#;
    let merged = r#"git --git-dir="$origin" update-ref refs/heads/main refs/heads/land/ISS-001
        oid=$(git --git-dir="$origin" rev-parse main)
        echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"MERGED","baseRefName":"main","mergeCommit":{"oid":"'$oid'"}}'"#;
    let repo = with_host(&two, &Host { views: &[said, said, merged] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr", "--watch"]).ok();
    let feedback = repo.json(&["feedback", "ISS-001"]);
    let mut contents = crate::support::column(&feedback, "content");
    contents.sort();
    assert_eq!(
        contents,
        [
            "bea on https://github.com/ada/code/pull/7, a.txt:3:\n\nName it better",
            "cy on https://github.com/ada/code/pull/7:\n\nWhy at all?",
            "dan requests changes on https://github.com/ada/code/pull/7"
        ]
    );
}

/// The line of a remark goes once a later commit changes it.
#[test]
fn remarks_are_told_apart_by_their_ids() {
    let two = clones();
    let said = r#"echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"OPEN",
        "comments":[{"id":"C1","author":{"login":"cy"},"body":"And here"},{"id":"C2","author":{"login":"cy"},"body":"And here"}]}'
        echo '[{"id":5,"path":"a.txt","line":3,"user":{"login":"bea"},"body":"Name it better"}]' >inline"#;
    let moved = said.replace("\"line\":3,", "");
    let merged = r#"git --git-dir="$origin" update-ref refs/heads/main refs/heads/land/ISS-001
        echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"MERGED"}'"#;
    let repo = with_host(&two, &Host { views: &[said, &moved, merged] });
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr", "--watch"]).ok();
    let mut contents = crate::support::column(&repo.json(&["feedback", "ISS-001"]), "content");
    contents.sort();
    let twice = "cy on https://github.com/ada/code/pull/7:\n\nAnd here";
    let remark = "bea on https://github.com/ada/code/pull/7, a.txt:3:\n\nName it better";
    assert_eq!(contents, [remark, twice, twice]);
}

#[test]
fn a_limit_while_a_pull_request_is_opened_is_waited_out() {
    let two = clones();
    let repo = with_host(&two, &Host { views: &[OPEN] });
    std::fs::write(two.sandbox.root().join("host/limits"), "2").unwrap();
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let ran = repo.wf(&["land", "ISS-001", "--pr"]).ok();
    assert!(ran.stderr.contains("waited for the host: "), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("opened https://github.com/ada/code/pull/7"), "{}", ran.stdout);
}

#[test]
fn undo_of_a_merge_by_the_host_prepares_a_revert() {
    let two = clones();
    let merged = r#"git --git-dir="$origin" update-ref refs/heads/main refs/heads/land/ISS-001
        oid=$(git --git-dir="$origin" rev-parse main)
        echo '{"number":7,"url":"https://github.com/ada/code/pull/7","state":"MERGED","baseRefName":"main","mergeCommit":{"oid":"'$oid'"}}'"#;
    let repo = with_host(&two, &Host { views: &[merged] });
    let before = repo.id("main");
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--pr", "--watch"]).ok();
    let ran = repo.wf(&["undo"]).ok();
    assert!(ran.stdout.starts_with("branch revert-ISS-001 reverts the landing of ISS-001"), "{}", ran.stdout);
    assert_eq!(repo.id("revert-ISS-001^{tree}"), repo.id(&format!("{before}^{{tree}}")));
}
