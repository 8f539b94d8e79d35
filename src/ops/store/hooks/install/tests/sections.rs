//! Lines that other programs add to the file of a shim.

use std::fs;
use std::path::Path;

use super::super::{HookChange, HookSide, InstalledHook, install, status, uninstall};
use super::{place, program};
use crate::ops::test_repo::TestRepo;

const SECTION: &str = "## START OTHER\necho other\n## END OTHER\n";

fn with_section(repo: &TestRepo) -> std::path::PathBuf {
    install(&place(repo), Path::new("/old/git-wf"), HookSide::Client, false).unwrap();
    let hook = repo.hooks().join("post-commit");
    let text = fs::read_to_string(&hook).unwrap() + SECTION;
    fs::write(&hook, text.replacen("#!/bin/sh\n", "#!/bin/sh\nset -u\n", 1)).unwrap();
    hook
}

#[test]
fn they_stay_when_the_shim_is_renewed() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = with_section(&repo);
    assert_eq!(status(&at, &program(&repo))[1].installed, InstalledHook::Outdated);
    let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!((states[1].installed, &states[1].edited), (InstalledHook::Current, &None));
    let text = fs::read_to_string(&hook).unwrap();
    assert!(text.starts_with("#!/bin/sh\nset -u\n# git-wf hook shim") && text.ends_with(SECTION), "{text}");
    assert!(!text.contains("/old/git-wf"), "{text}");
}

#[test]
fn they_stay_as_a_hook_when_the_shim_is_removed() {
    let repo = TestRepo::new();
    let hook = with_section(&repo);
    let states = uninstall(&place(&repo)).unwrap();
    assert_eq!((states[1].change, states[1].installed), (HookChange::KeptOthers, InstalledHook::Foreign));
    assert_eq!(fs::read_to_string(&hook).unwrap(), format!("#!/bin/sh\nset -u\n{SECTION}"));
}

#[test]
fn they_follow_an_earlier_script_that_is_given_back() {
    let repo = TestRepo::new();
    repo.script(&repo.hooks().join("post-commit"), "echo earlier");
    let hook = with_section(&repo);
    assert_eq!(uninstall(&place(&repo)).unwrap()[1].change, HookChange::GivenBack);
    assert_eq!(fs::read_to_string(&hook).unwrap(), format!("#!/bin/sh\necho earlier\nset -u\n{SECTION}"));
    assert!(!repo.hooks().join("before-git-wf").exists());
}

#[test]
fn an_earlier_program_that_is_no_script_is_given_back_without_them() {
    let repo = TestRepo::new();
    std::os::unix::fs::symlink("/bin/true", repo.hooks().join("post-commit")).unwrap();
    let hook = with_section(&repo);
    let states = uninstall(&place(&repo)).unwrap();
    assert_eq!(fs::read_link(&hook).unwrap(), Path::new("/bin/true"));
    let kept = states[1].edited.as_ref().unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), format!("set -u\n{SECTION}"));
}
