//! Generates a store of any size as an export: issues with comments, plans, executions and a queue, in the
//! proportions of a project that is some years old. The same size gives the same bytes.

use std::io::{self, Write};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

#[path = "../../tests/it/support/record.rs"]
mod record;

/// Items in the queue, if there are enough issues.
const QUEUED: usize = 1_000;
/// One of this many issues has a rare word.
const RARE: usize = 25;
const WORDS: &[&str] = &[
    "token", "expires", "before", "login", "session", "cache", "empty", "after", "timeout", "retry",
    "socket", "parser", "fails", "on", "large", "input", "when", "the", "index", "is", "missing", "and",
    "worker", "restarts", "slowly", "between", "two", "requests", "with", "unicode", "paths", "under",
    "load", "in", "release", "builds",
];

/// The records that the benchmark runs commands on.
#[derive(Default)]
pub(super) struct Known {
    /// Every issue.
    pub(super) issues: Vec<String>,
    /// Issues with two plans, none of them queued.
    pub(super) two_plans: Vec<String>,
    /// Issues with an item in the queue.
    pub(super) queued: Vec<String>,
}

/// Writes the export of `count` issues.
pub(super) fn write(count: usize, out: &mut impl Write) -> io::Result<Known> {
    let mut maker = Maker { out, state: 0x5eed, files: 0, known: Known::default() };
    writeln!(maker.out, "{{\"format\":\"git-wf-export\",\"version\":1}}")?;
    maker.line("wf.json", &json!({"format": 1}))?;
    let queue = "QUE-20260101-0000bench";
    maker.line(
        &format!("queues/{queue}/queue.json"),
        &json!({"id": queue, "created_at": time(0), "status": "active", "priority": 0, "clock": {"*": stamp(0, 0)}}),
    )?;
    for n in 0..count {
        maker.issue(n, queue)?;
    }
    let (out, files) = (maker.out, maker.files);
    writeln!(out, "{{\"files\":{files}}}")?;
    Ok(maker.known)
}

/// The path of an issue's directory.
pub(super) fn folder(issue: &str) -> String {
    let first = Sha256::digest(issue.as_bytes())[0];
    format!("issues/{first:02x}/{issue}")
}

/// The time this many minutes after the start of the year.
pub(super) fn time(minutes: usize) -> String {
    let (days, rest) = (minutes / 1440, minutes % 1440);
    let (month, day) = (days / 28 % 12 + 1, days % 28 + 1);
    format!("{}-{month:02}-{day:02}T{:02}:{:02}:00.000Z", 2020 + days / 336, rest / 60, rest % 60)
}

/// A stamp with that time.
pub(super) fn stamp(minutes: usize, by: u64) -> String {
    format!("{}/00000/{}", time(minutes), uid(by))
}

fn uid(mut bits: u64) -> String {
    let digits = b"0123456789abcdefghjkmnpqrstvwxyz";
    (0..8)
        .map(|_| {
            let digit = digits[(bits & 31) as usize];
            bits >>= 5;
            char::from(digit)
        })
        .collect()
}

struct Maker<'a, W> {
    out: &'a mut W,
    state: u64,
    files: u64,
    known: Known,
}

impl<W: Write> Maker<'_, W> {
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.random() % 100 < percent
    }

    fn words(&mut self, count: u64) -> String {
        (0..count).map(|_| WORDS[(self.random() % WORDS.len() as u64) as usize]).collect::<Vec<_>>().join(" ")
    }

    fn line(&mut self, path: &str, record: &Value) -> io::Result<()> {
        self.files += 1;
        writeln!(self.out, "{}", json!({"path": path, "record": record}))
    }

    fn entry(&mut self, folder: &str, minute: usize, record: Value) -> io::Result<()> {
        let name = time(minute).replace(['-', ':', '.'], "");
        let (id, record) = record::entry(&format!("{name}-00000"), record);
        self.line(&format!("{folder}/{id}.json"), &record)
    }

    fn issue(&mut self, n: usize, queue: &str) -> io::Result<()> {
        let born = n * 20;
        let day = time(born).replace('-', "")[..8].to_owned();
        let id = format!("ISS-{day}-{}", uid(self.random()));
        let person = format!("Person {} <p{}@example.org>", n % 40, n % 40);
        let folder = folder(&id);
        let is_planned = self.chance(30);
        let is_executed = is_planned && self.chance(60) || self.chance(2);
        let is_executed = is_executed && is_planned;
        let status = match self.random() % 10 {
            _ if is_planned => "planned",
            0..=3 => "closed",
            4 => "paused",
            _ => "registered",
        };
        let lines = 3 + self.random() % 8;
        let mut context = (0..lines).map(|_| self.words(12)).collect::<Vec<_>>().join(".\n\n");
        if n.is_multiple_of(RARE) {
            // Twenty issues share each of these words.
            context.push_str(&format!(". marker{}", n / (20 * RARE)));
        }
        let words = 4 + self.random() % 6;
        let (kind, tag) = [("bug", "api"), ("task", "cli"), ("feature", "core")][n % 3];
        let sort = ["slow", "wrong"][n % 2];
        let mut record = json!({
            "id": id, "author": person, "created_at": time(born), "source": "text", "title": self.words(words),
            "status": status, "priority": self.random() % 5 + 1, "issue_type": kind,
            "context": context, "tags": [tag, sort],
        });
        if n > 100 && self.chance(10) {
            let before = 1 + (self.random() % 100) as usize;
            let other = self.known.issues[n - before].clone();
            record["depends_on"] = json!([other]);
        }
        let solutions: Vec<String> = match (is_planned, self.chance(5)) {
            (false, _) => vec![],
            (true, false) => vec![format!("SOL-{id}-1")],
            (true, true) => vec![format!("SOL-{id}-1"), format!("SOL-{id}-2")],
        };
        if let Some(bound) = solutions.first() {
            record["bound_solution_id"] = bound.as_str().into();
        }
        let changed =
            if self.chance(50) { json!({"status": stamp(born + 30, self.random())}) } else { json!({}) };
        record["clock"] = changed;
        record["clock"]["*"] = stamp(born, self.random()).into();
        self.line(&format!("{folder}/issue.json"), &record)?;
        if self.chance(45) {
            for k in 0..1 + self.random() % 3 {
                let words = 10 + self.random() % 40;
                let body = self.words(words);
                let minute = born + 10 + k as usize;
                let comment = json!({"body": body, "author": person, "created_at": time(minute)});
                self.entry(&format!("{folder}/comments"), minute, comment)?;
            }
        }
        for solution in &solutions {
            let plan = self.plan(n);
            let digest = digest(&plan);
            let record = json!({"id": solution, "issue_id": id, "author": person, "created_at": time(born + 20),
                "plan": plan, "clock": {"*": stamp(born + 20, self.random())}});
            self.line(&format!("{folder}/solutions/{solution}/solution.json"), &record)?;
            if solutions.len() == 1 && is_executed {
                self.execution(&id, solution, &digest, &person, born)?;
            } else if solutions.len() == 1 && self.known.queued.len() < QUEUED {
                let number = self.known.queued.len() + 1;
                let item = json!({"item_id": format!("S-{number}"), "issue_id": id, "solution_id": solution,
                    "plan_digest": digest, "position": format!("{:06}", number * 10), "queued_at": time(born + 25),
                    "clock": {"*": stamp(born + 25, self.random())}});
                let fan = &folder[7..9];
                self.line(&format!("queues/{queue}/items/{fan}/{solution}.json"), &item)?;
                self.known.queued.push(id.clone());
            }
        }
        if solutions.len() == 2 {
            self.known.two_plans.push(id.clone());
        }
        self.known.issues.push(id);
        Ok(())
    }

    fn plan(&mut self, n: usize) -> Value {
        let tasks: Vec<Value> = (1..=2 + self.random() % 3)
            .map(|k| {
                let file = format!("src/part{}/file{n}-{k}.rs", n % 97);
                json!({
                    "id": format!("T{k}"), "title": self.words(6), "action": "Update", "scope": format!("src/part{}", n % 97),
                    "description": self.words(25), "files": [{"path": file, "action": "modify", "change": self.words(8)}],
                    "implementation": [self.words(10), self.words(10), self.words(10)],
                    "test": {"commands": ["cargo test"], "unit": [self.words(6)]},
                    "convergence": {"criteria": [format!("`cargo test part{k}` exits with 0")],
                        "verification": format!("cargo test part{k}"), "definition_of_done": self.words(8)},
                    "depends_on": if k > 1 { vec![format!("T{}", k - 1)] } else { vec![] }, "effort": "small", "priority": 2,
                })
            })
            .collect();
        json!({"description": self.words(20), "approach": self.words(20), "tasks": tasks,
            "analysis": {"risk": "low", "impact": "medium", "complexity": "low"}})
    }

    fn execution(
        &mut self,
        id: &str,
        solution: &str,
        digest: &str,
        person: &str,
        born: usize,
    ) -> io::Result<()> {
        let commit = |random: u64| format!("{random:016x}{random:016x}{:08x}", random >> 32);
        let (execution, record) = record::execution(
            json!({"nonce": uid(self.random()), "issue_id": id, "solution_id": solution, "plan_digest": digest,
            "plan_commit": "441dcc324b8c7eb6eb155294920f6f982538e215", "attempt": 1, "actor": person,
            "branch": "refs/heads/main", "started_at": time(born + 40), "lease_expires_at": time(born + 280)}),
        );
        let place = format!("{}/executions/{execution}", folder(id));
        self.line(&format!("{place}/execution.json"), &record)?;
        let log = format!("{place}/log");
        for k in 0..2 {
            let at = time(born + 50 + k);
            let entry = json!({"type": "commit", "hash": commit(self.random()), "task_id": format!("T{}", k + 1),
                "subject": self.words(6), "author": person, "authored_at": at, "files": [format!("src/{}.rs", k)],
                "linked_by": "hook", "actor": person, "at": at});
            self.entry(&log, born + 50 + k, entry)?;
        }
        let end = json!({"type": "end", "status": "completed", "result": {"summary": self.words(10),
            "files_modified": ["src/0.rs", "src/1.rs"]}, "actor": person, "at": time(born + 60)});
        self.entry(&log, born + 60, end)
    }
}

/// As the format defines it; these plans have no fractions and no unusual keys.
fn digest(plan: &Value) -> String {
    fn canonical(value: &Value) -> String {
        match value {
            Value::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort();
                let inner: Vec<String> = keys
                    .iter()
                    .map(|key| format!("{}:{}", json!(key), canonical(&map[key.as_str()])))
                    .collect();
                format!("{{{}}}", inner.join(","))
            }
            Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
            other => other.to_string(),
        }
    }
    let hash = Sha256::digest(canonical(plan).as_bytes());
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}
