//! Actions: each key leads to one action, and a refusal appears where the action was started.

use super::*;
use crate::board::act::{BoardAct, Review};
use crate::board::event::{Answered, RefusedText};
use crate::board::overlay::{Choosing, MenuPlan, Overlay};
use crate::model::{Priority, Score, Verdict};

fn refused() -> RefusedText {
    RefusedText {
        message: "issue `ISS-001` has no bound plan".into(),
        details: vec!["SOL-1  one".into()],
        hint: Some("`git wf plan choose ISS-001 SOLUTION` chooses one".into()),
    }
}

fn answered(message: &str) -> Answered {
    Answered { issue: "ISS-001".into(), message: message.into(), notices: vec![] }
}

fn plan(id: &str, is_bound: bool) -> MenuPlan {
    MenuPlan { id: id.into(), words: format!("{id} (2 tasks, approved)"), is_bound, digest: digest() }
}

impl Board {
    /// Reports the outcome of an action.
    fn done(&mut self, deed: Deed, outcome: Result<Answered, RefusedText>) -> &mut Self {
        self.event(BoardEvent::Done(deed, outcome))
    }
}

#[test]
fn a_menu_has_the_legal_moves_of_each_status() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("m");
    for words in ["set to planning", "set to paused", "bind a plan: planned", "close: closed"] {
        board.shows(words);
    }
    assert!(!board.picture().contains("reopen"), "it is not over");
    board.key(Key::Esc).keys("lllm");
    board.shows("release the claim: queued or planned");
    board.key(Key::Esc).keys("lm");
    board.shows("try again: queued or planned");
}

#[test]
fn a_move_is_made_from_the_menu_and_its_refusal_shown_in_it() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("m2");
    let deed = board.deed();
    assert_eq!(deed, Deed { issue: "ISS-001".into(), act: BoardAct::Status(IssueStatus::Paused) });
    board.shows("setting ISS-001 to paused …");
    board.keys("2");
    assert!(board.effects.is_empty(), "one thing at a time");
    board.done(deed.clone(), Err(refused()));
    board.shows("refused: issue `ISS-001` has no bound plan");
    board.shows("SOL-1  one");
    board.shows("hint: `git wf plan choose ISS-001 SOLUTION` chooses one");
    board.keys("2");
    assert!(!board.picture().contains("refused"), "it is tried again");
    let deed = board.deed();
    board.issues[0].row.status = IssueStatus::Paused;
    board.done(deed, Ok(answered("ISS-001 is paused")));
    board.shows("ISS-001 is paused");
    assert!(board.model.overlay.is_none());
    assert_eq!(board.selected(), "ISS-001", "the cursor goes with it");
    assert_eq!(board.model.lanes[board.model.at].status, IssueStatus::Paused);
}

#[test]
fn a_comment_keeps_its_lines_and_is_kept_when_it_is_refused() {
    let mut board = Board::of_a_team((60, 20));
    board.keys("cOne").key(Key::AltEnter).keys("q?/");
    board.key(Key::Enter);
    let deed = board.deed();
    assert_eq!(deed, Deed { issue: "ISS-001".into(), act: BoardAct::Comment("One\nq?/".into()) });
    board.done(deed, Err(refused()));
    board.shows("q?/");
    board.shows("refused:");
    board.keys("!").key(Key::Enter);
    assert_eq!(board.deed().act, BoardAct::Comment("One\nq?/!".into()));
    board.event(BoardEvent::Input(Input::Paste("x\ny".into())));
    board.shows("q?/!x");
}

#[test]
fn a_text_is_written_in_the_editor_and_comes_back_to_its_field() {
    let mut board = Board::of_a_team((80, 24));
    board.keys("cOne").key(Key::Ctrl('o'));
    assert!(matches!(board.effects.pop(), Some(BoardEffect::Edit(text)) if text == "One"));
    board.event(BoardEvent::Edited(Ok("One\n\n- two".into())));
    board.shows("- two");
    board.key(Key::Ctrl('o'));
    board.effects.clear();
    board.event(BoardEvent::Edited(Err(RefusedText::new("the editor `false` failed", "set another"))));
    board.shows("refused: the editor `false` failed");
    board.shows("- two");
    board.event(BoardEvent::Edited(Ok("x".repeat(200_000))));
    board.shows("too long for a field");
    board.key(Key::Enter);
    assert_eq!(board.deed().act, BoardAct::Comment("One\n\n- two".into()), "nothing is lost");
}

#[test]
fn an_issue_is_created_and_then_selected() {
    let mut board = Board::of_a_team((80, 24));
    board.keys("n").key(Key::Enter);
    board.shows("refused: an issue needs a title");
    board.keys("Print labels").key(Key::Ctrl('o'));
    assert!(
        matches!(board.effects.pop(), Some(BoardEffect::Edit(text)) if text.is_empty()),
        "its description"
    );
    board.event(BoardEvent::Edited(Ok("For parcels.".into()))).key(Key::Enter);
    let deed = board.deed();
    let draft = ("Print labels".to_owned(), "For parcels.".to_owned());
    assert_eq!(deed, Deed { issue: String::new(), act: BoardAct::Create(draft) });
    board.shows("creating an issue …");
    board.issues.push(card("ISS-009", Registered, "Print labels"));
    board.done(deed, Ok(Answered { issue: "ISS-009".into(), ..answered("registered ISS-009") }));
    assert_eq!(board.selected(), "ISS-009");
}

#[test]
fn a_priority_is_set_from_a_menu_that_begins_at_the_present_one() {
    let mut board = Board::of_a_team((80, 24));
    board.keys("p");
    board.shows(">1 critical");
    board.keys("4");
    assert_eq!(board.deed().act, BoardAct::Priority(Priority::new(4).unwrap()));
}

#[test]
fn an_issue_is_assigned_to_whoever_sits_here_unless_it_has_someone() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("a").key(Key::Enter);
    assert_eq!(board.deed().act, BoardAct::Assign("Ada".into()));
    let mut board = Board::of_a_team((120, 30));
    board.keys("llla").key(Key::Ctrl('u')).key(Key::Enter);
    assert_eq!(board.deed(), Deed { issue: "ISS-007".into(), act: BoardAct::Assign(String::new()) });
}

#[test]
fn a_plan_is_chosen_and_bound() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("b");
    assert!(
        matches!(board.effects.pop(), Some(BoardEffect::Read(ReadRequest::Plans(id, Choosing::Bind))) if id == "ISS-001")
    );
    board.event(BoardEvent::Plans(
        "ISS-001".into(),
        Choosing::Bind,
        Ok(vec![plan("SOL-1", false), plan("SOL-2", true)]),
    ));
    board.shows(">2 SOL-2 (2 tasks, approved)");
    board.key(Key::Up).key(Key::Enter);
    assert_eq!(board.deed().act, BoardAct::Bind("SOL-1".into()));
    let mut board = Board::of_a_team((120, 30));
    board.event(BoardEvent::Plans("ISS-001".into(), Choosing::Bind, Ok(vec![])));
    board.shows("`git wf plan ISS-001` writes one");
}

#[test]
fn an_issue_is_queued_and_a_refusal_says_what_to_do() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("e");
    let deed = board.deed();
    assert_eq!(deed, Deed { issue: "ISS-001".into(), act: BoardAct::Queue });
    board.done(deed, Err(refused()));
    board.shows("queueing ISS-001 was refused");
    board.shows("hint: `git wf plan choose ISS-001 SOLUTION` chooses one");
}

#[test]
fn a_claim_is_confirmed_and_its_warnings_stay() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("llx");
    board.shows("claim ISS-005");
    assert!(board.effects.is_empty());
    board.key(Key::Down).key(Key::Enter);
    let deed = board.deed();
    assert_eq!(deed, Deed { issue: "ISS-005".into(), act: BoardAct::Claim { has_own_worktree: true } });
    let notices = vec!["no hook links commits; `git wf hooks install` changes that".into()];
    board.done(deed, Ok(Answered { notices, ..answered("claimed SOL-1") }));
    board.shows("no hook links commits");
    board.key(Key::Esc);
    assert!(board.model.overlay.is_none());
}

#[test]
fn a_review_is_of_the_version_that_was_read() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("r");
    let read = plan("SOL-ISS-001-abcdefgh", true);
    board.event(BoardEvent::Plans("ISS-001".into(), Choosing::Review, Ok(vec![read.clone()])));
    board.keys("90").key(Key::Enter);
    board.shows("risk: a score is a number from 0 to 100");
    board.key(Key::Tab).keys("80.5").key(Key::Tab).keys("70").key(Key::Tab).keys("perhaps").key(Key::Enter);
    board.shows("`perhaps` is not a verdict");
    board.key(Key::Ctrl('u')).keys("Concerns").key(Key::Tab).keys("more tests").key(Key::AltEnter);
    board.keys(" fewer files ").key(Key::Enter);
    let review = Review {
        plan: read.id,
        digest: read.digest,
        verdict: Some(Verdict::Concerns),
        scores: [90.0, 80.5, 70.0].map(|score| Score::new(score).unwrap()),
        findings: vec!["more tests".into(), "fewer files".into()],
    };
    assert_eq!(board.deed(), Deed { issue: "ISS-001".into(), act: BoardAct::Review(review) });
}

#[test]
fn an_issue_is_dragged_to_another_lane() {
    let mut board = Board::of_a_team((120, 30));
    let at = |board: &Board, n: usize| board.model.layout().lanes[n].1;
    // From queued to planned there are two ways: the plan could also be bound again.
    let (planned, queued) = (at(&board, 1), at(&board, 2));
    board.mouse(Button::Down, queued.x + 2, queued.y + 1).mouse(Button::Up, planned.x + 2, planned.y + 9);
    let Some(Overlay::Menu(menu)) = &board.model.overlay else { panic!("{:?}", board.model.overlay) };
    let ways: Vec<&str> = menu.entries.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(ways, ["bind a plan: planned", "remove from the queue: planned"]);
    board.keys("2");
    assert_eq!(board.deed(), Deed { issue: "ISS-005".into(), act: BoardAct::Unqueue });
    // From planned to queued there is one way.
    let mut board = Board::of_a_team((120, 30));
    board.mouse(Button::Down, planned.x + 2, planned.y + 1).mouse(Button::Up, queued.x + 2, queued.y + 9);
    assert_eq!(board.deed(), Deed { issue: "GH-12".into(), act: BoardAct::Queue });
    // The board cannot declare an execution failed.
    let mut board = Board::of_a_team((200, 30));
    let (executing, failed) = (at(&board, 3), at(&board, 4));
    board.mouse(Button::Down, executing.x + 2, executing.y + 1).mouse(Button::Up, failed.x + 2, failed.y + 1);
    board.shows("the board cannot move ISS-007 from executing to failed");
    assert!(board.effects.is_empty());
}

#[test]
fn what_is_typed_meanwhile_is_not_disturbed() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("e");
    let deed = board.deed();
    board.keys("cwait");
    board.done(deed.clone(), Err(refused()));
    board.shows("wait");
    board.shows("queueing ISS-001 was refused: issue `ISS-001` has no bound plan");
    board.model.busy = Some("queueing".into());
    board.done(deed, Ok(answered("queued as S-1")));
    board.shows("wait");
    board.shows("queued as S-1");
}

#[test]
fn without_an_issue_nothing_is_done() {
    let mut board = Board::new((80, 24), vec![]);
    for key in "macbexr".chars() {
        board.keys(&key.to_string());
        assert!(board.effects.is_empty() && board.model.overlay.is_none(), "{key}");
        board.shows("no issue is selected");
    }
}
