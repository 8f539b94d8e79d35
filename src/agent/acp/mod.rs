//! The Agent Client Protocol. The agent is a server on its stdin and stdout, and this program is the client, as an
//! editor would be. The protocol runs on a thread of its own, which drives the futures of the crate; the calling
//! thread follows the process, as for every agent.

mod calls;
mod client;
mod directories;
mod files;
mod git_command;
mod git_options;
mod member_names;
mod members;
mod output;
mod patch;
mod permission;
mod place;
mod program;
mod session;
mod tokens;
mod turn;
mod wrapper;

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use futures::channel::mpsc as lines;

use super::definition::Agent;
use super::talk::{
    AgentObserver, AgentOutput, AgentWorkplace, MOST_ERRORS, MOST_OUTPUT, Prompt, Tail, TextKind, Unanswered,
    is_session_id, limited,
};
use super::transcript::{Transcript, Who};
use crate::model::Usage;
use crate::process::supervise::{Command, GRACE, ProcessEnd, Stream, supervise};
use crate::rules::Role;

pub(crate) use client::Greeting;
use client::{AcpEvent, AcpSession, Failed, Interruption};
use output::OutputLines;
pub(crate) use tokens::TokenCount;

/// Maximum queued messages of the agent; then the agent has to wait.
const MOST_WAITING: usize = 256;
/// Maximum messages that the agent has not read yet. Until it reads, none of its requests is answered, so an agent that
/// never reads cannot fill the memory.
const MOST_UNREAD: usize = 4;

/// Why the agent was asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The conversation is complete.
    Done,
    /// Its time was up.
    TimedOut,
    /// Someone stopped it.
    Stopped,
    /// It wrote something that is not a message, or a message that is too long.
    Flooded,
}

/// Greets an agent and, if there is a prompt, asks it. Returns its greeting and its answer.
pub(super) fn converse(
    agent: &Agent,
    place: &AgentWorkplace,
    role: Role,
    prompt: Option<Prompt>,
    transcript: &mut Transcript,
    observer: &mut dyn AgentObserver,
) -> Result<(Greeting, AgentOutput, Duration), Unanswered> {
    let (to_agent, stdin) = mpsc::sync_channel::<Vec<u8>>(MOST_UNREAD);
    let (from_agent, incoming) = lines::channel(MOST_WAITING);
    let (events, happened) = mpsc::channel();
    let (interrupt, interruptions) = lines::unbounded();
    let (ended, end) = mpsc::channel();
    let sequel = prompt.as_ref().and_then(|prompt| prompt.sequel.as_ref());
    let used_before = sequel.and_then(|sequel| sequel.tokens).unwrap_or_default();
    let session = AcpSession {
        root: place.folder.clone(),
        role,
        mode: agent.mode().map(|mode| mode.value.clone()),
        prompt,
        events,
    };
    std::thread::spawn(move || {
        // The receiver may be gone.
        let _ = ended.send(client::run(session, to_agent, incoming, interruptions));
    });
    let mut talk = Talk {
        lines: OutputLines::new(from_agent),
        end,
        result: None,
        happened,
        heard: (Tail::new(MOST_OUTPUT), Tail::new(MOST_ERRORS)),
        transcript,
        observer,
        is_amid_line: false,
        interrupt: Some(interrupt),
        why: None,
        used_before,
        tokens: TokenCount::default(),
        usage: Usage::default(),
        deadline: Instant::now() + agent.timeout().value,
    };
    let words = place.words(agent);
    let command = Command {
        words: &words,
        folder: &place.folder,
        environment: Some(&place.environment),
        stdin: Some(stdin),
        is_joined: false,
    };
    let talk = std::cell::RefCell::new(&mut talk);
    let ran = supervise(command, None, &mut || talk.borrow_mut().step(), &mut |stream, bytes| {
        talk.borrow_mut().take(stream, bytes);
    });
    let talk = talk.into_inner();
    let (ended, took) = ran.map_err(|source| super::talk::not_started(agent, &place.folder, source))?;
    talk.close();
    let heard = AgentOutput { answer: talk.heard.0.text(), log: talk.heard.1.text() };
    let usage = std::mem::take(&mut talk.usage);
    let greeting = judged(agent, talk, ended, &heard)?;
    Ok((Greeting { usage, ..greeting }, heard, took))
}

/// The result of the conversation, from the protocol or else from how the process ended.
fn judged(
    agent: &Agent,
    talk: &mut Talk<'_>,
    ended: ProcessEnd,
    heard: &AgentOutput,
) -> Result<Greeting, Unanswered> {
    let (name, said) = (agent.name().to_owned(), heard.said());
    match (talk.result.take(), talk.why) {
        (Some(Ok(greeting)), None | Some(Why::Done)) => Ok(greeting),
        (_, Some(Why::TimedOut)) => {
            Err(Unanswered::TimedOut { agent: name, after: agent.timeout().value, said })
        }
        (_, Some(Why::Stopped)) => Err(Unanswered::Stopped { agent: name }),
        (_, Some(Why::Flooded)) => {
            let why = "it wrote a line that is too long, or more than can be read".to_owned();
            Err(Unanswered::Protocol { agent: name, step: "the connection", why, said })
        }
        (Some(Err(Failed { step, why, error })), _) => {
            if let Some(limited) = error.and_then(|error| limited::refused(&name, &error, heard)) {
                return Err(limited);
            }
            match ended {
                // The agent failed before its answer; its exit says why.
                ProcessEnd::Exited(code) if code != 0 => Err(limited::exited(name, code, heard)),
                ProcessEnd::Signal(signal) => Err(Unanswered::Killed { agent: name, signal, said }),
                _ => Err(Unanswered::Protocol { agent: name, step, why, said }),
            }
        }
        (_, _) => match ended {
            ProcessEnd::Exited(0) => {
                Err(Unanswered::Silent { agent: name, protocol: agent.protocol().value, said })
            }
            ProcessEnd::Exited(code) => Err(limited::exited(name, code, heard)),
            ProcessEnd::Signal(signal) => Err(Unanswered::Killed { agent: name, signal, said }),
            ProcessEnd::TimedOut | ProcessEnd::Interrupted => Err(Unanswered::Stopped { agent: name }),
        },
    }
}

/// The conversation, from the side of the thread that follows the process.
struct Talk<'a> {
    lines: OutputLines,
    /// The protocol thread sends its result once.
    end: Receiver<Result<Greeting, Failed>>,
    result: Option<Result<Greeting, Failed>>,
    happened: Receiver<AcpEvent>,
    /// The answer, and what the agent logged.
    heard: (Tail, Tail),
    transcript: &'a mut Transcript,
    observer: &'a mut dyn AgentObserver,
    /// Whether the last text that the observer was told is the start of a line.
    is_amid_line: bool,
    /// Interrupts the turn in progress.
    interrupt: Option<lines::UnboundedSender<Interruption>>,
    /// Why the agent has to end. It is first asked to end, and killed at the deadline.
    why: Option<Why>,
    /// The tokens that the session to be continued had used.
    used_before: u64,
    /// The tokens of the session.
    tokens: TokenCount,
    /// Usage so far, if the agent reports it.
    usage: Usage,
    deadline: Instant,
}

impl Talk<'_> {
    /// Handles what has happened. Returns whether the process must be ended.
    fn step(&mut self) -> bool {
        self.hear();
        if self.result.is_none() {
            match self.end.try_recv() {
                Ok(result) => self.finished(result),
                Err(TryRecvError::Disconnected) => self.result = Some(Err(Failed::lost())),
                Err(TryRecvError::Empty) => {}
            }
        }
        let asked = self.observer.stop();
        match self.why {
            None if asked => self.ask_to_end(Why::Stopped),
            None if self.observer.remind() => {
                let remind =
                    |it: &lines::UnboundedSender<Interruption>| it.unbounded_send(Interruption::Remind);
                // As above.
                let _ = self.interrupt.as_ref().map(remind);
            }
            None if Instant::now() >= self.deadline => self.ask_to_end(Why::TimedOut),
            None if self.lines.flooded => self.ask_to_end(Why::Flooded),
            Some(_) if asked => return true,
            _ => {}
        }
        self.why.is_some() && Instant::now() >= self.deadline
    }

    /// The protocol is complete: its thread has closed the agent's stdin, which makes an agent end.
    fn finished(&mut self, result: Result<Greeting, Failed>) {
        self.result = Some(result);
        if self.why.is_none() {
            self.why = Some(Why::Done);
            self.deadline = Instant::now() + GRACE;
        }
    }

    fn ask_to_end(&mut self, why: Why) {
        self.why = Some(why);
        self.deadline = Instant::now() + GRACE;
        if let Some(interrupt) = self.interrupt.take() {
            // If the protocol has ended, nobody receives this.
            let _ = interrupt.unbounded_send(Interruption::Cancel);
        }
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => {
                self.transcript.add(Who::Stdout, bytes);
                let Self { lines, observer, why, deadline, .. } = self;
                let mut is_stopped = false;
                lines.add(bytes, &mut || {
                    is_stopped = why.is_none() && observer.stop();
                    why.is_none() && !is_stopped && Instant::now() < *deadline
                });
                let strange = std::mem::take(&mut self.lines.strange);
                if !strange.is_empty() {
                    self.heard.1.add(strange.as_bytes());
                    self.observer.said(TextKind::Log, &strange);
                }
                if is_stopped {
                    self.ask_to_end(Why::Stopped);
                }
            }
            Stream::Err => {
                self.transcript.add(Who::Stderr, bytes);
                self.heard.1.add(bytes);
                self.observer.said(TextKind::Log, &String::from_utf8_lossy(bytes));
            }
        }
    }

    /// Passes on the events of the protocol thread.
    fn hear(&mut self) {
        while let Ok(event) = self.happened.try_recv() {
            match event {
                AcpEvent::Sent(line) => self.transcript.add(Who::Stdin, line.as_bytes()),
                AcpEvent::Message(text) => {
                    self.heard.0.add(text.as_bytes());
                    self.tell(TextKind::Answer, &text);
                }
                AcpEvent::Turn(may_begin) => {
                    if self.is_amid_line {
                        self.heard.0.add(b"\n");
                        self.tell(TextKind::Answer, "\n");
                    }
                    let may = self.why.is_none() && self.observer.may_ask_on();
                    if !may && self.why.is_none() {
                        self.ask_to_end(Why::Stopped);
                    }
                    let _ = may_begin.send(may);
                }
                AcpEvent::Session { id, is_continued } => {
                    if is_continued {
                        self.tokens.begin_after(self.used_before);
                    }
                    if is_session_id(&id) {
                        self.observer.session(&id);
                    }
                }
                AcpEvent::Noticed(what) => self.observer.noticed(&what),
                AcpEvent::Thought(text) => self.tell(TextKind::Thought, &text),
                AcpEvent::Tool(text) if self.is_amid_line => self.tell(TextKind::Tool, &format!("\n{text}")),
                AcpEvent::Tool(text) => self.tell(TextKind::Tool, &text),
                AcpEvent::Refused(what, why) => self.observer.refused(what, &why),
                AcpEvent::Used { context, cost } => {
                    self.tokens.has_context(context);
                    self.usage.cost = cost.or_else(|| self.usage.cost.take());
                    self.count_tokens();
                }
                AcpEvent::Ended(answer) => {
                    self.tokens.end_turn(&answer);
                    self.count_tokens();
                }
            }
        }
    }

    fn count_tokens(&mut self) {
        self.usage.tokens = self.tokens.total();
        self.observer.used(&self.usage);
    }

    fn tell(&mut self, kind: TextKind, text: &str) {
        if !text.is_empty() {
            self.is_amid_line = !text.ends_with('\n');
        }
        self.observer.said(kind, text);
    }

    /// After the process has ended: waits until the protocol has read the last output.
    fn close(&mut self) {
        self.lines.to = None;
        let end = Instant::now() + GRACE;
        while self.result.is_none() && Instant::now() < end {
            match self.end.recv_timeout(Duration::from_millis(20)) {
                Ok(result) => self.result = Some(result),
                Err(RecvTimeoutError::Disconnected) => self.result = Some(Err(Failed::lost())),
                Err(RecvTimeoutError::Timeout) => self.hear(),
            }
        }
        self.hear();
    }
}

/// The work tree with all links resolved: agents compare paths as text.
fn real(folder: PathBuf) -> PathBuf {
    folder.canonicalize().unwrap_or(folder)
}
