//! Clones of different people, whose clocks are up to a day wrong, and the script of the commands that ran in them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use serde_json::Value;

use super::random::Random;
use crate::support::{Ran, Repo, START, Sandbox};

/// The bare remotes through which replicas sync; the other replicas are remotes, too.
pub(super) const HUBS: [&str; 2] = ["hub-1", "hub-2"];

/// The letters of entries that nobody wrote: whatever has them in its name is no record.
pub(super) const MADE_UP: &str = "0hfxqw582e0cv9bakm5phczz7x";

/// The clock of each replica: seconds ahead of the true time, and the time zone.
const CLOCKS: [(i64, &str); 4] = [(0, "+0000"), (86_000, "+0530"), (-86_000, "-0800"), (3_599, "+1345")];

const PEOPLE: [(&str, &str); 4] = [
    ("Ada", "ada@example.org"),
    ("Bea", "bea@example.org"),
    ("Cem", "cem@example.org"),
    ("Dao", "dao@example.org"),
];

/// Four replicas, the last of which is a `cp -r` of the third, and two bare remotes.
pub(super) struct Replicas {
    sandbox: Sandbox,
    repos: Vec<Repo>,
    tick: i64,
    script: Vec<String>,
    /// Whether several of them may write under one stamp, as no program does; such stamps are reported.
    pub(super) may_share_stamps: bool,
}

impl Replicas {
    /// Three clones. [`Replicas::copy`] makes the fourth, once there is something to copy.
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        for hub in HUBS {
            sandbox.bare(hub);
        }
        let (repos, script) = (Vec::new(), Vec::new());
        let mut all = Self { sandbox, repos, tick: 0, script, may_share_stamps: false };
        for (n, (name, email)) in PEOPLE.into_iter().take(3).enumerate() {
            let repo = all.sandbox.repo(&name.to_lowercase()).as_person(name, email);
            for other in HUBS.iter().copied().chain(["ada", "bea", "cem", "dao"]) {
                repo.git(&["remote", "add", other, &format!("../{other}")]).ok();
            }
            repo.git(&["config", "wf.remote", HUBS[0]]).ok();
            all.repos.push(repo);
            all.wf(n, &["init"]).ok();
        }
        all
    }

    /// A copy of the third replica's directory under another name, including the claims of its worktree.
    pub(super) fn copy(&mut self) {
        let to = self.sandbox.root().join("dao");
        self.script.push("cp -r cem dao".into());
        let done = self.repos[2].command("cp", &["-r", ".", to.to_str().unwrap()]).status().unwrap();
        assert!(done.success());
        let (name, email) = PEOPLE[3];
        self.repos.push(self.sandbox.at("dao").as_person(name, email));
    }

    pub(super) fn len(&self) -> usize {
        self.repos.len()
    }

    pub(super) fn name(&self, n: usize) -> &'static str {
        ["ada", "bea", "cem", "dao"][n]
    }

    /// The repository as this replica's person sees it now. The clock advances by a few seconds with each call, and
    /// sometimes goes back.
    pub(super) fn at(&mut self, n: usize) -> Repo {
        self.tick += 1;
        let (offset, zone) = CLOCKS[n];
        // Every ninth command runs on a clock that was just set back.
        let back = if self.tick % 9 == 0 { 40 } else { 0 };
        let date = format!("{} {zone}", START + 86_400 + offset + self.tick * 3 - back);
        self.repos[n].with_env("GIT_COMMITTER_DATE", &date).with_env("GIT_AUTHOR_DATE", &date)
    }

    pub(super) fn wf(&mut self, n: usize, args: &[&str]) -> Ran {
        self.wf_in(n, "", args)
    }

    pub(super) fn wf_in(&mut self, n: usize, stdin: &str, args: &[&str]) -> Ran {
        let repo = self.at(n);
        let ran = repo.wf_in(stdin, args);
        self.script.push(format!("{}$ git wf {} → {}", self.name(n), args.join(" "), ran.code));
        ran
    }

    pub(super) fn git(&mut self, n: usize, args: &[&str]) -> Ran {
        let ran = self.at(n).git(args);
        self.script.push(format!("{}$ git {} → {}", self.name(n), args.join(" "), ran.code));
        ran
    }

    /// Runs a command that may be refused, but may not fail in another way.
    #[track_caller]
    pub(super) fn may(&mut self, n: usize, stdin: &str, args: &[&str]) -> Ran {
        let ran = self.wf_in(n, stdin, args);
        let is_uncontended = matches!(ran.code, 0 | 1 | 3) && !ran.stderr.contains("panicked");
        assert!(
            is_uncontended,
            "`git wf {}` exited with {}\n{}{}",
            args.join(" "),
            ran.code,
            ran.stdout,
            ran.stderr
        );
        ran
    }

    /// One of the remotes, for someone with push access and no clone.
    pub(super) fn hub(&mut self, n: usize) -> Repo {
        self.script.push(format!("someone changes {}", HUBS[n]));
        self.sandbox.at(HUBS[n])
    }

    pub(super) fn tip(&mut self, n: usize) -> String {
        self.repos[n].tip().unwrap()
    }

    pub(super) fn tree(&mut self, n: usize) -> String {
        self.repos[n].git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned()
    }

    pub(super) fn json(&mut self, n: usize, args: &[&str]) -> Value {
        self.wf(n, &[&["--json"], args].concat()).ok().json()
    }

    /// One replica syncs with a hub or another replica.
    pub(super) fn meet(&mut self, n: usize, random: &mut Random) {
        match random.below(6) {
            0 | 1 => self.may(n, "", &["sync", HUBS[0]]).ok(),
            2 => self.may(n, "", &["sync", HUBS[1]]).ok(),
            3 => self.may(n, "", &["pull", HUBS[1]]).ok(),
            _ => {
                let other = (n + 1 + random.below(self.len() - 1)) % self.len();
                let other = self.name(other);
                self.may(n, "", &["pull", other]).ok()
            }
        };
    }

    /// Everyone syncs with everyone.
    pub(super) fn meet_all(&mut self) {
        for hub in [HUBS[1], HUBS[0], HUBS[0]] {
            for n in 0..self.len() {
                self.wf(n, &["sync", hub]).ok();
            }
        }
    }

    /// What must hold after everyone has synced with everyone.
    pub(super) fn assert_settled(&mut self) {
        let trees: Vec<String> = (0..self.len()).map(|n| self.tree(n)).collect();
        assert!(trees.iter().all(|tree| *tree == trees[0]), "different trees: {trees:?}");
        let tips: Vec<String> = (0..self.len()).map(|n| self.tip(n)).collect();
        assert!(tips.iter().all(|tip| *tip == tips[0]), "different heads: {tips:?}");
        for round in [HUBS[1], HUBS[0]] {
            for n in 0..self.len() {
                self.wf(n, &["sync", round]).ok();
                let next = self.name((n + 1) % self.len());
                self.wf(n, &["pull", next]).ok();
                assert_eq!(self.tip(n), tips[0], "an idle round made a commit");
            }
        }
        for n in 0..self.len() {
            let found = self.wf(n, &["--json", "fsck"]).json();
            let is_shared = |it: &&Value| {
                self.may_share_stamps && it["what"].as_str().unwrap().ends_with("under the same stamp")
            };
            let faults = found.as_array().unwrap().iter().filter(|it| is_fault(it));
            let errors: Vec<&Value> = faults.filter(|it| !is_shared(it)).collect();
            assert!(errors.is_empty(), "{errors:#?}");
            self.git(n, &["fsck", "--strict", "--no-dangling"]).ok();
        }
    }

    /// Runs `steps`. If that panics, or `WF_SCRIPT` is set, prints the script of the commands with `seed`.
    pub(super) fn watched(mut self, seed: u64, steps: impl FnOnce(&mut Self)) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| steps(&mut self))) {
            eprintln!("seed {seed}; WF_KEEP_SANDBOX=1 keeps the repositories\n{}", self.script.join("\n"));
            if std::env::var_os("WF_KEEP_SANDBOX").is_some() {
                // A directory that is dropped during a panic is kept.
                std::mem::forget(self);
            }
            resume_unwind(panic);
        }
        if std::env::var_os("WF_SCRIPT").is_some() {
            eprintln!("{}", self.script.join("\n"));
        }
    }
}

/// Two sides can each add a dependency that closes a cycle with the other's: a merge keeps both, and `fsck` reports
/// it. It also reports what replicas wrote whose clocks are days apart, and what is no record.
fn is_fault(finding: &Value) -> bool {
    let what = finding["what"].as_str().unwrap();
    let is_told = what.starts_with("dependency cycle")
        || what.contains("ahead of the clock of this machine")
        || finding["path"].as_str().is_some_and(|path| path.contains(MADE_UP));
    finding["severity"] == "error" && !is_told
}

/// An issue and its executions agree.
#[track_caller]
pub(super) fn assert_agrees(issue: &Value) {
    let statuses: Vec<&str> =
        issue["executions"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect();
    let executing = statuses.iter().filter(|status| **status == "executing").count();
    assert!(executing <= 1, "{executing} executions at once: {issue:#}");
    let status = issue["status"].as_str().unwrap();
    if matches!(status, "executing" | "completed" | "failed") {
        assert!(statuses.contains(&status), "{issue:#}");
    }
}
