//! The message: git's own, plus our trailers, once.

use serde_json::{Value, json};

use super::{Bound, id, message, script, sorted, with_hooks};
use crate::support::store_writer::{activate, claim_elsewhere, claim_plan};
use crate::support::{Repo, Sandbox, plan};

#[test]
fn every_way_to_commit_gets_the_trailers_once() {
    let it = Bound::new();
    let trailers = it.claim.trailers();
    it.repo.write("message.txt", "from a file\n\nWith a body.\n");
    let typed = script(&it.sandbox, "editor", "printf 'typed\\n\\nbody\\n%s' \"$(cat \"$1\")\" > \"$1\"");
    let editing = it.repo.with_env("GIT_EDITOR", &typed);
    it.repo.commit("a", "1\n", "one line");
    assert_eq!(message(&it.repo, "HEAD"), format!("one line\n\n{trailers}"));
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("one line\n\n{trailers}"));
    it.repo.git(&["commit", "-q", "--allow-empty", "-F", "message.txt"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("from a file\n\nWith a body.\n\n{trailers}"));
    editing.git(&["commit", "-q", "--allow-empty"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("typed\n\nbody\n\n{trailers}"));
    it.repo.write("a", "2\n");
    editing.git(&["commit", "-q", "-a", "-v"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("typed\n\nbody\n\n{trailers}"));
    it.repo.git(&["commit", "-q", "--allow-empty", "-s", "-m", "signed off"]).ok();
    let signed = format!("signed off\n\nSigned-off-by: Ada <ada@example.org>\n{trailers}");
    assert_eq!(message(&it.repo, "HEAD"), signed);
    it.repo.git(&["commit", "-q", "--allow-empty", "--fixup", "HEAD~1"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("fixup! typed\n\n{trailers}"));
    assert_eq!(it.linked().len(), 6);
}

#[test]
fn apart_from_trailers_a_commit_is_the_same_with_and_without_hooks() {
    let sandbox = Sandbox::new();
    let body = |repo: &Repo| {
        let kept = |line: &&str| !line.starts_with("Wf-");
        message(repo, "HEAD").lines().filter(kept).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    };
    let editor = script(&sandbox, "editor", "printf 'edited\\n# a comment\\n\\n\\nbody  \\n' >> \"$1\"");
    let quitting = script(&sandbox, "quitting", ": > \"$1\"");
    let cases: &[&[&str]] = &[
        &["-m", "plain"],
        &["-m", "two", "-m", "paragraphs"],
        &["-m", "ends with\n\nFixes: #12\nReviewed-by: Bob"],
        &["-m", "  blank  \n\n\n\n  lines  \n\n"],
        &["-m", "#not a comment", "--cleanup=verbatim"],
        &["-e", "-m", "start"],
        &["-e", "-v", "-m", "start", "--cleanup=scissors"],
        &["-m", ""],
        &["--allow-empty-message", "-m", ""],
        &["--amend", "--no-edit"],
        &["--amend", "-m", "other"],
        &["-C", "HEAD"],
        &["--squash", "HEAD", "-m", "more"],
        &["-m", "with: a\n\n 1. list\n 2. of things"],
    ];
    for editor in [&editor, &quitting] {
        // With a message and nothing else, git opens no editor, so one round shows all.
        let opens = |case: &[&str]| case.iter().any(|arg| ["-e", "--squash"].contains(arg));
        for case in cases.iter().filter(|case| editor != &quitting || opens(case)) {
            let repos = ["with", "without"].map(|name| {
                let name =
                    format!("{name}-{}", case.join("").len() + editor.len() * 1000 + case.len() * 100_000);
                let folder = sandbox.root().join(&name);
                if folder.exists() {
                    std::fs::remove_dir_all(&folder).unwrap();
                }
                let repo = if name.starts_with("without") {
                    let repo = sandbox.repo(&name);
                    repo.commit("README", "a project\n", "begin");
                    repo
                } else {
                    let repo = with_hooks(&sandbox, &name);
                    crate::support::store_writer::claim(&repo, "ISS-001");
                    repo
                };
                repo.write("file", "content\n");
                repo.git(&["add", "file"]).ok();
                repo.with_env("GIT_EDITOR", editor)
            });
            let [with, without] = repos.each_ref().map(|repo| repo.git(&[&["commit", "-q"], *case].concat()));
            assert_eq!(with.code, without.code, "{case:?}: {}", with.stderr);
            assert_eq!(body(&repos[0]), body(&repos[1]), "{case:?}");
            let [one, two] = repos.each_ref().map(|repo| repo.git(&["status", "--porcelain"]).ok().stdout);
            assert_eq!(one, two, "{case:?}");
        }
    }
}

#[test]
fn the_task_that_is_worked_on_is_named_and_stays_when_amended() {
    let it = Bound::new();
    activate(&it.repo, &it.claim, "refs/heads/main", Some("T1"));
    it.repo.commit("a", "1\n", "first");
    assert_eq!(message(&it.repo, "HEAD"), format!("first\n\n{}Wf-Task: T1\n", it.claim.trailers()));
    activate(&it.repo, &it.claim, "refs/heads/main", Some("T2"));
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("first\n\n{}Wf-Task: T1\n", it.claim.trailers()));
    let links = it.claim.links(&it.repo);
    assert_eq!(links.values().map(|link| link["task_id"].clone()).collect::<Vec<_>>(), ["T1"]);
}

/// Nobody has to name the task of a commit if its files show it.
#[test]
fn a_commit_belongs_to_the_only_task_that_names_one_of_its_files() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let task = |id: &str, files: &[&str]| {
        let files: Vec<Value> = files.iter().map(|path| json!({"path": path, "action": "modify"})).collect();
        json!({"id": id, "title": "A task", "action": "Update", "description": "It does something", "files": files})
    };
    let plan = json!({"description": "Two tasks", "approach": "One after the other",
        "tasks": [task("T1", &["src/one", "both"]), task("T2", &["docs", "both"])]});
    let claim = claim_plan(&repo, "ISS-001", &plan);
    let named = |path: &str, message: &str| {
        repo.commit(path, &format!("{path} {message}\n"), message);
        let text = self::message(&repo, "HEAD");
        text.lines().filter_map(|line| line.strip_prefix("Wf-Task: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(named("src/one", "the file"), ["T1"]);
    assert_eq!(named("docs/deep/page", "in the directory"), ["T2"]);
    assert_eq!(named("both", "of both"), [""; 0]);
    assert_eq!(named("elsewhere", "of neither"), [""; 0]);
    assert_eq!(named("src/one", "another\n\nWf-Task: T2"), ["T2"]);
    repo.write("src/one", "more\n");
    repo.write("elsewhere", "more\n");
    repo.git(&["commit", "-qanm", "past the hook"]).ok();
    let links = claim.links(&repo);
    let of = |subject: &str| links.values().find(|it| it["subject"] == subject).unwrap()["task_id"].clone();
    assert_eq!(of("the file"), "T1");
    assert_eq!(of("in the directory"), "T2");
    assert_eq!(of("of both"), Value::Null);
    assert_eq!(of("another"), "T2");
    assert_eq!(of("past the hook"), "T1");
}

#[test]
fn an_empty_message_still_aborts() {
    let it = Bound::new();
    let before = id(&it.repo, "HEAD");
    let nothing = script(&it.sandbox, "editor", "true");
    let ran = it.repo.with_env("GIT_EDITOR", &nothing).git(&["commit", "--allow-empty"]).fails(1);
    assert!(ran.stderr.contains("empty commit message"), "{}", ran.stderr);
    it.repo.git(&["commit", "--allow-empty", "-m", ""]).fails(1);
    assert_eq!(id(&it.repo, "HEAD"), before);
    assert!(it.linked().is_empty());
}

#[test]
fn another_branch_and_a_detached_head_are_not_bound() {
    let it = Bound::new();
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    it.repo.commit("a", "1\n", "elsewhere");
    assert_eq!(message(&it.repo, "HEAD"), "elsewhere\n");
    it.repo.git(&["checkout", "-q", "--detach"]).ok();
    it.repo.commit("a", "2\n", "nowhere, for ISS-001");
    assert_eq!(message(&it.repo, "HEAD"), "nowhere, for ISS-001\n");
    assert!(it.linked().is_empty());
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.commit("a", "3\n", "here");
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn a_worktree_binds_to_its_own_execution() {
    let it = Bound::new();
    let side = it.repo.worktree("side", "side");
    let other = crate::support::store_writer::claim(&side, "ISS-002");
    let commit = side.commit("a", "1\n", "in the worktree");
    assert_eq!(message(&side, "HEAD"), format!("in the worktree\n\n{}", other.trailers()));
    assert_eq!(other.linked(&it.repo), [commit]);
    let commit = it.repo.commit("b", "1\n", "in the main one");
    assert_eq!(it.linked(), [commit]);
}

#[test]
fn an_id_in_the_message_or_the_branch_name_binds_where_nothing_is_active() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let one = claim_elsewhere(&repo, "ISS-001", &plan());
    let two = claim_elsewhere(&repo, "ISS-002", &plan());
    let named = repo.commit("a", "1\n", "repair the login (ISS-002).");
    assert_eq!(message(&repo, "HEAD"), format!("repair the login (ISS-002).\n\n{}", two.trailers()));
    repo.commit("a", "2\n", "ISS-001 and ISS-002 at once");
    assert_eq!(message(&repo, "HEAD"), "ISS-001 and ISS-002 at once\n");
    repo.git(&["switch", "-q", "-c", "feature/ISS-001-the-login"]).ok();
    let branch = repo.commit("a", "3\n", "no id here");
    assert_eq!(message(&repo, "HEAD"), format!("no id here\n\n{}", one.trailers()));
    repo.git(&["switch", "-q", "-c", &format!("wf/{}", two.solution)]).ok();
    let solution = repo.commit("a", "4\n", "nor here");
    assert_eq!(one.linked(&repo), [branch]);
    assert_eq!(two.linked(&repo), sorted([named, solution]));
    let renewed = two.log(&repo).iter().any(|entry| entry["type"] == "renew");
    assert!(!renewed, "a mention is not the executor's sign of life");
}

#[test]
fn an_id_in_a_comment_is_not_the_authors() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    let claim = claim_elsewhere(&repo, "ISS-001", &plan());
    repo.write("docs/ISS-001.md", "text\n");
    repo.git(&["add", "."]).ok();
    let editor = script(&sandbox, "editor", "printf 'typed\\n%s\\n' \"$(cat \"$1\")\" > \"$1\"");
    repo.with_env("GIT_EDITOR", &editor).git(&["commit", "-q", "-v"]).ok();
    assert_eq!(message(&repo, "HEAD"), "typed\n");
    assert!(claim.linked(&repo).is_empty());
}

#[test]
fn a_commit_on_a_detached_head_says_that_it_is_not_linked() {
    let it = Bound::new();
    let commit = |repo: &Repo, text: &str| {
        repo.write("a", text);
        repo.git(&["add", "a"]).ok();
        repo.git(&["commit", "-q", "-m", text]).ok().stderr
    };
    it.repo.git(&["config", "wf.noticeOutside", "false"]).ok();
    assert_eq!(commit(&it.repo, "1"), "");
    it.repo.git(&["checkout", "-q", "--detach"]).ok();
    let said = commit(&it.repo, "2");
    let hash = id(&it.repo, "HEAD")[..10].to_owned();
    let wanted = format!(
        "git-wf: {hash} is on a detached HEAD, so it is not linked to `{}`, which is executed on `main`; `git wf link \
         {hash} ISS-001` links it\n",
        it.claim.solution
    );
    assert_eq!(said, wanted);
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    let said = commit(&it.repo, "3");
    assert!(
        said.contains("is on `other`, which is not a branch of the claim, so it is not linked"),
        "{said}"
    );
    it.repo.git(&["checkout", "-q", "--detach"]).ok();
    it.repo.wf(&["link", &hash, "ISS-001"]).ok();
    // A commit whose message names its plan is linked.
    it.repo.git(&["commit", "-q", "--allow-empty", "-m", &format!("x\n\n{}", it.claim.trailers())]).ok();
    assert_eq!(it.linked().len(), 3);
    it.claim.end(&it.repo, "completed");
    assert_eq!(commit(&it.repo, "4"), "");
}
