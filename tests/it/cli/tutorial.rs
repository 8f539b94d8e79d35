//! The documents that show a session: `gitwf-tutorial(7)` is the whole demo, and the README has lines of it. Both
//! show what the demo really prints, except for hashes, ids and times. `UPDATE_GENERATED=1 cargo test tutorial`
//! rewrites the page.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn the_tutorial_and_the_readme_show_what_the_demo_prints() {
    let sandbox = Sandbox::new();
    let place = sandbox.repo("place");
    let demo = place.json(&["demo", "../shown"]);
    let again = place.wf(&["demo", "../shown"]).fails(1).stderr;
    assert!(
        again.starts_with("error: cannot create the directory `../shown`: it already exists\n"),
        "{again}"
    );
    let steps: Vec<Step> = demo["steps"].as_array().unwrap().iter().map(Step::of).collect();

    let page = page(&steps);
    let path = file("man/gitwf-tutorial.7");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = lasting(&std::fs::read_to_string(&path).unwrap());
    let page = lasting(&page);
    let hint = "`UPDATE_GENERATED=1 cargo test tutorial` rewrites the page";
    for (is, should) in committed.lines().zip(page.lines()) {
        assert_eq!(is, should, "{hint}");
    }
    assert_eq!(committed.lines().count(), page.lines().count(), "{hint}");

    readme(&std::fs::read_to_string(file("README.md")).unwrap(), &steps);
}

struct Step {
    note: String,
    prompt: String,
    output: String,
}

impl Step {
    fn of(step: &Value) -> Self {
        let text = |name: &str| step[name].as_str().unwrap().to_owned();
        let place = if step["clone"] == "shop" { String::new() } else { text("clone") };
        let prompt = format!("{place}$ {}", text("command"));
        Self { note: text("note"), prompt, output: text("output") }
    }
}

/// The lines of the README's session are commands of the demo, each followed by lines that it printed.
fn readme(text: &str, steps: &[Step]) {
    let session = text.split("```console\n").nth(1).and_then(|it| it.split("```").next()).unwrap();
    assert!(session.lines().count() <= 15, "a session of fifteen lines");
    let mut left: Vec<String> = Vec::new();
    for line in session.lines() {
        if line.starts_with("$ ") {
            let step = steps.iter().find(|step| step.prompt == line);
            let output = &step.unwrap_or_else(|| panic!("the demo does not run `{line}`")).output;
            left = output.lines().map(lasting).collect();
        } else {
            let place = left.iter().position(|it| *it == lasting(line));
            let place = place.unwrap_or_else(|| panic!("the demo does not print `{line}`"));
            left.drain(..=place);
        }
    }
}

/// The part of a text that is the same in every run.
fn lasting(text: &str) -> String {
    let text: String = text.replace("\\-", "-").split_inclusive('\n').map(timeless).collect();
    let mut found = String::new();
    for piece in text.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || ":.-".contains(c))) {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        found.push_str(&masked(word));
        found.push_str(&piece[word.len()..]);
    }
    found
}

/// A line without durations and ages.
fn timeless(line: &str) -> String {
    let end = if line.ends_with('\n') { "\n" } else { "" };
    if let Some((before, _)) = line.split_once("passed in ") {
        return format!("{before}passed{end}");
    }
    if let Some((before, (duration, behind))) =
        line.split_once(" for ").and_then(|(before, rest)| Some((before, rest.split_once(" s: ")?)))
        && duration.parse::<f64>().is_ok()
    {
        return format!("{before}: {behind}");
    }
    if line.trim_start().starts_with("took ") {
        return format!("took{end}");
    }
    if let (Some((before, _)), Some((_, behind))) = (line.split_once(", started "), line.split_once(" by ")) {
        return format!("{before}, started by {behind}");
    }
    match (line.contains("<ada@example.org>, "), line.split_once(">, "), line.rsplit_once(" (")) {
        (true, Some((before, _)), Some((_, behind))) => format!("{before}> ({behind}"),
        _ => line.to_owned(),
    }
}

/// Hashes, times, and the random ends of ids are masked.
fn masked(word: &str) -> String {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((start, behind)) = word.split_once("..").filter(|(start, _)| matches!(start.len(), 10 | 40)) {
        return format!("{}..{behind}", masked(start));
    }
    match word.split('-').collect::<Vec<_>>()[..] {
        [year, ..] if word.len() >= 10 && is_number(year) && year.len() == 4 => "TIME".into(),
        ["SOL" | "EXR", .., end] => word.replace(end, "UID"),
        ["QUE", _, _] => "QUE".into(),
        ["RUN", _, _] => "RUN".into(),
        _ if is_hash => "HASH".into(),
        _ => word.to_owned(),
    }
}

fn page(steps: &[Step]) -> String {
    let mut page = String::from(HEAD);
    for step in steps {
        if !step.note.is_empty() {
            let begin = if page == HEAD { "" } else { ".PP\n" };
            page.push_str(&format!("{begin}{}\n", filled(&roff(&step.note))));
        }
        page.push_str(&format!(".PP\n.nf\n    {}\n", roff(&step.prompt)));
        for line in step.output.trim_end().lines() {
            page.push_str(&format!("    {}\n", roff(line)));
        }
        page.push_str(".fi\n");
    }
    page + FOOT
}

/// Wraps text at 80 bytes, as `mandoc -Tlint` requires.
fn filled(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= 80 => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// A line of text as roff shows it.
fn roff(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-").replace('`', "\\(ga").replace('\'', "\\(aq");
    if line.starts_with('.') { format!("\\&{line}") } else { line }
}

const HEAD: &str = r#".\" Made by the test `tutorial` from what `git wf demo` prints: UPDATE_GENERATED=1 cargo test tutorial
.TH GITWF\-TUTORIAL 7 "2026-11-24" "git\-wf" "git\-wf manual"
.SH NAME
gitwf\-tutorial \- a session with git\-wf, from an issue to a traced commit
.SH DESCRIPTION
.B git wf demo
runs these commands in a throw\-away repository, and prints the same.
The project is a shop with a shell script, session.sh, that says how long a
session lasts, and a test for it.
.SH "THE SESSION"
"#;

const FOOT: &str = r#".SH "SEE ALSO"
.BR git\-wf (1),
.BR gitwf\-concepts (7),
.BR gitwf\-claims (7)
"#;

#[test]
fn a_hash_without_a_digit_is_masked_like_any_other() {
    assert_eq!(
        ["edeeaff", "0f1e2d3", "feedback", "faced"].map(masked),
        ["HASH", "HASH", "feedback", "faced"]
    );
}
