//! How deep an issue is explored before it is planned, by what its text and its priority say.

use crate::model::priority::Priority;
use crate::model::text_enum;

text_enum!(
    /// How deep an explorer looks.
    Depth {
        /// Find the files that the text is about.
        Search = "search",
        /// Also what uses them and what they use.
        Hybrid = "hybrid",
        /// Also how the parts work together, and what changed there before.
        Deep = "deep",
    }
);

/// The structure of the code is to change.
const STRUCTURAL: &[&str] = &["refactor", "architect", "restructur", "redesign", "module", "system"];
/// More than one part is.
const CROSS_CUTTING: &[&str] = &["multiple", "across", "cross-", "everywhere", "throughout"];
/// Something outside of it matters.
const INTEGRATION: &[&str] = &["integrat", "api", "database", "service", "protocol"];

/// From this priority on an issue is urgent: high.
const URGENT: u8 = 2;

/// Structural +2, cross-cutting +2, integration +1, urgent +1: from 4 deep, from 2 hybrid.
pub(crate) fn of(text: &str, priority: Priority) -> Depth {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let says = |begins: &[&str]| words.iter().any(|word| begins.iter().any(|begin| word.starts_with(begin)));
    let score = 2 * u8::from(says(STRUCTURAL))
        + 2 * u8::from(says(CROSS_CUTTING))
        + u8::from(says(INTEGRATION))
        + u8::from(priority.number() <= URGENT);
    match score {
        0..=1 => Depth::Search,
        2..=3 => Depth::Hybrid,
        _ => Depth::Deep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_score_counts() {
        for (text, priority, depth) in [
            ("Fix a typo", 3, Depth::Search),
            ("Fix a typo", 1, Depth::Search),
            ("The API answers 500", 2, Depth::Hybrid),
            ("Rapid taps are lost", 2, Depth::Search),
            ("Refactor the parser", 4, Depth::Hybrid),
            ("Rename it across crates", 3, Depth::Hybrid),
            ("Refactor logging across all services", 3, Depth::Deep),
            ("Restructure the database", 2, Depth::Deep),
        ] {
            assert_eq!(of(text, Priority::new(priority).unwrap()), depth, "{text}");
        }
    }
}
