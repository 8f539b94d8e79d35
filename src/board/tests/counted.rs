//! What a key costs on a board of 10,000 issues: requests, issues in the answers, and cells written.

use super::*;

fn large() -> Board {
    let status = |n: usize| [Registered, Planned, Queued, Failed][n % 4];
    let issues =
        (0..10_000).map(|n| card(&format!("A-{n}"), status(n), &format!("Issue number {n} of many")));
    Board::new((120, 40), issues.collect())
}

#[test]
fn a_key_asks_for_a_few_issues_at_most() {
    let mut board = large();
    let most = 4 * MOST_CARDS;
    for (keys, questions) in
        [("j", 0), ("k", 0), ("l", 0), ("h", 0), ("G", 1), ("k", 0), ("g", 1), ("/", 0), ("n", 1)]
    {
        board.asked = (0, 0);
        board.keys(keys);
        assert_eq!(board.asked.0, questions, "{keys}");
        assert!(board.asked.1 <= questions * most, "{keys}: {}", board.asked.1);
    }
    board.key(Key::Esc);
    // Page by page from the first issue to the last: one request covers several pages.
    board.asked = (0, 0);
    let mut pages = 0;
    while board.selected() != "A-9996" {
        board.key(Key::PageDown);
        pages += 1;
        assert!(pages < 1000);
    }
    assert!(board.asked.0 <= pages / 2, "{} questions for {pages} pages", board.asked.0);
}

#[test]
fn a_key_writes_two_issues_and_the_place() {
    let mut board = large();
    board.keys("j");
    let before = board.buffer();
    board.keys("j");
    let after = board.buffer();
    let lane = board.model.layout().lanes[0].1.width;
    let most = usize::from(2 * 3 * lane + 10);
    let cells = before.diff(&after).len();
    assert!(cells > 0 && cells <= most, "{cells} of {most}");
}

#[test]
fn holding_a_key_down_shows_every_issue_at_hand() {
    let mut board = large();
    for _ in 0..500 {
        board.keys("j");
        assert_ne!(board.selected(), "", "an issue that was not read yet");
    }
    assert_eq!(board.selected(), "A-2000");
}
