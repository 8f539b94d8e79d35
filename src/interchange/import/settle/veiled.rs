//! What is hidden in the record of the last import stays hidden in that of the next.

use serde_json::Value;

use crate::interchange::tracker::{Arrival, Tracker};
use crate::model::redaction::REDACTED;

/// The arrival without what is hidden in `known`, the record of the last import; `None` if nothing of that is there.
pub(super) fn veiled(tracker: &Tracker, known: &Value, arrival: &Arrival) -> Option<Arrival> {
    let now = arrival.issue.imported.as_ref()?;
    let mut veiled = now.clone();
    veil(known, &mut veiled);
    if veiled == *now {
        return None;
    }
    let read = (tracker.read)(&veiled).ok().filter(|read| read.issue.id == arrival.issue.id)?;
    Some(Arrival {
        changed: arrival.changed,
        work: arrival.work.clone(),
        silent: arrival.silent.clone(),
        ..read
    })
}

/// Hides in `now` what is hidden in `known` at the same place. Elements of lists have one place if they have one id, or
/// none.
fn veil(known: &Value, now: &mut Value) {
    match (known, now) {
        (Value::String(text), now) if text == REDACTED && !now.is_null() => *now = REDACTED.into(),
        (Value::Object(known), Value::Object(now)) => {
            for (name, now) in now {
                if let Some(known) = known.get(name) {
                    veil(known, now);
                }
            }
        }
        (Value::Array(known), Value::Array(now)) => {
            // Names in a list have no place: if one is hidden, all are.
            if known.iter().any(|it| it == REDACTED) {
                now.iter_mut().filter(|it| it.is_string()).for_each(|it| *it = REDACTED.into());
            }
            for (n, now) in now.iter_mut().enumerate() {
                let of_id = now.get("id").and_then(|id| known.iter().find(|it| it.get("id") == Some(id)));
                let at_place = known.get(n).filter(|it| it.get("id").is_none());
                if let Some(known) = of_id.or(at_place).filter(|it| !it.is_string()) {
                    veil(known, now);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_hidden_is_hidden_again_wherever_it_stands_now() {
        let known = json!({"text": "[redacted]", "gone": "[redacted]", "names": ["[redacted]"], "same": "a",
            "list": [{"id": 1, "text": "[redacted]"}, {"id": 2, "text": "b"}]});
        let mut now = json!({"text": "secret", "names": ["x", "y"], "same": "a",
            "list": [{"id": 3, "text": "c"}, {"id": 2, "text": "b"}, {"id": 1, "text": "secret"}]});
        veil(&known, &mut now);
        let hidden = json!({"text": "[redacted]", "names": ["[redacted]", "[redacted]"], "same": "a",
            "list": [{"id": 3, "text": "c"}, {"id": 2, "text": "b"}, {"id": 1, "text": "[redacted]"}]});
        assert_eq!(now, hidden);
    }
}
