use std::io::Write;
use std::ops::ControlFlow;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::context::show;
use crate::cli::input::list_filter;
use crate::cli::print::issues::status_style;
use crate::cli::print::json_array::JsonArray;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index::{Filter, Index, IndexError, Needs, Sort};
use crate::model::priority::Priority;
use crate::ui::{Cell, Column, Table, style};

/// List open issues
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    filter: list_filter::FilterArgs,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Skip the first N
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Sort by this
    #[arg(long, value_enum, default_value_t = SortBy::Priority)]
    sort: SortBy,
    /// Print only the number of issues, whatever the limit
    #[arg(long)]
    count: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SortBy {
    /// Most urgent first, then oldest
    Priority,
    /// Newest first
    Created,
    /// Last changed first
    Updated,
    /// By id
    Id,
    /// From registered to closed
    Status,
    /// By title
    Title,
}

impl From<SortBy> for Sort {
    fn from(by: SortBy) -> Self {
        match by {
            SortBy::Priority => Self::Priority,
            SortBy::Created => Self::Created,
            SortBy::Updated => Self::Updated,
            SortBy::Id => Self::Id,
            SortBy::Status => Self::Status,
            SortBy::Title => Self::Title,
        }
    }
}

/// What `list --count` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
    /// How many issues fit.
    count: usize,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let filter = args.filter.filter(&store)?;
    let (sort, page) = (Sort::from(args.sort), (args.offset, args.limit));
    let (index, (found, total, broken)) = context.ask(&store, args.filter.needs(), |index| {
        let is_whole = !args.count && args.limit.is_none() && args.offset == 0;
        let found = if args.count { Vec::new() } else { index.list(&filter, sort, page)? };
        // Nobody is told how many there are in all unless it is asked for, or there is a screen to tell it on.
        let total = match is_whole {
            true => found.len(),
            false if args.count || context.screen.is_terminal() => index.count(&filter)?,
            false => 0,
        };
        Ok((found, total, index.broken()?))
    })?;
    if broken > 0 {
        context.warn(&format!("skipped {}", crate::ui::text::count(broken, "unreadable issue")));
    }
    if args.count {
        if context.json() {
            context.screen.print_json(&Counted { count: total })?;
        } else {
            writeln!(context.screen, "{total}")?;
        }
        return Ok(Exit::Done);
    }
    let mut rows = Rows { index, found, needs: args.filter.needs(), again: (&filter, sort, page) };
    if context.json() {
        print_json(&mut rows, context)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("PRIORITY"),
        Column::left("STATUS"),
        Column::flexible("TITLE"),
        Column::left("TAGS"),
    ]);
    rows.each(
        |index, numbers, found| index.each_listed(numbers, found),
        |issue| {
            table.row([
                Cell::new(issue.id, style::ID),
                Cell::new(issue.priority.name(), priority_style(issue.priority)),
                Cell::new(issue.status.as_str(), status_style(issue.status)),
                Cell::from(issue.title),
                Cell::new(issue.tags, style::DIM),
            ]);
            Ok(())
        },
    )?;
    table.print(&mut context.screen)?;
    if context.screen.is_terminal() {
        let note = match rows.found.len() {
            0 => "no issues match".to_owned(),
            shown if shown < total => format!("{shown} of {total} issues"),
            shown => crate::ui::text::count(shown, "issue"),
        };
        let note = context.screen.painter().paint(style::DIM, &note);
        writeln!(context.screen, "{note}")?;
    }
    Ok(Exit::Done)
}

/// What was found. Rows are read one by one, since there may be very many.
struct Rows<'a, 'f> {
    index: Index<'a>,
    found: Vec<i64>,
    needs: Needs,
    again: (&'f Filter, Sort, (usize, Option<usize>)),
}

/// What [`Rows::each`] does with a row.
type Take<'t, T> = &'t mut dyn FnMut(T) -> ControlFlow<Failure>;

impl<'a> Rows<'a, '_> {
    /// All of them, read one by one. Where the index turns out to be broken in the middle, the answer goes on from another
    /// of the same state.
    fn each<T>(
        &mut self,
        read: impl Fn(&Index<'a>, &[i64], Take<'_, T>) -> Result<ControlFlow<Failure>, IndexError>,
        mut found: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut done = 0;
        for is_last in [false, true] {
            let outcome = read(&self.index, self.found.get(done..).unwrap_or_default(), &mut |row| {
                done += 1;
                found(row).map_or_else(ControlFlow::Break, ControlFlow::Continue)
            });
            match outcome {
                Ok(ControlFlow::Continue(())) => return Ok(()),
                Ok(ControlFlow::Break(failure)) => return Err(failure),
                Err(error) if is_last => return Err(error.into()),
                Err(_) => self.begin_again()?,
            }
        }
        Ok(())
    }

    fn begin_again(&mut self) -> Result<(), Failure> {
        let mut progress = None;
        self.index.replace(self.needs, &mut |doing, done, total| show(&mut progress, doing, done, total))?;
        let (filter, sort, page) = self.again;
        self.found = self.index.list(filter, sort, page)?;
        Ok(())
    }
}

/// The texts lie ready in the index; none is held longer than it takes to write it.
fn print_json(rows: &mut Rows<'_, '_>, context: &mut Context) -> Result<(), Failure> {
    let mut array = JsonArray::default();
    rows.each(
        |index, numbers, found| index.each_answer(numbers, found),
        |answer| Ok(array.text(&answer, &mut context.screen)?),
    )?;
    Ok(array.end(&mut context.screen)?)
}

fn priority_style(priority: Priority) -> style::Style {
    match priority.number() {
        1 => style::BAD,
        2 => style::WARN,
        4 | 5 => style::DIM,
        _ => style::PLAIN,
    }
}
