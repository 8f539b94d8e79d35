//! A full disk, or no permission to write: a clear error, and the old state.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::scene::{Scenes, Write, assert_sound, ref_lock, writes};
use crate::support::{Ran, Repo};

/// Runs the binary with files limited to this many blocks of 512 bytes. Writes beyond that get an error, as on a full
/// disk, instead of the signal.
fn limited(repo: &Repo, write: &Write, blocks: u32) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let args = [&["-c", &script, env!("CARGO_BIN_EXE_git-wf")], write.args].concat();
    repo.sh_in((write.stdin)(), &args)
}

#[track_caller]
fn assert_refused(repo: &Repo, ran: &Ran, before: Option<&str>, what: &str) {
    ran.clone().fails(1);
    assert_eq!(ran.stdout, "", "{what}");
    assert!(ran.stderr.starts_with("error: "), "{what}: {}", ran.stderr);
    assert_eq!(repo.tip().as_deref(), before, "{what}");
    assert!(!ref_lock(repo).exists(), "{what}");
}

#[test]
fn files_may_not_grow() {
    let scenes = Scenes::new();
    // A sync is mostly git's work, and git has its own messages.
    for write in writes().iter().filter(|write| write.name != "sync") {
        for blocks in [0, 1, 2, 4] {
            let repo = scenes.copy();
            let what = format!("{} with {blocks} blocks", write.name);
            let before = repo.tip();
            let ran = limited(&repo, write, blocks);
            if ran.code == 0 {
                assert!((write.is_done)(&repo), "{what}");
            } else {
                assert_refused(&repo, &ran, before.as_deref(), &what);
                repo.wf_in((write.stdin)(), write.args).ok();
            }
            assert_sound(&repo);
        }
    }
}

#[test]
fn a_disk_without_room() {
    let scenes = Scenes::new();
    let scene = scenes.copy();
    let disk = scene.path().parent().unwrap().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        println!("skipped: nothing can be mounted here");
        return;
    }
    struct Mounted<'a>(&'a Path);
    impl Drop for Mounted<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
        }
    }
    let _mounted = Mounted(&disk);
    let repo = scenes.on_disk(&scene, &disk);
    let mut titles = 0;
    // Filled to the last byte, then freed little by little: the write fails at every place where it can.
    let filler = disk.join("filler");
    let (mut free, mut step) = (0_u64, 0);
    let full = fill(&filler);
    loop {
        let file = std::fs::OpenOptions::new().write(true).open(&filler).unwrap();
        file.set_len(full.saturating_sub(free)).unwrap();
        let before = repo.tip();
        let ran = repo.wf(&["new", &format!("With {free} bytes")]);
        if ran.code == 0 {
            titles += 1;
        } else {
            assert_refused(&repo, &ran, before.as_deref(), &format!("{free} bytes free"));
        }
        // What a failed write leaves takes up space, so more must be freed each time.
        step += 4096;
        free += step;
        if titles == 3 {
            break;
        }
        assert!(free < 1 << 20, "{}", ran.stderr);
    }
    std::fs::remove_file(&filler).unwrap();
    repo.wf(&["new", "Room again"]).ok();
    assert_sound(&repo);
}

fn fill(path: &Path) -> u64 {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    file.metadata().unwrap().len()
}

#[test]
fn a_repository_that_may_only_be_read() {
    let scenes = Scenes::new();
    let repo = scenes.copy();
    let before = repo.tip();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let reader = if is_root {
        let known = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status();
        if !known.is_ok_and(|status| status.success()) {
            println!("skipped: root may write everywhere, and there is no setpriv to be someone else");
            return;
        }
        for folder in repo.path().ancestors().take(3) {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        repo.git(&["config", "--global", "safe.directory", "*"]).ok();
        repo.clone()
    } else {
        repo.sh(&["-c", "chmod -R a-w .git"]).ok();
        repo.clone()
    };
    let run = |args: &[&str]| {
        if is_root {
            reader.sh(&[
                &[
                    "-c",
                    "exec setpriv --reuid=65534 --clear-groups \"$0\" \"$@\"",
                    env!("CARGO_BIN_EXE_git-wf"),
                ],
                args,
            ]
            .concat())
        } else {
            reader.wf(args)
        }
    };
    let listed = run(&["list", "--json"]).ok();
    assert!(listed.stdout.contains("GH-1"));
    for write in writes().iter().filter(|write| (write.stdin)().is_empty()) {
        let ran = run(write.args);
        assert_refused(&repo, &ran, before.as_deref(), write.name);
        assert!(ran.stderr.contains("ermission"), "{}: {}", write.name, ran.stderr);
    }
    if !is_root {
        repo.sh(&["-c", "chmod -R u+w .git"]).ok();
    }
    assert_sound(&repo);
}
