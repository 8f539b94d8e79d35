//! `land`: completed work comes to the branch that everyone shares.

mod answers;
mod batch;
mod by_hand;
mod each_plan_tool;
mod evidence;
mod follow;
mod forge;
mod how;
mod local;
mod merged_elsewhere;
mod night;
mod remote;
mod stuck;
mod whole;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, Two, plan_on};

/// A store with a first commit on `main`, and the hooks.
fn project(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.commit("base", "1\n2\n3\n", "Base");
        repo.wf(&["hooks", "install"]).ok();
        repo
    })
}

/// Two clones that share `main`, both with the hooks.
fn clones() -> Two {
    Two::begin(|two| {
        two.ada.commit("base", "1\n2\n3\n", "Base");
        two.ada.git(&["push", "--quiet", "origin", "main"]).ok();
        for repo in [&two.ada, &two.bea] {
            repo.wf(&["hooks", "install"]).ok();
            repo.git(&["fetch", "--quiet"]).ok();
        }
        two.bea.git(&["switch", "--quiet", "main"]).ok();
    })
}

/// Gives each kind of answer once to `answer`, with the kind and the command.
pub(crate) fn each_answer(answer: fn(&Repo, &str, &[&str]) -> Value) {
    let two = clones();
    let repo = forge::with_host(&two, &forge::Host { views: &[forge::OPEN] });
    for issue in ["ISS-001", "ISS-002", "ISS-003"] {
        repo.complete(&work(issue, &format!("{issue}.txt"), "a\n"));
    }
    answer(&repo, "land-pull-requests", &["land", "ISS-001", "--pr"]);
    answer(&repo, "land", &["land", "ISS-002", "--yes"]);
    answer(&repo, "land-statement", &["land", "ISS-003", "--none", "-m", "an experiment"]);
}

/// Work that is completed on a branch of its own.
struct Work<'a> {
    issue: &'a str,
    file: &'a str,
    text: &'a str,
    test: &'a str,
}

/// Work on a file whose test always passes.
fn work<'a>(issue: &'a str, file: &'a str, text: &'a str) -> Work<'a> {
    Work { issue, file, text, test: "true" }
}

/// A plan whose tests always pass.
fn tested(mut plan: Value) -> Value {
    for task in plan["tasks"].as_array_mut().unwrap() {
        task["test"]["commands"] = json!(["true"]);
    }
    plan
}

impl Repo {
    /// Carries out a plan for a new issue with one commit on the branch `work-<issue>`, from where `main` is, and returns to
    /// `main`. Returns the commit.
    #[track_caller]
    fn complete(&self, work: &Work<'_>) -> String {
        let Work { issue, file, text, test } = work;
        let mut plan = plan_on(file);
        plan["tasks"][0]["test"]["commands"] = json!([test]);
        self.planned(issue, &plan);
        self.git(&["switch", "--quiet", "-c", &format!("work-{issue}"), "main"]).ok();
        self.wf(&["next", issue]).ok();
        let commit = self.commit(file, text, &format!("Work on {issue}"));
        self.wf(&["done"]).ok();
        self.git(&["switch", "--quiet", "main"]).ok();
        commit
    }

    /// The subjects of a branch, newest first, first parents only.
    #[track_caller]
    fn subjects(&self, branch: &str) -> Vec<String> {
        let ran = self.git(&["log", "--first-parent", "--format=%s", branch]).ok();
        ran.stdout.lines().map(str::to_owned).collect()
    }

    /// What a revision names.
    #[track_caller]
    fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", "--verify", revision]).ok().line().to_owned()
    }

    /// A file of a commit.
    #[track_caller]
    fn text_at(&self, revision: &str, file: &str) -> String {
        self.git(&["cat-file", "blob", &format!("{revision}:{file}")]).ok().stdout
    }
}
