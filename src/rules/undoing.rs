//! Reverts within the same work, and reverts of reverts: what each commit does to the work in the end, and what
//! remains.

use std::collections::{BTreeSet, HashMap};

use super::folder::LinkedCommit;
use crate::model::execution::CommitLink;
use crate::model::hash::CommitHash;

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
        for it in all {
            match it {
                Self::Reverts(hash) => reverts.push(hash),
                Self::Reapplies(hash) => reapplies.push(hash),
            }
        }
        (reverts, reapplies)
    }

    fn taken_back(self) -> Self {
        match self {
            Self::Reverts(hash) => Self::Reapplies(hash),
            Self::Reapplies(hash) => Self::Reverts(hash),
        }
    }
}

/// What a link does to the commits at the root of a chain of reverts: a revert of a revert reapplies them, and a revert
/// of that reverts them again. `find` looks up the links of its execution.
pub(crate) fn undoing<'a>(
    link: &CommitLink,
    find: impl Fn(&CommitHash) -> Option<&'a CommitLink>,
) -> Vec<Undoing> {
    let mut found = Vec::new();
    // A record may name any commit, even itself, so each commit is visited once.
    let mut seen: BTreeSet<CommitHash> = BTreeSet::from([link.hash.clone()]);
    let mut open: Vec<(CommitHash, bool)> = link.reverts.iter().rev().map(|it| (it.clone(), true)).collect();
    while let Some((hash, is_back)) = open.pop() {
        if !seen.insert(hash.clone()) {
            continue;
        }
        match find(&hash).filter(|it| !it.reverts.is_empty()) {
            Some(before) => open.extend(before.reverts.iter().rev().map(|it| (it.clone(), !is_back))),
            None => {
                let it = Undoing::Reverts(hash);
                found.push(if is_back { it } else { it.taken_back() });
            }
        }
    }
    found
}

/// The commits of an execution whose changes remain: without reverted commits and without their reverts. A revert of
/// any other commit counts as work of its own.
pub(crate) fn standing(commits: &[LinkedCommit]) -> Vec<&LinkedCommit> {
    let mut places: HashMap<&CommitHash, usize> = HashMap::new();
    for (n, commit) in commits.iter().enumerate() {
        for hash in &commit.rewritten_from {
            places.entry(hash).or_insert(n);
        }
    }
    places.extend(commits.iter().enumerate().map(|(n, commit)| (&commit.link.hash, n)));
    let is_own = |hash: &CommitHash| places.contains_key(hash);
    // A revert of a commit that is not among them begins such a chain.
    let find = |hash: &CommitHash| {
        places.get(hash).map(|n| &commits[*n].link).filter(|it| it.reverts.iter().any(is_own))
    };
    // How often each is applied, and whether it does more than undo others of them.
    let mut made: Vec<(i64, bool)> = vec![(1, true); commits.len()];
    for (n, commit) in commits.iter().enumerate().filter(|(_, it)| !it.link.reverts.is_empty()) {
        made[n].1 = false;
        for it in undoing(&commit.link, find) {
            let (Undoing::Reverts(hash) | Undoing::Reapplies(hash)) = &it;
            match places.get(hash) {
                Some(root) if *root != n => {
                    made[*root].0 += if matches!(it, Undoing::Reverts(_)) { -1 } else { 1 }
                }
                _ => made[n].1 = true,
            }
        }
    }
    commits
        .iter()
        .zip(made)
        .filter(|(_, (times, is_step))| *is_step && *times > 0)
        .map(|(it, _)| it)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::execution::LinkedBy;
    use crate::model::time::Time;

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
            reverts: reverts.iter().map(|it| (*it).into()).collect(),
            tree: None,
        };
        LinkedCommit { link, rewritten_from: vec![] }
    }

    /// The effect of each commit in a chain in which each reverts the earlier ones that are named.
    fn messages(commits: &[LinkedCommit]) -> Vec<String> {
        let find = |hash: &CommitHash| commits.iter().map(|it| &it.link).find(|it| it.hash == *hash);
        let each = |it: &LinkedCommit| {
            let words: Vec<String> = undoing(&it.link, find)
                .into_iter()
                .map(|it| match it {
                    Undoing::Reverts(hash) => format!("-{}", &hash.as_str()[..1]),
                    Undoing::Reapplies(hash) => format!("+{}", &hash.as_str()[..1]),
                })
                .collect();
            words.join(" ")
        };
        commits.iter().map(each).collect()
    }

    fn left(commits: &[LinkedCommit]) -> Vec<&str> {
        standing(commits).into_iter().map(|it| it.link.subject.as_str()).collect()
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
