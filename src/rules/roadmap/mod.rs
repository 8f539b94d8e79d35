//! Roadmaps: assessing requirements, checking documents, deriving issues, and the status.

mod assess;
mod check;
mod items;
mod outdated;
mod same;
mod status;
mod text;

pub(crate) use assess::{Assessed, Unchosen, assess, choose};
pub(crate) use check::{RULES, RoadmapSetting, examine};
pub(crate) use items::{Item, items, known_mode, layer, mode, of_layer, of_task, title};
pub(crate) use outdated::{Outdated, earlier_issue, parts, renewed};
pub(crate) use same::{KnownPart, same};
pub(crate) use status::{MOST_ROUNDS, Round, RoundStatus, Status, rounds, status};
pub(crate) use text::{has_tag, issue_text, issue_title, names_of_tag, tags};
