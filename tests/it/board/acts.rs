//! Actions on the board, and their results in the store as other commands see it.

use super::seat::Seat;
use crate::support::{Sandbox, plan};

#[test]
fn an_issue_is_planned_queued_and_claimed() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    let first = repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    repo.wf(&["plan", "choose", "ISS-001", "--none"]).ok();
    let mut seat = Seat::new(&repo, (100, 30), &[], ">planning 1");
    // It has no bound plan, so it cannot be queued.
    seat.types("e").until("was refused").until("hint:").types("\u{1b}").until_not("was refused");
    seat.types("b").until("bind a plan to ISS-001").types("\r").until(&format!("bound {first}"));
    seat.until(">planned 1");
    assert_eq!(repo.status("ISS-001"), "planned");
    seat.types("e").until("queued as S-1").until(">queued 1");
    seat.types("x").until("in this worktree").types("\r").until("claimed SOL-").types("\u{1b}");
    seat.until(">executing 1");
    assert_eq!(repo.status("ISS-001"), "executing");
    // The menu releases the claim.
    seat.types("m").until("release the claim").types("1").until("released ISS-001").until(">queued 1");
    assert_eq!(repo.status("ISS-001"), "queued");
    seat.quits();
}

#[test]
fn an_issue_is_commented_assigned_moved_and_closed() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    let mut seat = Seat::new(&repo, (60, 20), &[], ">registered 1");
    seat.types("c")
        .until("comment on ISS-001")
        .types("It happened\u{1b}\ragain, 漢字.\r")
        .until("commented on ISS-001");
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["comments"][0]["body"], "It happened\nagain, 漢字.");
    seat.types("a").until("assign ISS-001").types("\r").until("assigned to Ada").until("@Ada");
    assert_eq!(repo.json(&["show", "ISS-001"])["assignee"], "Ada");
    seat.types("m").until("set to paused").types("2").until(">paused 1");
    assert_eq!(repo.status("ISS-001"), "paused");
    seat.types("m").until("close: closed").types("2").until("close ISS-001").types("no need\r");
    seat.until("ISS-001 is closed").until("no open issues");
    seat.types("A").until(">closed 1");
    assert_eq!(repo.json(&["show", "ISS-001"])["close_reason"], "no need");
    seat.quits();
}

#[test]
fn an_issue_is_created_and_described_in_the_editor() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    // It shows what it was given, waits for a line, and adds it.
    let script = "#!/bin/sh\nhead -1 \"$1\"; echo editing; read line; echo \"$line\" > \"$1\"\n";
    repo.write("ed.sh", script);
    let repo = repo.with_env("GIT_EDITOR", &format!("sh {}", repo.path().join("ed.sh").display()));
    let mut seat = Seat::new(&repo, (100, 30), &[], "no open issues");
    seat.types("nSlow search\t").until("title: Slow search").types("draft\u{f}").until("editing");
    assert!(seat.screen().contains("draft"), "{}", seat.screen());
    seat.types("*Every* query.\n").until("*Every* query.").until("new issue").types("\r");
    seat.until("registered ISS-").until(">registered 1").until("Slow search");
    let listed = repo.json(&["list"]);
    let id = listed[0]["id"].as_str().unwrap();
    assert_eq!(repo.json(&["show", id])["context"], "*Every* query.");
    assert_eq!(repo.kept_texts(), [""; 0]);
    seat.types("p").until("set the priority").types("2").until("priority high");
    assert_eq!(repo.json(&["show", id])["priority"], 2);
    seat.quits();
}

#[test]
fn an_editor_that_is_interrupted_leaves_the_board_and_its_text() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    repo.write("ed.sh", "echo editing; read line\n");
    let repo = repo.with_env("GIT_EDITOR", &format!("sh {}", repo.path().join("ed.sh").display()));
    let mut seat = Seat::new(&repo, (100, 30), &[], ">registered 1");
    seat.types("cHalf a thought\u{f}").until("editing");
    seat.interrupts();
    seat.until("refused: the editor").until("Half a thought").types("\r").until("commented on ISS-001");
    seat.quits();
}

#[test]
fn a_plan_is_reviewed_by_someone_else_than_its_author() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok();
    let review = |seat: &mut Seat| {
        seat.types("r").until("completeness").types("90\t80\t85\t\tmore tests\r");
    };
    let mut seat = Seat::new(&repo, (100, 30), &[], ">planned 1");
    review(&mut seat);
    seat.until("refused:").until("hint:");
    seat.types("\u{1b}").until_not("refused:").quits();
    let bea = repo.as_person("Bea", "bea@example.org");
    let mut seat = Seat::new(&bea, (100, 30), &[], ">planned 1");
    review(&mut seat);
    seat.until("reviewed SOL-ISS-001").quits();
    let plan = &repo.json(&["show", "ISS-001"])["solutions"][0];
    assert_eq!(plan["review"], "approved", "{plan}");
    assert_eq!(plan["reviews"][0]["findings"][0], "more tests");
}

#[test]
fn what_was_begun_is_done_before_it_ends() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    let mut seat = Seat::new(&repo, (100, 30), &[], ">registered 1");
    // All keys arrive at once.
    seat.types("cDone?\r\u{3}");
    assert_eq!(seat.ends().code(), Some(0));
    seat.is_as_before();
    assert_eq!(repo.json(&["show", "ISS-001"])["comments"][0]["body"], "Done?");
}

#[test]
fn a_role_is_refused_what_it_may_not_do() {
    let sandbox = Sandbox::new();
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001"]).ok();
    let executor = repo.with_env("WF_ROLE", "executor");
    let mut seat = Seat::new(&executor, (100, 30), &[], ">planned 1");
    seat.types("m").until("unbind the plan: registered").types("5").until("refused:").until("executor");
    assert_eq!(repo.status("ISS-001"), "planned");
    seat.types("\u{1b}").until_not("refused:").quits();
}
