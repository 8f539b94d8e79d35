//! Checks must bear the signature of a verifier who is not the executor.

use serde_json::Value;

use super::{Project, TEST_OF_THREE, THREE};
use crate::hooks::server::refused;
use crate::support::Repo;
use crate::trail::signatures::made_key;

/// Work that is committed and waits for a verifier, with the key of somebody; `None` without `ssh-keygen`.
struct Signing {
    project: Project,
    key: String,
}

impl Signing {
    /// `principal` is who git trusts the key to be of.
    fn new(principal: &str) -> Option<Self> {
        let project = Project::worked(
            "sh tests/run.sh",
            &[(THREE.0, Some(THREE.1)), (TEST_OF_THREE.0, Some(TEST_OF_THREE.1))],
        );
        let repo = &project.repo;
        let key = made_key(&project.sandbox, repo, "verifier")?;
        let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
        let signers = project.sandbox.root().join("signers");
        std::fs::write(&signers, format!("{principal} {public}")).unwrap();
        repo.git(&["config", "gpg.ssh.allowedSignersFile", signers.to_str().unwrap()]).ok();
        repo.wf(&["settings", "evidence=signed"]).ok();
        Some(Self { project, key })
    }

    /// The clone of the verifier.
    fn verifier(&self) -> Repo {
        let ci = self.project.sandbox.at("a").as_person("CI", "ci@example.org");
        for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", &self.key)] {
            ci.git(&["config", name, value]).ok();
        }
        ci
    }

    #[track_caller]
    fn is_refused(&self) {
        let error = self.project.repo.refused(1, &["done", "-m", "it is done"]).to_string();
        assert!(error.contains("has no passing check"), "{error}");
        assert!(error.contains("--as-verifier"), "{error}");
    }
}

#[test]
fn a_check_that_a_verifier_signed_counts() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let repo = &signing.project.repo;
    signing.project.verify().ok();
    signing.is_refused();
    // What waits is found, tested in a fresh workplace, and signed.
    let verifier = signing.verifier();
    let answer: Value = verifier.wf(&["verify", "--as-verifier", "--yes", "--json"]).ok().json();
    assert_eq!(answer.as_array().unwrap().len(), 1, "{answer}");
    let signature = answer[0]["checks"][0]["signature"].as_str().unwrap();
    assert!(signature.starts_with("-----BEGIN SSH SIGNATURE-----"), "{signature}");
    let again: Value = verifier.wf(&["verify", "--as-verifier", "--yes", "--json"]).ok().json();
    assert_eq!(again, serde_json::json!([]));
    repo.wf(&["done", "-m", "it is done"]).ok();
    let audit = repo.wf(&["audit", "main..work"]).ok();
    assert!(!audit.stdout.contains("no passing check"), "{}", audit.stdout);
}

/// A squash on top of other work has another tree, which only a verifier can test.
#[test]
fn a_landing_does_not_lose_what_a_verifier_signed() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let repo = &signing.project.repo;
    signing.verifier().wf(&["verify", "--as-verifier", "--yes"]).ok();
    repo.git(&["config", "--unset", "user.signingKey"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    let tip = || repo.git(&["rev-parse", "main"]).ok().line().to_owned();
    let before = tip();
    let ran = repo.wf(&["land", "ISS-001", "--how", "squash", "--yes"]).fails(1);
    assert!(ran.stdout.contains("`--how merge` keeps the commit"), "{}", ran.stdout);
    assert_eq!(tip(), before);
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    let audit = repo.wf(&["audit"]);
    assert!(!audit.stdout.contains("rewritten since"), "{}", audit.stdout);
}

/// The executor can have a key that git trusts, too.
#[test]
fn the_signature_of_the_executor_counts_for_nothing() {
    let Some(signing) = Signing::new("ada@example.org") else { return };
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    signing.is_refused();
}

#[test]
fn a_signature_by_an_unknown_key_counts_for_nothing() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let key = made_key(&signing.project.sandbox, &signing.project.repo, "other").unwrap();
    let signing = Signing { key, ..signing };
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    signing.is_refused();
}

#[test]
fn a_verifier_without_an_ssh_key_is_refused() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let ci = signing.verifier();
    ci.git(&["config", "gpg.format", "openpgp"]).ok();
    let ran = ci.wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).fails(1);
    assert!(ran.stderr.contains("checks are signed with SSH keys"), "{}", ran.stderr);
}

/// A name that somebody gave himself when he claimed the work makes him no verifier.
#[test]
fn only_verifiers_count_where_they_are_listed() {
    let Some(signing) = Signing::new("ada@home.example.org") else { return };
    let repo = &signing.project.repo;
    repo.git(&["config", "--add", "wf.verifiers", "ci@example.org"]).ok();
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    signing.is_refused();
    repo.git(&["config", "--add", "wf.verifiers", "ada@home.example.org"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
}

/// A pattern names nobody, so it cannot be told whether it means the executor.
#[test]
fn a_principal_with_a_pattern_is_no_verifier() {
    let Some(signing) = Signing::new("*@example.org") else { return };
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    signing.is_refused();
}

/// The signature covers what happened, not the texts that can be hidden.
#[test]
fn a_check_whose_output_is_hidden_stays_signed() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let repo = &signing.project.repo;
    signing.verifier().wf(&["verify", "--as-verifier", "--yes"]).ok();
    let log = repo.git(&["ls-tree", "-r", "--name-only", "refs/wf/main"]).ok().stdout;
    let entries = log.lines().filter(|path| path.contains("/log/"));
    let mut checks = entries.filter(|path| {
        repo.git(&["show", &format!("refs/wf/main:{path}")]).ok().stdout.contains("BEGIN SSH SIGNATURE")
    });
    let path = checks.next_back().unwrap();
    let entry = path.rsplit('/').next().unwrap().trim_end_matches(".json");
    let execution = repo.json(&["show", "ISS-001"])["executions"][0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["redact", &execution, &format!("log/{entry}/output_tail"), "-m", "a secret"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
}

/// A failure that a verifier signed is an answer: it waits for a commit, not for the verifier.
#[test]
fn a_signed_failure_does_not_wait_for_a_verifier() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    signing.project.repo.commit("add.sh", "echo 0\n", "Break it");
    let verifier = signing.verifier();
    let answer: Value = verifier.wf(&["verify", "--as-verifier", "--yes", "--json"]).fails(1).json();
    assert_eq!(answer[0]["passed"], false, "{answer}");
    let again: Value = verifier.wf(&["verify", "--as-verifier", "--yes", "--json"]).ok().json();
    assert_eq!(again, serde_json::json!([]));
}

#[test]
fn an_executor_is_told_that_their_signature_does_not_count() {
    let Some(signing) = Signing::new("ada@example.org") else { return };
    let ran = signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    assert!(
        ran.stderr.contains("the signature of `ada@example.org` does not count: they executed this"),
        "{}",
        ran.stderr
    );
}

/// The word of a reviewer who has no key that counts is no evidence, either.
#[test]
fn a_word_that_a_verifier_did_not_sign_counts_for_nothing() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let repo = &signing.project.repo;
    repo.commit("tests/t_three.sh", "sh add.sh 1 2 3\n", "Only print");
    let verifier = signing.verifier();
    verifier.wf(&["verify", "--as-verifier", "--yes"]).fails(1);
    let bea = repo.as_person("Bea", "bea@example.org");
    bea.git(&["config", "--unset", "user.signingKey"]).ok();
    assert_eq!(bea.refused(1, &["vouch", "ISS-001", "-m", "I looked"])["code"], "no-signing-key");
    signing.verifier().wf(&["vouch", "ISS-001", "-m", "I looked"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    let traced = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(traced.contains("I looked"), "{traced}");
}

/// The server looks itself, with the file of allowed signers that it has.
#[test]
fn a_server_takes_only_what_its_own_verifiers_signed() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let (repo, sandbox) = (&signing.project.repo, &signing.project.sandbox);
    let server = sandbox.bare("server.git");
    server.wf(&["hooks", "install", "--server"]).ok();
    let signers = sandbox.root().join("signers");
    let of_server = sandbox.root().join("signers of the server");
    std::fs::copy(&signers, &of_server).unwrap();
    server.git(&["config", "gpg.ssh.allowedSignersFile", of_server.to_str().unwrap()]).ok();
    repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
    repo.git(&["push", "--quiet", "origin", "main", "work"]).ok();
    repo.wf(&["sync"]).ok();
    // Whoever made the work trusts a key of their own, and signs with it.
    let own = made_key(sandbox, repo, "own").unwrap();
    let public = std::fs::read_to_string(format!("{own}.pub")).unwrap();
    std::fs::write(&signers, format!("ci@example.org {public}")).unwrap();
    let ci = signing.verifier();
    ci.git(&["config", "user.signingKey", &own]).ok();
    ci.wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    // Without the server, nobody contradicts.
    repo.git(&["config", "remote.origin.url", "/nowhere"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    repo.git(&["config", "remote.origin.url", server.path().to_str().unwrap()]).ok();
    let told = refused(repo, crate::support::REF);
    assert!(told.contains("has no passing check"), "{told}");
    assert!(told.contains("git wf verify --as-verifier"), "{told}");
    // With a check that its verifier signed, the same is taken.
    std::fs::copy(&of_server, &signers).unwrap();
    let ci = signing.verifier();
    ci.wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    repo.git(&["push", "--quiet", "origin", crate::support::REF]).ok();
}

/// Anyone who can push can add checks with signatures of nobody; they displace none of a verifier.
#[test]
fn signatures_of_nobody_displace_none() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    let (repo, sandbox) = (&signing.project.repo, &signing.project.sandbox);
    let key = made_key(sandbox, repo, "nobody").unwrap();
    let nobody = signing.verifier();
    nobody.git(&["config", "user.signingKey", &key]).ok();
    nobody.wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
}

/// What is signed is in the entry itself: neither a purge, nor a clone without history, nor a restored export loses it.
#[test]
fn signed_evidence_survives_a_purge_a_shallow_clone_and_an_export() {
    let Some(signing) = Signing::new("ci@example.org") else { return };
    let (repo, sandbox) = (&signing.project.repo, &signing.project.sandbox);
    signing.verifier().wf(&["verify", "ISS-001", "--as-verifier", "--yes"]).ok();
    repo.wf(&["done", "-m", "it is done"]).ok();
    let has_evidence = |repo: &Repo, range: &str| {
        let audit = repo.wf(&["audit", range]).stdout;
        assert!(!audit.contains("no passing check") && audit.contains("1/1"), "{audit}");
    };
    has_evidence(repo, "main..work");
    let server = sandbox.bare("server.git");
    repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
    repo.git(&["push", "--quiet", "origin", "main", "work", crate::support::REF]).ok();
    let dump = sandbox.root().join("dump.jsonl");
    let dump = dump.to_str().unwrap();
    repo.wf(&["export", "jsonl", "-o", dump]).ok();
    let signers = sandbox.root().join("signers");
    for name in ["shallow", "restored"] {
        let clone = sandbox.clone(&server, name);
        clone.git(&["config", "gpg.ssh.allowedSignersFile", signers.to_str().unwrap()]).ok();
        if name == "shallow" {
            let spec = format!("{0}:{0}", crate::support::REF);
            clone.git(&["fetch", "--quiet", "--depth", "1", "origin", &spec]).ok();
        } else {
            clone.wf(&["init"]).ok();
            clone.wf(&["import", "jsonl", dump]).ok();
        }
        has_evidence(&clone, "origin/main..origin/work");
    }
    repo.wf(&["redact", "ISS-001", "title", "-m", "a secret"]).ok();
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    has_evidence(repo, "main..work");
}
