//! The trackers that issues can come from.

use serde_json::{Map, Value};

use super::beads::BEADS;
use super::ccw::CCW;
use super::git_bug::GIT_BUG;
use super::github::GITHUB;
use super::plan_tools::{backlog, gsd, openspec, spec_kit, task_master};
use super::roadmap::ROADMAP;
use super::table::TABLE;
use super::tracker::{Arrival, Tracker};

/// All of them. The first one whose record it is reads it.
const TRACKERS: &[&Tracker] = &[
    &ROADMAP,
    &openspec::TRACKER,
    &spec_kit::TRACKER,
    &task_master::TRACKER,
    &gsd::TRACKER,
    &backlog::TRACKER,
    &TABLE,
    &GIT_BUG,
    &GITHUB,
    &CCW,
    &BEADS,
];

/// The tracker that wrote this record.
pub(crate) fn find(record: &Value) -> Option<&'static Tracker> {
    TRACKERS.iter().copied().find(|tracker| (tracker.is_own)(record))
}

/// What a record means here, and its tracker; `None` if no tracker can read it.
pub(crate) fn read(record: &Value) -> Option<(&'static Tracker, Arrival)> {
    let tracker = find(record)?;
    Some((tracker, (tracker.read)(record).ok()?))
}

/// The values of a record that have no field here, with the tracker that has them, unless it is this one.
pub(crate) fn kept_by_others(tracker: &Tracker, record: &Value) -> Vec<String> {
    let Some(other) = find(record).filter(|other| other.name != tracker.name) else { return vec![] };
    (other.kept)(record).keys().map(|name| format!("`{name}` of {}", other.name)).collect()
}

/// The values of a record that have no field here.
pub(crate) fn kept(record: &Value) -> Map<String, Value> {
    find(record).map(|tracker| (tracker.kept)(record)).unwrap_or_default()
}
