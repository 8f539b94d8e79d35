//! What someone with push access, or a broken disk, can put into a store. Made with plain git.

mod arguments;
mod cheats;
mod commits;
mod far_future;
mod form_of_commits;
mod large;
mod limits;
mod odd_entries;
mod plan_commit;
mod records;
mod refs;
mod rewritten;
mod rewritten_told;
mod sizes;
mod trees;
mod unreadable;
pub(crate) mod workplaces;

use serde_json::{Value, json};

use crate::support::foreign::{self, file, folder};
use crate::support::{REF, Ran, Repo, Sandbox};

const BIRTH: &str = "2026-11-21T02:00:00.000Z/00000/0000000a";

/// An issue that existed from the start.
fn issue(id: &str) -> Value {
    foreign::issue(id, 0)
}

/// An entry of a tree in raw form.
#[derive(Clone)]
struct Entry {
    mode: String,
    name: Vec<u8>,
    id: String,
}

fn entry(mode: &str, name: impl AsRef<[u8]>, id: &str) -> Entry {
    Entry { mode: mode.into(), name: name.as_ref().to_vec(), id: id.into() }
}

/// A tree with these entries in this order, even if git would object.
fn raw_tree(repo: &Repo, entries: &[Entry]) -> String {
    let mut bytes = Vec::new();
    for it in entries {
        bytes.extend(format!("{} ", it.mode).bytes());
        bytes.extend(&it.name);
        bytes.push(0);
        bytes.extend(
            (0..it.id.len()).step_by(2).map(|at| u8::from_str_radix(&it.id[at..at + 2], 16).unwrap()),
        );
    }
    raw(repo, "tree", bytes)
}

fn raw(repo: &Repo, kind: &str, bytes: impl AsRef<[u8]>) -> String {
    let args = ["hash-object", "-t", kind, "--literally", "-w", "--stdin"];
    repo.git_in(bytes, &args).ok().line().to_owned()
}

/// `tree`, with `change` applied to the entries of the directory at `path`; missing directories are created.
fn changed(repo: &Repo, tree: Option<&str>, path: &[&str], change: &dyn Fn(&mut Vec<Entry>)) -> String {
    let mut entries: Vec<Entry> = Vec::new();
    for line in tree.map(|tree| repo.git(&["ls-tree", tree]).ok().stdout).unwrap_or_default().lines() {
        let (what, name) = line.split_once('\t').unwrap();
        let parts: Vec<&str> = what.split(' ').collect();
        entries.push(entry(parts[0].trim_start_matches('0'), name, parts[2]));
    }
    match path {
        [] => change(&mut entries),
        [first, rest @ ..] => {
            let at = entries.iter().position(|it| it.name == first.as_bytes());
            let inner = changed(repo, at.map(|at| entries[at].id.as_str()), rest, change);
            match at {
                Some(at) => entries[at] = entry("40000", first, &inner),
                None => {
                    entries.push(entry("40000", first, &inner));
                    sort(&mut entries);
                }
            }
        }
    }
    raw_tree(repo, &entries)
}

/// Sorts entries as git does.
fn sort(entries: &mut [Entry]) {
    entries.sort_by_key(|it| {
        let end: &[u8] = if it.mode == "40000" { b"/" } else { b"" };
        [it.name.as_slice(), end].concat()
    });
}

/// Puts a commit with this tree onto the ref.
fn commit(repo: &Repo, tree: &str) -> String {
    let tip = repo.tip().unwrap();
    let text = format!(
        "tree {tree}\nparent {tip}\nauthor E <e@example.org> 1795226400 +0000\n\
         committer E <e@example.org> 1795226400 +0000\n\nby hand\n"
    );
    let commit = raw(repo, "commit", text);
    repo.git(&["update-ref", REF, &commit]).ok();
    commit
}

/// A remote, and a clone that has synced two issues with it.
struct World {
    sandbox: Sandbox,
    origin: Repo,
    ada: Repo,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let origin = sandbox.bare("origin.git");
        let ada = sandbox.clone(&origin, "ada");
        ada.wf(&["init"]).ok();
        for id in ["ISS-001", "ISS-002"] {
            foreign::create(&ada, id, 0);
        }
        ada.wf(&["sync"]).ok();
        Self { sandbox, origin, ada }
    }

    /// Both records exist and can be worked with, and git has no objections to our own tree.
    #[track_caller]
    fn assert_usable(&self) {
        let listed = self.ada.wf(&["list", "--json"]).ok().json();
        let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert!(ids.contains(&"ISS-001") && ids.contains(&"ISS-002"), "{ids:?}");
        self.ada.wf(&["comment", "ISS-001", "-m", "still here"]).ok();
        assert_git_likes(&self.sandbox, &self.ada);
    }
}

/// Takes the newest tree, without its history, through the checks of `git index-pack --strict`.
#[track_caller]
fn assert_git_likes(sandbox: &Sandbox, repo: &Repo) {
    let tree = format!("{REF}^{{tree}}");
    let objects = repo.git(&["rev-list", "--objects", "--no-object-names", &tree]).ok().stdout;
    let pack = sandbox.root().join("strict.pack");
    let output = std::fs::File::create(&pack).unwrap();
    let mut child = repo
        .command("git", &["pack-objects", "--quiet", "--stdout"])
        .stdin(std::process::Stdio::piped())
        .stdout(output)
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), objects.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let strict = sandbox.bare("strict.git");
    strict.git_in(std::fs::read(&pack).unwrap(), &["index-pack", "--strict", "--stdin"]).ok();
    std::fs::remove_dir_all(strict.path()).unwrap();
}

/// Runs the binary with this many MB of memory for data, not counting mapped files.
fn limited(repo: &Repo, megabytes: u32, args: &[&str]) -> Ran {
    let line = format!("ulimit -d {}; exec {} \"$@\"", megabytes * 1024, env!("CARGO_BIN_EXE_git-wf"));
    repo.sh(&[&["-c", &line, "sh"], args].concat())
}

/// No byte in it controls a terminal.
#[track_caller]
fn assert_printable(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let bad = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        });
        assert_eq!(bad, None, "{text:?}");
    }
}
