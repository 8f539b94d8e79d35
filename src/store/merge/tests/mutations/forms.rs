//! Odd forms of JSON in records: lists for objects, null, numbers and keys that some readers treat in their own way.

use super::*;

/// The paths of all objects and arrays within a value, except inside untyped JSON.
fn places(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
        const FREE: &[&str] = &["notes", "zoo", "exploration_context", "imported"];
        found.push(at.to_owned());
        match value {
            Value::Object(map) => {
                for (name, inner) in map.iter().filter(|(name, _)| !FREE.contains(&name.as_str())) {
                    walk(inner, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, inner)| walk(inner, &format!("{at}/{n}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}

/// The records of [`store`], with every optional object filled in.
fn full() -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> =
        store().into_iter().map(|(path, bytes)| (path, strict::parse(&bytes).unwrap())).collect();
    let log = |event: Value| {
        let (path, entry) = &all[9];
        let mut entry = entry.clone();
        for (name, value) in event.as_object().unwrap() {
            entry[name] = value.clone();
        }
        (path.clone(), entry)
    };
    let more = vec![
        log(json!({"type": "end", "status": "completed", "failure": null, "result": {"summary": "s",
            "files_modified": ["a"], "tasks": [{"a": 1}]}})),
        log(json!({"type": "aside", "status": "failed", "failure": null, "reason": "retry"})),
        log(
            json!({"type": "land", "onto": "refs/heads/main", "before": "1".repeat(40), "after": "2".repeat(40),
            "how": "squash", "tree": "3".repeat(40), "commits": ["4".repeat(40)], "url": "https://example.org/1",
            "reason": "r", "status": null, "failure": null}),
        ),
        log(json!({"type": "renew", "lease_expires_at": AT, "status": null, "failure": null})),
    ];
    all.extend(more);
    let execution = &mut all[8].1;
    execution["supersedes"] =
        json!([{"execution_id": fixtures::execution_id("EXR-ISS-001-0"), "status": "failed"}]);
    let task = &mut all[2].1["plan"]["tasks"][0];
    *task = json!({"id": "T1", "title": "t", "action": "Create", "files": [{"path": "p", "changes": ["c"]}],
        "modification_points": [{"file": "f"}], "implementation": ["i"], "test": {"commands": ["c"]},
        "acceptance": {"criteria": ["c"], "verification": ["v"]}, "convergence": {"criteria": ["c"]},
        "commit": {"type": "feat"}, "depends_on": [], "estimated_minutes": 100});
    all[2].1["plan"]["analysis"] = json!({"risk": "low"});
    all[0].1["project"] = json!({"guidelines": ["g"]});
    let (id, review) = fixtures::entry(
        PLACE,
        json!({"verdict": "approved", "scores": {"technical": 80, "risk": 90, "completeness": 100},
            "total": 89, "findings": ["f"], "plan_digest": "sha256:0", "author": "a", "created_at": AT}),
    );
    let reviews = layout::reviews(&SolutionId::parse("SOL-ISS-001-1").unwrap());
    all.push((layout::entry(&reviews, &id), review));
    all.into_iter().map(|(path, value)| sealed(&path, value)).collect()
}

/// A changed record, with its id computed again from its content and its path changed to match. A record that has
/// lost its id gets none.
fn sealed(path: &str, mut value: Value) -> (String, Value) {
    let id = value.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let new = match (EntryId::parse(&id), ExecutionId::parse(&id)) {
        (Ok(entry), _) => renamed(&entry, &value).to_string(),
        (_, Ok(execution)) => {
            ExecutionId::new(&execution.issue(), &execution_fingerprint(&value)).to_string()
        }
        _ => return (path.to_owned(), value),
    };
    value["id"] = new.as_str().into();
    (path.replace(&id, &new), value)
}

/// Whether a record would be valid if its id matched its content.
fn is_sound_as(path: &str, value: &Value) -> bool {
    let (path, value) = sealed(path, value.clone());
    is_sound(&path, &file_bytes(&value))
}

#[test]
fn a_list_where_an_object_belongs_is_no_record() {
    let mut objects = 0;
    for (path, value) in full() {
        assert!(is_sound(&path, &file_bytes(&value)), "{path}: {value:#}");
        for place in places(&value) {
            let mut odd = value.clone();
            let here = odd.pointer_mut(&place).unwrap();
            let Value::Object(map) = here else { continue };
            // The elements of a result's tasks are untyped.
            if place.starts_with("/result/tasks/") {
                continue;
            }
            for list in [json!([]), Value::Array(map.values().cloned().collect())] {
                *odd.pointer_mut(&place).unwrap() = list;
                assert!(!is_sound_as(&path, &odd), "{path}{place}: {odd:#}");
                objects += 1;
            }
        }
    }
    assert!(objects > 60, "{objects}");
}

#[test]
fn a_member_that_is_null_is_the_same_as_one_that_is_not_there() {
    for (path, value) in full() {
        for place in places(&value).into_iter().skip(1) {
            let (above, name) = place.rsplit_once('/').unwrap();
            if !value.pointer(above).is_some_and(Value::is_object) || place.starts_with("/result/tasks/") {
                continue;
            }
            let name = name.replace("~1", "/").replace("~0", "~");
            let (mut null, mut gone) = (value.clone(), value.clone());
            *null.pointer_mut(&place).unwrap() = Value::Null;
            gone.pointer_mut(above).unwrap().as_object_mut().unwrap().shift_remove(&name);
            if above == "/clock" {
                assert!(!is_sound_as(&path, &null), "{path}{place}: a clock has stamps only");
                continue;
            }
            assert_eq!(is_sound_as(&path, &null), is_sound_as(&path, &gone), "{path}{place}");
            let (null, gone) = (file_bytes(&null), file_bytes(&gone));
            if let Form::Doc(schema) = form(&path).0 {
                let bytes = |bytes: &[u8]| Doc::parse(schema, bytes).map(|doc| doc.to_bytes());
                assert_eq!(bytes(&null), bytes(&gone), "{path}{place}: what is null is not written");
            }
        }
    }
}

#[test]
fn numbers_and_odd_keys_go_through_a_record_as_they_are() {
    let (path, mut value) = full().swap_remove(1);
    let free = r#"{"$serde_json::private::Number":"1","$serde_json::private::RawValue":"{}","n":[1e5,1E5,-0,1e-07,1.50,null]}"#;
    let free = strict::parse(free.as_bytes()).unwrap();
    value["zoo"] = free.clone();
    value["extended_context"]["notes"] = free.clone();
    value["imported"] = free.clone();
    let Form::Doc(schema) = form(&path).0 else { panic!("{path}") };
    let mut doc = Doc::parse(schema, &file_bytes(&value)).unwrap();
    let issue: crate::model::issue::Issue = doc.read().unwrap();
    let by = crate::model::stamp::Stamper::new(
        crate::model::time::Time::parse(AT).unwrap(),
        crate::model::uid::Uid::from_bits([0; 5]),
    );
    let before = doc.to_bytes();
    assert_eq!(doc.update(&issue, &by), Ok(false), "reading a record does not change it");
    assert_eq!(doc.to_bytes(), before);
    assert_eq!(String::from_utf8(before).unwrap().matches("1e5").count(), 3);
    assert_eq!((issue.imported.as_ref(), &doc.fields()["zoo"]), (Some(&free), &free));
}

#[test]
fn a_number_can_have_any_size_and_is_written_as_it_was() {
    let (path, mut value) = full().swap_remove(2);
    for number in ["1e400", "-1e400", "1E-400", "-0", "100000000000000000000000"] {
        value["plan"]["tasks"][0]["estimated_minutes"] = strict::parse(number.as_bytes()).unwrap();
        let bytes = file_bytes(&value);
        assert!(is_sound(&path, &bytes), "{number}");
        let Form::Doc(schema) = form(&path).0 else { panic!("{path}") };
        let written = Doc::parse(schema, &bytes).unwrap().to_bytes();
        assert!(String::from_utf8(written).unwrap().contains(&format!("\"estimated_minutes\": {number}")));
    }
}
