//! Completed work that a merge does not bring into the branch of the run, but copies of its commits do.

use serde_json::json;

use super::resolved::{BOTH, REFUSES, conflicting, on_resolve};

/// Both agents begin with the same commit. The second one goes on once the work of the first is merged, so that a merge
/// conflicts, and a copy of its second commit fits.
#[test]
fn copies_of_commits_that_fit_are_tested_and_their_links_follow() {
    let world = conflicting(REFUSES);
    let same = "echo common > shared.txt; git add shared.txt; git commit -q -m Share";
    let wait = |file: &str| format!("while ! test -e \"$HERE/{file}\"; do sleep 0.1; done");
    let work = format!(
        "case \"$PWD\" in *ISS-2*) echo > \"$HERE/begun\"; {}; sleep 3; {same}; echo more > shared.txt; git commit -q -am More;; \
         *) {}; {same}; echo > \"$HERE/over\";; esac; echo '{{\"status\": \"completed\"}}'",
        wait("over"),
        wait("begun"),
    );
    world.agent("executor", &format!("{}\n{work}", on_resolve(REFUSES)));
    let state = world.run(0, &BOTH);
    assert_eq!(
        (&state["context"]["completed_count"], &state["errors"]),
        (&json!(2), &json!([])),
        "{state:#}"
    );
    let repo = &world.repo;
    let run = repo.json(&["run", "show"]);
    let branch = run["branch"].as_str().unwrap().to_owned();
    assert_eq!(repo.git(&["show", &format!("{branch}:shared.txt")]).ok().stdout, "more\n");
    // The work was not merged, and its link follows the copy.
    let copy = repo.git(&["log", "-1", "--format=%H", "--grep=^More", &branch]).ok();
    let shown = repo.json(&["show", "ISS-2"]);
    assert_eq!(shown["landed"]["on_no_branch"], json!(null), "{shown:#}");
    let execution = &shown["executions"][0];
    assert!(execution.to_string().contains(copy.line()), "{execution:#}");
    let checks = execution["checks"].as_array().unwrap();
    let tree = repo.git(&["rev-parse", &format!("{}^{{tree}}", copy.line())]).ok();
    assert_eq!(checks.last().unwrap()["tree"], tree.line(), "{checks:#?}");
}
