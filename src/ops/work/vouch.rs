//! A reviewer's word for work whose tests are not proved to test it.

use super::ChangedExecution;
use super::verify::named_execution;
use crate::model::proof::Vouch as Word;
use crate::model::{Check, Code, Event, Op, Other, Proof, RemedyCall};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::review::is_someone_else;
use crate::rules::{ExecutionFolder, Gate, GateValue};
use crate::store::{ReadState, StoreError, records};
use crate::trail::signed_checks;

/// Work to vouch for.
#[derive(Debug)]
pub(crate) struct Vouch {
    /// The execution: its id, or that of its issue, plan or item.
    pub(crate) execution: String,
    /// What shows that its tests hold.
    pub(crate) reason: String,
}

/// Vouches for the work that was tested last. The word counts as long as the work is the same, also on top of another base.
///
/// # Errors
/// `not-found`; `own-plan` for the executor; nothing to do if there is no proof, or if it holds; if the policy counts only
/// signed words, the reason why git's key does not sign.
pub(crate) fn vouch(session: &Session, input: &Vouch) -> Answer<ChangedExecution> {
    let permit = session.permit(Op::Vouch)?;
    let store = session.store();
    store.snapshot()?;
    let committed = session.transact(permit, |tx| {
        let (_, execution) = named_execution(session, tx, Some(&input.execution))?;
        let id = &execution.execution.id;
        let proof = last_proof(&execution)?;
        if !is_someone_else(tx.person(), &execution.execution.actor) {
            let message = format!("`{}` made this work, and nobody may vouch for their own", tx.person());
            return Err(Refusal::new(Code::OwnPlan, message)
                .hint("someone else looks at it, and vouches for it from their clone"));
        }
        let (changes, reason) = (proof.changes.clone(), input.reason.clone());
        let mut word = Word { changes, reason, signature: None };
        if must_be_signed(tx)? {
            signed_checks::sign_vouch(store, id, &mut word)?;
        }
        let word = Event::Vouch(word);
        if !execution.log.iter().any(|entry| entry.event == word && entry.actor == *tx.person()) {
            tx.log(id, word)?;
            tx.describe(format!("execution: vouch for {}", execution.execution.solution_id));
        }
        Ok(id.clone())
    })?;
    let changed = ChangedExecution::now(store, &committed.answer)?;
    Ok(session.done(changed, committed.commit))
}

/// Whether the policy counts only signed evidence.
fn must_be_signed(read: &impl ReadState) -> Result<bool, StoreError> {
    Ok(Gate::Evidence.setting(&records::root(read)?.policy) >= GateValue::Signed)
}

/// The proof of the last check that has one.
fn last_proof(execution: &ExecutionFolder) -> Result<&Proof, Refusal> {
    let id = execution.execution.id.short();
    let mut checks = execution.log.iter().rev().filter_map(|entry| match &entry.event {
        Event::Check(check) => Some(check),
        _ => None,
    });
    let Some(proof) = checks.find_map(|check: &Check| check.proof.as_ref()) else {
        return Err(Refusal::nothing(format!(
            "nobody has checked yet whether the tests of `{id}` test its work"
        ))
        .remedy(RemedyCall::new(Op::Verify, [id]).flag("fresh"), "does"));
    };
    if proof.holds() {
        return Err(Refusal::nothing(format!("the tests of `{id}` are proved to test its work"))
            .remedy(RemedyCall::new(Other::Show, [id]), "shows the proof"));
    }
    Ok(proof)
}
