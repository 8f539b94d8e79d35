//! Issue, item and execution always agree, whatever the clones did and in whatever order they synced.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::laws::random::Random;
use crate::support::{Repo, Sandbox, is_long};

const ISSUES: [&str; 3] = ["ISS-001", "ISS-002", "ISS-003"];
const STEPS: usize = 45;
const HOUR: i64 = 3600;

struct History {
    sandbox: Sandbox,
    repos: Vec<Repo>,
    random: Random,
    script: Vec<String>,
    /// Executions whose `done` was acknowledged, with their issue, until someone who has seen that reopens the issue.
    finished: BTreeMap<String, String>,
}

/// What one replica shows of an issue.
struct Shown {
    status: String,
    executions: Vec<(String, String)>,
}

impl Shown {
    fn count(&self, status: &str) -> usize {
        self.executions.iter().filter(|(_, shown)| shown == status).count()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn shown(repo: &Repo, issue: &str) -> Shown {
    let shown = repo.json(&["show", issue]);
    let executions = shown["executions"].as_array().unwrap();
    let executions = executions.iter().map(|it| (text(&it["id"]), text(&it["status"]))).collect();
    Shown { status: text(&shown["status"]), executions }
}

impl History {
    /// Three clones of one bare repository; all issues are queued, one depends on another, two share a file.
    fn new(seed: u64) -> Self {
        let sandbox = Sandbox::new();
        sandbox.bare("hub");
        let first = sandbox.clone(sandbox.root().join("hub"), "r0");
        first.commit("a.txt", "a", "first");
        first.git(&["push", "--quiet", "origin", "HEAD:main"]).ok();
        first.wf(&["init"]).ok();
        for (issue, file) in ISSUES.iter().zip(["src/a.rs", "src/a.rs", "src/c.rs"]) {
            first.queued(issue, file);
        }
        first.wf(&["edit", ISSUES[2], "--depends-on", ISSUES[0]]).ok();
        first.wf(&["sync"]).ok();
        let mut repos = vec![first];
        for n in 1..3 {
            let name = format!("r{n}");
            // Clocks differ by minutes, as in reality.
            let repo = sandbox.clone(sandbox.root().join("hub"), &name).ahead(n * 200);
            let repo = repo.as_person(&name, &format!("{name}@example.org"));
            repo.git(&["switch", "--quiet", "-C", "main", "origin/main"]).ok();
            repo.wf(&["init"]).ok();
            repos.push(repo);
        }
        Self { sandbox, repos, random: Random::new(seed), script: Vec::new(), finished: BTreeMap::new() }
    }

    fn step(&mut self) {
        let n = self.random.below(3);
        let issue = *self.random.pick(&ISSUES);
        let override_ = ["--force", "--reason", "so it is"];
        let args: Vec<&str> = match self.random.below(24) {
            0..=2 => vec!["next"],
            3..=4 => vec!["next", "--local"],
            5 => vec!["next", issue],
            6 => vec!["next", "--allow-overlap"],
            7..=9 => vec!["done", "--force", "--reason", "a test"],
            10 => vec!["done", issue, "--force", "--reason", "a test"],
            11 => vec!["fail", "-m", "it broke"],
            12 => vec!["retry"],
            13 => vec!["reopen", issue],
            14 => [&["edit", issue, "--status", "cancelled"][..], &override_].concat(),
            15 => [&["close", issue][..], &override_].concat(),
            16 => vec!["lease", "release"],
            17 => vec!["lease", "renew"],
            18 => vec!["queue", "add", issue],
            19 => {
                self.script.push("(five hours pass)".into());
                self.sandbox.advance(5 * HOUR);
                vec!["sync"]
            }
            20 => vec!["next", issue],
            _ => vec!["sync"],
        };
        self.run(n, &args);
    }

    fn run(&mut self, n: usize, args: &[&str]) {
        let repo = self.repos[n].clone();
        let before: Vec<Shown> = ISSUES.iter().map(|issue| shown(&repo, issue)).collect();
        let ran = repo.wf(&[args, &["--json"]].concat());
        self.script.push(format!("r{n}: git wf {} → {}", args.join(" "), ran.code));
        assert!(matches!(ran.code, 0 | 1 | 3), "{}", ran.stderr);
        if ran.code == 0 {
            match args[0] {
                "done" => {
                    let done = ran.json();
                    assert_eq!(done["issue_id"].as_str().map(|id| ISSUES.contains(&id)), Some(true));
                    self.finished.insert(text(&done["id"]), text(&done["issue_id"]));
                }
                "reopen" => {
                    let known = &before[ISSUES.iter().position(|it| *it == args[1]).unwrap()];
                    for (id, status) in &known.executions {
                        // When an issue is reopened, the superseded executions go with the one that held it.
                        if status != "executing" {
                            self.finished.remove(id);
                        }
                    }
                }
                "next" | "start" => {
                    let issue = text(&ran.json()["issue_id"]);
                    let at = ISSUES.iter().position(|it| *it == issue).unwrap();
                    let blocked = ["cancelled", "closed", "paused", "completed"];
                    let after = shown(&repo, &issue);
                    assert!(!blocked.contains(&&after.status[..]), "{issue} is {}", after.status);
                    assert_eq!(after.count("executing"), 1, "after next; before: {}", before[at].status);
                }
                _ => {}
            }
        }
        self.assert_agreed(&repo);
    }

    /// What one replica shows of issue, item and execution is consistent.
    fn assert_agreed(&self, repo: &Repo) {
        let queue = repo.json(&["queue", "show"]);
        for issue in ISSUES {
            let shown = shown(repo, issue);
            let items: Vec<&Value> =
                queue["items"].as_array().unwrap().iter().filter(|it| it["issue_id"] == issue).collect();
            assert!(items.len() <= 1, "{issue} is queued twice");
            let item = items.first().map_or("", |it| it["status"].as_str().unwrap());
            let holds = shown.count("executing");
            assert!(holds <= 1, "{issue} has {holds} holders");
            let expected: &[&str] = match &shown.status[..] {
                "executing" => &["executing"],
                "completed" => &["completed"],
                "failed" => &["failed"],
                "queued" => &["pending", "ready", "blocked"],
                "planned" | "registered" | "planning" => &[""],
                // A running execution goes on.
                "cancelled" | "closed" | "paused" if holds == 1 => &["executing"],
                "cancelled" | "closed" | "paused" => &["blocked", "completed", "failed"],
                other => panic!("{issue} is {other}"),
            };
            let agrees = expected.contains(&item) || (item.is_empty() && shown.status != "queued");
            assert!(agrees, "{issue} is {}, its item is {item:?}", shown.status);
            assert!(shown.status != "executing" || holds == 1, "{issue} is executing without a holder");
            assert!(shown.status != "completed" || shown.count("completed") > 0, "{issue}");
        }
    }

    /// All have synced: they agree, and finished work is still finished.
    fn settle(&mut self) {
        for n in [0, 1, 2, 0, 1] {
            self.run(n, &["sync"]);
        }
        for issue in ISSUES {
            let all: Vec<Value> = self.repos.iter().map(|repo| repo.json(&["show", issue])).collect();
            assert!(all.iter().all(|one| *one == all[0]), "{issue} differs: {all:#?}");
            let shown = shown(&self.repos[0], issue);
            let finished = self.finished.values().filter(|of| *of == issue).count();
            let stands = ["completed", "cancelled", "closed", "paused"].contains(&&shown.status[..]);
            assert!(finished == 0 || stands, "{issue} was finished and is {}", shown.status);
        }
    }
}

#[test]
fn nothing_ever_contradicts_itself() {
    let seeds = match std::env::var("WF_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        _ => (0..if is_long() { 150 } else { 2 }).collect::<Vec<u64>>(),
    };
    for seed in seeds {
        let mut history = History::new(seed);
        let walked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..STEPS {
                history.step();
            }
            history.settle();
        }));
        if let Err(panic) = walked {
            eprintln!("WF_SEED={seed}\n{}", history.script.join("\n"));
            std::panic::resume_unwind(panic);
        }
    }
}
