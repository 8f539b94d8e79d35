//! The laws of the join, of repairs and of redactions, for all versions that a history can lead to.

use super::*;

/// A version that a history of writes by several replicas can lead to. Ties, stamps of the far future and repaired
/// records are likely.
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

/// Redactions without a stamp, and with a stamp that a record of [`versions`] can have, or that is of the far future
/// or of an epoch to come.
fn redactions() -> impl Strategy<Value = Redaction> {
    let own = (0..9i64, 0..2u8).prop_map(|(millis, who)| stamp(millis, who));
    let stamp = prop_oneof![4 => own, 1 => (0..4u8).prop_map(far)];
    let epoch = prop_oneof![6 => 0..3u16, 1 => Just(998)];
    (fields(), prop::option::weighted(0.9, (stamp, epoch)))
        .prop_map(|(field, stamp)| redaction(field, stamp.map(|(stamp, epoch)| stamp.made_in(epoch))))
}

pub(super) fn laws(a: &Doc, b: &Doc, c: &Doc) -> Result<(), TestCaseError> {
    let join = |one: &Doc, two: &Doc| one.clone().merge(two.clone());
    let ab = join(a, b);
    prop_assert_eq!(text(&ab), text(&join(b, a)), "commutative");
    prop_assert_eq!(text(&join(a, a)), text(a), "idempotent");
    prop_assert_eq!(text(&join(&ab, b)), text(&ab), "absorbing");
    let left = join(&ab, c);
    let right = join(a, &join(b, c));
    prop_assert_eq!(text(&left), text(&right), "associative");
    prop_assert_eq!(&Doc::parse(left.schema.0, &left.to_bytes()).unwrap(), &left, "one state, one byte form");
    Ok(())
}

fn repairs_commute(a: &Doc, b: &Doc) -> Result<(), TestCaseError> {
    let join = |one: &Doc, two: &Doc| text(&one.clone().merge(two.clone()));
    let repaired = |doc: &Doc| doc.repaired().unwrap();
    let joined = a.clone().merge(b.clone());
    if a.epoch == b.epoch {
        prop_assert_eq!(join(&repaired(a), &repaired(b)), text(&repaired(&joined)));
    }
    if a.epoch >= b.epoch {
        prop_assert_eq!(join(&repaired(a), b), text(&repaired(&joined)));
    }
    prop_assert_eq!(join(&repaired(&joined), a), text(&repaired(&joined)));
    Ok(())
}

/// Adds what no write may add: unknown fields, and elements, some of them removed.
fn crowded(
    mut doc: Doc,
    (fields, elements): (std::ops::Range<usize>, std::ops::Range<usize>),
    at: i64,
) -> Doc {
    let slot =
        |value: Option<Value>, n: usize| Slot { stamp: Some(stamp(at, u8::try_from(n % 3).unwrap())), value };
    doc.slots.extend(fields.map(|n| (format!("zoo{n}"), slot((n % 4 > 0).then(|| json!(at)), n))));
    doc.slots.extend(elements.map(|n| {
        let name = format!("e{n}");
        (format!("tags/{name}"), slot((n % 4 > 0).then(|| json!(name)), n))
    }));
    doc
}

fn crowds() -> impl Strategy<Value = Doc> {
    let fields = (0..20usize, 0..30usize).prop_map(|(from, many)| from..from + many);
    let elements =
        (0..4000usize, prop_oneof![0..10usize, 4000..9000usize]).prop_map(|(from, many)| from..from + many);
    (versions(&THING), (fields, elements), 0..5i64).prop_map(|(doc, many, at)| crowded(doc, many, at))
}

/// Each field and element of one version of a record is in a join, with its stamp or a later one.
fn nothing_is_lost(one: &Doc, joined: &Doc) -> Result<(), TestCaseError> {
    if one.made(BIRTH) == joined.made(BIRTH) {
        for key in one.slots.keys() {
            prop_assert!(joined.slots.contains_key(key) && joined.made(key) >= one.made(key), "{key}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn merge_laws_beyond_what_a_write_may_leave(a in crowds(), b in crowds(), c in crowds()) {
        laws(&a, &b, &c)?;
        repairs_commute(&a, &b)?;
        let joined = a.clone().merge(b.clone());
        nothing_is_lost(&a, &joined)?;
        nothing_is_lost(&b, &joined)?;
    }
}

proptest! {
    #[test]
    fn merge_laws(a in versions(&THING), b in versions(&THING), c in versions(&THING)) {
        laws(&a, &b, &c)?;
    }

    #[test]
    fn merge_laws_with_joined_births(a in versions(&JOINED), b in versions(&JOINED), c in versions(&JOINED)) {
        laws(&a, &b, &c)?;
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

    /// The same values are written and lost, whichever side is repaired first, and even if the other is not repaired
    /// at all.
    #[test]
    fn repairs_and_merges_can_change_places(a in versions(&THING), b in versions(&THING)) {
        repairs_commute(&a, &b)?;
    }

    #[test]
    fn repairs_and_merges_can_change_places_where_births_join(a in versions(&JOINED), b in versions(&JOINED)) {
        repairs_commute(&a, &b)?;
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

    /// A writer sees what they wrote, whatever redactions someone made up.
    #[test]
    fn no_redaction_hides_what_is_written_later(
        mut doc in versions(&THING), all in prop::collection::vec(redactions(), 1..5), when in 0..8i64,
    ) {
        let [title, tag] = [json!("a new title"), json!("a new tag")];
        // What an editor sees: hidden values stay as they are.
        let mut seen = doc.clone();
        all.iter().filter(|it| doc.is_within(it)).for_each(|it| seen.redact(it));
        let data = json!({"title": title, "tags": [tag]});
        // Nothing is later than the last stamp, so only a repair helps.
        if doc.update_seen(&seen, &data, &by(when)).is_err() {
            doc = doc.repaired().unwrap();
            doc.update_seen(&seen.repaired().unwrap(), &data, &by(when)).unwrap();
        }
        let mut shown = doc.clone();
        all.iter().filter(|it| doc.is_within(it)).for_each(|it| shown.redact(it));
        prop_assert_eq!(shown.value("title"), Some(&title));
        // `fsck` reports a set with stamps of the far future. Until it is repaired, a redaction can have a stamp
        // between those and the stamps of new values.
        let is_far = doc.slots.iter().any(|(key, slot)| key.starts_with("tags/") && slot.stamp.as_ref().is_some_and(Stamp::is_far_future));
        if !is_far {
            prop_assert_eq!(shown.value("tags/a new tag"), Some(&tag));
        }
    }

    /// A redaction of a value in one clone hides what others wrote before that value, in whatever order they merge.
    #[test]
    fn an_honest_redaction_hides_what_is_older_everywhere(a in versions(&THING), b in versions(&THING), field in fields()) {
        if !a.is_written(field) {
            return Ok(());
        }
        let it = redaction(field, a.last_stamp(field));
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
                    // A purge stores this version, and the redaction still hides what an older copy brings back.
                    prop_assert!(shown.is_within(&it));
                    prop_assert!(shown.clone().merge(joined.clone()).is_within(&it));
                    let mut twice = shown.clone();
                    twice.redact(&it);
                    prop_assert_eq!(twice, shown);
                }
            }
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(text in "\\PC{0,80}") {
        let _ = Doc::parse(&THING, text.as_bytes());
    }
}
