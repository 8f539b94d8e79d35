//! Which issues of a source to import.

use super::tracker::Arrival;
use crate::model::{Issue, Time};

/// Whether an issue is open in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceState {
    /// It is.
    Open,
    /// It is closed or was given up.
    Closed,
}

/// Which issues to import; all of them by default.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportSelection {
    /// Only these types, if any are given.
    pub(crate) only_types: Vec<String>,
    /// Types to leave out.
    pub(crate) skip_types: Vec<String>,
    /// Only those with all of these labels.
    pub(crate) labels: Vec<String>,
    /// Only open or only closed ones.
    pub(crate) state: Option<SourceState>,
    /// Only those that changed at this time or later.
    pub(crate) since: Option<Time>,
    /// At most this many issues, in the order of the source.
    pub(crate) limit: Option<usize>,
}

impl ImportSelection {
    /// Whether all issues are selected.
    pub(crate) fn is_everything(&self) -> bool {
        let Self { only_types, skip_types, labels, state, since, limit } = self;
        let has_words = [only_types, skip_types, labels].iter().any(|words| !words.is_empty());
        !has_words && state.is_none() && since.is_none() && limit.is_none()
    }

    /// Whether issues are selected by their types.
    pub(crate) fn is_by_type(&self) -> bool {
        !(self.only_types.is_empty() && self.skip_types.is_empty())
    }

    /// Why an issue is not to be imported; `None` if it is.
    pub(crate) fn leaves_out(&self, arrival: &Arrival) -> Option<String> {
        let state = if arrival.is_terminal() { SourceState::Closed } else { SourceState::Open };
        self.reason(&arrival.issue, arrival.changed, state)
    }

    /// Why an issue is left out, by its fields, its time of change and its state; `None` if it is selected.
    pub(crate) fn reason(&self, issue: &Issue, changed: Time, state: SourceState) -> Option<String> {
        let kind = issue.issue_type.as_deref();
        if is_named(kind, &self.skip_types)
            || (!self.only_types.is_empty() && !is_named(kind, &self.only_types))
        {
            return Some(kind.map_or_else(|| "no type".into(), |kind| format!("type {kind}")));
        }
        if let Some(label) = self.labels.iter().find(|label| !issue.tags.contains(*label)) {
            return Some(format!("without the label {label}"));
        }
        if self.state.is_some_and(|wanted| wanted != state) {
            return Some(if state == SourceState::Open { "open".into() } else { "closed".into() });
        }
        self.since.filter(|since| changed < *since).map(|_| "not changed since then".into())
    }
}

fn is_named(kind: Option<&str>, names: &[String]) -> bool {
    kind.is_some_and(|kind| names.iter().any(|name| name.eq_ignore_ascii_case(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IssueId;

    #[test]
    fn an_issue_is_left_out_for_the_first_reason() {
        let at = |text: &str| Time::parse(text).unwrap();
        let day = at("2026-01-02T00:00:00Z");
        let mut issue = Issue::new(IssueId::parse("zoo-1").unwrap(), "a".into(), day, "t".into());
        issue.issue_type = Some("chore".into());
        issue.tags.insert("auth".into());
        let mut arrived = Arrival::new(issue, serde_json::Value::Null, day);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = ImportSelection::default;
        for (selection, why) in [
            (all(), None),
            (ImportSelection { only_types: names(&["Chore", "bug"]), ..all() }, None),
            (ImportSelection { only_types: names(&["bug"]), ..all() }, Some("type chore")),
            (ImportSelection { skip_types: names(&["bug"]), ..all() }, None),
            (ImportSelection { skip_types: names(&["chore"]), ..all() }, Some("type chore")),
            (ImportSelection { labels: names(&["auth"]), ..all() }, None),
            (ImportSelection { labels: names(&["auth", "ui"]), ..all() }, Some("without the label ui")),
            (ImportSelection { state: Some(SourceState::Open), ..all() }, None),
            (ImportSelection { state: Some(SourceState::Closed), ..all() }, Some("open")),
            (ImportSelection { since: Some(day), ..all() }, None),
            (
                ImportSelection { since: Some(at("2026-01-03T00:00:00Z")), ..all() },
                Some("not changed since then"),
            ),
        ] {
            assert_eq!(selection.leaves_out(&arrived).as_deref(), why, "{selection:?}");
        }
        assert!(all().is_everything() && !ImportSelection { limit: Some(0), ..all() }.is_everything());
        arrived.issue.issue_type = None;
        let only = ImportSelection { only_types: names(&["bug"]), ..all() };
        assert_eq!(only.leaves_out(&arrived).as_deref(), Some("no type"));
    }
}
