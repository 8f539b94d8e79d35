//! Links: what `post-commit` records, and for which commits.

use serde_json::{Value, json};

use super::{Bound, id, message, sorted, with_hooks};
use crate::support::store_writer::{activate, claim, claim_plan};
use crate::support::{Sandbox, plan};

#[test]
fn a_link_says_what_the_commit_is_and_renews_the_lease() {
    let it = Bound::new();
    activate(&it.repo, &it.claim, "refs/heads/main", Some("T2"));
    it.repo.git(&["config", "wf.lease", "30m"]).ok();
    it.repo.write("src/new file.rs", "1\n");
    it.repo.write("src/deep/er/ü.rs", "1\n");
    it.repo.git(&["rm", "-q", "README"]).ok();
    it.repo.git(&["add", "."]).ok();
    let tip = it.repo.tip().unwrap();
    let author = it.repo.with_env("GIT_AUTHOR_NAME", "Bob").with_env("GIT_AUTHOR_EMAIL", "bob@example.org");
    author.git(&["commit", "-q", "-m", "extend \"it\"\n\nbody"]).ok();
    let log = it.claim.log(&it.repo);
    assert_eq!(log.len(), 2, "{log:#?}");
    let [link, renew] = [&log[0], &log[1]];
    assert_eq!(link["hash"], id(&it.repo, "HEAD"));
    assert_eq!(link["task_id"], "T2");
    assert_eq!(link["subject"], "extend \"it\"");
    assert_eq!(link["author"], "Bob <bob@example.org>");
    assert_eq!(link["actor"], "Ada <ada@example.org>", "the committer is the actor");
    assert_eq!(link["files"], json!(["README", "src/deep/er/ü.rs", "src/new file.rs"]));
    assert_eq!(link["linked_by"], "hook");
    assert_eq!(renew["type"], "renew");
    let minutes = |text: &Value| minutes_of_day(text.as_str().unwrap());
    assert_eq!(minutes(&renew["lease_expires_at"]) - minutes(&renew["at"]), 30);
    assert_eq!(id(&it.repo, "refs/wf/main~1"), tip, "both entries are one commit");
    let short = &id(&it.repo, "HEAD")[..10];
    let subject = it.repo.git(&["log", "-1", "--format=%s|%an|%(trailers:key=Wf-Op)", "refs/wf/main"]).ok();
    let wanted =
        format!("execution: link {short} \"extend \"it\"\" to {}|Ada|Wf-Op: link", it.claim.solution);
    assert_eq!(subject.line(), wanted);
}

fn minutes_of_day(time: &str) -> u32 {
    let number = |range: std::ops::Range<usize>| time[range].parse::<u32>().unwrap();
    number(11..13) * 60 + number(14..16)
}

#[test]
fn the_same_commit_twice_is_one_link_and_one_change() {
    let it = Bound::new();
    let commit = it.repo.commit("a", "1\n", "once");
    let tip = it.repo.tip();
    it.repo.wf(&["hook", "post-commit"]).ok();
    it.repo.wf(&["hook", "post-commit"]).ok();
    assert_eq!(it.repo.tip(), tip);
    assert_eq!(it.linked(), [commit]);
}

#[test]
fn the_only_task_of_a_plan_is_the_task() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let mut short = plan();
    short["tasks"].as_array_mut().unwrap().truncate(1);
    let claim = claim_plan(&repo, "ISS-001", &short);
    let commit = repo.commit("a", "1\n", "work");
    assert_eq!(claim.links(&repo)[&commit]["task_id"], "T1");
}

#[test]
fn a_commit_without_its_message_hook_is_still_linked() {
    let it = Bound::new();
    it.repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "in a hurry"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), "in a hurry\n");
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn a_first_commit_and_one_of_many_files_are_linked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.wf(&["hooks", "install"]).ok();
    let claim = claim(&repo, "ISS-001");
    for n in 0..1005 {
        repo.write(&format!("files/{:02}/{n}", n % 7), "x");
    }
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-q", "-m", "all at once"]).ok();
    let links = claim.links(&repo);
    assert_eq!(links[&id(&repo, "HEAD")]["files"].as_array().unwrap().len(), 1000);
}

#[test]
fn a_cherry_pick_is_linked_by_the_trailers_that_it_carries() {
    let it = Bound::new();
    let picked = it.repo.commit("a", "1\n", "to be picked");
    it.repo.git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
    let other = claim(&it.repo, "ISS-002");
    it.repo.git(&["cherry-pick", &picked]).ok();
    let copy = id(&it.repo, "HEAD");
    assert_ne!(copy, picked);
    assert_eq!(message(&it.repo, "HEAD"), message(&it.repo, &picked));
    assert_eq!(it.linked(), sorted([picked, copy.clone()]));
    assert_eq!(it.claim.links(&it.repo)[&copy]["linked_by"], "trailer");
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert!(!message(&it.repo, "HEAD").contains(&other.solution), "{}", message(&it.repo, "HEAD"));
    assert!(other.linked(&it.repo).is_empty());
}

#[test]
fn a_pick_that_stops_for_a_conflict_gets_no_trailers_and_its_commit_is_linked() {
    let it = Bound::new();
    it.repo.git(&["switch", "-q", "-c", "side"]).ok();
    it.repo.commit("a", "side\n", "from the side");
    it.repo.git(&["switch", "-q", "main"]).ok();
    let first = it.repo.commit("a", "main\n", "on main");
    it.repo.git(&["cherry-pick", "side"]).fails(1);
    it.repo.write("a", "both\n");
    it.repo.git(&["commit", "-q", "-a", "--no-edit"]).ok();
    assert_eq!(message(&it.repo, "HEAD").lines().next(), Some("from the side"));
    assert!(!message(&it.repo, "HEAD").contains("Wf-"), "{}", message(&it.repo, "HEAD"));
    assert_eq!(it.linked(), sorted([first, id(&it.repo, "HEAD")]));
}

#[test]
fn a_revert_belongs_to_what_is_carried_out() {
    let it = Bound::new();
    let work = it.repo.commit("a", "1\n", "work");
    it.repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    let revert = id(&it.repo, "HEAD");
    assert!(!message(&it.repo, "HEAD").contains("Wf-"), "git does not run `commit-msg` for a revert");
    assert_eq!(it.linked(), sorted([work, revert.clone()]));
    assert_eq!(it.claim.links(&it.repo)[&revert]["linked_by"], "hook");
}

#[test]
fn a_merge_is_bound_whether_it_stops_or_not() {
    let it = Bound::new();
    it.repo.git(&["switch", "-q", "-c", "side"]).ok();
    it.repo.commit("b", "side\n", "one");
    it.repo.commit("a", "side\n", "two");
    it.repo.git(&["switch", "-q", "main"]).ok();
    let work = it.repo.commit("c", "main\n", "work");
    it.repo.git(&["merge", "-q", "--no-edit", "side~1"]).ok();
    let clean = id(&it.repo, "HEAD");
    assert!(message(&it.repo, "HEAD").ends_with(&it.claim.trailers()), "{}", message(&it.repo, "HEAD"));
    let again = it.repo.commit("a", "main\n", "work again");
    it.repo.git(&["merge", "-q", "side"]).fails(1);
    it.repo.write("a", "both\n");
    it.repo.git(&["commit", "-q", "-a", "--no-edit"]).ok();
    let stopped = id(&it.repo, "HEAD");
    assert!(message(&it.repo, "HEAD").ends_with(&it.claim.trailers()));
    assert_eq!(it.linked(), sorted([work, clean, again, stopped]));
}

#[test]
fn a_fast_forward_links_nothing() {
    let it = Bound::new();
    let far = it.sandbox.clone(&it.repo, "far");
    far.commit("a", "1\n", "made elsewhere");
    far.git(&["switch", "-q", "-c", "side"]).ok();
    far.commit("b", "1\n", "on a side");
    far.git(&["switch", "-q", "main"]).ok();
    far.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]).ok();
    let tip = it.repo.tip();
    it.repo.git(&["pull", "-q", "--ff-only", far.path().to_str().unwrap(), "main"]).ok();
    assert_eq!(id(&it.repo, "HEAD"), id(&far, "HEAD"));
    assert_eq!(it.repo.tip(), tip);
}

#[test]
fn a_squashed_branch_is_linked_to_what_its_messages_name() {
    let it = Bound::new();
    let work = it.repo.commit("a", "1\n", "work");
    it.repo.git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "main"]).ok();
    it.repo.git(&["commit", "-q", "--no-edit"]).ok();
    assert_eq!(it.linked(), sorted([work, id(&it.repo, "HEAD")]));
}

#[test]
fn an_ended_execution_binds_nothing_more() {
    let it = Bound::new();
    it.claim.end(&it.repo, "completed");
    it.repo.commit("a", "1\n", "after the end");
    assert_eq!(message(&it.repo, "HEAD"), "after the end\n");
    assert!(it.linked().is_empty());
}

#[test]
fn files_outside_the_plan_are_named_when_they_are_committed() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "here");
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    let commit = |files: &[&str]| {
        for file in files {
            repo.write(file, file);
        }
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "--quiet", "-m", "work"]).ok().stderr
    };
    assert_eq!(commit(&["src/a.rs"]), "");
    let told = commit(&["b.txt"]);
    assert!(told.starts_with("git-wf: ") && told.contains(" changes `b.txt`, which `SOL-ISS-001-"), "{told}");
    let told = commit(&["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"]);
    assert!(told.contains("`1.txt`, `2.txt`, `3.txt` and 2 more files that "), "{told}");
    for (n, off) in ["false", "no", "off", "0"].into_iter().enumerate() {
        repo.git(&["config", "wf.noticeOutside", off]).ok();
        assert_eq!(commit(&[&format!("{n}.md")]), "", "{off}");
    }
}

#[test]
fn a_commit_with_an_unreadable_date_is_linked_with_the_date_of_today() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]).ok();
    let never = "99999999999999999999 +0000";
    let text = format!(
        "tree {}\nauthor Ada <ada@example.org> {never}\ncommitter Ada <ada@example.org> {never}\n\nx\n",
        tree.line()
    );
    let made = repo.git_in(text, &["hash-object", "-t", "commit", "-w", "--stdin", "--literally"]).ok();
    repo.wf(&["link", made.line(), "ISS-001"]).ok();
    let commit = repo.json(&["show", "ISS-001"])["executions"][0]["commits"][0].clone();
    assert!(commit["authored_at"].as_str().unwrap().starts_with("2026-11-21T"), "{commit}");
}
