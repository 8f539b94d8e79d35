//! How a push may change the policy of a server, and the floor below which it cannot go.

use super::server::{refused, shared};
use crate::support::{REF, Repo, Sandbox};

fn with_policy(policy: &str) -> (Sandbox, Repo, Repo) {
    let (sandbox, server, repo) = shared();
    repo.wf(&["settings", policy]).ok();
    repo.wf(&["sync"]).ok();
    (sandbox, server, repo)
}

fn stray(repo: &Repo) -> String {
    let commit = repo.git(&["commit-tree", "-m", "stray", "-p", "main", "main^{tree}"]).ok();
    format!("{}:refs/heads/stray", commit.line())
}

#[test]
fn a_policy_is_loosened_only_where_the_server_allows_it() {
    let (_sandbox, server, repo) = with_policy("commits=required");
    repo.wf(&["settings", "review=required"]).ok();
    repo.wf(&["sync"]).ok();
    repo.wf(&["settings", "review=none"]).ok();
    let told = refused(&repo, REF);
    assert!(
        told.contains("review from required to none: `wf.owner` of this server names no one who may do so"),
        "{told}"
    );
    assert!(told.contains("wf.floor"), "{told}");
    // What is allowed for one gate is not allowed for another.
    server.git(&["config", "wf.floor", "commits=free"]).ok();
    refused(&repo, REF);
    server.git(&["config", "wf.floor", "commits=required, review=none"]).ok();
    repo.wf(&["sync"]).ok();
    repo.wf(&["settings", "commits=free"]).ok();
    let told = refused(&repo, REF);
    assert!(
        told.contains("commits from required to free: `wf.floor` of this server does not allow it"),
        "{told}"
    );
    server.git(&["config", "wf.floor", "none"]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", &stray(&repo)]).ok();
}

#[test]
fn a_floor_holds_whatever_the_policy_says_and_before_there_is_one() {
    let sandbox = Sandbox::new();
    let server = sandbox.bare("server.git");
    server.wf(&["hooks", "install", "--server"]).ok();
    server.git(&["config", "--add", "wf.floor", "commits=required"]).ok();
    server.git(&["config", "--add", "wf.floor", "review=none,evidence=warn"]).ok();
    let repo = sandbox.clone(&server, "repo");
    repo.commit("README", "a project\n", "begin");
    assert!(refused(&repo, "main").contains("\"begin\" on main"));
    repo.wf(&["init"]).ok();
    repo.wf(&["sync"]).ok();
    assert!(refused(&repo, "main").contains("\"begin\" on main"));
    let solution = repo.queued("ISS-001", "a.txt");
    repo.wf(&["next", "ISS-001", "--local"]).ok();
    repo.wf(&["link", "HEAD", &solution]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    assert!(refused(&repo, &stray(&repo)).contains("\"stray\" on stray"));
    // A floor that cannot be read allows nothing.
    server.git(&["config", "--add", "wf.floor", "commits=perhaps"]).ok();
    let ran = repo.git(&["push", "origin", "main:refs/heads/more"]).fails(1);
    assert!(ran.stderr.contains("wf.floor") && ran.stderr.contains("perhaps"), "{}", ran.stderr);
}

/// Makes a key with this name. `None` if there is no ssh-keygen.
fn made_key(sandbox: &Sandbox, repo: &Repo, name: &str) -> Option<String> {
    if repo.sh(&["-c", "command -v ssh-keygen"]).code != 0 {
        eprintln!("skipped: there is no ssh-keygen");
        return None;
    }
    let key = sandbox.root().join(name).to_str().unwrap().to_owned();
    repo.sh(&["-c", &format!("ssh-keygen -q -t ed25519 -N '' -C {name} -f '{key}'")]).ok();
    Some(key)
}

/// Trusts these keys, each under a principal with options.
fn trusts(sandbox: &Sandbox, server: &Repo, who: &[(&str, &str)]) {
    let line = |(person, key): &(&str, &str)| {
        format!("{person} {}", std::fs::read_to_string(format!("{key}.pub")).unwrap())
    };
    let file = sandbox.root().join("signers");
    std::fs::write(&file, who.iter().map(line).collect::<String>()).unwrap();
    server.git(&["config", "gpg.ssh.allowedSignersFile", file.to_str().unwrap()]).ok();
}

fn signs_with(repo: &Repo, key: &str) {
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", key), ("wf.sign", "true")] {
        repo.git(&["config", name, value]).ok();
    }
}

/// A server whose policy Ada may loosen, and a clone of someone without a key.
fn owned_by_ada() -> Option<(Sandbox, Repo, Repo, String)> {
    let (sandbox, server, repo) = with_policy("commits=required");
    let ada = made_key(&sandbox, &repo, "ada")?;
    trusts(&sandbox, &server, &[("ada@example.org", &ada)]);
    server.git(&["config", "wf.owner", "ada@example.org"]).ok();
    Some((sandbox, server, repo, ada))
}

#[test]
fn an_owner_whom_the_server_knows_loosens_a_policy() {
    let (sandbox, server, repo) = with_policy("commits=required");
    let Some(ada) = made_key(&sandbox, &repo, "ada") else { return };
    let Some(mallory) = made_key(&sandbox, &repo, "mallory") else { return };
    trusts(&sandbox, &server, &[("ada@example.org", &ada), ("mallory@example.org", &mallory)]);
    signs_with(&repo, &mallory);
    let before = repo.tip().unwrap();
    repo.wf(&["settings", "commits=free"]).ok();
    // A key that git trusts is not automatically an owner's.
    assert!(refused(&repo, REF).contains("names no one who may do so"));
    server.git(&["config", "--add", "wf.owner", "bob@example.org"]).ok();
    server.git(&["config", "--add", "wf.owner", "ada@example.org"]).ok();
    let told = refused(&repo, REF);
    assert!(
        told.contains("`wf.owner` of this server does not name `mallory@example.org`, who signed it"),
        "{told}"
    );
    repo.git(&["update-ref", REF, &before]).ok();
    repo.git(&["-c", "wf.sign=false", "wf", "settings", "commits=free"]).ok();
    assert!(refused(&repo, REF).contains("no one named in `wf.owner` of this server has signed it"));
    repo.git(&["update-ref", REF, &before]).ok();
    repo.git(&["config", "user.signingKey", &ada]).ok();
    repo.wf(&["settings", "commits=free"]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", &stray(&repo)]).ok();
    // By the fingerprint of a key.
    repo.wf(&["settings", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    let listed = repo.sh(&["-c", &format!("ssh-keygen -l -f '{ada}.pub'")]).ok();
    let fingerprint = listed.line().split(' ').nth(1).unwrap().to_owned();
    server.git(&["config", "--unset-all", "wf.owner"]).ok();
    repo.wf(&["settings", "commits=free"]).ok();
    refused(&repo, REF);
    server.git(&["config", "wf.owner", &fingerprint]).ok();
    repo.wf(&["sync"]).ok();
}

#[test]
fn what_an_owner_signed_in_another_store_loosens_nothing() {
    let Some((sandbox, server, repo, ada)) = owned_by_ada() else { return };
    // All stores share their first commit, so this one can be merged.
    let hobby = sandbox.store("hobby");
    signs_with(&hobby, &ada);
    for policy in ["commits=required", "commits=free"] {
        hobby.wf(&["settings", policy]).ok();
    }
    let before = (repo.tip().unwrap(), server.tip());
    repo.git(&["remote", "add", "hobby", hobby.path().to_str().unwrap()]).ok();
    repo.wf(&["pull", "hobby"]).ok();
    assert_eq!(repo.wf(&["settings", "--json"]).ok().json()["policy"]["commits"], "free");
    let told = refused(&repo, REF);
    assert!(told.contains("did not know the latest state of this server"), "{told}");
    // Nor with another signed commit of the owner that does not change the policy.
    signs_with(&repo, &ada);
    repo.wf(&["new", "More"]).ok();
    refused(&repo, REF);
    // Nor if someone else writes the owner's value again.
    repo.git(&["update-ref", REF, &before.0]).ok();
    repo.git(&["config", "wf.sign", "false"]).ok();
    repo.wf(&["settings", "commits=free"]).ok();
    repo.wf(&["pull", "hobby"]).ok();
    assert!(refused(&repo, REF).contains("no one named in `wf.owner`"));
    assert_eq!(server.tip(), before.1);
}

#[test]
fn an_owner_who_did_not_know_the_latest_state_decides_again() {
    let Some((sandbox, server, repo, ada)) = owned_by_ada() else { return };
    let other = sandbox.clone(&server, "other");
    other.wf(&["init"]).ok();
    other.wf(&["new", "Meanwhile"]).ok();
    other.wf(&["sync"]).ok();
    signs_with(&repo, &ada);
    repo.wf(&["settings", "commits=free"]).ok();
    let error = repo.wf(&["sync", "--json"]).fails(1).json_error();
    assert_eq!(error["code"], "declined", "{error}");
    assert!(error["message"].as_str().unwrap().contains("did not know the latest state"), "{error}");
    assert!(
        error["hint"].as_str().unwrap().contains("`git wf pull`, set the gate to another value and back"),
        "{error}"
    );
    // As the hint says.
    repo.wf(&["pull"]).ok();
    for policy in ["commits=required", "commits=free"] {
        repo.wf(&["settings", policy]).ok();
    }
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
    repo.git(&["push", "-q", "origin", &stray(&repo)]).ok();
}

#[test]
fn an_expired_key_loosens_nothing_whatever_the_date_of_the_commit() {
    let Some((sandbox, server, repo, ada)) = owned_by_ada() else { return };
    trusts(&sandbox, &server, &[("ada@example.org valid-before=\"20261101\"", &ada)]);
    signs_with(&repo, &ada);
    let before = repo.tip().unwrap();
    repo.wf(&["settings", "commits=free"]).ok();
    let told = refused(&repo, REF);
    if told.contains("no one named in") {
        eprintln!("skipped: this ssh-keygen does not say that a key has expired");
        return;
    }
    assert!(told.contains("the key that signed it has expired"), "{told}");
    repo.git(&["update-ref", REF, &before]).ok();
    // Dated to when it was valid.
    let dated = |date: &str| {
        repo.wf(&["settings", "commits=free"]).ok();
        let tree = repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
        let message = "policy: set commits=free\n\nWf-Op: settings\n";
        let args = ["commit-tree", "-S", "-m", message, "-p", &before, &tree];
        let forged = repo.with_env("GIT_COMMITTER_DATE", date).git(&args).ok().line().to_owned();
        repo.git(&["update-ref", REF, &forged]).ok();
        let told = refused(&repo, REF);
        repo.git(&["update-ref", REF, &before]).ok();
        told
    };
    let told = dated("2026-10-01T12:00:00Z");
    assert!(told.contains("the owner's commit is dated 2026-10-01"), "{told}");
    // A key that is valid only in the future.
    trusts(&sandbox, &server, &[("ada@example.org valid-after=\"20270101\"", &ada)]);
    let told = dated("2027-02-01T12:00:00Z");
    assert!(told.contains("the owner's commit is dated 2027-02-01"), "{told}");
    trusts(&sandbox, &server, &[("ada@example.org", &ada)]);
    repo.wf(&["settings", "commits=free"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(server.tip(), repo.tip());
}

#[test]
fn a_principal_is_named_as_the_file_has_it() {
    let Some((sandbox, server, repo, ada)) = owned_by_ada() else { return };
    trusts(&sandbox, &server, &[("*@example.org", &ada)]);
    signs_with(&repo, &ada);
    repo.wf(&["settings", "commits=free"]).ok();
    let told = refused(&repo, REF);
    assert!(told.contains("does not name `*@example.org`, who signed it"), "{told}");
    server.git(&["config", "wf.owner", "*@example.org"]).ok();
    repo.wf(&["sync"]).ok();
}

/// A GnuPG home with a new key; returns the fingerprint. `None` if there is no gpg.
fn gpg_key(repo: &Repo, name: &str) -> Option<String> {
    if repo.sh(&["-c", "command -v gpg"]).code != 0 {
        eprintln!("skipped: there is no gpg");
        return None;
    }
    let make = format!(
        "gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-gen-key '{name} <{name}@example.org>' ed25519 sign 0"
    );
    repo.sh(&["-c", &make]).ok();
    let listed = repo.sh(&["-c", &format!("gpg --batch --with-colons --list-keys {name}@example.org")]).ok();
    let line = listed.stdout.lines().find(|line| line.starts_with("fpr:"))?.to_owned();
    line.split(':').nth(9).map(str::to_owned)
}

#[test]
fn an_owner_with_a_gnupg_key_is_known_beside_one_with_an_ssh_key() {
    let (sandbox, server, repo) = with_policy("commits=required");
    let Some(ssh) = made_key(&sandbox, &repo, "ada") else { return };
    trusts(&sandbox, &server, &[("ada@example.org", &ssh)]);
    // The path of a socket must be short.
    let home = tempfile::Builder::new().prefix("wf").tempdir_in("/tmp").unwrap();
    let home_of = |name: &str| {
        let folder = home.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder.to_str().unwrap().to_owned()
    };
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let (keys, theirs) = (home_of("c"), home_of("s"));
    let client = repo.with_env("GNUPGHOME", &keys);
    let Some(bea) = gpg_key(&client, "bea") else { return };
    let on_server = repo.with_env("GNUPGHOME", &theirs);
    server.git(&["config", "--add", "wf.owner", "ada@example.org"]).ok();
    // As people copy it.
    let copied: String =
        bea.to_lowercase().as_bytes().chunks(4).map(|it| String::from_utf8_lossy(it) + " ").collect();
    server.git(&["config", "--add", "wf.owner", copied.trim()]).ok();
    // The server's own signing format does not affect its checks.
    server.git(&["config", "gpg.format", "ssh"]).ok();
    for (name, value) in [("gpg.format", "openpgp"), ("user.signingKey", &bea), ("wf.sign", "true")] {
        repo.git(&["config", name, value]).ok();
    }
    client.wf(&["settings", "commits=free"]).ok();
    let told = refused(&on_server, REF);
    assert!(told.contains(&format!("does not trust the key `{}", &bea[bea.len() - 16..])), "{told}");
    repo.sh(&[
        "-c",
        &format!(
            "GNUPGHOME={keys} gpg --batch --export {bea} | GNUPGHOME={theirs} gpg --batch --quiet --import"
        ),
    ])
    .ok();
    let told = refused(&on_server, REF);
    assert!(told.contains(&format!("does not trust the key `{bea}`, which signed it")), "{told}");
    repo.sh(&["-c", &format!("echo {bea}:6: | GNUPGHOME={theirs} gpg --batch --quiet --import-ownertrust")])
        .ok();
    server.git(&["config", "gpg.program", "/nonexistent/gpg"]).ok();
    let told = refused(&on_server, REF);
    assert!(told.contains("git on this server cannot check its signature"), "{told}");
    server.git(&["config", "--unset", "gpg.program"]).ok();
    on_server.wf(&["sync"]).ok();
    // The other owner signs with SSH.
    repo.git(&["-c", "wf.sign=false", "wf", "settings", "commits=required"]).ok();
    on_server.wf(&["sync"]).ok();
    signs_with(&repo, &ssh);
    repo.wf(&["settings", "commits=free"]).ok();
    on_server.wf(&["sync"]).ok();
    for home in [&keys, &theirs] {
        repo.sh(&["-c", &format!("GNUPGHOME={home} gpgconf --kill all")]);
    }
}
