//! Pull requests, through `gh`.

use std::process::Stdio;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::gh::{GhError, body, finished, gh};
use crate::model::strict;

/// What a pull request is asked for.
const FIELDS: &str = "number,url,state,isCrossRepository,baseRefName,headRefOid,mergeCommit,statusCheckRollup,reviews,comments";
/// How many pull requests of one branch are looked at.
const MOST: &str = "--limit=20";

/// A pull request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PullRequest {
    /// Its number.
    pub(crate) number: u64,
    /// Its page.
    pub(crate) url: String,
    /// `OPEN`, `CLOSED` or `MERGED`.
    pub(crate) state: String,
    /// Whether its branch is in a fork.
    pub(crate) is_cross_repository: bool,
    /// The branch into which it is merged.
    pub(crate) base_ref_name: String,
    /// The last commit of its branch.
    pub(crate) head_ref_oid: String,
    /// The commit by which the host merged it.
    pub(crate) merge_commit: Option<MergeCommit>,
    /// What its checks say.
    pub(crate) status_check_rollup: Vec<HostCheck>,
    /// What its reviewers say.
    pub(crate) reviews: Vec<HostReview>,
    /// What others say below it.
    pub(crate) comments: Vec<HostReview>,
}

/// A remark on a line of a pull request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HostRemark {
    /// Its number.
    pub(crate) id: u64,
    /// Who wrote it.
    pub(crate) user: HostUser,
    /// What it says.
    pub(crate) body: String,
    /// The file.
    pub(crate) path: String,
    /// The line; `None` if a later commit changed it.
    pub(crate) line: Option<u64>,
}

/// The commit by which the host merged a pull request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MergeCommit {
    /// Its id.
    pub(crate) oid: String,
}

/// A check that the host runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HostCheck {
    /// Its name; a status has a context instead.
    pub(crate) name: String,
    /// The name of a status.
    pub(crate) context: String,
    /// `SUCCESS`, `FAILURE` and others, of a check that has ended.
    pub(crate) conclusion: String,
    /// How a status ended: `SUCCESS`, `FAILURE` and others.
    pub(crate) state: String,
    /// Its page.
    pub(crate) details_url: String,
    /// The page of a status.
    pub(crate) target_url: String,
}

impl HostCheck {
    /// Whether it has failed.
    pub(crate) fn has_failed(&self) -> bool {
        const FAILED: [&str; 5] = ["FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED"];
        [&self.conclusion, &self.state].into_iter().any(|word| FAILED.contains(&word.as_str()))
    }

    /// Its page, if it has one: another one for each time that it runs.
    pub(crate) fn page(&self) -> &str {
        if self.details_url.is_empty() { &self.target_url } else { &self.details_url }
    }

    /// Its name.
    pub(crate) fn called(&self) -> &str {
        if self.name.is_empty() { &self.context } else { &self.name }
    }
}

/// A review or a comment.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HostReview {
    /// Its id.
    pub(crate) id: String,
    /// Who wrote it.
    pub(crate) author: HostUser,
    /// What it says.
    pub(crate) body: String,
    /// `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED` and others.
    pub(crate) state: String,
}

/// Someone at the host.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct HostUser {
    /// The login.
    pub(crate) login: String,
}

impl PullRequest {
    /// Whether the host has merged it.
    pub(crate) fn is_merged(&self) -> bool {
        self.state == "MERGED"
    }

    /// Whether it waits to be merged.
    pub(crate) fn is_open(&self) -> bool {
        self.state == "OPEN"
    }
}

/// The pull requests of a branch of the repository, the newest first. The host also lists branches of this name in forks,
/// which are someone else's.
pub(crate) fn of_branch(repository: &str, branch: &str) -> Result<Vec<PullRequest>, GhError> {
    let mut command = gh(&["pr", "list", "--state", "all", MOST, "--json", FIELDS]);
    command.arg(format!("--head={branch}")).arg(format!("--repo={repository}"));
    let mut found: Vec<PullRequest> = parsed(&finished(command.output(), repository)?.stdout, repository)?;
    found.retain(|pull| !pull.is_cross_repository);
    Ok(found)
}

/// A pull request as it is now.
pub(crate) fn view(repository: &str, number: u64) -> Result<PullRequest, GhError> {
    let mut command = gh(&["pr", "view", &number.to_string(), "--json", FIELDS]);
    command.arg(format!("--repo={repository}"));
    parsed(&finished(command.output(), repository)?.stdout, repository)
}

/// The remarks on lines of a pull request.
pub(crate) fn remarks(repository: &str, number: u64) -> Result<Vec<HostRemark>, GhError> {
    let mut command = gh(&["api", "--paginate"]);
    command.arg(format!("repos/{repository}/pulls/{number}/comments"));
    let output = finished(command.output(), repository)?;
    // Each page is an array of its own.
    let pages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Vec<HostRemark>>();
    let pages: Vec<Vec<HostRemark>> = pages.collect::<Result<_, _>>().map_err(|error| GhError::Cut {
        fault: strict::json_fault(&error),
        repository: repository.to_owned(),
    })?;
    Ok(pages.into_iter().flatten().collect())
}

/// The longest words of a status that the host takes.
const LONGEST_STATUS: usize = 140;

/// What a pull request says.
#[derive(Debug)]
pub(crate) struct PullText<'a> {
    /// The title.
    pub(crate) title: &'a str,
    /// The body, in Markdown.
    pub(crate) body: &'a str,
}

/// Opens a pull request with labels. Returns its address.
pub(crate) fn open(
    repository: &str,
    branch: &str,
    base: &str,
    text: &PullText<'_>,
    labels: &[&str],
) -> Result<String, GhError> {
    let mut command = gh(&["pr", "create", "--body-file", "-"]);
    command.arg(format!("--head={branch}")).arg(format!("--base={base}")).arg(format!("--repo={repository}"));
    command.arg(format!("--title={}", text.title));
    command.args(labels.iter().map(|label| format!("--label={label}")));
    command.stdin(body(text.body)?).stdout(Stdio::piped());
    let output = finished(command.output(), repository)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned())
}

/// Replaces the title and the body of a pull request.
pub(crate) fn edit(repository: &str, number: u64, text: &PullText<'_>) -> Result<(), GhError> {
    let mut command = gh(&["pr", "edit", &number.to_string(), "--body-file", "-"]);
    command.arg(format!("--repo={repository}")).arg(format!("--title={}", text.title));
    command.stdin(body(text.body)?).stdout(Stdio::piped());
    finished(command.output(), repository).map(drop)
}

/// How the tests of a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitState {
    /// They pass.
    Success,
    /// One does not, or was not run.
    Failure,
}

/// A status of a commit, as the host shows it beside its own checks.
#[derive(Debug)]
pub(crate) struct CommitStatus<'a> {
    /// The commit.
    pub(crate) commit: &'a str,
    /// How its tests ended.
    pub(crate) state: CommitState,
    /// What it says, in words.
    pub(crate) words: &'a str,
}

/// Sets the status of a commit that the host has.
pub(crate) fn set_status(repository: &str, status: &CommitStatus<'_>) -> Result<(), GhError> {
    let state = match status.state {
        CommitState::Success => "success",
        CommitState::Failure => "failure",
    };
    let words: String = status.words.chars().take(LONGEST_STATUS).collect();
    let mut command = gh(&["api", "--method", "POST"]);
    command.arg(format!("repos/{repository}/statuses/{}", status.commit));
    for field in [format!("state={state}"), "context=git-wf".to_owned(), format!("description={words}")] {
        command.arg("--raw-field").arg(field);
    }
    finished(command.output(), repository).map(drop)
}

fn parsed<T: DeserializeOwned>(stdout: &[u8], repository: &str) -> Result<T, GhError> {
    serde_json::from_slice(stdout).map_err(|error| GhError::Cut {
        fault: strict::json_fault(&error),
        repository: repository.to_owned(),
    })
}
