//! What an agent writes into the store of its workplace.

use serde_json::{Value, json};

use super::{asked, assert_nothing_is_left, store};
use crate::support::{Repo, Sandbox, plan_on};

#[test]
fn a_planner_hands_in_what_its_role_may_write_in_its_own_name() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let script = "git wf comment ISS-001 -m 'seen it'; git wf new 'Found on the way'; git wf edit ISS-001 --priority high -t api";
    let ran = asked(&repo, script).ok();
    assert!(!ran.stderr.contains("was not recorded"), "{}", ran.stderr);
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!((&shown["comments"][0]["body"], &shown["priority"]), (&json!("seen it"), &json!(2)));
    assert_eq!(shown["tags"], json!(["api"]));
    let log = repo.git(&["log", "--format=%B", "refs/wf/main"]).ok().stdout;
    for op in ["comment", "new", "edit"] {
        assert!(log.contains(&format!("Wf-Op: {op}\nWf-Role: planner\nWf-Actor: cat")), "{op}: {log}");
    }
    assert_nothing_is_left(&sandbox, &repo);
}

/// Has the agent hand in what an owner wrote in another clone.
const FETCH: &str = "git fetch --quiet $root/../forged +refs/wf/main:refs/wf/main";

/// A store with an issue, one that is executed, and one with a plan.
fn busy_store(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = store(sandbox);
        repo.queued("ISS-002", "src/b.rs");
        repo.wf(&["next", "ISS-002"]).ok();
        repo.planned("ISS-003", &plan_on("src/c.rs"));
        repo
    })
}

/// What can be seen of these issues.
fn shown(repo: &Repo) -> [Value; 3] {
    ["ISS-001", "ISS-002", "ISS-003"].map(|issue| repo.json(&["show", issue]))
}

#[test]
fn what_only_an_owner_writes_is_refused_and_named() {
    let others = "agents may not write such records";
    for (args, why) in [
        (
            &["comment", "ISS-001", "-m", "x"][..],
            "in the name of `Ada <ada@example.org>`, not of `Ada <ada@example.org> (cat)`",
        ),
        (&["new", "--id", "ISS-666", "Forged"], "in the name of `Ada"),
        (&["close", "ISS-001"], "it changes `status`"),
        (&["edit", "ISS-001", "-s", "paused"], "it changes `status`"),
        (&["plan", "choose", "ISS-003", "--none"], "it changes `"),
        (&["settings", "evidence=required"], "`wf.json`"),
        (&["fail", "ISS-002", "-m", "x", "--force", "--reason", "x"], others),
        (&["queue", "add", "ISS-003"], others),
        (&["redact", "ISS-001", "title", "-m", "x"], others),
    ] {
        let sandbox = Sandbox::new();
        let repo = busy_store(&sandbox);
        repo.git(&["clone", "--quiet", ".", "../forged"]).ok();
        let forged = sandbox.at("forged");
        forged.wf(&["init"]).ok();
        forged.wf(args).ok();
        let before = shown(&repo);
        let ran = asked(&repo, FETCH).ok();
        let told = &ran.stderr;
        assert!(told.contains("was not recorded") && told.contains(why), "{args:?}: {told}");
        assert_eq!(shown(&repo), before, "{args:?}");
        assert_eq!(repo.json(&["list"]).as_array().unwrap().len(), 6, "{args:?}");
        repo.wf(&["fsck"]).ok();
    }
}

#[test]
fn what_is_no_store_is_refused_as_a_whole() {
    for script in [
        "git update-ref refs/wf/main $(git commit-tree -m x $(git write-tree))",
        "git update-ref refs/wf/main $(git commit-tree -m x -p refs/wf/main $(git mktree < /dev/null))",
        "git update-ref refs/wf/main HEAD",
        "git update-ref refs/wf/main refs/wf/main~1",
        "git update-ref refs/wf/main $(git rev-parse refs/wf/main^{tree})",
    ] {
        let sandbox = Sandbox::new();
        let repo = busy_store(&sandbox);
        let before = shown(&repo);
        let ran = asked(&repo, script).ok();
        assert!(ran.stderr.contains("was not recorded"), "{script}: {}", ran.stderr);
        assert_eq!(shown(&repo), before, "{script}");
        repo.wf(&["fsck"]).ok();
    }
}

#[test]
fn a_refused_record_does_not_keep_out_the_others() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let script = "git wf comment ISS-001 -m honest; git -c user.name=Grace wf comment ISS-001 -m forged";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("in the name of `Grace"), "{}", ran.stderr);
    let comments = repo.json(&["show", "ISS-001"])["comments"].clone();
    assert_eq!(comments.as_array().unwrap().len(), 1);
    assert_eq!(comments[0]["body"], "honest");
}

#[test]
fn records_are_taken_before_the_next_question_and_are_fresh_then() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    // The first answer is no document; between the questions, somebody else comments.
    let script = "if test -e $root/first; then git wf show ISS-001 > $root/seen; git -C $root wf show ISS-900 > $root/taken; \
        else touch $root/first; git wf new --id ISS-900 Found; git -C $root wf comment ISS-001 -m meanwhile; exit 1; fi";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("is asked again"), "{}", ran.stderr);
    assert!(repo.read("seen").contains("meanwhile"), "{}", repo.read("seen"));
    assert!(repo.read("taken").contains("Found"), "{}", repo.read("taken"));
    assert_eq!(repo.json(&["list"]).as_array().unwrap().len(), 5);
}

#[test]
fn broken_objects_are_refused() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let script =
        "git wf comment ISS-001 -m x; for o in .git/objects/??/*; do chmod u+w $o; echo broken > $o; done";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("everything that agent `cat` wrote was not recorded"), "{}", ran.stderr);
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"], json!([]));
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn a_broken_record_does_not_keep_out_the_others() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let script = "git wf comment ISS-001 -m honest; export GIT_INDEX_FILE=$PWD/.git/other; git read-tree refs/wf/main; \
        p=$(git ls-files | grep issue.json | head -1); o=$(echo '{' | git hash-object -w --stdin); \
        git update-index --cacheinfo 100644,$o,$p; \
        git update-ref refs/wf/main $(git commit-tree -m x -p refs/wf/main $(git write-tree))";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("issue.json` that agent `cat` wrote was not recorded"), "{}", ran.stderr);
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"][0]["body"], "honest");
}

#[test]
fn an_issue_is_there_before_what_is_said_about_it() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    asked(&repo, "git wf new --id ISS-900 Found; git wf comment ISS-900 -m 'Look here'").ok();
    let log = repo.git(&["log", "--reverse", "--format=%s", "refs/wf/main"]).ok().stdout;
    let at = |what: &str| log.find(what).unwrap_or_else(|| panic!("{what}: {log}"));
    assert!(at("new: hand in") < at("comment: hand in"), "{log}");
}
