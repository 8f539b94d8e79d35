//! Misspelled field names: nothing reads such fields, although the planner expects it.

use serde_json::{Map, Value};

use super::checker::{Checker, given};
use super::table::MISSPELT;
use crate::model::Shape;
use crate::model::plan::PLAN;

/// A longer name is not a misspelling.
const LONGEST: usize = 40;

impl Checker<'_> {
    /// Checks a plan, whose fields may also have the names in `more`.
    pub(super) fn spelling(&mut self, map: &Map<String, Value>, more: &[&str]) {
        self.names(map, &PLAN, "", more);
    }

    fn names(&mut self, map: &Map<String, Value>, shape: &Shape, at: &str, more: &[&str]) {
        let Shape::Fields(fields) = shape else { return };
        let known: Vec<&str> = fields.iter().map(|(name, _)| *name).chain(more.iter().copied()).collect();
        self.near_names(map, &known, at);
        for (name, inner) in *fields {
            match (map.get(*name), inner) {
                (Some(Value::Object(map)), shape) => self.names(map, shape, &format!("{at}{name}."), &[]),
                (Some(Value::Array(items)), Shape::Items(shape)) => {
                    for (n, item) in items.iter().enumerate() {
                        if let Value::Object(map) = item {
                            self.names(map, shape, &format!("{at}{name}[{n}]."), &[]);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks the fields of one object.
    pub(super) fn near_names(&mut self, map: &Map<String, Value>, known: &[&str], at: &str) {
        let mut unknown: Vec<&str> =
            map.keys().map(String::as_str).filter(|name| !known.contains(name)).collect();
        unknown.sort_unstable();
        for name in unknown {
            if let Some(near) = nearest(name, known) {
                let allowed = match given(map, near) {
                    None => format!("`{near}`"),
                    Some(_) => {
                        format!("no such field: it is never read, and `{near}` is given too")
                    }
                };
                self.find(&MISSPELT, format!("{at}{name}"), map.get(name), allowed);
            }
        }
    }
}

/// The most similar known name, if it differs by one or two slips, by case, or by the separators between words.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > LONGEST {
        return None;
    }
    let written = plain(name);
    let distance = |known: &&'k str| (strsim::osa_distance(&written, &plain(known)), *known);
    let (distance, near) = known.iter().map(distance).min()?;
    let allowed = match near.len() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    (distance <= allowed).then_some(near)
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_known_and_other_names_left_alone() {
        let known = ["id", "tasks", "depends_on", "acceptance", "modification_points", "files"];
        for (name, near) in [
            ("dependsOn", "depends_on"),
            ("depend_on", "depends_on"),
            ("depends-on", "depends_on"),
            ("acceptence", "acceptance"),
            ("tsaks", "tasks"),
            ("file", "files"),
            ("modificationPoints", "modification_points"),
            ("ID", "id"),
        ] {
            assert_eq!(nearest(name, &known), Some(near), "{name}");
        }
        for name in ["x-note", "notes", "owner", "is", "", "risk", &"tasks".repeat(20)] {
            assert_eq!(nearest(name, &known), None, "{name}");
        }
    }
}
