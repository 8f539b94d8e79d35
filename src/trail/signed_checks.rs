//! Checks that bear the signature of a verifier. Anyone who can push can write a check; only who has a key can sign one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::json;

use crate::model::digest::canonical;
use crate::model::execution::{Check, Event, Execution};
use crate::model::id::ExecutionId;
use crate::model::person::Person;
use crate::rules::folder::ExecutionFolder;
use crate::rules::policy::GateValue;
use crate::store::Store;

/// The setting with the principals whose signatures count; may be set several times. It is one of the repository that looks,
/// as the file of allowed signers is: what pushes could change would not bind those who push.
const VERIFIERS: &str = "wf.verifiers";

/// What a signature of a check speaks of: the check without it, and the execution.
pub(crate) fn document(execution: &ExecutionId, check: &Check) -> Vec<u8> {
    let unsigned = Check { signature: None, ..check.clone() };
    canonical(&json!({"execution_id": execution, "check": unsigned})).into_bytes()
}

/// The execution with those of its checks that count: if they must be signed, only those that a verifier has signed who is not
/// the executor.
pub(crate) fn counting<'e>(
    store: &Store,
    execution: &'e ExecutionFolder,
    gate: GateValue,
) -> Cow<'e, ExecutionFolder> {
    if gate < GateValue::Signed {
        return Cow::Borrowed(execution);
    }
    let verifiers = store.config_all(VERIFIERS);
    let mut counting = execution.clone();
    // A signature speaks of one run of the tests: a copy of an old entry is not a newer one.
    let mut seen = BTreeSet::new();
    counting.log.retain(|entry| match &entry.event {
        Event::Check(check) => {
            check.signature.as_ref().is_some_and(|signature| seen.insert(signature.clone()))
                && is_signed(store, &execution.execution, check, &verifiers)
        }
        _ => true,
    });
    Cow::Owned(counting)
}

/// Whether one of the verifiers signed the result, who is not the executor; without verifiers, anybody else.
fn is_signed(store: &Store, claim: &Execution, check: &Check, verifiers: &[String]) -> bool {
    let Some(signature) = &check.signature else { return false };
    let signers = store.repo().check_signers(&document(&claim.id, check), signature);
    // Somebody may have several names; one of them is enough to be the executor.
    signers.iter().any(|signer| verifiers.is_empty() || verifiers.contains(signer))
        && !signers.iter().any(|signer| is_person(signer, &claim.actor))
}

/// Whether a principal, which is an e-mail address by custom, means a person.
fn is_person(principal: &str, person: &Person) -> bool {
    let principal = principal.to_lowercase();
    let address = person.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let address = address.map_or(person.trim(), |(email, _)| email.trim());
    principal.split(',').any(|one| one == address.to_lowercase())
}
