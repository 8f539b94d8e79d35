//! Consent to rewriting the history.

use crate::cli::Failure;
use crate::cli::input::ask;
use crate::ops::Refusal;
use crate::store::Store;

/// Asks for consent unless it was given.
pub(in crate::cli) fn confirm(store: &Store, is_agreed: bool) -> Result<(), Failure> {
    if is_agreed {
        return Ok(());
    }
    let refused = |message: &str| {
        Refusal::usage(message)
            .hint("--yes continues without asking; `git wf redact --help` explains what it does")
    };
    if !crate::ui::can_ask() {
        return Err(refused("rewriting the history needs your consent").into());
    }
    crate::ui::say(&format!(
        "This rewrites the history of {}. The remote and every other clone must then do the same.",
        store.reference()
    ));
    match ask::answer("Type yes to continue: ")? {
        Some(answer) if answer.eq_ignore_ascii_case("yes") => Ok(()),
        _ => Err(refused("nothing was rewritten").into()),
    }
}
