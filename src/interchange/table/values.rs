//! What the cells of a table mean.

use crate::model::{Priority, StoredStatus, Time};

/// The status that a word means, and whether it is a usual one.
pub(super) fn status(word: &str) -> (StoredStatus, bool) {
    let plain = word.to_lowercase().replace(['-', '_'], " ");
    match plain.as_str() {
        "open"
        | "opened"
        | "new"
        | "to do"
        | "todo"
        | "backlog"
        | "registered"
        | "reopened"
        | "selected for development" => (StoredStatus::Registered, true),
        "in progress" | "doing" | "in review" | "started" | "planning" => (StoredStatus::Planning, true),
        "planned" | "queued" | "executing" | "failed" => (StoredStatus::Registered, false),
        "on hold" | "paused" | "deferred" | "blocked" => (StoredStatus::Paused, true),
        "closed" | "done" | "resolved" | "complete" | "completed" | "fixed" => (StoredStatus::Closed, true),
        "cancelled" | "canceled" | "rejected" => (StoredStatus::Cancelled, true),
        word if word != "incomplete" && is_given_up(word) => (StoredStatus::Cancelled, true),
        _ => (StoredStatus::Registered, false),
    }
}

/// Whether an issue with this resolution was closed without being done.
pub(super) fn is_given_up(word: &str) -> bool {
    const WORDS: [&str; 7] =
        ["won't do", "won't fix", "wontfix", "duplicate", "declined", "cannot reproduce", "incomplete"];
    WORDS.contains(&word.to_lowercase().replace('\u{2019}', "'").as_str())
}

/// The priority that a word means.
pub(super) fn priority(word: &str) -> Option<Priority> {
    let number = match word.to_lowercase().as_str() {
        "highest" | "blocker" | "urgent" => 1,
        "major" => 2,
        "normal" => 3,
        "minor" => 4,
        "lowest" => 5,
        _ => return Priority::parse(word),
    };
    Priority::new(number)
}

/// A time as tables write it, which counts as UTC: `2026-11-28T17:02:33Z`, `2026-11-28 17:02:33 UTC`, `28/Nov/26 5:02 PM`,
/// `Nov 28, 2026, 5:02 PM`, `28.11.2026 17:02`, `11/28/2026 17:02`. `None` if day and month could be either.
pub(super) fn when(text: &str) -> Option<Time> {
    let text = text.trim().trim_end_matches("UTC").trim();
    if let Some(time) = Time::parse(text) {
        return Some(time);
    }
    let spaced = match text.split_once('T') {
        Some((day, clock)) if day.ends_with(|c: char| c.is_ascii_digit()) => format!("{day} {clock}"),
        _ => text.to_owned(),
    };
    let (mut days, mut clock, mut half, mut has_dots) = (Vec::new(), "0:00", None, false);
    let mut zone = "Z".to_owned();
    for word in spaced.split([' ', ',', '\u{202f}', '\u{a0}']).filter(|word| !word.is_empty()) {
        let sign = word.find(['+', '-']).filter(|at| *at == 0 || word[..*at].contains(':'));
        if let Some(at) = sign {
            zone = offset(&word[at..])?;
            clock = if at > 0 { &word[..at] } else { clock };
        } else if word.contains(':') {
            clock = word;
        } else if ["am", "pm"].contains(&word.to_lowercase().as_str()) {
            half = Some(word.to_lowercase());
        } else {
            days.extend(word.split(['-', '/', '.']).filter(|part| !part.is_empty()));
            has_dots |= word.contains('.');
        }
    }
    let mut parts = clock.split(':');
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next().unwrap_or("0").parse().ok()?;
    let second: u32 = parts.next().map_or(Some(0.0), |text| text.parse::<f64>().ok())? as u32;
    let hour = match half.as_deref() {
        None => hour,
        Some("am") => hour % 12,
        _ => hour % 12 + 12,
    };
    let day = day(&days, has_dots)?;
    Time::parse(&format!("{day}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

/// `+01:00` for `+0100`, `+01` or `+01:00`.
fn offset(text: &str) -> Option<String> {
    let (sign, digits) = (text.get(..1)?, text.get(1..)?.replace(':', ""));
    let is_offset = [2, 4].contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_offset.then(|| format!("{sign}{}:{}", &digits[..2], digits.get(2..4).unwrap_or("00")))
}

/// `2026-11-28` for the three parts of a day, in any order that leaves no doubt. Between dots, the day comes first.
fn day(parts: &[&str], has_dots: bool) -> Option<String> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let &[first, second, third] = parts else { return None };
    let number = |text: &str| text.parse::<u32>().ok();
    let month = |text: &str| {
        // Jira writes the months in the language of the person.
        let name = text.to_lowercase().replace("mär", "mar").replace("mai", "may");
        let name = name.replace("okt", "oct").replace("dez", "dec");
        MONTHS.iter().position(|known| name.starts_with(known)).and_then(|n| u32::try_from(n + 1).ok())
    };
    let (year, month, day) = if let Some(named) = month(first) {
        (number(third)?, named, number(second)?)
    } else if let Some(named) = month(second) {
        (number(third)?, named, number(first)?)
    } else {
        let numbers = (number(first)?, number(second)?, number(third)?);
        match numbers {
            (year, month, day) if first.len() == 4 => (year, month, day),
            (day, month, year) if has_dots || day > 12 => (year, month, day),
            (month, day, year) if day > 12 => (year, month, day),
            _ => return None,
        }
    };
    let year = if year < 100 { 2000 + year } else { year };
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_tables_write_them() {
        for (text, expected) in [
            ("2026-11-28T17:02:33Z", "2026-11-28T17:02:33.000Z"),
            ("2026-11-28 17:02:33 UTC", "2026-11-28T17:02:33.000Z"),
            ("2026-11-28", "2026-11-28T00:00:00.000Z"),
            ("8/Nov/26 5:02 PM", "2026-11-08T17:02:00.000Z"),
            ("28/Nov/26 12:02 AM", "2026-11-28T00:02:00.000Z"),
            ("28.11.2026 17:02", "2026-11-28T17:02:00.000Z"),
            ("Nov 28, 2026, 5:02 PM", "2026-11-28T17:02:00.000Z"),
            ("11/28/2026 17:02", "2026-11-28T17:02:00.000Z"),
            ("2026-11-28 17:02:33.5", "2026-11-28T17:02:33.000Z"),
            ("2026-11-28T17:02:33.000+0100", "2026-11-28T16:02:33.000Z"),
            ("2026-11-28 17:02 -01:30", "2026-11-28T18:32:00.000Z"),
            ("5. Nov 2026 17:02", "2026-11-05T17:02:00.000Z"),
            ("05/Mär/26 5:02 PM", "2026-03-05T17:02:00.000Z"),
        ] {
            assert_eq!(when(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "soon",
            "31/Feb/26 1:00 PM",
            "2026-13-01",
            "1/2/3",
            "8/7/2026 17:02",
            "5/8/2026 17:02:33.5",
            "28/Nov/26 5:02 XM",
            "2026-11-28 17:02 +1",
        ] {
            assert_eq!(when(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_incomplete_is_not_given_up() {
        assert_eq!(status("Incomplete"), (StoredStatus::Registered, false));
        assert!(is_given_up("Incomplete"), "as a resolution it is");
        assert_eq!(status("Won\u{2019}t do"), (StoredStatus::Cancelled, true));
    }
}
