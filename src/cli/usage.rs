//! What a command line that cannot be understood is answered with.

use std::process::ExitCode;

use crate::cli::{Exit, Failure, whole_command};
use crate::ui;

/// Help and version are answers; everything else that clap says is wrong usage.
pub(super) fn report(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if !ui::is_broken_pipe(&error) => Exit::Failed.into(),
            _ => Exit::Done.into(),
        };
    }
    let text = error.render().to_string();
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let root = whole_command();
    if lacks_force(error) {
        let json = words.iter().any(|word| word == "--json");
        return reason_alone(&root, &words).report(json, &[]).into();
    }
    if let Some(failure) =
        unknown_option(&root, &words, error).or_else(|| unknown_command(&root, &words, error))
    {
        let json = words.iter().any(|word| word == "--json");
        return failure.report(json, &[]).into();
    }
    let hint = format!("`{} --help` shows how it is used", meant(&root, &words));
    if words.iter().any(|word| word == "--json") {
        let (message, tip) = in_short(&text);
        let hint = tip.map_or_else(|| hint.clone(), |tip| format!("{tip}; {hint}"));
        return Failure::usage(message).hint(hint).report(true, &[]).into();
    }
    // It repeats what was typed, which may have come from anywhere.
    let painter = ui::Painter::stderr();
    let is_error = text.starts_with("error: ");
    let rest = text.strip_prefix("error: ").unwrap_or(&text);
    let rest = rest.split("\nFor more information").next().unwrap_or_default();
    let prefix = if is_error { painter.paint(ui::style::BAD, "error:") + " " } else { String::new() };
    ui::say(&format!("{prefix}{}", ui::text::clean(rest).trim_end()));
    if is_error {
        ui::say(&format!("{} {hint}", painter.paint(ui::style::DIM, "hint:")));
    }
    Exit::Usage.into()
}

/// What people call an option that has another name here.
const NAMES: &[(&str, &str, &[&str])] = &[
    (
        "message",
        "give your text with `-m TEXT`",
        &["reason", "text", "body", "comment", "note", "description", "content", "summary", "message", "m"],
    ),
    ("evidence", "`-e TEXT` says what shows that the criterion holds", &["m", "message", "reason", "text"]),
    ("tag", "`-t TAG`; several are separated by commas", &["label", "labels", "tags"]),
    (
        "from-json",
        "`--from-json FILE` reads fields from a JSON file (`-` for stdin)",
        &["json-file", "input", "from"],
    ),
    ("file", "`-F FILE` reads the text from a file (`-` for stdin)", &["input", "from", "body-file"]),
    ("issue-type", "`--type TYPE`", &["kind"]),
];

/// An option that the command does not have, where it is known what was meant by it.
fn unknown_option(root: &clap::Command, words: &[String], error: &clap::Error) -> Option<Failure> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument || !given.starts_with('-') {
        return None;
    }
    let (path, command) = found(root, words);
    if command.has_subcommands() {
        return None;
    }
    let name = given.trim_start_matches('-');
    let has = |long: &str| command.get_arguments().any(|it| it.get_long() == Some(long));
    let mut known = NAMES.iter().filter(|(_, _, names)| names.contains(&name)).peekable();
    let is_text = known.peek().is_some_and(|(long, ..)| *long == "message");
    let what = format!("`{path}` has no option `{given}`");
    if let Some((_, hint, _)) = known.find(|(long, ..)| has(long)) {
        return Some(Failure::usage(what).hint(*hint));
    }
    let hint = format!("leave it out; `{path} --help` shows how the command is used");
    is_text.then(|| Failure::usage(format!("{what}: it takes no text")).hint(hint))
}

/// What should be a command below another and is none: what it is given to instead.
fn unknown_command(root: &clap::Command, words: &[String], error: &clap::Error) -> Option<Failure> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let (path, command) = found(root, words);
    // Of one that is nearly right, clap names that.
    let is_slip = error.get(ContextKind::SuggestedSubcommand).is_some();
    if error.kind() != ErrorKind::InvalidSubcommand || is_slip || path == "git wf" {
        return None;
    }
    let names: Vec<&str> =
        command.get_subcommands().filter(|it| !it.is_hide_set()).map(clap::Command::get_name).collect();
    let names = names.into_iter().filter(|name| *name != "help").collect::<Vec<_>>().join(", ");
    Some(
        Failure::usage(format!("`{path}` has no command `{given}`"))
            .hint(format!("after `{path}` comes one of: {names}")),
    )
}

/// Whether `--reason` stands there alone.
fn lacks_force(error: &clap::Error) -> bool {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let names_force = || match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => {
            matches!(&missing[..], [one] if one.trim_start_matches('-') == "force")
        }
        _ => false,
    };
    error.kind() == ErrorKind::MissingRequiredArgument && names_force()
}

/// Most of those who give a reason alone have something to say, and no gate to override.
fn reason_alone(root: &clap::Command, words: &[String]) -> Failure {
    let (path, command) = found(root, words);
    let says = command.get_arguments().any(|it| it.get_long() == Some("message"));
    Failure::usage("`--reason` says why a gate is overridden, and none is being overridden").hint(
        match says {
            true => "give your text with `-m TEXT`".to_owned(),
            false => format!("leave it out; `{path} --help` shows how the command is used"),
        },
    )
}

/// The command that was meant as far as it can be made out: `git wf queue add`.
fn meant(root: &clap::Command, words: &[String]) -> String {
    found(root, words).0
}

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

/// The first paragraph of what clap says in one line, and its tip where it has one.
fn in_short(text: &str) -> (String, Option<String>) {
    let lines = |paragraph: &str| paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    if !text.starts_with("error: ") {
        // It is the help: what is there instead of an error where a command is missing.
        return ("a command is missing".into(), None);
    }
    let mut paragraphs = text.split("\n\n");
    let first = lines(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.find_map(|it| Some(lines(it.trim().strip_prefix("tip: ")?)));
    (first.strip_prefix("error: ").unwrap_or(&first).to_owned(), tip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_help_that_is_named_is_that_of_the_command_which_was_meant() {
        for (typed, command_line) in [
            ("", "git wf"),
            ("frob", "git wf"),
            ("queue add", "git wf queue add"),
            ("--json queue conflict add --frob", "git wf queue conflict add"),
            ("show queue", "git wf show"),
            ("edit ISS-1 --priority 9", "git wf edit"),
        ] {
            assert_eq!(meant(&whole_command(), &words(typed)), command_line, "{typed}");
        }
    }

    #[test]
    fn a_reason_alone_is_told_from_other_usage() {
        for (typed, hint) in [
            ("fail --reason broken", "`-m TEXT`"),
            ("done --reason finished", "`-m TEXT`"),
            ("queue hold S-1 --reason later", "`-m TEXT`"),
            ("redact ISS-1 title --reason secret", "`-m TEXT`"),
            ("bind ISS-1 --reason better", "leave it out; `git wf bind --help`"),
        ] {
            let words = words(typed);
            let error = whole_command().try_get_matches_from([&["git-wf".to_owned()], &words[..]].concat());
            assert!(lacks_force(&error.unwrap_err()), "{typed}");
            let failure = format!("{:?}", reason_alone(&whole_command(), &words));
            assert!(failure.contains(hint), "{typed}: {failure}");
        }
        let error = whole_command().try_get_matches_from(["git-wf", "bind", "ISS-1", "--force"]);
        assert!(!lacks_force(&error.unwrap_err()));
    }

    #[test]
    fn an_option_that_has_another_name_is_named() {
        for (typed, hint) in [
            ("comment ISS-1 --reason later", "`-m TEXT`"),
            ("feedback add ISS-1 --body text", "`-m TEXT`"),
            ("new title --label a", "`-t TAG`"),
            ("new --json-file x", "`--from-json FILE`"),
            ("comment ISS-1 --input x", "`-F FILE`"),
            ("queue release S-1 -m later", "leave it out; `git wf queue release --help`"),
        ] {
            let words = words(typed);
            let error = whole_command().try_get_matches_from([&["git-wf".to_owned()], &words[..]].concat());
            let failure = unknown_option(&whole_command(), &words, &error.unwrap_err());
            assert!(format!("{failure:?}").contains(hint), "{typed}: {failure:?}");
        }
        let error = whole_command().try_get_matches_from(["git-wf", "list", "--frob"]).unwrap_err();
        assert!(unknown_option(&whole_command(), &words("list --frob"), &error).is_none());
    }

    #[test]
    fn what_is_missing_is_named_in_one_line() {
        let error = whole_command().try_get_matches_from(["git-wf", "queue", "add"]).unwrap_err();
        let (message, tip) = in_short(&error.render().to_string());
        assert!(message.starts_with("the following required arguments were not provided: <"), "{message}");
        assert_eq!(tip, None);
        let error = whole_command().try_get_matches_from(["git-wf", "nxt"]).unwrap_err();
        let (message, tip) = in_short(&error.render().to_string());
        assert_eq!(message, "unrecognized subcommand 'nxt'");
        assert!(tip.unwrap().contains("'next'"));
    }
}
