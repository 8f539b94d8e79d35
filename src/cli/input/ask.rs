//! Questions to whoever sits at the terminal.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::run::Reply;
use crate::ui;

/// How long to wait for a key before looking elsewhere.
const LOOK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// The line that was typed, without the space around it; `None` at the end of the input, which is not an answer, not even the one
/// that is offered.
pub(in crate::cli) fn answer(question: &str) -> io::Result<Option<String>> {
    ui::ask(question);
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// The same, unless `is_settled` says meanwhile that no answer is needed any more. It is asked once a second.
pub(in crate::cli) fn answer_unless(
    question: &str,
    is_settled: &dyn Fn() -> bool,
) -> io::Result<Reply<String>> {
    ui::ask(question);
    let stdin = io::stdin();
    loop {
        let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut watched, Some(&LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
        if is_settled() {
            return Ok(Reply::Elsewhere);
        }
    }
    // A terminal hands over whole lines, so none is left from an earlier read.
    let mut line = String::new();
    let read = stdin.read_line(&mut line)?;
    Ok(if read > 0 { Reply::Given(line.trim().to_owned()) } else { Reply::None })
}

/// Whether someone says yes; an empty line means `usual`.
pub(in crate::cli) fn agrees(question: &str, usual: bool) -> io::Result<bool> {
    Ok(answer(question)?.is_some_and(|answer| match answer.to_lowercase().as_str() {
        "" => usual,
        answer => matches!(answer, "y" | "yes"),
    }))
}
