//! Tells a person who is elsewhere what happens in a run: each event goes to the command of `wf.notify`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::model::Notification;
use crate::ops::Notice;
use crate::process::supervise::{Command, ProcessEnd, supervise};
use crate::store::Store;

/// The setting.
const KEY: &str = "wf.notify";
/// How long the command may take for one event, and for those that are told together.
const LIMIT: Duration = Duration::from_secs(10);
/// How often an event is told to a command that fails.
const ATTEMPTS: u32 = 3;
/// How long to wait before the second attempt.
const PAUSE: Duration = Duration::from_millis(500);
/// A command that fails after this long is not started again at once: the run waits for it.
const SLOW: Duration = Duration::from_secs(3);
/// At the end of a run, a command that is slow is asked so often to take what is left.
const MOST_ROUNDS: usize = 6;
/// For how long a command that fails slowly is left alone.
const REST: Duration = Duration::from_secs(5 * 60);

/// Sends notifications, in the order in which things happened, while the run goes on. What the command does not take is kept, and
/// sent before what comes next.
pub(super) struct Notifier {
    courier: Option<Courier>,
    /// What was not taken yet, in order.
    kept: Vec<Notification>,
    at_work: Option<JoinHandle<Round>>,
    /// When the command was last asked.
    asked: Option<Instant>,
    /// Until when it is left alone.
    rests_until: Option<Instant>,
    /// The id of the event of which it was last told that it was not taken.
    named: Option<String>,
}

/// How it went to tell some events, in order.
struct Round {
    /// How many of them were taken.
    taken: usize,
    /// Why the next one was not.
    failed: Option<String>,
    /// Whether that took long.
    is_slow: bool,
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
        let command = store.config(KEY).filter(|text| !text.trim().is_empty());
        let courier = command.map(|command| Courier {
            words: ["sh", "-c", &command].map(OsString::from).to_vec(),
            folder: store.work_dir().unwrap_or(store.common_dir()).to_owned(),
            environment: environment.to_vec(),
        });
        Self { courier, kept: vec![], at_work: None, asked: None, rests_until: None, named: None }
    }

    /// Begins to send these, after those that were not taken before. Returns what went wrong with those.
    pub(super) fn send(&mut self, notifications: Vec<Notification>) -> Vec<Notice> {
        let notices = self.settle();
        if self.courier.is_none() || notifications.is_empty() {
            return notices;
        }
        self.kept.extend(notifications);
        if self.rests_until.is_none_or(|until| Instant::now() >= until) {
            self.begin();
        }
        notices
    }

    /// Waits until what is being sent is sent. Returns what went wrong.
    pub(super) fn settle(&mut self) -> Vec<Notice> {
        let round = self.at_work.take().and_then(|thread| thread.join().ok());
        round.and_then(|round| self.take_in(round, Instant::now())).into_iter().collect()
    }

    /// Goes on with what was not taken yet, if it is time for that. Does not wait. Returns what went wrong.
    pub(super) fn tick(&mut self) -> Vec<Notice> {
        if self.at_work.as_ref().is_some_and(|round| !round.is_finished()) {
            return vec![];
        }
        let notices = self.settle();
        let is_due = match self.rests_until {
            Some(until) => Instant::now() >= until,
            // After a failure, the command is asked again with the next event.
            None => self.named.is_none(),
        };
        if !self.kept.is_empty() && is_due {
            self.begin();
        }
        notices
    }

    /// Sends everything that was not taken yet, unless the command has just failed. Returns what went wrong.
    pub(super) fn flush(&mut self) -> Vec<Notice> {
        let mut notices = self.settle();
        for _ in 0..MOST_ROUNDS {
            let is_vain = self.named.is_some() && self.asked.is_some_and(|at| at.elapsed() < LIMIT * 3);
            if self.kept.is_empty() || is_vain {
                break;
            }
            self.begin();
            notices.extend(self.settle());
        }
        notices
    }

    /// Sends everything that was not taken yet, at the end of the run. Warns of what is lost then.
    pub(super) fn finish(&mut self) -> Vec<Notice> {
        let mut notices = self.flush();
        if !self.kept.is_empty() {
            let what = match self.kept.len() {
                1 => format!("`{KEY}` did not take the last event"),
                n => format!("`{KEY}` did not take the last {n} events"),
            };
            notices.push(Notice::warning(what).command(format!("git config {KEY}"), "shows the command"));
        }
        notices
    }

    fn begin(&mut self) {
        let (Some(courier), events) = (self.courier.clone(), self.kept.clone()) else { return };
        self.asked = Some(Instant::now());
        self.at_work = Some(thread::spawn(move || courier.tell(&events)));
    }

    /// Keeps what was not taken. Returns a warning about the first of these, unless there was one.
    fn take_in(&mut self, round: Round, now: Instant) -> Option<Notice> {
        self.kept.drain(..round.taken);
        self.rests_until = if round.is_slow { now.checked_add(REST) } else { None };
        let (Some(why), Some(first)) = (round.failed, self.kept.first()) else {
            self.named = None;
            return None;
        };
        if self.named.replace(first.id.clone()).as_ref() == Some(&first.id) {
            return None;
        }
        let again = if round.is_slow {
            "it is told again in some minutes"
        } else {
            "it is told again with the next event"
        };
        let what = format!("`{KEY}` could not tell that {}: {why}; {again}", first.message);
        Some(Notice::warning(what).command(format!("git config {KEY}"), "shows the command"))
    }
}

impl Courier {
    /// Tells events one by one, until one is not taken or all of it took too long.
    fn tell(&self, events: &[Notification]) -> Round {
        let began = Instant::now();
        tell_all(events, thread::sleep, || began.elapsed(), |event| self.run(event))
    }

    /// Tells one event once. Returns why it was not taken.
    fn run(&self, notification: &Notification) -> Option<String> {
        let mut line = serde_json::to_vec(notification).ok()?;
        line.push(b'\n');
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
        let ran = supervise(command, Some(LIMIT), &mut || false, &mut |_, _| {});
        match ran.map(|(end, _)| end) {
            Ok(ProcessEnd::Exited(0)) => None,
            Ok(ProcessEnd::Exited(code)) => Some(format!("it exited with {code}")),
            Ok(ProcessEnd::Signal(signal)) => Some(format!("signal {signal} ended it")),
            Ok(ProcessEnd::TimedOut) => Some(format!("it took more than {} s", LIMIT.as_secs())),
            Ok(ProcessEnd::Interrupted) => Some("it was interrupted".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// Tells events one by one. `pause` waits, `took` is how long that took so far, `tell` tells one and returns why it was not taken.
fn tell_all(
    events: &[Notification],
    pause: impl Fn(Duration),
    took: impl Fn() -> Duration,
    tell: impl Fn(&Notification) -> Option<String>,
) -> Round {
    for (taken, event) in events.iter().enumerate() {
        if took() >= LIMIT {
            return Round { taken, failed: None, is_slow: false };
        }
        let before = took();
        let mut failed = tell(event);
        for attempt in 1..ATTEMPTS {
            if failed.is_none() || took().saturating_sub(before) >= SLOW {
                break;
            }
            pause(PAUSE * attempt);
            failed = tell(event);
        }
        if failed.is_some() {
            return Round { taken, failed, is_slow: took().saturating_sub(before) >= SLOW };
        }
    }
    Round { taken: events.len(), failed: None, is_slow: false }
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

    /// Tells events to a command that takes this long for each, and fails at some. Returns how often it was started, too.
    fn told(events: &[Notification], each: Duration) -> (Round, u32) {
        let (clock, started) = (Cell::new(Duration::ZERO), Cell::new(0));
        let round = tell_all(
            events,
            |_| {},
            || clock.get(),
            |event| {
                clock.set(clock.get() + each);
                started.set(started.get() + 1);
                event.message.contains("fails").then(|| "it exited with 1".to_owned())
            },
        );
        (round, started.get())
    }

    fn notifier() -> Notifier {
        Notifier { courier: None, kept: vec![], at_work: None, asked: None, rests_until: None, named: None }
    }

    #[test]
    fn a_command_that_fails_slowly_is_not_started_again_and_left_alone() {
        let (round, started) = told(&["it fails", "it goes on"].map(event), Duration::from_secs(6));
        assert_eq!((round.taken, round.is_slow, started), (0, true, 1));
        let (mut notifier, now) = (notifier(), Instant::now());
        notifier.kept = ["it fails", "it goes on"].map(event).to_vec();
        let warning = notifier.take_in(round, now).unwrap().message;
        assert!(warning.contains("could not tell that it fails: it exited with 1"), "{warning}");
        assert_eq!((notifier.kept.len(), notifier.rests_until), (2, now.checked_add(REST)));
    }

    #[test]
    fn what_was_not_taken_is_kept_and_named_once() {
        let (round, started) = told(&["one", "it fails", "three"].map(event), Duration::from_millis(1));
        assert_eq!((round.taken, round.is_slow, started), (1, false, 1 + ATTEMPTS));
        let mut notifier = notifier();
        notifier.kept = ["one", "it fails", "three"].map(event).to_vec();
        assert!(notifier.take_in(round, Instant::now()).is_some());
        assert_eq!(notifier.kept, ["it fails", "three"].map(event));
        let (round, _) = told(&notifier.kept, Duration::from_millis(1));
        assert!(notifier.take_in(round, Instant::now()).is_none() && notifier.kept.len() == 2);
        let all = Round { taken: 2, failed: None, is_slow: false };
        assert!(notifier.take_in(all, Instant::now()).is_none() && notifier.kept.is_empty());
    }

    #[test]
    fn what_was_not_taken_is_sent_again_when_it_is_time() {
        let mut notifier = notifier();
        notifier.courier = Some(Courier {
            words: ["sh", "-c", "exit 1"].map(OsString::from).to_vec(),
            folder: PathBuf::from("/"),
            environment: vec![],
        });
        notifier.kept = vec![event("one")];
        notifier.rests_until = Instant::now().checked_add(REST);
        assert!(notifier.tick().is_empty() && notifier.at_work.is_none());
        notifier.rests_until = Some(Instant::now());
        assert!(notifier.tick().is_empty() && notifier.at_work.is_some());
    }

    #[test]
    fn what_is_lost_at_the_end_is_told() {
        let mut notifier = notifier();
        notifier.kept = vec![event("last")];
        let told: Vec<String> = notifier.finish().into_iter().map(|notice| notice.message).collect();
        assert_eq!(told, [format!("`{KEY}` did not take the last event")]);
    }

    #[test]
    fn a_run_is_not_held_up_by_many_slow_events() {
        let (round, started) = told(&["one", "two", "three", "four"].map(event), Duration::from_secs(6));
        assert_eq!((round.taken, round.failed.is_some(), round.is_slow, started), (2, false, false, 2));
    }
}
