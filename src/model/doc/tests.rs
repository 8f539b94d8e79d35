use proptest::prelude::*;
use serde_json::json;

use super::join::*;
use super::limits::*;
use super::*;
use crate::model::id::EntryId;
use crate::model::redaction::Redaction;
use crate::model::schema::Births;
use crate::model::schema::{Field, Kind};
use crate::model::stamp::{Made, Stamper};
use crate::model::time::Time;
use crate::model::uid::Uid;

static THING: Schema = Schema {
    name: "thing",
    fields: &[
        Field::once("id"),
        Field::register("title"),
        Field::set("tags"),
        Field::object("notes", &["second", "first"]),
    ],
    births: Births::LaterStands,
    check: |_| Ok(()),
};

static JOINED: Schema = Schema { name: "joined", ..THING_PARTS };
const THING_PARTS: Schema = Schema {
    name: "parts",
    fields: &[Field::once("id"), Field::register("title"), Field::set("tags"), Field::object("notes", &[])],
    births: Births::Joined,
    check: |_| Ok(()),
};

fn stamp(millis: i64, by: u8) -> Stamp {
    Stamp::new(Time::from_millis(millis).unwrap(), &Uid::from_bits([0, 0, 0, 0, by]))
}

fn by(millis: i64) -> Stamper {
    Stamper::new(Time::from_millis(millis).unwrap(), Uid::from_bits([9; 5]))
}

fn text(doc: &Doc) -> String {
    String::from_utf8(doc.to_bytes()).unwrap()
}

#[test]
fn a_new_record_names_only_its_birth() {
    let doc = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["b", "a"]}), stamp(0, 1));
    assert_eq!(
        text(&doc),
        r#"{
  "id": "x",
  "title": "t",
  "tags": [
    "a",
    "b"
  ],
  "clock": {
    "*": "1970-01-01T00:00:00.000Z/00000/00000001"
  }
}
"#
    );
}

#[test]
fn an_update_stamps_only_what_differs_and_keeps_what_is_unknown() {
    let born = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a", "b"]}), stamp(0, 1));
    let mut doc =
        Doc::parse(&THING, text(&born).replace("\"id\"", "\"zoo\": 1.50, \"id\"").as_bytes()).unwrap();
    assert!(!doc.update(&json!({"title": "t", "tags": ["b", "a"]}), &by(5)).unwrap());
    assert!(doc.update(&json!({"title": "t", "tags": ["b", "c"], "notes": {"first": 1}}), &by(5)).unwrap());
    let read: Value = serde_json::from_slice(&doc.to_bytes()).unwrap();
    let mine = "1970-01-01T00:00:00.005Z/00000/19gr2499";
    let later = read["clock"]["tags/c"].as_str().unwrap();
    assert_eq!(read["zoo"].to_string(), "1.50", "numbers are kept verbatim");
    assert_eq!(read["tags"], json!(["b", "c"]));
    assert_eq!(
        read["clock"],
        json!({"*": "1970-01-01T00:00:00.000Z/00000/00000001", "-tags/a": later, "notes/first": later, "tags/c": later})
    );
    assert_eq!(&later[..30], &mine[..30]);
}

#[test]
fn removing_a_register_is_a_write_like_any_other() {
    let base = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(0, 1));
    let mut removed = base.clone();
    removed.update(&json!({}), &by(5)).unwrap();
    let merged = base.merge(removed);
    assert_eq!(merged.fields(), json!({"id": "x"}));
    assert_eq!(Doc::parse(&THING, &merged.to_bytes()).unwrap(), merged);
}

#[test]
fn of_two_births_the_later_stands_whole() {
    let one = Doc::born(&THING, &json!({"id": "x", "title": "one", "tags": ["a"]}), stamp(1, 1));
    let mut two = Doc::born(&THING, &json!({"id": "x", "title": "two"}), stamp(0, 1));
    two.update(&json!({"title": "much later"}), &by(1_000_000)).unwrap();
    assert_eq!(one.clone().merge(two.clone()), one);
    assert_eq!(two.merge(one.clone()), one);
}

#[test]
fn two_births_of_an_item_are_one_item() {
    let one = Doc::born(&JOINED, &json!({"id": "early", "title": "one", "tags": ["a"]}), stamp(0, 1));
    let two = Doc::born(&JOINED, &json!({"id": "late", "title": "two", "tags": ["b"]}), stamp(1, 1));
    let merged = one.clone().merge(two.clone());
    assert_eq!(merged.fields(), json!({"id": "early", "title": "two", "tags": ["a", "b"]}));
    assert_eq!(merged, two.merge(one));
}

#[test]
fn what_two_sides_wrote_apart_is_found_and_what_one_wrote_is_not() {
    let base = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a"]}), stamp(0, 1));
    let (mut one, mut two) = (base.clone(), base.clone());
    one.update(&json!({"title": "one", "tags": ["a", "b"]}), &by(5)).unwrap();
    two.update(&json!({"title": "two", "tags": ["a"], "notes": {"first": 1}}), &by(7)).unwrap();
    let apart = Doc::apart(Some(&base), &one, &two);
    assert_eq!(apart.len(), 1);
    assert_eq!(apart[0].key, "title");
    assert_eq!(apart[0].sides.clone().map(|side| side.value), [Some(json!("one")), Some(json!("two"))]);
    let mut merged = one.merge(two);
    assert_eq!(merged.made("title"), apart[0].sides[1].stamp);
    merged.decide("title", merged.value("title").cloned(), &by(1)).unwrap();
    assert!(merged.made("title") > apart[0].sides[1].stamp, "keeping is a decision of its own");
}

#[test]
fn the_same_value_on_both_sides_is_nothing_to_settle() {
    let base = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(0, 1));
    let (mut one, mut two) = (base.clone(), base.clone());
    one.update(&json!({"title": "same"}), &by(5)).unwrap();
    two.update(&json!({"title": "same"}), &by(7)).unwrap();
    assert_eq!(Doc::apart(Some(&base), &one, &two), vec![]);
}

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
fn what_bears_the_last_stamp_is_named_and_not_written_over() {
    let mut doc = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a"]}), stamp(0, 1));
    doc.slots.get_mut("title").unwrap().stamp = Some(far(0));
    doc.slots.get_mut("tags/a").unwrap().stamp = Some(far(1));
    for (data, field) in [(json!({"title": "u", "tags": ["a"]}), "title"), (json!({"title": "t"}), "tags/a")]
    {
        let frozen = doc.clone().update(&data, &by(5)).unwrap_err().to_string();
        assert!(frozen.starts_with(&format!("`{field}` has the last stamp")), "{frozen}");
    }
    assert!(doc.clone().decide("title", None, &by(5)).is_err());
    assert_eq!(doc.ahead_of(at(5)), ["tags/a", "title"]);
    let mut last = doc;
    last.epoch = 999;
    assert_eq!(last.repaired(), None, "epochs end as well");
}

fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

#[test]
fn a_repair_says_of_each_stamp_in_which_epoch_it_was_made_and_changes_nothing_else() {
    let day = 24 * 60 * 60 * 1000;
    let mut doc = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a", "b"]}), stamp(7, 1));
    doc.update(&json!({"title": "t", "tags": ["b"]}), &by(9)).unwrap();
    doc.update(&json!({"title": "u", "tags": ["b"]}), &by(3 * day)).unwrap();
    assert_eq!(doc.ahead_of(at(2 * day)), [""; 0], "a day is no fault");
    let repaired = doc.repaired().unwrap();
    let read: Value = serde_json::from_slice(&repaired.to_bytes()).unwrap();
    assert_eq!((&read["title"], &read["tags"], &read["epoch"]), (&json!("u"), &json!(["b"]), &json!(1)));
    assert_eq!(
        read["clock"],
        json!({
            "*": ".000/1970-01-01T00:00:00.007Z/00000/00000001",
            "-tags/a": ".000/1970-01-01T00:00:00.009Z/00000/144gj289",
            "title": ".000/1970-01-04T00:00:00.000Z/00000/144gj289",
        })
    );
    assert_eq!(repaired.ahead_of(at(0)), [""; 0]);
    let mut edited = repaired.clone();
    edited.update(&json!({"title": "v", "tags": ["b"]}), &by(10)).unwrap();
    assert_eq!(edited.stamp("title").unwrap().time(), at(10), "no later place is needed");
    assert_eq!(edited.clone().merge(doc), edited);
}

#[test]
fn a_stamp_is_of_an_epoch_before_that_of_its_record() {
    let read = |epoch: u16, at: &str| {
        let mut record = json!({"id": "x", "title": "t", "clock": {"title": at}});
        if epoch > 0 {
            record["epoch"] = json!(epoch);
        }
        Doc::parse(&THING, record.to_string().as_bytes())
    };
    let own = "1970-01-01T00:00:00.000Z/00000/00000001";
    assert!(read(0, own).is_ok() && read(2, own).is_ok());
    assert!(read(2, &format!(".000/{own}")).is_ok() && read(2, &format!(".001/{own}")).is_ok());
    for (epoch, of) in [(0, "000"), (1, "001"), (2, "002"), (2, "998")] {
        let why = read(epoch, &format!(".{of}/{own}")).unwrap_err().to_string();
        assert!(why.contains("is not of an epoch before"), "{why}");
    }
}

#[test]
fn edits_after_two_repairs_of_one_record_join() {
    let mut frozen = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a"]}), stamp(7, 1));
    frozen.slots.get_mut("title").unwrap().stamp = Some(far(0));
    // The second clone repairs it long after the first has gone on, and with an edit of its own in it.
    let mut one = frozen.repaired().unwrap();
    one.update(&json!({"title": "by one", "tags": ["a"]}), &by(20)).unwrap();
    frozen.update(&json!({"title": "t", "tags": ["a", "b"]}), &by(30)).unwrap();
    let mut two = frozen.repaired().unwrap();
    two.update(&json!({"title": "t", "tags": ["a", "b"], "notes": {"first": 1}}), &by(50)).unwrap();
    // The third does not repair it at all.
    let mut three = frozen.clone();
    three.update(&json!({"title": "t", "tags": ["a", "b", "c"]}), &by(60)).unwrap();
    let joined = one.clone().merge(two.clone()).merge(three.clone());
    assert_eq!(joined.fields()["title"], "by one");
    assert_eq!(
        (&joined.fields()["tags"], &joined.fields()["notes"]),
        (&json!(["a", "b", "c"]), &json!({"first": 1}))
    );
    for side in [&one, &two] {
        assert_eq!(Step::between(Some(side), &joined, at(60)).faults(), [""; 0]);
    }
    assert_eq!(Doc::apart(Some(&frozen), &one, &three), vec![]);
    three.decide("tags/a", None, &by(70)).unwrap();
    one.decide("tags/a", Some(json!("a")), &by(65)).unwrap();
    assert_eq!(Doc::apart(Some(&frozen), &one, &three)[0].key, "tags/a");
}

#[test]
fn a_redaction_hides_nothing_that_was_written_after_a_repair() {
    let redaction = |until: Option<crate::model::stamp::Made>| Redaction {
        id: EntryId::parse(&format!("19700101T000000000Z-00000-{:0>26}", 0)).unwrap(),
        target: "thing.json".into(),
        field: "title".into(),
        stamp: until,
        reason: String::new(),
        author: String::new(),
        created_at: at(0),
    };
    let shown = |doc: &Doc, redaction: &Redaction| {
        let mut shown = doc.clone();
        shown.redact(redaction);
        shown.fields()["title"].clone()
    };
    for which in [0, 3] {
        let mut doc = Doc::born(&THING, &json!({"id": "x", "title": "secret"}), stamp(0, 1));
        doc.slots.get_mut("title").unwrap().stamp = Some(far(which));
        let first = redaction(doc.written("title").unwrap());
        let mut repaired = doc.repaired().unwrap();
        for doc in [&doc, &repaired] {
            assert_eq!(shown(doc, &first), "[redacted]");
        }
        repaired.update(&json!({"title": "next"}), &by(5)).unwrap();
        assert_eq!(shown(&repaired, &first), "next");
        let second = redaction(repaired.written("title").unwrap());
        let mut again = repaired.repaired().unwrap();
        for doc in [&doc, &repaired, &again] {
            assert_eq!(shown(doc, &second), "[redacted]", "and all that was before it");
        }
        again.update(&json!({"title": "last"}), &by(5)).unwrap();
        assert_eq!(shown(&again, &second), "last");
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
    // One byte of JSON can be many in the file: lines of their own, with an indent.
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
    assert!(read(fields(16)).is_ok());
    assert!(read(fields(17)).unwrap_err().contains("17 fields"));
    assert!(read(json!({"notes": fields(17)})).unwrap_err().contains("17 fields"));
    let tags = |n: usize| json!({"tags": (0..n).map(|n| n.to_string()).collect::<Vec<_>>()});
    assert!(read(tags(8192)).is_ok());
    assert!(read(tags(8193)).unwrap_err().contains("8193 elements"));
}

#[test]
fn no_record_within_the_limits_is_larger_than_what_is_read() {
    use crate::model::{issue, queue, root, solution};
    for schema in [&issue::ISSUE, &solution::SOLUTION, &queue::QUEUE, &queue::ITEM, &root::ROOT] {
        let known: usize = schema
            .fields
            .iter()
            .map(|field| match field.kind {
                Kind::Object(leaves) => leaves.len(),
                Kind::Set => 0,
                Kind::Once | Kind::Greatest | Kind::Register => 1,
            })
            .sum();
        let values = known + LIMITS.unknown;
        // A line for the name and one in the clock; a control character of a name is written as six.
        let bytes =
            values * (LIMITS.value + 2 * (6 * 256 + 60)) + LIMITS.elements * (2 * LIMITS.element + 100);
        assert!((bytes as u64) < LARGEST_DOC, "{}: {bytes}", schema.name);
        assert!(values * LIMITS.values + 2 * LIMITS.elements + 1000 < 1_000_000, "{}", schema.name);
    }
}

/// A record whose clock has names that no writer makes, among some that one does.
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
                // A name whose stamp is that of the birth may be left out.
                prop_assert!(written["clock"][name] == *at || at == birth, "{record}: {name}");
            }
            let again = Doc::parse(&THING, &doc.to_bytes()).unwrap();
            prop_assert_eq!(again.to_bytes(), doc.to_bytes());
            prop_assert_eq!(&again, &doc);
            accepted.push(doc);
        }
        for three in accepted.windows(3) {
            laws(&three[0], &three[1], &three[2], &LIMITS)?;
        }
    }
}

#[test]
fn a_step_that_no_command_makes_is_told() {
    let old = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(5, 1));
    let between = |old: Option<&Doc>, new: &Doc| Step::between(old, new, at(9));
    let faults = |new: &Doc| between(Some(&old), new).faults();
    let mut edited = old.clone();
    edited.update(&json!({"title": "u", "tags": ["a"]}), &by(9)).unwrap();
    assert_eq!(faults(&edited), [""; 0]);
    let latest = between(Some(&old), &edited).latest.unwrap();
    assert_eq!((latest.0.as_str(), latest.1.time().millis()), ("tags/a", 9));
    assert_eq!(between(Some(&old), &old).latest, None);
    assert_eq!(between(None, &old).latest, Some(("*".to_owned(), stamp(5, 1))));
    let mut renamed = old.clone();
    renamed.once.insert("id", json!("y"));
    assert_eq!(faults(&renamed), ["changed `id`, which is written once"]);
    let again = Doc::born(&THING, &json!({"id": "x"}), stamp(6, 1));
    let replaced = "replaced the record born at 1970-01-01T00:00:00.005Z with another one, born at 1970-01-01T00:00:00.006Z";
    assert_eq!(faults(&again), [replaced]);
    let repaired = old.repaired().unwrap();
    assert_eq!(faults(&repaired), ["raised its epoch, although it had no stamp from the future"]);
    assert_eq!(between(None, &repaired).faults(), [""; 0], "an import of an export");
    assert_eq!(between(None, &old).faults(), [""; 0]);
    let mut restated = old.clone();
    restated.slots.get_mut("title").unwrap().value = Some(json!("u"));
    assert_eq!(faults(&restated), ["changed `title` without changing its stamp"]);
    restated.slots.get_mut("title").unwrap().value = None;
    assert_eq!(faults(&restated).len(), 1);
    restated.slots.get_mut("title").unwrap().value = Some(json!("[redacted]"));
    assert_eq!(faults(&restated), [""; 0], "what is hidden was not written");
    assert_eq!(between(Some(&restated), &old).faults(), [""; 0]);
    for which in [0, 3] {
        let mut frozen = old.clone();
        frozen.slots.get_mut("title").unwrap().stamp = Some(far(which));
        let anew = frozen.repaired().unwrap();
        assert_eq!(between(Some(&frozen), &anew).faults(), [""; 0]);
        // A repair is a repair and nothing else.
        let beyond = "raised its epoch, and changed more than that";
        let mut edited = anew.clone();
        edited.slots.get_mut("title").unwrap().value = Some(json!("another"));
        let restated = "changed `title` without changing its stamp";
        assert_eq!(between(Some(&frozen), &edited).faults(), [beyond, restated]);
        let mut reborn = anew.clone();
        reborn.birth = Some(stamp(6, 1));
        let faults = between(Some(&frozen), &reborn).faults();
        assert!(faults[0].starts_with("replaced the record") && faults[1] == beyond, "{faults:?}");
        let mut later = anew;
        later.slots.get_mut("title").unwrap().stamp = Some(stamp(8, 1));
        assert_eq!(between(Some(&frozen), &later).faults(), [beyond]);
        let twice = repaired.repaired().unwrap();
        assert!(between(Some(&frozen), &twice).faults()[0].contains("from 0 to 2"));
        assert!(between(Some(&twice), &repaired).faults()[0].contains("from 2 to 1"));
    }
}

#[test]
fn a_source_that_changed_one_field_leaves_later_local_edits_alone() {
    let before = json!({"id": "x", "title": "t", "tags": ["a"]});
    let mut doc = Doc::imported(&THING, &before, stamp(0, 0), &stamp(10, 0));
    doc.update(&json!({"title": "mine", "tags": ["a"]}), &by(50)).unwrap();
    let after = json!({"id": "x", "title": "t", "tags": ["b"]});
    assert!(doc.update_imported(&before, &after, &stamp(40, 0)));
    assert_eq!(doc.fields(), json!({"id": "x", "title": "mine", "tags": ["b"]}));
    assert!(!doc.update_imported(&before, &after, &stamp(40, 0)));
}

/// Stamps of the far future: the last there is, and one that can be replaced; and one some days ahead of these tests.
fn far(which: u8) -> Stamp {
    let text = match which {
        0 => "9998-12-30T23:59:59.999Z/99999/zzzzzzzz",
        1 => "9998-12-30T23:59:59.999Z/99999/00000000",
        3 => "1970-01-03T00:00:00.000Z/00000/00000000",
        _ => "9000-01-01T00:00:00.000Z/00000/00000001",
    };
    Stamp::parse(text).unwrap()
}

/// A version that some history of writes by several replicas could have led to, with ties, stamps of the far future and
/// records that were repaired made likely.
fn versions(schema: &'static Schema) -> impl Strategy<Value = Doc> {
    let value =
        prop_oneof![Just(Value::Null), (0..3i32).prop_map(|n| json!(n)), Just(json!({"b": 1, "a": [2]}))];
    let write = (0..5i64, 0..2u8, value, prop::collection::btree_set("[a-e]", 0..4), 0..4u8);
    let ends = prop::collection::vec((0..8usize, 0..3u8), 0..3);
    let earlier = prop::collection::vec((0..9usize, 0..2u16), 0..6);
    let start = (0..2i64, "[xy]", prop_oneof![3 => Just(0), 1 => 1..3u16]);
    let writes = prop::collection::vec(write, 0..5);
    (start, writes, ends, earlier).prop_map(move |((birth, id, epoch), writes, ends, earlier)| {
        let mut doc = Doc::born(schema, &json!({"id": id, "title": 0}), stamp(birth, 0));
        doc.epoch = epoch;
        for (millis, who, value, tags, notes) in writes {
            let notes = if notes == 0 { json!({}) } else { json!({"first": notes, "other": value}) };
            let unknown = (!tags.is_empty()).then_some(notes.clone());
            let data = json!({"title": value, "tags": tags, "notes": notes, "zoo": unknown, "yak": who});
            let by = Stamper::new(Time::from_millis(millis).unwrap(), Uid::from_bits([0, 0, 0, 0, who]));
            doc.update(&data, &by).unwrap();
        }
        for (n, which) in ends {
            match doc.slots.values_mut().nth(n) {
                Some(slot) => slot.stamp = Some(far(which)),
                None => doc.birth = Some(far(which)),
            }
        }
        for (n, of) in earlier.into_iter().filter(|(_, of)| *of < epoch) {
            let stamp = doc.slots.values_mut().nth(n).map_or(&mut doc.birth, |slot| &mut slot.stamp);
            *stamp = stamp.as_ref().map(|stamp| stamp.made_earlier(of));
        }
        doc
    })
}

fn fields() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("title"), Just("tags"), Just("notes"), Just("notes/first"), Just("id"), Just("zoo")]
}

fn redaction(field: &str, stamp: Option<Made>) -> Redaction {
    Redaction {
        id: crate::model::fixtures::entry_id("20261121T021405123Z-00000"),
        target: "thing.json".into(),
        field: field.into(),
        stamp,
        reason: "r".into(),
        author: "a".into(),
        created_at: at(0),
    }
}

/// Without a stamp, with one that a record of [`versions`] can have, of the far future, and of epochs to come.
fn redactions() -> impl Strategy<Value = Redaction> {
    let own = (0..9i64, 0..2u8).prop_map(|(millis, who)| stamp(millis, who));
    let stamp = prop_oneof![4 => own, 1 => (0..4u8).prop_map(far)];
    let epoch = prop_oneof![6 => 0..3u16, 1 => Just(998)];
    (fields(), prop::option::weighted(0.9, (stamp, epoch)))
        .prop_map(|(field, stamp)| redaction(field, stamp.map(|(stamp, epoch)| stamp.made_in(epoch))))
}

/// Limits that versions of [`versions`] go beyond.
const TIGHT: Limits = Limits { unknown: 2, elements: 4, written: 2, ..LIMITS };

/// Such a version as one that was read within limits.
fn within(mut doc: Doc, limits: &Limits) -> Doc {
    keep_greatest(doc.schema, &mut doc.slots, Role::Unknown, limits.unknown);
    keep_greatest(doc.schema, &mut doc.slots, Role::Element, limits.elements);
    doc
}

fn laws(a: &Doc, b: &Doc, c: &Doc, limits: &Limits) -> Result<(), TestCaseError> {
    let join = |one: &Doc, two: &Doc| one.clone().merge_within(two.clone(), limits);
    let ab = join(a, b);
    prop_assert_eq!(text(&ab), text(&join(b, a)), "commutative");
    prop_assert_eq!(text(&join(a, a)), text(a), "idempotent");
    prop_assert_eq!(text(&join(&ab, b)), text(&ab), "absorbing");
    let left = join(&ab, c);
    let right = join(a, &join(b, c));
    prop_assert_eq!(text(&left), text(&right), "associative");
    prop_assert_eq!(&Doc::parse(left.schema.0, &left.to_bytes()).unwrap(), &left, "one state, one byte form");
    prop_assert!(left.check_read(limits, usize::MAX).is_ok(), "no join goes beyond the limits");
    Ok(())
}

fn repairs_commute(a: &Doc, b: &Doc, limits: &Limits) -> Result<(), TestCaseError> {
    let join = |one: &Doc, two: &Doc| text(&one.clone().merge_within(two.clone(), limits));
    let repaired = |doc: &Doc| doc.repaired().unwrap();
    let joined = a.clone().merge_within(b.clone(), limits);
    if a.epoch == b.epoch {
        prop_assert_eq!(join(&repaired(a), &repaired(b)), text(&repaired(&joined)));
    }
    if a.epoch >= b.epoch {
        prop_assert_eq!(join(&repaired(a), b), text(&repaired(&joined)));
    }
    prop_assert_eq!(join(&repaired(&joined), a), text(&repaired(&joined)));
    Ok(())
}

proptest! {
    #[test]
    fn merge_laws(a in versions(&THING), b in versions(&THING), c in versions(&THING)) {
        laws(&a, &b, &c, &LIMITS)?;
    }

    #[test]
    fn merge_laws_with_joined_births(a in versions(&JOINED), b in versions(&JOINED), c in versions(&JOINED)) {
        laws(&a, &b, &c, &LIMITS)?;
    }

    #[test]
    fn merge_laws_where_a_join_has_too_much(
        a in versions(&THING), b in versions(&THING), c in versions(&THING),
    ) {
        laws(&within(a, &TIGHT), &within(b, &TIGHT), &within(c, &TIGHT), &TIGHT)?;
    }

    #[test]
    fn merge_laws_with_joined_births_where_a_join_has_too_much(
        a in versions(&JOINED), b in versions(&JOINED), c in versions(&JOINED),
    ) {
        laws(&within(a, &TIGHT), &within(b, &TIGHT), &within(c, &TIGHT), &TIGHT)?;
    }

    #[test]
    fn what_was_repaired_stands_for_what_it_was(a in versions(&THING), edit in versions(&THING)) {
        let repaired = a.repaired().unwrap();
        prop_assert_eq!(repaired.fields(), a.fields());
        prop_assert!(repaired.ahead_of(at(0)).is_empty());
        prop_assert_eq!(text(&a.clone().merge(repaired.clone())), text(&repaired));
        prop_assert_eq!(text(&repaired.clone().merge(a)), text(&repaired));
        prop_assert_eq!(&Doc::parse(&THING, &repaired.to_bytes()).unwrap(), &repaired);
        let mut edited = repaired;
        prop_assert!(edited.update(&edit.fields(), &by(5)).is_ok(), "everything can be written over");
    }

    /// Whoever repairs first, and whether anybody else does at all, the same is written and lost.
    #[test]
    fn repairs_and_merges_can_change_places(a in versions(&THING), b in versions(&THING)) {
        repairs_commute(&a, &b, &LIMITS)?;
    }

    #[test]
    fn repairs_and_merges_can_change_places_where_births_join(a in versions(&JOINED), b in versions(&JOINED)) {
        repairs_commute(&a, &b, &LIMITS)?;
    }

    #[test]
    fn repairs_and_merges_can_change_places_where_a_join_has_too_much(a in versions(&THING), b in versions(&THING)) {
        repairs_commute(&within(a, &TIGHT), &within(b, &TIGHT), &TIGHT)?;
    }

    #[test]
    fn an_edit_after_a_repair_wins_over_whatever_another_repair_has(a in versions(&THING), b in versions(&THING)) {
        let mut one = a.repaired().unwrap();
        one.decide("title", Some(json!("decided")), &by(5)).unwrap();
        let epoch = one.epoch.max(b.epoch + 1);
        let other = b.clone().in_epoch(epoch);
        if one.made(BIRTH) == other.made(BIRTH) && one.epoch > b.epoch {
            let joined = one.merge(other);
            prop_assert_eq!(&joined.fields()["title"], "decided");
        }
    }

    /// Whoever writes sees what was written, whatever redactions somebody made up.
    #[test]
    fn no_redaction_hides_what_is_written_later(
        mut doc in versions(&THING), all in prop::collection::vec(redactions(), 1..5), when in 0..8i64,
    ) {
        let [title, tag] = [json!("a new title"), json!("a new tag")];
        // What somebody sees who edits: what is hidden stays as it is.
        let mut seen = doc.clone();
        all.iter().filter(|it| doc.is_within(it)).for_each(|it| seen.redact(it));
        let data = json!({"title": title, "tags": [tag]});
        // Over the last stamp there is nothing, and only a repair helps.
        if doc.update_seen(&seen, &data, &by(when)).is_err() {
            doc = doc.repaired().unwrap();
            doc.update_seen(&seen.repaired().unwrap(), &data, &by(when)).unwrap();
        }
        let mut shown = doc.clone();
        all.iter().filter(|it| doc.is_within(it)).for_each(|it| shown.redact(it));
        prop_assert_eq!(shown.value("title"), Some(&title));
        // A tag is as new as others only where no clock is ahead.
        if doc.ahead_of(at(0)).is_empty() && doc.written("tags") == Some(doc.made("tags/a new tag")) {
            let others = all.iter().filter(|it| it.field == "tags");
            let until = others.filter(|it| doc.is_within(it)).filter_map(|it| it.stamp.clone()).max();
            prop_assert!(until >= doc.made("tags/a new tag") || shown.value("tags/a new tag") == Some(&tag));
        }
    }

    /// A redaction of what stands in one clone hides what others wrote before that, in whatever order they merge.
    #[test]
    fn an_honest_redaction_hides_what_is_older_everywhere(a in versions(&THING), b in versions(&THING), field in fields()) {
        let Some(stamp) = a.written(field) else { return Ok(()) };
        let it = redaction(field, stamp);
        for joined in [a.clone().merge(b.clone()), b.clone().merge(a.clone())] {
            if joined.is_beside(a.made(BIRTH).as_ref()) {
                continue;
            }
            prop_assert!(joined.is_within(&it), "what was written once stays reached");
            for (key, slot) in &joined.slots {
                let is_of = key.split('/').next() == Some(field) && slot.value.is_some();
                if is_of && it.hides(joined.made(key).as_ref()) {
                    let mut shown = joined.clone();
                    shown.redact(&it);
                    let is_shown = shown.value(key).is_some_and(|value| Some(value) == slot.value.as_ref() && *value != json!("[redacted]"));
                    prop_assert!(!is_shown, "{key}");
                    // A purge stores that, and the redaction goes on to hide what an older copy brings.
                    prop_assert!(shown.is_within(&it));
                    prop_assert!(shown.clone().merge(joined.clone()).is_within(&it));
                    let mut twice = shown.clone();
                    twice.redact(&it);
                    prop_assert_eq!(twice, shown);
                }
            }
        }
    }

    /// What a write leaves out to make room comes back with no version that was joined before, and nothing else goes.
    #[test]
    fn a_write_makes_room_as_a_join_does(a in versions(&THING), b in versions(&THING), tags in prop::collection::btree_set("[a-h]", 0..6)) {
        let (a, b) = (within(a, &TIGHT), within(b, &TIGHT));
        let old = a.merge_within(b.clone(), &TIGHT).repaired().unwrap();
        let mut new = old.clone();
        let mut data = new.fields();
        data["tags"] = json!(tags);
        new.update(&data, &by(7)).unwrap();
        if new.check_growth_within(Some(&old), &TIGHT).is_err() {
            return Ok(());
        }
        new.make_room_within(&by(7), &TIGHT).unwrap();
        if new.check_read(&TIGHT, usize::MAX).is_err() {
            return Ok(());
        }
        prop_assert_eq!(new.fields()["tags"].as_array().map_or(0, Vec::len), tags.len(), "{}", text(&new));
        for other in [&old, &b] {
            prop_assert_eq!(text(&new.clone().merge_within(other.clone(), &TIGHT)), text(&new));
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(text in "\\PC{0,80}") {
        let _ = Doc::parse(&THING, text.as_bytes());
    }
}
