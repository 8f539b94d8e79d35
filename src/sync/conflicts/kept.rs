//! What a walk along the history found out about conflicts, kept beside the index, so that the next one continues from
//! there: bare `git wf` and the browser ask for the open conflicts each time.

use serde::{Deserialize, Serialize};

use super::found::Met;
use super::history::ConflictEvent;
use crate::git::ObjectId;
use crate::index::Index;
use crate::model::{EpochStamp, SideValue};
use crate::store::Form;
use crate::store::layout::form;

/// The name under which the index keeps it. Raised with every change of how conflicts are found.
const NAME: &str = "conflicts-1";

/// All conflicts in the history of a commit, and what was done to them.
pub(super) struct KeptConflicts {
    pub(super) commit: ObjectId,
    pub(super) met: Vec<Met>,
    pub(super) events: Vec<ConflictEvent>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    commit: String,
    met: Vec<StoredMet>,
    /// The commit, the number of the conflict, and whether it was resolved.
    events: Vec<(String, u32, bool)>,
}

#[derive(Serialize, Deserialize)]
struct StoredMet {
    path: String,
    key: String,
    won: Option<EpochStamp>,
    lost: Option<EpochStamp>,
    /// The value as JSON, since null is not the same as none.
    value: Option<String>,
    lost_head: String,
    merge: String,
    is_rewritten: bool,
}

impl KeptConflicts {
    /// What the index has. If it is broken or another version wrote this, there is nothing, and the whole history is read.
    pub(super) fn read(index: &Index<'_>) -> Option<Self> {
        Self::parse(&index.kept(NAME).ok().flatten()?)
    }

    /// Keeps it for the next time. If that is not possible now, the next time takes longer.
    pub(super) fn write(&self, index: &Index<'_>) {
        if let Some(text) = self.text() {
            index.keep(NAME, &text);
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let stored: Stored = serde_json::from_str(text).ok()?;
        let count = u32::try_from(stored.met.len()).ok()?;
        Some(Self {
            commit: stored.commit.parse().ok()?,
            met: stored.met.into_iter().map(StoredMet::met).collect::<Option<_>>()?,
            events: stored
                .events
                .into_iter()
                .map(|(commit, number, resolves)| {
                    Some(ConflictEvent { commit: commit.parse().ok()?, number, resolves })
                        .filter(|event| event.number < count)
                })
                .collect::<Option<_>>()?,
        })
    }

    fn text(&self) -> Option<String> {
        let events = self.events.iter().map(|event| (event.commit.to_string(), event.number, event.resolves));
        let stored = Stored {
            commit: self.commit.to_string(),
            met: self.met.iter().map(StoredMet::new).collect(),
            events: events.collect(),
        };
        serde_json::to_string(&stored).ok()
    }
}

impl StoredMet {
    fn new(met: &Met) -> Self {
        Self {
            path: met.path.clone(),
            key: met.key.clone(),
            won: met.won.clone(),
            lost: met.lost.stamp.clone(),
            value: met.lost.value.as_ref().map(serde_json::Value::to_string),
            lost_head: met.lost_head.to_string(),
            merge: met.merge.to_string(),
            is_rewritten: met.is_rewritten,
        }
    }

    fn met(self) -> Option<Met> {
        let (Form::Doc(schema), _) = form(&self.path) else { return None };
        let value = self.value.map(|text| serde_json::from_str(&text)).transpose().ok()?;
        Some(Met {
            schema,
            path: self.path,
            key: self.key,
            won: self.won,
            lost: SideValue { stamp: self.lost, value },
            lost_head: self.lost_head.parse().ok()?,
            merge: self.merge.parse().ok()?,
            is_rewritten: self.is_rewritten,
        })
    }
}
