//! What several commands read from their arguments, from files and from editors.

pub(super) mod ask;
pub(super) mod board_filter;
pub(super) mod chosen;
pub(super) mod claiming;
pub(super) mod consent;
pub(super) mod editor;
pub(super) mod fields;
pub(super) mod issue_fields;
pub(super) mod issue_text;
pub(super) mod list_filter;
pub(super) mod output;
pub(super) mod program;
pub(super) mod text;
pub(super) mod then;
pub(super) mod waiting;
pub(super) mod which_issues;
pub(super) mod which_run;

use std::time::Duration;

use crate::rules::lease::parse_duration;

/// Parses a time limit: a number with a unit.
pub(in crate::cli) fn parse_limit(text: &str) -> Result<Duration, String> {
    let millis = parse_duration(text).and_then(|millis| u64::try_from(millis).ok());
    millis
        .map(Duration::from_millis)
        .ok_or_else(|| "expected a number with a unit, such as 90s, 30m or 2h".into())
}

/// Parses a role by its name or an alias.
pub(in crate::cli) fn parse_role(text: &str) -> Result<crate::rules::roles::Role, String> {
    use crate::rules::Role;
    Role::named(text).ok_or_else(|| format!("expected one of {}", Role::words()))
}

/// Parses the number of an acceptance criterion.
pub(in crate::cli) fn parse_criterion(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a criterion is a number, counted from 1, after its task: T1 1".into())
}
