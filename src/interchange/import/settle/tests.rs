//! Two clones import states of one source at arbitrary times. Each state is newer than those before it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::interchange::beads::BEADS;
use crate::interchange::ccw::CCW;
use crate::interchange::git_bug::GIT_BUG;
use crate::interchange::github::GITHUB;

/// Decides about a record that closes no circle.
fn alone(here: Option<Doc>, tracker: &Tracker, arrival: &Arrival) -> Settled {
    joined(here, tracker, arrival, Unsettled { fresh: None, left_out: &LeftOutRelations::default() })
}

/// Imports a state, and returns whether that changed anything.
fn import(here: &mut Option<Doc>, tracker: &Tracker, record: &Value) -> bool {
    let arrival = (tracker.read)(record).unwrap_or_else(|refused| panic!("{refused:?} {record}"));
    match alone(here.take(), tracker, &arrival) {
        Settled::New(_) => *here = Some(made(&arrival)),
        Settled::Known { doc: Some(doc), .. } => *here = Some(doc),
        Settled::Known { doc: None, .. } | Settled::Older(_) | Settled::Redacted | Settled::Other(_) => {
            return false;
        }
    }
    true
}

/// Like [`import`], but returns a changed copy.
fn import_into(doc: &Doc, tracker: &Tracker, record: &Value) -> (Doc, bool) {
    let mut here = Some(doc.clone());
    let is_changed = import(&mut here, tracker, record);
    (here.unwrap_or_else(|| doc.clone()), is_changed)
}

/// A state of a source: for each of six fields, the number of its value, if it has one.
type State = [Option<u8>; 6];

fn day(state: usize) -> String {
    format!("2026-01-{:02}T08:00:00Z", state + 2)
}

fn texts(given: Option<u8>) -> Value {
    given.map_or(json!([]), |n| json!((0..=n).map(|n| format!("t{n}")).collect::<Vec<_>>()))
}

fn text(given: Option<u8>) -> Value {
    given.map_or(Value::Null, |n| json!(format!("text {n}")))
}

fn beads(n: usize, [one, two, three, four, five, six]: State) -> Value {
    let status = ["open", "closed", "in_progress"][usize::from(two.unwrap_or(0)) % 3];
    let on = |kind: &str, n: u8| json!({"issue_id": "zoo-1", "depends_on_id": format!("zoo-{}", n + 2), "type": kind});
    let mut links: Vec<Value> = four.into_iter().map(|n| on("blocks", n)).collect();
    links.extend(five.map(|n| on("relates-to", n)));
    json!({"id": "zoo-1", "title": format!("title {}", one.unwrap_or(9)), "description": text(two), "design": text(three),
        "notes": text(four), "acceptance_criteria": text(five), "assignee": text(six), "labels": texts(one),
        "status": status, "priority": three.unwrap_or(2),
        "dependencies": links, "estimated_minutes": six, "created_at": "2026-01-01T08:00:00Z", "created_by": "Ada",
        "updated_at": day(n)})
}

fn github(n: usize, [one, two, three, four, five, six]: State) -> Value {
    json!({"number": 7, "title": format!("title {}", one.unwrap_or(9)), "body": text(two), "author": {"login": "ada"},
        "labels": texts(three), "state": if four.is_some() { "CLOSED" } else { "OPEN" }, "stateReason": "COMPLETED",
        "assignees": five.map_or(json!([]), |n| json!([{"login": format!("a{n}")}])), "milestone": six.map(|n| json!({"title": n.to_string()})),
        "closedAt": four.map(|_| day(n)), "createdAt": "2026-01-01T08:00:00Z", "updatedAt": day(n)})
}

fn ccw(n: usize, [one, two, three, four, five, six]: State) -> Value {
    json!({"id": "ISS-001", "title": format!("title {}", one.unwrap_or(9)), "context": text(two), "tags": texts(three),
        "priority": four.unwrap_or(2) + 1, "expected_behavior": text(five), "status": if six.is_some() { "closed" } else { "registered" },
        "created_at": "2026-01-01T08:00:00Z", "updated_at": day(n)})
}

/// The states of a bug in git-bug, each with the operations of the states before it.
fn bugs(states: &[State]) -> Vec<Value> {
    let id = "a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f708192a3b4c5d6e7f809";
    let mut all: Vec<Value> = Vec::new();
    let mut say = |op: Value| {
        let number = all.len();
        let id = if number == 0 { id.to_owned() } else { format!("op{number}") };
        let mut op = op;
        op["timestamp"] = json!(1_600_000_000 + number);
        all.push(
            json!({"id": id, "author": {"id": "i1", "name": "Ada", "email": "ada@example.org"}, "op": op}),
        );
        json!({"git_bug": 4, "id": all[0]["id"], "operations": all})
    };
    say(json!({"type": 1, "title": "title", "message": "text", "files": []}));
    let mut grown = Vec::new();
    for [one, two, three, four, ..] in states {
        let mut last = say(json!({"type": 2, "title": format!("title {}", one.unwrap_or(9)), "was": "x"}));
        if let Some(n) = two {
            last =
                say(json!({"type": 5, "added": [format!("l{n}")], "removed": [format!("l{}", (n + 1) % 3)]}));
        }
        if let Some(n) = three {
            last = say(json!({"type": 4, "status": n % 2 + 1}));
        }
        if let Some(n) = four {
            last = say(json!({"type": 6, "target": id, "message": format!("text {n}")}));
        }
        grown.push(last);
    }
    grown
}

fn follow(doc: &Doc, tracker: &'static Tracker) -> Option<Doc> {
    Last::read(doc, |record| (tracker.read)(record).ok())?.followed(doc)
}

/// The content of a record, apart from its stamps.
fn content(doc: &Doc) -> Value {
    let mut fields = doc.fields();
    fields.as_object_mut().unwrap().remove("clock");
    fields
}

fn states() -> impl Strategy<Value = Vec<State>> {
    prop::collection::vec(prop::array::uniform6(prop::option::of(0u8..3)), 1..5)
}

proptest! {
    #[test]
    fn clones_that_import_at_different_dates_end_as_one_that_imported_the_newest_state(
        states in states(),
        orders in prop::array::uniform3(prop::collection::vec(0usize..5, 0..5)),
        edit in prop::option::of("[a-z]{3}"),
    ) {
        let all = |make: fn(usize, State) -> Value| -> Vec<Value> {
            states.iter().enumerate().map(|(n, state)| make(n, *state)).collect()
        };
        let sources =
            [(&BEADS, all(beads)), (&GITHUB, all(github)), (&CCW, all(ccw)), (&GIT_BUG, bugs(&states))];
        for (tracker, records) in sources {
            let newest = records.last().unwrap();
            let mut alone = None;
            import(&mut alone, tracker, newest);
            let alone = alone.unwrap();
            let read = |order: &[usize]| {
                let mut here = None;
                for n in order.iter().filter(|n| **n < records.len()) {
                    here = match here {
                        None => { import(&mut here, tracker, &records[*n]); here }
                        Some(doc) => Some(import_into(&doc, tracker, &records[*n]).0),
                    };
                }
                here
            };
            let mut ada = read(&orders[0]);
            // Someone changes a field here that the source does not have.
            if let (Some(doc), Some(edit)) = (&mut ada, &edit) {
                let fields = doc.fields();
                let mut changed = fields.clone();
                changed["actual_behavior"] = json!(edit);
                let stamper = crate::model::stamp::Stamper::new(
                    crate::model::time::Time::parse("2027-01-01T00:00:00Z").unwrap(), crate::model::uid::Uid::from_content(&[b"x"]),
                );
                doc.update(&changed, &stamper).unwrap();
            }
            let is_edited = ada.is_some() && edit.is_some();
            let bea = read(&orders[1]);
            let met = match (ada, bea) {
                (Some(one), Some(two)) => {
                    let met = one.clone().merge(two.clone());
                    prop_assert_eq!(&met, &two.merge(one), "{}", tracker.name);
                    Some(met)
                }
                (one, two) => one.or(two),
            };
            let mut met = match met {
                Some(met) => met,
                None => alone.clone(),
            };
            // Right after they meet, what the imports wrote is as the latest state that either of them read.
            let latest = orders[..2].iter().flatten().filter(|n| **n < records.len()).max();
            if let Some(latest) = latest {
                met = follow(&met, tracker).unwrap_or(met);
                let mut alone = None;
                import(&mut alone, tracker, &records[*latest]);
                let mut expected = content(&alone.unwrap());
                if let Some(edit) = &edit
                    && is_edited
                {
                    expected["actual_behavior"] = json!(edit);
                }
                prop_assert_eq!(content(&met), expected, "{}", tracker.name);
                prop_assert!(follow(&met, tracker).is_none());
            }
            for n in orders[2].iter().filter(|n| **n < records.len()) {
                met = import_into(&met, tracker, &records[*n]).0;
            }
            met = import_into(&met, tracker, newest).0;
            let mut expected = content(&alone);
            if let Some(edit) = &edit
                && is_edited
            {
                expected["actual_behavior"] = json!(edit);
            }
            prop_assert_eq!(content(&met), expected, "{}", tracker.name);
            for record in &records {
                prop_assert!(!import_into(&met, tracker, record).1, "{}: a second import changes nothing", tracker.name);
            }
        }
    }
}

/// A record of ccw that lacks so many of two plans.
fn lacking(assignee: &str, lacking: usize) -> Value {
    let item = |n: usize| {
        let digest = (n >= lacking).then_some("sha256:1");
        json!({"queue_id": "QUE-1", "number": format!("S-{n}"), "plan_digest": digest,
            "item": {"item_id": format!("S-{n}"), "solution_id": format!("SOL-ISS-001-{n}")}})
    };
    let plans: Vec<String> = (lacking..2).map(|n| format!("SOL-ISS-001-{n}")).collect();
    json!({"id": "ISS-001", "title": "T", "status": "queued", "assignee": assignee, "bound_solution_id": "SOL-ISS-001-1",
        "created_at": "2026-01-01T08:00:00Z", "updated_at": day(0), "ccw": {"plans": plans, "items": [item(0), item(1)]}})
}

proptest! {
    #[test]
    fn of_records_with_one_time_that_lack_plans_the_most_complete_one_stands_in_every_clone(
        texts in prop::array::uniform3("[a-z]{1,3}"),
        orders in prop::array::uniform2(prop::collection::vec(0usize..3, 1..4)),
    ) {
        let records: Vec<Value> = texts.iter().enumerate().map(|(n, text)| lacking(text, n)).collect();
        let read = |order: &[usize]| {
            let mut here = None;
            for n in order {
                here = match here {
                    None => { import(&mut here, &CCW, &records[*n]); here }
                    Some(doc) => Some(import_into(&doc, &CCW, &records[*n]).0),
                };
            }
            here.unwrap()
        };
        let [ada, bea] = [&orders[0], &orders[1]].map(|order| read(order));
        let met = ada.clone().merge(bea.clone());
        prop_assert_eq!(&met, &bea.merge(ada));
        let met = follow(&met, &CCW).unwrap_or(met);
        let best = *orders.iter().flatten().min().unwrap();
        prop_assert_eq!(content(&met), content(&read(&[best])));
        for n in orders.iter().flatten() {
            prop_assert!(!import_into(&met, &CCW, &records[*n]).1, "importing {} again changes nothing", n);
        }
    }
}

#[test]
fn a_record_without_a_time_of_creation_is_known_again() {
    let undated = |record: &Value, title: &str, day: usize| {
        let mut record = record.clone();
        record.as_object_mut().unwrap().remove("created_at");
        record["title"] = json!(title);
        record["updated_at"] = json!(self::day(day));
        record
    };
    for (tracker, record) in [(&BEADS, beads(0, [Some(1); 6])), (&CCW, lacking("Ada", 0))] {
        let states = [undated(&record, "one", 0), undated(&record, "two", 1)];
        let [one, two] = states.each_ref().map(|state| {
            let mut here = None;
            import(&mut here, tracker, state);
            here.unwrap()
        });
        let (later, is_changed) = import_into(&one, tracker, &states[1]);
        assert!(is_changed && content(&later) == content(&two), "{}", tracker.name);
        let met = one.clone().merge(two);
        assert_eq!(content(&follow(&met, tracker).unwrap_or(met)), content(&later), "{}", tracker.name);
        // The source was corrected.
        let mut dated = states[1].clone();
        dated["created_at"] = json!("2025-01-01T08:00:00Z");
        dated["updated_at"] = json!(day(2));
        let (corrected, is_changed) = import_into(&later, tracker, &dated);
        assert!(is_changed, "{}", tracker.name);
        // From then on it is dated, and continues to be followed.
        let mut titled = dated.clone();
        (titled["title"], titled["updated_at"]) = (json!("three"), json!(day(3)));
        let (last, is_changed) = import_into(&corrected, tracker, &titled);
        assert!(is_changed && content(&last)["title"] == "three", "{}", tracker.name);
    }
    // An issue that was made here is another one.
    let mut fields = content(&made(&(BEADS.read)(&beads(0, [None; 6])).unwrap()));
    fields.as_object_mut().unwrap().remove("imported");
    let stamp = Stamp::parse("2026-01-01T08:00:00.000Z/00000/7k3m2pq9").unwrap();
    let here = Doc::born(&ISSUE, &fields, stamp);
    let arrival = (BEADS.read)(&undated(&beads(0, [None; 6]), "one", 0)).unwrap();
    assert!(matches!(alone(Some(here), &BEADS, &arrival), Settled::Other(_)));
}

#[test]
fn a_record_of_beads_that_looks_like_one_of_ccw_follows_its_source_once_it_is_here() {
    let mut record = beads(0, [Some(1); 6]);
    record["bound_solution_id"] = json!("SOL-zoo-1-1");
    assert!(BEADS.foreign.unwrap()(&record).is_some(), "a new one stays out");
    let mut here = None;
    import(&mut here, &BEADS, &record);
    let mut later = beads(1, [None; 6]);
    later["title"] = json!("later");
    let (now, is_changed) = import_into(&here.unwrap(), &BEADS, &later);
    let fields = content(&now);
    assert!(is_changed && fields["title"] == "later", "{fields:#}");
    assert_eq!((fields.get("tags"), fields.get("assignee")), (None, None), "what the source removed is gone");
}

#[test]
fn a_record_that_says_more_at_the_same_time_comes_in() {
    let few = github(0, [Some(1); 6]);
    let mut here = None;
    import(&mut here, &GITHUB, &few);
    let mut more = few.clone();
    more["id"] = json!("I_1");
    let (now, is_changed) = import_into(&here.unwrap(), &GITHUB, &more);
    assert!(is_changed && content(&now)["imported"]["id"] == "I_1");
    assert!(!import_into(&now, &GITHUB, &few).1);
}

#[test]
fn a_new_record_has_the_same_bytes_however_it_is_made() {
    let mut arrival = (BEADS.read)(&beads(0, [Some(1); 6])).unwrap();
    let whole = made(&arrival).to_bytes();
    let record = arrival.issue.imported.clone();
    assert_eq!(Fresh::take(&mut arrival).bytes.unwrap(), whole);
    assert_eq!(arrival.issue.imported, record);
}

#[test]
fn an_absent_member_of_a_github_issue_says_nothing() {
    let full = github(0, [Some(1); 6]);
    let mut few = json!({"number": 7, "title": "few", "state": "CLOSED", "createdAt": "2026-01-01T08:00:00Z", "updatedAt": day(1)});
    let mut expected = None;
    import(&mut expected, &GITHUB, &full);
    let alone = expected.unwrap();
    let mut expected = content(&alone);
    expected["title"] = json!("few");
    let bare = |doc: &Doc| {
        let mut fields = content(doc);
        fields.as_object_mut().unwrap().remove("imported");
        fields
    };
    expected.as_object_mut().unwrap().remove("imported");
    let after = import_into(&alone, &GITHUB, &few).0;
    assert_eq!(bare(&after), expected, "a later import");
    assert!(!import_into(&after, &GITHUB, &few).1 && !import_into(&after, &GITHUB, &full).1);
    let mut other = None;
    let mut signed = few.clone();
    signed["author"] = full["author"].clone();
    import(&mut other, &GITHUB, &signed);
    let met = alone.clone().merge(other.unwrap());
    assert_eq!(bare(&follow(&met, &GITHUB).unwrap_or(met)), expected, "another clone's import");
    // What is there and empty is a removal.
    few["assignees"] = json!([]);
    few["body"] = json!(null);
    few["updatedAt"] = json!(day(2));
    let after = bare(&import_into(&after, &GITHUB, &few).0);
    assert!(after.get("assignee").is_none() && after.get("context").is_none() && after.get("tags").is_some());
}

#[test]
fn an_issue_of_another_repository_with_its_number_and_time_stays_out() {
    let at = |name: &str, title: &str, day: usize| {
        json!({"number": 7, "title": title, "author": {"login": "ada"}, "createdAt": "2026-01-01T08:00:00Z",
            "updatedAt": self::day(day), "url": format!("https://github.com/{name}/issues/7")})
    };
    let mut here = None;
    import(&mut here, &GITHUB, &at("zoo/okapi", "Tokens expire", 0));
    let here = here.unwrap();
    let other = at("zoo/gnu", "Dark mode", 1);
    let arrival = (GITHUB.read)(&other).unwrap();
    let Settled::Other(reason) = alone(Some(here.clone()), &GITHUB, &arrival) else { panic!("it came in") };
    assert!(reason.contains("from https://github.com/zoo/okapi/issues/7, is already here"), "{reason}");
    assert!(import_into(&here, &GITHUB, &at("zoo/okapi", "Tokens last", 1)).1);
    // Someone says that it moved.
    let mut fields = here.fields();
    fields["source_url"] = json!("https://github.com/zoo/gnu/issues/7");
    let mut moved = here;
    let now = crate::model::time::Time::parse("2027-01-01T00:00:00Z").unwrap();
    let stamper = crate::model::stamp::Stamper::new(now, crate::model::uid::Uid::from_content(&[b"x"]));
    moved.update(&fields, &stamper).unwrap();
    assert!(import_into(&moved, &GITHUB, &other).1);
}
