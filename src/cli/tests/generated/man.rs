//! The man pages of the commands, from their arguments.

use std::collections::BTreeMap;
use std::io::Write;

use clap_mangen::Man;

use super::command_page::{below, guide, sections, shown};
use crate::cli::command::store::help::has_one_page;

/// The release date of this version, for the footer of the pages.
const DATE: &str = "2026-11-24";

/// The longest line that `mandoc -Tlint` accepts, in bytes.
const WIDEST: usize = 80;

/// The beginning of the program's page.
const DESCRIPTION: &str = r#".SH DESCRIPTION
An issue has a plan, a plan has tasks, and the commits of the project are linked to them.
All of it is stored as git objects on one ref of the repository, without a server and without files in the work tree.
.BR gitwf\-tutorial (7)
shows a whole session, and
.BR gitwf\-concepts (7)
explains how everything works.
"#;

/// The glossary of `gitwf-words(7)`, as a section.
fn words() -> String {
    let page = include_str!("../../../../man/gitwf-words.7");
    let (_, words) = page.split_once(".SH DESCRIPTION\n").unwrap();
    format!(".SH WORDS\n{words}")
}

/// What follows the list of commands on the program's page.
const MORE: &str = r#".SH "TEXTS AND REASONS"
A command that takes your text takes it as the last argument or after
.BR \-m .
.B \-\-reason
says why a gate is overridden; only
.B close
also takes it as the reason for closing the issue.
.SH "JSON ANSWERS"
With
.BR \-\-json ,
every command prints one JSON document on stdout: an object for a record, an array for a list.
.B git wf schema
lists the shape of every answer.
Warnings are in the field
.B warnings
of an object; an array has no place for them, so they are on stderr, as the object
.BR {"warnings":[...]} .
An error is the object
.B {"error":{"code","message","hint"}}
on stderr, with the warnings that came before it. It may also have
.B details
(lines that say more) and
.B remedies
(what to do, as data);
.B git wf schema error
describes it.
.SH "EXIT STATUS"
.TP
.B 0
Success, even if nothing had to change.
.TP
.B 1
The command failed: not found, invalid, refused by a gate, or the remote cannot be reached.
.TP
.B 2
Wrong usage.
.TP
.B 3
Nothing to do:
.B next
found no ready item, or
.B retry
found no failed issue.
.SH ENVIRONMENT
.TP
.B WF_ACTOR
The name of an agent.
Records and the log show it beside the git identity.
What it claims is its work until the execution ends.
.TP
.B WF_MODEL
The model of that agent, or of the agent that runs the command.
.TP
.B WF_ROLE
.BR explorer ,
.BR planner ,
.BR reviewer ,
.BR integrator ,
.B executor
(or
.BR implementer )
or
.BR coordinator .
Each role allows certain commands, and none can override a gate. If WF_ROLE is unset, you are an owner.
.TP
.B NO_COLOR
If set and not empty, disables colour.
.TP
.BR GIT_DIR ", " GIT_WORK_TREE ", " GIT_AUTHOR_NAME " and so on"
As in git.
.SH CONFIGURATION
.TP
.B wf.ref
The ref that holds the store (default:
.BR refs/wf/main ).
.TP
.B wf.remote
The remote to sync the store with.
.TP
.B wf.lease
How long a claim lasts without a commit:
.BR 4h ", " 90m ", " 2d .
.TP
.B wf.pushInterval
How long to collect completions, failures and renewals before pushing them together:
.BR 30 " (seconds), " 90s ", " 5m .
The default is 0: each is pushed at once.
.TP
.B wf.noticeOutside
If
.BR false ,
changed files that the plan does not name are not listed after a commit.
.TP
.B wf.fsckAccepted
A commit or path whose errors
.B fsck
accepts in this repository, since no repair can remove them. May be given more than once.
.TP
.B wf.lockTimeout
How many seconds to wait for another writer (default: 60). A run tries four times.
.TP
.BR remote.\fINAME\fP.wfPush
If true, an ordinary
.B git push
to this remote publishes the store as well. If false, no push of code publishes anything of it there, even if a lease
must be renewed, or says how many records the remote lacks.
.TP
.B wf.workplace.setup
A command that prepares each worktree that
.B next \-\-worktree
creates. May be given more than once. See
.BR gitwf\-claims (7).
.TP
.B wf.workplace.teardown
A command that runs before a workplace of an agent or of tests is removed; git\-wf removes no other. May be given more than
once.
.TP
.B wf.workplace.port
The first port of the first worktree (default: 21000); each has ten.
.TP
.B wf.workplace.env
The name of a variable that setup commands and tests see in workplaces. May be given more than once. See
.BR gitwf\-claims (7).
.TP
.B wf.land.onto
The branch on which work lands, unless the policy
.B land.onto
names one; the files
.I .worktreeinclude
and
.I .wfconfig
are read from it (default: the remote's default branch, else
.B main
or
.BR master ).
.TP
.B wf.land.test
A command that must pass on the merged tree before anything lands, besides the tests of the plans; may be set
several times.
.TP
.B wf.plans.follow
A plan tool with its directory in the project, such as
.IR openspec:openspec .
Each landing then ticks off in the files there what lands, and the tasks of other plans whose linked commits the branch has, in
a commit of its own that is tested with the rest;
.B git wf undo
takes it back with the landing.
.B git wf land \-\-pr
puts that commit on top of the work. The tools are openspec, spec\-kit, task\-master, backlog and gsd. May be set several times.
.TP
.B wf.tests
A pattern of further test files, such as
.IR qa/** ;
after a
.BR ! ,
of files that are none.
May be set several times: see
.BR gitwf\-concepts (7).
.TP
.B wf.test.report
Where test commands write reports in the XML form of JUnit, such as
.BR "\-\-junit target/junit/*.xml" .
Those that a command has written give the number and the names of its tests.
May be set several times.
.TP
.B wf.proof
Whether
.BR "git wf verify \-\-fresh" ,
runs and
.B git wf land
test the tests of work that changes tests (default: true).
A policy
.B evidence=proved
does so in any case.
.TP
.B wf.land.poll
How long
.B git wf land \-\-pr \-\-watch
waits between two questions to the host, such as 30s (default: 60s); 0 does not wait.
.TP
.B wf.land.status
Whether
.B git wf land \-\-pr
tells the host whether the tests of the plan pass, as a status named git\-wf of the last commit of the pull request (default: false).
.TP
.BR wf.agent.\fINAME\fP.command ", " .protocol ", " .timeout ", " .shell ", " .commits ", " .env
An agent, or changes to a preset: see
.BR gitwf\-agents (7).
.TP
.BR wf.run.explorer ", " .planner ", " .reviewer ", " .executor
The agents of a run, by their names or command lines.
.TP
.BR wf.run.mode ", " .jobs ", " .planJobs ", " .retries ", " .keepTranscripts ", " .silence ", " .alone
Defaults for runs: see
.BR gitwf\-agents (7).
.TP
.BR wf.run.sandbox ", " .hide ", " .writable
Whether agents and the tests of a landing are confined, and to what: see
.BR gitwf\-agents (7).
.TP
.B wf.run.land
Whether runs land each issue as soon as it is completed, like
.BR "git wf run \-\-land" .
.TP
.BR wf.sign ", " commit.gpgSign
Sign the commits of the store, as git signs other commits.
.B wf.sign
takes precedence.
Merges are never signed:
.B git wf audit \-\-signatures
recomputes them.
.TP
.BR maintenance.auto ", " gc.auto ", " gc.autoPackLimit ", " core.multiPackIndex
As in git.
After a write,
.B git maintenance run \-\-auto
is started when it is due (with 3000 loose objects or more if
.B gc.auto
is unset), and
.B git multi\-pack\-index write
when a pack has become so large that opening it slows down every command.
.SH "SEE ALSO"
.BR gitwf\-words (7),
.BR gitwf\-tutorial (7),
.BR gitwf\-concepts (7),
.BR gitwf\-claims (7),
.BR gitwf\-hooks (7),
.BR gitwf\-agents (7),
.BR gitwf\-server (7),
.BR gitwf\-format (5),
.BR git (1)
"#;

/// Every page by its file name. The content does not depend on the time or the machine.
pub(super) fn pages() -> BTreeMap<String, Vec<u8>> {
    let mut pages = BTreeMap::new();
    collect(&crate::cli::whole_command(), "", &mut pages);
    pages
}

/// Replaces letters beyond ASCII with escapes that every roff knows.
pub(super) fn ascii(text: &str) -> String {
    let escaped = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    text.chars().map(escaped).collect()
}

/// Formats a page as `mandoc -Tlint` requires: short lines without trailing blanks.
pub(super) fn tidy(page: &str) -> String {
    let mut tidied = String::new();
    let (mut is_literal, mut is_tag) = (false, false);
    for line in page.replace("\n.br\n\n.br\n", "\n.sp\n").lines().map(str::trim_end) {
        let request = line.strip_prefix('.').map(|rest| rest.split(' ').next().unwrap_or_default());
        match request {
            Some("nf" | "EX") => is_literal = true,
            Some("fi" | "EE") => is_literal = false,
            _ => {}
        }
        let is_whole = request.is_some() || line.starts_with('\'') || is_literal || is_tag;
        tidied.push_str(&if is_whole { line.to_owned() } else { wrapped(line) });
        tidied.push('\n');
        is_tag = matches!(request, Some("TP" | "TQ"));
    }
    tidied
}

/// Wraps text at [`WIDEST`] bytes, so that no line looks like a request.
fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.len() + 1 + word.len() > WIDEST {
            lines.push(std::mem::take(&mut line));
            if word.starts_with(['.', '\'']) {
                line.push_str("\\&");
            }
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n")
}

/// Collects the page of a command, whose words are `path`, and the pages of those below it.
fn collect(command: &clap::Command, path: &str, pages: &mut BTreeMap<String, Vec<u8>>) {
    let page = Man::new(shown(command));
    let name = page.get_filename();
    let page = page
        .title(name.trim_end_matches(".1").to_uppercase())
        .date(DATE)
        .source(concat!("git-wf ", env!("CARGO_PKG_VERSION")))
        .manual("git-wf manual");
    let mut text = Vec::new();
    let inner = || command.get_subcommands().filter(|inner| !inner.is_hide_set());
    if path.is_empty() {
        program(&page, command, &mut text);
    } else {
        page.render_title(&mut text).unwrap();
        text.extend_from_slice(sections(command, path).as_bytes());
        if has_one_page(path) {
            let below = inner().map(|inner| below(inner, &format!("{path} {}", inner.get_name())));
            text.extend_from_slice(below.collect::<String>().as_bytes());
        }
        let above = name.rsplit_once('-').map_or("git-wf", |(above, _)| above).replace('-', "\\-");
        writeln!(text, ".SH \"SEE ALSO\"\n.BR {above} (1),\n.BR {}", guide(path)).unwrap();
    }
    if !has_one_page(path) {
        for inner in inner() {
            collect(inner, format!("{path} {}", inner.get_name()).trim_start(), pages);
        }
    }
    pages.insert(name, tidy(&ascii(std::str::from_utf8(&text).unwrap())).into_bytes());
}

/// The page of the program, which lists the commands in their groups.
fn program(page: &Man, command: &clap::Command, text: &mut Vec<u8>) {
    page.render_title(text).unwrap();
    page.render_name_section(text).unwrap();
    text.extend_from_slice(
        b".SH SYNOPSIS\n\\fBgit wf\\fR [\\fB\\-\\-json\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n",
    );
    text.extend_from_slice(DESCRIPTION.as_bytes());
    text.extend_from_slice(words().as_bytes());
    page.render_options_section(text).unwrap();
    for (group, commands) in crate::cli::groups(command) {
        writeln!(text, ".SH \"{}\"", group.to_uppercase()).unwrap();
        for it in commands {
            let about = it.get_about().map(ToString::to_string).unwrap_or_default();
            let about = about.replace('-', "\\-");
            writeln!(text, ".TP\n.BR git\\-wf\\-{} (1)\n{about}", it.get_name().replace('-', "\\-")).unwrap();
        }
    }
    text.extend_from_slice(MORE.as_bytes());
}

#[test]
fn man_pages_are_current() {
    super::settle("man", ".1", &pages());
}

#[test]
fn guides_are_tidy() {
    for name in ["agents", "claims", "concepts", "server"] {
        let path = super::root().join(format!("man/gitwf-{name}.7"));
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page.contains(&format!(" 7 \"{DATE}\" ")), "{name} has another date");
        if super::update() {
            std::fs::write(&path, tidy(&page)).unwrap();
        } else {
            assert!(page == tidy(&page), "`UPDATE_GENERATED=1 cargo test generated` tidies gitwf-{name}.7");
        }
    }
}

#[test]
fn a_tidy_page_says_the_same_in_short_lines() {
    let long = "word ".repeat(20);
    let tidied = tidy(&format!(".SH X\n{long}\n.TP\n{long}\n.nf\n{long}\n.fi\na\n.br\n\n.br\nb \n"));
    assert_eq!(tidied.split_whitespace().filter(|word| *word == "word").count(), 60);
    assert!(tidied.starts_with(&format!(".SH X\n{}\n", ["word"; 16].join(" "))), "{tidied}");
    assert!(tidied.contains(&format!(".TP\n{}\n.nf\n", long.trim_end())) && tidied.ends_with("a\n.sp\nb\n"));
    assert_eq!(wrapped(&format!("{} .x", "y".repeat(79))), format!("{}\n\\&.x", "y".repeat(79)));
}
