//! Titles of other trackers.

use crate::rules::limits::LONGEST_TITLE;

/// A text as a title: one line of limited length; and whether it was cut. `None` if nothing is left.
pub(super) fn shortened(given: &str) -> Option<(String, bool)> {
    let lines = given.split(char::is_control).map(str::trim).filter(|line| !line.is_empty());
    let title = lines.collect::<Vec<_>>().join(" ");
    if title.is_empty() {
        return None;
    }
    if title.chars().count() > LONGEST_TITLE {
        return Some((title.chars().take(LONGEST_TITLE - 1).chain(['…']).collect(), true));
    }
    Some((title, false))
}

/// The note on a title that was cut.
pub(super) fn note() -> String {
    format!("the title was cut at {LONGEST_TITLE} characters; `show ID --imported` shows all of it")
}
