//! The issues of roadmap waves, with the times that a burn-up chart needs.

use super::Index;
use super::error::IndexError;
use crate::model::{IssueStatus, Time};

/// A roadmap wave with its issues, over all roadmaps.
#[derive(Debug)]
pub(crate) struct Wave {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// When each issue was created, and when it was completed or closed, if it still is; the oldest first.
    pub(crate) issues: Vec<(Time, Option<Time>)>,
}

impl Index<'_> {
    /// All waves that have issues, in order. Cancelled issues do not count.
    pub(crate) fn waves(&self) -> Result<Vec<Wave>, IndexError> {
        let mut query = self.db.prepare(
            "SELECT wave, created, finished FROM issues INDEXED BY by_wave
             WHERE wave IS NOT NULL AND status >= 0 AND status <> ?1 ORDER BY wave, created",
        )?;
        let mut rows = query.query([IssueStatus::Cancelled as i64])?;
        let mut waves: Vec<Wave> = Vec::new();
        while let Some(row) = rows.next()? {
            let finished: Option<i64> = row.get(2)?;
            let created = Time::from_millis(row.get(1)?);
            let (Ok(number), Some(created)) = (u64::try_from(row.get::<_, i64>(0)?), created) else {
                continue;
            };
            let issue = (created, finished.and_then(Time::from_millis));
            match waves.last_mut() {
                Some(wave) if wave.number == number => wave.issues.push(issue),
                _ => waves.push(Wave { number, issues: vec![issue] }),
            }
        }
        Ok(waves)
    }
}
