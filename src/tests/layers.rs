//! Tests that the layers of `ARCHITECTURE.md` are kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::Code;

/// The floors of the house, from the top to the ground, as in the map of `ARCHITECTURE.md`. Each may use those below it.
const FLOORS: &[&str] = &[
    "cli",
    "board",
    "mcp",
    "web",
    "hooks",
    "page",
    "ui",
    "run",
    "ops",
    "workplace",
    "gate",
    "agent",
    "process",
    "interchange",
    "trail",
    "sync",
    "index",
    "store",
    "git",
    "rules",
    "model",
];

/// How many floors know neither files nor clocks: `rules` and `model`.
const PURE: usize = 2;

/// Names that only some floors may use, with the reason.
struct Reserved {
    words: &'static [&'static str],
    only: &'static [&'static str],
}

const RESERVED: &[Reserved] = &[
    // Front ends read arguments, and decide what a refusal is for the process.
    Reserved { words: &["clap", "ExitCode"], only: &["cli"] },
    Reserved { words: &["rusqlite"], only: &["index"] },
    Reserved { words: &["rmcp"], only: &["mcp"] },
    Reserved { words: &["hyper", "maud"], only: &["web"] },
    Reserved { words: &["pulldown_cmark"], only: &["interchange", "ui", "web"] },
    Reserved { words: &["saphyr_parser", "quick_xml"], only: &["rules"] },
    Reserved { words: &["tokio"], only: &["mcp", "web"] },
    Reserved { words: &["crossterm"], only: &["ui"] },
    Reserved { words: &["ratatui_core"], only: &["board", "ui"] },
    Reserved {
        words: &["std::fs", "std::process", "std::net", "SystemTime", "Instant::now", "getrandom"],
        only: FLOORS.split_at(FLOORS.len() - PURE).0,
    },
];

/// Whether a line of code on a floor names a higher floor, or something reserved for others. `depth` is the number of
/// modules between its file and the crate root.
fn crosses(floor: &str, depth: usize, line: &str) -> bool {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && !":_".contains(c)).collect();
    let names = |name: &str| words.iter().any(|word| word.trim_start_matches(':').starts_with(name));
    let is_above = |above: &&str| {
        let path = format!("crate::{above}");
        words.iter().any(|word| *word == path || word.starts_with(&format!("{path}::")))
    };
    let above = FLOORS.iter().take_while(|it| **it != floor);
    let is_reserved = |it: &&Reserved| !it.only.contains(&floor) && it.words.iter().any(|word| names(word));
    // `use crate::{…}` and a `super` that leaves the floor would name floors in another way.
    above.into_iter().any(is_above)
        || RESERVED.iter().any(|it| is_reserved(&it))
        || line.contains("crate::{")
        || line.contains(&"super::".repeat(depth))
}

/// Front ends read the environment and hand it down.
const FRONT_ENDS: &[&str] = &["cli", "board", "mcp", "web", "hooks", "page", "ui", "main.rs", "lib.rs"];

/// Files below the front ends that still use `std::env`, with the reason.
const NAMES_ENV: &[(&str, &str)] = &[
    ("agent/configured.rs", "takes the text of a `PATH` apart, which reads nothing"),
    ("process/watch.rs", "starts this very program as the watcher, where /proc does not name its file"),
    ("git/withheld.rs", "takes the text of a `PATH` apart, which reads nothing"),
    ("workplace/sandbox/mounts.rs", "takes the text of a `PATH` apart, which reads nothing"),
    ("trail/hooked/shim_file.rs", "takes the text of a `PATH` apart, which reads nothing"),
    ("git/fault.rs", "tests kill debug builds here; a release has none of it"),
];

/// What below the front ends would depend on the process: its directory, its streams, its end.
const OF_THE_PROCESS: &[&str] = &[
    "path::absolute",
    "current_dir()",
    "io::stdin(",
    "io::stdout(",
    "io::stderr(",
    "process::exit(",
    "Stdio::inherit(",
    // Also `eprintln!`.
    "println!(",
    "print!(",
];

/// Files below the front ends that depend on the process, with the reason.
const NAMES_PROCESS: &[(&str, &str)] = &[
    ("process/watch.rs", "a process of its own, which reads what to run from its stdin"),
    ("sync/pace/simulation.rs", "a simulation that runs as a test and prints what it measured"),
    ("git/discover.rs", "makes a path absolute in which the front end stands, for messages"),
];

/// Files below the front ends that spell out commands of this program, with the reason.
const SPELLS_COMMANDS: &[(&str, &str)] = &[
    ("agent/request.rs", "the instructions for an agent, which types the command"),
    ("model/remedy.rs", "writes a call as a command, also for agents, whose input holds commands"),
    ("ops/plans/executor_input.rs", "the example of the schema"),
    ("ops/store/purge/mod.rs", "the answer holds the commands that others must type"),
    ("interchange/agent_files/section.rs", "a marker names the command that writes its section"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The lines of code that break a rule, such as `store/repo.rs: use gix::…`.
fn at_fault(path: &Path, source: &Path, is_at_fault: impl Fn(&str) -> bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//") && is_at_fault(line));
    let shown = path.strip_prefix(source).unwrap().display();
    lines.map(|line| format!("{shown}: {line}")).collect()
}

/// Whether a file contains only tests.
fn is_test(inner: &Path) -> bool {
    let is_named = |file: &str| file == "tests.rs" || file.starts_with("test_");
    inner.components().any(|it| it.as_os_str() == "tests")
        || inner.file_name().and_then(|file| file.to_str()).is_some_and(is_named)
}

#[test]
fn each_module_knows_only_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut found = Vec::new();
    for path in &all {
        let inner = path.strip_prefix(&source).unwrap();
        // These read the code.
        if inner.starts_with("tests") {
            continue;
        }
        if !inner.starts_with("git") {
            found.extend(at_fault(path, &source, |line| line.contains("gix")));
            // Each question to git has a named function; only `git` assembles arguments.
            found.extend(at_fault(path, &source, |line| {
                line.contains("git::Args") || line.contains("Args::new(")
            }));
            // Tests also act as a user of git.
            if !is_test(inner) {
                found.extend(at_fault(path, &source, |line| line.contains("Command::new(\"git\")")));
            }
        }
        let is_front = FRONT_ENDS.iter().any(|folder| inner.starts_with(folder));
        let is_excepted = NAMES_ENV.iter().any(|(file, _)| inner == Path::new(file));
        if !is_front && !is_excepted && !is_test(inner) {
            found.extend(at_fault(path, &source, |line| {
                line.contains("std::env::") || line == "use std::env;"
            }));
        }
        if !is_front && !is_test(inner) && !NAMES_PROCESS.iter().any(|(file, _)| inner == Path::new(file)) {
            found.extend(at_fault(path, &source, |line| OF_THE_PROCESS.iter().any(|it| line.contains(it))));
        }
        if let Some(floor) = FLOORS.iter().find(|floor| inner.starts_with(floor)) {
            let depth = inner.components().count() - usize::from(inner.ends_with("mod.rs"));
            found.extend(at_fault(path, &source, |line| crosses(floor, depth, line)));
        } else {
            assert!(["lib.rs", "main.rs"].iter().any(|it| inner.ends_with(it)), "{inner:?} is on no floor");
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The most lines of a file.
const MOST_LINES: usize = 400;

/// Files that may have more, with the reason.
const LONGER: &[(&str, &str)] = &[("src/model/code.rs", "one list: the codes of all errors")];

#[test]
fn no_file_is_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    ["src", "tests"].iter().for_each(|folder| files(&root.join(folder), &mut all));
    let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().count();
    let is_listed = |path: &Path| LONGER.iter().any(|(file, _)| path.ends_with(file));
    let long: Vec<String> = all
        .iter()
        .filter(|path| !is_listed(path) && lines(path) > MOST_LINES)
        .map(|path| format!("{}: {} lines", path.display(), lines(path)))
        .collect();
    assert!(long.is_empty(), "more than {MOST_LINES} lines:\n{}", long.join("\n"));
}

/// Places that change the store without the permit of a role, with the reason.
const WITHOUT_PERMIT: &[(&str, &str)] = &[
    ("ops/session.rs", "asks for the permit"),
    ("ops/trail/record_commit.rs", "records a commit that git has made: nobody can refuse it any more"),
    ("ops/trail/record_rewrite.rs", "records what git has rewritten: nobody can refuse it any more"),
    ("ops/trail/record_split.rs", "records what git has rewritten: nobody can refuse it any more"),
];

#[test]
fn every_change_of_the_store_needs_a_permit() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut found = BTreeSet::new();
    for path in all.iter().filter(|path| !path.ends_with("layers.rs")) {
        let inner = path.strip_prefix(&source).unwrap();
        if inner.starts_with("store") || is_test(inner) {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let is_bare = |line: &str| line.contains("store.transact(") || line.contains("store().transact(");
        if program.lines().any(is_bare) {
            found.insert(inner.to_str().unwrap().to_owned());
        }
    }
    let known: BTreeSet<String> = WITHOUT_PERMIT.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(found, known);
}

/// A remedy is data, which each front end spells in its own way.
#[test]
fn only_front_ends_spell_out_commands() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut found = Vec::new();
    let mut needless: Vec<&str> = SPELLS_COMMANDS.iter().map(|(file, _)| *file).collect();
    for path in all.iter().filter(|path| !path.ends_with("layers.rs")) {
        let inner = path.strip_prefix(&source).unwrap();
        if FRONT_ENDS.iter().any(|folder| inner.starts_with(folder)) || is_test(inner) {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let program = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let lines = program.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        let spelled: Vec<&str> = lines.filter(|line| line.contains("git wf ")).collect();
        if spelled.is_empty() && !program.contains("git wf\"") {
            continue;
        }
        match needless.iter().position(|file| inner == Path::new(file)) {
            Some(n) => drop(needless.remove(n)),
            None => found.extend(spelled.iter().map(|line| format!("{}: {line}", inner.display()))),
        }
    }
    assert!(found.is_empty(), "make it a remedy:\n{}", found.join("\n"));
    assert!(needless.is_empty(), "no exceptions any more: {needless:?}");
}

#[test]
fn every_border_stops_what_crosses_it() {
    for (n, floor) in FLOORS.iter().enumerate() {
        for (m, other) in FLOORS.iter().enumerate().filter(|(m, _)| *m != n) {
            for line in [format!("use crate::{other}::Thing;"), format!("let it = crate::{other}::thing();")]
            {
                assert_eq!(crosses(floor, 2, &line), m < n, "{floor}: {line}");
            }
        }
        for it in RESERVED {
            for word in it.words {
                let line = format!("use {word}::thing;");
                assert_eq!(crosses(floor, 2, &line), !it.only.contains(floor), "{floor}: {line}");
            }
        }
        assert!(
            crosses(floor, 2, "use crate::{cli, model};") && crosses(floor, 2, "super::super::cli::main()")
        );
        assert!(!crosses(floor, 3, "use super::super::issues::close;"), "{floor}");
    }
}

#[test]
fn the_map_has_these_floors_in_this_order() {
    let map = include_str!("../../ARCHITECTURE.md");
    let rows = map.lines().filter_map(|line| line.strip_prefix("| `src/")?.split_once("/`")).map(|row| row.0);
    assert_eq!(rows.collect::<Vec<_>>(), FLOORS);
}

#[test]
fn the_paths_on_the_map_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let quoted = map.split('`').skip(1).step_by(2).filter(|word| {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
        word.contains('/') && word.chars().all(is_path) && (word.ends_with('/') || word.contains(".rs"))
    });
    let is_missing =
        |path: &&str| !["", "src", "src/cli", "tests/it"].iter().any(|it| root.join(it).join(path).exists());
    let missing: Vec<&str> = quoted.filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A code that no error has would be an empty promise to programs.
#[test]
fn every_code_is_that_of_an_error() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let texts: Vec<String> = all.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let words: BTreeSet<&str> =
        texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != ':')).collect();
    let is_unused = |code: &&Code| !words.contains(format!("Code::{code:?}").as_str());
    let unused: Vec<&Code> = Code::ALL.iter().filter(is_unused).collect();
    assert!(unused.is_empty(), "no error has the codes {unused:?}");
}

/// What is common to all lists of boxes is in `plan_tools/task_list.rs`, so that a tool which keeps its plans in one costs little.
#[test]
fn a_reader_of_a_task_list_is_one_short_file() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/interchange/plan_tools");
    for name in ["openspec", "spec_kit"] {
        assert!(!source.join(name).exists(), "{name} has more than one file");
        let text = std::fs::read_to_string(source.join(name).with_extension("rs")).unwrap();
        let code = text.lines().take_while(|line| *line != "#[cfg(test)]");
        let code = code.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let lines = code.count();
        assert!(lines <= 150, "{name} has {lines} lines");
    }
}

/// The first and the last name in each doc link without a path, such as [`Code::ALL`].
fn linked(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let links = line.split("[`").skip(1).filter_map(|rest| rest.split_once("`]"));
    let named = links.filter(|(_, after)| !after.starts_with('(')).map(|(name, _)| name);
    named.map(|name| {
        let name = name.strip_prefix("Self::").unwrap_or(name);
        let (first, last) = (name.split("::").next(), name.rsplit("::").next());
        (first.unwrap_or(name), last.unwrap_or(name).trim_end_matches("()"))
    })
}

/// A name that was changed in the code and not in a comment sends its reader nowhere: rustdoc finds what the file itself
/// names.
#[test]
fn links_in_comments_name_what_is_there() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let texts: Vec<(PathBuf, String)> =
        all.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let words = |text: &'_ str| -> BTreeSet<String> {
        let code = text.lines().filter(|line| !is_comment(line));
        let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        words.map(str::to_owned).collect()
    };
    let all_words: BTreeSet<String> = texts.iter().flat_map(|(_, text)| words(text)).collect();
    let mut lost = Vec::new();
    for (path, text) in &texts {
        let own = words(text);
        for (first, last) in text.lines().filter(is_comment).flat_map(linked) {
            if !own.contains(first) || !all_words.contains(last) {
                lost.push(format!("{}: {first}, {last}", path.display()));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
