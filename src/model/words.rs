//! English for numbers.

/// `1 task`, `2 tasks`: a number with a noun whose plural ends in s.
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
