//! The phases of a roadmap, and the folders in which their plans are.

use crate::interchange::plan_tools::boxes;
use crate::interchange::plan_tools::sections::sections;

/// Longer slugs are cut, as the tool does.
const LONGEST: usize = 60;

/// A phase of the roadmap, or a folder of one that it does not have any more.
pub(super) struct Phase<'a> {
    /// `1`, `01.1`.
    pub(super) number: &'a str,
    /// `None` if it only has a folder.
    pub(super) name: Option<&'a str>,
    /// What it is called here: its number moves.
    pub(super) slug: String,
    /// What the roadmap says of it; empty if it only lists it.
    pub(super) body: &'a str,
    /// Whether its box in the list of phases is ticked.
    pub(super) is_ticked: bool,
    /// Its folder, such as `01-okapi`.
    pub(super) folder: Option<&'a str>,
}

/// The phases of a roadmap and of the folders, by their numbers. The slug is that of the folder, if there is one; of two phases
/// with one slug, the later one has its number, too.
pub(super) fn phases<'a>(roadmap: &'a str, folders: &'a [String]) -> Vec<Phase<'a>> {
    let mut found: Vec<Phase<'a>> = Vec::new();
    let mut add = |number: &'a str, name: Option<&'a str>, body: &'a str| {
        if !found.iter().any(|phase| is_same_number(phase.number, number)) {
            found.push(Phase { number, name, slug: String::new(), body, is_ticked: false, folder: None });
        }
    };
    for section in sections(roadmap) {
        if let Some((number, name)) = phase_title(section.title) {
            add(number, Some(name), section.body);
        }
    }
    // Phases of a milestone that is over are only listed; those without a folder are history.
    let listed = listed_phases(roadmap);
    for line in &listed {
        if folders.iter().any(|folder| is_same_number(folder_number(folder), line.number)) {
            add(line.number, Some(line.name), "");
        }
    }
    assign_folders(&mut found, folders, &listed);
    for folder in folders {
        if found.iter().all(|phase| phase.folder != Some(folder.as_str())) {
            let (slug, number) = (String::new(), folder_number(folder));
            found.push(Phase { number, name: None, slug, body: "", is_ticked: false, folder: Some(folder) });
        }
    }
    for phase in &mut found {
        let name = phase.name.or(phase.folder.map(folder_slug)).unwrap_or_default();
        phase.is_ticked = listed.iter().any(|line| line.is_done && line.is_phase(phase.number, name));
    }
    found.sort_by(|one, other| value(one.number).total_cmp(&value(other.number)));
    for n in 0..found.len() {
        let folder = found[n].folder.map(|folder| folder_slug(folder).to_owned());
        let plain = folder.unwrap_or_else(|| slug(found[n].name.unwrap_or_default()));
        let is_taken = found[..n].iter().any(|phase| phase.slug == plain);
        found[n].slug =
            if is_taken { format!("{plain}-{}", found[n].number.trim_start_matches('0')) } else { plain };
    }
    found
}

/// A phase in the list of phases: `- [x] **Phase 1: Gate** - done`.
struct ListedPhase<'a> {
    number: &'a str,
    name: &'a str,
    is_done: bool,
}

impl ListedPhase<'_> {
    /// Whether this is the line of a phase: a later milestone may count from one again.
    fn is_phase(&self, number: &str, name: &str) -> bool {
        let is_like = self.name.starts_with(name) || slug(self.name).starts_with(&slug(name));
        is_same_number(self.number, number) && is_like
    }
}

fn listed_phases(roadmap: &str) -> Vec<ListedPhase<'_>> {
    let mut found = Vec::new();
    for line in boxes::boxes(roadmap) {
        let title = line.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let Some((number, name)) = phase_title(title) else { continue };
        let name = name.trim_start_matches(['*', ' ']);
        let name = name.split("**").next().unwrap_or(name);
        let name = name.split(" (").next().unwrap_or(name).trim();
        found.push(ListedPhase { number, name, is_done: line.is_done });
    }
    found
}

/// Gives the phases their folders. Numbers move, and milestones may count from one again: the folder of a phase is the one that is
/// called like it, else the first one with its number that is not called like another phase of the list.
fn assign_folders<'a>(found: &mut [Phase<'a>], folders: &'a [String], listed: &[ListedPhase<'_>]) {
    for (by_name, by_number) in [(true, true), (true, false), (false, true)] {
        for folder in folders {
            let is_free = found.iter().all(|phase| phase.folder != Some(folder.as_str()));
            let is_named = listed.iter().any(|line| slug(line.name) == folder_slug(folder));
            let own = found.iter_mut().find(|phase| {
                let name = phase.name.unwrap_or_default();
                let is_others = is_named && listed.iter().any(|line| line.is_phase(phase.number, name));
                let is_like = if by_name { folder_slug(folder) == slug(name) } else { !is_others };
                let is_there = !by_number || is_same_number(folder_number(folder), phase.number);
                is_free && is_like && is_there && phase.folder.is_none()
            });
            if let Some(phase) = own {
                phase.folder = Some(folder);
            }
        }
    }
}

/// `02` of `02-okapi`.
pub(super) fn folder_number(folder: &str) -> &str {
    folder.split_once('-').map_or(folder, |(number, _)| number)
}

/// `okapi` of `02-okapi`.
fn folder_slug(folder: &str) -> &str {
    folder.split_once('-').map_or(folder, |(_, slug)| slug)
}

/// The number and the name in `Phase 2.1: Hay (INSERTED)`.
fn phase_title(title: &str) -> Option<(&str, &str)> {
    let head = title.get(..5).filter(|head| head.eq_ignore_ascii_case("phase"))?;
    let (number, name) = title[head.len()..].split_once(':')?;
    let (number, name) = (number.trim(), name.trim().trim_end_matches("(INSERTED)").trim());
    let is_number = number.contains(|c: char| c.is_ascii_digit()) && !number.contains(' ');
    (is_number && !name.is_empty()).then_some((number, name))
}

/// `01` and `1` are one number, and so are `01.1` and `1.1`.
pub(super) fn is_same_number(one: &str, other: &str) -> bool {
    one.trim_start_matches('0').eq_ignore_ascii_case(other.trim_start_matches('0'))
}

/// A number for the order; that of `12A` is 12.
fn value(number: &str) -> f64 {
    number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(f64::MAX)
}

/// `Configuração & more` as `configura-o-more`, as the tool makes it. A name without letters or digits of ASCII stays as it is.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut plain = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    plain.truncate(LONGEST);
    if plain.is_empty() { name.to_owned() } else { plain.trim_end_matches('-').to_owned() }
}

impl Phase<'_> {
    /// The slugs of the phases that its line `**Depends on**: Phases 1-3 (the gate)` names, and the numbers that are not those of
    /// phases.
    pub(super) fn depends_on(&self, all: &[Phase<'_>]) -> (Vec<String>, Vec<String>) {
        let (mut on, mut unknown): (Vec<String>, Vec<String>) = (vec![], vec![]);
        let line = depends_line(self.body);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        // Other words, such as the names of files, may have digits, too.
        let begin = line.find("phase").unwrap_or(if line.starts_with(|c: char| c.is_ascii_digit()) {
            0
        } else {
            line.len()
        });
        for word in line[begin..].split(|c: char| !is_word(c)).map(|word| word.trim_matches(['.', '-'])) {
            if !word.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            // Only a number ends a range: `2-gate` is the phase 2.
            let (first, last) = match word.split_once('-') {
                Some((first, rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                    (first, rest.split('-').next().unwrap_or(rest))
                }
                Some((first, _)) => (first, first),
                None => (word, word),
            };
            let named: Vec<String> = all
                .iter()
                .filter(|phase| {
                    let is_between = (value(first)..=value(last)).contains(&value(phase.number));
                    let is_one = [first, word].iter().any(|one| is_same_number(phase.number, one));
                    is_one || first != last && is_between
                })
                .map(|phase| phase.slug.clone())
                .collect();
            if named.is_empty() {
                unknown.push(word.to_owned());
            }
            on.extend(named.into_iter().filter(|slug| *slug != self.slug));
        }
        (on, unknown)
    }
}

/// What a phase depends on, in small letters and without what stands in parentheses; also as a list below the words.
fn depends_line(body: &str) -> String {
    let mut lines = body.lines().skip_while(|line| !line.trim().starts_with("**Depends on"));
    let first = lines.next().unwrap_or_default();
    let mut text =
        first.trim_start().trim_start_matches("**Depends on").trim_start_matches([':', '*', ' ']).to_owned();
    if text.is_empty() {
        text = lines.map_while(boxes::item).collect::<Vec<_>>().join(",");
    }
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in text.to_ascii_lowercase().replace(['\u{2013}', '\u{2014}'], "-").chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// The text after `**Goal**:` or `**Goal:**`.
pub(super) fn field<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    body.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("**")?.strip_prefix(name)?;
        let rest = rest.strip_prefix("**:").or_else(|| rest.strip_prefix(":**"))?;
        Some(rest.trim()).filter(|text| !text.is_empty() && !text.starts_with('['))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_has_the_name_of_its_folder_and_keeps_it() {
        let folders = ["01-gate", "02-configura-o-do-painel", "05-gate"].map(str::to_owned);
        let name = |roadmap: &'static str| -> Vec<String> {
            phases(roadmap, &folders).into_iter().map(|phase| phase.slug).collect()
        };
        let begun = "### Phase 1: A gate\n### Phase 2: Configuração do painel\n### Phase 3: Über Öl & more\n### Phase 5: Gate\n";
        assert_eq!(name(begun), ["gate", "configura-o-do-painel", "ber-l-more", "gate-5"]);
        // The milestone is completed, so that its phases are only listed.
        let over = "- [x] Phase 1: A gate (1/1 plans)\n- [x] Phase 9: History\n";
        assert_eq!(name(over), ["gate", "configura-o-do-painel", "gate-5"]);
        let all = phases(over, &folders);
        assert_eq!((all[0].name, all[0].is_ticked, all[1].name), (Some("A gate"), true, None));
    }

    #[test]
    fn a_milestone_that_counts_from_one_again_is_not_done() {
        let folders = ["01-gate".to_owned()];
        let roadmap = "- [x] **Phase 1: Gate** - done\n- [ ] **Phase 1: Hay**\n### Phase 1: Hay\n";
        let all = phases(roadmap, &folders);
        let state = |slug: &str| {
            let phase = all.iter().find(|phase| phase.slug == slug).unwrap();
            (phase.folder, phase.is_ticked)
        };
        assert_eq!((state("hay"), state("gate")), ((None, false), (Some("01-gate"), true)));
        // The words beside the name do not count, and letters need not be of ASCII.
        let ticked = |roadmap: &str| phases(roadmap, &[])[0].is_ticked;
        assert!(ticked("- [x] **Phase 1: Gate** (2/2)\n### Phase 1: Gate\n"));
        assert!(ticked("- [x] **Phase 1: 門** - done\n### Phase 1: 門\n"));
        assert!(!ticked("- [x] **Phase 1: Gate**\n### Phase 1: Hay\n"));
    }

    #[test]
    fn what_a_phase_depends_on_is_a_number_of_a_phase() {
        let roadmap = "### Phase 1: A\n### Phase 2: B\n### Phase 2.1: C\n### Phase 3: D\n### Phase 12A: E\n";
        for (line, expected, unknown) in [
            ("**Depends on**: Phases 1-3", vec!["a", "b", "c", "d"], vec![]),
            ("**Depends on:** Phase 1 (needs 3 tables), 2.1", vec!["a", "c"], vec![]),
            ("**Depends on**: Phase 12A and Phase 99", vec!["e"], vec!["99"]),
            ("**Depends on**:\n- Phase 3\n- Phase 2", vec!["d", "b"], vec![]),
            ("**Depends on**: Phase 2-gate", vec!["b"], vec![]),
            ("**Depends on**: the 3 files in `src/4.rs`", vec![], vec![]),
        ] {
            let roadmap = format!("{roadmap}### Phase 13: F\n{line}\n");
            let all = phases(&roadmap, &[]);
            let last = all.last().unwrap();
            let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(last.depends_on(&all), (owned(expected), owned(unknown)), "{line}");
        }
    }
}
