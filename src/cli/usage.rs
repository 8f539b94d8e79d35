//! What a command line that cannot be understood is answered with.

use std::process::ExitCode;

use super::{Exit, Failure, whole_command};
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
