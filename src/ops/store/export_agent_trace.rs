//! Writes Agent Trace records: who wrote which lines.

use std::collections::HashMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::git::{AddedLines, ObjectId};
use crate::index::Needs;
use crate::interchange::agent_trace::{File, TraceConversation, TraceRecord, TracedWork, TracedWriter};
use crate::model::{Code, CommitHash, Other, RemedyCall, count};
use crate::ops::trail::{Origin, OriginFinder};
use crate::ops::{Done, Notice, Refusal, Session};
use crate::store::{Store, StoreError};
use crate::trail::audit;

/// How many commits git compares at a time, since their patches are held in memory.
const AT_ONCE: usize = 100;

/// How many records were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WrittenTraces {
    /// Records: commits that an execution links, and that added lines.
    pub(crate) records: usize,
    /// Commits that no execution links; nothing is known about them.
    pub(crate) unlinked: usize,
    /// Linked commits without a record: merges, and those that added no lines.
    pub(crate) without_lines: usize,
}

/// Writes a record for each commit of a range, or for one commit, each on its own line.
///
/// # Errors
/// `not-found` if git does not know the commit or range; any error from writing to `out`.
pub(crate) fn export_agent_trace<E: From<Refusal> + From<io::Error>>(
    session: &Session,
    of: &str,
    out: &mut dyn Write,
) -> Result<Done<WrittenTraces>, E> {
    let store = session.store();
    let (index, ()) = session.ask(Needs::LOG, |_| Ok(()))?;
    let commits = named(store, of)?;
    let mut origins = OriginFinder::new(store, &index)?;
    let mut traced = WrittenTraces::default();
    let total = commits.len() as u64;
    session.counted("tracing", Some(total), |seen| -> Result<(), E> {
        let mut done = 0;
        for some in commits.chunks(AT_ONCE) {
            let mut linked: Vec<(ObjectId, Vec<Origin>)> = Vec::new();
            for id in some {
                let of_commit = origins.find(&CommitHash::from(*id))?;
                if of_commit.is_empty() { traced.unlinked += 1 } else { linked.push((*id, of_commit)) }
            }
            let ids: Vec<ObjectId> = linked.iter().map(|(id, _)| *id).collect();
            let mut added = added(store, &ids).map_err(Refusal::from)?;
            for (id, origins) in linked {
                match added.remove(&id) {
                    None => traced.without_lines += 1,
                    Some(files) => {
                        let record = record(store, id, files, &origins).map_err(Refusal::from)?;
                        serde_json::to_writer(&mut *out, &record).map_err(io::Error::from)?;
                        out.write_all(b"\n")?;
                        traced.records += 1;
                    }
                }
            }
            done += some.len() as u64;
            seen(done);
        }
        Ok(())
    })?;
    if traced.unlinked > 0 {
        let commits = count(traced.unlinked, "commit");
        session.notice(Notice::note(format!("left out {commits} that no execution links")));
    }
    Ok(session.done(traced, None))
}

fn added(store: &Store, ids: &[ObjectId]) -> Result<HashMap<ObjectId, Vec<AddedLines>>, StoreError> {
    // A commit whose parents are missing here would seem to have added all its lines.
    for id in ids {
        store.require_parents(&store.code_commit(*id)?)?;
    }
    if ids.is_empty() { Ok(HashMap::new()) } else { Ok(store.git().added_lines(ids)?) }
}

/// The commits of a range, oldest first, or the one commit.
fn named(store: &Store, of: &str) -> Result<Vec<ObjectId>, Refusal> {
    if of.contains("..") {
        return Ok(audit::ids(store, &[of])?);
    }
    let commit = store.git().commit_named(of).map_err(StoreError::Git)?;
    commit.map(|id| vec![id]).ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("there is no commit `{of}`"))
            .remedy(
                RemedyCall::new(Other::ExportAgentTrace, ["HEAD"]),
                "exports the commit that is checked out",
            )
            .hint("a range has two dots, such as main..HEAD")
    })
}

fn record(
    store: &Store,
    id: ObjectId,
    added: Vec<AddedLines>,
    origins: &[Origin],
) -> Result<TraceRecord, StoreError> {
    let files = added
        .into_iter()
        .map(|file| {
            let conversations = origins.iter().map(|origin| {
                let writer = match &origin.made_by {
                    Some(agent) => TracedWriter::Agent { model: agent.model.as_deref() },
                    None => TracedWriter::Unknown,
                };
                TraceConversation::new(writer, &file.ranges, &origin.issue_id, &origin.solution_id)
            });
            File { conversations: conversations.collect(), path: file.path }
        })
        .collect();
    let work = origins.iter().map(work).collect();
    Ok(TraceRecord::new(&id.into(), store.code_commit(id)?.committed_at, files, work))
}

fn work(origin: &Origin) -> TracedWork {
    TracedWork {
        issue_id: origin.issue_id.clone(),
        solution_id: origin.solution_id.clone(),
        task_id: origin.task_id.clone(),
        execution_id: origin.execution_id.clone(),
        actor: origin.actor.clone(),
        linked_by: origin.linked_by,
        made_by: origin.made_by.clone(),
    }
}
