//! What coding agents read in a repository, and how `git wf` is entered there: instructions, an MCP server and hooks.
//! Everything that was there before stays byte for byte, so that it can be taken out again. See gitwf-agents(7) for where
//! each format comes from.

mod fault;
mod json;
mod json_render;
mod reads;
mod section;
mod table;
mod toml;
mod yaml;

pub(crate) use fault::AgentFileFault;
pub(crate) use reads::{imports_agents, instructions_of_aider, instructions_of_gemini};
pub(crate) use table::AGENTS;

use crate::model::text_enum;
use json::{Beside, JsonEntry};
use section::Marks;

text_enum!(
    /// A coding agent.
    Agent {
        /// Claude Code.
        Claude = "claude",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Qwen Code.
        Qwen = "qwen",
        /// Cursor.
        Cursor = "cursor",
        /// opencode.
        Opencode = "opencode",
        /// GitHub Copilot, in its command line and in Visual Studio Code.
        Copilot = "copilot",
        /// aider.
        Aider = "aider",
    }
);

text_enum!(
    /// What a file gives to an agent.
    Gives {
        /// Instructions for it.
        Instructions = "instructions",
        /// A setting that makes it read the instructions.
        Reading = "read",
        /// The MCP server.
        Mcp = "mcp",
        /// Hooks at the start of a session and before it stops.
        Hooks = "hooks",
    }
);

text_enum!(
    /// Whether something is in a file.
    State {
        /// It is missing.
        Missing = "missing",
        /// It is there, as another version wrote it.
        Outdated = "outdated",
        /// It is there.
        Current = "current",
        /// There is something else in its place, which someone wrote by hand.
        Own = "own",
        /// The file cannot be used, so its state is unknown.
        Unusable = "unusable",
    }
);

text_enum!(
    /// The form of what the hooks of an agent answer; Codex and Qwen Code have that of Claude Code.
    HookForm {
        /// `hookSpecificOutput`, `systemMessage`, `decision: block`.
        Claude = "claude",
        /// JSON with `decision: deny`.
        Gemini = "gemini",
        /// `additional_context`, `followup_message`.
        Cursor = "cursor",
        /// `additionalContext`, `decision: block`.
        Copilot = "copilot",
    }
);

/// Something that an agent reads.
#[derive(Debug)]
pub(crate) struct Piece {
    /// What it gives.
    pub(crate) gives: Gives,
    /// Where it can be; the first existing file counts, or else the first.
    pub(crate) paths: &'static [&'static str],
    edit: Edit,
}

/// How something is put into a file.
#[derive(Debug)]
enum Edit {
    /// A section of a Markdown file.
    Markdown,
    /// A section of a TOML file, which defines one server.
    Toml,
    /// A section of a YAML file, which has one key.
    Yaml,
    /// Entries of a JSON file.
    Json { entries: Vec<JsonEntry>, besides: Besides, reader: JsonReader },
}

/// What a JSON file that is made for some entries has besides them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// `version: 1`, at the end.
    Version,
    /// The address of its schema, at the beginning. The agent adds it where it is missing.
    Schema(&'static str),
    /// The version of Qwen Code's settings, at the beginning. Qwen Code rewrites a file that has an older version.
    QwenVersion,
}

/// What an agent accepts in a JSON file. Files are edited whatever it is, so that what is there can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonReader {
    /// Comments and trailing commas, or it is not known that it does not.
    Lenient,
    /// Comments, but no trailing commas.
    WithComments,
    /// Neither.
    Strict,
}

/// What an agent reads, and what shows that it is used in a repository.
#[derive(Debug)]
pub(crate) struct Reads {
    /// The agent.
    pub(crate) agent: Agent,
    /// Its files.
    pub(crate) pieces: Vec<Piece>,
    /// Files and directories that only this agent has.
    pub(crate) signs: &'static [&'static str],
    /// What it asks its user before it uses the files, in a sentence without a subject.
    pub(crate) consent: Option<&'static str>,
}

/// The file that most agents read.
pub(crate) const SHARED: &str = "AGENTS.md";

/// A text that is in every entry and section.
pub(crate) const PROGRAM: &str = "git-wf";

const INSTRUCTIONS: &str = include_str!("agent_files/instructions.md");

impl Agent {
    /// The form of its hooks' answers, if it has hooks.
    pub(crate) fn hook_form(self) -> Option<HookForm> {
        match self {
            Self::Claude | Self::Codex | Self::Qwen => Some(HookForm::Claude),
            Self::Gemini => Some(HookForm::Gemini),
            Self::Cursor => Some(HookForm::Cursor),
            Self::Copilot => Some(HookForm::Copilot),
            Self::Opencode | Self::Aider => None,
        }
    }
}

impl Piece {
    /// Whether it is in a file with this text.
    ///
    /// # Errors
    /// Any [`AgentFileFault`].
    pub(crate) fn state(&self, text: Option<&str>) -> Result<State, AgentFileFault> {
        let Some(text) = text else { return Ok(State::Missing) };
        match &self.edit {
            Edit::Markdown => section::state(text, Marks::Markdown, INSTRUCTIONS),
            Edit::Toml => toml::state(text),
            Edit::Yaml => yaml::state(text),
            Edit::Json { entries, .. } => json::state_of_all(text, entries),
        }
    }

    /// Refuses a file that its agent could not read, even if it can be edited.
    ///
    /// # Errors
    /// [`AgentFileFault::Syntax`].
    pub(crate) fn refuse_unreadable(&self, text: &str, agent: Agent) -> Result<(), AgentFileFault> {
        match &self.edit {
            Edit::Json { reader, .. } => json::refuse_unreadable(text, *reader, agent),
            Edit::Markdown | Edit::Toml | Edit::Yaml => Ok(()),
        }
    }

    /// The text with it. Nothing changes if it is there already, or something else is in its place.
    ///
    /// # Errors
    /// Any [`AgentFileFault`].
    pub(crate) fn put_into(&self, text: Option<&str>) -> Result<String, AgentFileFault> {
        match (&self.edit, text) {
            (Edit::Markdown, text) => section::put_into(text, Marks::Markdown, INSTRUCTIONS),
            (Edit::Toml, text) => toml::put_into(text),
            (Edit::Yaml, text) => yaml::put_into(text),
            (Edit::Json { entries, besides, .. }, None) => Ok(json::fresh(entries, *besides)),
            (Edit::Json { entries, besides, .. }, Some(text)) => {
                // This says that the file was there before.
                let beside = if json::is_only(text, *besides) { Beside::Before } else { Beside::Behind };
                json::put_into(text, entries, beside)
            }
        }
    }

    /// The text without it; `None` if nothing else is left of a file that was made for it.
    ///
    /// # Errors
    /// Any [`AgentFileFault`].
    pub(crate) fn take_out_of(&self, text: &str) -> Result<Option<String>, AgentFileFault> {
        match &self.edit {
            Edit::Markdown => section::take_out_of(text, Marks::Markdown),
            Edit::Toml | Edit::Yaml => section::take_out_of(text, Marks::Hash),
            Edit::Json { entries, besides, .. } if text == json::fresh(entries, *besides) => Ok(None),
            Edit::Json { entries, besides, .. } => {
                let left = json::take_out_of(text, entries)?;
                let is_made = |left: &String| json::is_only(left, *besides) && json::is_made(text, entries);
                Ok(left.filter(|left| left == text || !is_made(left)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
