//! Checks and words of reviewers that bear the signature of a verifier. Anyone who can push can write them; only who has a
//! key can sign them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::git::SignError;
use crate::model::digest::canonical;
use crate::model::execution::{Check, Event, Execution};
use crate::model::id::ExecutionId;
use crate::model::person::Person;
use crate::model::proof::Vouch;
use crate::model::task_id::TaskId;
use crate::rules::folder::ExecutionFolder;
use crate::rules::policy::GateValue;
use crate::store::Store;

/// The setting with the principals whose signatures count; may be set several times. It is one of the repository that looks,
/// as the file of allowed signers is: what pushes could change would not bind those who push.
const VERIFIERS: &str = "wf.verifiers";
/// Of the checks of one test, at most this many signatures are looked at, the latest first: each starts two processes, also on
/// a server during a push.
const MOST_LOOKED_AT: usize = 8;
/// The fields of a check that its signature does not cover: itself, and texts that can be hidden. The SHA-256 of the output and
/// the counts of tests are covered.
const UNSIGNED_FIELDS: [&str; 3] = ["signature", "named_tests", "output_tail"];

/// What a signature of a check speaks of: the execution, and the check without [`UNSIGNED_FIELDS`].
fn document(execution: &ExecutionId, check: &Check) -> Vec<u8> {
    let mut signed = json!(check);
    if let Value::Object(fields) = &mut signed {
        UNSIGNED_FIELDS.iter().for_each(|name| drop(fields.remove(*name)));
    }
    canonical(&json!({"execution_id": execution, "check": signed})).into_bytes()
}

/// What a signature of a reviewer's word speaks of: the execution, and the work. The reason can be hidden.
fn vouch_document(execution: &ExecutionId, vouch: &Vouch) -> Vec<u8> {
    canonical(&json!({"execution_id": execution, "vouch": {"changes": vouch.changes}})).into_bytes()
}

/// Signs checks of an execution with the key that git uses.
///
/// # Errors
/// See [`SignError`]. Then none is signed.
pub(crate) fn sign(store: &Store, execution: &ExecutionId, checks: &mut [Check]) -> Result<(), SignError> {
    let sign = |check: &Check| store.repo().sign_check(&document(execution, check));
    let signatures: Vec<String> = checks.iter().map(sign).collect::<Result<_, _>>()?;
    for (check, signature) in checks.iter_mut().zip(signatures) {
        check.signature = Some(signature);
    }
    Ok(())
}

/// Signs a reviewer's word with the key that git uses.
///
/// # Errors
/// See [`SignError`].
pub(crate) fn sign_vouch(store: &Store, execution: &ExecutionId, vouch: &mut Vouch) -> Result<(), SignError> {
    vouch.signature = Some(store.repo().sign_check(&vouch_document(execution, vouch))?);
    Ok(())
}

/// Tries the key that git uses, on a document of no check.
///
/// # Errors
/// See [`SignError`].
pub(crate) fn try_key(store: &Store) -> Result<(), SignError> {
    store.repo().sign_check(b"{}").map(drop)
}

/// Why the signature of a check does not count here, in words; `None` if it does.
pub(crate) fn why_not_counted(store: &Store, execution: &ExecutionFolder, check: &Check) -> Option<String> {
    let claim = &execution.execution;
    let Some(signature) = &check.signature else { return Some("the check is not signed".into()) };
    match Signers::of(store, &document(&claim.id, check), signature, &claim.actor) {
        Signers::Verifier => None,
        Signers::Executor(signer) => Some(format!(
            "the signature of `{signer}` does not count, who executed this: nobody verifies their own work"
        )),
        Signers::Unlisted(signer) => {
            Some(format!("the signature of `{signer}` does not count, whom `{VERIFIERS}` does not list"))
        }
        Signers::Unknown => Some(
            "the signature does not count: its key is of nobody in `gpg.ssh.allowedSignersFile`".to_owned(),
        ),
    }
}

/// Who signed something, as far as a policy cares.
enum Signers {
    /// A verifier who is not the executor.
    Verifier,
    /// The executor, with this name.
    Executor(String),
    /// Somebody whom git trusts, but who is no verifier.
    Unlisted(String),
    /// Nobody whom git trusts here.
    Unknown,
}

impl Signers {
    fn of(store: &Store, document: &[u8], signature: &str, executor: &Person) -> Self {
        let verifiers = store.config_all(VERIFIERS);
        let signers = store.repo().check_signers(document, signature);
        // Somebody may have several names; one of them is enough to be the executor.
        if let Some(own) = signers.iter().find(|signer| is_person(signer, executor)) {
            return Self::Executor(own.clone());
        }
        let is_verifier = |signer: &&String| verifiers.is_empty() || verifiers.contains(signer);
        match (signers.iter().find(is_verifier), signers.first()) {
            (Some(_), _) => Self::Verifier,
            (None, Some(other)) => Self::Unlisted(other.clone()),
            (None, None) => Self::Unknown,
        }
    }
}

/// The execution with those of its checks and words of reviewers that count: if they must be signed, only those that a verifier
/// has signed who is not the executor.
pub(crate) fn counting<'e>(
    store: &Store,
    execution: &'e ExecutionFolder,
    gate: GateValue,
) -> Cow<'e, ExecutionFolder> {
    if gate < GateValue::Signed {
        return Cow::Borrowed(execution);
    }
    let claim = &execution.execution;
    let mut counting = execution.clone();
    let latest = latest_signed(execution);
    // A signature speaks of one run of the tests: a copy of an old entry is not a newer one.
    let mut seen = BTreeSet::new();
    counting.log.retain(|entry| match &entry.event {
        Event::Check(check) => check.signature.as_ref().is_some_and(|signature| {
            latest.contains(signature.as_str())
                && seen.insert(signature.clone())
                && is_verified(store, &document(&claim.id, check), signature, &claim.actor)
        }),
        Event::Vouch(vouch) => vouch.signature.as_ref().is_some_and(|signature| {
            latest.contains(signature.as_str())
                && is_verified(store, &vouch_document(&claim.id, vouch), signature, &claim.actor)
        }),
        _ => true,
    });
    Cow::Owned(counting)
}

fn is_verified(store: &Store, document: &[u8], signature: &str, executor: &Person) -> bool {
    matches!(Signers::of(store, document, signature, executor), Signers::Verifier)
}

/// The signatures that are looked at: of each test, and of the words of reviewers, the latest ones.
fn latest_signed(execution: &ExecutionFolder) -> BTreeSet<&str> {
    let mut latest: BTreeMap<Option<(Option<&TaskId>, &str)>, BTreeSet<&str>> = BTreeMap::new();
    for entry in execution.log.iter().rev() {
        let (of, signature) = match &entry.event {
            Event::Check(check) => {
                (Some((check.task_id.as_ref(), check.command.as_str())), check.signature.as_deref())
            }
            Event::Vouch(vouch) => (None, vouch.signature.as_deref()),
            _ => continue,
        };
        let known = latest.entry(of).or_default();
        if known.len() < MOST_LOOKED_AT {
            known.extend(signature);
        }
    }
    latest.into_values().flatten().collect()
}

/// Whether a principal, which is an e-mail address by custom, means a person.
fn is_person(principal: &str, person: &Person) -> bool {
    let principal = principal.to_lowercase();
    let address = person.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let address = address.map_or(person.trim(), |(email, _)| email.trim());
    principal.split(',').any(|one| one == address.to_lowercase())
}
