//! Sessions that were cut off when their run was killed: noted when they begin, recorded when the run is resumed.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agent::transcript;
use crate::model::{AgentSession, ExecutionId};
use crate::ops::Session;
use crate::ops::work::record_session;
use crate::ops::work::runs::paths::{AgentIdentity, RunPaths};
use crate::trail::active;

/// The suffix of the name of a note, after the name of the transcript.
const OPEN: &str = "open";

/// What is known when a conversation begins.
#[derive(Serialize, Deserialize)]
struct Begun {
    execution_id: ExecutionId,
    session: AgentSession,
}

fn note(transcript: &Path) -> PathBuf {
    let mut name = transcript.as_os_str().to_owned();
    name.push(".");
    name.push(OPEN);
    PathBuf::from(name)
}

/// Notes that an agent is asked. A failure matters only if the run is killed: then the session is not recorded.
pub(super) fn begins(transcript: &Path, execution: &ExecutionId, session: AgentSession) {
    let begun = Begun { execution_id: execution.clone(), session };
    if let (Ok(bytes), Some(folder)) = (serde_json::to_vec(&begun), transcript.parent()) {
        let _ = fs::create_dir_all(folder).and_then(|()| fs::write(note(transcript), bytes));
    }
}

/// Adds the agent's own id of the session to the note of a conversation that has begun.
pub(super) fn knows_session(transcript: &Path, id: &str) {
    let path = note(transcript);
    let begun = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Begun>(&bytes).ok());
    let Some(mut begun) = begun else { return };
    begun.session.session_id = Some(id.to_owned());
    if let Ok(bytes) = serde_json::to_vec(&begun) {
        let _ = fs::write(path, bytes);
    }
}

/// The session was recorded.
pub(super) fn ended(transcript: &Path) {
    let _ = fs::remove_file(note(transcript));
}

/// Records the sessions that began and did not end, in the name of the executor. The run goes on without those that
/// cannot be recorded.
pub(super) fn record(session: &Session, places: &RunPaths, executor: &AgentIdentity) {
    let Ok(files) = fs::read_dir(places.transcripts()) else { return };
    let mut notes: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    notes.retain(|path| path.extension().is_some_and(|end| end == OPEN));
    notes.sort();
    for path in notes {
        let transcript = path.with_extension("");
        let begun = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Begun>(&bytes).ok());
        let Some(Begun { execution_id, session: held }) = begun else { continue };
        let lasted = transcript::lasted(&transcript).unwrap_or_default();
        let held = AgentSession {
            ended_at: Some(held.started_at.plus_millis(i64::try_from(lasted).unwrap_or_default())),
            transcript_sha256: transcript::sha256(&transcript).ok(),
            summary: Some("the run was interrupted before the agent answered".to_owned()),
            ..held
        };
        let tree = active::work_dir_of(session.store(), &execution_id).ok().flatten();
        let recorded = executor
            .at(&tree.unwrap_or_else(|| places.branch_tree()))
            .and_then(|there| record_session(&there, &execution_id, held).map(drop));
        if recorded.is_ok() {
            ended(&transcript);
        }
    }
}
