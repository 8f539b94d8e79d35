use std::io::Write;

use clap::ValueEnum;

use super::{Context, Exit, Failure, Outcome, answer};
use crate::model::priority::Priority;
use crate::model::status::IssueStatus;
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::store::{Read, StoreError, records};
use crate::ui::{Cell, Column, Table, style};

/// List issues: those that are not over, unless --all or --status is given
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these statuses; can be given more than once, or with commas
    #[arg(short, long, value_name = "STATUS", value_delimiter = ',', value_parser = parse_status)]
    status: Vec<IssueStatus>,
    /// Only issues with this label; given more than once, with all of them
    #[arg(short, long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only these priorities
    #[arg(short, long, value_name = "PRIORITY", value_delimiter = ',', value_parser = parse_priority)]
    priority: Vec<Priority>,
    /// Only issues of this assignee
    #[arg(long, value_name = "WHO")]
    assignee: Option<String>,
    /// Also issues that are completed, closed or cancelled
    #[arg(short, long)]
    all: bool,
    /// At most so many
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// In this order
    #[arg(long, value_enum, default_value_t = Sort::Priority)]
    sort: Sort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The most urgent first, then the oldest
    Priority,
    /// The newest first
    Created,
    /// The last changed first
    Updated,
    /// By id
    Id,
    /// In the order of the work: registered to closed
    Status,
    /// By title
    Title,
}

fn parse_status(text: &str) -> Result<IssueStatus, String> {
    IssueStatus::asked(text).ok_or_else(|| format!("allowed are {}", IssueStatus::words()))
}

fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text).ok_or_else(|| "allowed are 1 to 5, or critical, high, medium, low, trivial".into())
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let mut broken = 0;
    let mut found: Vec<(IssueFolder, IssueStatus)> = Vec::new();
    for folder in all_issues(&snapshot, &mut broken)? {
        let status = facts::status(&folder);
        if matches(&args, &folder, status) {
            found.push((folder, status));
        }
    }
    sort(&mut found, args.sort);
    let total = found.len();
    found.truncate(args.limit.unwrap_or(usize::MAX));
    if broken > 0 {
        context.warn(&format!("{broken} issues cannot be read and are left out"));
    }
    if context.json() {
        let list: Vec<_> = found.iter().map(|(folder, _)| answer::issue(folder)).collect();
        context.screen.print_json(&list)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("PRIORITY"),
        Column::left("STATUS"),
        Column::flexible("TITLE"),
        Column::left("TAGS"),
    ]);
    for (folder, status) in &found {
        let issue = &folder.issue.record;
        let tags: Vec<&str> = issue.tags.iter().map(String::as_str).collect();
        table.row([
            Cell::new(issue.id.as_str(), style::ID),
            Cell::new(issue.priority.name(), priority_style(issue.priority)),
            Cell::new(status.as_str(), status_style(*status)),
            Cell::from(issue.title.as_str()),
            Cell::new(tags.join(","), style::DIM),
        ]);
    }
    table.print(&mut context.screen)?;
    if context.screen.is_terminal() {
        let note = match found.len() {
            0 => "no issue fits".to_owned(),
            shown if shown < total => format!("{shown} of {total} issues"),
            shown => crate::ui::text::count(shown, "issue"),
        };
        let note = context.screen.painter().paint(style::DIM, &note);
        writeln!(context.screen, "{note}")?;
    }
    Ok(Exit::Done)
}

/// Every issue that can be read; `broken` counts those that cannot.
pub(super) fn all_issues(read: &impl Read, broken: &mut usize) -> Result<Vec<IssueFolder>, Failure> {
    let mut folders = Vec::new();
    for id in records::issue_ids(read)? {
        match records::issue(read, &id) {
            Ok(folder) => folders.extend(folder),
            Err(StoreError::Broken { .. }) => *broken += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folders)
}

fn matches(args: &Args, folder: &IssueFolder, status: IssueStatus) -> bool {
    let issue = &folder.issue.record;
    let by_status = if args.status.is_empty() { args.all || !status.is_over() } else { args.status.contains(&status) };
    by_status
        && (args.priority.is_empty() || args.priority.contains(&issue.priority))
        && args.tags.iter().all(|tag| issue.tags.contains(tag))
        && args.assignee.as_ref().is_none_or(|who| issue.assignee.as_ref() == Some(who))
}

fn sort(found: &mut [(IssueFolder, IssueStatus)], by: Sort) {
    let updated = |folder: &IssueFolder| facts::times(folder).updated_at;
    found.sort_by(|(a, a_status), (b, b_status)| {
        let (one, two) = (&a.issue.record, &b.issue.record);
        let order = match by {
            Sort::Priority => (one.priority, one.created_at).cmp(&(two.priority, two.created_at)),
            Sort::Created => two.created_at.cmp(&one.created_at),
            Sort::Updated => updated(b).cmp(&updated(a)),
            Sort::Id => std::cmp::Ordering::Equal,
            Sort::Status => a_status.cmp(b_status),
            Sort::Title => one.title.to_lowercase().cmp(&two.title.to_lowercase()),
        };
        order.then_with(|| one.id.cmp(&two.id))
    });
}

/// How a status is coloured, everywhere.
pub(super) fn status_style(status: IssueStatus) -> anstyle::Style {
    match status {
        IssueStatus::Completed | IssueStatus::Closed => style::GOOD,
        IssueStatus::Failed => style::BAD,
        IssueStatus::Executing | IssueStatus::Queued => style::WARN,
        IssueStatus::Cancelled | IssueStatus::Paused => style::DIM,
        _ => style::PLAIN,
    }
}

fn priority_style(priority: Priority) -> anstyle::Style {
    match priority.number() {
        1 => style::BAD,
        2 => style::WARN,
        4 | 5 => style::DIM,
        _ => style::PLAIN,
    }
}
