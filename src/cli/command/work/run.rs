use std::io::Write;

use clap::error::{ContextKind, ContextValue};

use crate::cli::input::consent::refuse_agents_in_hook;
use crate::cli::input::fields::FieldArgs;
use crate::cli::input::which_issues::{self, ChosenIssues};
use crate::cli::input::which_run;
use crate::cli::print::run_live::Following;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::model::{OrderKind, RunMode};
use crate::ops::{Answer, Refusal, Session};
use crate::page::{markdown, run_report, terminal};
use crate::process::supervise::Interrupts;
use crate::run::{self, AgentNames, Begin, GiveAnswer, Resume, RunView, Steer, WantedMode};

/// Have agents plan, review and execute issues
///
/// One agent explores each issue (if you name an explorer), one plans it, one reviews the plan (if the mode requires
/// it), and one executes the plan. Each works in a clone of its own, in a sandbox if bubblewrap works (wf.run.sandbox), and
/// what it hands in is checked. The run then runs the plan's tests in a fresh clone, and merges work that passes
/// into its branch `wf/RUN`, on which later issues build. Your own branch and work tree stay as they are; `git merge
/// heads/wf/RUN` brings the work into them, and `git wf land RUN` tests it and lands it on the branch that everyone shares.
/// With --land (or wf.run.land), the run itself lands each issue as soon as it is completed, and later issues begin with what
/// has landed.
///
/// An agent is a name or a command line (see git-wf-agents(1)). In git config, wf.run.explorer, .planner, .reviewer and
/// .executor set the agents, and wf.run.mode, .jobs, .planJobs and .retries the other defaults.
///
/// Transcripts of the agents stay on this machine. When the run ends, those of completed issues are deleted, unless you
/// use --keep-transcripts or set wf.run.keepTranscripts.
///
/// On a terminal, each issue has a line with its step, its task, the time and the last output of its agent. With --json,
/// each event is a JSON object on a line of stderr (`git wf schema run-event`), and the answer is the run at its end.
///
/// An issue whose execution fails is skipped once no retries are left (--retry), or if its agent took too long; on a terminal
/// without --yes, you are asked whether to retry it, skip it or abort the run. `git wf run answer` and the web page of the run answer
/// as well, and the first answer counts. gitwf-concepts(7) says what else happens when a
/// step fails.
///
/// Ctrl-C ends the run once the current steps are done and completed work is merged; a second Ctrl-C ends it at once.
/// `git wf run resume` continues it.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<RunCommand>,
    /// The issues
    issues: Vec<String>,
    /// Take every issue without a plan; with --execute-only, every issue with one
    #[arg(long)]
    all_pending: bool,
    /// Take the open issues with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Take the open issues of this wave (with the tag wave-N)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    wave: Option<u64>,
    #[command(flatten)]
    agents: Agents,
    /// quick: plan and execute; full: also review; batch: like full, with several issues planned at once and queued
    /// together; auto: chosen by the number and priority of the issues
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    mode: Option<WantedMode>,
    /// Execute at most N plans at once (default: 1); work that is being tested for landing, or whose conflict is being resolved,
    /// counts, too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(run::JOBS))]
    jobs: Option<u64>,
    /// Plan or review at most N issues at once (default: 3 in a batch, else 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(run::JOBS))]
    plan_jobs: Option<u64>,
    /// Retry an execution that failed, or whose work cannot be merged, at most N times (default: 1)
    #[arg(long = "retry", value_name = "N", value_parser = clap::value_parser!(u64).range(run::RETRIES))]
    retries: Option<u64>,
    /// Land each issue on its target branch as soon as it is completed, as `git wf land` does
    #[arg(long, conflicts_with = "plan_only")]
    land: bool,
    /// Start no further step once the run has cost this much: `5 USD`, `200k tokens`, `3h`, or several with commas
    #[arg(long, value_name = "AMOUNT")]
    budget: Vec<String>,
    /// Leave an issue to you once the work on it has cost this much
    #[arg(long, value_name = "AMOUNT")]
    issue_budget: Vec<String>,
    /// Plan and review only
    #[arg(long, conflicts_with = "execute_only")]
    plan_only: bool,
    /// Queue and execute existing plans only
    #[arg(long)]
    execute_only: bool,
    /// Skip the exploration
    #[arg(long)]
    skip_explore: bool,
    /// Skip the review
    #[arg(long)]
    skip_review: bool,
    /// Show the steps for each issue without starting the run
    #[arg(long)]
    dry_run: bool,
    /// Run the test commands of the plans without asking
    #[arg(short, long)]
    yes: bool,
}

/// Who works, and whether what they say is kept.
#[derive(Debug, clap::Args)]
struct Agents {
    /// The agent that explores issues before planning
    #[arg(long, value_name = "AGENT")]
    explorer: Option<String>,
    /// The agent that makes plans
    #[arg(long, value_name = "AGENT")]
    planner: Option<String>,
    /// The agent that reviews plans; the default mode then includes a review
    #[arg(long, value_name = "AGENT")]
    reviewer: Option<String>,
    /// The agent that executes plans
    #[arg(long, value_name = "AGENT")]
    executor: Option<String>,
    /// Keep the transcripts of all issues, not only of failed ones
    #[arg(long)]
    keep_transcripts: bool,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    /// List runs, newest first
    List(FieldArgs),
    /// Show a run with the state of its issues
    ///
    /// With --json, the object `state` is the current state, and the array `history` has the state after each change.
    Show {
        /// The run (default: the latest)
        run: Option<String>,
    },
    /// Report the outcome of a run: results, times, costs, quality, and what waits for a person
    ///
    /// Quality has four dimensions, each from 0 to 100, and their average: completeness (share of completed
    /// issues), consistency (share of changed files that the plans name), correctness (share of test commands that passed)
    /// and clarity (the measured quality of the plans). 80 or more passes, 60 to 79 needs a person's review, and less fails.
    Report {
        /// The run (default: the latest)
        run: Option<String>,
        /// Print Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
        /// Print a self-contained HTML page, with a dependency graph and a timeline
        #[arg(long, conflicts_with_all = ["markdown", "json"])]
        html: bool,
    },
    /// Show what an agent has changed so far
    ///
    /// The patch has all changes since the execution began, committed or not. The workplace of the agent stays as it is.
    Diff {
        /// The issue
        issue: String,
    },
    /// Show the log of a run
    Log {
        /// The run (default: the latest)
        run: Option<String>,
    },
    /// Stop the work on an issue while the run continues without it
    ///
    /// The agent or the tests at work on the issue are stopped, its claim is given back, and a branch keeps its work. `run add` takes
    /// the issue up again.
    Stop {
        /// The issues
        #[arg(required = true)]
        issues: Vec<String>,
        /// The run (default: the one at work)
        #[arg(long)]
        run: Option<String>,
    },
    /// Pause a run once its current steps are done
    ///
    /// Agents at work finish their steps. `run resume` continues the run.
    Pause {
        /// The run (default: the one at work)
        run: Option<String>,
    },
    /// Add issues to a run while it is at work
    ///
    /// An issue that the run gave up gets one more attempt.
    Add {
        /// The issues
        #[arg(required = true)]
        issues: Vec<String>,
        /// The run (default: the one at work)
        #[arg(long)]
        run: Option<String>,
    },
    /// Answer what a run asks about an issue
    ///
    /// A run with a terminal asks what to do with an issue whose execution failed too often, and which of several plans to
    /// execute. The first answer counts, wherever it is given.
    Answer {
        /// The issue
        issue: String,
        /// `retry`, `skip` or `abort` (the run) after a failure, else the plan to execute
        answer: String,
        /// The run (default: the one that asks)
        #[arg(long)]
        run: Option<String>,
    },
    /// Resume an interrupted or paused run
    ///
    /// Finished steps are not repeated. An agent that was interrupted goes on in its session if it can, else it is asked again,
    /// from its last commit on. A run that is paused and still at work in another terminal goes on there, with its agents, and
    /// with another `--budget` if one is given.
    Resume {
        /// The run (default: the only one that was interrupted or paused here)
        run: Option<String>,
        /// Resume a run that was started or last resumed in another clone. Stop it there first: a process that still
        /// runs there stops only once it fetches this change; from then on it records nothing more, and it gives its claims back
        #[arg(long, requires = "run")]
        take_over: bool,
        /// Continue until the run has cost this much in total: `10 USD`, `1M tokens`, `5h`
        #[arg(long, value_name = "AMOUNT")]
        budget: Vec<String>,
        #[command(flatten)]
        agents: Agents,
        /// Run the test commands of the plans without asking
        #[arg(short, long)]
        yes: bool,
    },
}

impl From<Agents> for AgentNames {
    fn from(agents: Agents) -> Self {
        Self {
            explorer: agents.explorer,
            planner: agents.planner,
            reviewer: agents.reviewer,
            executor: agents.executor,
            keep_transcripts: agents.keep_transcripts.then_some(true),
        }
    }
}

fn parse_mode(text: &str) -> Result<WantedMode, String> {
    match text {
        "auto" => Ok(WantedMode::Auto),
        text => RunMode::parse(text)
            .map(WantedMode::Given)
            .ok_or_else(|| format!("expected auto, {}", RunMode::words())),
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Some(command) = args.command else { return begin(args, context) };
    match command {
        RunCommand::List(fields) => {
            context.only(fields);
            let now = session.now()?.millis();
            context.answer(run::list(&session)?, |runs, _, screen| print::run::list(screen, runs, now))
        }
        RunCommand::Show { run } => {
            let now = session.now()?.millis();
            let done = run::show(&session, run.as_deref())?;
            context.answer(done, |run, _, screen| print::run::run(screen, run, now))
        }
        RunCommand::Report { run, markdown, html } => {
            let done = run::report(&session, run.as_deref())?;
            context.answer(done, |report, _, screen| match (markdown, html) {
                (_, true) => print::run_html::html(screen, report),
                (true, false) => write!(screen, "{}", markdown::document(&run_report::page(report))),
                (false, false) => terminal::print(screen, &run_report::page(report)),
            })
        }
        RunCommand::Diff { issue } => {
            let done = run::diff(&session, &issue)?;
            context.answer(done, |diff, _, screen| print::run::diff(screen, diff))
        }
        RunCommand::Log { run } => {
            let done = run::log(&session, run.as_deref())?;
            context.answer(done, |entries, _, screen| print::run::log(screen, entries))
        }
        RunCommand::Stop { issues, run } => {
            steer(&session, context, Steer::about(run, OrderKind::Stop, issues))
        }
        RunCommand::Pause { run } => steer(&session, context, Steer::about(run, OrderKind::Pause, vec![])),
        RunCommand::Add { issues, run } => {
            steer(&session, context, Steer::about(run, OrderKind::Add, issues))
        }
        RunCommand::Answer { issue, answer, run } => {
            let done = run::answer(&session, &GiveAnswer { issue, answer, run })?;
            context.answer(done, |told, _, screen| print::run::answered(screen, told))
        }
        RunCommand::Resume { run, budget, agents, take_over, .. }
            if run::is_paused(&session, run.as_deref())? =>
        {
            let names: AgentNames = agents.into();
            if take_over || names.by_role().next().is_some() {
                let what = "the run is paused, not stopped: it goes on with its agents, where it is driven";
                return Err(Refusal::usage(what).hint("name only the run and its budget").into());
            }
            steer(&session, context, Steer { budget, ..Steer::about(run, OrderKind::Resume, vec![]) })
        }
        RunCommand::Resume { run, take_over, budget, agents, yes } => {
            refuse_agents_in_hook("run")?;
            let run = match run {
                Some(run) => Some(run),
                None => which_run::asked(&session, context)?,
            };
            let mut watch = Following::new(Interrupts::catch()?, yes, context.json());
            let input = Resume { run, agents: agents.into(), take_over, budget };
            let done = run::resume(&session, &input, &mut watch);
            ended(done, watch, context)
        }
    }
}

/// Tells a run that is at work what to do.
fn steer(session: &Session, context: &mut CliContext, input: Steer) -> Outcome {
    let done = run::steer(session, &input)?;
    context.answer(done, |told, _, screen| print::run::steered(screen, told))
}

fn begin(args: Args, context: &mut CliContext) -> Outcome {
    refuse_agents_in_hook("run")?;
    let session = context.session()?;
    if let Some(word) = args.issues.first()
        && let Some(command) = meant_command(word)
        && !run::is_issue(&session, word)?
    {
        let message = format!("`git wf run` has no command `{word}`, and there is no such issue");
        return Err(Refusal::usage(message).hint(format!("did you mean `git wf run {command}`?")).into());
    }
    let names_none = args.issues.is_empty() && !args.all_pending && args.tag.is_none() && args.wave.is_none();
    let asked = if names_none {
        which_issues::asked(&session, args.execute_only, context)?
    } else {
        ChosenIssues { ids: args.issues, all: args.all_pending }
    };
    let input = Begin {
        issues: asked.ids,
        all_pending: asked.all,
        tag: args.tag,
        wave: args.wave,
        agents: args.agents.into(),
        mode: args.mode.unwrap_or(WantedMode::Configured),
        jobs: args.jobs,
        plan_jobs: args.plan_jobs,
        retries: args.retries,
        lands: args.land,
        budget: args.budget,
        issue_budget: args.issue_budget,
        plan_only: args.plan_only,
        execute_only: args.execute_only,
        skip_explore: args.skip_explore,
        skip_review: args.skip_review,
    };
    if args.dry_run {
        let done = run::dry(&session, &input)?;
        return context.answer(done, |dry, _, screen| print::run_dry::dry(screen, dry));
    }
    let mut watch = Following::new(Interrupts::catch()?, args.yes, context.json());
    let done = run::run(&session, &input, &mut watch);
    ended(done, watch, context)
}

/// The subcommand that a word is a misspelling of; `None` if it is not similar to any.
fn meant_command(word: &str) -> Option<String> {
    let command = <RunCommand as clap::Subcommand>::augment_subcommands(clap::Command::new("run"));
    let error = command.try_get_matches_from(["run", word]).err()?;
    match error.get(ContextKind::SuggestedSubcommand)? {
        ContextValue::String(command) => Some(command.clone()),
        ContextValue::Strings(commands) => commands.first().cloned(),
        _ => None,
    }
}

/// Shows a run that came to its end. It failed if any of its issues did, or was left to someone else, such as one that should
/// have landed and did not.
fn ended(done: Answer<RunView>, watch: Following, context: &mut CliContext) -> Outcome {
    context.show_notices(watch.noticed());
    let done = done?;
    let has_failed = done.view.state.issues.values().any(|issue| issue.error.is_some());
    let session = context.session()?;
    let not_landed = run::not_landed(&session, &done.view.run.issue_ids)?;
    let is_left = done.view.run.lands && not_landed.as_ref().is_some_and(|left| !left.is_empty());
    let (now, is_bare) = (session.now()?.millis(), session.store().work_dir().is_none());
    let waits = not_landed.is_none_or(|left| !left.is_empty());
    context.answer(done, |run, _, screen| {
        print::run::ended(screen, run, now, print::run::RunEnd { is_bare, waits })
    })?;
    Ok(if has_failed || is_left { Exit::Failed } else { Exit::Done })
}
