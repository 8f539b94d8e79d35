//! Checks and words of reviewers that bear the signature of a verifier. Anyone who can push can write them; only who has a
//! key can sign them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::git::SignError;
use crate::model::digest::canonical;
use crate::model::{Check, Event, ExecutionId, Person, TaskId, Vouch};
use crate::rules::{ExecutionFolder, GateValue};
use crate::store::Store;

/// The setting with the principals whose signatures count; may be set several times. It is one of the repository that looks,
/// as the file of allowed signers is: what pushes could change would not bind those who push.
const VERIFIERS: &str = "wf.verifiers";
/// Of the checks of one test, at most this many are looked at, the latest first, and of each as many signatures: each starts two
/// processes, also on a server during a push. Of the others, those that failed count and those that passed do not.
const MOST_LOOKED_AT: usize = 32;
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
    let now = store.now().ok();
    let mut signed = checks.to_vec();
    for check in &mut signed {
        check.signed_at = now;
        check.signature = Some(store.repo().sign_check(&document(execution, check))?);
    }
    checks.clone_from_slice(&signed);
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
            "the signature of `{signer}` does not count: they executed this, and nobody verifies their own work"
        )),
        Signers::Unlisted(signer) => {
            Some(format!("the signature of `{signer}` does not count: `{VERIFIERS}` does not list them"))
        }
        Signers::Unknown => Some(
            "the signature does not count: its key belongs to nobody in `gpg.ssh.allowedSignersFile`"
                .to_owned(),
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
    // Signatures by unknown keys, which anyone who can push can add, must not crowd out others.
    let keys = store.repo().allowed_keys();
    counting.log.retain(|entry| match &entry.event {
        Event::Check(Check { signature: Some(signature), .. })
        | Event::Vouch(Vouch { signature: Some(signature), .. }) => keys.may_have_made(signature),
        _ => true,
    });
    keep_counting(&mut counting, |signed, signature| {
        matches!(Signers::of(store, signed, signature, &claim.actor), Signers::Verifier)
    });
    Cow::Owned(counting)
}

/// Drops the checks and words of reviewers that do not count; `is_verified` looks whether a verifier made a signature.
fn keep_counting(execution: &mut ExecutionFolder, mut is_verified: impl FnMut(&[u8], &str) -> bool) {
    let latest = latest_documents(execution);
    let ExecutionFolder { execution: claim, log } = execution;
    let mut verified = BTreeSet::new();
    let mut tries: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut may_try = |signed: &[u8]| {
        let tried = tries.entry(signed.to_vec()).or_default();
        *tried += 1;
        *tried <= MOST_LOOKED_AT
    };
    log.retain(|entry| match &entry.event {
        Event::Check(check) => {
            let Some(signature) = &check.signature else { return false };
            let signed = document(&claim.id, check);
            // A signed document is about one run of the tests: a later copy is not a newer run, however its signature is
            // wrapped. A flood of copies, of which only the first are looked at, cannot hide a failure either.
            if verified.contains(&signed) || !latest.contains(&signed) || !may_try(&signed) {
                return !check.has_passed();
            }
            let counts = is_verified(&signed, signature);
            if counts {
                verified.insert(signed);
            }
            counts
        }
        Event::Vouch(vouch) => {
            let signed = vouch_document(&claim.id, vouch);
            vouch.signature.as_ref().is_some_and(|signature| {
                latest.contains(&signed) && may_try(&signed) && is_verified(&signed, signature)
            })
        }
        _ => true,
    });
}

/// What a signature speaks of: a test, by its task and its command, or, as `None`, the words of a reviewer.
type Subject<'a> = Option<(Option<&'a TaskId>, &'a str)>;

/// What the signatures that are looked at speak of: of each test, and of the words of reviewers, the latest.
fn latest_documents(execution: &ExecutionFolder) -> BTreeSet<Vec<u8>> {
    let id = &execution.execution.id;
    let mut latest: BTreeMap<Subject<'_>, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for entry in execution.log.iter().rev() {
        let (of, signed) = match &entry.event {
            Event::Check(check) if check.signature.is_some() => {
                (Some((check.task_id.as_ref(), check.command.as_str())), document(id, check))
            }
            Event::Vouch(vouch) if vouch.signature.is_some() => (None, vouch_document(id, vouch)),
            _ => continue,
        };
        let known = latest.entry(of).or_default();
        if known.len() < MOST_LOOKED_AT {
            known.insert(signed);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LogEntry;
    use crate::model::fixtures::entry_id;
    use crate::rules::test_claim::{claim, time};

    /// Which run of the tests it is, its exit code, and its signature.
    type Run = (u64, i32, &'static str);

    fn check((run, exit_code, signature): Run) -> Event {
        let check = json!({"command": "make test", "exit_code": exit_code, "duration_ms": run, "output_sha256": "",
            "output_tail": "", "dirty": false, "signature": signature});
        Event::Check(serde_json::from_value(check).unwrap())
    }

    /// The runs that count, and how many signatures were looked at. Signatures that begin with `good` are of a verifier.
    fn counted(runs: &[Run]) -> (Vec<u64>, usize) {
        let log = runs.iter().map(|run| LogEntry {
            id: entry_id("20261121T021405123Z-00000"),
            event: check(*run),
            actor: "a".into(),
            at: time(1),
        });
        let mut execution = ExecutionFolder { execution: claim("EXR-ISS-1-a", 1), log: log.collect() };
        let mut looked_at = 0;
        keep_counting(&mut execution, |_, signature| {
            looked_at += 1;
            signature.starts_with("good")
        });
        let runs = execution.log.iter().filter_map(|entry| match &entry.event {
            Event::Check(check) => Some(check.duration_ms),
            _ => None,
        });
        (runs.collect(), looked_at)
    }

    #[test]
    fn a_copy_of_a_check_that_passed_is_not_a_newer_one() {
        // However it is wrapped.
        assert_eq!(counted(&[(1, 0, "good"), (2, 1, "good"), (1, 0, "good, again")]).0, [1, 2]);
        // A copy without a signature that counts does not stand for the original.
        assert_eq!(counted(&[(1, 0, "bad"), (2, 0, "good"), (1, 0, "good")]).0, [2, 1]);
        // An earlier copy of one that failed does not take its place.
        assert_eq!(counted(&[(2, 1, "good"), (1, 0, "good"), (2, 1, "good")]).0, [2, 1, 2]);
    }

    #[test]
    fn no_failure_is_hidden_among_many() {
        let many = |run: Run| -> Vec<Run> {
            let forged = (10..80).map(|run| (run, 0, "bad"));
            [run].into_iter().chain(forged).collect()
        };
        assert_eq!(counted(&many((1, 1, "good"))), (vec![1], MOST_LOOKED_AT));
        assert_eq!(counted(&many((1, 0, "good"))), (vec![], MOST_LOOKED_AT));
        let copies: Vec<Run> = [(1, 0, "bad")].repeat(60);
        assert_eq!(counted(&copies), (vec![], MOST_LOOKED_AT));
    }
}
