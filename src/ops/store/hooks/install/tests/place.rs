//! Which directory git names, and which directories are refused.

use std::fs;
use std::os::unix::fs::symlink;

use super::super::{HookChange, HookSide, HooksAt, InstallError, InstalledHook, install, status, uninstall};
use super::{NAMES, names, place, program};
use crate::git::{Git, SharedMode};
use crate::model::{Code, Explain};
use crate::ops::test_repo::TestRepo;

#[test]
fn a_configured_folder_is_relative_to_the_work_tree() {
    let repo = TestRepo::new();
    repo.run(&["config", "core.hooksPath", "tools/hooks"]);
    let at = place(&repo);
    assert_eq!(at.folder(), repo.root().join("tools/hooks"));
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(names(at.folder()), NAMES);
}

#[test]
fn a_folder_outside_is_refused() {
    let repo = TestRepo::new();
    let outside = repo.root().parent().unwrap().join("shared");
    repo.run(&["config", "core.hooksPath", outside.to_str().unwrap()]);
    let error = install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the hooks directory `{}` is outside this repository", outside.display())
    );
    assert_eq!(error.code(), Code::HooksOutside);
    assert!(format!("{:?}", error.remedies()).contains("git config core.hooksPath DIRECTORY"));
    assert!(!outside.exists());
    install(&place(&repo), &program(&repo), HookSide::Client, true).unwrap();
    assert_eq!(names(&outside), NAMES);
}

#[test]
fn a_folder_whose_name_only_begins_like_the_work_tree_is_outside() {
    let repo = TestRepo::new();
    repo.run(&["config", "core.hooksPath", "../repo-hooks"]);
    assert!(matches!(
        install(&place(&repo), &program(&repo), HookSide::Client, false),
        Err(InstallError::Outside { .. })
    ));
}

#[test]
fn a_link_to_a_folder_outside_is_outside() {
    let repo = TestRepo::new();
    let outside = repo.root().parent().unwrap().join("shared");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(repo.hooks()).unwrap();
    symlink(&outside, repo.hooks()).unwrap();
    assert!(matches!(
        install(&place(&repo), &program(&repo), HookSide::Client, false),
        Err(InstallError::Outside { .. })
    ));
    assert_eq!(names(&outside), [""; 0]);
}

#[test]
fn a_tracked_folder_is_refused() {
    for (configured, tracked) in [("*ooks", "*ooks/deep/pre-push"), (".", "file"), ("hooks", "hooks/README")]
    {
        let repo = TestRepo::new();
        repo.run(&["config", "core.hooksPath", configured]);
        fs::create_dir_all(repo.root().join(tracked).parent().unwrap()).unwrap();
        repo.stage(tracked, "text\n");
        let error = install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap_err();
        assert!(matches!(error, InstallError::Tracked { .. }), "{configured}");
        assert_eq!(error.code(), Code::HooksTracked);
        install(&place(&repo), &program(&repo), HookSide::Client, true).unwrap();
    }
}

#[test]
fn a_pattern_in_the_configured_path_is_a_name() {
    let repo = TestRepo::new();
    repo.run(&["config", "core.hooksPath", "*"]);
    repo.stage("file", "text\n");
    install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(names(&repo.root().join("*")), NAMES);
}

#[test]
fn a_second_worktree_shares_the_folder() {
    let repo = TestRepo::new();
    repo.run(&["config", "--unset", "core.hooksPath"]);
    repo.run(&["commit", "-q", "--allow-empty", "-m", "root"]);
    repo.run(&["worktree", "add", "-q", "../second"]);
    let second = repo.root().parent().unwrap().join("second");
    let git = Git::new(repo.root().join(".git/worktrees/second"), Some(&second));
    // A `core.hooksPath` in the configuration of the user who runs the tests would interfere; `Git` does not pass on
    // `-c`.
    if repo.git.is_set("core.hooksPath") {
        return;
    }
    let at = HooksAt::find(&git, Some(&second), None, SharedMode::Umask).unwrap();
    assert_eq!(at.folder(), repo.hooks());
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(names(&repo.hooks()), NAMES);
}

#[test]
fn a_bare_repository_has_hooks_too() {
    let repo = TestRepo::new();
    let bare = repo.root().parent().unwrap().join("bare.git");
    repo.run(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let git = Git::new(&bare, None);
    git.set_config("core.hooksPath", "hooks").unwrap();
    let at = HooksAt::find(&git, None, None, SharedMode::Umask).unwrap();
    assert_eq!(at.folder(), bare.join("hooks"));
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
}

#[test]
fn hooks_that_are_turned_off_are_an_error_even_with_force() {
    for value in ["/dev/null", "", "README"] {
        let repo = TestRepo::new();
        fs::write(repo.root().join("README"), "").unwrap();
        install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap();
        repo.run(&["config", "core.hooksPath", value]);
        for force in [false, true] {
            let error = install(&place(&repo), &program(&repo), HookSide::Client, force).unwrap_err();
            assert_eq!(error.code(), Code::HooksOff, "{value}");
            assert!(error.to_string().contains("(set in `"), "{error}");
            let remedies = format!("{:?}", error.remedies());
            assert!(remedies.contains("git config --local --unset-all core.hooksPath"), "{remedies}");
        }
        let states = status(&place(&repo), &program(&repo));
        assert!(
            states.iter().all(|state| state.installed == InstalledHook::Absent && state.calls.is_none()),
            "{states:?}"
        );
        let states = uninstall(&place(&repo)).unwrap();
        assert!(states.iter().all(|state| state.change == HookChange::Removed), "{states:?}");
    }
}
