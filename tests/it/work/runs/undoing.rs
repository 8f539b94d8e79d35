//! Runs that are killed when they have restored what an agent changed, and have not recorded it yet.

use super::world::{PLANS, World};

#[test]
fn what_was_restored_before_a_kill_is_recorded_when_the_run_is_resumed() {
    let rows = [
        // In the middle of a step.
        ("false", "git replace $(git rev-parse main:a.txt) $(git rev-parse main:b.txt)", "`refs/replace/"),
        // After all steps.
        ("true", "echo evil > b.txt", "the work tree "),
    ];
    for (is_alone, act, begins) in rows {
        let world = World::new();
        world.repo.commit("b.txt", "two\n", "More");
        world.repo.git(&["config", "wf.run.alone", is_alone]).ok();
        let act = format!("(cd \"$HERE/code\"; env -i PATH=\"$PATH\" sh -c '{act}') > \"$HERE/out\" 2>&1");
        let acts = format!("if once acted; then {act}; fi");
        // A planner that is killed leaves no lock of git behind.
        world.agent("planner", &format!("{acts}; {PLANS}"));
        world.repo.with_env("WF_FAULT", "restored").wf(&["run", "ISS-1", "--yes"]).fails(-1);
        assert_eq!(world.repo.git(&["show", "main:a.txt"]).ok().stdout, "one\n", "{act}");
        assert_eq!(world.repo.read("b.txt"), "two\n", "{act}");
        world.repo.wf(&["run", "resume", "--yes"]).ok();
        let log = world.repo.json(&["run", "log"]);
        let all: Vec<_> = log.as_array().unwrap().iter().filter(|it| it["type"] == "breach").collect();
        let what = all.iter().filter_map(|it| it["what"].as_str());
        let found: Vec<&str> = what.filter(|it| it.starts_with(begins)).collect();
        assert_eq!(found.len(), 1, "{act}: {all:#?}");
        assert!(found[0].contains("; the run was killed while it restored this"), "{act}: {found:?}");
        // It is not recorded again.
        let left = world.repo.sh(&["-c", "ls .git/wf/runs/*/undoing.json"]);
        assert_eq!(left.stdout, "", "{act}");
    }
}
