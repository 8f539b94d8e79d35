//! The files of plans in the folders of phases.

use std::path::{Path, PathBuf};

use super::fields_of;
use super::phase::{Phase, folder_number, is_same_number};
use crate::interchange::plan_tools::files;

/// A plan in the folder of a phase.
pub(super) struct PlanFile {
    pub(super) file: PathBuf,
    /// Its path below `phases`.
    pub(super) place: String,
    /// The slug of its phase.
    pub(super) phase: String,
    /// The number of its phase, as the folder has it.
    phase_number: String,
    /// The number that its phase had when the plan was written, see [`Self::other`].
    written: String,
    /// Its own number in the phase.
    number: String,
}

impl PlanFile {
    /// What its record is called.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.phase, self.number)
    }

    /// Where the summary of what was done may be.
    pub(super) fn summaries(&self) -> Vec<PathBuf> {
        let name = self.file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let names =
            [name.replacen("PLAN", "SUMMARY", 1), format!("{}-SUMMARY.md", name.trim_end_matches(".md"))];
        names.iter().map(|name| self.file.with_file_name(name)).collect()
    }

    pub(super) fn has_summary(&self) -> bool {
        self.summaries().iter().any(|file| file.is_file())
    }

    /// Whether a file is that of the plan or of its summary.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.file == file || self.summaries().iter().any(|summary| summary == file)
    }

    /// The name of the plan that this one calls `02-01`, `02-okapi-01`, `02-01-PLAN`, or `01` in its own phase. If a phase is
    /// removed, the tool renumbers folders and files, but not what the plans in them say.
    pub(super) fn other(&self, given: &str, all: &[Self]) -> Option<String> {
        let given = given.split_whitespace().next().unwrap_or(given);
        let given = given.trim_end_matches(".md").trim_end_matches("-PLAN");
        let is_moved = !is_same_number(&self.written, &self.phase_number);
        let phase = given.rsplit_once('-').map(|(phase, _)| folder_number(phase));
        let of_phase = |plan: &&Self| match phase {
            None => plan.phase == self.phase,
            Some(phase) if is_moved => is_same_number(&plan.written, phase),
            Some(phase) => is_same_number(&plan.phase_number, phase),
        };
        let number = given.rsplit('-').next().unwrap_or(given);
        all.iter().filter(of_phase).find(|plan| is_same_number(&plan.number, number)).map(Self::name)
    }
}

/// The plans in the folders of phases, such as `02-okapi`: `02-01-PLAN.md`, `2-PLAN-01-gate.md` or `plans/PLAN-01-gate.md`.
pub(super) fn plan_files(folders: &Path, phases: &[Phase<'_>]) -> Vec<PlanFile> {
    let mut found = Vec::new();
    for name in files::folders(folders) {
        let Some(phase) = phases.iter().find(|phase| phase.folder == Some(name.as_str())) else { continue };
        let (folder, phase_number, slug) = (folders.join(&name), folder_number(&name), &phase.slug);
        let nested = files::markdown(&folder.join("plans")).into_iter().map(|file| format!("plans/{file}"));
        for file in files::markdown(&folder).into_iter().chain(nested) {
            let Some(number) = plan_number(file.rsplit('/').next().unwrap_or_default()) else { continue };
            let (place, file) = (format!("{name}/{file}"), folder.join(&file));
            let written = written_number(&file).unwrap_or_else(|| phase_number.to_owned());
            let (phase, phase_number) = (slug.clone(), phase_number.to_owned());
            found.push(PlanFile { file, place, phase, phase_number, written, number });
        }
    }
    found
}

/// The number in `phase: 02-okapi`.
fn written_number(file: &Path) -> Option<String> {
    let text = files::text_of(file).ok()??.0;
    let (fields, ..) = fields_of(&text).ok()?;
    let number = fields.text("phase").split('-').next()?;
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
}

/// The number of a plan in the name of its file; `None` if it is another file.
fn plan_number(file: &str) -> Option<String> {
    let stem = file
        .strip_suffix(".md")
        .filter(|stem| !stem.ends_with("-OUTLINE") && !stem.ends_with(".pre-bounce"))?;
    if stem == "PLAN" {
        return Some("01".to_owned());
    }
    if let Some(before) = stem.strip_suffix("-PLAN") {
        return before.rsplit('-').next().map(str::to_owned);
    }
    let after = stem.strip_prefix("PLAN-").or_else(|| stem.split_once("-PLAN-").map(|(_, after)| after))?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
