//! What a write changes in a record, and the result of two writes.

use super::*;

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
fn a_source_that_changed_one_field_leaves_later_local_edits_alone() {
    let before = json!({"id": "x", "title": "t", "tags": ["a"]});
    let mut doc = Doc::imported(&THING, &before, stamp(0, 0), &stamp(10, 0));
    doc.update(&json!({"title": "mine", "tags": ["a"]}), &by(50)).unwrap();
    let after = json!({"id": "x", "title": "t", "tags": ["b"]});
    assert!(doc.update_imported(&before, &after, &stamp(40, 0)));
    assert_eq!(doc.fields(), json!({"id": "x", "title": "mine", "tags": ["b"]}));
    assert!(!doc.update_imported(&before, &after, &stamp(40, 0)));
}

#[test]
fn what_an_older_import_of_another_clone_brought_goes_with_the_next_import() {
    let older = json!({"id": "x", "title": "t", "tags": ["a", "b"]});
    let newer = json!({"id": "x", "title": "t", "tags": ["b"]});
    let import = |data: &serde_json::Value, at| Doc::imported(&THING, data, stamp(0, 0), &Stamp::import(at));
    let (first, second) = (stamp(10, 0).time(), stamp(20, 0).time());
    let mut merged = import(&older, first).merge(import(&newer, second));
    assert_eq!(merged.fields()["tags"], json!(["a", "b"]), "a merge cannot know that it was removed");
    assert!(merged.is_read_in_part(&import(&newer, second)));
    assert!(merged.update_imported(&newer, &newer, &Stamp::import(second)));
    assert_eq!(merged.fields()["tags"], json!(["b"]));
    let again = merged.clone();
    assert!(!merged.update_imported(&newer, &newer, &Stamp::import(second)));
    // The removal is as late as the newer state: a merge with the older one keeps it.
    assert_eq!(again.clone().merge(import(&older, first)), again);
    let mut mine = again.clone();
    mine.update(&json!({"title": "t", "tags": ["b", "c"]}), &by(50)).unwrap();
    assert!(!mine.update_imported(&newer, &newer, &Stamp::import(second)), "an element of ours stays");
}
