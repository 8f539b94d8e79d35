//! A store in which every writing command has something to do, and those commands.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan};

/// Makes copies of one store, each with its own remote that has one more issue.
pub(super) struct Scenes {
    sandbox: Sandbox,
    made: AtomicUsize,
}

impl Scenes {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.root().join("scene")).unwrap();
        let origin = sandbox.bare("scene/origin.git");
        let repo = sandbox.repo("scene/repo");
        repo.commit("a", "a\n", "start");
        repo.git(&["remote", "add", "origin", "../origin.git"]).ok();
        repo.wf(&["init"]).ok();
        repo.wf(&["sync"]).ok();
        let other = sandbox.clone(&origin, "other");
        other.wf(&["init"]).ok();
        other.wf(&["new", "--id", "GH-99", "From elsewhere"]).ok();
        other.wf(&["sync"]).ok();
        for n in 1..=6 {
            repo.wf(&["new", "--id", &format!("GH-{n}"), &format!("Issue {n}")]).ok();
        }
        for (issue, solution) in [(2, 1), (2, 2), (3, 1), (4, 1), (5, 1), (6, 1)] {
            repo.wf_in(solution_text(issue, solution), &["solution", "add", &format!("GH-{issue}"), "-"])
                .ok();
        }
        for issue in [6, 5, 4] {
            repo.wf(&["queue", "add", &format!("GH-{issue}")]).ok();
        }
        // Within this clone, so that the issue of the other one is not fetched yet.
        repo.wf(&["next", "--local", "SOL-GH-6-1"]).ok();
        repo.wf(&["fail", "-m", "no"]).ok();
        repo.wf(&["next", "--local", "SOL-GH-5-1"]).ok();
        for sample in std::fs::read_dir(repo.path().join(".git/hooks")).unwrap() {
            std::fs::remove_file(sample.unwrap().path()).unwrap();
        }
        // Its claim belongs to another worktree: this one takes the next item.
        std::fs::remove_file(repo.path().join(".git/wf/active.json")).unwrap();
        Self { sandbox, made: AtomicUsize::new(0) }
    }

    /// A copy of the store in its first state.
    pub(super) fn copy(&self) -> Repo {
        let name = format!("scene-{}", self.made.fetch_add(1, Ordering::Relaxed));
        let root = self.sandbox.root();
        let done =
            std::process::Command::new("cp").arg("-r").arg(root.join("scene")).arg(root.join(&name)).status();
        assert!(done.unwrap().success());
        self.sandbox.at(&format!("{name}/repo"))
    }
}

impl Scenes {
    /// Moves the repository of a scene to another disk.
    pub(super) fn on_disk(&self, scene: &Repo, disk: &Path) -> Repo {
        let done = std::process::Command::new("cp").arg("-r").arg(scene.path()).arg(disk).status();
        assert!(done.unwrap().success());
        let here = disk.strip_prefix(self.sandbox.root()).unwrap().join("repo");
        self.sandbox.at(here.to_str().unwrap())
    }
}

fn solution_text(issue: u32, solution: u32) -> String {
    let mut plan = plan();
    plan["id"] = json!(format!("SOL-GH-{issue}-{solution}"));
    // Items that share a file wait for each other.
    let text = plan.to_string().replace("src/", &format!("src/{issue}/"));
    text.replace("tests/api.rs", &format!("tests/{issue}.rs"))
}

/// A command that writes.
pub(super) struct Write {
    pub(super) name: &'static str,
    pub(super) args: &'static [&'static str],
    pub(super) stdin: fn() -> String,
    /// Whether its result exists.
    pub(super) is_done: fn(&Repo) -> bool,
    /// Its exit code if it was done before.
    pub(super) again: i32,
}

fn nothing() -> String {
    String::new()
}

const fn write(
    name: &'static str,
    args: &'static [&'static str],
    is_done: fn(&Repo) -> bool,
    again: i32,
) -> Write {
    Write { name, args, stdin: nothing, is_done, again }
}

/// Checks each write; the two halves of the list run in parallel.
pub(super) fn with_each_write(check: impl Fn(&Write) + Sync) {
    let writes = writes();
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let (writes, check) = (&writes, &check);
            scope.spawn(move || writes.iter().skip(half).step_by(2).for_each(check));
        }
    });
}

/// Each command that writes, in a form that works in a [`Scenes::copy`].
pub(super) fn writes() -> Vec<Write> {
    vec![
        write("new", &["new", "--id", "GH-20", "A title"], |repo| has(repo, "GH-20/issue.json"), 1),
        write(
            "edit",
            &["edit", "GH-1", "--title", "Another"],
            |repo| field(repo, "GH-1", "title") == "Another",
            0,
        ),
        write("comment", &["comment", "GH-1", "-m", "hello"], |repo| has(repo, "GH-1/comments/"), 0),
        write("close", &["close", "GH-1"], |repo| field(repo, "GH-1", "status") == "closed", 0),
        Write {
            stdin: || solution_text(1, 1),
            ..write("solution add", &["solution", "add", "GH-1", "-"], |repo| has(repo, "SOL-GH-1-1/"), 0)
        },
        write(
            "bind",
            &["bind", "GH-2", "SOL-GH-2-2"],
            |repo| field(repo, "GH-2", "bound_solution_id") == "SOL-GH-2-2",
            0,
        ),
        write("queue add", &["queue", "add", "GH-3"], |repo| has(repo, "SOL-GH-3-1.json"), 0),
        write("next", &["next", "SOL-GH-4-1"], |repo| has(repo, "GH-4/executions/"), 0),
        write(
            "done",
            &["done", "SOL-GH-5-1", "--force", "--reason", "a test"],
            |repo| field(repo, "GH-5", "status") == "completed",
            1,
        ),
        write(
            "fail",
            &["fail", "SOL-GH-5-1", "-m", "no"],
            |repo| field(repo, "GH-5", "status") == "failed",
            1,
        ),
        write("retry", &["retry", "GH-6"], |repo| field(repo, "GH-6", "status") == "queued", 3),
        Write {
            stdin: || lines(3),
            ..write("import", &["import", "beads", "-"], |repo| has(repo, "br-3/issue.json"), 0)
        },
        // Enough to be written as one pack.
        Write {
            stdin: || lines(120),
            ..write("large import", &["import", "beads", "-"], |repo| has(repo, "br-120/issue.json"), 0)
        },
        write("sync", &["sync"], |repo| has(repo, "GH-99/issue.json"), 0),
    ]
}

fn lines(count: u32) -> String {
    let line = |n| {
        json!({"id": format!("br-{n}"), "title": format!("Issue {n}"), "status": "open", "priority": 2,
            "issue_type": "task", "created_at": "2026-11-20T02:00:00Z", "updated_at": "2026-11-20T02:00:00Z"})
    };
    (1..=count).map(|n| format!("{}\n", line(n))).collect()
}

fn has(repo: &Repo, part: &str) -> bool {
    let listed = repo.git(&["ls-tree", "-r", "--name-only", "refs/wf/main"]).ok();
    listed.stdout.lines().any(|path| path.contains(part))
}

fn field(repo: &Repo, issue: &str, name: &str) -> Value {
    repo.wf(&["show", issue, "--json"]).ok().json()[name].clone()
}

/// Nothing is broken, neither for git nor for git-wf.
#[track_caller]
pub(super) fn assert_sound(repo: &Repo) {
    repo.git(&["fsck", "--strict"]).ok();
    repo.wf(&["fsck"]).ok();
}

/// The lock file that git creates while it moves the ref.
pub(super) fn ref_lock(repo: &Repo) -> std::path::PathBuf {
    Path::new(repo.path()).join(".git/refs/wf/main.lock")
}
