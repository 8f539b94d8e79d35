//! The ancestors of this process.

/// A chain is never longer; a longer one would be a cycle of reused process ids.
const MOST: usize = 200;

/// A process above this one.
#[derive(Debug, Clone)]
pub(super) struct Ancestor {
    /// Its program, as it was called, and its arguments.
    pub(super) args: Vec<String>,
    /// Whether it runs this very program, or is called so.
    pub(super) is_this_program: bool,
    /// Whether it is in another session than this process.
    pub(super) is_apart: bool,
    #[cfg(target_os = "linux")]
    id: i32,
}

/// Whether a process is called like this program.
fn is_called_so(args: &[String]) -> bool {
    let program = args.first().map(std::path::Path::new).and_then(std::path::Path::file_name);
    program.is_some_and(|name| name == "git-wf")
}

/// Their arguments, nearest first. Processes that the system does not report are left out.
pub(super) fn commands() -> Vec<Vec<String>> {
    all().into_iter().map(|it| it.args).collect()
}

/// The ids of this process and of those above it.
#[cfg(target_os = "linux")]
pub(super) fn ids() -> Vec<i32> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    all().into_iter().map(|it| it.id).chain([own]).collect()
}

/// All of them, nearest first.
#[cfg(target_os = "linux")]
pub(super) fn all() -> Vec<Ancestor> {
    let (own, session) = (program("self"), stat("self").1);
    let mut found = Vec::new();
    let mut pid = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    while let Some(id) = pid.filter(|id| *id > 0 && found.len() < MOST) {
        let Ok(bytes) = std::fs::read(format!("/proc/{id}/cmdline")) else { break };
        let text = String::from_utf8_lossy(&bytes);
        let args: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
        let is_this_program = is_called_so(&args) || (own.is_some() && program(&id.to_string()) == own);
        let (parent, its) = stat(&id.to_string());
        found.push(Ancestor { args, is_this_program, is_apart: its != session, id });
        pid = parent;
    }
    found
}

/// The parent and the session of a process, as far as the system tells.
#[cfg(target_os = "linux")]
fn stat(process: &str) -> (Option<i32>, Option<i32>) {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program is in parentheses and may contain anything.
    let values = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect::<Vec<_>>());
    let value = |n: usize| values.as_ref()?.get(n)?.parse().ok();
    (value(1), value(3))
}

/// The file of the program that a process runs, which may have been replaced since.
#[cfg(target_os = "linux")]
fn program(process: &str) -> Option<String> {
    let file = std::fs::read_link(format!("/proc/{process}/exe")).ok()?.to_string_lossy().into_owned();
    Some(file.strip_suffix(" (deleted)").unwrap_or(&file).to_owned())
}

/// All of them, with their arguments as `ps` prints them, split at each space.
#[cfg(not(target_os = "linux"))]
pub(super) fn all() -> Vec<Ancestor> {
    use std::collections::HashMap;
    let listed = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "command="])
        .stdin(std::process::Stdio::null())
        .output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let process = |line: &str| {
        let mut words = line.split_whitespace();
        let (pid, parent): (u32, u32) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((pid, (parent, words.map(str::to_owned).collect::<Vec<_>>())))
    };
    let processes: HashMap<u32, (u32, Vec<String>)> = text.lines().filter_map(process).collect();
    let mut found = Vec::new();
    let mut pid = processes.get(&std::process::id()).map(|(parent, _)| *parent);
    while let Some((parent, args)) = pid.filter(|_| found.len() < MOST).and_then(|id| processes.get(&id)) {
        found.push(Ancestor::called(args.clone()));
        pid = Some(*parent);
    }
    found
}

#[cfg(any(test, not(target_os = "linux")))]
impl Ancestor {
    /// One that is known only by how it was called.
    pub(super) fn called(args: Vec<String>) -> Self {
        Self {
            is_this_program: is_called_so(&args),
            args,
            is_apart: false,
            #[cfg(target_os = "linux")]
            id: 0,
        }
    }
}
