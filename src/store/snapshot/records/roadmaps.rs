//! Reads roadmaps.

use super::{log, recorded_behind};
use crate::model::{ROADMAP, RoadmapId, RoadmapLogEntry};
use crate::rules::RoadmapFolder;
use crate::store::{ReadState, Redactions, StoreError, layout};

/// The ids of all roadmaps.
pub(crate) fn roadmap_ids(read: &impl ReadState) -> Result<Vec<RoadmapId>, StoreError> {
    Ok(read.names(layout::ROADMAPS)?.iter().filter_map(|name| RoadmapId::parse(name).ok()).collect())
}

/// One roadmap with its log.
pub(crate) fn roadmap(read: &impl ReadState, id: &RoadmapId) -> Result<Option<RoadmapFolder>, StoreError> {
    let path = layout::roadmap(id);
    let hidden = Redactions::at(read, &path)?;
    let Some(roadmap) = recorded_behind(read, &ROADMAP, &path, &hidden)? else { return Ok(None) };
    let mut broken = Vec::new();
    let log = log::<RoadmapLogEntry>(read, &layout::roadmap_log(id), &hidden, &mut broken)?;
    Ok(Some(RoadmapFolder { roadmap, log, broken }))
}
