//! Remembers in which sessions the agents of a run work, so that they are asked on in them, also after the run was killed.
//! The sessions themselves are the agents' own, on this machine, and so is the note of each.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agent::known_session::KnownSession;
use crate::agent::talk::is_session_id;
use crate::model::IssueId;
use crate::ops::work::runs::paths::RunPaths;
use crate::rules::Role;

/// The directory in that of the run.
const FOLDER: &str = "sessions";

/// The note of the session in which an agent works on an issue in a role.
#[derive(Debug, Clone)]
pub(super) struct SessionNote {
    path: PathBuf,
}

/// What is noted of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NotedSession {
    /// The session.
    pub(super) session: KnownSession,
    /// What the agent was asked about: the id of an issue, a plan or an execution.
    pub(super) about: String,
    /// Whether the agent answered what it was asked last.
    pub(super) is_answered: bool,
}

impl SessionNote {
    pub(super) fn of(places: &RunPaths, role: Role, issue: &IssueId) -> Self {
        Self { path: folder(places).join(format!("{role}-{issue}.json")) }
    }

    /// What is noted; `None` if nothing is. An agent that is not confined can write there, so an id that cannot stand in a command
    /// line counts as nothing.
    pub(super) fn read(&self) -> Option<NotedSession> {
        let noted: NotedSession = serde_json::from_slice(&fs::read(&self.path).ok()?).ok()?;
        is_session_id(&noted.session.id).then_some(noted)
    }

    /// Notes a session. If that fails, the session can only not be continued.
    pub(super) fn write(&self, noted: &NotedSession) {
        let written = || -> std::io::Result<()> {
            fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))?;
            // A kill in between must not leave half of it.
            let new = self.path.with_extension("new");
            fs::write(&new, serde_json::to_vec(noted)?)?;
            fs::rename(&new, &self.path)
        };
        let _ = written();
    }

    /// The agent begins anew.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Forgets all sessions of a run that has ended.
pub(super) fn forget_all(places: &RunPaths) {
    let _ = fs::remove_dir_all(folder(places));
}

fn folder(places: &RunPaths) -> PathBuf {
    places.files.join(FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_cannot_stand_in_a_command_line_is_not_taken_from_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let note = SessionNote { path: folder.path().join("executor-ISS-1.json") };
        for (id, is_taken) in [("s-1", true), ("--yolo", false), ("a; rm -r .", false), ("", false)] {
            let session = KnownSession::begun("codex", id);
            let noted = NotedSession { session, about: "EXE-1".into(), is_answered: true };
            note.write(&noted);
            assert_eq!(note.read(), is_taken.then_some(noted), "{id}");
        }
    }
}
