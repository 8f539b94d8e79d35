//! The clock of a store.

use std::time::{SystemTime, UNIX_EPOCH};

use super::StoreError;
use crate::git::{Date, local_now, parse_date};
use crate::model::Time;

/// Gives the time for everything that is written, and for every question about a lease.
#[derive(Debug, Clone, Default)]
pub(crate) enum Clock {
    /// The system clock, in the local time zone.
    #[default]
    Machine,
    /// Always the same time: a date in one of git's formats.
    Fixed(String),
}

impl Clock {
    /// A clock fixed at `date`, like git's with `GIT_COMMITTER_DATE`; the system clock if it is empty.
    pub(crate) fn at(date: Option<String>) -> Self {
        date.filter(|date| !date.is_empty()).map_or(Self::Machine, Self::Fixed)
    }

    /// The time in milliseconds; a fixed clock has whole seconds.
    pub(super) fn now(&self) -> Result<Time, StoreError> {
        match self {
            Self::Machine => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let millis = i64::try_from(since.as_millis()).ok();
                let time = millis.and_then(Time::from_millis).or_else(|| Time::from_seconds(0));
                Ok(time.unwrap_or_else(|| unreachable!("1970 can be written")))
            }
            Self::Fixed(text) => Time::from_seconds(fixed(text)?.seconds).ok_or_else(|| cannot_be_read(text)),
        }
    }

    /// The time as git writes it into a commit.
    pub(super) fn date(&self) -> Result<Date, StoreError> {
        match self {
            Self::Machine => Ok(local_now()),
            Self::Fixed(text) => fixed(text),
        }
    }
}

/// git does not accept dates before 1970, and calls a commit with one malformed.
fn fixed(text: &str) -> Result<Date, StoreError> {
    parse_date(text).filter(|date| date.seconds >= 0).ok_or_else(|| cannot_be_read(text))
}

fn cannot_be_read(text: &str) -> StoreError {
    StoreError::Config {
        key: "GIT_COMMITTER_DATE".into(),
        value: text.to_owned(),
        why: "git cannot read it as a date",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_where_it_was_set() {
        let clock = Clock::at(Some("1700000000 +0130".into()));
        assert_eq!(clock.now().unwrap().millis(), 1_700_000_000_000);
        let date = clock.date().unwrap();
        assert_eq!((date.seconds, date.offset), (1_700_000_000, 90 * 60));
    }

    #[test]
    fn it_refuses_what_git_would() {
        for wrong in ["someday", "-1 +0000", "1969-12-31T23:59:59Z"] {
            let clock = Clock::at(Some(wrong.into()));
            assert!(clock.now().is_err() && clock.date().is_err(), "{wrong}");
        }
        let clock = Clock::at(Some(String::new()));
        assert!(matches!(clock, Clock::Machine));
    }
}
