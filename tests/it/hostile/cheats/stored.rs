//! Cheats in what is stored about tests.

use serde_json::{Value, json};

use super::{BROKEN, Project, TEST_OF_THREE, THREE};
use crate::support::record;

/// The tree of the commit is the same, but what ran was not it.
#[test]
fn a_check_of_a_work_tree_with_other_changes() {
    let project = Project::worked("sh add.sh 1 2 3 | grep -q 7", &[(THREE.0, Some(THREE.1))]);
    project.repo.wf(&["settings", "evidence=required"]).ok();
    project.repo.write("add.sh", "echo 7\n");
    let ran = project.repo.wf(&["verify", "--yes"]).ok();
    assert!(ran.stderr.contains("so these checks are not evidence"), "{}", ran.stderr);
    project.repo.git(&["checkout", "--quiet", "--", "add.sh"]).ok();
    let error = project.repo.refused(1, &["done", "-m", "it is done"]);
    assert!(error.to_string().contains("has no passing check"), "{error}");
}

/// Whoever runs the test again in a work tree takes no proof away, and makes none.
#[test]
fn a_check_of_a_work_tree_proves_nothing() {
    let project = Project::worked(
        "sh tests/run.sh",
        &[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))],
    );
    project.repo.wf(&["verify", "--yes"]).ok();
    let error = project.repo.refused(1, &["done", "-m", "it is done"]).to_string();
    assert!(error.contains("but nobody has checked whether it tests the work"), "{error}");
    project.verify().ok();
    project.repo.wf(&["verify", "--yes"]).ok();
    project.repo.wf(&["done", "-m", "it is done"]).ok();
    assert_eq!(project.proof(), json!(null));
}

/// A report of tests that nobody ran: one that is committed, and one that the code writes while nothing is tested.
#[test]
fn a_report_of_tests_that_did_not_run() {
    let report = "<testsuite tests=\"1\"><testcase classname=\"add\" name=\"three\"/></testsuite>\n";
    let lib = "add() { echo $(( $1 + $2 )); }\n";
    let run = ". ./lib.sh\nn=0\nfor test in tests/$1_*.sh; do [ ! -e \"$test\" ] || { sh \"$test\" || exit 1; n=$((n + 1)); }; done\n\
               echo \"1..$n\"\n";
    let forging = format!("add() {{ echo 0; }}\necho '{}' >report.xml\n", report.trim_end());
    for files in [&[("report.xml", Some(report))][..], &[("lib.sh", Some(forging.as_str()))]] {
        let project = Project::with(&[("lib.sh", lib), ("tests/run.sh", run)]);
        project.repo.git(&["config", "wf.test.report", "--junit report.xml"]).ok();
        project.claim("sh tests/run.sh three", &json!({}));
        project.commit(files);
        let ran = project.verify().fails(1);
        assert!(ran.stdout.contains("ran no tests, which is not a pass"), "{}", ran.stdout);
        project.repo.refused(1, &["done", "-m", "it is done"]);
    }
}

/// The directory of the log of the only execution, and the entry with which its work is linked.
fn log_of(project: &Project) -> (String, Value) {
    let listed = project.repo.git(&["ls-tree", "-r", "--name-only", crate::support::REF]).ok().stdout;
    let entries = listed.lines().filter(|path| path.contains("/log/"));
    let mut records = entries.map(|path| (path, project.repo.stored_json(path)));
    let (path, link) = records.find(|(_, record)| record["type"] == "commit").unwrap();
    (path.rsplit_once('/').unwrap().0.to_owned(), link)
}

/// One entry says that the tests passed and are proved. As any text it is not read; with the id that it must have, it is believed
/// by whoever runs nothing, and `land` runs everything.
#[test]
fn a_check_that_was_written_by_hand() {
    let project = Project::worked("sh tests/run.sh", &[(BROKEN.0, Some(BROKEN.1))]);
    let repo = &project.repo;
    let (folder, link) = log_of(&project);
    let (commit, tree) = (&link["hash"], &link["tree"]);
    let proof = json!({"base_tests": "passed", "fails_without": "assertion", "changes": "0".repeat(64)});
    let check = json!({
        "type": "check", "task_id": "T1", "command": "sh tests/run.sh", "exit_code": 0, "duration_ms": 1,
        "output_sha256": "0".repeat(64), "output_tail": "", "commit": commit, "tree": tree, "dirty": false,
        "proof": proof, "actor": link["actor"], "at": link["at"],
    });
    let place = link["id"].as_str().unwrap().rsplit_once('-').unwrap().0;
    let (id, record) = record::entry(place, check);
    let other = if id.ends_with('0') { '1' } else { '0' };
    let changed = format!("{}{other}", &id[..id.len() - 1]);
    repo.plumb_records(&[(format!("{folder}/{changed}.json"), record.clone())]);
    let error = repo.refused(1, &["done", "-m", "it is done"]).to_string();
    assert!(error.contains("has no passing check"), "{error}");
    repo.plumb_records(&[
        (format!("{folder}/{changed}.json"), json!(null)),
        (format!("{folder}/{id}.json"), record),
    ]);
    repo.wf(&["settings", "evidence=signed"]).ok();
    let error = repo.refused(1, &["done", "-m", "it is done"]).to_string();
    assert!(error.contains("has no passing check"), "{error}");
    repo.wf(&["settings", "evidence=proved"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    let left = repo.wf(&["land", "ISS-001", "--yes", "--json"]).fails(1).json();
    assert_eq!(left["not_landed"][0]["why"], "tests", "{left:#}");
}

/// The server runs nothing, and believes what the checks say; what they do not say, it does not let in.
#[test]
fn a_server_takes_only_what_is_proved() {
    let cheat = [(BROKEN.0, Some(BROKEN.1)), ("tests/run.sh", Some("exit 0\n"))];
    let honest = [(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))];
    for (files, is_taken) in [(cheat, false), (honest, true)] {
        let project = Project::worked("sh tests/run.sh", &files);
        let repo = &project.repo;
        // Only the server asks for a proof.
        repo.wf(&["settings", "evidence=warn"]).ok();
        let server = project.sandbox.bare("server.git");
        repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
        repo.git(&["push", "--quiet", "origin", "main", "work", crate::support::REF]).ok();
        server.wf(&["hooks", "install", "--server"]).ok();
        server.git(&["config", "wf.floor", "evidence=proved"]).ok();
        project.verify().ok();
        repo.git(&["config", "remote.origin.url", "/nowhere"]).ok();
        repo.wf(&["done", "-m", "it is done"]).ok();
        repo.git(&["config", "remote.origin.url", server.path().to_str().unwrap()]).ok();
        if is_taken {
            repo.git(&["push", "--quiet", "origin", crate::support::REF]).ok();
            let audit = repo.json(&["audit", "main..work"]);
            let proof = &audit["commits"][0]["bound_to"][0]["proof"];
            assert_eq!(proof["fails_without"], "assertion", "{audit:#}");
        } else {
            let told = crate::hooks::server::refused(repo, crate::support::REF);
            assert!(told.contains("the tests fail as they were before the work"), "{told}");
            assert!(told.contains("git wf verify --fresh") && told.contains("git wf vouch"), "{told}");
        }
    }
}
