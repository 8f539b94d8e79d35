//! Sort keys for items: between any two of them there is room for another key.

/// Digits in byte order.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Places of a key at the end of a queue: room for millions of items before keys grow.
const WIDTH: usize = 6;
/// New keys at the end leave this much room after the last.
const STEP: u64 = 36;
/// The longest key; rather than make a longer one, all items of the queue get new keys.
const LONGEST: usize = 48;

/// A key after `last`, or the first of a queue.
pub(crate) fn after(last: Option<&str>) -> String {
    let value = last.map_or(0, |key| {
        key.bytes().chain(std::iter::repeat(b'0')).take(WIDTH).fold(0u64, |acc, byte| acc * 36 + digit(byte))
    });
    let next = value / STEP * STEP + STEP;
    let top = 36u64.pow(WIDTH as u32);
    if next >= top {
        // No room in six places: the last key with one more place is later than it.
        return format!("{}i", last.unwrap_or_default());
    }
    key_of(next)
}

/// The key that the item with this number gets, counted from 1, if keys are given one after the other.
pub(crate) fn nth(number: u64) -> String {
    let last = 36u64.pow(WIDTH as u32) / STEP - 1;
    key_of(number.clamp(1, last) * STEP)
}

fn key_of(mut value: u64) -> String {
    let mut key = vec![b'0'; WIDTH];
    for place in key.iter_mut().rev() {
        *place = DIGITS[(value % 36) as usize];
        value /= 36;
    }
    String::from_utf8(key).unwrap_or_default()
}

fn digit(byte: u8) -> u64 {
    // A key of another program may contain anything; whatever is not a digit counts as the largest, so that `after`
    // stays later.
    DIGITS.iter().position(|d| *d == byte).unwrap_or(35) as u64
}

/// `count` keys in order, between `before` and `behind`. None if there is no room: two clones can assign the same key,
/// and another program can write any text.
pub(crate) fn within(before: Option<&str>, behind: Option<&str>, count: usize) -> Option<Vec<String>> {
    let Some(behind) = behind else {
        let mut keys: Vec<String> = Vec::with_capacity(count);
        for _ in 0..count {
            let key = after(keys.last().map(String::as_str).or(before));
            let is_room = key.len() <= LONGEST && before.is_none_or(|before| key.as_str() > before);
            keys.push(is_room.then_some(key)?);
        }
        return Some(keys);
    };
    let mut keys = vec![String::new(); count];
    fill(before.unwrap_or_default(), behind, &mut keys)?;
    Some(keys)
}

/// The middle key first, so that keys grow by the logarithm of their number.
fn fill(before: &str, behind: &str, keys: &mut [String]) -> Option<()> {
    let middle = keys.len() / 2;
    let Some(place) = keys.get_mut(middle) else { return Some(()) };
    let key = between(before, behind)?;
    place.clone_from(&key);
    fill(before, &key, &mut keys[..middle])?;
    fill(&key, behind, &mut keys[middle + 1..])
}

/// The shortest prefix of the number half-way between two keys (read as fractions in base 36) that is between them.
fn between(before: &str, behind: &str) -> Option<String> {
    let width = before.len().max(behind.len()) + 1;
    if before >= behind || width > LONGEST {
        return None;
    }
    // Half of their sum.
    let mut sum = vec![0; width];
    let mut carry = 0;
    for at in (0..width).rev() {
        let digits = digit_at(before, at) + digit_at(behind, at) + carry;
        (sum[at], carry) = (digits % 36, digits / 36);
    }
    let mut rest = carry;
    let mut half = String::with_capacity(width);
    for digits in sum {
        let value = rest * 36 + digits;
        half.push(char::from(DIGITS[(value / 2) as usize]));
        rest = value % 2;
    }
    // A key that ends in a zero would leave no room before it.
    let mut starts = (1..=width).map(|length| &half[..length]).filter(|key| !key.ends_with('0'));
    starts.find(|key| before < *key && *key < behind).map(str::to_owned)
}

fn digit_at(key: &str, at: usize) -> u64 {
    key.as_bytes().get(at).map_or(0, |byte| digit(*byte))
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
        assert_eq!((nth(1), nth(2), nth(36)), (first, second, "000100".to_owned()));
    }

    #[test]
    fn a_key_between_two_is_short() {
        assert_eq!(within(Some("000010"), Some("000020"), 1).unwrap(), ["00001i"]);
        assert_eq!(within(None, Some("000010"), 1).unwrap(), ["00000i"]);
        assert_eq!(within(Some("a"), Some("b"), 3).unwrap(), ["a9", "ai", "ar"]);
    }

    #[test]
    fn where_there_is_no_room_there_is_no_key() {
        for (before, behind) in [("a", "a"), ("b", "a"), ("1", "10"), ("a", "a0")] {
            assert_eq!(within(Some(before), Some(behind), 1), None, "{before} {behind}");
        }
        let long = "z".repeat(200);
        assert_eq!(within(Some(&long), None, 1), None);
    }

    proptest! {
        #[test]
        fn a_key_behind_is_later(key in "[0-9a-z]{1,9}") {
            prop_assert!(after(Some(&key)) > key);
        }

        #[test]
        fn keys_are_where_they_were_asked_for(before in "[0-9a-z]{0,7}", behind in "[0-9a-z~A\u{e9}]{1,7}", count in 0usize..40) {
            if let Some(keys) = within(Some(&before), Some(&behind), count) {
                let all: Vec<&str> =
                    std::iter::once(before.as_str()).chain(keys.iter().map(String::as_str)).chain([behind.as_str()]).collect();
                if count > 0 {
                    prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", all);
                }
                prop_assert!(keys.len() == count);
            }
        }

        #[test]
        fn between_keys_of_this_program_there_is_room_for_hundreds(a in 0usize..50, b in 0usize..50) {
            let keys = within(None, None, 51).unwrap();
            let (low, high) = (a.min(b), a.max(b) + 1);
            let inner = within(Some(&keys[low]), Some(&keys[high.min(50)]), 500);
            prop_assert!(low == high.min(50) || inner.is_some_and(|keys| keys.iter().all(|key| key.len() < 16)));
        }
    }
}
