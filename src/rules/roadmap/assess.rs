//! Assesses how uncertain a requirement is, and so how to cut it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Extent, Factors, RoadmapChoice, RoadmapDocument, RoadmapMode};
use crate::rules::roadmap::mode;

/// How many of the five factors decide the mode.
const DECISIVE: usize = 3;

/// The result of the factors.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Assessed {
    /// The factors; `high` is very uncertain.
    pub(crate) factors: Factors,
    /// How many are high.
    pub(crate) high: usize,
    /// How many are medium.
    pub(crate) medium: usize,
    /// How many are low.
    pub(crate) low: usize,
    /// progressive if three or more are high, direct if three or more are low; left out if someone must decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recommended: Option<RoadmapMode>,
}

/// Evaluates the factors. A missing factor does not count.
pub(crate) fn assess(factors: &Factors) -> Assessed {
    let [high, medium, low] = [Extent::High, Extent::Medium, Extent::Low]
        .map(|extent| factors.all().iter().filter(|(_, given)| *given == Some(extent)).count());
    let recommended = if high >= DECISIVE {
        Some(RoadmapMode::Progressive)
    } else if low >= DECISIVE {
        Some(RoadmapMode::Direct)
    } else {
        None
    };
    Assessed { factors: factors.clone(), high, medium, low, recommended }
}

impl Assessed {
    /// Whether the factors that are missing could decide.
    pub(crate) fn is_open(&self) -> bool {
        let missing = self.factors.all().len() - self.high - self.medium - self.low;
        missing > 0 && self.recommended.is_none() && self.high.max(self.low) + missing >= DECISIVE
    }
}

/// Why it is unclear how to cut a requirement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unchosen {
    /// Its assessment leaves it open.
    Undecided(Assessed),
    /// The chosen or recommended mode does not fit the content of the document.
    Other {
        /// The chosen mode.
        wanted: RoadmapMode,
        /// The mode that the document's content fits; `None` if it has neither layers nor tasks.
        found: Option<RoadmapMode>,
    },
}

/// How a document splits its requirement: as `chosen` by someone, else as the document says, else as its assessment says,
/// else by its content.
pub(crate) fn choose(
    document: &RoadmapDocument,
    chosen: Option<RoadmapChoice>,
) -> Result<RoadmapMode, Unchosen> {
    let is_empty = document.layers.is_empty() && document.tasks.is_empty();
    let found = (!is_empty).then(|| mode(document));
    let said = chosen.and_then(RoadmapChoice::mode).or_else(|| document.mode?.mode());
    let wanted = match (said, &document.assessment, found) {
        (Some(wanted), ..) => wanted,
        (None, Some(assessment), _) => {
            let assessed = assess(&assessment.factors);
            assessed.recommended.ok_or(Unchosen::Undecided(assessed))?
        }
        (None, None, Some(found)) => found,
        (None, None, None) => return Err(Unchosen::Undecided(assess(&Factors::default()))),
    };
    if found == Some(wanted) { Ok(wanted) } else { Err(Unchosen::Other { wanted, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::typed;
    use proptest::prelude::*;
    use serde_json::json;

    fn factors(words: [&str; 5]) -> Factors {
        typed::read(
            &json!({"scope_clarity": words[0], "technical_risk": words[1], "dependency_unknown": words[2],
            "domain_familiarity": words[3], "requirement_stability": words[4]}),
        )
        .unwrap()
    }

    #[test]
    fn three_of_five_decide() {
        let recommended = |words| assess(&factors(words)).recommended;
        assert_eq!(recommended(["high", "high", "high", "low", "low"]), Some(RoadmapMode::Progressive));
        assert_eq!(recommended(["low", "high", "low", "medium", "low"]), Some(RoadmapMode::Direct));
        assert_eq!(recommended(["high", "high", "low", "low", "medium"]), None);
        assert_eq!(assess(&Factors::default()).recommended, None);
    }

    #[test]
    fn somebody_or_the_assessment_chooses_and_the_document_must_fit() {
        let convergence = json!({"criteria": ["c"], "verification": "v", "definition_of_done": "d"});
        let document = |mode: serde_json::Value, words: Option<[&str; 5]>| -> RoadmapDocument {
            let mut given = json!({"mode": mode, "tasks": [{"id": "T1", "title": "t", "type": "feature", "scope": "s",
                "convergence": convergence}]});
            if let Some(words) = words {
                given["assessment"] = json!({"factors": factors(words)});
            }
            typed::read(&given).unwrap()
        };
        let open = Some(["high", "high", "low", "low", "medium"]);
        let auto = || json!("auto");
        assert_eq!(choose(&document(auto(), None), None), Ok(RoadmapMode::Direct), "as it is");
        assert!(
            matches!(choose(&document(auto(), open), None), Err(Unchosen::Undecided(it)) if it.high == 2)
        );
        assert_eq!(choose(&document(auto(), open), Some(RoadmapChoice::Direct)), Ok(RoadmapMode::Direct));
        assert_eq!(choose(&document(json!("direct"), open), None), Ok(RoadmapMode::Direct));
        assert_eq!(
            choose(&document(auto(), Some(["high"; 5])), None),
            Err(Unchosen::Other { wanted: RoadmapMode::Progressive, found: Some(RoadmapMode::Direct) })
        );
        assert!(matches!(choose(&RoadmapDocument::default(), None), Err(Unchosen::Undecided(_))));
        let wanted = Some(RoadmapChoice::Direct);
        assert!(matches!(
            choose(&RoadmapDocument::default(), wanted),
            Err(Unchosen::Other { found: None, .. })
        ));
    }

    #[test]
    fn missing_factors_matter_only_if_they_could_decide() {
        let of = |words: &[&str]| {
            let names = [
                "scope_clarity",
                "technical_risk",
                "dependency_unknown",
                "domain_familiarity",
                "requirement_stability",
            ];
            let given =
                names.iter().zip(words).map(|(name, word)| ((*name).to_owned(), json!(word))).collect();
            assess(&typed::read(&serde_json::Value::Object(given)).unwrap())
        };
        for (words, is_open) in [
            (&["high", "high", "high"][..], false),
            (&["low", "low", "low", "high"], false),
            (&["high", "high", "low"], true),
            (&["high", "medium", "low"], true),
            (&["high", "medium", "medium", "low"], false),
            (&["high", "high", "low", "low", "medium"], false),
        ] {
            assert_eq!(of(words).is_open(), is_open, "{words:?}");
        }
    }

    proptest! {
        #[test]
        fn a_mode_is_recommended_exactly_if_three_factors_agree(words in proptest::array::uniform5(0usize..3)) {
            let assessed = assess(&factors(words.map(|n| Extent::ALL[n].as_str())));
            let count = |n| words.iter().filter(|word| **word == n).count();
            prop_assert_eq!(assessed.recommended == Some(RoadmapMode::Direct), count(0) >= 3);
            prop_assert_eq!(assessed.recommended == Some(RoadmapMode::Progressive), count(2) >= 3);
            prop_assert_eq!(assessed.high + assessed.medium + assessed.low, 5);
        }
    }
}
