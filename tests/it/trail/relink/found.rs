//! `relink`: each way in which a commit can bypass the hooks.

use serde_json::{Value, json};

use crate::support::store_writer::claim;
use crate::support::{Repo, Sandbox, plan_on};

/// A repository that executed a plan in two commits on `work`, with hooks, and has `main` checked out now; returns
/// the plan's id.
fn executed(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("repo");
        repo.wf(&["hooks", "install"]).ok();
        let solution = repo.planned("ISS-001", &plan_on("a"));
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.git(&["switch", "-q", "-c", "work"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("a", "1\n", "one");
        repo.commit("b", "2\n", "two");
        repo.done();
        repo.git(&["switch", "-q", "main"]).ok();
        repo.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]).ok();
        (repo, solution)
    })
}

fn id(repo: &Repo, rev: &str) -> String {
    repo.git(&["rev-parse", rev]).ok().line().to_owned()
}

/// Runs `relink`, first as a dry run that must change nothing, and once more to check that nothing is left.
fn relinked(repo: &Repo, range: &[&str]) -> Vec<Value> {
    let tip = repo.tip();
    let seen = repo.json(&[&["link", "--find", "--dry-run"], range].concat());
    assert_eq!(repo.tip(), tip);
    let done = repo.json(&[&["link", "--find"], range].concat());
    assert_eq!(seen["links"], done["links"]);
    let steps = repo.steps();
    assert_eq!(repo.json(&[&["link", "--find"], range].concat())["links"], json!([]));
    assert_eq!(repo.steps(), steps);
    done["links"].as_array().unwrap().clone()
}

fn linked(repo: &Repo) -> Vec<(Value, Value)> {
    let show = repo.json(&["show", "ISS-001"]);
    let commits = show["executions"][0]["commits"].as_array().unwrap().clone();
    commits.into_iter().map(|it| (it["hash"].clone(), it["linked_by"].clone())).collect()
}

#[test]
fn a_squash_that_keeps_the_messages() {
    let sandbox = Sandbox::new();
    let (repo, solution) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["merge", "-q", "--squash", "work"]).ok();
    repo.git(&["commit", "-q", "--no-edit"]).ok();
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["commit"], &found[0]["shown_by"]), (&json!(id(&repo, "HEAD")), &json!("trailers")));
    assert_eq!((&found[0]["solution_id"], &found[0]["task_id"]), (&json!(solution), &json!("T1")));
    assert_eq!(linked(&repo).last().unwrap(), &(json!(id(&repo, "HEAD")), json!("relink")));
    assert!(repo.wf(&["trace", "HEAD"]).ok().stdout.contains("(linked afterwards)"));
}

#[test]
fn a_squash_with_words_of_its_own() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["merge", "-q", "--squash", "work"]).ok();
    repo.git(&["commit", "-q", "-m", "All of it (#12)"]).ok();
    repo.commit("c", "3\n", "not a part of it");
    // Only from the branches that are searched.
    assert!(relinked(&repo, &["HEAD~1..HEAD"]).is_empty());
    let found = relinked(&repo, &["HEAD~3.."]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (&found[0]["commit"], &found[0]["shown_by"]),
        (&json!(id(&repo, "HEAD~1")), &json!("whole-patch"))
    );
}

#[test]
fn a_squash_of_work_that_was_rebased_before() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("repo");
    repo.wf(&["hooks", "install"]).ok();
    repo.planned("ISS-001", &plan_on("a"));
    repo.git(&["switch", "-q", "-c", "work"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a", "1\n", "one");
    repo.commit("b", "2\n", "two");
    repo.git(&["switch", "-q", "main"]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "elsewhere"]).ok();
    repo.write("c", "theirs\n");
    repo.git(&["add", "c"]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "theirs"]).ok();
    repo.git(&["switch", "-q", "work"]).ok();
    repo.git(&["rebase", "-q", "main"]).ok();
    repo.wf(&["done"]).ok();
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["switch", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "--squash", "work"]).ok();
    repo.git(&["commit", "-q", "-m", "All of it (#12)"]).ok();
    // What others did meanwhile does not matter.
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (&found[0]["commit"], &found[0]["shown_by"]),
        (&json!(id(&repo, "HEAD")), &json!("whole-patch"))
    );
}

#[test]
fn a_rebase_that_no_hook_saw() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    let old = [id(&repo, "work~1"), id(&repo, "work")];
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["switch", "-q", "work"]).ok();
    repo.git(&["rebase", "-q", "main"]).ok();
    let found = relinked(&repo, &[]);
    let replaced: Vec<&Value> = found.iter().map(|it| &it["replaces"]).collect();
    assert_eq!(replaced, [&json!(old[0]), &json!(old[1])]);
    let now = [id(&repo, "work~1"), id(&repo, "work")];
    let hashes: Vec<Value> = linked(&repo).into_iter().map(|(hash, _)| hash).collect();
    assert_eq!(hashes, [json!(now[0]), json!(now[1])], "the old ones are replaced, not joined");
    assert!(repo.wf(&["trace", &old[0]]).ok().stdout.contains("rewritten since"));
}

#[test]
fn a_copy_of_one_commit_without_its_trailers() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["cherry-pick", "-n", "work"]).ok();
    repo.git(&["commit", "-q", "-m", "by the way"]).ok();
    let found = relinked(&repo, &[]);
    assert_eq!((found.len(), &found[0]["shown_by"]), (1, &json!("patch")), "{found:#?}");
    assert_eq!(found[0]["replaces"], json!(null));
    assert_eq!(linked(&repo).len(), 3);
}

#[test]
fn patches_from_a_mail_on_another_machine() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    let mail = repo.git(&["format-patch", "--stdout", "work~2..work"]).ok().stdout;
    let other = sandbox.clone(&repo, "other");
    other.git_in(mail, &["am", "-q"]).ok();
    other.wf(&["init"]).ok();
    let found = relinked(&other, &[]);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|it| it["shown_by"] == "trailers" && it["replaces"].is_null()), "{found:#?}");
    repo.git(&["pull", "-q", "--rebase", other.path().to_str().unwrap(), "main"]).ok();
    // The other's store already has it.
    repo.git(&["remote", "add", "other", other.path().to_str().unwrap()]).ok();
    repo.wf(&["pull", "other"]).ok();
    assert!(relinked(&repo, &[]).is_empty());
    assert_eq!(linked(&repo), linked(&other));
}

#[test]
fn of_two_attempts_the_one_of_that_time() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["cherry-pick", "work~1"]).ok();
    let early = id(&repo, "HEAD");
    repo.wf(&["reopen", "ISS-001"]).ok();
    repo.wf(&["queue", "add", "ISS-001"]);
    repo.wf(&["next"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B", "work"]).ok().stdout;
    let late = repo.commit("late", "1\n", &message);
    let found = relinked(&repo, &["main"]);
    let of = |hash: &str| found.iter().find(|it| it["commit"] == hash).unwrap()["execution_id"].clone();
    let executions = repo.json(&["show", "ISS-001"])["executions"].clone();
    let attempt =
        |n: u64| executions.as_array().unwrap().iter().find(|it| it["attempt"] == n).unwrap()["id"].clone();
    assert_eq!((of(&early), of(&late)), (attempt(1), attempt(2)));
}

/// A commit made without hooks whose message names the issue and nothing else.
fn of_issue(repo: &Repo, file: &str, trailers: &str) -> String {
    repo.write(file, "by hand\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", &format!("by hand\n\n{trailers}")]).ok();
    id(repo, "HEAD")
}

#[test]
fn a_commit_that_names_the_issue_alone() {
    let sandbox = Sandbox::new();
    let (repo, solution) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    let hash = of_issue(&repo, "a", "Wf-Issue: ISS-001\n");
    let told = repo.wf(&["audit", "HEAD^!"]).ok().stdout;
    assert!(told.contains("`git wf link --find` may link it"), "{told}");
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["commit"], &found[0]["shown_by"]), (&json!(hash), &json!("issue")));
    assert_eq!((&found[0]["solution_id"], &found[0]["task_id"]), (&json!(solution), &json!("T1")));
    assert_eq!(repo.json(&["audit", "HEAD^!"])["bound_count"], 1);
    // What someone unlinked stays so, which `audit` and `why` say, with the command that links it again.
    repo.wf(&["link", "--remove", "HEAD"]).ok();
    for asked in [&["audit", "HEAD^!"][..], &["why", "a:1"]] {
        let told = repo.wf(asked).ok().stdout;
        let said = told.replace('`', "");
        assert!(said.contains(&format!("its link to {solution} was removed by hand")), "{told}");
        assert!(!told.contains("link --find"), "{told}");
        let again = told.split('`').find(|it| it.starts_with("git wf link ")).expect("a command");
        let words: Vec<&str> = again.split(' ').skip(2).collect();
        repo.wf(&words).ok();
        assert_eq!(repo.json(&["audit", "HEAD^!"])["bound_count"], 1);
        repo.wf(&["link", "--remove", "HEAD"]).ok();
    }
    // A plan that is not here is not guessed.
    of_issue(&repo, "b", "Wf-Issue: ISS-001\nWf-Solution: SOL-ISS-001-other\n");
    assert_eq!(relinked(&repo, &[]), [] as [Value; 0]);
}

#[test]
fn a_commit_that_names_an_issue_of_several_executions() {
    let sandbox = Sandbox::new();
    let (repo, first) = executed(&sandbox);
    repo.wf(&["reopen", "ISS-001"]).ok();
    repo.wf_in(plan_on("c").to_string(), &["solution", "add", "ISS-001"]).ok();
    let plans = repo.json(&["solution", "list", "ISS-001"]);
    let second =
        plans.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).find(|it| *it != first);
    let second = second.unwrap().to_owned();
    repo.wf(&["bind", "ISS-001", &second]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.done();
    repo.wf(&["hooks", "uninstall"]).ok();
    of_issue(&repo, "c", "Wf-Issue: ISS-001\n");
    // The execution of the bound plan.
    let seen = repo.json(&["link", "--find", "--dry-run"]);
    assert_eq!((&seen["links"][0]["solution_id"], &seen["undecided"]), (&json!(second), &json!([])));
    // Without a bound plan, a person must decide.
    repo.wf(&["plan", "choose", "ISS-001", "--none", "--force", "--reason", "to see"]).ok();
    assert_eq!(relinked(&repo, &[]), [] as [Value; 0]);
    let undecided = repo.json(&["link", "--find"])["undecided"].clone();
    assert_eq!(undecided[0]["candidates"].as_array().unwrap().len(), 2, "{undecided:#}");
    let text = repo.wf(&["link", "--find"]).ok().stdout;
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  git wf ")).collect();
    assert_eq!(commands.len(), 2, "{text}");
    repo.wf(&commands[1].split(' ').collect::<Vec<_>>()).ok();
    assert_eq!(repo.json(&["link", "--find"])["undecided"], json!([]));
}

#[test]
fn a_commit_that_names_an_issue_that_nobody_carried_out() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.issue("ISS-002");
    of_issue(&repo, "c", "Wf-Issue: ISS-002\n");
    let text = repo.wf(&["link", "--find"]).ok().stdout;
    assert!(text.contains("names ISS-002, which was never executed"), "{text}");
}

#[test]
fn squashes_of_attempts_that_are_not_completed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("repo");
    repo.wf(&["hooks", "install"]).ok();
    // Both start with the same tree, and neither has recorded its patch as a whole.
    for (issue, file) in [("ISS-001", "a"), ("ISS-002", "b")] {
        repo.planned(issue, &plan_on(file));
        repo.git(&["switch", "-q", "-c", issue, "main"]).ok();
        repo.wf(&["next", issue]).ok();
        repo.commit(file, "1\n", "one");
        repo.commit(file, "2\n", "two");
        repo.wf(&["fail", "-m", "no time"]).ok();
    }
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["switch", "-q", "main"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]).ok();
    for issue in ["ISS-002", "ISS-001"] {
        repo.git(&["merge", "-q", "--squash", issue]).ok();
        repo.git(&["commit", "-q", "-m", &format!("All of {issue}")]).ok();
    }
    let found = relinked(&repo, &[]);
    let told: Vec<String> = found
        .iter()
        .map(|it| format!("{} {}", it["subject"].as_str().unwrap(), it["solution_id"].as_str().unwrap()))
        .collect();
    assert_eq!(told.len(), 2, "{found:#?}");
    for (told, issue) in told.iter().zip(["ISS-002", "ISS-001"]) {
        assert!(told.starts_with(&format!("All of {issue} SOL-{issue}-")), "{told}");
    }
}

#[test]
fn a_commit_of_the_second_in_which_an_attempt_began_belongs_to_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("repo");
    let first = claim(&repo, "ISS-001");
    let second = first.tried_again(&repo, "2026-11-21T01:30:00.700Z");
    let message = format!("one\n\n{}", first.trailers());
    repo.with_env("GIT_AUTHOR_DATE", "2026-11-21T01:30:00Z").commit("src/a.rs", "1\n", &message);
    let found = relinked(&repo, &[]);
    assert_eq!(found[0]["execution_id"], second.execution, "{found:#?}");
}

#[test]
fn a_squash_without_hooks_replaces_each_commit_whose_change_it_holds() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["switch", "-q", "work"]).ok();
    // As `jj squash` makes it: the author and the message of the first commit, with the changes of both.
    let first = id(&repo, "HEAD~1");
    let old = [first.clone(), id(&repo, "HEAD")];
    repo.git(&["reset", "-q", "--soft", "HEAD~2"]).ok();
    repo.git(&["commit", "-q", "-C", &first]).ok();
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["replaces"], &found[0]["also_replaces"]), (&json!(old[0]), &json!([old[1]])));
    assert_eq!(
        linked(&repo).into_iter().map(|(hash, _)| hash).collect::<Vec<_>>(),
        [json!(id(&repo, "HEAD"))]
    );
}

/// A link that nobody replaced may hold others: HEAD has no reflog to say so.
#[test]
fn a_linked_squash_takes_the_place_of_what_it_holds() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.git(&["switch", "-q", "work"]).ok();
    let old = [id(&repo, "HEAD~1"), id(&repo, "HEAD")];
    repo.git(&["config", "core.logAllRefUpdates", "false"]).ok();
    std::fs::remove_dir_all(repo.path().join(".git/logs")).unwrap();
    repo.git(&["reset", "-q", "--soft", "HEAD~2"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "squashed"]).ok();
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["shown_by"], "squash");
    assert_eq!((&found[0]["replaces"], &found[0]["also_replaces"]), (&json!(old[0]), &json!([old[1]])));
    let now: Vec<_> = linked(&repo).into_iter().map(|(hash, _)| hash).collect();
    assert_eq!(now, [json!(id(&repo, "HEAD"))]);
    assert_eq!(relinked(&repo, &[]), [] as [Value; 0]);
}

/// `git revise -c` keeps the trailers in both parts.
#[test]
fn parts_that_keep_their_trailers_replace_the_commit() {
    let sandbox = Sandbox::new();
    let (repo, solution) = executed(&sandbox);
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.git(&["switch", "-q", "work"]).ok();
    let message = |subject: &str| format!("{subject}\n\nWf-Issue: ISS-001\nWf-Solution: {solution}");
    for name in ["x", "y"] {
        repo.write(name, "1\n");
    }
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-q", "-m", &message("whole")]).ok();
    let whole = id(&repo, "HEAD");
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    repo.git(&["reset", "-q", "--soft", "HEAD~"]).ok();
    repo.git(&["reset", "-q"]).ok();
    for name in ["x", "y"] {
        repo.git(&["add", name]).ok();
        repo.git(&["commit", "-q", "-m", &message(&format!("part {name}"))]).ok();
    }
    let found = relinked(&repo, &[]);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].get("replaces").is_none(), "{found:#?}");
    assert_eq!(found[1]["replaces"], json!(whole), "{found:#?}");
}
