//! Takes over what an agent hands in: its commits as they are, its records rewritten, in its name and role, and with one commit for
//! each operation.

use std::collections::BTreeMap;

use crate::gate::handed_branch::{BranchBounds, BranchFault, RefusedBranch, judge_branch};
use crate::gate::handed_in::{HandedRecord, HandingAgent, RefusedRecord, judge_records};
use crate::model::{Code, ExecutionId, Explain, FoldedPaths, IssueId, Op, count};
use crate::ops::{Refusal, Session};
use crate::rules::Role;
use crate::store::{AtPath, ObjectId, Tx};
use crate::workplace::{HandIn, HandedRef, Workplace};

/// What an agent works on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AgentSubject<'a> {
    /// The issue; `None` if it was asked about no single one.
    pub(crate) issue: Option<&'a IssueId>,
    /// The execution whose plan it executes.
    pub(crate) execution: Option<&'a ExecutionId>,
}

/// Takes what may be taken of the records in a workplace. `agent` is a session in the name and the role of the agent. Returns what
/// was not taken.
///
/// # Errors
/// If the records cannot be read; nothing is taken then.
pub(crate) fn take_records(
    agent: &Session,
    role: Role,
    AgentSubject { issue, execution }: AgentSubject<'_>,
    handed: &HandIn<'_>,
) -> Result<Vec<RefusedRecord>, Refusal> {
    let store = agent.store();
    let Some(HandedRef { moved, seeing, .. }) = handed.records()? else { return Ok(Vec::new()) };
    let person = store.identity()?.person();
    let handing = HandingAgent { person: &person, role, issue, execution };
    let judged = judge_records(&seeing, moved.given, moved.now, &handing)?;
    let mut by_op: BTreeMap<(bool, &str), (Op, Vec<HandedRecord>)> = BTreeMap::new();
    for record in judged.taken {
        // An issue is there before what is said about it, also if this process is killed in between.
        let order = (record.op != Op::New, record.op.as_str());
        by_op.entry(order).or_insert_with(|| (record.op, Vec::new())).1.push(record);
    }
    for (op, records) in by_op.into_values() {
        let permit = agent.permit(op)?;
        agent.transact(permit, |tx| {
            for record in &records {
                write(tx, record)?;
            }
            tx.describe(format!("{}: hand in {}", op.as_str(), count(records.len(), "record")));
            Ok(())
        })?;
    }
    Ok(judged.refused)
}

/// Writes a record, joined with what someone else has written there meanwhile.
fn write(tx: &mut Tx<'_>, record: &HandedRecord) -> Result<(), Refusal> {
    let bytes = match tx.base().find(&record.path)? {
        AtPath::File(mine) => tx.base().join(&record.path, &mine, &record.bytes)?,
        _ => record.bytes.clone(),
    };
    Ok(tx.write(record.path.clone(), bytes)?)
}

/// What happened to the commits on the branch of a workplace.
#[derive(Debug)]
pub(crate) enum TakenCommits {
    /// There are none.
    Nothing,
    /// They are in the repository now, without a ref; the last of them.
    Taken(ObjectId),
    /// They were not taken.
    Refused(Vec<RefusedBranch>),
}

/// Takes the commits on the branch of a workplace. `named` are the paths that the plan names.
///
/// # Errors
/// If the repository of the user cannot be read or written.
pub(crate) fn take_commits(
    session: &Session,
    named: &FoldedPaths,
    place: &Workplace,
    handed: &HandIn<'_>,
) -> Result<TakenCommits, Refusal> {
    let store = session.store();
    // What the agent broke is a reason to refuse its commits.
    let handed = match handed.commits() {
        Ok(Some(handed)) => handed,
        Ok(None) => return Ok(TakenCommits::Nothing),
        Err(error) if error.code() == Code::Interrupted => return Err(error.into()),
        Err(error) => {
            let why = error.to_string();
            return Ok(TakenCommits::Refused(vec![RefusedBranch { fault: BranchFault::Other, why }]));
        }
    };
    let (ignored, given) = (place.ignored(), place.given(store)?);
    let bounds = BranchBounds { named, ignored: &ignored, given: &given };
    let moved = handed.moved;
    let judged = judge_branch(store, &handed.seeing, moved.given, moved.now, &bounds)?;
    if judged.refused.is_empty() {
        handed.take(store)?;
        Ok(TakenCommits::Taken(moved.now))
    } else {
        Ok(TakenCommits::Refused(judged.refused))
    }
}

/// Why a commit of files that an agent left must not be kept on a branch; empty if it may.
///
/// # Errors
/// If the repository of the user cannot be read.
pub(crate) fn refuse_to_keep(
    session: &Session,
    place: &Workplace,
    commit: ObjectId,
) -> Result<Vec<RefusedBranch>, Refusal> {
    let (store, ignored) = (session.store(), place.ignored());
    let bounds = BranchBounds { named: &FoldedPaths::default(), ignored: &ignored, given: &[] };
    let seeing = place.seeing_files(store)?;
    let mut refused = judge_branch(store, &seeing, place.tip(), commit, &bounds)?.refused;
    refused.retain(|refused| refused.fault == BranchFault::Content);
    Ok(refused)
}
