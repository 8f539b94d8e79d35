//! Tests of the screen, and a screen in memory for other tests.

use std::sync::{Arc, Mutex};

use super::*;

/// The output of a screen, for tests.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A screen in memory: like a pipe without `columns`, and like a terminal without colour with them.
pub(crate) fn screen(columns: Option<usize>) -> (Screen, Written) {
    let written = Written::default();
    let screen = Screen {
        json: false,
        terminal: columns.is_some(),
        is_direct: columns.is_some(),
        painter: Painter::OFF,
        columns,
        line: columns.map(|_| Vec::new()),
        filter: OutletFilter::new(Replacement::Text),
        held: None,
        document: None,
        out: BufWriter::new(Box::new(written.clone())),
    };
    (screen, written)
}

fn holding(rows: usize) -> (Screen, Written) {
    let (mut screen, written) = screen(Some(80));
    screen.held = Some(HeldAnswer { rows, answer: Vec::new() });
    (screen, written)
}

#[test]
fn a_document_is_pretty_and_ends_its_line() {
    let (mut screen, written) = screen(None);
    screen.print_json(&serde_json::json!({"id": "ISS-1", "tags": ["a"]})).unwrap();
    screen.finish().unwrap();
    assert_eq!(written.text(), "{\n  \"id\": \"ISS-1\",\n  \"tags\": [\n    \"a\"\n  ]\n}\n");
}

#[test]
fn an_object_can_have_one_more_field() {
    for (document, expected) in [
        (
            serde_json::json!({"a": {"b": 1}}),
            "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"w\": [\n    \"x\"\n  ]\n}\n",
        ),
        (serde_json::json!({}), "{\n  \"w\": [\n    \"x\"\n  ]\n}\n"),
        (serde_json::json!([{"a": 1}]), "[\n  {\n    \"a\": 1\n  }\n]\n"),
        (serde_json::json!(null), "null\n"),
    ] {
        let (mut screen, written) = screen(None);
        assert!(!screen.add_field("w", &["x"]).unwrap(), "there is no document yet");
        screen.print_json(&document).unwrap();
        let is_added = screen.add_field("w", &["x"]).unwrap();
        screen.finish().unwrap();
        assert_eq!(written.text(), expected);
        assert_eq!(is_added, document.is_object(), "{document}");
    }
}

#[test]
fn a_document_for_a_program_is_compact() {
    for (document, expected) in [
        (serde_json::json!({"a": {"b": 1}}), "{\"a\":{\"b\":1},\"w\":[\"x\"]}\n"),
        (serde_json::json!({}), "{\"w\":[\"x\"]}\n"),
        (serde_json::json!([{"a": 1}]), "[{\"a\":1}]\n"),
    ] {
        let (mut screen, written) = screen(None);
        screen.json = true;
        screen.print_json(&document).unwrap();
        assert_eq!(screen.add_field("w", &["x"]).unwrap(), document.is_object(), "{document}");
        screen.finish().unwrap();
        assert_eq!(written.text(), expected);
    }
}

#[test]
fn json_holds_no_character_that_hides_something() {
    let line = "{\"a\":\"\u{9b}\u{202e}\"}\n";
    for (columns, expected) in [None, Some(80)].map(|columns| (columns, "{\"a\":\"\\u009b\\u202e\"}\n")) {
        let (mut screen, written) = screen(columns);
        screen.json_lines().unwrap().write_all(line.as_bytes()).unwrap();
        screen.finish().unwrap();
        assert_eq!(written.text(), expected);
    }
}

#[test]
fn what_is_held_for_the_pager_is_clean_too() {
    let (mut screen, written) = holding(24);
    writeln!(screen, "a\u{1b}[2J\u{202e}").unwrap();
    assert_eq!(screen.held.as_ref().unwrap().answer, b"a\\u{1b}[2J\\u{202e}\n");
    screen.finish().unwrap();
    assert_eq!(written.text(), "a\\u{1b}[2J\\u{202e}\n");
}

#[test]
fn a_short_answer_is_held_until_the_end() {
    let (mut screen, written) = holding(24);
    writeln!(screen, "short").unwrap();
    assert_eq!(written.text(), "");
    screen.finish().unwrap();
    assert_eq!(written.text(), "short\n");
}

#[test]
fn flushing_gives_up_the_pager() {
    let (mut screen, written) = holding(1);
    writeln!(screen, "first").unwrap();
    screen.flush().unwrap();
    assert_eq!(written.text(), "first\n");
    writeln!(screen, "second").unwrap();
    screen.finish().unwrap();
    assert_eq!(written.text(), "first\nsecond\n");
}

#[test]
fn rows_count_wrapped_lines_but_not_escapes() {
    assert_eq!(rows_taken(b"", Some(10)), 0);
    assert_eq!(rows_taken(b"a\n\nb\n", Some(10)), 3);
    assert_eq!(rows_taken("漢字漢字漢字\n".as_bytes(), Some(10)), 2);
    assert_eq!(rows_taken(b"\x1b[31m0123456789\x1b[0m\n", Some(10)), 1);
    assert_eq!(rows_taken(&[b'x'; 1000], None), 1);
}

#[test]
fn a_reader_that_has_gone_is_told_from_other_trouble() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (mut screen, _) = screen(None);
    screen.out = BufWriter::new(Box::new(Gone));
    writeln!(screen, "answer").unwrap();
    assert!(is_broken_pipe(&screen.finish().unwrap_err()));
    assert!(!is_broken_pipe(&io::ErrorKind::StorageFull.into()));
}
