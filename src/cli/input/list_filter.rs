//! The filters of `list`.

use crate::index::Filter;
use crate::model::{IssueStatus, Priority};
use crate::ops::issues::List;

/// Everything that is given must hold.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FilterArgs {
    /// Only issues with this status; repeat, or separate several with commas
    #[arg(short, long, value_name = "STATUS", value_delimiter = ',', value_parser = parse_status)]
    status: Vec<IssueStatus>,
    /// Only issues with this tag; repeat to require several
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    tags: Vec<String>,
    /// Only issues with this priority; repeat, or separate several with commas
    #[arg(short, long, value_name = "PRIORITY", value_delimiter = ',', value_parser = parse_priority)]
    priority: Vec<Priority>,
    /// Only issues of this type, such as bug; repeat, or separate several with commas
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    types: Vec<String>,
    /// Only children of this issue
    #[arg(long, value_name = "ISSUE")]
    parent: Option<String>,
    /// Only issues assigned to you
    #[arg(long, conflicts_with = "assignee")]
    mine: bool,
    /// Only issues assigned to this person
    #[arg(long, value_name = "PERSON")]
    assignee: Option<String>,
    /// Only issues whose author's name or address contains this
    #[arg(long, value_name = "PERSON")]
    author: Option<String>,
    /// Only issues of this roadmap wave
    #[arg(long, value_name = "N")]
    wave: Option<u64>,
    /// Only issues that affect this component; repeat to require several
    #[arg(long = "component", value_name = "NAME", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    components: Vec<String>,
    /// Only issues created at this time or later: 2026-11-21 (a day in UTC), 2026-11-21T08:00:00Z, "2 weeks ago"
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only issues created at this time or earlier
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only issues completed, closed or cancelled at this time or later, and not reopened since
    #[arg(long, value_name = "DATE")]
    closed_since: Option<String>,
    /// Only issues completed, closed or cancelled at this time or earlier, and not reopened since
    #[arg(long, value_name = "DATE")]
    closed_until: Option<String>,
    /// Only issues that have a plan
    #[arg(long)]
    has_solution: bool,
    /// Only registered, planning and planned issues that wait for no other issue
    #[arg(long)]
    unblocked: bool,
    /// Only registered, planning and planned issues that wait for other issues
    #[arg(long, conflicts_with = "unblocked")]
    waiting: bool,
    /// Only issues that `git wf next` can take now
    #[arg(long)]
    ready: bool,
    /// Only completed issues whose work is not on the target branch
    #[arg(long)]
    unlanded: bool,
    /// Only issues that match this text, as in `git wf search`
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Include completed, closed and cancelled issues
    #[arg(short, long)]
    all: bool,
}

fn parse_status(text: &str) -> Result<IssueStatus, String> {
    IssueStatus::asked(text.trim()).ok_or_else(|| format!("expected one of {}", IssueStatus::words()))
}

pub(super) fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text.trim())
        .ok_or_else(|| "expected 1 to 5, or critical, high, medium, low, trivial".into())
}

impl From<FilterArgs> for List {
    fn from(args: FilterArgs) -> Self {
        let filter = Filter {
            statuses: args.status,
            all: args.all,
            tags: args.tags,
            components: args.components,
            priorities: args.priority,
            assignee: args.assignee,
            author: args.author,
            wave: args.wave,
            types: args.types.iter().map(|name| name.to_lowercase()).collect(),
            unblocked: args.unblocked,
            waiting: args.waiting,
            has_solution: args.has_solution,
            has_execution: false,
            ready: args.ready,
            unlanded: args.unlanded,
            search: args.search,
            ..Filter::default()
        };
        Self {
            filter,
            since: args.since,
            until: args.until,
            closed_since: args.closed_since,
            closed_until: args.closed_until,
            parent: args.parent,
            mine: args.mine,
            ..Self::default()
        }
    }
}
