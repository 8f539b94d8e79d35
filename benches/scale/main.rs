//! The cost of commands at 1,000, 10,000 and 100,000 issues, against git's own commands in the same run and
//! repository.
//!
//! `cargo bench --bench scale` runs all three sizes; `cargo bench --bench scale -- 10000 writes` runs one of them with
//! the imports, which make the store, and the `writes` (or `reads`, `merges`, `board`, or `first`: the first reads). A
//! command that the program lacks is reported and skipped.

#![allow(clippy::unwrap_used, missing_docs)]

mod board;
mod generate;
mod measure;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use generate::Known;
use measure::{Cost, command, load, peak, read_and_parse, run};
use serde_json::Value;

/// The program, or another build that `WF_BENCH_PROGRAM` names.
static WF: LazyLock<String> = LazyLock::new(|| {
    std::env::var("WF_BENCH_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_git-wf").to_owned())
});
const ROUNDS: usize = 7;
/// How often one command runs in a row.
const RUNS: usize = 10;

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let parts: [(&str, Part); 5] = [
        ("first", Bench::first),
        ("writes", Bench::writes),
        ("reads", Bench::reads),
        ("merges", Bench::merges),
        ("board", Bench::board),
    ];
    let chosen: Vec<String> =
        std::env::args().filter(|arg| parts.iter().any(|(name, _)| name == arg)).collect();
    for size in if given.is_empty() { vec![1_000, 10_000, 100_000] } else { given } {
        println!("\n{size} issues; load {}", load());
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench::new(folder.path(), size);
        for (name, part) in parts {
            if chosen.is_empty() || chosen.iter().any(|chosen| chosen == name) {
                part(&bench);
            }
        }
        println!("load after: {}", load());
    }
}

/// A part of the benchmark.
type Part = fn(&Bench);

/// A store, and the records in it.
struct Bench {
    root: PathBuf,
    store: PathBuf,
    size: usize,
    known: Known,
}

/// What a figure is compared with, and how many times as much it may cost.
#[derive(Clone, Copy)]
struct Goal<'a>(&'a str, f64);

fn figure(name: &str, cost: &Cost, base: &Cost, goal: Option<Goal<'_>>) {
    let (wall, cpu) = (cost.median() / base.median(), cost.cpu() / base.cpu());
    let (wall_ms, cpu_ms) = (cost.median() * 1e3, cost.cpu() * 1e3);
    let verdict = goal.map_or(String::new(), |Goal(of, most)| {
        let met = if wall <= most && cpu <= most { "met" } else { "MISSED" };
        format!("goal {most} × {of}: {met}")
    });
    println!("{name:<34} wall {wall_ms:9.1} ms {wall:6.2} ×   CPU {cpu_ms:9.1} ms {cpu:6.2} ×   {verdict}");
}

fn bound(name: &str, value: f64, unit: &str, most: f64) {
    let met = if value <= most { "met" } else { "MISSED" };
    println!("{name:<34} {value:9.1} {unit}   goal {most} {unit}: {met}");
}

impl Bench {
    /// Makes the store, and measures the import.
    fn new(root: &Path, size: usize) -> Self {
        let (export, beads) = (root.join("export.jsonl"), root.join("beads.jsonl"));
        let mut out = BufWriter::new(File::create(&export).unwrap());
        let known = generate::write(size, &mut out).unwrap();
        out.flush().unwrap();
        beads_of(size, &beads);
        let bench = Self { root: root.to_owned(), store: root.join("store"), size, known };
        bench.import("jsonl", &export, &bench.store);
        bench.import("beads", &beads, &root.join("other"));
        // From here on, the index is warm. A program without an index is reported later.
        bench.works(&["fsck", "--reindex"]);
        bench
    }

    fn import(&self, kind: &str, file: &Path, at: &Path) {
        repository(at);
        let file = file.to_str().unwrap();
        let mut import = Cost::default();
        let mut most = 0;
        import.add(|| most = peak(command(at, &[&WF, "import", kind, file])));
        let stream = self.root.join("stream");
        let mut export = command(at, &["git", "fast-export", "refs/wf/main"]);
        assert!(export.stdout(File::create(&stream).unwrap()).status().unwrap().success());
        let plain = self.root.join(format!("plain-{kind}"));
        run(&self.root, &["git", "init", "--quiet", "--bare", plain.to_str().unwrap()]);
        let mut base = Cost::default();
        base.add(|| {
            let mut command = command(&plain, &["git", "fast-import", "--quiet"]);
            assert!(command.stdin(File::open(&stream).unwrap()).status().unwrap().success());
        });
        println!(
            "{:<34} wall {:9.1} ms            CPU {:9.1} ms",
            "git fast-import",
            base.median() * 1e3,
            base.cpu() * 1e3
        );
        figure(&format!("import {kind}"), &import, &base, Some(Goal("fast-import", 2.0)));
        let goal = match self.size {
            10_000 => Some(0.5),
            100_000 => Some(4.0),
            _ => None,
        };
        if let Some(goal) = goal {
            bound(&format!("import {kind}"), import.median(), "s", goal);
        }
        bound(&format!("import {kind}, memory"), most as f64 / 1024.0, "MiB", 600.0);
        std::fs::remove_dir_all(plain).unwrap();
        std::fs::remove_file(stream).unwrap();
    }

    /// The first reads of a new clone, and the sizes of the index.
    fn first(&self) {
        let folder = self.store.join(".git/wf");
        let index = folder.join("index.db");
        let (mut list, mut search, mut once) = (Cost::default(), Cost::default(), Cost::default());
        let (mut rows, mut all) = (0, 0);
        for _ in 0..3 {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_name().to_string_lossy().starts_with("index.") {
                    std::fs::remove_file(entry.path()).unwrap();
                }
            }
            list.add(|| run(&self.store, &[&WF, "list", "--limit", "50"]));
            rows = index.metadata().unwrap().len();
            search.add(|| run(&self.store, &[&WF, "search", "marker1"]));
            all = index.metadata().unwrap().len();
            once.add(|| assert!(read_and_parse(&self.store) > 0));
        }
        let once_each = Goal("reading each record once", 4.0);
        figure("first list", &list, &once, Some(once_each));
        figure("first search after it", &search, &once, None);
        for (what, bytes, most) in [("index without words", rows, 60.0), ("index with words", all, 200.0)] {
            let megabytes = bytes as f64 / 1e6;
            match self.size {
                100_000 => bound(what, megabytes, "MB", most),
                _ => println!("{what:<34}      {megabytes:9.1} MB"),
            }
        }
    }

    fn writes(&self) {
        let commit = ["git", "commit", "--quiet", "--allow-empty", "-m", "x"];
        let mut base = Cost::default();
        let names = ["new", "edit", "comment", "bind", "next", "done"];
        let mut costs = vec![Cost::default(); names.len()];
        let [new, edit, comment, bind, next, done] = &mut costs[..] else { return };
        for round in 0..ROUNDS {
            let number = |n: usize| round * RUNS + n;
            let issue = |n: usize| &self.known.issues[number(n) * 37 % self.size];
            let text = |n: usize| format!("Text {}", number(n));
            base.add_runs(RUNS, |_| run(&self.store, &commit));
            new.add_runs(RUNS, |n| run(&self.store, &[&WF, "new", &text(n), "-m", &text(n)]));
            edit.add_runs(RUNS, |n| run(&self.store, &[&WF, "edit", issue(n), "--title", &text(n)]));
            comment.add_runs(RUNS, |n| run(&self.store, &[&WF, "comment", issue(n), "-m", &text(n)]));
            bind.add_runs(RUNS, |n| {
                let two = &self.known.two_plans[number(n) / 2 % self.known.two_plans.len()];
                let plan = format!("SOL-{two}-{}", if number(n) % 2 == 0 { 2 } else { 1 });
                run(&self.store, &[&WF, "bind", two, &plan]);
            });
            // Each `done` ends the claim of the `next` before it. There are no hooks, which would link a commit, and
            // the tests of the plans are those of no project.
            for n in 0..3 {
                next.add(|| run(&self.store, &[&WF, "next"]));
                run(&self.store, &[&WF, "link", "HEAD", &self.claimed()]);
                let done_without_tests = ["done", "-m", &text(n), "--force", "--reason", "a benchmark"];
                done.add(|| run(&self.store, &[&[WF.as_str()][..], &done_without_tests].concat()));
            }
        }
        println!(
            "{:<34} wall {:9.1} ms            CPU {:9.1} ms",
            commit[..4].join(" "),
            base.median() * 1e3,
            base.cpu() * 1e3
        );
        for (name, cost) in names.iter().zip(&costs) {
            let most = if *name == "next" { 2.0 } else { 1.3 };
            figure(name, cost, &base, Some(Goal("commit", most)));
        }
    }

    /// The execution that the work tree holds: `next` answers with a claim until it ends.
    fn claimed(&self) -> String {
        let claim: Value = serde_json::from_str(&fed(&self.store, &[&WF, "next", "--json"], "")).unwrap();
        claim["execution_id"].as_str().unwrap().to_owned()
    }

    fn reads(&self) {
        // The budgets of a read and of a search, in times `git rev-parse`.
        let read = Some(if self.size <= 10_000 { 5.0 } else { 8.0 });
        let (search, frequent) = (Some(8.0), Some(40.0));
        let issue = self.known.issues[self.size / 2].clone();
        let queued = self.known.queued[0].clone();
        let short = issue[..issue.len() - 1].to_owned();
        let fifty = ["list", "--limit", "50"];
        let list = |filter: &[&'static str]| [&fifty[..], filter].concat();
        let mut reads: Vec<(&str, Vec<&str>, Option<f64>)> = vec![
            ("show ID", vec!["show", &issue], read),
            ("show, a start of an ID", vec!["show", &short], read),
            ("list --limit 50", list(&[]), read),
            ("  --status --tag", list(&["--status", "closed", "--tag", "api"]), read),
            ("  --author", list(&["--author", "p7@"]), read),
            ("  --since --has-plan", list(&["--since", "2020-01-02", "--has-plan"]), read),
            ("  --ready, of 1,000 items", list(&["--ready"]), read),
            ("  --search, a rare word", list(&["--search", "marker1"]), search),
            ("  --search, a frequent word", list(&["--search", "unicode"]), frequent),
            ("  --all --sort updated", list(&["--all", "--sort", "updated"]), read),
            ("log ID", vec!["log", &issue], read),
            ("trace ID", vec!["trace", &issue], read),
            ("trace ID, of an item in 1,000", vec!["trace", &queued], read),
            ("search, 20 hits", vec!["search", "marker1"], search),
            ("search, 20 of most issues", vec!["search", "socket unicode", "--limit", "20"], frequent),
            ("search, a frequent word", vec!["search", "unicode", "--limit", "20"], frequent),
            ("list --limit 50 --json", list(&["--json"]), read),
            ("status", vec!["status"], read),
            ("list --count --all", vec!["list", "--count", "--all"], None),
        ];
        reads.push(("list --all", vec!["list", "--all"], (self.size <= 10_000).then_some(12.0)));
        let base_args = ["git", "rev-parse", "HEAD"];
        let mut base = Cost::default();
        let mut most = 0;
        let mut costs = vec![Cost::default(); reads.len()];
        let known: Vec<bool> = reads.iter().map(|(_, args, _)| self.works(args)).collect();
        for round in 0..ROUNDS {
            base.add_runs(RUNS, |_| run(&self.store, &base_args));
            for (n, (_, args, _)) in reads.iter().enumerate().filter(|(n, _)| known[*n]) {
                if costs[n].is_enough() {
                    continue;
                }
                let args = [&[WF.as_str()], args.as_slice()].concat();
                let runs = if costs[n].is_long() { 1 } else { RUNS };
                costs[n].add_runs(runs, |_| run(&self.store, &args));
                if round == 0 {
                    most = most.max(peak(command(&self.store, &args)));
                }
            }
        }
        println!(
            "{:<34} wall {:9.1} ms            CPU {:9.1} ms",
            base_args.join(" "),
            base.median() * 1e3,
            base.cpu() * 1e3
        );
        for (((name, _, goal), cost), known) in reads.iter().zip(&costs).zip(known) {
            if known {
                figure(name, cost, &base, goal.map(|most| Goal("rev-parse", most)));
            } else {
                println!("{name:<34} this program does not have it");
            }
        }
        bound("memory of a read", most as f64 / 1024.0, "MiB", 40.0);
        if !self.works(&["fsck", "--reindex"]) {
            println!("{:<34} this program does not have it", "fsck --reindex");
            return;
        }
        let (mut reindex, mut once) = (Cost::default(), Cost::default());
        for _ in 0..3 {
            once.add(|| assert!(read_and_parse(&self.store) > 0));
            reindex.add(|| run(&self.store, &[&WF, "fsck", "--reindex"]));
        }
        figure("fsck --reindex", &reindex, &once, Some(Goal("reading each record once", 3.0)));
    }

    fn works(&self, args: &[&str]) -> bool {
        command(&self.store, &[&[WF.as_str()], args].concat()).status().unwrap().success()
    }

    fn merges(&self) {
        let peer = self.root.join("peer");
        run(&self.root, &["cp", "-r", "store", "peer"]);
        run(&self.store, &["git", "remote", "add", "peer", "../peer"]);
        run(&self.store, &[&WF, "pull", "peer"]);
        let (mut pull, mut idle, mut read, mut base) =
            (Cost::default(), Cost::default(), Cost::default(), Cost::default());
        let half = self.size / 2;
        for round in 0..5 {
            self.change(&self.store, (0, 100), round);
            self.change(&peer, (half, 100), round);
            self.fetch();
            pull.add(|| run(&self.store, &[&WF, "pull", "peer"]));
            self.fetch();
            idle.add(|| run(&self.store, &[&WF, "pull", "peer"]));
        }
        let merge = pull.beyond(&idle);
        println!("{:<34} wall {:9.1} ms", "merge of 100 + 100 records", merge.median() * 1e3);
        bound("merge of 100 + 100 records, CPU", merge.cpu() * 1e3, "ms", 60.0);
        for round in 5..10 {
            if read.is_enough() {
                break;
            }
            self.change(&peer, (half, half.min(1_000)), round);
            run(&self.store, &[&WF, "pull", "peer"]);
            read.add(|| run(&self.store, &[&WF, "list", "--limit", "50"]));
            base.add_runs(RUNS, |_| run(&self.store, &["git", "rev-parse", "HEAD"]));
        }
        figure("first read after 1,000 changes", &read, &base, Some(Goal("rev-parse", 25.0)));
    }

    fn fetch(&self) {
        run(&self.store, &["git", "fetch", "--quiet", "peer", "+refs/wf/*:refs/wf-remotes/peer/*"]);
    }

    /// Gives this many issues another title, each with a command.
    fn change(&self, at: &Path, (from, count): (usize, usize), round: usize) {
        let issues = &self.known.issues[from..from + count];
        let path = |issue: &String| format!("{}/issue.json", generate::folder(issue));
        let asked: String = issues.iter().map(|issue| format!("refs/wf/main:{}\n", path(issue))).collect();
        let records = fed(at, &["git", "cat-file", "--batch"], &asked);
        let mut rest = records.as_str();
        let mut lines = "{\"format\":\"git-wf-export\",\"version\":1}\n".to_owned();
        for issue in issues {
            let (head, after) = rest.split_once('\n').unwrap();
            let (record, after) = after.split_at(head.rsplit(' ').next().unwrap().parse().unwrap());
            rest = &after[1..];
            let mut record: Value = serde_json::from_str(record).unwrap();
            record["title"] = format!("Round {round}").into();
            record["clock"]["title"] = generate::stamp(80_000_000 + round, 7).into();
            lines.push_str(&format!("{}\n", serde_json::json!({"path": path(issue), "record": record})));
        }
        lines.push_str(&format!("{{\"files\":{count}}}\n"));
        fed(at, &[&WF, "import", "jsonl", "-"], &lines);
    }
}

/// A repository as one that has been in use: with a commit and with all directories for loose objects.
fn repository(at: &Path) {
    std::fs::create_dir(at).unwrap();
    for args in [
        &["git", "init", "--quiet"][..],
        &["git", "config", "user.name", "Ada"],
        &["git", "config", "user.email", "ada@example.org"],
        &["git", "commit", "--quiet", "--allow-empty", "-m", "first"],
        &[&WF, "init"],
    ] {
        run(at, args);
    }
    for first in 0..=255 {
        std::fs::create_dir_all(at.join(format!(".git/objects/{first:02x}"))).unwrap();
    }
}

/// What the command prints for this input.
fn fed(at: &Path, args: &[&str], input: &str) -> String {
    let mut child: Command = command(at, args);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Writes this many issues as beads exports them.
fn beads_of(size: usize, file: &Path) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    for n in 0..size {
        let text = format!("What is wrong with part {n}, and when. ").repeat(12);
        let line = serde_json::json!({"id": format!("br-{n}"), "title": format!("Issue {n}"), "description": text,
            "status": "open", "priority": n % 5, "issue_type": "task", "created_at": generate::time(n),
            "updated_at": generate::time(n + 60), "labels": ["api"]});
        writeln!(out, "{line}").unwrap();
    }
    out.flush().unwrap();
}
