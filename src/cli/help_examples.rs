//! The examples at the end of each command's help. `tests/it/cli/examples.rs` runs them.

use clap::Command;

/// A section for each command; a line with `# not run` says why the test cannot run its examples.
const EXAMPLES: &str = include_str!("help_examples.txt");

/// The examples of a command, by its words after `git wf`; of the program itself for `wf`.
pub(super) fn for_command(words: &str) -> Vec<&'static str> {
    let lines = EXAMPLES.lines().skip_while(|line| line.strip_prefix('[') != Some(&format!("{words}]")));
    let lines = lines.skip(1).take_while(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with('#')).collect()
}

/// The last line of a short help, in place of the options of every command.
const EVERYWHERE: &str = "Every command also takes --json, --color, --date, --plain, -q and -v; see --help.";

/// An example in rows of at most `columns`, with the indent of all but the first. It is broken as a shell takes it: between
/// arguments, after a backslash.
pub(super) fn rows(example: &str, columns: usize) -> String {
    let mut rows = String::new();
    let mut used = 0;
    for argument in arguments(example) {
        // The backslash and the blank before it must fit, too.
        if used > 0 && used + 1 + argument.len() + 2 > columns {
            rows.push_str(BREAK);
            used = BREAK.len() - 3;
        } else if used > 0 {
            rows.push(' ');
            used += 1;
        }
        rows.push_str(argument);
        used += argument.len();
    }
    rows
}

/// What stands between two rows of an example.
const BREAK: &str = " \\\n    ";

/// The words of a command line, each with its quotes.
fn arguments(example: &str) -> Vec<&str> {
    let mut quote: Option<char> = None;
    let at_blanks = example.split(|c| {
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        c == ' ' && quote.is_none()
    });
    at_blanks.collect()
}

/// The commands below `command` with their examples, and with the options of every command in the long help only. Their
/// arguments must have been built.
pub(super) fn added(command: Command, above: &str, columns: usize) -> Command {
    command.mut_subcommands(|inner| {
        let words = format!("{above}{}", inner.get_name());
        let examples = for_command(&words);
        let inner = added(inner, &format!("{words} "), columns);
        let inner = inner.mut_args(|arg| if is_everywhere(&arg) { arg.hide_short_help(true) } else { arg });
        if examples.is_empty() {
            return inner.after_help(EVERYWHERE);
        }
        let rows: Vec<String> = examples
            .iter()
            .map(|example| rows(example, columns.saturating_sub(2)).replace('\n', "\n  "))
            .collect();
        let examples = format!("Examples:\n  {}", rows.join("\n  "));
        inner.after_help(format!("{examples}\n\n{EVERYWHERE}")).after_long_help(examples)
    })
}

/// Whether every command has this option.
fn is_everywhere(arg: &clap::Arg) -> bool {
    arg.is_global_set() || matches!(arg.get_id().as_str(), "help" | "version")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of every command.
    fn commands(command: &Command, above: &str, found: &mut Vec<String>) {
        for inner in command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
            let words = format!("{above}{}", inner.get_name());
            commands(inner, &format!("{words} "), found);
            found.push(words);
        }
    }

    #[test]
    fn each_command_has_examples_of_its_own() {
        let mut all = Vec::new();
        commands(&crate::cli::whole_command(), "", &mut all);
        let missing: Vec<&String> = all.iter().filter(|words| for_command(words).is_empty()).collect();
        assert!(missing.is_empty(), "src/cli/help_examples.txt has no example of {missing:?}");
        for words in &all {
            for example in for_command(words) {
                assert!(example.contains(&format!("git wf {words}")), "{words}: {example}");
                // On a terminal of 40 columns, no row is broken within an argument.
                let rows = rows(example, 38);
                let is_one = |row: &str| !row.trim_end_matches('\\').trim().contains(' ');
                assert!(rows.lines().all(|row| row.len() <= 38 || is_one(row)), "{rows}");
                assert_eq!(rows.replace(BREAK, " "), example);
            }
        }
        assert!(!for_command("wf").is_empty() && for_command("no such command").is_empty());
    }
}
