//! How hard an issue looks before anyone has explored it, by its text and priority, and how deep it is explored.

use crate::model::{Depth, Extent, Priority};

/// Words for changes in the structure of the code.
const STRUCTURAL: &[&str] = &["refactor", "architect", "restructur", "redesign", "module", "system"];
/// Words for changes in several parts.
const CROSS_CUTTING: &[&str] = &["multiple", "across", "cross-", "everywhere", "throughout"];
/// Words for dependencies on something outside.
const INTEGRATION: &[&str] = &["integrat", "api", "database", "service", "protocol"];

/// An issue with this priority (high) or a more urgent one is urgent.
const URGENT: u8 = 2;

/// How hard the work looks: structural +2, cross-cutting +2, integration +1, urgent +1; a sum of 4 or more is high, of 2
/// or more medium.
pub(crate) fn complexity(text: &str, priority: Priority) -> Extent {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let score = 2 * u8::from(says_any(&words, STRUCTURAL))
        + 2 * u8::from(says_any(&words, CROSS_CUTTING))
        + u8::from(says_any(&words, INTEGRATION))
        + u8::from(priority.number() <= URGENT);
    match score {
        0..=1 => Extent::Low,
        2..=3 => Extent::Medium,
        _ => Extent::High,
    }
}

fn says_any(words: &[&str], begins: &[&str]) -> bool {
    words.iter().any(|word| begins.iter().any(|begin| word.starts_with(begin)))
}

/// How deep to explore work of this complexity.
pub(crate) fn depth(complexity: Extent) -> Depth {
    match complexity {
        Extent::Low => Depth::Search,
        Extent::Medium => Depth::Hybrid,
        Extent::High => Depth::Deep,
    }
}

/// How many plans a planner may offer for work of this complexity: at least and at most.
pub(crate) fn candidates(complexity: Extent) -> (u64, u64) {
    match complexity {
        Extent::Low => (1, 1),
        Extent::Medium => (1, 2),
        Extent::High => (2, 3),
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
            let complexity = complexity(text, Priority::new(priority).unwrap());
            assert_eq!(super::depth(complexity), depth, "{text}");
        }
    }
}
