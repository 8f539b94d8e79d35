//! What a push may do to the policy of a server, and the floor that it cannot get below.

use super::server::{refused, shared};
use crate::support::{REF, Repo, Sandbox};

fn with_policy(policy: &str) -> (Sandbox, Repo, Repo) {
    let (sandbox, server, repo) = shared();
    repo.wf(&["policy", "set", policy]).ok();
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
    repo.wf(&["policy", "set", "review=required"]).ok();
    repo.wf(&["sync"]).ok();
    repo.wf(&["policy", "set", "review=none"]).ok();
    let told = refused(&repo, REF);
    assert!(
        told.contains("review from required to none: `wf.owner` of this server names nobody who may"),
        "{told}"
    );
    assert!(told.contains("wf.floor"), "{told}");
    // What is allowed for one gate is not for another.
    server.git(&["config", "wf.floor", "commits=free"]).ok();
    refused(&repo, REF);
    server.git(&["config", "wf.floor", "commits=required, review=none"]).ok();
    repo.wf(&["sync"]).ok();
    repo.wf(&["policy", "set", "commits=free"]).ok();
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
    repo.wf(&["start", "ISS-001", "--local"]).ok();
    repo.wf(&["link", "HEAD", &solution]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    assert!(refused(&repo, &stray(&repo)).contains("\"stray\" on stray"));
    // One that cannot be read lets nothing in.
    server.git(&["config", "--add", "wf.floor", "commits=perhaps"]).ok();
    let ran = repo.git(&["push", "origin", "main:refs/heads/more"]).fails(1);
    assert!(ran.stderr.contains("wf.floor") && ran.stderr.contains("perhaps"), "{}", ran.stderr);
}

#[test]
fn an_owner_whom_the_server_knows_loosens_a_policy() {
    let (sandbox, server, repo) = with_policy("commits=required");
    if repo.sh(&["-c", "command -v ssh-keygen"]).code != 0 {
        eprintln!("skipped: there is no ssh-keygen");
        return;
    }
    let key = |name: &str| {
        let key = sandbox.root().join(name).to_str().unwrap().to_owned();
        repo.sh(&["-c", &format!("ssh-keygen -q -t ed25519 -N '' -C {name} -f '{key}'")]).ok();
        key
    };
    let [ada, mallory] = ["ada", "mallory"].map(key);
    let signers = sandbox.root().join("signers");
    let public = std::fs::read_to_string(format!("{ada}.pub")).unwrap();
    let mallorys = std::fs::read_to_string(format!("{mallory}.pub")).unwrap();
    std::fs::write(&signers, format!("ada@example.org {public}mallory@example.org {mallorys}")).unwrap();
    server.git(&["config", "gpg.ssh.allowedSignersFile", signers.to_str().unwrap()]).ok();
    repo.git(&["config", "gpg.format", "ssh"]).ok();
    repo.git(&["config", "wf.sign", "true"]).ok();
    repo.git(&["config", "user.signingKey", &mallory]).ok();
    let before = repo.tip().unwrap();
    repo.wf(&["policy", "set", "commits=free"]).ok();
    // A key that git trusts is not yet an owner's.
    assert!(refused(&repo, REF).contains("names nobody who may"));
    server.git(&["config", "--add", "wf.owner", "bob@example.org"]).ok();
    server.git(&["config", "--add", "wf.owner", "ada@example.org"]).ok();
    assert!(refused(&repo, REF).contains("nobody whom `wf.owner` of this server names has signed it"));
    repo.git(&["update-ref", REF, &before]).ok();
    repo.git(&["config", "user.signingKey", &ada]).ok();
    repo.wf(&["policy", "set", "commits=free"]).ok();
    repo.wf(&["sync"]).ok();
    repo.git(&["push", "-q", "origin", &stray(&repo)]).ok();
    // By the fingerprint of a key.
    repo.wf(&["policy", "set", "commits=required"]).ok();
    repo.wf(&["sync"]).ok();
    let listed = repo.sh(&["-c", &format!("ssh-keygen -l -f '{ada}.pub'")]).ok();
    let fingerprint = listed.line().split(' ').nth(1).unwrap().to_owned();
    server.git(&["config", "--unset-all", "wf.owner"]).ok();
    repo.wf(&["policy", "set", "commits=free"]).ok();
    refused(&repo, REF);
    server.git(&["config", "wf.owner", &fingerprint]).ok();
    repo.wf(&["sync"]).ok();
}
