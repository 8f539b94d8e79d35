//! The gates of the project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::op::Op;
use crate::model::root::{Policy, Project};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::policy::{Gate, ONTO, PolicySetting, land_onto};
use crate::store::{ObjectId, records};

/// The value of each gate, by name, and the target branch if one is set.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Gates(pub(crate) BTreeMap<&'static str, Cow<'static, str>>);

impl Gates {
    /// The gates as a policy sets them.
    pub(crate) fn new(policy: &Policy) -> Self {
        let gates = Gate::ALL.iter().map(|gate| (gate.as_str(), gate.word(gate.setting(policy)).into()));
        let onto = land_onto(policy).map(|branch| (ONTO, branch.short().to_owned().into()));
        Self(gates.chain(onto).collect())
    }
}

impl JsonSchema for Gates {
    fn schema_name() -> Cow<'static, str> {
        "Gates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let gates = Gate::ALL.iter().map(|gate| {
            let words = gate.settings();
            let about =
                format!("`{}` unless set; `{}`: {}", words[0], words[1..].join("` or `"), gate.about());
            let schema = serde_json::json!({"description": about, "type": "string", "enum": words});
            (gate.to_string(), schema)
        });
        let about = "The branch on which completed work lands; absent unless set.";
        let onto = (ONTO.to_owned(), serde_json::json!({"description": about, "type": "string"}));
        let gates: Map<String, Value> = gates.chain([onto]).collect();
        let names: Vec<&str> = Gate::ALL.iter().map(|gate| gate.as_str()).collect();
        json_schema!({"type": "object", "properties": gates, "required": names})
    }
}

/// What holds for the whole project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Settings {
    /// The gates, and the target branch if one is set.
    pub(crate) policy: Gates,
    /// The context for planners.
    pub(crate) project: Project,
}

/// The gates and the project context.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn settings(session: &Session) -> Answer<Settings> {
    answer(session, None)
}

/// Sets gates, each as `GATE=VALUE`, and the target branch, as `land.onto=BRANCH`: all of them or none.
///
/// # Errors
/// An unknown gate or value, or what cannot be a branch.
pub(crate) fn set_policy(session: &Session, settings: &[String]) -> Answer<Settings> {
    let permit = session.permit(Op::Settings)?;
    let parsed = settings
        .iter()
        .map(|setting| Ok(PolicySetting::parse(setting)?))
        .collect::<Result<Vec<_>, Refusal>>()?;
    let committed = session.transact(permit, |tx| {
        tx.edit_root(|root| parsed.iter().for_each(|setting| setting.apply(&mut root.policy)))?;
        let named: Vec<String> = parsed.iter().map(PolicySetting::to_string).collect();
        tx.describe(format!("policy: set {}", named.join(", ")));
        Ok(())
    })?;
    answer(session, committed.commit)
}

pub(super) fn answer(session: &Session, commit: Option<ObjectId>) -> Answer<Settings> {
    let root = records::root(&session.store().snapshot()?)?;
    let settings = Settings { policy: Gates::new(&root.policy), project: root.project };
    Ok(session.done(settings, commit))
}
