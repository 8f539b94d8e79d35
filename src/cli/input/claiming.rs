//! The options of the commands that claim an item.

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::input::consent;
use crate::cli::input::waiting::{self, Wait};
use crate::cli::{CliContext, Failure};
use crate::model::{Branch, Code};
use crate::ops::work::{ClaimRequest, ClaimView, ClaimWorktree, Claimable};
use crate::ops::{Done, Refusal};
use crate::rules::lease;

/// How an item is claimed.
#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct ClaimOptions {
    /// Allow an item that touches the files of a running execution, or of an item that comes before it
    #[arg(long)]
    allow_overlap: bool,
    /// Claim an item even if the commits of completed work that comes before it are missing here; the claim records it
    #[arg(long)]
    allow_missing: bool,
    /// Start its worktree on this branch, such as that of work that shares files with it
    #[arg(long, value_name = "BRANCH", value_parser = parse_branch)]
    on: Option<Branch>,
    /// Claim only among the worktrees of this clone, without the remote
    #[arg(long)]
    local: bool,
    /// Wait for a ready item, at most this long: 30s, 5m (default: without limit)
    #[arg(long, value_name = "TIMEOUT", num_args = 0..=1, value_parser = parse_timeout)]
    #[expect(clippy::option_option, reason = "clap's type of an option that may have a value")]
    wait: Option<Option<u64>>,
    /// Create a worktree with a branch `wf/<plan>` (default: beside the repository)
    #[arg(long, value_name = "PATH", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "clap's type of an option that may have a value")]
    worktree: Option<Option<PathBuf>>,
    /// Run the setup commands of the worktree without asking
    #[arg(long, requires = "worktree")]
    yes: bool,
}

fn parse_branch(text: &str) -> Result<Branch, String> {
    Branch::parse(text).or_else(|| Branch::of_short(text)).ok_or_else(|| "not the name of a branch".into())
}

/// In milliseconds.
fn parse_timeout(text: &str) -> Result<u64, String> {
    lease::parse_duration(text)
        .and_then(|millis| u64::try_from(millis).ok())
        .ok_or_else(|| "expected a number with a unit, such as 30s, 5m or 1h".into())
}

impl ClaimOptions {
    /// Claims an item with these options, and waits for it if requested.
    pub(in crate::cli) fn claim(
        self,
        what: Claimable,
        queue: Option<String>,
        context: &mut CliContext,
    ) -> Result<Done<ClaimView>, Failure> {
        let Self { allow_overlap, allow_missing, on, local, wait, worktree, yes } = self;
        let wait = match wait {
            None => Wait::Never,
            Some(None) => Wait::Forever,
            Some(Some(millis)) => Wait::AtMost(Duration::from_millis(millis)),
        };
        let worktree = match worktree {
            // With `--on`, what is checked out here is another branch.
            None if on.is_none() => ClaimWorktree::Here,
            None | Some(None) => ClaimWorktree::Beside,
            Some(Some(path)) => ClaimWorktree::At(absolute(path)?),
        };
        let session = context.session()?;
        if !matches!(worktree, ClaimWorktree::Here) {
            consent::agree_to_setup(&session, yes, context.json())?;
        }
        let wish = ClaimRequest {
            what,
            queue,
            allow_overlap,
            allow_missing,
            on,
            local,
            worktree,
            is_fresh: false,
            run: None,
            model: None,
        };
        Ok(waiting::claim(&session, &wish, wait, context)?)
    }
}

/// The path as seen from the current directory.
fn absolute(path: PathBuf) -> Result<PathBuf, Refusal> {
    std::path::absolute(path).map_err(|error| {
        Refusal::new(Code::Path, format!("cannot find the path of the worktree: {error}"))
            .hint("give the whole path, such as /home/ada/work")
    })
}
