//! Feedback on a roadmap, and its approval.

use super::find::existing;
use super::show::view_of;
use super::view::RoadmapView;
use crate::model::{Code, Op, Other, RemedyCall, RoadmapApproval, RoadmapEvent, RoadmapFeedback, RoadmapId};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::roadmap::{MOST_ROUNDS, rounds, status};
use crate::rules::{Status, limits};
use crate::store::resolve;

/// What someone says of a roadmap.
#[derive(Debug)]
pub(crate) struct Revise {
    /// The roadmap: its id, or an unambiguous prefix of it.
    pub(crate) roadmap: String,
    /// What should be otherwise.
    pub(crate) feedback: RoadmapFeedback,
    /// Whether it is approved as it is.
    pub(crate) approve: bool,
}

/// Keeps a round of feedback, or an approval.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `too-many-rounds`; usage without or with both.
pub(crate) fn revise(session: &Session, input: &Revise) -> Answer<RoadmapView> {
    let permit = session.permit(Op::RoadmapRevise)?;
    let id = resolve::roadmap(&session.store().snapshot()?, &input.roadmap)?;
    let feedback = tidy(&input.feedback)?;
    if input.approve == feedback.parts().next().is_some() {
        return Err(Refusal::usage("give either an approval or feedback")
            .hint("give --approve alone, or one or more of --scope, --convergence and --redecompose; --planner sends feedback to an agent"));
    }
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id)?;
        if input.approve {
            if status(&folder) == Status::Ready {
                return Ok(());
            }
            let document_digest = folder.roadmap.record.digest();
            tx.log_roadmap(&id, RoadmapEvent::Approval(RoadmapApproval { document_digest }))?;
            tx.describe(format!("roadmap: approve {id}"));
            return Ok(());
        }
        if rounds(&folder).len() >= MOST_ROUNDS {
            return Err(too_many(&id));
        }
        tx.log_roadmap(&id, RoadmapEvent::Feedback(feedback.clone()))?;
        let names: Vec<&str> = feedback.parts().map(|(name, _)| name).collect();
        tx.describe(format!("roadmap: feedback on {id} ({})", names.join(", ")));
        Ok(())
    })?;
    let snapshot = session.store().snapshot()?;
    let view = view_of(&snapshot, &existing(&snapshot, &id)?)?;
    Ok(session.done(view, committed.commit))
}

fn too_many(id: &RoadmapId) -> Refusal {
    Refusal::new(
        Code::TooManyRounds,
        format!("`{id}` has had {MOST_ROUNDS} rounds of feedback, which is the maximum"),
    )
    .remedy(RemedyCall::new(Op::RoadmapRevise, [id]).flag("approve"), "approves it as it is")
    .remedy(RemedyCall::new(Other::RoadmapNext, [id]), "queues its first wave")
    .hint("what is still wrong can be changed in its issues")
}

fn tidy(given: &RoadmapFeedback) -> Result<RoadmapFeedback, Refusal> {
    Ok(RoadmapFeedback {
        scope: text(given.scope.as_deref())?,
        convergence: text(given.convergence.as_deref())?,
        redecompose: text(given.redecompose.as_deref())?,
    })
}

/// The text without blanks around it; `None` if nothing is left.
fn text(given: Option<&str>) -> Result<Option<String>, Refusal> {
    let text = given.map(limits::text).transpose()?;
    Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}
