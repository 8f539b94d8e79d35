//! Reverts within the same work, and reverts of reverts: what each commit does to the work in the end, and what
//! remains.

use std::collections::{HashMap, HashSet};

use super::LinkedCommit;
use crate::model::{CommitHash, CommitLink};

/// What a linked commit does to others of the same work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undoing {
    /// It reverts this one.
    Reverts(CommitHash),
    /// It reapplies this one, by reverting its revert.
    Reapplies(CommitHash),
}

impl Undoing {
    /// The commits that are reverted, and those that are reapplied.
    pub(crate) fn split(all: Vec<Self>) -> (Vec<CommitHash>, Vec<CommitHash>) {
        let (mut reverts, mut reapplies) = (Vec::new(), Vec::new());
        for undoing in all {
            match undoing {
                Self::Reverts(hash) => reverts.push(hash),
                Self::Reapplies(hash) => reapplies.push(hash),
            }
        }
        (reverts, reapplies)
    }
}

/// What a link does to the commits at the root of a chain of reverts: a revert of a revert reapplies them, and a revert
/// of that reverts them again. Reverting both a commit and its revert leaves the commit as it is. `find` looks up the links
/// of its execution.
pub(crate) fn undoing<'a>(
    link: &'a CommitLink,
    find: impl Fn(&CommitHash) -> Option<&'a CommitLink>,
) -> Vec<Undoing> {
    effects(link, find, |_| false)
}

/// Like [`undoing`], also for the commits in such chains that are work besides.
fn effects<'a>(
    link: &'a CommitLink,
    find: impl Fn(&CommitHash) -> Option<&'a CommitLink>,
    is_work: impl Fn(&CommitHash) -> bool,
) -> Vec<Undoing> {
    let chains = Chains::new(link, find);
    let mut times: Vec<i64> = vec![0; chains.commits.len()];
    times[0] = 1;
    // What is reverted comes after everything that reverts it.
    for n in chains.order.iter().rev() {
        for reverted in &chains.reverts[*n] {
            times[*reverted] = times[*reverted].saturating_sub(times[*n]);
        }
    }
    let roots = (1..times.len()).filter(|n| chains.is_root[*n] || is_work(chains.commits[*n]));
    roots
        .filter_map(|n| match times[n].signum() {
            -1 => Some(Undoing::Reverts(chains.commits[n].clone())),
            1 => Some(Undoing::Reapplies(chains.commits[n].clone())),
            _ => None,
        })
        .collect()
}

/// The commits that a link takes back, directly or through other reverts.
struct Chains<'a> {
    /// The link itself first, then the others as they are found.
    commits: Vec<&'a CommitHash>,
    /// For each of them, those that it reverts. A record may name any commit, even itself: what would close a circle is
    /// left out.
    reverts: Vec<Vec<usize>>,
    /// Whether each of them reverts nothing, also not in a circle.
    is_root: Vec<bool>,
    /// All of them: each after those that it reverts.
    order: Vec<usize>,
}

impl<'a> Chains<'a> {
    fn new(link: &'a CommitLink, find: impl Fn(&CommitHash) -> Option<&'a CommitLink>) -> Self {
        let mut places: HashMap<&CommitHash, usize> = HashMap::from([(&link.hash, 0)]);
        let mut chains =
            Self { commits: vec![&link.hash], reverts: vec![vec![]], is_root: vec![false], order: vec![] };
        let mut is_done = vec![false];
        let mut path = vec![(0, link.reverts.iter())];
        while let Some((n, rest)) = path.last_mut() {
            let n = *n;
            let Some(hash) = rest.next() else {
                is_done[n] = true;
                chains.order.push(n);
                path.pop();
                continue;
            };
            match places.get(hash) {
                Some(known) if is_done[*known] => chains.reverts[n].push(*known),
                Some(_) => {}
                None => {
                    let next = chains.commits.len();
                    places.insert(hash, next);
                    chains.commits.push(hash);
                    chains.reverts.push(vec![]);
                    chains.reverts[n].push(next);
                    is_done.push(false);
                    let reverts = find(hash).map_or(&[][..], |link| &link.reverts);
                    chains.is_root.push(reverts.is_empty());
                    path.push((next, reverts.iter()));
                }
            }
        }
        chains
    }
}

/// The commits of an execution whose changes remain: without reverted commits and without their reverts. A revert of
/// any other commit counts as work of its own, and so does one that also changes other files.
pub(crate) fn standing(commits: &[LinkedCommit]) -> Vec<&LinkedCommit> {
    let mut places: HashMap<&CommitHash, usize> = HashMap::new();
    for (n, commit) in commits.iter().enumerate() {
        for hash in &commit.rewritten_from {
            places.entry(hash).or_insert(n);
        }
    }
    places.extend(commits.iter().enumerate().map(|(n, commit)| (&commit.link.hash, n)));
    let mixed: Vec<bool> =
        commits.iter().map(|commit| changes_more(&places, commits, &commit.link)).collect();
    // How often each is applied, and whether it does more than undo others of them.
    let mut made: Vec<(i64, bool)> = vec![(1, true); commits.len()];
    for (n, commit) in commits.iter().enumerate().filter(|(_, commit)| !commit.link.reverts.is_empty()) {
        made[n].1 = mixed[n];
        let is_mixed = |hash: &CommitHash| places.get(hash).is_some_and(|n| mixed[*n]);
        for undoing in effects(&commit.link, |hash| reverting_link(&places, commits, hash), is_mixed) {
            let (Undoing::Reverts(hash) | Undoing::Reapplies(hash)) = &undoing;
            match places.get(hash) {
                Some(root) if *root != n => {
                    made[*root].0 += if matches!(undoing, Undoing::Reverts(_)) { -1 } else { 1 }
                }
                _ => made[n].1 = true,
            }
        }
    }
    commits
        .iter()
        .zip(made)
        .filter(|(_, (times, is_step))| *is_step && *times > 0)
        .map(|(hash, _)| hash)
        .collect()
}

/// Whether a commit changes a file that none of the commits that it reverts changed. Unknown if one of those names no files,
/// as a merge.
fn changes_more(places: &HashMap<&CommitHash, usize>, commits: &[LinkedCommit], link: &CommitLink) -> bool {
    let mut reverted: HashSet<&String> = HashSet::new();
    for hash in &link.reverts {
        let Some(files) = places.get(hash).map(|n| &commits[*n].link.files) else { return false };
        if files.is_empty() {
            return false;
        }
        reverted.extend(files);
    }
    !link.reverts.is_empty() && link.files.iter().any(|file| !reverted.contains(file))
}

/// A revert of a commit that is not among them begins such a chain.
fn reverting_link<'a>(
    places: &HashMap<&CommitHash, usize>,
    commits: &'a [LinkedCommit],
    hash: &CommitHash,
) -> Option<&'a CommitLink> {
    places
        .get(hash)
        .map(|n| &commits[*n].link)
        .filter(|link| link.reverts.iter().any(|hash| places.contains_key(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LinkedBy, Time};

    fn link(hash: &str, reverts: &[&str]) -> LinkedCommit {
        let link = CommitLink {
            hash: hash.into(),
            task_id: None,
            other_task_ids: vec![],
            subject: hash.into(),
            author: "a".into(),
            authored_at: Time::EPOCH,
            files: vec![],
            linked_by: LinkedBy::Hook,
            reverts: reverts.iter().map(|revert| (*revert).into()).collect(),
            tree: None,
        };
        LinkedCommit { link, rewritten_from: vec![] }
    }

    /// The effect of each commit in a chain in which each reverts the earlier ones that are named.
    fn messages(commits: &[LinkedCommit]) -> Vec<String> {
        let find =
            |hash: &CommitHash| commits.iter().map(|commit| &commit.link).find(|link| link.hash == *hash);
        let of_each = commits.iter().map(|commit| {
            let words: Vec<String> = undoing(&commit.link, find)
                .into_iter()
                .map(|undoing| match undoing {
                    Undoing::Reverts(hash) => format!("-{}", &hash.as_str()[..1]),
                    Undoing::Reapplies(hash) => format!("+{}", &hash.as_str()[..1]),
                })
                .collect();
            words.join(" ")
        });
        of_each.collect()
    }

    fn left(commits: &[LinkedCommit]) -> Vec<&str> {
        standing(commits).into_iter().map(|commit| commit.link.subject.as_str()).collect()
    }

    #[test]
    fn each_revert_of_a_revert_turns_it_round() {
        let chain = [
            link("a", &[]),
            link("b", &["a"]),
            link("c", &["b"]),
            link("d", &["c"]),
            link("e", &["d"]),
            link("f", &["e"]),
        ];
        assert_eq!(messages(&chain), ["", "-a", "+a", "-a", "+a", "-a"]);
        for (n, wanted) in
            [(1, vec!["a"]), (2, vec![]), (3, vec!["a"]), (4, vec![]), (5, vec!["a"]), (6, vec![])]
        {
            assert_eq!(left(&chain[..n]), wanted, "{n}");
        }
    }

    #[test]
    fn several_are_taken_back_at_once() {
        let all = [link("a", &[]), link("b", &[]), link("c", &["a", "b"]), link("d", &["a", "9"])];
        assert_eq!(messages(&all), ["", "", "-a -b", "-a -9"]);
        assert_eq!(left(&all[..2]), ["a", "b"]);
        assert_eq!(left(&all[..3]), [""; 0]);
        // A commit of another execution was someone else's work, so reverting it counts as work.
        assert_eq!(left(&[link("d", &["9"])]), ["d"]);
        assert_eq!(left(&[link("d", &["9"]), link("e", &["d"])]), [""; 0]);
        assert_eq!(left(&all), ["d"]);
    }

    #[test]
    fn whoever_takes_back_a_commit_and_its_revert_does_nothing_to_it() {
        let chain = [link("a", &[]), link("b", &[]), link("c", &["b"]), link("d", &["c", "b", "a"])];
        assert_eq!(messages(&chain), ["", "", "-b", "-a"]);
        assert_eq!(left(&chain), [""; 0]);
        let again = [&chain[..], &[link("e", &["d"])]].concat();
        assert_eq!(messages(&again)[4], "+a");
        assert_eq!(left(&again), ["a"]);
    }

    #[test]
    fn a_revert_with_other_work_is_work() {
        let with = |hash: &str, reverts: &[&str], files: &[&str]| {
            let mut commit = link(hash, reverts);
            commit.link.files = files.iter().map(|file| (*file).to_owned()).collect();
            commit
        };
        let a = with("a", &[], &["one", "two"]);
        assert_eq!(left(&[a.clone(), with("b", &["a"], &["one", "two", "three"])]), ["b"]);
        assert_eq!(left(&[a.clone(), with("b", &["a"], &["one", "two"])]), [""; 0]);
        assert_eq!(left(&[a.clone(), with("b", &["a"], &["one"])]), [""; 0]);
        // A merge names only its own changes.
        assert_eq!(left(&[with("a", &[], &[]), with("b", &["a"], &["one"])]), [""; 0]);
        let again =
            [a, with("b", &["a"], &["one", "two", "three"]), with("c", &["b"], &["one", "two", "three"])];
        assert_eq!(left(&again), ["a"]);
        let once_more = [&again[..], &[with("d", &["c"], &["one", "two", "three"])]].concat();
        assert_eq!(left(&once_more), ["b"]);
    }

    #[test]
    fn a_circle_ends() {
        let circle = [link("a", &["b"]), link("b", &["a"]), link("c", &["c"])];
        assert_eq!(messages(&circle), ["", "", ""]);
        assert_eq!(left(&circle), [""; 0]);
    }

    #[test]
    fn a_rewritten_commit_is_known_by_what_it_was() {
        let rewritten = LinkedCommit { rewritten_from: vec!["0d".into()], ..link("a", &[]) };
        assert_eq!(left(&[rewritten, link("b", &["0d"])]), [""; 0]);
    }
}
