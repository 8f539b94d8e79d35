//! `--where`: selects the issues to change at once, by options of `list` or a saved query.

use std::io;

use clap::Parser;

use super::ask;
use super::list_filter::FilterArgs;
use crate::cli::{CliContext, Failure, Outcome, print, usage};
use crate::model::count;
use crate::ops::issues::{self, ChangeMany, List, Many, PreviewMany, SavedQueries, query_words};
use crate::ops::{Refusal, Session};
use crate::ui;

/// Which issues to change at once.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct WhereArgs {
    /// Apply to all issues that `git wf list` shows with these options, or with a saved query `@NAME`
    #[arg(long = "where", value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// With --where, do not ask first
    #[arg(long, requires = "query")]
    yes: bool,
    /// With --where, only list the issues that this would apply to
    #[arg(long, requires = "query", conflicts_with = "yes")]
    dry_run: bool,
}

/// The options of `list`, as words.
#[derive(Debug, Parser)]
#[command(name = "--where", no_binary_name = true, disable_help_flag = true)]
struct Query {
    #[command(flatten)]
    filter: FilterArgs,
}

/// Parses a query.
pub(in crate::cli) fn list(session: &Session, text: &str) -> Result<List, Failure> {
    let mut words = query_words(text)?;
    if words.iter().any(|word| word.starts_with('@')) {
        words = SavedQueries::load(session)?.expanded(words)?;
    }
    let query = Query::try_parse_from(&words).map_err(|error| {
        let (what, hint) = usage::fault("--where", &error);
        let filters = "--where takes the filters of `git wf list --help`";
        Refusal::usage(what).hint(match hint {
            Some(question) if question.ends_with('?') => format!("{question} {filters}"),
            Some(hint) => format!("{hint}; {filters}"),
            None => filters.to_owned(),
        })
    })?;
    Ok(query.filter.0)
}

impl WhereArgs {
    /// Changes the issues that the query selects, after a preview.
    pub(in crate::cli) fn change(&self, change: Many, verb: &str, context: &mut CliContext) -> Outcome {
        let session = context.session()?;
        let query = self.query.as_deref().unwrap_or_default();
        let preview = PreviewMany { list: list(&session, query)?, change: &change };
        let preview = issues::many_preview(&session, &preview)?;
        if self.dry_run {
            return context.answer(preview, |many, _, screen| print::issues::many(screen, many, verb));
        }
        if !self.yes {
            if context.json() || !context.screen.is_terminal() || !ui::can_ask() {
                let issues = count(preview.view.issues.len(), "issue");
                return Err(Refusal::usage(format!(
                    "this would change {issues}, and without a terminal it cannot ask"
                ))
                .hint("--dry-run lists them, --yes changes them")
                .into());
            }
            print::issues::many(&mut context.screen, &preview.view, verb)?;
            io::Write::flush(&mut context.screen)?;
            if !ask::agrees("Change them? [y/N] ", false)? {
                return Err(Refusal::usage("nothing was changed")
                    .hint("answer y to change them, or pass --yes")
                    .into());
            }
        }
        let done = issues::many(&session, ChangeMany { issues: preview.view.issues, change })?;
        context.answer(done, |many, _, screen| print::issues::many(screen, many, verb))
    }
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use crate::ops::issues::LIST_OPTIONS;

    /// Saved queries are options of `list`.
    #[test]
    fn the_options_of_list_are_known_to_saved_queries() {
        let command = crate::cli::whole_command();
        let list = command.find_subcommand("list").unwrap();
        let mut own = Vec::new();
        for argument in list.get_arguments() {
            let Some(long) = argument.get_long().filter(|long| !["help", "version"].contains(long)) else {
                continue;
            };
            let (takes_value, repeats) =
                (argument.get_action().takes_values(), matches!(argument.get_action(), ArgAction::Append));
            own.push((long, argument.get_short(), takes_value, repeats));
        }
        let mut known = Vec::new();
        for option in LIST_OPTIONS.iter() {
            known.push((option.long, option.short, option.takes_value(), option.repeats));
        }
        own.sort_unstable();
        known.sort_unstable();
        assert_eq!(own, known);
    }
}
