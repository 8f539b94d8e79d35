//! Reviews: who may write one, their verdicts, and their effect on the queue.

mod clones;
mod gate;
mod input;

use serde_json::{Value, json};

use crate::support::{Ran, Repo, Sandbox, plan};

/// A store with one issue, planned by Ada.
struct Planned {
    sandbox: Sandbox,
    ada: Repo,
    bea: Repo,
    plan: String,
}

impl Planned {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let (ada, plan) = sandbox.begin(&(), |sandbox| {
            let ada = sandbox.store("a");
            let plan = ada.planned("ISS-001", &plan());
            (ada, plan)
        });
        let bea = bea(&ada);
        Self { sandbox, ada, bea, plan }
    }

    /// A review by Bea with three equal scores.
    fn review(&self, score: &str, more: &[&str]) -> Ran {
        review(&self.bea, &self.plan, score, more)
    }

    /// What `solution show` says.
    fn shown(&self) -> Value {
        self.ada.json(&["solution", "show", &self.plan])
    }
}

/// The same directory, used by another person.
fn bea(repo: &Repo) -> Repo {
    repo.as_person("Bea", "bea@example.org")
}

fn review(by: &Repo, plan: &str, score: &str, more: &[&str]) -> Ran {
    let scores = ["--technical", score, "--risk", score, "--completeness", score];
    by.wf(&[&["solution", "review", plan], &scores[..], more].concat())
}

/// Changes a plan as another program would: the register gets a new value with a later stamp.
fn change_plan(repo: &Repo, id: &str, tick: u32) {
    let path = repo.store_path(&format!("/{id}/solution.json"));
    let mut record = repo.stored_json(&path);
    record["plan"]["description"] = json!(format!("As it was thought over {tick} times"));
    record["clock"]["plan"] = json!(format!("2026-11-22T02:00:{tick:02}.000Z/00000/0000000a"));
    repo.plumb(&[(&path, &format!("{record:#}\n"))]);
}
