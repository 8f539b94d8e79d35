//! The command line: one file for each command, with its arguments, what it does and what it prints.

mod answer_schema;
mod ccw_words;
mod command;
pub(in crate::cli) mod complete;
mod context;
mod failure;
mod help_examples;
mod input;
mod output_file;
mod print;
mod schemas;
mod usage;
mod version;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use context::{
    CliContext, Force, acting, acting_as, current_dir, environment, is_in_run, named, read_text, variable,
};
use failure::system_words;
pub(crate) use failure::{Exit, Failure};

pub(crate) use crate::model::strict::strict_fault;
use crate::ops::issues::SavedQueries;
use crate::ui;
use crate::ui::{Color, DateChoice, DateForm, UiSettings};

/// How a command that succeeds ends: done, or nothing to do.
pub(crate) type Outcome = Result<Exit, Failure>;

/// Longer lines are hard to read.
const WIDEST_HELP: usize = 100;

/// What every command takes.
#[derive(Debug, Parser)]
#[command(name = "git-wf", bin_name = "git wf", version, about, max_term_width = WIDEST_HELP)]
#[command(propagate_version = true, disable_help_subcommand = true)]
struct GlobalArgs {
    /// Print one JSON document on stdout, with warnings in its field `warnings`, or on stderr if the document is an
    /// array. Errors are JSON on stderr
    #[arg(long, global = true, hide_short_help = true)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A command line that was parsed.
#[derive(Debug)]
struct Arguments {
    global: GlobalArgs,
    command: Option<Command>,
}

/// Options about the output of every command.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// When to use colour: auto, always or never (default: color.wf or color.ui, else auto)
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    color: Color,
    /// How to show times, as in git: relative, human, local, iso, iso-strict, rfc, short, raw, unix, or
    /// format:PATTERN; most of them also in local time, such as iso-local (default: log.date, else relative on a terminal
    /// and iso-strict in a pipe)
    #[arg(long, global = true, hide_short_help = true, value_name = "FORM", value_parser = DateForm::parse)]
    date: Option<DateForm>,
    /// Print plain lines for screen readers: no drawing, colour, alignment or pager
    #[arg(long, global = true, hide_short_help = true)]
    plain: bool,
    /// Suppress notes, warnings and progress
    #[arg(short, long, global = true, hide_short_help = true)]
    quiet: bool,
    /// Print more, such as the commit that records a change
    #[arg(short, long, global = true, hide_short_help = true, conflicts_with = "quiet")]
    verbose: bool,
}

macro_rules! commands {
    ($($group:literal { $($(#[$attr:meta])* $variant:ident $(if $feature:literal)? = $module:ident $(:: $rest:ident)?),+ $(,)? })+) => {
        #[derive(Debug, Subcommand)]
        #[command(defer = true)]
        enum Command {
            $($($(#[cfg(feature = $feature)])? $(#[$attr])* $variant(command::$module$(::$rest)?::Args),)+)+
        }

        fn dispatch(command: Command, context: &mut CliContext) -> Outcome {
            match command {
                $($($(#[cfg(feature = $feature)])? Command::$variant(args) => command::$module$(::$rest)?::run(args, context),)+)+
            }
        }

        /// The heading of each group of commands, and their modules.
        const GROUPS: &[(&str, &[&str])] =
            &[$(($group, &[$(stringify!($module$(::$rest)?)),+])),+];
    };
}

commands! {
    "issues" {
        New = issues::new,
        List = issues::list,
        Show = issues::show,
        Edit = issues::edit,
        Comment = issues::comment,
        Close = issues::close,
        Reopen = issues::reopen,
        Search = issues::search,
        Board = issues::board,
        #[command(hide = true)]
        Status = issues::status,
    }
    "plans" {
        Plan = plans::plan,
        Task = plans::task,
        Feedback = plans::feedback,
        Wisdom = plans::wisdom,
        Roadmap = plans::roadmap,
        Context = plans::planning_context,
        #[command(hide = true)]
        Solutions = plans::solutions,
    }
    "the queue" {
        Queue = queue,
    }
    "the work" {
        Prime = work::prime,
        Next = work::next,
        Verify = work::verify,
        Accept = work::accept,
        Vouch = work::vouch,
        #[command(hide = true)]
        Detail = work::detail,
        Done = work::done,
        Fail = work::fail,
        Land = work::land,
        Retry = work::retry,
        Lease = work::lease,
        Agents = work::agents,
        Run = work::run,
        Mcp = work::mcp,
        Web if "web" = work::web,
    }
    "the trail" {
        Trace = trail::trace,
        Why = trail::why,
        Audit = trail::audit,
        Log = trail::log,
        Diff = trail::diff,
        Link = trail::link,
    }
    "clones" {
        Sync = clones::sync,
        Pull = clones::pull,
        Push = clones::push,
        Conflicts = clones::conflicts,
    }
    "the store" {
        Init = store::init,
        Hooks = store::hooks,
        Settings = store::settings,
        Import = store::import,
        Export = store::export,
        Undo = store::undo,
        Redact = store::redact,
        Fsck = store::fsck,
        Schema = store::schema,
        Setup = store::setup,
        Demo = store::demo,
        Help = store::help,
        #[command(hide = true)]
        Hook = store::hook,
        #[command(hide = true)]
        ProbeSandbox = store::probe_sandbox,
        #[command(hide = true)]
        RunWatched = store::run_watched,
    }
}

/// The command line, for callers that assemble its parts themselves.
pub(crate) fn command() -> clap::Command {
    Command::augment_subcommands(GlobalArgs::command())
}

/// The command line with the typed command alone: to build all of them takes longer than most commands. If that is none of
/// them, all are there by name, and without arguments.
fn typed_command(words: &[OsString]) -> clap::Command {
    let root = GlobalArgs::command();
    let arguments = words.get(1..).unwrap_or_default();
    let Some(at) = command_at(arguments) else { return root };
    let all = Command::augment_subcommands(clap::Command::new("git-wf"));
    match arguments[at].to_str().and_then(|name| all.find_subcommand(name)) {
        Some(typed) => root.subcommand(typed.clone()),
        None => command(),
    }
}

/// Commands that show a screen or speak a protocol, and refuse --json.
const WITHOUT_JSON: [&str; 2] = ["board", "mcp"];

/// The command line with the arguments of every command, for man pages and help.
pub(crate) fn whole_command() -> clap::Command {
    let columns = ui::columns_of_help().min(WIDEST_HELP);
    // An argument of their own in its place keeps the global one out of their help.
    let hidden = || clap::Arg::new("json").long("json").action(clap::ArgAction::SetTrue).hide(true);
    let mut command = command()
        .term_width(columns)
        .mut_subcommands(|it| if WITHOUT_JSON.contains(&it.get_name()) { it.arg(hidden()) } else { it });
    command.build();
    // The help of the program itself shows the options of every command.
    let command = help_examples::added(command, "", columns).mut_args(|arg| arg.hide_short_help(false));
    let template = command::store::help::overview(&command, columns);
    command.help_template(template)
}

/// The groups of the overview, each with its commands in the order of the table.
fn groups(command: &clap::Command) -> Vec<(&'static str, Vec<&clap::Command>)> {
    let named = |module: &&str| {
        let name = module.rsplit(':').next().unwrap_or(module).trim();
        let name = if name == "planning_context" { "context" } else { name };
        command.find_subcommand(name).filter(|it| !it.is_hide_set())
    };
    GROUPS.iter().map(|(group, modules)| (*group, modules.iter().filter_map(named).collect())).collect()
}

impl Arguments {
    /// Parses the command line.
    ///
    /// # Errors
    /// The command line is wrong, or asks for help or for the version.
    fn parse(words: &[OsString]) -> Result<Self, clap::Error> {
        let mut typed = typed_command(words);
        match typed.try_get_matches_from_mut(words) {
            Ok(matches) => Self::from_matches(&matches).map_err(|error| error.format(&mut typed)),
            Err(error) if !usage::shows_help(&error) => Err(error),
            Err(_) => {
                let matches = whole_command().try_get_matches_from(words);
                matches.and_then(|matches| Self::from_matches(&matches))
            }
        }
    }

    fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let command = matches.subcommand_name().map(|_| Command::from_arg_matches(matches)).transpose()?;
        Ok(Self { global: GlobalArgs::from_arg_matches(matches)?, command })
    }
}

/// Expands the saved queries in `list @mine`. If one does not exist, all words stay as they are, and `list` reports it.
fn with_saved_queries(mut words: Vec<String>) -> Vec<String> {
    if !words.iter().any(|word| word.starts_with('@')) {
        return words;
    }
    let Some(at) = command_at(&words).filter(|at| words[*at] == "list") else { return words };
    let Ok(session) = CliContext::new(false, false).session() else { return words };
    if let Ok(meant) = SavedQueries::load(&session).and_then(|saved| saved.expanded(words[at + 1..].to_vec()))
    {
        words.truncate(at + 1);
        words.extend(meant);
    }
    words
}

/// Where the command is: the first word that is neither an option of the whole program nor the value of one.
fn command_at<W: AsRef<OsStr>>(words: &[W]) -> Option<usize> {
    let mut at = 0;
    loop {
        let word = words.get(at)?.as_ref();
        at += match word.to_str() {
            Some(option) if takes_value(option) => 2,
            _ if word.as_encoded_bytes().starts_with(b"-") => 1,
            _ => return Some(at),
        };
    }
}

/// Whether the next word is the value of this option of the whole program.
fn takes_value(option: &str) -> bool {
    let Some(long) = option.strip_prefix("--") else { return false };
    let global = OutputArgs::augment_args(clap::Command::new("git-wf"));
    global.get_arguments().any(|arg| arg.get_action().takes_values() && arg.get_long() == Some(long))
}

/// The words of the command line, translated. If one is not text, all stay as they are, for the parser to refuse.
fn words(typed: Vec<OsString>) -> Vec<OsString> {
    let mut all = typed.into_iter();
    let program = all.next().unwrap_or_else(|| "git-wf".into());
    let rest: Vec<OsString> = all.collect();
    let texts: Option<Vec<String>> = rest.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let meant = match texts {
        Some(texts) => {
            let meant = with_saved_queries(ccw_words::translated(texts));
            meant.into_iter().map(OsString::from).collect()
        }
        None => rest,
    };
    std::iter::once(program).chain(meant).collect()
}

/// Runs the program.
pub fn main() -> ExitCode {
    // The standard library would print data from a bug to the terminal unfiltered.
    std::panic::set_hook(Box::new(|info| {
        ui::say(&info.to_string());
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            ui::say(&trace.to_string());
        }
    }));
    let typed: Vec<OsString> = std::env::args_os().collect();
    // git runs hooks all the time, and they take only what it gives to them.
    if let Some(called) = command::store::hook::Args::called(&typed) {
        return match command::store::hook::answer(called) {
            Ok(exit) => exit.into(),
            Err(failure) => failure.report(false, &[]).into(),
        };
    }
    let words = words(typed);
    match complete::answer() {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => return usage::report(&error, &words),
    }
    let arguments = match Arguments::parse(&words) {
        Ok(arguments) => arguments,
        Err(error) => return usage::report(&error, &words),
    };
    let Arguments { global: GlobalArgs { json, output }, command } = arguments;
    let OutputArgs { color, date, plain, quiet, verbose } = output;
    let date = date.map_or(DateChoice::Usual, DateChoice::Given);
    UiSettings { color, date, is_plain: plain, is_quiet: quiet }.set();
    let mut context = CliContext::new(json, verbose);
    let outcome = match command {
        Some(command) => dispatch(command, &mut context),
        None => command::home::run(&mut context),
    };
    context.show_rest();
    // Output from before a failure is still shown.
    let (shown, warnings) = context.finish();
    let exit = match (outcome, shown) {
        (Err(failure), _) => failure.report(json, &warnings),
        (Ok(_), Err(error)) => Failure::from(error).report(json, &warnings),
        (Ok(exit), Ok(())) => {
            failure::report_warnings(&warnings);
            exit
        }
    };
    exit.into()
}

#[cfg(test)]
mod tests;
