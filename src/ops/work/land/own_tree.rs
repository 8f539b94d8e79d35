//! Evidence belongs to a tree. If the commits of an issue are replaced, their last one may have a tree that is not the one that
//! was tested: other issues of the batch are on top, or what ticks it off. If evidence is required, it is tested as well.

use std::collections::{BTreeMap, BTreeSet};

use super::Landing;
use super::step::{Candidate, LandStep};
use super::tests::{LandTest, PassedChecks, Trial, TrialEnd};
use super::view::NotLanded;
use crate::ops::Refusal;
use crate::rules::{Gate, GateValue};
use crate::store::records;

impl Landing<'_> {
    /// Runs the tests of the plans whose commits are replaced on the last of the new commits, and adds the checks. Returns the
    /// issues of which one fails, by their places.
    pub(super) fn test_rewritten(
        &self,
        made: &Candidate,
        trial: &mut Trial<'_>,
        checks: &mut PassedChecks,
    ) -> Result<BTreeMap<usize, NotLanded>, Refusal> {
        let store = self.session.store();
        let policy = records::root(&store.snapshot()?)?.policy;
        let mut failed = BTreeMap::new();
        if Gate::Evidence.setting(&policy) < GateValue::Required {
            return Ok(failed);
        }
        let tests: Vec<&LandTest> = self.tests.iter().filter(|test| test.is_of_plan()).collect();
        let tested = store.code_tree_of(made.tip)?;
        let rewritten: Vec<&LandStep> = made.steps.iter().filter(|step| !step.replaced.is_empty()).collect();
        for step in rewritten {
            if store.code_tree_of(step.work_end)? == tested {
                continue;
            }
            let only = BTreeSet::from([step.issue]);
            match trial.run(self.session, &tests, &self.issues, &only, step.work_end)? {
                TrialEnd::Passed(passed) => {
                    for (place, more) in passed {
                        checks.entry(place).or_default().extend(more);
                    }
                }
                TrialEnd::Failed(found) => {
                    failed.insert(step.issue, found.shown(&self.issues[step.issue]));
                }
            }
        }
        Ok(failed)
    }
}
