//! The workplaces of agents of runs: where they are, and what was changed in them so far.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{IssueId, Other, RunId, SolutionId, TaskId, text_enum};
use crate::ops::{Answer, Refusal, Session};
use crate::store::{Store, resolve};
use crate::trail::active::ActiveClaim;
use crate::workplace::KnownWorkplace;

/// The file in the git directory of a workplace that says what is executed there.
pub(crate) const ACTIVE: (&str, &str) = ("wf", "active.json");

text_enum!(
    /// What a workplace of a run is for.
    WorkplaceUse {
        /// An agent executes a plan.
        Execute = "execute",
        /// An agent explores, plans or reviews.
        Read = "read",
        /// The tests of a plan run.
        Test = "test",
    }
);

/// The workplace of an agent of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunWorkplace {
    /// The run.
    pub(crate) run_id: RunId,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// What it is for.
    pub(crate) used_to: WorkplaceUse,
    /// Its directory.
    pub(crate) folder: PathBuf,
    /// The task that the agent says it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
    /// The command of its setup that runs before anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) setup: Option<String>,
}

/// What an agent has changed so far.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunDiff {
    /// Its workplace.
    #[serde(flatten)]
    pub(crate) workplace: RunWorkplace,
    /// All changes since it began, committed or not, as a patch.
    pub(crate) patch: String,
}

/// The workplaces that are in use: of a run, or of all runs.
pub(crate) fn live(store: &Store, run: Option<&RunId>) -> Vec<RunWorkplace> {
    let prefix = run.map_or_else(|| "RUN-".to_owned(), |run| format!("{run}-"));
    let mut known = KnownWorkplace::all(store, &prefix);
    known.retain(|known| known.is_in_use);
    known.iter().filter_map(of_run).collect()
}

/// What was changed so far in the workplace in which the plan of an issue is executed.
///
/// # Errors
/// `not-found`; nothing to do if there is no such workplace.
pub(crate) fn diff(session: &Session, issue: &str) -> Answer<RunDiff> {
    let store = session.store();
    let id = resolve::issue(&store.snapshot()?, issue)?;
    let all =
        KnownWorkplace::all(store, "RUN-").into_iter().filter_map(|known| Some((of_run(&known)?, known)));
    let own = all.filter(|(of_run, _)| of_run.issue_id == id && of_run.used_to == WorkplaceUse::Execute);
    // Earlier runs may have left others.
    if let Some((workplace, known)) = own.max_by_key(|(_, known)| (known.is_in_use, known.noted_at)) {
        let patch = String::from_utf8_lossy(&known.diff(store)?).into_owned();
        return Ok(session.done(RunDiff { workplace, patch }, None));
    }
    Err(Refusal::nothing(format!("no agent of a run executes `{id}` here"))
        .remedy(Other::RunShow, "shows what runs do"))
}

/// What the name of a workplace says.
fn of_run(known: &KnownWorkplace) -> Option<RunWorkplace> {
    let end = known.name.match_indices('-').nth(2)?.0;
    let run_id = RunId::parse(&known.name[..end]).ok()?;
    let of = &known.name[end + 1..];
    let (used_to, issue_id) = if let Some(issue) = of.strip_prefix("read-") {
        (WorkplaceUse::Read, IssueId::parse(issue).ok()?)
    } else if let Some(issue) = of.strip_prefix("test-") {
        (WorkplaceUse::Test, IssueId::parse(issue).ok()?)
    } else {
        (WorkplaceUse::Execute, SolutionId::parse(of).ok()?.issue())
    };
    let task_id = if used_to == WorkplaceUse::Execute { task_of(known) } else { None };
    let (folder, setup) = (known.folder.clone(), known.setup.clone());
    Some(RunWorkplace { run_id, issue_id, used_to, folder, task_id, setup })
}

/// The task that an agent says it works on.
fn task_of(known: &KnownWorkplace) -> Option<TaskId> {
    let (folder, name) = ACTIVE;
    let active = known.read_file(folder, name)?;
    serde_json::from_slice::<ActiveClaim>(&active).ok()?.task_id
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::ops::test_repo::TestRepo;
    use crate::workplace::{NewWorkplace, Workplace};

    /// The agent could write the git directory of its workplace, so that one must not stay, whatever can take its place.
    #[test]
    fn a_workplace_whose_git_dir_cannot_be_replaced_has_none() {
        let repo = TestRepo::new();
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            repo.run(&["config", key, value]);
        }
        repo.run(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
        let store = repo.store();
        let folder = repo.dir.path().canonicalize().unwrap().join("place");
        let start = store.head().unwrap().unwrap();
        let new = NewWorkplace { folder: &folder, name: "RUN-1", start, branch: None, outlives: true };
        let workplace = Workplace::make(&store, &new).unwrap();
        fs::write(folder.join("left.txt"), "left").unwrap();
        workplace.replace_git_dir(&store).unwrap();
        assert!(folder.join(".git/HEAD").exists());
        fs::remove_file(store.common_dir().join("wf/workplaces/RUN-1/private/index")).unwrap();
        workplace.replace_git_dir(&store).unwrap();
        assert!(folder.join("left.txt").exists() && !folder.join(".git").exists());
        assert!(!folder.join(".git.wf").exists());
    }
}
