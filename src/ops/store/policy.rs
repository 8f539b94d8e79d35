//! The gates of the project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::root::Policy;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::policy::{GATES, parse, set, value};
use crate::store::{ObjectId, records};

/// Each gate by its name, and what it is set to.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Gates(pub(crate) BTreeMap<&'static str, String>);

impl Gates {
    fn of(policy: &Policy) -> Self {
        Self(GATES.iter().map(|gate| (gate.name, value(policy, gate).to_owned())).collect())
    }
}

impl JsonSchema for Gates {
    fn schema_name() -> Cow<'static, str> {
        "Gates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let gates = GATES.iter().map(|gate| {
            let [open, .., closed] = gate.values else { return (gate.name, Value::Bool(true)) };
            let about = format!("`{open}` unless set; `{closed}`: {}", gate.about);
            (gate.name, serde_json::json!({"description": about, "type": "string", "enum": gate.values}))
        });
        let gates: Map<String, Value> = gates.map(|(name, schema)| (name.to_owned(), schema)).collect();
        let names: Vec<&str> = GATES.iter().map(|gate| gate.name).collect();
        json_schema!({"type": "object", "properties": gates, "required": names})
    }
}

/// What each gate is set to.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn policy(session: &Session) -> Answer<Gates> {
    answer(session, None)
}

/// Sets gates, each as `GATE=VALUE`: all of them or none.
///
/// # Errors
/// An unknown gate or value.
pub(crate) fn set_policy(session: &Session, settings: &[String]) -> Answer<Gates> {
    let parsed = settings.iter().map(|setting| Ok(parse(setting)?)).collect::<Result<Vec<_>, Refusal>>()?;
    let committed = session.transact(|tx| {
        tx.edit_root(|root| parsed.iter().for_each(|(gate, value)| set(&mut root.policy, gate, value)))?;
        let named: Vec<String> =
            parsed.iter().map(|(gate, value)| format!("{}={value}", gate.name)).collect();
        tx.describe("policy set", format!("policy: set {}", named.join(", ")));
        Ok(())
    })?;
    answer(session, committed.commit)
}

fn answer(session: &Session, commit: Option<ObjectId>) -> Answer<Gates> {
    let root = records::root(&session.store().snapshot()?)?;
    Ok(session.done(Gates::of(&root.policy), commit))
}
