use super::*;
use proptest::prelude::*;
use rusqlite::Connection;

#[test]
fn what_is_no_operator_is_text() {
    for (text, made) in [
        ("beads_rust-0v1", r#""beads_rust-0v1""#),
        ("ledger.py a-b", r#"("ledger.py" AND "a-b")"#),
        ("ledg* \"two wo\"*", r#"("ledg"* AND "two wo"*)"#),
        ("https://x.org/a?b=1", r#""https://x.org/a?b=1""#),
        ("std::vec nosuch: x", r#"("std::vec" AND "nosuch:" AND "x")"#),
        ("-t + x", r#"("-t" AND "x")"#),
        ("and or not", r#"("and" AND "or" AND "not")"#),
        ("title: context: a", r#"title : (context : "a")"#),
        ("title:a plans: (b OR c)", r#"(title : "a" AND plans : ("b" OR "c"))"#),
        ("a OR b c AND d NOT e NOT f", r#"("a" OR (("b" AND "c") AND ("d" NOT ("e" OR "f"))))"#),
        ("NEAR(a \"b c\", 3) d", r#"(NEAR("a" "b c", 3) AND "d")"#),
        ("f(x)", r#"("f" AND "x")"#),
        ("\"say \"\"no\"\"\"", r#""say ""no""""#),
    ] {
        assert_eq!(query(text), made, "{text}");
    }
}

#[test]
fn where_operators_do_not_fit_together_each_word_is_text() {
    for (text, made) in [
        ("a AND", r#"("a" AND "AND")"#),
        ("NOT a", r#"("NOT" AND "a")"#),
        ("(a", r#""(a""#),
        ("a) b", r#"("a)" AND "b")"#),
        ("\"open it", r#"("open" AND "it")"#),
        ("NEAR(a", r#""NEAR(a""#),
        ("title:", r#""title:""#),
        ("", "\"\""),
        ("( * -", "\"\""),
    ] {
        assert_eq!(query(text), made, "{text}");
    }
    let deep = format!("{}a{}", "(".repeat(500), ")".repeat(500));
    assert!(query(&deep).starts_with("\"((("), "{}", query(&deep));
}

#[test]
fn a_run_without_blanks_between_words_is_a_phrase() {
    assert_eq!(query("過期 OR token*"), "(\"過\u{1f}期\" OR \"token\"*)");
    assert_eq!(query("title: \"過期 了\""), "title : \"過\u{1f}期\u{1f} \u{1f}了\"");
    assert_eq!(query("abc漢字*"), "\"abc\u{1f}漢\u{1f}字\"*");
}

#[test]
fn of_a_query_any_word_that_is_wanted_will_do() {
    let any = |text| any_of(text).unwrap_or_default();
    assert_eq!(any("title: (token OR \"two words\") NOT x*"), r#""token" OR "two" OR "words""#);
    assert_eq!(any("過期了"), "\"過\u{1f}期\u{1f}了\"");
    assert_eq!(any("()"), "");
}

fn accepts(db: &Connection, query: &str) -> Result<i64, rusqlite::Error> {
    db.query_row("SELECT count(*) FROM words WHERE words MATCH ?1", [query], |row| row.get(0))
}

fn table() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    let columns = COLUMNS.join(", ");
    let tokenize = "tokenize = 'porter unicode61 remove_diacritics 2'";
    db.execute_batch(&format!("CREATE VIRTUAL TABLE words USING fts5 ({columns}, {tokenize})")).unwrap();
    db.execute("INSERT INTO words (title) VALUES ('red apple in src/wall.rs')", []).unwrap();
    db
}

thread_local! {
    static DB: Connection = table();
}

#[test]
fn very_long_texts_are_searched_for_too() {
    let db = table();
    for text in ["wall ".repeat(30_000), "red OR ".repeat(30_000), "red NOT ".repeat(3_000)] {
        accepts(&db, &query(&text)).unwrap();
    }
}

proptest! {
    #[test]
    fn fts5_takes_whatever_is_typed(
        text in proptest::collection::vec(
            prop_oneof![
                "[ -~]{0,6}",
                ".{0,4}",
                proptest::sample::select(vec![
                    "AND", "OR", "NOT", "NEAR(", "NEAR", "(", ")", "\"", "*", "title:", "title", ":", ",", "^", "+",
                    "{title plans}:", "- title:", "red", "漢字", "3",
                ]).prop_map(str::to_owned),
            ],
            0..12,
        ),
        blank in proptest::bool::ANY,
    ) {
        let text = text.join(if blank { " " } else { "" });
        let (found, any) = (query(&text), any_of(&text).unwrap_or_else(|| "none".into()));
        DB.with(|db| {
            prop_assert!(accepts(db, &found).is_ok(), "{} as {}", text, found);
            prop_assert!(accepts(db, &any).is_ok(), "{} as {}", text, any);
            Ok(())
        })?;
    }
}

#[test]
fn many_words_are_not_searched_for_near_each_other() {
    let near = |count: usize| query(&format!("NEAR({})", vec!["a"; count].join(" ")));
    assert!(near(MOST_NEAR).starts_with("NEAR("), "{}", near(MOST_NEAR));
    assert!(!near(MOST_NEAR + 1).contains("NEAR("), "{}", near(MOST_NEAR + 1));
}
