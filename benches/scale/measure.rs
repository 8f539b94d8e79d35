//! Runs programs and tells what they cost.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seconds after which a figure is not measured again.
const LONGEST: f64 = 10.0;

/// What runs of one program cost.
#[derive(Default, Clone)]
pub(super) struct Cost {
    /// Seconds, of each run.
    pub(super) wall: Vec<f64>,
    /// Seconds of CPU of all runs together, with the children that they waited for.
    pub(super) cpu: f64,
}

impl Cost {
    /// The median of the runs, in seconds.
    pub(super) fn median(&self) -> f64 {
        let mut wall = self.wall.clone();
        wall.sort_by(f64::total_cmp);
        wall.get(wall.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Seconds of CPU of a run, on the average.
    pub(super) fn cpu(&self) -> f64 {
        self.cpu / self.wall.len() as f64
    }

    /// Whether more runs would take longer than anybody waits.
    pub(super) fn is_enough(&self) -> bool {
        self.wall.iter().sum::<f64>() > LONGEST
    }

    /// Whether one run takes so long that one at a time is exact enough; before the first, nobody knows.
    pub(super) fn is_long(&self) -> bool {
        self.wall.first().is_none_or(|first| *first > 0.1)
    }

    /// Adds the cost of `work`.
    pub(super) fn add(&mut self, work: impl FnOnce()) {
        let mut work = Some(work);
        self.add_runs(1, |_| work.take().into_iter().for_each(|work| work()));
    }

    /// Adds the cost of so many runs.
    pub(super) fn add_runs(&mut self, count: usize, mut work: impl FnMut(usize)) {
        let before = children();
        for n in 0..count {
            let started = Instant::now();
            work(n);
            self.wall.push(started.elapsed().as_secs_f64());
        }
        self.cpu += children() - before;
    }

    /// What these runs cost beyond those.
    pub(super) fn beyond(&self, other: &Self) -> Self {
        let wall = self.wall.iter().map(|wall| wall - other.median()).collect();
        Self { wall, cpu: (self.cpu() - other.cpu()) * self.wall.len() as f64 }
    }
}

/// A command in a folder, with nothing to read and nobody to see what it prints.
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

/// Runs to the end; it must succeed.
pub(super) fn run(folder: &Path, args: &[&str]) {
    let status = command(folder, args).status().unwrap();
    assert!(status.success(), "{args:?} in {}: {status}", folder.display());
}

/// Runs to the end; the answer is the most memory that it ever had, in KiB, where the system tells.
pub(super) fn peak(mut command: Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (mut peak, started) = (0, Instant::now());
    loop {
        // What ends soon is watched closely; what takes long is not disturbed.
        if started.elapsed().as_millis() > 100 {
            std::thread::sleep(Duration::from_millis(2));
        }
        // It only grows, and is gone with the process: what was seen last is what counts.
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

/// CPU time of the children that have ended, in seconds, where the system tells.
fn children() -> f64 {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
    }
    #[cfg(not(unix))]
    f64::NAN
}

/// How busy the machine is.
pub(super) fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
