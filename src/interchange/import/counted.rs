//! Which records of a source count: one for each id, and those that the options select.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::interchange::{LeftOutIssues, Noted};
use crate::model::{IssueId, Time};

/// A record that counts: one for each id.
pub(super) struct Counted {
    /// Its index in the order of the source.
    pub(super) index: usize,
    pub(super) unit: Cow<'static, str>,
    pub(super) number: u64,
    pub(super) changed: Time,
    /// The hash of the record.
    pub(super) hash: u64,
    /// Why it is not to be imported.
    pub(super) left_out: Option<String>,
    /// The relations of its issue that have a direction.
    pub(super) related: BTreeSet<String>,
    /// The indexes of the others with the same id and another content.
    pub(super) others: Vec<usize>,
}

impl Counted {
    fn location(&self) -> String {
        match self.number {
            0 => self.unit.to_string(),
            number => format!("{} {number}", self.unit),
        }
    }
}

/// Counts a record; a note if another one has its id. What only that one lists is not lost if the tracker `joins` them.
pub(super) fn count(
    counted: &mut BTreeMap<IssueId, Counted>,
    id: IssueId,
    mut new: Counted,
    joins: bool,
) -> Option<Noted> {
    match counted.entry(id) {
        Entry::Vacant(free) => {
            free.insert(new);
            None
        }
        Entry::Occupied(mut taken) => {
            let first = taken.get();
            let is_later = new.changed >= first.changed;
            let (stands, out) = if is_later { (&new, first) } else { (first, &new) };
            let both = if first.unit != new.unit {
                format!("{} and {}", first.location(), new.location())
            } else if new.number == 0 {
                format!("{} is there twice: the first and the second one", new.unit)
            } else {
                format!("{}s {} and {}", new.unit, first.number, new.number)
            };
            let [stands, out] = if new.number > 0 || first.unit != new.unit {
                [stands.location(), out.location()]
            } else if is_later {
                ["the second one", "the first one"].map(str::to_owned)
            } else {
                ["the first one", "the second one"].map(str::to_owned)
            };
            let left =
                if joins { format!("with what only {out} lists") } else { format!("{out} was left out") };
            let note = match (new.changed == first.changed, new.hash == first.hash) {
                (_, true) => format!("{both} are the same and were imported once"),
                (true, false) => format!(
                    "{both} have this id and the same time of change; {stands}, which comes last, was used, {left}"
                ),
                (false, false) => {
                    format!("{both} have this id; {stands} changed last and was used, {left}")
                }
            };
            let id = taken.key().to_string();
            let is_other = new.hash != first.hash;
            if is_later {
                let first = taken.insert(Counted { others: vec![], ..new });
                new = first;
                std::mem::swap(&mut taken.get_mut().others, &mut new.others);
            }
            if is_other {
                taken.get_mut().others.push(new.index);
            }
            if joins {
                taken.get_mut().related.append(&mut new.related);
            }
            Some(Noted { id, note, remedies: vec![] })
        }
    }
}

/// The hash of a record, by which equal ones are known.
pub(super) fn hash_of(record: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.hash(&mut hasher);
    hasher.finish()
}

/// Where the records of an issue are.
pub(super) struct Place {
    /// The index of the one that counts.
    pub(super) index: usize,
    /// The indexes of the others.
    pub(super) others: Vec<usize>,
    /// The relations of the issue that have a direction.
    pub(super) related: BTreeSet<String>,
}

impl Place {
    pub(super) fn has(&self, index: usize) -> bool {
        self.index == index || self.others.contains(&index)
    }
}

/// The records to import, and the issues that are left out; counts those by their `reasons`, which has some already.
pub(super) fn select(
    counted: BTreeMap<IssueId, Counted>,
    limit: Option<usize>,
    mut reasons: BTreeMap<String, u64>,
    left_out: &mut Vec<LeftOutIssues>,
) -> (BTreeMap<IssueId, Place>, BTreeSet<IssueId>) {
    let (mut places, mut unselected) = (BTreeMap::<IssueId, Place>::new(), BTreeSet::new());
    for (id, counted) in counted {
        match counted.left_out {
            Some(reason) => {
                *reasons.entry(reason).or_default() += 1;
                unselected.insert(id);
            }
            None => {
                let Counted { index, others, related, .. } = counted;
                places.insert(id, Place { index, others, related });
            }
        }
    }
    if let Some(limit) = limit.filter(|limit| *limit < places.len()) {
        let mut order: Vec<usize> = places.values().map(|place| place.index).collect();
        order.sort_unstable();
        let beyond: BTreeSet<usize> = order.split_off(limit).into_iter().collect();
        let (left, kept): (BTreeMap<_, _>, _) =
            places.into_iter().partition(|(_, place)| beyond.contains(&place.index));
        unselected.extend(left.into_keys());
        places = kept;
        *reasons.entry("beyond the limit".into()).or_default() += beyond.len() as u64;
    }
    left_out.extend(reasons.into_iter().map(|(reason, issues)| LeftOutIssues { reason, issues }));
    (places, unselected)
}
