//! The tasks of a plan of Get Shit Done, which are between tags.

use crate::interchange::plan_tools::draft::DraftTask;
use crate::interchange::plan_tools::sections;

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
    // A plan of test-driven work has one feature instead.
    if let (true, Some(feature)) = (made.is_empty(), inside(body, "feature")) {
        made.push(DraftTask {
            steps: filled_lines(inside(feature, "implementation").map(str::to_owned)),
            criteria: filled_lines(inside(feature, "behavior").map(str::to_owned)),
            ..task_of("T1", feature)
        });
    }
    (made, checkpoints)
}

/// A task that an agent executes alone.
fn task_of(id: &str, inner: &str) -> DraftTask {
    let text = |name: &str| inside(inner, name).map(str::to_owned);
    let title = text("name").map_or_else(|| id.to_owned(), |name| unnumbered(&name).to_owned());
    let (commands, manual_checks) = checks(&text("verify").unwrap_or_default());
    let listed = text("acceptance_criteria").map(|text| sections::items(&text)).unwrap_or_default();
    // What the tests of test-driven work must say.
    let behavior = text("behavior").map(|text| sections::items(&text)).unwrap_or_default();
    let criteria = filled_lines(text("done")).into_iter().chain(listed).chain(behavior);
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

/// The commands in `<verify>`, and what else is to be checked. `<automated>` is one command; without it, a line is one if
/// it reads as one.
fn checks(verify: &str) -> (Vec<String>, Vec<String>) {
    let (mut commands, mut checks) = (Vec::new(), Vec::new());
    let (mut beside, mut rest) = (String::new(), verify);
    while let Some((before, after)) = rest.split_once("<automated>") {
        let (text, end) = after.split_once("</automated>").unwrap_or((after, ""));
        beside.push_str(before);
        rest = end;
        let text =
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        match one_command(&text) {
            Some(command) => commands.push(command),
            None => checks.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        }
    }
    beside.push_str(rest);
    let has_tag = rest.len() < verify.len();
    for line in filled_lines(Some(beside)) {
        let line = without_tags(&line);
        let quoted =
            line.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).filter(|text| !text.contains('`'));
        match quoted {
            Some(command) => commands.push(command.to_owned()),
            None if !has_tag && is_command(&line) => commands.push(line),
            None if !line.is_empty() => checks.push(line),
            None => {}
        }
    }
    (commands, checks)
}

/// Whether a line of a script goes on in the next one, so that ` && ` cannot join them: that of a loop, a group or a here-document.
fn is_begun(plain: &str) -> bool {
    let last = plain.split_whitespace().next_back().unwrap_or_default();
    ["do", "then", "else"].contains(&last) || last.ends_with(['{', '(']) || plain.contains("<<")
}

/// The lines of a text as one command; `None` if they are a sentence, or if they cannot be joined.
fn one_command(text: &str) -> Option<String> {
    let mut command = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if is_begun(&unquoted(line)?) {
            return None;
        }
        if let Some(begun) = command.strip_suffix('\\') {
            command = begun.trim_end().to_owned() + " ";
        } else if !command.is_empty() {
            command.push_str(if command.ends_with(['&', '|']) { " " } else { " && " });
        }
        command.push_str(line);
    }
    // A sentence begins with a capital letter, and so does `MISSING`, what is yet to be written; so may a variable, `CI=1 make`.
    let first = command.split_whitespace().next()?;
    let is_sentence = first.starts_with(|c: char| c.is_ascii_uppercase()) && !first.contains('=');
    (!is_sentence).then_some(command)
}

/// A line without what stands in quotes; `None` if a quote does not end.
fn unquoted(line: &str) -> Option<String> {
    let (mut plain, mut quote, mut is_escaped) = (String::new(), None, false);
    for c in line.chars() {
        match quote {
            _ if is_escaped => is_escaped = false,
            _ if c == '\\' && quote != Some('\'') => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None => plain.push(c),
        }
    }
    quote.is_none().then_some(plain)
}

/// A line without a tag around it, such as `<source_assertion>`.
fn without_tags(line: &str) -> String {
    let inner = line.strip_prefix('<').and_then(|rest| rest.split_once('>')).filter(|(tag, _)| {
        tag.trim_start_matches('/').chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    });
    inner.map_or(line, |(_, text)| text.rsplit_once("</").map_or(text, |(text, _)| text)).trim().to_owned()
}

/// Whether a line is a command rather than a sentence about what should hold.
fn is_command(line: &str) -> bool {
    const ABOUT: [&str; 33] = [
        "pass", "passes", "passing", "succeed", "succeeds", "fails", "return", "returns", "works", "shows",
        "exists", "should", "must", "is", "are", "has", "have", "can", "starts", "without", "with", "no",
        "errors", "compiles", "builds", "loads", "renders", "displays", "contains", "the", "that", "and",
        "manually",
    ];
    let Some(plain) = unquoted(line) else { return false };
    let first = plain.split_whitespace().next().unwrap_or_default();
    let is_name =
        first.starts_with(|c: char| c.is_ascii_lowercase() || "./$![".contains(c)) && !first.ends_with(':');
    let is_about =
        |word: &str| ABOUT.contains(&word.trim_matches([',', ':', ';', '.'])) || word.ends_with(':');
    let is_prose = plain.ends_with('.') || plain.contains(", ") || plain.contains(" (");
    is_name && !is_prose && !plain.split_whitespace().skip(1).any(is_about)
}

/// The paths in `src/a.rs, src/b.rs (new)`.
fn listed_files(text: &str) -> Vec<String> {
    let entries = text.split([',', '\n']).map(|entry| entry.trim().trim_start_matches("- "));
    let paths = entries.map(|entry| entry.split(" (").next().unwrap_or_default().trim().trim_matches('`'));
    let is_path =
        |path: &&str| !path.is_empty() && !["none", "n/a"].contains(&path.to_ascii_lowercase().as_str());
    paths.filter(is_path).map(str::to_owned).collect()
}

fn filled_lines(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_is_one() {
        for (verify, commands, manual) in [
            ("npm test", vec!["npm test"], vec![]),
            ("- looks right\n`npm run build`", vec!["npm run build"], vec!["- looks right"]),
            ("tsc --noEmit passes, app starts", vec![], vec!["tsc --noEmit passes, app starts"]),
            ("npm run dev starts without errors", vec![], vec!["npm run dev starts without errors"]),
            ("file exists: src/a.ts", vec![], vec!["file exists: src/a.ts"]),
            ("grep 'returns no, errors' a.md", vec!["grep 'returns no, errors' a.md"], vec![]),
            ("<automated>a &amp;&amp; b</automated> and look", vec!["a && b"], vec!["and look"]),
            ("<automated>a \\\n  --b\nc</automated>", vec!["a --b && c"], vec![]),
            ("<automated>python -c \"\nx\n\"</automated>", vec![], vec!["python -c \"\nx\n\""]),
            ("<automated>MISSING — write it first</automated>", vec![], vec!["MISSING — write it first"]),
            ("run the app and click around", vec![], vec!["run the app and click around"]),
            ("check that the gate opens", vec![], vec!["check that the gate opens"]),
            ("<automated>Manual check only</automated>", vec![], vec!["Manual check only"]),
            ("<automated>CI=1 make</automated>", vec!["CI=1 make"], vec![]),
            (
                "<automated>for f in a; do test $f; done</automated>",
                vec!["for f in a; do test $f; done"],
                vec![],
            ),
            (
                "<automated>for f in a; do\ntest $f\ndone</automated>",
                vec![],
                vec!["for f in a; do\ntest $f\ndone"],
            ),
            ("<source_assertion>It has x.</source_assertion>", vec![], vec!["It has x."]),
        ] {
            let owned = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(checks(verify), (owned(commands), owned(manual)), "{verify}");
        }
    }
}
