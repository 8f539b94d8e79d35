//! What a ref is about to lose is kept on a branch before the ref is put back; what cannot be kept stays.

use serde_json::{Value, json};

use super::live::latest;
use super::world::{BUILDS, PLANS, World};

/// The breaches of the latest run whose text has these words.
fn breaches(world: &World, words: &str) -> Vec<Value> {
    let log = world.repo.json(&["run", "log"]);
    let is_it = |it: &&Value| it["type"] == "breach" && it["what"].as_str().unwrap().contains(words);
    log.as_array().unwrap().iter().filter(is_it).cloned().collect()
}

#[test]
fn a_branch_whose_commits_cannot_be_kept_stays() {
    let world = World::new();
    // No branch can be made where the run would keep the commit.
    let in_the_way = "run=$(git for-each-ref --format='%(refname:lstrip=3)' 'refs/heads/wf/RUN-*')
        kept=refs/heads/wf/kept-$run-$(git rev-parse --short=10 $made)
        { echo create refs/heads/wf/kept HEAD; echo create $kept/x HEAD
          for n in $(seq 2 30); do echo create $kept+$n/x HEAD; done; } |
            env -i PATH=\"$PATH\" git update-ref --stdin";
    let act = format!(
        "made=$(git commit-tree -m evil HEAD^{{tree}})\n{in_the_way}\ngit -c core.hooksPath=/dev/null branch evil $made"
    );
    world.agent("planner", &format!("{act}\n{PLANS}"));
    world.run(0, &["ISS-1"]);
    assert_eq!(world.repo.git(&["log", "--format=%s", "evil"]).ok().stdout, "evil\n");
    let found = breaches(&world, "`evil` was created: no branch");
    assert!(matches!(&found[..], [it] if it["undone"] == false), "{found:#?}");
}

#[test]
fn work_is_not_merged_into_a_branch_that_cannot_be_put_back() {
    let world = World::new();
    // As an agent that writes the ref by itself, and leaves the lock of the ref.
    let act = "ref=$(git rev-parse --git-common-dir)/$(git for-each-ref --format='%(refname)' 'refs/heads/wf/RUN-*')
        made=$(git commit-tree -p HEAD -m Elsewhere 'HEAD^{tree}')
        echo $made > \"$HERE/made\"; echo $made > \"$ref\"; touch \"$ref.lock\"";
    world.agent("executor", &format!("{act}\n{BUILDS}"));
    let ended = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    assert!(ended.stderr.contains("was moved by someone else and cannot be put back"), "{}", ended.stderr);
    let run = latest(&world.repo);
    let found = breaches(&world, &format!("the branch `wf/{run}` was moved from"));
    assert!(matches!(&found[..], [it] if it["undone"] == false), "{found:#?}");
    let made = std::fs::read_to_string(world.sandbox.root().join("made")).unwrap();
    let held = world.repo.git(&["for-each-ref", "--contains", made.trim()]).ok().stdout;
    assert!(held.contains("refs/heads/wf/kept/RUN-"), "{held}");
}

#[test]
fn a_branch_of_a_failed_attempt_that_someone_checked_out_stays() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.retries", "1"]).ok();
    let fails = "if once failed; then
            branch=$(git symbolic-ref --short HEAD)
            git -c core.hooksPath=/dev/null switch -q --detach
            env -i PATH=\"$PATH\" git worktree add -q \"$HERE/mine\" \"$branch\" >&2
            exit 1
        fi";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let mine = world.sandbox.at("mine");
    mine.git(&["rev-parse", "--verify", "--quiet", "HEAD"]).ok();
    let shown = world.repo.json(&["show", "ISS-1"]);
    let branches: Vec<&str> =
        shown["executions"].as_array().unwrap().iter().map(|it| it["branch"].as_str().unwrap()).collect();
    assert_eq!(json!(branches[1]), json!(format!("{}+2", branches[0])), "{shown:#}");
}

#[test]
fn the_reflogs_say_what_the_run_did() {
    let world = World::new();
    let repo = &world.repo;
    repo.git(&["branch", "same"]).ok();
    let act = "env -i PATH=\"$PATH\" git branch -q -D same >&2
        git -c core.hooksPath=/dev/null branch evil $(git commit-tree -m evil HEAD^{tree})";
    world.agent("planner", &format!("{act}\n{PLANS}"));
    world.run(0, &["ISS-1"]);
    let kept = repo.git(&["for-each-ref", "--format=%(refname)", "refs/heads/wf/kept"]).ok();
    let last = |name: &str| repo.git(&["reflog", "-1", "--format=%gs", name]).ok().line().to_owned();
    assert_eq!((last(kept.line()).as_str(), last("same").as_str()), ("wf: keep", "wf: restore"));
}
