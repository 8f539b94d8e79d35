//! Runs where somebody promised that nobody else works: what agents change is put back, byte by byte.

use super::world::{BUILDS, World};

/// A world with `wf.run.alone` and files of every kind; the bytes and modes of all of them.
fn world() -> World {
    let world = World::new();
    world.repo.git(&["config", "wf.run.alone", "true"]).ok();
    world.repo.commit("crlf.txt", "one\r\ntwo\r\n", "Lines");
    world.repo.git(&["reset", "-q", "--soft", "HEAD~1"]).ok();
    world.repo.git(&["commit", "-q", "--amend", "-m", "Begin"]).ok();
    world.repo.write("staged.txt", "staged\n");
    world.repo.git(&["add", "staged.txt"]).ok();
    world.repo.write("a.txt", "mine\n");
    world.repo.write("untracked.bin", [0_u8, 255, 13, 10]);
    world.repo.write(".git/info/exclude", "ignored/\n");
    world.repo.write("ignored/secret", "secret\n");
    world.repo.sh(&["-c", "chmod 600 untracked.bin; ln -s nowhere link"]).ok();
    world
}

fn state(world: &World) -> [String; 3] {
    let list = "find . -path ./.git -prune -o ! -type d -print | sort | while read -r f; do \
                stat -c '%A %n' \"$f\"; if test -L \"$f\"; then readlink \"$f\"; else sha256sum < \"$f\"; fi; done";
    let settings = "cat .git/config .git/info/*; ls .git/hooks";
    let sh = |script: &str| world.repo.sh(&["-c", script]).ok().stdout;
    [sh(list), sh(settings), world.repo.git(&["ls-files", "--stage"]).ok().stdout]
}

#[test]
fn putting_back_runs_no_filter_and_loses_no_byte() {
    for act in [
        "git config filter.x.clean true; git config filter.x.smudge true; echo '* filter=x' > \"$HERE/code/.git/info/attributes\"",
        "echo evil > \"$HERE/code/a.txt\"; git config core.autocrlf true; echo '* text eol=crlf' > \"$HERE/code/.git/info/attributes\"",
        "rm \"$HERE/code/untracked.bin\" \"$HERE/code/link\"; echo '*' > \"$HERE/code/.git/info/exclude\"",
        ": > \"$HERE/code/.git/info/exclude\"; echo new > \"$HERE/code/new.txt\"",
        "printf '#!/bin/sh\\ntouch \"%s/ran\"\\n' \"$HERE\" > \"$HERE/code/.git/hooks/post-checkout\"; chmod +x \"$HERE/code/.git/hooks/post-checkout\"",
        "chmod 644 \"$HERE/code/untracked.bin\"; ln -sf elsewhere \"$HERE/code/link\"; mkdir \"$HERE/code/dir\"; echo x > \"$HERE/code/dir/x\"",
    ] {
        let world = world();
        let before = state(&world);
        world.agent("executor", &format!("{{ {act}; }} > \"$HERE/out\" 2>&1\n{BUILDS}"));
        // Whether the agent can commit depends on what it did to the settings.
        world.repo.wf(&["run", "--yes", "ISS-1"]);
        assert_eq!(state(&world), before, "{act}");
        let log = world.repo.json(&["run", "log"]);
        let breaches = log.as_array().unwrap().iter().filter(|it| it["type"] == "breach");
        let (all, undone): (Vec<_>, Vec<_>) =
            breaches.map(|it| (it["what"].clone(), it["undone"] == true)).unzip();
        assert!(!all.is_empty() && undone.iter().all(|it| *it), "{act}: {all:#?}");
        // Nobody changed the line endings.
        assert!(all.iter().all(|what| !what.to_string().contains("crlf.txt")), "{act}: {all:#?}");
        assert!(!world.sandbox.root().join("ran").exists(), "{act}");
    }
}

#[test]
fn putting_back_follows_no_link() {
    let world = world();
    world.repo.commit("dir/x", "x\n", "Dir");
    world.repo.git(&["reset", "-q", "--soft", "HEAD~1"]).ok();
    world.repo.git(&["commit", "-q", "--amend", "-m", "Begin"]).ok();
    let other = world.sandbox.root().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("x"), "theirs\n").unwrap();
    world.agent(
        "executor",
        &format!("rm -r \"$HERE/code/dir\"; ln -s \"$HERE/other\" \"$HERE/code/dir\"\n{BUILDS}"),
    );
    world.run(0, &["ISS-1"]);
    assert_eq!(std::fs::read_to_string(other.join("x")).unwrap(), "theirs\n");
}

#[test]
fn a_setting_that_is_not_a_boolean_is_refused() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.alone", "ture"]).ok();
    let ran = world.repo.wf(&["run", "--yes", "--json", "ISS-1"]).fails(1);
    let error = ran.json_error();
    assert_eq!(error["code"], "config", "{error}");
    assert!(error["message"].as_str().unwrap().contains("`wf.run.alone = ture`"), "{error}");
}
