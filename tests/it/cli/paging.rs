//! The pager, links of the terminal, and lines in a form of the user's choice.

use crate::support::{Repo, Sandbox};

/// A list that is taller than the terminal, without a pager in the environment.
fn tall(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a").without_env("GIT_PAGER");
        let line = |n: usize| {
            let at = "2026-01-01T00:00:00Z";
            format!(
                "{{\"id\":\"bd-{n}\",\"title\":\"Issue {n}\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n"
            )
        };
        repo.wf_in((10..50).map(line).collect::<String>(), &["import", "beads", "-"]).ok();
        repo
    })
}

#[test]
fn a_tall_answer_goes_through_the_pager_that_git_would_use() {
    let sandbox = Sandbox::new();
    let repo = tall(&sandbox);
    let marked = |repo: &Repo, mark: &str| {
        let (code, shown) = repo.on_terminal("", &["list"]);
        assert_eq!(code, 0, "{shown}");
        shown.lines().filter(|line| line.starts_with(mark)).count() == 42
    };
    repo.git(&["config", "core.pager", "sed s/^/core:/"]).ok();
    assert!(marked(&repo, "core:"), "the title line, 40 issues, and their number");
    repo.git(&["config", "pager.wf", "sed s/^/own:/"]).ok();
    assert!(marked(&repo, "own:"));
    assert!(marked(&repo.with_env("GIT_PAGER", "sed s/^/given:/"), "given:"));
    repo.git(&["config", "pager.wf", "false"]).ok();
    let (_, shown) = repo.on_terminal("", &["list"]);
    assert!(shown.contains("bd-10") && !shown.contains("core:"), "{shown}");
    // A short answer needs none, and a program gets none.
    repo.git(&["config", "pager.wf", "sed s/^/own:/"]).ok();
    let (_, shown) = repo.on_terminal("", &["list", "-n", "3"]);
    assert!(shown.contains("bd-10") && !shown.contains("own:"), "{shown}");
    assert!(!repo.wf(&["list"]).ok().stdout.contains("own:"));
}

/// With `pager.wf` or `git -p wf`, git starts the pager, and the program writes to a pipe.
#[test]
fn in_the_pager_of_git_people_read() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let title = "A title that is much too long for a terminal of sixty columns, and goes on and on";
    repo.wf(&["new", title]).ok();
    let paged = repo.with_env("GIT_PAGER_IN_USE", "true");
    let shown = paged.with_env("COLUMNS", "60").wf(&["list"]).ok().stdout;
    assert!(shown.lines().all(|line| line.chars().count() <= 60) && shown.contains('…'), "{shown}");
    assert!(paged.wf(&["list", "--json"]).json()[0]["title"] == title);
    assert!(repo.with_env("COLUMNS", "60").wf(&["list"]).ok().stdout.contains(title), "a program reads it");
    // No editor opens behind a pager that nobody asked for.
    let error = paged.with_env("GIT_EDITOR", "touch opened").wf(&["new"]).fails(2);
    assert!(!repo.path().join("opened").exists(), "{}", error.stderr);
    repo.git(&["config", "pager.wf", "sed s/^/own:/"]).ok();
    let (_, shown) =
        repo.with_env("NO_COLOR", "1").without_env("GIT_PAGER").git_on_terminal(60, &["wf", "list"]);
    assert!(shown.contains("own:"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 64), "{shown}");
}

#[test]
fn addresses_are_links_where_the_terminal_knows_them() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let text = "See [docs](https://example.org/docs), [this](javascript:alert(1)) and <https://example.org/a>. Or https://example.org/b.";
    repo.wf(&["new", "Links", "--id", "ISS-001", "--source-url", "https://example.org/7", "-m", text]).ok();
    let link = |address: &str, words: &str| format!("\u{1b}]8;;{address}\u{1b}\\{words}\u{1b}]8;;\u{1b}\\");
    let (_, shown) = repo.with_env("FORCE_HYPERLINK", "1").on_terminal("", &["show", "ISS-001"]);
    for (address, words) in [
        ("https://example.org/7", "https://example.org/7"),
        ("https://example.org/docs", "docs"),
        ("https://example.org/a", "https://example.org/a"),
        ("https://example.org/b", "https://example.org/b"),
    ] {
        assert!(shown.contains(&link(address, words)), "{address}: {shown:?}");
    }
    assert!(!shown.contains("]8;;javascript"), "{shown:?}");
    for repo in [&repo, &repo.with_env("FORCE_HYPERLINK", "0")] {
        let (_, shown) = repo.on_terminal("", &["show", "ISS-001"]);
        assert!(!shown.contains("]8;;") && shown.contains("https://example.org/docs"), "{shown:?}");
    }
    assert!(!repo.with_env("FORCE_HYPERLINK", "1").wf(&["show", "ISS-001"]).ok().stdout.contains("]8;;"));
}

#[test]
fn a_search_has_a_form_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["new", "Slow search", "--id", "ISS-003"]).ok();
    let found = repo.wf(&["search", "slow", "--format", "%(id)%09%(title) 100%%"]).ok().stdout;
    assert_eq!(found, "ISS-003\tSlow search 100%\n");
    let error = repo.wf(&["search", "slow", "--format", "%(titel)"]).fails(1).stderr;
    assert!(error.contains("titel"), "{error}");
    let (_, shown) = repo.on_terminal("", &["search", "nothing"]);
    assert!(shown.contains("nothing found"), "{shown}");
    let (_, shown) = repo.on_terminal("", &["list", "-t", "nothing"]);
    assert!(shown.contains("no issues match"), "{shown}");
    assert_eq!(repo.wf(&["search", "nothing"]).ok().stdout, "");
}
