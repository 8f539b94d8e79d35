//! Two clones that import one source at different times: whatever they do, the next import of the newest state makes
//! both the same as a store that only ever imported that.

use serde_json::{Value, json};

use super::{import, issue, lines, record};
use crate::support::{Repo, Sandbox, Two};

/// The states of one issue in its source, the oldest first. Each adds, changes and removes something.
fn states() -> Vec<Value> {
    let comment = |text: &str, day: u32| json!({"id": day, "author": "Bea", "text": text, "created_at": format!("2026-01-0{day}T10:00:00Z")});
    let on = |id: &str, kind: &str| json!({"issue_id": "zoo-1", "depends_on_id": id, "type": kind});
    let at = |day: u32, more: Value| {
        let mut record = record("zoo-1", &more);
        record["updated_at"] = format!("2026-01-0{day}T08:00:00Z").into();
        record
    };
    vec![
        at(
            2,
            json!({"labels": ["a", "b"], "assignee": "Ada", "notes": "one", "dependencies": [on("zoo-2", "blocks")]}),
        ),
        at(
            3,
            json!({"labels": ["b", "c"], "description": "two", "comments": [comment("Hm.", 3)],
            "dependencies": [on("zoo-3", "blocks"), on("zoo-2", "parent-child")]}),
        ),
        at(
            4,
            json!({"labels": [], "status": "closed", "closed_at": "2026-01-04T07:00:00Z", "title": "Three"}),
        ),
        at(
            5,
            json!({"labels": ["a"], "assignee": "Bea", "comments": [comment("Hm.", 3), comment("Ha.", 5)]}),
        ),
    ]
}

/// What the record says, whatever its stamps.
fn said(repo: &Repo) -> Value {
    let mut read = issue(repo, "zoo-1");
    read.as_object_mut().unwrap().remove("clock");
    read
}

#[test]
fn the_newest_state_stands_in_the_end_with_all_removals() {
    let states = states();
    let newest = states.last().unwrap();
    let alone = super::store(&Sandbox::new(), "alone");
    import(&alone, &lines(std::slice::from_ref(newest)));
    let expected = said(&alone);
    // Which clone imports which states, in which order, before and after they meet.
    let orders: [(&[usize], &[usize], &[usize]); 6] = [
        (&[0], &[3], &[]),
        (&[0, 1], &[2, 3], &[]),
        (&[0, 2], &[1], &[2]),
        (&[1], &[0, 2, 3], &[0]),
        (&[3], &[0], &[1, 2]),
        (&[0], &[1], &[0, 1]),
    ];
    for (ada, bea, after) in orders {
        let two = Two::new();
        let state = |n: &usize| lines(std::slice::from_ref(&states[*n]));
        ada.iter().for_each(|n| drop(import(&two.ada, &state(n))));
        bea.iter().for_each(|n| drop(import(&two.bea, &state(n))));
        two.meet();
        after.iter().for_each(|n| drop(import(&two.bea, &state(n))));
        // Both import the newest state before they meet again.
        import(&two.ada, &state(&3));
        import(&two.bea, &state(&3));
        two.meet();
        assert_eq!(said(&two.ada), expected, "{ada:?} {bea:?} {after:?}");
        let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
        assert_eq!(tree(&two.ada), tree(&two.bea), "{ada:?} {bea:?} {after:?}");
        let tip = two.ada.tip();
        for n in 0..states.len() {
            import(&two.ada, &state(&n));
        }
        assert_eq!(two.ada.tip(), tip, "importing any of them again changes nothing");
        assert_eq!(two.ada.json(&["conflicts"]), json!([]));
    }
}

#[test]
fn clones_that_meet_end_with_the_later_state_and_its_removals() {
    let states = states();
    let orders: [(&[usize], &[usize]); 6] =
        [(&[0], &[1]), (&[2], &[0]), (&[0, 2], &[1]), (&[0], &[1, 3]), (&[1, 3], &[2]), (&[3], &[0, 1])];
    for (ada, bea) in orders {
        let two = Two::new();
        let state = |n: &usize| lines(std::slice::from_ref(&states[*n]));
        ada.iter().for_each(|n| drop(import(&two.ada, &state(n))));
        bea.iter().for_each(|n| drop(import(&two.bea, &state(n))));
        two.meet();
        two.assert_one_state();
        let latest = ada.iter().chain(bea).max().unwrap();
        let alone = super::store(&Sandbox::new(), "alone");
        import(&alone, &state(latest));
        assert_eq!(said(&two.ada), said(&alone), "{ada:?} {bea:?}");
        let again = import(&two.bea, &state(latest));
        assert_eq!((&again["unchanged"], &again["updated"]), (&json!(1), &json!(0)), "{ada:?} {bea:?}");
        let shown = two.ada.json(&["show", "zoo-1"]);
        let bodies: Vec<&Value> =
            shown["comments"].as_array().unwrap().iter().map(|it| &it["body"]).collect();
        let said = [&json!("Hm."), &json!("Ha.")];
        assert!(
            bodies.iter().all(|body| said.contains(body)) && bodies.len() <= 2,
            "no comment twice: {bodies:?}"
        );
    }
}

/// A record of the source as of a day in January 2026.
fn on(day: u32, title: &str, author: &str) -> String {
    let more =
        json!({"title": title, "created_by": author, "updated_at": format!("2026-01-0{day}T08:00:00Z")});
    lines(&[record("zoo-1", &more)])
}

#[test]
fn an_edit_here_is_in_conflict_only_with_what_changed_in_the_source() {
    for (theirs, is_conflict) in
        [(on(2, "One", "Ada"), false), (on(4, "One", "Ada"), false), (on(4, "Two", "Ada"), true)]
    {
        for is_imported_again in [false, true] {
            let two = Two::new();
            import(&two.ada, &on(2, "One", "Ada"));
            two.ada.wf(&["edit", "zoo-1", "--title", "Mine"]).ok();
            if is_imported_again {
                import(&two.ada, &theirs);
            }
            import(&two.bea, &theirs);
            two.meet();
            two.assert_one_state();
            assert_eq!(issue(&two.bea, "zoo-1")["title"], "Mine");
            // Someone who imports the newer state after an edit has seen both.
            let open = usize::from(is_conflict && !is_imported_again);
            for repo in [&two.ada, &two.bea] {
                assert_eq!(repo.json(&["conflicts"]).as_array().unwrap().len(), open, "{theirs}");
            }
        }
    }
}

#[test]
fn a_source_that_names_another_author_is_no_forgery() {
    let two = Two::new();
    import(&two.ada, &on(2, "One", "Ada"));
    import(&two.ada, &on(4, "Two", "Bea"));
    import(&two.bea, &on(4, "Two", "Bea"));
    for repo in [&two.ada, &two.bea, &two.ada, &two.bea] {
        let ran = repo.wf(&["sync"]).ok();
        assert!(!ran.stderr.contains("recreated"), "{}", ran.stderr);
    }
    two.assert_one_state();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(repo.wf(&["fsck"]).ok().stdout, "0 errors, 0 notes\n");
    }
}

#[test]
fn what_was_edited_here_outlives_the_removal_of_what_was_not() {
    let states = states();
    let state = |n: usize| lines(std::slice::from_ref(&states[n]));
    let two = Two::new();
    import(&two.ada, &state(0));
    two.ada.wf(&["edit", "zoo-1", "--tag", "mine", "--assignee", "Cal"]).ok();
    import(&two.bea, &state(2));
    two.meet();
    import(&two.bea, &state(2));
    let read = issue(&two.bea, "zoo-1");
    assert_eq!((&read["tags"], &read["assignee"]), (&json!(["mine"]), &json!("Cal")));
    assert_eq!(read["title"], "Three");
}
