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
        "cancelled" | "canceled" | "won't do" | "wontfix" | "duplicate" | "rejected" => {
            (StoredStatus::Cancelled, true)
        }
        _ => (StoredStatus::Registered, false),
    }
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

/// A time as tables write it: `2026-11-28T17:02:33Z`, `2026-11-28 17:02:33 UTC`, `2026-11-28`, and `28/Nov/26 5:02 PM`, which
/// all count as UTC.
pub(super) fn when(text: &str) -> Option<Time> {
    let text = text.trim().trim_end_matches("UTC").trim();
    if let Some(time) = Time::parse(text) {
        return Some(time);
    }
    let (day, clock) = text.split_once([' ', 'T']).unwrap_or((text, "0:00"));
    let day = match day.split('/').collect::<Vec<_>>()[..] {
        [day, month, year] => {
            const MONTHS: [&str; 12] =
                ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
            let name = month.to_lowercase();
            let month = MONTHS.iter().position(|known| name.starts_with(known))? + 1;
            let year: u32 = year.parse().ok()?;
            let year = if year < 100 { 2000 + year } else { year };
            format!("{year:04}-{month:02}-{:02}", day.parse::<u32>().ok()?)
        }
        _ => day.to_owned(),
    };
    let (clock, half) = match clock.trim().rsplit_once(' ') {
        Some((clock, half)) => (clock, Some(half.to_lowercase())),
        None => (clock, None),
    };
    let mut parts = clock.split(':');
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next().unwrap_or("0").parse().ok()?;
    let second: u32 = parts.next().map_or(Some(0.0), |text| text.parse::<f64>().ok())? as u32;
    let hour = match half.as_deref() {
        None => hour,
        Some("am") => hour % 12,
        Some("pm") => hour % 12 + 12,
        Some(_) => return None,
    };
    Time::parse(&format!("{day}T{hour:02}:{minute:02}:{second:02}Z"))
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
        ] {
            assert_eq!(when(text).map(|time| time.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "soon", "31/Feb/26 1:00 PM", "2026-13-01", "1/2/3", "28/Nov/26 5:02 XM"] {
            assert_eq!(when(text), None, "{text}");
        }
    }
}
