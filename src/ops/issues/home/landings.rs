//! Completed work that waits to be landed.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::attention::{AttentionFacts, AttentionItem};
use crate::index::{Filter, SortOrder};
use crate::model::{Op, Other, Remedies, RemedyCall};
use crate::ops::{Refusal, work};
use crate::rules::{Landed, LandedState};

impl AttentionFacts<'_> {
    /// Issues whose completed work is known to be absent from the target branch.
    pub(super) fn landings(&self) -> Result<(usize, Vec<AttentionItem>), Refusal> {
        let filter = Filter { unlanded: true, ..Filter::default() };
        let count = self.index.count(&filter)?;
        if count == 0 {
            return Ok((0, vec![]));
        }
        let numbers = self.index.list(&filter, SortOrder::Priority, 0, Some(self.most))?;
        let half_done = work::half_done(self.session.store())?;
        let mut first = Vec::new();
        let _ = self.index.each_listed(&numbers, |row| {
            let landed = row.not_landed.as_ref();
            let state = match landed.and_then(|landed| landed.conflict.as_ref()) {
                Some(conflict) => Cow::Owned(format!("waits for a person: {conflict}")),
                None => row.status_words(),
            };
            let is_reverted = landed.is_some_and(|landed| !landed.reverted.is_empty());
            let remedies = match landed.map(|landed| landed.state) {
                Some(LandedState::OnNoBranch) => Remedies::call(
                    RemedyCall::new(Other::Trace, [&row.id]),
                    "shows its commits, which must be on a branch again",
                ),
                _ if half_done.contains(&row.id) => Remedies::call(
                    RemedyCall::new(Op::Land, [&row.id]).flag("continue"),
                    "lands its unfinished merge, once it is resolved",
                ),
                _ if is_reverted => {
                    Remedies::call(RemedyCall::new(Op::Reopen, [&row.id]), "reopens it; or revert the revert")
                }
                _ => {
                    let lands = Remedies::call(RemedyCall::new(Op::Land, [&row.id]), "lands it");
                    match landed.and_then(Landed::push) {
                        Some(push) => lands.or_command(push, "publishes it without its tests"),
                        None => lands,
                    }
                }
            };
            let (id, what) = (row.id.to_string(), format!("{state}: {}", row.title));
            first.push(AttentionItem::new(id, Some(row.id), what, remedies.into_vec()));
            ControlFlow::<()>::Continue(())
        })?;
        Ok((count, first))
    }
}
