//! Sort keys for items: texts between any two of which there is room for another.

/// Digits in byte order.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Places of a key at the end of a queue: room for millions of items before keys grow.
const WIDTH: usize = 6;
/// New keys at the end leave this much room behind the last.
const STEP: u64 = 36;

/// A key behind `last`, or the first of a queue.
pub(crate) fn after(last: Option<&str>) -> String {
    let value = last.map_or(0, |key| {
        key.bytes().chain(std::iter::repeat(b'0')).take(WIDTH).fold(0u64, |acc, byte| acc * 36 + digit(byte))
    });
    let next = value / STEP * STEP + STEP;
    let top = 36u64.pow(WIDTH as u32);
    if next >= top {
        // No room in six places: one more place behind the last key is later than it.
        return format!("{}i", last.unwrap_or_default());
    }
    let mut key = vec![b'0'; WIDTH];
    let mut rest = next;
    for place in key.iter_mut().rev() {
        *place = DIGITS[(rest % 36) as usize];
        rest /= 36;
    }
    String::from_utf8(key).unwrap_or_default()
}

fn digit(byte: u8) -> u64 {
    // A foreign key may hold anything; what is no digit counts as the largest, so that `after` stays behind it.
    DIGITS.iter().position(|d| *d == byte).unwrap_or(35) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_count_up() {
        let first = after(None);
        let second = after(Some(&first));
        assert_eq!((first.as_str(), second.as_str()), ("000010", "000020"));
    }

    proptest! {
        #[test]
        fn a_key_behind_is_later(key in "[0-9a-z]{1,9}") {
            prop_assert!(after(Some(&key)) > key);
        }
    }
}
