//! When a plan is done, as the specifications beside it say.

use super::sections::{items, sections};

/// The scenarios of OpenSpec: `A Saturday: WHEN it is Saturday at 08:00, THEN the bowl is full`. What a change removes need not
/// hold.
pub(super) fn scenarios<'a>(specs: impl Iterator<Item = &'a str>) -> Vec<String> {
    let (mut found, mut is_removed) = (Vec::new(), false);
    for section in specs.flat_map(sections) {
        if section.level <= 2 {
            is_removed = section.title.to_ascii_uppercase().starts_with("REMOVED");
        }
        let steps = items(section.body);
        if let Some(name) = section.title.strip_prefix("Scenario:")
            && section.level == 4
            && !is_removed
            && !steps.is_empty()
        {
            found.push(format!("{}: {}", name.trim(), steps.join(", ")));
        }
    }
    found
}

/// Of Spec Kit, the scenarios of the stories, the functional requirements and the measurable outcomes.
pub(super) fn of_specification(spec: &str) -> Vec<String> {
    let begins = |item: &str, words: &[&str]| words.iter().any(|word| item.starts_with(word));
    let mut found: Vec<String> = Vec::new();
    let mut is_scenario = false;
    for item in items(spec) {
        match found.last_mut() {
            Some(last) if is_scenario && begins(&item, &["When ", "Then ", "And "]) => {
                last.push_str(&format!(" {item}"));
                continue;
            }
            _ => is_scenario = begins(&item, &["Given ", "**Given**"]),
        }
        if is_scenario || begins(&item, &["FR-", "SC-"]) {
            found.push(item);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scenarios_that_stay_are_criteria() {
        let spec = "## ADDED Requirements\n### Requirement: R\n#### Scenario: Noon\n- **WHEN** it is\n  noon\n- **THEN** it eats\n\
                    #### Rationale\nHistory.\n## REMOVED Requirements\n### Requirement: O\n#### Scenario: Old\n- **WHEN** a\n";
        assert_eq!(scenarios([spec].into_iter()), ["Noon: WHEN it is noon, THEN it eats"]);
    }

    #[test]
    fn a_scenario_may_have_several_lines() {
        let spec = "1. **Given** a bowl,\n   **When** it is eight,\n   **Then** it is full\n2. **Given** a gate\n   - **When** it opens\n\
                    - **FR-001**: It must open\n- What is Given stays\n";
        let expected = [
            "Given a bowl, When it is eight, Then it is full",
            "Given a gate When it opens",
            "FR-001: It must open",
        ];
        assert_eq!(of_specification(spec), expected);
    }
}
