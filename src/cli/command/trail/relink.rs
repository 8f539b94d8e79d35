use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Failure, Outcome};
use crate::trail::relink::{self, Found, Lost, Shown, Undecided};
use crate::ui::style;
use crate::ui::text::{clean_line, count};

/// Find and link commits that no hook saw
///
/// Such commits were made without the hooks or on another machine, squashed by a forge, applied from a mail, or
/// rebased without hooks. They are recognized by their trailers, or else by the commits that their message says they
/// revert, copy or squash ("This reverts commit"), or else by git's patch id: that of a linked commit, or of all
/// commits of an execution together. A commit whose trailers name only an issue is linked to its only execution, or to
/// that of the bound plan; if neither is unique, the executions are listed with the commands to link it. Links removed
/// by `unlink` stay removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits to search, as `git log` takes them (default: all branches)
    range: Option<String>,
    /// Only print what would be linked
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// What `relink` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Relinked {
    /// Whether nothing was to be recorded.
    dry_run: bool,
    /// How many commits were looked at.
    commits: usize,
    /// What was linked, or would be; oldest first.
    links: Vec<Lost>,
    /// Commits whose trailers name an issue, while nobody can tell for which execution of it they are.
    undecided: Vec<Undecided>,
}

pub(in crate::cli) fn run(Args { range, dry_run }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let Some(commits) = relink::commits(&store, range.as_deref())? else {
        let range = range.unwrap_or_default();
        return Err(Failure::new("not-found", format!("git knows no commits `{range}`"))
            .hint("name them as for `git log`: `main`, `v1.0..main`, `HEAD~20..`"));
    };
    let Found { links, undecided } = relink::lost(&store, &snapshot, &commits)?;
    if !dry_run && !links.is_empty() {
        context.transact(&store, |tx| {
            let (count, plans) = relink::record(tx, &store, &links)?;
            let plans: Vec<String> = plans.iter().map(ToString::to_string).collect();
            let commits = if count == 1 { "commit" } else { "commits" };
            tx.describe("relink", format!("execution: relink {count} {commits} of {}", plans.join(", ")));
            Ok(())
        })?;
    }
    if context.json() {
        context.screen.print_json(&Relinked { dry_run, commits: commits.len(), links, undecided })?;
        return Ok(Exit::Done);
    }
    for it in &links {
        let painter = context.screen.painter();
        let short = it.commit.get(..10).unwrap_or(&it.commit);
        let task = it.task_id.as_deref().map(|task| format!(" {}", clean_line(task))).unwrap_or_default();
        writeln!(
            context.screen,
            "{} {} -> {}{task} ({})",
            painter.paint(style::WARN, short),
            clean_line(&it.subject),
            painter.paint(style::ID, it.solution_id.as_str()),
            match it.shown_by {
                Shown::Trailers => "by its trailers",
                Shown::Message => match it.reverts.is_empty() {
                    true => "its message names linked commits",
                    false => "it reverts linked commits",
                },
                Shown::Issue => "its trailers name the issue",
                Shown::Patch => "the same change as a linked commit",
                Shown::WholePatch => "the same change as the whole execution",
            }
        )?;
        if let Some(old) = &it.replaces {
            writeln!(context.screen, "  in place of {}", old.get(..10).unwrap_or(old))?;
        }
    }
    for it in &undecided {
        print_undecided(it, context)?;
    }
    let looked = format!("of {}", count(commits.len(), "commit"));
    let verb = if dry_run { "would be linked" } else { "linked" };
    writeln!(context.screen, "{looked}, {} {verb}", links.len())?;
    Ok(Exit::Done)
}

/// What nobody but a person can decide, with the commands that settle it.
fn print_undecided(it: &Undecided, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let short = it.commit.get(..10).unwrap_or(&it.commit);
    let what = if it.candidates.is_empty() {
        "which nobody carried out"
    } else {
        "and could be for any of its executions:"
    };
    writeln!(
        context.screen,
        "{} {} names {}, {what}",
        painter.paint(style::WARN, short),
        clean_line(&it.subject),
        painter.paint(style::ID, it.issue_id.as_str()),
    )?;
    for candidate in &it.candidates {
        writeln!(context.screen, "  git wf link {short} {}", candidate.execution_id.short())?;
    }
    Ok(())
}
