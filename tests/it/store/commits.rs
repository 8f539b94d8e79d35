//! One command is one commit, and git alone can read the history.

use crate::support::{REF, Sandbox, plan};

#[test]
fn every_command_is_one_commit_with_a_subject_and_its_trailers() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "Tokens expire"]).ok();
    repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "no disk"]).ok();
    repo.wf(&["retry", "ISS-001"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "Seen again"]).ok();
    repo.wf(&["close", "ISS-001", "-m", "not ours"]).ok();
    let log = repo
        .git(&["log", "--reverse", "--format=%s|%(trailers:key=Wf-Op,valueonly,separator=%x2C)", REF])
        .ok();
    let steps: Vec<(&str, &str)> = log.stdout.lines().map(|line| line.rsplit_once('|').unwrap()).collect();
    let ops: Vec<&str> = steps.iter().map(|(_, op)| *op).collect();
    assert_eq!(ops, ["", "new", "plan add", "queue add", "next", "fail", "retry", "comment", "close"]);
    assert_eq!(steps[1].0, "issue: create ISS-001 \"Tokens expire\"");
    assert_eq!(steps[8].0, "issue: close ISS-001: not ours");
    assert!(steps[5].0.ends_with(": no disk"), "{}", steps[5].0);
    // Each has one parent and git's identity.
    let shape = repo.git(&["log", "--format=%p|%an <%ae>|%cn <%ce>", &format!("{REF}~8..{REF}")]).ok();
    for line in shape.stdout.lines() {
        let (parents, who) = line.split_once('|').unwrap();
        assert!(!parents.is_empty() && !parents.contains(' '), "{line}");
        assert_eq!(who, "Ada <ada@example.org>|Ada <ada@example.org>");
    }
    repo.git(&["fsck", "--strict"]).ok();
}

#[test]
fn commits_have_the_offset_that_git_would_write() {
    let sandbox = Sandbox::new();
    let local = sandbox.store("a").without_env("GIT_COMMITTER_DATE").without_env("TZ");
    let zones = ["", "UTC", "XYZ-5:30", "Asia/Kolkata", ":America/St_Johns", "no/such"]
        .map(|tz| local.with_env("TZ", tz));
    for repo in std::iter::once(local).chain(zones) {
        repo.git(&["commit", "--quiet", "--allow-empty", "-m", "git's"]).ok();
        repo.wf(&["new", "Ours"]).ok();
        let offset = |name: &str| {
            let date = repo.git(&["log", "-1", "--format=%cd", "--date=raw", name]).ok();
            date.line().rsplit_once(' ').unwrap().1.to_owned()
        };
        assert_eq!(offset(REF), offset("HEAD"));
    }
}

#[test]
fn git_log_of_the_folder_is_the_whole_trail_of_an_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-002");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.wf(&["done", "-m", "It holds now", "--force", "--reason", "a test"]).ok();
    let path = repo.store_path("/ISS-001/issue.json");
    assert_eq!(path, "issues/90/ISS-001/issue.json", "the fan is the start of sha256(ISS-001)");
    let folder = path.strip_suffix("/issue.json").unwrap();
    let trail = repo.git(&["log", "-p", "--format=%s", REF, "--", folder]).ok().stdout;
    for part in ["issue: create ISS-001", "+  \"plan\": {", "\"started_at\"", "It holds now"] {
        assert!(trail.contains(part), "`{part}` is missing in:\n{trail}");
    }
    assert!(!trail.contains("ISS-002"), "{trail}");
}

#[test]
fn the_ref_has_a_reflog() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "Tokens expire"]).ok();
    let log = repo.git(&["reflog", "show", "--format=%gs", REF]).ok();
    let lines: Vec<&str> = log.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0], "wf: issue: create ISS-001 \"Tokens expire\"");
}

#[test]
fn all_stores_share_one_root_commit() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("a");
    sandbox.advance(1000);
    let two = sandbox.repo("b").as_person("Bo", "bo@example.org");
    two.wf(&["init"]).ok();
    assert_eq!(one.tip(), two.tip());
    // Commits of other versions of the program, past and future.
    assert_eq!(one.tip().as_deref(), Some("441dcc324b8c7eb6eb155294920f6f982538e215"));
    assert_eq!(one.stored("wf.json"), "{\n  \"format\": 1\n}\n");
}

#[test]
fn what_a_user_typed_forges_no_trailer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a").with_env("WF_ROLE", "planner");
    let forged = "late\r\n\r\nWf-Role: owner\nWf-Actor: root";
    repo.issue("ISS-001");
    let roles = |field: &str| {
        let format = format!("--format=%(trailers:key={field},valueonly)");
        repo.git(&["log", "-1", &format, REF]).ok().line().to_owned()
    };
    repo.wf(&["comment", "ISS-001", "-m", forged]).ok();
    assert_eq!((roles("Wf-Role").as_str(), roles("Wf-Actor").as_str()), ("planner", ""));
    let owner = repo.with_env("WF_ROLE", "owner");
    owner.wf(&["close", "ISS-001", "-m", forged]).ok();
    assert_eq!((roles("Wf-Role").as_str(), roles("Wf-Actor").as_str()), ("owner", ""));
    owner.wf(&["edit", "ISS-001", "--status", "registered", "--force", "--reason", forged]).ok();
    assert_eq!((roles("Wf-Role").as_str(), roles("Wf-Actor").as_str()), ("owner", ""));
    assert_eq!(roles("Wf-Force"), "late Wf-Role: owner Wf-Actor: root");
    let error = repo.refused(1, &["new", forged]);
    assert_eq!(error["code"], "invalid-title");
    let error = repo.refused(2, &["edit", "ISS-001", "--status", "paused", "--force", "--reason", " \n"]);
    assert_eq!(error["code"], "usage");
    let actor = repo.with_env("WF_ACTOR", "bot\nWf-Role: owner");
    actor.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    assert_eq!((roles("Wf-Role").as_str(), roles("Wf-Actor").as_str()), ("planner", "bot Wf-Role: owner"));
}

#[test]
fn a_role_does_only_what_belongs_to_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let steps = repo.steps();
    let refused = repo.with_env("WF_ROLE", "planer").refused(1, &["comment", "ISS-001", "-m", "hello"]);
    assert_eq!((&refused["code"], repo.steps()), (&"unknown-role".into(), steps));
    assert!(refused["hint"].to_string().contains("planner"), "{refused}");
    let planner = repo.with_env("WF_ROLE", "planner");
    let refused = planner.refused(1, &["settings", "review=required"]);
    assert_eq!((&refused["code"], repo.steps()), (&"not-your-role".into(), steps));
    planner.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
}

#[test]
fn actor_and_role_stand_in_trailers_and_records() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let agent = repo.with_env("WF_ACTOR", "claude-7").with_env("WF_ROLE", "executor");
    let claim = agent.json(&["next"]);
    assert!(repo.last_message().ends_with("Wf-Op: next\nWf-Role: executor\nWf-Actor: claude-7"));
    let execution = repo.json(&["show", claim["execution_id"].as_str().unwrap()]);
    assert_eq!(execution["actor"], "Ada <ada@example.org> (claude-7)");
    assert_eq!(execution["role"], "executor");
    let log = repo.json(&["log", "-n", "1"]);
    assert_eq!((&log[0]["actor"], &log[0]["role"]), (&"claude-7".into(), &"executor".into()));
}

#[test]
fn commits_are_signed_where_git_is_told_to_sign() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let key = sandbox.root().join("key");
    let made = repo.command("sh", &["-c", "command -v ssh-keygen"]).output().unwrap();
    if !made.status.success() {
        eprintln!("skipped: there is no ssh-keygen");
        return;
    }
    let key = key.to_str().unwrap();
    let made = repo.command("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", key]).status().unwrap();
    assert!(made.success());
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", key), ("commit.gpgSign", "true")] {
        repo.git(&["config", name, value]).ok();
    }
    repo.issue("ISS-001");
    let raw = repo.git(&["cat-file", "commit", REF]).ok().stdout;
    assert!(raw.contains("\ngpgsig -----BEGIN SSH SIGNATURE-----"), "{raw}");
    let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
    repo.write("signers", format!("ada@example.org {public}"));
    repo.git(&["-c", "gpg.ssh.allowedSignersFile=signers", "verify-commit", REF]).ok();
    // Without the key, nothing is written.
    std::fs::remove_file(key).unwrap();
    let tip = repo.tip();
    let error = repo.refused(1, &["new", "Second"]);
    assert_eq!(error["code"], "unsigned");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("the commit cannot be signed: ") && !message.contains("commit-tree"),
        "{error}"
    );
    let hint = error["hint"].as_str().unwrap();
    for part in ["git config gpg.format", "git config user.signingKey", "git -c commit.gpgSign=false wf …"]
    {
        assert!(hint.contains(part), "{error}");
    }
    assert_eq!(repo.tip(), tip);
    repo.git(&["-c", "commit.gpgSign=false", "wf", "new", "Second"]).ok();
}
