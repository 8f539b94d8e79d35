//! Work whose tests pass although they show nothing: each is refused, or marked with a line that says how to see it. Honest work
//! of the same shape passes.

mod honest;
mod runners;
mod scripts;
mod signed;
mod stored;

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{Ran, Repo, Sandbox, plan_on};

/// A program that adds two numbers, and its tests in shell, which print TAP.
const BASE: &[(&str, &str)] = &[
    ("add.sh", "echo $(( $1 + $2 ))\n"),
    ("tests/config.sh", "LIMIT=10\n"),
    ("tests/expected.snap", "5\n"),
    (
        "tests/run.sh",
        ". tests/config.sh\n\
         n=0; failed=0\n\
         for test in tests/t_*.sh; do\n\
         n=$((n + 1))\n\
         if sh \"$test\"; then echo \"ok $n $test\"; else echo \"not ok $n $test\"; failed=1; fi\n\
         done\n\
         echo \"1..$n\"\n\
         exit $failed\n",
    ),
    ("tests/t_add.sh", "[ \"$(sh add.sh 1 2)\" = 3 ] || { echo 'expected: 3'; exit 1; }\n"),
    (
        "tests/t_snap.sh",
        "[ \"$(sh add.sh 2 3)\" = \"$(cat tests/expected.snap)\" ] || { echo 'expected: a snapshot'; exit 1; }\n",
    ),
];

/// A program that adds three numbers, too.
const THREE: (&str, &str) = ("add.sh", "echo $(( $1 + $2 + ${3:-0} ))\n");
/// A test of that.
const TEST_OF_THREE: (&str, &str) =
    ("tests/t_three.sh", "[ \"$(sh add.sh 1 2 3)\" = 6 ] || { echo 'expected: 6'; exit 1; }\n");
/// A program that adds nothing.
const BROKEN: (&str, &str) = ("add.sh", "echo 0\n");

/// What an agent commits: files with their new content, or without any.
type Files<'a> = &'a [(&'a str, Option<&'a str>)];

/// A project in which tests must be proved to test the work.
struct Project {
    sandbox: Sandbox,
    repo: Repo,
}

impl Project {
    fn new() -> Self {
        Self::with(BASE)
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        let repo = sandbox.begin(files, |sandbox| {
            let repo = sandbox.store("a");
            for (path, text) in files {
                repo.write(path, text);
            }
            repo.git(&["add", "."]).ok();
            repo.git(&["commit", "--quiet", "-m", "Base"]).ok();
            repo.wf(&["hooks", "install"]).ok();
            repo.wf(&["settings", "evidence=proved"]).ok();
            repo
        });
        Self { sandbox, repo }
    }

    /// Claims a plan that runs `command`, on a branch of its own. Its test has these further members.
    fn claim(&self, command: &str, test: &Value) {
        let mut plan = plan_on("add.sh");
        let members = test.as_object().unwrap().clone();
        plan["tasks"][0]["test"]["commands"] = json!([command]);
        plan["tasks"][0]["test"].as_object_mut().unwrap().extend(members);
        self.repo.planned("ISS-001", &plan);
        self.repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
        self.repo.wf(&["next", "ISS-001"]).ok();
    }

    /// Commits files.
    fn commit(&self, files: Files<'_>) {
        for (path, text) in files {
            match text {
                Some(text) => {
                    self.repo.write(path, text);
                    let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
                    let path = self.repo.path().join(path);
                    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
                }
                None => std::fs::remove_file(self.repo.path().join(path)).unwrap(),
            }
        }
        self.repo.git(&["add", "--all"]).ok();
        self.repo.git(&["commit", "--quiet", "-m", "Work"]).ok();
    }

    /// Claims a plan, carries it out with these files, and tests it in a fresh workplace.
    fn worked(command: &str, files: Files<'_>) -> Self {
        let project = Self::new();
        project.claim(command, &json!({}));
        project.commit(files);
        project
    }

    fn verify(&self) -> Ran {
        self.repo.wf(&["verify", "--yes", "--fresh"])
    }

    /// The proof of the last check.
    fn proof(&self) -> Value {
        let shown = self.repo.json(&["show", "ISS-001"]);
        let checks = shown["executions"][0]["checks"].as_array().unwrap();
        checks.last().unwrap()["proof"].clone()
    }

    /// The work is not taken: `verify` and `done` say why, with a command that shows it.
    #[track_caller]
    fn is_refused(&self, words: &str) {
        let ran = self.verify().fails(1);
        assert!(ran.stderr.contains(words), "{}\n{}", ran.stderr, ran.stdout);
        let error = self.repo.refused(1, &["done", "-m", "it is done"]).to_string();
        assert!(error.contains(words), "{error}");
        for said in [&ran.stderr, &error] {
            assert!(said.contains("; see `git diff "), "{said}");
        }
        let status = self.repo.status("ISS-001");
        assert_eq!(status, "executing");
    }

    /// The work is taken.
    #[track_caller]
    fn is_taken(&self, proof: &Value) {
        let ran = self.verify().ok();
        let found = self.proof();
        for (name, value) in proof.as_object().unwrap() {
            assert_eq!(found.get(name).unwrap_or(&Value::Null), value, "{name}: {found}\n{}", ran.stderr);
        }
        self.repo.wf(&["done", "-m", "it is done"]).ok();
    }
}
