//! The same with real runners: Python's unittest and `node --test`. A runner that is not installed is skipped, with a word.

use serde_json::{Value, json};

use super::{Files, Project};

const PYTHON: &str = "python3 -m unittest";
const NODE: &str = "node --test";

const PYTHON_BASE: &[(&str, &str)] = &[
    ("app.py", "def add(a, b):\n    return a + b\n"),
    (
        "test_app.py",
        "import unittest\n\nimport app\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(app.add(1, 2), 3)\n",
    ),
];
const PYTHON_THREE: &str = "import unittest\n\nimport app\n\n\nclass Three(unittest.TestCase):\n    def test_three(self):\n        self.assertEqual(app.add(1, 2, 3), 6)\n";

const NODE_BASE: &[(&str, &str)] = &[
    ("add.js", "exports.add = (a, b) => a + b;\n"),
    (
        "test/add.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('../add.js');\ntest('adds', () => assert.strictEqual(add(1, 2), 3));\n",
    ),
];

/// Whether a runner is installed.
fn has(program: &str) -> bool {
    let is_here = std::process::Command::new(program).arg("--version").output().is_ok();
    if !is_here {
        eprintln!("`{program}` is not installed, so nothing is tested with it");
    }
    is_here
}

fn worked(base: &[(&str, &str)], command: &str, work: Files<'_>) -> Project {
    let project = Project::with(base);
    // A runner can be where a confined test sees nothing.
    project.repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    project.claim(command, &json!({}));
    project.commit(work);
    project
}

#[track_caller]
fn taken(base: &[(&str, &str)], command: &str, work: Files<'_>, fails_without: &Value) {
    worked(base, command, work)
        .is_taken(&json!({"base_tests": "passed", "fails_without": fails_without, "marks": null}));
}

#[test]
fn python() {
    if !has("python3") {
        return;
    }
    let three = "def add(a, b, c=0):\n    return a + b + c\n";
    let broken = "def add(a, b, c=0):\n    return 6 if c else 3\n";
    let work: Files<'_> = &[("app.py", Some(three)), ("test_three.py", Some(PYTHON_THREE))];
    taken(PYTHON_BASE, PYTHON, work, &json!("assertion"));
    let renamed_test = PYTHON_BASE[1].1.replace("app", "sums");
    let renamed: Files<'_> = &[
        ("app.py", None),
        ("sums.py", Some(PYTHON_BASE[0].1)),
        ("test_app.py", None),
        ("test_sums.py", Some(&renamed_test)),
    ];
    taken(PYTHON_BASE, PYTHON, renamed, &Value::Null);
    // It prints what it does not compare.
    let printing = "import unittest\n\nimport app\n\n\nclass Three(unittest.TestCase):\n    def test_three(self):\n        print(app.add(1, 2, 3))\n";
    let work: Files<'_> = &[("app.py", Some(three)), ("test_three.py", Some(printing))];
    let words = "without the work the tests do not run, or compare nothing";
    worked(PYTHON_BASE, PYTHON, work).is_refused(words);
    // The added test replaces what all others test.
    let replacing = "import unittest\n\nimport app\n\nif hasattr(app, 'FIXED'):\n    app.add = lambda *all: sum(all)\n\n\n\
         class Three(unittest.TestCase):\n    def test_three(self):\n        self.assertEqual(app.add(1, 2, 3), 6)\n";
    let work: Files<'_> = &[
        ("app.py", Some("FIXED = 1\n\n\ndef add(*all):\n    return 0\n")),
        ("test_aaa.py", Some(replacing)),
    ];
    worked(PYTHON_BASE, PYTHON, work).is_refused("which changed test_aaa.py");
    // Nothing is printed, and the command ends with 0.
    let ending = format!("import os\n{broken}os._exit(0)\n");
    let project = worked(PYTHON_BASE, PYTHON, &[("app.py", Some(&ending))]);
    let ran = project.verify().fails(1);
    assert!(ran.stdout.contains("ran no tests"), "{}", ran.stdout);
    // It equals whatever a test expects.
    let equal = "class Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndef add(*numbers):\n    return Any(0)\n";
    let work: Files<'_> = &[("app.py", Some(equal)), ("test_three.py", Some(PYTHON_THREE))];
    worked(PYTHON_BASE, PYTHON, work)
        .is_refused("app.py:2 decides what its values equal, also in tests: __eq__");
    // This one equals what its parts do.
    let parts = "def add(a, b, c=0):\n    return a + b + c\n\n\nclass Sum:\n    def __eq__(self, other):\n        if not isinstance(other, Sum):\n            return NotImplemented\n        return self.value == other.value\n";
    let work: Files<'_> = &[("app.py", Some(parts)), ("test_three.py", Some(PYTHON_THREE))];
    taken(PYTHON_BASE, PYTHON, work, &json!("assertion"));
    let replacing = format!("import unittest\n{broken}unittest.TestCase.assertEqual = print\n");
    for (work, words) in [
        (&[("app.py", Some(replacing.as_str()))][..], "app.py:4"),
        (
            &[
                ("app.py", Some("def add(a, b):\n    return 0\n")),
                ("test_app.py", None),
                ("test_b.py", Some(PYTHON_THREE)),
            ],
            "test_app.py",
        ),
    ] {
        let project = worked(PYTHON_BASE, PYTHON, work);
        let ran = project.verify().fails(1);
        assert!(
            ran.stderr.contains(words) || ran.stdout.contains("failed"),
            "{words}: {}\n{}",
            ran.stderr,
            ran.stdout
        );
    }
}

#[test]
fn node() {
    if !has("node") {
        return;
    }
    let three = "exports.add = (a, b, c = 0) => a + b + c;\n";
    let test = |file: &str, args: &str, sum: u8| {
        NODE_BASE[1].1.replace("add.js", file).replace("1, 2", args).replace("), 3)", &format!("), {sum})"))
    };
    let test_of_three = test("add.js", "1, 2, 3", 6);
    let work: Files<'_> = &[("add.js", Some(three)), ("test/three.test.js", Some(&test_of_three))];
    taken(NODE_BASE, NODE, work, &json!("assertion"));
    taken(NODE_BASE, "node --test test/three.test.js", work, &json!("assertion"));
    // A file of tests that cannot be loaded without the work keeps no other from running.
    let test_of_new = test("new.js", "1, 2, 3", 6);
    let work: Files<'_> = &[
        ("add.js", Some(three)),
        ("new.js", Some(three)),
        ("test/three.test.js", Some(&test_of_three)),
        ("test/extra.test.js", Some(&test_of_new)),
    ];
    taken(NODE_BASE, NODE, work, &json!("assertion"));
    let renamed_test = test("sum.js", "1, 2", 3);
    let renamed_three = test("sum.js", "1, 2, 3", 6);
    let renamed: Files<'_> = &[
        ("add.js", None),
        ("sum.js", Some(three)),
        ("test/add.test.js", None),
        ("test/sum.test.js", Some(&renamed_test)),
        ("test/three.test.js", Some(&renamed_three)),
    ];
    taken(NODE_BASE, NODE, renamed, &json!("assertion"));
    for (cheat, words) in [
        ("exports.add = () => 0;\nprocess.exit(0);\n", "add.js:2 can end the tests that run it"),
        (
            "require('assert').strictEqual = () => {};\nexports.add = () => 0;\n",
            "add.js:1 replaces an assertion",
        ),
    ] {
        worked(NODE_BASE, NODE, &[("add.js", Some(cheat))]).is_refused(words);
    }
}
