use super::*;
use crate::ui::screen::tests::screen;

fn printed(table: &Table, columns: Option<usize>) -> String {
    let (mut screen, written) = screen(columns);
    table.print(&mut screen).unwrap();
    screen.finish().unwrap();
    written.text()
}

fn issues() -> Table {
    let mut table = Table::new([
        Column::left("ID"),
        Column::right("PRIO"),
        Column::flexible("TITLE"),
        Column::left("TAGS"),
    ]);
    table.row(["ISS-1".into(), "1".into(), "A title of some length".into(), "auth".into()]);
    table.row(["ISS-22".into(), "12".into(), "漢字の長い題名です".into()]);
    table
}

#[test]
fn a_pipe_gets_everything() {
    assert_eq!(
        printed(&issues(), None),
        "ID      PRIO  TITLE                   TAGS\n\
         ISS-1      1  A title of some length  auth\n\
         ISS-22    12  漢字の長い題名です\n"
    );
}

#[test]
fn a_terminal_gets_the_flexible_column_cut() {
    let shown = printed(&issues(), Some(33));
    assert_eq!(
        shown,
        "ID      PRIO  TITLE          TAGS\n\
         ISS-1      1  A title of s…  auth\n\
         ISS-22    12  漢字の長い題…\n"
    );
    assert!(shown.lines().all(|line| text::width(line) <= 33));
}

#[test]
fn a_column_never_becomes_too_narrow_to_read() {
    let shown = printed(&issues(), Some(5));
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").contains("A title of … auth"), "{shown}");
}

#[test]
fn spare_columns_are_left_out_before_the_title_becomes_unreadable() {
    let mut table = Table::new([
        Column::left("ID"),
        Column::right("TASKS").spare(),
        Column::left("RISK").spare(),
        Column::flexible("DESCRIPTION"),
    ]);
    table.row(["SOL-1".into(), "2".into(), "low".into(), "Refuse requests beyond the limit".into()]);
    assert_eq!(
        printed(&table, Some(44)),
        "ID     TASKS  RISK  DESCRIPTION\n\
         SOL-1      2  low   Refuse requests beyond …\n"
    );
    assert_eq!(
        printed(&table, Some(43)),
        "ID     TASKS  DESCRIPTION\n\
         SOL-1      2  Refuse requests beyond the l…\n"
    );
    assert_eq!(printed(&table, Some(32)), "ID     DESCRIPTION\nSOL-1  Refuse requests beyond t…\n");
    assert_eq!(printed(&table, None).lines().next(), Some("ID     TASKS  RISK  DESCRIPTION"));
}

#[test]
fn of_several_flexible_columns_the_widest_is_cut_first() {
    let mut table = Table::new([Column::flexible("TITLE"), Column::flexible("TAGS")]);
    table.row(["a title of some length".into(), "needs-triage, api".into()]);
    assert_eq!(printed(&table, Some(36)), "TITLE              TAGS\na title of some …  needs-triage, api\n");
    let shown = printed(&table, Some(32));
    assert_eq!(shown, "TITLE            TAGS\na title of som…  needs-triage, …\n");
}

#[test]
fn a_row_is_spoken_without_alignment_or_empty_cells() {
    let spoken: Vec<String> = issues().spoken().collect();
    assert_eq!(
        spoken,
        [
            "ISS-1, prio 1, title A title of some length, tags auth",
            "ISS-22, prio 12, title 漢字の長い題名です"
        ]
    );
}

#[test]
fn empty_cells_keep_their_place() {
    let mut table = Table::new([Column::left("A"), Column::right("B"), Column::left("C")]);
    table.row(["a".into(), "".into(), "c".into()]);
    table.row(["aa".into(), "10".into(), "".into()]);
    assert_eq!(printed(&table, None), "A    B  C\na       c\naa  10\n");
}

#[test]
fn no_titles_no_title_line_and_no_rows_no_table() {
    let mut table = Table::new([Column::left(""), Column::left("")]);
    assert_eq!(printed(&table, None), "");
    table.row(["status".into(), "planned".into()]);
    assert_eq!(printed(&table, None), "status  planned\n");
}

#[test]
fn cells_are_cleaned_before_they_are_measured() {
    let mut table = Table::new([Column::left(""), Column::left("")]);
    table.row(["a\u{1b}[2J\nb".into(), Cell::new("x", style::GOOD)]);
    table.row(["b".into(), "y".into()]);
    assert_eq!(printed(&table, None), "a\\u{1b}[2J b  x\nb             y\n");
}

#[test]
fn colour_takes_no_room() {
    let table = issues();
    let cells =
        [("ISS-1", 5, style::ID), ("1", 1, style::PLAIN), ("t", 1, style::PLAIN), ("x", 1, style::PLAIN)];
    let (mut screen, written) = screen(None);
    screen
        .write_all(
            table.line(cells.into_iter(), &[Some(6), Some(4), Some(3), Some(4)], Painter::ON).as_bytes(),
        )
        .unwrap();
    screen.finish().unwrap();
    let painted = written.text();
    assert_eq!(anstream::adapter::strip_str(&painted).to_string(), "ISS-1      1  t    x\n");
    assert!(painted.starts_with("\u{1b}[33mISS-1\u{1b}[0m "));
}

#[test]
fn a_note_stands_whole_below_its_row() {
    let mut table = Table::new([Column::left(""), Column::flexible("")]);
    table.row(["a".into(), "A title of some length".into()]);
    table.note("`git wf retry ISS-001` queues it again".to_owned());
    table.row(["b".into(), "another".into()]);
    table.note("one".to_owned());
    table.note("two".to_owned());
    assert_eq!(
        printed(&table, Some(20)),
        "a  A title of some …\n  `git wf retry ISS-001`\n  queues it again\nb  another\n  one\n  two\n"
    );
}
