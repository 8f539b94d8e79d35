//! The sandbox itself: it is hermetic, and has its own clock.

use std::panic::catch_unwind;

use crate::support::{Repo, START, Sandbox, USER_CONFIG, plan};

#[test]
fn nothing_of_the_real_machine_gets_in() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    assert_eq!(repo.git(&["config", "user.email"]).ok().line(), "ada@example.org");
    let origins = repo.git(&["config", "--list", "--show-origin", "--name-only"]).ok();
    let ours = format!("file:{}", sandbox.root().join(USER_CONFIG).display());
    for line in origins.stdout.lines() {
        assert!(line.starts_with(&ours) || line.starts_with("file:.git/config"), "{line}");
    }
    let env = repo.git(&["-c", "alias.env=!env", "env"]).ok();
    assert!(env.stdout.lines().any(|line| line == format!("HOME={}", sandbox.root().join("home").display())));
    assert!(!env.stdout.lines().any(|line| line.starts_with("CARGO")), "{}", env.stdout);
    repo.git(&["-C", "..", "rev-parse", "--git-dir"]).fails(128);
}

#[test]
fn each_command_is_a_second_later() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let time = || {
        let ident = repo.git(&["var", "GIT_COMMITTER_IDENT"]).ok();
        ident.line().split(' ').nth_back(1).unwrap().parse::<i64>().unwrap()
    };
    let first = time();
    assert!((START..START + 10).contains(&first));
    assert_eq!(time(), first + 1);
    sandbox.advance(3600);
    assert_eq!(time(), first + 3602);
    repo.commit("a", "a\n", "a");
    assert_eq!(repo.git(&["log", "--format=%ad", "--date=format:%Y-%m-%dT%H"]).ok().line(), "2026-11-21T03");
}

#[test]
fn git_finds_the_binary_under_test() {
    let repo = Sandbox::new().repo("a");
    let found = repo.git(&["-c", "alias.which=!command -v git-wf", "which"]).ok();
    assert_eq!(found.line(), env!("CARGO_BIN_EXE_git-wf"));
    assert_eq!(repo.git_wf(&["no-such-command"]).code, repo.wf(&["no-such-command"]).code);
}

#[test]
fn clones_and_worktrees() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    let id = ada.commit("src/deep/lib.rs", "fn main() {}\n", "start");
    ada.git(&["push", "--quiet", "origin", "HEAD"]).ok();
    let bea = sandbox.clone(&origin, "bea");
    assert_eq!(bea.read("src/deep/lib.rs"), "fn main() {}\n");

    let side = ada.worktree("ada-side", "side");
    assert_eq!(side.git(&["rev-parse", "HEAD"]).ok().line(), id);
    assert_eq!(side.git(&["branch", "--show-current"]).ok().line(), "side");
    ada.git(&["branch", "other"]).ok();
    assert_eq!(ada.worktree("ada-other", "other").path(), sandbox.root().join("ada-other"));
}

#[test]
fn the_tip_is_that_of_the_ref() {
    let repo = Sandbox::new().repo("a");
    assert_eq!(repo.tip(), None);
    let id = repo.commit("a", "a\n", "a");
    repo.git(&["update-ref", "refs/wf/main", &id]).ok();
    assert_eq!(repo.tip(), Some(id));
}

#[test]
fn the_environment_can_be_bent_for_one_command() {
    let repo = Sandbox::new().repo("a");
    let bea = repo.as_person("Bea", "bea@example.org");
    let ident = |repo: &Repo| repo.git(&["var", "GIT_AUTHOR_IDENT"]).ok().stdout;
    assert!(ident(&bea).starts_with("Bea <bea@example.org> "));
    assert!(ident(&repo).starts_with("Ada <ada@example.org> "));
    let pager = |repo: &Repo| repo.git(&["var", "GIT_PAGER"]).ok().line().to_owned();
    assert_eq!(pager(&repo), "cat");
    assert_eq!(pager(&repo.without_env("GIT_PAGER").with_env("PAGER", "more")), "more");
}

#[test]
fn large_input_and_output_pass_each_other() {
    let repo = Sandbox::new().repo("a");
    let text = "x".repeat(1 << 20);
    let id = repo.git_in(&text, &["hash-object", "-w", "--stdin"]).ok();
    assert_eq!(repo.git(&["cat-file", "blob", id.line()]).ok().stdout, text);
    assert_eq!(repo.git_in(&text, &["-c", "alias.echo=!cat", "echo"]).ok().stdout, text);
}

#[test]
fn a_surprise_shows_both_streams() {
    let repo = Sandbox::new().repo("a");
    let ran = repo.git(&["rev-parse", "no-such-thing"]).fails(128);
    let panic = catch_unwind(|| ran.ok()).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("`git rev-parse no-such-thing` exited with 128, not 0"), "{message}");
    assert!(message.contains("unknown revision"), "{message}");
}

#[test]
fn json_is_read_from_either_stream() {
    let repo = Sandbox::new().repo("a");
    let ran = repo
        .git_in(r#"{"error": {"code": "not-found"}}"#, &["-c", "alias.both=!tee /dev/stderr", "both"])
        .ok();
    assert_eq!(ran.json()["error"]["code"], "not-found");
    assert_eq!(ran.json_error()["code"], "not-found");
}

#[test]
fn the_plan_has_two_tasks_in_order() {
    let plan = plan();
    let ids = plan["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap());
    assert_eq!(ids.collect::<Vec<_>>(), ["T1", "T2"]);
    assert_eq!(plan["tasks"][1]["depends_on"][0], "T1");
    assert!(plan.get("id").is_none() && plan.get("issue_id").is_none());
}
