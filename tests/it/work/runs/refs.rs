//! Agents that change refs, or another worktree of the user's, by git commands of which no trace tells: what they took away
//! is back, and the log says what was different.

use super::world::{BUILDS, PLANS, World};

/// The texts of the breaches in the log of the latest run.
fn breaches(world: &World) -> Vec<String> {
    let log = world.repo.json(&["run", "log"]);
    let breaches = log.as_array().unwrap().iter().filter(|entry| entry["type"] == "breach");
    breaches.map(|it| it["what"].as_str().unwrap().to_owned()).collect()
}

/// A world with refs of every kind.
fn world() -> World {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["branch", "same"]).ok();
    repo.git(&["branch", "other"]).ok();
    repo.git(&["tag", "v1"]).ok();
    repo.git(&["tag", "-a", "-m", "Two", "v2"]).ok();
    repo.git(&["notes", "add", "-m", "one", "main"]).ok();
    for text in ["first\n", "second\n"] {
        repo.write("a.txt", text);
        repo.git(&["stash", "-q"]).ok();
    }
    repo.git(&["pack-refs", "--all"]).ok();
    repo.git(&["branch", "loose"]).ok();
    world
}

fn refs(world: &World) -> String {
    let kinds = [
        "refs/heads/same",
        "refs/heads/other",
        "refs/heads/loose",
        "refs/tags/v1",
        "refs/tags/v2",
        "refs/stash",
        "refs/replace",
    ];
    let listed = world.repo.git(&[&["for-each-ref"][..], &kinds].concat()).ok().stdout;
    listed + &world.repo.git(&["stash", "list"]).ok().stdout
}

#[test]
fn refs_come_back_although_no_trace_tells_who_took_them_away() {
    let world = world();
    let mut before = refs(&world);
    assert!(before.contains("stash@{1}"), "{before}");
    for (n, (act, words)) in [
        ("git branch -D same", "`same` was deleted"),
        ("git tag -d v1; git tag -d v2", "`refs/tags/v2` was deleted"),
        ("git -c user.name=x -c user.email=x@x tag -f -a -m Mine v2 HEAD", "`refs/tags/v2` was moved from"),
        (
            "git replace $(git rev-parse main:a.txt) $(echo evil | git hash-object -w --stdin)",
            "`refs/replace/",
        ),
        ("git stash clear", "`refs/stash` was deleted"),
        ("git stash drop", "`refs/stash` lost"),
        ("echo garbage > .git/refs/heads/loose", "`loose` was deleted"),
        ("git symbolic-ref refs/heads/other refs/heads/main", "`other` was deleted"),
        ("echo garbage > .git/packed-refs", "the file packed-refs"),
        ("sed -i '/same$/d' .git/packed-refs", "`same` was deleted"),
    ]
    .into_iter()
    .enumerate()
    {
        if act.starts_with("sed ") {
            // What came back before is loose.
            world.repo.git(&["pack-refs", "--all"]).ok();
        }
        let act = format!("(cd \"$HERE/code\"; env -i PATH=\"$PATH\" sh -c '{act}') >\"$HERE/out\" 2>&1");
        world.agent("planner", &format!("{act}\n{PLANS}"));
        let issue = format!("ISS-1{n}");
        world.repo.issue(&issue);
        let state = world.run(0, &[&issue]);
        assert_eq!(state["issues"][&issue]["status"], "completed", "{act}: {state:#}");
        let told = breaches(&world);
        assert!(told.iter().any(|it| it.contains(words)), "{act}: {told:#?}");
        if act.contains("stash drop") {
            let kept =
                world.repo.git(&["for-each-ref", "--format=%(subject)", "refs/heads/wf/kept"]).ok().stdout;
            assert!(kept.contains("WIP on main"), "{kept}");
            before = refs(&world);
        }
        assert_eq!(refs(&world), before, "{act}: {told:#?}");
    }
}

#[test]
fn a_branch_that_moves_without_git_is_recorded() {
    let world = World::new();
    let act = "(cd \"$HERE/code\"; env -i PATH=\"$PATH\" sh -c 'c=$(git -c user.name=x -c user.email=x@x commit-tree -m evil \
        -p main main^{tree}); echo $c > .git/refs/heads/main')";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    world.run(0, &["ISS-1"]);
    let told = breaches(&world);
    assert!(
        told.iter().any(|it| it.contains("`main` was moved from") && it.contains("without git")),
        "{told:#?}"
    );
    // What the user moves with git is nobody's business.
    world.repo.git(&["reset", "-q", "--hard", "main~"]).ok();
    world.repo.issue("ISS-2");
    let act = "(cd \"$HERE/code\"; env -i PATH=\"$PATH\" git -c user.name=x -c user.email=x@x commit -q --allow-empty -m Mine)";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    world.run(0, &["ISS-2"]);
    let told = breaches(&world);
    assert!(!told.iter().any(|it| it.contains("`main`")), "{told:#?}");
}

#[test]
fn uncommitted_changes_of_the_user_can_be_brought_back() {
    for act in ["rm a.txt", "echo evil > a.txt", "env -i PATH=\"$PATH\" git checkout -q -- a.txt"] {
        let world = World::new();
        world.repo.write("a.txt", "one\nmine\n");
        world.agent("executor", &format!("(cd \"$HERE/code\"; {act})\n{BUILDS}"));
        world.run(0, &["ISS-1"]);
        let told = breaches(&world);
        let about = told.iter().find(|it| it.contains("a.txt")).unwrap_or_else(|| panic!("{act}: {told:#?}"));
        let (_, rest) = about.split_once("`git stash apply ").unwrap_or_else(|| panic!("{act}: {about}"));
        let branch = rest.split('`').next().unwrap();
        world.repo.git(&["checkout", "-q", "--", "a.txt"]).ok();
        world.repo.git(&["stash", "apply", "-q", branch]).ok();
        let text = std::fs::read_to_string(world.repo.path().join("a.txt")).unwrap();
        assert_eq!(text, "one\nmine\n", "{act}");
    }
}

#[test]
fn a_change_in_another_worktree_of_the_user_is_recorded() {
    let world = World::new();
    world.repo.git(&["worktree", "add", "-q", "-b", "mine", "../mine"]).ok();
    let act = "(cd \"$HERE/mine\"; rm a.txt; env -i PATH=\"$PATH\" git checkout -q --detach)";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    world.run(0, &["ISS-1"]);
    let told = breaches(&world);
    let about = told.iter().find(|it| it.contains("/mine changed"));
    assert!(about.is_some_and(|it| it.contains("a.txt") && it.contains("mine")), "{told:#?}");
}

#[test]
fn commits_that_cannot_be_read_are_in_nobodys_way() {
    let world = World::new();
    let malformed = "case $PWD in *ISS-1*)
        c=$(printf 'tree %s\\nparent %s\\nauthor x\\ncommitter x\\n\\nx\\n' $(git rev-parse 'HEAD^{tree}') $(git rev-parse HEAD) |
            git hash-object -t commit -w --stdin --literally)
        git -c core.hooksPath=/dev/null update-ref HEAD $c
        env -i PATH=\"$PATH\" git update-ref refs/heads/bad $c
        echo '{\"status\": \"completed\"}'
        exit ;;
    esac";
    world.agent("executor", &format!("{malformed}\n{BUILDS}"));
    world.repo.issue("ISS-2");
    let state = world.run(1, &["ISS-1", "ISS-2", "--jobs", "1"]);
    let (kind, message) = World::error(&state);
    assert!(kind == "unreadable-commit" && message.contains("`git fsck` says"), "{state:#}");
    assert_eq!(state["issues"]["ISS-2"]["status"], "completed", "{state:#}");
    // A later run, and what looks at all branches.
    world.repo.issue("ISS-3");
    let state = world.run(0, &["ISS-3"]);
    assert_eq!(state["issues"]["ISS-3"]["status"], "completed", "{state:#}");
    let relinked = world.repo.wf(&["relink"]).ok();
    assert!(relinked.stderr.contains("skipped the commit `"), "{}", relinked.stderr);
}

/// Everybody who can push tags can make one of any name.
#[test]
fn a_tag_is_not_merged_in_place_of_the_work() {
    let world = World::new();
    let repo = &world.repo;
    repo.wf_in(std::fs::read(world.sandbox.root().join("plan.json")).unwrap(), &["solution", "add", "ISS-1"])
        .ok();
    let solution = repo.json(&["show", "ISS-1"])["bound_solution_id"].as_str().unwrap().to_owned();
    repo.git(&["tag", &format!("wf/{solution}"), "main"]).ok();
    let state = world.run(0, &["ISS-1", "--execute-only"]);
    assert_eq!(state["context"]["completed_count"], 1, "{state:#}");
    let branch = repo.json(&["run", "show"])["branch"].as_str().unwrap().to_owned();
    let merged = repo.git(&["log", "--format=%s", &format!("main..{branch}")]).ok();
    assert!(merged.stdout.lines().any(|line| line == "Change"), "{}", merged.stdout);
}

/// `wf/kept` is in the way of each branch below it.
#[test]
fn what_cannot_be_kept_is_not_taken_away() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["branch", "wf/kept"]).ok();
    // As an agent that writes the ref by itself, without any command of git.
    world.agent(
        "executor",
        &format!(
            "ref=$(git for-each-ref --format='%(refname)' 'refs/heads/wf/RUN-*'); \
             made=$(git commit-tree -p HEAD -m Elsewhere 'HEAD^{{tree}}'); \
             echo $made > \"$HERE/made\"; echo $made > \"$(git rev-parse --git-common-dir)/$ref\"; {BUILDS}"
        ),
    );
    repo.wf(&["run", "ISS-1", "--yes"]);
    let made = std::fs::read_to_string(world.sandbox.root().join("made")).unwrap();
    let held = repo.git(&["for-each-ref", "--contains", made.trim()]).ok().stdout;
    assert!(held.contains("refs/heads/wf/kept-RUN-"), "no branch keeps the commit: {held}");
}
