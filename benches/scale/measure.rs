//! Runs programs and measures their cost.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A figure that takes more seconds than this is not measured again.
const LONGEST: f64 = 10.0;

/// The cost of some runs of one program.
#[derive(Default, Clone)]
pub(super) struct Cost {
    /// The wall time of each run, in seconds.
    pub(super) wall: Vec<f64>,
    /// The CPU time of all runs together, in seconds: of this process, and of the children that it waited for.
    pub(super) cpu: f64,
}

impl Cost {
    /// The median of the runs, in seconds.
    pub(super) fn median(&self) -> f64 {
        let mut wall = self.wall.clone();
        wall.sort_by(f64::total_cmp);
        wall.get(wall.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The mean CPU time of a run, in seconds.
    pub(super) fn cpu(&self) -> f64 {
        self.cpu / self.wall.len() as f64
    }

    /// Whether more runs would take too long.
    pub(super) fn is_enough(&self) -> bool {
        self.wall.iter().sum::<f64>() > LONGEST
    }

    /// Whether one run takes so long that measuring runs one at a time is exact enough; `false` before the first run.
    pub(super) fn is_long(&self) -> bool {
        self.wall.first().is_none_or(|first| *first > 0.1)
    }

    /// Adds the cost of `work`.
    pub(super) fn add(&mut self, work: impl FnOnce()) {
        let mut work = Some(work);
        self.add_runs(1, |_| work.take().into_iter().for_each(|work| work()));
    }

    /// Adds the cost of this many runs.
    pub(super) fn add_runs(&mut self, count: usize, mut work: impl FnMut(usize)) {
        let before = used();
        for n in 0..count {
            let started = Instant::now();
            work(n);
            self.wall.push(started.elapsed().as_secs_f64());
        }
        self.cpu += used() - before;
    }

    /// The cost of these runs beyond that of the others.
    pub(super) fn beyond(&self, other: &Self) -> Self {
        let wall = self.wall.iter().map(|wall| wall - other.median()).collect();
        Self { wall, cpu: (self.cpu() - other.cpu()) * self.wall.len() as f64 }
    }
}

/// Reads every record of the store once with git, and parses it in this process, and does nothing else. Returns the number of
/// bytes, so that nothing of it is left out.
pub(super) fn read_and_parse(store: &Path) -> usize {
    let mut list = command(store, &["git", "ls-tree", "-r", "--format=%(objectname)", "refs/wf/main"]);
    let names = list.stdout(Stdio::piped()).output().unwrap().stdout;
    let mut cat = command(store, &["git", "cat-file", "--batch", "--buffer"]);
    let mut cat = cat.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (cat.stdin.take().unwrap(), cat.stdout.take().unwrap());
    let feeding = std::thread::spawn(move || stdin.write_all(&names).unwrap());
    let mut stdout = BufReader::with_capacity(1 << 20, stdout);
    let (mut header, mut data, mut read) = (String::new(), Vec::new(), 0);
    while stdout.read_line(&mut header).unwrap() > 0 {
        let size: usize = header.rsplit(' ').next().unwrap().trim().parse().unwrap();
        data.resize(size + 1, 0);
        stdout.read_exact(&mut data).unwrap();
        // Not every file is a record.
        if let Ok(value) = serde_json::from_slice::<serde_json::Value>(&data[..size]) {
            std::hint::black_box(value);
        }
        read += size;
        header.clear();
    }
    feeding.join().unwrap();
    assert!(cat.wait().unwrap().success());
    read
}

/// A command in a directory, without input, whose output is discarded.
pub(super) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(args[0]);
    command
        .args(&args[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs the command to its end; it must succeed.
pub(super) fn run(folder: &Path, args: &[&str]) {
    let status = command(folder, args).status().unwrap();
    assert!(status.success(), "{args:?} in {}: {status}", folder.display());
}

/// Runs the command to its end and returns its peak memory in KiB, if the system reports it.
pub(super) fn peak(mut command: Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (mut peak, started) = (0, Instant::now());
    loop {
        // Short runs are polled often, and long ones are not disturbed.
        if started.elapsed().as_millis() > 100 {
            std::thread::sleep(Duration::from_millis(2));
        }
        // The peak only grows, and can no longer be read when the process has ended, so the last value counts.
        if let Ok(text) = std::fs::read_to_string(&status)
            && let Some(line) = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))
        {
            peak = line.trim().trim_end_matches(" kB").parse().unwrap_or(peak);
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{command:?}: {status}");
            return peak;
        }
    }
}

/// The CPU time of this process and of its children that have ended, in seconds, if the system reports it.
fn used() -> f64 {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let seconds = |who| {
            let usage = getrusage(who).unwrap();
            (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
        };
        seconds(UsageWho::RUSAGE_CHILDREN) + seconds(UsageWho::RUSAGE_SELF)
    }
    #[cfg(not(unix))]
    f64::NAN
}

/// The load of the machine.
pub(super) fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
