use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::cli::output_file::json_to_file;
use crate::cli::{CliContext, Exit, Failure, Outcome, print, read_text};
use crate::model::json_text;
use crate::ops::Session;
use crate::ops::store::{self, StatementFile};
use crate::ops::trail::{self, Audit};
use crate::page::{self, markdown, terminal};

/// Find commits without a plan, plans without review, and completed work without tests
///
/// A merge needs a plan only for its own changes: paths with a conflict, and paths that differ from what git makes of its
/// parents. (A git older than 2.39 compares file by file: whatever both sides changed is the merge's own change.)
///
/// Actions that a role does not allow, and changes to records that no command makes, are reported for all issues; with
/// RANGE, they are only notes if the issue has no commit in it. Overridden gates are listed for all issues; with RANGE,
/// for issues with a commit in it, and for executions that ended without a commit. Breaches of roles in runs (see
/// gitwf-agents(7)) are listed for all runs; a breach by an agent that was not undone is an error.
///
/// With --sarif, findings are written for the code-scanning page of a host, each with its rule, its level and the files that it
/// is about: the file named, else those of its commit (at most 10), else the record of its issue in the ref of the store
/// (uriBaseId WFREF).
///
/// With --signatures, check the audit log instead: whether each commit of the ref is signed by a key that git trusts
/// here, and whether each merge (merges are never signed) is what merging its parents gives. `redact --purge` removes
/// signatures; commits made since then are listed separately.
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
    /// Print SARIF 2.1.0, for a code-scanning page
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    sarif: bool,
    /// Write the SARIF to this file; it is written completely or not at all
    #[arg(short, long, value_name = "FILE", requires = "sarif")]
    output: Option<PathBuf>,
    /// Compare the in-toto statements of this file about test results with the checks here; exit with 1 if they differ
    #[arg(long, value_name = "FILE", conflicts_with_all = ["range", "strict", "markdown", "sarif", "signatures"])]
    against: Option<PathBuf>,
    /// Check the signatures of the commits of the ref, not the commits of the code
    #[arg(long, conflicts_with_all = ["markdown", "sarif"])]
    signatures: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { range, strict, markdown, sarif, output, against, signatures } = args;
    let session = context.session()?;
    if let Some(path) = against {
        return compared(&session, &path, context);
    }
    let is_at_fault = if signatures {
        let done = trail::signatures(&session, &range)?;
        let is_at_fault = done.view.fault_count > 0;
        context.answer(done, |view, _, screen| print::signatures::signatures(screen, view))?;
        is_at_fault
    } else if sarif {
        let done = trail::scan(&session, &range)?;
        scanned(context, &done.view, output.as_deref())?;
        context.show_notices(done.notices);
        done.view.is_at_fault()
    } else {
        let done = trail::audit(&session, &range)?;
        let is_at_fault = done.view.is_at_fault();
        context.answer(done, |audit, _, screen| {
            let page = page::audit::page(audit);
            if markdown {
                write!(screen, "{}", markdown::part(&page, 3))
            } else {
                terminal::print(screen, &page)
            }
        })?;
        is_at_fault
    };
    Ok(if strict && is_at_fault { Exit::Failed } else { Exit::Done })
}

/// Compares the statements of a file with the checks of the store.
fn compared(session: &Session, path: &Path, context: &mut CliContext) -> Outcome {
    let name = path.to_string_lossy();
    let text = read_text(&name)?;
    // An SSH signature is beside the file if there is one.
    let signature = std::fs::read_to_string(format!("{name}.sig")).ok();
    let file = StatementFile { name: &name, text: &text, signature: signature.as_deref() };
    let done = store::compare_statements(session, &file)?;
    let agrees = done.view.fault_count == 0;
    context.answer(done, |compared, _, screen| terminal::print(screen, &page::audit::compared(compared)))?;
    Ok(if agrees { Exit::Done } else { Exit::Failed })
}

/// Writes SARIF to stdout or to a file.
fn scanned(context: &mut CliContext, audit: &Audit, output: Option<&Path>) -> Result<(), Failure> {
    let write = |out: &mut dyn Write| -> Result<(), Failure> {
        let text = json_text::pretty(&trail::sarif(audit)).map_err(io::Error::from)?;
        Ok(writeln!(out, "{text}")?)
    };
    let Some(path) = output else {
        let mut out = BufWriter::new(context.screen.json_lines()?);
        write(&mut out)?;
        return Ok(out.flush()?);
    };
    json_to_file(path, write)
}
