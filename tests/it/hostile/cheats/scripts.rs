//! Cheats in the files that an agent commits. All tests pass where it worked.

use serde_json::{Value, json};

use super::{BROKEN, Files, Project, TEST_OF_THREE, THREE};

const RUN: &str = "sh tests/run.sh";
/// What is said of tests that were changed.
const CHANGED: &str = "the tests fail as they were before the work, which changed ";

pub(super) fn run_sh() -> &'static str {
    super::BASE.iter().find(|(path, _)| *path == "tests/run.sh").unwrap().1
}

/// The cheat passes in the work tree, and is refused for this reason.
#[track_caller]
fn refused(command: &str, files: Files<'_>, words: &str) -> Value {
    let project = Project::worked(command, files);
    project.repo.wf(&["verify", "--yes"]).ok();
    project.is_refused(words);
    project.proof()
}

#[test]
fn a_script_that_ends_at_its_start() {
    let cheat = format!("exit 0\n{}", run_sh());
    let proof = refused(
        RUN,
        &[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some(&cheat))],
        &format!("{CHANGED}tests/run.sh"),
    );
    assert_eq!(proof["base_tests"], "failed");
    assert_eq!(proof["changed_tests"], json!(["tests/run.sh"]));
}

#[test]
fn a_runner_that_stands_in_the_work_tree() {
    refused(
        "PATH=\"$PWD/bin:$PATH\" ctest",
        &[(BROKEN.0, Some(BROKEN.1)), ("bin/ctest", Some("#!/bin/sh\nexit 0\n"))],
        "bin/ctest",
    );
}

#[test]
fn a_configuration_that_passes_on_failure() {
    let cheat = "exec >/dev/null\ntrap 'exit 0' EXIT\n";
    refused(RUN, &[(BROKEN.0, Some(BROKEN.1)), ("tests/config.sh", Some(cheat))], "tests/config.sh");
}

#[test]
fn a_deleted_assertion() {
    let files: Files<'_> = &[
        (BROKEN.0, Some(BROKEN.1)),
        ("tests/t_add.sh", Some("sh add.sh 1 2\n")),
        ("tests/t_snap.sh", Some(":\n")),
    ];
    refused(RUN, files, &format!("{CHANGED}tests/t_add.sh, tests/t_snap.sh"));
}

#[test]
fn an_inverted_assertion() {
    let cheat = "[ \"$(sh add.sh 1 2)\" != 3 ]\n";
    refused(
        "sh tests/t_add.sh",
        &[(BROKEN.0, Some(BROKEN.1)), ("tests/t_add.sh", Some(cheat))],
        "tests/t_add.sh",
    );
}

#[test]
fn a_deleted_test() {
    let files: Files<'_> = &[(BROKEN.0, Some("echo 5\n")), ("tests/t_add.sh", None)];
    refused(RUN, files, "tests/t_add.sh");
}

#[test]
fn a_mark_that_skips_a_test() {
    let skipping = "echo 'ok 1 # SKIP flaky'; exit 0\n";
    refused(RUN, &[("add.sh", Some("echo 5\n")), ("tests/t_add.sh", Some(skipping))], "tests/t_add.sh");
}

#[test]
fn a_filter_that_matches_nothing() {
    let nothing = run_sh().replace("tests/t_*.sh", "tests/u_*.sh").replace("n=$((n + 1))", "break");
    let project = Project::worked(RUN, &[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some(&nothing))]);
    for fresh in [&["verify", "--yes"][..], &["verify", "--yes", "--fresh"]] {
        let ran = project.repo.wf(fresh).fails(1);
        assert!(
            ran.stdout.contains("ran no tests, which is not a pass (`1..0`: check its filter"),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn a_test_that_only_prints() {
    let proof = refused(
        RUN,
        &[(THREE.0, Some(THREE.1)), ("tests/t_three.sh", Some("sh add.sh 1 2 3\n"))],
        "the new tests pass without the work, too",
    );
    assert_eq!(proof["fails_without"], "no");
}

#[test]
fn a_test_that_only_loads_a_new_name() {
    let proof = refused(
        RUN,
        &[("double.sh", Some("double() { echo 0; }\n")), ("tests/t_double.sh", Some(". ./double.sh\n"))],
        "without the work the tests do not run",
    );
    assert_eq!(proof["fails_without"], "build");
}

#[test]
fn a_snapshot_that_was_made_again() {
    refused(
        "sh tests/t_snap.sh",
        &[("add.sh", Some("echo 7\n")), ("tests/expected.snap", Some("7\n"))],
        "tests/expected.snap",
    );
}

#[test]
fn a_snapshot_that_was_edited() {
    let files: Files<'_> =
        &[("add.sh", Some("printf '5\\nwarning\\n'\n")), ("tests/expected.snap", Some("5\nwarning\n"))];
    refused("sh tests/t_snap.sh", files, "tests/expected.snap");
}

#[test]
fn a_timeout_of_zero() {
    let with_limit = ". tests/config.sh\n[ \"$LIMIT\" -gt 0 ] || exit 0\n[ \"$(sh add.sh 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n";
    let project = Project::with(&[
        ("add.sh", "echo $(( $1 + $2 ))\n"),
        ("tests/config.sh", "LIMIT=10\n"),
        ("tests/all.sh", with_limit),
    ]);
    project.claim("sh tests/all.sh", &json!({}));
    project.commit(&[(BROKEN.0, Some(BROKEN.1)), ("tests/config.sh", Some("LIMIT=0\n"))]);
    project.is_refused("tests/config.sh");
}

/// The file is in the work tree, ignored, and in no commit.
#[test]
fn a_test_that_needs_a_file_that_is_not_committed() {
    let test = "[ \"$(sh add.sh 1 2 3)\" = \"$(cat answers)\" ] || { echo 'expected: 6'; exit 1; }\n";
    let project = Project::worked(
        RUN,
        &[(THREE.0, Some(THREE.1)), ("tests/t_three.sh", Some(test)), (".gitignore", Some("answers\n"))],
    );
    project.repo.write("answers", "6\n");
    project.repo.wf(&["verify", "--yes"]).ok();
    let ran = project.verify().fails(1);
    assert!(ran.stdout.contains("answers: No such file"), "{}", ran.stdout);
    project.repo.refused(1, &["done", "-m", "it is done"]);
}

#[test]
fn code_that_looks_for_the_test_runner() {
    let cheat = "if [ -n \"$BATS_TEST_NAME$CI\" ]; then echo 6; else echo $(( $1 + $2 + ${3:-0} )); fi\n";
    let proof = refused(
        RUN,
        &[("add.sh", Some(cheat)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))],
        "add.sh:1 reads BATS_TEST",
    );
    assert_eq!((&proof["base_tests"], &proof["fails_without"]), (&json!("passed"), &json!("assertion")));
}

/// What was committed before the claim is not given, unless it is on the branch on which work lands.
#[test]
fn tests_that_were_weakened_before_the_claim() {
    let project = Project::new();
    project.repo.git(&["switch", "--quiet", "-c", "prepared"]).ok();
    project.commit(&[("tests/t_add.sh", Some(":\n")), ("tests/t_snap.sh", Some(":\n"))]);
    project.repo.git(&["switch", "--quiet", "main"]).ok();
    project.claim(RUN, &json!({}));
    project.repo.git(&["merge", "--quiet", "--ff-only", "prepared"]).ok();
    project.commit(&[(BROKEN.0, Some(BROKEN.1))]);
    project.is_refused(&format!("{CHANGED}tests/t_add.sh, tests/t_snap.sh"));
}

/// Without the policy, the work is taken, and what looks like cheating stays visible.
#[test]
fn without_the_policy_a_cheat_is_marked() {
    let files: Files<'_> = &[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some("exit 0\n"))];
    let project = Project::worked(RUN, files);
    project.repo.wf(&["settings", "evidence=required"]).ok();
    let ran = project.verify().ok();
    assert!(
        ran.stderr.contains(&format!("warning: {CHANGED}tests/run.sh; see `git diff ")),
        "{}",
        ran.stderr
    );
    project.repo.wf(&["done", "-m", "it is done"]).ok();
    let audit = project.repo.wf(&["audit", "main..work"]);
    assert!(audit.stdout.contains(&format!("{CHANGED}tests/run.sh")), "{}", audit.stdout);
    assert!(project.repo.wf(&["trace", "ISS-001"]).ok().stdout.contains("tests/run.sh"));
    let landed = project.repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert!(landed.stderr.contains(&format!("{CHANGED}tests/run.sh")), "{}", landed.stderr);
}

/// `land` looks again, whatever the store says.
#[test]
fn land_refuses_what_is_not_proved() {
    let project = Project::worked(RUN, &[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some("exit 0\n"))]);
    project.repo.wf(&["done", "-m", "x", "--force", "--reason", "an override"]).ok();
    let ran = project.repo.wf(&["land", "ISS-001", "--yes", "--json"]);
    let view = ran.json();
    assert_eq!(view["not_landed"][0]["why"], "unproved", "{view}");
    assert!(view["not_landed"][0]["message"].as_str().unwrap().starts_with(CHANGED), "{view}");
}

/// The script of the tests sources a file of the code, which ends it.
#[test]
fn a_sourced_file_that_ends_the_tests() {
    let project = Project::with(&[
        ("lib.sh", "add() { echo $(( $1 + $2 )); }\n"),
        ("tests/all.sh", ". ./lib.sh\n[ \"$(add 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n"),
    ]);
    project.claim("sh tests/all.sh", &json!({}));
    project.commit(&[("lib.sh", Some("exit 0\nadd() { echo 0; }\n"))]);
    project.is_refused("lib.sh:1 ends the test that sources it");
}

/// Whoever claims says where the work began; the linked commits say it, too.
#[test]
fn a_claim_that_begins_after_its_work() {
    let project = Project::new();
    let mut plan = crate::support::plan_on("add.sh");
    plan["tasks"][0]["test"]["commands"] = json!([RUN]);
    project.repo.planned("ISS-001", &plan);
    project.commit(&[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some("exit 0\n"))]);
    project.repo.wf(&["next", "ISS-001"]).ok();
    project.repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    project.is_refused(&format!("{CHANGED}tests/run.sh"));
}

#[test]
fn work_that_only_weakens_tests() {
    let proof = refused(
        RUN,
        &[("tests/t_add.sh", Some("sh add.sh 1 2\n"))],
        "the work only changes tests (tests/t_add.sh)",
    );
    assert_eq!((&proof["base_tests"], &proof["fails_without"]), (&json!("passed"), &json!("only-tests")));
}

/// The plan says that it changes a test, and nobody but its author has seen that.
#[test]
fn a_plan_that_nobody_reviewed_excuses_no_changes_to_tests() {
    let project = Project::new();
    let change = json!({"path": "tests/t_add.sh", "reason": "because"});
    project.claim("sh tests/t_add.sh", &json!({"changes": [change]}));
    let test = "[ \"$(sh add.sh 1 2)\" = 0 ] || { echo 'expected: 0'; exit 1; }\n";
    project.commit(&[(BROKEN.0, Some(BROKEN.1)), ("tests/t_add.sh", Some(test))]);
    project.is_refused("the plan says that it changes tests/t_add.sh, and nobody else has reviewed it");
}

/// Plans that run the same command are proved one by one: what one of them adds to the tests proves nothing of the other.
#[test]
fn plans_that_share_a_command_are_proved_alone() {
    let project = Project::worked(RUN, &[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))]);
    let repo = &project.repo;
    project.verify().ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    repo.git(&["switch", "--quiet", "-c", "other", "main"]).ok();
    let mut plan = crate::support::plan_on("double.sh");
    plan["tasks"][0]["test"]["commands"] = json!([RUN]);
    repo.planned("ISS-002", &plan);
    repo.wf(&["next", "ISS-002"]).ok();
    project.commit(&[("double.sh", Some("echo 0\n")), ("tests/t_double.sh", Some("echo fine\n"))]);
    repo.wf(&["done", "-m", "x", "--force", "--reason", "an override"]).ok();
    let view = repo.wf(&["land", "--all", "--batch", "2", "--yes", "--json"]).fails(1).json();
    assert_eq!(view["landed"][0]["issue_id"], "ISS-001", "{view:#}");
    let left = &view["not_landed"][0];
    assert_eq!((&left["issue_id"], &left["why"]), (&json!("ISS-002"), &json!("unproved")), "{view:#}");
    assert!(left["message"].as_str().unwrap().contains("the new tests pass without the work"), "{left}");
}

/// Whatever a command puts around a script, and whatever the script calls, decides whether tests pass.
#[test]
fn a_script_that_ends_at_its_start_behind_other_words() {
    let check = "#!/bin/sh\nsh ci/unit.sh\n";
    let unit = "[ \"$(sh add.sh 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n";
    for (command, changed) in [
        ("ci/check", "ci/check"),
        ("cd ci && cd .. && timeout 60 ci/check", "ci/check"),
        ("MODE=x sh ci/check", "ci/check"),
        ("bash -o pipefail -c ci/check", "ci/check"),
        ("ci/check", "ci/unit.sh"),
    ] {
        let project =
            Project::with(&[("add.sh", "echo $(( $1 + $2 ))\n"), ("ci/check", check), ("ci/unit.sh", unit)]);
        let path = project.repo.path().join("ci/check");
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        project.commit(&[("more", Some("\n"))]);
        project.claim(command, &json!({}));
        project.commit(&[(BROKEN.0, Some(BROKEN.1)), (changed, Some("#!/bin/sh\nexit 0\n"))]);
        project.is_refused(&format!("{CHANGED}{changed}"));
    }
}

/// The code ends the tests that run it, in words that nobody lists: the counts show it.
#[test]
fn code_that_keeps_tests_from_running() {
    let project = Project::with(&[
        ("lib.sh", "add() { echo $(( $1 + $2 )); }\n"),
        (
            "tests/all.sh",
            "echo 1..1\n. ./lib.sh\n[ \"$(add 1 2)\" = 3 ] && echo 'ok 1' || { echo 'not ok 1'; exit 1; }\n",
        ),
    ]);
    project.claim("sh tests/all.sh", &json!({}));
    let cheat = "add() { echo 0; }\ne=ex; e=${e}it\n$e 0\n";
    project.commit(&[("lib.sh", Some(cheat))]);
    project.is_refused("ran 1 test without the work, and does not say so with it");
}

/// Whoever made the work gives themselves another name.
#[test]
fn an_executor_who_vouches_under_another_name() {
    let project = Project::worked(RUN, &[(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some("exit 0\n"))]);
    project.verify().fails(1);
    let other = project.repo.with_env("WF_ACTOR", "reviewer");
    assert_eq!(other.refused(1, &["vouch", "ISS-001", "-m", "fine"])["code"], "own-plan");
}

#[test]
fn results_that_were_edited() {
    let project = Project::with(&[
        ("sum.sh", "echo $(( $1 + $2 ))\n"),
        ("expected/sum.txt", "3\n"),
        ("tests/t.sh", "sh sum.sh 1 2 | diff - expected/sum.txt\n"),
    ]);
    project.claim("sh tests/t.sh", &json!({}));
    project.commit(&[("sum.sh", Some("echo 0\n")), ("expected/sum.txt", Some("0\n"))]);
    project.is_refused(&format!("{CHANGED}expected/sum.txt"));
}

/// The work exchanges its own test while the tests run, so that it passes.
#[test]
fn code_that_overwrites_the_tests_while_they_run() {
    let cheat = "echo : > tests/t_three.sh; echo $(( $1 + $2 ))\n";
    let files: Files<'_> = &[("add.sh", Some(cheat)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))];
    let project = Project::worked(RUN, files);
    let words = "`sh tests/run.sh` changed tests/t_three.sh while it ran";
    let ran = project.verify().fails(1);
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    let checks = project.repo.json(&["show", "ISS-001"])["executions"][0]["checks"].clone();
    assert_eq!(checks[0]["dirty"], true, "{checks}");
    project.repo.refused(1, &["done", "-m", "it is done"]);
    project.repo.wf(&["done", "-m", "x", "--force", "--reason", "an override"]).ok();
    let view = project.repo.wf(&["land", "ISS-001", "--yes", "--json"]).json();
    assert_eq!(view["not_landed"][0]["message"], format!("{words} on the merged tree"), "{view}");
}

/// The added test puts working code in the place of the work, also for the tests that were there.
#[test]
fn an_added_test_that_replaces_the_code() {
    let cheat = "echo 'echo $(( $1 + $2 + ${3:-0} ))' > add.sh\n[ \"$(sh add.sh 1 2 3)\" = 6 ] || { echo 'expected: 6'; exit 1; }\n";
    let files: Files<'_> = &[("add.sh", Some("echo broken\n")), ("tests/t_aaa.sh", Some(cheat))];
    let project = Project::worked(RUN, files);
    project.is_refused(&format!("{CHANGED}tests/t_aaa.sh"));
    let proof = project.proof();
    assert_eq!(
        (&proof["base_tests"], &proof["changed_tests"]),
        (&json!("failed"), &json!(["tests/t_aaa.sh"]))
    );
}
