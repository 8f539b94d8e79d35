//! A second look for an object that was not found. gix asks whether a loose object is there and then opens it. If a
//! `git gc` packs and removes the file in between, gix says that there is no such object, although it is in the new
//! pack, where the next look finds it. git looks twice, too.

/// What `find` answers; if that is a failure, what it answers when it is asked again.
pub(super) fn twice<T, E>(find: impl Fn() -> Result<T, E>) -> Result<T, E> {
    find().or_else(|_| find())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn one_failure_is_looked_at_again_and_two_are_believed() {
        for (failures, expected, looks) in [(0, Ok(0), 1), (1, Ok(1), 2), (9, Err(1), 2)] {
            let count = Cell::new(0);
            let find = || {
                let look = count.replace(count.get() + 1);
                if look < failures { Err(look) } else { Ok(look) }
            };
            assert_eq!(twice(find), expected);
            assert_eq!(count.get(), looks);
        }
    }
}
