//! A page says the same in each of its three forms.

use super::html::OnItsOwn;
use super::{
    Block, Column, Entry, Field, List, Page, Section, Span, Table, Text, Value, html, id, line, markdown,
    record, state, terminal,
};
use crate::ui::screen::tests::screen;
use crate::ui::style;

/// What nobody may see as it is: an escape, a reversal of the line, markup, and a line of its own.
const HOSTILE: &str = "a\u{1b}[2Jb\u{202e}<b>|*x*\n# heading";

fn page() -> Page {
    let tasks = [Entry::new("alpha").with([Block::Line("beta".into())]), Entry::new(line![record(HOSTILE)])];
    let columns = [Column::left("Gamma"), Column::flexible("Delta")];
    let rows = [vec![id("ISS-1").into(), record("epsilon").into()]];
    Page {
        title: line!["run ", id("RUN-1")],
        facts: [
            Field::given("status", Some(state(style::GOOD, "zeta"))),
            Field::all("tests", [Value::Command("cargo  test".into()), Value::Text("eta\ntheta".into())]),
            Field::all::<Span>("none", []),
        ]
        .into_iter()
        .flatten()
        .collect(),
        blocks: vec![
            Block::Text(Text::plain("iota\nkappa")),
            Section::list("lambda", List::new(tasks)),
            Section::list("empty", List::default()),
            Section::new("mu", [Block::Table(Table::new("nu", columns, rows))]),
        ],
    }
}

fn on_terminal() -> String {
    let (mut screen, written) = screen(None);
    terminal::print(&mut screen, &page()).unwrap();
    screen.finish().unwrap();
    written.text()
}

fn as_html() -> String {
    let page = page();
    html::line(&OnItsOwn, &page.title)
        + &html::fields(&OnItsOwn, &page.facts)
        + &html::blocks(&OnItsOwn, &page.blocks)
}

#[test]
fn each_form_says_the_same_words_in_the_same_order() {
    let words = [
        "RUN-1",
        "zeta",
        "cargo  test",
        "eta",
        "theta",
        "iota",
        "kappa",
        "ambda",
        "alpha",
        "beta",
        "heading",
        "mu",
        "amma",
        "elta",
        "ISS-1",
        "epsilon",
    ];
    for form in [on_terminal(), as_html(), markdown::document(&page())] {
        let mut rest = form.to_lowercase();
        for word in words {
            let word = word.to_lowercase();
            let at = rest.find(&word).unwrap_or_else(|| panic!("{word} is not where it should be: {form}"));
            rest = rest[at + word.len()..].to_owned();
        }
        assert!(!form.contains("none") && !form.contains("mpty"), "what has no content is not shown: {form}");
    }
}

#[test]
fn nothing_in_a_record_is_obeyed() {
    for form in [on_terminal(), as_html(), markdown::document(&page())] {
        assert!(!form.contains('\u{1b}') && !form.contains('\u{202e}'), "{form}");
        assert!(!form.lines().any(|line| line.starts_with("# heading")), "{form}");
    }
    assert!(as_html().contains("&lt;b&gt;") && !as_html().contains("<b>"), "{}", as_html());
    let document = markdown::document(&page());
    assert!(document.contains(r"\<b\>\|\*x\*") && document.contains(r"\# heading"), "{document}");
}

#[test]
fn a_terminal_shows_what_belongs_together() {
    assert_eq!(
        on_terminal().lines().collect::<Vec<_>>(),
        [
            "run RUN-1",
            "status       zeta",
            "tests        cargo  test",
            "             eta",
            "             theta",
            "",
            "    iota",
            "    kappa",
            "",
            "lambda",
            "    alpha",
            "      beta",
            "    a\\u{1b}[2Jb\\u{202e}<b>|*x* # heading",
            "",
            "mu",
            "    GAMMA  DELTA",
            "    ISS-1  epsilon",
        ]
    );
}
