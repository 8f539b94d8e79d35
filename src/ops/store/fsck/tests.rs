use serde_json::json;

use super::findings;
use crate::gate::received::received;
use crate::git::bounded;
use crate::model::fixtures::entry;
use crate::store::history::lineage::tests::{History, issue, path};
use crate::store::{Form, layout};

#[test]
fn what_is_set_aside_and_hidden_in_a_folder_is_read_once_for_all_its_files() {
    let read = |count: usize| {
        let mut history = History::new();
        let folder = path(1).replace("/issue.json", "");
        let mut files = vec![(path(1), Some(issue(1, "01", "t")))];
        let at = "2026-11-01T00:00:00.000Z";
        for n in 0..count {
            let mut add = |log: &str, year: u16, record: serde_json::Value| {
                let (id, record) = entry(&format!("{year}0101T{n:09}Z-00000"), record);
                let form = layout::form(&format!("{folder}/{log}/{id}.json")).0;
                let Form::Entry(once) = form else { panic!("{log}") };
                let text = String::from_utf8(crate::model::doc::file_bytes(&once.ordered(&record).unwrap()))
                    .unwrap();
                files.push((format!("{folder}/{log}/{id}.json"), Some(text)));
                id
            };
            let comment = json!({"body": n.to_string(), "author": "a", "created_at": at});
            let id = add("comments", 9500, comment);
            let aside = json!({"target": format!("comments/{id}.json"), "field": "-", "reason": "r", "author": "a", "created_at": at});
            add("redactions", 2026, aside);
            let stamp = "2026-11-01T00:00:00.000Z/00000/00000000";
            let hides = json!({"target": "issue.json", "field": "title", "stamp": stamp, "reason": n.to_string(), "author": "a", "created_at": at});
            add("redactions", 2026, hides);
        }
        let tip = history.commit(&[history.first()], &files);
        bounded::READ.set(0);
        assert_eq!(received(&history.store, Some(history.first()), tip).unwrap(), []);
        let gate = bounded::READ.get();
        history.store.repo().set_ref("refs/wf/main", tip);
        bounded::READ.set(0);
        findings(&history.store, &mut |_, _, _| {}).unwrap();
        (gate, bounded::READ.get())
    };
    let (few, many, more) = (read(10), read(40), read(70));
    // With twice as many files to add, twice as many are read.
    for of in [|pair: (usize, usize)| pair.0, |pair: (usize, usize)| pair.1] {
        let (first, second) = (of(many) - of(few), of(more) - of(many));
        assert!(second <= first + 20, "{few:?} {many:?} {more:?}");
    }
}
