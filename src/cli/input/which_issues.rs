//! The question which issues to run, to whoever named none.

use crate::cli::input::ask;
use crate::cli::{CliContext, Failure, print};
use crate::index::{Filter, IssueRow};
use crate::model::status::IssueStatus;
use crate::ops::Session;
use crate::ops::issues::{self, List, Total};
use crate::ui;

/// At most this many are listed.
const MOST: usize = 20;

/// The issues that someone chose.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct ChosenIssues {
    /// Their ids, as they were typed if they are not in the list.
    pub(in crate::cli) ids: Vec<String>,
    /// Whether all are meant, also those that are not in the list.
    pub(in crate::cli) all: bool,
}

/// Lists the issues without a plan, or with one if `is_planned`, and asks which of them to take. Nobody is asked where there
/// is not a terminal.
pub(in crate::cli) fn asked(
    session: &Session,
    is_planned: bool,
    context: &CliContext,
) -> Result<ChosenIssues, Failure> {
    if context.json() || !ui::can_ask() {
        return Ok(ChosenIssues::default());
    }
    let statuses = match is_planned {
        true => vec![IssueStatus::Planned, IssueStatus::Queued],
        false => vec![IssueStatus::Registered, IssueStatus::Planning],
    };
    let filter = Filter { statuses, ..Filter::default() };
    let found =
        issues::rows(session, &List { filter, limit: Some(MOST), counts: true, ..List::default() })?.view;
    if found.rows.is_empty() {
        // The run says that there is none.
        return Ok(ChosenIssues { all: true, ..ChosenIssues::default() });
    }
    for (n, row) in (1..).zip(&found.rows) {
        ui::say(&print::issues::numbered(n, row));
    }
    let more = found.total.map_or(0, Total::number).saturating_sub(found.rows.len());
    if more > 0 {
        ui::say(&format!("… and {more} more"));
    }
    let answer = ask::answer("Run which of them? Numbers or ids, or `all` [none] ")?.unwrap_or_default();
    Ok(chosen(&answer, &found.rows))
}

fn chosen(answer: &str, rows: &[IssueRow]) -> ChosenIssues {
    let is_between = |c: char| c.is_whitespace() || c == ',';
    let words: Vec<&str> = answer.split(is_between).filter(|word| !word.is_empty()).collect();
    if let [all] = words[..]
        && all.eq_ignore_ascii_case("all")
    {
        return ChosenIssues { all: true, ids: vec![] };
    }
    let named = |word: &&str| {
        let row = word.parse::<usize>().ok().and_then(|n| rows.get(n.checked_sub(1)?));
        row.map_or_else(|| (*word).to_owned(), |row| row.id.to_string())
    };
    ChosenIssues { all: false, ids: words.iter().map(named).collect() }
}
