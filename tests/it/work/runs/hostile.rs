//! Agents that do what they like. Each ends in a clear record, and leaves the user's branch, index and work tree as they
//! were.

use serde_json::Value;

use super::world::{BUILDS, PLANS, World};

/// The breaches in the log of the latest run.
fn breaches(world: &World) -> Vec<Value> {
    let log = world.repo.json(&["run", "log"]);
    log.as_array().unwrap().iter().filter(|entry| entry["type"] == "breach").cloned().collect()
}

#[test]
fn output_that_is_no_answer_is_named() {
    let much = "head -c 100000000 /dev/zero | tr '\\0' x";
    for (script, kind) in [
        (much, "no-answer"),
        ("exit 0", "no-answer"),
        ("echo '{\"status\": \"compl'", "unfit-answer"),
        ("echo '{\"status\": \"perfect\"}'", "unfit-answer"),
        ("kill -9 $$", "agent-killed"),
    ] {
        for role in ["planner", "executor"] {
            if role == "planner" && script == much {
                // Once is enough for so much.
                continue;
            }
            let world = World::new();
            world.agent(role, script);
            let state = world.run(1, &["ISS-1"]);
            assert_eq!(World::error(&state).0, kind, "{role} {script}: {state:#}");
            world.is_untouched();
            let transcripts = world.repo.path().join(".git/wf/runs");
            let size = world.repo.sh(&["-c", &format!("du -sk '{}' | cut -f1", transcripts.display())]).ok();
            assert!(size.line().parse::<u64>().unwrap() < 20_000, "{} KiB", size.line());
        }
    }
}

#[test]
fn an_agent_that_hangs_ends_with_all_that_it_started() {
    let world = World::new();
    world.repo.git(&["config", "wf.agent.executor.timeout", "1s"]).ok();
    let started = "sleep 600 & echo $! >> \"$HERE/pids\"\nsetsid sleep 600 & echo $! >> \"$HERE/pids\"\n\
                   (trap '' TERM HUP; setsid sh -c 'echo $$ >> \"$0/pids\"; sleep 600' \"$HERE\" &)";
    world.agent("executor", &format!("{started}\ntrap '' TERM\nwhile :; do sleep 600; done"));
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-timeout", "{state:#}");
    let pids = std::fs::read_to_string(world.sandbox.root().join("pids")).unwrap();
    assert!(pids.lines().count() >= 2, "{pids}");
    for pid in pids.lines() {
        assert_ne!(world.repo.sh(&["-c", &format!("kill -0 {pid}")]).code, 0, "{pid} is still there");
    }
    world.is_untouched();
}

#[test]
fn what_an_agent_says_cannot_steer_a_terminal() {
    let world = World::new();
    let evil = "\\033]0;owned\\007\\033[2J\\342\\200\\256";
    let failed = format!(
        "printf '{evil}' >&2; printf '{{\"status\": \"failed\", \"errors\": [{{\"message\": \"\\\\u001b[2Jx\"}}]}}'"
    );
    world.agent("executor", &failed);
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]).fails(1);
    let shown = [ran.stdout, ran.stderr, world.repo.wf(&["run", "log"]).ok().stdout];
    let report = ["", "--markdown", "--html"].map(|form| {
        let args = ["run", "report", form];
        world.repo.wf(&args[..if form.is_empty() { 2 } else { 3 }]).ok().stdout
    });
    for text in shown.iter().chain(&report) {
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\u{7}'),
            "{text:?}"
        );
    }
    world.is_untouched();
}

/// Git without the hooks of the run.
const FREE: &str = "git -c core.hooksPath=/dev/null";

#[test]
fn work_outside_of_its_plan_does_not_get_into_the_run() {
    for (act, kind) in [
        ("git rm -q b.txt && GIT commit -q --no-verify -m Delete", "unplanned-deletion"),
        (
            "GIT checkout -q --orphan new && GIT commit -q -m Anew && GIT branch -f \"$own\" && GIT checkout -q \"$own\"",
            "rewritten-branch",
        ),
        ("GIT checkout -q -b mine && echo x >> a.txt && GIT commit -q -a -m Mine", "other-branch"),
    ] {
        let world = World::new();
        world.repo.commit("b.txt", "b\n", "Begin");
        world.repo.git(&["reset", "-q", "--soft", "HEAD~1"]).ok();
        world.repo.git(&["commit", "-q", "--amend", "-m", "Begin"]).ok();
        let act = act.replace("GIT", FREE);
        world.agent("executor", &format!("own=$(git branch --show-current)\n{{ {BUILDS}; {act}; }} >\"$HERE/out\" 2>&1\necho '{{\"status\": \"completed\"}}'"));
        let state = world.run(1, &["ISS-1"]);
        let out = std::fs::read_to_string(world.sandbox.root().join("out")).unwrap();
        assert_eq!(World::error(&state).0, kind, "{state:#}\n{out}");
        let run = world.repo.json(&["run", "show"]);
        let branch = run["branch"].as_str().unwrap().to_owned();
        // The branch of the run goes if nothing came into it.
        assert_eq!(world.repo.git(&["for-each-ref", &branch]).ok().stdout, "", "{kind}");
        assert!(breaches(&world).iter().any(|it| it["agent"] == "executor"), "{kind}");
        world.is_untouched();
    }
}

#[test]
fn a_user_who_works_meanwhile_is_not_blamed() {
    let world = World::new();
    let code = world.repo.path().display().to_string();
    // The agent only looks.
    let looks = "git branch --list main; git branch --contains main; git tag -l; git stash list; git update-ref --stdin </dev/null";
    world.repo.sh(&["-c", "mkfifo ../thinks ../go"]).ok();
    let waits = "echo >\"$HERE/thinks\"; read _ <\"$HERE/go\"";
    world.agent("planner", &format!("{waits}; (cd '{code}'; {looks}) >/dev/null 2>&1\n{PLANS}"));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| world.run(0, &["ISS-1"]));
        // What the user does while the planner thinks.
        world.repo.sh(&["-c", "read _ <../thinks"]).ok();
        world.repo.commit("user.txt", "u\n", "User");
        world.repo.git(&["branch", "-q", "side"]).ok();
        world.repo.git(&["branch", "-q", "-D", "side"]).ok();
        world.repo.write("open.txt", "x\n");
        world.repo.sh(&["-c", "echo >../go"]).ok();
        run.join().unwrap();
    });
    assert_eq!(world.repo.git(&["log", "--format=%s", "main"]).ok().stdout, "User\nBegin\n");
    assert_eq!(world.repo.read("open.txt"), "x\n");
    let all = breaches(&world);
    assert!(all.iter().all(|it| it["agent"].is_null()), "{all:#?}");
    let what = all[0]["what"].as_str().unwrap();
    assert!(what.contains("open.txt") && what.contains("refs/heads/main moved"), "{all:#?}");
    assert_eq!(all[0]["undone"], false);
    assert_eq!(world.repo.json(&["run", "report"])["totals"]["breach_count"], 0);
    world.repo.wf(&["audit", "--strict", "main~1..main~1"]);
}

#[test]
fn an_agent_that_stops_its_watcher_ends_with_its_time() {
    let world = World::new();
    world.repo.git(&["config", "wf.agent.executor.timeout", "1s"]).ok();
    world.agent("executor", "echo $$ > \"$HERE/pid\"; kill -STOP $PPID; sleep 600");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-timeout", "{state:#}");
    let pid = std::fs::read_to_string(world.sandbox.root().join("pid")).unwrap();
    assert_ne!(world.repo.sh(&["-c", &format!("kill -0 {pid}")]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_resumed_run_ends_what_outlived_the_run_and_its_watchers() {
    let world = World::new();
    let kill = "setsid sh -c 'kill -9 $0 $(cat \"$1\"/code/.git/wf/runs/*/driving.lock)' $PPID \"$HERE\" &";
    world.agent(
        "executor",
        &format!("once x || {{ {BUILDS}; exit; }}; echo $$ > \"$HERE/pid\"; {kill} sleep 600"),
    );
    world.repo.wf(&["run", "--yes", "ISS-1"]).fails(-1);
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let pid = std::fs::read_to_string(world.sandbox.root().join("pid")).unwrap();
    let state = format!("test \"$(cut -d' ' -f3 /proc/{}/stat)\" != Z && kill -0 {0}", pid.trim());
    assert_ne!(world.repo.sh(&["-c", &state]).code, 0);
}

#[test]
fn a_commit_that_git_cannot_read_does_not_stop_the_run() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let malformed = "case $PWD in *ISS-1*)
        c=$(printf 'tree %s\nparent %s\nauthor x\ncommitter x\n\nx\n' $(git rev-parse 'HEAD^{tree}') $(git rev-parse HEAD) |
            git hash-object -t commit -w --stdin --literally)
        git -c core.hooksPath=/dev/null update-ref HEAD $c
        echo '{\"status\": \"completed\"}'
        exit ;;
    esac";
    world.agent("executor", &format!("{malformed}\n{BUILDS}"));
    let state = world.run(1, &["ISS-1", "ISS-2", "--jobs", "1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "failed", "{state:#}");
    assert_eq!(state["status"], "completed", "{state:#}");
    world.repo.wf(&["run", "resume"]).fails(3);
    world.is_untouched();
}
