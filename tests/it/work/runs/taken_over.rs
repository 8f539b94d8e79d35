//! A driver whose run was taken over writes nothing more in its name.

use serde_json::Value;

use super::clones::second;
use super::live::{Live, WAITS, gate, latest, open};
use super::world::{BUILDS, PLANS, World};
use crate::support::{Repo, column};

/// Has Bea take a run over, and tells Ada.
fn taken_over(world: &World, bea: &Repo, run: &str) {
    bea.wf(&["sync"]).ok();
    // What Ada has claimed keeps the run from ending.
    bea.wf(&["run", "resume", run, "--take-over", "--yes"]);
    bea.wf(&["sync"]).ok();
    world.repo.wf(&["sync"]).ok();
}

/// The ids of the entries of a run's log.
fn entries(repo: &Repo) -> Vec<String> {
    column(&repo.json(&["run", "log"]), "id")
}

#[test]
fn agents_are_stopped_and_their_claims_given_back() {
    let world = World::new();
    gate(&world);
    world.agent(
        "executor",
        &format!("date >> a.txt; git add a.txt; git commit -q -m Half; {WAITS}; {BUILDS}"),
    );
    let (ada, bea) = (&world.repo, second(&world));
    let live = Live::until("ISS-1 About ISS-1: execution by executor", ada, &["run", "ISS-1", "--yes"]);
    let run = latest(ada);
    taken_over(&world, &bea, &run);
    let before = entries(ada);
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains(&format!("another clone drives run `{run}` now")), "{told}");
    assert_eq!(entries(ada), before);
    let execution = &ada.json(&["show", "ISS-1"])["executions"][0];
    assert_eq!(
        (&execution["status"], ada.status("ISS-1")),
        (&"superseded".into(), "queued".into()),
        "{execution:#}"
    );
    assert_eq!(execution["sessions"], Value::Null, "{execution:#}");
    // Its new driver goes on at once, with an attempt of its own.
    world.agent("executor", BUILDS);
    bea.wf(&["sync"]).ok();
    bea.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(bea.status("ISS-1"), "completed");
}

/// The end of an execution asks the remote about the claim first, so it is the first to learn of the new driver.
#[test]
fn the_step_that_learns_of_it_records_nothing() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("{WAITS}; {BUILDS}"));
    let (ada, bea) = (&world.repo, second(&world));
    let live = Live::until("ISS-1 About ISS-1: execution by executor", ada, &["run", "ISS-1", "--yes"]);
    let run = latest(ada);
    bea.wf(&["sync"]).ok();
    bea.wf(&["run", "resume", &run, "--take-over", "--yes"]).fails(1);
    let before = entries(&bea);
    open(&world);
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains(&format!("another clone drives run `{run}` now")), "{told}");
    // The work is kept here.
    assert!(told.contains("its work is on the branch wf/kept/"), "{told}");
    assert_eq!(ada.status("ISS-1"), "queued");
    assert_eq!(entries(ada), before);
}

#[test]
fn a_plan_that_comes_too_late_is_not_stored() {
    let world = World::new();
    gate(&world);
    world.agent("planner", &format!("if once planning; then {WAITS}; fi; {PLANS}"));
    let (ada, bea) = (&world.repo, second(&world));
    let live = Live::until("ISS-1 About ISS-1: planning by planner", ada, &["run", "ISS-1", "--yes"]);
    let run = latest(ada);
    taken_over(&world, &bea, &run);
    let (code, told) = live.ends();
    assert!(code == 1 && told.contains(&format!("another clone drives run `{run}` now")), "{told}");
    // Bea's planner made the only plan.
    ada.wf(&["sync"]).ok();
    let plans = ada.json(&["solution", "list", "ISS-1"]);
    assert_eq!(plans.as_array().unwrap().len(), 1, "{plans:#}");
    assert!(plans[0].to_string().contains("Bea"), "{plans:#}");
}

/// A host without atomic pushes takes the branch before the records.
#[test]
fn a_branch_is_not_pushed_by_a_driver_that_lost_the_run() {
    let world = World::new();
    let (ada, bea) = (&world.repo, second(&world));
    world.sandbox.at("origin.git").git(&["config", "receive.advertiseAtomic", "false"]).ok();
    // Bea takes the run over, and her landing fails.
    bea.git(&["config", "wf.land.test", "false"]).ok();
    let program = env!("CARGO_BIN_EXE_git-wf");
    let (ours, hers) = (ada.path().display(), bea.path().display());
    let race = format!(
        "ours() {{ (cd '{ours}' && '{program}' \"$@\"); }}; hers() {{ (cd '{hers}' && '{program}' \"$@\"); }}
         run=$(ours run show --json | grep -o 'RUN-[0-9a-z-]*' | head -n 1); ours sync && hers sync || exit 1
         git -C '{ours}' push -q origin \"wf/$run\" && git -C '{hers}' fetch -q origin \"wf/$run:wf/$run\" || exit 1
         hers run resume \"$run\" --take-over --yes; hers sync && ours sync"
    );
    let dying = ada.with_env("WF_FAULT", "landing").with_env("WF_FAULT_RUN", &race);
    let ran = dying.wf(&["run", "ISS-1", "--land", "--yes"]);
    assert!(ran.code == 1 && ran.stderr.contains("another clone drives run"), "{}", ran.stderr);
    let log = world.sandbox.at("origin.git").git(&["log", "--format=%s", "main"]).ok().stdout;
    assert_eq!(log, "Begin\n", "{}", ran.stderr);
}
