use proptest::prelude::*;
use serde_json::json;

use super::limits::*;
use super::*;
use crate::model::schema::Field;
use crate::model::{Births, EntryId, EpochStamp, FieldKind, Redaction, Stamper, Time, Uid};

mod laws;
mod reading;
mod repairs;
mod steps;
mod writes;

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
    fields: &[Field::once("id"), Field::register("title"), Field::set("tags"), Field::map("notes")],
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

fn at(millis: i64) -> Time {
    Time::from_millis(millis).unwrap()
}

/// Stamps of the far future, which are the last possible one and one that can be replaced; and a stamp some days
/// after those of these tests.
fn far(which: u8) -> Stamp {
    let text = match which {
        0 => "9998-12-30T23:59:59.999Z/99999/zzzzzzzz",
        1 => "9998-12-30T23:59:59.999Z/99999/00000000",
        3 => "1970-01-03T00:00:00.000Z/00000/00000000",
        _ => "9000-01-01T00:00:00.000Z/00000/00000001",
    };
    Stamp::parse(text).unwrap()
}

fn redaction(field: &str, stamp: Option<EpochStamp>) -> Redaction {
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
