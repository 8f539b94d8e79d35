use super::*;
use proptest::prelude::*;

fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

fn time(text: &str) -> Time {
    Time::parse(text).unwrap()
}

#[test]
fn what_replaces_is_later_however_wrong_the_clock() {
    let ahead = Stamp::new(time("2030-01-01T00:00:00.000Z"), &uid("zzzzzzzz"));
    let behind = Stamper::new(time("2026-01-01T00:00:00.000Z"), uid("00000000"));
    let next = behind.over(Some(&ahead)).unwrap();
    assert!(next > ahead);
    assert_eq!(next.as_str(), "2030-01-01T00:00:00.000Z/00001/00000000");
}

#[test]
fn the_counter_carries_into_the_milliseconds() {
    let full = Stamp::parse("2026-11-21T02:14:05.999Z/99999/7k3m2pq9").unwrap();
    assert_eq!(full.tick("7k3m2pq9").unwrap().as_str(), "2026-11-21T02:14:06.000Z/00000/7k3m2pq9");
}

#[test]
fn over_the_last_stamp_there_is_nothing() {
    let stamper = Stamper::new(time("2026-01-01T00:00:00.000Z"), uid("zzzzzzzz"));
    let last = Stamp::parse("9998-12-30T23:59:59.999Z/99999/00000000").unwrap();
    assert_eq!(stamper.over(Some(&last)), Err(NoLater(last)));
    let before = Stamp::parse("9998-12-30T23:59:59.999Z/99998/zzzzzzzz").unwrap();
    assert_eq!(stamper.over(Some(&before)).unwrap().as_str(), "9998-12-30T23:59:59.999Z/99999/zzzzzzzz");
}

#[test]
fn who_saw_a_stamp_of_the_same_moment_counts_up_whatever_the_random_parts() {
    let now = time("2026-01-01T00:00:00.000Z");
    for (first, second) in [("00000000", "zzzzzzzz"), ("zzzzzzzz", "00000000"), ("00000000", "00000000")] {
        let seen = Stamper::new(now, uid(first)).fresh();
        let next = Stamper::new(now, uid(second)).over(Some(&seen)).unwrap();
        assert_eq!(next.as_str(), format!("2026-01-01T00:00:00.000Z/00001/{second}"));
    }
}

#[test]
fn an_absurd_clock_makes_no_stamp_of_the_far_future() {
    let at = time("9998-12-31T23:59:59.999Z");
    let by = uid("zzzzzzzz");
    for stamp in [Stamp::new(at, &by), Stamp::import(at), Stamper::new(at, by.clone()).fresh()] {
        assert_eq!(Stamp::parse(stamp.as_str()), Some(stamp.clone()));
        assert!(!stamp.is_far_future(), "{stamp}");
    }
    assert!(Stamp::parse("9000-01-01T00:00:00.000Z/00000/00000000").unwrap().is_far_future());
}

#[test]
fn a_stamp_is_ahead_of_a_clock_by_more_than_a_day() {
    let now = time("2026-01-01T00:00:00.000Z");
    for (stamp, is_ahead) in [
        ("2026-01-02T00:00:00.000Z/99999/zzzzzzzz", false),
        ("2026-01-02T00:00:00.001Z/00000/00000000", true),
        ("8999-12-31T23:59:59.999Z/00000/00000000", true),
        ("2025-01-01T00:00:00.000Z/00000/import", false),
    ] {
        assert_eq!(Stamp::parse(stamp).unwrap().is_ahead_of(now), is_ahead, "{stamp}");
    }
    let far = Stamp::parse("9000-01-01T00:00:00.000Z/00000/00000000").unwrap();
    assert!(far.is_ahead_of(time("9500-01-01T00:00:00.000Z")), "whatever the clock says");
}

#[test]
fn two_contents_have_one_time_in_one_epoch() {
    let at = |text: &str| Stamp::import_of(time(text), 7);
    let (one, later) = (at("2026-01-01T00:00:00.001Z"), at("2026-01-01T00:00:00.002Z"));
    let other = one.next_content().unwrap();
    assert!(one.is_other_content(&other) && !one.is_other_content(&later) && !one.is_other_content(&one));
    let [one_before, other_before, later_before] = [&one, &other, &later].map(|stamp| stamp.made_earlier(0));
    assert!(one_before.is_other_content(&other_before));
    assert!(!one_before.is_other_content(&later_before), "the epoch does not cut the time");
    assert!(!one_before.is_other_content(&other) && !one_before.is_other_content(&other.made_earlier(1)));
}

#[test]
fn stamps_of_an_earlier_epoch_keep_their_order_before_all_later_ones() {
    let read = |text: &str| Stamp::parse(text).unwrap();
    let early = read("2026-01-01T00:00:00.000Z/00007/zzzzzzzz");
    let last = read("9998-12-30T23:59:59.999Z/99999/zzzzzzzz");
    let [first, second] = [early.made_earlier(0), last.made_earlier(0)];
    assert_eq!(first.as_str(), ".000/2026-01-01T00:00:00.000Z/00007/zzzzzzzz");
    assert_eq!(Stamp::parse(first.as_str()), Some(first.clone()));
    let third = early.made_earlier(1);
    assert!(first < second && second < third && third < early && early < last);
    assert_eq!(first.made_earlier(1), first, "it was made when it was made");
    assert_eq!((second.time(), second.counter()), (last.time(), last.counter()));
    assert!(second.is_far_future() && !second.is_ahead_of(time("2026-01-01T00:00:00.000Z")));
    // Overwriting it needs no later place.
    let stamper = Stamper::new(time("2026-01-01T00:00:00.000Z"), uid("00000000"));
    assert_eq!(stamper.over(Some(&second)), Ok(stamper.fresh()));
    assert!(second.made_in(1) < early.made_in(1) && first.made_in(5) < early.made_in(1));
    for (made, text) in [
        (early.made_in(0), early.as_str()),
        (second.made_in(7), last.as_str()),
        (early.made_in(2), ".002/2026-01-01T00:00:00.000Z/00007/zzzzzzzz"),
    ] {
        assert_eq!(serde_json::to_value(&made).unwrap(), text);
        assert_eq!(serde_json::from_value::<EpochStamp>(text.into()).unwrap(), made);
    }
    assert!(serde_json::from_value::<EpochStamp>(first.as_str().into()).is_err(), "one stamp, one text");
}

#[test]
fn a_log_goes_on_below_the_far_future() {
    let stamper = Stamper::new(time("2026-01-01T00:00:00.000Z"), uid("00000000"));
    let stamps = |texts: &[&str]| texts.iter().map(|text| Stamp::parse(text).unwrap()).collect::<Vec<_>>();
    for (log, next) in [
        (&[][..], "2026-01-01T00:00:00.000Z/00000/00000000"),
        (&["9998-12-30T23:59:59.999Z/99999/zzzzzzzz"], "2026-01-01T00:00:00.000Z/00000/00000000"),
        (
            &["9998-12-30T00:00:00.000Z/00000/zzzzzzzz", "2027-01-01T00:00:00.000Z/00007/zzzzzzzz"],
            "2027-01-01T00:00:00.000Z/00008/00000000",
        ),
        (
            &["8999-12-31T23:59:59.999Z/99999/zzzzzzzz", "8999-12-31T23:59:59.999Z/99998/zzzzzzzz"],
            "8999-12-31T23:59:59.999Z/99999/00000000",
        ),
    ] {
        assert_eq!(stamper.next_in_log(stamps(log)).as_str(), next, "{log:?}");
    }
}

#[test]
fn entries_of_the_far_future_are_told_by_their_names() {
    for (name, is_far) in [
        ("99981230T235959999Z-99999-zzzzzzzz.json", true),
        ("90000101T000000000Z-00000-00000000.json", true),
        ("89991231T235959999Z-99999-zzzzzzzz.json", false),
        ("execution.json", false),
        ("", false),
    ] {
        assert_eq!(Stamp::is_far_entry(name), is_far, "{name}");
    }
}

#[test]
fn malformed_stamps_are_refused() {
    for text in [
        "",
        "2026-11-21T02:14:05.123Z",
        "2026-11-21T02:14:05Z/00000/7k3m2pq9",
        "2026-11-21T02:14:05.123Z/0/7k3m2pq9",
        "2026-11-21T02:14:05.123Z/00000/7k3m2pqi",
        "2026-11-21T02:14:05.123Z/00000/7k3m2pq9/x",
        "9999-11-21T02:14:05.123Z/00000/7k3m2pq9",
        "9998-12-31T00:00:00.000Z/00000/7k3m2pq9",
        "9998-12-31T23:59:59.999Z/99999/zzzzzzzz",
        "2026-13-21T02:14:05.123Z/00000/7k3m2pq9",
        "2026-11-21T02:14:05.123Z/00000/repair",
        ".00/2026-11-21T02:14:05.123Z/00000/7k3m2pq9",
        ".000/.000/2026-11-21T02:14:05.123Z/00000/7k3m2pq9",
        ".+00/2026-11-21T02:14:05.123Z/00000/7k3m2pq9",
        ".000",
    ] {
        assert!(Stamp::parse(text).is_none(), "{text}");
    }
    assert!(Stamp::parse("2026-11-21T02:14:05.123Z/00000/import").is_some());
}

proptest! {
    #[test]
    fn places_keep_the_order_and_the_next_one_is_later(a in 0i64..4_000_000_000_000, b in 0i64..4_000_000_000_000, n in 0u32..100_000) {
        let one = Stamp::with_counter(Time::from_millis(a).unwrap(), n, "7k3m2pq9");
        let two = Stamp::new(Time::from_millis(b).unwrap(), &uid("00000000"));
        let last = Stamp::last_at(&one.entry_place()).unwrap();
        prop_assert!(last.entry_place() == one.entry_place() && last >= one);
        prop_assert_eq!(one.cmp(&two).then(one.entry_place().cmp(&two.entry_place())), one.cmp(&two));
        for by in ["00000000", "zzzzzzzz"] {
            prop_assert!(Stamper::new(one.time(), uid(by)).over(Some(&last)).unwrap().entry_place() > one.entry_place());
        }
        prop_assert_eq!(Stamp::parse(one.as_str()), Some(one));
    }

    // Most of them are close to the last stamp, where it could go wrong.
    #[test]
    fn what_replaces_is_later(
        before_end in prop_oneof![0i64..200_000_000, 0i64..253_370_000_000_000],
        n in prop_oneof![Just(99_999u32), 0u32..100_000],
        now in 0i64..253_370_000_000_000,
    ) {
        let end = time("9998-12-31T23:59:59.999Z").millis();
        let old = Stamp::with_counter(Time::from_millis(end - before_end).unwrap(), n, "zzzzzzzz");
        if let Some(old) = Stamp::parse(old.as_str()) {
            let stamper = Stamper::new(Time::from_millis(now).unwrap(), uid("00000000"));
            match stamper.over(Some(&old)) {
                Ok(next) => {
                    prop_assert!(next > old);
                    prop_assert_eq!(Stamp::parse(next.as_str()), Some(next));
                }
                Err(_) => prop_assert_eq!(old.place(), "9998-12-30T23:59:59.999Z/99999"),
            }
        }
    }

    #[test]
    fn no_text_makes_the_parsers_panic(text in ".{0,60}") {
        let _ = Stamp::parse(&text);
        let _ = Stamp::last_at(&text);
    }
}
