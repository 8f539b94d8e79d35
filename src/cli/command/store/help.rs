use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Exit, Failure, Outcome, groups, help_examples, whole_command};
use crate::model::{Code, nearest};
use crate::ops::Refusal;
use crate::ui::{manual, width};

/// Show the manual of a command, or a guide
///
/// The guides are words, tutorial, concepts, claims, hooks, agents, server and format. Without a topic, list the commands.
///
/// `git wf --help` and `git help wf` need the pages where `man` looks: `git wf setup` installs them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A command, such as `queue add`, or a guide
    #[arg(value_name = "TOPIC")]
    topic: Vec<String>,
}

/// The answer of `help`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HelpAnswer {
    /// The manual page: `git-wf-queue-add(1)`.
    page: String,
    /// Its text.
    text: String,
}

/// The commands whose page also describes those below them.
const ONE_PAGE: [&str; 11] = [
    "agents",
    "conflicts",
    "export",
    "hooks",
    "import",
    "lease",
    "queue manage",
    "roadmap",
    "run",
    "task",
    "wisdom",
];

/// Whether the page of a command, given by its words or the name of its page, also describes the commands below it.
pub(in crate::cli) fn has_one_page(command: &str) -> bool {
    let words = command.strip_prefix("git-wf-").unwrap_or(command);
    ONE_PAGE.iter().any(|page| *page == words || page.replace(' ', "-") == words)
}

/// A page of the manual that is not about a single command.
struct Guide {
    name: &'static str,
    section: u8,
    roff: &'static str,
}

const GUIDES: &[Guide] = &[
    Guide { name: "words", section: 7, roff: include_str!("../../../../man/gitwf-words.7") },
    Guide { name: "tutorial", section: 7, roff: include_str!("../../../../man/gitwf-tutorial.7") },
    Guide { name: "concepts", section: 7, roff: include_str!("../../../../man/gitwf-concepts.7") },
    Guide { name: "claims", section: 7, roff: include_str!("../../../../man/gitwf-claims.7") },
    Guide { name: "hooks", section: 7, roff: include_str!("../../../../man/gitwf-hooks.7") },
    Guide { name: "agents", section: 7, roff: include_str!("../../../../man/gitwf-agents.7") },
    Guide { name: "server", section: 7, roff: include_str!("../../../../man/gitwf-server.7") },
    Guide { name: "format", section: 5, roff: include_str!("../../../../man/gitwf-format.5") },
];

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let answer = found(&args.topic)?;
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        write!(context.screen, "{}", answer.text)?;
    }
    Ok(Exit::Done)
}

fn found(topic: &[String]) -> Result<HelpAnswer, Failure> {
    if let [name] = topic
        && let Some(guide) = guide(name)
    {
        let page = format!("gitwf-{}({})", guide.name, guide.section);
        return Ok(HelpAnswer { page, text: manual::text(guide.roff) });
    }
    let mut command = whole_command();
    let topic = match topic {
        [name] => &words_of_page(&command, name).unwrap_or_else(|| topic.to_vec()),
        topic => topic,
    };
    let mut page = "git-wf".to_owned();
    for (n, word) in topic.iter().enumerate() {
        let Some(inner) = command.find_subcommand(word).filter(|inner| !inner.is_hide_set()) else {
            return Err(Refusal::new(
                Code::NotFound,
                format!("there is no manual for `{}`", topic.join(" ")),
            )
            .hint(match near(&command, n == 0, word) {
                Some(near) => {
                    let meant = [&topic[..n], &[near]].concat().join(" ");
                    format!(
                        "did you mean `git wf help {meant}`? `git wf help` lists the commands and the guides"
                    )
                }
                None => "`git wf help` lists the commands and the guides".to_owned(),
            })
            .into());
        };
        if !has_one_page(&page) {
            page = format!("{page}-{}", inner.get_name());
        }
        command = inner.clone();
    }
    Ok(HelpAnswer { page: format!("{page}(1)"), text: command.render_long_help().to_string() })
}

/// The words of a command whose page has this name, with or without its prefix and the section: `git-wf-queue-add`, `queue-add`,
/// `git-wf(1)`.
fn words_of_page(command: &clap::Command, name: &str) -> Option<Vec<String>> {
    let name = name.strip_suffix("(1)").or_else(|| name.strip_suffix(".1")).unwrap_or(name);
    // `git help` takes the name of a page without its prefix, too.
    let name = if name.starts_with("git-wf") { name.to_owned() } else { format!("git-wf-{name}") };
    let mut rest = name.strip_prefix("git-wf")?;
    let (mut command, mut words) = (command, Vec::new());
    while !rest.is_empty() {
        let after = rest.strip_prefix('-')?;
        // If both `task` and `task-list` match, the longer one is meant.
        command = command
            .get_subcommands()
            .filter(|subcommand| {
                after
                    .strip_prefix(subcommand.get_name())
                    .is_some_and(|more| more.is_empty() || more.starts_with('-'))
            })
            .max_by_key(|subcommand| subcommand.get_name().len())?;
        words.push(command.get_name().to_owned());
        rest = &after[command.get_name().len()..];
    }
    Some(words)
}

/// The closest name of a command below this one, or of a guide.
fn near(command: &clap::Command, is_first: bool, word: &str) -> Option<String> {
    let commands =
        command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).map(clap::Command::get_name);
    let guides = if is_first { GUIDES } else { &[] };
    nearest(word, commands.chain(guides.iter().map(|guide| guide.name))).map(str::to_owned)
}

/// Finds a guide by its name, with or without the prefix and the section: `claims`, `gitwf-claims`,
/// `gitwf-claims(7)`.
fn guide(name: &str) -> Option<&'static Guide> {
    let name = name.strip_prefix("gitwf-").unwrap_or(name);
    GUIDES.iter().find(|guide| {
        name.strip_prefix(guide.name).is_some_and(|rest| {
            rest.is_empty() || rest == format!("({})", guide.section) || rest == format!(".{}", guide.section)
        })
    })
}

/// The help of the whole program, as a clap template: the commands in their groups.
pub(in crate::cli) fn overview(command: &clap::Command, columns: usize) -> String {
    let groups = groups(command);
    let names = groups.iter().flat_map(|(_, commands)| commands).map(|command| command.get_name().len());
    let widest = names.max().unwrap_or(0);
    let mut text = String::from("{about}\n\nUsage: git wf [--json] [COMMAND]\n\n");
    text.push_str(&wrapped("Without a command, it shows where you are and what to type next.", columns, 0));
    text.push('\n');
    for (group, commands) in &groups {
        text.push_str(&format!("\n{group}\n"));
        for command in commands {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let about = wrapped(&about, columns, widest + 4).replace('{', "{{");
            text.push_str(&format!("  {:widest$}  {about}\n", command.get_name()));
        }
    }
    let guides: Vec<&str> = GUIDES.iter().map(|guide| guide.name).collect();
    let more = format!(
        "`git wf help COMMAND` shows the manual of a command, `git wf help GUIDE` one of: {}. `git wf setup` installs the \
         pages, which `git wf --help` needs.",
        guides.join(", ")
    );
    let examples = help_examples::for_command("wf").join("\n  ");
    text.push_str(&format!("\nOptions:\n{{options}}\n\n{}\n", wrapped(&more, columns, 0)));
    text.push_str(&format!("\nExamples:\n  {examples}\n"));
    text
}

/// Wraps the text at `columns`; all lines but the first are indented.
fn wrapped(text: &str, columns: usize, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or("", String::as_str);
        let taken = if line.is_empty() { indent } else { indent + width(line) + 1 };
        if taken + width(word) > columns && !line.is_empty() {
            lines.push(word.to_owned());
        } else if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_has_one_group() {
        let command = whole_command();
        let mut grouped: Vec<&str> =
            groups(&command).iter().flat_map(|(_, all)| all).map(|command| command.get_name()).collect();
        let mut all: Vec<&str> = command
            .get_subcommands()
            .filter(|subcommand| !subcommand.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn no_line_of_the_overview_is_longer_than_the_terminal_is_wide() {
        let command = whole_command();
        for columns in [60, 80, 100] {
            let text = overview(&command, columns);
            let long: Vec<&str> = text.lines().filter(|line| width(line) > columns).collect();
            assert!(long.is_empty(), "{columns}: {long:?}");
        }
        assert_eq!(wrapped("one two three", 9, 2), "one two\n  three");
        assert_eq!(wrapped("a-word-that-is-long x", 5, 2), "a-word-that-is-long\n  x");
    }

    #[test]
    fn a_slip_is_answered_with_the_nearest_topic() {
        for (topic, hint) in [
            (&["lst"][..], "`git wf help list`"),
            (&["claim"], "`git wf help claims`"),
            (&["queue", "ad"], "`git wf help queue add`"),
        ] {
            let topic: Vec<String> = topic.iter().map(|topic| (*topic).to_owned()).collect();
            let failure = format!("{:?}", found(&topic).err().unwrap());
            assert!(failure.contains(hint), "{failure}");
        }
    }

    #[test]
    fn a_topic_is_a_command_or_a_guide() {
        let page = |topic: &[&str]| {
            found(&topic.iter().map(|topic| (*topic).to_owned()).collect::<Vec<_>>())
                .map(|found| found.page)
                .ok()
        };
        assert_eq!(page(&[]).as_deref(), Some("git-wf(1)"));
        for name in [&["queue", "add"][..], &["queue-add"], &["git-wf-queue-add(1)"]] {
            assert_eq!(page(name).as_deref(), Some("git-wf-queue-add(1)"));
        }
        for name in ["claims", "gitwf-claims", "gitwf-claims(7)", "gitwf-claims.7"] {
            assert_eq!(page(&[name]).as_deref(), Some("gitwf-claims(7)"), "{name}");
        }
        assert_eq!(page(&["format"]).as_deref(), Some("gitwf-format(5)"));
        for wrong in [&["frob"][..], &["queue", "frob"], &["claims", "add"], &["hook"], &["claims(5)"]] {
            assert_eq!(page(wrong), None, "{wrong:?}");
        }
    }
}
