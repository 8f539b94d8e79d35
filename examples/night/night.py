#!/usr/bin/env python3
"""A night of ten executors in four clones, and what is true in the morning.

Twenty plans wait in a queue that four clones of one bare remote share. Six plans conflict in pairs, four merge cleanly and
break the tests together, two executors are killed with SIGKILL, and one clone has a remote that answers late. Each executor
claims an item, does the work in a worktree of its own, completes it and lands it. Then everything that must hold is checked.

    examples/night/night.py               # the whole night
    examples/night/night.py --small       # two clones, six plans, one kill
    examples/night/night.py --keep DIR    # leaves the repositories in a new directory

Needs `git-wf`, git 2.45.1 or later, and Python 3.9 or later, without packages.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from executor import LINE, Git, stage_of  # noqa: E402
from morning import Morning  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# The tests of the project.
CHECK = (HERE / "check.py").read_text(encoding="utf-8")

# How many seconds after an executor began something it is killed.
KILLED_AFTER = 0.4


class Night:
    """How many of each."""

    def __init__(self, clones, executors, plans, pairs, heavy, killed, late):
        self.clones, self.executors, self.plans = clones, executors, plans
        self.pairs, self.heavy, self.killed, self.late = pairs, heavy, killed, late

    @classmethod
    def whole(cls):
        """As described above."""
        return cls(clones=4, executors=10, plans=20, pairs=3, heavy=4, killed={1: "landing", 8: "committed"}, late=2)

    @classmethod
    def small(cls):
        """The same in little."""
        return cls(clones=2, executors=4, plans=6, pairs=1, heavy=2, killed={1: "landing"}, late=0.2)


def issues_of(night):
    """The issues: first those that conflict, then the heavy ones, then the others."""
    for n in range(1, night.plans + 1):
        lines = [f"Write rooms/{n:02}.txt: furnished by {n:02}"]
        if n <= 2 * night.pairs:
            lines.append(f"Set doors/{(n + 1) // 2}.txt: opened by {n:02}")
        elif n <= 2 * night.pairs + night.heavy:
            lines.append(f"Load loads/{n:02}.txt: {120 // night.heavy}")
        yield f"ISS-{n:03}", f"Furnish room {n:02}", "\n".join(lines)


def plan_of(number, text):
    """A plan for an issue, which names each file."""
    room, files = f"rooms/{number}.txt", [path for _, path, _ in LINE.findall(text)]
    return {
        "description": f"Furnish room {number}",
        "approach": "Write the file of the room, and check the house",
        "strategy_type": "feature",
        "tasks": [{
            "id": "T1",
            "title": f"Write {room}",
            "action": "Create",
            "scope": room,
            "description": text,
            "modification_points": [{"file": path, "target": "all", "change": "written"} for path in files],
            "implementation": [f"Write {room}", "Run the check of the house"],
            "test": {"commands": [f"python3 -B check.py {number}"], "unit": [f"room {number} is furnished"]},
            "acceptance": {
                "criteria": [f"{room} says who furnished it", "the check of the house exits with 0"],
                "verification": [f"Run: python3 -B check.py {number}, and see it exit with 0"],
            },
            "depends_on": [],
            "estimated_minutes": 5,
            "priority": 2,
        }],
        "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
        "score": 0.9,
    }


def dusk(root, night):
    """Makes the remote, the clones, the issues and the queue. Returns the clones."""
    hub = root / "hub.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(hub)], check=True)
    clones = []
    for n in range(night.clones):
        folder = root / f"clone{n}"
        subprocess.run(["git", "clone", "--quiet", str(hub), str(folder)], check=True, stderr=subprocess.DEVNULL)
        clone = Git(folder)
        clones.append(clone)
        settings = {"user.name": f"Clone {n}", "user.email": f"clone{n}@example.org", "wf.land.test": "python3 -B check.py"}
        for key, value in settings.items():
            clone.git("config", key, value)
        if n == 0:
            furnish(clone, night)
        else:
            clone.git("switch", "--quiet", "main")
        clone.wf("init", "--hooks")
        if n == 0:
            for issue, title, text in issues_of(night):
                clone.wf("new", "--id", issue, title, "-m", text)
                clone.wf("plan", "add", issue, "-", given=json.dumps(plan_of(issue[-2:], text)))
            clone.wf("queue", "add", *(issue for issue, _, _ in issues_of(night)))
            clone.wf("sync")
    late = root / "late.sh"
    late.write_text(f'#!/bin/sh\nsleep {night.late}\nexec "$@"\n', encoding="utf-8")
    late.chmod(0o755)
    clones[-1].git("config", "remote.origin.uploadpack", f"{late} git-upload-pack")
    clones[-1].git("config", "remote.origin.receivepack", f"{late} git-receive-pack")
    return clones


def furnish(clone, night):
    """The house as it is in the evening."""
    clone.git("switch", "--quiet", "-c", "main")
    (clone.folder / "check.py").write_text(CHECK, encoding="utf-8")
    for folder in ["doors", "rooms", "loads"]:
        (clone.folder / folder).mkdir()
        (clone.folder / folder / "README").write_text(f"The {folder} of the house\n", encoding="utf-8")
    for n in range(1, night.pairs + 1):
        (clone.folder / "doors" / f"{n}.txt").write_text("closed\n", encoding="utf-8")
    clone.git("add", ".")
    clone.git("commit", "--quiet", "-m", "Build a house")
    clone.git("push", "--quiet", "origin", "main")


class Watched:
    """An executor that is started again after it was killed."""

    def __init__(self, root, night, number):
        self.root, self.number = root, number
        self.clone = root / f"clone{number % night.clones}"
        self.kill_at = night.killed.get(number)
        self.kills, self.seen = 0, None
        # The last pair stays with a person.
        self.skip = f"doors/{night.pairs}.txt"
        self.process = None
        self.start()

    def start(self):
        """Starts it in a process group of its own."""
        words = [sys.executable, str(HERE / "executor.py"), str(self.root), str(self.clone), str(self.number), self.skip]
        log = (self.root / "log" / f"executor{self.number}.txt").open("ab")
        self.process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

    def look(self):
        """Kills it once at its moment, and starts it again. Returns whether it is over."""
        if self.kill_at and self.seen is None and stage_of(self.root, self.number) == self.kill_at:
            self.seen = time.monotonic()
        if self.kill_at and self.seen and time.monotonic() - self.seen > KILLED_AFTER:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.kill_at, self.kills = None, self.kills + 1
            self.start()
        return self.process.poll() is not None


def pass_night(root, night):
    """Lets the executors work until nothing is left."""
    (root / "log").mkdir()
    watched = [Watched(root, night, number) for number in range(night.executors)]
    # Nobody works before everyone has claimed something: so those that conflict begin with the same commit.
    while sum(1 for _ in (root / "log").glob("claimed-*")) < night.executors:
        ended = [it.number for it in watched if it.process.poll() is not None]
        if ended:
            raise SystemExit(f"executors {ended} ended before they had claimed anything: see {root}/log")
        time.sleep(0.05)
    (root / "dusk").touch()
    while not all([it.look() for it in watched]):
        time.sleep(0.02)
    failed = [it.number for it in watched if it.process.returncode != 0]
    for number in failed:
        print("\n".join((root / "log" / f"executor{number}.txt").read_text(encoding="utf-8").splitlines()[-15:]))
    if failed:
        raise SystemExit(f"executors {failed} failed: see {root}/log")
    return sum(it.kills for it in watched)


def main():
    """One night."""
    options = argparse.ArgumentParser(description="A night of executors in several clones, checked in the morning")
    options.add_argument("--small", action="store_true", help="two clones, four executors, six plans")
    options.add_argument("--keep", metavar="DIR", help="leave the repositories in this new directory")
    given = options.parse_args()
    night = Night.small() if given.small else Night.whole()
    if given.keep:
        root = pathlib.Path(given.keep).resolve()
        root.mkdir()
    else:
        root = pathlib.Path(tempfile.mkdtemp(prefix="night-"))
    began = time.monotonic()
    clones = dusk(root, night)
    print(f"{night.plans} plans, {night.executors} executors, {night.clones} clones, in {root}", flush=True)
    kills = pass_night(root, night)
    passed = time.monotonic() - began
    morning = Morning(root, night, clones)
    faults = morning.faults()
    if kills != len(night.killed):
        faults.append(f"{kills} executors were killed, not {len(night.killed)}")
    print(morning.summary())
    print(f"{kills} killed; {passed:.0f} s, and {time.monotonic() - began - passed:.0f} s of checks")
    for fault in faults:
        print(f"FAULT: {fault}")
    if faults:
        print(f"left in {root}")
        return 1
    print("everything holds")
    if not given.keep:
        shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
