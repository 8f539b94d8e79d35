//! What the host has of an issue, and changes of it, through `gh` 2.94 or later: its type, its parent, what blocks it, and
//! its comments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::gh::{GhError, UNKNOWN_FIELD, body, finished, gh};
use super::links;
use crate::model::strict;

/// The comments of an issue, and its links.
const FIELDS: &str = "number,url,comments,issueType,parent,blockedBy";
/// What older versions of `gh` know of them.
const OLD_FIELDS: &str = "number,url,comments";
/// How many issues are asked for.
const MOST_ISSUES: &str = "--limit=10000";

/// What the host has of an issue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostIssue {
    pub(crate) links: HostLinks,
    /// The marks of the comments that were sent from here.
    pub(crate) marks: BTreeSet<String>,
    /// Whether `gh` is older than 2.94, so that the links are not known.
    pub(crate) is_old: bool,
}

/// The type of an issue and its links to others of its repository, which are numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HostLinks {
    /// Its type, such as `Bug`.
    pub(crate) kind: Option<String>,
    pub(crate) parent: Option<u64>,
    pub(crate) blocked_by: BTreeSet<u64>,
}

impl HostLinks {
    /// The values of a record.
    pub(crate) fn from_record(map: &Map<String, Value>) -> Self {
        let kind = ["issueType", "type"].iter().find_map(|name| map.get(*name)?.get("name")?.as_str());
        Self { kind: kind.map(str::to_owned), parent: links::parent(map), blocked_by: links::blockers(map) }
    }
}

/// What changes of an issue on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LinkChange {
    pub(crate) kind: Option<String>,
    pub(crate) parent: Option<u64>,
    pub(crate) add_blocked_by: BTreeSet<u64>,
    pub(crate) remove_blocked_by: BTreeSet<u64>,
}

impl LinkChange {
    /// What leads from the links that the host has to those here. `base`: those that it had as they were last imported. What
    /// changed there since stays.
    pub(crate) fn between(here: &HostLinks, host: &HostLinks, base: &HostLinks) -> Self {
        let kind = here.kind.as_ref().filter(|kind| {
            let is_free = host.kind.is_none() || host.kind == base.kind;
            is_free && !host.kind.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(kind))
        });
        let is_free = host.parent.is_none() || host.parent == base.parent;
        let parent = here.parent.filter(|parent| is_free && host.parent != Some(*parent));
        let there: BTreeSet<u64> = host.blocked_by.union(&base.blocked_by).copied().collect();
        let shared = host.blocked_by.intersection(&base.blocked_by);
        Self {
            kind: kind.cloned(),
            parent,
            add_blocked_by: here.blocked_by.difference(&there).copied().collect(),
            remove_blocked_by: shared.filter(|number| !here.blocked_by.contains(number)).copied().collect(),
        }
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What changes, in words.
    pub(crate) fn words(&self) -> Vec<String> {
        let kind = self.kind.iter().map(|kind| format!("type {kind}"));
        let parent = self.parent.iter().map(|number| format!("sub-issue of #{number}"));
        let more = self.add_blocked_by.iter().map(|number| format!("blocked by #{number}"));
        let less = self.remove_blocked_by.iter().map(|number| format!("no longer blocked by #{number}"));
        kind.chain(parent).chain(more).chain(less).collect()
    }

    fn flags(&self) -> Vec<String> {
        let kind = self.kind.iter().map(|kind| format!("--type={kind}"));
        let parent = self.parent.iter().map(|number| format!("--parent={number}"));
        let lists = [("add", &self.add_blocked_by), ("remove", &self.remove_blocked_by)];
        let lists = lists.into_iter().filter(|(_, numbers)| !numbers.is_empty()).map(|(verb, numbers)| {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            format!("--{verb}-blocked-by={}", numbers.join(","))
        });
        kind.chain(parent).chain(lists).collect()
    }
}

/// The line of a text on the host that says what of here it is. The host does not show it.
pub(crate) fn sent_mark(id: &str) -> String {
    format!("{MARK}{id} -->")
}

/// How such a line begins.
const MARK: &str = "<!-- git-wf sent: ";

/// What of here a text on the host is, if a line of its own says so: people write below it. In a quotation, the line begins with
/// `>`.
pub(super) fn marked(text: &str) -> Option<&str> {
    text.lines().rev().find_map(|line| line.trim().strip_prefix(MARK)?.strip_suffix(" -->"))
}

/// What the host has of an issue.
pub(crate) fn host_issue(repository: &str, number: u64) -> Result<HostIssue, GhError> {
    let ask = |fields: &str| {
        let mut command = gh(&["issue", "view", &number.to_string(), "--json", fields]);
        command.arg(format!("--repo={repository}")).output()
    };
    let output = ask(FIELDS);
    let is_old = output.as_ref().is_ok_and(|output| {
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(UNKNOWN_FIELD)
    });
    let output = finished(if is_old { ask(OLD_FIELDS) } else { output }, repository)?;
    let map = object(&output.stdout, repository)?;
    let comments = map.get("comments").and_then(Value::as_array).into_iter().flatten();
    let marks = comments.filter_map(|comment| marked(comment.get("body")?.as_str()?)).map(str::to_owned);
    Ok(HostIssue { links: HostLinks::from_record(&map), marks: marks.collect(), is_old })
}

/// Changes the type and the links of an issue.
pub(crate) fn change(repository: &str, number: u64, change: &LinkChange) -> Result<(), GhError> {
    let mut command = gh(&["issue", "edit", &number.to_string()]);
    command.args(change.flags()).arg(format!("--repo={repository}"));
    finished(command.output(), repository).map(drop)
}

/// The addresses of the issues that were made from here, by what they are here.
pub(crate) fn made_issues(repository: &str) -> Result<BTreeMap<String, String>, GhError> {
    // Versions without sub-issues do not have the last field.
    let mut command = gh(&["issue", "list", "--state", "all", "--json", "url,body,parent", MOST_ISSUES]);
    let output = command.arg(format!("--repo={repository}")).output();
    if output.as_ref().is_ok_and(|output| {
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(UNKNOWN_FIELD)
    }) {
        return Err(GhError::Old);
    }
    let output = finished(output, repository)?;
    let all: Vec<Map<String, Value>> = parsed(&output.stdout, repository)?;
    let made = all.iter().filter_map(|map| {
        let id = marked(map.get("body")?.as_str()?)?;
        Some((id.to_owned(), map.get("url")?.as_str()?.to_owned()))
    });
    Ok(made.collect())
}

/// Makes an issue. Returns its address.
pub(crate) fn make_issue(
    repository: &str,
    title: &str,
    text: &str,
    parent: Option<u64>,
) -> Result<String, GhError> {
    let mut command = gh(&["issue", "create", "--body-file", "-"]);
    command.arg(format!("--repo={repository}")).arg(format!("--title={title}"));
    command.args(parent.map(|number| format!("--parent={number}")));
    let output =
        finished(command.stdin(body(text)?).stdout(std::process::Stdio::piped()).output(), repository)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned())
}

fn object(stdout: &[u8], repository: &str) -> Result<Map<String, Value>, GhError> {
    parsed(stdout, repository)
}

fn parsed<T: serde::de::DeserializeOwned>(stdout: &[u8], repository: &str) -> Result<T, GhError> {
    serde_json::from_slice(stdout).map_err(|error| GhError::Cut {
        fault: strict::json_fault(&error),
        repository: repository.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(kind: &str, parent: Option<u64>, blocked_by: &[u64]) -> HostLinks {
        let kind = Some(kind.to_owned()).filter(|kind| !kind.is_empty());
        HostLinks { kind, parent, blocked_by: blocked_by.iter().copied().collect() }
    }

    #[test]
    fn what_changed_here_is_sent_and_what_changed_there_stays() {
        let base = links("Bug", Some(1), &[2, 3]);
        let changed = LinkChange::between(&links("task", Some(9), &[3, 4]), &base, &base);
        let words = ["type task", "sub-issue of #9", "blocked by #4", "no longer blocked by #2"];
        assert_eq!(changed.words(), words);
        let flags = ["--type=task", "--parent=9", "--add-blocked-by=4", "--remove-blocked-by=2"];
        assert_eq!(changed.flags(), flags);
        // There, the type and the parent were changed, 3 was removed, and 5 added.
        let host = links("Feature", Some(7), &[2, 5]);
        let here = links("bug", Some(1), &[2, 3]);
        assert!(LinkChange::between(&here, &host, &base).is_empty());
        let none = HostLinks::default();
        assert_eq!(LinkChange::between(&here, &none, &none).words().len(), 4);
        assert!(LinkChange::between(&none, &host, &none).is_empty());
    }

    #[test]
    fn a_line_of_its_own_is_a_mark_wherever_it_is() {
        let mark = sent_mark("ISS-1");
        assert_eq!(marked(&format!("text\n\n{mark}\n")), Some("ISS-1"));
        assert_eq!(marked(&format!("text\r\n{mark}\r\n\r\nEDIT: more")), Some("ISS-1"));
        assert_eq!(
            (marked(&format!("> {mark}\ntext")), marked(&format!("see {mark}")), marked("")),
            (None, None, None)
        );
    }
}
