//! What a commit changed in a record, and which changes no command makes.

use super::*;

#[test]
fn a_step_that_no_command_makes_is_told() {
    let old = Doc::born(&THING, &json!({"id": "x", "title": "t"}), stamp(5, 1));
    let between = |old: Option<&Doc>, new: &Doc| RecordStep::between(old, new, at(9));
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
        // A repair changes nothing but the epoch.
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
