//! Ctrl-C: once ends a run after the steps that are under way, twice at once. Either can be resumed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use super::live::Live;
use super::told::Told;
use super::waits::is_stopped_and_resumed;
use super::world::{BUILDS, PLANS, World};
use crate::support::{Ends, Repo, plan_on};

/// A run whose executor says when it is at work, by opening `up`, and goes on when someone opens `go`.
struct Held {
    world: World,
    run: Ends,
    told: Told,
}

impl Held {
    fn new() -> Self {
        let world = World::new();
        world.repo.sh(&["-c", "mkfifo ../up ../go"]).ok();
        world.agent(
            "executor",
            &format!("if once held; then echo $$ > \"$HERE/up\"; cat \"$HERE/go\"; fi\n{BUILDS}"),
        );
        let program = env!("CARGO_BIN_EXE_git-wf");
        let mut run = world.repo.command(program, &["run", "ISS-1", "--yes"]);
        let mut run = run.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let told = Told::of(run.stderr.take().unwrap());
        Self { world, run: Ends(run), told }
    }

    /// The process id of the agent, once it is at work.
    fn agent(&mut self) -> String {
        // Otherwise nobody would ever open `up`.
        self.told.until("execution by executor");
        std::fs::read_to_string(self.world.sandbox.root().join("up")).unwrap().trim().to_owned()
    }

    /// What Ctrl-C sends, until the run says these words.
    fn interrupt(&mut self, words: &str) {
        self.world.repo.sh(&["-c", &format!("kill -INT {}", self.run.0.id())]).ok();
        self.told.until(words);
    }

    /// How the run ended, and what it still said.
    fn ended(&mut self) -> (Option<i32>, String) {
        let rest = self.told.rest();
        (self.run.0.wait().unwrap().code(), rest)
    }

    fn resumed(&self) {
        let log = self.world.repo.wf(&["run", "log"]).ok().stdout;
        assert!(log.lines().last().unwrap().contains("stopped, "), "{log}");
        let shown = self.world.repo.wf(&["run", "show"]).ok().stdout;
        assert!(shown.contains(" stopped it; `git wf run resume"), "{shown}");
        self.world.repo.wf(&["run", "resume", "--yes"]).ok();
        let issue = self.world.repo.json(&["show", "ISS-1"]);
        assert_eq!(issue["status"], "completed", "{issue:#}");
        assert_eq!(issue["executions"].as_array().unwrap().len(), 1, "{issue:#}");
        assert_eq!(issue["executions"][0]["commits"].as_array().unwrap().len(), 1, "{issue:#}");
        self.world.is_untouched();
    }
}

#[test]
fn ctrl_c_lets_the_steps_under_way_come_to_their_end() {
    let mut held = Held::new();
    held.agent();
    held.interrupt("stopping after the current steps");
    std::fs::write(held.world.sandbox.root().join("go"), "").unwrap();
    let (code, rest) = held.ended();
    assert!(code == Some(1) && rest.contains("git wf run resume RUN-"), "{code:?} {rest}");
    // The step was recorded, its work is merged, and no other was begun.
    assert_eq!(held.world.repo.status("ISS-1"), "completed");
    let run = held.world.repo.json(&["run", "show"]);
    assert_eq!(run["state"]["status"], "running", "{run:#}");
    assert!(run["state"]["completed_actions"].to_string().contains("execute:ISS-1"), "{run:#}");
    assert!(run["state"]["completed_actions"].to_string().contains("integrate:ISS-1"), "{run:#}");
    held.resumed();
}

#[test]
fn a_second_ctrl_c_ends_the_agents_at_once() {
    let mut held = Held::new();
    let agent = held.agent();
    held.interrupt("stopping after the current steps");
    held.interrupt("stopping");
    let (code, rest) = held.ended();
    assert!(code == Some(1) && rest.contains("git wf run resume RUN-"), "{code:?} {rest}");
    assert_ne!(held.world.repo.sh(&["-c", &format!("kill -0 {agent}")]).code, 0, "the agent is still there");
    assert_eq!(held.world.repo.status("ISS-1"), "executing");
    held.resumed();
}

/// The repository of a world whose git runs this command of the shell when its arguments match this pattern and the file
/// `ready` is there.
fn with_git_that(world: &World, pattern: &str, does: &str) -> Repo {
    let folder = world.sandbox.root().join("wrapped");
    let here = world.sandbox.root().display();
    let script = format!("mkdir '{}'; cat >wrapped/git; chmod +x wrapped/git", folder.display(),);
    let git = format!(
        "#!/bin/sh
ready='{here}/ready'
case \" $* \" in {pattern})
  if [ -e \"$ready\" ]; then touch '{here}/interrupted'; {does}; fi ;;
esac
PATH=${{PATH#*:}} exec git \"$@\"
"
    );
    world.repo.sh_in(git, &["-c", &format!("cd .. && {script}")]).ok();
    let path = world.repo.sh(&["-c", "echo \"$PATH\""]).ok().line().to_owned();
    world.repo.with_env("PATH", &format!("{}:{path}", folder.display()))
}

/// An agent that says this once the file `ready` is there.
fn ready_after(world: &World, role: &str, says: &str) {
    world.agent(role, &format!("{says} > \"$HERE/said\"; touch \"$HERE/ready\"; cat \"$HERE/said\""));
}

#[test]
fn a_git_that_ctrl_c_ended_together_with_the_run_is_no_failure_of_a_step() {
    let rows = [
        // While someone looks whether a planner has changed anything.
        ("planner", PLANS, "*' status '*"),
        // While the work is tested, and while it is merged.
        ("executor", BUILDS, "*' status '*"),
        ("executor", BUILDS, "*' merge --quiet '*"),
    ];
    for (role, says, pattern) in rows {
        let world = World::new();
        ready_after(&world, role, says);
        // Ctrl-C reaches the run as well.
        let does = "rm \"$ready\"; kill -INT $PPID $$";
        let repo = with_git_that(&world, pattern, does);
        let ran = repo.wf(&["run", "ISS-1", "--yes"]);
        assert!(world.sandbox.root().join("interrupted").exists(), "{pattern}: {}", ran.stderr);
        is_stopped_and_resumed(&world, (ran.code, ran.stderr));
    }
}

#[test]
fn a_run_whose_git_is_ended_again_and_again_stops_and_says_so() {
    let world = World::new();
    // The second attempt would succeed.
    let again = "if once asked; then touch \"$HERE/ready\"; else rm -f \"$HERE/ready\"; fi";
    world.agent("executor", &format!("{BUILDS} > \"$HERE/said\"; {again}; cat \"$HERE/said\""));
    let repo = with_git_that(&world, "*' status --porcelain --untracked-files=normal '*", "kill -INT $$");
    let ran = repo.wf(&["run", "ISS-1", "--yes"]);
    assert!(
        ran.stderr.contains("a signal ended git, so the run stops after the current steps"),
        "{}",
        ran.stderr
    );
    std::fs::remove_file(world.sandbox.root().join("ready")).unwrap();
    is_stopped_and_resumed(&world, (ran.code, ran.stderr));
}

#[test]
fn a_git_of_the_run_itself_that_a_signal_ended_once_takes_no_agent_with_it() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let other = plan_on("b.txt").to_string().replace("a.txt", "b.txt");
    let other = other.replace("sh tests/bucket.sh", "test -s b.txt");
    std::fs::write(world.sandbox.root().join("other.json"), other).unwrap();
    world.agent(
        "planner",
        &format!("if grep -q 'About ISS-2'; then cat \"$HERE/other.json\"; else {PLANS}; fi"),
    );
    // The first one ends when the second one is at work, and is merged then.
    world.repo.sh(&["-c", "mkfifo ../up ../go"]).ok();
    let builds_other = BUILDS.replace("a.txt", "b.txt");
    world.agent(
        "executor",
        &format!(
            "if grep -q '\"ISS-2\"'; then echo > \"$HERE/up\"; read line < \"$HERE/go\"; {builds_other}
            else read line < \"$HERE/up\"; {BUILDS}; fi"
        ),
    );
    let repo = with_git_that(&world, "*' merge --quiet '*", "rm \"$ready\"; kill -INT $$");
    std::fs::write(world.sandbox.root().join("ready"), "").unwrap();
    let words = "a signal ended git, so the run stops after the current steps";
    let live = Live::until(words, &repo, &["run", "ISS-1", "ISS-2", "--jobs", "2", "--yes"]);
    // Open for reading as well, so that this does not wait for an agent that was ended.
    let mut go = File::options().read(true).write(true).open(world.sandbox.root().join("go")).unwrap();
    go.write_all(b"go\n").unwrap();
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains("was stopped") && told.contains("git wf run resume RUN-"), "{told}");
    assert_eq!(world.repo.status("ISS-2"), "completed", "{told}");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let actions = world.repo.json(&["run", "show"])["state"]["completed_actions"].to_string();
    for issue in ["ISS-1", "ISS-2"] {
        assert_eq!(world.repo.json(&["show", issue])["executions"].as_array().unwrap().len(), 1, "{issue}");
        assert!(actions.contains(&format!("\"integrate:{issue}\"")), "{actions}");
    }
    world.is_untouched();
}

#[test]
fn ctrl_c_ends_a_run_that_is_over_and_whose_answer_nobody_reads() {
    let world = World::new();
    // The answer is longer than a pipe.
    let long = "head -c 300000 /dev/zero | tr '\\0' x";
    world.agent(
        "executor",
        &format!("printf '{{\"status\": \"failed\", \"errors\": [{{\"message\": \"%s\"}}]}}' \"$({long})\""),
    );
    let mut run = world.repo.command(env!("CARGO_BIN_EXE_git-wf"), &["run", "ISS-1", "--yes", "--json"]);
    let mut run = Ends(run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut answer = run.0.stdout.take().unwrap();
    answer.read_exact(&mut [0]).unwrap();
    world.repo.sh(&["-c", &format!("kill -INT {}", run.0.id())]).ok();
    // Should it go on, it comes to its end.
    answer.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(run.0.wait().unwrap().signal(), Some(2));
}
