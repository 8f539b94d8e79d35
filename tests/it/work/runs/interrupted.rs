//! Runs that are killed and resumed: the end is the same, and nothing is done twice.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::live::{Live, WAITS, branches, gate, latest, open};
use super::pair::{all_is_mended, five_bugs};
use super::world::{BUILDS, PLANS, World};
use crate::support::{Ran, Repo, Sandbox};

/// Numbers that look random, the same ones for each seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }
}

/// The points at which a transaction of the store, or a claim, can die.
const POINTS: [&str; 7] = ["object", "objects", "noted", "locked", "moved", "ensured", "claimed"];

/// Runs until a kill after some number of events or at some point of a transaction. Returns whether the run was killed
/// before it ended.
fn is_killed(repo: &Repo, args: &[&str], dice: &mut Dice) -> bool {
    if dice.below(2) == 0 {
        let point = format!("{}:{}", POINTS[dice.below(POINTS.len())], 1 + dice.below(9));
        return repo.with_env("WF_FAULT", &point).wf(args).code == -1;
    }
    let lines = 1 + dice.below(7);
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), args)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let told = stderr.lines().take(lines).count();
    child.kill().unwrap();
    child.wait().unwrap();
    told == lines
}

/// A seed that nobody chose, unless `WF_SEED` names one: a test that fails prints it.
fn seed() -> u64 {
    let named = std::env::var("WF_SEED").ok().and_then(|text| text.parse().ok());
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |now| now.as_nanos() as u64);
    let seed = named.unwrap_or_else(now).max(1);
    eprintln!("WF_SEED={seed}");
    seed
}

/// Nothing was done twice: one plan, one execution and one commit for each issue, each recorded once.
fn is_done_once(repo: &Repo, run: &Value, branch: &str) {
    let actions = run["state"]["completed_actions"].as_array().unwrap();
    assert!(actions.iter().all(|it| !it.as_str().unwrap().ends_with(":2")), "{actions:#?}");
    let mut subjects: Vec<String> = Vec::new();
    for n in 1..=5 {
        let issue = repo.json(&["show", &format!("ISS-{n}")]);
        let count = |name: &str| issue[name].as_array().map_or(0, Vec::len);
        assert_eq!((count("solutions"), count("executions")), (1, 1), "{issue:#}");
        let commits = issue["executions"][0]["commits"].as_array().unwrap();
        assert_eq!(commits.len(), 1, "{issue:#}");
        subjects.push(commits[0]["subject"].as_str().unwrap().to_owned());
    }
    let made = repo.git(&["log", "--no-merges", "--format=%s", &format!("main..{branch}")]).ok().stdout;
    let mut made: Vec<&str> = made.lines().collect();
    made.sort_unstable();
    subjects.sort_unstable();
    assert_eq!(made, subjects);
}

/// No workplace, and nothing that was kept for one.
fn no_workplace_is_left(repo: &Repo) {
    let names = |folder: &std::path::Path| -> Vec<String> {
        let entries = folder.read_dir().into_iter().flatten().map(Result::unwrap);
        let folders = entries.filter(|entry| entry.path().is_dir());
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(&repo.path().join(".git/wf/workplaces")), [""; 0]);
    let beside = names(repo.path().parent().unwrap());
    assert!(!beside.iter().any(|name| name.contains("RUN-")), "{beside:?}");
    assert_eq!(repo.git(&["for-each-ref", "refs/wf-kept"]).ok().stdout, "");
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).ok().stdout.matches("worktree ").count(), 1);
}

/// Resumes the run. A git that was killed may have left a lock, which only a person may remove: then it does what the
/// error says.
fn resumed(repo: &Repo, args: &[&str]) -> Ran {
    let last = repo.wf(args);
    let lock = last.stderr.split('`').find(|word| word.ends_with(".lock"));
    match lock.filter(|_| last.code != 0 && last.stderr.contains("remove that file and try again")) {
        Some(lock) => {
            std::fs::remove_file(lock).unwrap();
            repo.wf(args)
        }
        None => last,
    }
}

/// Runs over five issues, killing `kills` times and resuming each run until it ends.
fn killed_again_and_again(mut kills: usize) {
    let seed = seed();
    let mut dice = Dice(seed);
    while kills > 0 {
        let sandbox = Sandbox::new();
        let Some(repo) = five_bugs(&sandbox) else { return };
        let mut args = &["run", "--all-pending", "--jobs", "3", "--yes"][..];
        let is_recorded = || !repo.json(&["run", "list"]).as_array().unwrap().is_empty();
        while kills > 0 && is_killed(&repo, args, &mut dice) {
            kills -= 1;
            // A run that was killed before it was recorded is none.
            if is_recorded() {
                args = &["run", "resume", "--yes"];
            }
        }
        if args[1] == "resume" {
            let last = resumed(&repo, args);
            assert!(
                last.code == 0 || last.stderr.contains("there is no unfinished run"),
                "{seed}: {}",
                last.stderr
            );
        } else if !is_recorded() {
            // Otherwise, the first one came to its end before it could be killed.
            repo.wf(args).ok();
        }
        let run = repo.json(&["run", "show"]);
        assert_eq!(run["state"]["status"], "completed", "{seed}: {run:#}");
        assert_eq!(run["state"]["context"]["completed_count"], 5, "{seed}: {run:#}");
        assert!(run["breaches"].is_null(), "{seed}: {run:#}");
        let branch = run["branch"].as_str().unwrap().trim_start_matches("refs/heads/");
        all_is_mended(&repo, branch);
        is_done_once(&repo, &run, branch);
        no_workplace_is_left(&repo);
        repo.wf(&["run", "resume"]).fails(3);
    }
}

#[test]
fn runs_that_are_killed_thirty_times_come_to_the_same_end() {
    killed_again_and_again(30);
}

#[test]
fn a_run_that_was_killed_is_shown_as_interrupted_and_the_log_tells_how_it_went_on() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("if once killed; then {WAITS}; {WAITS}; fi; {BUILDS}"));
    let repo = &world.repo;
    let live = Live::until("ISS-1 About ISS-1: execution by executor", repo, &["run", "ISS-1", "--yes"]);
    // The agent is at work, and comes to the gate once more.
    open(&world);
    live.kill();
    let (run, list) = (latest(repo), repo.wf(&["run", "list"]).ok().stdout);
    assert!(list.contains("interrupted"), "{list}");
    let show = repo.wf(&["run", "show"]).ok().stdout;
    assert!(show.contains(&format!("`git wf run resume {run}` continues it")), "{show}");
    assert!(!show.contains("is on the branch"), "{show}");
    assert_eq!(repo.json(&["run", "show"])["driven"], "interrupted");
    let refused = repo.wf(&["run", "ISS-1", "--yes"]).fails(3).stderr;
    assert!(refused.contains("the interrupted run"), "{refused}");
    assert!(refused.contains(&format!("git wf run resume {run}")), "{refused}");

    repo.wf(&["run", "resume", "--yes"]).ok();
    let log = repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("resumed, executing"), "{log}");
    let show = repo.json(&["show", "ISS-1"]);
    let execution = &show["executions"][0];
    assert_eq!(execution["status"], "completed", "{show:#}");
    // Both times that the agent was asked are kept.
    let sessions = execution["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{show:#}");
    assert!(sessions[0]["summary"].as_str().unwrap().contains("interrupted"), "{show:#}");
    // The worktrees are gone.
    assert_eq!(repo.git(&["worktree", "list", "--porcelain"]).ok().stdout.matches("worktree ").count(), 1);
    world.is_untouched();
}

/// A run that was killed while its executor was at work; that one appends to `asked` whenever it is asked.
fn killed() -> World {
    let world = World::new();
    gate(&world);
    let script = format!("echo x >> \"$HERE/asked\"; if once killed; then {WAITS}; {WAITS}; fi; {BUILDS}");
    world.agent("executor", &script);
    let live =
        Live::until("ISS-1 About ISS-1: execution by executor", &world.repo, &["run", "ISS-1", "--yes"]);
    open(&world);
    live.kill();
    world
}

#[test]
fn a_resume_removes_the_locks_that_a_killed_git_left_in_what_is_the_runs_own() {
    let world = killed();
    let repo = &world.repo;
    let solution = repo.json(&["solution", "list", "ISS-1"])[0]["id"].as_str().unwrap().to_owned();
    let lock = |name: &str| {
        let path = repo.path().join(format!(".git/{name}.lock"));
        std::fs::write(&path, "").unwrap();
        path
    };
    let own = [
        lock(&format!("refs/heads/wf/{solution}")),
        lock(&format!("refs/heads/wf/{}", latest(repo))),
        lock(&format!("worktrees/{solution}/HEAD")),
        lock("worktrees/branch/ORIG_HEAD"),
    ];
    let of_others = [lock("refs/heads/mine"), lock("refs/heads/wf/SOL-ISS-9-1"), lock("HEAD")];
    repo.wf(&["run", "resume", "--yes"]).ok();
    let issue = repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["executions"].as_array().unwrap().len(), 1, "{issue:#}");
    assert_eq!(issue["status"], "completed", "{issue:#}");
    assert!(own.iter().all(|lock| !lock.exists()), "{own:?}");
    assert!(of_others.iter().all(|lock| lock.exists()), "{of_others:?}");
}

#[test]
fn a_lock_that_appears_during_a_run_stops_it_and_is_gone_after_a_resume() {
    let world = World::new();
    let locks = "touch \"$HERE/code/.git/$(git symbolic-ref HEAD).lock\"; echo '{\"status\": \"failed\"}'";
    world.agent("executor", &format!("if once failed; then {locks}; else {BUILDS}; fi"));
    let told = world.repo.wf(&["run", "ISS-1", "--yes", "--retry", "1"]).fails(1).stderr;
    assert!(told.contains("one that died left it behind") && told.contains("remove that file"), "{told}");
    assert!(told.contains("git wf run resume RUN-"), "{told}");
    assert_eq!(world.repo.json(&["run", "show"])["driven"], "interrupted");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["executions"].as_array().unwrap().len(), 2, "{issue:#}");
    assert_eq!(issue["status"], "completed", "{issue:#}");
}

#[test]
fn a_lock_on_what_all_share_stops_a_resume_before_an_agent_is_asked() {
    let world = killed();
    for name in ["packed-refs.lock", "config.lock"] {
        let lock = world.repo.path().join(".git").join(name);
        std::fs::write(&lock, "").unwrap();
        let refused = world.repo.refused(1, &["run", "resume", "--yes"]);
        assert_eq!(refused["code"], "lock-file", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(name), "{refused}");
        std::fs::remove_file(lock).unwrap();
    }
    let asked = || std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
    assert_eq!(asked(), "x\n");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!((asked().as_str(), world.repo.status("ISS-1").as_str()), ("x\nx\n", "completed"));
}

#[test]
fn who_agreed_to_the_tests_of_a_run_is_not_asked_again_when_it_is_resumed() {
    let world = World::new();
    gate(&world);
    world.agent("planner", &format!("if once killed; then {WAITS}; {WAITS}; fi; {PLANS}"));
    let repo = &world.repo;
    let live = Live::until("ISS-1 About ISS-1: planning by planner", repo, &["run", "ISS-1", "--yes"]);
    open(&world);
    live.kill();
    let agreed = repo.path().join(format!(".git/wf/runs/{}/agreed", latest(repo)));
    // The consent is what counts.
    let away = world.sandbox.root().join("agreed");
    std::fs::rename(&agreed, &away).unwrap();
    let refused = repo.wf(&["run", "resume"]).fails(1).stderr;
    assert!(refused.contains("nobody here has agreed to run the tests of the plans"), "{refused}");
    std::fs::rename(&away, &agreed).unwrap();
    repo.wf(&["run", "resume"]).ok();
    assert_eq!(repo.status("ISS-1"), "completed");
}

#[test]
fn work_that_is_completed_when_the_run_is_stopped_is_still_merged() {
    let world = World::new();
    gate(&world);
    world.repo.issue("ISS-2");
    world.agent("executor", &format!("if once stopped; then {WAITS}; fi; {BUILDS}"));
    let repo = &world.repo;
    let mut live =
        Live::until("ISS-1 About ISS-1: execution by executor", repo, &["run", "ISS-1", "ISS-2", "--yes"]);
    live.interrupt(repo);
    live.tells("stopping after the current steps");
    open(&world);
    let (code, told) = live.ends();
    assert!(
        code == 1 && told.contains("was stopped") && told.contains("git wf run resume"),
        "{code}: {told}"
    );
    assert!(told.contains("ISS-1 About ISS-1: merged into wf/RUN-"), "{told}");
    assert_eq!(repo.json(&["run", "show"])["driven"], "interrupted");
    repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!((repo.status("ISS-1"), repo.status("ISS-2")), ("completed".into(), "completed".into()));
}

#[test]
fn a_run_whose_branch_is_gone_is_not_begun_again_on_an_empty_one() {
    let world = World::new();
    gate(&world);
    world.repo.issue("ISS-2");
    world.agent("executor", &format!("if ! once first; then {WAITS}; fi; {BUILDS}"));
    let repo = &world.repo;
    Live::until("ISS-2 About ISS-2: execution by executor", repo, &["run", "ISS-1", "ISS-2", "--yes"]).kill();
    let run = latest(repo);
    let tree = format!("../code-{run}/branch");
    repo.git(&["worktree", "remove", "--force", &tree]).ok();
    repo.git(&["branch", "-q", "-D", &format!("wf/{run}")]).ok();
    let refused = repo.wf(&["run", "resume", "--yes"]).fails(1).stderr;
    assert!(refused.contains(&format!("this clone does not have the branch `wf/{run}`")), "{refused}");
    assert!(!branches(repo).contains(&run), "{}", branches(repo));
}

#[test]
fn an_agent_for_a_step_that_the_run_does_not_take_is_refused() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("if once killed; then {WAITS}; {WAITS}; fi; {BUILDS}"));
    let repo = &world.repo;
    let live = Live::until("execution by executor", repo, &["run", "ISS-1", "--yes"]);
    open(&world);
    live.kill();
    let refused = repo.wf(&["run", "resume", "--reviewer", "planner", "--yes"]).fails(2).stderr;
    assert!(refused.contains("has no review, so `--reviewer` would change nothing"), "{refused}");
    repo.wf(&["run", "resume", "--executor", "/nowhere/agent x", "--yes"]).fails(1);
    // Another agent takes over the step, and the first line says so.
    let root = world.sandbox.root().display();
    let resumed = repo.wf(&["run", "resume", "--executor", &format!("sh {root}/executor.sh"), "--yes"]).ok();
    assert!(resumed.stderr.contains("planner: planner, executor: executor.sh"), "{}", resumed.stderr);
    assert_eq!(repo.status("ISS-1"), "completed");
}

#[test]
fn commits_of_an_attempt_that_was_given_up_are_not_called_uncommitted() {
    let world = World::new();
    let repo = &world.repo;
    gate(&world);
    let half = "git commit -q --allow-empty -m Half";
    world.agent("executor", &format!("if once began; then {half}; {WAITS}; {WAITS}; fi\n{BUILDS}"));
    let live = Live::until("ISS-1 About ISS-1: execution by executor", repo, &["run", "ISS-1", "--yes"]);
    // It has made its commit, and comes to the gate once more.
    open(&world);
    live.kill();
    repo.wf(&["lease", "release", "ISS-1", "--force", "--reason", "ill"]).ok();
    repo.wf(&["run", "resume", "--yes"]).ok();
    let report = repo.wf(&["run", "report"]).ok().stdout;
    assert!(report.contains("has work of an attempt that was given up before it ended"), "{report}");
    let kept = repo.git(&["for-each-ref", "--format=%(subject)", "refs/heads/wf/kept"]).ok().stdout;
    assert_eq!(kept, "Half\n");
}

/// No branch `wf/kept/…` or `wf/kept-…` can be made when the run is resumed, so what its agent left stays where it is.
#[test]
fn what_cannot_be_kept_yet_is_not_lost() {
    let world = World::new();
    let repo = &world.repo;
    repo.sh(&["-c", "mkfifo ../up ../never"]).ok();
    let waits = "if once first; then echo mine > left.txt; echo > \"$HERE/up\"; cat \"$HERE/never\"; fi";
    world.agent("executor", &format!("{waits}; {BUILDS}"));
    let live = Live::until("ISS-1 About ISS-1: execution by executor", repo, &["run", "ISS-1", "--yes"]);
    std::fs::read(world.sandbox.root().join("up")).unwrap();
    live.kill();
    let short = repo.json(&["show", "ISS-1"])["executions"][0]["id"].as_str().unwrap()[..18].to_owned();
    let in_the_way = "
        kept=refs/heads/wf/kept-$(git wf show ISS-1 --json | grep -o 'EXR-ISS-1-[0-9a-z]*' | head -n 1 | cut -c1-18)
        { echo create refs/heads/wf/kept HEAD; echo create $kept/x HEAD
          for n in $(seq 2 30); do echo create $kept+$n/x HEAD; done; } | git update-ref --stdin";
    repo.sh(&["-c", in_the_way]).ok();
    let refused = repo.wf(&["run", "resume", "--yes"]).fails(1);
    assert!(refused.stderr.contains("cannot create the branch `wf/kept"), "{}", refused.stderr);
    let all = ["for-each-ref", "--format=delete %(refname)", "refs/heads/wf/kept", "refs/heads/wf/kept-*/**"];
    let refs = repo.git(&all).ok().stdout;
    repo.git_in(refs, &["update-ref", "--stdin"]).ok();
    repo.wf(&["run", "resume", "--yes"]).ok();
    let kept = branches(repo);
    let kept = kept
        .lines()
        .find(|branch| branch.starts_with("wf/kept"))
        .unwrap_or_else(|| panic!("{short}: {kept}"));
    assert_eq!(repo.git(&["show", &format!("{kept}:left.txt")]).ok().stdout, "mine\n");
}
