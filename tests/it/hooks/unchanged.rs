//! With hooks, git does what it does without: the same commands in two repositories that differ in nothing else. The
//! messages are compared byte for byte apart from our trailers, and so are exit codes, index, tree and files.

use super::{script, with_hooks};
use crate::support::store_writer::claim;
use crate::support::{Ran, Repo, Sandbox};

/// A step of a scenario: a file to write and stage, or a git command with an editor.
enum Step<'a> {
    Stage(&'a str, &'a str),
    Write(&'a str, &'a str),
    Git(&'a [&'a str]),
    With(&'a str, &'a [&'a str]),
}
use Step::{Git, Stage, With, Write};

/// Everything visible of a repository, without our trailers.
fn seen(repo: &Repo) -> String {
    let git = |args: &[&str]| repo.git(args).stdout;
    let log = git(&["log", "--topo-order", "--format=%an %ae %at %cn%n%B%x00", "HEAD"]);
    let messages: Vec<String> = log.split('\0').map(|text| without_ids(&without_trailers(text))).collect();
    let parents = git(&["log", "--topo-order", "--format=%p", "HEAD"]);
    let counts: Vec<usize> = parents.lines().map(|line| line.split_whitespace().count()).collect();
    let index = git(&["ls-files", "--stage", "--debug"]);
    let index: Vec<&str> = index.lines().filter(|line| !line.starts_with("  ")).collect();
    let state = git(&["status", "--porcelain=v2", "--branch"]);
    let trees = git(&["log", "--topo-order", "--format=%T", "HEAD"]);
    let state: Vec<&str> = state.lines().filter(|line| !line.starts_with("# branch.oid")).collect();
    format!("{messages:?}\n{trees}\n{counts:?}\n{index:?}\n{state:?}\n{}", without_ids(&git(&["diff"])))
}

/// A message without our lines, and without the blank line before them.
fn without_trailers(message: &str) -> String {
    let lines: Vec<&str> = message.split('\n').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut n = 0;
    while n < lines.len() {
        if !lines[n].starts_with("Wf-") {
            kept.push(lines[n]);
            n += 1;
            continue;
        }
        let begin = n;
        while n < lines.len() && lines[n].starts_with("Wf-") {
            n += 1;
        }
        let is_paragraph =
            begin > 0 && lines[begin - 1].is_empty() && lines.get(n).is_none_or(|next| next.is_empty());
        if is_paragraph {
            kept.pop();
        }
    }
    kept.join("\n")
}

/// git's answers without the ids of commits, which differ, and without what we say of links.
fn words(ran: &Ran) -> (i32, String) {
    let stderr: String =
        ran.stderr.split_inclusive('\n').filter(|line| !line.contains("so it is not linked to")).collect();
    (ran.code, without_ids(&format!("{}\n--\n{stderr}", ran.stdout)))
}

/// The ids of commits differ because their messages do.
fn without_ids(text: &str) -> String {
    let is_id = |word: &str| word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let text = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).map(|word| {
        let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if is_id(bare) { word.replace(bare, "ID") } else { word.to_owned() }
    });
    text.collect()
}

fn run(repo: &Repo, step: &Step<'_>) -> (i32, String) {
    // The same clock for both.
    let at = |repo: &Repo| {
        repo.with_env("GIT_AUTHOR_DATE", "1795226400 +0000")
            .with_env("GIT_COMMITTER_DATE", "1795226400 +0000")
    };
    match step {
        Stage(path, text) => {
            repo.write(path, text);
            words(&repo.git(&["add", "--", path]))
        }
        Write(path, text) => {
            repo.write(path, text);
            (0, String::new())
        }
        Git(args) => words(&at(repo).git(args)),
        With(editor, args) => {
            words(&at(repo).with_env("GIT_EDITOR", editor).with_env("GIT_SEQUENCE_EDITOR", editor).git(args))
        }
    }
}

fn same(config: &[(&str, &str)], steps: &[Step<'_>], sandbox: &Sandbox) {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // Names of the same length, since git cuts lines of its answers by length.
    let with = with_hooks(sandbox, &format!("a{n}"));
    // What is said about the plan is ours, not git's.
    with.git(&["config", "wf.noticeOutside", "false"]).ok();
    let claim = claim(&with, "ISS-001");
    let without = sandbox.repo(&format!("b{n}"));
    without.commit("README", "a project\n", "begin");
    for repo in [&with, &without] {
        repo.git(&["commit", "-q", "--amend", "--no-verify", "--date=1795226400 +0000", "-m", "begin"]).ok();
        for (key, value) in config {
            repo.git(&["config", key, value]).ok();
        }
    }
    for (n, step) in steps.iter().enumerate() {
        let what = match step {
            Git(args) | With(_, args) => args.join(" "),
            Stage(path, _) | Write(path, _) => (*path).to_owned(),
        };
        assert_eq!(run(&with, step), run(&without, step), "step {n}: {what}");
        assert_eq!(seen(&with), seen(&without), "after step {n}: {what}");
        assert!(!without.git(&["log", "--format=%B"]).ok().stdout.contains("Wf-"));
    }
    for message in with.git(&["log", "--format=%B%x00"]).ok().stdout.split('\0') {
        let own = format!("Wf-Solution: {}", claim.solution);
        // The messages that a squash joins had trailers of their own; they are text now.
        let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
        let count = last.lines().filter(|line| *line == own).count();
        assert!(count <= 1, "{count} times in {message:?}");
    }
}

#[test]
fn messages_of_every_kind() {
    let sandbox = Sandbox::new();
    let typing = script(
        &sandbox,
        "typing",
        "printf 'typed\\n\\n# a comment\\nbody  \\n%s' \"$(cat \"$1\")\" > \"$1\"",
    );
    let quitting = script(&sandbox, "quitting", ": > \"$1\"");
    let failing = script(&sandbox, "failing", "exit 1");
    let leaving = script(&sandbox, "leaving", "true");
    sandbox.at("x");
    std::fs::write(sandbox.root().join("message"), "from a file\n\n\n\nwith: a body\n\nFixes: #12\n")
        .unwrap();
    let file = sandbox.root().join("message");
    let file = file.to_str().unwrap();
    for cleanup in ["default", "strip", "whitespace", "verbatim", "scissors"] {
        let steps: &[Step<'_>] = &[
            Stage("a", "1\n"),
            Git(&["commit", "-m", "one line"]),
            Write("a", "2\n"),
            Git(&["commit", "-a", "-m", "two", "-m", "paragraphs\n# not a comment\n\n\n  indented"]),
            Stage("a", "3\n"),
            Git(&["commit", "-F", file]),
            Git(&["commit", "--amend", "--no-edit"]),
            Git(&["commit", "--amend", "--no-edit", "-s"]),
            Stage("a", "4\n"),
            With(&quitting, &["commit"]),
            With(&failing, &["commit"]),
            With(&leaving, &["commit"]),
            With(&quitting, &["commit", "-v", "-e", "-m", "begun"]),
            With(&typing, &["commit", "-v"]),
            Stage("a", "5\n"),
            With(&typing, &["commit", "-v", "--cleanup=scissors", "-m", "begun", "-e"]),
            With(&typing, &["commit", "--amend"]),
            Git(&["commit", "-m", ""]),
            Git(&["commit", "--allow-empty", "--allow-empty-message", "-m", ""]),
            Git(&["commit", "--allow-empty", "-m", "#42 repair"]),
            Git(&["commit", "--allow-empty", "-C", "HEAD~2"]),
            Git(&["commit", "--allow-empty", "-m", "crlf\r\n\r\nbody\r\n"]),
            Git(&[
                "commit",
                "--allow-empty",
                "-m",
                "s\u{fc}\u{df}: title\n\nSigned-off-by: A <a@example.org>\nbody",
            ]),
            Git(&["commit", "--allow-empty", "--trailer", "Reviewed-by: B", "-m", "with a trailer"]),
            Git(&["commit", "-m", "nothing to commit"]),
        ];
        same(&[("commit.cleanup", cleanup)], steps, &sandbox);
    }
}

#[test]
fn a_part_of_the_work_tree() {
    let sandbox = Sandbox::new();
    let steps: &[Step<'_>] = &[
        Stage("a", "1\n"),
        Stage("b", "1\n"),
        Git(&["commit", "-m", "both"]),
        Write("a", "2\n"),
        Stage("b", "2\n"),
        Git(&["commit", "-m", "only a", "--", "a"]),
        Write("a", "3\n"),
        Git(&["commit", "-m", "include a", "--include", "a"]),
        Write("c", "untracked\n"),
        Git(&["rm", "-q", "a"]),
        Git(&["commit", "-m", "without a"]),
        Git(&["add", "-N", "c"]),
        Git(&["commit", "--allow-empty", "-m", "intent to add"]),
        Git(&["stash", "push", "-q", "--", "b"]),
        Git(&["commit", "--dry-run", "-a"]),
    ];
    same(&[], steps, &sandbox);
}

#[test]
fn merges_picks_reverts_and_squashes() {
    let sandbox = Sandbox::new();
    let leaving = script(&sandbox, "leaving", "true");
    let steps: &[Step<'_>] = &[
        Git(&["branch", "side"]),
        Stage("a", "main\n"),
        Git(&["commit", "-m", "on main"]),
        Git(&["switch", "-q", "side"]),
        Stage("b", "side\n"),
        Git(&["commit", "-m", "on side"]),
        Stage("c", "side\n"),
        Git(&["commit", "-m", "c on side"]),
        Git(&["switch", "-q", "main"]),
        Git(&["merge", "--no-edit", "side~1"]),
        Git(&["merge", "--squash", "side"]),
        With(&leaving, &["commit"]),
        Git(&["commit", "-m", "squashed"]),
        Git(&["revert", "--no-edit", "HEAD"]),
        Git(&["revert", "--no-commit", "HEAD~1"]),
        Git(&["revert", "--abort"]),
        Git(&["cherry-pick", "-x", "side"]),
        Git(&["cherry-pick", "--skip"]),
        Git(&["switch", "-q", "-c", "clash", "HEAD~2"]),
        Stage("a", "clash\n"),
        Git(&["commit", "-m", "clash"]),
        Git(&["switch", "-q", "main"]),
        Stage("a", "main again\n"),
        Git(&["commit", "-m", "main again"]),
        Git(&["merge", "clash"]),
        Stage("a", "both\n"),
        Git(&["commit", "--no-edit"]),
        Git(&["cherry-pick", "clash"]),
        Stage("a", "picked\n"),
        Git(&["-c", "core.editor=true", "cherry-pick", "--continue"]),
        Git(&["merge", "--ff-only", "main"]),
    ];
    same(&[], steps, &sandbox);
}

#[test]
fn rebases_of_every_kind() {
    let sandbox = Sandbox::new();
    let leaving = script(&sandbox, "leaving", "true");
    let editing = script(&sandbox, "editing", "sed -i -e '1s/^pick/edit/;2s/^pick/reword/' \"$1\"");
    for backend in ["--merge", "--apply"] {
        let steps: &[Step<'_>] = &[
            Git(&["branch", "onto"]),
            Stage("a", "1\n"),
            Git(&["commit", "-m", "a"]),
            Stage("b", "1\n"),
            Git(&["commit", "-m", "b"]),
            Stage("a", "2\n"),
            Git(&["commit", "--fixup", "HEAD~1"]),
            Stage("b", "2\n"),
            Git(&["commit", "--squash", "HEAD~1", "-m", "more of b"]),
            With(&leaving, &["rebase", "-i", "--autosquash", "HEAD~4"]),
            Git(&["switch", "-q", "onto"]),
            Stage("o", "1\n"),
            Git(&["commit", "--no-verify", "-m", "onto"]),
            Git(&["switch", "-q", "main"]),
            Git(&["rebase", backend, "onto"]),
            With(&editing, &["rebase", "-i", "HEAD~2"]),
            Stage("new", "1\n"),
            Git(&["commit", "-m", "on the way"]),
            With(&leaving, &["rebase", "--continue"]),
            With(&editing, &["rebase", "-i", "HEAD~2"]),
            Stage("new", "2\n"),
            Git(&["commit", "-m", "in vain"]),
            Git(&["rebase", "--abort"]),
        ];
        same(&[], steps, &sandbox);
    }
}
