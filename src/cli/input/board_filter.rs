//! The filter of the board: the options of `git wf list` on one line, with short forms of the most frequent ones.

use clap::{Args, FromArgMatches};

use crate::cli::input::list_filter::FilterArgs;
use crate::cli::usage;
use crate::ops::issues::List;

/// Parses a filter such as `tag:api @ada slow`, `--ready`, `"two words"`.
///
/// `NAME:VALUE` is `--NAME=VALUE` for every filter of `list`, `#NAME` is a tag and `@WHO` an assignee. The other words
/// are searched for; the last one may be incomplete.
///
/// # Errors
/// The error on one line.
pub(in crate::cli) fn parse(text: &str) -> Result<List, String> {
    let command = FilterArgs::augment_args(clap::Command::new("filter").no_binary_name(true))
        .disable_help_flag(true)
        .disable_version_flag(true);
    let mut options = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut pieces = pieces(text).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        match piece.split_once(':') {
            _ if piece.starts_with('-') && !piece.trim_start_matches('-').is_empty() => {
                let name = piece.trim_start_matches('-');
                let short =
                    if name.len() == 1 && !piece.starts_with("--") { name.chars().next() } else { None };
                let needs = takes_value(&command, name)
                    || command.get_arguments().any(|argument| {
                        argument.get_short().is_some()
                            && argument.get_short() == short
                            && argument.get_action().takes_values()
                    });
                options.push(piece.clone());
                if needs {
                    options.push(pieces.next().ok_or_else(|| format!("`{piece}` needs a value"))?);
                }
            }
            Some((name, value)) if takes_value(&command, name) => match value {
                "" if is_last => return Err(format!("`{piece}` needs a value")),
                value => options.push(format!("--{name}={value}")),
            },
            _ => match piece.split_at_checked(1) {
                Some(("#", tag)) if !tag.is_empty() => options.push(format!("--tag={tag}")),
                Some(("@", who)) if !who.is_empty() => options.push(format!("--assignee={who}")),
                _ => words.push(piece),
            },
        }
    }
    let matches = command.try_get_matches_from(&options).map_err(|error| reason(&error))?;
    let args = FilterArgs::from_arg_matches(&matches).map_err(|error| reason(&error))?;
    let mut list = args.0;
    if !words.is_empty() {
        // While the user types, the last word also matches as a prefix.
        let begins = text.ends_with(|c: char| c.is_alphanumeric());
        let searched = format!("{}{}", words.join(" "), if begins { "*" } else { "" });
        list.filter.search = Some(match list.filter.search {
            Some(search) => format!("{search} {searched}"),
            None => searched,
        });
    }
    Ok(list)
}

/// Whether `--NAME` takes a value.
fn takes_value(command: &clap::Command, name: &str) -> bool {
    command
        .get_arguments()
        .any(|argument| argument.get_long() == Some(name) && argument.get_action().takes_values())
}

/// Splits a line into words; double quotes keep blanks together. An unclosed quote extends to the end.
fn pieces(text: &str) -> Vec<String> {
    let (mut all, mut piece, mut is_quoted) = (Vec::new(), None::<String>, false);
    for c in text.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                piece.get_or_insert_default();
            }
            c if c.is_whitespace() && !is_quoted => all.extend(piece.take()),
            c => piece.get_or_insert_default().push(c),
        }
    }
    all.extend(piece);
    all
}

/// What is wrong, and what was meant, in one line.
fn reason(error: &clap::Error) -> String {
    let (what, hint) = usage::fault("the filter", error);
    let what = what.replace("`the filter`", "the filter");
    hint.map_or(what.clone(), |hint| format!("{what}; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IssueStatus;

    #[test]
    fn words_are_searched_for_and_the_rest_filters() {
        let list = parse("slow status:failed,queued #api @ada priority:high sea").unwrap();
        assert_eq!(list.filter.search.as_deref(), Some("slow sea*"));
        assert_eq!(list.filter.statuses, [IssueStatus::Failed, IssueStatus::Queued]);
        assert_eq!(
            (&list.filter.tags[..], list.filter.wanted("assignee")),
            (&["api".to_owned()][..], Some(&["ada".to_owned()][..]))
        );
        assert_eq!(list.filter.wanted("priority"), Some(&["high".to_owned()][..]));
        let list = parse("--ready -t api --since yesterday").unwrap();
        assert!(
            list.filter.ready && list.filter.tags == ["api"] && list.since.as_deref() == Some("yesterday")
        );
    }

    #[test]
    fn what_is_half_typed_is_no_error_but_says_what_is_missing() {
        assert_eq!(parse("").unwrap().filter.search, None);
        assert_eq!(parse("slow ").unwrap().filter.search.as_deref(), Some("slow"));
        assert_eq!(parse("\"two wor").unwrap().filter.search.as_deref(), Some("two wor*"));
        assert_eq!(parse("it's").unwrap().filter.search.as_deref(), Some("it's*"));
        assert_eq!(parse("- # @").unwrap().filter.search.as_deref(), Some("- # @"));
        assert_eq!(parse("tag:").unwrap_err(), "`tag:` needs a value");
        assert_eq!(parse("--tag").unwrap_err(), "`--tag` needs a value");
        assert!(parse("status:nothing").unwrap_err().contains("expected one of registered"));
        assert!(parse("--nothing").unwrap_err().contains("--nothing"));
        // A colon alone does not make a filter.
        assert_eq!(parse("std::io").unwrap().filter.search.as_deref(), Some("std::io*"));
    }
}
