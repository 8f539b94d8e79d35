//! English for numbers.

use std::fmt::Display;

/// `1 task`, `2 tasks`: a number with a noun whose plural ends in s.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    if number == N::from(1) { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// `its only task is T1`, `its tasks are T1, T2`: what a plan has besides what was asked for.
pub(crate) fn its_tasks<T: AsRef<str>>(ids: &[T]) -> String {
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    match &ids[..] {
        [] => "it has no tasks".to_owned(),
        [only] => format!("its only task is {only}"),
        all => format!("its tasks are {}", all.join(", ")),
    }
}
