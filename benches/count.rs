//! Counts the instructions of common commands with callgrind: the count is the same on any load, and is shown as a ratio to
//! that of git in the same repository. `cargo bench --bench count -- [ISSUES] [PROGRAM…]`; each PROGRAM is another build of
//! git-wf to compare with. Without valgrind nothing is measured.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ISSUES: usize = 10_000;
/// How many commits the claimed issue has before its hooks are counted.
const COMMITS: usize = 20;
const WORDS: [&str; 12] = [
    "parser", "index", "queue", "cache", "token", "merge", "branch", "login", "screen", "export", "import",
    "retry",
];

/// A command, and whether it writes: then it is compared with a commit, otherwise with `git rev-parse`.
type Row = (&'static str, &'static [&'static str], bool);

const ROWS: &[Row] = &[
    ("version", &["--version"], false),
    ("usage error", &["list", "--frob"], false),
    ("hook", &["hook", "commit-msg", "msg"], false),
    ("hook after it", &["hook", "post-commit"], false),
    ("overview", &[], false),
    ("status", &["status"], false),
    ("prime", &["prime"], false),
    ("show", &["show", "GH-5"], false),
    ("list 50", &["list", "--limit", "50"], false),
    ("list 50 json", &["list", "--limit", "50", "--json"], false),
    ("list ready", &["list", "--ready", "--limit", "50"], false),
    ("search", &["search", "uniq77"], false),
    ("log 20", &["log", "-n", "20"], false),
    ("new", &["new", "one more"], true),
    ("edit", &["edit", "GH-5", "-p", "high"], true),
    ("comment", &["comment", "GH-5", "-m", "hello"], true),
];

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench").peekable();
    let issues = args.peek().and_then(|count| count.parse().ok());
    if issues.is_some() {
        args.next();
    }
    let own = PathBuf::from(env!("CARGO_BIN_EXE_git-wf"));
    let programs: Vec<PathBuf> = args.map(PathBuf::from).chain([own]).collect();
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        println!("valgrind is not installed: nothing was counted");
        return;
    }
    for program in programs {
        measure(&program, issues.unwrap_or(ISSUES));
    }
}

fn measure(program: &Path, issues: usize) {
    let folder = tempfile::tempdir().unwrap();
    let repo = folder.path();
    let wf = program.to_str().unwrap();
    fill(repo, wf, issues);
    let read = count(repo, &["git", "rev-parse", "HEAD"]);
    let write = count(repo, &["git", "commit", "--quiet", "--allow-empty", "-m", "y"]);
    println!(
        "{wf}: {issues} issues; git rev-parse {:.2} M, git commit {:.2} M",
        millions(read),
        millions(write)
    );
    for (name, args, writes) in ROWS {
        let counted = count(repo, &[&[wf], *args].concat());
        let floor = if *writes { write } else { read };
        print_row(name, counted, floor);
    }
    count_with_a_claim(repo, wf, write);
    let outside = tempfile::tempdir().unwrap();
    println!("{:<14} {:8.2} M", "no repository", millions(count(outside.path(), &[wf])));
}

/// What is done while a plan is executed, in this order.
fn count_with_a_claim(repo: &Path, wf: &str, floor: u64) {
    let example = command(repo, &[wf, "schema", "solution", "--example"]).output().unwrap();
    std::fs::write(repo.join("plan.json"), example.stdout).unwrap();
    run(repo, &[wf, "plan", "add", "GH-5", "plan.json"]);
    run(repo, &[wf, "queue", "add", "GH-5"]);
    print_row("next", count(repo, &[wf, "next"]), floor);
    // The work so far, all in one file.
    for n in 0..COMMITS {
        stage(repo, n);
        run(repo, &["git", "commit", "--quiet", "-m", "more"]);
        run(repo, &[wf, "hook", "post-commit"]);
    }
    stage(repo, COMMITS);
    print_row("hook, claim", count(repo, &[wf, "hook", "commit-msg", "msg"]), floor);
    run(repo, &["git", "commit", "--quiet", "-F", "msg"]);
    print_row("hook after it", count(repo, &[wf, "hook", "post-commit"]), floor);
    print_row("done", count(repo, &[wf, "done"]), floor);
}

fn stage(repo: &Path, n: usize) {
    let lines: String =
        (0..100).map(|line| format!("line {line} {}\n", if line == n { "new" } else { "" })).collect();
    std::fs::write(repo.join("work.txt"), lines).unwrap();
    run(repo, &["git", "add", "work.txt"]);
}

fn print_row(name: &str, counted: u64, floor: u64) {
    println!("{name:<14} {:8.2} M {:6.1} ×", millions(counted), millions(counted) / millions(floor));
}

fn millions(count: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // Two digits are shown.
    let count = count as f64;
    count / 1e6
}

/// A repository with so many issues, which was used before.
fn fill(repo: &Path, wf: &str, issues: usize) {
    run(repo, &["git", "init", "--quiet", "-b", "main"]);
    run(repo, &["git", "commit", "--quiet", "--allow-empty", "-m", "begin"]);
    run(repo, &[wf, "init"]);
    let mut file = std::fs::File::create(repo.join("in.jsonl")).unwrap();
    // All have one time, as after many an import: to list the first of them must not cost a sort of all.
    for n in 0..issues {
        let word = |at: usize| WORDS[(n * 7 + at * at) % WORDS.len()];
        let text: Vec<&str> = (0..60).map(word).collect();
        let status = if n % 3 == 1 { "closed" } else { "open" };
        writeln!(
            file,
            r#"{{"id":"GH-{n}","title":"{} {n}","description":"{} uniq{n}","status":"{status}","priority":{},"issue_type":"bug","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-02-02T00:00:00Z","labels":["{}"]}}"#,
            word(1),
            text.join(" "),
            n % 5,
            word(2)
        )
        .unwrap();
    }
    drop(file);
    run(repo, &[wf, "import", "beads", "in.jsonl"]);
    std::fs::write(repo.join("msg"), "a message\n").unwrap();
    run(repo, &[wf, "list", "--limit", "1"]);
    run(repo, &[wf, "search", "uniq7"]);
}

fn command(repo: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(args[0]);
    command.args(&args[1..]).current_dir(repo).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    command
}

fn run(repo: &Path, args: &[&str]) {
    assert!(command(repo, args).stdout(Stdio::null()).status().unwrap().success(), "{args:?}");
}

/// The instructions of one process in user mode.
fn count(repo: &Path, args: &[&str]) -> u64 {
    let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let ran = command(repo, &[&tool, args].concat()).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    let counted = told.lines().find_map(|line| line.split("Collected :").nth(1));
    counted.and_then(|text| text.trim().parse().ok()).unwrap_or_else(|| panic!("{args:?}: {told}"))
}
