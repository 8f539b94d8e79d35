//! What a completed execution keeps when its commits are rewritten: the table in `gitwf-concepts(7)`.
//! `UPDATE_GENERATED=1 cargo test survival` rewrites it.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan};

const A: &str = "src/limit/bucket.rs";
const B: &str = "src/middleware/mod.rs";

/// Whether hooks run while commits are rewritten, and whether links are looked for afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Hooks,
    NoHooks,
    Found,
}

/// A way to rewrite commits, and what should be there afterwards in each mode: the tasks of the commits that result, oldest
/// first, and a `*` if the tests must run again.
struct Row {
    name: &'static str,
    rewrite: fn(&Work) -> Span,
    cells: [&'static str; 3],
}

/// The commits that result: those of a branch since another one.
struct Span {
    since: &'static str,
    branch: &'static str,
}

const WORK: Span = Span { since: "base", branch: "work" };
const ON_MAIN: Span = Span { since: "before", branch: "main" };

/// With hooks, without hooks, and without hooks after `link --find`. Without hooks nothing is linked that was made anew;
/// neither is it with hooks if git runs none of ours there.
const ROWS: &[Row] = &[
    row("amend", amend, ["T1 T2*", "T1 -", "T1 T2*"]),
    row("fixup (autosquash)", fixup, ["T1 T2*", "- -", "T1 T2*"]),
    row("reword", reword, ["T1 T2", "T1 -", "T1 T2"]),
    row("reorder", |it| it.rebase("1{h;d};2{G}"), ["T2 T1", "- -", "T2 T1"]),
    row("split", split, ["T1 T1 T2", "- - -", "T1 T1 T2"]),
    row("squash", |it| it.rebase("2s/pick/squash/"), ["T1+T2", "-", "T1+T2"]),
    row("rebase (merge)", |it| it.rebased(&["rebase", "-q", "main"]), ["T1 T2*", "- -", "T1 T2*"]),
    row("rebase (apply)", |it| it.rebased(&["rebase", "-q", "--apply", "main"]), ["T1 T2*", "- -", "T1 T2*"]),
    row("cherry-pick", |it| it.on_moved_main(&["cherry-pick", "base..work"]), ["T1 T2*", "- -", "T1 T2*"]),
    row("revert", |it| it.reverted(1), ["T1 T2 T2", "T1 T2 -", "T1 T2 T2"]),
    row("revert of the revert", |it| it.reverted(2), ["T1 T2 T2 T2", "T1 T2 - -", "T1 T2 T2 T2"]),
    row("merge --squash", merge_squash, ["T1+T2", "-", "T1+T2"]),
    row("squash by a forge", forge_squash, ["-", "-", "T1+T2"]),
    row("rebase by a forge", forge_rebase, ["- -", "- -", "T1 T2*"]),
    row("filter-repo", filtered, ["- -", "- -", "T1 T2*"]),
    row("filter-repo (messages)", messages_filtered, ["- -", "- -", "T1 T2"]),
    row("am", mailed, ["- -", "- -", "T1 T2*"]),
];

const fn row(name: &'static str, rewrite: fn(&Work) -> Span, cells: [&'static str; 3]) -> Row {
    Row { name, rewrite, cells }
}

/// A completed execution with a commit for each of two tasks on the branch `work`, whose tests have passed.
struct Work {
    sandbox: Sandbox,
    repo: Repo,
    mode: Mode,
}

impl Work {
    fn new(mode: Mode) -> Self {
        let sandbox = Sandbox::new();
        sandbox.begin(&(), Self::make);
        Self { repo: sandbox.at("repo"), sandbox, mode }
    }

    fn make(sandbox: &Sandbox) {
        let repo = sandbox.store("repo");
        let lines: String = (1..=20).map(|n| format!("{n}\n")).collect();
        repo.write(A, &lines);
        repo.commit(B, &lines, "base");
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
        repo.git(&["tag", "base"]).ok();
        repo.wf(&["hooks", "install"]).ok();
        let mut plan = plan();
        for task in plan["tasks"].as_array_mut().unwrap() {
            task["test"]["commands"] = json!(["true"]);
        }
        repo.planned("ISS-001", &plan);
        repo.git(&["switch", "-q", "-c", "work"]).ok();
        repo.wf(&["next", "ISS-001"]).ok();
        for (file, lines) in [(A, &[3, 15][..]), (B, &[3])] {
            mark(&repo, file, lines);
            repo.git(&["commit", "-q", "-m", if file == A { "a1" } else { "b1" }]).ok();
        }
        repo.wf(&["verify", "--yes"]).ok();
        repo.wf(&["done"]).ok();
    }

    /// git, with or without hooks.
    #[track_caller]
    fn git(&self, args: &[&str]) {
        self.git_in(&self.repo, args);
    }

    #[track_caller]
    fn git_in(&self, repo: &Repo, args: &[&str]) {
        if self.mode == Mode::Hooks {
            repo.git(args).ok();
        } else {
            bare(repo, args);
        }
    }

    /// An editor that runs sed on its file.
    fn editing(&self, steps: &str) -> Repo {
        let path = self.sandbox.root().join("steps");
        std::fs::write(&path, format!("#!/bin/sh\nsed -i -e '{steps}' \"$1\"\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.repo.with_env("GIT_SEQUENCE_EDITOR", path.to_str().unwrap()).with_env("GIT_EDITOR", "true")
    }

    /// `git rebase -i` with a sed script for its steps.
    fn rebase(&self, steps: &str) -> Span {
        self.git_in(&self.editing(steps), &["rebase", "-q", "-i", "base"]);
        WORK
    }

    /// Somebody else's commit on main, which is then tagged `before`.
    fn move_main(&self) {
        self.repo.git(&["switch", "-q", "main"]).ok();
        self.repo.write("other.txt", "other\n");
        self.repo.git(&["add", "other.txt"]).ok();
        bare(&self.repo, &["commit", "-q", "-m", "other"]);
        self.repo.git(&["tag", "before"]).ok();
    }

    fn rebased(&self, args: &[&str]) -> Span {
        self.move_main();
        self.repo.git(&["switch", "-q", "work"]).ok();
        self.git(args);
        Span { since: "before", branch: "work" }
    }

    fn on_moved_main(&self, args: &[&str]) -> Span {
        self.move_main();
        self.git(args);
        ON_MAIN
    }

    fn reverted(&self, times: usize) -> Span {
        (0..times).for_each(|_| self.git(&["revert", "--no-edit", "HEAD"]));
        WORK
    }

    /// What is there afterwards, as a cell of the table.
    fn left(&self, span: &Span) -> String {
        let range = format!("{}..{}", span.since, span.branch);
        let audit = self.repo.json(&["audit", &range]);
        let tasks: Vec<String> = audit["commits"].as_array().unwrap().iter().map(tasks).collect();
        let count = |name: &str| audit[name].as_u64().unwrap();
        let is_linked = tasks.iter().all(|task| task != "-");
        let is_tested = count("task_count") == 2 && count("evidenced_count") == 2;
        let again = if is_tested || !is_linked { "" } else { "*" };
        format!("{}{again}", tasks.join(" "))
    }
}

/// Marks lines of a file and stages it.
fn mark(repo: &Repo, file: &str, lines: &[usize]) {
    let mut text = String::new();
    for (n, line) in (1..).zip(repo.read(file).lines()) {
        let change = if lines.contains(&n) { " changed" } else { "" };
        writeln!(text, "{line}{change}").unwrap();
    }
    repo.write(file, text);
    repo.git(&["add", file]).ok();
}

/// The tasks to which a commit is linked, as `T1+T2`; `-` if it is not linked.
fn tasks(commit: &Value) -> String {
    let links = commit["bound_to"].as_array().unwrap();
    let Some(link) = links.first() else { return "-".to_owned() };
    assert_eq!(links.len(), 1, "{commit:#}");
    let others = link["other_task_ids"].as_array().into_iter().flatten();
    let all = std::iter::once(&link["task_id"]).chain(others).filter_map(Value::as_str);
    let all: Vec<&str> = all.collect();
    if all.is_empty() { "?".to_owned() } else { all.join("+") }
}

/// git as it runs without our hooks.
#[track_caller]
fn bare(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

fn amend(it: &Work) -> Span {
    mark(&it.repo, B, &[9]);
    it.git(&["commit", "-q", "--amend", "--no-edit"]);
    WORK
}

fn fixup(it: &Work) -> Span {
    mark(&it.repo, A, &[9]);
    it.git(&["commit", "-q", "--fixup", "HEAD~1"]);
    it.git_in(&it.editing(""), &["rebase", "-q", "-i", "--autosquash", "base"]);
    WORK
}

fn reword(it: &Work) -> Span {
    it.git(&["commit", "-q", "--amend", "-m", "better"]);
    WORK
}

fn split(it: &Work) -> Span {
    let editing = it.editing("1s/pick/edit/");
    it.git_in(&editing, &["rebase", "-q", "-i", "base"]);
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    for line in [3, 15] {
        mark(&it.repo, A, &[line]);
        it.git(&["commit", "-q", "-m", &format!("line {line}")]);
    }
    it.git_in(&editing, &["rebase", "--continue"]);
    WORK
}

fn merge_squash(it: &Work) -> Span {
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.git(&["merge", "-q", "--squash", "work"]);
    it.git(&["commit", "-q", "--no-edit"]);
    Span { since: "base", branch: "main" }
}

/// What a forge makes: words of its own, no trailers.
fn forge_squash(it: &Work) -> Span {
    let message = "About it (#1)\n\n* a1\n\n* b1";
    let made = it.repo.git(&["commit-tree", "-p", "base", "-m", message, "work^{tree}"]).ok();
    it.repo.git(&["update-ref", "refs/heads/main", made.line()]).ok();
    Span { since: "base", branch: "main" }
}

fn forge_rebase(it: &Work) -> Span {
    it.move_main();
    let forge = it
        .repo
        .with_env("GIT_COMMITTER_NAME", "GitHub")
        .with_env("GIT_COMMITTER_EMAIL", "noreply@example.org");
    bare(&forge, &["cherry-pick", "base..work"]);
    ON_MAIN
}

/// `git filter-repo` changes a line of every version of a file; without that program, `git filter-branch` does.
fn filtered(it: &Work) -> Span {
    let has_program = it.repo.git(&["filter-repo", "--version"]).code == 0;
    if has_program {
        let change = "blob.data = blob.data.replace(b'20\\n', b'twenty\\n')";
        it.git(&["filter-repo", "--force", "--quiet", "--refs", "work", "--blob-callback", change]);
    } else {
        let quiet = it.repo.with_env("FILTER_BRANCH_SQUELCH_WARNING", "1");
        it.git_in(
            &quiet,
            &[
                "filter-branch",
                "-f",
                "--tree-filter",
                &format!("sed -i -e s/20/twenty/ {A} {B} 2>/dev/null || true"),
                "work",
            ],
        );
    }
    since_filtered(it)
}

/// The same changes messages, and no file.
fn messages_filtered(it: &Work) -> Span {
    let has_program = it.repo.git(&["filter-repo", "--version"]).code == 0;
    if has_program {
        let change = "return b'Signed: ' + message";
        it.git(&["filter-repo", "--force", "--quiet", "--refs", "work", "--message-callback", change]);
    } else {
        let quiet = it.repo.with_env("FILTER_BRANCH_SQUELCH_WARNING", "1");
        it.git_in(&quiet, &["filter-branch", "-f", "--msg-filter", "sed 's/^/Signed: /'", "work"]);
    }
    since_filtered(it)
}

/// The last two commits of a branch that was rewritten from its root on.
fn since_filtered(it: &Work) -> Span {
    let first = it.repo.git(&["rev-list", "--skip=2", "-1", "work"]).ok();
    it.repo.git(&["tag", "before", first.line()]).ok();
    Span { since: "before", branch: "work" }
}

fn mailed(it: &Work) -> Span {
    let mail = it.repo.git(&["format-patch", "--stdout", "base..work"]).ok().stdout;
    std::fs::write(it.sandbox.root().join("mail"), mail).unwrap();
    it.on_moved_main(&["am", "-q", "../mail"])
}

/// What is left of the work in one mode.
fn left(row: &Row, mode: Mode) -> String {
    let work = Work::new(mode);
    let span = (row.rewrite)(&work);
    if mode == Mode::Found {
        work.repo.wf(&["link", "--find"]).ok();
    }
    work.left(&span)
}

fn table() -> String {
    let mut text = String::from(".nf\n");
    let mut line = |name: &str, [hooks, without, found]: [&str; 3]| {
        let line = format!("{name:<24}{hooks:<15}{without:<15}{found}").replace('-', "\\-");
        writeln!(text, "{}", line.trim_end()).unwrap();
    };
    line("", ["with hooks", "without", "then link --find"]);
    for row in ROWS {
        line(row.name, row.cells);
    }
    text.push_str(".fi\n");
    text
}

#[test]
fn each_cell_of_the_table_of_survival_is_right() {
    for row in ROWS {
        let left = [Mode::Hooks, Mode::NoHooks, Mode::Found].map(|mode| left(row, mode));
        assert_eq!(left, row.cells, "{}", row.name);
    }
}

#[test]
fn the_page_has_the_table_of_survival() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/gitwf-concepts.7");
    let page = std::fs::read_to_string(&path).unwrap();
    let begin = ".\\\" generated: survival\n";
    let (before, rest) = page.split_once(begin).expect("the page has the table");
    let (_, after) = rest.split_once(".\\\" end\n").expect("the table has an end");
    let made = format!("{before}{begin}{}.\\\" end\n{after}", table());
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, made).unwrap();
    } else {
        assert!(page == made, "`UPDATE_GENERATED=1 cargo test survival` rewrites the table");
    }
}
