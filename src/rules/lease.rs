//! How long a claim is good without being renewed.

/// What `wf.lease` is where nobody set it: four hours, in milliseconds.
pub(crate) const DEFAULT: i64 = 4 * HOUR;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Milliseconds of `90s`, `30m`, `4h` or `1d`. `None` for anything else, for nothing (`0h`), and for more than can be
/// counted.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().last()? {
        's' => SECOND,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count: i64 = digits.parse().ok()?;
    count.checked_mul(unit).filter(|millis| *millis > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_is_read() {
        let read = ["90s", "30m", "4h", "1d", " 2h "].map(parse_duration);
        assert_eq!(read, [90_000, 1_800_000, DEFAULT, 86_400_000, 7_200_000].map(Some));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "h", "4", "4 h", "-4h", "+4h", "0h", "1.5h", "4w", "4hh", "99999999999999999d", "4é"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
