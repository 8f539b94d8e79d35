//! Saved queries, which are options of `git wf list`, as filters.

use crate::ops::issues::SavedQueries;
use crate::ops::{Refusal, Session};
use crate::web::place::Query;

/// Options with a value: long name, short name, filter.
const VALUES: &[(&str, &str, &str)] = &[
    ("--status", "-s", "status"),
    ("--tag", "-t", "tag"),
    ("--priority", "-p", "priority"),
    ("--assignee", "", "assignee"),
    ("--author", "", "author"),
    ("--type", "", "type"),
    ("--parent", "", "parent"),
    ("--wave", "", "wave"),
    ("--component", "", "component"),
    ("--since", "", "since"),
    ("--until", "", "until"),
    ("--closed-since", "", "closed_since"),
    ("--closed-until", "", "closed_until"),
    ("--search", "", "q"),
    ("--sort", "", "sort"),
];
/// Options without a value: long name, short name, filter.
const FLAGS: &[(&str, &str, &str)] = &[
    ("--all", "-a", "all"),
    ("--mine", "", "mine"),
    ("--unblocked", "", "unblocked"),
    ("--ready", "", "ready"),
    ("--has-solution", "", "planned"),
];

/// Options with a value that say how much of the list is shown, and how; a page decides that itself.
const SHAPES: &[&str] = &["--limit", "-n", "--offset", "--group-by", "--fields", "--format"];
/// Such options without a value.
const SHAPING_FLAGS: &[&str] = &["--count", "--brief", "--json"];

/// The saved queries by name, without those that are not options of `list`.
pub(super) fn all(session: &Session) -> Result<Vec<(String, Query)>, Refusal> {
    let saved = SavedQueries::of(session)?;
    let query = |name: &str| Some((name.to_owned(), filter(saved.options(name).ok()?)?));
    Ok(saved.names().filter_map(query).collect())
}

/// Whether an option of `list` is a filter here, or one that a page decides itself.
#[cfg(test)]
pub(crate) fn is_option_of_query(long: &str, short: Option<char>, takes_value: bool) -> bool {
    let (long, short) = (format!("--{long}"), short.map_or(String::new(), |short| format!("-{short}")));
    let (filters, shapes) = if takes_value { (VALUES, SHAPES) } else { (FLAGS, SHAPING_FLAGS) };
    filters.iter().any(|(name, its_short, _)| *name == long && *its_short == short)
        || shapes.contains(&long.as_str()) && (short.is_empty() || shapes.contains(&short.as_str()))
}

/// Converts options to a filter; `None` if there is no filter for one of them.
fn filter(options: Vec<String>) -> Option<Query> {
    let mut query = Query::default();
    let mut words = options.into_iter();
    while let Some(word) = words.next() {
        let (name, given) = split(&word);
        if SHAPES.contains(&name) {
            given.map(str::to_owned).or_else(|| words.next())?;
            continue;
        }
        if SHAPING_FLAGS.contains(&name) && given.is_none() {
            continue;
        }
        let is =
            |(long, short, _): &&(&str, &str, &str)| *long == name || (!short.is_empty() && *short == name);
        if let Some((_, _, filter)) = FLAGS.iter().find(is).filter(|_| given.is_none()) {
            query = query.and(filter, "1");
        } else {
            let (_, _, filter) = VALUES.iter().find(is)?;
            query = query.and(filter, given.map(str::to_owned).or_else(|| words.next())?);
        }
    }
    Some(query)
}

/// An option and the value attached to it: `--tag=api`, `-n5`.
fn split(word: &str) -> (&str, Option<&str>) {
    let (name, value) = match word.starts_with("--") {
        true => word.split_once('=').unwrap_or((word, "")),
        false if word.starts_with('-') => {
            let (name, value) = word.split_at_checked(2).unwrap_or((word, ""));
            (name, value.strip_prefix('=').unwrap_or(value))
        }
        false => (word, ""),
    };
    (name, (name.len() < word.len()).then_some(value))
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
            suffix("--limit 3 -n5 --tag api --group-by=tag --count -spaused").unwrap(),
            "?tag=api&status=paused"
        );
        for other in ["--status", "ISS-1", "--all=yes", "--limit", "--count=1", "-ab"] {
            assert_eq!(suffix(other), None, "{other}");
        }
    }
}
