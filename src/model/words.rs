//! English for numbers.

/// `1 task`, `2 tasks`: a number with its thing, which takes a plain s.
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
