//! Which run a command is about.

use super::ask;
use crate::cli::{CliContext, Failure, print};
use crate::ops::Session;
use crate::run::{self, Driven};
use crate::ui;

/// Which of several interrupted runs to continue with; `None` if there is only one, or nobody to ask.
pub(in crate::cli) fn asked(session: &Session, context: &CliContext) -> Result<Option<String>, Failure> {
    if context.json() || !ui::can_ask() {
        return Ok(None);
    }
    let runs = run::list(session)?.view;
    let open: Vec<_> = runs.into_iter().filter(|run| run.driven == Driven::Interrupted).collect();
    if open.len() < 2 {
        return Ok(None);
    }
    let now = session.now()?.millis();
    for (n, run) in (1..).zip(&open) {
        ui::say(&format!("{n}  {}", print::run::in_one_line(run, now)));
    }
    let question = format!("Resume which of these {} interrupted runs? [1-{}] ", open.len(), open.len());
    let answer = ask::answer(&question)?.unwrap_or_default();
    let chosen = answer.parse::<usize>().ok().and_then(|n| open.get(n.checked_sub(1)?));
    Ok(chosen.map(|run| run.id.to_string()).or_else(|| Some(answer.clone()).filter(|text| !text.is_empty())))
}
