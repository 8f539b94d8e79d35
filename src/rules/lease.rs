//! How long a claim is good without being renewed.

/// Unless `wf.lease` says otherwise: four hours.
pub(crate) const DEFAULT_LEASE_MS: i64 = 4 * 3_600_000;
/// A lease for longer than a year is a mistake.
const LONGEST_MS: i64 = 366 * 86_400_000;

/// Milliseconds of `90s`, `30m`, `4h`, `1d`; none where it is not such a duration, is nothing, or is over a year.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().last()? {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    let number: i64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(unit).filter(|ms| (1..=LONGEST_MS).contains(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(parse_duration("90s"), Some(90_000));
        assert_eq!(parse_duration("4h"), Some(DEFAULT_LEASE_MS));
        assert_eq!(parse_duration("1d"), Some(86_400_000));
        for wrong in ["", "4", "h", "-1h", "0m", "400d", "4 h ago", "9999999999999999d", "1ü"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
    }
}
