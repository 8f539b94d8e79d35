//! What git's configuration says about runs.

use std::ops::RangeInclusive;

use crate::model::{Budget, Code, RunMode};
use crate::ops::Refusal;
use crate::store::Store;

/// The mode, if the configuration says one.
///
/// # Errors
/// `config`.
pub(super) fn mode(store: &Store) -> Result<Option<RunMode>, Refusal> {
    let Some(text) = store.config("wf.run.mode").filter(|text| text != "auto") else { return Ok(None) };
    RunMode::parse(&text).map(Some).ok_or_else(|| {
        Refusal::new(Code::Config, format!("`wf.run.mode` is `{text}`"))
            .hint(format!("it is auto or one of {}", RunMode::words()))
            .command("git config --unset wf.run.mode", "restores the default")
    })
}

/// A number in a range, if the configuration says one.
///
/// # Errors
/// `config`.
pub(super) fn number(
    store: &Store,
    key: &'static str,
    most: RangeInclusive<u64>,
) -> Result<Option<u64>, Refusal> {
    let Some(text) = store.config(key) else { return Ok(None) };
    let number = text.trim().parse().ok().filter(|number| most.contains(number));
    number.map(Some).ok_or_else(|| {
        let (least, most) = (most.start(), most.end());
        Refusal::new(Code::Config, format!("`{key}` is `{text}`, not a number from {least} to {most}"))
            .command(format!("git config --unset {key}"), "restores the default")
    })
}

/// A budget: as given, else as the configuration says.
///
/// # Errors
/// `usage`, `config`.
pub(super) fn budget(store: &Store, given: &[String], key: &'static str) -> Result<Option<Budget>, Refusal> {
    if !given.is_empty() {
        return Budget::parse(given.iter().map(String::as_str)).map_err(|error| {
            Refusal::usage(error.to_string()).hint("several limits stand in one text with commas")
        });
    }
    // The last value counts, as everywhere in git's configuration: that of the repository replaces that of the user.
    let mut budget: Option<Budget> = None;
    for value in store.config_all(key) {
        let read = Budget::parse([value.as_str()]).map_err(|error| {
            Refusal::new(Code::Config, format!("`{key}`: {error}"))
                .command(format!("git config --unset-all {key}"), "removes the limit")
        })?;
        budget = match (budget, read) {
            (Some(known), Some(later)) => Some(known.replaced_by(later)),
            (known, later) => later.or(known),
        };
    }
    Ok(budget)
}
