//! Assessing how uncertain a requirement is.

use serde_json::Value;

use crate::model::code::Code;
use crate::model::op::{Op, Other};
use crate::model::remedy::RemedyCall;
use crate::model::roadmap::{Factors, RoadmapChoice, RoadmapDocument, RoadmapMode};
use crate::model::typed;
use crate::ops::{Done, Refusal};
use crate::rules::roadmap::{self, Assessed, Unchosen};

/// The factors in a document, or in an assessment alone.
///
/// # Errors
/// `invalid-roadmap`.
pub(crate) fn assessment(given: &Value) -> Result<Factors, Refusal> {
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
/// `incomplete` if a factor is missing; `undecided` if somebody must choose.
pub(crate) fn assess(factors: &Factors) -> Result<Done<Assessed>, Refusal> {
    let missing: Vec<&str> =
        factors.all().iter().filter(|(_, given)| given.is_none()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        return Err(Refusal::new(Code::Incomplete, format!("the assessment lacks {}", missing.join(", ")))
            .hint("each factor is low, medium or high: how uncertain the requirement is in that respect")
            .remedy(RemedyCall::new(Other::Schema, ["roadmap-document"]), "describes them"));
    }
    let assessed = roadmap::assess(factors);
    match assessed.recommended {
        Some(_) => Ok(Done { view: assessed, commit: None, notices: vec![] }),
        None => Err(undecided(&assessed, Other::RoadmapPlan)),
    }
}

/// The refusal to decide, with both ways.
pub(super) fn undecided(it: &Assessed, by: impl Into<RemedyCall>) -> Refusal {
    let call: RemedyCall = by.into();
    let count = format!("{} high, {} medium, {} low", it.high, it.medium, it.low);
    let factors = it.factors.all();
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
