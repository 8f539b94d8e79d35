//! The gates of the project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::{Branch, Code, Op, Policy, Project, shell};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::Gate;
use crate::rules::policy::{ONTO, PolicySetting, land_onto};
use crate::store::{ObjectId, Store, StoreError, records};

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
    for setting in &parsed {
        if let PolicySetting::Onto(Some(branch)) = setting {
            refuse_unknown_branch(session.store(), branch)?;
        }
    }
    let committed = session.transact(permit, |tx| {
        tx.edit_root(|root| parsed.iter().for_each(|setting| setting.apply(&mut root.policy)))?;
        let named: Vec<String> = parsed.iter().map(PolicySetting::to_string).collect();
        tx.describe(format!("policy: set {}", named.join(", ")));
        Ok(())
    })?;
    answer(session, committed.commit)
}

/// Refuses a branch that is neither here nor at a remote, as far as this clone knows: nothing could land on it.
fn refuse_unknown_branch(store: &Store, branch: &Branch) -> Result<(), Refusal> {
    let is_unborn = store.head()?.is_none() && store.branch()?.as_ref() == Some(branch);
    if is_unborn || store.read_ref(branch.as_str())?.is_some() {
        return Ok(());
    }
    let tracked = store.repo().refs_under("refs/remotes/").map_err(StoreError::Git)?;
    let ends = format!("/{}", branch.short());
    if tracked.iter().any(|(name, _)| name.ends_with(&ends)) {
        return Ok(());
    }
    let message = format!("there is no branch `{}`, here or at a remote", branch.short());
    Err(Refusal::new(Code::NotFound, message)
        .command("git fetch", "fetches the branches of the remote")
        .command(format!("git branch {} COMMIT", shell::operand(branch.short())), "creates it"))
}

pub(super) fn answer(session: &Session, commit: Option<ObjectId>) -> Answer<Settings> {
    let root = records::root(&session.store().snapshot()?)?;
    let settings = Settings { policy: Gates::new(&root.policy), project: root.project };
    Ok(session.done(settings, commit))
}
