"""One whole pass through `git wf mcp` with the Python SDK: issue, plan, claim, commit, verify, finish, trace."""

import asyncio
import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

import mcp_types as types
from mcp import Client, StdioServerParameters

BINARY = Path(sys.argv[1] if len(sys.argv) > 1 else "target/debug/git-wf").resolve()

PLAN = {
    "description": "Let a session last for twelve hours",
    "strategy_type": "feature",
    "tasks": [
        {
            "id": "T1",
            "title": "Raise the lifetime",
            "action": "Modify",
            "scope": "session.txt",
            "description": "Twelve hours instead of one",
            "modification_points": [{"file": "session.txt", "target": "lifetime", "change": "3600 becomes 43200"}],
            "implementation": ["Change the number", "Look for other places that assume one hour"],
            "test": {"commands": ["grep -q 43200 session.txt"], "unit": ["The file has the new number"], "integration": []},
            "acceptance": {
                "criteria": ["session.txt names 43200 seconds", "No other file names 3600"],
                "verification": ["Run: grep 43200 session.txt, and see the line"],
            },
            "depends_on": [],
            "estimated_minutes": 10,
            "priority": 1,
        }
    ],
    "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
    "exploration_context": {"relevant_files": ["session.txt"], "patterns": "One setting a line", "integration_points": "None"},
    "score": 0.9,
}


def git(repo, *args):
    return subprocess.run(["git", *args], cwd=repo, check=True, capture_output=True, text=True).stdout.strip()


def agree(repo):
    """A person reads the test commands on a terminal, and agrees."""
    master, slave = pty.openpty()
    os.write(master, b"y\n")
    person = subprocess.Popen([BINARY, "verify"], cwd=repo, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        pass
    assert person.wait() == 0


async def walk(repo, mode):
    told, updated = [], asyncio.Event()

    async def progress(done, total, message):
        told.append((done, total, message))

    async def heard(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.set()

    server = StdioServerParameters(command=str(BINARY), args=["mcp"], cwd=str(repo), env=dict(os.environ))
    async with Client(server, mode=mode, message_handler=heard) as client:
        print("  protocol     ", client.protocol_version)
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert len(tools) == 10, tools

        async def call(name, callback=None, **arguments):
            result = await client.call_tool(name, arguments, progress_callback=callback)
            text = result.content[0].text
            print(f"  {name:13} {'refused' if result.is_error else 'ok':8} {len(text):6} characters")
            if result.is_error:
                return json.loads(text)["error"]
            assert json.loads(text) == result.structured_content
            return result.structured_content

        made = await call("issue_write", action="create", fields={"title": "Sessions end too early", "priority": 2})
        issue = made["issue"]["id"]
        assert (await call("find", query="sessions"))["total"] >= 1
        assert (await call("plan_context", id=issue))["role"] == "planner"
        submitted = await call("plan_submit", issue=issue, plan=PLAN | {"description": f"Let sessions last, {mode}"}, queue=True)
        assert submitted["quality"] >= 0.8 and submitted["queued"]["issue_id"] == issue, submitted
        own = await call("plan_review", plan=issue, review={"technical": 90, "risk": 90, "completeness": 90})
        assert own["code"] == "own-plan", own
        if mode == "legacy":
            await client.subscribe_resource("wf://execution/current")
        claimed = await call("claim", item=submitted["added"][0], task="T1", model="a-model")
        assert claimed["task"]["id"] == "T1", claimed
        if mode == "legacy":
            await asyncio.wait_for(updated.wait(), 30)
        Path(repo, "session.txt").write_text(f"lifetime 43200 {mode}\n")
        git(repo, "commit", "-qam", "Let sessions last")
        refused = await call("verify")
        assert refused["code"] == "not-agreed", refused
        agree(repo)
        assert (await call("verify", callback=progress))["passed"]
        assert told, "no progress"
        evidence = [{"task": "T1", "criterion": 2, "evidence": "grep finds none"}]
        finished = await call("finish", outcome="completed", summary="Raised it", verify=True, accepted=evidence)
        assert finished["ended"]["status"] == "completed", finished
        print("  agent        ", finished["ended"]["sessions"][0]["agent"], finished["ended"]["sessions"][0]["model"])
        traced = await call("trace", of=git(repo, "rev-parse", "HEAD"))
        assert traced["trace"]["issues"][0]["issue"]["id"] == issue
        assert (await call("trace", of="session.txt:1"))["why"]["spans"][0]["origins"][0]["issue_id"] == issue
        assert (await call("show", id=issue, include=["comments", "executions"]))["issue"]["status"] == "completed"
        assert (await call("show", id="nothing"))["code"] == "not-found"
        read = await client.read_resource(f"wf://issue/{issue}")
        assert json.loads(read.contents[0].text)["id"] == issue
        assert len((await client.list_prompts()).prompts) == 3
        prompt = await client.get_prompt("planner", {"issue": issue})
        assert issue in prompt.messages[1].content.text
    print(f"{mode}: all is well")


def main():
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q")
        for name, value in [("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgSign", "false")]:
            git(folder, "config", name, value)
        Path(folder, "session.txt").write_text("lifetime 3600\n")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "Begin")
        os.environ["PATH"] = f"{BINARY.parent}:{os.environ['PATH']}"
        os.environ["HOME"] = folder
        subprocess.run([BINARY, "init", "--hooks"], cwd=folder, check=True, capture_output=True)
        for mode in ["legacy", "auto"]:
            print(f"{mode}:")
            asyncio.run(walk(folder, mode))


main()
