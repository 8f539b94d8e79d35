//! A repository whose runs have agents of a few lines of shell.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan_on};

/// A repository whose agents are shell scripts. A planner that says nothing else answers with `$HERE/plan.json`, which has
/// the task to change `a.txt` and the test `test -s a.txt`.
pub(super) struct World {
    pub(super) sandbox: Sandbox,
    pub(super) repo: Repo,
}

pub(super) const PLANS: &str = "cat \"$HERE/plan.json\"";
pub(super) const BUILDS: &str =
    "date >> a.txt; git add a.txt; git commit -q -m Change; echo '{\"status\": \"completed\"}'";

impl World {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let repo = sandbox.begin(&(), |sandbox| {
            let repo = sandbox.repo("code");
            repo.wf(&["init", "--hooks"]).ok();
            repo.commit("a.txt", "one\n", "Begin");
            // What is tested is mostly the first failure.
            repo.git(&["config", "wf.run.retries", "0"]).ok();
            plan(&repo, "plan.json", "test -s a.txt");
            agent(&repo, "planner", PLANS);
            agent(&repo, "executor", BUILDS);
            repo.issue("ISS-1");
            repo
        });
        Self { sandbox, repo }
    }

    /// The plan in a file beside the repository, with this test.
    pub(super) fn plan(&self, file: &str, test: &str) {
        plan(&self.repo, file, test);
    }

    /// Sets the agent for a role to a script. `once NAME` is true the first time.
    pub(super) fn agent(&self, role: &str, script: &str) {
        agent(&self.repo, role, script);
    }

    /// Runs issues; the state of the run.
    #[track_caller]
    pub(super) fn run(&self, code: i32, args: &[&str]) -> Value {
        let ran = self.repo.wf(&[&["run", "--yes", "--json"], args].concat());
        assert_eq!(ran.code, code, "{}\n{}", ran.stdout, ran.stderr);
        ran.json()["state"].clone()
    }

    /// The error of ISS-1 in a state.
    pub(super) fn error(state: &Value) -> (&str, &str) {
        let message = state["issues"]["ISS-1"]["error"].as_str().unwrap_or_default();
        let errors = state["errors"].as_array().unwrap();
        let last = errors.iter().rfind(|error| error["issue_id"] == "ISS-1");
        (last.and_then(|error| error["error_type"].as_str()).unwrap_or_default(), message)
    }

    /// The user's branch, index and work tree are as they were.
    #[track_caller]
    pub(super) fn is_untouched(&self) {
        assert_eq!(self.repo.git(&["status", "--porcelain"]).ok().stdout, "");
        assert_eq!(self.repo.git(&["log", "--format=%s", "main"]).ok().stdout, "Begin\n");
        self.repo.wf(&["fsck"]).ok();
    }
}

fn plan(repo: &Repo, file: &str, test: &str) {
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!([test]);
    repo.write(&format!("../{file}"), plan.to_string());
}

fn agent(repo: &Repo, role: &str, script: &str) {
    let here = repo.path().parent().unwrap();
    let once = "once() { test ! -e \"$HERE/$1\" && touch \"$HERE/$1\"; }";
    let path = here.join(format!("{role}.sh"));
    std::fs::write(&path, format!("HERE='{}'\n{once}\n{script}\n", here.display())).unwrap();
    repo.git(&["config", &format!("wf.agent.{role}.command"), &format!("sh '{}'", path.display())]).ok();
    repo.git(&["config", &format!("wf.run.{role}"), role]).ok();
}
