//! Saved queries, which are options of `git wf list`, as filters.

use super::issues::asked;
use crate::ops::issues::{ListOption, SavedQueries, list_options};
use crate::ops::{Refusal, Session};
use crate::web::parts::ListPosition;
use crate::web::place::Query;

/// A saved query.
pub(super) struct SavedQuery {
    pub(super) name: String,
    /// Its filters, or why it cannot be read.
    pub(super) query: Result<Query, Refusal>,
}

/// The saved queries by name.
pub(super) fn all(session: &Session) -> Result<Vec<SavedQuery>, Refusal> {
    let saved = SavedQueries::load(session)?;
    let names = saved.names();
    Ok(names.map(|name| SavedQuery { name: name.to_owned(), query: query(session, &saved, name) }).collect())
}

fn query(session: &Session, saved: &SavedQueries, name: &str) -> Result<Query, Refusal> {
    let query = filter(saved.expanded(vec![format!("@{name}")])?)?;
    asked(&query, false, ListPosition::first(1))?.check(session)?;
    Ok(query)
}

/// Converts options to filters. A page decides itself how much of the list is shown, and how.
fn filter(options: Vec<String>) -> Result<Query, Refusal> {
    let selecting = list_options(options)?.into_iter().filter(|(option, _)| option.selects);
    let query = selecting.fold(Query::default(), |query, (option, value)| {
        query.and(&parameter(option), value.as_deref().unwrap_or("1"))
    });
    Ok(query)
}

/// The name of an option of `list` in the query of an address.
pub(super) fn parameter(option: &ListOption) -> String {
    match option.long {
        "search" => "q".to_owned(),
        "has-plan" => "planned".to_owned(),
        long => long.replace('-', "_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_filters() {
        let suffix = |options: &str| filter(shlex::split(options).unwrap()).map(|query| query.suffix());
        let mine = "--assignee 'Ada B' -t auth --tag=api -s planned,queued --all";
        assert_eq!(suffix(mine).unwrap(), "?assignee=Ada+B&tag=auth&tag=api&status=planned%2Cqueued&all=1");
        assert_eq!(suffix("").unwrap(), "");
        assert_eq!(
            suffix("--limit 3 --search x --group-by=tag --count --closed-since 2026 --has-plan").unwrap(),
            "?q=x&closed_since=2026&planned=1"
        );
        assert_eq!(suffix("--frob").unwrap_err().message, "`--frob` is not an option of `list`");
    }
}
