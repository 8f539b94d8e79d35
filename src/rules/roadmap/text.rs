//! The title, the description and the tags of the issue of a layer or task.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Item;
use crate::model::{Risk, RoadmapMode};
use crate::rules::limits::LONGEST_TITLE;

/// The tag of every issue of a roadmap.
const ROADMAP_TAG: &str = "roadmap";
/// The tag as other programs write it.
const OTHER_TAG: &str = "req-plan";

/// Every name of a tag. `roadmap` and `req-plan` are one tag with two names.
pub(crate) fn names_of_tag(tag: &str) -> Vec<&str> {
    if [ROADMAP_TAG, OTHER_TAG].contains(&tag) { vec![ROADMAP_TAG, OTHER_TAG] } else { vec![tag] }
}

/// Whether an issue with these tags has this one, by any of its names.
pub(crate) fn has_tag(tags: &BTreeSet<String>, wanted: &str) -> bool {
    names_of_tag(wanted).iter().any(|name| tags.contains(*name))
}

/// `[MVP] Teams can export`, on one line.
pub(crate) fn issue_title(item: &Item) -> String {
    let title =
        format!("[{}] {}", item.label.trim(), item.goal.split_whitespace().collect::<Vec<_>>().join(" "));
    match title.char_indices().nth(LONGEST_TITLE - 1) {
        Some((end, _)) if title.chars().count() > LONGEST_TITLE => format!("{}…", &title[..end]),
        _ => title,
    }
}

/// The tags of the issue of an item; one that the document no longer has is in no wave.
pub(crate) fn tags(item: &Item, mode: RoadmapMode, is_gone: bool) -> BTreeSet<String> {
    let mut tags =
        BTreeSet::from([ROADMAP_TAG.to_owned(), mode.to_string(), item.label.trim().to_lowercase()]);
    if !is_gone {
        tags.insert(format!("wave-{}", item.wave));
    }
    tags
}

/// The description, in sections.
pub(crate) fn issue_text(item: &Item) -> String {
    let mut text = format!("## Goal\n\n{}\n", item.goal.trim());
    let risks: Vec<String> = item.risks.iter().map(risk).collect();
    for (name, lines) in [
        ("Scope", &item.scope),
        ("Not in scope", &item.excludes),
        ("Inputs", &item.inputs),
        ("Outputs", &item.outputs),
        ("Convergence criteria", &item.convergence.criteria.0),
        ("Verification", &item.convergence.verification.0),
    ] {
        section(&mut text, name, lines);
    }
    let _ = write!(text, "\n## Definition of done\n\n{}\n", item.convergence.definition_of_done.trim());
    section(&mut text, "Risks", &risks);
    text.trim_end().to_owned()
}

fn section(text: &mut String, name: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {name}\n\n");
    for line in lines {
        // A further line of an entry stays in it.
        let _ = writeln!(text, "- {}", line.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n  "));
    }
}

/// `late data (high): ask early`
fn risk(risk: &Risk) -> String {
    let severity = risk.severity.as_deref().map(|word| format!(" ({word})")).unwrap_or_default();
    let mitigation = risk.mitigation.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    format!("{}{severity}{mitigation}", risk.risk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::typed;
    use crate::rules::roadmap::items;
    use serde_json::json;

    fn item() -> Item {
        let document = json!({"layers": [{"id": "L1", "name": "Usable", "goal": "Teams  can\nexport", "scope": ["csv", "a\nb"],
            "excludes": ["pdf"], "effort": "medium", "risks": [{"risk": "late", "severity": "high", "mitigation": "ask"}],
            "convergence": {"criteria": ["one"], "verification": "look there", "definition_of_done": "Ada exports"}}]});
        items(&typed::read(&document).unwrap()).remove(0)
    }

    #[test]
    fn an_issue_says_everything_that_its_item_says() {
        assert_eq!(issue_title(&item()), "[Usable] Teams can export");
        let expected = "## Goal\n\nTeams  can\nexport\n\n## Scope\n\n- csv\n- a\n  b\n\n## Not in scope\n\n- pdf\n\n\
            ## Convergence criteria\n\n- one\n\n## Verification\n\n- look there\n\n## Definition of done\n\nAda exports\n\n\
            ## Risks\n\n- late (high): ask";
        assert_eq!(issue_text(&item()), expected);
        let all = tags(&item(), RoadmapMode::Progressive, false);
        assert_eq!(all, ["progressive", "roadmap", "usable", "wave-2"].map(str::to_owned).into());
        assert!(!tags(&item(), RoadmapMode::Progressive, true).contains("wave-2"));
        let long = Item { goal: "x".repeat(2 * LONGEST_TITLE), ..item() };
        assert_eq!(issue_title(&long).chars().count(), LONGEST_TITLE);
    }

    #[test]
    fn both_names_are_one_tag() {
        let tags = |name: &str| BTreeSet::from([name.to_owned()]);
        assert!(has_tag(&tags("req-plan"), "roadmap") && has_tag(&tags("roadmap"), "req-plan"));
        assert!(has_tag(&tags("a"), "a") && !has_tag(&tags("a"), "roadmap"));
    }
}
