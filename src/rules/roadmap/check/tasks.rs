//! Checks that tasks of one group are independent, and that what a task needs exists when its wave begins.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::table::{GROUP, INPUT, PATH};
use super::{Checker, pattern, plain};
use crate::model::RepoPath;
use crate::rules::Item;

impl Checker<'_> {
    pub(super) fn groups_and_inputs(&mut self, items: &[Item]) {
        let touched: Vec<Vec<Artifact>> = items.iter().map(things).collect();
        for (n, item) in items.iter().enumerate() {
            for thing in touched[n].iter().filter(|thing| is_outside(&thing.text)) {
                self.find(
                    &PATH,
                    format!("tasks[{n}].{}", thing.field),
                    Some(&json!(thing.text)),
                    "a path of the repository",
                );
            }
            for (m, other) in items.iter().enumerate().take(n).filter(|(_, other)| other.wave == item.wave) {
                let shared =
                    touched[n].iter().find(|thing| touched[m].iter().any(|other| other.overlaps(thing)));
                if let Some(shared) = shared {
                    let allowed = format!(
                        "something that `{}`, in the same group {}, does not touch",
                        other.id, item.wave
                    );
                    self.find(
                        &GROUP,
                        format!("tasks[{n}].{}", shared.field),
                        Some(&json!(shared.text)),
                        allowed,
                    );
                }
            }
            self.inputs(n, item, items);
        }
    }

    fn inputs(&mut self, n: usize, item: &Item, items: &[Item]) {
        let before = before(item, items);
        for (m, input) in item.inputs.iter().enumerate() {
            if items.iter().filter(|item| before.contains(item.id.as_str())).any(|item| makes(input, &item)) {
                continue;
            }
            let path = RepoPath::parse(input).ok();
            let exists =
                path.is_some_and(|path| self.setting.known_files.is_none_or(|known| known(path.as_str())));
            let maker = items.iter().find(|other| other.id != item.id && makes(input, other));
            let allowed = match maker {
                Some(maker) => format!("the output of a task that it depends on; `{}` makes it", maker.id),
                None if exists => continue,
                None => {
                    "the output of a task that it depends on, or a path that exists in the checked-out commit"
                        .into()
                }
            };
            self.find(&INPUT, format!("tasks[{n}].inputs[{m}]"), Some(&json!(input)), allowed);
        }
    }
}

fn makes(input: &str, item: &&Item) -> bool {
    item.outputs.iter().any(|output| is_part_of(input, output))
}

/// Something that a task touches or makes.
struct Artifact {
    field: String,
    text: String,
    key: String,
    path: Option<RepoPath>,
}

impl Artifact {
    fn overlaps(&self, other: &Self) -> bool {
        let paths = self.path.as_ref().zip(other.path.as_ref());
        self.key == other.key
            || paths.is_some_and(|(one, two)| one.overlaps(two))
            || pattern::meet(&self.text, &other.text)
    }
}

fn things(item: &Item) -> Vec<Artifact> {
    artifacts("scope", &item.scope).into_iter().chain(artifacts("outputs", &item.outputs)).collect()
}

fn artifacts(name: &str, lines: &[String]) -> Vec<Artifact> {
    lines
        .iter()
        .enumerate()
        .map(|(n, text)| Artifact {
            field: format!("{name}[{n}]"),
            text: text.clone(),
            key: plain(text),
            path: RepoPath::parse(text).ok(),
        })
        .collect()
}

/// Whether a text is a path out of the repository or into `.git`. A scope can also be a description in words.
fn is_outside(text: &str) -> bool {
    let text = text.trim();
    let is_drive = text.as_bytes().get(1) == Some(&b':')
        && text.starts_with(|character: char| character.is_ascii_alphabetic());
    let is_path = !text.contains(char::is_whitespace);
    is_path
        && (text.starts_with(['/', '\\', '~'])
            || is_drive
            || text.split(['/', '\\']).any(|part| part == ".." || part.eq_ignore_ascii_case(".git")))
}

/// Whether an input is an output, or something in it.
fn is_part_of(input: &str, output: &str) -> bool {
    plain(input) == plain(output) || held(output, input) == Some(true)
}

fn held(output: &str, input: &str) -> Option<bool> {
    Some(RepoPath::parse(output).ok()?.covers(RepoPath::parse(input).ok()?.as_str()))
}

/// The ids of everything that is done before an item.
fn before<'i>(item: &'i Item, items: &'i [Item]) -> BTreeSet<&'i str> {
    let known: BTreeMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = item.depends_on.iter().map(String::as_str).collect();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(known.get(id).into_iter().flat_map(|item| &item.depends_on).map(String::as_str));
        }
    }
    found
}
