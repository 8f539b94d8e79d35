#!/usr/bin/env python3
"""Round trips with the real plan tools: each makes a project with a plan, which is imported, claimed, executed by the example
agent, landed and ticked off; then the tool itself says that it is done.

    plan_tools.py GIT-WF TOOLS-BIN [TOOL …]

GIT-WF is the program, TOOLS-BIN a directory with openspec, task-master, backlog, gsd-tools (a link to gsd-tools.cjs) and specify;
a tool that is not there is left out.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WF = os.path.abspath(sys.argv[1])
TOOLS = os.path.abspath(sys.argv[2])
# What the example agent understands.
EDITS = ['In zoo.txt replace "hay" with "leaves"', 'In zoo.txt replace "seven" with "eight"']


class Project:
    """A repository in which a tool and git-wf work together."""

    def __init__(self, place, tool):
        self.place, self.tool = pathlib.Path(place) / tool, tool
        self.place.mkdir()
        home = pathlib.Path(place) / "home"
        home.mkdir(exist_ok=True)
        links = pathlib.Path(place) / "bin"
        if not links.exists():
            links.mkdir()
            (links / "git-wf").symlink_to(WF)
        self.env = {
            **os.environ,
            "PATH": f"{links}:{TOOLS}:{os.environ['PATH']}",
            "HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "OPENSPEC_TELEMETRY": "0",
            "NO_COLOR": "1",
        }
        self("git", "init", "-q", "-b", "main")
        self("git", "config", "user.name", "Ada")
        self("git", "config", "user.email", "ada@example.org")
        self.write("zoo.txt", "The okapi eats hay.\nIt eats at seven.\n")

    def __call__(self, *words, code=0, text=None):
        done = subprocess.run(
            words, cwd=self.place, env=self.env, capture_output=True, text=True, check=False, input=text or ""
        )
        if code is not None and done.returncode != code:
            raise SystemExit(f"{self.tool}: {' '.join(words)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def json(self, *words):
        out = self(*words)
        return json.loads(out[min(at for at in (out.find("{"), out.find("[")) if at >= 0) :])

    def write(self, name, text):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.place / name).read_text(encoding="utf-8")

    def commit(self, subject):
        self("git", "add", "--all")
        self("git", "commit", "-q", "-m", subject)

    def done_by_agent(self, issue, folder):
        """Imports the plan, and has the example agent execute and land it."""
        self.commit("Plan")
        self("git-wf", "init", "--hooks")
        self("git", "config", "wf.plans.follow", f"{self.tool}:{folder}")
        agent = shlex_quote(str(ROOT / "examples/agents/executor.py"))
        self("git", "config", "wf.agent.example.command", agent)
        # The agent is ours, and some machines do not allow what confines one.
        self("git", "config", "wf.run.sandbox", "off")
        report = self.json("git-wf", "import", self.tool, ".", "--json")
        says(not report["skipped"], f"{self.tool}: something was skipped: {report['skipped']}")
        plan = self.json("git-wf", "show", issue, "--json")
        says(plan["status"] in ("planned", "planning"), f"{self.tool}: {issue} is {plan['status']}")
        self("git-wf", "run", issue, "--execute-only", "--executor", "example", "--yes", "--land")
        says(self.read("zoo.txt") == "The okapi eats leaves.\nIt eats at eight.\n", f"{self.tool}: the work is not there")
        status = self.json("git-wf", "show", issue, "--json")["status"]
        says(status == "completed", f"{self.tool}: {issue} is {status}")
        says(self("git", "status", "--porcelain") == "", f"{self.tool}: the work tree is not as it was")
        # Another import changes nothing.
        before = self("git", "rev-parse", "refs/wf/main")
        again = self.json("git-wf", "import", self.tool, ".", "--json")
        says(again["created"] == 0, f"{self.tool}: a second import made {again['created']} issues")
        self("git-wf", "import", self.tool, ".", "--json")
        status = self.json("git-wf", "show", issue, "--json")["status"]
        says(status == "completed", f"{self.tool}: after another import, {issue} is {status}")
        return before


def shlex_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def says(is_so, words):
    if not is_so:
        raise SystemExit(words)


def openspec(project):
    project("openspec", "init", "--tools", "none", ".")
    project("openspec", "new", "change", "feed-okapi", "--description", "Feed the okapi")
    change = "openspec/changes/feed-okapi"
    project.write(f"{change}/proposal.md", "# Proposal\n\n## Why\n\nIt is hungry.\n\n## What Changes\n\n- Leaves at eight\n")
    project.write(f"{change}/design.md", "# Design\n\n## Decisions\n\nLeaves, not hay.\n")
    project.write(
        f"{change}/specs/feeding/spec.md",
        "## ADDED Requirements\n\n### Requirement: It eats\nThe keeper SHALL give it leaves.\n\n"
        "#### Scenario: Morning\n- **WHEN** it is eight\n- **THEN** the bowl has leaves\n",
    )
    project.write(f"{change}/tasks.md", f"# Tasks\n\n## 1. Food\n\n- [ ] {EDITS[0]}\n\n## 2. Time\n\n- [ ] {EDITS[1]}\n")
    project("openspec", "validate", "--all", "--strict")
    project.done_by_agent("OS-feed-okapi", "openspec")
    project("openspec", "validate", "--all", "--strict")
    change = project.json("openspec", "list", "--json")["changes"][0]
    says(change["completedTasks"] == change["totalTasks"] == 2, f"openspec says {change}")
    project("openspec", "archive", "feed-okapi", "--yes")
    report = project.json("git-wf", "import", "openspec", ".", "--json")
    says(report["created"] == 0, f"openspec: the archived change is another issue: {report}")


def task_master(project):
    project("task-master", "init", "-y", "--no-git", "--no-aliases", "--skip-install", code=None)
    project.write(".taskmaster/tasks/tasks.json", '{"master": {"tasks": [], "metadata": {"description": "x"}}}')
    project("task-master", "add-task", "--title", "Feed the okapi", "--description", "Leaves at eight", "--details", "See the zoo")
    for title, edit in zip(["Food", "Time"], EDITS):
        project("task-master", "add-subtask", "--parent", "1", "--title", title, "--details", edit)
    project.done_by_agent("TM-master-1", ".")
    project("task-master", "validate-dependencies")
    shown = project.json("task-master", "list", "--with-subtasks", "--json")
    task = shown["tasks"][0]
    states = [task["status"], *(subtask["status"] for subtask in task["subtasks"])]
    says(states == ["done"] * 3, f"task-master says {states}")


def backlog(project):
    project("backlog", "init", "Zoo", "--defaults")
    plan = "\n".join(f"{n}. {edit}" for n, edit in enumerate(EDITS, 1))
    project("backlog", "task", "create", "Feed the okapi", "--status", "In Progress", "--plan", plan, "--ac", "It eats", "--dod", "Seen")
    project.done_by_agent("BL-TASK-1", ".")
    task = project.json("backlog", "task", "view", "1", "--json")
    task = task.get("task", task)
    says(task["status"] == "Done", f"backlog says {task['status']}")
    shown = project("backlog", "task", "view", "1", "--plain")
    says("- [ ]" not in shown and shown.count("- [x]") == 2, f"backlog says\n{shown}")
    project("backlog", "doctor", code=None)
    # What the tool writes again is still known.
    project("backlog", "task", "edit", "1", "--notes", "Seen")
    report = project.json("git-wf", "import", "backlog", ".", "--json")
    says(report["created"] == 0, f"backlog: it is another issue: {report}")


def gsd(project):
    task = "".join(
        f'<task type="auto">\n  <name>Task {n}: {name}</name>\n  <files>zoo.txt</files>\n  <action>{edit}</action>\n'
        "  <verify>true</verify>\n  <done>It stands there</done>\n</task>\n\n"
        for n, (name, edit) in enumerate(zip(["Food", "Time"], EDITS), 1)
    )
    project.write(
        ".planning/ROADMAP.md",
        "# Roadmap: Zoo\n\n## Phases\n\n- [ ] **Phase 1: Feed the okapi** - Leaves\n\n## Phase Details\n\n"
        "### Phase 1: Feed the okapi\n**Goal**: It eats\n**Depends on**: Nothing\n**Plans**: 1 plan\n\nPlans:\n- [ ] 01-01: Leaves\n",
    )
    project.write(".planning/STATE.md", "# State\n")
    project.write(
        ".planning/phases/01-feed-the-okapi/01-01-PLAN.md",
        "---\nphase: 01-feed-the-okapi\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\nfiles_modified: [zoo.txt]\n"
        "autonomous: true\nrequirements: []\nmust_haves:\n  truths:\n    - \"It eats leaves at eight\"\n  artifacts: []\n"
        f"  key_links: []\n---\n\n<objective>\nFeed the okapi.\n</objective>\n\n<tasks>\n\n{task}</tasks>\n",
    )
    plan = ".planning/phases/01-feed-the-okapi/01-01-PLAN.md"
    project("gsd-tools", "verify", "plan-structure", plan)
    project.done_by_agent("GSD-feed-the-okapi-01", ".")
    phase = project.json("gsd-tools", "roadmap", "analyze")["phases"][0]
    says(phase["disk_status"] == "complete", f"gsd says {phase}")


def spec_kit(project):
    project("specify", "init", ".", "--force", "--integration", "claude", "--ignore-agent-tools", "--script", "sh")
    feature = "specs/001-feed-okapi"
    spec = project.read(".specify/templates/spec-template.md").replace("[FEATURE NAME]", "Feed the okapi")
    project.write(f"{feature}/spec.md", spec.replace("[DATE]", "2026-11-20"))
    project.write(f"{feature}/plan.md", "# Implementation Plan: Feed the okapi\n\n## Summary\n\nLeaves at eight.\n")
    project.write(
        f"{feature}/tasks.md",
        "---\n\ndescription: \"Task list\"\n---\n\n# Tasks: Feed the okapi\n\n## Phase 1: Food\n\n"
        f"- [ ] T001 {EDITS[0]}\n\n## Phase 2: Time\n\n- [ ] T002 [US1] {EDITS[1]}\n",
    )
    project.write(".specify/feature.json", json.dumps({"feature_directory": feature}))
    project.done_by_agent("SK-001-feed-okapi", "specs")
    # Nothing of the tool reads the boxes: they are what it shows.
    text = project.read(f"{feature}/tasks.md")
    says("- [ ] T" not in text and text.lower().count("- [x] t") == 2, text)
    project("sh", ".specify/scripts/bash/check-prerequisites.sh", "--json", "--require-tasks", "--include-tasks", code=None)


TRIPS = {"openspec": openspec, "task-master": task_master, "backlog": backlog, "gsd": gsd, "spec-kit": spec_kit}
PROGRAMS = {"gsd": "gsd-tools", "spec-kit": "specify"}

if __name__ == "__main__":
    wanted = sys.argv[3:] or list(TRIPS)
    with tempfile.TemporaryDirectory() as place:
        for name in wanted:
            if not shutil.which(PROGRAMS.get(name, name), path=TOOLS):
                print(f"{name}: left out, it is not in {TOOLS}")
                continue
            TRIPS[name](Project(place, name))
            print(f"{name}: imported, executed, landed, ticked off, and done for the tool")
