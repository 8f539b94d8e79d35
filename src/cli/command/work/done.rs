use std::time::Duration;

use crate::cli::input::consent::{agree, refuse_commands_in_hook};
use crate::cli::input::text::MessageArgs;
use crate::cli::input::then::ThenNext;
use crate::cli::input::{parse_criterion, parse_limit};
use crate::cli::{CliContext, Failure, Force, Outcome, named, print, read_text, strict_fault};
use crate::model::strict;
use crate::ops::work::{
    self, Accept, Complete, ExecutorReport, Finish, Finished, ToRun, Verification, VerifyTests,
};
use crate::ops::{Done, Notice, RefusalKind, Session};

/// Complete the execution of this worktree
///
/// With --verify and --accept, one call runs the plan's tests, confirms the criteria that no test covers, and completes.
/// If a test fails, nothing is completed; the results of the tests are recorded.
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("A summary of the work; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// A summary of the work (`-` for stdin)
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// The item (default: the one this worktree executes)
    #[arg(long, value_name = "ITEM")]
    item: Option<String>,
    /// Read the executor's report from a JSON file (`-` for stdin) or from JSON text, and compare it with git
    #[arg(long, value_name = "FILE|JSON")]
    result: Option<String>,
    /// First run the plan's test commands, like `git wf verify`
    #[arg(long)]
    verify: bool,
    /// Run the commands without asking
    #[arg(long, requires = "verify")]
    yes: bool,
    /// Stop a command that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit, requires = "verify")]
    timeout: Duration,
    /// First confirm a criterion that no test covers, with evidence: T1.2=TEXT is criterion 2 of task T1; repeat for more
    #[arg(long, value_name = "TASK.N=TEXT", value_parser = parse_accepted)]
    accept: Vec<Confirmed>,
    #[command(flatten)]
    then: ThenNext,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let item = args.item;
    let summary = args.message.said(args.text.as_deref())?;
    let report = args.result.as_deref().map(|given| report(given, item.as_deref())).transpose()?;
    if args.verify {
        refuse_commands_in_hook("git wf done --verify")?;
    }
    let verification = if args.verify { tests(&session, item.as_deref(), args.yes, context)? } else { None };
    let accepted = args.accept.into_iter().map(|Confirmed { task, criterion, evidence }| Accept {
        item: item.clone(),
        task,
        criterion,
        evidence,
        force: args.force.why(),
    });
    let accepted = accepted.collect();
    let complete = Complete {
        item,
        summary,
        report,
        then: args.then.then(),
        force: args.force.why(),
        ..Complete::default()
    };
    let is_verbose = context.is_verbose();
    let mut running = print::verify::RunningTests::on(&mut context.screen, is_verbose);
    let tests = verification.map(|verification| ToRun {
        verification,
        timeout: args.timeout,
        observer: &mut running,
    });
    let done = work::finish(&session, Finish { tests, accepted, complete });
    drop(running);
    let Done { view: Finished { ended, verified }, commit, notices } = done?;
    if !context.json()
        && let Some(verified) = verified
    {
        print::verify::verified(&mut context.screen, &verified)?;
    }
    print::ended::answer(Done { view: ended, commit, notices }, context, print::work::completed)
}

/// The tests of the plan, consented to; `None` if it has no tests.
fn tests<'s>(
    session: &'s Session,
    item: Option<&str>,
    is_agreed: bool,
    context: &CliContext,
) -> Result<Option<Verification<'s>>, Failure> {
    let verification = match work::verification(
        session,
        &VerifyTests {
            execution: item.map(str::to_owned),
            fresh: work::needs_proof(session)?,
            ..VerifyTests::default()
        },
    ) {
        Err(refusal) if refusal.kind == RefusalKind::Nothing => {
            context.show_notices([Notice::note(refusal.message)]);
            return Ok(None);
        }
        other => other?,
    };
    context.show_notices(session.notices());
    if !is_agreed {
        agree(&verification, context.json())?;
    }
    Ok(Some(verification))
}

/// A criterion to confirm: `T1.2=TEXT`.
#[derive(Debug, Clone)]
struct Confirmed {
    task: String,
    criterion: u64,
    evidence: String,
}

fn parse_accepted(text: &str) -> Result<Confirmed, String> {
    const FORM: &str = "write it as TASK.N=TEXT, such as T1.2=\"seen in the log\"";
    let (place, evidence) = text.split_once('=').ok_or(FORM)?;
    let (task, criterion) = place.trim().rsplit_once('.').ok_or(FORM)?;
    if task.is_empty() {
        return Err(FORM.to_owned());
    }
    if evidence.trim().is_empty() {
        return Err(format!("{place} needs evidence after the `=`"));
    }
    Ok(Confirmed {
        task: task.to_owned(),
        criterion: parse_criterion(criterion)?,
        evidence: evidence.trim().to_owned(),
    })
}

/// Reads the report from a file, from stdin for `-`, or from the text itself if that is an object.
fn report(given: &str, item: Option<&str>) -> Result<ExecutorReport, Failure> {
    let (text, of) = if given.trim_start().starts_with('{') {
        (given.to_owned(), "`--result`".to_owned())
    } else {
        (read_text(given)?, named(given))
    };
    let value =
        strict::parse_text(&text).map_err(|fault| ExecutorReport::unfit(&of, &strict_fault(&fault)))?;
    Ok(ExecutorReport::parse(value, &of, item)?)
}
