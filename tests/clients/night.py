#!/usr/bin/env python3
"""A night alone with real agents, whose model is the stand-in of provider.py.

  night.py GIT_WF BIN [AGENT...]

GIT_WF is the program, BIN a directory with the programs of agents, and each AGENT the preset that plans, reviews and executes
(default: opencode-acp codex). For each, a fresh repository is worked through by one run, which is killed with SIGKILL while an
agent is at work and resumed; a provider answers 429 with a time; a plan is rejected in review; a test fails once, and another
for good; two issues conflict when they land; an issue costs too much; a provider fails for good; an issue has two plans. In the
morning, each issue has landed or is named by the report, and a person was told of it, with one id for each event.
"""
import json, os, pathlib, re, socket, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
COMPLETED = json.dumps({"status": "completed", "summary": "done by the stand-in"})


def plan(issue, test=None, about=None):
    file = f"{issue}.txt"
    return {"description": about or f"Do {issue}", "approach": "Write the file", "tasks": [{
        "id": "T1", "title": f"Write {file}", "action": "Create", "scope": file, "description": f"Write {file}",
        "modification_points": [{"file": file, "target": file, "change": "write it"}],
        "implementation": [f"Write done into {file}", "Run its test"],
        "test": {"commands": [test or f"grep -q done {file}"]},
        "acceptance": {"criteria": [f"{file} contains done"], "verification": [f"grep -q done {file}"]},
        "depends_on": []}]}


def work(issue, text="done", more="", **step):
    return [{"shell": f"echo {text} > {issue}.txt; {more}git add -A; git commit -qm 'Do {issue}'", **step},
            {"text": COMPLETED}]


def judged(n):
    return [{"text": json.dumps({"technical": n, "risk": n, "completeness": n, "findings": ["it is too short"]})}]


SHARE = "pwd > shared.txt; "
# What the work on an issue may take, in seconds. On a machine where a turn of an agent takes longer than ten, name more.
BUDGET = int(os.environ.get("BUDGET", 90))
# The first key whose expression is found in what the agent was told last decides.
NIGHT = {
    '/"reason": "rejected-review"': [{"text": json.dumps(plan("ISS-7", about="A longer plan"))}],
    '/"reason": "failed-test"': work("ISS-3"),
    '/"reason": "interrupted"': work("ISS-1", more=SHARE),
    '/"(kind|reason)": "(resolve|conflict)"': [
        {"shell": "echo both > shared.txt; git add -A; git commit -q --no-edit"}, {"text": COMPLETED}],
    r'/"kind": "plan"[^$]*"input": \{\s*"issue_id": "ISS-7"': [{"text": json.dumps(plan("ISS-7", about="A short plan"))}],
    r'/"kind": "plan"[^$]*"input": \{\s*"issue_id": "ISS-9"': [{"text": json.dumps(plan("ISS-9")), "sleep": BUDGET + 10}],
    '/"kind": "plan"': [{"text": json.dumps({"solutions": [plan("ISS-8"), plan("ISS-8", about="Another way")]})}],
    '/"kind": "review"[^$]*A short plan': judged(20),
    '/"kind": "review"': judged(95),
    "/SOL-ISS-1-": work("ISS-1", more=SHARE + "sleep 3; "),
    "/SOL-ISS-2-": work("ISS-2", status=429, times=1),
    "/SOL-ISS-3-": work("ISS-3", text="bad"),
    "/SOL-ISS-4-": work("ISS-4"),
    "/SOL-ISS-5-": work("ISS-5", more=SHARE),
    "/SOL-ISS-6-": work("ISS-6", status=500, times=999),
    "/SOL-ISS-7-": work("ISS-7"),
    "*": [{"text": "$ANSWER"}],
}


class Night:
    def __init__(self, program, binaries, agent):
        # A sandbox hides temporary directories.
        place = pathlib.Path(binaries).resolve().parents[1]
        self.agent, self.root = agent, pathlib.Path(tempfile.mkdtemp(prefix="night-", dir=place))
        self.repo = self.root / "code"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (self.root / "scenarios").mkdir()
        (self.root / "scenarios/night.json").write_text(json.dumps(NIGHT))
        self.env = {"HOME": str(self.root), "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
                    "PATH": os.pathsep.join([str(pathlib.Path(program).resolve().parent), binaries, os.environ["PATH"]]),
                    **account(self.root, f"http://127.0.0.1:{self.port}")}
        self.provider = subprocess.Popen(
            [sys.executable, HERE / "provider.py", str(self.port), "--scenarios", self.root / "scenarios",
             "--log", self.root / "provider.log"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("the stand-in does not start")

    def sh(self, *words, code=0, given=None):
        ran = subprocess.run(words, cwd=self.repo, env=self.env, input=given, capture_output=True, text=True)
        assert code is None or ran.returncode == code, (words, ran.returncode, ran.stdout[-3000:], ran.stderr[-3000:])
        return ran.stdout

    def wf(self, *words, **more):
        return self.sh("git", "wf", *words, **more)

    def json(self, *words):
        return json.loads(self.wf(*words, "--json"))

    def begin(self):
        self.repo.mkdir()
        self.sh("git", "init", "-q", "-b", "main")
        for key, value in [("user.name", "Ada"), ("user.email", "ada@example.org"), ("wf.run.retries", "0"),
                           ("wf.notify", f"cat >> '{self.root}/told'"), ("wf.run.mode", "full")]:
            self.sh("git", "config", key, value)
        for role in ("planner", "reviewer", "executor"):
            self.sh("git", "config", f"wf.run.{role}", self.agent)
        for name in account(self.root, ""):
            self.sh("git", "config", "--add", f"wf.agent.{self.agent}.env", name)
        (self.repo / "README").write_text("A night\n")
        self.sh("git", "add", "-A")
        self.sh("git", "commit", "-qm", "Begin")
        self.wf("init", "--hooks")
        for n in range(1, 10):
            self.wf("new", f"Write ISS-{n}", "--id", f"ISS-{n}")
        for n in range(1, 7):
            made = json.dumps(plan(f"ISS-{n}", test="false" if n == 4 else None))
            self.wf("plan", "add", f"ISS-{n}", given=made)

    def run(self):
        issues = [f"ISS-{n}" for n in range(1, 10)]
        run = subprocess.Popen(["git-wf", "run", *issues, "--land", "--yes", "--json", "--jobs", "2",
                                "--issue-budget", f"{BUDGET}s"], cwd=self.repo,
                               env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in run.stderr:
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("issue_id") == "ISS-1" and '"execute"' in line and "attempt" in event:
                break
        run.kill()
        run.wait()
        for _ in range(3):
            self.wf("run", "resume", "--yes", code=None)
            if self.json("run", "show")["state"]["status"] == "completed":
                return
        raise AssertionError("the run does not end")

    def morning(self):
        report = self.json("run", "report")
        landed = {"ISS-1", "ISS-2", "ISS-3", "ISS-5", "ISS-7"}
        status = {it["issue_id"]: it["status"] for it in report["issues"]}
        waiting = {it.get("issue_id") for it in report["waiting"]}
        told = [json.loads(line) for line in (self.root / "told").read_text().splitlines()]
        kinds = {(it.get("issue_id"), it["type"]) for it in told}
        print(f"== {self.agent}: {status}\n   waits: {sorted(filter(None, waiting))}\n   told: {sorted(map(str, kinds))}")
        for issue in landed:
            assert status[issue] == "completed", (issue, status)
            assert (issue, "landed") in kinds, (issue, kinds)
        # An agent may try so long to reach its provider that this exhausts the budget of the issue.
        for issue in ("ISS-4", "ISS-6", "ISS-8"):
            assert issue in waiting, (issue, waiting)
            assert {kind for about, kind in kinds if about == issue} & {"failed", "waits", "budget"}, (issue, kinds)
        # What costs too much is planned, and parked before anyone executes it.
        assert ("ISS-9", "budget") in kinds and "ISS-9" in waiting, (kinds, waiting)
        assert self.json("show", "ISS-9")["executions"] == []
        # Some agents wait themselves until their provider serves them.
        limits = [it for it in self.json("run", "log") if it["type"] == "limited"]
        assert ("ISS-2", "limit") in kinds if limits else status["ISS-2"] == "completed", (limits, kinds)
        assert not self.json("list", "--unlanded"), "everything completed has landed"
        assert len({it["id"] for it in told}) == len(kinds), "one id for each event"
        assert (None, "over") in kinds
        self.wf("fsck")
        sessions = self.json("show", "ISS-3")["executions"][-1]["sessions"]
        if sessions[0].get("session_id"):
            assert len({it["session_id"] for it in sessions}) == 1 and len(sessions) == 2, sessions
        print("   ISS-3, session by session:", [(it.get("session_id"), it.get("tokens")) for it in sessions])

    def end(self):
        self.provider.terminate()


def account(home, base):
    """The variables and files with which agents find the stand-in."""
    models = {"night": {"name": "night", "tool_call": True, "limit": {"context": 200000, "output": 8000}}}
    options = {"baseURL": f"{base}/s/night/v1", "apiKey": "dummy"}
    opencode = {"$schema": "https://opencode.ai/config.json", "model": "standin/night", "small_model": "standin/night",
                "autoupdate": False, "share": "disabled", "provider": {"standin": {
                    "npm": "@ai-sdk/openai-compatible", "name": "Stand-in", "options": options, "models": models}}}
    if base:
        (home / "opencode.json").write_text(json.dumps(opencode))
        (home / ".gemini").mkdir(exist_ok=True)
        (home / ".gemini/settings.json").write_text('{"security":{"auth":{"selectedType":"gemini-api-key"}}}')
        (home / ".codex").mkdir(exist_ok=True)
        (home / ".codex/config.toml").write_text(
            f'model = "night"\nmodel_provider = "standin"\n[model_providers.standin]\nname = "Stand-in"\n'
            f'base_url = "{base}/s/night/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n')
    return {"OPENCODE_CONFIG": str(home / "opencode.json"), "ANTHROPIC_BASE_URL": f"{base}/s/night",
            "ANTHROPIC_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": f"{base}/s/night", "GEMINI_API_KEY": "dummy",
            "OPENAI_API_KEY": "dummy", "DISABLE_TELEMETRY": "1"}


def main():
    program, binaries, *agents = sys.argv[1:]
    for agent in agents or ["opencode-acp", "codex"]:
        night = Night(program, binaries, agent)
        try:
            night.begin()
            night.run()
            night.morning()
        finally:
            night.end()
        print(f"   kept: {night.root}")


if __name__ == "__main__":
    main()
