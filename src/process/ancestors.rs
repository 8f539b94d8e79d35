//! The ancestors of this process.

#[cfg(target_os = "linux")]
use crate::git::process_stat::{proc_file, related};

/// A process above this one.
#[derive(Debug, Clone)]
pub(crate) struct Ancestor {
    /// Its program, as it was called, and its arguments.
    pub(crate) args: Vec<String>,
    /// Whether it runs this very program, or is called so.
    pub(crate) is_this_program: bool,
    #[cfg(target_os = "linux")]
    id: i32,
}

/// Whether a process is called like this program.
fn is_called_so(args: &[String]) -> bool {
    let program = args.first().map(std::path::Path::new).and_then(std::path::Path::file_name);
    program.is_some_and(|name| name == "git-wf")
}

/// Their arguments, nearest first. Processes that the system does not report are left out.
pub(crate) fn commands() -> Vec<Vec<String>> {
    all().into_iter().map(|process| process.args).collect()
}

/// The ids of this process and of those above it.
#[cfg(target_os = "linux")]
pub(crate) fn ids() -> Vec<i32> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    all().into_iter().map(|process| process.id).chain([own]).collect()
}

/// All of them, nearest first.
#[cfg(target_os = "linux")]
pub(crate) fn all() -> Vec<Ancestor> {
    // If a process ends meanwhile, its children get another parent, and the chain is read again. It is shorter each time.
    loop {
        if let Some(found) = chain() {
            return found;
        }
    }
}

/// All of them, nearest first; `None` if one of them ended while they were read.
#[cfg(target_os = "linux")]
fn chain() -> Option<Vec<Ancestor>> {
    let (own, mut found) = (program("self"), Vec::new());
    let Some(this) = related("self") else { return Some(found) };
    let (mut child, mut parent) = ("self".to_owned(), this.parent);
    while parent > 0 {
        let process = parent.to_string();
        let (Ok(text), Some(its)) = (proc_file(&process, "cmdline"), related(&process)) else {
            // The system may hide the processes of others.
            return related(&child).is_some_and(|process| process.parent == parent).then_some(found);
        };
        let args: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
        let is_this_program = is_called_so(&args) || (own.is_some() && program(&process) == own);
        // The id of a process that ended may have been given to one that is below.
        if found.iter().any(|ancestor: &Ancestor| ancestor.id == parent) {
            return None;
        }
        found.push(Ancestor { args, is_this_program, id: parent });
        (child, parent) = (process, its.parent);
    }
    Some(found)
}

/// The file of the program that a process runs, which may have been replaced since.
#[cfg(target_os = "linux")]
fn program(process: &str) -> Option<String> {
    let file = std::fs::read_link(format!("/proc/{process}/exe")).ok()?.to_string_lossy().into_owned();
    Some(file.strip_suffix(" (deleted)").unwrap_or(&file).to_owned())
}

/// All of them, with their arguments as `ps` prints them, split at each space.
#[cfg(not(target_os = "linux"))]
pub(crate) fn all() -> Vec<Ancestor> {
    use std::collections::HashMap;
    let listed = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "command="])
        .stdin(std::process::Stdio::null())
        .output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let processes: HashMap<u32, (u32, Vec<String>)> = text
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (pid, parent): (u32, u32) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((pid, (parent, words.map(str::to_owned).collect())))
        })
        .collect();
    let mut found = Vec::new();
    let mut pid = processes.get(&std::process::id()).map(|(parent, _)| *parent);
    // The list is of one moment, in which a process is not its own ancestor.
    while let Some((parent, args)) = pid.filter(|id| *id > 0).and_then(|id| processes.get(&id)) {
        found.push(Ancestor::called(args.clone()));
        pid = Some(*parent);
    }
    found
}

#[cfg(any(test, not(target_os = "linux")))]
impl Ancestor {
    /// One that is known only by how it was called.
    pub(crate) fn called(args: Vec<String>) -> Self {
        Self {
            is_this_program: is_called_so(&args),
            args,
            #[cfg(target_os = "linux")]
            id: 0,
        }
    }
}
