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
    let hint = format!("`{} --help` shows how it is used", meant(&whole_command(), &words));
    if words.iter().any(|word| word == "--json") {
        let (message, tip) = in_short(&text);
        let hint = tip.map_or_else(|| hint.clone(), |tip| format!("{tip}; {hint}"));
        return Failure::usage(message).hint(hint).report(true).into();
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

/// The command that was meant as far as it can be made out: `git wf queue add`.
fn meant(root: &clap::Command, words: &[String]) -> String {
    let mut path = vec!["git wf"];
    let mut at = root;
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        let Some(next) = at.find_subcommand(word) else { break };
        path.push(next.get_name());
        at = next;
    }
    path.join(" ")
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
