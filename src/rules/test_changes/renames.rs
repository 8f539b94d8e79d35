//! Files that were renamed, and the names that changed with them. A test that only follows a renamed file is what it was.

pub(super) use self::names::Substitution;
use self::names::{common_lines, lines};
use super::{BTreeMap, BTreeSet, ChangedFile, FileRole};

mod names;

/// At most this many files are compared with each other.
const MOST: usize = 200;
/// A renamed file has at least this share of lines, in percent, in common with what it was.
const LEAST: usize = 50;
/// Files with fewer lines are compared by their words.
const FEW_LINES: usize = 10;
/// They have at least this share of words in common.
const LEAST_WORDS: usize = 60;

/// The renamed files of a work.
pub(super) struct Renames<'c, E> {
    /// From where a file came, by its new path.
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
        let code = pairs(of(FileRole::Code), &Substitution::default());
        let names = Substitution::new(&code);
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
            origins: code.iter().chain(&tests).map(|pair| (pair.new.path.as_str(), pair.old)).collect(),
            moved: code.iter().chain(&tests).map(|pair| pair.old.path.as_str()).collect(),
            pure,
            names,
        }
    }

    /// What a file was before it was renamed.
    pub(super) fn origin(&self, path: &str) -> Option<&'c ChangedFile<E>> {
        self.origins.get(path).copied()
    }

    /// Whether a file has another path now.
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
    let is_short = lines(&old).count().max(lines(new).count()) < FEW_LINES;
    let by_word = if is_short { share(&by_word(&old), &by_word(new)) } else { 0 };
    if by_word >= LEAST_WORDS { by_word } else { share(&old, new) }
}

fn share(old: &str, new: &str) -> usize {
    let most = lines(old).count().max(lines(new).count());
    (common_lines(old, new) * 100).checked_div(most).unwrap_or(0)
}

/// A text with one word in each line.
fn by_word(text: &str) -> String {
    text.replace(|c: char| !(c.is_alphanumeric() || c == '_'), "\n")
}
