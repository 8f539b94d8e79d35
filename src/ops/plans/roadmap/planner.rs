//! The input and the answer of a roadmap's planner.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::agent::answer::{AnswerKind, With, faults, schema_of};
use crate::model::{Project, RoadmapChoice, RoadmapDocument, RoadmapId, typed};
use crate::ops::Refusal;
use crate::rules::roadmap::{RULES, known_mode, rounds};
use crate::rules::wisdom::context_near;
use crate::rules::{Omission, RoadmapFolder, Role, Round, WisdomContext};
use crate::store::{ReadState, records};

/// What the planner of a roadmap is given.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RoadmapInput {
    /// What is required, in the requester's words.
    pub(crate) requirement: String,
    /// progressive (layers), direct (tasks), or auto: as the assessment says.
    pub(crate) mode: RoadmapChoice,
    /// The rules for roadmaps.
    pub(crate) rules: Vec<String>,
    /// The current roadmap, if it should be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) roadmap: Option<Current>,
    /// The rounds of feedback on it so far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feedback: Vec<Round>,
    /// About the project.
    pub(crate) project_context: Project,
    /// What the team learned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) wisdom: Vec<WisdomContext>,
    /// What was left out for its length, and the commands that print it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<Omission>,
}

/// A roadmap that should be changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Current {
    /// Its id.
    pub(crate) id: RoadmapId,
    /// Its document.
    pub(crate) document: Value,
}

impl RoadmapInput {
    /// The input for a requirement, or for a roadmap to change.
    pub(super) fn new(
        read: &impl ReadState,
        requirement: String,
        mode: RoadmapChoice,
        before: Option<&RoadmapFolder>,
    ) -> Result<Self, Refusal> {
        // `fsck` reports entries that cannot be read.
        let (wisdom, left_out) = context_near(records::wisdom(read, &mut Vec::new())?, None, Role::Planner);
        Ok(Self {
            requirement,
            mode,
            rules: RULES.iter().map(|rule| rule.asks.to_owned()).collect(),
            roadmap: before.map(|folder| Current {
                id: folder.roadmap.record.id.clone(),
                document: folder.roadmap.record.whole(known_mode(folder)),
            }),
            feedback: before.map(rounds).unwrap_or_default(),
            project_context: records::root(read)?.project,
            wisdom,
            left_out: left_out.into_iter().collect(),
        })
    }
}

/// The answer of a roadmap's planner: a document, or its assessment alone.
#[derive(Debug, Clone)]
pub(crate) struct RoadmapAnswer {
    /// The answer as written.
    pub(crate) given: Value,
    /// The document.
    pub(crate) document: RoadmapDocument,
}

impl AnswerKind for RoadmapAnswer {
    fn schema() -> Value {
        schema_of::<With<RoadmapDocument>>()
    }

    fn read(value: &Value) -> Result<Self, Vec<String>> {
        let faults = faults(&Self::schema(), value);
        if !faults.is_empty() {
            return Err(faults);
        }
        let document: RoadmapDocument = typed::read(value).map_err(|error| vec![format!("$: {error}")])?;
        if document.layers.is_empty() && document.tasks.is_empty() && document.assessment.is_none() {
            return Err(vec!["$: has neither layers nor tasks nor an assessment".to_owned()]);
        }
        Ok(Self { given: value.clone(), document })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::answer;
    use serde_json::json;

    #[test]
    fn an_answer_is_a_document_or_an_assessment() {
        let assessment = json!({"assessment": {"factors": {"technical_risk": "high"}}});
        let read = answer::read::<RoadmapAnswer>(&format!("So:\n{assessment}\n")).unwrap();
        assert!(read.answer.document.layers.is_empty());
        let mut given = json!({"title": "t", "tasks": [{"id": "T1", "title": "t", "type": "feature", "scope": "s",
            "convergence": {"criteria": ["c"], "verification": "v", "definition_of_done": "d"}}]});
        given["session"] = json!({"tokens": 7});
        let read = answer::read::<RoadmapAnswer>(&given.to_string()).unwrap();
        assert_eq!((read.aside.session.tokens, read.answer.document.tasks.len()), (Some(7), 1));
        assert!(read.answer.given.get("session").is_none());
        for wrong in [json!({"title": "t"}), json!({"tasks": [{"id": "T1"}]}), json!({"layers": "none"})] {
            assert!(answer::read::<RoadmapAnswer>(&wrong.to_string()).is_err(), "{wrong}");
        }
    }
}
