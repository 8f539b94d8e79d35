//! Which bytes are a record, and how large it may be.

use super::laws::laws;
use super::*;

#[test]
fn what_no_writer_makes_is_named() {
    for (bytes, why) in [
        ("[]", "not an object"),
        ("{\"title\": 1, \"title\": 2}", "appears twice"),
        ("{\"tags\": [1]}", "not a string"),
        ("{\"tags\": {}}", "not a list of strings"),
        ("{\"notes\": 3}", "not an object"),
        ("{\"a/b\": 1}", "cannot be the name of a field"),
        ("{\"clock\": {\"title\": \"yesterday\"}}", "is not a stamp"),
        ("{\"clock\": {\"tags/a\": \"1970-01-01T00:00:00.000Z/00000/00000001\"}}", "but no value"),
        (
            "{\"tags\": [\"a\"], \"clock\": {\"-tags/a\": \"1970-01-01T00:00:00.000Z/00000/00000001\"}}",
            "both removed and present",
        ),
        ("{\"title\": ", "EOF"),
    ] {
        let error = Doc::parse(&THING, bytes.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{bytes}: {error}");
    }
}

#[test]
fn each_name_in_a_clock_has_one_meaning() {
    let at = "1970-01-01T00:00:00.000Z/00000/00000001";
    let read = |name: &str| {
        let record = json!({"id": "x", "tags": ["here"], "clock": {name: at}});
        Doc::parse(&THING, record.to_string().as_bytes())
    };
    let long = "n".repeat(257);
    let long_element = format!("-tags/{}", "e".repeat(1023));
    for name in
        ["*", "title", "zoo", "tags/here", "-tags/gone", "-tags/", "notes/first", "notes/a/b", "notes/-a"]
    {
        let doc = read(name).unwrap_or_else(|why| panic!("{name}: {why}"));
        let written: Value = serde_json::from_slice(&doc.to_bytes()).unwrap();
        assert_eq!(written["clock"], json!({name: at}));
    }
    for name in [
        "",
        "-",
        "-*",
        "--*",
        "-title",
        "--tags/gone",
        "--tags/here",
        "tags/gone",
        "-tags/here",
        "tags",
        "-tags",
        "notes",
        "notes/",
        "-notes/first",
        "id",
        "id/x",
        "title/x",
        "/x",
        "x/",
        "x/y",
        "-x",
        "-x/y",
        "clock",
        "epoch",
        &long,
        &format!("notes/{long}"),
        &long_element,
    ] {
        assert!(read(name).is_err(), "{name}");
    }
}

#[test]
fn an_epoch_is_a_number_from_1_to_999() {
    let read = |epoch: &str| Doc::parse(&THING, format!("{{\"id\": \"x\", \"epoch\": {epoch}}}").as_bytes());
    for (epoch, number) in [("1", 1), ("999", 999), ("null", 0)] {
        assert_eq!(read(epoch).unwrap().epoch, number);
    }
    for epoch in ["0", "1000", "-1", "1.0", "1e0", "\"1\"", "[]", "true"] {
        assert!(read(epoch).is_err(), "{epoch}");
    }
    let mut doc = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(0, 1));
    doc.epoch = 7;
    assert!(text(&doc).contains("\"epoch\": 7,\n  \"clock\""), "{}", text(&doc));
}

#[test]
fn what_is_too_much_is_named() {
    let read =
        |record: Value| Doc::parse(&THING, record.to_string().as_bytes()).map_err(|why| why.to_string());
    let text_of = |size: usize| "x".repeat(size - 2);
    let most = LIMITS.value;
    assert!(read(json!({"title": text_of(most)})).is_ok());
    let why = read(json!({"title": text_of(most + 1)})).unwrap_err();
    assert!(why.contains("`title` has 1048577 bytes; a field has at most 1048576"), "{why}");
    assert!(read(json!({"notes": {"first": text_of(most + 1)}})).unwrap_err().contains("`notes/first`"));
    assert!(read(json!({"id": text_of(most + 1)})).unwrap_err().contains("`id`"));
    assert!(
        read(json!({"zoo": [1, text_of(most)]})).unwrap_err().contains("`zoo`"),
        "as it stands in the file"
    );
    // One byte of JSON can become many in the file: a line of its own, with an indent.
    let deep = format!("{}{}{}", "[".repeat(90), "0,".repeat(10_000), "0").to_owned() + &"]".repeat(90);
    assert!(
        read(json!({"zoo": serde_json::from_str::<Value>(&deep).unwrap()})).unwrap_err().contains("bytes")
    );
    let items = |n: usize| json!({"zoo": vec![0; n - 1]});
    assert!(read(items(LIMITS.values)).is_ok());
    assert!(read(items(LIMITS.values + 1)).unwrap_err().contains("holds 16385 JSON values"));
    assert!(read(json!({"tags": [text_of(LIMITS.element)]})).is_ok());
    assert!(
        read(json!({"tags": [text_of(LIMITS.element + 1)]})).unwrap_err().contains("an element of `tags`")
    );
    let fields = |n: usize| (0..n).map(|n| (format!("zoo{n}"), json!(n))).collect::<Value>();
    let tags = |n: usize| json!({"tags": (0..n).map(|n| n.to_string()).collect::<Vec<_>>()});
    for (some, more, what) in [
        (fields(16), fields(17), "17 fields"),
        (json!({"notes": fields(16)}), json!({"notes": fields(17)}), "17 fields"),
        (tags(4096), tags(4097), "4097 elements"),
    ] {
        let [some, more] = [some, more].map(|record| read(record).unwrap());
        assert_eq!(some.check_growth(None), Ok(()));
        assert!(more.check_growth(Some(&some)).unwrap_err().to_string().contains(what));
        assert_eq!(more.check_growth(Some(&more)), Ok(()), "what is there already can be read and written");
        assert_eq!(RecordStep::between(Some(&some), &more, at(9)).faults().len(), 1);
        assert_eq!(some.merge(more.clone()), more, "a join leaves nothing out");
    }
}

#[test]
fn what_two_clones_may_write_is_no_larger_than_what_is_read() {
    use crate::model::{issue, queue, root, solution};
    for schema in [&issue::ISSUE, &solution::SOLUTION, &queue::QUEUE, &queue::ITEM, &root::ROOT] {
        let known: usize = schema
            .fields
            .iter()
            .map(|field| match field.kind {
                FieldKind::Object(leaves) => leaves.len(),
                FieldKind::Set | FieldKind::Map => 0,
                FieldKind::Once | FieldKind::Greatest | FieldKind::Register => 1,
            })
            .sum();
        // The most that two clones can write separately.
        let (values, elements) = (known + LIMITS.unknown, 2 * LIMITS.written);
        // A line for the name and one in the clock; a control character in a name takes six bytes.
        let bytes = values * (LIMITS.value + 2 * (6 * 256 + 60)) + elements * (2 * LIMITS.element + 100);
        assert!((bytes as u64) < LARGEST_DOC, "{}: {bytes}", schema.name);
        assert!(values * LIMITS.values + 2 * elements + 1000 < 1_000_000, "{}", schema.name);
    }
}

/// A record whose clock mixes names that no writer makes with some that one does.
fn odd_clocks() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["*", "title", "tags/a", "-tags/b", "notes/first", "zoo", "notes/a/b"]),
        1 => prop::sample::select(vec![
            "-*", "--tags/b", "-title", "tags", "-tags", "notes", "notes/", "tags/", "-tags/", "id", "id/x", "/x", "x/",
            "-", "", "tags/b", "-tags/a", "-notes/first", "clock", "epoch", "x/y", "notes/-a",
        ]),
    ];
    let clock = prop::collection::btree_map(name, (0..3i64, 0..2u8), 0..4);
    let is_there =
        prop::collection::btree_set(prop::sample::select(vec!["title", "tags", "notes", "zoo"]), 0..4);
    (clock, is_there).prop_map(|(clock, is_there)| {
        let mut record = json!({"id": "x"});
        for name in is_there {
            record[name] = match name {
                "tags" => json!(["a"]),
                "notes" => json!({"first": 1}),
                _ => json!(name),
            };
        }
        let stamps =
            clock.iter().map(|(name, (millis, by))| ((*name).to_owned(), json!(stamp(*millis, *by))));
        record["clock"] = stamps.collect();
        record.to_string()
    })
}

proptest! {
    #[test]
    fn every_clock_that_is_accepted_is_written_as_it_was_and_joins(records in prop::collection::vec(odd_clocks(), 12)) {
        let mut accepted = Vec::new();
        for record in records {
            let Ok(doc) = Doc::parse(&THING, record.as_bytes()) else { continue };
            let given: Value = serde_json::from_str(&record).unwrap();
            let written: Value = serde_json::from_slice(&doc.to_bytes()).unwrap();
            let birth = &given["clock"]["*"];
            for (name, at) in given["clock"].as_object().unwrap() {
                // A name with the stamp of the birth may be left out.
                prop_assert!(written["clock"][name] == *at || at == birth, "{record}: {name}");
            }
            let again = Doc::parse(&THING, &doc.to_bytes()).unwrap();
            prop_assert_eq!(again.to_bytes(), doc.to_bytes());
            prop_assert_eq!(&again, &doc);
            accepted.push(doc);
        }
        for three in accepted.windows(3) {
            laws(&three[0], &three[1], &three[2])?;
        }
    }
}
