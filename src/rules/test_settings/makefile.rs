//! Makefiles: the rules of targets that run tests, and the variables that they use.

use std::collections::BTreeSet;

use crate::rules::test_files::TestFiles;

/// A rule with its recipe, an assignment, or any other line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part<'a> {
    text: &'a str,
    kind: PartKind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind<'a> {
    Rule(&'a str),
    Variable(&'a str),
    Other,
}

/// The later version with what the earlier one has about tests, at its end.
pub(super) fn restored(old: &str, new: &str, files: &TestFiles) -> String {
    let (old_parts, new_parts) = (parts(old), parts(new));
    let rules = old_parts.iter().chain(&new_parts).filter(|part| is_test_rule(part, files));
    let variables: BTreeSet<&str> = rules.flat_map(|part| used(part.text)).collect();
    let of_tests = |parts: &[Part<'_>]| -> Vec<String> {
        parts
            .iter()
            .filter(|part| is_of_tests(files, &variables, part))
            .map(|part| part.text.trim_end().to_owned())
            .collect()
    };
    let (earlier, later) = (of_tests(&old_parts), of_tests(&new_parts));
    if earlier == later {
        return new.to_owned();
    }
    let mut text: String =
        new_parts.iter().filter(|part| !is_of_tests(files, &variables, part)).map(|part| part.text).collect();
    for part in earlier {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&part);
        text.push('\n');
    }
    text
}

fn is_of_tests(files: &TestFiles, variables: &BTreeSet<&str>, part: &&Part<'_>) -> bool {
    match part.kind {
        PartKind::Rule(_) => is_test_rule(part, files),
        PartKind::Variable(name) => variables.contains(name),
        PartKind::Other => false,
    }
}

fn is_test_rule(part: &Part<'_>, files: &TestFiles) -> bool {
    let PartKind::Rule(targets) = part.kind else { return false };
    targets.split_whitespace().any(|target| files.is_test_target(target))
}

/// The variables in a rule: `$(NAME)`, `${NAME}`.
fn used(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|rest| {
        let inner = rest.strip_prefix(['(', '{'])?;
        let end = inner.find([')', '}', ':', ' ', ','])?;
        Some(&inner[..end])
    })
}

/// The recipe of a rule belongs to it: the lines after it that begin with a tab.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut found: Vec<Part<'_>> = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut kind = PartKind::Other;
    let mut is_continued = false;
    for line in text.split_inclusive('\n') {
        let is_inside = is_continued || matches!(kind, PartKind::Rule(_)) && line.starts_with('\t');
        if !is_inside {
            if at > start {
                found.push(Part { text: &text[start..at], kind });
            }
            (start, kind) = (at, kind_of(line));
        }
        is_continued = line.trim_end().ends_with('\\');
        at += line.len();
    }
    if at > start {
        found.push(Part { text: &text[start..at], kind });
    }
    found
}

fn kind_of(line: &str) -> PartKind<'_> {
    if line.starts_with(['#', '\t', ' ']) {
        return PartKind::Other;
    }
    let assigns = ["::=", ":=", "?=", "+=", "!=", "="].iter().filter_map(|sign| line.find(sign)).min();
    let colon = line.find(':');
    match (assigns, colon) {
        (Some(at), colon) if colon.is_none_or(|colon| at <= colon) => PartKind::Variable(line[..at].trim()),
        (_, Some(colon)) => PartKind::Rule(&line[..colon]),
        _ => PartKind::Other,
    }
}
