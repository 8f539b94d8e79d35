//! Questions to whoever sits at the terminal.

use std::io;

use crate::ui;

/// The line that was typed, without the space around it; `None` at the end of the input, which is not an answer, not even the one
/// that is offered.
pub(in crate::cli) fn answer(question: &str) -> io::Result<Option<String>> {
    ui::ask(question);
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// Whether someone says yes; an empty line means `usual`.
pub(in crate::cli) fn agrees(question: &str, usual: bool) -> io::Result<bool> {
    Ok(answer(question)?.is_some_and(|answer| match answer.to_lowercase().as_str() {
        "" => usual,
        answer => matches!(answer, "y" | "yes"),
    }))
}
