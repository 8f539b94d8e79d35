//! Consent to the commands that someone types here. `verify` asks about commands that others may have written; whoever
//! types a command, as an option or in the editor, has seen it.
//!
//! Consent is given as the plan is written and never derived from records: author, branch or reflog can come from
//! anywhere. So a plan that arrives by a pull, a merge, an import, a file or a protocol is asked about, and so is one that
//! an agent writes: in a role, in a run, from a git hook, or as a program that says what it is.

use crate::agent::agreed::Agreement;
use crate::agent::in_hook;
use crate::model::PlanDigest;
use crate::ops::Session;
use crate::ops::plans::SolutionView;
use crate::rules::{CommandLine, evidence, roles};

/// Records the consent of the user to the commands of a plan that they typed just now, and to those to which they had
/// consented in its version `before` this edit. What cannot be recorded is asked about later.
pub(crate) fn agree_to_typed(
    session: &Session,
    plan: &SolutionView,
    typed: &[String],
    before: Option<&PlanDigest>,
) {
    let store = session.store();
    let is_owner = matches!(roles::acting(store.role()), Ok(None));
    let is_person = session.caller().is_none() && !store.is_in_run();
    if !is_owner || !is_person || in_hook::shown_by(session.environment()).is_some() {
        return;
    }
    let Ok(now) = Agreement::to(store, &plan.plan_digest) else { return };
    let earlier = before.and_then(|digest| Agreement::to(store, digest).ok());
    let mut agreed = Vec::new();
    for (_, text) in evidence::commands(&plan.typed) {
        let Ok(command) = CommandLine::parse(text) else { continue };
        let is_typed = typed.iter().any(|typed| typed.trim() == command.as_str().trim());
        if is_typed || earlier.as_ref().is_some_and(|earlier| earlier.is_given(&command)) {
            agreed.push(command);
        }
    }
    let _ = now.give(&agreed);
}
