//! Snapshots of the screen in `src/board/snapshots/`; `UPDATE_GENERATED=1` rewrites them.

use std::path::Path;

use snapbox::assert::Action;
use snapbox::{Assert, Data, IntoData};

use super::*;
use crate::board::event::RefusedText;
use crate::board::overlay::{Choosing, MenuPlan};
use crate::ui::{StyledLine, style};

#[track_caller]
fn held(name: &str, board: &Board) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/board/snapshots/{name}.txt"));
    let mut action = Action::Verify;
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        action = Action::Overwrite;
    }
    Assert::new().action(action).eq(board.picture().into_data().raw(), Data::read_from(&file, None).raw());
}

/// Opens the selected issue, and answers with a page.
fn opened(board: &mut Board, lines: &[StyledLine]) {
    board.key(Key::Enter);
    let Some(BoardEffect::Read(ReadRequest::Page(number, _))) = board.effects.pop() else {
        panic!("nothing was asked")
    };
    board.event(BoardEvent::Page(number, Ok(lines.to_vec())));
}

fn page() -> Vec<StyledLine> {
    let mut lines = vec![
        StyledLine(vec![(style::DIM, "status      ".into()), (style::PLAIN, " registered".into())]),
        StyledLine(vec![(style::DIM, "priority    ".into()), (style::PLAIN, " critical".into())]),
        StyledLine::default(),
        StyledLine::new(style::HEADING, "plans"),
    ];
    lines.extend((1..40).map(|n| StyledLine::new(style::PLAIN, &format!("    line {n}"))));
    lines
}

#[test]
fn boards_of_several_widths() {
    for columns in [60, 80, 120, 200] {
        held(&format!("lanes-{columns}"), &Board::of_a_team((columns, 18)));
    }
    held("lanes-none", &Board::new((60, 10), vec![]));
    held("too-small", &Board::of_a_team((19, 5)));
}

#[test]
fn hints_fit_every_width() {
    let fits = |board: &Board, what: &str| {
        let picture = board.picture();
        let last = picture.lines().last().unwrap_or_default();
        assert!(!last.trim().is_empty() && !last.contains('…'), "{what}: {last}");
    };
    for columns in 24..=130 {
        let mut board = Board::of_a_team((columns, 18));
        fits(&board, "lanes");
        for keys in ["?", "/", "n", "m"] {
            board.keys(keys);
            fits(&board, keys);
            board.key(Key::Esc);
        }
        opened(&mut board, &page());
        fits(&board, "an issue");
    }
}

#[test]
fn an_issue_in_full() {
    for columns in [60, 120] {
        let mut board = Board::of_a_team((columns, 18));
        board.keys("j");
        opened(&mut board, &page());
        board.keys("jj");
        held(&format!("detail-{columns}"), &board);
    }
}

#[test]
fn what_is_in_front() {
    let mut board = Board::of_a_team((80, 24));
    board.keys("?");
    held("help", &board);
    board.key(Key::Esc).keys("m");
    held("menu", &board);
    board.key(Key::Esc).keys("c");
    board.event(BoardEvent::Input(Input::Paste("It happens 漢字 again.\n\nOn Monday.".into())));
    board.key(Key::Enter);
    let deed = board.deed();
    let refused = RefusedText::new("the comment is empty; nothing was written", "write the comment");
    board.event(BoardEvent::Done(deed, Err(refused)));
    held("form-refused", &board);
    let mut board = Board::of_a_team((60, 20));
    board.keys("r");
    let plan = MenuPlan {
        id: "SOL-ISS-001-abcdefgh".into(),
        words: String::new(),
        is_bound: true,
        digest: digest(),
    };
    board.event(BoardEvent::Plans("ISS-001".into(), Choosing::Review, Ok(vec![plan])));
    board.keys("95").key(Key::Tab);
    held("review", &board);
    let mut board = Board::of_a_team((60, 12));
    board.keys("/bad:");
    held("filter-wrong", &board);
}

#[test]
fn hostile_text_shows_harmlessly() {
    let evil = "a\u{1b}[41mred\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\rb\nFORGED c";
    let mut issues = vec![card("A-1", Registered, evil), card("A-2", Registered, &"x".repeat(5_000))];
    issues[0].row.tags = evil.into();
    issues[0].row.assignee = Some(evil.into());
    let mut board = Board::new((100, 16), issues);
    let look = |board: &Board, what: &str| {
        for cell in board.buffer().content() {
            let raw = |c: char| crate::model::hidden::is_hidden(c) && c != '\u{200d}';
            assert!(!cell.symbol().contains(raw), "{what}: {:?}", cell.symbol());
        }
        assert!(board.rows().iter().all(|row| !row.trim().starts_with("FORGED")), "{}", board.picture());
    };
    look(&board, "lanes");
    held("hostile", &board);
    opened(&mut board, &[StyledLine::new(style::PLAIN, evil)]);
    look(&board, "an open issue");
    board.key(Key::Esc).keys("m");
    look(&board, "a menu");
    board.key(Key::Esc).keys("e");
    let deed = board.deed();
    board.event(BoardEvent::Done(deed, Err(RefusedText::new(evil, evil))));
    look(&board, "a refusal");
    board.key(Key::Esc).keys("a").event(BoardEvent::Input(Input::Paste(evil.into())));
    look(&board, "a form");
}

/// A word or a mark repeats everything that colour says.
#[test]
fn without_colour_the_same_is_said() {
    let mut board = Board::of_a_team((120, 24));
    let marked: Vec<String> = board.rows().into_iter().filter(|row| row.contains('>')).collect();
    assert_eq!(marked.len(), 4, "the lane and each row of the issue of the cursor: {marked:?}");
    board.keys("l");
    assert!(board.rows()[2].contains(">planned 1"), "{}", board.picture());
}
