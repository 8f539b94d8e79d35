//! A persistent map from numbers to values; copies share what they have in common. A history has a map for each commit,
//! and these maps differ little: a copy is free, a change takes a few nodes, and a comparison takes as long as the maps
//! differ. No crate is used, since it would be a dependency for this alone.

use std::hash::{BuildHasher, Hash, RandomState};
use std::rc::Rc;
use std::sync::OnceLock;

/// The number of bits of a key that select a child.
const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;
const DEPTH: u32 = u32::BITS / BITS;

/// A map from numbers to values.
#[derive(Debug, Clone)]
pub(crate) struct SharedMap<V>(Link<V>);

type Link<V> = Option<Rc<Node<V>>>;

#[derive(Debug)]
struct Node<V> {
    /// The sum of the hashes of its entries. Two maps are equal if their sums are: the hash is keyed, and the author of
    /// a history does not know the key.
    hash: u64,
    kind: Kind<V>,
}

#[derive(Debug)]
enum Kind<V> {
    Leaf(V),
    Inner([Link<V>; WIDTH]),
}

impl<V> Default for SharedMap<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V: Clone + Hash> SharedMap<V> {
    /// The value of a key.
    pub(crate) fn get(&self, key: u32) -> Option<&V> {
        let mut at = self.0.as_deref()?;
        for level in (0..DEPTH).rev() {
            let Kind::Inner(children) = &at.kind else { return None };
            at = children[slot(key, level)].as_deref()?;
        }
        match &at.kind {
            Kind::Leaf(value) => Some(value),
            Kind::Inner(_) => None,
        }
    }

    /// Whether the map has no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Sets or removes the value of a key.
    pub(crate) fn set(&mut self, key: u32, value: Option<V>) {
        self.0 = with_value(self.0.as_ref(), key, DEPTH, value);
    }

    /// The union of both maps; `join` decides if both have a key with different values.
    pub(crate) fn union(&self, other: &Self, join: impl Fn(&V, &V) -> V) -> Self {
        let mut all = self.clone();
        self.differing(other, &mut |key, one, two| match (one, two) {
            (Some(one), Some(two)) => all.set(key, Some(join(one, two))),
            (None, Some(two)) => all.set(key, Some(two.clone())),
            _ => {}
        });
        all
    }

    /// Calls `found`, in order, with each key whose value differs between the maps.
    pub(crate) fn differing<'a>(
        &'a self,
        other: &'a Self,
        found: &mut dyn FnMut(u32, Option<&'a V>, Option<&'a V>),
    ) {
        compare(self.0.as_deref(), other.0.as_deref(), 0, DEPTH, found);
    }
}

fn slot(key: u32, level: u32) -> usize {
    (key >> (level * BITS)) as usize % WIDTH
}

fn hash(of: impl Hash) -> u64 {
    static KEY: OnceLock<RandomState> = OnceLock::new();
    KEY.get_or_init(RandomState::new).hash_one(of)
}

fn with_value<V: Clone + Hash>(
    link: Option<&Rc<Node<V>>>,
    key: u32,
    level: u32,
    value: Option<V>,
) -> Link<V> {
    let Some(below) = level.checked_sub(1) else {
        return value.map(|value| Rc::new(Node { hash: hash((key, &value)), kind: Kind::Leaf(value) }));
    };
    let mut children = match link.map(|node| &node.kind) {
        Some(Kind::Inner(children)) => children.clone(),
        _ => Default::default(),
    };
    let child = &mut children[slot(key, below)];
    *child = with_value(child.as_ref(), key, below, value);
    let hash = children.iter().flatten().fold(0, |hash, child| hash ^ child.hash);
    children.iter().any(Option::is_some).then(|| Rc::new(Node { hash, kind: Kind::Inner(children) }))
}

fn compare<'a, V>(
    one: Option<&'a Node<V>>,
    two: Option<&'a Node<V>>,
    key: u32,
    level: u32,
    found: &mut dyn FnMut(u32, Option<&'a V>, Option<&'a V>),
) {
    if one.map(|node| node.hash) == two.map(|node| node.hash) {
        return;
    }
    #[cfg(test)]
    COMPARED.with(|compared| compared.set(compared.get() + 1));
    let Some(below) = level.checked_sub(1) else {
        return found(key, leaf(one), leaf(two));
    };
    for n in 0..WIDTH {
        let key = key | (n as u32) << (below * BITS);
        compare(child(one, n), child(two, n), key, below, found);
    }
}

fn leaf<V>(node: Option<&Node<V>>) -> Option<&V> {
    match &node?.kind {
        Kind::Leaf(value) => Some(value),
        Kind::Inner(_) => None,
    }
}

fn child<V>(node: Option<&Node<V>>, n: usize) -> Option<&Node<V>> {
    match &node?.kind {
        Kind::Leaf(_) => None,
        Kind::Inner(children) => children[n].as_deref(),
    }
}

#[cfg(test)]
thread_local! {
    /// How many pairs of nodes were compared.
    pub(in crate::store) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn map(of: &BTreeMap<u32, bool>) -> SharedMap<bool> {
        let mut made = SharedMap::default();
        of.iter().for_each(|(key, value)| made.set(*key, Some(*value)));
        made
    }

    fn some() -> impl Strategy<Value = BTreeMap<u32, bool>> {
        let key = prop_oneof![0..40u32, any::<u32>()];
        proptest::collection::btree_map(key, any::<bool>(), 0..30)
    }

    proptest! {
        #[test]
        fn it_is_a_map(one in some(), two in some(), drop in proptest::collection::vec(0..40u32, 0..20)) {
            let (mut a, b) = (map(&one), map(&two));
            let mut differing = Vec::new();
            a.differing(&b, &mut |key, x, y| differing.push((key, x.copied(), y.copied())));
            let keys: std::collections::BTreeSet<u32> = one.keys().chain(two.keys()).copied().collect();
            let expected: Vec<_> = keys.iter().map(|key| (*key, one.get(key).copied(), two.get(key).copied()))
                .filter(|(_, x, y)| x != y).collect();
            prop_assert_eq!(differing, expected);
            let union = a.union(&b, |x, y| *x || *y);
            for key in &keys {
                let expected = one.get(key) == Some(&true) || two.get(key) == Some(&true);
                prop_assert_eq!(union.get(*key), Some(&expected));
            }
            let mut one = one;
            for key in drop {
                a.set(key, None);
                one.remove(&key);
            }
            prop_assert_eq!(a.is_empty(), one.is_empty());
            // Maps with the same content are equal, however they were built.
            let mut count = 0;
            a.differing(&map(&one), &mut |_, _, _| count += 1);
            prop_assert_eq!(count, 0);
        }
    }

    #[test]
    fn what_is_the_same_is_not_compared() {
        let one = map(&(0..10_000).map(|key| (key, true)).collect());
        let mut two = map(&(0..10_000).rev().map(|key| (key, true)).collect());
        two.set(7_777, Some(false));
        COMPARED.with(|compared| compared.set(0));
        let mut found = Vec::new();
        one.differing(&two, &mut |key, _, _| found.push(key));
        assert_eq!(found, [7_777]);
        assert_eq!(COMPARED.with(std::cell::Cell::get), 1 + DEPTH as usize);
    }
}
