//! Tells a person who is elsewhere what happens in a run: each event goes to the command of `wf.notify`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::model::notification::Notification;
use crate::ops::Notice;
use crate::process::supervise::{Command, ProcessEnd, supervise};
use crate::store::Store;

/// The setting.
const KEY: &str = "wf.notify";
/// How long the command may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How often an event is told to a command that fails.
const ATTEMPTS: u32 = 3;
/// How long to wait before the second attempt.
const PAUSE: Duration = Duration::from_millis(500);

/// Sends notifications, in the order in which things happened, while the run goes on.
pub(super) struct Notifier {
    command: Option<Courier>,
    at_work: Option<JoinHandle<Vec<Undelivered>>>,
}

/// An event that the command did not take.
struct Undelivered {
    notice: Notice,
    /// Whether it took too long, as it would again.
    was_slow: bool,
}

/// What runs the command.
#[derive(Clone)]
struct Courier {
    words: Vec<OsString>,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Notifier {
    /// As the configuration of the repository says.
    pub(super) fn of(store: &Store, environment: &[(OsString, OsString)]) -> Self {
        let command = store.config(KEY).filter(|text| !text.trim().is_empty()).map(|command| Courier {
            words: ["sh", "-c", &command].map(OsString::from).to_vec(),
            folder: store.work_dir().unwrap_or(store.common_dir()).to_owned(),
            environment: environment.to_vec(),
        });
        Self { command, at_work: None }
    }

    /// Begins to send these, after those before. Returns what went wrong with those.
    pub(super) fn send(&mut self, notifications: Vec<Notification>) -> Vec<Notice> {
        let notices = self.settle();
        let Some(courier) = self.command.clone().filter(|_| !notifications.is_empty()) else {
            return notices;
        };
        self.at_work = Some(thread::spawn(move || {
            let mut failed: Vec<Undelivered> = Vec::new();
            for notification in &notifications {
                if failed.last().is_none_or(|it| !it.was_slow) {
                    failed.extend(courier.deliver(notification));
                }
            }
            failed
        }));
        notices
    }

    /// Waits until all is sent. Returns what went wrong.
    pub(super) fn settle(&mut self) -> Vec<Notice> {
        let failed = self.at_work.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if failed.iter().any(|it| it.was_slow) {
            // The run waits for what it tells, so it tells nothing more to a command that hangs.
            self.command = None;
        }
        failed.into_iter().map(|it| it.notice).collect()
    }
}

impl Courier {
    /// Tells one event; `None` if the command took it.
    fn deliver(&self, notification: &Notification) -> Option<Undelivered> {
        let mut line = serde_json::to_vec(notification).ok()?;
        line.push(b'\n');
        let (mut why, mut was_slow) = (String::new(), false);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                thread::sleep(PAUSE * attempt);
            }
            match self.run(line.clone()) {
                Ok(ProcessEnd::Exited(0)) => return None,
                Ok(ProcessEnd::Exited(code)) => why = format!("it exited with {code}"),
                Ok(ProcessEnd::Signal(signal)) => why = format!("signal {signal} ended it"),
                Err(error) => why = error.to_string(),
                Ok(ProcessEnd::TimedOut) => {
                    why = format!("it took more than {} s, so it is told nothing more", LIMIT.as_secs());
                    was_slow = true;
                    break;
                }
                Ok(ProcessEnd::Interrupted) => why = "it was interrupted".to_owned(),
            }
        }
        let what = format!("`{KEY}` could not tell that {}: {why}", notification.message);
        let notice = Notice::warning(what).command(format!("git config {KEY}"), "shows the command");
        Some(Undelivered { notice, was_slow })
    }

    fn run(&self, line: Vec<u8>) -> std::io::Result<ProcessEnd> {
        let (sender, stdin) = mpsc::channel();
        // A command may end without having read it.
        let _ = sender.send(line);
        drop(sender);
        let command = Command {
            words: &self.words,
            folder: &self.folder,
            environment: Some(&self.environment),
            stdin: Some(stdin),
            is_joined: true,
        };
        // A run that is stopped at once still tells what its log says already: nobody would later.
        supervise(command, Some(LIMIT), &mut || false, &mut |_, _| {}).map(|(end, _)| end)
    }
}
