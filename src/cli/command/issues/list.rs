use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::input::fields::FieldArgs;
use crate::cli::input::list_filter::FilterArgs;
use crate::cli::print::rows::Rows;
use crate::cli::{CliContext, Exit, Failure, Outcome, print};
use crate::index::{IssueRow, SortOrder};
use crate::model::{IssueId, IssueStatus, Other, Priority, RemedyCall, SolutionId, Time};
use crate::ops::issues::{self, IssueView, List, SavedQueries};
use crate::ops::{Notice, Refusal, Session};

/// List issues (open ones by default)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A saved query: `@mine` stands for the options in `git config wf.query.mine`
    #[arg(value_name = "@QUERY")]
    saved: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Show the table in groups
    #[arg(long, value_enum, value_name = "FIELD")]
    group_by: Option<GroupBy>,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Skip the first N
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Sort order
    #[arg(long, value_enum, default_value_t = SortBy::Priority)]
    sort: SortBy,
    /// Print only the number of issues, whatever the limit
    #[arg(long, conflicts_with_all = ["fields", "format"])]
    count: bool,
    /// Print the few fields that `ccw issue list --brief` does, as JSON
    #[arg(long, hide = true, conflicts_with_all = ["count", "fields", "format"])]
    brief: bool,
    #[command(flatten)]
    fields: FieldArgs,
}

/// What `list --brief` says about an issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct BriefIssue {
    /// Its id.
    id: IssueId,
    /// Its title.
    title: String,
    /// Its status.
    status: IssueStatus,
    /// Its priority: 1 is the most urgent.
    priority: Priority,
    /// Its tags.
    tags: BTreeSet<String>,
    /// The plan that will be executed; null if none is bound.
    bound_solution_id: Option<SolutionId>,
    /// When its plan was executed, or it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<Time>,
}

impl From<IssueView> for BriefIssue {
    fn from(IssueView { issue, derived, .. }: IssueView) -> Self {
        Self {
            id: issue.id,
            title: issue.title,
            status: derived.status,
            priority: issue.priority,
            tags: issue.tags,
            bound_solution_id: issue.bound_solution_id,
            completed_at: derived.completed_at.or(derived.closed_at),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SortBy {
    /// Most urgent first, then oldest
    Priority,
    /// Newest first
    #[value(alias = "created_at")]
    Created,
    /// Last changed first
    #[value(alias = "updated_at")]
    Updated,
    /// By id
    Id,
    /// From registered to closed, then by priority
    Status,
    /// By title
    Title,
    /// Last completed, closed or cancelled first (with --all, --status or --closed-since)
    #[value(alias = "closed_at")]
    Closed,
}

/// What issues of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GroupBy {
    Status,
    Priority,
    Type,
    Assignee,
}

impl GroupBy {
    /// The sort key of a row's group, and its heading.
    fn group_of(self, row: &IssueRow) -> (usize, String) {
        match self {
            Self::Status => (row.status as usize, row.status.to_string()),
            Self::Priority => (row.priority.number().into(), row.priority.name().to_owned()),
            Self::Type => named_group(row.kind.as_deref(), "no type"),
            Self::Assignee => named_group(row.assignee.as_deref(), "nobody"),
        }
    }
}

/// The group of rows without a name comes last.
fn named_group(name: Option<&str>, none: &str) -> (usize, String) {
    match name {
        Some(name) => (0, name.to_owned()),
        None => (1, none.to_owned()),
    }
}

impl From<SortBy> for SortOrder {
    fn from(by: SortBy) -> Self {
        match by {
            SortBy::Priority => Self::Priority,
            SortBy::Created => Self::Created,
            SortBy::Updated => Self::Updated,
            SortBy::Id => Self::Id,
            SortBy::Status => Self::Status,
            SortBy::Title => Self::Title,
            SortBy::Closed => Self::Closed,
        }
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { saved, filter, group_by, limit, offset, sort, count, brief, fields } = args;
    refuse_words(&session, saved)?;
    let is_table = !(context.json() || brief || count || fields.is_given());
    if group_by.is_some() && !is_table {
        return Err(Refusal::usage("`--group-by` only groups the table")
            .hint("leave it out, or out of the saved query that has it")
            .into());
    }
    let list = List { sort: sort.into(), offset, limit, ..filter.0 };
    if sort == SortBy::Closed && list.is_of_open() {
        let note = Notice::note("only open issues are listed, and they have no closing time");
        let all = RemedyCall::from(Other::List).flag("all").option("sort", "closed");
        context.show_notices([note.remedy(all, "includes closed issues")]);
    }
    if count {
        let done = issues::count(&session, &list)?;
        return context.answer(done, |counted, _, screen| writeln!(screen, "{}", counted.count));
    }
    let rows = if brief {
        Some(Rows::json())
    } else {
        Rows::wanted(&fields, context.json(), issues::fields_of_listed)?
    };
    let Some(mut rows) = rows else { return table(&session, &list, group_by, context) };
    let mut shown = 0;
    let total = issues::list::<Failure>(&session, &list, |issue| {
        shown += 1;
        if brief {
            rows.add(&BriefIssue::from(issue), &mut context.screen)?;
        } else {
            rows.add(&issue, &mut context.screen)?;
        }
        Ok(())
    })?;
    rows.end(&mut context.screen)?;
    go_on(&session, &list, shown, total, context);
    Ok(Exit::Done)
}

/// Refuses what is left of the saved queries: those that exist were expanded before the command line was parsed.
fn refuse_words(session: &Session, words: Vec<String>) -> Result<(), Failure> {
    let Some(first) = words.first().cloned() else { return Ok(()) };
    if let Some(word) = words.iter().find(|word| !word.starts_with('@')) {
        return Err(Refusal::usage(format!("`{word}` is not a saved query"))
            .remedy(RemedyCall::new(Other::Search, ["TEXT"]), "searches for a text")
            .into());
    }
    SavedQueries::load(session)?.expanded(words)?;
    Err(Refusal::usage(format!("`{first}` cannot be expanded here"))
        .hint("put it before the options, and before `--`")
        .into())
}

/// Prints the issues as a table, or as one for each group.
fn table(session: &Session, list: &List, group_by: Option<GroupBy>, context: &mut CliContext) -> Outcome {
    let done = issues::rows(session, list)?;
    context.show_notices(done.notices);
    let Some(field) = group_by else {
        print::issues::table(&mut context.screen, &done.view, list.offset)?;
        if !context.screen.is_terminal() {
            go_on(session, list, done.view.rows.len(), done.view.total, context);
        }
        return Ok(Exit::Done);
    };
    let is_by_closing = done.view.is_by_closing;
    let mut groups: BTreeMap<(usize, String), Vec<IssueRow>> = BTreeMap::new();
    for row in done.view.rows {
        groups.entry(field.group_of(&row)).or_default().push(row);
    }
    let groups = groups.into_iter().map(|((_, name), rows)| (name, rows)).collect();
    print::issues::grouped(&mut context.screen, groups, is_by_closing)?;
    Ok(Exit::Done)
}

/// A list of more issues than this fills the context of an agent.
const LONG: usize = 100;

/// Says how to see the rest of a list that a limit cut.
///
/// A list without a limit is whole, in a pipe as on a terminal, as with git: a script that counts or searches its lines must
/// not miss any in silence, and an agent writes such scripts, too. So an agent gets the whole list, and is told how many
/// there are and how to read fewer. `find` of MCP, which only agents call, has pages.
fn go_on(session: &Session, list: &List, shown: usize, total: Option<issues::Total>, context: &CliContext) {
    let next = list.offset + shown;
    if list.limit.is_none() && shown > LONG && session.caller().is_some() {
        let note = Notice::note(format!("{shown} issues"));
        let fewer = RemedyCall::from(Other::List).option("limit", "20");
        context.show_notices([note.remedy(fewer, "lists the first ones, and says how to go on")]);
    }
    if let Some(total) = total.filter(|total| next < total.number() && shown > 0) {
        let note = format!("{shown} of {total} issues; `--offset {next}` shows the next ones");
        context.show_notices([Notice::note(note)]);
    }
}
