#!/usr/bin/env python3
"""Explores, makes roadmaps, plans and reviews without a language model.

An issue says what to replace, one edit on a line: In FILE replace "OLD" with "NEW" (JSON strings); and with which
command to test it: Test: COMMAND.
"""

import json
import pathlib
import re
import sys

# No cache is left beside this file.
sys.dont_write_bytecode = True

from wf_agent import Failed, serve  # noqa: E402

STRING = r'"(?:[^"\\]|\\.)*"'
EDIT = re.compile(rf"^In (\S+) replace ({STRING}) with ({STRING})\s*$", re.MULTILINE)
TEST = re.compile(r"^Test: (.+?)\s*$", re.MULTILINE)
# A plan must not have more tasks.
MOST_TASKS = 10


def edits_of(text):
    """The edits that an issue asks for: file, old text, new text."""
    edits = [(path, json.loads(old), json.loads(new)) for path, old, new in EDIT.findall(text)]
    if not edits:
        raise Failed('the issue asks for no edit: In FILE replace "OLD" with "NEW"')
    if len(edits) > MOST_TASKS:
        raise Failed(f"{len(edits)} edits are too many for one plan; split the issue")
    return edits


def current(path):
    """The text of a file of the work tree."""
    file = pathlib.PurePosixPath(path)
    if file.is_absolute() or ".." in file.parts:
        raise Failed(f"{path} is outside of the work tree")
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Failed(f"cannot read {path}: {error.strerror}") from error


def explore(issue):
    """The context document: the files that the issue names, and their content."""
    edits = edits_of(issue["description"])
    files = sorted({path for path, _, _ in edits})
    found = []
    for path, old, _ in edits:
        count = current(path).count(old)
        found.append(f"{path} has {json.dumps(old)} {count} time{'' if count == 1 else 's'}")
    size = "low" if len(files) <= 2 else "medium" if len(files) <= 5 else "high"
    return {
        "issue_id": issue["issue_id"],
        "relevant_files": [{"path": path, "relevance": 1} for path in files],
        "dependencies": [],
        "impact_scope": size,
        "existing_patterns": [],
        "key_findings": found,
        "complexity_assessment": size,
    }


def plan(issue):
    """A task for each edit; edits of one file are made one after another."""
    edits = edits_of(issue["description"])
    commands = TEST.findall(issue["description"]) or ["git diff --check"]
    texts, last, tasks = {}, {}, []
    for n, (path, old, new) in enumerate(edits, 1):
        # Later edits see what earlier ones leave.
        text = texts.get(path) or current(path)
        if text.count(old) != 1:
            raise Failed(f"{json.dumps(old)} must occur in {path} exactly once, not {text.count(old)} times")
        texts[path] = text.replace(old, new)
        replace = f"In {path} replace {json.dumps(old)} with {json.dumps(new)}"
        tasks.append({
            "id": f"T{n}",
            "title": f"Replace {old.strip().splitlines()[0][:40] if old.strip() else 'blanks'} in {path}",
            "action": "Modify",
            "scope": path,
            "description": replace,
            "modification_points": [{"file": path, "target": old, "change": f"becomes {json.dumps(new)}"}],
            "implementation": [replace, f"Run {commands[0]}"],
            "test": {"commands": commands, "unit": [f"{commands[0]} exits with 0"]},
            "acceptance": {
                "criteria": [f"{path} has {json.dumps(new)} once where {json.dumps(old)} was",
                             f"{commands[0]} exits with 0"],
                "verification": [f"Run: {commands[0]}, and see exit code 0"],
            },
            "commit": {"type": "fix", "scope": pathlib.PurePosixPath(path).stem,
                       "message_template": f"fix: {issue['title']}"},
            "depends_on": [last[path]] if path in last else [],
            "estimated_minutes": 5,
            "priority": 2,
        })
        last[path] = f"T{n}"
    size = "low" if len(tasks) <= 3 else "medium"
    return {
        "description": issue["title"],
        "approach": "Make the replacements that the issue asks for, and run the tests after each",
        "strategy_type": "bugfix",
        "tasks": tasks,
        "analysis": {"risk": "low", "impact": size, "complexity": size},
        "score": 0.9,
    }


def roadmap(given):
    """A task for each edit of the requirement; edits of one file are made one after another."""
    tasks, last = [], {}
    for n, (path, old, new) in enumerate(edits_of(given["requirement"]), 1):
        current(path)
        tasks.append({
            "id": f"T{n}",
            "title": f"In {path} replace {json.dumps(old)} with {json.dumps(new)}",
            "type": "enhancement",
            "scope": [path],
            "inputs": [path],
            "outputs": [],
            "effort": "small",
            "convergence": {
                "criteria": [f"{path} has {json.dumps(new)} once where {json.dumps(old)} was"],
                "verification": f"look for {json.dumps(new)} in {path}",
                "definition_of_done": f"Everybody who reads {path} finds the new text",
            },
            "depends_on": [last[path]] if path in last else [],
        })
        last[path] = f"T{n}"
    if given["mode"] == "progressive":
        raise Failed("a list of edits is no requirement of which much is uncertain; ask for tasks")
    factors = ["scope_clarity", "technical_risk", "dependency_unknown", "domain_familiarity", "requirement_stability"]
    lines = [line for line in given["requirement"].splitlines() if line.strip() and not EDIT.match(line)]
    return {
        "title": lines[0].strip() if lines else "Replace texts",
        "requirement": given["requirement"],
        "assessment": {"factors": dict.fromkeys(factors, "low"), "goal": "Every text is replaced"},
        "tasks": tasks,
        "risks": [{"risk": "a text stands in a file more than once", "severity": "low", "mitigation": "its plan says so"}],
        "codebase_context": {"files": sorted(last)},
    }


def review(given):
    """Scores by what is in the code: whether each edit of the plan can be made."""
    findings = []
    for task in given["plan"].get("tasks", []):
        for path, old, _ in EDIT.findall("\n".join(task.get("implementation", []))):
            if path not in {point.get("file") for point in task.get("modification_points", [])}:
                findings.append(f"{task['id']} edits {path} and does not name it")
            if not task.get("depends_on") and current(path).count(json.loads(old)) != 1:
                findings.append(f"{task['id']}: {old} does not stand in {path} once")
    complete = 90 if given.get("quality", 0) >= 0.8 else 50
    return {
        "technical": {"score": 40 if findings else 95, "findings": findings},
        "risk": {"score": 90, "findings": []},
        "completeness": {"score": complete, "findings": []},
        "plan_digest": given["plan_digest"],
        "solution_id": given["solution_id"],
    }


if __name__ == "__main__":
    sys.exit(serve({"explore": explore, "roadmap": roadmap, "plan": plan, "review": review}))
