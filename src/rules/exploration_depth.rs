//! How deep an issue is explored before it is planned, depending on its text and priority.

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

/// Words for changes in the structure of the code.
const STRUCTURAL: &[&str] = &["refactor", "architect", "restructur", "redesign", "module", "system"];
/// Words for changes in several parts.
const CROSS_CUTTING: &[&str] = &["multiple", "across", "cross-", "everywhere", "throughout"];
/// Words for dependencies on something outside.
const INTEGRATION: &[&str] = &["integrat", "api", "database", "service", "protocol"];

/// An issue with this priority (high) or a more urgent one is urgent.
const URGENT: u8 = 2;

/// Structural +2, cross-cutting +2, integration +1, urgent +1; a sum of 4 or more is deep, of 2 or more hybrid.
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
