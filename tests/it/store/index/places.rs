//! Whatever happens to the file of the index, the answers are the same.

use std::process::Stdio;

use super::is_fresh;
use crate::support::{Repo, Sandbox, column};

fn store(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        for id in ["A-1", "A-2", "A-3"] {
            repo.issue(id);
        }
        repo
    })
}

fn ids(repo: &Repo) -> String {
    let ran = repo.wf(&["list", "--json"]).ok();
    assert_eq!(ran.stderr, "", "nobody need know");
    column(&ran.json(), "id").join(" ")
}

fn index(repo: &Repo) -> std::path::PathBuf {
    repo.path().join(".git/wf/index.db")
}

#[test]
fn a_missing_empty_torn_or_foreign_file_is_made_anew() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let path = index(&repo);
    assert_eq!(ids(&repo), "A-1 A-2 A-3");
    let sound = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(ids(&repo), "A-1 A-2 A-3");
    let torn_in_the_middle = {
        let mut bytes = sound.clone();
        let (from, to) = (4096, bytes.len());
        bytes[from..to].fill(0xa5);
        bytes
    };
    for bytes in
        [&b""[..], b"no database at all, but long enough to be one", &sound[..5000], &torn_in_the_middle]
    {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(ids(&repo), "A-1 A-2 A-3");
        assert_eq!(repo.json(&["search", "about"])["total"], 3);
        assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), repo.steps());
        assert!(is_fresh(&repo), "it is of use again");
    }
    // A database of another program, as its header says: the version is at byte 60, the application at 68.
    for at in [60, 68] {
        let mut bytes = sound.clone();
        bytes[at + 3] ^= 0x55;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(ids(&repo), "A-1 A-2 A-3");
        assert!(is_fresh(&repo));
    }
}

#[test]
fn where_it_cannot_lie_beside_git_it_lies_in_the_cache_or_in_memory() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let lock = repo.path().join(".git/wf/index.lock");
    std::fs::create_dir(&lock).unwrap();
    assert_eq!(ids(&repo), "A-1 A-2 A-3");
    assert!(!index(&repo).exists());
    assert!(sandbox.root().join("home/.cache/git-wf").is_dir());
    let elsewhere = repo.with_env("XDG_CACHE_HOME", sandbox.root().join("tmp/cache").to_str().unwrap());
    assert_eq!(ids(&elsewhere), "A-1 A-2 A-3");
    assert!(sandbox.root().join("tmp/cache/git-wf").is_dir());
    let nowhere = repo.without_env("HOME");
    assert_eq!(ids(&nowhere), "A-1 A-2 A-3");
    assert!(!index(&nowhere).exists());
    assert_eq!(nowhere.refused(1, &["fsck", "--reindex"])["code"], "index");
    nowhere.issue("A-4");
    assert_eq!(ids(&nowhere), "A-1 A-2 A-3 A-4");
    assert_eq!(ids(&repo), "A-1 A-2 A-3 A-4");
}

#[test]
fn many_that_ask_at_once_get_the_same_answer() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    for round in 0..3 {
        repo.issue(&format!("B-{round}"));
        if round == 1 {
            std::fs::write(index(&repo), "broken").unwrap();
        }
        let asked: Vec<_> = ["list", "search", "log", "list", "search", "log"]
            .iter()
            .map(|question| {
                let args: &[&str] = match *question {
                    "search" => &["search", "about", "--json", "-n", "99"],
                    "list" => &["list", "--json"],
                    _ => &["log", "--json"],
                };
                let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), args);
                (*question, command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
            })
            .collect();
        for (question, child) in asked {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{question}: {}", String::from_utf8_lossy(&output.stderr));
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let count = match question {
                "list" => answer.as_array().unwrap().len(),
                "search" => answer["hits"].as_array().unwrap().len(),
                _ => answer.as_array().unwrap().len() - 1,
            };
            assert_eq!(count, 4 + round, "{question}");
        }
    }
}

#[test]
fn a_reader_that_stands_still_is_in_nobodys_way() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let lines: String = (0..1500)
        .map(|n| {
            format!("{{\"id\":\"many-{n}\",\"title\":\"{}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n", "long ".repeat(40))
        })
        .collect();
    repo.wf_in(&lines, &["import", "beads", "-"]).ok();
    repo.wf(&["list", "--count"]).ok();
    // More than a pipe holds: it blocks in the middle of its answer, with its view of the index.
    let mut still = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["list", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(still.stdout.as_mut().unwrap(), &mut first).unwrap();
    repo.issue("A-1");
    assert_eq!(repo.wf(&["list", "--count"]).ok().line(), "1501");
    std::fs::write(index(&repo), "broken").unwrap();
    assert_eq!(
        repo.wf(&["list", "--count"]).ok().line(),
        "1501",
        "from memory, since nobody may replace it now"
    );
    drop(still.stdout.take());
    still.wait().unwrap();
    assert_eq!(repo.wf(&["list", "--count"]).ok().line(), "1501");
}

/// The files that SQLite keeps beside the database are not created and removed again with each query, and do not grow
/// forever.
#[test]
fn the_files_beside_it_stay_and_stay_small() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let beside = |name: &str| std::fs::metadata(repo.path().join(".git/wf").join(name));
    ids(&repo);
    assert!(beside("index.db-wal").is_ok() && beside("index.db-shm").is_ok());
    let text = "word ".repeat(8_000);
    let mut stayed = 0;
    for n in 0..20 {
        repo.wf(&["edit", "A-1", "--title", &format!("Title {n}"), "-m", &format!("{n} {text}")]).ok();
        assert_eq!(repo.json(&["search", "word"])["total"], 1);
        let log = beside("index.db-wal").map_or(0, |log| log.len());
        stayed += usize::from(log > 0);
        // A single change can make it longer than its limit.
        assert!(log < 1024 * 1024, "{log}");
    }
    assert!(stayed > 10, "{stayed}");
    assert_eq!(column(&repo.json(&["list"]), "title")[0], "Title 19");
}

#[test]
fn nobody_waits_long_behind_a_locked_index() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    assert_eq!(ids(&repo), "A-1 A-2 A-3");
    // A process that locks everyone out of the database, or stays in the middle of a change.
    for how in ["PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"] {
        let held = rusqlite::Connection::open(index(&repo)).unwrap();
        held.execute_batch(how).unwrap();
        held.execute("UPDATE meta SET value = value", []).unwrap();
        repo.issue("A-4");
        answers_meanwhile(&repo, "A-1 A-2 A-3 A-4");
        held.execute_batch("ROLLBACK").unwrap();
        drop(held);
        repo.git(&["update-ref", "refs/wf/main", "refs/wf/main~1"]).ok();
    }
    // A process that rebuilds the index and never finishes.
    let lock = std::fs::File::open(repo.path().join(".git/wf/index.lock")).unwrap();
    lock.lock().unwrap();
    answers_meanwhile(&repo, "A-1 A-2 A-3");
    drop(lock);
    assert_eq!(ids(&repo), "A-1 A-2 A-3");
    assert!(is_fresh(&repo), "the index that was locked is the one in use");
}

/// All of these end while the lock is held.
#[track_caller]
fn answers_meanwhile(repo: &Repo, expected: &str) {
    assert_eq!(ids(repo), expected);
    assert_eq!(repo.json(&["search", "about"])["total"], expected.split(' ').count());
    repo.json(&["status"]);
    repo.json(&["show", "A-1"]);
    assert!(
        !repo.path().parent().unwrap().join("home/.cache/git-wf").exists(),
        "a lock makes no second index"
    );
}
