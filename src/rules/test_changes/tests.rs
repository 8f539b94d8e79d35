use super::*;

/// A change, whose entries are its texts.
fn change(path: &str, old: Option<&str>, new: Option<&str>) -> ChangedFile<String> {
    let side = |text: &str| FileSide { entry: text.to_owned(), text: Some(text.to_owned()) };
    ChangedFile { path: path.into(), is_in_new_folder: false, old: old.map(side), new: new.map(side) }
}

fn found(changes: &[ChangedFile<String>], command: &str, declared: &[&str]) -> TestChanges<String> {
    test_changes(changes, &TestFiles::new(&[], &[], &[command]), declared)
}

fn put(path: &str, text: &str) -> TreeEdit<String> {
    TreeEdit::Put(path.into(), text.into())
}

fn remove(path: &str) -> TreeEdit<String> {
    TreeEdit::Remove(path.into())
}

#[test]
fn changed_tests_are_put_back_and_added_ones_stay() {
    let tested = found(
        &[
            change("app.py", Some("1"), Some("2")),
            change("conftest.py", None, Some("x")),
            change("test_a.py", Some("assert a"), Some("pass")),
            change("test_b.py", None, Some("assert b")),
            change("test_c.py", Some("assert c"), None),
        ],
        "pytest",
        &[],
    );
    assert_eq!(
        tested.base_tests,
        [remove("conftest.py"), put("test_a.py", "assert a"), put("test_c.py", "assert c")]
    );
    assert_eq!(tested.changed_tests, ["conftest.py", "test_a.py", "test_c.py"]);
    assert_eq!(tested.added_tests, ["test_b.py"]);
    assert_eq!(tested.without_work, [put("app.py", "1")]);
    assert!(tested.has_new_tests && !tested.is_inseparable && tested.declared.is_empty());
}

#[test]
fn a_declared_change_is_not_put_back() {
    let changes = [change("tests/a.sh", Some("1"), Some("2")), change("tests/b.sh", Some("1"), Some("2"))];
    let tested = found(&changes, "sh tests/a.sh", &["./tests/a.sh"]);
    assert_eq!(
        (tested.declared, tested.changed_tests),
        (vec!["tests/a.sh".to_owned()], vec!["tests/b.sh".to_owned()])
    );
    assert!(found(&changes, "true", &["tests/"]).base_tests.is_empty());
}

#[test]
fn a_plan_that_only_adds_tests_takes_nothing_back() {
    let tested = found(&[change("tests/new.sh", None, Some("x"))], "sh tests/new.sh", &[]);
    assert_eq!((tested.base_tests, tested.without_work, tested.has_new_tests), (vec![], vec![], true));
}

#[test]
fn a_manifest_is_taken_back_only_if_nothing_else_was_changed() {
    let manifest = change("Cargo.toml", Some("[package]\nname = \"a\"\n"), Some("[package]\nname = \"b\"\n"));
    let code = change("src/lib.rs", Some("1"), Some("2"));
    assert_eq!(found(&[manifest.clone(), code], "cargo test", &[]).without_work, [put("src/lib.rs", "1")]);
    assert_eq!(
        found(&[manifest], "cargo test", &[]).without_work,
        [put("Cargo.toml", "[package]\nname = \"a\"\n")]
    );
}

#[test]
fn tests_that_follow_a_renamed_file_are_what_they_were() {
    let code = "def add(a, b):\n    return a + b\n";
    let test =
        |module: &str| format!("from {module} import add\n\ndef test_add():\n    assert add(1, 2) == 3\n");
    let (old, new) = (test("pkg.old"), test("pkg.new"));
    let renamed = [
        change("pkg/new.py", None, Some(code)),
        change("pkg/old.py", Some(code), None),
        change("tests/test_new.py", None, Some(&new)),
        change("tests/test_old.py", Some(&old), None),
        change("tests/test_all.py", Some(&old), Some(&new)),
    ];
    let renamed_test = found(&renamed, "pytest", &[]);
    assert_eq!((renamed_test.base_tests, renamed_test.changed_tests.len()), (vec![], 0));
    assert_eq!(renamed_test.without_work, []);
    // A change on the way is taken back under the new name, so that the renamed tests find what they test.
    let mut more = renamed.clone();
    more[0] = change("pkg/new.py", None, Some(&format!("{code}\ndef more():\n    pass\n")));
    assert_eq!(found(&more, "pytest", &[]).without_work, [put("pkg/new.py", code)]);
    // A name that is also a word of the test is left alone.
    let script = "const { add } = require('./add.js');\nassert(add(1, 2) === 3);\n";
    let moved = [
        change("add.js", Some(code), None),
        change("sum.js", None, Some(code)),
        change("add.test.js", Some(script), None),
        change("sum.test.js", None, Some(&script.replace("add.js", "sum.js"))),
    ];
    assert_eq!(found(&moved, "node --test", &[]).changed_tests.len(), 0);
    // A file that is called as an assertion stands for no assertion.
    let strict = "const assert = require('assert');\nassert.equal(add(1, 2), 3);\n";
    let softer = [
        change("equal.js", Some(code), None),
        change("ok.js", None, Some(code)),
        change("add.test.js", Some(strict), Some(&strict.replace("equal", "ok"))),
    ];
    assert_eq!(found(&softer, "node --test", &[]).changed_tests, ["add.test.js"]);
    // An assertion that goes on the way comes back, under the new name.
    let weak = new.replace("    assert add(1, 2) == 3\n", "    add(1, 2)\n");
    let mut weakened = renamed;
    weakened[2] = change("tests/test_new.py", None, Some(&weak));
    let tested = found(&weakened, "pytest", &[]);
    assert_eq!(tested.base_tests, [TreeEdit::Write("tests/test_new.py".into(), old, new)]);
}

#[test]
fn tests_in_the_files_of_the_code_cannot_be_told_from_it() {
    let test = "#[cfg(test)]\nmod tests {\n    fn a() {}\n}\n";
    let with = format!("fn a() {{}}\n{test}");
    let with_test = found(&[change("src/a.rs", Some("fn a() {}\n"), Some(&with))], "cargo test", &[]);
    assert!(with_test.is_inseparable && !with_test.has_new_tests);
    let tested = found(&[change("src/a.rs", Some(&with), Some(&format!("// a\n{with}")))], "cargo test", &[]);
    assert!(!tested.is_inseparable);
}

#[test]
fn code_that_looks_for_a_test_is_marked() {
    let old = "import os\n";
    let new = "import os\nif os.environ.get('PYTEST_CURRENT_TEST'):\n    answer = 42\n";
    let tested = found(&[change("app.py", Some(old), Some(new))], "pytest", &[]);
    assert_eq!(tested.marks, ["app.py:2 reads PYTEST_CURRENT_TEST"]);
    assert!(
        found(&[change("app.py", Some(new), Some(&format!("{new}# x\n")))], "pytest", &[]).marks.is_empty()
    );
}
