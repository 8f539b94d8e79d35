//! Which of some commits no branch has, for answers that show commits.

use super::{Notice, Session};
use crate::model::CommitHash;
use crate::rules::ExecutionFolder;
use crate::trail::reach::Unreached;

/// The unreachable ones among these commits. If git cannot tell, the rest is still shown: none is marked, and a notice
/// says so.
pub(crate) fn unreached<'a>(session: &Session, commits: impl Iterator<Item = &'a CommitHash>) -> Unreached {
    Unreached::among(session.store(), commits).unwrap_or_else(|error| {
        session.notice(Notice::warning(format!("cannot tell which commits are on no branch: {error}")));
        Unreached::default()
    })
}

/// The unreachable ones among the commits that these executions link, and their earlier versions.
pub(crate) fn unreached_of<'a>(
    session: &Session,
    executions: impl Iterator<Item = &'a ExecutionFolder>,
) -> Unreached {
    unreached(session, executions.flat_map(ExecutionFolder::known_commits))
}
