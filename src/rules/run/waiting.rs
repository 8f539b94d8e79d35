//! What waits for a person after a run, and the commands for it.

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::{IssueProgress, Progress};
use super::report::Known;
use super::state::{IssueStage, in_words, stage};
use crate::model::id::IssueId;
use crate::model::remedy::{Call, Remedy};
use crate::model::review::Verdict;
use crate::model::run_log::RunStatus;
use crate::model::shell;
use crate::model::status::IssueStatus;
use crate::rules::facts;
use crate::rules::folder::{IssueFolder, RunFolder};
use crate::rules::review;

/// Something that a person must decide or do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Waiting {
    /// The issue that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// What it is.
    pub(crate) what: String,
    /// The remedies.
    pub(crate) remedies: Vec<Remedy>,
}

/// What waits, by issue and then for the run as a whole. What was settled after the run is left out.
pub(super) fn waiting(folder: &RunFolder, progress: &Progress<'_>, known: &Known<'_>) -> Vec<Waiting> {
    let mut waiting: Vec<Waiting> =
        progress.issues.iter().filter_map(|issue| of_issue(issue, known.issues.get(issue.id))).collect();
    let run = &folder.run;
    let open = progress.breaches.iter().filter(|breach| !breach.undone).count();
    if open > 0 {
        let what = format!("{open} of the things that agents did outside of their roles could not be undone");
        waiting.push(Waiting {
            issue_id: None,
            what,
            remedies: vec![Remedy::call(Call::new("run log", [&run.id]), "names them")],
        });
    }
    if progress.status != RunStatus::Completed {
        waiting.push(Waiting {
            issue_id: None,
            what: "the run is not at its end".to_owned(),
            remedies: vec![Remedy::call(Call::new("run show", [&run.id]), "shows how far it is")],
        });
    }
    let is_any_done = progress.issues.iter().any(|issue| stage(issue.status) == IssueStage::Completed);
    if let Some(branch) = run.branch.as_deref().filter(|_| known.is_merged == Some(false) && is_any_done) {
        let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        waiting.push(Waiting {
            issue_id: None,
            what: format!("what was completed is on the branch `{name}`, and not in what is checked out"),
            remedies: vec![Remedy::words(format!("`git merge {}` takes it over", shell::operand(name)))],
        });
    }
    waiting
}

fn of_issue(issue: &IssueProgress<'_>, found: Option<&IssueFolder>) -> Option<Waiting> {
    let id = issue.id;
    let entry =
        |what: String, remedies: Vec<Remedy>| Some(Waiting { issue_id: Some(id.clone()), what, remedies });
    let Some(found) = found else {
        return entry(
            "the issue is missing here".to_owned(),
            vec![Remedy::call("sync", "fetches it, if another clone has it")],
        );
    };
    let why = issue.error.map(in_words).filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let show = || Remedy::call(Call::new("show", [id]), "shows what happened");
    match facts::status(found) {
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => None,
        IssueStatus::Failed => entry(
            format!("its execution failed{why}"),
            vec![Remedy::call(Call::new("retry", [id]), "queues it again"), show()],
        ),
        IssueStatus::Registered | IssueStatus::Planning => match found.solutions.len() {
            0 if issue.status == IssueStatus::Registered && issue.error.is_none() => None,
            0 => entry(
                format!("it has no plan{why}"),
                vec![Remedy::call(Call::new("solution add", [id]), "adds one by hand"), show()],
            ),
            n => unbound(id, n),
        },
        IssueStatus::Planned | IssueStatus::Queued => match found.bound() {
            None => unbound(id, found.solutions.len()),
            Some(plan) => match review::standing(plan, found.reviews(&plan.id)).verdict {
                Some(Verdict::Rejected) => entry(
                    "its plan was rejected".to_owned(),
                    vec![
                        Remedy::call(Call::new("feedback list", [id]), "shows why"),
                        Remedy::call(Call::new("solution add", [id]), "adds a better one"),
                    ],
                ),
                _ if issue.error.is_some() => entry(format!("it was not executed{why}"), vec![show()]),
                _ => None,
            },
        },
        IssueStatus::Paused => {
            entry("it is paused".to_owned(), vec![Remedy::call(Call::new("reopen", [id]), "goes on with it")])
        }
        IssueStatus::Executing => None,
    }
}

fn unbound(id: &IssueId, plans: usize) -> Option<Waiting> {
    let what = match plans {
        1 => "its plan is not bound".to_owned(),
        n => format!("one of its {n} plans must be chosen"),
    };
    let remedies = vec![
        Remedy::call(Call::new("solution list", [id]), "shows what there is"),
        Remedy::call(Call::new("bind", [id.as_str(), "SOLUTION"]), "chooses one"),
    ];
    Some(Waiting { issue_id: Some(id.clone()), what, remedies })
}
