//! Honest work of the same shapes.

use serde_json::json;

use super::{Files, Project, TEST_OF_THREE, THREE};

const RUN: &str = "sh tests/run.sh";

#[test]
fn code_with_a_new_test() {
    let project = Project::worked(RUN, &[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))]);
    project.is_taken(
        &json!({"base_tests": "passed", "fails_without": "assertion", "changed_tests": null, "marks": null}),
    );
    let shown = project.repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(shown.contains("proved"), "{shown}");
    let landed = project.repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert!(!landed.stderr.contains("tests fail"), "{}", landed.stderr);
}

#[test]
fn a_command_that_names_the_new_test() {
    let files: Files<'_> = &[(THREE.0, Some(THREE.1)), ("scripts/three.sh", Some(TEST_OF_THREE.1))];
    Project::worked("sh scripts/three.sh", files)
        .is_taken(&json!({"base_tests": "passed", "fails_without": "assertion"}));
}

/// The command of the plan is a test that nobody but the planner wrote.
#[test]
fn a_command_that_is_the_test() {
    let command = "[ \"$(sh add.sh 1 2 3)\" = 6 ]";
    Project::worked(command, &[(THREE.0, Some(THREE.1))]).is_taken(&json!({"fails_without": "assertion"}));
}

#[test]
fn a_plan_that_only_adds_tests() {
    let test = "[ \"$(sh add.sh 4 5)\" = 9 ] || { echo 'expected: 9'; exit 1; }\n";
    Project::worked(RUN, &[("tests/t_more.sh", Some(test))])
        .is_taken(&json!({"base_tests": "passed", "fails_without": null}));
}

#[test]
fn a_plan_that_says_which_tests_it_changes() {
    let project = Project::new();
    let change = json!({"path": "tests/t_add.sh", "reason": "the sum is printed with a label now"});
    project.claim("sh tests/t_add.sh", &json!({"changes": [change]}));
    let test = "[ \"$(sh add.sh 1 2)\" = 'sum: 3' ] || { echo 'expected: sum: 3'; exit 1; }\n";
    project.commit(&[("add.sh", Some("echo \"sum: $(( $1 + $2 ))\"\n")), ("tests/t_add.sh", Some(test))]);
    let shown = project.repo.wf(&["show", "ISS-001"]).ok().stdout;
    let plan = project.repo.json(&["solution", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    let plan = project.repo.wf(&["solution", "show", &plan]).ok().stdout;
    assert!(plan.contains("tests/t_add.sh: the sum is printed with a label now"), "{plan}\n{shown}");
    let bea = project.repo.as_person("Bea", "bea@example.org");
    bea.wf(&["plan", "review", "ISS-001", "--approve"]).ok();
    project.is_taken(&json!({"base_tests": "changed-by-plan", "fails_without": "assertion", "changed_tests": ["tests/t_add.sh"]}));
}

#[test]
fn tests_that_are_renamed_with_the_code() {
    let test = "[ \"$(sh sum.sh 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n";
    let snap = "[ \"$(sh sum.sh 2 3)\" = \"$(cat tests/expected.snap)\" ] || { echo 'expected: a snapshot'; exit 1; }\n";
    let project = Project::worked(
        RUN,
        &[
            ("add.sh", None),
            ("sum.sh", Some("echo $(( $1 + $2 ))\n")),
            ("tests/t_add.sh", None),
            ("tests/t_sum.sh", Some(test)),
            ("tests/t_snap.sh", Some(snap)),
        ],
    );
    project.is_taken(&json!({"base_tests": "passed", "fails_without": null, "changed_tests": null}));
}

/// The code changes on the way, and a new test shows how.
#[test]
fn tests_that_are_renamed_with_code_that_changes() {
    let test = |args: &str, sum: u8| {
        format!("[ \"$(sh sum.sh {args})\" = {sum} ] || {{ echo 'expected: {sum}'; exit 1; }}\n")
    };
    let snap = "[ \"$(sh sum.sh 2 3)\" = \"$(cat tests/expected.snap)\" ] || { echo 'expected: a snapshot'; exit 1; }\n";
    let project = Project::worked(
        RUN,
        &[
            ("add.sh", None),
            ("sum.sh", Some(THREE.1)),
            ("tests/t_add.sh", None),
            ("tests/t_sum.sh", Some(&test("1 2", 3))),
            ("tests/t_snap.sh", Some(snap)),
            ("tests/t_three.sh", Some(&test("1 2 3", 6))),
        ],
    );
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "changed_tests": null}));
}

/// A function that ends the program is no line that runs when a test sources the file.
#[test]
fn a_library_with_a_function_that_exits() {
    let project = Project::with(&[
        ("lib.sh", "add() { echo $(( $1 + $2 )); }\n"),
        ("tests/t_add.sh", ". ./lib.sh\n[ \"$(add 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n"),
        ("tests/run.sh", super::scripts::run_sh()),
        ("tests/config.sh", "LIMIT=10\n"),
    ]);
    project.claim(RUN, &json!({}));
    let library = "die() { echo \"$1\"; exit 1; }\nadd() { [ $# -gt 1 ] || die usage; echo $(( $1 + $2 + ${3:-0} )); }\n";
    let test = ". ./lib.sh\n[ \"$(add 1 2 3)\" = 6 ] || { echo 'expected: 6'; exit 1; }\n";
    project.commit(&[("lib.sh", Some(library)), ("tests/t_three.sh", Some(test))]);
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "marks": null}));
}

#[test]
fn a_manifest_that_gains_a_dependency() {
    let manifest = "{\"scripts\": {\"test\": \"sh tests/run.sh\"}}\n";
    let files = [super::BASE, &[("package.json", manifest)][..]].concat();
    let project = Project::with(&files);
    project.claim(RUN, &json!({}));
    let with = "{\"scripts\": {\"test\": \"sh tests/run.sh\"}, \"dependencies\": {\"a\": \"1\"}}\n";
    project.commit(&[
        (THREE.0, Some(THREE.1)),
        (TEST_OF_THREE.0, Some(TEST_OF_THREE.1)),
        ("package.json", Some(with)),
    ]);
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "changed_tests": null}));
}

/// A refactoring, and Rust's tests in the file of the code: someone else looks once.
#[test]
fn a_word_of_someone_else_stands_for_a_proof() {
    let inline = "pub fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n";
    for (files, fails_without, words) in [
        (
            &[("add.sh", Some("echo \"$(( $1 + $2 ))\"\n"))][..],
            "no-new-tests",
            "the work adds no test, so no test was seen to fail without it",
        ),
        (
            &[("src/a.rs", Some(inline))][..],
            "not-separable",
            "tests were changed in the same files as the code",
        ),
    ] {
        let project = Project::worked(RUN, files);
        project.is_refused(words);
        assert_eq!(project.proof()["fails_without"], fails_without);
        let own = project.repo.refused(1, &["vouch", "ISS-001", "-m", "fine"]);
        assert_eq!(own["code"], "own-plan");
        let bea = project.sandbox.at("a").as_person("Bea", "bea@example.org");
        bea.wf(&["vouch", "ISS-001", "-m", "read it: the output is the same"]).ok();
        project.repo.wf(&["verify", "--yes", "--fresh"]).ok();
        // A new message changes nothing.
        project.repo.git(&["commit", "--quiet", "--amend", "-m", "Reworded"]).ok();
        project.repo.wf(&["verify", "--yes", "--fresh"]).ok();
        project.repo.wf(&["done", "-m", "it is done"]).ok();
        let landed = project.repo.wf(&["land", "ISS-001", "--yes", "--json"]).ok().json();
        assert_eq!(landed["landed"].as_array().unwrap().len(), 1, "{landed}");
    }
}

/// A word counts for the work that was looked at, not for what comes after it.
#[test]
fn a_word_does_not_count_for_more_work() {
    let project = Project::worked(RUN, &[("add.sh", Some("echo \"$(( $1 + $2 ))\"\n"))]);
    project.verify().fails(1);
    let bea = project.sandbox.at("a").as_person("Bea", "bea@example.org");
    bea.wf(&["vouch", "ISS-001", "-m", "the output is the same"]).ok();
    project.commit(&[("more.sh", Some("echo\n"))]);
    project.is_refused("the work adds no test, so no test was seen to fail without it");
}

/// A report that the tests write is no test, and two commands may both write it.
#[test]
fn tests_that_write_a_file_which_git_tracks() {
    let run = format!("echo 90 > cov.txt; echo 1 > tests/out.txt\n{}", super::scripts::run_sh());
    let written = [("add.sh", "echo $(( $1 + $2 ))\n"), ("cov.txt", "80\n"), ("tests/out.txt", "0\n")];
    let files = [&super::BASE[1..], &written[..]].concat();
    let files: Vec<(&str, &str)> = files
        .into_iter()
        .map(|(path, text)| (path, if path == "tests/run.sh" { &run[..] } else { text }))
        .collect();
    let project = Project::with(&files);
    project
        .claim(RUN, &json!({"commands": [RUN, "chmod +x tests/run.sh; echo 91 > cov.txt; sh tests/run.sh"]}));
    project.commit(&[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))]);
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "marks": null}));
}

/// What tests write may be below their directory.
#[test]
fn tests_that_write_data_beside_themselves() {
    let files = [super::BASE, &[("tests/seen.json", "[]\n")][..]].concat();
    let project = Project::with(&files);
    project.claim("echo '[1]' > tests/seen.json; sh tests/run.sh", &json!({}));
    project.commit(&[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))]);
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "marks": null}));
}

/// Words for people, and for the host, change nothing in a test.
#[test]
fn texts_that_speak_of_test_runners() {
    let project = Project::worked(
        RUN,
        &[
            (THREE.0, Some(THREE.1)),
            (TEST_OF_THREE.0, Some(TEST_OF_THREE.1)),
            ("README.md", Some("Set `PYTEST_ADDOPTS=-q`, or NODE_ENV='test'.\n")),
            ("CHANGELOG.md", Some("`__eq__` is gone\n")),
            (".github/workflows/ci.yml", Some("env:\n  NODE_ENV: 'test'\n  PYTEST_ADDOPTS: -q\n")),
        ],
    );
    project.is_taken(&json!({"base_tests": "passed", "fails_without": "assertion", "marks": null}));
}
