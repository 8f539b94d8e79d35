//! A line of processes that wait for their turn, first come, first served. Each has a numbered ticket: a file that it
//! keeps locked while it lives. It waits until no file with a smaller number is locked. The kernel releases the locks of
//! a killed process.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::{SharedMode, fault};

/// The file with the number of the newest ticket. Its lock is held only while a ticket is drawn.
const COUNTER: &str = "counter";

/// How often a process checks the ticket that it waits for, at first and later.
const PAUSE: Duration = Duration::from_millis(5);
const LONG_PAUSE: Duration = Duration::from_millis(50);
/// After this many checks, the pauses are long ones.
const MANY_CHECKS: usize = 200;

/// A place in the line, until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    path: PathBuf,
    /// Counts up from 1.
    pub(super) number: u64,
    _lock: File,
}

impl Ticket {
    /// Draws the next ticket of the line in `folder`, which must exist.
    pub(super) fn draw(folder: &Path, shared: SharedMode) -> std::io::Result<Self> {
        let mut counter = shared.open(&folder.join(COUNTER))?;
        counter.lock()?;
        // Whatever the counter says, no ticket is drawn twice while a process holds it.
        let taken = numbers(folder)?.last().copied().unwrap_or(0);
        let number = read(&mut counter)?.max(taken) + 1;
        let path = folder.join(number.to_string());
        let mut lock = shared.open(&path)?;
        lock.lock()?;
        // Only for messages.
        let _ = writeln!(lock, "{}", std::process::id());
        let text = number.to_string();
        // Others read it without the lock, so it must never be seen empty.
        counter.seek(SeekFrom::Start(0))?;
        counter.write_all(text.as_bytes())?;
        counter.set_len(text.len() as u64)?;
        fault::point("drawn");
        Ok(Self { path, number, _lock: lock })
    }

    /// Waits until all earlier tickets are gone. Returns whether they are: `is_given_up` is asked again and again, and
    /// ends the wait.
    pub(super) fn wait(&self, is_given_up: &dyn Fn() -> bool) -> std::io::Result<bool> {
        let Some(folder) = self.path.parent() else { return Ok(true) };
        // The one right before usually goes last, so few files are waited for. After a kill, others may remain.
        while let Some(before) = numbers(folder)?.into_iter().rfind(|number| *number < self.number) {
            let path = folder.join(before.to_string());
            match File::open(&path) {
                Ok(file) if !lock_unless(&file, is_given_up)? => return Ok(false),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            // No process holds it, so it was left behind, unless it was removed just now.
            remove(&path)?;
        }
        Ok(true)
    }

    /// The process before this one whose turn it is, if its ticket names it.
    pub(super) fn first(&self) -> Option<u32> {
        let folder = self.path.parent()?;
        let before = numbers(folder).ok()?.into_iter().take_while(|number| *number < self.number);
        let mut held = before.filter_map(|number| {
            let file = File::open(folder.join(number.to_string())).ok()?;
            // A ticket that nobody holds was left behind.
            matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then_some(file)
        });
        let named = read(&mut held.next()?).ok()?;
        u32::try_from(named).ok().filter(|process| *process > 0)
    }

    /// The newest ticket; all processes in the line now have this one or an earlier one.
    pub(super) fn newest(&self) -> std::io::Result<u64> {
        let Some(folder) = self.path.parent() else { return Ok(self.number) };
        let taken = numbers(folder)?.last().copied().unwrap_or(0);
        Ok(read(&mut File::open(folder.join(COUNTER))?)?.max(taken).max(self.number))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // If this fails, the next in line removes it, since the lock ends with this value.
        let _ = remove(&self.path);
    }
}

/// Waits for the lock of another ticket, in a way that can be cancelled; false if it was.
fn lock_unless(file: &File, is_given_up: &dyn Fn() -> bool) -> std::io::Result<bool> {
    let pauses = std::iter::repeat_n(PAUSE, MANY_CHECKS).chain(std::iter::repeat(LONG_PAUSE));
    for pause in pauses {
        match file.try_lock_shared() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if is_given_up() => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
    }
    Ok(false)
}

/// The numbers of all tickets, in order.
fn numbers(folder: &Path) -> std::io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        numbers.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The number in a file. Anything else counts as none: the tickets themselves say which numbers are taken.
fn read(file: &mut File) -> std::io::Result<u64> {
    let mut text = String::new();
    match file.take(32).read_to_string(&mut text) {
        Ok(_) => Ok(text.trim().parse().unwrap_or(0)),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(0),
        Err(error) => Err(error),
    }
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_order_is_the_order_of_arrival() {
        let folder = tempfile::tempdir().unwrap();
        let first = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        assert!(first.wait(&|| false).unwrap());
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let waiting: Vec<Ticket> =
                (0..8).map(|_| Ticket::draw(folder.path(), SharedMode::Umask).unwrap()).collect();
            for ticket in waiting {
                let order = &order;
                scope.spawn(move || {
                    assert!(ticket.wait(&|| false).unwrap());
                    order.lock().unwrap().push(ticket.number);
                });
            }
            order.lock().unwrap().push(first.number);
            drop(first);
        });
        assert_eq!(order.into_inner().unwrap(), (1..=9).collect::<Vec<u64>>());
        assert_eq!(numbers(folder.path()).unwrap(), Vec::<u64>::new());
    }

    #[test]
    fn nobody_waits_for_a_ticket_that_was_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        for left in ["3", "7"] {
            std::fs::write(folder.path().join(left), "").unwrap();
        }
        std::fs::write(folder.path().join(COUNTER), [0xff, 0xfe]).unwrap();
        let ticket = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        assert_eq!((ticket.number, ticket.newest().unwrap()), (8, 8));
        std::fs::write(folder.path().join(COUNTER), "").unwrap();
        assert_eq!(ticket.newest().unwrap(), 8, "its own is known all the same");
        assert!(ticket.wait(&|| false).unwrap());
        assert_eq!(numbers(folder.path()).unwrap(), [8]);
    }

    #[test]
    fn only_a_process_before_this_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let first = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        let second = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        std::fs::write(&first.path, "7\n").unwrap();
        assert_eq!((first.first(), second.first()), (None, Some(7)));
        drop(first);
        assert_eq!(second.first(), None, "that it waits for itself");
    }

    #[test]
    fn a_cancelled_wait_leaves_the_line_to_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let first = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        let second = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        let third = Ticket::draw(folder.path(), SharedMode::Umask).unwrap();
        assert!(!second.wait(&|| true).unwrap());
        assert_eq!(second.first(), Some(std::process::id()));
        drop(second);
        drop(first);
        assert!(third.wait(&|| false).unwrap());
    }
}
