//! Rewrites of rewrites. A tool that works in several passes may report each of them at once: `old mid` and `mid new`.

use std::collections::{HashMap, HashSet};

use crate::model::{CommitHash, Rewrite};

/// The rewrites, each leading to the last commit of its chain. A commit that leads back to itself, or to several
/// others, is not followed.
pub(super) fn composed(rewritten: &[Rewrite]) -> Vec<Rewrite> {
    let mut next: HashMap<&CommitHash, &CommitHash> = HashMap::new();
    let mut split: HashSet<&CommitHash> = HashSet::new();
    for pair in rewritten {
        if next.insert(&pair.old, &pair.new).is_some_and(|other| *other != pair.new) {
            split.insert(&pair.old);
        }
    }
    next.retain(|old, _| !split.contains(old));
    let mut found: Vec<Rewrite> = Vec::new();
    let mut seen: HashSet<(&CommitHash, &CommitHash)> = HashSet::new();
    for pair in rewritten {
        let new = last(&mut next, &pair.new);
        let new = if *new == pair.old { &pair.new } else { new };
        if seen.insert((&pair.old, new)) {
            found.push(Rewrite { old: pair.old.clone(), new: new.clone(), tree: None });
        }
    }
    found
}

/// The end of the chain that begins at `start`; `start` itself if the chain is a circle. The commits on the way then
/// lead there directly, so that a long chain is walked only once.
fn last<'a>(next: &mut HashMap<&'a CommitHash, &'a CommitHash>, start: &'a CommitHash) -> &'a CommitHash {
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut at = start;
    while let Some(to) = next.get(at) {
        if !seen.insert(at) {
            return start;
        }
        way.push(at);
        at = to;
    }
    for before in way {
        next.insert(before, at);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chain_leads_to_its_end() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["a b", "c d"], &["a b", "c d"]),
            (&["a b", "b c"], &["a c", "b c"]),
            (&["b c", "a b", "c d"], &["b d", "a d", "c d"]),
            (&["a c", "b c", "c d"], &["a d", "b d", "c d"]),
            (&["a b", "a b"], &["a b"]),
            // A commit that was split has two ends.
            (&["a b", "a c", "c d"], &["a b", "a d", "c d"]),
            (&["f a", "a b", "a c"], &["f a", "a b", "a c"]),
            // A circle says nothing.
            (&["a b", "b a"], &["a b", "b a"]),
            (&["a b", "b c", "c b"], &["a b", "b c", "c b"]),
        ];
        for (given, wanted) in cases {
            let pairs: Vec<Rewrite> = given
                .iter()
                .map(|pair| pair.split_once(' ').unwrap())
                .map(|(old, new)| Rewrite { old: old.into(), new: new.into(), tree: None })
                .collect();
            let found: Vec<String> = composed(&pairs)
                .iter()
                .map(|pair| format!("{} {}", &pair.old.as_str()[..1], &pair.new.as_str()[..1]))
                .collect();
            assert_eq!(found, *wanted, "{given:?}");
        }
    }

    #[test]
    fn a_long_chain_is_walked_once() {
        let name = |n: usize| CommitHash::from(&*format!("{n:040}"));
        let pairs: Vec<Rewrite> =
            (0..100_000).rev().map(|n| Rewrite { old: name(n), new: name(n + 1), tree: None }).collect();
        assert!(composed(&pairs).iter().all(|pair| pair.new == name(100_000)));
    }
}
