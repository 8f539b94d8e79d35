use super::*;

/// Those that passed, failed and were skipped.
fn count(output: &str) -> Option<(u64, u64, u64)> {
    let tests = CountedTests::count(output.as_bytes()).tests;
    tests.map(|count| (count.passed, count.failed, count.skipped))
}

#[test]
fn each_runner_is_read() {
    type Counts = (u64, u64, u64);
    let cases: &[(&str, Option<Counts>)] = &[
        // Rust.
        (
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.01s",
            Some((5, 0, 1)),
        ),
        (
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s",
            Some((0, 0, 0)),
        ),
        ("     Summary [   0.024s] 12 tests run: 12 passed, 3 skipped", Some((12, 0, 3))),
        ("     Summary [   0.024s] 1 test run: 0 passed, 1 failed, 0 skipped", Some((0, 1, 0))),
        // Python.
        ("======== 3 passed, 1 skipped, 2 warnings in 0.12s ========", Some((3, 0, 1))),
        ("1 failed, 2 passed, 1 error in 65.30s (0:01:05)", Some((2, 2, 0))),
        ("============================ no tests ran in 0.01s ============================", Some((0, 0, 0))),
        ("============== 4 deselected in 0.02s ===============", Some((0, 0, 0))),
        ("======= 2 skipped in 0.02s =======", Some((0, 0, 2))),
        ("======= 2 passed, 2 subtests passed in 0.02s =======", Some((2, 0, 0))),
        (
            "SUBFAILED[a] test_a.py::test_a - assert 0\n2 failed, 2 passed, 2 subtests passed in 0.1s",
            Some((2, 1, 0)),
        ),
        ("Ran 3 tests in 0.001s\n\nOK", Some((3, 0, 0))),
        ("Ran 3 tests in 0.001s\n\nOK (skipped=3)", Some((0, 0, 3))),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)", Some((2, 1, 1))),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN", Some((0, 0, 0))),
        // JavaScript.
        ("Tests:       1 failed, 2 skipped, 3 passed, 6 total", Some((3, 1, 2))),
        ("Tests:       2 skipped, 2 total", Some((0, 0, 2))),
        ("No tests found, exiting with code 0", Some((0, 0, 0))),
        ("      Tests  3 passed | 1 skipped (4)", Some((3, 0, 1))),
        ("      Tests  1 failed | 3 passed (4)", Some((3, 1, 0))),
        ("No test files found, exiting with code 0", Some((0, 0, 0))),
        ("  3 passing (5ms)\n  1 pending\n  2 failing", Some((3, 2, 1))),
        ("  0 passing (1ms)", Some((0, 0, 0))),
        ("# tests 3\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0", Some((2, 0, 1))),
        ("ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ skipped 0", Some((0, 0, 0))),
        ("ok | 5 passed | 0 failed | 1 ignored (3ms)", Some((5, 0, 1))),
        (" 5 pass\n 1 skip\n 0 fail\nRan 6 tests across 1 file. [12.00ms]", Some((5, 0, 1))),
        // Go.
        ("ok  \texample.org/zoo\t0.005s [no tests to run]", Some((0, 0, 0))),
        ("?   \texample.org/zoo\t[no test files]", Some((0, 0, 0))),
        ("ok  \texample.org/zoo\t0.005s", None),
        ("ok  \texample.org/zoo\t(cached)\n?   \texample.org/ark\t[no test files]", None),
        (
            "--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \texample.org/zoo\t0.005s",
            Some((1, 0, 1)),
        ),
        ("--- SKIP: TestB (0.00s)\nPASS\nok  \texample.org/zoo\t0.005s", Some((0, 0, 1))),
        // Java, Ruby, PHP, .NET and others.
        (
            "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in A\n\
             [WARNING] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1",
            Some((4, 0, 1)),
        ),
        ("5 examples, 0 failures, 1 pending", Some((4, 0, 1))),
        ("0 examples, 0 failures", Some((0, 0, 0))),
        ("5 runs, 7 assertions, 0 failures, 0 errors, 1 skips", Some((4, 0, 1))),
        ("OK (5 tests, 7 assertions)", Some((5, 0, 0))),
        ("Tests: 5, Assertions: 7, Skipped: 1.", Some((4, 0, 1))),
        ("No tests executed!", Some((0, 0, 0))),
        (
            "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 9 ms",
            Some((5, 0, 1)),
        ),
        ("5 tests, 0 failures, 1 skipped", Some((4, 0, 1))),
        ("100% tests passed, 0 tests failed out of 5", Some((5, 0, 0))),
        ("No tests were found!!!", Some((0, 0, 0))),
        ("60% tests passed, 2 tests failed out of 5", Some((3, 2, 0))),
        // TAP.
        ("1..3\nok 1 adds\nnot ok 2 takes away\nok 3 # SKIP no network", Some((1, 1, 1))),
        ("TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b # TODO later", Some((1, 0, 1))),
        ("1..0 # skipped: no tests", Some((0, 0, 0))),
        ("1..2\nok 1 a\n    ok 1 inner\nok 2 b\n# pass 2\n# fail 0", Some((2, 0, 0))),
        // Anything else.
        ("all good", None),
        ("0 in 3 steps", None),
        ("10 ok\n0 fail", None),
        ("2 pending", None),
        ("1 skip", None),
        ("# fail 0", None),
        ("OK (skipped=2)", None),
        ("Tests: 10 ok, 0 failed", None),
        ("Tests 0 failed", None),
        ("2 warnings in 0.5s", None),
        ("Tests are in the directory tests", None),
        ("ok 1 adds", None),
        ("1..9 are digits", None),
        ("", None),
    ];
    for (output, wanted) in cases {
        assert_eq!(count(output), *wanted, "{output}");
        assert_eq!(count(&format!("before\n{output}\n")), *wanted, "{output}");
        assert_eq!(count(&format!("\x1b[32m{output}\x1b[0m\r\n")), *wanted, "{output}");
    }
}

#[test]
fn several_runners_are_added_up() {
    let rust =
        "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
    let docs =
        "test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    assert_eq!(count(&format!("{rust}{docs}=== 2 passed in 0.10s ===\n")), Some((7, 0, 1)));
}

#[test]
fn pieces_of_a_line_come_together_and_a_line_without_end_is_not_kept() {
    let mut counter = TestCounter::default();
    for piece in ["3 pas", "sed in 0.1", "0s"] {
        counter.read(piece.as_bytes());
    }
    assert_eq!(counter.end().tests, Some(TestCount { passed: 3, ..TestCount::default() }));
    let mut counter = TestCounter::default();
    for _ in 0..1000 {
        counter.read(&[b'x'; 1000]);
    }
    assert!(counter.line.len() <= LONGEST_LINE);
    counter.read(b"\n2 passed in 0.10s\n");
    assert_eq!(counter.end().tests, Some(TestCount { passed: 2, ..TestCount::default() }));
}

#[test]
fn the_line_that_counts_is_told() {
    let said = |output: &str| CountedTests::count(output.as_bytes()).said;
    assert_eq!(
        said("=== 4 deselected in 0.02s ===\nbye\n").as_deref(),
        Some("=== 4 deselected in 0.02s ===")
    );
    assert_eq!(said("1..0\n").as_deref(), Some("1..0"));
    assert_eq!(said("# tests 0\n# pass 0\n# fail 0\n# todo 0\n").as_deref(), Some("# pass 0"));
    assert_eq!(said("all good\n"), None);
}

#[test]
fn a_harness_of_its_own_is_not_counted_as_nothing() {
    let result =
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let lib =
        format!("     Running unittests src/lib.rs (target/debug/deps/a-1)\n\nrunning 0 tests\n\n{result}\n");
    let docs = format!("   Doc-tests a\n\nrunning 0 tests\n\n{result}");
    let own = "     Running tests/spec.rs (target/debug/deps/spec-1)\n1 scenario (1 passed)\n";
    assert_eq!(count(&format!("{lib}{own}{docs}")), None);
    assert_eq!(count(&format!("{lib}{own}")), None);
    assert_eq!(count(&format!("{lib}{docs}")), Some((0, 0, 0)));
    // This one has libtest, which ended before it said a result.
    let ended = "     Running tests/a.rs (target/debug/deps/a-2)\n\nrunning 3 tests\n";
    assert_eq!(count(&format!("{lib}{ended}{docs}")), Some((0, 0, 0)));
}
