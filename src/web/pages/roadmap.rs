//! Roadmaps by wave, with burn-up charts.

use maud::{Markup, html};

use crate::model::{RoadmapId, count};
use crate::ops::plans::roadmap;
use crate::ops::{Refusal, issues};
use crate::page;
use crate::web::layout::one as query;
use crate::web::parts::burn_up::{BurnUp, burn_up};
use crate::web::parts::{PagedLists, badge, picture, record_text, when};
use crate::web::place::Place;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

/// Maximum charts on a page.
const MOST: usize = 60;
/// Roadmaps per page.
const ROWS: usize = 200;

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
        waves.into_iter().map(|it| (it.number, BurnUp::new(&it.issues))).collect();
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
    let body = Shown::new(view).page(&page::roadmap::page(&it), &Beside::default());
    Ok(PageContent::new(format!("{} {}", it.id, it.title), body))
}
