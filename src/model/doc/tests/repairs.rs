//! Stamps that no honest clock makes, and the epochs in which they are replaced.

use super::*;

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

#[test]
fn a_repair_says_of_each_stamp_in_which_epoch_it_was_made_and_changes_nothing_else() {
    let day = 24 * 60 * 60 * 1000;
    let mut doc = Doc::born(&THING, &json!({"id": "x", "title": "t", "tags": ["a", "b"]}), stamp(7, 1));
    doc.update(&json!({"title": "t", "tags": ["b"]}), &by(9)).unwrap();
    doc.update(&json!({"title": "u", "tags": ["b"]}), &by(3 * day)).unwrap();
    assert_eq!(doc.ahead_of(at(2 * day)), [""; 0], "a day is not a fault");
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
    // The second clone repairs it long after the first one has gone on, and with an edit of its own.
    let mut one = frozen.repaired().unwrap();
    one.update(&json!({"title": "by one", "tags": ["a"]}), &by(20)).unwrap();
    frozen.update(&json!({"title": "t", "tags": ["a", "b"]}), &by(30)).unwrap();
    let mut two = frozen.repaired().unwrap();
    two.update(&json!({"title": "t", "tags": ["a", "b"], "notes": {"first": 1}}), &by(50)).unwrap();
    // The third clone does not repair it at all.
    let mut three = frozen.clone();
    three.update(&json!({"title": "t", "tags": ["a", "b", "c"]}), &by(60)).unwrap();
    let joined = one.clone().merge(two.clone()).merge(three.clone());
    assert_eq!(joined.fields()["title"], "by one");
    assert_eq!(
        (&joined.fields()["tags"], &joined.fields()["notes"]),
        (&json!(["a", "b", "c"]), &json!({"first": 1}))
    );
    for side in [&one, &two] {
        assert_eq!(RecordStep::between(Some(side), &joined, at(60)).faults(), [""; 0]);
    }
    assert_eq!(Doc::apart(Some(&frozen), &one, &three), vec![]);
    three.decide("tags/a", None, &by(70)).unwrap();
    one.decide("tags/a", Some(json!("a")), &by(65)).unwrap();
    assert_eq!(Doc::apart(Some(&frozen), &one, &three)[0].key, "tags/a");
}

#[test]
fn a_redaction_hides_nothing_that_was_written_after_a_repair() {
    let redaction = |until: Option<crate::model::stamp::EpochStamp>| Redaction {
        id: EntryId::parse(&format!("19700101T000000000Z-00000-{:0>26}", 0)).unwrap(),
        target: "thing.json".into(),
        field: "title".into(),
        stamp: until,
        reason: String::new(),
        author: "".into(),
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
        let first = redaction(doc.last_stamp("title"));
        let mut repaired = doc.repaired().unwrap();
        for doc in [&doc, &repaired] {
            assert_eq!(shown(doc, &first), "[redacted]");
        }
        repaired.update(&json!({"title": "next"}), &by(5)).unwrap();
        assert_eq!(shown(&repaired, &first), "next");
        let second = redaction(repaired.last_stamp("title"));
        let mut again = repaired.repaired().unwrap();
        for doc in [&doc, &repaired, &again] {
            assert_eq!(shown(doc, &second), "[redacted]", "and all that was before it");
        }
        again.update(&json!({"title": "last"}), &by(5)).unwrap();
        assert_eq!(shown(&again, &second), "last");
    }
}
