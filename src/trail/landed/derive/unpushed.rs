//! Work that is on the branch of this clone only.

use super::{Asked, Question, derive};
use crate::git::ObjectId;
use crate::rules::LandingProof;
use crate::rules::landed::LandedState;
use crate::store::{Store, StoreError};
use crate::trail::landed::target::UnpushedBranch;

impl Asked<'_> {
    /// Says of work that is not at the tips, nor was taken back there, whether it only has to be pushed.
    pub(crate) fn note_unpushed(
        &self,
        store: &Store,
        unpushed: &UnpushedBranch,
        questions: &[Question<'_>],
        answers: &mut [LandingProof],
    ) -> Result<(), StoreError> {
        let is_open = |proof: &LandingProof| {
            proof.landed.state == LandedState::Unlanded && proof.landed.reverted.is_empty()
        };
        let open: Vec<usize> = (0..answers.len()).filter(|n| is_open(&answers[*n])).collect();
        if open.is_empty() {
            return Ok(());
        }
        let tips: Vec<ObjectId> = self.tips.iter().copied().chain([unpushed.tip]).collect();
        let asked = Asked { tips: &tips, ..self.clone() };
        let left: Vec<Question<'_>> = open
            .iter()
            .map(|n| Question { execution: questions[*n].execution, before: Some(&answers[*n]) })
            .collect();
        let here = derive(store, &asked, &left, self.tips)?;
        for (n, here) in open.into_iter().zip(here) {
            if here.landed.state == LandedState::Landed {
                answers[n].landed.only_unpushed = Some(unpushed.remote_branch.clone());
            }
        }
        Ok(())
    }
}
