//! Runs `gh`, the program of GitHub, which has the user's login.

use std::io::{self, Seek, Write};
use std::process::{Command, Output, Stdio};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::IssuePages;
use crate::git::clear_local_variables;
use crate::interchange::selection::{ImportSelection, SourceState};
use crate::model::{Code, Explain, Remedies, strict};

/// What an issue is asked for.
const FIELDS: &str = "id,number,title,body,labels,state,stateReason,assignees,milestone,author,createdAt,updatedAt,closedAt,comments,url";
/// What it is asked for, too, if `gh` has it: versions before 2.94 do not.
const NEWER_FIELDS: &[&str] = &["issueType", "blockedBy", "parent"];
/// How `gh` refuses a field that it does not have. A list of those that it has follows, one a line.
pub(super) const UNKNOWN_FIELD: &str = "Unknown JSON field";
/// How many issues `gh` is asked for if nobody says how many.
pub(crate) const MOST_ISSUES: usize = 10_000;
/// So many comments of an issue `gh issue list` shows at most.
const MOST_COMMENTS: usize = 100;
/// The exit code of `gh` if nobody is logged in.
const NO_LOGIN: i32 = 4;

/// Why `gh` did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GhError {
    /// It is not installed.
    #[error("`gh` is not installed")]
    Absent,
    /// It could not be started.
    #[error("cannot run `gh`: {0}")]
    Start(io::Error),
    /// Nobody is logged in.
    #[error("`gh` is not logged in: {0}")]
    NoLogin(String),
    /// It is older than 2.94.
    #[error("`gh` is older than 2.94, which has no sub-issues")]
    Old,
    /// It failed.
    #[error("`gh` failed: {said}")]
    Failed {
        /// Its message.
        said: String,
        /// The repository that it was asked about.
        repository: String,
    },
    /// It wrote only a part of its answer.
    #[error("the output of `gh` is cut off: {fault}")]
    Cut {
        /// Where it ends.
        fault: String,
        /// The repository that it was asked about.
        repository: String,
    },
}

impl GhError {
    /// Whether the same may succeed later: the host limits the rate of requests, or the connection was cut.
    pub(crate) fn is_passing(&self) -> bool {
        const PASSING: [&str; 10] = [
            "rate limit",
            "http 403",
            "http 429",
            "http 5",
            "timeout",
            "timed out",
            "connection",
            "eof",
            "no message",
            "error connecting",
        ];
        match self {
            Self::Failed { said, .. } => {
                let said = said.to_lowercase();
                PASSING.iter().any(|words| said.contains(words))
            }
            Self::Cut { .. } => true,
            Self::Absent | Self::Start(_) | Self::NoLogin(_) | Self::Old => false,
        }
    }

    /// Whether the host did nothing because there were too many requests.
    pub(crate) fn is_rate_limit(&self) -> bool {
        const LIMITS: [&str; 3] = ["rate limit", "http 429", "submitted too quickly"];
        match self {
            Self::Failed { said, .. } => {
                let said = said.to_lowercase();
                LIMITS.iter().any(|words| said.contains(words))
            }
            _ => false,
        }
    }
}

impl Explain for GhError {
    fn code(&self) -> Code {
        match self {
            Self::Absent | Self::Start(_) => Code::NoGh,
            Self::NoLogin(_) => Code::NotLoggedIn,
            Self::Failed { .. } | Self::Cut { .. } | Self::Old => Code::GhFailed,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Absent | Self::Start(_) => "install it from https://cli.github.com".into(),
            Self::Old => "install a newer one from https://cli.github.com".into(),
            Self::NoLogin(_) => Remedies::command("gh auth login", "logs in").and("or set GH_TOKEN"),
            Self::Failed { repository, .. } => {
                let look = Remedies::command(
                    format!("gh repo view {repository}"),
                    "shows whether you can read the repository",
                );
                if self.is_passing() { look.and("or try again") } else { look }
            }
            Self::Cut { repository, .. } => Remedies::command(
                format!("gh api --paginate 'repos/{repository}/issues?state=all' > issues.json"),
                "saves them page by page; then import that file",
            )
            .and("or try again"),
        }
    }
}

/// The issues of a repository: as many as the selection says, or else [`MOST_ISSUES`].
pub(crate) fn issues_of(repository: &str, selection: &ImportSelection) -> Result<IssuePages, GhError> {
    let state = match selection.state {
        None => "all",
        Some(SourceState::Open) => "open",
        Some(SourceState::Closed) => "closed",
    };
    // A limit that a filter of ours comes after would leave out too much.
    let given = if selection.since.is_none() { selection.limit } else { None };
    let limit = given.unwrap_or_else(|| MOST_ISSUES.max(selection.limit.unwrap_or(0)));
    let ask = |newer: &[&str]| {
        let fields = [&[FIELDS], newer].concat().join(",");
        let mut command = gh(&["issue", "list", "--state", state, "--json", &fields]);
        command.arg(format!("--repo={repository}")).arg(format!("--limit={}", limit.max(1)));
        command.args(selection.labels.iter().map(|label| format!("--label={label}")));
        command.output()
    };
    let mut output = ask(NEWER_FIELDS);
    let known = output.as_ref().ok().and_then(known_fields);
    if let Some(known) = &known {
        output = ask(known);
    }
    let output = finished(output, repository)?;
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(&output.stdout)
        && error.is_eof()
        && !output.stdout.trim_ascii().is_empty()
    {
        return Err(GhError::Cut { fault: strict::json_fault(&error), repository: repository.to_owned() });
    }
    let most = if given.is_none() { u64::try_from(limit).ok() } else { None };
    let mut pages = IssuePages::parse(&with_all_comments(output.stdout, repository)?, most);
    if let Some(known) = known {
        let lacking: Vec<&str> = NEWER_FIELDS.iter().copied().filter(|name| !known.contains(name)).collect();
        pages.lack(&lacking);
    }
    Ok(pages)
}

/// A list of issues with all comments of those whose comments were cut.
fn with_all_comments(list: Vec<u8>, repository: &str) -> Result<Vec<u8>, GhError> {
    let all = String::from_utf8_lossy(&list);
    if all.matches("\"createdAt\"").nth(MOST_COMMENTS).is_none() {
        return Ok(list);
    }
    let Ok(mut issues) = serde_json::from_str::<Vec<Value>>(&all) else { return Ok(list) };
    for issue in &mut issues {
        if issue["comments"].as_array().map(Vec::len) != Some(MOST_COMMENTS) {
            continue;
        }
        let mut command = gh(&["issue", "view", &issue["number"].to_string(), "--json", "comments"]);
        let output = finished(command.arg(format!("--repo={repository}")).output(), repository)?;
        if let Ok(Value::Object(mut whole)) = serde_json::from_slice(&output.stdout)
            && let Some(all @ Value::Array(_)) = whole.remove("comments")
        {
            issue["comments"] = all;
        }
    }
    Ok(Value::from(issues).to_string().into_bytes())
}

/// The newer fields that `gh` has, if it refused one that it does not have.
fn known_fields(output: &Output) -> Option<Vec<&'static str>> {
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || !said.contains(UNKNOWN_FIELD) {
        return None;
    }
    Some(
        NEWER_FIELDS
            .iter()
            .filter(|field| said.lines().any(|line| line.trim() == **field))
            .copied()
            .collect(),
    )
}

/// Comments on an issue. Returns the address of the comment.
pub(crate) fn comment_on(repository: &str, number: u64, text: &str) -> Result<String, GhError> {
    let mut command = gh(&["issue", "comment", &number.to_string(), "--body-file", "-"]);
    command.arg(format!("--repo={repository}")).stdin(body(text)?).stdout(Stdio::piped());
    let output = finished(command.output(), repository)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A text as the input of `gh`.
pub(super) fn body(text: &str) -> Result<std::fs::File, GhError> {
    let mut file = tempfile::tempfile().map_err(GhError::Start)?;
    file.write_all(text.as_bytes()).and_then(|()| file.rewind()).map_err(GhError::Start)?;
    Ok(file)
}

pub(super) fn gh(args: &[&str]) -> Command {
    let mut command = Command::new("gh");
    clear_local_variables(&mut command);
    command.args(args).env("GH_PROMPT_DISABLED", "1").env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

pub(super) fn finished(output: io::Result<Output>, repository: &str) -> Result<Output, GhError> {
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GhError::Absent,
        _ => GhError::Start(error),
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message").to_owned();
    let is_login = output.status.code() == Some(NO_LOGIN) || said.contains("gh auth login");
    Err(if is_login {
        GhError::NoLogin(first)
    } else {
        GhError::Failed { said: first, repository: repository.to_owned() }
    })
}
