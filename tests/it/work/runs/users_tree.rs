//! Agents that change the user's work tree by git commands, of which git's trace tells: everything is as it was, and the
//! execution is not merged.

use serde_json::json;

use super::world::{BUILDS, PLANS, World};

/// A repository with a branch `feature`, whose work tree has a change that is staged and one that is not, a file that was
/// deleted, and files that git does not track.
fn world() -> World {
    let world = World::new();
    let repo = &world.repo;
    for file in ["b.txt", "c.txt", "d.txt"] {
        repo.commit(file, "one\n", "More");
    }
    repo.git(&["branch", "feature"]).ok();
    repo.commit("e.txt", "one\n", "Last");
    repo.write("b.txt", "staged\n");
    repo.git(&["add", "b.txt"]).ok();
    for (file, text) in
        [("b.txt", "staged and more\n"), ("c.txt", "mine\n"), ("new/x.txt", "mine\n"), ("y.txt", "y\n")]
    {
        repo.write(file, text);
    }
    std::fs::remove_file(repo.path().join("d.txt")).unwrap();
    world
}

fn looks(world: &World) -> String {
    let says = |args: &[&str]| world.repo.git(args).ok().stdout;
    let files = ["b.txt", "c.txt", "d.txt", "e.txt", "new/x.txt", "y.txt"];
    let read = |file: &str| {
        std::fs::read_to_string(world.repo.path().join(file)).unwrap_or_else(|_| "gone".to_owned())
    };
    [
        says(&["symbolic-ref", "HEAD"]),
        says(&["for-each-ref", "refs/heads/main", "refs/heads/feature", "refs/heads/evil"]),
        says(&["status", "--porcelain", "-uall"]),
        says(&["diff", "--cached"]),
        files.map(read).join("|"),
    ]
    .join("\n")
}

#[test]
fn what_an_agent_does_in_the_users_work_tree_is_undone() {
    for act in [
        "reset -q --hard",
        // A hook refuses only what it would do to the branch.
        "HOOKED reset -q --hard",
        "reset -q",
        "reset -q --hard HEAD~1",
        "clean -fdq",
        "add -A",
        "checkout -q feature",
        "checkout -q -b evil",
        "checkout -q -- .",
        "commit -q -a -m Evil",
        "stash -q -u",
    ] {
        let world = world();
        let before = looks(&world);
        let git = match act.strip_prefix("HOOKED ") {
            Some(act) => format!("git -C \"$HERE/code\" {act}"),
            None => format!("git -C \"$HERE/code\" -c core.hooksPath=/dev/null {act}"),
        };
        world.agent("executor", &format!("{git} >&2\n{BUILDS}"));
        let state = world.run(1, &["ISS-1"]);
        assert_eq!(World::error(&state).0, "other-work-tree", "{act}: {state:#}");
        assert_eq!(looks(&world), before, "{act}");
        let log = world.repo.json(&["run", "log"]);
        let log = log.as_array().unwrap();
        let about =
            |it: &&serde_json::Value| it["what"].as_str().is_some_and(|what| what.contains("the work tree"));
        let breach = log.iter().find(about).unwrap_or_else(|| panic!("{act}: {log:#?}"));
        assert_eq!(
            (&breach["agent"], &breach["undone"]),
            (&json!("executor"), &json!(true)),
            "{act}: {breach:#}"
        );
        if act == "checkout -q feature" {
            assert!(
                breach["what"].as_str().unwrap().contains("its branch was switched from main to feature"),
                "{breach:#}"
            );
        }
        assert_eq!(
            world.repo.git(&["rev-parse", "main"]).ok().stdout,
            world.repo.git(&["rev-parse", "HEAD"]).ok().stdout
        );
    }
}

#[test]
fn what_the_user_changes_meanwhile_is_left_alone() {
    let world = world();
    // The user, whose commands are not traced, commits while an agent stages something.
    let act = "git -C \"$HERE/code\" add -A\n\
        (cd \"$HERE/code\"; env -i PATH=\"$PATH\" git -c user.name=x -c user.email=x@x commit -q -a -m Mine; echo later > c.txt)";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    world.run(1, &["ISS-1"]);
    assert_eq!(world.repo.git(&["log", "-1", "--format=%s", "main"]).ok().stdout, "Mine\n");
    assert_eq!(std::fs::read_to_string(world.repo.path().join("c.txt")).unwrap(), "later\n");
}

#[test]
fn an_agent_that_pushed_is_not_asked_again_by_itself() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "3"]).ok();
    world
        .repo
        .sh(&["-c", "git init -q --bare ../remote.git && git remote add origin \"$(cd ../remote.git; pwd)\""])
        .ok();
    let push = "git push -q --no-verify origin HEAD:refs/heads/evil";
    world.agent("executor", &format!("{push}\n{BUILDS}"));
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "pushed", "{state:#}");
    assert!(message.contains("`git push origin --delete evil` removes it"), "{message}");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"].as_array().unwrap().len(), 1);
    let shown = world.repo.wf(&["run", "show"]).ok().stdout;
    assert!(shown.contains("`git push origin --delete evil` removes it"), "{shown}");
}

#[test]
fn an_executor_that_leaves_its_branch_gets_a_fresh_worktree() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    let leaves = "if once left; then git -c core.hooksPath=/dev/null switch -q -c elsewhere; fi";
    world.agent("executor", &format!("{leaves}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "other-branch", "{state:#}");
    assert_eq!(world.repo.git(&["for-each-ref", "refs/heads/elsewhere"]).ok().stdout, "");
    assert_eq!(world.repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1);
}

#[test]
fn a_branch_that_a_planner_makes_is_kept_and_removed() {
    let world = World::new();
    let act = "git -c core.hooksPath=/dev/null branch evil $(git commit-tree -m evil HEAD^{tree})";
    world.agent("planner", &format!("{act}\n{PLANS}"));
    world.run(0, &["ISS-1"]);
    assert_eq!(world.repo.git(&["for-each-ref", "refs/heads/evil"]).ok().stdout, "");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("`evil` was created (now on `wf/kept/RUN-"), "{log}");
}

#[test]
fn a_branch_that_the_user_has_checked_out_meanwhile_stays() {
    let world = World::new();
    // HEAD as a link is a form that git still reads.
    let act = "git -c core.hooksPath=/dev/null branch mine
        (cd \"$HERE/code\"; env -i PATH=\"$PATH\" sh -c 'rm .git/HEAD; ln -s refs/heads/mine .git/HEAD')";
    world.agent("planner", &format!("{act}\n{PLANS}"));
    world.run(0, &["ISS-1"]);
    assert_eq!(world.repo.git(&["symbolic-ref", "HEAD"]).ok().line(), "refs/heads/mine");
    world.repo.git(&["rev-parse", "--verify", "refs/heads/mine"]).ok();
}

#[test]
fn a_report_says_how_the_users_changes_come_back_before_it_removes_their_branch() {
    let world = World::new();
    world.repo.write("a.txt", "mine\n");
    world.agent("executor", &format!("{BUILDS}\necho theirs > \"$HERE/code/a.txt\""));
    world.repo.wf(&["run", "ISS-1", "--yes"]);
    let report = world.repo.wf(&["run", "report"]).ok().stdout;
    let line = report.lines().find(|line| line.starts_with("waiting: the branch `wf/kept/RUN-")).unwrap();
    let branch = line.split('`').nth(1).unwrap();
    assert!(line.contains("what the run kept when an agent changed"), "{line}");
    let (log, removes) = ("`git wf run log RUN-", format!("`git branch -D {branch}`"));
    assert!(line.find(log).unwrap() < line.find(&removes).unwrap(), "{line}");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains(&format!("`git stash apply heads/{branch}`")), "{log}");
    assert!(!line.contains("failed attempt"), "{line}");
    world.repo.git(&["stash", "-q"]).ok();
    world.repo.git(&["stash", "apply", "-q", branch]).ok();
    assert_eq!(std::fs::read_to_string(world.repo.path().join("a.txt")).unwrap(), "mine\n");
}

#[test]
fn a_file_that_is_gone_is_kept_and_recorded_once_by_agents_that_work_side_by_side() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.write("note.txt", "mine\n");
    // Both have begun before the first deletes the file.
    let both = "touch \"$HERE/began-$$\"; until test $(ls \"$HERE\" | grep -c began-) = 2; do :; done";
    world.agent("planner", &format!("{both}; rm -f \"$HERE/code/note.txt\"; {PLANS}"));
    world.run(0, &["ISS-1", "ISS-2", "--plan-only", "--mode", "batch", "--skip-review", "--plan-jobs", "2"]);
    let kept = world.repo.git(&["for-each-ref", "--format=%(refname)", "refs/heads/wf/kept"]).ok().stdout;
    let [branch] = kept.lines().collect::<Vec<_>>()[..] else { panic!("{kept}") };
    assert_eq!(world.repo.git(&["show", &format!("{branch}:note.txt")]).ok().stdout, "mine\n");
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert_eq!(log.matches("by someone unknown").count(), 1, "{log}");
}
