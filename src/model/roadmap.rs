//! Roadmaps: a requirement split into layers or tasks, of which each is an issue. The document of a roadmap is kept as its
//! planner wrote it; what people did with its issues is in the issues.

mod forms;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::declare::record;
use super::text_enum::text_enum;
use super::{
    Extent, IssueId, LifecycleRequirements, Person, PlanDigest, Priority, REDACTED, RoadmapId, Time, typed,
};
use forms::lines_schema;

pub(crate) use forms::{Risk, TextList};

text_enum!(
    /// How a roadmap splits its requirement.
    RoadmapMode {
        /// Into two to four layers, each usable by itself: if much of the requirement is uncertain.
        Progressive = "progressive",
        /// Into tasks in groups: if the requirement is well understood.
        Direct = "direct",
    }
);

text_enum!(
    /// How a roadmap should split its requirement.
    RoadmapChoice {
        /// Into layers.
        Progressive = "progressive",
        /// Into tasks.
        Direct = "direct",
        /// Decided by its assessment.
        Auto = "auto",
    }
);

impl RoadmapChoice {
    /// The mode; `None` if the assessment decides.
    pub(crate) fn mode(self) -> Option<RoadmapMode> {
        RoadmapMode::parse(self.as_str())
    }
}

impl From<RoadmapMode> for RoadmapChoice {
    fn from(mode: RoadmapMode) -> Self {
        match mode {
            RoadmapMode::Progressive => Self::Progressive,
            RoadmapMode::Direct => Self::Direct,
        }
    }
}

text_enum!(
    /// How much work something is.
    Effort {
        /// Priority low.
        Small = "small",
        /// Priority medium.
        Medium = "medium",
        /// Priority high.
        Large = "large",
    }
);

impl Effort {
    /// Large work begins first.
    pub(crate) fn priority(self) -> Priority {
        let number = match self {
            Self::Small => 4,
            Self::Medium => 3,
            Self::Large => 2,
        };
        Priority::new(number).unwrap_or_default()
    }
}

record! {
    /// A roadmap, as stored.
    Roadmap {
        /// Its id, which never changes.
        once id: RoadmapId,
        /// Who added it.
        once author: Person,
        /// The time.
        once created_at: Time,
        /// The title, on one line.
        register title: String,
        /// The document as its planner wrote it, except that each layer or task is a member of its own, named by its issue.
        /// Members merge separately, so that two clones can change different layers.
        #[serde(default = "no_members", deserialize_with = "typed::any")]
        map document: Value,
        /// Every issue that was made for it, whether or not the document still has its layer or task.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        set issue_ids: BTreeSet<IssueId>,
    }
    /// How `roadmap.json` merges and is written.
    ROADMAP = "roadmap", LaterStands, super::record::check_as::<Roadmap>
}

/// A document of which nothing is left: each of two clones removed what the other kept.
fn no_members() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Roadmap {
    /// The content of the document, without what is hidden. A document that cannot be read is an error: as an empty
    /// one, it would have no layers and no tasks.
    pub(crate) fn read(&self) -> Result<RoadmapDocument, serde_json::Error> {
        let mut whole = self.whole(None);
        if let Some(members) = whole.as_object_mut() {
            members.retain(|_, value| *value != REDACTED);
        }
        typed::read(&whole)
    }

    /// The document as its planner would write it: with lists of layers and tasks, in order of their numbers. Hidden ones are
    /// listed with those of this mode, and left out without one.
    pub(crate) fn whole(&self, hidden: Option<RoadmapMode>) -> Value {
        let mut whole = self.document.clone();
        let Some(members) = whole.as_object_mut() else { return whole };
        let mut items: Vec<Value> =
            self.issue_ids.iter().filter_map(|id| members.shift_remove(id.as_str())).collect();
        items.sort_by_key(|item: &Value| {
            item.get("id").and_then(Value::as_str)?.get(1..)?.parse::<u64>().ok()
        });
        for item in items {
            let name = match hidden {
                _ if item.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with('L')) => LISTS[0],
                _ if item != REDACTED => LISTS[1],
                Some(RoadmapMode::Progressive) => LISTS[0],
                Some(RoadmapMode::Direct) => LISTS[1],
                None => continue,
            };
            let list = members.entry(name).or_insert_with(|| Value::Array(vec![]));
            list.as_array_mut().into_iter().for_each(|list| list.push(item.clone()));
        }
        whole
    }

    /// A document as it is stored. `issues` has the issue of each layer and task by its id in the document.
    pub(crate) fn divided(mut whole: Value, issues: &BTreeMap<&str, IssueId>) -> Value {
        let Some(members) = whole.as_object_mut() else { return whole };
        for list in LISTS {
            let Some(Value::Array(items)) = members.shift_remove(list) else { continue };
            for item in items {
                let issue = item.get("id").and_then(Value::as_str).and_then(|id| issues.get(id));
                members.extend(issue.map(|issue| (issue.to_string(), item.clone())));
            }
        }
        whole
    }

    /// Which document it is: approvals are of one.
    pub(crate) fn digest(&self) -> PlanDigest {
        PlanDigest::of_plan(&self.document)
    }
}

/// The members of a document that list its layers or tasks.
const LISTS: [&str; 2] = ["layers", "tasks"];

/// A roadmap as a planner writes it and `roadmap add` takes it: `layers` or `tasks`. Unknown fields are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RoadmapDocument {
    /// The id of the roadmap, if it has one.
    #[serde(alias = "session_id")]
    pub(crate) id: Option<RoadmapId>,
    /// The title, on one line.
    pub(crate) title: Option<String>,
    /// What is required, in the requester's words.
    pub(crate) requirement: Option<String>,
    /// How the requirement is split: progressive (`layers`), direct (`tasks`), or auto: as the assessment says.
    #[serde(alias = "strategy")]
    pub(crate) mode: Option<RoadmapChoice>,
    /// How uncertain the requirement is.
    pub(crate) assessment: Option<Assessment>,
    /// Every feature of the requirement; if given, each is in the scope of exactly one layer.
    #[schemars(schema_with = "lines_schema")]
    pub(crate) scope: TextList,
    /// The layers of a progressive roadmap: 2 to 4, from L0 on.
    #[schemars(length(max = MOST_LAYERS))]
    pub(crate) layers: Vec<Layer>,
    /// The tasks of a direct roadmap.
    #[schemars(length(max = MOST_TASKS))]
    pub(crate) tasks: Vec<RoadmapTask>,
    /// What could go wrong overall.
    #[schemars(length(max = MOST_LINES))]
    pub(crate) risks: Vec<Risk>,
    /// What the planner found out about the code: a text, or any JSON.
    #[serde(deserialize_with = "typed::any_or_none")]
    pub(crate) codebase_context: Option<Value>,
    /// Requirements for how each issue is worked on; a layer or task may have its own.
    pub(crate) lifecycle_requirements: Option<LifecycleRequirements>,
}

/// The most layers of a roadmap.
pub(crate) const MOST_LAYERS: usize = 4;
/// The most tasks of a roadmap.
pub(crate) const MOST_TASKS: usize = 200;
/// The most elements of each list in a roadmap.
pub(crate) const MOST_LINES: usize = 100;

/// How uncertain a requirement is, factor by factor: `high` is very uncertain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Assessment {
    /// The five factors.
    #[serde(alias = "uncertainty_factors")]
    pub(crate) factors: Factors,
    /// The intended result, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<String>,
    /// Constraints on the work.
    #[serde(skip_serializing_if = "TextList::is_empty")]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) constraints: TextList,
    /// Who cares about it.
    #[serde(skip_serializing_if = "TextList::is_empty")]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) stakeholders: TextList,
    /// Words to look for in the code.
    #[serde(skip_serializing_if = "TextList::is_empty")]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) keywords: TextList,
}

/// The factors of an assessment.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Factors {
    /// Uncertainty of the scope.
    pub(crate) scope_clarity: Option<Extent>,
    /// Uncertainty of the implementation.
    pub(crate) technical_risk: Option<Extent>,
    /// Uncertainty of the dependencies.
    pub(crate) dependency_unknown: Option<Extent>,
    /// Unfamiliarity of the team with the domain.
    pub(crate) domain_familiarity: Option<Extent>,
    /// Likelihood that the requirement changes.
    pub(crate) requirement_stability: Option<Extent>,
}

impl Factors {
    /// Each with its name.
    pub(crate) fn all(&self) -> [(&'static str, Option<Extent>); 5] {
        [
            ("scope_clarity", self.scope_clarity),
            ("technical_risk", self.technical_risk),
            ("dependency_unknown", self.dependency_unknown),
            ("domain_familiarity", self.domain_familiarity),
            ("requirement_stability", self.requirement_stability),
        ]
    }

    /// These, and for those that are missing, the ones of `other`.
    pub(crate) fn or(&self, other: &Self) -> Self {
        Self {
            scope_clarity: self.scope_clarity.or(other.scope_clarity),
            technical_risk: self.technical_risk.or(other.technical_risk),
            dependency_unknown: self.dependency_unknown.or(other.dependency_unknown),
            domain_familiarity: self.domain_familiarity.or(other.domain_familiarity),
            requirement_stability: self.requirement_stability.or(other.requirement_stability),
        }
    }
}

/// A layer of a progressive roadmap.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub(crate) struct Layer {
    /// L0 to L3.
    #[schemars(regex(pattern = "^L[0-3]$"))]
    pub(crate) id: String,
    /// What the layer is called: MVP, usable, refined, optimized.
    pub(crate) name: String,
    /// What it achieves.
    pub(crate) goal: String,
    /// The features in it, each in one layer only.
    #[schemars(schema_with = "lines_schema")]
    pub(crate) scope: TextList,
    /// What it leaves to later layers, or to nobody.
    #[serde(default)]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) excludes: TextList,
    /// When it is done.
    pub(crate) convergence: Convergence,
    /// What could go wrong.
    #[serde(default)]
    #[schemars(length(max = MOST_LINES))]
    pub(crate) risks: Vec<Risk>,
    /// How much work it is.
    pub(crate) effort: Effort,
    /// Earlier layers that it builds on; L0 has none.
    #[serde(default)]
    pub(crate) depends_on: Vec<String>,
    /// Requirements for how its issue is worked on.
    #[serde(default)]
    pub(crate) lifecycle_requirements: Option<LifecycleRequirements>,
}

/// A task of a direct roadmap.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub(crate) struct RoadmapTask {
    /// T1, T2, …
    #[schemars(regex(pattern = "^T[1-9][0-9]{0,3}$"))]
    pub(crate) id: String,
    /// What must be done, on one line.
    pub(crate) title: String,
    /// infrastructure, feature, enhancement, testing, or any other word.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// What it is about: a text, or a list of them; paths of files where they are known.
    #[schemars(schema_with = "lines_schema")]
    pub(crate) scope: TextList,
    /// What it needs: outputs of tasks that it depends on, or paths of the repository.
    #[serde(default)]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) inputs: TextList,
    /// What it makes.
    #[serde(default)]
    #[schemars(schema_with = "lines_schema")]
    pub(crate) outputs: TextList,
    /// When it is done.
    pub(crate) convergence: Convergence,
    /// Tasks that must be done first.
    #[serde(default)]
    pub(crate) depends_on: Vec<String>,
    /// Its wave, from 1 on: tasks of one group are worked on at the same time. If left out, the earliest that its
    /// dependencies allow.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub(crate) parallel_group: Option<u64>,
    /// How much work it is.
    #[serde(default)]
    pub(crate) effort: Option<Effort>,
    /// What could go wrong.
    #[serde(default)]
    #[schemars(length(max = MOST_LINES))]
    pub(crate) risks: Vec<Risk>,
    /// Requirements for how its issue is worked on.
    #[serde(default)]
    pub(crate) lifecycle_requirements: Option<LifecycleRequirements>,
}

/// When a layer or task is done.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "RoadmapConvergence")]
pub(crate) struct Convergence {
    /// What must hold, each testable.
    #[schemars(schema_with = "lines_schema")]
    pub(crate) criteria: TextList,
    /// A command or a step that shows it.
    #[schemars(schema_with = "lines_schema")]
    pub(crate) verification: TextList,
    /// What the requester has then, in the language of the business.
    pub(crate) definition_of_done: String,
}

#[cfg(test)]
mod tests;
