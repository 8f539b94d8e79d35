use std::io::Write;

use crate::cli::{Context, Exit, Outcome, print};
use crate::ops::trail;

/// Find commits without a plan, plans without review, and claims without tests
///
/// A merge is compared with what git makes of its parents (`git merge-tree`). Every path in which the two differ, and
/// every path with a conflict, is a change of the merge itself and needs a plan like any other: how a conflict was
/// resolved, a rename, a new mode, a file that came or went, or changes of one side that were dropped. A merge that git
/// makes by itself needs no plan. With a git older than 2.39, only what one side alone changed counts as merged, file by
/// file.
///
/// Acts that a role does not allow are found on every issue, with or without commits, and so are changes of records that
/// no command makes: a deletion, an unreadable record, a change of what never changes. Without RANGE each is a
/// fault; with one, those on issues without a commit in it are notes. Gates that were overridden are listed too: without
/// RANGE all of them, with RANGE those on issues with a commit in it, and executions that ended without any commit.
///
/// With --signatures, check the audit log itself instead: whether each commit of the ref is signed by a key that
/// git trusts here (gpg's keyring, or gpg.ssh.allowedSignersFile), and whether each merge, which nobody signs,
/// equals the merge of its parents. `redact --purge` removes signatures; commits made since then are listed
/// separately.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Commits as `git log` takes them, such as main..HEAD (default: HEAD since the first execution; with
    /// --signatures: all of the ref)
    #[arg(value_name = "RANGE")]
    range: Vec<String>,
    /// Exit with 1 if anything is wrong
    #[arg(long)]
    strict: bool,
    /// Print Markdown, for a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Check the signatures of the commits of the ref, not the commits of the code
    #[arg(long, conflicts_with = "markdown")]
    signatures: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let Args { range, strict, markdown, signatures } = args;
    let session = context.session()?;
    let is_at_fault = if signatures {
        let done = trail::signatures(&session, &range)?;
        let is_at_fault = done.view.fault_count > 0;
        context.answer(done, |view, _, screen| print::signatures::signatures(screen, view))?;
        is_at_fault
    } else {
        let done = trail::audit(&session, &range)?;
        let is_at_fault = done.view.is_at_fault();
        context.answer(done, |audit, _, screen| match markdown {
            true => write!(screen, "{}", print::audit::markdown(audit)),
            false => print::audit::text(screen, audit),
        })?;
        is_at_fault
    };
    Ok(if strict && is_at_fault { Exit::Failed } else { Exit::Done })
}
