//! A garbage collection during a write removes objects that no ref holds yet.

use std::os::unix::fs::PermissionsExt;

use super::scene::{Scenes, assert_sound, with_each_write};
use crate::support::Repo;

/// What `git gc --prune=now` does to objects; it would also wait for the lock of the ref.
const COLLECT: &str = "git repack -a -d -q && git prune --expire=now";

/// The same repository, where everything that no ref holds is removed when a write reaches `point`.
fn collected_at(repo: &Repo, point: &str) -> Repo {
    repo.with_env("WF_FAULT", point).with_env("WF_FAULT_RUN", COLLECT)
}

#[test]
fn at_each_point_of_a_transaction() {
    let scenes = Scenes::new();
    with_each_write(|write| {
        for point in ["objects", "noted", "locked"] {
            let repo = scenes.copy();
            let ran = collected_at(&repo, point).wf_in((write.stdin)(), write.args);
            assert_eq!(ran.code, 0, "{} at {point}: {}", write.name, ran.stderr);
            assert!((write.is_done)(&repo), "{} at {point}", write.name);
            assert_sound(&repo);
        }
    });
}

/// A merge makes the same objects each time: those that a killed process left exist when the next one starts.
fn with_objects_left_behind(scenes: &Scenes) -> Repo {
    let repo = scenes.copy();
    repo.with_env("WF_FAULT", "noted").wf(&["pull"]).fails(-1);
    let left = repo.git(&["fsck", "--unreachable", "--no-reflogs"]).ok().stdout;
    assert!(left.contains("commit"), "{left}");
    repo
}

#[test]
fn objects_that_were_there_already() {
    let scenes = Scenes::new();
    for point in ["objects", "noted", "locked"] {
        let repo = with_objects_left_behind(&scenes);
        collected_at(&repo, point).wf(&["pull"]).ok();
        repo.wf(&["show", "GH-99"]).ok();
        assert_sound(&repo);
    }
}

#[test]
fn objects_that_were_there_in_a_pack() {
    let scenes = Scenes::new();
    for point in ["objects", "noted", "locked"] {
        let repo = with_objects_left_behind(&scenes);
        repo.git(&["repack", "-a", "-d", "-k", "-q"]).ok();
        repo.git(&["prune-packed"]).ok();
        collected_at(&repo, point).wf(&["pull"]).ok();
        repo.wf(&["show", "GH-99"]).ok();
        assert_sound(&repo);
    }
}

#[test]
fn while_somebody_signs() {
    let scenes = Scenes::new();
    let repo = scenes.copy();
    let program = repo.path().join("sign");
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\n{COLLECT}\necho '[GNUPG:] SIG_CREATED ' >&2\n\
         printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n"
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(&["config", "gpg.program", program.to_str().unwrap()]).ok();
    repo.git(&["config", "commit.gpgSign", "true"]).ok();
    for point in ["none", "objects", "noted", "locked"] {
        collected_at(&repo, point).wf(&["comment", "GH-1", "-m", point]).ok();
        let commit = repo.git(&["cat-file", "commit", "refs/wf/main"]).ok().stdout;
        assert!(commit.contains("BEGIN PGP SIGNATURE"), "{commit}");
        assert_sound(&repo);
    }
}
