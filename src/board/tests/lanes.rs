//! Moving, filtering, and changes of the store.

use super::*;
use crate::board::event::{RefusedText, WantedPage};
use crate::board::page::IssuePage;

#[test]
fn the_cursor_moves_between_lanes_and_issues() {
    let mut board = Board::of_a_team((120, 30));
    assert_eq!(board.selected(), "ISS-001");
    board.keys("jj");
    assert_eq!(board.selected(), "ISS-003");
    board.keys("j");
    assert_eq!(board.selected(), "ISS-003", "there are no more");
    board.keys("l");
    assert_eq!(board.selected(), "GH-12");
    board.keys("lj");
    assert_eq!(board.selected(), "ISS-006");
    board.keys("hh");
    assert_eq!(board.selected(), "ISS-003", "a lane keeps its cursor");
    board.keys("hg");
    assert_eq!(board.selected(), "ISS-001");
    board.key(Key::End);
    assert_eq!(board.selected(), "ISS-003");
}

#[test]
fn on_a_narrow_screen_the_lane_of_the_cursor_is_shown() {
    let mut board = Board::of_a_team((60, 20));
    board.shows(">registered 3");
    assert!(!board.picture().contains(">failed"));
    board.keys("llll");
    board.shows(">failed 1");
    board.shows("Print invoices");
    board.event(BoardEvent::Input(Input::Size(200, 20)));
    board.shows(" registered 3");
    board.shows(">failed 1");
}

#[test]
fn the_filter_works_as_it_is_typed() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("/mail");
    assert_eq!((board.model.total(), board.selected().as_str()), (1, "ISS-005"));
    board.key(Key::Enter).keys("q");
    assert!(matches!(board.effects.pop(), Some(BoardEffect::Quit)), "keys are keys again");
    board.key(Key::Esc);
    assert_eq!((board.model.total(), board.selected().as_str()), (8, "ISS-005"), "it is still selected");
    board.keys("/nothing");
    board.shows("no issues match");
    board.key(Key::Esc);
    assert_eq!(board.model.total(), 8);
}

#[test]
fn a_filter_that_is_wrong_says_so_and_hides_nothing() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("/").event(BoardEvent::Input(Input::Paste("bad:".into())));
    board.shows("filter: `bad:` needs a value");
    assert_eq!(board.model.total(), 8);
    board.key(Key::Esc);
    assert_eq!(board.model.filter.fault, None);
}

#[test]
fn issues_that_are_over_are_shown_on_request() {
    let mut board = Board::of_a_team((120, 30));
    board.issues.push(card("ISS-9", IssueStatus::Closed, "Old"));
    board.event(BoardEvent::Moved);
    assert_eq!(board.model.total(), 8);
    board.keys("A");
    assert_eq!(board.model.total(), 9);
    board.shows("9 issues");
    board.keys("A");
    board.shows("8 open issues");
}

#[test]
fn the_cursor_follows_its_issue_wherever_others_move_it() {
    let mut board = Board::of_a_team((120, 30));
    board.keys("j");
    board.issues[1].row.status = Queued;
    board.event(BoardEvent::Moved);
    assert_eq!(
        (board.selected().as_str(), board.model.lanes[board.model.at].status),
        ("ISS-20261121-7k3m2pq9", Queued)
    );
    board.issues.retain(|it| it.row.status != Queued);
    board.event(BoardEvent::Moved);
    assert_eq!(board.selected(), "ISS-007", "its lane is gone, so the next one is shown");
}

#[test]
fn an_answer_that_is_late_does_not_take_the_cursor_back() {
    let mut board = Board::of_a_team((120, 30));
    let question = update(&mut board.model, BoardEvent::Moved);
    board.keys("j");
    board.take(question);
    assert_eq!(board.selected(), "ISS-20261121-7k3m2pq9");
    // Only the answer to the last request counts.
    let (first, second) =
        (update(&mut board.model, BoardEvent::Input(Input::Key(Key::Char('A')))), board.model.begin());
    let issues = std::mem::take(&mut board.issues);
    board.take(first);
    assert_eq!(board.model.total(), 8, "an old answer counts for nothing");
    board.issues = issues;
    board.take(second);
    assert_eq!(board.model.total(), 8);
}

#[test]
fn a_store_that_moves_during_a_question_is_read_again() {
    let mut board = Board::of_a_team((120, 30));
    let question = update(&mut board.model, BoardEvent::Moved);
    assert_eq!(update(&mut board.model, BoardEvent::Moved).len(), 0, "one question at a time");
    board.asked = (0, 0);
    board.take(question);
    assert_eq!(board.asked.0, 2);
}

#[test]
fn a_refused_question_is_shown_and_can_be_asked_again() {
    let mut board = Board::of_a_team((120, 30));
    let effects = update(&mut board.model, BoardEvent::Moved);
    let [BoardEffect::Read(ReadRequest::Lanes(number, _))] = effects[..] else { panic!("{effects:?}") };
    board.event(BoardEvent::Lanes(number, Err(RefusedText::new("it is broken", "mend it"))));
    board.shows("it is broken");
    board.shows("hint: mend it");
    board.key(Key::Esc).key(Key::Ctrl('l'));
    assert!(board.model.overlay.is_none() && !board.model.is_waiting());
}

#[test]
fn an_open_issue_is_read_once_and_follows_the_cursor() {
    let mut board = Board::of_a_team((120, 30));
    board.key(Key::Enter);
    let columns = 69;
    let wanted = |issue: &str, page| WantedPage { issue: issue.into(), page, columns };
    let asked = |board: &mut Board| match board.effects.pop() {
        Some(BoardEffect::Read(ReadRequest::Page(_, wanted))) => Some(wanted),
        None => None,
        other => panic!("{other:?}"),
    };
    assert_eq!(asked(&mut board), Some(wanted("ISS-001", IssuePage::Issue)));
    board.keys("jk");
    assert_eq!(asked(&mut board), None, "scrolling reads nothing");
    board.keys("J");
    assert_eq!(asked(&mut board), Some(wanted("ISS-20261121-7k3m2pq9", IssuePage::Issue)));
    board.keys("3");
    assert_eq!(asked(&mut board), Some(wanted("ISS-20261121-7k3m2pq9", IssuePage::Tasks)));
    board.key(Key::Right);
    assert_eq!(asked(&mut board), Some(wanted("ISS-20261121-7k3m2pq9", IssuePage::Trail)));
    board.event(BoardEvent::Moved);
    assert_eq!(asked(&mut board), Some(wanted("ISS-20261121-7k3m2pq9", IssuePage::Trail)), "the store moved");
    board.event(BoardEvent::Input(Input::Size(60, 30)));
    board.effects.retain(|effect| matches!(effect, BoardEffect::Read(_)));
    assert!(asked(&mut board).is_some_and(|it| it.columns == 59), "it is as wide as the screen");
    board.key(Key::Esc);
    assert!(board.model.detail.is_none());
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let mut board = Board::of_a_team((120, 30));
    let queued = board.model.layout().lanes[2].1;
    board.mouse(Button::Down, queued.x + 2, queued.y + 4).mouse(Button::Up, queued.x + 2, queued.y + 4);
    assert_eq!(board.selected(), "ISS-006");
    board.mouse(Button::Down, queued.x + 2, queued.y + 4);
    assert!(board.model.detail.is_some(), "a second click opens it");
    let area = board.model.layout().detail.unwrap();
    board.mouse(Button::Down, area.x + 10, area.y + 1);
    assert_eq!(board.model.detail.as_ref().unwrap().page, IssuePage::Plan);
    board.key(Key::Esc);
    board.keys("hh").mouse(Button::WheelDown, 3, 5).mouse(Button::WheelDown, 3, 5);
    assert_eq!(board.selected(), "ISS-003");
    board.mouse(Button::Down, 20, 0).keys("mail");
    assert_eq!(board.model.total(), 1, "a click on the first row begins a filter");
    // Positions outside the screen.
    board.mouse(Button::Down, 500, 500).mouse(Button::Up, 500, 500);
}
