//! What the board shows.

use super::seat::Seat;
use crate::support::{Repo, Sandbox, plan};

/// A store with issues in several statuses.
fn shop(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("shop");
        repo.wf(&["new", "--id", "ISS-001", "Limit the requests of an API key", "-p", "1", "-t", "api"]).ok();
        repo.wf(&["new", "--id", "ISS-002", "Search is slow for long queries", "-m", "Thirty seconds."]).ok();
        repo.wf(&["new", "--id", "ISS-003", "価格を購入者の通貨で表示する 👩\u{200d}💻"]).ok();
        repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok();
        Seat::with_colour(&repo)
    })
}

#[test]
fn issues_by_state_and_one_in_full_on_wide_and_narrow_screens() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    for size in [(60, 20), (120, 40), (200, 50)] {
        let mut seat = Seat::new(&repo, size, &[], "planned 1");
        seat.until(">registered 2").until("Search is slow").until("3 open issues");
        seat.types("\r").until("Thirty seconds.");
        seat.types("J").until("通貨").types("K").until("Thirty seconds.");
        seat.types("2").until("no plan yet").types("6").until("issue: create ISS-002");
        seat.types("\u{1b}").until_not("[6 log]");
        seat.types("l\r").until("[1 issue]").types("2").until("  bound").types("3").until("after T1");
        seat.types("4").until("bound) sha256:").types("5").until("no commits are linked");
        seat.types("?").until("filter as you type").types("\u{1b}").until_not("filter as you type");
        seat.quits();
    }
}

#[test]
fn the_change_of_a_commit_is_shown() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    repo.wf(&["hooks", "install"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("src/limit.rs", "struct Bucket;\n", "Add a bucket");
    let mut seat = Seat::new(&repo, (120, 40), &[], "executing 1");
    seat.types("l\r5").until("Add a bucket").until("+struct Bucket;");
    seat.quits();
}

#[test]
fn it_shows_what_others_do_at_once() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut seat = Seat::new(&repo, (120, 40), &[], "registered 2");
    repo.wf(&["new", "--id", "ISS-009", "From somebody else"]).ok();
    seat.until("registered 3").until("From somebody else");
    seat.types("\r").until("[1 issue]");
    repo.wf(&["comment", "ISS-002", "-m", "Written elsewhere"]).ok();
    seat.until("Written elsewhere");
    seat.quits();
}

#[test]
fn a_filter_is_typed_or_given() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let mut seat = Seat::new(&repo, (60, 20), &["tag:api"], "1 open issue");
    seat.until("planned 1");
    seat.types("\u{1b}").until("3 open issues");
    seat.types("/slo").until("1 open issue").until("Search is slow");
    seat.types("\u{15}status:").until("filter: `status:` needs a value");
    seat.types("planned").until_not("needs a value").until("Limit the requests");
    seat.types("\r").quits();
}

#[test]
fn refusals_before_it_begins() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let ran = repo.wf(&["board"]).fails(1);
    assert_eq!(
        ran.stderr,
        "error: `board` needs a terminal on stdin and stdout\n\
         hint: `git wf list` lists the issues, and `git wf show ID` shows one\n"
    );
    repo.wf(&["board", "--json"]).fails(2);
    repo.wf(&["board", "--plain"]).fails(2);
    let ran = repo.wf(&["board", "status:nothing"]).fails(2);
    assert!(ran.stderr.contains("is not a filter"), "{}", ran.stderr);
    let (code, shown) = repo.on_dumb_terminal(&["board"]);
    assert_eq!(code, 1);
    assert!(shown.contains("TERM says it cannot") && !shown.contains('\u{1b}'), "{shown:?}");
    let empty = sandbox.repo("empty");
    let ran = empty.wf(&["board"]).fails(1);
    assert!(ran.stderr.contains("git wf init"), "{}", ran.stderr);
}

#[test]
fn without_colour_nothing_is_coloured() {
    let sandbox = Sandbox::new();
    let repo = shop(&sandbox);
    let coloured = |repo: &Repo| {
        let mut seat = Seat::new(repo, (120, 40), &[], "registered 2");
        seat.types("\r").until("Thirty seconds.");
        seat.quits();
        let received = String::from_utf8_lossy(&seat.received).into_owned();
        (30..38).any(|n| received.contains(&format!("\u{1b}[{n}m")))
    };
    assert!(coloured(&repo));
    assert!(!coloured(&repo.with_env("NO_COLOR", "1")));
}

#[test]
fn hostile_text_does_nothing_to_the_terminal() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    let evil = "a\u{1b}[41mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}\u{7f}b";
    repo.wf(&["new", "--id", "ISS-001", "x", "-m", evil, "-t", "evil"]).ok();
    let path = repo.store_path("/issue.json");
    let mut record = repo.stored_json(&path);
    record["title"] = evil.into();
    record["assignee"] = evil.into();
    repo.plumb(&[(&path, &format!("{record:#}\n"))]);
    let mut seat = Seat::new(&repo, (120, 40), &[], "\\u{1b}[41mred");
    seat.types("\r")
        .until("[1 issue]")
        .types("6")
        .until("issue: create")
        .types("\u{1b}")
        .until_not("[6 log]")
        .types("m")
        .until("move ISS-001");
    seat.types("\u{1b}").until_not("move ISS-001");
    seat.quits();
    let received = String::from_utf8_lossy(&seat.received);
    for bad in
        ["\u{1b}[41m", "\u{1b}]", "\u{7}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{200b}", "\u{feff}", "\u{7f}"]
    {
        assert!(!received.contains(bad), "{bad:?} reached the terminal");
    }
}
