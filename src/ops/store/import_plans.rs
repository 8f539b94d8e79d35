//! Which issues the plans of a tool are here.

use crate::interchange::plan_tools::{PlanFiles, PlanTool};
use crate::ops::{Refusal, Session};
use crate::store::records;

/// Gives each plan that a tool's directory has the id of the issue that it was imported as, also if its name now belongs to
/// another one.
///
/// # Errors
/// If there is no store, or it cannot be read.
pub(crate) fn settle_names(session: &Session, tool: &PlanTool, found: &mut PlanFiles) -> Result<(), Refusal> {
    let Some(names) = tool.reused_names else { return Ok(()) };
    let state = session.store().snapshot()?;
    let ids = records::issue_ids(&state)?;
    names.settle(found, |short| {
        let begins = format!("{short}-");
        let alike = ids.iter().filter(|id| *id == short || id.as_str().starts_with(&begins));
        // An issue that cannot be read is named when it is written.
        let imported = alike.filter_map(|id| {
            let outline = records::outline(&state, id).ok().flatten()?;
            Some((id.clone(), outline.issue.record.imported.filter(tool.tracker.is_own)?))
        });
        imported.collect()
    });
    Ok(())
}
