//! A few commits of two plans, to be reworked.

use serde_json::{Value, json};

use crate::hooks::{script, with_hooks};
use crate::support::store_writer::{Claim, claim_plan};
use crate::support::{Ran, Repo, Sandbox};

/// A repository that executed plan A (`a` is for T1, `b` for T2), and executes plan B (`c` is for T1) now.
pub(super) struct Stack {
    pub(super) sandbox: Sandbox,
    pub(super) repo: Repo,
    pub(super) a: Claim,
    pub(super) b: Claim,
}

pub(super) fn plan_of(files: &[&str]) -> Value {
    let task = |(n, file): (usize, &&str)| {
        json!({"id": format!("T{}", n + 1), "title": format!("Change {file}"), "action": "Update",
            "description": "It does something", "files": [{"path": file, "action": "modify"}]})
    };
    json!({"description": "A plan", "approach": "One after the other",
        "tasks": files.iter().enumerate().map(task).collect::<Vec<_>>()})
}

impl Stack {
    /// Commits `a1` and `b1` of plan A, and `c1` of plan B.
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let (repo, (a, b)) = sandbox.begin(&(), |sandbox| {
            let (repo, a) = executing_a(sandbox);
            change(&repo, "a", &[3, 15], "a1");
            change(&repo, "b", &[3], "b1");
            a.end(&repo, "completed");
            let b = claim_plan(&repo, "ISS-B", &plan_of(&["c"]));
            change(&repo, "c", &[3], "c1");
            (repo, (a, b))
        });
        Self { sandbox, repo, a, b }
    }

    /// Plan A is still executed, and has no commits; there is no plan B.
    pub(super) fn executing_a() -> Self {
        let sandbox = Sandbox::new();
        let (repo, a) = executing_a(&sandbox);
        Self { sandbox, repo, b: a.clone(), a }
    }

    pub(super) fn edit(&self, file: &str, lines: &[usize]) {
        edit(&self.repo, file, lines);
    }

    pub(super) fn change(&self, file: &str, lines: &[usize], subject: &str) {
        change(&self.repo, file, lines, subject);
    }

    /// `git rebase -i` with a sed script for the list of steps.
    pub(super) fn rebase(&self, steps: &str, options: &[&str]) -> Ran {
        let edit = script(&self.sandbox, "steps", &format!("sed -i -e '{steps}' \"$1\""));
        let accept = script(&self.sandbox, "accept", "true");
        let repo = self.repo.with_env("GIT_SEQUENCE_EDITOR", &edit).with_env("GIT_EDITOR", &accept);
        repo.git(&[&["rebase", "-q", "-i"], options].concat())
    }

    pub(super) fn goes_on(&self) {
        let accept = script(&self.sandbox, "accept", "true");
        self.repo.with_env("GIT_EDITOR", &accept).git(&["rebase", "--continue"]).ok();
    }

    /// The commits since `base`, oldest first, each with the plans and tasks that it is linked to.
    pub(super) fn linked(&self) -> Vec<String> {
        let commits =
            self.repo.git(&["log", "--reverse", "--topo-order", "--format=%H %s", "base..HEAD"]).ok();
        let (a, b) = (self.a.links(&self.repo), self.b.links(&self.repo));
        let tasks = |link: &Value| {
            let others = link["other_task_ids"].as_array().into_iter().flatten();
            let all = std::iter::once(&link["task_id"]).chain(others).filter_map(Value::as_str);
            all.collect::<Vec<_>>().join("+")
        };
        let line = |line: &str| {
            let (hash, subject) = line.split_once(' ').unwrap();
            let of = |name: &str, link: Option<&Value>| link.map(|link| format!(" {name}:{}", tasks(link)));
            let b = b.get(hash).filter(|_| self.b.issue != self.a.issue);
            let plans = of("A", a.get(hash)).into_iter().chain(of("B", b));
            format!("{subject}{}", plans.collect::<String>())
        };
        commits.stdout.lines().map(line).collect()
    }

    /// Each commit since `base` has a message whose trailers, read by git, say what its links say.
    pub(super) fn assert_trailers_agree(&self) {
        let audit = self.repo.json(&["audit", "base..HEAD"]);
        let findings = audit["findings"].as_array().unwrap();
        let odd: Vec<_> = findings.iter().filter(|it| it["kind"] == "false_trailer").collect();
        assert!(odd.is_empty(), "{odd:#?}");
    }

    pub(super) fn trailers(&self, rev: &str) -> String {
        self.repo.git(&["log", "-1", "--format=%(trailers:only)", rev]).ok().stdout.trim().to_owned()
    }

    pub(super) fn trailers_of_a(&self, tasks: &[&str]) -> String {
        let tasks: String = tasks.iter().map(|task| format!("Wf-Task: {task}\n")).collect();
        format!("{}{tasks}", self.a.trailers()).trim().to_owned()
    }
}

fn executing_a(sandbox: &Sandbox) -> (Repo, Claim) {
    sandbox.begin(&(), |sandbox| {
        let repo = with_hooks(sandbox, "repo");
        let lines: String = (1..=20).map(|n| format!("{n}\n")).collect();
        for file in ["a", "b", "c"] {
            repo.write(file, &lines);
        }
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-q", "-m", "base"]).ok();
        repo.git(&["tag", "base"]).ok();
        let a = claim_plan(&repo, "ISS-A", &plan_of(&["a", "b"]));
        (repo, a)
    })
}

fn edit(repo: &Repo, file: &str, lines: &[usize]) {
    let changed: Vec<String> = repo
        .read(file)
        .lines()
        .zip(1..)
        .map(|(line, n)| if lines.contains(&n) { format!("{line} changed") } else { line.to_owned() })
        .collect();
    repo.write(file, changed.join("\n") + "\n");
    repo.git(&["add", file]).ok();
}

fn change(repo: &Repo, file: &str, lines: &[usize], subject: &str) {
    edit(repo, file, lines);
    repo.git(&["commit", "-q", "-m", subject]).ok();
}
