//! Names that stand for others, because files were renamed.

use std::collections::BTreeMap;

use super::Renamed;

pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// How many lines two texts have in common, in whatever order.
pub(super) fn common_lines(one: &str, other: &str) -> usize {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines(one) {
        *counts.entry(line).or_default() += 1;
    }
    let mut common = 0;
    for line in lines(other) {
        if let Some(left) = counts.get_mut(line).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    common
}

/// Names that stand for others.
#[derive(Debug, Default)]
pub(in crate::rules::test_changes) struct Substitution {
    /// Paths and file names.
    paths: Vec<(String, String)>,
    /// These, and the names of modules, which can be words of something else, too.
    all: Vec<(String, String)>,
}

impl Substitution {
    /// The paths of renamed files as languages write them, and their names.
    pub(super) fn new<E>(renamed: &[Renamed<'_, E>]) -> Self {
        let (mut paths, mut words) = (Vec::new(), Vec::new());
        for Renamed { old, new } in renamed {
            paths.push((old.path.clone(), new.path.clone()));
            paths.push((file_name(&old.path), file_name(&new.path)));
            let (old, new) = (stem(&old.path), stem(&new.path));
            words.push((file_name(&old), file_name(&new)));
            // A language may leave out the first directories, such as `src`.
            for (old, new) in tails(&old, &new) {
                for separator in ["/", ".", "::", "\\"] {
                    paths.push((old.replace('/', separator), new.replace('/', separator)));
                }
            }
        }
        words.extend(paths.iter().cloned());
        for list in [&mut paths, &mut words] {
            list.retain(|(old, new)| old != new && !old.is_empty());
            // A longer name is not taken for a part of it.
            list.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
            list.dedup();
        }
        Self { paths, all: words }
    }

    /// The text with the new names: those that make it more like another text, if there is one.
    pub(in crate::rules::test_changes) fn apply(&self, text: &str, like: Option<&str>) -> String {
        let with_paths = replaced(text, &self.paths);
        let Some(like) = like else { return with_paths };
        let with_all = replaced(text, &self.all);
        if common_lines(&with_all, like) > common_lines(&with_paths, like) { with_all } else { with_paths }
    }
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Both paths without their common first directories, as long as each has a directory left.
fn tails<'p>(mut old: &'p str, mut new: &'p str) -> Vec<(&'p str, &'p str)> {
    let mut found = Vec::new();
    while old.contains('/') {
        found.push((old, new));
        match (old.split_once('/'), new.split_once('/')) {
            (Some((folder, old_rest)), Some((new_folder, new_rest))) if folder == new_folder => {
                (old, new) = (old_rest, new_rest);
            }
            _ => break,
        }
    }
    found
}

fn replaced(text: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_start = !result.chars().next_back().is_some_and(is_of_word);
        let found = pairs.iter().find(|(old, _)| {
            let rest = text[at..].strip_prefix(old.as_str());
            is_start
                && rest.is_some_and(|rest| !rest.chars().next().is_some_and(is_of_word))
                && !(old.chars().all(is_of_word) && is_member(&text[..at]))
        });
        match found {
            Some((old, new)) => {
                result.push_str(new);
                at += old.len();
            }
            None => {
                result.push(c);
                at += c.len_utf8();
            }
        }
    }
    result
}

/// Whether what comes after a text is a member of something: `assert.equal` does not mean a file `equal.js`.
fn is_member(before: &str) -> bool {
    let last = before.strip_suffix('.').and_then(|before| before.chars().next_back());
    last.is_some_and(|last| is_of_word(last) || matches!(last, ')' | ']'))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The path of a module: without its ending, and without a name that stands for the directory.
fn stem(path: &str) -> String {
    let stem = path.rsplit_once('.').filter(|(_, end)| !end.contains('/')).map_or(path, |(stem, _)| stem);
    let folder =
        ["/mod", "/index", "/__init__", "/lib", "/main"].iter().find_map(|name| stem.strip_suffix(name));
    folder.unwrap_or(stem).to_owned()
}
