//! `audit`: what was done compared with what was planned.

mod policy;
mod sarif;
mod stated;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan_on};

fn start(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        for file in ["a.txt", "b.txt", "c.txt"] {
            repo.write(file, "one\n");
        }
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-qm", "start"]).ok();
        repo
    })
}

/// Creates and claims a plan; returns its id.
fn claimed(repo: &Repo, id: &str, plan: &Value) -> String {
    let solution = repo.planned(id, plan);
    repo.wf(&["queue", "add", id]).ok();
    repo.wf(&["next"]).ok();
    solution
}

fn commit(repo: &Repo, file: &str, text: &str) {
    repo.write(file, text);
    repo.git(&["add", "-A"]).ok();
    repo.git(&["commit", "-qm", &format!("Change {file}")]).ok();
}

/// `(kind, severity, message)` of each finding.
fn findings(audit: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = audit["findings"].as_array().unwrap();
    list.iter().map(|it| (text(&it["kind"]), text(&it["severity"]), text(&it["message"]))).collect()
}

fn kinds(audit: &Value) -> Vec<String> {
    findings(audit).into_iter().map(|(kind, ..)| kind).collect()
}

fn tested(file: &str, commands: &[&str]) -> Value {
    let mut plan = plan_on(file);
    plan["tasks"][0]["action"] = json!("Modify");
    plan["tasks"][0]["test"] = json!({ "commands": commands });
    plan
}

#[test]
fn work_that_was_done_as_planned_has_no_fault() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &["true"]));
    commit(&repo, "a.txt", "two\n");
    repo.wf(&["verify", "--yes"]).ok();
    repo.done();
    let audit = repo.json(&["audit", "--strict"]);
    assert_eq!(audit["findings"], json!([]), "{audit:#}");
    let counts =
        ["commit_count", "bound_count", "task_count", "evidenced_count"].map(|name| audit[name].as_u64());
    assert_eq!(counts, [Some(1); 4]);
    let binding = &audit["commits"][0]["bound_to"][0];
    assert_eq!((&binding["linked_by"], &binding["checks_passed"]), (&json!("hook"), &json!(1)));
}

#[test]
fn a_commit_without_a_plan_is_a_fault() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    commit(&repo, "b.txt", "two\n");
    let ran = repo.wf(&["audit", "--strict", "--json"]).fails(1);
    let audit = ran.json();
    assert_eq!(kinds(&audit), ["unbound"]);
    assert_eq!(audit["findings"][0]["commit"], repo.git(&["rev-parse", "HEAD"]).ok().line());
    // Without --strict, findings are shown, but the exit code is 0.
    assert_eq!(repo.json(&["audit"]), audit);
    // Links that only a message shows are reported separately.
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.write("c.txt", "two\n");
    repo.git(&["commit", "-qam", "Elsewhere", "-m", "Wf-Issue: ISS-001"]).ok();
    let told = findings(&repo.json(&["audit", "HEAD^!"]));
    assert!(told[0].2.contains("its message names a plan"), "{told:?}");
}

#[test]
fn drift_from_the_plan_is_found() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let mut plan = tested("a.txt", &[]);
    plan["tasks"][0]["modification_points"] = json!([
        {"file": "a.txt", "target": "all", "change": "all"},
        {"file": "c.txt", "target": "all", "change": "all"},
        {"file": "never.txt", "target": "all", "change": "all"}
    ]);
    claimed(&repo, "ISS-001", &plan);
    commit(&repo, "a.txt", "two\n");
    commit(&repo, "b.txt", "two\n");
    repo.git(&["rm", "-q", "c.txt"]).ok();
    repo.git(&["commit", "-qm", "Remove c"]).ok();
    repo.done();
    let told = findings(&repo.json(&["audit"]));
    let told: Vec<_> =
        told.iter().map(|(kind, severity, message)| (kind.as_str(), severity.as_str(), message)).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    for (n, (kind, path)) in
        [("unplanned_file", "b.txt"), ("unplanned_deletion", "c.txt"), ("untouched_file", "never.txt")]
            .into_iter()
            .enumerate()
    {
        assert_eq!((told[n].0, told[n].1), (kind, "fault"));
        assert!(told[n].2.contains(path), "{told:?}");
    }
}

#[test]
fn a_revert_of_the_work_is_shown_as_one_and_not_judged_by_the_plan() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let mut plan = plan_on("src/n.py");
    plan["tasks"][0]["action"] = json!("Create");
    plan["tasks"][0]["test"] = json!({ "commands": ["true"] });
    claimed(&repo, "ISS-001", &plan);
    commit(&repo, "src/n.py", "x\n");
    let work = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.wf(&["verify", "--yes"]).ok();
    repo.done();
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    let audit = repo.json(&["audit", "--strict"]);
    assert_eq!(audit["findings"], json!([]), "{audit:#}");
    let bound = |n: usize| &audit["commits"][n]["bound_to"][0];
    assert_eq!((&bound(1)["reverts"], &bound(2)["reapplies"]), (&json!([work]), &json!([work])));
    let text = repo.wf(&["audit"]).ok().stdout;
    let short = &work[..10];
    for note in [format!("(reverts {short})"), format!("(reapplies {short})")] {
        assert!(text.contains(&note), "{note}: {text}");
        assert!(repo.wf(&["audit", "--markdown"]).ok().stdout.contains(&note), "{note}");
        // The head of a trace agrees with the commits below.
        let trace = repo.wf(&["trace", "HEAD~2..HEAD"]).ok().stdout;
        assert_eq!(trace.matches(&note).count(), 2, "{note}: {trace}");
    }
}

#[test]
fn a_link_by_content_is_called_so_everywhere() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    claimed(&repo, "ISS-002", &tested("b.txt", &[]));
    repo.git(&["revert", "-n", "HEAD"]).ok();
    repo.git(&["commit", "-qm", "undo a by hand"]).ok();
    let text = repo.wf(&["audit"]).ok().stdout;
    assert!(text.contains("1 by its content"), "{text}");
    let trace = repo.wf(&["trace", "HEAD"]).ok().stdout;
    assert!(trace.contains("(linked by its content)") && !trace.contains("by its message"), "{trace}");
}

#[test]
fn a_folder_that_the_plan_names_stands_for_what_is_in_it() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("src/limit", &[]));
    commit(&repo, "src/limit/bucket.rs", "x\n");
    repo.done();
    assert_eq!(repo.json(&["audit"])["findings"], json!([]));
}

#[test]
fn both_clones_say_the_same() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &["true"]));
    commit(&repo, "a.txt", "two\n");
    commit(&repo, "b.txt", "two\n");
    repo.git(&["commit", "-q", "--amend", "-m", "Better words"]).ok();
    repo.done();
    let hub = sandbox.bare("hub");
    repo.git(&["remote", "add", "origin", hub.path().to_str().unwrap()]).ok();
    repo.wf(&["sync", "origin"]).ok();
    repo.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]).ok();
    let other = sandbox.clone(&hub, "other");
    other.wf(&["init"]).ok();
    other.wf(&["sync"]).ok();
    assert_eq!(other.json(&["audit"]), repo.json(&["audit"]));
}

#[test]
fn an_audit_reads_well_and_goes_into_a_pull_request() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    repo.write("b.txt", "x\n");
    repo.git(&["commit", "-qam", "Say <b>|hello|</b>"]).ok();
    let text = repo.wf(&["audit"]).ok().stdout;
    assert!(text.contains("1 of 2 commits linked (50%)") && text.contains("errors (1)"), "{text}");
    let page = repo.wf(&["audit", "--markdown"]).ok().stdout;
    assert!(page.contains(r"Say \<b\>\|hello\|\</b\>") && page.contains("#### Errors"), "{page}");
}

#[test]
fn a_range_that_names_nothing_is_refused() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    repo.refused(3, &["audit"]);
    repo.refused(1, &["audit", "nowhere..HEAD"]);
    assert_eq!(repo.wf(&["audit", "--json", "--", "--all"]).fails(1).json_error()["code"], "not-found");
    // Commits without any plan can be audited, too.
    assert_eq!(kinds(&repo.json(&["audit", "HEAD"])), ["unbound"]);
}

#[test]
fn links_are_told_apart_by_what_they_rest_on() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let solution = claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.write("a.txt", "three\n");
    repo.git(&["commit", "-qam", "Elsewhere", "-m", &format!("Wf-Solution: {solution}")]).ok();
    repo.wf(&["link", "--find"]).ok();
    repo.write("a.txt", "four\n");
    repo.git(&["commit", "-qam", "By hand"]).ok();
    repo.wf(&["link", "HEAD", &solution]).ok();
    let audit = repo.json(&["audit"]);
    assert_eq!(audit["links"], json!({"hook": 1, "manual": 1, "relink": 1}), "{audit:#}");
    let text = repo.wf(&["audit"]).ok().stdout;
    assert!(text.contains("[1 by the hook, 1 by hand, 1 found afterwards]"), "{text}");
    // A commit that was unlinked is no longer bound.
    repo.wf(&["link", "--remove", "HEAD", &solution]).ok();
    assert_eq!(kinds(&repo.json(&["audit"])), ["unbound"]);
}

#[test]
fn a_merge_is_no_fault_and_what_it_brings_is_looked_at() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    repo.git(&["checkout", "-q", "-b", "side"]).ok();
    commit(&repo, "c.txt", "two\n");
    repo.git(&["checkout", "-q", "main"]).ok();
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    repo.git(&["merge", "-q", "--no-ff", "-m", "Join", "side"]).ok();
    let audit = repo.json(&["audit", "HEAD~1..HEAD"]);
    assert_eq!((kinds(&audit), &audit["commit_count"]), (vec!["unbound".to_owned()], &json!(1)));
    assert_eq!(audit["commits"].as_array().unwrap().len(), 2);
}

#[test]
fn a_squash_for_several_plans_may_do_what_any_of_them_says() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let [one, two] = [("ISS-001", "a.txt"), ("ISS-002", "b.txt")].map(|(id, file)| {
        let solution = claimed(&repo, id, &tested(file, &[]));
        commit(&repo, file, "two\n");
        repo.done();
        solution
    });
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["reset", "-q", "--soft", "HEAD~2"]).ok();
    repo.git(&["commit", "-qm", "Squash", "-m", "Wf-Issue: ISS-001", "-m", "Wf-Issue: ISS-002"]).ok();
    repo.wf(&["link", "HEAD", &one]).ok();
    repo.wf(&["link", "HEAD", &two]).ok();
    let audit = repo.json(&["audit", "--strict"]);
    assert_eq!(audit["commits"][0]["bound_to"].as_array().unwrap().len(), 2, "{audit:#}");
    assert_eq!(audit["findings"], json!([]), "{audit:#}");
}

#[test]
fn a_commit_of_very_many_files_is_looked_at_whole() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let mut plan = tested("many", &[]);
    plan["tasks"][0]["modification_points"] = json!([
        {"file": "many", "target": "all", "change": "all"},
        {"file": "zz.txt", "target": "all", "change": "all"}
    ]);
    claimed(&repo, "ISS-001", &plan);
    for n in 0..1100 {
        repo.write(&format!("many/{n}.txt"), "x\n");
    }
    for n in 0..15 {
        repo.write(&format!("more/{n:02}.txt"), "x\n");
    }
    commit(&repo, "zz.txt", "two\n");
    repo.done();
    let audit = repo.json(&["audit"]);
    assert_eq!(kinds(&audit), ["unplanned_file"; 15]);
    let text = repo.wf(&["audit"]).ok().stdout;
    assert!(text.contains("more/09.txt") && !text.contains("more/10.txt"), "{text}");
    assert!(text.contains("and 5 more of this kind"), "{text}");
    assert!(repo.wf(&["audit", "--markdown"]).ok().stdout.contains("and 5 more of this kind"));
}

#[test]
fn an_execution_of_a_branch_that_is_not_here_does_not_stop_an_audit() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let hub = sandbox.bare("hub");
    repo.git(&["remote", "add", "origin", hub.path().to_str().unwrap()]).ok();
    repo.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]).ok();
    repo.git(&["checkout", "-q", "-b", "mine"]).ok();
    commit(&repo, "c.txt", "two\n");
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    repo.wf(&["sync", "origin"]).ok();
    let other = sandbox.clone(&hub, "other");
    other.wf(&["init"]).ok();
    other.wf(&["sync"]).ok();
    let audit = other.json(&["audit"]);
    assert_eq!((&audit["range"], kinds(&audit)), (&json!("HEAD"), vec!["unbound".to_owned()]));
}

#[test]
fn completed_work_that_no_branch_has_is_told() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    let gone = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.done();
    assert_eq!(kinds(&repo.json(&["audit"])), [] as [&str; 0]);
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    let found = findings(&repo.json(&["audit"]));
    assert_eq!((found.len(), &*found[0].0, &*found[0].1), (1, "on_no_branch", "fault"), "{found:?}");
    assert!(found[0].2.contains(&gone[..10]), "{found:?}");
    let audit = repo.json(&["audit", &format!("{gone}^!")]);
    assert_eq!(audit["commits"][0]["on_no_branch"], true, "{audit:#}");
    let text = repo.wf(&["audit", &format!("{gone}^!")]).ok().stdout;
    assert!(text.contains("(on no branch)"), "{text}");
}

#[test]
fn what_is_hidden_of_a_plan_hides_no_fault_and_is_not_told() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let mut plan = tested("a.txt", &["make secret"]);
    plan["tasks"][0]["modification_points"] = json!([{"file": "b.txt", "target": "t", "change": "c"}]);
    let solution = claimed(&repo, "ISS-001", &plan);
    commit(&repo, "a.txt", "two\n");
    repo.done();
    let before = findings(&repo.json(&["audit"]));
    let of = |found: &[(String, String, String)], kind: &str| found.iter().filter(|it| it.0 == kind).count();
    assert_eq!((of(&before, "missing_check"), of(&before, "untouched_file")), (1, 1), "{before:?}");
    repo.wf(&["redact", &solution, "plan", "-m", "a password"]).ok();
    let audit = repo.json(&["audit"]);
    let after = findings(&audit);
    assert_eq!((of(&after, "missing_check"), of(&after, "untouched_file")), (1, 1), "{after:?}");
    assert_eq!(after.len(), before.len(), "{after:?}");
    let text = audit["findings"].to_string();
    assert!(!text.contains("secret") && !text.contains("b.txt"), "{text}");
    assert_eq!((&audit["task_count"], &audit["evidenced_count"]), (&json!(1), &json!(0)));
}

/// What cannot be read could say that a test failed.
#[test]
fn an_entry_that_cannot_be_read_is_a_fault() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &["true"]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    assert!(!repo.json(&["audit"])["findings"].to_string().contains("unreadable"));
    let listed = repo.git(&["ls-tree", "-r", "--name-only", crate::support::REF]).ok().stdout;
    let end = listed.lines().rfind(|path| path.contains("/log/")).unwrap().to_owned();
    let blob = repo.git_in("{\n", &["hash-object", "-w", "--stdin"]).ok().line().to_owned();
    let name = end.rsplit('/').next().unwrap();
    let folder = end.strip_suffix(name).unwrap();
    let other = format!("{folder}{}", name.replacen("202", "203", 1));
    let index = sandbox.root().join("index");
    let with = repo.with_env("GIT_INDEX_FILE", index.to_str().unwrap());
    with.git(&["read-tree", crate::support::REF]).ok();
    with.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{other}")]).ok();
    let tree = with.git(&["write-tree"]).ok().line().to_owned();
    let made = repo
        .git(&["commit-tree", &tree, "-p", crate::support::REF, "-m", "x\n\nWf-Op: edit"])
        .ok()
        .line()
        .to_owned();
    repo.git(&["update-ref", crate::support::REF, &made]).ok();
    let found = repo.json(&["audit"])["findings"].to_string();
    assert!(found.contains("unreadable") && found.contains("cannot be read"), "{found}");
}
