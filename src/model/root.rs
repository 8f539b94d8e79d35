//! `wf.json`: the format version, the project context for planners, and the policy.

use serde_json::Value;

use super::declare::{object, record};
use super::typed::any_or_none;

/// The version that this program reads and writes.
pub(crate) const FORMAT: u64 = 1;

record! {
    /// The store's root record.
    Root {
        /// The format version; a program that reads a higher version than it knows writes nothing.
        greatest format: u64,
        /// The project context, for planners.
        object project: Project = default,
        /// The gates and their settings.
        object policy: Policy = default,
    }
    /// How `wf.json` merges and is written.
    ROOT = "wf", Joined, super::record::check_as::<Root>
}

object! {
    /// The project's context.
    Project {
        /// Languages, frameworks, services.
        #[serde(deserialize_with = "any_or_none")]
        tech_stack: Option<Value> = default,
        /// How work is done here.
        #[serde(deserialize_with = "any_or_none")]
        guidelines: Option<Value> = default,
    }
}

object! {
    /// The gates. One that is not set is open.
    Policy {
        /// `required`: a plan needs a review before it is queued.
        review: Option<String> = default,
        /// `required`: `done` needs linked commits and passing checks.
        evidence: Option<String> = default,
        /// `required`: a commit needs a plan that is being executed.
        commits: Option<String> = default,
        /// `required`: completed work that is not on the target branch is an error of `audit`.
        landed: Option<String> = default,
        /// The branch on which completed work lands, without `refs/heads/`.
        onto as "land.onto": Option<String> = default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Doc;

    #[test]
    fn the_greater_format_stands_as_a_number() {
        let read = |text: &str| Doc::parse(&ROOT, text.as_bytes()).unwrap();
        let born = r#"{"format": 10, "clock": {"*": "2026-11-21T02:14:05.123Z/00000/7k3m2pq9"}}"#;
        for (one, two, stands) in [
            (r#"{"format": 9}"#, r#"{"format": 10}"#, 10),
            (r#"{"format": 2}"#, r#"{"format": 1}"#, 2),
            (r#"{"format": 9}"#, born, 10),
            (r#"{"format": 11}"#, born, 11),
        ] {
            for (one, two) in [(one, two), (two, one)] {
                assert_eq!(read(one).merge(read(two)).read::<Root>().unwrap().format, stands, "{one} {two}");
            }
        }
    }
}
