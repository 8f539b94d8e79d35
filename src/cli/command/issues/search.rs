use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::issues::status_style;
use crate::cli::{Context, Exit, Outcome};
use crate::index::{Hit, Needs, Searched};
use crate::model::id::{IssueId, QueueId};
use crate::model::priority::Priority;
use crate::model::status::IssueStatus;
use crate::ui::style;
use crate::ui::text::{clean_line, count};

/// Search issues, plans, comments, feedback and linked commits, ranked by relevance
///
/// Combine words with AND, OR, NOT, NEAR(…) and parentheses. "several words" in double quotes match as a phrase,
/// `word*` matches a prefix, and `title: word` searches one field: title, context, comments, plans, commits or
/// feedback. Anything else is plain text, such as `src/a.rs` or `bd-0v1`. If the text is an id, a shortened id
/// or an item, what has it comes first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The words to search for; all must match
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Show at most N issues
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// What `search` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Found {
    /// How many issues fit, whatever the limit.
    total: usize,
    /// The best of them, best first; those that have the text for an id, or a plan or an execution that has it, before all
    /// others.
    hits: Vec<FoundIssue>,
    /// Queues that have the text for an id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueId>,
}

/// An issue in which something was found.
#[derive(Debug, Serialize, JsonSchema)]
struct FoundIssue {
    #[schemars(with = "IssueId")]
    id: String,
    title: String,
    status: IssueStatus,
    priority: Priority,
    /// How well it fits: the higher, the better.
    score: f64,
    /// Some words around a match.
    snippet: String,
    /// What of the snippet was searched for.
    matched: Vec<String>,
}

impl FoundIssue {
    fn of(hit: &Hit) -> Self {
        Self {
            id: hit.issue.id.clone(),
            title: hit.issue.title.clone(),
            status: hit.issue.status,
            priority: hit.issue.priority,
            score: hit.score,
            snippet: hit.snippet.concat(),
            matched: hit.snippet.iter().skip(1).step_by(2).cloned().collect(),
        }
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let text = args.text.join(" ");
    let (_, Searched { hits, total, queues }) =
        context.ask(&store, Needs::WORDS, |index| index.search(&text, args.limit))?;
    if context.json() {
        let found = Found { total, hits: hits.iter().map(FoundIssue::of).collect(), queues };
        context.screen.print_json(&found)?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    for queue in &queues {
        writeln!(context.screen, "{} queue", painter.paint(style::ID, queue.as_str()))?;
    }
    for hit in &hits {
        let issue = &hit.issue;
        writeln!(
            context.screen,
            "{} {} {}",
            painter.paint(style::ID, &issue.id),
            painter.paint(status_style(issue.status), issue.status.as_str()),
            painter.paint(style::HEADING, &issue.title)
        )?;
        write!(context.screen, "    ")?;
        for (n, part) in hit.snippet.iter().enumerate() {
            match n % 2 {
                0 => write!(context.screen, "{}", clean_line(part))?,
                _ => write!(context.screen, "{}", painter.paint(style::WARN, part))?,
            }
        }
        writeln!(context.screen)?;
    }
    if context.screen.is_terminal() {
        let note = match hits.len() {
            0 if !queues.is_empty() => count(queues.len(), "queue"),
            0 => "nothing found".to_owned(),
            shown if shown < total => format!("{shown} of {total} issues; --limit shows more"),
            shown => count(shown, "issue"),
        };
        writeln!(context.screen, "{}", painter.paint(style::DIM, &note))?;
    }
    Ok(Exit::Done)
}
