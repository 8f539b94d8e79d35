//! What `list` can be asked for.

use crate::cli::Failure;
use crate::index::{Filter, Needs};
use crate::model::priority::Priority;
use crate::model::status::IssueStatus;
use crate::store::Store;
use crate::store::dates::Bound;

/// Everything that is given must hold.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FilterArgs {
    /// Only issues with this status; repeat, or separate several with commas
    #[arg(short, long, value_name = "STATUS", value_delimiter = ',', value_parser = parse_status)]
    status: Vec<IssueStatus>,
    /// Only issues with this tag; if several are given, with all of them
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    tags: Vec<String>,
    /// Only issues with this priority; repeat, or separate several with commas
    #[arg(short, long, value_name = "PRIORITY", value_delimiter = ',', value_parser = parse_priority)]
    priority: Vec<Priority>,
    /// Only issues of this assignee
    #[arg(long, value_name = "WHO")]
    assignee: Option<String>,
    /// Only issues whose author's name or address contains this
    #[arg(long, value_name = "WHO")]
    author: Option<String>,
    /// Only issues of this roadmap wave
    #[arg(long, value_name = "N")]
    wave: Option<u64>,
    /// Only issues that affect this component; if several are given, all of them
    #[arg(long = "component", value_name = "NAME", value_delimiter = ',', value_parser = crate::cli::input::text::trimmed)]
    components: Vec<String>,
    /// Only issues created at this time or later: 2026-11-21, 2026-11-21T08:00:00Z, "2 weeks ago"
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only issues created at this time or earlier
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only issues that have a plan
    #[arg(long)]
    has_solution: bool,
    /// Only issues that `git wf next` can take now
    #[arg(long)]
    pub(in crate::cli) ready: bool,
    /// Only issues that match this text, as in `git wf search`
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Include completed, closed and cancelled issues
    #[arg(short, long)]
    all: bool,
}

fn parse_status(text: &str) -> Result<IssueStatus, String> {
    IssueStatus::asked(text.trim()).ok_or_else(|| format!("allowed are {}", IssueStatus::words()))
}

fn parse_priority(text: &str) -> Result<Priority, String> {
    Priority::parse(text.trim())
        .ok_or_else(|| "allowed are 1 to 5, or critical, high, medium, low, trivial".into())
}

impl FilterArgs {
    /// What of the index it takes to answer.
    pub(in crate::cli) fn needs(&self) -> Needs {
        Needs { words: self.search.is_some(), ready: self.ready, ..Needs::ROWS }
    }

    /// What these arguments ask for.
    pub(in crate::cli) fn filter(&self, store: &Store) -> Result<Filter, Failure> {
        let moment = |text: &Option<String>, bound, name: &str| -> Result<_, Failure> {
            let Some(text) = text else { return Ok(None) };
            store.moment(text, bound)?.map(Some).ok_or_else(|| {
                Failure::usage(format!("`--{name} {text}` is not a date"))
                    .hint("a date is 2026-11-21, 2026-11-21T08:00:00Z, yesterday or \"2 weeks ago\"")
            })
        };
        Ok(Filter {
            statuses: self.status.clone(),
            all: self.all,
            tags: self.tags.clone(),
            components: self.components.clone(),
            priorities: self.priority.clone(),
            assignee: self.assignee.clone(),
            author: self.author.clone(),
            wave: self.wave,
            since: moment(&self.since, Bound::Since, "since")?,
            until: moment(&self.until, Bound::Until, "until")?,
            has_solution: self.has_solution,
            ready: self.ready,
            search: self.search.clone(),
        })
    }
}
