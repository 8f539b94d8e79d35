//! Configuration that comes with new tests, and that other tests do not see.

use super::ChangedFile;

/// How a line without indentation begins in a file that only defines fixtures.
const PLAIN: &[&str] =
    &["import ", "from ", "def ", "async def ", "class ", "@pytest.fixture", "#", ")", "]", "}", "\"\"\""];

/// Whether a new `conftest.py` is in a directory of new tests, and only defines fixtures for them.
pub(super) fn is_of_new_tests<E>(change: &ChangedFile<E>) -> bool {
    let text = change.new.as_ref().and_then(|side| side.text.as_deref());
    change.is_in_new_folder && change.path.ends_with("/conftest.py") && text.is_some_and(defines_fixtures)
}

fn defines_fixtures(text: &str) -> bool {
    let mut outer = text.lines().filter(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
    !text.contains("pytest_")
        && outer.all(|line| PLAIN.iter().any(|start| line.starts_with(start)) && !line.contains(';'))
}

#[cfg(test)]
mod tests {
    use super::defines_fixtures;

    #[test]
    fn fixtures_are_told_from_what_changes_how_tests_run() {
        let fixture =
            "import pytest\nimport app\n\n\n@pytest.fixture\ndef three():\n    return app.add(1, 2)\n";
        assert!(defines_fixtures(fixture));
        for more in [
            "app.add = lambda *all: 3\n",
            "def pytest_runtest_makereport(item, call):\n    pass\n",
            "import app; app.add = 3\n",
        ] {
            assert!(!defines_fixtures(&format!("{fixture}{more}")), "{more}");
        }
    }
}
