//! The pid namespace of this process: a container has its own, and any program can begin one. Whoever is in one sees no
//! process outside of it, so an agent there cannot be distinguished from its user.

/// What Linux calls the namespace that contains all others.
const OUTERMOST: &str = "pid:[4026531836]";

/// The name of the pid namespace, as the system writes it; `None` if the system does not tell, as without `/proc`.
pub(crate) fn own() -> Option<String> {
    let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
    link.into_os_string().into_string().ok()
}

/// Whether processes of every namespace are seen from this one.
pub(crate) fn sees_all(own: Option<&str>) -> bool {
    own == Some(OUTERMOST)
}
