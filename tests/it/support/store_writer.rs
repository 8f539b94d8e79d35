//! Records written to the store with plain git, in the documented format: for tests that need a state but not the
//! commands that lead to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::foreign::folder;
use super::{Repo, plan, record};

/// When the records were written.
const BORN: &str = "2026-11-21T01:00:00.000Z";
const STAMP: &str = "2026-11-21T01:00:00.000Z/00000/7k3m2pq9";
/// The uid of every plan, and the nonce of the first execution.
const UID: &str = "a7x9a7x9";

/// An execution that was claimed for a worktree.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) issue: String,
    pub(crate) solution: String,
    pub(crate) execution: String,
}

impl Claim {
    /// The claim, and the path and the record of its execution, with `other` replacing fields of the first one.
    fn new(issue: &str, nonce: &str, other: &Value) -> (Self, (String, Value)) {
        let solution = format!("SOL-{issue}-{UID}");
        let mut record = json!({"nonce": nonce, "issue_id": issue, "solution_id": solution,
            "plan_digest": "sha256:0", "plan_commit": "0".repeat(40), "attempt": 1,
            "actor": "Ada <ada@example.org>", "started_at": BORN,
            "lease_expires_at": "2026-11-21T05:00:00.000Z"});
        record.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        let (execution, record) = record::execution(record);
        let path = format!("{}/executions/{execution}/execution.json", folder(issue));
        (Self { issue: issue.to_owned(), solution, execution }, (path, record))
    }

    /// The trailers of its commits, without a task.
    pub(crate) fn trailers(&self) -> String {
        format!("Wf-Issue: {}\nWf-Solution: {}\n", self.issue, self.solution)
    }

    /// The execution's id as shown to people.
    pub(crate) fn short(&self) -> &str {
        &self.execution[..self.execution.len() - 18]
    }

    /// Its log, in order.
    pub(crate) fn log(&self, repo: &Repo) -> Vec<Value> {
        let folder = format!("{}/executions/{}/log/", folder(&self.issue), self.execution);
        let listed = repo.git(&["ls-tree", "--name-only", "refs/wf/main", &folder]).ok();
        let read = |path: &str| repo.git(&["show", &format!("refs/wf/main:{path}")]).ok().json();
        listed.stdout.lines().map(read).collect()
    }

    /// The linked commits with the last link of each: `commit` adds, `rewrite` moves, `unlink` removes.
    pub(crate) fn links(&self, repo: &Repo) -> BTreeMap<String, Value> {
        let mut links = BTreeMap::new();
        for entry in self.log(repo) {
            let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            match text("type").as_str() {
                "commit" => {
                    links.insert(text("hash"), entry.clone());
                }
                "rewrite" => {
                    if let Some(link) = links.remove(&text("old")) {
                        links.entry(text("new")).or_insert(link);
                    }
                }
                "unlink" => {
                    links.remove(&text("hash"));
                }
                _ => {}
            }
        }
        links
    }

    /// Their ids.
    pub(crate) fn linked(&self, repo: &Repo) -> Vec<String> {
        self.links(repo).into_keys().collect()
    }

    /// Ends the execution.
    pub(crate) fn end(&self, repo: &Repo, status: &str) {
        let entry = json!({"type": "end", "status": status, "actor": "Ada <ada@example.org>", "at": BORN});
        let (id, entry) = record::entry("20261121T010500000Z-00000", entry);
        let path = format!("{}/executions/{}/log/{id}.json", folder(&self.issue), self.execution);
        write_records(repo, &[(path, entry)]);
    }

    /// Another execution replaces this one, as after an expired lease.
    pub(crate) fn superseded(&self, repo: &Repo) -> Self {
        let changes = json!({"attempt": 2, "actor": "Bob <bob@example.org>",
            "supersedes": [{"execution_id": self.execution, "status": "executing"}]});
        let (other, record) = Self::new(&self.issue, "bbbbbbbb", &changes);
        write_records(repo, &[record]);
        other
    }

    /// A second attempt by the same person after this one was released.
    pub(crate) fn tried_again(&self, repo: &Repo, started_at: &str) -> Self {
        let changes = json!({"attempt": 2, "started_at": started_at,
            "supersedes": [{"execution_id": self.execution, "status": "executing", "reason": "release"}]});
        let (other, record) = Self::new(&self.issue, "bbbbbbbb", &changes);
        write_records(repo, &[record]);
        other
    }
}

/// Claims a plan with two tasks for the branch that is checked out in `repo`: writes an issue, its plan, an
/// execution, and the worktree's note of it.
pub(crate) fn claim(repo: &Repo, issue: &str) -> Claim {
    claim_plan(repo, issue, &plan())
}

/// Like [`claim`], with another plan.
pub(crate) fn claim_plan(repo: &Repo, issue: &str, plan: &Value) -> Claim {
    let claim = claim_elsewhere(repo, issue, plan);
    let branch = repo.git(&["symbolic-ref", "HEAD"]).ok().line().to_owned();
    activate(repo, &claim, &branch, None);
    claim
}

/// Like [`claim`], for no worktree of this clone.
pub(crate) fn claim_elsewhere(repo: &Repo, issue: &str, plan: &Value) -> Claim {
    let (claim, execution) = Claim::new(issue, UID, &json!({}));
    write_records(
        repo,
        &[
            (
                format!("{}/issue.json", folder(issue)),
                json!({"id": issue, "author": "Ada", "created_at": BORN, "title": "A title", "status": "planned",
                    "priority": 3, "bound_solution_id": claim.solution, "clock": {"*": STAMP}}),
            ),
            (
                format!("{}/solutions/{}/solution.json", folder(issue), claim.solution),
                json!({"id": claim.solution, "issue_id": issue, "author": "Ada", "created_at": BORN, "plan": plan,
                    "clock": {"*": STAMP}}),
            ),
            execution,
        ],
    );
    claim
}

/// Makes a worktree execute an execution on `branch` (a full name), and work on `task` if one is given.
pub(crate) fn activate(repo: &Repo, claim: &Claim, branch: &str, task: Option<&str>) {
    let mut active = json!({"execution_id": claim.execution, "issue_id": claim.issue,
        "solution_id": claim.solution, "branch": branch});
    if let Some(task) = task {
        active["task_id"] = json!(task);
    }
    let git_dir = repo.git(&["rev-parse", "--absolute-git-dir"]).ok().line().to_owned();
    let folder = std::path::Path::new(&git_dir).join("wf");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("active.json"), active.to_string()).unwrap();
}

/// Sets the policy that each commit needs a plan that is being executed.
pub(crate) fn require_commits(repo: &Repo) {
    write_records(repo, &[("wf.json".into(), json!({"format": 1, "policy": {"commits": "required"}}))]);
}

fn write_records(repo: &Repo, files: &[(String, Value)]) {
    if repo.tip().is_none() {
        repo.wf(&["init"]).ok();
    }
    repo.plumb_records(files);
}
