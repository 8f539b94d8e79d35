//! The MCP server in the configuration of Codex: a section at the end of a TOML file.

use ::toml::de::{DeTable, DeValue};

use super::section::{self, Marks};
use super::{AgentFileFault, State};

const BODY: &str = "[mcp_servers.git-wf]\ncommand = \"git-wf\"\nargs = [\"mcp\"]\n";
const SERVERS: &str = "mcp_servers";
const SERVER: &str = "git-wf";

/// Whether the file defines the server.
fn defines(text: &str) -> Result<bool, AgentFileFault> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = DeTable::parse(bare).map_err(|error| {
        let line = error.span().map(|span| bare[..span.start].matches('\n').count() + 1);
        let line = line.map(|line| format!(" in line {line}")).unwrap_or_default();
        AgentFileFault::Syntax {
            format: "TOML",
            why: format!("{}{line}", error.message().replace('\n', ", ")),
        }
    })?;
    let value = |name: &str| table.get_ref().iter().find(|(key, _)| key.get_ref() == name);
    match value(SERVERS).map(|(_, value)| value.get_ref()) {
        None => Ok(false),
        Some(DeValue::Table(servers)) => Ok(servers.iter().any(|(key, _)| key.get_ref() == SERVER)),
        Some(_) => Err(AgentFileFault::NotA { key: SERVERS.into(), wanted: "a table" }),
    }
}

pub(super) fn state(text: &str) -> Result<State, AgentFileFault> {
    let is_defined = defines(text)?;
    Ok(match section::state(text, Marks::Hash, BODY)? {
        State::Missing if is_defined => State::Own,
        state => state,
    })
}

pub(super) fn put_into(text: Option<&str>) -> Result<String, AgentFileFault> {
    if let Some(text) = text
        && state(text)? == State::Own
    {
        return Ok(text.to_owned());
    }
    let with = section::put_into(text, Marks::Hash, BODY)?;
    match defines(&with) {
        Ok(true) => Ok(with),
        // For instance, `mcp_servers = {}` cannot be extended.
        _ => Err(AgentFileFault::NoPlace("[mcp_servers.git-wf]")),
    }
}
