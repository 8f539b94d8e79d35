//! Makefiles: the rules of targets that run tests, and the variables that they use.

use std::collections::BTreeSet;

use crate::rules::TestFiles;

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
    /// `include`, or all of `define`.
    Directive,
    Other,
}

/// Variables that decide how `make` runs every recipe.
const OF_MAKE: &[&str] = &["SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", ".DEFAULT_GOAL", "MAKE"];

/// What a makefile has about tests.
struct TestParts<'a> {
    targets: BTreeSet<&'a str>,
    variables: BTreeSet<&'a str>,
}

impl<'a> TestParts<'a> {
    /// The targets that run tests, those that they only stand for or call, and the variables that all of these use.
    fn find(parts: &[&Part<'a>], files: &TestFiles) -> Self {
        let mut found = Self { targets: BTreeSet::new(), variables: OF_MAKE.iter().copied().collect() };
        let mut size = 0;
        loop {
            for part in parts {
                match part.kind {
                    PartKind::Rule(targets) if found.is_test_rule(targets, files) => {
                        found.targets.extend(targets.split_whitespace());
                        found.targets.extend(called(part.text));
                        found.variables.extend(used(part.text));
                    }
                    PartKind::Variable(name) if found.variables.contains(name) => {
                        found.variables.extend(used(part.text));
                    }
                    _ => {}
                }
            }
            let now = found.targets.len() + found.variables.len();
            if now == size {
                return found;
            }
            size = now;
        }
    }

    fn is_test_rule(&self, targets: &str, files: &TestFiles) -> bool {
        targets.split_whitespace().any(|target| {
            (target.starts_with('.') && target != ".PHONY")
                || self.targets.contains(target)
                || files.is_test_target(target)
        })
    }

    fn has(&self, part: &Part<'_>, files: &TestFiles) -> bool {
        match part.kind {
            PartKind::Rule(targets) => self.is_test_rule(targets, files),
            PartKind::Variable(name) => self.variables.contains(name),
            PartKind::Directive => true,
            PartKind::Other => false,
        }
    }
}

/// The targets that a rule without a recipe stands for, or that its recipe makes.
fn called(rule: &str) -> Vec<&str> {
    let (head, recipe) = rule.split_once('\n').unwrap_or((rule, ""));
    if recipe.trim().is_empty() && !head.contains(';') {
        return head.split_once(':').map_or(vec![], |(_, needs)| needs.split_whitespace().collect());
    }
    let lines = recipe.lines().filter(|line| line.contains("make") || line.contains("$(MAKE)"));
    lines.flat_map(str::split_whitespace).filter(|word| !word.contains(['$', '-', '/', '='])).collect()
}

/// The recipes of the targets that run tests.
pub(in crate::rules) fn recipe_lines(text: &str, files: &TestFiles) -> Vec<String> {
    let parts = parts(text);
    let tests = TestParts::find(&parts.iter().collect::<Vec<_>>(), files);
    let mut found = Vec::new();
    for part in parts.iter().filter(|part| matches!(part.kind, PartKind::Rule(_)) && tests.has(part, files)) {
        let lines = part.text.lines().filter_map(|line| line.strip_prefix('\t'));
        found.extend(lines.map(|line| line.trim_start_matches(['@', '-', '+', ' ']).to_owned()));
    }
    found
}

/// The later version with what the earlier one has about tests, at its end.
pub(super) fn restored(old: &str, new: &str, files: &TestFiles) -> String {
    let (old_parts, new_parts) = (parts(old), parts(new));
    let all: Vec<&Part<'_>> = old_parts.iter().chain(&new_parts).collect();
    let tests = TestParts::find(&all, files);
    let of_tests = |parts: &[Part<'_>]| -> Vec<String> {
        let own = parts.iter().filter(|part| tests.has(part, files));
        own.map(|part| part.text.trim_end().to_owned()).collect()
    };
    let (earlier, later) = (of_tests(&old_parts), of_tests(&new_parts));
    if earlier == later {
        return new.to_owned();
    }
    let mut text: String =
        new_parts.iter().filter(|part| !tests.has(part, files)).map(|part| part.text).collect();
    for part in earlier {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&part);
        text.push('\n');
    }
    text
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
    let mut is_in_define = false;
    for line in text.split_inclusive('\n') {
        let is_inside =
            is_continued || is_in_define || matches!(kind, PartKind::Rule(_)) && line.starts_with('\t');
        if !is_inside {
            if at > start {
                found.push(Part { text: &text[start..at], kind });
            }
            (start, kind) = (at, kind_of(line));
        }
        is_continued = line.trim_end().ends_with('\\');
        is_in_define = (is_in_define || line.starts_with("define ")) && !line.starts_with("endef");
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
    let first = line.split_whitespace().next().unwrap_or_default();
    if matches!(first, "include" | "-include" | "sinclude" | "define" | "load") {
        return PartKind::Directive;
    }
    let line = line.strip_prefix("export ").or_else(|| line.strip_prefix("override ")).unwrap_or(line);
    let assigns = ["::=", ":=", "?=", "+=", "!=", "="].iter().filter_map(|sign| line.find(sign)).min();
    let colon = line.find(':');
    match (assigns, colon) {
        (Some(at), colon) if colon.is_none_or(|colon| at <= colon) => PartKind::Variable(line[..at].trim()),
        (_, Some(colon)) => PartKind::Rule(&line[..colon]),
        _ => PartKind::Other,
    }
}
