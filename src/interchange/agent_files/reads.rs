//! Where an agent reads its instructions, as far as its own files say so.

use super::section::{self, Marks};
use super::{AgentFileFault, SHARED, json, yaml};

/// Whether a file of instructions imports `AGENTS.md` outside the section of `git wf`: agents replace `@PATH` with that
/// file.
///
/// # Errors
/// Markers that do not match.
pub(crate) fn imports_agents(text: &str) -> Result<bool, AgentFileFault> {
    let own = section::find(text, Marks::Markdown)?;
    let (before, after) = match own {
        Some(range) => (&text[..range.start], &text[range.end..]),
        None => (text, ""),
    };
    Ok(before.split_whitespace().chain(after.split_whitespace()).any(|word| {
        let path = word.strip_prefix('@').map(|path| path.trim_end_matches(['.', ',', ';', ')']));
        path.is_some_and(|path| [SHARED, "./AGENTS.md", "../AGENTS.md"].contains(&path))
    }))
}

/// The file in which Gemini CLI reads its instructions, by its settings.
///
/// # Errors
/// Settings that are not JSON.
pub(crate) fn instructions_of_gemini(settings: Option<&str>) -> Result<String, AgentFileFault> {
    const USUAL: &str = "GEMINI.md";
    let names = match settings {
        Some(text) => json::strings_at(text, &["context", "fileName"])?,
        None => vec![],
    };
    let is_named = |wanted: &str| names.iter().any(|name| name == wanted);
    Ok(match names.first() {
        Some(_) if is_named(USUAL) => USUAL.into(),
        Some(_) if is_named(SHARED) => SHARED.into(),
        Some(name) => name.clone(),
        None => USUAL.into(),
    })
}

/// The file in which aider reads its instructions: the first Markdown file that it is told to read.
///
/// # Errors
/// A configuration that cannot be understood, or that names only files which are not Markdown.
pub(crate) fn instructions_of_aider(config: Option<&str>) -> Result<String, AgentFileFault> {
    let Some(files) = config.map(yaml::files).transpose()?.flatten() else { return Ok(SHARED.into()) };
    if files.iter().any(|file| file == SHARED) {
        return Ok(SHARED.into());
    }
    files.iter().find(|file| file.ends_with(".md")).cloned().ok_or(AgentFileFault::NoPlace("read: AGENTS.md"))
}
