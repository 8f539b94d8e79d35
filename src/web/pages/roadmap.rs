//! Roadmaps by wave, with burn-up charts.

use maud::{Markup, html};

use crate::model::id::RoadmapId;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::ops::issues;
use crate::ops::plans::roadmap::{self, RoadmapView, WaveView};
use crate::web::layout::one as query;
use crate::web::parts::burn_up::{BurnUp, burn_up};
use crate::web::parts::{
    PagedLists, badge, counted, fact, linked, long, person, picture, priority, record_text, when,
};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Maximum charts on a page.
const MOST: usize = 60;
/// Roadmaps, or issues of a wave, per page.
const ROWS: usize = 200;
/// Rounds of feedback per page.
const ROUNDS: usize = 20;

pub(super) fn all(view: &View<'_>) -> Result<PageContent, Refusal> {
    let all = view.kept(view.place, || Ok(roadmap::list(view.session)?.view))?;
    let lists = PagedLists::asked(view);
    let body = html! {
        h1 { "Roadmaps" }
        @if all.is_empty() { p.quiet { "There is no roadmap." } } @else {
            ul.rows {
                @for it in lists.first_slice(&all, ROWS) {
                    li { (view.id(&Place::Roadmap(it.id.clone()), it.id.as_str())) " " (record_text(view, &it.title)) " " (badge(it.status.as_str())) " "
                        span.quiet { (it.done) " of " (count(it.total, "issue")) " done, " (count(it.waves, "wave")) ", " (when(view, it.created_at)) } }
                }
            }
        }
        (lists.pager(view))
        @if lists.is_first() { (waves(view)?) }
    };
    Ok(PageContent::new("Roadmaps", body))
}

/// A burn-up chart of each wave, over all issues of that wave.
pub(super) fn waves(view: &View<'_>) -> Result<Markup, Refusal> {
    let waves = issues::waves(view.session)?.view;
    let charts: Vec<(u64, BurnUp)> =
        waves.into_iter().map(|it| (it.number, BurnUp::of(&it.issues))).collect();
    Ok(html! {
        @if !charts.is_empty() {
            section {
                h2 { "Waves" }
                div.charts {
                    @for (wave, chart) in charts.iter().take(MOST) {
                        figure {
                            figcaption {
                                a href=(view.href_with(&Place::Issues, &query("wave", wave).with("all", "1"))) { "Wave " (wave) } " "
                                (chart.done()) " of " (chart.total()) " done"
                            }
                            (picture(&format!("wave {wave} over time"), burn_up(chart, view.now)))
                        }
                    }
                }
                @if charts.len() > MOST { p.quiet { "and " (count(charts.len() - MOST, "wave")) " more" } }
            }
        }
    })
}

pub(super) fn one(view: &View<'_>, id: &RoadmapId) -> Result<PageContent, Refusal> {
    let it = view.kept(view.place, || Ok(roadmap::show(view.session, Some(id.as_str()))?.view))?;
    let lists = PagedLists::asked(view);
    // The links to further pages come before the risks.
    let risks = lists.first_slice(&it.risks, ROWS);
    let body = html! {
        div.heading {
            h1 { span.id { (it.id) } " " (record_text(view, &it.title)) }
            p { (badge(it.status.as_str())) " " span.quiet { (it.done) " of " (it.total) " issues done" } }
        }
        div.columns.main-aside {
            div {
                @if let Some(text) = it.requirement.as_ref().filter(|_| lists.is_first()) { (long(view, text)) }
                @for wave in &it.waves { (wave_part(view, &lists, wave)) }
                @let gone = lists.first_slice(&it.gone, ROWS);
                @if !gone.is_empty() {
                    (counted("No longer in the document", it.gone.len()))
                    ul.rows { @for issue in gone { li { (view.id(&Place::Issue(issue.issue_id.clone()), issue.issue_id.as_str())) " " (record_text(view, &issue.title)) } } }
                }
                (rounds(view, &lists, &it))
                (lists.pager(view))
            }
            aside aria-label="facts" {
                dl.facts {
                    (fact("added by", Some(person(it.author.as_str()))))
                    (fact("created", Some(when(view, it.created_at))))
                    (fact("changed", it.updated_at.map(|at| when(view, at))))
                    (fact("mode", it.mode.map(|mode| html! { (mode) })))
                }
                @if !risks.is_empty() {
                    h2 { "Risks" }
                    ul.rows { @for risk in risks { li { @if let Some(item) = &risk.item { span.id { (item) } " " } (risk_of(view, &crate::rules::shown::value(&risk.risk))) } } }
                }
            }
        }
    };
    Ok(PageContent::new(format!("{} {}", it.id, it.title), body))
}

fn wave_part(view: &View<'_>, lists: &PagedLists, wave: &WaveView) -> Markup {
    let issues = lists.first_slice(&wave.issues, ROWS);
    html! {
        @if lists.is_first() || !issues.is_empty() { section {
            h2 { "Wave " (wave.wave) " " span.count { (wave.done) " of " (wave.total) } }
            progress value=(wave.done) max=(wave.total.max(1)) aria-label=(format!("wave {}", wave.wave)) {}
            div.scroll tabindex="0" role="region" aria-label=(format!("issues of wave {}", wave.wave)) {
                table {
                    thead { tr { th { "Item" } th { "Issue" } th { "Status" } th { "Priority" } th.wide { "Goal" } th { "After" } } }
                    tbody {
                        @for it in issues {
                            tr {
                                td { span.id { (it.item) } }
                                td { (view.id(&Place::Issue(it.issue_id.clone()), it.issue_id.as_str())) }
                                td { (badge(it.status.as_str())) }
                                td { (priority(it.priority)) }
                                td.wide {
                                    (record_text(view, &it.goal))
                                    @if !it.criteria.is_empty() {
                                        details { summary { @if it.criteria.len() == 1 { "1 criterion" } @else { (it.criteria.len()) " criteria" } }
                                            ul { @for criterion in &it.criteria { li { (linked(view, criterion)) } } }
                                            p.quiet { (record_text(view, &it.definition_of_done)) } }
                                    }
                                }
                                td { @for id in &it.depends_on { div { (view.id(&Place::Issue(id.clone()), id.as_str())) } } }
                            }
                        }
                    }
                }
            }
        } }
    }
}

/// A risk in words; of one that has other fields, what it says.
fn risk_of(view: &View<'_>, risk: &serde_json::Value) -> Markup {
    let text = |name: &str| risk[name].as_str();
    html! {
        @match text("risk") {
            Some(what) => {
                (linked(view, what)) @if let Some(severity) = text("severity") { " " (badge(severity)) }
                @if let Some(answer) = text("mitigation") { div.quiet { (linked(view, answer)) } }
            }
            None => (super::super::parts::json_value(view, risk)),
        }
    }
}

fn rounds(view: &View<'_>, lists: &PagedLists, it: &RoadmapView) -> Markup {
    let shown = lists.last_slice(&it.rounds, ROUNDS);
    html! {
        @if !shown.is_empty() {
            (counted("Feedback", it.rounds.len()))
            @for round in shown {
                article.entry {
                    header { "Round " (round.round) " " (badge(round.status.as_str())) " " (person(round.author.as_str())) " " (when(view, round.at)) }
                    (super::super::parts::json_value(view, &crate::rules::shown::value(&round.feedback)))
                    @if !round.changes.is_empty() { p.quiet { (round.changes.join(", ")) } }
                }
            }
        }
    }
}
