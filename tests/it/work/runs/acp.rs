//! Runs whose agents speak the Agent Client Protocol.

use std::io::BufRead;
use std::process::Stdio;

use serde_json::{Value, json};

use super::told::Told;
use super::world::World;
use crate::support::{Ends, column};
use crate::work::agents::acp::AGENT;
use crate::work::agents::hostile::{fifo, rest};

/// Lets `acp`, which does what `turn` says, plan and execute. False if there is no Python.
fn speaks_acp(world: &World, turn: &str) -> bool {
    let repo = &world.repo;
    if repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the agent");
        return false;
    }
    let root = world.sandbox.root().display().to_string();
    let turn = format!("{HELPERS}{turn}").replace("ROOT", &format!("{root:?}")).replace('\n', "\n        ");
    let path = world.sandbox.root().join("acp.py");
    std::fs::write(&path, AGENT.replace("START", "pass").replace("TURN", &turn)).unwrap();
    for (key, value) in [
        ("wf.agent.acp.command", format!("python3 '{}'", path.display()).as_str()),
        ("wf.agent.acp.protocol", "acp"),
        ("wf.run.planner", "acp"),
        ("wf.run.executor", "acp"),
    ] {
        repo.git(&["config", key, value]).ok();
    }
    true
}

const HELPERS: &str = r#"import subprocess
here, root = os.getcwd(), ROOT
kind = json.loads(prompt)["kind"] if prompt.startswith("{") else "reminder"
options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}]
def may(kind, command, *paths):
    answer = call("session/request_permission", options=options, toolCall={"toolCallId": "c", "kind": kind,
        "title": "Do it", "rawInput": {"command": command} if kind == "execute" else {}, "locations": [{"path": path} for path in paths]})
    return answer["result"]["outcome"].get("optionId") == "y"
def reads(path): return "result" in call("fs/read_text_file", path=path)
def writes(path): return "result" in call("fs/write_text_file", path=path, content="two\n")
def answer():
    if kind == "plan":
        say("The plan:\n" + open(root + "/plan.json").read())
    else:
        say("Done. " + json.dumps({"status": "completed"}))
"#;

const ATTACKS: &str = r#"told = {}
told["test"] = may("execute", "make test")
told["push"] = may("execute", "git push origin main")
told["plans"] = may("execute", "git wf plan choose ISS-1")
told["delete"] = may("delete", "a.txt", here + "/a.txt")
may("delete", "delete", here + "/a.txt")
told["edit"] = may("edit", "a.txt", here + "/a.txt")
told["look"] = may("read", "a.txt", here + "/a.txt")
told["look outside"] = may("read", "passwd", "/etc/passwd")
told["edit outside"] = may("edit", "passwd", "/etc/passwd")
told["read"] = reads(here + "/a.txt")
told["write"] = writes(here + "/a.txt")
links = {"link": root + "/secret", "away": "/", "up": "..", "new": root + "/new", "git": ".git"}
for name, target in links.items():
    os.symlink(target, name)
outside = ["/link", "/away" + root + "/secret", "/up/../secret", "/../secret", "/new", "/git", "/.git", "/up/new"]
outside = [here + path for path in outside] + [root + "/secret", root + "/code/a.txt", root + "/new", "../secret"]
told["outside"] = [path for path in outside if reads(path) or writes(path)]
for name in links:
    os.unlink(name)
with open(root + "/told-" + kind, "w") as file:
    json.dump(told, file)
if kind == "build":
    subprocess.run(["git", "commit", "-q", "-a", "-m", "Change"], check=True)
answer()"#;

#[test]
fn an_agent_plans_and_builds_within_its_worktree_and_its_role() {
    let world = World::new();
    if !speaks_acp(&world, ATTACKS) {
        return;
    }
    std::fs::write(world.sandbox.root().join("secret"), "secret\n").unwrap();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    for kind in ["plan", "build"] {
        let told = std::fs::read_to_string(world.sandbox.root().join(format!("told-{kind}"))).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let is_executor = kind == "build";
        assert_eq!(
            told,
            json!({"test": is_executor, "push": false, "plans": false, "delete": false, "edit": is_executor,
                "look": true, "look outside": false, "edit outside": false, "read": true, "write": is_executor, "outside": []}),
            "{kind}"
        );
    }
    assert_eq!(std::fs::read_to_string(world.sandbox.root().join("secret")).unwrap(), "secret\n");
    assert!(!world.sandbox.root().join("new").exists());
    world.is_untouched();
    let log = world.repo.json(&["run", "log"]);
    let breaches: Vec<&Value> = log.as_array().unwrap().iter().filter(|it| it["type"] == "breach").collect();
    for words in [
        "(it asked for: git push origin main)",
        "(it asked for: read /etc/passwd)",
        "(it asked for: delete a.txt)",
        "it may not read ",
        "it may not write ",
    ] {
        let is_it = |it: &&&Value| it["what"].as_str().unwrap().contains(words) && it["action"] == "execute";
        let breach = breaches.iter().find(is_it).unwrap_or_else(|| panic!("{words}: {breaches:#?}"));
        assert!(breach["what"].as_str().unwrap().starts_with("refused: "), "{breach:#}");
        assert_eq!((&breach["agent"], &breach["undone"]), (&json!("acp"), &json!(true)), "{breach:#}");
    }
    // What the protocol reports is in the session, and the report counts the planner's part, too.
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    let session = &execution["sessions"][0];
    let told = json!([session["protocol"], session["model"], session["session_id"], session["tokens"]]);
    assert_eq!(told, json!(["acp", "toy-1", "s-1", 10]), "{execution:#}");
    assert_eq!(execution["commits"][0]["made_by"]["model"], "toy-1", "{execution:#}");
    let report = world.repo.json(&["run", "report"]);
    let spent = json!([report["totals"]["tokens"], report["totals"]["costs"], report["issues"][0]["tokens"]]);
    assert_eq!(spent, json!([20, [{"amount": 1.0, "currency": "USD"}], 20]));
}

const MISTAKES: &str = r#"told = {"dot": reads("./a.txt")}
if kind == "build":
    os.mkdir("dir")
    with open("big.txt", "w") as file:
        file.write("x" * (5 * 1024 * 1024))
    for path in [here + "/dir", here + "/big.txt", here, ".", "missing", "a.txt/below"]:
        told[path] = reads(path)
    os.unlink("big.txt")
    for n in range(300):
        reads("/nowhere/%d" % n)
    may("execute", "git push origin main")
    may("delete", "e", root + "/secrets/e")
    may("delete", "a.txt", "/etc/a.txt")
    with open(root + "/told", "w") as file:
        json.dump(told, file)
    with open("a.txt", "a") as file:
        file.write("two\n")
    subprocess.run(["git", "commit", "-q", "-a", "-m", "Change"], check=True)
answer()"#;

#[test]
fn an_ordinary_mistake_is_no_breach_and_many_breaches_hide_none() {
    let world = World::new();
    if !speaks_acp(&world, MISTAKES) {
        return;
    }
    world.run(0, &["ISS-1"]);
    let told: Value =
        serde_json::from_str(&std::fs::read_to_string(world.sandbox.root().join("told")).unwrap()).unwrap();
    assert!(told.as_object().unwrap().iter().all(|(path, read)| *read == json!(path == "dot")), "{told:#}");
    let log = world.repo.json(&["run", "log"]);
    let breaches: Vec<&str> = log
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["type"] == "breach")
        .filter_map(|it| it["what"].as_str())
        .collect();
    let about = |words: &str| breaches.iter().filter(|it| it.contains(words)).count();
    assert_eq!(about("it may not read /nowhere/"), 20, "{breaches:#?}");
    assert_eq!(about("it asked 280 more times to read files that it may not read"), 1, "{breaches:#?}");
    let secret = format!("(it asked for: delete {}/secrets/e)", world.sandbox.root().display());
    for words in ["git push origin main", secret.as_str(), "(it asked for: delete /etc/a.txt)"] {
        assert_eq!(about(words), 1, "{words}: {breaches:#?}");
    }
    assert_eq!(breaches.len(), 24, "{breaches:#?}");
}

const WAITS: &str = r#"if kind == "build" and not os.path.exists(root + "/again"):
    with open(root + "/alive", "w") as alive:
        alive.write("asked\n"); alive.flush()
        while read().get("method") != "session/cancel": pass
        alive.write("cancelled\n"); alive.flush()
    send(id=id, result={"stopReason": "cancelled"}); continue
if kind == "build":
    with open("a.txt", "a") as file:
        file.write("two\n")
    subprocess.run(["git", "commit", "-q", "-a", "-m", "Change"], check=True)
answer()"#;

#[test]
fn the_second_interrupt_cancels_the_turn_and_the_run_can_be_resumed() {
    let world = World::new();
    if !speaks_acp(&world, WAITS) {
        return;
    }
    let mut alive = fifo(&world.repo);
    let mut child = world
        .repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["run", "ISS-1", "--yes"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = Told::of(child.stderr.take().unwrap());
    let mut child = Ends(child);
    // Otherwise nobody would ever write there.
    told.until("execution by acp");
    let mut line = String::new();
    alive.1.read_line(&mut line).unwrap();
    assert_eq!(line, "asked\n");
    let id = child.0.id();
    let interrupt = || {
        world.repo.sh(&["-c", &format!("kill -INT {id}")]).ok();
    };
    interrupt();
    told.until("stopping after the current steps");
    interrupt();
    assert_eq!(rest(alive), "cancelled\n");
    let told = told.rest();
    assert_eq!(child.0.wait().unwrap().code(), Some(1), "{told}");
    assert_eq!(world.repo.json(&["run", "show"])["state"]["status"], "running");
    // The session that was cancelled is recorded, too.
    std::fs::write(world.sandbox.root().join("again"), "").unwrap();
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
    assert_eq!(execution["status"], "completed", "{execution:#}");
    let sessions = execution["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{execution:#}");
    assert!(sessions[0]["summary"].as_str().unwrap().contains("was stopped"), "{execution:#}");
    world.is_untouched();
}

/// Is silent as often as it is asked, and at the last time works.
const SILENT: &str = r#"with open(root + "/asked", "a") as asked:
    asked.write(kind + "\n")
with open(root + "/asked") as asked:
    times = len(asked.readlines())
if times in SILENT_AT:
    while read().get("method") != "session/cancel": pass
    send(id=id, result={"stopReason": "cancelled"}); continue
if kind != "plan":
    with open("a.txt", "a") as file:
        file.write("two\n")
    subprocess.run(["git", "commit", "-q", "-a", "-m", "Change"], check=True)
answer()"#;

#[test]
fn a_silent_agent_is_reminded_twice_in_its_session_and_then_started_anew() {
    for (silent_at, asked, errors, sessions) in [
        ("(2, 3)", "plan build reminder reminder", vec![], 1),
        ("(2, 3, 4)", "plan build reminder reminder build", vec!["agent-silent".to_owned()], 2),
    ] {
        let world = World::new();
        world.repo.git(&["config", "wf.run.silence", "1s"]).ok();
        if !speaks_acp(&world, &SILENT.replace("SILENT_AT", silent_at)) {
            return;
        }
        let state = world.run(0, &["ISS-1"]);
        assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
        let told = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap();
        assert_eq!(told.split_whitespace().collect::<Vec<_>>().join(" "), asked);
        assert_eq!(column(&state["errors"], "error_type"), errors, "{state:#}");
        let execution = world.repo.json(&["show", "ISS-1"])["executions"][0].clone();
        assert_eq!(execution["sessions"].as_array().unwrap().len(), sessions, "{execution:#}");
        let log = world.repo.json(&["run", "log"]).to_string();
        assert_eq!(log.matches("its agent was silent, and was reminded").count(), 2, "{log}");
    }
}
