//! The plain protocol: the request on stdin, the answer on stdout.

use std::cell::RefCell;
use std::sync::mpsc;
use std::time::Duration;

use super::{
    AgentObserver, AgentOutput, AgentWorkplace, MOST_ERRORS, MOST_OUTPUT, Prompt, Tail, TextKind, Unanswered,
    is_session_id, limited, not_started,
};
use crate::agent::acp::Greeting;
use crate::agent::definition::{Agent, PlainSession};
use crate::agent::transcript::{Transcript, Who};
use crate::process::supervise::{Command, ProcessEnd, Stream, supervise};

/// The words before the id of a session in a line of stderr.
const SESSION: &str = "session id:";

/// Asks an agent: in a session that it knows if there is one, or else in a new one.
pub(super) fn converse(
    agent: &Agent,
    place: &AgentWorkplace,
    prompt: Prompt,
    transcript: &mut Transcript,
    observer: &mut dyn AgentObserver,
) -> Result<(Greeting, AgentOutput, Duration), Unanswered> {
    if let Some(sequel) = prompt.sequel {
        let session = PlainSession::Known(sequel.session);
        let continued = run(agent, place, &session, sequel.text, transcript, observer);
        match continued {
            // It no longer knows the session.
            Err(Unanswered::Failed { .. }) => {}
            other => return other,
        }
    }
    let id = uuid().map_err(|source| not_started(agent, &place.folder, source))?;
    if agent.names_sessions() {
        observer.session(&id);
    }
    run(agent, place, &PlainSession::New(id), prompt.text, transcript, observer)
}

fn run(
    agent: &Agent,
    place: &AgentWorkplace,
    session: &PlainSession,
    text: String,
    transcript: &mut Transcript,
    observer: &mut dyn AgentObserver,
) -> Result<(Greeting, AgentOutput, Duration), Unanswered> {
    transcript.add(Who::Stdin, text.as_bytes());
    let (sender, stdin) = mpsc::channel();
    // The receiver still exists, so this succeeds.
    let _ = sender.send(text.into_bytes());
    drop(sender);
    let words = place.words_in(agent, session);
    let command = Command {
        words: &words,
        folder: &place.folder,
        environment: Some(&place.environment),
        stdin: Some(stdin),
        is_joined: false,
    };
    let mut id = match session {
        PlainSession::Known(id) => Some(id.clone()),
        PlainSession::New(id) => agent.names_sessions().then(|| id.clone()),
    };
    let (mut out, mut err) = (Tail::new(MOST_OUTPUT), Tail::new(MOST_ERRORS));
    let observer = RefCell::new(observer);
    let limit = agent.timeout().value;
    let ran = supervise(command, Some(limit), &mut || observer.borrow_mut().stop(), &mut |stream, bytes| {
        let (who, said, tail) = match stream {
            Stream::Out => (Who::Stdout, TextKind::Answer, &mut out),
            Stream::Err => (Who::Stderr, TextKind::Log, &mut err),
        };
        transcript.add(who, bytes);
        tail.add(bytes);
        if stream == Stream::Err && id.is_none() {
            id = told_session(&err.text());
            id.iter().for_each(|id| observer.borrow_mut().session(id));
        }
        observer.borrow_mut().said(said, &String::from_utf8_lossy(bytes));
    });
    let heard = AgentOutput { answer: out.text(), log: err.text() };
    let (ended, took) = ran.map_err(|source| not_started(agent, &place.folder, source))?;
    ended_well(agent, ended, limit, &heard)?;
    let is_continued = matches!(session, PlainSession::Known(_));
    Ok((Greeting { session_id: id, is_continued, ..Greeting::default() }, heard, took))
}

/// The id of its session that an agent wrote to stderr.
fn told_session(log: &str) -> Option<String> {
    let id = log.lines().find_map(|line| {
        let (words, id) = line.split_at_checked(SESSION.len())?;
        words.eq_ignore_ascii_case(SESSION).then(|| id.trim().to_owned())
    });
    id.filter(|id| is_session_id(id))
}

/// A random UUID of version 4.
fn uuid() -> std::io::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

/// Only an agent that exits with 0 has answered.
fn ended_well(
    agent: &Agent,
    ended: ProcessEnd,
    limit: Duration,
    heard: &AgentOutput,
) -> Result<(), Unanswered> {
    let agent = agent.name().to_owned();
    match ended {
        ProcessEnd::Exited(0) => Ok(()),
        ProcessEnd::Exited(code) => Err(limited::exited(agent, code, heard)),
        ProcessEnd::Signal(signal) => Err(Unanswered::Killed { agent, signal, said: heard.said() }),
        ProcessEnd::TimedOut => Err(limited::timed_out(agent, limit, heard)),
        ProcessEnd::Interrupted => Err(Unanswered::Stopped { agent }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_session_is_read_from_its_line() {
        let log = "workdir: /x\nSession ID: 0199-ab.c\nsession id: other\n";
        assert_eq!(told_session(log).as_deref(), Some("0199-ab.c"));
        for log in ["", "a session id: x", "session id: ", "session id: -x", "session id: a;rm"] {
            assert_eq!(told_session(log), None, "{log}");
        }
    }

    #[test]
    fn a_new_session_gets_an_id_of_its_own() {
        let [one, other] = [uuid().unwrap(), uuid().unwrap()];
        assert!(one != other && is_session_id(&one) && one.len() == 36);
        assert_eq!(one.as_bytes()[14], b'4');
    }
}
