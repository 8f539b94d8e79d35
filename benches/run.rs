//! What a run adds to the work that it implies: agents that do next to nothing, a worktree for each that reads and for each
//! that executes, one commit, and a merge for each issue. The same is done with bare git, by as many threads, and compared.
//! The number of issues and of jobs may be given: `cargo bench --bench run -- 40 4`.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const ISSUES: usize = 200;
const JOBS: usize = 8;
const WF: &str = env!("CARGO_BIN_EXE_git-wf");
/// Reads the question, and answers with the plan of its issue.
const PLANNER: &str =
    r#"n=$(sed -n 's/.*"issue_id": "ISS-\([0-9]*\)".*/\1/p' | head -n 1); cat "$HERE/plan-$n.json""#;
/// Reads the question, and makes one commit for its issue.
const EXECUTOR: &str = r#"n=$(sed -n 's/.*"issue_id": "ISS-\([0-9]*\)".*/\1/p' | head -n 1)
echo "$n" > "file-$n"; git add "file-$n"; git commit -q -m "Write $n"; echo '{"status": "completed"}'"#;

fn main() {
    let mut sizes = std::env::args().skip(1).filter_map(|arg| arg.parse().ok());
    let (issues, jobs) = (sizes.next().unwrap_or(ISSUES), sizes.next().unwrap_or(JOBS));
    println!("load before: {}", load());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, text) in [("planner", PLANNER), ("executor", EXECUTOR)] {
        std::fs::write(root.join(format!("{name}.sh")), format!("HERE='{}'\n{text}\n", root.display()))
            .unwrap();
    }
    for n in 1..=issues {
        std::fs::write(root.join(format!("plan-{n}.json")), plan(&format!("file-{n}"))).unwrap();
    }
    let bare = repo(root, "bare");
    let started = Instant::now();
    by_hand(&bare, issues, jobs);
    let by_hand = started.elapsed().as_secs_f64();
    let ours = repo(root, "ours");
    run(&ours, &[WF, "init", "--hooks"]);
    for name in ["planner", "executor"] {
        let command = format!("sh '{}'", root.join(format!("{name}.sh")).display());
        run(&ours, &["git", "config", &format!("wf.agent.{name}.command"), &command]);
        run(&ours, &["git", "config", &format!("wf.run.{name}"), name]);
    }
    for n in 1..=issues {
        run(&ours, &[WF, "new", "--id", &format!("ISS-{n}"), &format!("Issue {n}")]);
    }
    let jobs = jobs.to_string();
    let started = Instant::now();
    run(
        &ours,
        &[
            WF,
            "run",
            "--all-pending",
            "--yes",
            "--mode",
            "batch",
            "--skip-review",
            "--jobs",
            &jobs,
            "--plan-jobs",
            &jobs,
        ],
    );
    let ours_took = started.elapsed().as_secs_f64();
    let list = output(&ours, &[WF, "list", "--all", "--status", "completed", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list.as_array().unwrap().len(), issues);
    let each = |took: f64| took * 1e3 / f64::from(u32::try_from(issues).unwrap());
    println!("{issues} issues, {jobs} at once");
    println!("  bare git         {:8.1} ms an issue", each(by_hand));
    println!("  git wf run       {:8.1} ms an issue, {:.2} ×", each(ours_took), ours_took / by_hand);
    let commits = output(&ours, &["git", "rev-list", "--count", "refs/wf/main"]);
    println!("  {} commits of the store", commits.trim());
    println!("load after: {}", load());
}

/// Does with git alone what a run does: each agent in a worktree of its own, and each commit merged by itself.
fn by_hand(bare: &Path, issues: usize, jobs: usize) {
    let trees = bare.with_file_name("bare-trees");
    std::fs::create_dir(&trees).unwrap();
    let main = trees.join("main");
    run(bare, &["git", "worktree", "add", "--quiet", "-b", "all", path(&main)]);
    // Two merges into one branch at once are impossible.
    let merging = Mutex::new(());
    for step in ["plan", "execute"] {
        let next = AtomicUsize::new(1);
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n > issues {
                            return;
                        }
                        let tree = trees.join(format!("{step}-{n}"));
                        let question = format!("  \"issue_id\": \"ISS-{n}\"\n");
                        if step == "plan" {
                            at_last(bare, &["git", "worktree", "add", "--quiet", "--detach", path(&tree)]);
                            feed(&tree, &["sh", "../../planner.sh"], &question);
                            remove(bare, &tree);
                            continue;
                        }
                        let branch = format!("issue-{n}");
                        at_last(
                            bare,
                            &["git", "worktree", "add", "--quiet", "-B", &branch, path(&tree), "all"],
                        );
                        feed(&tree, &["sh", "../../executor.sh"], &question);
                        run(&tree, &["sh", "-c", &format!("test -s file-{n}")]);
                        let _alone = merging.lock().unwrap();
                        run(&main, &["git", "merge", "--quiet", "--no-edit", &branch]);
                        remove(bare, &tree);
                        run(&main, &["git", "branch", "--quiet", "-d", &branch]);
                    }
                });
            }
        });
    }
}

fn remove(bare: &Path, tree: &Path) {
    at_last(bare, &["git", "worktree", "remove", path(tree)]);
}

/// Runs a command for worktrees. git fails if it cannot read another worktree, which is being made or removed.
fn at_last(bare: &Path, args: &[&str]) {
    let is_done = || command(bare, args).status().unwrap().success();
    assert!((0..100).any(|_| is_done()), "{args:?}");
}

fn repo(root: &Path, name: &str) -> PathBuf {
    let repo = root.join(name);
    std::fs::create_dir(&repo).unwrap();
    for args in [
        &["git", "init", "--quiet", "-b", "main"][..],
        &["git", "config", "user.name", "Ada"],
        &["git", "config", "user.email", "ada@example.org"],
        &["git", "config", "maintenance.auto", "false"],
        &["git", "config", "gc.auto", "0"],
        &["git", "commit", "--quiet", "--allow-empty", "-m", "Begin"],
    ] {
        run(&repo, args);
    }
    repo
}

fn plan(file: &str) -> String {
    serde_json::json!({
        "description": "Write the number of the issue into its file",
        "strategy_type": "feature",
        "tasks": [{
            "id": "T1", "title": "Write the file", "action": "Create", "scope": file,
            "description": "A file that holds the number of the issue and nothing else",
            "modification_points": [{"file": file, "target": "all", "change": "Write the number"}],
            "implementation": ["Open the file", "Write the number"],
            "test": {"commands": [format!("test -s {file}")], "unit": ["The file holds the number"]},
            "acceptance": {
                "criteria": ["The file has one line that is the number of the issue"],
                "verification": [format!("Run: test -s {file}, and see it exit with 0")]
            },
            "depends_on": [], "estimated_minutes": 30, "priority": 1
        }],
        "exploration_context": {"relevant_files": [file], "patterns": "One file for each issue"},
        "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
        "score": 0.9
    })
    .to_string()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn command(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(args[0]);
    // The hooks must call the binary that is measured.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(WF).parent().unwrap().to_owned();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    command.args(&args[1..]).current_dir(place).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn run(place: &Path, args: &[&str]) {
    assert!(command(place, args).status().unwrap().success(), "{args:?}");
}

fn output(place: &Path, args: &[&str]) -> String {
    let output = command(place, args).stdout(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn feed(place: &Path, args: &[&str], input: &str) {
    use std::io::Write;
    let mut child = command(place, args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{args:?}");
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
