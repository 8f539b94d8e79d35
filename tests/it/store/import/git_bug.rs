//! `import git-bug`: bugs as git-bug stores them, written here with git's plumbing.

use serde_json::{Value, json};

use super::{comments, issue, store};
use crate::support::{Repo, Sandbox};

const ADA: &str = "1111111111111111111111111111111111111111111111111111111111111111";
const BEA: &str = "2222222222222222222222222222222222222222222222222222222222222222";

/// Writes a tree with these files.
fn tree(repo: &Repo, files: &[(&str, &str)]) -> String {
    let lines: String = files
        .iter()
        .map(|(name, text)| {
            let blob = repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok();
            format!("100644 blob {}\t{name}\n", blob.line())
        })
        .collect();
    repo.git_in(&lines, &["mktree"]).ok().line().to_owned()
}

fn commit(repo: &Repo, tree: &str, parents: &[&str]) -> String {
    let parents: Vec<&str> = parents.iter().flat_map(|parent| ["-p", *parent]).collect();
    repo.git(&[&["commit-tree", tree, "-m", "x"], &parents[..]].concat()).ok().line().to_owned()
}

fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn identity(repo: &Repo, id: &str, name: &str) {
    let version = |name: &str| {
        json!({"version": 2, "unix_time": 1, "name": name, "email": format!("{name}@example.org").to_lowercase(),
            "nonce": "x"})
        .to_string()
    };
    let first = commit(repo, &tree(repo, &[("version", &version("Old name"))]), &[]);
    let second = commit(repo, &tree(repo, &[("version", &version(name))]), &[&first]);
    repo.git(&["update-ref", &format!("refs/identities/{id}"), &second]).ok();
}

/// The text of an operation; its id is the digest of these bytes.
fn operation(kind: u64, time: i64, more: &Value) -> String {
    let mut op =
        json!({"type": kind, "timestamp": 1_600_000_000 + time, "nonce": "YWJjZGVmZ2hpamtsbW5vcHFyc3Q="});
    for (name, value) in more.as_object().unwrap() {
        op[name] = value.clone();
    }
    op.to_string()
}

/// A commit with operations by one author.
fn pack(repo: &Repo, author: &str, operations: &[String], clock: u64, parents: &[&str]) -> String {
    let ops = format!("{{\"author\":{{\"id\":\"{author}\"}},\"ops\":[{}]}}", operations.join(","));
    let edit = format!("edit-clock-{clock}");
    let mut files = vec![("version-4", ""), ("ops", ops.as_str()), (edit.as_str(), "")];
    if parents.is_empty() {
        files.push(("create-clock-1", ""));
    }
    commit(repo, &tree(repo, &files), parents)
}

fn create(title: &str) -> String {
    operation(1, 0, &json!({"title": title, "message": format!("About {title}"), "files": null}))
}

/// What is done to a bug, and when.
pub(super) enum Bug {
    Labels { added: Vec<String>, removed: Vec<String>, at: i64 },
    Status(u64, i64),
}

/// A bug of one person, with a commit for each operation.
pub(super) fn bug(repo: &Repo, done: &[Bug]) {
    identity(repo, ADA, "Ada");
    let first = create("Crash");
    let id = sha256(&first);
    let mut tip = pack(repo, ADA, &[first], 2, &[]);
    for (did, clock) in done.iter().zip(3..) {
        let op = match did {
            Bug::Labels { added, removed, at } => {
                operation(5, *at, &json!({"added": added, "removed": removed}))
            }
            Bug::Status(status, at) => operation(4, *at, &json!({"status": status})),
        };
        tip = pack(repo, ADA, &[op], clock, &[&tip]);
    }
    repo.git(&["update-ref", &format!("refs/bugs/{id}"), &tip]).ok();
}

/// A bug of two people who worked apart: the id of its issue.
fn crash(repo: &Repo) -> String {
    identity(repo, ADA, "Ada");
    identity(repo, BEA, "Bea");
    let first = create("Crash");
    let id = sha256(&first);
    let said = operation(3, 5, &json!({"message": "Here too.", "files": []}));
    let target = sha256(&said);
    let root = pack(repo, ADA, &[first], 2, &[]);
    let base = pack(repo, BEA, &[said], 3, &[&root]);
    let ada =
        pack(repo, ADA, &[operation(2, 9, &json!({"title": "Crash on start", "was": "Crash"}))], 7, &[&base]);
    // Her clock is behind: this comes first, although she wrote it later.
    let edit = operation(6, 20, &json!({"target": target, "message": "Here, too.", "files": []}));
    let label = operation(5, 21, &json!({"added": ["bug"], "removed": []}));
    let bea = pack(
        repo,
        BEA,
        &[edit, label, operation(2, 22, &json!({"title": "Lost", "was": "Crash"}))],
        4,
        &[&base],
    );
    let merge = pack(repo, ADA, &[], 8, &[&ada, &bea]);
    let end = pack(repo, ADA, &[operation(4, 30, &json!({"status": 2}))], 9, &[&merge]);
    repo.git(&["update-ref", &format!("refs/bugs/{id}"), &end]).ok();
    format!("GB-{}", &id[..10])
}

#[test]
fn a_bug_comes_in_with_all_that_was_done_to_it_and_once() {
    let repo = store(&Sandbox::new(), "a");
    let id = crash(&repo);
    let report = repo.json(&["import", "git-bug"]);
    assert_eq!((&report["created"], &report["comments"]), (&json!(1), &json!(2)), "{report}");
    assert_eq!((&report["skipped"], &report["notes"], &report["kept"]), (&json!([]), &json!([]), &json!([])));
    let read = issue(&repo, &id);
    for (name, value) in [
        ("title", json!("Crash on start")),
        ("context", json!("About Crash")),
        ("author", json!("Ada <ada@example.org>")),
        ("status", json!("closed")),
        ("closed_at", json!("2020-09-13T12:27:10.000Z")),
        ("tags", json!(["bug"])),
        ("source", json!("import")),
    ] {
        assert_eq!(read[name], value, "{name}");
    }
    let comments = comments(&repo, &id);
    assert_eq!(comments[0]["body"], "Here too.");
    assert_eq!((&comments[1]["body"], &comments[1]["edits"]), (&json!("Here, too."), &comments[0]["id"]));
    assert_eq!(comments[0]["author"], "Bea <bea@example.org>");
    let shown = repo.json(&["show", &id]);
    assert_eq!(shown["comments"].as_array().unwrap().len(), 1);
    let subject = repo.git(&["log", "--format=%s", "-1", "refs/wf/main"]).ok();
    assert_eq!(subject.line(), "import: 1 issue from git-bug (1 new, 2 comments)");

    let tip = repo.tip();
    let again = repo.json(&["import", "git-bug"]);
    assert_eq!((&again["unchanged"], repo.tip()), (&json!(1), tip));

    // Someone works on it in git-bug; what was edited here stays.
    repo.wf(&["edit", &id, "--title", "Mine"]).ok();
    let bug = repo.git(&["for-each-ref", "--format=%(refname)", "refs/bugs"]).ok().line().to_owned();
    let more = [operation(4, 40, &json!({"status": 1})), operation(3, 41, &json!({"message": "Again."}))];
    let before = repo.git(&["rev-parse", &bug]).ok().line().to_owned();
    let next = pack(&repo, BEA, &more, 12, &[&before]);
    repo.git(&["update-ref", &bug, &next]).ok();
    let report = repo.json(&["import", "git-bug"]);
    assert_eq!((&report["updated"], &report["comments"]), (&json!(1), &json!(1)));
    let shown = repo.json(&["show", &id]);
    assert_eq!((&shown["title"], &shown["status"]), (&json!("Mine"), &json!("registered")));
    assert!(shown.get("closed_at").is_none());
}

#[test]
fn bugs_of_a_remote_and_of_another_repository_are_the_same() {
    let sandbox = Sandbox::new();
    let there = sandbox.repo("there");
    let id = crash(&there);
    let [one, two] = ["one", "two"].map(|name| store(&sandbox, name));
    one.wf(&["import", "git-bug", "../there"]).ok();
    two.git(&["remote", "add", "there", "../there"]).ok();
    let error = two.refused(1, &["import", "git-bug", "there"]);
    assert_eq!(error["code"], "not-found");
    two.sh(&["-c", error["remedies"][0]["command"].as_str().unwrap()]).ok();
    two.wf(&["import", "git-bug", "there"]).ok();
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    assert_eq!(tree(&one), tree(&two));
    assert_eq!(issue(&one, &id)["title"], "Crash on start");
    let error = two.refused(1, &["import", "git-bug", "no-such-place"]);
    assert!(error["message"].as_str().unwrap().contains("neither a remote nor a git repository"), "{error}");
    assert_eq!(two.refused(1, &["import", "git-bug"])["code"], "not-found");
}

#[test]
fn a_damaged_bug_is_named_and_stops_nothing() {
    let repo = store(&Sandbox::new(), "a");
    let good = crash(&repo);
    let put = |first: &str, tip: &str| {
        let id = sha256(first);
        repo.git(&["update-ref", &format!("refs/bugs/{id}"), tip]).ok();
        format!("GB-{}", &id[..10])
    };
    let root = |title: &str| pack(&repo, ADA, &[create(title)], 2, &[]);
    let note = || operation(7, 1, &json!({}));
    let mut bad: Vec<(String, &str)> = Vec::new();

    let first = create("later");
    let ops = format!("{{\"author\":{{\"id\":\"{ADA}\"}},\"ops\":[{first}]}}");
    let later =
        tree(&repo, &[("version-5", ""), ("ops", &ops), ("edit-clock-2", ""), ("create-clock-1", "")]);
    bad.push((put(&first, &commit(&repo, &later, &[])), "version 5 of git-bug's format"));
    let no_clock = tree(&repo, &[("version-4", ""), ("ops", &ops), ("create-clock-1", "")]);
    bad.push((put(&create("no clock"), &commit(&repo, &no_clock, &[])), "no edit clock"));
    let no_ops = tree(&repo, &[("version-4", ""), ("edit-clock-2", ""), ("create-clock-1", "")]);
    bad.push((put(&create("no ops"), &commit(&repo, &no_ops, &[])), "no operations"));
    let no_json =
        tree(&repo, &[("version-4", ""), ("ops", "{"), ("edit-clock-2", ""), ("create-clock-1", "")]);
    bad.push((
        put(&create("no json"), &commit(&repo, &no_json, &[])),
        "its operations: the JSON is cut off, at line 1, column 1",
    ));
    let twice = create("twice").replacen('{', "{\"title\":\"once\",", 1);
    bad.push((
        put(&twice, &pack(&repo, ADA, std::slice::from_ref(&twice), 2, &[])),
        "the key `title` appears twice",
    ));
    bad.push((put(&create("another name"), &root("its own name")), "its ref is named"));
    let back = pack(&repo, ADA, &[note()], 2, &[&root("back")]);
    bad.push((put(&create("back"), &back), "not later than that of its parent"));
    let jump = pack(&repo, ADA, &[note()], 5_000_000, &[&root("jump")]);
    bad.push((put(&create("jump"), &jump), "its clock jumps"));
    let roots = pack(&repo, ADA, &[], 9, &[&root("roots"), &root("other")]);
    bad.push((put(&create("roots"), &roots), "several roots"));
    let base = root("busy");
    let (one, two) = (pack(&repo, ADA, &[note()], 3, &[&base]), pack(&repo, BEA, &[note()], 3, &[&base]));
    let busy = pack(&repo, ADA, &[note()], 9, &[&one, &two]);
    bad.push((put(&create("busy"), &busy), "a merge has operations"));

    let error = repo.refused(1, &["import", "git-bug", "--strict"]);
    assert_eq!(error["code"], "not-strict");
    let report = repo.json(&["import", "git-bug"]);
    assert_eq!(report["created"], 1, "{report}");
    assert_eq!(issue(&repo, &good)["title"], "Crash on start");
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), bad.len(), "{report}");
    for (id, why) in &bad {
        let named =
            skipped.iter().find(|it| it["id"] == id.as_str()).unwrap_or_else(|| panic!("{id}: {report}"));
        assert!(named["reason"].as_str().unwrap().contains(why), "{why}: {named}");
    }
    let shown = repo.wf(&["import", "git-bug"]).ok().stdout;
    assert!(shown.contains("  bug 1 (`GB-") || shown.contains("  bug 2 (`GB-"), "{shown}");
}

#[test]
fn a_person_who_changes_their_name_does_not_say_it_twice() {
    let repo = store(&Sandbox::new(), "a");
    let id = crash(&repo);
    repo.wf(&["import", "git-bug"]).ok();
    identity(&repo, BEA, "Beatrice");
    repo.wf(&["import", "git-bug"]).ok();
    assert_eq!(repo.json(&["show", &id])["comments"].as_array().unwrap().len(), 1);
}

#[test]
fn an_author_without_an_identity_is_unknown() {
    let repo = store(&Sandbox::new(), "a");
    let first = create("Alone");
    let id = sha256(&first);
    let tip = pack(&repo, "feed", &[first], 2, &[]);
    repo.git(&["update-ref", &format!("refs/bugs/{id}"), &tip]).ok();
    repo.wf(&["import", "git-bug"]).ok();
    assert_eq!(issue(&repo, &format!("GB-{}", &id[..10]))["author"], "unknown");
}
