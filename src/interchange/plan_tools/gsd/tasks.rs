//! The tasks of a plan of Get Shit Done, which stand between tags.

use crate::interchange::plan_tools::draft::DraftTask;

/// What is between `<name>` and `</name>`; `None` if there is nothing.
pub(super) fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let from = text.find(&format!("<{name}>"))? + name.len() + 2;
    let to = text[from..].find(&format!("</{name}>"))?;
    Some(text[from..from + to].trim()).filter(|text| !text.is_empty())
}

/// A name without `Task 1:`.
fn unnumbered(name: &str) -> &str {
    let rest = name.strip_prefix("Task ").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix(':')).unwrap_or(name).trim()
}

/// Where the next task begins, with or without attributes.
fn next_task(text: &str) -> Option<usize> {
    ["<task ", "<task>"].into_iter().filter_map(|tag| text.find(tag)).min()
}

/// The tasks of a plan, one after the other, and how many of them are checkpoints.
pub(super) fn tasks(body: &str) -> (Vec<DraftTask>, usize) {
    let (mut made, mut checkpoints): (Vec<DraftTask>, usize) = (vec![], 0);
    let mut rest = body;
    while let Some(at) = next_task(rest) {
        let task = &rest[at..];
        let end = task.find("</task>").unwrap_or(task.len());
        let (head, inner) = task[..end].split_once('>').unwrap_or((&task[..end], ""));
        let id = format!("T{}", made.len() + 1);
        let is_checkpoint = head.contains("checkpoint");
        checkpoints += usize::from(is_checkpoint);
        let task_made = if is_checkpoint { checkpoint(&id, inner) } else { task_of(&id, inner) };
        let depends_on = made.last().map(|last| last.id.clone()).into_iter().collect();
        made.push(DraftTask { depends_on, ..task_made });
        rest = &task[end..];
        rest = rest.strip_prefix("</task>").unwrap_or("");
    }
    (made, checkpoints)
}

/// A task that an agent carries out alone.
fn task_of(id: &str, inner: &str) -> DraftTask {
    let text = |name: &str| inside(inner, name).map(str::to_owned);
    let title = text("name").map_or_else(|| id.to_owned(), |name| unnumbered(&name).to_owned());
    let verify = text("verify").unwrap_or_default();
    let (commands, manual_checks) = match inside(&verify, "automated") {
        Some(command) => (filled_lines(Some(command.to_owned())), vec![]),
        None => filled_lines(Some(verify)).into_iter().partition(|line| is_command(line)),
    };
    let criteria = filled_lines(text("done")).into_iter().chain(items(text("acceptance_criteria")));
    DraftTask {
        files: text("files").map(|files| listed_files(&files)).unwrap_or_default(),
        description: text("read_first").map(|first| format!("Read first: {first}")),
        steps: filled_lines(text("action")),
        commands,
        manual_checks,
        criteria: criteria.collect(),
        id: id.to_owned(),
        title,
        ..DraftTask::default()
    }
}

/// A task for which someone is asked.
fn checkpoint(id: &str, inner: &str) -> DraftTask {
    // Options have names of their own.
    let (own, options) = inner.split_once("<options>").unwrap_or((inner, ""));
    let text = |name: &str| inside(own, name).or_else(|| inside(inner, name)).map(str::to_owned);
    let named = inside(own, "name").map(|name| unnumbered(name).to_owned());
    let title = named.or_else(|| text("decision")).or_else(|| text("what-built")).or_else(|| text("action"));
    let title = title.unwrap_or_else(|| id.to_owned());
    let names = options.split("<name>").skip(1).filter_map(|rest| rest.split("</name>").next());
    let options = names.map(|name| format!("Option: {}", name.trim()));
    let steps = filled_lines(text("action").or_else(|| text("instructions")));
    DraftTask {
        title: title.lines().next().unwrap_or(id).to_owned(),
        description: text("context"),
        steps: steps.into_iter().chain(options).collect(),
        manual_checks: filled_lines(text("how-to-verify").or_else(|| text("verification"))),
        id: id.to_owned(),
        ..DraftTask::default()
    }
}

/// Whether a line is a command rather than a sentence about what should hold.
fn is_command(line: &str) -> bool {
    const ABOUT: [&str; 12] = [
        "pass", "passes", "succeed", "succeeds", "return", "returns", "works", "shows", "exists", "should",
        "is", "are",
    ];
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_name = first.starts_with(|c: char| c.is_ascii_lowercase() || "./$![".contains(c));
    is_name && !line.ends_with('.') && !line.split_whitespace().skip(1).any(|word| ABOUT.contains(&word))
}

/// The paths in `src/a.rs, src/b.rs (new)`.
fn listed_files(text: &str) -> Vec<String> {
    let entries = text.split([',', '\n']).map(|entry| entry.trim().trim_start_matches("- "));
    let paths = entries.map(|entry| entry.split(" (").next().unwrap_or_default().trim().trim_matches('`'));
    let is_path =
        |path: &&str| !path.is_empty() && !["none", "n/a"].contains(&path.to_ascii_lowercase().as_str());
    paths.filter(is_path).map(str::to_owned).collect()
}

/// The items of a list, each without its bullet.
fn items(text: Option<String>) -> Vec<String> {
    let lines = filled_lines(text).into_iter();
    lines.map(|line| line.trim_start_matches(['-', '*', ' ']).trim_start_matches("[ ] ").to_owned()).collect()
}

fn filled_lines(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
