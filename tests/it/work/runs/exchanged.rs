//! Agents that put something else in the place of a worktree of the run: it touches nothing of the user's.

use super::world::{BUILDS, World};

/// The world with a change of the user's that is not committed, and an executor that the run commits for.
fn world(act: &str) -> World {
    let world = World::new();
    world.repo.write("mine.txt", "mine\n");
    let code = world.repo.path().display().to_string();
    let script = act.replace("CODE", &code);
    world.agent("executor", &format!("{script}\necho two >> a.txt\necho '{{\"status\": \"completed\"}}'"));
    world.repo.git(&["config", "wf.agent.executor.commits", "false"]).ok();
    world
}

#[track_caller]
fn is_untouched(world: &World) {
    assert_eq!(world.repo.git(&["log", "--format=%s", "main"]).ok().stdout, "Begin\n");
    assert_eq!(world.repo.git(&["symbolic-ref", "HEAD"]).ok().line(), "refs/heads/main");
    assert_eq!(world.repo.git(&["status", "--porcelain"]).ok().stdout, "?? mine.txt\n");
    assert_eq!(world.repo.read("mine.txt"), "mine\n");
}

#[test]
fn nothing_is_committed_in_what_took_the_place_of_a_worktree() {
    for act in [
        "here=$PWD; cd ..; mv \"$here\" \"$here.away\"; ln -s 'CODE' \"$here\"; cd \"$here.away\"",
        "echo 'gitdir: CODE/.git' > .git",
        "rm .git; git init -q .",
    ] {
        let world = world(act);
        let state = world.run(1, &["ISS-1", "--retry", "0"]);
        assert_eq!(World::error(&state).0, "worktree-exchanged", "{act}: {state:#}");
        is_untouched(&world);
        let log = world.repo.json(&["run", "log"]);
        let breach = log.as_array().unwrap().iter().find(|entry| entry["type"] == "breach").unwrap();
        assert_eq!(breach["agent"], "executor", "{breach}");
        // The next attempt gets a worktree of its own.
        world.agent("executor", BUILDS);
        world.repo.git(&["config", "--unset", "wf.agent.executor.commits"]).ok();
        world.repo.wf(&["retry", "ISS-1"]).ok();
        world.run(0, &["ISS-1", "--execute-only"]);
        is_untouched(&world);
    }
}

#[test]
fn nothing_is_merged_into_what_took_the_place_of_the_worktree_of_the_branch() {
    for act in ["mv ../branch ../away; ln -s 'CODE' ../branch", "echo 'gitdir: CODE/.git' > ../branch/.git"] {
        let world = world(act);
        let state = world.run(0, &["ISS-1"]);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{act}: {state:#}");
        is_untouched(&world);
        let run = world.repo.json(&["run", "show"]);
        let branch = run["branch"].as_str().unwrap();
        assert!(world.repo.git(&["show", &format!("{branch}:a.txt")]).ok().stdout.contains("two"), "{act}");
    }
}
