//! Roadmaps that an agent plans or changes.

use super::add::{AddRoadmap, RoadmapAdded, add, checked};
use super::assess::{chosen, undecided};
use super::find::existing;
use super::planner::{RoadmapAnswer, RoadmapInput};
use super::show::document;
use crate::agent::request::RequestKind;
use crate::agent::talk::AgentObserver;
use crate::interchange::roadmap::Fate;
use crate::model::{Code, Op, Other, RemedyCall, RoadmapChoice, RoadmapDocument, typed};
use crate::ops::plans::{AddWisdom, add_wisdom};
use crate::ops::work::{ApartUnfit, AskedApart, ask_apart};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{Role, Unchosen, limits, roadmap};
use crate::store::resolve;

/// What an agent should plan.
#[derive(Debug)]
pub(crate) struct PlanRoadmap {
    /// The agent: its name, or a command line.
    pub(crate) planner: String,
    /// What is required; for a roadmap that is here, the requirement in its document if empty.
    pub(crate) requirement: String,
    /// How it is split.
    pub(crate) mode: RoadmapChoice,
    /// The roadmap to change, if any.
    pub(crate) roadmap: Option<String>,
    /// What happens to issues whose layer or task is gone.
    pub(crate) gone: Option<Fate>,
}

/// The planner that was named, or else the one in git config (`wf.run.planner`).
///
/// # Errors
/// `no-agent` if there is neither.
pub(crate) fn named_planner(session: &Session, named: Option<String>) -> Result<String, Refusal> {
    named.or_else(|| session.store().config("wf.run.planner")).ok_or_else(|| {
        Refusal::new(Code::NoAgent, "no planner is named")
            .hint("name one with --planner, or set `git config wf.run.planner NAME`")
            .remedy(Other::AgentList, "lists the known agents")
    })
}

/// Has an agent plan a roadmap, and adds it.
///
/// # Errors
/// `undecided` if the assessment leaves open how the requirement is split; those of adding a roadmap; those of asking an
/// agent.
pub(crate) fn plan(
    session: &Session,
    input: &PlanRoadmap,
    observer: &mut dyn AgentObserver,
) -> Answer<RoadmapAdded> {
    // The agent is the planner; the person who starts it need not be one.
    session.permit(Op::RoadmapAdd).or_else(|_| session.permit(Op::Run))?;
    let snapshot = session.store().snapshot()?;
    let id = input.roadmap.as_deref().map(|text| resolve::roadmap(&snapshot, text)).transpose()?;
    let before = id.as_ref().map(|id| existing(&snapshot, id)).transpose()?;
    let known = before.as_ref().map(|folder| document(&folder.roadmap.record)).transpose()?;
    let requirement = match (limits::text(&input.requirement)?, &known) {
        (text, _) if !text.trim().is_empty() => text,
        (_, Some(document)) => document
            .requirement
            .clone()
            .or_else(|| roadmap::title(document).map(str::to_owned))
            .unwrap_or_default(),
        _ => return Err(Refusal::usage("the requirement is empty").hint("say what the roadmap is for")),
    };
    // The mode chosen before stays, unless the input names one.
    let mode = match (input.mode, before.as_ref().and_then(roadmap::known_mode)) {
        (RoadmapChoice::Auto, Some(known)) => known.into(),
        (mode, _) => mode,
    };
    let asked = typed::own_json(&RoadmapInput::new(&snapshot, requirement.clone(), mode, before.as_ref())?);
    let question = AskedApart {
        agent: &input.planner,
        role: Role::Planner,
        kind: RequestKind::Roadmap,
        name: "roadmap",
    };
    let done = ask_apart::<RoadmapAnswer, _>(session, question, &asked, observer, |there, agent, reply| {
        let (answer, learned) = (reply.answer, reply.aside.wisdom);
        let mut document = answer.given;
        settle(&answer.document, mode, input)?;
        if let Some(members) = document.as_object_mut() {
            members.shift_remove("strategy");
            members.insert("mode".into(), RoadmapChoice::as_str(mode).into());
            members.entry("requirement").or_insert_with(|| requirement.clone().into());
        }
        checked(Some(there.store()), &document).map_err(mendable)?;
        let add_input = AddRoadmap {
            roadmap: id.as_ref().map(ToString::to_string),
            is_new: id.is_none(),
            gone: input.gone,
            agent: Some(agent.name().to_owned()),
            // The agent was given the newest document.
            revert: true,
            ..AddRoadmap::new(document)
        };
        let done = add(there, &add_input).map_err(mendable)?;
        for lesson in learned {
            let wisdom = AddWisdom {
                kind: lesson.kind,
                text: lesson.text,
                tags: lesson.tags,
                issue: None,
                run: None,
                answers: None,
            };
            // The roadmap is there without it.
            let _ = add_wisdom(there, &wisdom);
        }
        Ok((done.view, done.commit, done.notices))
    });
    let (view, commit, notices) = done?;
    session.notice_all(notices);
    Ok(session.done(view, commit))
}

/// Refuses an answer that is split in another way than was asked for, or that leaves it open.
fn settle(document: &RoadmapDocument, mode: RoadmapChoice, input: &PlanRoadmap) -> Result<(), ApartUnfit> {
    let faults = |why: &str| Err(ApartUnfit::Faults(vec![why.to_owned()]));
    if mode.mode().is_some() {
        let is_empty = document.layers.is_empty() && document.tasks.is_empty();
        return match chosen(document, Some(mode)) {
            Ok(_) => Ok(()),
            Err(_) if is_empty => {
                faults("$: the mode is given, so layers or tasks are expected, not an assessment alone")
            }
            Err(refusal) => faults(&format!("$: {}", refusal.message)),
        };
    }
    // The planner does not choose; the factors do.
    let open = RoadmapDocument { mode: None, ..document.clone() };
    if open
        .assessment
        .as_ref()
        .is_none_or(|assessment| assessment.factors.all().iter().any(|(_, given)| given.is_none()))
    {
        return faults("$.assessment.factors: each of the five factors is needed if the mode is auto");
    }
    match roadmap::choose(&open, None) {
        Ok(_) => Ok(()),
        Err(Unchosen::Undecided(assessed)) => {
            // A command line may hold a secret.
            let is_name = !input.planner.contains([' ', '/']);
            let planner = if is_name { input.planner.as_str() } else { "AGENT" };
            let call = RemedyCall::new(Other::RoadmapPlan, ["TEXT"]).option("planner", planner);
            Err(ApartUnfit::Refused(undecided(&assessed, call)))
        }
        Err(Unchosen::Other { wanted, .. }) => {
            let list =
                if wanted == crate::model::roadmap::RoadmapMode::Progressive { "layers" } else { "tasks" };
            faults(&format!("$: the assessment comes to {wanted}, so {list} are expected"))
        }
    }
}

/// A document that is not sound goes back to its planner.
fn mendable(refusal: Refusal) -> ApartUnfit {
    match refusal.code {
        Code::InvalidRoadmap => {
            ApartUnfit::Faults(refusal.details.into_iter().map(|detail| detail.message).collect())
        }
        _ => ApartUnfit::Refused(refusal),
    }
}

/// Which roadmap to change as the feedback on it says.
#[derive(Debug)]
pub(crate) struct Replan {
    /// Its id, or an unambiguous prefix of it.
    pub(crate) roadmap: String,
    /// The agent that changes it.
    pub(crate) planner: String,
    /// What happens to issues whose layer or task is gone.
    pub(crate) gone: Option<Fate>,
}

/// Sends the feedback on a roadmap to a planner, and applies the answer.
///
/// # Errors
/// The errors of [`plan`].
pub(crate) fn replan(
    session: &Session,
    Replan { roadmap, planner, gone }: Replan,
    observer: &mut dyn AgentObserver,
) -> Answer<RoadmapAdded> {
    let input = PlanRoadmap {
        planner,
        requirement: String::new(),
        mode: RoadmapChoice::Auto,
        roadmap: Some(roadmap),
        gone,
    };
    plan(session, &input, observer)
}
