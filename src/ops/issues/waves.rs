//! The progress of roadmap waves over time.

use crate::index::{Index, Needs};
use crate::model::Time;
use crate::ops::{Answer, Session};

/// A roadmap wave with its issues, over all roadmaps.
#[derive(Debug)]
pub(crate) struct Wave {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// When each issue was created, and when it was completed or closed, if it was; the oldest first.
    pub(crate) issues: Vec<(Time, Option<Time>)>,
}

/// All waves that have issues, in order. Cancelled issues do not count.
///
/// # Errors
/// Any error from the index.
pub(crate) fn waves(session: &Session) -> Answer<Vec<Wave>> {
    let (_, found) = session.ask(Needs::ROWS, Index::waves)?;
    let mut waves: Vec<Wave> = Vec::new();
    for row in found {
        let issue = (row.created, row.finished);
        match waves.last_mut() {
            Some(wave) if wave.number == row.wave => wave.issues.push(issue),
            _ => waves.push(Wave { number: row.wave, issues: vec![issue] }),
        }
    }
    Ok(session.done(waves, None))
}
