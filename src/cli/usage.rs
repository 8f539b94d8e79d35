//! Errors for command lines that cannot be parsed.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::{Exit, Failure, typed_command};
use crate::model::nearest::near;
use crate::ops::Refusal;
use crate::ui;

/// Help and version are answers; everything else that clap reports is wrong usage.
/// `typed_words` are the arguments as they were parsed.
pub(super) fn report(error: &clap::Error, typed_words: &[OsString]) -> ExitCode {
    if error.kind() == ErrorKind::DisplayVersion {
        return super::version::print(typed_words);
    }
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if !ui::is_broken_pipe(&error) => Exit::Failed.into(),
            _ => Exit::Done.into(),
        };
    }
    let words: Vec<String> =
        typed_words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let json = words.iter().any(|word| word == "--json");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        // This repeats nothing that was typed, but the filter does no harm.
        ui::say(ui::text::clean(&error.render().to_string()).trim_end());
        return Exit::Usage.into();
    }
    Failure::from(refusal(&parsed_by(typed_words), &words, error)).report(json, &[]).into()
}

/// The command line by which the words were parsed, with the arguments of the command that was typed.
fn parsed_by(typed_words: &[OsString]) -> clap::Command {
    let mut root = typed_command(typed_words);
    if root.get_subcommands().count() == 1 {
        root.build();
    }
    root
}

/// Whether help is shown, with the examples of every command and the overview of all.
pub(super) fn shows_help(error: &clap::Error) -> bool {
    let is_version = error.kind() == ErrorKind::DisplayVersion;
    let is_missing = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    (!error.use_stderr() && !is_version) || is_missing
}

/// Options that users try under another name, with the right one.
const NAMES: &[(&str, &str, &[&str])] = &[
    (
        "message",
        "give your text with `-m TEXT`",
        &[
            "reason",
            "text",
            "body",
            "comment",
            "note",
            "description",
            "content",
            "summary",
            "evidence",
            "e",
            "message",
            "m",
        ],
    ),
    ("tag", "`-t TAG`; separate several with commas", &["label", "labels", "tags"]),
    (
        "from-json",
        "`--from-json FILE` reads fields from a JSON file (`-` for stdin)",
        &["json-file", "input", "from"],
    ),
    ("file", "`-F FILE` reads the text from a file (`-` for stdin)", &["input", "from", "body-file"]),
    ("issue-type", "`--type TYPE`", &["kind"]),
    // Only `new` has templates.
    ("template", "the title needs no option: `git wf new TITLE`", &["title"]),
];

/// One text in the context of a clap error.
fn context_text(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Like `context_text`, if there may be several.
fn context_texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(all)) => all.clone(),
        Some(ContextValue::String(one)) => vec![one.clone()],
        _ => vec![],
    }
}

fn refusal(root: &clap::Command, words: &[String], error: &clap::Error) -> Refusal {
    let (path, command) = found(root, words);
    let argument = context_text(error, ContextKind::InvalidArg).unwrap_or_default();
    let (message, hint) = match error.kind() {
        ErrorKind::UnknownArgument if !argument.starts_with('-') && takes_text(command) => (
            format!("`{path}` takes no further argument: `{argument}`"),
            Some("put a text of several words in quotes".to_owned()),
        ),
        ErrorKind::UnknownArgument => match unknown_option(&path, command, argument) {
            Some(refusal) => return refusal,
            None => (format!("`{path}` has no argument `{argument}`"), suggested(error)),
        },
        ErrorKind::InvalidSubcommand => match unknown_command(&path, command, error) {
            Some(refusal) => return refusal,
            None => {
                let given = context_text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
                (format!("`{path}` has no command `{given}`"), suggested(error))
            }
        },
        ErrorKind::MissingRequiredArgument if names_force(&context_texts(error, ContextKind::InvalidArg)) => {
            return reason_alone(&path, command);
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return match path.as_str() {
                "git wf" => Refusal::usage("a command is missing").hint("`git wf -h` lists all commands"),
                path => Refusal::usage(format!("`{path}` needs a command")).hint(after(path, command)),
            };
        }
        ErrorKind::MissingRequiredArgument => {
            (fault(&path, error).0, expected(command, &context_texts(error, ContextKind::InvalidArg)))
        }
        _ => fault(&path, error),
    };
    let help = help_of(&path);
    Refusal::usage(message).hint(match hint {
        None => help,
        Some(question) if question.ends_with('?') => format!("{question} {help}"),
        Some(hint) => format!("{hint}; {help}"),
    })
}

/// What belongs in the place of the only argument that is missing, as its help says.
fn expected(command: &clap::Command, missing: &[String]) -> Option<String> {
    let [missing] = missing else { return None };
    let name = missing.trim_matches(['<', '>']);
    let is_it = |argument: &&clap::Arg| {
        let names = argument.get_value_names().unwrap_or_default();
        names.first().map_or_else(|| argument.get_id().as_str().to_uppercase(), ToString::to_string) == name
    };
    let help = command.get_positionals().find(is_it)?.get_help()?.to_string();
    Some(format!("{missing} is {}", lower_first(&help)))
}

/// A sentence that continues: `The field: title` becomes `the field: title`.
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// What is wrong with the arguments of `path`, and what to do if clap knows it.
pub(super) fn fault(path: &str, error: &clap::Error) -> (String, Option<String>) {
    let argument = context_text(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = context_text(error, ContextKind::InvalidValue).unwrap_or_default();
    let quoted = |all: Vec<String>| all.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    match error.kind() {
        ErrorKind::UnknownArgument => (format!("`{path}` has no argument `{argument}`"), suggested(error)),
        ErrorKind::MissingRequiredArgument => {
            (format!("`{path}` needs {}", quoted(context_texts(error, ContextKind::InvalidArg))), None)
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            (format!("`{argument}` needs a value"), allowed(error, path))
        }
        ErrorKind::InvalidValue => {
            (format!("`{value}` is not a valid value for `{argument}`"), allowed(error, path))
        }
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| unfit(&why.to_string()));
            let message = match why {
                // A rule of this program's own names the value.
                Some(why) if why.starts_with(&format!("`{value}` ")) => why,
                Some(why) => format!("`{value}` is not a valid value for `{argument}`: {why}"),
                None => format!("`{value}` is not a valid value for `{argument}`"),
            };
            (message, None)
        }
        // An error of this program's own, such as one about the order of options.
        ErrorKind::ArgumentConflict if argument.is_empty() => (own_words(error), None),
        ErrorKind::ArgumentConflict => match context_texts(error, ContextKind::PriorArg) {
            others if others.iter().any(|it| it == argument) => {
                (format!("`{argument}` is given more than once"), None)
            }
            others if others.is_empty() => {
                (format!("`{argument}` cannot be used with the other arguments"), None)
            }
            others => (format!("`{argument}` cannot be used with {}", quoted(others)), None),
        },
        ErrorKind::TooManyValues => (format!("`{argument}` takes no further value: `{value}`"), None),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            (format!("`{argument}` needs more values"), None)
        }
        ErrorKind::NoEquals => (format!("`{argument}` takes its value after `=`"), None),
        ErrorKind::InvalidUtf8 => ("an argument is not UTF-8".to_owned(), None),
        _ => (error.kind().to_string(), None),
    }
}

/// The message of an error that does not come from clap: the first line that it would print.
fn own_words(error: &clap::Error) -> String {
    let shown = error.to_string();
    let line = shown.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Why clap refuses a value, in plain words: it says `99 is not in 1..=64`.
fn unfit(why: &str) -> String {
    if why.contains("invalid digit") {
        return "not a whole number".to_owned();
    }
    let Some((_, range)) = why.split_once(" is not in ") else { return why.to_owned() };
    match range.split_once("..") {
        Some((least, most)) => match most.trim_start_matches('=') {
            most if most.is_empty() || most.len() > 9 => format!("it must be {least} or more"),
            most => format!("it must be from {least} to {most}"),
        },
        None => why.to_owned(),
    }
}

/// Where the usage of a command is described. git itself answers `git wf --help`, with a manual page, if one is installed.
fn help_of(path: &str) -> String {
    match path {
        "git wf" => "`git wf -h` lists all commands".to_owned(),
        path => format!("`{path} --help` shows its usage"),
    }
}

/// The suggestion closest to what was typed.
fn suggested(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar: Vec<String> = kinds.into_iter().flat_map(|kind| context_texts(error, kind)).collect();
    let given = [ContextKind::InvalidSubcommand, ContextKind::InvalidValue, ContextKind::InvalidArg];
    let typed = given.into_iter().find_map(|kind| context_text(error, kind)).unwrap_or_default();
    // clap also suggests words that only have some letters in common.
    let near = near(typed, similar.iter().map(String::as_str));
    let near = near.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" or ");
    (!near.is_empty()).then(|| format!("did you mean {near}?"))
}

/// More valid values than this are not listed.
const MOST_VALUES: usize = 20;

/// The valid values of an argument. A command with very many of them lists them when it is called without one.
fn allowed(error: &clap::Error, path: &str) -> Option<String> {
    match context_texts(error, ContextKind::ValidValue) {
        all if all.is_empty() => suggested(error),
        all if all.len() > MOST_VALUES => {
            Some(suggested(error).unwrap_or_else(|| format!("`{path}` lists them")))
        }
        all => Some(format!("expected one of {}", all.join(", "))),
    }
}

/// The subcommands of a command.
fn after(path: &str, command: &clap::Command) -> String {
    let names = command.get_subcommands().filter(|it| !it.is_hide_set()).map(clap::Command::get_name);
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    format!("the commands of `{path}` are: {}", names.join(", "))
}

/// Whether the command takes a text, as an option or an argument.
fn takes_text(command: &clap::Command) -> bool {
    command.get_arguments().any(|it| matches!(it.get_long(), Some("message")))
}

/// The error for an option that the command does not have but whose meaning is known.
fn unknown_option(path: &str, command: &clap::Command, given: &str) -> Option<Refusal> {
    if !given.starts_with('-') || command.has_subcommands() {
        return None;
    }
    let name = given.trim_start_matches('-');
    let has = |long: &str| command.get_arguments().any(|it| it.get_long() == Some(long));
    let mut known = NAMES.iter().filter(|(_, _, names)| names.contains(&name)).peekable();
    let is_text = known.peek().is_some_and(|(long, ..)| *long == "message");
    let what = format!("`{path}` has no option `{given}`");
    if let Some((_, hint, _)) = known.find(|(long, ..)| has(long)) {
        return Some(Refusal::usage(what).hint(*hint));
    }
    let hint = format!("leave it out; `{path} --help` shows the usage");
    is_text.then(|| Refusal::usage(format!("{what}: it takes no text")).hint(hint))
}

/// Commands that users try, and their equivalents here.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["view", "cat", "open"], "`git wf show ID` shows an issue, plan, execution, queue, item or roadmap"),
    (
        &["ready"],
        "`git wf list --unblocked` lists issues that wait for no other, `git wf list --ready` those that `next` can take",
    ),
    (&["ls", "issues", "issue"], "`git wf list` lists the open issues"),
    (&["add", "report"], "`git wf new TITLE` creates an issue"),
    (
        &["delete", "rm", "remove"],
        "`git wf close ISSUE` closes an issue; nothing is ever deleted, but `git wf redact` hides a value",
    ),
    (&["assign"], "`git wf edit ISSUE --assignee WHO` assigns an issue"),
    (
        &["dep", "deps", "depend", "dependency", "block", "blocks"],
        "`git wf edit ISSUE --depends-on OTHER` adds a dependency, `--depends-on=-OTHER` removes one",
    ),
    (
        &["label", "labels", "tag", "tags"],
        "`git wf edit ISSUE --tag TAG` adds a tag, `--tag=-TAG` removes one",
    ),
    (
        &["pause", "defer"],
        "`git wf edit ISSUE --status paused` pauses an issue, `git wf reopen ISSUE` continues it",
    ),
    (&["cancel", "abandon"], "`git wf close ISSUE --as cancelled` cancels an issue"),
    (
        &["review", "approve", "reject"],
        "`git wf plan review PLAN --approve` approves a plan, `--reject -m TEXT` rejects it; `git wf roadmap revise --approve` approves a roadmap",
    ),
    (&["claim", "take", "checkout"], "`git wf next` claims the next item"),
    (&["finish", "resolve"], "`git wf done` completes an execution, `git wf close ISSUE` closes an issue"),
    (&["find", "grep"], "`git wf search TEXT` searches all texts"),
    (&["blame"], "`git wf why FILE:LINE` says where a line comes from"),
    (&["graph", "dag"], "`git wf queue graph` draws the dependency graph"),
    (&["fetch"], "`git wf pull` fetches and merges"),
    (
        &["config"],
        "`git wf settings` shows what holds for the project; those of this clone are in `git config wf.NAME`",
    ),
    (
        &["install", "uninstall"],
        "`git wf hooks install` installs the hooks, `git wf setup` the manual and completions",
    ),
];

/// The error for a word in place of a subcommand. If a subcommand is spelled similarly, clap's suggestion is used
/// instead.
fn unknown_command(path: &str, command: &clap::Command, error: &clap::Error) -> Option<Refusal> {
    let given = context_text(error, ContextKind::InvalidSubcommand)?;
    if path == "git wf" {
        let lower = given.to_lowercase();
        let (_, hint) = COMMANDS.iter().find(|(names, _)| names.contains(&lower.as_str()))?;
        return Some(Refusal::usage(format!("`{path}` has no command `{given}`")).hint(*hint));
    }
    if suggested(error).is_some() {
        return None;
    }
    Some(Refusal::usage(format!("`{path}` has no command `{given}`")).hint(after(path, command)))
}

/// Whether `--reason` was given without `--force`.
fn names_force(missing: &[String]) -> bool {
    matches!(missing, [one] if one.trim_start_matches('-') == "force")
}

/// Users who give only `--reason` mostly have something to say, and no gate to override.
fn reason_alone(path: &str, command: &clap::Command) -> Refusal {
    let says = command.get_arguments().any(|it| it.get_long() == Some("message"));
    Refusal::usage("`--reason` says why a gate is overridden, but no gate is being overridden").hint(
        if says {
            "give your text with `-m TEXT`".to_owned()
        } else {
            format!("leave it out; `{path} --help` shows the usage")
        },
    )
}

/// The command that was meant, as far as it can be determined (`git wf queue add`), and its definition.
fn found<'a>(root: &'a clap::Command, words: &[String]) -> (String, &'a clap::Command) {
    let mut path = vec!["git wf"];
    let mut at = root;
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let Some(next) = at.find_subcommand(word) else { break };
        path.push(next.get_name());
        at = next;
    }
    (path.join(" "), at)
}

#[cfg(test)]
mod tests;
