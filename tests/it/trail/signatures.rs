//! Who signs the commits of the ref, and `audit --signatures`.

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox};

/// Makes a key with this name. `None` if there is no ssh-keygen.
pub(crate) fn made_key(sandbox: &Sandbox, repo: &Repo, name: &str) -> Option<String> {
    let key = sandbox.root().join(name);
    let key = key.to_str().unwrap();
    if repo.sh(&["-c", "command -v ssh-keygen"]).code != 0 {
        eprintln!("skipped: there is no ssh-keygen");
        return None;
    }
    repo.sh(&["-c", &format!("ssh-keygen -q -t ed25519 -N '' -C {name} -f '{key}'")]).ok();
    Some(key.to_owned())
}

pub(crate) fn signs_with(repo: &Repo, key: &str) {
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", key), ("wf.sign", "true")] {
        repo.git(&["config", name, value]).ok();
    }
}

fn trusts(repo: &Repo, sandbox: &Sandbox, who: &[(&str, &str)]) {
    let line = |(person, key): &(&str, &str)| {
        format!("{person} {}", std::fs::read_to_string(format!("{key}.pub")).unwrap())
    };
    let file = sandbox.root().join("signers");
    std::fs::write(&file, who.iter().map(line).collect::<String>()).unwrap();
    repo.git(&["config", "gpg.ssh.allowedSignersFile", file.to_str().unwrap()]).ok();
}

fn vouching(audit: &Value) -> Vec<String> {
    let commits = audit["commits"].as_array().unwrap();
    commits.iter().map(|it| it["vouching"].as_str().unwrap().to_owned()).collect()
}

fn is_signed(repo: &Repo) -> bool {
    repo.git(&["cat-file", "commit", REF]).ok().stdout.contains("\ngpgsig ")
}

/// Puts a copy of this commit onto the ref, with `from` replaced by `to`.
fn tampered(repo: &Repo, commit: &str, from: &str, to: &str) -> String {
    let raw = repo.git(&["cat-file", "commit", commit]).ok().stdout;
    assert!(raw.contains(from), "{raw}");
    let made = repo.git_in(raw.replace(from, to), &["hash-object", "-t", "commit", "-w", "--stdin"]).ok();
    repo.git(&["update-ref", REF, made.line()]).ok();
    made.line().to_owned()
}

#[test]
fn the_setting_of_the_store_decides_over_that_of_the_code() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    signs_with(&repo, &key);
    repo.issue("ISS-001");
    assert!(is_signed(&repo));
    repo.git(&["config", "commit.gpgSign", "true"]).ok();
    repo.git(&["config", "wf.sign", "false"]).ok();
    repo.issue("ISS-002");
    assert!(!is_signed(&repo));
    repo.git(&["config", "--unset", "wf.sign"]).ok();
    repo.issue("ISS-003");
    assert!(is_signed(&repo));
    // Any other value is refused, and nothing is written.
    repo.git(&["config", "wf.sign", "perhaps"]).ok();
    let tip = repo.tip();
    let error = repo.refused(1, &["new", "Fourth"]);
    assert_eq!((&error["code"], repo.tip()), (&json!("config"), tip), "{error}");
    assert!(error["message"].as_str().unwrap().contains("perhaps"), "{error}");
}

#[test]
fn a_key_that_nobody_can_use_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a").without_env("SSH_AUTH_SOCK");
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
    // If only its public part is known, the agent is asked for it, and there is no agent.
    signs_with(&repo, &format!("key::{}", public.trim()));
    let tip = repo.tip();
    let error = repo.refused(1, &["new", "First"]);
    assert_eq!((&error["code"], repo.tip()), (&json!("unsigned"), tip));
    assert!(error["hint"].as_str().unwrap().contains("git -c wf.sign=false wf"), "{error}");
    repo.git(&["-c", "wf.sign=false", "wf", "new", "First"]).ok();
}

#[test]
fn each_commit_has_somebody_who_vouches_for_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    let Some(other) = made_key(&sandbox, &repo, "eve") else { return };
    trusts(&repo, &sandbox, &[("ada@example.org", &key)]);
    signs_with(&repo, &key);
    repo.issue("ISS-001");
    let audit = repo.json(&["audit", "--signatures", "--strict"]);
    assert_eq!(vouching(&audit), ["root", "good"], "{audit:#}");
    assert_eq!(audit["commits"][1]["signer"], "ada@example.org");
    assert_eq!((&audit["fault_count"], &audit["range"]), (&json!(0), &json!(REF)));
    repo.git(&["-c", "wf.sign=false", "wf", "new", "Unsigned"]).ok();
    signs_with(&repo, &other);
    repo.issue("ISS-003");
    signs_with(&repo, &key);
    repo.issue("ISS-004");
    tampered(&repo, REF, "ISS-004", "ISS-005");
    let audit = repo.wf(&["audit", "--signatures", "--strict", "--json"]).fails(1).json();
    assert_eq!(vouching(&audit), ["root", "good", "unsigned", "unknown_key", "bad"], "{audit:#}");
    assert_eq!((&audit["fault_count"], &audit["counts"]["unsigned"]), (&json!(3), &json!(1)));
    // Without --strict, it is shown, but the exit code is 0.
    let text = repo.wf(&["audit", "--signatures"]).ok().stdout;
    assert!(text.contains("5 commits: 1 good, 1 unsigned, 1 bad, 1 unknown key, 1 root"), "{text}");
    // Only a part of it.
    let part = repo.json(&["audit", "--signatures", &format!("{REF}~2..{REF}~1")]);
    assert_eq!(vouching(&part), ["unknown_key"]);
}

#[test]
fn what_cannot_be_checked_is_no_good_signature() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    signs_with(&repo, &key);
    repo.issue("ISS-001");
    let ran = repo.wf(&["audit", "--signatures", "--strict"]).fails(1);
    assert!(ran.stdout.contains("not checked"), "{}", ran.stdout);
    assert!(ran.stderr.contains("gpg.ssh.allowedSignersFile"), "{}", ran.stderr);
}

/// Two clones that wrote separately and synced: the first, whose head is the merge, and the remote between them.
fn merged(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let hub = sandbox.bare("hub");
        let one = sandbox.store("one");
        one.git(&["remote", "add", "origin", hub.path().to_str().unwrap()]).ok();
        one.wf(&["sync", "origin"]).ok();
        let two = sandbox.clone(&hub, "two");
        two.wf(&["init"]).ok();
        one.issue("ISS-001");
        two.issue("ISS-002");
        two.wf(&["sync", "origin"]).ok();
        one.wf(&["sync", "origin"]).ok();
        (one, hub)
    })
}

#[test]
fn merges_are_made_again_from_their_parents() {
    let sandbox = Sandbox::new();
    let (repo, _hub) = merged(&sandbox);
    let audit = repo.json(&["audit", "--signatures"]);
    assert_eq!(vouching(&audit).last().unwrap(), "recomputed", "{audit:#}");
    assert_eq!(audit["counts"], json!({"unsigned": 2, "recomputed": 1, "root": 1}));
    // Another tree with the same parents.
    let merge = repo.tip().unwrap();
    let tree = |of: &str| repo.git(&["rev-parse", &format!("{of}^{{tree}}")]).ok().line().to_owned();
    tampered(&repo, &merge, &tree(&merge), &tree(&format!("{merge}^1")));
    let audit = repo.wf(&["audit", "--signatures", "--strict", "--json"]).fails(1).json();
    assert_eq!(vouching(&audit).last().unwrap(), "differs", "{audit:#}");
    // Another message.
    tampered(&repo, &merge, "Wf-Op: merge", "Wf-Op: merge\nWf-Role: owner");
    assert_eq!(vouching(&repo.json(&["audit", "--signatures"])).last().unwrap(), "differs");
}

#[test]
fn a_commit_that_restores_is_made_again_too() {
    let sandbox = Sandbox::new();
    let (repo, hub) = merged(&sandbox);
    // Someone pushed a head that drops an issue.
    let before = repo.tip().unwrap();
    let root = repo.git(&["rev-list", "--max-parents=0", REF]).ok().line().to_owned();
    let tree = format!("{root}^{{tree}}");
    let drops = repo.git(&["commit-tree", "-m", "x", "-p", &before, &tree]).ok().line().to_owned();
    repo.git(&["push", "-q", hub.path().to_str().unwrap(), &format!("{drops}:{REF}")]).ok();
    repo.wf(&["sync", "origin"]).ok();
    let audit = repo.json(&["audit", "--signatures"]);
    assert_eq!(audit["counts"]["recomputed"], 2, "{audit:#}");
    assert!(audit["counts"]["differs"].is_null());
}

#[test]
fn commits_of_the_code_have_no_place_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("a.txt", "x\n", "Code");
    let error = repo.refused(1, &["audit", "--signatures", "HEAD"]);
    assert_eq!(error["code"], "not-of-the-ref", "{error}");
    repo.refused(2, &["audit", "--signatures", "--markdown"]);
}

#[test]
fn gpg_signs_and_checks_too() {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("g");
    let repo = sandbox.store("a").with_env("GNUPGHOME", home.to_str().unwrap());
    if repo.sh(&["-c", "command -v gpg && mkdir -m 700 \"$GNUPGHOME\""]).code != 0 {
        eprintln!("skipped: there is no gpg");
        return;
    }
    repo.git(&["config", "wf.sign", "true"]).ok();
    let error = repo.refused(1, &["new", "First"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("No secret key") && !message.contains("[GNUPG:]"), "{error}");
    let made = repo.sh(&["-c", "gpg --batch --passphrase '' --quick-gen-key 'Ada <ada@example.org>'"]);
    if made.code != 0 {
        eprintln!("skipped: gpg makes no key here: {}", made.stderr);
        return;
    }
    repo.issue("ISS-001");
    let audit = repo.json(&["audit", "--signatures", "--strict"]);
    assert_eq!(audit["commits"][1]["signer"], "Ada <ada@example.org>", "{audit:#}");
    // If the key is not known, its signature proves nothing.
    let elsewhere = sandbox.root().join("h");
    let stranger = repo.with_env("GNUPGHOME", elsewhere.to_str().unwrap());
    stranger.sh(&["-c", "mkdir -m 700 \"$GNUPGHOME\""]).ok();
    let audit = stranger.wf(&["audit", "--signatures", "--strict", "--json"]).fails(1).json();
    assert_eq!(vouching(&audit), ["root", "unknown_key"], "{audit:#}");
    repo.sh(&["-c", "gpgconf --kill gpg-agent"]);
    stranger.sh(&["-c", "gpgconf --kill gpg-agent"]);
}

#[test]
fn a_history_that_was_purged_says_so() {
    let sandbox = Sandbox::new();
    let (repo, _hub) = merged(&sandbox);
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    trusts(&repo, &sandbox, &[("ada@example.org", &key)]);
    signs_with(&repo, &key);
    repo.wf(&["new", "--id", "ISS-003", "hunter2"]).ok();
    repo.wf(&["redact", "ISS-003", "title", "-m", "a password"]).ok();
    let before = repo.json(&["audit", "--signatures"]);
    assert_eq!(before["counts"], json!({"unsigned": 2, "good": 2, "recomputed": 1, "root": 1}));
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    repo.issue("ISS-004");
    // Commits that the purge left unchanged are reported as before, and so are those that were signed since.
    let ran = repo.wf(&["audit", "--signatures", "--strict"]).fails(1);
    let audit = repo.json(&["audit", "--signatures"]);
    let counts = json!({"unsigned": 2, "purged": 2, "good": 1, "recomputed": 1, "root": 1});
    assert_eq!(audit["counts"], counts, "{audit:#}");
    assert!(ran.stderr.contains("`redact --purge` rewrote this history"), "{}", ran.stderr);
    // Only those who keep the old history can recognize a commit that someone adds without a signature.
    assert!(ran.stdout.contains("unsigned since a purge"), "{}", ran.stdout);
}

#[test]
fn a_merge_that_was_purged_is_made_again_all_the_same() {
    let sandbox = Sandbox::new();
    let hub = sandbox.bare("hub");
    let one = sandbox.store("one");
    one.wf(&["new", "--id", "ISS-001", "hunter2"]).ok();
    one.git(&["remote", "add", "origin", hub.path().to_str().unwrap()]).ok();
    one.wf(&["sync", "origin"]).ok();
    let two = sandbox.clone(&hub, "two");
    two.wf(&["init"]).ok();
    one.wf(&["edit", "ISS-001", "--tag", "here"]).ok();
    two.wf(&["edit", "ISS-001", "--tag", "there"]).ok();
    two.wf(&["sync", "origin"]).ok();
    one.wf(&["sync", "origin"]).ok();
    one.wf(&["redact", "ISS-001", "title", "-m", "a password"]).ok();
    one.wf(&["redact", "--purge", "--yes"]).ok();
    let audit = one.json(&["audit", "--signatures"]);
    assert_eq!(audit["counts"], json!({"purged": 4, "recomputed": 1, "root": 1}), "{audit:#}");
}
