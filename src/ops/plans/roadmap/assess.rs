//! Assessing how uncertain a requirement is.

use serde_json::Value;

use crate::model::{
    Code, Factors, Op, Other, RemedyCall, RoadmapChoice, RoadmapDocument, RoadmapMode, typed,
};
use crate::ops::{Done, Refusal};
use crate::rules::{Assessed, Unchosen, roadmap};

/// What to assess.
#[derive(Debug, Default)]
pub(crate) struct Assess {
    /// The name of a file, and its content: an assessment or a roadmap.
    pub(crate) document: Option<(String, Value)>,
    /// Factors that replace those of the document.
    pub(crate) factors: Factors,
    /// What someone chose for an assessment that is not conclusive.
    pub(crate) chosen: Option<RoadmapMode>,
}

/// The factors in a document, or in an assessment alone.
fn assessment(given: &Value) -> Result<Factors, Refusal> {
    let inner = given.get("assessment").unwrap_or(given);
    let factors = inner.get("factors").or_else(|| inner.get("uncertainty_factors")).unwrap_or(inner);
    typed::read(factors).map_err(|error| {
        Refusal::new(Code::InvalidRoadmap, format!("the assessment cannot be read: {error}"))
            .hint("each factor is low, medium or high: how uncertain the requirement is in that respect")
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes them")
    })
}

/// The result of the factors. It needs no store.
///
/// # Errors
/// `invalid-roadmap` if the document's factors cannot be read; a usage error if there are none; `incomplete` if one is
/// missing that could decide; `undecided` if someone must choose.
pub(crate) fn assess(input: &Assess) -> Result<Done<Assessed>, Refusal> {
    let given = input.document.as_ref().map(|(_, document)| assessment(document)).transpose()?;
    let factors = input.factors.or(&given.unwrap_or_default());
    if factors == Factors::default() {
        let what = match &input.document {
            Some((file, _)) => format!("{file} has no assessment"),
            None => "there is nothing to assess".to_owned(),
        };
        return Err(Refusal::usage(what)
            .hint("give the five factors as options, or in `assessment.factors` of a file")
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes them"));
    }
    let mut assessed = roadmap::assess(&factors);
    if assessed.is_open() {
        let all = factors.all();
        let missing: Vec<&str> =
            all.iter().filter(|(_, given)| given.is_none()).map(|(name, _)| *name).collect();
        return Err(Refusal::new(Code::Incomplete, format!("the assessment lacks {}", missing.join(", ")))
            .hint("each factor is low, medium or high: how uncertain the requirement is in that respect")
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes them"));
    }
    assessed.recommended = assessed.recommended.or(input.chosen);
    match assessed.recommended {
        Some(_) => Ok(Done { view: assessed, commit: None, notices: vec![] }),
        None => Err(undecided(&assessed, Other::RoadmapPlan)),
    }
}

/// The refusal to decide, with both ways.
pub(super) fn undecided(assessed: &Assessed, by: impl Into<RemedyCall>) -> Refusal {
    let call: RemedyCall = by.into();
    let count = format!("{} high, {} medium, {} low", assessed.high, assessed.medium, assessed.low);
    let factors = assessed.factors.all();
    let given = factors.iter().filter_map(|(name, extent)| Some(format!("{name}: {}", (*extent)?)));
    Refusal::new(Code::Undecided, format!("the assessment is not conclusive ({count})"))
        .details(given.collect())
        .remedy(call.clone().option("mode", "progressive"), "splits it into layers, since much is uncertain")
        .remedy(call.option("mode", "direct"), "splits it into tasks, since most is known")
}

/// How a document splits its requirement; see [`roadmap::choose`].
///
/// # Errors
/// `undecided`, `other-mode`.
pub(super) fn chosen(
    document: &RoadmapDocument,
    choice: Option<RoadmapChoice>,
) -> Result<RoadmapMode, Refusal> {
    roadmap::choose(document, choice).map_err(|why| match why {
        Unchosen::Undecided(assessed) => undecided(&assessed, RemedyCall::new(Op::RoadmapAdd, ["FILE"])),
        Unchosen::Other { wanted, found } => {
            let has = match found {
                Some(RoadmapMode::Progressive) => "has layers",
                Some(RoadmapMode::Direct) => "has tasks",
                None => "has neither layers nor tasks",
            };
            Refusal::new(Code::OtherMode, format!("the roadmap should be {wanted}, but the document {has}"))
                .hint("correct `mode` or the assessment, or have it planned the other way")
        }
    })
}
