//! `verify` asks nothing about commands that its user typed in this clone, and about all others.

use crate::support::{Repo, Sandbox, Two};

/// Options of a plan with this test.
fn options<'a>(issue: &'a str, test: &'a str) -> Vec<&'a str> {
    let task = ["--task", "Change a", "--step", "one", "--step", "two", "--done-when", "a.txt has 1 line"];
    let rest = ["--verify", "make check", "--test", test, "--path", "a.txt"];
    let levels = ["--risk", "low", "--impact", "low", "--complexity", "low", "-m", "Change it", "--queue"];
    [&["plan", issue][..], &task, &rest, &levels].concat()
}

fn with_issue(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        repo.commit("a.txt", "1\n", "begin");
        repo.issue("ISS-001");
        repo
    })
}

fn asks(repo: &Repo, args: &[&str]) -> bool {
    let ran = repo.wf(&[&["--json", "verify"][..], args].concat());
    ran.stderr.contains("not-agreed")
}

#[test]
fn commands_given_as_options_or_written_in_the_editor_are_agreed_to() {
    let sandbox = Sandbox::new();
    let repo = with_issue(&sandbox);
    repo.wf(&options("ISS-001", "echo typed")).ok();
    repo.wf(&["next"]).ok();
    let ran = repo.wf(&["verify"]).ok();
    assert_eq!(ran.stdout.matches('\n').count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("T1: echo typed: passed in"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("\ntyped\n"), "{}", ran.stdout);
    let ran = repo.wf(&["verify", "-v"]).ok();
    assert!(ran.stdout.contains("\ntyped\n"), "{}", ran.stdout);
}

#[test]
fn what_a_failed_test_printed_is_shown() {
    let sandbox = Sandbox::new();
    let repo = with_issue(&sandbox);
    repo.wf(&options("ISS-001", "echo broken; exit 2")).ok();
    repo.wf(&["next"]).ok();
    let ran = repo.wf(&["verify"]).fails(1);
    assert!(ran.stdout.contains("\nbroken\nfailed with exit code 2 in"), "{}", ran.stdout);
}

#[test]
fn an_edit_keeps_the_consent_to_what_it_leaves_alone() {
    let sandbox = Sandbox::new();
    let repo = with_issue(&sandbox);
    let mut typed = options("ISS-001", "echo typed");
    typed.pop();
    repo.wf(&typed).ok();
    repo.wf(&["task", "edit", "ISS-001", "T1", "--title", "Another title"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    assert!(!asks(&repo, &[]));
}

#[test]
fn commands_in_a_file_or_from_an_agent_are_not() {
    let agent: &[(&str, &str)] = &[("WF_ROLE", "planner")];
    let program: &[(&str, &str)] = &[("CLAUDECODE", "1")];
    for (n, environment) in [agent, program].into_iter().enumerate() {
        let sandbox = Sandbox::new();
        let repo = with_issue(&sandbox);
        let other = environment
            .iter()
            .fold(repo.with_env("X", "1"), |repo, (name, value)| repo.with_env(name, value));
        let mut typed = options("ISS-001", "echo theirs");
        typed.pop();
        other.wf(&typed).ok();
        repo.wf(&["next", "ISS-001"]).ok();
        assert!(asks(&repo, &[]), "{n}");
    }
    let sandbox = Sandbox::new();
    let repo = with_issue(&sandbox);
    let text = "Change it\n\nrisk: low\nimpact: low\ncomplexity: low\n\n## Change a\nfiles: a.txt\nsteps:\n- one\n- two\n\
                done when:\n- a.txt has 1 line\nverify: make check\ntest: echo file\n";
    repo.write("plan.txt", text);
    repo.wf(&["plan", "ISS-001", "-F", "plan.txt"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    assert!(asks(&repo, &[]));
}

#[test]
fn commands_that_arrive_or_change_elsewhere_are_not() {
    let two = Two::new();
    two.ada.commit("a.txt", "1\n", "begin");
    two.ada.issue("ISS-001");
    let mut typed = options("ISS-001", "echo ada");
    typed.pop();
    two.ada.wf(&typed).ok();
    two.meet();
    // Bea changes the plan that Ada wrote. Ada has not seen that command.
    two.bea.wf(&["task", "edit", "ISS-001", "T1", "--test", "echo bea"]).ok();
    two.meet();
    two.ada.wf(&["next", "ISS-001"]).ok();
    assert!(asks(&two.ada, &[]));
    // Nor does an edit of hers agree to it.
    two.ada.wf(&["lease", "release", "ISS-001"]).ok();
    two.ada.wf(&["queue", "remove", "ISS-001"]).ok();
    two.ada.wf(&["task", "edit", "ISS-001", "T1", "--title", "Mine"]).ok();
    two.ada.wf(&["next", "ISS-001"]).ok();
    assert!(asks(&two.ada, &[]));
}
