//! Every command is listed with its answer among the kinds of documents.

use std::collections::BTreeSet;

use crate::cli::schemas::KINDS;

/// The parts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The command at the beginning of a line: `queue overlaps` of `queue overlaps --add`.
fn command_of(root: &clap::Command, line: &str) -> String {
    let (mut at, mut path) = (root, Vec::new());
    for word in line.split(' ') {
        let Some(inner) = at.find_subcommand(word) else { break };
        path.push(word);
        at = inner;
    }
    path.join(" ")
}

/// Commands that print no document: the board is a full screen, and MCP is a protocol.
const WITHOUT_ANSWER: &[&str] = &["board", "mcp"];

/// Collects every command that can be run without a further subcommand.
fn runnable(command: &clap::Command, path: &str, found: &mut BTreeSet<String>) {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let path = format!("{path} {}", inner.get_name());
        let path = path.trim_start();
        if !inner.is_subcommand_required_set() {
            found.insert(path.to_owned());
        }
        runnable(inner, path, found);
    }
}

#[test]
fn each_command_is_named_by_the_kind_of_its_answer() {
    let root = crate::cli::whole_command();
    let mut commands = BTreeSet::new();
    runnable(&root, "", &mut commands);
    commands.retain(|name| !WITHOUT_ANSWER.contains(&name.as_str()));
    assert!(commands.contains("queue") && commands.contains("queue forecast"), "{commands:?}");
    assert!(!commands.contains("queue manage"), "{commands:?}");
    let named: BTreeSet<String> =
        KINDS.iter().flat_map(|kind| quoted(kind.about)).map(|line| command_of(&root, line)).collect();
    let silent: Vec<&String> = commands.difference(&named).collect();
    assert!(silent.is_empty(), "no kind in src/cli/schemas.rs names {silent:?}");
    // A quoted text that is not a command yields an empty path.
    let wrong: Vec<&String> = named.difference(&commands).filter(|line| !line.is_empty()).collect();
    assert!(wrong.is_empty(), "src/cli/schemas.rs names {wrong:?}, which cannot be run");
}
