//! Files that were renamed, and the names that changed with them. A test that only follows a renamed file is what it was.

use super::{BTreeMap, BTreeSet, ChangedFile, FileRole};

/// At most this many files are compared with each other.
const MOST: usize = 200;
/// A renamed file has at least this share of lines, in percent, in common with what it was.
const LEAST: usize = 50;

/// The renamed files of a work.
pub(super) struct Renames<'c, E> {
    /// From where a test came, by its new path.
    origins: BTreeMap<&'c str, &'c ChangedFile<E>>,
    moved: BTreeSet<&'c str>,
    /// Tests that were renamed and not changed otherwise.
    pure: BTreeSet<&'c str>,
    /// The names of files of the code that changed.
    pub(super) names: Substitution,
}

impl<'c, E: PartialEq> Renames<'c, E> {
    pub(super) fn find(changes: &'c [ChangedFile<E>], roles: &[FileRole]) -> Self {
        let of = |wanted: FileRole| {
            changes.iter().zip(roles).filter(move |(_, role)| **role == wanted).map(|(path, _)| path)
        };
        let names = Substitution::new(pairs(of(FileRole::Code), &Substitution::default()));
        let tests = pairs(of(FileRole::Test), &names);
        let is_pure = |old: &ChangedFile<E>, new: &ChangedFile<E>| {
            let (Some(old), Some(new)) = (&old.old, &new.new) else { return false };
            old.entry == new.entry
                || old.text.as_ref().map(|text| names.apply(text, new.text.as_deref())) == new.text
        };
        let pure = tests
            .iter()
            .filter(|pair| is_pure(pair.old, pair.new))
            .map(|pair| pair.new.path.as_str())
            .collect();
        Self {
            origins: tests.iter().map(|pair| (pair.new.path.as_str(), pair.old)).collect(),
            moved: tests.iter().map(|pair| pair.old.path.as_str()).collect(),
            pure,
            names,
        }
    }

    /// What a test was before it was renamed.
    pub(super) fn origin(&self, path: &str) -> Option<&'c ChangedFile<E>> {
        self.origins.get(path).copied()
    }

    /// Whether a test has another path now.
    pub(super) fn has_moved(&self, path: &str) -> bool {
        self.moved.contains(path)
    }

    /// Whether a test has only another path.
    pub(super) fn is_pure(&self, path: &str) -> bool {
        self.pure.contains(path)
    }
}

/// A file that went, and the one that came for it.
struct Renamed<'c, E> {
    old: &'c ChangedFile<E>,
    new: &'c ChangedFile<E>,
}

/// Each new file comes from the most similar one that went, with the names that changed.
fn pairs<'c, E: PartialEq + 'c>(
    changes: impl Iterator<Item = &'c ChangedFile<E>>,
    names: &Substitution,
) -> Vec<Renamed<'c, E>> {
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    for change in changes {
        match (&change.old, &change.new) {
            (Some(_), None) if gone.len() < MOST => gone.push(change),
            (None, Some(_)) if came.len() < MOST => came.push(change),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for new in came {
        let all = gone.iter().enumerate().map(|(at, old)| (likeness(old, new, names), at));
        let best = all.max_by_key(|(like, _)| *like);
        if let Some((_, at)) = best.filter(|(like, _)| *like >= LEAST) {
            found.push(Renamed { old: gone.remove(at), new });
        }
    }
    found
}

/// The share of lines in common, in percent.
fn likeness<E: PartialEq>(old: &ChangedFile<E>, new: &ChangedFile<E>, names: &Substitution) -> usize {
    let (Some(old), Some(new)) = (&old.old, &new.new) else { return 0 };
    if old.entry == new.entry {
        return 100;
    }
    let (Some(old), Some(new)) = (&old.text, &new.text) else { return 0 };
    let old = names.apply(old, Some(new));
    let most = lines(&old).count().max(lines(new).count());
    (common_lines(&old, new) * 100).checked_div(most).unwrap_or(0)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// How many lines two texts have in common, in whatever order.
fn common_lines(one: &str, other: &str) -> usize {
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
pub(super) struct Substitution {
    /// Paths and file names.
    paths: Vec<(String, String)>,
    /// These, and the names of modules, which can be words of something else, too.
    all: Vec<(String, String)>,
}

impl Substitution {
    /// The paths of renamed files as languages write them, and their names.
    fn new<E>(renamed: Vec<Renamed<'_, E>>) -> Self {
        let (mut paths, mut words) = (Vec::new(), Vec::new());
        for Renamed { old, new } in renamed {
            paths.push((old.path.clone(), new.path.clone()));
            paths.push((file_name(&old.path), file_name(&new.path)));
            let (old, new) = (stem(&old.path), stem(&new.path));
            for separator in ["/", ".", "::", "\\"] {
                let list = if old.contains('/') { &mut paths } else { &mut words };
                list.push((old.replace('/', separator), new.replace('/', separator)));
            }
            words.push((file_name(&old), file_name(&new)));
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
    pub(super) fn apply(&self, text: &str, like: Option<&str>) -> String {
        let with_paths = replaced(text, &self.paths);
        let Some(like) = like else { return with_paths };
        let with_all = replaced(text, &self.all);
        if common_lines(&with_all, like) > common_lines(&with_paths, like) { with_all } else { with_paths }
    }
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
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
            is_start && rest.is_some_and(|rest| !rest.chars().next().is_some_and(is_of_word))
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
