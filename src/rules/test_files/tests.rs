use serde_json::json;

use super::*;

fn files(own: &[&str], command: &str, planned: &[&str]) -> TestFiles {
    let own: Vec<String> = own.iter().map(|pattern| (*pattern).to_owned()).collect();
    let places: Vec<_> = planned.iter().map(|path| json!({"path": path})).collect();
    let task = json!({"id": "T1", "title": "t", "action": "Add", "files": places});
    let plan: Plan = serde_json::from_value(json!({"tasks": [task]})).unwrap();
    TestFiles::new(&own, &[&plan], &[command])
}

#[test]
fn tests_of_each_language_are_known_by_their_names() {
    let files = files(&[], "true", &[]);
    for path in [
        "tests/it/main.rs",
        "src/parser/tests.rs",
        "src/parser/tests/deep.rs",
        "crates/a/tests/b.rs",
        "src/snapshots/a.snap",
        "test_app.py",
        "pkg/app_test.py",
        "pkg/tests/__init__.py",
        "src/a.test.ts",
        "src/__tests__/a.js",
        "src/__snapshots__/a.test.js.snap",
        "web/e2e/login.spec.ts",
        "pkg/zoo_test.go",
        "pkg/testdata/in.txt",
        "src/test/java/a/B.java",
        "a/BTest.java",
        "spec/a_spec.rb",
        "tests/FooTest.php",
        "Foo.Tests/Bar.cs",
        "t/a.t",
        "run-tests.sh",
        "check_test.sh",
        "test/a.bats",
        "expected/sum.txt",
        "golden/a.txt",
        "a.expected",
        "libs/tests",
    ] {
        assert_eq!(files.role(path, false), FileRole::Test, "{path}");
    }
    for path in
        ["src/main.rs", "app.py", "src/testing.rs", "lib/contest.js", "latest/a.txt", "docs/testing.md"]
    {
        assert_eq!(files.role(path, false), FileRole::Code, "{path}");
    }
    for path in [
        "conftest.py",
        "pkg/conftest.py",
        "pytest.ini",
        "tests/conftest.py",
        "jest.config.js",
        "vitest.config.ts",
        ".mocharc.json",
        "phpunit.xml.dist",
        ".config/nextest.toml",
        "bin/pytest",
        "pytest.py",
        "node_modules/.bin/jest",
        "crates/a/.cargo/config.toml",
        "babel.config.js",
        ".mvn/jvm.config",
        "rules.mk",
    ] {
        assert_eq!(files.role(path, false), FileRole::Runner, "{path}");
    }
    for path in ["Cargo.lock", "web/package-lock.json"] {
        assert_eq!(files.role(path, false), FileRole::Lock, "{path}");
    }
    assert_eq!(files.role("a/Cargo.toml", false), FileRole::Manifest(ManifestKind::Cargo));
    for path in ["pom.xml", "app/build.gradle.kts", "App/App.csproj"] {
        assert_eq!(files.role(path, false), FileRole::Manifest(ManifestKind::Build), "{path}");
    }
}

#[test]
fn a_script_that_decides_is_a_test_even_if_the_plan_changes_it() {
    let with = files(&[], "sh scripts/verify.sh && ./greet.sh", &["greet.sh"]);
    assert_eq!(with.role("scripts/verify.sh", false), FileRole::Test);
    assert_eq!(with.role("greet.sh", false), FileRole::Test);
    assert_eq!(with.role("greet.sh", true), FileRole::Test);
    // Here another program decides.
    for planned in [&["greet.sh"][..], &[]] {
        let with = files(&[], "sh greet.sh | grep -q hello", planned);
        assert_eq!(with.role("greet.sh", false), FileRole::Code);
    }
    // The plan does not say that it changes what its command names.
    let with = files(&[], "odd-wrapper ci/check | cat", &["greet.sh"]);
    assert_eq!(with.role("ci/check", false), FileRole::Test);
    assert_eq!(files(&[], "python3 -m unittest app.py", &[]).role("b.py", false), FileRole::Code);
}

#[test]
fn scripts_that_scripts_run_are_tests() {
    let base = |path: &str| {
        let text = match path {
            "package.json" => {
                r#"{"scripts": {"test": "npm run unit", "unit": "node scripts/run.js", "build": "sh build.sh"}}"#
            }
            "Makefile" => "build:\n\tsh build.sh\ntest: build\n\t@./ci/all\n",
            "ci/all" => {
                "#!/bin/sh\nset -e\nsh ci/unit.sh\n./lint.sh || exit 1\n[ \"$(sh add.sh 1 2)\" = 3 ]\n"
            }
            "scripts/run.js" | "ci/unit.sh" | "ci/lint.sh" | "add.sh" | "build.sh" => ":",
            _ => return None,
        };
        Some(text.to_owned())
    };
    let with = files(&[], "npm test && make test", &["app.js"]).with_called(base);
    for path in ["scripts/run.js", "ci/all", "ci/unit.sh", "ci/lint.sh"] {
        assert_eq!(with.role(path, false), FileRole::Test, "{path}");
    }
    for path in ["add.sh", "build.sh"] {
        assert_eq!(with.role(path, false), FileRole::Code, "{path}");
    }
    let with = files(&[], "npm test", &["scripts/run.js"]).with_called(base);
    assert_eq!(with.role("scripts/run.js", false), FileRole::Code);
}

#[test]
fn what_is_loaded_in_the_place_of_a_runner_is_known() {
    let with = files(&[], "PATH=\"$PWD/bin:$PATH\" sh tests/run.sh", &["app.py"]);
    for path in [
        "bin/diff",
        "pytest/__main__.py",
        "argparse.py",
        "node_modules/.bin/x",
        "web/node_modules/jest/index.js",
    ] {
        assert_eq!(with.role(path, true), FileRole::Runner, "{path}");
    }
    for (path, is_new) in [("argparse.py", false), ("app/code.py", true), ("lib/diff", true)] {
        assert_eq!(with.role(path, is_new), FileRole::Code, "{path}");
    }
}

#[test]
fn patterns_of_the_project_come_on_top() {
    let with = files(&["qa/**", "!tests/tool.rs"], "true", &[]);
    assert_eq!(with.role("qa/a.txt", false), FileRole::Test);
    assert_eq!(with.role("tests/tool.rs", false), FileRole::Code);
    assert_eq!(with.role("tests/other.rs", false), FileRole::Test);
}

#[test]
fn targets_are_known_by_their_names_and_by_the_commands() {
    let with = files(&[], "make verify", &[]);
    assert!(
        with.is_test_target("test:unit") && with.is_test_target("verify") && with.is_test_target("pretest")
    );
    assert!(!with.is_test_target("build"));
}
