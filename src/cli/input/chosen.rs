//! `--where`: selects the issues to change at once, by options of `list` or a saved query.

use std::io;

use clap::Parser;

use super::list_filter::FilterArgs;
use crate::cli::{CliContext, Failure, Outcome, print, usage};
use crate::model::nearest::nearest;
use crate::model::shell;
use crate::model::words::count;
use crate::ops::Session;
use crate::ops::issues::{self, List, Many};
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

/// The text of a saved query, `wf.query.NAME` in git's configuration.
fn text_of(session: &Session, name: &str) -> Option<String> {
    session.store().config(&format!("wf.query.{name}"))
}

/// The options of a saved query.
///
/// # Errors
/// There is none with this name, a quote in it does not end, or it refers to itself.
pub(in crate::cli) fn saved(session: &Session, name: &str) -> Result<Vec<String>, Failure> {
    if text_of(session, name).is_some() {
        return options(session, name, &mut Vec::new());
    }
    let set = format!("git config {} \"--mine --unblocked\"", shell::operand(&format!("wf.query.{name}")));
    let what = format!("no saved query is called `@{name}`");
    let all = session.store().git().config_below("wf.").unwrap_or_default();
    let names = all.iter().filter(|it| it.subsection == "query").map(|it| it.name.as_str());
    let saves = "saves one";
    Err(match nearest(name, names) {
        Some(near) => Failure::usage(what).hint(format!("did you mean `@{near}`?")).command(set, saves),
        None => Failure::usage(what).command(set, saves),
    })
}

/// The options of a saved query, in which each other saved query is replaced with its options. A word that names none
/// stays, since it can be a value. `within` are the queries that this one is part of.
fn options(session: &Session, name: &str, within: &mut Vec<String>) -> Result<Vec<String>, Failure> {
    if within.iter().any(|it| it == name) {
        return Err(Failure::usage(format!("the saved query `@{name}` refers to itself"))
            .command("git config --get-regexp wf.query", "shows the saved queries"));
    }
    within.push(name.to_owned());
    let mut all = Vec::new();
    for word in words(&text_of(session, name).unwrap_or_default())? {
        match word.strip_prefix('@').filter(|name| text_of(session, name).is_some()) {
            Some(inner) => all.extend(options(session, inner, within)?),
            None => all.push(word),
        }
    }
    within.pop();
    Ok(all)
}

fn words(text: &str) -> Result<Vec<String>, Failure> {
    shlex::split(text).ok_or_else(|| {
        Failure::usage(format!("`{text}` has a quote that does not end")).hint("quote as in a shell")
    })
}

/// Replaces each `@NAME` with the options of that saved query.
pub(in crate::cli) fn expanded(session: &Session, given: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for word in given {
        match word.strip_prefix('@') {
            Some(name) => all.extend(saved(session, name)?),
            None => all.push(word),
        }
    }
    Ok(all)
}

/// Parses a query.
pub(in crate::cli) fn list(session: &Session, text: &str) -> Result<List, Failure> {
    let words = expanded(session, words(text)?)?;
    let query = Query::try_parse_from(&words).map_err(|error| {
        let (what, hint) = usage::fault("--where", &error);
        let filters = "--where takes the filters of `git wf list --help`";
        Failure::usage(what).hint(match hint {
            Some(question) if question.ends_with('?') => format!("{question} {filters}"),
            Some(hint) => format!("{hint}; {filters}"),
            None => filters.to_owned(),
        })
    })?;
    Ok(query.filter.into())
}

impl WhereArgs {
    /// Changes the issues that the query selects, after a preview.
    pub(in crate::cli) fn change(&self, change: Many, verb: &str, context: &mut CliContext) -> Outcome {
        let session = context.session()?;
        let query = self.query.as_deref().unwrap_or_default();
        let preview = issues::many_preview(&session, &list(&session, query)?, &change)?;
        if self.dry_run {
            return context.answer(preview, |it, _, screen| print::issues::many(screen, it, verb));
        }
        if !self.yes {
            if context.json() || !context.screen.is_terminal() || !ui::can_ask() {
                let issues = count(preview.view.issues.len(), "issue");
                return Err(Failure::usage(format!(
                    "this would change {issues}, and without a terminal it cannot ask"
                ))
                .hint("--dry-run lists them, --yes changes them"));
            }
            print::issues::many(&mut context.screen, &preview.view, verb)?;
            io::Write::flush(&mut context.screen)?;
            ui::ask("Change them? [y/N] ");
            let mut answer = String::new();
            io::stdin().read_line(&mut answer)?;
            if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
                return Err(
                    Failure::usage("nothing was changed").hint("answer y to change them, or pass --yes")
                );
            }
        }
        let done = issues::many(&session, preview.view.issues, change)?;
        context.answer(done, |it, _, screen| print::issues::many(screen, it, verb))
    }
}
