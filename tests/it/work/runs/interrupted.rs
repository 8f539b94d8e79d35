//! Runs that are killed and resumed: the end is the same, and nothing is done twice.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::pair::{all_is_mended, five_bugs};
use crate::support::{Repo, Sandbox};

/// Starts a run and kills it, with all that it started, after it told so many things; what it told.
fn killed_after(repo: &Repo, args: &[&str], lines: usize) -> Vec<String> {
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), args)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let told: Vec<String> = stderr.lines().take(lines).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_the_same_end() {
    let sandbox = Sandbox::new();
    let Some(repo) = five_bugs(&sandbox) else { return };
    let mut told = killed_after(&repo, &["run", "--all-pending", "--jobs", "3", "--yes"], 4);
    // Each goes on a little further; a run is over at the latest when each of its steps was the first of a process.
    for lines in [3, 6, 2, 9, 4, 12, 5, 7] {
        if repo.json(&["run", "show"])["state"]["status"] == "completed" {
            break;
        }
        told = killed_after(&repo, &["run", "resume", "--yes"], lines);
    }
    drop(told);
    let last = repo.wf(&["run", "resume", "--yes", "--json"]);
    assert!(last.code == 0 || last.stderr.contains("no run is open"), "{}", last.stderr);
    let run = repo.json(&["run", "show"]);
    assert_eq!(run["state"]["status"], "completed", "{run:#}");
    assert_eq!(run["state"]["context"]["completed_count"], 5, "{run:#}");
    all_is_mended(&repo, run["branch"].as_str().unwrap().trim_start_matches("refs/heads/"));
    repo.wf(&["run", "resume"]).fails(3);
}
