//! Plans.

use std::io::{self, Write};

use super::issues;
use crate::ops::issues::IssueView;
use crate::ui::Screen;

/// The result of binding a plan.
pub(in crate::cli) fn bound(view: &IssueView, is_changed: bool, screen: &mut Screen) -> io::Result<()> {
    let plan = view.issue.bound_solution_id.as_ref().map(ToString::to_string).unwrap_or_default();
    if !is_changed {
        return writeln!(screen, "{plan} is already bound to {}; nothing changed", view.issue.id);
    }
    issues::changed(screen, view, is_changed, &format!("bound {plan} to"))
}
