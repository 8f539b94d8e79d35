//! Agents that put a pipe in the place of a file that git reads: git would wait for it without end.

use super::world::{BUILDS, World};

#[test]
fn a_pipe_in_the_place_of_a_file_stops_nobody() {
    for (path, told) in [
        ("$(git rev-parse --absolute-git-dir)/HEAD", "/HEAD of the git directory"),
        ("$HERE/code/.git/HEAD", "the file HEAD of the git directory"),
        ("$HERE/code/.git/packed-refs", "the file packed-refs of the git directory"),
        ("$(pwd)/.gitignore", "the file .gitignore of its worktree"),
        ("$(pwd)/.gitattributes", "the file .gitattributes of its worktree"),
    ] {
        let world = World::new();
        let pipe = format!("pipe=\"{path}\"; rm -f \"$pipe\"; mkfifo \"$pipe\"");
        world.agent("executor", &format!("{BUILDS}\n{pipe}"));
        let state = world.run(0, &["ISS-1"]);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{path}: {state:#}");
        let log = world.repo.json(&["run", "log"]);
        let log = log.as_array().unwrap();
        let is_told = |entry: &serde_json::Value| {
            let what = entry["what"].as_str().unwrap_or_default();
            entry["type"] == "breach" && what.contains(told) && what.contains("replaced by a pipe")
        };
        assert!(log.iter().any(is_told), "{path}: {log:#?}");
        world.is_untouched();
    }
}

#[test]
fn a_pipe_in_the_place_of_the_records_ends_the_run_at_most() {
    let world = World::new();
    let pipe = "if once piped; then p=\"$HERE/code/.git/refs/wf/main\"; rm -f \"$p\"; mkfifo \"$p\"; fi";
    world.agent("executor", &format!("{BUILDS}\n{pipe}"));
    // The run may read them before they are back, and stop; but it does not wait.
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]);
    if ran.code != 0 {
        assert!(ran.stderr.contains("refs/wf/main"), "{}", ran.stderr);
        world.repo.wf(&["run", "resume", "--yes"]).ok();
    }
    assert_eq!(world.repo.status("ISS-1"), "completed");
    world.is_untouched();
}
