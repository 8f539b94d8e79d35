//! Agents go on in their sessions: they are told only what is new.

use serde_json::{Value, json};

use super::world::{BUILDS, World};
use crate::support::column;

/// An agent in Python that keeps its sessions beside the repository and counts a token for each four bytes that it is told.
/// In a new session it does `FIRST`, in one that it continues `LATER`; both set `answer`. `CAN` is what it can do.
const AGENT: &str = r#"import json, os, subprocess, sys
HERE = os.path.dirname(os.path.abspath(__file__))
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def update(sid, **what):
    send(method="session/update", params={"sessionId": sid, "update": what})
def say(sid, text):
    update(sid, sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
def commit(text):
    open("a.txt", "a").write(text + "\n")
    subprocess.check_call("git add a.txt && git commit -q -m Change", shell=True)
def once(name):
    path = os.path.join(HERE, name)
    return not os.path.exists(path) and not open(path, "w").close()
def place(sid):
    return os.path.join(HERE, "session-" + sid)
def begin():
    n = 1
    while True:
        try:
            with open(place("s-%d" % n), "x") as file:
                file.write("0")
            return "s-%d" % n
        except FileExistsError:
            n += 1
done = {"status": "completed"}
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "initialize":
        send(id=id, result={"protocolVersion": 1, "agentCapabilities": CAN})
    elif method == "session/new":
        sid, is_new = begin(), True
        send(id=id, result={"sessionId": sid})
    elif method in ("session/resume", "session/load"):
        sid, is_new = params["sessionId"], False
        if not os.path.exists(place(sid)):
            send(id=id, error={"code": -32002, "message": "no such session"})
            continue
        if method == "session/load":
            say(sid, '{"status": "failed", "errors": [{"message": "told before"}]}')
        send(id=id, result={})
    elif method == "session/prompt":
        text = params["prompt"][0]["text"]
        used = int(open(place(sid)).read()) + len(text) // 4
        with open(place(sid), "w") as file:
            file.write(str(used))
        with open(os.path.join(HERE, "asked"), "a") as asked:
            asked.write(json.dumps({"sid": sid, "is_new": is_new, "text": text}) + "\n")
        update(sid, sessionUpdate="usage_update", used=used, size=100000)
        answer = done
        if is_new:
            FIRST
        else:
            LATER
        if answer:
            say(sid, json.dumps(answer))
        send(id=id, result={"stopReason": "end_turn"})
"#;

const RESUME: &str = r#"{"sessionCapabilities": {"resume": {}}}"#;

/// Sets the agent for a role to one that has sessions. Returns whether there is a Python for it.
pub(super) fn agent(world: &World, role: &str, can: &str, first: &str, later: &str) -> bool {
    if world.repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the agent");
        return false;
    }
    let can = can.replace("true", "True");
    let text = AGENT.replace("CAN", &can).replace("FIRST", first).replace("LATER", later);
    let path = world.sandbox.root().join(format!("{role}.py"));
    std::fs::write(&path, text).unwrap();
    for (key, value) in [
        (format!("wf.agent.{role}.command"), format!("python3 '{}'", path.display())),
        (format!("wf.agent.{role}.protocol"), "acp".into()),
        (format!("wf.run.{role}"), role.into()),
    ] {
        world.repo.git(&["config", &key, &value]).ok();
    }
    true
}

/// What agents were asked, in order.
fn asked(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.sandbox.root().join("asked")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The request or the follow-up in what an agent was asked.
fn request(asked: &Value) -> Value {
    serde_json::from_str(asked["text"].as_str().unwrap()).unwrap()
}

/// A world whose plan wants `good` in `a.txt`.
fn wants_good() -> World {
    let world = World::new();
    world.plan("plan.json", "grep -q good a.txt");
    world
}

#[test]
fn after_a_failed_test_the_same_session_is_told_only_that() {
    for can in [RESUME, r#"{"loadSession": true}"#] {
        let world = wants_good();
        if !agent(&world, "executor", can, "commit('bad')", "commit('good')") {
            return;
        }
        let state = world.run(0, &["ISS-1"]);
        // Nothing has failed, as far as the records know.
        assert_eq!(column(&state["errors"], "error_type"), [""; 0], "{state:#}");
        let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
        assert_eq!(executions.as_array().unwrap().len(), 1, "{executions:#}");
        let sessions = executions[0]["sessions"].as_array().unwrap();
        assert_eq!(column(&executions[0]["sessions"], "session_id"), ["s-1", "s-1"], "{sessions:#?}");
        // The second attempt costs at most a third of the first one.
        let tokens = |n: usize| sessions[n]["tokens"].as_u64().unwrap();
        assert!(tokens(1) * 3 <= tokens(0), "{can}: {} {}", tokens(0), tokens(1));
        let asked = asked(&world);
        assert_eq!((asked.len(), &asked[1]["is_new"]), (2, &json!(false)), "{asked:#?}");
        let told = request(&asked[1]);
        assert_eq!((&told["reason"], told.get("answer_schema")), (&json!("failed-test"), None), "{told:#}");
        assert!(
            told["faults"][0].as_str().unwrap().contains("`grep -q good a.txt` ended with 1"),
            "{told:#}"
        );
        let log = world.repo.wf(&["run", "log"]).ok().stdout;
        assert!(log.contains("a test failed, and its agent was told"), "{log}");
        // Nothing is left of it once the run has ended.
        let left = world.repo.sh(&["-c", "ls -d .git/wf/runs/*/sessions"]);
        assert_ne!(left.code, 0, "{}", left.stdout);
    }
}

#[test]
fn a_test_that_fails_again_is_recorded() {
    let world = wants_good();
    if !agent(&world, "executor", RESUME, "commit('bad')", "commit('worse')") {
        return;
    }
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "test_failure", "{state:#}");
    assert_eq!(asked(&world).len(), 2);
    assert_eq!(column(&world.repo.json(&["show", "ISS-1"])["executions"], "status"), ["failed"]);
}

#[test]
fn a_lost_session_begins_anew() {
    let world = wants_good();
    let first = "commit('bad' if once('lost') else 'good'); os.remove(place(sid))";
    if !agent(&world, "executor", RESUME, first, "commit('worse')") {
        return;
    }
    world.run(0, &["ISS-1"]);
    let asked = asked(&world);
    assert!(asked.iter().all(|it| it["is_new"] == true) && asked.len() == 2, "{asked:#?}");
    // It gets the whole request, with what went wrong.
    let told = request(&asked[1]);
    assert!(told.get("answer_schema").is_some(), "{told:#}");
    assert!(told["faults"][0].as_str().unwrap().contains("ended with 1"), "{told:#}");
}

#[test]
fn a_rejected_plan_goes_back_to_the_session_that_made_it() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.mode", "full"]).ok();
    let scores = |n: u8, finding: &str| {
        format!(r#"echo '{{"technical": {n}, "risk": {n}, "completeness": {n}, "findings": ["{finding}"]}}'"#)
    };
    let reviews =
        format!("if once review; then {}; else {}; fi", scores(20, "it is too short"), scores(90, ""));
    world.agent("reviewer", &reviews.replace(r#", "findings": [""]"#, ""));
    let first = "answer = json.load(open(os.path.join(HERE, 'plan.json')))";
    let later = "answer = json.load(open(os.path.join(HERE, 'plan.json'))); answer['description'] = 'Longer'";
    if !agent(&world, "planner", RESUME, first, later) {
        return;
    }
    world.run(0, &["ISS-1"]);
    let asked = asked(&world);
    let told = request(&asked[1]);
    assert_eq!((asked.len(), &told["reason"]), (2, &json!("rejected-review")), "{asked:#?}");
    assert!(told["faults"].to_string().contains("it is too short"), "{told:#}");
}

#[test]
fn a_turn_without_an_answer_is_not_the_end_of_the_session() {
    let world = World::new();
    let first = "answer = None if once('asks') else done; answer or say(sid, 'Which lifetime?'); commit('x')";
    if !agent(&world, "executor", "{}", first, "pass") {
        return;
    }
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(column(&state["errors"], "error_type"), [""; 0], "{state:#}");
    let asked = asked(&world);
    assert_eq!((asked.len(), &asked[1]["sid"]), (2, &json!("s-1")), "{asked:#?}");
    assert!(asked[1]["text"].as_str().unwrap().starts_with("Your turn ended without the JSON object"));
}

#[test]
fn an_agent_goes_on_in_its_session_after_the_run_was_killed() {
    let world = wants_good();
    let first = "commit('half'); os.kill(int(open(os.path.join(HERE, 'run')).read()), 9)";
    if !agent(&world, "executor", RESUME, first, "commit('good')") {
        return;
    }
    let pid = world.sandbox.root().join("run");
    let script =
        format!("echo $$ > '{}'; exec '{}' run ISS-1 --yes", pid.display(), env!("CARGO_BIN_EXE_git-wf"));
    assert_ne!(world.repo.sh(&["-c", &script]).code, 0);
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let asked = asked(&world);
    let told = request(asked.last().unwrap());
    assert_eq!((&told["reason"], &asked.last().unwrap()["sid"]), (&json!("interrupted"), &json!("s-1")));
    let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
    assert_eq!(column(&executions, "status"), ["completed"], "{executions:#}");
    assert!(column(&executions[0]["sessions"], "session_id").iter().all(|id| id == "s-1"), "{executions:#}");
}

#[test]
fn the_session_that_made_some_work_resolves_its_conflict() {
    let world = super::resolved::conflicting("exit 3");
    let shares = "open('shared.txt', 'w').write(os.getcwd()); subprocess.check_call('git add shared.txt && git commit -q -m Share', shell=True)";
    let resolves = "open('shared.txt', 'w').write('both\\n'); subprocess.check_call('git add shared.txt && git commit -q --no-edit', shell=True)";
    if !agent(&world, "executor", RESUME, shares, resolves) {
        return;
    }
    world.run(0, &super::resolved::BOTH);
    let asked = asked(&world);
    let last = asked.last().unwrap();
    let told = request(last);
    assert_eq!((&told["reason"], &last["is_new"]), (&json!("conflict"), &json!(false)), "{asked:#?}");
    assert!(told["input"]["conflict"]["hunks"].as_str().unwrap().contains("<<<<<<<"), "{told:#}");
}

#[test]
fn a_plain_agent_is_resumed_by_its_own_option() {
    let world = wants_good();
    let log = "printf '%s ' \"$@\" >> \"$HERE/words\"; echo >> \"$HERE/words\"; cat > \"$HERE/last\"";
    let work = "case $1 in --resume) text=good;; *) text=bad;; esac; echo $text >> a.txt; git add a.txt; git commit -q -m Change";
    world.agent("executor", &format!("{log}; {work}; echo '{{\"status\": \"completed\"}}'"));
    let script = world.sandbox.root().join("executor.sh");
    let set = |key: &str, words: &str| {
        let command = format!("sh '{}' {words}", script.display());
        world.repo.git(&["config", &format!("wf.agent.executor.{key}"), &command]).ok();
    };
    set("command", "--session-id {session}");
    set("resume", "--resume {session}");
    world.run(0, &["ISS-1"]);
    let words = std::fs::read_to_string(world.sandbox.root().join("words")).unwrap();
    let words: Vec<Vec<&str>> = words.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        (words[0][0], words[1][0], words[0][1]),
        ("--session-id", "--resume", words[1][1]),
        "{words:?}"
    );
    let last = std::fs::read_to_string(world.sandbox.root().join("last")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&last).unwrap()["reason"], "failed-test");
    let session = world.repo.json(&["show", "ISS-1"])["executions"][0]["sessions"][0].clone();
    assert_eq!(session["session_id"], words[0][1], "{session}");
}

#[test]
fn a_resume_command_says_where_the_session_stands() {
    let world = World::new();
    world.agent("executor", BUILDS);
    world.repo.git(&["config", "wf.agent.executor.resume", "sh x --continue"]).ok();
    let refused = world.repo.refused(1, &["run", "ISS-1"]);
    assert!(refused["message"].as_str().unwrap().contains("`{session}`"), "{refused}");
}

/// The run is killed while the test runs that will fail, so whoever resumes it learns of the failure first.
#[test]
fn a_test_that_fails_after_a_kill_is_told_in_the_same_session() {
    let world = World::new();
    let here = world.sandbox.root().display().to_string();
    let kills =
        format!("if test ! -e '{here}/killed'; then touch '{here}/killed'; kill -9 $(cat '{here}/run'); fi");
    world.plan("plan.json", &format!("{kills}; grep -q good a.txt"));
    if !agent(&world, "executor", RESUME, "commit('bad')", "commit('good')") {
        return;
    }
    let program = env!("CARGO_BIN_EXE_git-wf");
    let call = format!("echo $$ > '{here}/run'; exec '{program}' run ISS-1 --yes");
    assert_ne!(world.repo.sh(&["-c", &call]).code, 0);
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let asked = asked(&world);
    let sessions: Vec<&str> = asked.iter().map(|it| it["sid"].as_str().unwrap()).collect();
    assert_eq!(sessions, ["s-1", "s-1"], "{asked:#?}");
    let told = asked[1]["text"].as_str().unwrap();
    assert!(told.contains("grep -q good a.txt") && !told.contains("\"input\""), "{told}");
}
