//! Files that several plans mean to touch.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

/// A file that more than one plan touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct SharedFile {
    /// Its path.
    pub(crate) file: String,
    /// The plans that touch it, as they were named.
    pub(crate) plans: Vec<String>,
}

/// The files that two or more of these plans touch, in byte order.
pub(crate) fn shared_files<'a>(
    plans: impl IntoIterator<Item = (&'a str, &'a BTreeSet<String>)>,
) -> Vec<SharedFile> {
    let mut by_file: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, files) in plans {
        for file in files {
            let plans = by_file.entry(file).or_default();
            if !plans.iter().any(|known| known == name) {
                plans.push(name.to_owned());
            }
        }
    }
    let shared = by_file.into_iter().filter(|(_, plans)| plans.len() > 1);
    shared.map(|(file, plans)| SharedFile { file: file.to_owned(), plans }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_plans_touch_is_named_with_both() {
        let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let (a, b, c) = (files(&["x", "y"]), files(&["y", "z"]), files(&["y", "q"]));
        let shared = shared_files([("A", &a), ("B", &b), ("C", &c)]);
        assert_eq!(
            shared,
            [SharedFile { file: "y".into(), plans: vec!["A".into(), "B".into(), "C".into()] }]
        );
        assert!(shared_files([("A", &a), ("A", &a)]).is_empty());
    }
}
