//! Checks that layers share the features of a roadmap among them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::table::SCOPE;
use super::{Checker, plain};
use crate::rules::Item;

impl Checker<'_> {
    /// Each feature belongs to one layer, and no layer with it excludes it.
    pub(super) fn scopes(&mut self, items: &[Item], all: &[String]) {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (n, item) in items.iter().enumerate() {
            let excluded: BTreeSet<String> = item.excludes.iter().map(|text| plain(text)).collect();
            for (m, feature) in item.scope.iter().enumerate() {
                let (path, found, key) = (format!("layers[{n}].scope[{m}]"), json!(feature), plain(feature));
                if excluded.contains(&key) {
                    let remedy = "remove it from `scope` or from `excludes` of the layer";
                    self.find_with(&SCOPE, path, &found, "a feature that the layer does not exclude", remedy);
                } else if let Some(other) = seen.get(&key) {
                    if *other == item.id {
                        self.find_with(&SCOPE, path, &found, "each feature once", "remove the repetition");
                    } else {
                        let allowed = format!("a feature that no other layer has; `{other}` has it");
                        self.find(&SCOPE, path, Some(&found), allowed);
                    }
                } else if !all.is_empty() && !all.iter().any(|other| plain(other) == key) {
                    let remedy = "add it to the scope of the roadmap, or remove it from the layer";
                    self.find_with(&SCOPE, path, &found, "a feature from the scope of the roadmap", remedy);
                } else {
                    seen.insert(key, item.id.as_str());
                }
            }
        }
        for (n, feature) in all.iter().enumerate().filter(|(_, feature)| !seen.contains_key(&plain(feature)))
        {
            let remedy = "add it to the scope of a layer, or remove it from the scope of the roadmap";
            let path = format!("scope[{n}]");
            self.find_with(&SCOPE, path, &json!(feature), "a feature that some layer has", remedy);
        }
    }
}
