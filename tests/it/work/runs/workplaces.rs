//! What agents of runs do in their workplaces, and from there. The user's repository is as it was, but for what the run itself
//! recorded, and nothing that an agent planted runs.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::world::{BUILDS, World};
use crate::hostile::workplaces::{assert_unchanged_but, files};

/// Parts of a git directory that a run writes.
const RECORDED: [&str; 7] =
    ["objects", "wf", "refs/wf", "logs/refs/wf", "refs/heads/wf", "logs/refs/heads/wf", "worktrees"];

/// The breaches in the log of the latest run, as text.
fn breaches(world: &World) -> Vec<String> {
    let log = world.repo.json(&["run", "log"]);
    let breaches = log.as_array().unwrap().iter().filter(|entry| entry["type"] == "breach");
    breaches.map(|it| it["what"].as_str().unwrap().to_owned()).collect()
}

/// No workplace is left beside the repository, and none of its refs and files.
#[track_caller]
fn assert_nothing_is_left(world: &World, what: &str) {
    let beside = std::fs::read_dir(world.sandbox.root()).unwrap();
    let mut names = beside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.find(|name| name.starts_with("code-")), None, "{what}");
    assert_eq!(world.repo.git(&["for-each-ref", "refs/wf-kept"]).ok().stdout, "", "{what}");
    let kept = std::fs::read_dir(world.repo.path().join(".git/wf/workplaces")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).filter(|name| name != "lock").collect();
    assert!(kept.is_empty(), "{what}: {kept:?}");
    assert_eq!(world.repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1, "{what}");
}

/// Runs an executor that does its work and then plants something. Nothing of that runs, and nothing stays. Returns the state of the
/// run.
#[track_caller]
fn planted(what: &str, code: i32, script: &str) -> (World, Value) {
    let world = World::new();
    let before = files(&world.repo.path().join(".git"));
    world.agent("executor", &format!("{BUILDS} > \"$HERE/said\"\n{{ {script}\n}} >&2\ncat \"$HERE/said\""));
    let state = world.run(code, &["ISS-1"]);
    assert!(!world.sandbox.root().join("ran").exists(), "{what}");
    assert_unchanged_but(&RECORDED, &before, &world.repo, what);
    assert_nothing_is_left(&world, what);
    world.is_untouched();
    (world, state)
}

#[test]
fn what_an_agent_plants_in_its_git_directory_never_runs() {
    for (what, script) in [
        (
            "hooks",
            "git config core.hooksPath .git/hooks; for hook in post-index-change reference-transaction pre-commit post-checkout; do printf '#!/bin/sh\\ntouch %s/ran\\n' \"$HERE\" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done",
        ),
        (
            "a filter for ignored attributes",
            "echo '* filter=evil diff=evil' > .git/info/attributes; git config filter.evil.clean \"touch $HERE/ran; cat\"; git config diff.evil.textconv \"touch $HERE/ran\"; date > other.txt",
        ),
        ("a watcher of files", "git config core.fsmonitor \"touch $HERE/ran\"; date > other.txt"),
        (
            "another common directory",
            "mkdir evil; cp -r .git/. evil; git --git-dir=evil config core.fsmonitor \"touch $HERE/ran\"; echo \"$PWD/evil\" > .git/commondir",
        ),
        (
            "settings of a submodule",
            "mkdir -p .git/modules/sub; printf '[core]\\n\\tworktree = %s\\n\\tfsmonitor = touch %s/ran\\n' \"$HERE/code\" \"$HERE\" > .git/modules/sub/config",
        ),
        ("a shallow history", "git rev-parse HEAD > .git/shallow"),
        ("other objects", "echo /nowhere > .git/objects/info/alternates"),
        (
            "other refs",
            "for n in $(seq 200); do echo \"create refs/heads/x/$n HEAD\"; done | git update-ref --stdin; git tag v9",
        ),
        (
            "a pipe for what is ignored",
            "mkfifo .git/description.fifo; rm -f .git/info/exclude; mkfifo .git/info/exclude",
        ),
        ("a pipe for the index", "rm .git/index; mkfifo .git/index .git/config.worktree"),
    ] {
        let (world, state) = planted(what, 0, script);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{what}: {state:#}");
        let branch = world.repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
        assert_eq!(world.repo.git(&["log", "--format=%s", &format!("main..{branch}")]).ok().line(), "Change");
    }
}

#[test]
fn a_branch_that_is_not_what_git_makes_is_not_taken() {
    for (what, script, kind, told) in [
        (
            "a symbolic ref",
            "b=$(git symbolic-ref HEAD); git branch evil; git update-ref -d $b; git symbolic-ref $b refs/heads/evil",
            "refused-work",
            "is a symbolic ref",
        ),
        (
            "a branch in a link",
            "b=$(git symbolic-ref HEAD); git update-ref -d $b; mkdir -p .git/$(dirname $b); ln -s \"$HERE/code/.git/HEAD\" .git/$b",
            "refused-work",
            "is a link",
        ),
        (
            "a pipe for the branch",
            "b=$(git symbolic-ref HEAD); rm -f .git/$b .git/packed-refs; mkfifo .git/$b",
            "refused-work",
            "is a pipe",
        ),
        ("no branch", "git update-ref -d $(git symbolic-ref HEAD)", "refused-work", "is gone"),
        (
            "a branch with another beginning",
            "git update-ref $(git symbolic-ref HEAD) $(git commit-tree -m Other 'HEAD^{tree}')",
            "rewritten-branch",
            "does not descend from",
        ),
        (
            "a missing object",
            "o=$(git rev-parse HEAD:a.txt); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)",
            "refused-work",
            "",
        ),
    ] {
        let (world, state) = planted(what, 1, script);
        assert_eq!(World::error(&state).0, kind, "{what}: {state:#}");
        let all = breaches(&world);
        assert!(all.iter().any(|it| it.starts_with("refused: ") && it.contains(told)), "{what}: {all:#?}");
        assert_eq!(world.repo.git(&["for-each-ref", "refs/heads/wf/SOL-*"]).ok().stdout, "", "{what}");
    }
}

#[test]
fn content_that_git_ignores_gets_into_no_branch() {
    let world = World::new();
    let repo = &world.repo;
    repo.write(".gitignore", ".env\n");
    repo.write(".worktreeinclude", ".env\n");
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    repo.write(".env", "KEY=secret\n");
    for act in ["cp .env a.txt; git commit -q -a -m Leak", "cp .env left.txt"] {
        world.agent("executor", &format!("{{ {act}; }} >&2\necho '{{\"status\": \"failed\"}}'"));
        let issue = format!("ISS-{}", repo.json(&["list", "--all"]).as_array().unwrap().len() + 1);
        repo.issue(&issue);
        let state = world.run(1, &[&issue]);
        let error = state["issues"][&issue]["error"].as_str().unwrap();
        assert!(error.contains("which git ignores"), "{act}: {error}");
        let secret = repo.git_in("KEY=secret\n", &["hash-object", "--stdin"]).ok().line().to_owned();
        let all = repo.git(&["rev-list", "--objects", "--all"]).ok().stdout;
        assert!(!all.contains(&secret), "{act}");
    }
}

#[test]
fn records_of_an_agent_are_judged_one_by_one() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let free = "env -u WF_ROLE -u WF_ACTOR -u WF_RUN git wf";
    let acts = format!(
        "git wf comment ISS-1 -m 'In its own name'; git wf accept T1 1 -m seen; {free} close ISS-2 -m done; \
         {free} comment ISS-1 -m 'In the name of the user'; {free} queue manage new mine; git wf verify --yes; \
         {free} done --force --reason x -m done"
    );
    world.agent(
        "executor",
        &format!("{BUILDS} > \"$HERE/said\"; {{ {acts}; }} >\"$HERE/out\" 2>&1; cat \"$HERE/said\""),
    );
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let issue = world.repo.json(&["show", "ISS-1"]);
    let out = std::fs::read_to_string(world.sandbox.root().join("out")).unwrap();
    let comments = issue["comments"].as_array().unwrap();
    assert_eq!(comments.len(), 1, "{comments:#?}\n{out}");
    assert_eq!(comments[0]["author"], "Ada <ada@example.org> (executor)");
    // What it says of its own execution is a claim: the run tested and ended it.
    let execution = &issue["executions"][0];
    assert_eq!(execution["checks"].as_array().map(Vec::len), Some(1), "{execution:#}");
    assert_eq!(world.repo.status("ISS-2"), "registered");
    assert_eq!(world.repo.json(&["queue", "manage", "list"]).as_array().unwrap().len(), 1);
    let all = breaches(&world);
    assert!(all.iter().any(|it| it.contains("was not taken: it is written in the name of")), "{all:#?}");
    assert!(all.iter().any(|it| it.contains("it changes `status`, which an edit does not")), "{all:#?}");
    assert!(all.iter().any(|it| it.contains("queue.json` was not taken")), "{all:#?}");
    world.is_untouched();
}

/// Whether bubblewrap works on this machine. Some containers forbid it.
fn can_confine() -> bool {
    let tried = std::process::Command::new("bwrap")
        .args(["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"])
        .status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: bubblewrap does not work here");
    }
    works
}

/// Tries to write outside of the workplace, and says whether that worked.
const TRIES: &str = r#"
    try() { if sh -c "$2" > /dev/null 2>&1; then echo "$1: done" >&2; else echo "$1: refused" >&2; fi; }
    try here 'echo x > "$WORK/made"'
    try file "echo x > $HERE/code/a.txt"
    try ref "git -C $HERE/code branch other"
    try push "git push -q --no-verify $HERE/origin HEAD:refs/heads/theirs"
    try config "git -C $HERE/code config alias.st status"
    try home 'echo x > "$HOME/.profile"'
"#;

#[test]
fn a_confined_agent_reaches_nothing_but_its_workplace() {
    if !can_confine() {
        return;
    }
    let world = World::new();
    let origin = world.sandbox.bare("origin");
    world.repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    // The scripts are where a sandbox has an empty directory, but the command lines of the agents name them.
    let before = files(&world.repo.path().join(".git"));
    world.agent("executor", &format!("WORK=$PWD; export WORK\n{TRIES}\nrm made\n{BUILDS}"));
    // The tests of a plan are confined, too, and find a repository of their own.
    world.plan(
        "plan.json",
        "git log -1 --format=%s | grep -q Change && ! touch ../code/a.txt && touch made-by-test",
    );
    let ran = world.repo.wf(&["run", "--yes", "--json", "ISS-1"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let told = "agents are confined: they can write only to their workplace and their own state";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let words: Vec<&str> =
        ["here: done", "file: refused", "ref: refused", "push: refused", "config: refused", "home: refused"]
            .into_iter()
            .filter(|word| !ran.stderr.contains(word))
            .collect();
    assert!(words.is_empty(), "{words:?}: {}", ran.stderr);
    assert_unchanged_but(&RECORDED, &before, &world.repo, "confined");
    assert_eq!(origin.git(&["for-each-ref"]).ok().stdout, "");
    for args in [&["run", "show"][..], &["run", "report"], &["run", "report", "--markdown"]] {
        let shown = world.repo.wf(args).ok().stdout;
        assert!(shown.contains(told), "{args:?}: {shown}");
    }
    assert_nothing_is_left(&world, "confined");
}

#[test]
fn a_program_that_the_sandbox_does_not_show_is_said_to_be_the_reason() {
    if !can_confine() {
        return;
    }
    let world = World::new();
    world.repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    // Its interpreter is in a directory that neither the command nor the PATH names.
    let [own, apart] = ["own", "apart"].map(|name| world.sandbox.root().join(name));
    [&own, &apart].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let (script, shell) = (own.join("mine"), apart.join("sh"));
    std::os::unix::fs::symlink("/bin/sh", &shell).unwrap();
    std::fs::write(&script, format!("#!{}\necho\n", shell.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.repo.git(&["config", "wf.agent.mine.command", script.to_str().unwrap()]).ok();
    let error = world.repo.wf(&["agents", "test", "mine", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "agent-not-started", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("cannot be started in its sandbox") && message.contains("mine"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("on the PATH"), "{error}");
}

#[test]
fn without_a_sandbox_what_an_agent_changes_elsewhere_is_reported_and_stays() {
    let world = World::new();
    world.sandbox.bare("origin");
    world.agent("executor", &format!("WORK=$PWD; export WORK\n{TRIES}\nrm made\n{BUILDS}"));
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]).ok();
    assert!(ran.stderr.contains("agents are not confined: `wf.run.sandbox` is off"), "{}", ran.stderr);
    let all = breaches(&world);
    let told = "someone changed this repository: refs/heads/other is new, config in the git directory is different, M a.txt";
    assert!(all.iter().any(|it| it == told), "{all:#?}");
    assert_eq!(world.repo.read("a.txt"), "x\n");
    let report = world.repo.json(&["run", "report"]);
    assert_eq!(report["breaches"][0]["undone"], false, "{report:#}");
    assert_eq!(report["confinement"], "agents are not confined: `wf.run.sandbox` is off");
}

#[test]
fn a_run_that_requires_a_sandbox_does_not_begin_without() {
    let world = World::new();
    world.repo.write("../bin/bwrap", "#!/bin/sh\necho \"no namespaces here\" >&2; exit 1\n");
    let program = world.sandbox.root().join("bin/bwrap");
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let own = std::env::var("PATH").unwrap();
    let path = format!("{}:{own}", world.sandbox.root().join("bin").display());
    let repo = world.repo.with_env("PATH", &path);
    repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    let ran = repo.wf(&["run", "--yes", "ISS-1"]).fails(1);
    assert!(
        ran.stderr.contains("no namespaces here") && ran.stderr.contains("wf.run.sandbox"),
        "{}",
        ran.stderr
    );
    assert_eq!(repo.json(&["run", "list"]), serde_json::json!([]));
}

#[test]
fn live_work_is_named_and_can_be_looked_at() {
    let world = World::new();
    let looks = "for command in 'run show' 'run diff ISS-1' ''; do git -C \"$HERE/code\" wf $command; done";
    world.agent(
        "executor",
        &format!(
            "git wf task start T1 >&2; echo more >> a.txt; echo new > b.txt; {{ {looks}; }} > \"$HERE/seen\"\n\
             git -C \"$HERE/code\" wf run show --json > \"$HERE/shown\"\nrm b.txt\n{BUILDS}"
        ),
    );
    world.run(0, &["ISS-1"]);
    let seen = std::fs::read_to_string(world.sandbox.root().join("seen")).unwrap();
    let named = seen.lines().filter(|line| line.contains("ISS-1: an agent executes its plan in ")).count();
    assert_eq!(named, 2, "{seen}");
    let shown = std::fs::read_to_string(world.sandbox.root().join("shown")).unwrap();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["workplaces"][0]["task_id"], "T1", "{shown:#}");
    for line in ["+more", "+++ b/b.txt", "+new"] {
        assert!(seen.lines().any(|it| it == line), "{line}: {seen}");
    }
    let none = world.repo.wf(&["run", "diff", "ISS-1"]).fails(3).stderr;
    assert!(none.contains("no agent of a run executes `ISS-1` here"), "{none}");
}

#[test]
fn the_setup_is_confined_like_the_agent() {
    if !can_confine() {
        return;
    }
    let world = World::new();
    world.repo.git(&["config", "wf.run.sandbox", "require"]).ok();
    // What it runs may be what an agent committed.
    let setup = "sh -c 'touch ../escaped ../code/escaped; touch \"$TMPDIR/x\" && echo x > a.set-up'";
    world.repo.git(&["config", "wf.workplace.setup", setup]).ok();
    world.repo.git(&["config", "wf.workplace.teardown", "test -e a.set-up"]).ok();
    world.plan("plan.json", "test -e a.set-up");
    let ran = world.repo.wf(&["run", "--yes", "--json", "ISS-1"]).ok();
    assert!(!ran.stderr.contains("setup command"), "{}", ran.stderr);
    let outside = [world.sandbox.root().join("escaped"), world.repo.path().join("escaped")];
    assert!(outside.iter().all(|file| !file.exists()), "{}", ran.stderr);
    assert_nothing_is_left(&world, "setup");
}

#[test]
fn relative_hooks_and_filters_of_an_agents_commit_do_not_run_in_worktrees() {
    let world = World::new();
    let repo = &world.repo;
    let hooks = ["post-checkout", "post-merge", "post-index-change", "reference-transaction", "commit-msg"];
    // They say whether they run in the user's repository or one of its worktrees.
    let said = |who: &str| {
        let root = world.sandbox.root().display();
        format!(
            "#!/bin/sh\ntest \"$(cd \"$(git rev-parse --git-common-dir)\" && pwd -P)\" != '{root}/code/.git' || echo {who} >> '{root}/ran'\n"
        )
    };
    let executable = |path: &str, text: &str| {
        repo.write(path, text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(repo.path().join(path), mode).unwrap();
    };
    for hook in hooks {
        executable(&format!("hooks/{hook}"), &said("user"));
    }
    for (tool, text) in [("filter", "cat"), ("merge", "exit 1"), ("watch", "exit 1")] {
        executable(&format!("tools/{tool}"), &format!("#!/bin/sh\n{text}\n"));
    }
    repo.write(".gitattributes", "*.txt filter=tool merge=tool\n");
    repo.git(&["add", "--all"]).ok();
    repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    for (key, value) in [
        ("core.hooksPath", "hooks"),
        ("core.fsmonitor", "tools/watch"),
        ("filter.tool.smudge", "tools/filter"),
        ("filter.tool.clean", "./tools/filter"),
        ("merge.tool.driver", "tools/merge %A %O %B"),
    ] {
        repo.git(&["config", key, value]).ok();
    }
    repo.write("../evil", said("agent"));
    let named: Vec<String> = hooks
        .iter()
        .map(|hook| format!("hooks/{hook}"))
        .chain(["filter", "merge", "watch"].map(|tool| format!("tools/{tool}")))
        .collect();
    let replace = format!(
        "for file in {}; do cp \"$HERE/evil\" $file; case $file in tools/filter) echo cat >> $file;; esac; done; git add --all",
        named.join(" ")
    );
    world.agent("executor", &format!("{{ {replace}; }} >&2\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let branch = repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
    let tool = repo.git(&["show", &format!("{branch}:hooks/post-merge")]).ok().stdout;
    assert!(tool.contains("echo agent"), "{tool}");
    let ran = std::fs::read_to_string(world.sandbox.root().join("ran")).unwrap_or_default();
    assert!(ran.contains("user") && !ran.contains("agent"), "{ran}");
}
