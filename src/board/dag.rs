//! Draws the tasks of a plan as a dependency graph.

use std::collections::HashMap;

use crate::model::Plan;
use crate::rules::dag::{components, ordered, reduced};
use crate::ui::lanes::draw;
use crate::ui::{Strokes, StyledLine, clean_line, style};

/// With more tasks than this, edges that others imply are drawn, too.
const MOST_REDUCED: usize = 2_000;

/// For each task: its lane, id and title, and below them the tasks it depends on and its files.
pub(super) fn lines(plan: &Plan, strokes: Strokes) -> Vec<StyledLine> {
    let places: HashMap<&str, usize> =
        plan.tasks.iter().enumerate().map(|(n, task)| (task.id.as_str(), n)).collect();
    let before: Vec<Vec<usize>> = plan
        .tasks
        .iter()
        .map(|task| task.depends_on.iter().filter_map(|id| places.get(id.as_str()).copied()).collect())
        .collect();
    // Tasks in a cycle keep the order in which the plan lists them.
    let order = ordered(&before, &components(&before), &(0..before.len()).collect::<Vec<_>>());
    let mut rank = vec![0; before.len()];
    order.iter().enumerate().for_each(|(at, task)| rank[*task] = at);
    let mut edges: Vec<Vec<usize>> =
        order.iter().map(|task| before[*task].iter().map(|earlier| rank[*earlier]).collect()).collect();
    if edges.len() <= MOST_REDUCED {
        edges = reduced(&edges);
    }
    let mark = if strokes == Strokes::Unicode { "○" } else { "o" };
    let mut lines = Vec::new();
    for (drawn, task) in draw(&edges, strokes).into_iter().zip(order.iter().map(|n| &plan.tasks[*n])) {
        lines.extend(drawn.link.map(|link| StyledLine(vec![(style::DIM, link)])));
        lines.push(StyledLine(vec![
            (style::DIM, format!("{}{mark}{}  ", drawn.left, drawn.right)),
            (style::ID, clean_line(&task.id).into_owned()),
            (style::PLAIN, format!("  {}", clean_line(&task.title))),
        ]));
        let mut about = Vec::new();
        if !task.depends_on.is_empty() {
            about.push(format!("after {}", task.depends_on.join(", ")));
        }
        let mut files: Vec<&str> = task.places().map(|place| place.path).collect();
        files.dedup();
        if !files.is_empty() {
            about.push(files.join(", "));
        }
        if !about.is_empty() {
            let about = about.join("; ");
            let words = clean_line(&about);
            lines
                .push(StyledLine(vec![(style::DIM, format!("{}  {words}", pad(&drawn.below, &drawn.left)))]));
        }
    }
    if lines.is_empty() {
        lines.push(StyledLine::new(style::DIM, "the plan has no tasks"));
    }
    lines
}

/// Pads the lanes of a continuation line to the width of the first line's.
fn pad(below: &str, left: &str) -> String {
    let least = left.chars().count() + 1;
    format!("{below}{}", " ".repeat(least.saturating_sub(below.chars().count())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn picture(tasks: &serde_json::Value) -> String {
        let mut tasks = tasks.clone();
        tasks.as_array_mut().unwrap().iter_mut().for_each(|task| task["action"] = json!("Fix"));
        let plan: Plan = serde_json::from_value(json!({ "tasks": tasks })).unwrap();
        lines(&plan, Strokes::Unicode).iter().map(StyledLine::words).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tasks_stand_below_those_they_come_after() {
        let shown = picture(&json!([
            {"id": "T3", "title": "join", "depends_on": ["T1", "T2"]},
            {"id": "T1", "title": "one"},
            {"id": "T2", "title": "two", "depends_on": ["T1"]},
        ]));
        assert_eq!(shown, "○  T1  one\n○  T2  two\n│  after T1\n○  T3  join\n   after T1, T2");
    }

    #[test]
    fn a_circle_and_unknown_tasks_do_no_harm() {
        let shown = picture(&json!([
            {"id": "T1", "title": "a\u{1b}b", "depends_on": ["T2", "T9"]},
            {"id": "T2", "title": "b", "depends_on": ["T1"]},
        ]));
        assert!(shown.contains("a\\u{1b}b") && shown.contains("T2"), "{shown}");
        assert_eq!(picture(&json!([])), "the plan has no tasks");
    }
}
