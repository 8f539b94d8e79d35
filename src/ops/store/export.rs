//! Exporting the store for other programs.

use std::io::{self, Write};

use crate::interchange::jsonl::{self, Exported};
use crate::model::id::IssueId;
use crate::ops::{Done, Notice, Refusal, Session};
use crate::store::{StoreError, resolve};

/// Writes the store to `out` as JSON lines, or only these issues if any are named.
///
/// # Errors
/// `not-found`, `ambiguous-id`; any error from writing to `out`.
pub(crate) fn export<E: From<Refusal> + From<StoreError> + From<io::Error>>(
    session: &Session,
    issues: &[String],
    out: &mut dyn Write,
) -> Result<Done<Exported>, E> {
    let state = session.store().snapshot()?;
    let found = |text: &String| {
        let not_found = |error| Refusal::from(error).hint("`--output FILE` writes to a file");
        resolve::issue(&state, text).map_err(not_found)
    };
    let issues = issues.iter().map(found);
    let issues: Vec<IssueId> = issues.collect::<Result<_, _>>()?;
    let write = |seen: &mut dyn FnMut(u64)| jsonl::write::<E>(&state, &issues, out, seen);
    let exported = session.counted("exporting", None, write)?;
    session.notice_all(
        exported
            .left_out
            .iter()
            .map(|left| Notice::warning(format!("`{}` is left out: {}", left.path, left.reason))),
    );
    Ok(session.done(exported, None))
}
