//! What an agent plants in its workplace.

use super::{asked, assert_nothing_is_left, assert_unchanged, files, store};
use crate::support::Sandbox;

/// Asks an agent that plants something. It never runs, nobody waits for it, the answer counts, and the repository is as it was.
/// stderr has the words `told`.
#[track_caller]
fn planted(what: &str, script: &str, told: &str) {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let before = files(&repo.path().join(".git"));
    let ran = asked(&repo, script).ok();
    assert!(!repo.path().join("ran").exists(), "{what}: {}", ran.stderr);
    assert!(ran.stderr.contains(told), "{what}: {}", ran.stderr);
    assert_unchanged(&before, &repo, what);
    assert_eq!(repo.json(&["list"]).as_array().unwrap().len(), 4, "{what}");
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn no_program_that_an_agent_configures_runs() {
    for (what, script) in [
        (
            "a hook",
            "git config core.hooksPath .git/hooks; for hook in post-index-change reference-transaction pre-commit post-checkout; do echo \"touch $root/ran\" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done",
        ),
        (
            "a filter",
            "echo '* filter=evil' > .gitattributes; git config filter.evil.clean \"touch $root/ran; cat\"; echo two > src/csv.rs",
        ),
        (
            "attributes of the repository",
            "echo '* filter=evil diff=evil' > .git/info/attributes; git config filter.evil.clean \"touch $root/ran; cat\"; git config diff.evil.textconv \"touch $root/ran\"; echo two > src/csv.rs",
        ),
        ("a watcher of files", "echo two > src/csv.rs; git config core.fsmonitor \"touch $root/ran\""),
        (
            "a watcher in a submodule",
            "git init -q sub; git -C sub commit -q --allow-empty -m x; git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub; git -C sub config core.fsmonitor \"touch $root/ran\"",
        ),
        (
            "another common directory",
            "mkdir evil; cp -r .git/. evil; git --git-dir=evil config core.fsmonitor \"touch $root/ran\"; echo \"$PWD/evil\" > .git/commondir",
        ),
        (
            "a remote that promises objects",
            "git config remote.evil.url \"ext::sh -c 'touch $root/ran'\"; git config remote.evil.promisor true; git config extensions.partialClone evil; git config protocol.ext.allow always; git wf comment ISS-001 -m x; rm -r .git/objects/??",
        ),
        (
            "included settings",
            "printf '[core]\\n\\tfsmonitor = touch %s/ran\\n' $root > evil; git config include.path ../evil; echo two > src/csv.rs",
        ),
    ] {
        planted(what, script, "");
    }
}

#[test]
fn nothing_in_place_of_a_file_is_opened_or_waited_for() {
    let not_recorded = "everything that agent `cat` wrote was not recorded";
    for (what, script, told) in [
        ("a shallow history", "git rev-parse HEAD > .git/shallow", ""),
        ("other objects", "echo /nowhere > .git/objects/info/alternates", ""),
        (
            "a pipe for a ref",
            "rm .git/packed-refs; mkdir -p .git/refs/wf; mkfifo .git/refs/wf/main",
            "`.git/refs/wf/main` is a pipe",
        ),
        (
            "a pipe for all refs",
            "rm .git/packed-refs; mkfifo .git/packed-refs",
            "`.git/packed-refs` is a pipe",
        ),
        ("a pipe for what is ignored", "mkfifo .gitignore", "its work tree"),
        ("a pipe for HEAD", "rm .git/HEAD; mkfifo .git/HEAD", ""),
        (
            "a pipe for the index",
            "rm .git/index; mkfifo .git/index; mkfifo .git/shallow .git/config.worktree",
            "",
        ),
        (
            "a pipe in a repository within",
            "mkdir -p sub/.git/objects sub/.git/refs; mkfifo sub/.git/HEAD",
            "",
        ),
        (
            "a pipe in a git directory elsewhere",
            "mkdir -p ../evil/objects ../evil/refs sub; mkfifo ../evil/HEAD; echo \"gitdir: $PWD/../evil\" > sub/.git",
            "sub/.git",
        ),
        (
            "a link to a git directory with a pipe",
            "mkdir -p ../evil/objects ../evil/refs sub; mkfifo ../evil/HEAD; ln -s $PWD/../evil sub/.git",
            "sub/.git",
        ),
        (
            "a pipe in the git directory of a submodule",
            "mkdir -p .git/modules/sub/objects .git/modules/sub/refs sub; mkfifo .git/modules/sub/HEAD; echo 'gitdir: ../.git/modules/sub' > sub/.git",
            ".git/modules/sub/HEAD",
        ),
        (
            "a pipe in a linked directory of refs",
            "mkdir -p ../evil sub/.git/objects; mkfifo ../evil/heads; ln -s $PWD/../evil sub/.git/refs; echo ref: refs/heads > sub/.git/HEAD",
            "sub/.git/refs",
        ),
        (
            "a pipe for an object",
            "mkdir -p .git/objects/00; mkfifo .git/objects/00/$(printf '%038d' 0); git wf comment ISS-001 -m x",
            not_recorded,
        ),
        (
            "a link for an object",
            "git wf comment ISS-001 -m x; o=$(ls -d .git/objects/??/* | head -1); cp $o ../o; rm -f $o; ln -s $PWD/../o $o",
            "is a link",
        ),
        (
            "a pipe for a pack",
            "mkdir -p .git/objects/pack; mkfifo .git/objects/pack/pack-1.pack; git wf comment ISS-001 -m x",
            "pack-1.pack` is a pipe",
        ),
        ("a symbolic ref", "git symbolic-ref refs/wf/main refs/heads/elsewhere", "is a symbolic ref"),
        ("a ref in a link", "mkdir -p .git/refs/wf; ln -s $root/.git/HEAD .git/refs/wf/main", "is a link"),
        ("no ref", "git update-ref -d refs/wf/main", "`refs/wf/main` is gone"),
        ("another repository", "mv .git ../moved; ln -s $root/.git .git", not_recorded),
        (
            "a link to another place",
            "d=$PWD; cd ..; mv $d $d-moved; ln -s $root $d; rm -rf $d-moved",
            not_recorded,
        ),
        (
            "a thousand refs",
            "for n in $(seq 1000); do echo \"create refs/heads/x/$n HEAD\"; done | git update-ref --stdin; git wf comment ISS-001 -m x",
            "",
        ),
        (
            "locked directories",
            "mkdir -p node_modules/x; touch node_modules/x/y; chmod 0 node_modules/x node_modules",
            "",
        ),
        ("deep directories", "for n in $(seq 3000); do mkdir d; cd d; done", ""),
    ] {
        planted(what, script, told);
    }
}

#[test]
fn the_submodules_of_a_workplace_are_its_own() {
    let sandbox = Sandbox::new();
    let lib = sandbox.repo("lib");
    lib.commit("lib.rs", "one\n", "Begin");
    let repo = store(&sandbox);
    let path = lib.path().to_str().unwrap();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", path, "lib"]).ok();
    repo.git(&["commit", "--quiet", "-m", "Add a submodule"]).ok();
    let before = files(&repo.path().join(".git"));
    let script = "cat lib/lib.rs > $root/read; git -C lib remote > $root/remotes; \
        find .git/modules/lib/objects -type f -links +1 > $root/linked; \
        echo two > lib/lib.rs; git -C lib config core.fsmonitor \"touch $root/ran\"; \
        for hook in post-index-change pre-commit; do echo \"touch $root/ran\" > .git/modules/lib/hooks/$hook; chmod +x .git/modules/lib/hooks/$hook; done";
    let ran = asked(&repo, script).ok();
    assert_eq!(repo.read("read"), "one\n", "{}", ran.stderr);
    assert_eq!((repo.read("linked"), repo.read("remotes")), (String::new(), String::new()));
    assert!(!repo.path().join("ran").exists(), "{}", ran.stderr);
    assert_unchanged(&before, &repo, "a submodule");
    assert_nothing_is_left(&sandbox, &repo);
}

#[test]
fn a_submodule_that_is_named_like_a_repository_of_the_user_does_not_lead_there() {
    let sandbox = Sandbox::new();
    let other = sandbox.repo("other");
    let at = other.commit("secret.rs", "secret\n", "Begin");
    other.git(&["remote", "add", "origin", "https://example.org/other.git"]).ok();
    let repo = store(&sandbox);
    let git_dir = other.path().join(".git");
    let key = |name: &str| format!("submodule.{}.{name}", git_dir.display());
    for (name, value) in [("path", "lib"), ("url", "https://example.org/lib.git")] {
        repo.git(&["config", "--file=.gitmodules", &key(name), value]).ok();
    }
    repo.git(&["add", ".gitmodules"]).ok();
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{at},lib")]).ok();
    repo.git(&["commit", "--quiet", "-m", "Add a submodule"]).ok();
    let before = files(&git_dir);
    asked(&repo, "ls lib > $root/found").ok();
    assert_eq!(repo.read("found"), "");
    assert!(files(&git_dir) == before, "the other repository is changed");
    // Nor does a worktree of the user's own.
    repo.queued("ISS-009", "src/x.rs");
    repo.wf(&["next", "--worktree", "../w"]).ok();
    assert!(files(&git_dir) == before, "the other repository is changed");
}

#[test]
fn what_is_in_the_place_of_a_workplace_stays() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let script = "d=$PWD; cd ..; mv $d $root/../moved; mkdir $d; echo mine > $d/file; echo $d > $root/place";
    let ran = asked(&repo, script).ok();
    assert!(ran.stderr.contains("is no longer the workplace that was made there"), "{}", ran.stderr);
    let place = repo.read("place");
    assert_eq!(std::fs::read_to_string(format!("{}/file", place.trim())).unwrap(), "mine\n");
    assert_eq!(repo.git(&["for-each-ref", "refs/wf-kept"]).ok().stdout, "");
}
