//! The man pages of the commands, from their arguments.

use std::collections::BTreeMap;
use std::io::Write;

use clap_mangen::Man;

/// Behind the page of the program.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
.B 0
Done, or so already.
.TP
.B 1
It cannot be done: not found, invalid, refused by a gate, a remote that cannot be reached.
.TP
.B 2
Wrong usage.
.TP
.B 3
Nothing to do:
.B next
with nothing ready,
.B retry
with nothing failed.
.SH ENVIRONMENT
.TP
.B WF_ACTOR
The name that an agent gives itself; it stands in records and in the log beside the git identity.
.TP
.B WF_ROLE
planner, reviewer, integrator or executor; not set for an owner.
.TP
.B NO_COLOR
Set and not empty: no colour.
.TP
.BR GIT_DIR ", " GIT_WORK_TREE ", " GIT_AUTHOR_NAME " and so on"
As git has them.
.SH CONFIGURATION
.TP
.B wf.ref
The ref that holds the store;
.B refs/wf/main
unless set.
.TP
.B wf.remote
The remote that the store is synchronised with.
.TP
.B wf.lease
How long a claim is good without a commit:
.BR 4h ", " 90m ", " 2d .
.TP
.B wf.lockTimeout
Seconds to wait for another writer; 60 unless set.
.TP
.BR wf.sign ", " commit.gpgSign
Sign the commits of the store as git signs others;
.B wf.sign
decides where it is set. Merges are never signed:
.B git wf audit \-\-signatures
makes them again.
.TP
.BR maintenance.auto ", " gc.auto ", " gc.autoPackLimit ", " core.multiPackIndex
As git has them: a write of the store starts
.B git maintenance run \-\-auto
where it is due (from 3000 loose objects on where
.B gc.auto
is not set), and
.B git multi\-pack\-index write
where a pack is so large that opening it slows each command down.
.SH "SEE ALSO"
.BR gitwf\-format (5),
.BR git (1)
"#;

/// Every page by its file name. Nothing in it depends on when or where it is made.
pub(super) fn pages() -> BTreeMap<String, Vec<u8>> {
    let mut pages = BTreeMap::new();
    collect(&crate::cli::whole_command(), None, &mut pages);
    pages
}

/// Letters beyond ASCII as every roff knows them.
pub(super) fn ascii(text: &str) -> String {
    let escaped = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    text.chars().map(escaped).collect()
}

fn collect(command: &clap::Command, above: Option<&str>, pages: &mut BTreeMap<String, Vec<u8>>) {
    let page = Man::new(command.clone())
        .source(concat!("git-wf ", env!("CARGO_PKG_VERSION")))
        .manual("git-wf manual");
    let name = page.get_filename();
    let mut text = Vec::new();
    page.render(&mut text).unwrap();
    match above {
        None => text.extend_from_slice(MORE.as_bytes()),
        Some(above) => writeln!(text, ".SH \"SEE ALSO\"\n.BR {} (1)", above.replace('-', "\\-")).unwrap(),
    }
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        collect(inner, name.strip_suffix(".1"), pages);
    }
    pages.insert(name, ascii(std::str::from_utf8(&text).unwrap()).into_bytes());
}

#[test]
fn man_pages_are_current() {
    super::settle("man", ".1", &pages());
}
