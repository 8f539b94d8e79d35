"""One executor: claims items until none is left; does the work, completes it, lands it. If it was killed, another process
begins where it was."""

import json
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True

LINE = re.compile(r"^(Write|Set|Load) (\S+): (.+)$", re.MULTILINE)
# A call that the remote or another clone stood in the way of is made again.
TRIES = 20


class Refused(Exception):
    """A command that was refused: its exit code, and what it said."""

    def __init__(self, words, done):
        super().__init__(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
        self.code, self.stdout = done.returncode, done.stdout
        try:
            self.reason = json.loads(done.stderr.strip().splitlines()[-1])["error"]["code"]
        except (ValueError, KeyError, IndexError, TypeError):
            self.reason = None


class Git:
    """A work tree."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, words, given=None):
        """What a command prints."""
        done = subprocess.run(words, cwd=self.folder, input=given or "", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(words, done)
        return done.stdout

    def git(self, *words):
        """A command of git."""
        return self.run(["git", *words]).strip()

    def wf(self, *words, given=None):
        """A command of git wf."""
        return self.run(["git", "wf", *words], given).strip()

    def json(self, *words):
        """The document that a command of git wf answers with."""
        return json.loads(self.wf(*words, "--json"))


def stage_file(root, number):
    """Where an executor says what it does."""
    return pathlib.Path(root) / "log" / f"stage-{number}"


def stage_of(root, number):
    """What an executor does now."""
    try:
        return stage_file(root, number).read_text(encoding="utf-8")
    except OSError:
        return None


class Executor:
    """Its clone, and the worktree in which it is at work."""

    def __init__(self, root, clone, number, left_to_people):
        self.root, self.clone, self.number = pathlib.Path(root), Git(clone), number
        self.left_to_people = left_to_people
        self.current = self.root / "log" / f"place-{number}"

    def stage(self, what):
        """Says what it does."""
        stage_file(self.root, self.number).write_text(what, encoding="utf-8")
        print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)

    def note(self, kind, issue, text):
        """Leaves a note for the morning."""
        with (self.root / "log" / kind).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"issue": issue, "text": text}) + "\n")
        print(f"{kind}: {issue} {text}", flush=True)

    def begin(self):
        """What an earlier process of this executor was at, else the next item. Returns its worktree, or None."""
        if self.current.exists():
            place = pathlib.Path(self.current.read_text(encoding="utf-8"))
            if place.exists():
                return Git(place)
        for n in range(1000):
            place = self.root / f"work-{self.number}-{n}"
            if not place.exists():
                break
        # Written first: if this process is killed after the claim, the next one finds the worktree.
        self.current.write_text(str(place), encoding="utf-8")
        words = ["next", "--allow-overlap", "--worktree", str(place)]
        claim = self.tried(lambda: self.clone.json(*words), nothing=True)
        if claim is None:
            return None
        (self.root / "log" / f"claimed-{self.number}").touch()
        return Git(place)

    def tried(self, call, nothing=False):
        """What a call answers, made again while the remote or another clone stands in its way."""
        for _ in range(TRIES):
            try:
                return call()
            except Refused as refused:
                # The last item goes on in the worktree of another executor.
                if nothing and (refused.code == 3 or refused.reason == "branch-in-use"):
                    return None
                print(refused, flush=True)
                if refused.code == 3 or refused.reason not in {"unreachable", "raced", "limited", "contended", "locked"}:
                    raise
                time.sleep(0.5)
        raise SystemExit("tried too often")

    def work(self, place, issue=()):
        """Does the work of the claim in a worktree, if it was not done before, and completes it."""
        claim = self.tried(lambda: place.json("next", *issue))
        issue = claim["issue_id"]
        while not (self.root / "dusk").exists():
            time.sleep(0.05)
        self.stage("working")
        text = place.json("show", issue)["context"]
        for kind, name, what in LINE.findall(text):
            file = place.folder / name
            if kind == "Load":
                others = sum(int(it.read_text()) for it in file.parent.glob("*.txt") if it != file)
                what = str(min(int(what), 100 - others))
            file.write_text(f"{what}\n", encoding="utf-8")
        if place.git("status", "--porcelain"):
            place.git("add", ".")
            place.git("commit", "--quiet", "-m", f"Furnish a room for {issue}")
        self.stage("committed")
        place.wf("verify", "--yes")
        self.stage("verified")
        self.tried(lambda: place.wf("done"))
        return issue

    def completed(self, place):
        """The issue that is completed on the branch of a worktree, if there is one."""
        branch = place.git("branch", "--show-current")
        found = re.match(r"wf/SOL-(ISS-\d+)-", branch)
        issue = found and found.group(1)
        return issue if issue and place.json("show", issue)["status"] == "completed" else None

    def land(self, place, issue):
        """Lands an issue. What conflicts is resolved, or left to a person; what breaks the tests is done again."""
        self.stage("landing")
        try:
            self.tried(lambda: place.json("land", issue, "--yes"), nothing=True)
            self.stage("landed")
            return
        except Refused as refused:
            if not refused.stdout:
                raise
            answer = json.loads(refused.stdout)
        for left in answer["not_landed"]:
            if left["why"] == "conflict":
                self.resolve(issue, left)
            elif left["why"] == "tests":
                self.note("broke", issue, left["message"])
                self.again(place, issue, left["message"])
            else:
                raise SystemExit(f"{issue} did not land: {left}")

    def again(self, place, issue, why):
        """Does the work again, with what the others have landed."""
        place.git("fetch", "--quiet")
        place.git("merge", "--quiet", "--no-edit", "origin/main")
        self.tried(lambda: place.wf("reopen", issue, "-m", why))
        self.tried(lambda: place.wf("queue", "add", issue))
        self.work(place, [issue])
        self.land(place, issue)

    def resolve(self, issue, left):
        """Joins both sides of a door, in the work tree of the unfinished merge."""
        self.note("conflicts", issue, left["message"])
        if self.left_to_people in left["files"]:
            self.stage("left")
            return
        there = Git(left["place"])
        for name in left["files"]:
            file = there.folder / name
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("opened by ")]
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        there.git("add", ".")
        self.stage("continuing")
        self.tried(lambda: there.json("land", issue, "--continue", "--yes"))
        self.stage("landed")

    def run(self):
        """Until nothing is left."""
        while True:
            self.stage("claiming")
            place = self.begin()
            if place is None:
                break
            issue = self.completed(place) or self.work(place)
            self.land(place, issue)
            self.current.unlink()
        self.stage("over")


if __name__ == "__main__":
    Executor(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]).run()
