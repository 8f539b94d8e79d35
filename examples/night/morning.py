"""What must be true in the morning, read from a clone that nobody worked in."""

import json
import subprocess

from executor import Git, Refused


def state(issue):
    """Whether an issue has landed, as git wf says."""
    return issue.get("landed", {}).get("state", issue["status"])


class Morning:
    """A fresh clone, and what the executors noted."""

    def __init__(self, root, night, clones):
        self.root, self.night, self.clones = root, night, clones
        self.landings = 0
        self.named, self.broke = self.notes("conflicts"), self.notes("broke")
        for clone in clones:
            clone.wf("sync")
        for clone in clones:
            clone.wf("sync")
        folder = root / "morning"
        subprocess.run(["git", "clone", "--quiet", str(root / "hub.git"), str(folder)], check=True)
        self.here = Git(folder)
        self.here.git("config", "user.name", "Morning")
        self.here.git("config", "user.email", "morning@example.org")
        self.here.wf("init")
        ids = [issue["id"] for issue in self.here.json("list", "--all")]
        self.issues = [self.here.json("show", issue) for issue in ids]

    def notes(self, kind):
        """Notes of the executors."""
        file = self.root / "log" / kind
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def summary(self):
        """One line about what happened."""
        left = [issue["id"] for issue in self.issues if state(issue) != "landed"]
        waiting = f", waiting for a person: {', '.join(left)}" if left else ""
        return (
            f"{len(self.issues) - len(left)} of {len(self.issues)} landed, {self.landings} landings green, "
            f"conflicts: {len(self.named)}, broken tests: {len(self.broke)}{waiting}"
        )

    def faults(self):
        """Everything that does not hold."""
        return [*self.of_clones(), *self.of_main(), *self.of_issues(), *self.of_conflicts(), *self.of_audit()]

    def of_clones(self):
        """All clones are in the same state, and git finds nothing wrong with the remote."""
        tips = {clone.git("rev-parse", "refs/wf/main") for clone in [*self.clones, self.here]}
        if len(tips) != 1:
            yield f"the clones differ: {sorted(tips)}"
        hub = Git(self.root / "hub.git")
        try:
            hub.git("fsck", "--strict")
        except Refused as refused:
            yield str(refused)

    def of_main(self):
        """Each commit that main was at passes the tests of the house, and of the plans that landed with it."""
        tests = {}
        for issue in self.issues:
            plan = next(it for it in issue["solutions"] if it["is_bound"])
            commands = [command for task in plan["tasks"] for command in task["test"]["commands"]]
            for execution in issue["executions"]:
                for land in execution.get("lands") or []:
                    tests.setdefault(land["after"], []).extend(commands)
        self.here.git("worktree", "add", "--quiet", "--detach", str(self.root / "looked-at"), "main")
        there = Git(self.root / "looked-at")
        for commit in self.here.git("log", "--first-parent", "--reverse", "--format=%H", "main").split():
            there.git("checkout", "--quiet", commit)
            for command in ["python3 -B check.py", *tests.pop(commit, [])]:
                try:
                    there.run(["sh", "-c", command])
                except Refused as refused:
                    yield f"main was red at {commit}: {refused}"
            self.landings += 1
        if tests:
            yield f"recorded landings that main was never at: {sorted(tests)}"

    def of_issues(self):
        """Whatever is completed is on main, once, or was named."""
        if len(self.issues) != self.night.plans:
            yield f"{len(self.issues)} issues, not {self.night.plans}"
        named = {note["issue"] for note in self.named}
        subjects = self.here.git("log", "--first-parent", "--format=%s", "main").splitlines()
        for issue in self.issues:
            number, name = issue["id"][-2:], issue["id"]
            if issue["status"] != "completed":
                yield f"{name} is {issue['status']}"
            try:
                is_there = self.here.git("show", f"main:rooms/{number}.txt") == f"furnished by {number}"
            except Refused:
                is_there = False
            if is_there != (state(issue) == "landed"):
                yield f"{name} is said to be {state(issue)}, and its room is {'there' if is_there else 'absent'}"
            if not is_there and name not in named:
                yield f"{name} is completed and absent, and nobody named it"
            times = sum(subject.startswith(f"Merge {name}:") for subject in subjects)
            if times > 1:
                yield f"{name} landed {times} times"

    def of_conflicts(self):
        """Each conflict names the other plan and both sides' hunks in feedback; and one of each pair is there without one."""
        if len(self.named) != self.night.pairs:
            yield f"{len(self.named)} conflicts were named, not {self.night.pairs}"
        for note in self.named:
            issue = next(it for it in self.issues if it["id"] == note["issue"])
            said = "\n".join(it["content"] for it in issue["feedback"])
            if "conflict with SOL-" not in note["text"] or "<<<<<<<" not in said:
                yield f"the conflict of {note['issue']} is not explained: {note['text']}"
        if not self.broke and self.night.heavy:
            yield "nothing broke the tests of others"

    def of_audit(self):
        """The audit and the check of the store find no error, in any clone."""
        for clone in [*self.clones, self.here]:
            for words in [("audit",), ("fsck",)]:
                try:
                    clone.wf(*words)
                except Refused as refused:
                    yield f"{clone.folder.name}: {refused}{refused.stdout}"
