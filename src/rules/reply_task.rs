//! The last task of a plan for an issue from GitHub: to tell its reporters the result.

use serde_json::{Value, json};

use super::unbegun::unbegun;
use super::{ExecutionFolder, GateValue, IssueFolder, PlanReview, evidence};
use crate::model::plan_schema::MOST_TASKS;
use crate::model::{Comment, ExecutionId, ExecutionStatus, Issue, Plan, Source, Task};

/// The GitHub issue to reply to, according to the issue's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Discussion {
    /// `owner/name`.
    repository: Option<String>,
    number: Option<u64>,
}

impl Discussion {
    /// The source of an issue from GitHub; none for any other issue. `repository` is the name of this repository there,
    /// if a remote tells it: then `GH-12` is its issue 12.
    pub(crate) fn from_issue(issue: &Issue, repository: Option<String>) -> Option<Self> {
        if let Some(named) = issue.source_url.as_deref().and_then(of_url) {
            return Some(named);
        }
        let number: Option<u64> =
            issue.id.as_str().strip_prefix("GH-").and_then(|digits| digits.parse().ok());
        // An issue with a URL outside GitHub is discussed elsewhere.
        let repository = if number.is_some() && issue.source_url.is_none() { repository } else { None };
        let is_there = issue.source == Some(Source::Github) || repository.is_some();
        is_there.then_some(Self { repository, number })
    }

    /// The repository and the number of the issue, as far as they are known.
    pub(crate) fn parts(&self) -> (Option<&str>, Option<u64>) {
        (self.repository.as_deref(), self.number)
    }

    /// The command that comments there. The parts of the address were checked: a name and a number, nothing else.
    fn command(&self) -> String {
        let number = self.number.map_or("<number>".to_owned(), |number| number.to_string());
        let repository = self.repository.as_ref().map(|name| format!(" --repo {name}")).unwrap_or_default();
        format!("gh issue comment {number}{repository} --body-file -")
    }
}

/// Whether a text names a repository: `owner/name`.
pub(crate) fn is_repository(text: &str) -> bool {
    text.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name))
}

/// Whether a task is the reply on GitHub.
pub(crate) fn is_reply(task: &Task) -> bool {
    let is_github = task.scope.as_deref().is_some_and(|scope| scope.trim().eq_ignore_ascii_case("github"));
    is_github && task.action.trim().eq_ignore_ascii_case("notify")
}

/// What of a plan is not done yet, beside the reply: tasks without a commit or a confirmed criterion, and tests that have
/// not passed. Nothing is open once the execution has ended.
pub(crate) fn open_work(plan: &Plan, execution: &ExecutionFolder) -> Vec<String> {
    if execution.outcome() != ExecutionStatus::Executing {
        return Vec::new();
    }
    let work = execution.work();
    let tasks: Vec<String> = unbegun(plan, &execution.log, &work, &[])
        .into_iter()
        .filter(|id| !plan.task(id).is_some_and(is_reply))
        .map(|id| {
            let title = plan.task(id).map(|task| task.title.as_str()).unwrap_or_default();
            format!("{id}: {title}: no commit, and no criterion is confirmed")
        })
        .collect();
    if !tasks.is_empty() && work.is_empty() {
        return tasks;
    }
    let tests = evidence::missing(plan, execution, &work, GateValue::Open, PlanReview::None);
    tasks.into_iter().chain(tests).collect()
}

/// The line of a comment on GitHub that says which execution it is about. GitHub does not show it.
pub(crate) fn mark(execution: &ExecutionId) -> String {
    format!("<!-- git-wf: {execution} -->")
}

/// The comment in which the result of an execution was sent to GitHub.
pub(crate) fn sent<'a>(folder: &'a IssueFolder, execution: &ExecutionId) -> Option<&'a Comment> {
    let mark = mark(execution);
    folder
        .comments
        .iter()
        .rev()
        .find(|comment| comment.body.lines().next_back().is_some_and(|line| line.trim() == mark))
}

/// The task of a plan that tells the result on GitHub, if the result of this execution was not sent yet.
pub(crate) fn unsent(plan: &Plan, folder: &IssueFolder, execution: &ExecutionId) -> Option<String> {
    let task = plan.tasks.iter().find(|task| is_reply(task))?;
    sent(folder, execution).is_none().then(|| task.id.to_string())
}

/// The number of the issue that an address on GitHub names.
pub(crate) fn number_of(url: &str) -> Option<u64> {
    of_url(url)?.number
}

/// The `owner/name` of the repository of the issue that an address on GitHub names.
pub(crate) fn repository_of_issue(url: &str) -> Option<String> {
    of_url(url)?.repository
}

/// Names of remotes that identify a project, in order of preference: a fork's own remote comes after that of its
/// upstream.
const PREFERRED: [&str; 3] = ["upstream", "github", "origin"];

/// The `owner/name` of this repository on GitHub, from its remotes (name and address); none if there is none or
/// several.
pub(crate) fn repository(remotes: &[(String, String)]) -> Option<String> {
    let found: Vec<(&str, String)> =
        remotes.iter().filter_map(|(name, url)| Some((name.as_str(), of_remote(url)?))).collect();
    if let Some((_, preferred)) =
        PREFERRED.iter().find_map(|wanted| found.iter().find(|(name, _)| name == wanted))
    {
        return Some(preferred.clone());
    }
    let (_, first) = found.first()?;
    found.iter().all(|(_, other)| other == first).then(|| first.clone())
}

/// Whether a remote (name and address) leads to this repository on GitHub.
pub(crate) fn is_remote(remotes: &[(String, String)], repository: &str) -> bool {
    let mut found = remotes.iter().filter_map(|(_, url)| of_remote(url));
    found.any(|name| name.eq_ignore_ascii_case(repository))
}

/// Reads `https://github.com/<owner>/<name>.git`, `git@github.com:<owner>/<name>.git` and their like.
fn of_remote(url: &str) -> Option<String> {
    let (host, path) = match url.split_once("://") {
        Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => url.split_once(':')?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase();
    if !matches!(host.as_str(), "github.com" | "www.github.com" | "ssh.github.com") {
        return None;
    }
    let path = path.trim_matches('/');
    let (owner, name) = path.strip_suffix(".git").unwrap_or(path).split_once('/')?;
    (is_name(owner) && is_name(name)).then(|| format!("{owner}/{name}"))
}

/// The name of an owner or a repository, which a shell reads as a plain word.
fn is_name(text: &str) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    plain && !matches!(text, "" | "." | "..") && !text.starts_with('-') && text.len() <= 100
}

/// Reads `https://github.com/<owner>/<name>/issues/<number>`.
fn of_url(url: &str) -> Option<Discussion> {
    let (scheme, rest) = url.split_once("://")?;
    let path = rest.strip_prefix("github.com/").or_else(|| rest.strip_prefix("www.github.com/"))?;
    let mut parts = path.split(['/', '?', '#']);
    let (owner, name, kind, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_ours = matches!(scheme, "https" | "http") && kind == "issues" && is_name(owner) && is_name(name);
    let number = if number.bytes().all(|b| b.is_ascii_digit()) { number.parse().ok() } else { None };
    (is_ours && number.is_some()).then(|| Discussion { repository: Some(format!("{owner}/{name}")), number })
}

/// Why the task cannot be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unadded {
    /// The plan already answers there.
    Present,
    /// The plan has as many tasks as it may have.
    Full,
    /// The input is not a plan; the checks say why.
    NoPlan,
}

/// Whether a task of the plan, as its planner wrote it, answers on GitHub.
pub(crate) fn is_in(plan: &Value) -> bool {
    let tasks = plan["tasks"].as_array().into_iter().flatten();
    tasks.into_iter().any(|task| {
        let steps = task["implementation"].as_array().into_iter().flatten().filter_map(Value::as_str);
        is_reply_json(task) || steps.into_iter().any(|step| step.contains("gh issue comment"))
    })
}

/// Like [`is_reply`], for a task as its planner wrote it.
pub(crate) fn is_reply_json(task: &Value) -> bool {
    is_word(task, "action", "notify") && is_word(task, "scope", "github")
}

fn is_word(task: &Value, name: &str, word: &str) -> bool {
    task[name].as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case(word))
}

/// The plan with this task added last: it depends on every task that no other depends on.
pub(crate) fn append(plan: &Value, place: &Discussion) -> Result<Value, Unadded> {
    let Some(tasks) = plan["tasks"].as_array().filter(|tasks| !tasks.is_empty()) else {
        return Err(Unadded::NoPlan);
    };
    if is_in(plan) {
        return Err(Unadded::Present);
    }
    if tasks.len() >= MOST_TASKS {
        return Err(Unadded::Full);
    }
    let ids: Vec<&str> = tasks.iter().filter_map(|task| task["id"].as_str()).collect();
    let awaited: Vec<&str> = tasks
        .iter()
        .flat_map(|task| task["depends_on"].as_array().into_iter().flatten().filter_map(Value::as_str))
        .collect();
    let leaves: Vec<&str> = ids.iter().copied().filter(|id| !awaited.contains(id)).collect();
    let highest = ids.iter().filter_map(|id| id.strip_prefix('T')?.parse::<u32>().ok()).max().unwrap_or(0);
    let mut longer = plan.clone();
    let task = json!({
        "id": format!("T{}", u64::from(highest) + 1),
        "title": "Report the outcome on GitHub",
        "action": "Notify",
        "scope": "github",
        "description": "Once everything else is done, comment on the GitHub issue that this one came from",
        "implementation": [
            "Write down the approach, the main changes with their commits, and how each was verified",
            format!("Hand that text to `{}`, or let `export github --post` do both", place.command()),
        ],
        "acceptance": {
            "criteria": ["The issue on GitHub has 1 new comment, which names the commits and the checks that passed"],
            "verification": ["Open the issue on GitHub and read its last comment"],
        },
        "depends_on": leaves,
        "priority": 5,
    });
    if let Some(tasks) = longer["tasks"].as_array_mut() {
        tasks.push(task);
    }
    Ok(longer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{IssueId, Time};
    use crate::rules::plan_check;

    fn issue(id: &str, source: Option<Source>, url: Option<&str>) -> Issue {
        let id = IssueId::parse(id).unwrap();
        let mut issue = Issue::new(id, "a".into(), Time::from_seconds(0).unwrap(), "t".into());
        issue.source = source;
        issue.source_url = url.map(str::to_owned);
        issue
    }

    fn plan(dependencies: &[&[&str]]) -> Value {
        let tasks: Vec<Value> = dependencies
            .iter()
            .enumerate()
            .map(|(n, on)| {
                json!({"id": format!("T{}", n + 1), "title": "t", "action": "Fix", "implementation": ["a", "b"],
                    "acceptance": {"criteria": ["c"]}, "depends_on": on})
            })
            .collect();
        json!({"description": "d", "tasks": tasks})
    }

    #[test]
    fn what_came_from_github() {
        let command = |id, source, url| {
            Discussion::from_issue(&issue(id, source, url), None).map(|place| place.command())
        };
        let github = Some(Source::Github);
        assert_eq!(
            command("X-1", None, Some("https://github.com/ada/engine/issues/12#note")).unwrap(),
            "gh issue comment 12 --repo ada/engine --body-file -"
        );
        assert_eq!(command("GH-12", github, None).unwrap(), "gh issue comment 12 --body-file -");
        assert_eq!(command("X-1", github, None).unwrap(), "gh issue comment <number> --body-file -");
        assert_eq!(command("GH-12", None, None), None, "a name alone says nothing");
        assert_eq!(command("X-1", Some(Source::Text), Some("https://example.org/ada/engine/issues/1")), None);
    }

    #[test]
    fn a_number_is_one_of_this_repository_where_a_remote_names_that() {
        let command = |id, source, url| {
            Discussion::from_issue(&issue(id, source, url), Some("ada/engine".into()))
                .map(|place| place.command())
        };
        let here = "gh issue comment 12 --repo ada/engine --body-file -";
        assert_eq!(command("GH-12", None, None).unwrap(), here);
        assert_eq!(command("GH-12", Some(Source::Github), None).unwrap(), here);
        assert_eq!(command("ISS-12", None, None), None);
        assert_eq!(command("GH-x", None, None), None);
        assert_eq!(command("GH-12", None, Some("https://example.org/12")), None);
        assert_eq!(
            command("GH-12", None, Some("https://github.com/bea/x/issues/3")).unwrap(),
            "gh issue comment 3 --repo bea/x --body-file -"
        );
    }

    #[test]
    fn remotes_tell_the_repository_in_all_their_forms() {
        let of = |remotes: &[(&str, &str)]| {
            let owned: Vec<_> = remotes.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            repository(&owned)
        };
        for url in [
            "https://github.com/ada/engine.git",
            "https://github.com/ada/engine",
            "https://github.com/ada/engine/",
            "https://token:x@github.com/ada/engine.git",
            "http://www.github.com/ada/engine",
            "git@github.com:ada/engine.git",
            "github.com:ada/engine",
            "git@github.com:/ada/engine.git",
            "ssh://git@github.com/ada/engine.git",
            "ssh://git@github.com:22/ada/engine",
            "ssh://git@ssh.github.com:443/ada/engine.git",
            "git://GitHub.com/ada/engine.git",
        ] {
            assert_eq!(of(&[("origin", url)]).as_deref(), Some("ada/engine"), "{url}");
        }
        for url in [
            "https://gitlab.com/ada/engine.git",
            "https://github.com.example.org/ada/engine",
            "https://github.com/ada",
            "https://github.com/ada/engine/tree/main",
            "https://github.com/ada/$(id)",
            "https://github.com/--help/x",
            "https://github.com/../x",
            "file:///github.com/ada/engine",
            "../engine.git",
            "/srv/github.com:ada/engine",
            "",
        ] {
            assert_eq!(of(&[("origin", url)]), None, "{url}");
        }
        let (fork, main) = ("git@github.com:bea/engine", "git@github.com:ada/engine");
        assert_eq!(of(&[("origin", fork), ("upstream", main)]).as_deref(), Some("ada/engine"));
        assert_eq!(of(&[("x", fork), ("y", main)]), None);
        assert_eq!(of(&[("x", main), ("y", "https://github.com/ada/engine")]).as_deref(), Some("ada/engine"));
    }

    #[test]
    fn an_address_brings_no_shell_with_it() {
        for url in [
            "https://github.com/ada/$(id)/issues/1",
            "https://github.com/ada/a b/issues/1",
            "https://github.com/--repo/x/issues/1",
            "https://github.com/ada/x/issues/1;id",
            "https://github.com/ada/x/issues/+1",
            "https://github.com/ada/x/pull/1",
            "https://github.com.example.org/ada/x/issues/1",
            "javascript://github.com/ada/x/issues/1",
            "https://github.com/",
            "",
        ] {
            assert_eq!(
                Discussion::from_issue(&issue("X-1", None, Some(url)), Some("a/b".into())),
                None,
                "{url}"
            );
        }
    }

    #[test]
    fn it_waits_for_all_that_nobody_waits_for_and_passes_the_checks() {
        let place = Discussion::from_issue(&issue("GH-3", Some(Source::Github), None), None).unwrap();
        let longer = append(&plan(&[&[], &["T1"], &["T1"], &[]]), &place).unwrap();
        let task = &longer["tasks"][4];
        assert_eq!((&task["id"], &task["depends_on"]), (&json!("T5"), &json!(["T2", "T3", "T4"])));
        assert!(plan_check::check(&longer, None).is_ok());
        assert!(is_in(&longer));
        assert_eq!(append(&longer, &place), Err(Unadded::Present));
    }

    #[test]
    fn a_full_plan_and_no_plan_are_left_alone() {
        let place = Discussion::from_issue(&issue("GH-3", Some(Source::Github), None), None).unwrap();
        let none: &[&str] = &[];
        assert_eq!(append(&plan(&[none; 10]), &place), Err(Unadded::Full));
        for odd in [json!(null), json!([]), json!({"tasks": {}}), json!({"tasks": []})] {
            assert_eq!(append(&odd, &place), Err(Unadded::NoPlan), "{odd}");
        }
        // The checks report things that are not tasks.
        assert!(append(&json!({"tasks": [1, null, {"id": 7, "depends_on": 3}]}), &place).is_ok());
    }

    #[test]
    fn another_planner_s_reply_is_known() {
        let mut with = plan(&[&[]]);
        with["tasks"][0]["action"] = json!("notify");
        with["tasks"][0]["scope"] = json!("GitHub");
        assert!(is_in(&with));
        let mut by_step = plan(&[&[]]);
        by_step["tasks"][0]["implementation"] = json!(["Post via: gh issue comment 3 --body \"done\""]);
        assert!(is_in(&by_step));
        assert!(!is_in(&plan(&[&[]])));
    }
}
