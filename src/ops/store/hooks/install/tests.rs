#![allow(clippy::unwrap_used)]

mod beside;
mod folder;
mod place;
mod running;
mod sections;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{HookChange, HookState, HooksAt, InstalledHook};
use crate::git::SharedMode;
use crate::ops::test_repo::TestRepo;

const NAMES: [&str; 5] = ["commit-msg", "post-commit", "post-merge", "post-rewrite", "pre-push"];

fn place(repo: &TestRepo) -> HooksAt {
    HooksAt::find(&repo.git, Some(&repo.root()), None, SharedMode::Umask).unwrap()
}

/// The path recorded for the program; there is no file unless a test creates one.
fn program(repo: &TestRepo) -> PathBuf {
    repo.root().parent().unwrap().join("bin $x `y` \"z\"/git-wf")
}

fn found(states: &[HookState]) -> Vec<InstalledHook> {
    states.iter().map(|state| state.installed).collect()
}

fn changes(states: &[HookState]) -> Vec<HookChange> {
    states.iter().map(|state| state.change).collect()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The names in a directory, sorted, without git's samples.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".sample"))
        .collect();
    names.sort();
    names
}
