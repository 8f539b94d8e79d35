use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::schema::Field;
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
    assert!(!doc.update(&json!({"title": "t", "tags": ["b", "a"]}), &by(5)));
    assert!(doc.update(&json!({"title": "t", "tags": ["b", "c"], "notes": {"first": 1}}), &by(5)));
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
    removed.update(&json!({}), &by(5));
    let merged = base.merge(removed);
    assert_eq!(merged.fields(), json!({"id": "x"}));
    assert_eq!(Doc::parse(&THING, &merged.to_bytes()).unwrap(), merged);
}

#[test]
fn of_two_births_the_later_stands_whole() {
    let one = Doc::born(&THING, &json!({"id": "x", "title": "one", "tags": ["a"]}), stamp(1, 1));
    let mut two = Doc::born(&THING, &json!({"id": "x", "title": "two"}), stamp(0, 1));
    two.update(&json!({"title": "much later"}), &by(1_000_000));
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
    one.update(&json!({"title": "one", "tags": ["a", "b"]}), &by(5));
    two.update(&json!({"title": "two", "tags": ["a"], "notes": {"first": 1}}), &by(7));
    let apart = Doc::apart(Some(&base), &one, &two);
    assert_eq!(apart.len(), 1);
    assert_eq!(apart[0].key, "title");
    assert_eq!(apart[0].sides.clone().map(|side| side.value), [Some(json!("one")), Some(json!("two"))]);
    let mut merged = one.merge(two);
    assert_eq!(merged.stamp("title"), apart[0].sides[1].stamp.as_ref());
    merged.decide("title", merged.value("title").cloned(), &by(1));
    assert!(merged.stamp("title") > apart[0].sides[1].stamp.as_ref(), "keeping is a decision of its own");
}

#[test]
fn the_same_value_on_both_sides_is_nothing_to_settle() {
    let base = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(0, 1));
    let (mut one, mut two) = (base.clone(), base.clone());
    one.update(&json!({"title": "same"}), &by(5));
    two.update(&json!({"title": "same"}), &by(7));
    assert_eq!(Doc::apart(Some(&base), &one, &two), vec![]);
}

#[test]
fn what_no_writer_makes_is_named() {
    for (bytes, why) in [
        ("[]", "not an object"),
        ("{\"title\": 1, \"title\": 2}", "stands twice"),
        ("{\"tags\": [1]}", "not a text"),
        ("{\"tags\": {}}", "not a list of texts"),
        ("{\"notes\": 3}", "not an object"),
        ("{\"a/b\": 1}", "cannot be the name of a field"),
        ("{\"clock\": {\"title\": \"yesterday\"}}", "is not a stamp"),
        ("{\"clock\": {\"tags/a\": \"1970-01-01T00:00:00.000Z/00000/00000001\"}}", "is not there"),
        (
            "{\"tags\": [\"a\"], \"clock\": {\"-tags/a\": \"1970-01-01T00:00:00.000Z/00000/00000001\"}}",
            "at once",
        ),
        ("{\"title\": ", "EOF"),
    ] {
        let error = Doc::parse(&THING, bytes.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{bytes}: {error}");
    }
}

#[test]
fn a_source_that_changed_one_field_leaves_later_local_edits_alone() {
    let before = json!({"id": "x", "title": "t", "tags": ["a"]});
    let mut doc = Doc::imported(&THING, &before, stamp(0, 0), &stamp(10, 0));
    doc.update(&json!({"title": "mine", "tags": ["a"]}), &by(50));
    let after = json!({"id": "x", "title": "t", "tags": ["b"]});
    assert!(doc.update_imported(&before, &after, &stamp(40, 0)));
    assert_eq!(doc.fields(), json!({"id": "x", "title": "mine", "tags": ["b"]}));
    assert!(!doc.update_imported(&before, &after, &stamp(40, 0)));
}

/// A version that some history of writes by several replicas could have led to, with ties made likely.
fn versions(schema: &'static Schema) -> impl Strategy<Value = Doc> {
    let value =
        prop_oneof![Just(Value::Null), (0..3i32).prop_map(|n| json!(n)), Just(json!({"b": 1, "a": [2]}))];
    let write = (0..5i64, 0..2u8, value, prop::collection::btree_set("[ab]", 0..3), 0..4u8);
    (0..2i64, "[xy]", prop::collection::vec(write, 0..5)).prop_map(move |(birth, id, writes)| {
        let mut doc = Doc::born(schema, &json!({"id": id, "title": 0}), stamp(birth, 0));
        for (millis, who, value, tags, notes) in writes {
            let notes = if notes == 0 { json!({}) } else { json!({"first": notes, "other": value}) };
            let data = json!({"title": value, "tags": tags, "notes": notes});
            doc.update(
                &data,
                &Stamper::new(Time::from_millis(millis).unwrap(), Uid::from_bits([0, 0, 0, 0, who])),
            );
        }
        doc
    })
}

fn laws(a: Doc, b: Doc, c: Doc) -> Result<(), TestCaseError> {
    let ab = a.clone().merge(b.clone());
    prop_assert_eq!(text(&ab), text(&b.clone().merge(a.clone())), "commutative");
    prop_assert_eq!(text(&a.clone().merge(a.clone())), text(&a), "idempotent");
    prop_assert_eq!(text(&ab.clone().merge(b.clone())), text(&ab), "absorbing");
    let left = ab.merge(c.clone());
    let right = a.merge(b.merge(c));
    prop_assert_eq!(text(&left), text(&right), "associative");
    prop_assert_eq!(&Doc::parse(left.schema.0, &left.to_bytes()).unwrap(), &left, "one state, one byte form");
    Ok(())
}

proptest! {
    #[test]
    fn merge_laws(a in versions(&THING), b in versions(&THING), c in versions(&THING)) {
        laws(a, b, c)?;
    }

    #[test]
    fn merge_laws_with_joined_births(a in versions(&JOINED), b in versions(&JOINED), c in versions(&JOINED)) {
        laws(a, b, c)?;
    }

    #[test]
    fn no_bytes_make_the_parser_panic(text in "\\PC{0,80}") {
        let _ = Doc::parse(&THING, text.as_bytes());
    }
}
