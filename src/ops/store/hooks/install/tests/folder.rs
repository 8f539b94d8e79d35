//! What install, uninstall and status do to the files in the directory.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::super::{
    HookChange, HookSide, InstallError, InstalledHook, Slot, install, shim, stage, status, uninstall,
};
use super::{NAMES, changes, found, mode, names, place, program};
use crate::ops::test_repo::TestRepo;

#[test]
fn shims_come_and_go() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let program = program(&repo);
    fs::remove_dir_all(repo.hooks()).unwrap();
    assert_eq!(found(&status(&at, &program)), [InstalledHook::Absent; NAMES.len()]);
    let states = install(&at, &program, HookSide::Client, false).unwrap();
    assert_eq!(found(&states), [InstalledHook::Current; NAMES.len()]);
    assert_eq!(changes(&states), [HookChange::Written; NAMES.len()]);
    assert_eq!(names(&repo.hooks()), NAMES);
    assert_eq!(mode(&repo.hooks().join("commit-msg")), 0o755);
    let again = install(&at, &program, HookSide::Client, false).unwrap();
    assert_eq!(changes(&again), [HookChange::None; NAMES.len()]);
    let states = uninstall(&at).unwrap();
    assert_eq!(changes(&states), [HookChange::Removed; NAMES.len()]);
    assert_eq!(found(&states), [InstalledHook::Absent; NAMES.len()]);
    assert_eq!(names(&repo.hooks()), [""; 0]);
    assert_eq!(changes(&uninstall(&at).unwrap()), [HookChange::None; NAMES.len()]);
}

#[test]
fn an_earlier_hook_comes_back_as_it_was() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = repo.hooks().join("commit-msg");
    let aside = repo.hooks().join("before-git-wf/commit-msg");
    let bytes = b"#!/bin/sh\r\n\xff no newline";
    fs::write(&hook, bytes).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(found(&status(&at, &program(&repo)))[0], InstalledHook::Foreign);
    for _ in 0..2 {
        let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
        assert_eq!(states[0].earlier.as_deref(), Some(&*aside));
        assert_eq!(states[0].installed, InstalledHook::Current);
        assert_eq!((fs::read(&aside).unwrap(), mode(&aside)), (bytes.to_vec(), 0o640));
    }
    let states = uninstall(&at).unwrap();
    assert_eq!(
        changes(&states),
        [
            HookChange::GivenBack,
            HookChange::Removed,
            HookChange::Removed,
            HookChange::Removed,
            HookChange::Removed
        ]
    );
    assert_eq!((states[0].installed, &states[0].earlier), (InstalledHook::Foreign, &None));
    assert_eq!((fs::read(&hook).unwrap(), mode(&hook)), (bytes.to_vec(), 0o640));
    assert_eq!(names(&repo.hooks()), ["commit-msg"]);
}

#[test]
fn a_link_is_moved_not_what_it_points_to() {
    let repo = TestRepo::new();
    let at = place(&repo);
    for (name, target) in [("commit-msg", "../target"), ("post-commit", "/nowhere/dangling")] {
        symlink(target, repo.hooks().join(name)).unwrap();
    }
    repo.script(&repo.root().join(".git/target"), "exit 0");
    let before = fs::read(repo.root().join(".git/target")).unwrap();
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    let link = |name: &str| fs::read_link(repo.hooks().join(name));
    assert_eq!(link("before-git-wf/commit-msg").unwrap(), Path::new("../../target"));
    assert!(repo.hooks().join("before-git-wf/commit-msg").exists(), "it leads where it led before");
    assert_eq!(link("before-git-wf/post-commit").unwrap(), Path::new("/nowhere/dangling"));
    assert_eq!(fs::read(repo.root().join(".git/target")).unwrap(), before);
    uninstall(&at).unwrap();
    assert_eq!(link("commit-msg").unwrap(), Path::new("../target"));
    assert_eq!(link("post-commit").unwrap(), Path::new("/nowhere/dangling"));
}

#[test]
fn a_link_to_a_shim_is_replaced_and_its_target_left() {
    let repo = TestRepo::new();
    let other = repo.root().join("other");
    fs::write(&other, shim::SHIMS[0].text(Path::new("/other/git-wf"))).unwrap();
    let before = fs::read(&other).unwrap();
    symlink(&other, repo.hooks().join("commit-msg")).unwrap();
    let states = install(&place(&repo), &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(states[0].earlier, None);
    assert!(fs::symlink_metadata(repo.hooks().join("commit-msg")).unwrap().is_file());
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn an_outdated_shim_is_rewritten_and_the_earlier_hook_kept() {
    let repo = TestRepo::new();
    let at = place(&repo);
    repo.script(&repo.hooks().join("post-commit"), "echo earlier");
    install(&at, Path::new("/old/git-wf"), HookSide::Client, false).unwrap();
    fs::write(repo.hooks().join("post-commit"), "#!/bin/sh\n# git-wf hook shim, version 0\nexit 0\n")
        .unwrap();
    assert_eq!(found(&status(&at, &program(&repo))), [InstalledHook::Outdated; NAMES.len()]);
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(found(&status(&at, &program(&repo))), [InstalledHook::Current; NAMES.len()]);
    let earlier = fs::read_to_string(repo.hooks().join("before-git-wf/post-commit")).unwrap();
    assert!(earlier.contains("echo earlier"));
    fs::set_permissions(repo.hooks().join("commit-msg"), fs::Permissions::from_mode(0o644)).unwrap();
    let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!(
        changes(&states),
        [HookChange::Written, HookChange::None, HookChange::None, HookChange::None, HookChange::None]
    );
    assert_eq!(mode(&repo.hooks().join("commit-msg")), 0o755);
}

#[test]
fn an_edited_shim_is_moved_aside() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = repo.hooks().join("commit-msg");
    let edit = |words: &str| {
        let text = fs::read_to_string(&hook).unwrap();
        let text = text.replace("# The earlier hook", &format!("{words}\n# The earlier hook"));
        fs::write(&hook, &text).unwrap();
        text
    };
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    let first = edit("echo first");
    let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
    let aside = repo.hooks().join("commit-msg.edited-git-wf");
    assert_eq!((states[0].edited.as_ref(), states[1].edited.as_ref()), (Some(&aside), None));
    assert_eq!((states[0].installed, states[0].change), (InstalledHook::Current, HookChange::Written));
    let second = edit("echo second");
    let states = uninstall(&at).unwrap();
    let beside = repo.hooks().join("commit-msg.edited-git-wf.2");
    assert_eq!((states[0].edited.as_ref(), states[1].edited.as_ref()), (Some(&beside), None));
    assert_eq!((states[0].installed, states[0].change), (InstalledHook::Absent, HookChange::Removed));
    assert_eq!([&aside, &beside].map(|path| fs::read_to_string(path).unwrap()), [first, second]);
    // A shim for another program is not an edited shim.
    install(&at, Path::new("/it's/elsewhere/git-wf"), HookSide::Client, false).unwrap();
    assert!(
        install(&at, &program(&repo), HookSide::Client, false)
            .unwrap()
            .iter()
            .all(|state| state.edited.is_none())
    );
}

#[test]
fn a_hook_that_replaced_the_shim_is_left_alone() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = repo.hooks().join("post-rewrite");
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    repo.script(&hook, "echo foreign");
    let states = uninstall(&at).unwrap();
    assert_eq!(states[3].change, HookChange::LeftAlone);
    assert_eq!(states[3].installed, InstalledHook::Foreign);
    assert_eq!(fs::read_to_string(&hook).unwrap(), "#!/bin/sh\necho foreign\n");
}

#[test]
fn of_two_earlier_hooks_neither_is_lost() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = repo.hooks().join("post-rewrite");
    let aside = repo.hooks().join("before-git-wf/post-rewrite");
    repo.script(&hook, "echo first");
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    repo.script(&hook, "echo second");
    fs::remove_file(repo.hooks().join("commit-msg")).unwrap();
    for force in [false, true] {
        let error = install(&at, &program(&repo), HookSide::Client, force).unwrap_err();
        assert!(matches!(error, InstallError::TwoEarlier { name: "post-rewrite", .. }));
        for path in [&hook, &aside] {
            assert!(error.to_string().contains(&format!("`{}`", path.display())));
        }
        assert!(!repo.hooks().join("commit-msg").exists(), "nothing is touched");
    }
    assert_eq!(uninstall(&at).unwrap()[3].change, HookChange::LeftAlone);
    assert!(fs::read_to_string(&hook).unwrap().contains("second"));
    let displaced = repo.hooks().join("post-rewrite.earlier-git-wf");
    assert!(fs::read_to_string(displaced).unwrap().contains("first"));
    assert!(!aside.parent().unwrap().exists());
}

#[test]
fn the_hook_of_a_manager_takes_the_place_of_the_one_before_it() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let hook = repo.hooks().join("commit-msg");
    repo.script(&hook, "echo first");
    install(&at, &program(&repo), HookSide::Client, false).unwrap();
    fs::rename(&hook, repo.hooks().join("commit-msg.old")).unwrap();
    repo.script(&hook, "call_lefthook run commit-msg");
    let state = install(&at, &program(&repo), HookSide::Client, false).unwrap().swap_remove(0);
    let displaced = repo.hooks().join("commit-msg.earlier-git-wf");
    assert_eq!((state.installed, state.displaced.as_deref()), (InstalledHook::Current, Some(&*displaced)));
    assert!(fs::read_to_string(&displaced).unwrap().contains("first"));
    assert_eq!(uninstall(&at).unwrap()[0].change, HookChange::GivenBack);
    assert!(fs::read_to_string(&hook).unwrap().contains("call_lefthook"));
    assert_eq!(names(&repo.hooks()), ["commit-msg", "commit-msg.earlier-git-wf"]);
}

#[test]
fn an_interrupted_install_can_be_finished_or_undone() {
    let repo = TestRepo::new();
    let at = place(&repo);
    let aside = repo.hooks().join("before-git-wf/commit-msg");
    repo.script(&aside, "echo earlier");
    assert_eq!(uninstall(&at).unwrap()[0].change, HookChange::GivenBack);
    fs::create_dir(repo.hooks().join("before-git-wf")).unwrap();
    fs::rename(repo.hooks().join("commit-msg"), &aside).unwrap();
    let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
    assert_eq!((states[0].installed, states[0].earlier.as_deref()), (InstalledHook::Current, Some(&*aside)));
}

#[test]
fn a_hook_is_back_in_its_place_when_the_shim_cannot_be() {
    let repo = TestRepo::new();
    let at = place(&repo);
    repo.script(&repo.hooks().join("commit-msg"), "echo earlier");
    let slot = Slot::look(&at, &shim::SHIMS[0]);
    let staged = stage(&at, b"#!/bin/sh\n").unwrap();
    fs::remove_file(&staged).unwrap();
    assert!(matches!(slot.install(&at, staged), Err(InstallError::Io { what: "write", .. })));
    assert_eq!(names(&repo.hooks()), ["commit-msg"]);
    assert!(fs::read_to_string(repo.hooks().join("commit-msg")).unwrap().contains("earlier"));
}

#[test]
fn states_are_words_in_json() {
    let repo = TestRepo::new();
    repo.script(&repo.hooks().join("commit-msg"), "exit 0");
    let states = uninstall(&place(&repo)).unwrap();
    let json = serde_json::to_string(&states[0]).unwrap();
    let expected = r#"{"name":"commit-msg","installed":"foreign","calls":null,"manager":null,"through":null,"replaced":null,"earlier":null,"earlier_manager":null,"edited":null,"displaced":null,"change":"left-alone"}"#;
    assert_eq!(json, expected);
}

#[test]
fn a_tool_that_wrote_its_hook_once_more_over_the_shim_is_no_trouble() {
    let repo = TestRepo::new();
    let at = place(&repo);
    for is_installed_again in [true, false] {
        repo.script(&repo.hooks().join("commit-msg"), "echo tool");
        install(&at, &program(&repo), HookSide::Client, false).unwrap();
        repo.script(&repo.hooks().join("commit-msg"), "echo tool");
        if is_installed_again {
            let states = install(&at, &program(&repo), HookSide::Client, false).unwrap();
            assert_eq!(
                (states[0].installed, states[0].change),
                (InstalledHook::Current, HookChange::Written)
            );
        }
        uninstall(&at).unwrap();
        assert_eq!(names(&repo.hooks()), ["commit-msg"]);
        assert_eq!(fs::read_to_string(repo.hooks().join("commit-msg")).unwrap(), "#!/bin/sh\necho tool\n");
    }
}
