//! Lands completed work beside the agents: its tests may take long.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::panicked::caught;
use super::testing::TEST_LIMIT;
use crate::model::{IssueId, RunId};
use crate::ops::work::runs::paths::AgentIdentity;
use crate::ops::work::{self, LandMethod, LandView, LandWork, Test, VerifyObserver};
use crate::ops::{Answer, Refusal};
use crate::process::supervise::Ran;
use crate::rules::CountedTests;
use crate::store::ObjectId;

/// What a run lands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LandingOrder {
    /// The work of an issue that was just merged.
    Issue(IssueId),
    /// The same, if nobody but a person can resolve its conflict: its merge is begun for one.
    ByHand(IssueId),
    /// Whatever the run has not landed yet.
    Rest {
        /// The issues that this may be.
        issues: Vec<IssueId>,
        /// Whether nobody stopped another completed issue of the run.
        is_whole: bool,
    },
}

/// A landing that has ended.
pub(super) struct EndedLanding {
    /// What was to land.
    pub(super) order: LandingOrder,
    /// What has, and what has not.
    pub(super) landed: Answer<LandView>,
}

/// The commits to which the run itself moves the branch on which it lands. They are noted before it moves, so that no agent's step
/// ends in between and takes that for a change by somebody else.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnLandings(Arc<Mutex<BTreeSet<ObjectId>>>);

impl OwnLandings {
    /// All so far.
    pub(super) fn so_far(&self) -> BTreeSet<ObjectId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Nobody looks at the output of tests.
impl VerifyObserver for OwnLandings {
    fn begins(&mut self, _: &Test, _: usize, _: usize) {}
    fn wrote(&mut self, _: &[u8]) {}
    fn ended(&mut self, _: &Ran, _: &CountedTests) {}

    fn lands(&mut self, tip: ObjectId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tip);
    }
}

impl LandingOrder {
    /// The issues whose work is tested for it.
    pub(super) fn issues(&self) -> &[IssueId] {
        match self {
            Self::Issue(issue) | Self::ByHand(issue) => std::slice::from_ref(issue),
            Self::Rest { issues, .. } => issues,
        }
    }

    /// What it lands, as `git wf land` takes it.
    pub(super) fn what(&self, run: &RunId) -> Vec<String> {
        match self {
            Self::Rest { is_whole: true, .. } => vec![run.to_string()],
            _ => self.issues().iter().map(IssueId::to_string).collect(),
        }
    }

    /// Whether the merges of conflicts are begun for a person, or shown if they stand half done.
    fn is_by_hand(&self) -> bool {
        matches!(self, Self::ByHand(_) | Self::Rest { is_whole: true, .. })
    }
}

/// Lands it, on behalf of the owner of the run.
pub(super) fn land(
    owner: &AgentIdentity,
    run: &RunId,
    order: LandingOrder,
    mut own: OwnLandings,
) -> EndedLanding {
    let input = LandWork {
        what: order.what(run),
        all: false,
        onto: None,
        how: LandMethod::Merge,
        batch: 1,
        dry_run: false,
        by_hand: order.is_by_hand(),
    };
    let landed = caught(|| {
        let session = owner.shared_session()?;
        work::landing(&session, input)?.run(TEST_LIMIT, &mut own)
    });
    EndedLanding { order, landed: landed.unwrap_or_else(Err) }
}

/// Whether a landing came to nothing because the run is over for this driver.
pub(super) fn ends_run(refusal: &Refusal) -> bool {
    refusal.is_stop() || refusal.code == crate::model::Code::TakenOver
}
