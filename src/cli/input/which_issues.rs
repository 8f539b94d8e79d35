//! Asks which issues to run if none were named.

use crate::cli::input::ask;
use crate::cli::{CliContext, Failure, print};
use crate::model::IssueId;
use crate::ops::Session;
use crate::ops::issues::Total;
use crate::run::{ListPending, list_pending};
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

/// Lists the pending issues, and asks which of them to take. Without a terminal, nobody is asked and none are taken.
pub(in crate::cli) fn asked(
    session: &Session,
    execute_only: bool,
    context: &CliContext,
) -> Result<ChosenIssues, Failure> {
    if context.json() || !ui::can_ask() {
        return Ok(ChosenIssues::default());
    }
    let found = list_pending(session, &ListPending { execute_only, most: MOST })?.view;
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
    let ids: Vec<&IssueId> = found.rows.iter().map(|row| &row.id).collect();
    Ok(chosen(&answer, &ids))
}

fn chosen(answer: &str, listed: &[&IssueId]) -> ChosenIssues {
    let words: Vec<&str> =
        answer.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    if let [all] = words[..]
        && all.eq_ignore_ascii_case("all")
    {
        return ChosenIssues { all: true, ids: vec![] };
    }
    ChosenIssues {
        all: false,
        ids: words
            .iter()
            .map(|word| {
                let id = word.parse::<usize>().ok().and_then(|n| listed.get(n.checked_sub(1)?));
                id.map_or_else(|| (*word).to_owned(), ToString::to_string)
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_numbers_ids_or_all() {
        let (one, two) = (IssueId::parse("ISS-1").unwrap(), IssueId::parse("ISS-2").unwrap());
        let of = |answer: &str| chosen(answer, &[&one, &two]);
        let named =
            |ids: &[&str]| ChosenIssues { ids: ids.iter().map(|id| (*id).to_owned()).collect(), all: false };
        assert_eq!(of(" 2, 1 "), named(&["ISS-2", "ISS-1"]));
        // What is not in the list is reported as missing.
        assert_eq!(of("0 3 ISS-9"), named(&["0", "3", "ISS-9"]));
        assert_eq!(of(""), named(&[]));
        assert_eq!(of("ALL"), ChosenIssues { ids: vec![], all: true });
        assert_eq!(of("all 1"), named(&["all", "ISS-1"]));
    }
}
