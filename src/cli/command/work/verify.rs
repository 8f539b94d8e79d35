use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::agent::agreed::Agreement;
use crate::agent::check::{self, Code};
use crate::agent::in_hook;
use crate::agent::process::{self, Ended, Interrupts};
use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::execution::{Check, Event};
use crate::model::hash::CommitHash;
use crate::model::hidden::exact;
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::plan::Plan;
use crate::ops::work::{self, Own};
use crate::rules::command_line::CommandLine;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::lease::parse_duration;
use crate::rules::{evidence, facts};
use crate::store::{Read, Store, resolve};
use crate::trail::active;
use crate::trail::work::Work;
use crate::ui::text::{clean_line, count, fold};
use crate::ui::{self, Painter, Remarks, style};

/// Run the plan's test commands and record the results
///
/// You are shown the commands and asked before they run. Your consent covers the commands shown, for this version
/// of the plan; any other command is shown and asked about later. A command that contains a line break or an
/// invisible character is never run.
///
/// No command is run from a git hook. An alias, `git rebase --exec` and `git bisect run` are not hooks. A hook
/// that starts `verify` in the background and exits at once may not be recognized; then only commands that you
/// have consented to before are run, or all of them if the hook passes --yes.
///
/// No command outlives it: when it ends, even by SIGKILL, the command is killed with its process group. On Linux this
/// includes every process that the command started, whatever session or group it moved to, unless a service that was
/// already running (such as cron, at or systemd) started it on request. On other systems a process that leaves the group
/// survives.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution, or its issue, plan or item (default: this worktree's)
    execution: Option<String>,
    /// Run only the tests of this task; repeat for more
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<String>,
    /// Stop a command that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit)]
    timeout: Duration,
    /// Run the commands without asking
    #[arg(long)]
    yes: bool,
}

fn parse_limit(text: &str) -> Result<Duration, String> {
    let millis = parse_duration(text).and_then(|millis| u64::try_from(millis).ok());
    millis
        .map(Duration::from_millis)
        .ok_or_else(|| "expected a number with a unit, such as 90s, 30m or 2h".into())
}

/// What `verify` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The execution that the checks are recorded with.
    execution_id: ExecutionId,
    /// The plan.
    solution_id: SolutionId,
    /// Whether every command passed.
    passed: bool,
    /// Commands that were not run, as somebody interrupted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_run: Vec<String>,
    /// What was recorded, for each task in the order of the tasks.
    checks: Vec<Check>,
}

/// A command with the tasks that name it.
struct Test {
    command: CommandLine,
    tasks: Vec<String>,
}

impl Test {
    /// As it is shown, whole.
    fn line(&self) -> String {
        format!("{}: {}", clean_line(&self.tasks.join(", ")), exact(self.command.as_str()))
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    if let Some(shown) = in_hook::shown_by() {
        return Err(Failure::new(
            "in-a-hook",
            format!("the commands of a plan are never run from a git hook, and {shown}"),
        )
        .hint("run `git wf verify` by hand or in a script of your own"));
    }
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let (folder, execution) = meant(&store, &snapshot, args.execution.as_deref())?;
    let claim = &execution.execution;
    let plan = work::as_claimed(&store, &folder, claim)?.typed_plan();
    let tests = tests(&plan, &args.tasks, &claim.solution_id)?;
    let place = place(&store, &claim.id, context)?;
    agree(&args, &store, &claim.plan_digest, &place, &tests, context)?;
    let mut checks = Vec::new();
    let ran = run_all(&tests, &place, args.timeout, &mut checks, context);
    // What was run is recorded, whatever became of the rest.
    if !checks.is_empty() {
        record(&store, &claim.id, &claim.solution_id, &checks, context)?;
    }
    let not_run = ran?;
    let passed = not_run.is_empty() && checks.iter().all(|check| check.exit_code == Some(0));
    warn_of_other_commit(&store, &execution, &checks, context);
    let answer = Verified {
        execution_id: claim.id.clone(),
        solution_id: claim.solution_id.clone(),
        passed,
        not_run,
        checks,
    };
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(if passed { Exit::Done } else { Exit::Failed })
}

/// The execution that is named, else the one that holds the issue named, else this worktree's own.
fn meant(
    store: &Store,
    read: &impl Read,
    text: Option<&str>,
) -> Result<(IssueFolder, ExecutionFolder), Failure> {
    let Some(text) = text else {
        return match work::own(store, read)? {
            Own::Held(execution) => Ok((existing(read, &execution.execution.issue_id)?, *execution)),
            Own::Lost(active, why) => Err(Failure::new(
                "claim-lost",
                format!("`{}` is no longer held: {why}", active.execution_id.short()),
            )
            .hint(format!("`git wf verify {}` tests it all the same", active.execution_id.short()))),
            Own::Nothing => Err(Failure::new("no-claim", "this worktree executes nothing")
                .hint("`git wf next` takes an item; `git wf verify ITEM` tests what another one did")),
        };
    };
    let known = match resolve::any(read, text) {
        Err(_) if text.starts_with("S-") => {
            let (queue, item) = crate::ops::queue::item(store, read, text)?;
            resolve::Known::Item(queue, item.solution_id)
        }
        other => other?,
    };
    let Some(issue) = known.issue() else {
        return Err(Failure::new("not-found", format!("`{text}` is a queue, and a queue has no tests"))
            .hint("`git wf queue show` shows its items"));
    };
    let folder = existing(read, &issue)?;
    let found = match &known {
        resolve::Known::Execution(id) => folder.executions.iter().find(|it| it.execution.id == *id),
        _ => facts::holder(&folder),
    };
    let found = found.cloned().ok_or_else(|| {
        Failure::new(
            "not-executing",
            format!("nobody executed issue `{issue}`; it is {}", facts::status(&folder)),
        )
        .hint("`git wf next` takes an item")
    })?;
    Ok((folder, found))
}

/// The commands to run, each once, in the order of the tasks.
fn tests(plan: &Plan, only: &[String], solution: &SolutionId) -> Result<Vec<Test>, Failure> {
    if let Some(unknown) = only.iter().find(|id| plan.task(id).is_none()) {
        let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
        return Err(Failure::new("not-found", format!("plan `{solution}` has no task `{unknown}`"))
            .hint(format!("its tasks are {}", ids.join(", "))));
    }
    let mut tests: Vec<Test> = Vec::new();
    for (task, command) in evidence::commands(plan) {
        if !only.is_empty() && !only.iter().any(|id| id == task) {
            continue;
        }
        let command = CommandLine::parse(command).map_err(|unseen| {
            let message = format!("a test command of task `{task}` is not run: {unseen}");
            Failure::new("unseen-command", message)
                .details(vec![exact(command).into_owned()])
                .hint("a test command is one line of what can be seen; `git wf task edit` changes the plan, --task leaves the task out")
        })?;
        match tests.iter_mut().find(|test| test.command == command) {
            Some(test) if test.tasks.iter().any(|id| id == task) => {}
            Some(test) => test.tasks.push(task.to_owned()),
            None => tests.push(Test { command, tasks: vec![task.to_owned()] }),
        }
    }
    if tests.is_empty() {
        return Err(Failure::nothing("the plan names no test command").hint(
            "`git wf accept TASK CRITERION --evidence TEXT` confirms a criterion that no test covers",
        ));
    }
    Ok(tests)
}

/// Where the commands run: in the work tree of the execution, where that is here.
struct Place {
    store: Store,
    folder: PathBuf,
}

fn place(store: &Store, id: &ExecutionId, context: &Context) -> Result<Place, Failure> {
    let folder = match active::work_dir_of(store, id)? {
        Some(folder) => folder,
        None => {
            let here = store.work_dir().ok_or_else(|| {
                Failure::new("bare", "a bare repository has no work tree to run tests in")
                    .hint("run it in a clone or in a worktree")
            })?;
            context.warn(&format!("no work tree here is bound to `{id}`; its tests run in this one"));
            here
        }
    };
    Ok(Place { store: Store::open(&folder)?, folder })
}

impl Place {
    fn commit(&self) -> Result<Option<CommitHash>, Failure> {
        Ok(self.store.head()?.map(CommitHash::from))
    }

    /// Whether there is anything that is not in the commit; with `untracked`, files that git does not know count too.
    fn is_dirty(&self, untracked: bool) -> Result<bool, Failure> {
        let files = if untracked { "--untracked-files=normal" } else { "--untracked-files=no" };
        let output = self.store.git().run(&["--no-optional-locks", "status", "--porcelain", files]);
        Ok(!output.map_err(crate::store::StoreError::Git)?.is_empty())
    }
}

/// Nothing runs that nobody here has seen and agreed to. An agreement is to the commands that were shown, of this plan as
/// it is; any other command is shown and asked for when it is to run.
fn agree(
    args: &Args,
    store: &Store,
    plan_digest: &str,
    place: &Place,
    tests: &[Test],
    context: &Context,
) -> Result<(), Failure> {
    if args.yes {
        return Ok(());
    }
    let agreement = Agreement::to(store, plan_digest)?;
    let new: Vec<&Test> = tests.iter().filter(|test| !agreement.is_given(&test.command)).collect();
    if new.is_empty() {
        return Ok(());
    }
    if !ui::can_ask() || context.json() {
        return Err(Failure::new("not-agreed", "nobody here has agreed to run these commands")
            .details(new.iter().map(|test| test.line()).collect())
            .hint("run it in a terminal to be asked, or pass --yes once you have read them"));
    }
    show(&new, new.len() < tests.len(), place);
    ui::ask("Run them, now and whenever this plan is verified here? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Err(
            Failure::new("not-agreed", "the commands were not run").hint("they run only once you agree")
        );
    }
    Ok(agreement.give(new.iter().map(|test| &test.command))?)
}

/// Shows the commands that are asked for: each of them whole, with a margin before every row that it takes, so that no part
/// of it looks like a line of this program.
fn show(tests: &[&Test], are_more: bool, place: &Place) {
    /// Before the first row of a command, and before each other one.
    const MARGINS: [&str; 2] = ["  ", "      | "];
    let commands = count(tests.len(), if are_more { "further command" } else { "command" });
    ui::say(&format!("The plan runs {commands}, in {}:", clean_line(&place.folder.to_string_lossy())));
    // However narrow the terminal is, some of the command stands in each row.
    let columns = ui::columns_of_remarks().map(|columns| columns.saturating_sub(MARGINS[1].len()).max(16));
    for test in tests {
        for (n, row) in fold(&test.line(), columns).into_iter().enumerate() {
            ui::say(&format!("{}{row}", MARGINS[n.min(1)]));
        }
    }
}

/// Runs all of them until somebody interrupts, and adds what is to be recorded to `checks`: what was not run.
fn run_all(
    tests: &[Test],
    place: &Place,
    timeout: Duration,
    checks: &mut Vec<Check>,
    context: &mut Context,
) -> Result<Vec<String>, Failure> {
    let interrupts = Interrupts::catch()?;
    // What an earlier test leaves behind unknown to git does not make a later one say less.
    let has_untracked = place.is_dirty(true)? && !place.is_dirty(false)?;
    let painter = if context.json() { Painter::stderr() } else { context.screen.painter() };
    for (n, test) in tests.iter().enumerate() {
        let code = Code { commit: place.commit()?, dirty: has_untracked || place.is_dirty(false)? };
        let mut out: Box<dyn Write> =
            if context.json() { Box::new(Remarks::new()) } else { Box::new(&mut context.screen) };
        let head = format!("[{}/{}] {}", n + 1, tests.len(), test.line());
        // A reader that has gone does not stop the tests.
        let _ = writeln!(out, "{}", painter.paint(style::HEADING, &clean_line(&head)));
        let _ = out.flush();
        let mut ends_line = true;
        let ran = process::run(&test.command, &place.folder, Some(timeout), &interrupts, &mut |bytes| {
            let _ = out.write_all(bytes).and_then(|()| out.flush());
            ends_line = bytes.ends_with(b"\n");
        })?;
        if !ends_line {
            let _ = writeln!(out);
        }
        let (look, end) = match ran.ended {
            Ended::Exited(0) => (style::GOOD, "passed".to_owned()),
            Ended::Exited(code) => (style::BAD, format!("failed with exit code {code}")),
            Ended::Signal(number) => (style::BAD, format!("ended by signal {number}")),
            Ended::TimedOut => (style::BAD, format!("stopped after {} s", timeout.as_secs())),
            Ended::Interrupted => (style::BAD, "interrupted".to_owned()),
        };
        let _ = writeln!(out, "{} in {:.1} s", painter.paint(look, &end), ran.took.as_secs_f64());
        let _ = out.flush();
        // A commit that was made or changed under the test is not what was tested.
        let moved = place.commit()? != code.commit;
        let code = Code { dirty: code.dirty || moved, ..code };
        checks.extend(test.tasks.iter().map(|task| check::record(task, test.command.as_str(), &ran, &code)));
        if ran.ended == Ended::Interrupted || interrupts.take() {
            return Ok(tests[n + 1..].iter().map(|test| test.command.as_str().to_owned()).collect());
        }
    }
    Ok(vec![])
}

fn record(
    store: &Store,
    id: &ExecutionId,
    solution: &SolutionId,
    checks: &[Check],
    context: &Context,
) -> Result<(), Failure> {
    let passed = checks.iter().filter(|check| check.exit_code == Some(0)).count();
    context.transact(store, |tx| {
        for check in checks {
            tx.log(id, Event::Check(check.clone()))?;
        }
        let of =
            format!("execution: verify {solution} ({passed} of {} passed)", count(checks.len(), "check"));
        tx.describe("verify", of);
        Ok(())
    })?;
    Ok(())
}

/// Evidence counts at the last linked commit; somebody who tested another one should know.
fn warn_of_other_commit(store: &Store, execution: &ExecutionFolder, checks: &[Check], context: &Context) {
    let commits = Work::of(store, execution).map(|work| work.present).unwrap_or_else(|_| execution.work());
    let (Some(last), Some(check)) = (commits.last(), checks.first()) else { return };
    match &check.commit {
        Some(commit) if *commit != last.link.hash => context.warn(&format!(
            "tested at {}, but the last linked commit is {}: only checks there count as evidence",
            commit.short(),
            last.link.hash.short()
        )),
        _ if check.dirty => {
            context.warn("the work tree has uncommitted changes: such checks are not evidence");
        }
        _ => {}
    }
}

fn print(answer: &Verified, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let passed = answer.checks.iter().filter(|check| check.exit_code == Some(0)).count();
    let look = if answer.passed { style::GOOD } else { style::BAD };
    let mut line = format!("{passed} of {} passed", count(answer.checks.len(), "check"));
    if !answer.not_run.is_empty() {
        line.push_str(&format!(", {} not run", answer.not_run.len()));
    }
    writeln!(
        context.screen,
        "{}, recorded with {}",
        painter.paint(look, &line),
        painter.paint(style::ID, answer.execution_id.short())
    )?;
    Ok(())
}
