//! What Linux says of a process in `proc_pid_stat(5)`.

use std::io::Read;

/// How a process is related to others. An id is 0 if the process that it names is outside this container; `getsid` and
/// `getpgrp` cannot return that, so they are not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Related {
    /// The process that started it, or adopted it since.
    pub(crate) parent: i32,
    /// The leader of its process group.
    pub(crate) group: i32,
    /// The leader of its session.
    pub(crate) session: i32,
}

/// How a process is related to others: `self`, or an id; `None` if it is gone, or hidden from this one.
pub(crate) fn related(process: &str) -> Option<Related> {
    parse(&proc_file(process, "stat").ok()?)
}

/// A file about a process, which may hold anything that a program calls itself. It has no size, and `std::fs::read` would
/// begin with 32 bytes; every command reads two of each of its ancestors.
pub(crate) fn proc_file(process: &str, name: &str) -> std::io::Result<String> {
    let mut bytes = Vec::with_capacity(4096);
    std::fs::File::open(format!("/proc/{process}/{name}"))?.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parent, group and session are the second to fourth values after the name.
fn parse(stat: &str) -> Option<Related> {
    // The name may contain spaces and parentheses.
    let (_, values) = stat.rsplit_once(')')?;
    let mut values = values.split_whitespace().skip(1).map(str::parse);
    let mut value = || values.next()?.ok();
    Some(Related { parent: value()?, group: value()?, session: value()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_anything() {
        let expected = Some(Related { parent: 1, group: 2, session: 3 });
        for name in ["(sh)", "(a b) R 7 8 9)", "(\u{fffd})", "((x)"] {
            assert_eq!(parse(&format!("12 {name} S 1 2 3 0 -1\n")), expected, "{name}");
        }
        assert_eq!(parse("12 (sh) S 1 2"), None);
        assert_eq!(parse(""), None);
    }
}
