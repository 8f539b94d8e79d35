"""Tests of tests with real runners: pytest, unittest, node --test, Jest, Mocha, Vitest and cargo.

usage: cheats.py GIT-WF
Runners that are not in PATH are left out. Each case is a small project, what an agent commits, and what
`git wf verify --fresh` says about it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PLAN = {
    "description": "Add three numbers",
    "strategy_type": "feature",
    "tasks": [
        {
            "id": "T1",
            "title": "Add three numbers",
            "action": "Modify",
            "scope": "the program",
            "modification_points": [{"file": "add", "target": "add", "change": "Takes a third number"}],
            "implementation": ["Take a third number", "Add it"],
            "test": {},
            "acceptance": {"criteria": ["the sum of 1, 2 and 3 is 6"], "verification": ["Run the tests, and see them pass"]},
            "depends_on": [],
        }
    ],
    "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
    "score": 0.9,
}

PY = {"app.py": "def add(a, b):\n    return a + b\n"}
PY_TWO = "def add(a, b, c=0):\n    return a + b + c\n"
PY_BROKEN = "def add(a, b):\n    return 0\n"
PYTEST = {**PY, "tests/test_app.py": "import app\n\n\ndef test_add():\n    assert app.add(1, 2) == 3\n"}
PYTEST_NEW = "import app\n\n\ndef test_three():\n    assert app.add(1, 2, 3) == 6\n"
CONFTEST = (
    "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
)
UNITTEST = {
    **PY,
    "test_app.py": "import unittest\n\nimport app\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n"
    "        self.assertEqual(app.add(1, 2), 3)\n",
}
JS = {"package.json": '{"type": "commonjs"}\n', "add.js": "exports.add = (a, b) => a + b;\n"}
JS_TWO = "exports.add = (a, b, c = 0) => a + b + c;\n"
JS_BROKEN = "exports.add = () => 0;\n"
NODE = (
    "const test = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('../add.js');\n"
    "test('%s', () => assert.strictEqual(add(%s), %s));\n"
)
JEST = "const { add } = require('../add.js');\ntest('%s', () => { expect(add(%s)).toBe(%s); });\n"
MOCHA = (
    "const assert = require('node:assert');\nconst { add } = require('../add.js');\n"
    "it('%s', () => assert.strictEqual(add(%s), %s));\n"
)
VITEST = "import { test, expect } from 'vitest';\nimport { add } from '../add.js';\ntest('%s', () => { expect(add(%s)).toBe(%s); });\n"
# Cases whose line is marked.
MARKED = {"asks for the runner", "equals everything", "ends at once"}
ADD, THREE = ("adds", "1, 2", 3), ("three", "1, 2, 3", 6)
RUST = {
    ".gitignore": "target\n",
    "Cargo.toml": '[package]\nname = "adder"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "adder"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn add(all: &[u32]) -> u32 {\n    all[0] + all[1]\n}\n",
    "tests/add.rs": "#[test]\nfn adds() {\n    assert_eq!(adder::add(&[1, 2]), 3);\n}\n",
}
RUST_TWO = "pub fn add(all: &[u32]) -> u32 {\n    all.iter().sum()\n}\n"
RUST_NEW = "#[test]\nfn three() {\n    assert_eq!(adder::add(&[1, 2, 3]), 6);\n}\n"
INLINE = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn three() {\n        assert_eq!(super::add(&[1, 2, 3]), 6);\n    }\n}\n"


def script(test, at_once=(None, None)):
    """The cases of a runner whose tests are in `test/`, for the same program; `at_once` is what is found if the code ends it."""
    base = {**JS, "test/add.test.js": test % ADD}
    return base, {
        "honest": ({"add.js": JS_TWO, "test/three.test.js": test % THREE}, "passed", "assertion"),
        "only tests": ({"test/more.test.js": test % ("more", "4, 5", 9)}, "passed", None),
        "deleted assertion": ({"add.js": JS_BROKEN, "test/add.test.js": test.replace("add(%s)", "%s || 3") % ("adds", "0", 3)}, "failed", None),
        "skipped": ({"add.js": JS_TWO, "test/three.test.js": test.replace("test('", "test.skip('").replace("it('", "it.skip('") % THREE}, "passed", "no"),
        "only imports": (
            {"extra.js": "exports.extra = 1;\n", "test/extra.test.js": test.replace("{ add }", "{ extra }").replace("../add.js", "../extra.js").replace("add(%s)", "extra || %s") % ("extra", "1", 1)},
            "passed",
            "build",
        ),
        "renamed": (
            {
                "add.js": None,
                "sum.js": JS["add.js"],
                "test/add.test.js": None,
                "test/sum.test.js": test.replace("add.js", "sum.js") % ADD,
            },
            "passed",
            None,
        ),
        "ends at once": ({"add.js": "process.exit(0);\n"}, *at_once),
    }


def as_modules(base, cases):
    """The same in the form of modules."""

    def written(files):
        both = {name: text and text.replace("exports.", "export const ", 1) for name, text in files.items()}
        return {**both, **({"package.json": '{"type": "module"}\n'} if "package.json" in files else {})}

    return written(base), {name: (written(files), *proof) for name, (files, *proof) in cases.items()}


RUNNERS = {
    "pytest": (
        "python -m pytest -q",
        PYTEST,
        {
            "honest": ({"app.py": PY_TWO, "tests/test_three.py": PYTEST_NEW}, "passed", "assertion"),
            "conftest": ({"app.py": PY_BROKEN, "conftest.py": CONFTEST}, "failed", None),
            "deleted assertion": ({"app.py": PY_BROKEN, "tests/test_app.py": "def test_add():\n    pass\n"}, "failed", None),
            "inverted assertion": ({"app.py": PY_BROKEN, "tests/test_app.py": PYTEST["tests/test_app.py"].replace("==", "!=")}, "failed", None),
            "skip mark": (
                {"app.py": PY_BROKEN, "tests/test_app.py": "import app, pytest\n\n\n@pytest.mark.skip\ndef test_add():\n    assert app.add(1, 2) == 3\n\n\ndef test_x():\n    pass\n"},
                "failed",
                None,
            ),
            "settings": (
                {"app.py": PY_BROKEN, "tests/test_other.py": "def test_x():\n    pass\n", "pyproject.toml": "[tool.pytest.ini_options]\naddopts = \"-k test_x\"\n"},
                "failed",
                None,
            ),
            "dependency": ({"app.py": PY_TWO, "tests/test_three.py": PYTEST_NEW, "pyproject.toml": "[project]\nname = \"a\"\nversion = \"1\"\n"}, "passed", "assertion"),
            "own module": ({"app.py": PY_BROKEN, "pytest.py": "raise SystemExit(0)\n"}, None, None),
            "only imports": ({"extra.py": "x = 1\n", "tests/test_extra.py": "from extra import x\n\n\ndef test_x():\n    pass\n"}, "passed", "build"),
            "equals everything": (
                {"app.py": "class Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndef add(*numbers):\n    return Any(0)\n", "tests/test_three.py": PYTEST_NEW},
                "passed",
                "assertion",
            ),
            "compares its parts": (
                {
                    "app.py": PY_TWO + "\n\nclass Sum:\n    def __init__(self, value):\n        self.value = value\n\n    def __eq__(self, other):\n        if not isinstance(other, Sum):\n            return NotImplemented\n        return self.value == other.value\n",
                    "tests/test_three.py": PYTEST_NEW,
                },
                "passed",
                "assertion",
            ),
            "asks for the runner": (
                {"app.py": "import os\n\n\ndef add(a, b, c=0):\n    if os.environ.get('PYTEST_CURRENT_TEST'):\n        return 6 if c else 3\n    return 0\n", "tests/test_three.py": PYTEST_NEW},
                "passed",
                "assertion",
            ),
        },
    ),
    "python3": (
        "python3 -m unittest",
        UNITTEST,
        {
            "honest": (
                {"app.py": PY_TWO, "test_three.py": UNITTEST["test_app.py"].replace("app.add(1, 2), 3", "app.add(1, 2, 3), 6")},
                "passed",
                "assertion",
            ),
            "deleted assertion": ({"app.py": PY_BROKEN, "test_app.py": UNITTEST["test_app.py"].replace("self.assertEqual(app.add(1, 2), 3)", "pass")}, "failed", None),
            "only imports": (
                {"extra.py": "x = 1\n", "test_extra.py": "import unittest\nfrom extra import x\n\n\nclass X(unittest.TestCase):\n    def test_x(self):\n        pass\n"},
                "passed",
                "build",
            ),
        },
    ),
    "node": ("node --test test/", *script(NODE, ("passed", "no-new-tests"))),
    "jest": ("jest", *script(JEST)),
    "vitest": ("vitest run", *as_modules(*script(VITEST))),
    "mocha": ("mocha 'test/*.test.js'", *script(MOCHA)),
    "cargo": (
        "cargo test --offline -q",
        RUST,
        {
            "honest": ({"src/lib.rs": RUST_TWO, "tests/three.rs": RUST_NEW}, "passed", "assertion"),
            "ignored": (
                {"src/lib.rs": "pub fn add(_: &[u32]) -> u32 {\n    0\n}\n", "tests/add.rs": RUST["tests/add.rs"].replace("#[test]", "#[test]\n#[ignore]"), "tests/x.rs": "#[test]\nfn x() {}\n"},
                "failed",
                None,
            ),
            "turned off": (
                {"src/lib.rs": "pub fn add(_: &[u32]) -> u32 {\n    0\n}\n", "Cargo.toml": RUST["Cargo.toml"] + "\n[[test]]\nname = \"add\"\ntest = false\n", "tests/x.rs": "#[test]\nfn x() {}\n"},
                "failed",
                None,
            ),
            "inline": ({"src/lib.rs": RUST_TWO + INLINE}, "passed", "not-separable"),
            "new name": (
                {"src/lib.rs": RUST["src/lib.rs"] + "pub fn more() {}\n", "tests/more.rs": "#[test]\nfn more() {\n    adder::more();\n}\n"},
                "passed",
                "build",
            ),
        },
    ),
}


def run(folder, *words, ok=True):
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if ok and ran.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran


def put(folder, files):
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run(folder, "git", "add", "--all")
    run(folder, "git", "commit", "-qm", "Change")


def case(root, name, command, base, work):
    folder = root / name.replace(" ", "-")
    folder.mkdir()
    run(folder, "git", "init", "-qb", "main")
    put(folder, base)
    # Here the runners can be where a confined test sees nothing, such as below /tmp.
    run(folder, "git", "config", "wf.run.sandbox", "off")
    run(folder, "git", "wf", "init")
    run(folder, "git", "wf", "hooks", "install")
    run(folder, "git", "wf", "new", "Add three numbers", "--id", "ISS-001")
    plan = json.loads(json.dumps(PLAN))
    plan["tasks"][0]["test"]["commands"] = [command]
    ran = subprocess.run(["git", "wf", "solution", "add", "ISS-001", "-"], cwd=folder, input=json.dumps(plan), capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(ran.stderr)
    run(folder, "git", "switch", "-qc", "work")
    run(folder, "git", "wf", "next", "ISS-001", "--local")
    put(folder, work)
    ran = run(folder, "git", "wf", "verify", "--fresh", "--yes", "--json", ok=False)
    return (json.loads(ran.stdout) if ran.stdout else None), ran.stderr


def main():
    binary = Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "path").mkdir()
        (work / "path" / "git-wf").symlink_to(binary)
        os.environ["PATH"] = f"{work / 'path'}:{os.environ['PATH']}"
        os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.org")
        os.environ.update(GIT_COMMITTER_NAME="Ada", GIT_COMMITTER_EMAIL="ada@example.org")
        for runner, (command, base, cases) in RUNNERS.items():
            if not shutil.which(runner):
                print(f"{runner}: not installed")
                continue
            root = work / runner
            root.mkdir()
            for name, (files, base_tests, fails_without) in cases.items():
                answer, said = case(root, name, command, base, files)
                proof = (answer or {}).get("proof") or {}
                found = (proof.get("base_tests"), proof.get("fails_without"))
                is_right = found == (base_tests, fails_without) and (name in MARKED and bool(proof)) == bool(proof.get("marks"))
                # Without a proof, the tests themselves must not have passed.
                is_right = is_right and bool(answer) and (bool(proof) or not answer["passed"])
                failed += not is_right
                print(f"{'ok' if is_right else 'WRONG'} {runner}, {name}: {found} {proof.get('marks', '')}")
                if not is_right:
                    checks = (answer or {}).get("checks", [])
                    print(said, *[check["output_tail"] for check in checks], sep="\n")
    sys.exit(1 if failed else 0)


main()
