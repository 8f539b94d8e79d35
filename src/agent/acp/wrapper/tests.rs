use std::path::Path;

use crate::agent::acp::program::{CLEARED, of_line};

#[test]
fn what_a_wrapper_runs_is_judged() {
    for line in [
        "parallel rm ::: a.txt",
        "parallel -j4 'git push {}' ::: a",
        "echo 'git push' | parallel",
        "su -c 'git push'",
        "su bob -c 'git push'",
        "su - bob --command='git push'",
        "runuser -u bob git push",
        "runuser bob -c 'rm x'",
        "script -qc 'git push' /dev/null",
        "script --command 'git push' x",
        "script -q /dev/null git push",
        "unshare -r git push",
        "uv run git push",
        "uv run --with x git push",
        "uv run -p 3.12 -- git push",
        "uv --directory x run git push",
        "uvx rm x",
        "poetry run git push",
        "npx rm x",
        "npx -y -p x rm y",
        "npx -c 'git push'",
        "npm exec -- rm x",
        "pnpm dlx rm x",
        "yarn exec rm x",
        "bunx rm x",
        "bundle exec git push",
        "rustup run stable git push",
        "direnv exec . git push",
        "docker run --rm -v .:/x img git push",
        "tmux new-session -d 'git push'",
        "xargs -i git push {}",
        "echo 'rm x' | xargs -I{} sh -c '{}'",
        "echo rm | xargs -I % % x",
        "find . -exec sh -c '{}' \\;",
        "timeout --foreground 5 git push",
        "timeout -s KILL 5 rm x",
        "flock x -c 'git push'",
        "env -S 'git push'",
        "chroot / git push",
        "taskset 1 git push",
    ] {
        assert!(of_line(Path::new("/tree"), line).is_err(), "{line}");
    }
    for line in [
        "parallel gzip ::: a.txt",
        "script -qc 'git commit -m \"rm x\"' /dev/null",
        "uv run pytest -k rm",
        "uv run --frozen pytest rm",
        "uv add rm",
        "poetry run grep rm src",
        "poetry add git",
        "npx tsc --noEmit",
        "npm run build",
        "npm test -- rm",
        "yarn run lint",
        "docker rm x",
        "docker run --rm img cargo test",
        "xargs --no-run-if-empty grep rm",
        "xargs -0 grep rm",
        "xargs -I{} grep rm {}",
        "xargs --replace grep rm {}",
        "find . -exec sh -c 'grep rm \"$1\"' sh {} \\;",
        "timeout --foreground 5 grep rm x",
        "env -i grep git x",
        "env -i PATH=/bin cargo test",
        "sudo apt-get install git",
        "su -c 'make install'",
    ] {
        assert_eq!(of_line(Path::new("/tree"), line), Ok(()), "{line}");
    }
}

#[test]
fn git_keeps_its_environment_below_any_program() {
    for line in [
        "env -i git status",
        "env -i sh -c 'git commit -m x'",
        "env - timeout 5 git commit",
        "env --ignore-env bash -c 'cd x && git commit'",
        "sudo git commit -m x",
        "su -c 'git commit -m x'",
        "env -i git-commit -m x",
    ] {
        let refused = of_line(Path::new("/tree"), line).map_err(|forbidden| forbidden.why);
        assert_eq!(refused, Err(CLEARED), "{line}");
    }
    assert_eq!(of_line(Path::new("/tree"), "env -i true; sh -c 'git commit -m x'"), Ok(()));
}
