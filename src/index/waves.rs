//! The issues of roadmap waves, with the times that a burn-up chart needs.

use super::Index;
use super::error::IndexError;
use crate::model::{IssueStatus, Time};

/// An issue of a wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InWave {
    /// The wave, from 1.
    pub(crate) wave: u64,
    /// When the issue was created.
    pub(crate) created: Time,
    /// When it was completed or closed, if it still is.
    pub(crate) finished: Option<Time>,
}

impl Index<'_> {
    /// The issues of all waves except cancelled ones, by wave and then by age.
    pub(crate) fn waves(&self) -> Result<Vec<InWave>, IndexError> {
        let mut query = self.db.prepare(
            "SELECT wave, created, finished FROM issues INDEXED BY by_wave
             WHERE wave IS NOT NULL AND status >= 0 AND status <> ?1 ORDER BY wave, created",
        )?;
        let mut rows = query.query([IssueStatus::Cancelled as i64])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let finished: Option<i64> = row.get(2)?;
            let created = Time::from_millis(row.get(1)?);
            let (Ok(wave), Some(created)) = (u64::try_from(row.get::<_, i64>(0)?), created) else { continue };
            found.push(InWave { wave, created, finished: finished.and_then(Time::from_millis) });
        }
        Ok(found)
    }
}
