//! Whole screens as people see them: each is a file in `tests/it/snapshots/` that can be read as a text.
//! `UPDATE_GENERATED=1 cargo test --test it screens` rewrites them.

use std::path::Path;

use serde_json::json;

use crate::support::{Repo, Sandbox, Two, plan, plan_on};

/// A shop with four issues: one planned, one that depends on it, one new, one closed.
pub(crate) fn shop(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("shop");
        repo.commit("src/router.rs", "fn main() {}\n", "Begin");
        repo.wf(&["hooks", "install"]).ok();
        let problem = "One client sends thousands of requests a minute, and everyone else waits.";
        for new in [
            &["ISS-001", "Limit the requests of an API key", "-p", "1", "-t", "api", "-m", problem][..],
            &["ISS-002", "Search is slow for long queries", "-p", "2", "--depends-on", "ISS-001"],
            &["ISS-003", "Show prices in the buyer's currency"],
            &["ISS-004", "Rename the help page", "-p", "4"],
        ] {
            repo.wf(&[&["new", "--id"], new].concat()).ok();
        }
        repo.wf(&["comment", "ISS-001", "-m", "It happened again on Monday."]).ok();
        repo.wf(&["close", "ISS-004", "-m", "The new site has no help page"]).ok();
        let limit = repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
        (repo, limit)
    })
}

/// The shop, where ISS-001 was executed with two commits, and ISS-002 waits in the queue.
fn worked(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let (repo, limit) = shop(sandbox);
        repo.wf_in(plan_on("src/search.rs").to_string(), &["solution", "add", "ISS-002"]).ok();
        repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
        repo.wf(&["next"]).ok();
        for (task, file, text, message) in [
            ("T1", "src/limit/bucket.rs", "struct Bucket;\n", "Add a token bucket"),
            ("T2", "src/middleware/mod.rs", "mod limit;\n", "Refuse requests beyond the limit"),
        ] {
            repo.wf(&["task", "start", task]).ok();
            repo.commit(file, text, message);
        }
        repo.wf(&["done", "--force", "--reason", "the tests ran elsewhere"]).ok();
        (repo, limit)
    })
}

#[test]
fn of_issues() {
    let sandbox = Sandbox::new();
    let (repo, _) = shop(&sandbox);
    repo.screen("issues/list", &["list"]);
    repo.screen("issues/list-all", &["list", "--all"]);
    repo.screen("issues/list-none", &["list", "-t", "nothing"]);
    repo.screen("issues/show", &["show", "ISS-001"]);
    repo.screen("issues/show-new", &["show", "003"]);
    repo.screen("issues/search", &["search", "request"]);
    repo.screen("issues/search-none", &["search", "nothing"]);
    repo.screen("issues/status", &["status"]);
    repo.screen("issues/new", &["new", "--id", "ISS-005", "Send receipts by mail"]);
    repo.screen("issues/edit", &["edit", "ISS-005", "-p", "1", "--tag", "mail"]);
    repo.screen("issues/edit-same", &["edit", "ISS-005", "-p", "1"]);
    repo.screen("issues/close", &["close", "ISS-005", "-m", "done by the bank"]);
    repo.screen("issues/close-again", &["close", "ISS-005", "-m", "done by the bank"]);
    repo.screen("issues/reopen", &["reopen", "ISS-005"]);
    repo.screen("issues/wrong-id", &["show", "ISS-404"]);
    repo.screen("issues/ambiguous-id", &["show", "ISS-00"]);
    repo.screen("issues/new-empty", &["new", ""]);
    repo.screen("issues/new-taken", &["new", "--id", "ISS-001", "Twice"]);
}

#[test]
fn of_plans() {
    let sandbox = Sandbox::new();
    let (repo, limit) = shop(&sandbox);
    repo.screen("plans/list", &["solution", "list", "ISS-001"]);
    repo.screen("plans/show", &["solution", "show", &limit]);
    repo.screen("plans/tasks", &["task", "list", &limit]);
    repo.screen("plans/context-of-an-issue", &["context", "ISS-001"]);
    repo.screen("plans/context-of-a-plan", &["context", &limit]);
    let mut faulty = plan();
    faulty["tasks"][0]["action"] = json!("Polish");
    faulty["tasks"][0]["depends_on"] = json!(["T2"]);
    faulty["tasks"][1]["acceptance"]["criteria"] = json!([]);
    faulty["tasks"][1]["modification_points"][0]["file"] = json!("/etc/passwd");
    faulty["score"] = json!(3);
    repo.screen_in(faulty.to_string(), "plans/check-faults", &["solution", "check", "-"]);
    repo.screen_in(faulty.to_string(), "plans/add-faults", &["solution", "add", "ISS-003"]);
    let mut vague = plan();
    vague["tasks"][0]["acceptance"]["criteria"] = json!(["It works"]);
    vague["tasks"][0]["acceptance"]["verification"] = json!([]);
    repo.screen_in(vague.to_string(), "plans/check-vague", &["solution", "check", "-"]);
    repo.screen_in(plan().to_string(), "plans/check-good", &["solution", "check", "-"]);
    repo.screen_in("{\"tasks\": [}", "plans/check-no-json", &["solution", "check", "-"]);
    repo.screen_in(vague.to_string(), "plans/add-second", &["solution", "add", "ISS-001"]);
    let second = repo.json(&["solution", "list", "ISS-001"]);
    let second = second.as_array().unwrap().iter().find(|it| it["id"] != limit.as_str()).unwrap();
    repo.screen("plans/diff", &["solution", "diff", &limit, second["id"].as_str().unwrap()]);
    let scores = ["--technical", "90", "--risk", "80", "--completeness", "70"];
    repo.as_person("Bea", "bea@example.org")
        .screen("plans/review", &[&["solution", "review", &limit][..], &scores].concat());
    repo.screen("plans/review-own", &[&["solution", "review", &limit][..], &scores].concat());
    repo.screen("plans/feedback-add", &["feedback", "ISS-001", "-m", "Count the requests per minute"]);
    repo.screen("plans/feedback", &["feedback", "ISS-001"]);
    repo.screen("plans/unbind", &["plan", "choose", "ISS-001", "--none"]);
    repo.screen("plans/bind", &["bind", "ISS-001", &limit]);
    repo.screen("plans/wrong-id", &["solution", "show", "SOL-404"]);
}

#[test]
fn of_the_queue() {
    let sandbox = Sandbox::new();
    let (repo, _) = shop(&sandbox);
    repo.screen("queue/none", &["queue", "show"]);
    repo.screen("queue/add", &["queue", "add", "ISS-001"]);
    repo.screen("queue/add-unplanned", &["queue", "add", "ISS-003"]);
    repo.wf_in(plan_on("src/search.rs").to_string(), &["solution", "add", "ISS-002"]).ok();
    repo.wf_in(plan_on("src/middleware/mod.rs").to_string(), &["solution", "add", "ISS-003"]).ok();
    repo.wf(&["queue", "add", "ISS-002", "ISS-003"]).ok();
    repo.screen("queue/show", &["queue", "show"]);
    repo.screen("queue/list", &["queue", "manage", "list"]);
    repo.screen("queue/dag", &["queue", "graph"]);
    repo.screen("queue/conflicts", &["queue", "overlaps"]);
    let declare = ["queue", "overlaps", "--add", "api", "--items", "S-2,S-3"];
    repo.screen("queue/conflict-add", &[&declare[..], &["-m", "both change the router"]].concat());
    repo.screen("queue/conflicts-unresolved", &["queue", "overlaps"]);
    repo.screen("queue/show-blocked", &["queue", "show"]);
    repo.screen("queue/order", &["queue", "order", "S-3", "--before", "S-1"]);
}

#[test]
fn of_the_work() {
    let sandbox = Sandbox::new();
    let (repo, _) = shop(&sandbox);
    repo.screen("work/next-none", &["next"]);
    repo.wf_in(plan_on("src/search.rs").to_string(), &["solution", "add", "ISS-002"]).ok();
    repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
    repo.screen("work/next", &["next"]);
    repo.screen("work/next-again", &["next"]);
    repo.screen("work/detail", &["detail"]);
    repo.screen("work/status", &["status"]);
    repo.screen("work/prime", &["prime"]);
    repo.screen("work/queue", &["queue", "show"]);
    repo.screen("work/leases", &["lease"]);
    repo.screen("work/done-without-commits", &["done"]);
    repo.screen("work/task-start", &["task", "start", "T1"]);
    repo.commit("src/limit/bucket.rs", "struct Bucket;\n", "Add a token bucket");
    repo.screen("work/verify-asks", &["verify"]);
    repo.screen("work/accept", &["accept", "T1", "1", "-m", "counted by hand"]);
    repo.screen("work/start-another", &["next", "ISS-002"]);
    repo.screen("work/fail", &["fail", "-m", "the router has no hook for it"]);
    repo.screen("work/show-failed", &["show", "ISS-001"]);
    repo.screen("work/next-blocked", &["next"]);
    repo.screen("work/retry", &["retry", "ISS-001"]);
    repo.screen("work/start", &["next", "ISS-001"]);
    repo.commit("src/middleware/mod.rs", "mod limit;\n", "Refuse requests beyond the limit");
    repo.screen("work/done", &["done"]);
    repo.screen("work/show-done", &["show", "ISS-001"]);
    repo.screen("work/done-nothing", &["done"]);
    repo.screen("work/retry-completed", &["retry", "ISS-001"]);
}

#[test]
fn of_the_trail() {
    let sandbox = Sandbox::new();
    let (repo, limit) = worked(&sandbox);
    repo.commit("README", "A shop\n", "Say what it is");
    repo.screen("trail/trace-a-commit", &["trace", "HEAD~1"]);
    repo.screen("trail/trace-a-range", &["trace", "HEAD~3..HEAD"]);
    repo.screen("trail/trace-an-issue", &["trace", "ISS-001"]);
    repo.screen("trail/trace-unlinked", &["trace", "HEAD"]);
    repo.screen("trail/why", &["why", "src/limit/bucket.rs:1"]);
    repo.screen("trail/why-unlinked", &["why", "README:1"]);
    repo.screen("trail/why-no-file", &["why", "nothing.rs:1"]);
    repo.screen("trail/audit", &["audit"]);
    repo.screen("trail/log", &["log"]);
    repo.screen("trail/log-of-an-issue", &["log", "ISS-001"]);
    repo.screen("trail/log-short", &["log", "--oneline", "-n", "3"]);
    repo.screen("trail/log-patch", &["log", "-p", "-n", "1"]);
    repo.screen("trail/link", &["link", "HEAD", &limit]);
    repo.screen("trail/link-again", &["link", "HEAD", &limit]);
    repo.screen("trail/unlink", &["link", "--remove", "HEAD"]);
    repo.screen("trail/relink", &["link", "--find"]);
    let before = repo.tip().unwrap();
    repo.wf(&["edit", "ISS-003", "-p", "1", "--title", "Show prices in the currency of the buyer"]).ok();
    repo.screen("trail/diff", &["diff", &format!("{before}..")]);
    repo.screen("trail/wrong-commit", &["trace", "no-such-branch"]);
}

#[test]
fn of_clones() {
    let two = Two::new();
    two.ada.wf(&["new", "Limit requests", "--id", "ISS-001"]).ok();
    two.ada.screen("clones/sync-out", &["sync"]);
    two.bea.screen("clones/sync-in", &["sync"]);
    two.bea.screen("clones/conflicts-none", &["conflicts"]);
    two.ada.wf(&["edit", "ISS-001", "--title", "Limit the requests of a key", "-p", "1"]).ok();
    two.bea.wf(&["edit", "ISS-001", "--title", "Limit requests by address"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.screen("clones/pull", &["pull"]);
    two.bea.screen("clones/push", &["push"]);
    two.ada.wf(&["sync"]).ok();
    two.ada.screen("clones/conflicts", &["conflicts"]);
    two.ada.screen("clones/conflicts-take", &["conflicts", "take", "ISS-001", "title"]);
    two.ada.screen("clones/conflicts-wrong", &["conflicts", "keep", "ISS-001"]);
    two.ada.git(&["remote", "set-url", "origin", "../gone.git"]).ok();
    two.ada.screen("clones/sync-no-remote", &["sync"]);
}

#[test]
fn of_the_store() {
    let sandbox = Sandbox::new();
    let bare = sandbox.repo("empty");
    bare.screen("store/none", &["list"]);
    bare.screen("store/init", &["init"]);
    bare.screen("store/init-again", &["init"]);
    let (repo, _) = worked(&sandbox);
    repo.screen("store/hooks", &["hooks", "status"]);
    repo.screen("store/settings", &["settings"]);
    repo.screen("store/fsck", &["fsck"]);
    repo.screen("store/schema", &["schema"]);
    let path = repo.store_path("/ISS-003/issue.json");
    let mut record = repo.stored_json(&path);
    record["status"] = json!("dancing");
    record["depends_on"] = json!(["ISS-404"]);
    repo.plumb(&[(&path, &format!("{record:#}\n")), ("stray.txt", "nobody's\n")]);
    repo.screen("store/fsck-faults", &["fsck"]);
    repo.screen("store/fsck-notes", &["fsck", "--verbose"]);
    repo.screen("store/fsck-repair", &["fsck", "--repair"]);
    let outside = sandbox.at("home");
    outside.screen("store/no-repository", &["list"]);
}

#[test]
fn of_help() {
    let repo = Sandbox::new().repo("a");
    repo.screen("help/git-wf", &["-h"]);
    repo.screen("help/new", &["new", "-h"]);
    repo.screen("help/solution", &["solution", "-h"]);
    repo.screen("help/plan-add", &["plan", "add", "-h"]);
    repo.screen("help/queue", &["queue", "-h"]);
    repo.screen("help/next", &["next", "-h"]);
    repo.screen("help/done", &["done", "-h"]);
    repo.screen("help/trace", &["trace", "-h"]);
    repo.screen("help/conflicts", &["conflicts", "-h"]);
    repo.screen("help/fsck", &["fsck", "-h"]);
    repo.screen("help/wrong-command", &["lst"]);
    repo.screen("help/wrong-subcommand", &["queue", "ad"]);
    repo.screen("help/wrong-option", &["list", "--al"]);
    repo.screen("help/no-argument", &["show"]);
    repo.screen("help/wrong-value", &["new", "A title", "-p", "9"]);
}

/// A file that no test compares any more would look as if one did.
#[test]
fn each_snapshot_is_held_by_a_test() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut sources = String::new();
    read_all(&tests, &mut sources);
    for subject in tests.join("snapshots").read_dir().unwrap() {
        let subject = subject.unwrap().path();
        for file in subject.read_dir().unwrap() {
            let file = file.unwrap().path();
            let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
            let name = format!("\"{}/{}\"", name(&subject), name(&file));
            assert!(sources.contains(&name), "no test shows {}", file.display());
        }
    }
}

fn read_all(folder: &Path, sources: &mut String) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, sources);
        } else if path.extension().is_some_and(|it| it == "rs") {
            sources.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
