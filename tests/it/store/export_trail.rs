//! `export agent-trace` and `export in-toto`: the trail in formats of other tools.

use serde_json::{Value, json};

use crate::support::{Published, REF, Ran, Repo, Sandbox, plan_on};
use crate::trail::agents::{executed, session};
use crate::trail::signatures::{made_key, signs_with};

fn records(repo: &Repo, of: &str) -> (Vec<Value>, String) {
    let Ran { stdout, stderr, .. } = repo.wf(&["export", "agent-trace", of]).ok();
    let records: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for record in &records {
        Published::schema("agent-trace-0.1.json").fits(record);
    }
    (records, stderr)
}

#[test]
fn added_lines_are_traced_to_the_agent_at_work_and_its_plan() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.write("odd \"name\".txt", "1\n2\n3\n");
    repo.git(&["add", "-A"]).ok();
    let text = "first\nnew\nlast\n";
    let commit = repo.commit("src/a.txt", text, "Write around it");
    let (before, _) = records(&repo, &commit);
    assert_eq!(before[0]["files"][0]["conversations"][0]["contributor"], json!({"type": "unknown"}));
    session(&repo, "claude", "2026-01-01T00:00:00.000Z", "2098-01-01T00:00:00.000Z");
    let (records_of_one, stderr) = records(&repo, &commit);
    assert_eq!((records_of_one.len(), stderr.as_str()), (1, ""));
    let record = &records_of_one[0];
    assert_eq!((&record["vcs"]["revision"], &record["tool"]["name"]), (&json!(commit), &json!("git-wf")));
    let files: Vec<_> = record["files"].as_array().unwrap().iter().collect();
    let of = |path: &str| &files.iter().find(|it| it["path"] == path).unwrap()["conversations"];
    let [range, last] = [(1, 1), (3, 3)].map(|(from, to)| json!({"start_line": from, "end_line": to}));
    assert_eq!(of("src/a.txt")[0]["ranges"], json!([range, last]));
    assert_eq!(of("odd \"name\".txt")[0]["ranges"], json!([{"start_line": 1, "end_line": 3}]));
    assert_eq!(of("src/a.txt")[0]["contributor"], json!({"type": "ai", "model_id": "m-1"}));
    assert_eq!(of("src/a.txt")[0]["related"][0], json!({"type": "issue", "url": "wf://issue/ISS-001"}));
    let work = &record["metadata"]["git-wf"][0];
    assert_eq!((&work["issue_id"], &work["made_by"]["session_id"]), (&json!("ISS-001"), &json!("s-1")));
    // Equal stores give equal records.
    assert_eq!(records(&repo, &commit).0, records_of_one);
    let (all, stderr) = records(&repo, &format!("{commit}~2..{commit}"));
    assert_eq!((all.len(), stderr.as_str()), (2, ""));
    assert_eq!(all[1], records_of_one[0]);
}

#[test]
fn commits_of_nobody_are_counted_and_unknown_ones_refused() {
    let sandbox = Sandbox::new();
    let (repo, commit) = executed(&sandbox);
    let (none, stderr) = records(&repo, &format!("{commit}~1"));
    assert_eq!((none, stderr.as_str()), (vec![], "note: left out 1 commit that no execution links\n"));
    let answer = repo.json(&["export", "agent-trace", &commit, "-o", "trace.jsonl"]);
    assert_eq!(answer, json!({"output": "trace.jsonl", "records": 1, "unlinked": 0, "without_lines": 0}));
    for of in ["no-such", "no-such..HEAD", "--output=x"] {
        let args = ["export", "agent-trace", "--json", "--output", "x", "--", of];
        assert_eq!(repo.wf(&args).fails(1).json_error()["code"], "not-found", "{of}");
    }
    assert!(!repo.path().join("x").exists());
    repo.refused(2, &["export", "agent-trace", "HEAD"]);
}

#[test]
fn a_statement_has_the_commits_as_its_subject_and_what_the_audit_found() {
    let sandbox = Sandbox::new();
    let (repo, commit) = executed(&sandbox);
    let statement = repo.wf(&["export", "in-toto"]).ok().json();
    Published::schema("in-toto-statement-1.json").fits(&statement);
    assert_eq!(statement["subject"], json!([{"digest": {"gitCommit": commit}}]));
    let predicate = &statement["predicate"];
    assert_eq!(predicate["store"]["digest"]["gitCommit"], json!(repo.git(&["rev-parse", REF]).ok().line()));
    let (audit, execution) = (repo.json(&["audit"]), &predicate["executions"][0]);
    assert_eq!(predicate["findings"], audit["findings"]);
    assert_eq!(predicate["commits"][0]["executions"][0]["executionId"], execution["id"]);
    let digest = format!("sha256:{}", predicate["plans"][0]["digest"]["sha256"].as_str().unwrap());
    let issue = repo.json(&["show", "ISS-001"]);
    assert_eq!(json!(digest), issue["executions"][0]["plan_digest"]);
    assert_eq!(execution["planDigest"], json!(digest));
    assert_eq!(predicate["policy"], repo.json(&["settings"])["policy"]);
    let empty =
        repo.wf(&["export", "in-toto", "HEAD..HEAD", "--output", "x", "--json"]).fails(3).json_error();
    assert!(empty["hint"].as_str().unwrap().contains("git wf export in-toto RANGE"), "{empty}");
    repo.refused(2, &["export", "in-toto"]);
    repo.refused(2, &["export", "in-toto", "--sign"]);
}

#[test]
fn a_statement_is_signed_with_the_key_of_git() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    repo.git(&["config", "gpg.format", "ssh"]).ok();
    let error = repo.refused(1, &["export", "in-toto", "-o", "audit.json", "--sign"]);
    assert_eq!(error["code"], "no-signing-key");
    assert!(!repo.path().join("audit.json").exists());
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    signs_with(&repo, &key);
    let answer = repo.json(&["export", "in-toto", "-o", "audit.json", "--sign"]);
    assert_eq!(answer, json!({"output": "audit.json", "signature": "audit.json.sig"}));
    let check = "ssh-keygen -Y check-novalidate -n git-wf -s audit.json.sig";
    repo.sh(&["-c", &format!("{check} < audit.json")]).ok();
    assert_ne!(repo.sh(&["-c", &format!("sed s/ISS-001/ISS-002/ audit.json | {check}")]).code, 0);
    repo.git(&["config", "gpg.ssh.program", "no-such-program"]).ok();
    assert_eq!(repo.refused(1, &["export", "in-toto", "-o", "x", "--sign"])["code"], "cannot-sign");
    repo.git(&["config", "gpg.format", "pigeon"]).ok();
    assert_eq!(repo.refused(1, &["export", "in-toto", "-o", "x", "--sign"])["code"], "config");
}

#[test]
fn a_statement_is_signed_with_openpgp() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    // The sockets of gpg's agent need a short path.
    let home = tempfile::Builder::new().prefix("gpg").tempdir_in("/tmp").unwrap();
    let repo = repo.with_env("GNUPGHOME", home.path().to_str().unwrap());
    if repo.sh(&["-c", "command -v gpg"]).code != 0 {
        eprintln!("skipped: there is no gpg; the test with SSH signs in the same way");
        return;
    }
    let agent = AgentOf(&repo);
    let make = "gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-gen-key";
    agent.0.sh(&["-c", &format!("{make} 'Ada <ada@example.org>' ed25519 sign never")]).ok();
    repo.git(&["config", "user.signingKey", "ada@example.org"]).ok();
    let answer = repo.json(&["export", "in-toto", "-o", "audit.json", "--sign"]);
    assert_eq!(answer, json!({"output": "audit.json", "signature": "audit.json.asc"}));
    let said = repo.sh(&["-c", "gpg --verify audit.json.asc audit.json"]).ok().stderr;
    assert!(said.contains("Good signature from \"Ada <ada@example.org>\""), "{said}");
    let changed = "sed s/ISS-001/ISS-002/ audit.json | gpg --verify audit.json.asc -";
    assert_ne!(repo.sh(&["-c", changed]).code, 0);
    repo.git(&["config", "user.signingKey", "nobody@example.org"]).ok();
    assert_eq!(repo.refused(1, &["export", "in-toto", "-o", "x", "--sign"])["code"], "cannot-sign");
    assert!(!repo.path().join("x").exists() && !repo.path().join("x.asc").exists());
}

/// Makes a key and its certificate for gpgsm in `GNUPGHOME`, where the agent gets the passphrase without a person.
const CERTIFICATE: &str = r#"set -e
cd "$GNUPGHOME"
openssl req -quiet -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 30 \
    -subj /CN=Ada/emailAddress=ada@example.org -addext subjectAltName=email:ada@example.org \
    -addext keyUsage=critical,digitalSignature,nonRepudiation
openssl pkcs12 -export -inkey key.pem -in cert.pem -out key.p12 -passout pass:x \
    -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1
cat >pinentry <<'END'
#!/bin/sh
echo OK
while read -r word _; do
    [ "$word" != GETPIN ] || echo 'D x'
    echo OK
    [ "$word" != BYE ] || exit 0
done
END
chmod +x pinentry
echo "pinentry-program $GNUPGHOME/pinentry" >gpg-agent.conf
echo disable-crl-checks >gpgsm.conf
echo "$(openssl x509 -in cert.pem -noout -fingerprint -sha1 | sed 's/.*=//') S relax" >trustlist.txt
gpgsm --batch --import key.p12
"#;

#[test]
fn a_statement_is_signed_with_x509() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    let home = tempfile::Builder::new().prefix("gpg").tempdir_in("/tmp").unwrap();
    let repo = repo.with_env("GNUPGHOME", home.path().to_str().unwrap());
    if repo.sh(&["-c", "command -v gpgsm && command -v openssl"]).code != 0 {
        eprintln!("skipped: there is no gpgsm, or no openssl to make a certificate");
        return;
    }
    let agent = AgentOf(&repo);
    let made = agent.0.sh(&["-c", CERTIFICATE]);
    if made.code != 0 {
        eprintln!("skipped: gpgsm takes no certificate here: {}", made.stderr);
        return;
    }
    repo.git(&["config", "gpg.format", "x509"]).ok();
    repo.git(&["config", "user.signingKey", "ada@example.org"]).ok();
    let answer = repo.json(&["export", "in-toto", "-o", "audit.json", "--sign"]);
    assert_eq!(answer, json!({"output": "audit.json", "signature": "audit.json.p7s"}));
    let said = repo.sh(&["-c", "gpgsm --verify audit.json.p7s audit.json"]).ok().stderr;
    assert!(said.contains("Good signature from \"/CN=Ada/EMail=ada@example.org\""), "{said}");
    let changed = "sed s/ISS-001/ISS-002/ audit.json >other.json; gpgsm --verify audit.json.p7s other.json";
    assert_ne!(repo.sh(&["-c", changed]).code, 0);
    repo.git(&["config", "user.signingKey", "nobody@example.org"]).ok();
    assert_eq!(repo.refused(1, &["export", "in-toto", "-o", "x", "--sign"])["code"], "cannot-sign");
}

/// Ends the agent that gpg started.
struct AgentOf<'a>(&'a Repo);

impl Drop for AgentOf<'_> {
    fn drop(&mut self) {
        self.0.sh(&["-c", "gpgconf --kill all"]);
    }
}

/// The published predicate, with our proof as annotations.
#[test]
fn the_tests_of_a_tree_are_a_statement_that_can_be_compared() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    repo.commit("base.txt", "base\n", "Begin");
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["next", "ISS-001"]).ok();
    let commit = repo.commit("a.txt", "a\n", "Work");
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["export", "in-toto", "--tests", "-o", "tests.jsonl"]).ok();
    let text = repo.read("tests.jsonl");
    let statement: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    Published::schema("in-toto-statement-1.json").fits(&statement);
    Published::schema("in-toto-test-result-0.1.json").fits(&statement["predicate"]);
    assert_eq!(statement["predicateType"], "https://in-toto.io/attestation/test-result/v0.1");
    let tree = repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]).ok().line().to_owned();
    assert_eq!(statement["subject"], json!([{"digest": {"gitTree": tree}}]));
    let predicate = &statement["predicate"];
    assert_eq!(predicate["result"], "PASSED", "{predicate:#}");
    let annotation = &predicate["configuration"][0]["annotations"]["git-wf"];
    assert_eq!(annotation["issueId"], "ISS-001");
    assert_eq!(
        annotation["checks"].as_array().unwrap().len(),
        predicate["passedTests"].as_array().unwrap().len()
    );
    let same = repo.wf(&["audit", "--against", "tests.jsonl"]).ok().stdout;
    assert!(same.contains("PASSED: as the checks here say") && same.contains("not signed"), "{same}");
    repo.write("other.jsonl", text.replace("PASSED", "FAILED"));
    let other = repo.wf(&["audit", "--against", "other.jsonl"]).fails(1).stdout;
    assert!(other.contains("it says FAILED, and the checks here say PASSED"), "{other}");
    repo.write(
        "proved.jsonl",
        text.replace("\"exitCode\":0", "\"exitCode\":0,\"proof\":{\"base_tests\":\"passed\"}"),
    );
    let proved = repo.wf(&["audit", "--against", "proved.jsonl"]).fails(1).stdout;
    assert!(proved.contains("has another `proof` here"), "{proved}");
    repo.write("gone.jsonl", text.replace(&tree, &"0".repeat(tree.len())));
    let gone = repo.wf(&["audit", "--against", "gone.jsonl"]).fails(1).stdout;
    assert!(gone.contains("no check here covers this tree"), "{gone}");
    repo.wf(&["export", "in-toto", "-o", "audit.json"]).ok();
    assert_eq!(repo.refused(1, &["audit", "--against", "audit.json"])["code"], "invalid-json");
    let Some(key) = made_key(&sandbox, &repo, "ada") else { return };
    signs_with(&repo, &key);
    let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
    let signers = sandbox.root().join("signers");
    std::fs::write(&signers, format!("ada@example.org {public}")).unwrap();
    repo.git(&["config", "gpg.ssh.allowedSignersFile", signers.to_str().unwrap()]).ok();
    repo.wf(&["export", "in-toto", "--tests", "-o", "tests.jsonl", "--sign"]).ok();
    let signed = repo.json(&["audit", "--against", "tests.jsonl"]);
    assert_eq!((&signed["signers"], &signed["fault_count"]), (&json!(["ada@example.org"]), &json!(0)));
    repo.write("tests.jsonl", format!("{text}\n"));
    repo.wf(&["audit", "--against", "tests.jsonl"]).fails(1);
}
