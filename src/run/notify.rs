//! Tells a person who is elsewhere what happens in a run: each event goes to the command of `wf.notify`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::model::Notification;
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
/// After so many events in a row that took too long, the command is told nothing more: the run waits for it.
const MOST_SLOW: usize = 3;

/// Sends notifications, in the order in which things happened, while the run goes on.
pub(super) struct Notifier {
    command: Option<Courier>,
    at_work: Option<JoinHandle<ToldEvents>>,
    /// How many of the last events took too long.
    slow: usize,
}

/// How it went to tell one event.
enum Delivery {
    Taken,
    /// Why not.
    Failed(String),
    TooSlow,
}

/// How it went to tell some events.
struct ToldEvents {
    /// What the command did not take.
    failed: Vec<Notice>,
    /// How many of the last events took too long.
    slow: usize,
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
        Self { command, at_work: None, slow: 0 }
    }

    /// Begins to send these, after those before. Returns what went wrong with those.
    pub(super) fn send(&mut self, notifications: Vec<Notification>) -> Vec<Notice> {
        let notices = self.settle();
        let Some(courier) = self.command.clone().filter(|_| !notifications.is_empty()) else {
            return notices;
        };
        let slow = self.slow;
        self.at_work =
            Some(thread::spawn(move || told(&notifications, slow, |event| courier.deliver(event))));
        notices
    }

    /// Waits until all is sent. Returns what went wrong.
    pub(super) fn settle(&mut self) -> Vec<Notice> {
        let Some(told) = self.at_work.take().and_then(|thread| thread.join().ok()) else { return vec![] };
        self.slow = told.slow;
        let mut notices = told.failed;
        if self.slow >= MOST_SLOW && self.command.take().is_some() {
            let what =
                format!("`{KEY}` took too long {MOST_SLOW} times in a row, so it is told nothing more");
            notices.push(Notice::warning(what).command(format!("git config {KEY}"), "shows the command"));
        }
        notices
    }
}

impl Courier {
    /// Tells one event.
    fn deliver(&self, notification: &Notification) -> Delivery {
        let Ok(mut line) = serde_json::to_vec(notification) else { return Delivery::Taken };
        line.push(b'\n');
        let mut why = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                thread::sleep(PAUSE * attempt);
            }
            match self.run(line.clone()) {
                Ok(ProcessEnd::Exited(0)) => return Delivery::Taken,
                Ok(ProcessEnd::Exited(code)) => why = format!("it exited with {code}"),
                Ok(ProcessEnd::Signal(signal)) => why = format!("signal {signal} ended it"),
                Err(error) => why = error.to_string(),
                Ok(ProcessEnd::TimedOut) => return Delivery::TooSlow,
                Ok(ProcessEnd::Interrupted) => why = "it was interrupted".to_owned(),
            }
        }
        Delivery::Failed(why)
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

/// Tells events one by one, until too many in a row have taken too long. `slow` is how many did before.
fn told(
    notifications: &[Notification],
    mut slow: usize,
    deliver: impl Fn(&Notification) -> Delivery,
) -> ToldEvents {
    let mut failed = Vec::new();
    for notification in notifications {
        if slow >= MOST_SLOW {
            failed.push(undelivered(notification, "it hangs"));
            continue;
        }
        let delivery = deliver(notification);
        slow = if matches!(delivery, Delivery::TooSlow) { slow + 1 } else { 0 };
        match delivery {
            Delivery::Taken => {}
            Delivery::Failed(why) => failed.push(undelivered(notification, &why)),
            Delivery::TooSlow => {
                let why = format!("it took more than {} s", LIMIT.as_secs());
                failed.push(undelivered(notification, &why));
            }
        }
    }
    ToldEvents { failed, slow }
}

fn undelivered(notification: &Notification, why: &str) -> Notice {
    let what = format!("`{KEY}` could not tell that {}: {why}", notification.message);
    Notice::warning(what).command(format!("git config {KEY}"), "shows the command")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::model::id::RunId;
    use crate::model::notification::NotificationKind;
    use crate::model::time::Time;

    fn event(message: &str) -> Notification {
        Notification {
            id: message.to_owned(),
            kind: NotificationKind::Waits,
            run_id: RunId::parse("RUN-20261121-7k3m2pq9").unwrap(),
            issue_id: None,
            message: message.to_owned(),
            quoted: None,
            at: Time::EPOCH,
        }
    }

    /// A command that hangs at some events.
    fn delivered(event: &Notification) -> Delivery {
        if event.message.contains("hangs") { Delivery::TooSlow } else { Delivery::Taken }
    }

    #[test]
    fn an_event_that_takes_too_long_silences_no_other() {
        let told = told(&["it hangs", "it goes on"].map(event), 0, delivered);
        assert_eq!((told.failed.len(), told.slow), (1, 0));
        assert!(told.failed[0].message.contains("it hangs: it took more than 10 s"), "{:?}", told.failed);
    }

    #[test]
    fn a_command_that_always_hangs_is_given_up() {
        let asked = Cell::new(0);
        let events = ["one hangs", "two hangs", "three", "four"].map(event);
        let told = told(&events, 1, |event| {
            asked.set(asked.get() + 1);
            delivered(event)
        });
        assert_eq!((told.failed.len(), told.slow, asked.get()), (4, MOST_SLOW, 2));
    }
}
