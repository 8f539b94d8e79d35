//! Screens on terminals of 60, 80 and 120 columns, and on those that show less.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan, plan_on};

/// A store with long and wide titles, many tags, long names, a queue at work and a roadmap.
fn crowded(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("shop").as_person("Augusta Ada King", "ada@example.org");
        repo.commit("src/router.rs", "fn main() {}\n", "Begin");
        repo.wf(&["hooks", "install"]).ok();
        let text = "One client sends *thousands* of requests a minute, and everyone else waits.\n\n- one\n- two\n\n\
            | who | how many |\n|---|---|\n| ada | 12 |\n";
        let long =
            "Search is slow for queries with many words, and slower still in the evening when everybody searches";
        for new in [
            &["ISS-001", "Limit the requests of an API key", "-p", "1", "-t", "api", "-m", text][..],
            &["ISS-002", long, "-t", "needs-triage,frontend,performance", "--depends-on", "ISS-001"],
            &[
                "ISS-003",
                "価格を購入者の通貨で表示する 👩\u{200d}💻 また、税込み価格も表示する",
                "--assignee",
                "Somebody With A Name",
            ],
            &["beads_rust-07b", "An issue of another tracker", "-p", "5"],
        ] {
            repo.wf(&[&["new", "--id"], new].concat()).ok();
        }
        repo.wf(&[
            "wisdom",
            "add",
            "Which clock do the tokens of the billing service use?",
            "--type",
            "question",
        ])
        .ok();
        let mut second = plan_on("src/search/with/a/long/path/of/several/folders.rs");
        second["description"] =
            json!("Answer long queries from an index of words, which is built in the background");
        repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok();
        repo.wf_in(second.to_string(), &["solution", "add", "ISS-002"]).ok();
        repo.wf_in(plan_on("src/prices.rs").to_string(), &["solution", "add", "ISS-003"]).ok();
        repo.wf(&["queue", "add", "ISS-001", "ISS-002", "ISS-003"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit(
            "src/limit/bucket.rs",
            "struct Bucket;\n",
            "Add a token bucket that fills with the time that has passed",
        );
        repo
    })
}

#[test]
fn tables_fit_terminals_of_60_80_and_120_columns() {
    let sandbox = Sandbox::new();
    let repo = crowded(&sandbox);
    repo.widths("widths/home", &[]);
    repo.widths("widths/list", &["list"]);
    repo.widths("widths/fields", &["list", "--fields", "id,title,tags,assignee"]);
    for args in [
        &["search", "requests"][..],
        &["solution", "list"],
        &["task", "list", "ISS-002"],
        &["queue", "show"],
        &["queue", "manage", "list"],
        &["queue", "graph"],
        &["lease"],
        &["wisdom"],
        &["agents", "list"],
        &["why", "src/limit/bucket.rs"],
        &["close", "--where", "--all", "--dry-run"],
    ] {
        repo.fits(args);
    }
}

#[test]
fn colour_follows_the_configuration_of_git() {
    let sandbox = Sandbox::new();
    let repo = crowded(&sandbox);
    let is_coloured = |args: &[&str]| repo.on_terminal("", args).1.contains('\u{1b}');
    for (name, value, expected) in [
        ("color.ui", "auto", true),
        ("color.ui", "always", true),
        ("color.ui", "false", false),
        ("color.wf", "auto", true),
        ("color.wf", "never", false),
    ] {
        repo.git(&["config", name, value]);
        assert_eq!(is_coloured(&["list"]), expected, "{name} = {value}");
    }
    assert!(is_coloured(&["list", "--color=always"]));
    repo.git(&["config", "color.wf", "always"]);
    assert!(!repo.wf(&["list"]).ok().stdout.contains('\u{1b}'), "a pipe has no colour");
}

/// The same on a terminal that shows only lines, without colour, in a pipe, and for a screen reader.
#[test]
fn nothing_is_said_by_colour_or_place_alone() {
    let sandbox = Sandbox::new();
    let repo = crowded(&sandbox);
    for args in [&[][..], &["list"], &["queue", "show"], &["solution", "list"], &["show", "ISS-001"]] {
        let (_, dumb) = repo.on_dumb_terminal(args);
        assert!(!dumb.contains('\u{1b}'), "{args:?}: {dumb:?}");
        let (_, plain) = repo.with_env("NO_COLOR", "1").on_terminal("", args);
        assert!(!plain.contains('\u{1b}'), "{args:?}: {plain:?}");
        let (_, coloured) = repo.on_terminal("", args);
        assert!(coloured.contains('\u{1b}'), "{args:?}: {coloured:?}");
        let piped = repo.wf(args).ok().stdout;
        assert!(!piped.contains('\u{1b}'), "{args:?}: {piped:?}");
    }
    // Aligned columns and lines drawn of characters are noise to someone who listens.
    let spoken = repo.wf(&["list", "--plain"]).ok().stdout;
    assert_eq!(spoken.lines().count(), 4, "{spoken}");
    let first =
        "ISS-001, priority critical, status executing, title Limit the requests of an API key, tags api";
    assert_eq!(spoken.lines().next(), Some(first));
    assert!(!spoken.contains("  "), "{spoken}");
    let drawn = |c: char| ('\u{2500}'..='\u{25ff}').contains(&c);
    for args in [&["queue", "graph", "--plain"][..], &["queue", "show", "--plain"], &["--plain"]] {
        let (_, shown) = repo.on_terminal("", args);
        assert!(!shown.contains(drawn) && !shown.contains('\u{1b}'), "{args:?}: {shown}");
    }
}

#[test]
fn nothing_that_stands_nowhere_else_is_cut() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for columns in [60, 80, 100, 140] {
        let (_, shown) = repo.on_terminal_of(columns, &["settings", "--color", "never"]);
        assert!(
            !shown.contains('…') && words(&shown).contains("has reviewed its current version"),
            "{shown}"
        );
        assert!(shown.lines().all(|line| line.chars().count() <= columns.into()), "{shown}");
    }
    repo.issue("ISS-001");
    let (_, shown) = repo.on_terminal_of(60, &["log", "--color", "never"]);
    assert!(shown.lines().all(|line| line.chars().count() <= 60), "{shown}");
    let (_, shown) = repo.on_terminal_of(100, &["log", "--color", "never"]);
    assert!(shown.contains(" (2026-11-21T"), "{shown}");
}

#[test]
fn every_time_is_relative_on_a_terminal_and_iso_in_a_pipe() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next", "--local"]).ok();
    for args in [&["solution", "show", &plan][..], &["show", &plan], &["show", "EXR-ISS-001"]] {
        let (_, shown) = repo.on_terminal("", args);
        assert!(!shown.contains("2026-11-21T02:"), "{args:?}: {shown}");
        assert!(shown.contains("just now") || shown.contains(" ago"), "{args:?}: {shown}");
        let piped = repo.wf(args).ok().stdout;
        assert!(piped.contains("2026-11-21T02:"), "{args:?}: {piped}");
    }
}

/// What does not fit is broken at words, and a command stays whole, so that it can be copied.
#[test]
fn prose_is_wrapped_at_words_on_a_narrow_terminal() {
    let sandbox = Sandbox::new();
    let repo = crowded(&sandbox).with_env("NO_COLOR", "1");
    for args in [&[][..], &["show", "ISS-001"], &["show", "ISS-002"], &["trace", "ISS-001"], &["list"]] {
        let (_, shown) = repo.on_terminal_of(40, args);
        let is_one = |line: &str| !line.contains(' ') || line.starts_with("git ") || line.starts_with('`');
        let long: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 40).collect();
        assert!(long.iter().all(|line| is_one(line.trim())), "{args:?}: {long:#?}\n{shown}");
    }
    let (_, home) = repo.on_terminal_of(40, &[]);
    let words: Vec<&str> = home.split_whitespace().collect();
    let (_, wide) = repo.on_terminal_of(200, &[]);
    let next = wide.split_once("next:").expect("the commands to type next").1;
    for word in next.split_whitespace() {
        assert!(words.contains(&word), "{word} is cut:\n{home}");
    }
}
