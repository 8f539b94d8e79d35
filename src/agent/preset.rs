//! Known agents, with the commands that their makers document for running without a person: reading the prompt from
//! stdin and writing the answer to stdout, or speaking the Agent Client Protocol.

use super::definition::Protocol;

/// A known agent.
#[derive(Debug)]
pub(crate) struct AgentPreset {
    /// Its name here.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// How it is started.
    pub(crate) command: &'static str,
    /// How it is started to continue the session `{session}`, if it speaks the plain protocol and can do that.
    pub(crate) resume: Option<&'static str>,
    /// The mode of its sessions in which it asks for permission, if it does not begin in that.
    pub(crate) mode: Option<&'static str>,
    /// Its protocol.
    pub(crate) protocol: Protocol,
    /// Whether it can commit when no person is there to allow that.
    pub(crate) commits: bool,
    /// Variables with its account and settings.
    pub(crate) environment: &'static [&'static str],
}

const ANTHROPIC: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
];
const OPENAI: &[&str] = &["CODEX_API_KEY", "CODEX_HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
const GEMINI: &[&str] = &[
    "GEMINI_API_KEY",
    "GEMINI_MODEL",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_VERTEXAI",
];
const COPILOT: &[&str] =
    &["COPILOT_GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL", "GH_TOKEN", "GITHUB_TOKEN"];
const QWEN: &[&str] = &["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"];
const VIBE: &[&str] = &["MISTRAL_API_KEY", "OPENAI_API_KEY", "VIBE_HOME"];
/// For agents that use any provider with a key.
const ANY: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_API_KEY",
    "OPENCODE_CONFIG",
    "OPENCODE_PERMISSION",
    "OPENROUTER_API_KEY",
];

/// Sorted by name.
pub(crate) static ALL: &[AgentPreset] = &[
    AgentPreset {
        name: "aider",
        about: "aider with its message on stdin and no questions; the run commits its edits",
        command: "aider --yes-always --no-auto-commits --no-check-update --no-pretty --no-stream --no-detect-urls --no-gitignore --disable-playwright --map-tokens 0 --chat-history-file /dev/null --input-history-file /dev/null --message-file /dev/stdin",
        resume: None,
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: ANY,
    },
    AgentPreset {
        name: "claude",
        about: "Claude Code in print mode; edits are approved, its settings decide about other tools; the run commits",
        command: "claude --print --output-format text --permission-mode acceptEdits --session-id {session}",
        resume: Some("claude --print --output-format text --permission-mode acceptEdits --resume {session}"),
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: ANTHROPIC,
    },
    AgentPreset {
        name: "claude-acp",
        about: "Claude Code through its adapter for the Agent Client Protocol",
        command: "claude-agent-acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: ANTHROPIC,
    },
    AgentPreset {
        name: "cline",
        about: "Cline with its message on stdin, which asks nothing and runs any command",
        command: "cline --auto-approve true",
        resume: None,
        mode: None,
        protocol: Protocol::Plain,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "cline-acp",
        about: "Cline through the Agent Client Protocol",
        command: "cline --acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "codex",
        about: "Codex unattended, writing only in the work tree; the run commits",
        command: "codex exec --sandbox workspace-write --color never -",
        resume: Some("codex exec --sandbox workspace-write --color never resume {session} -"),
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: OPENAI,
    },
    AgentPreset {
        name: "codex-acp",
        about: "Codex through its adapter for the Agent Client Protocol, writing only in the work tree; the run commits",
        command: "codex-acp",
        resume: None,
        mode: Some("workspace-write"),
        protocol: Protocol::Acp,
        commits: false,
        environment: OPENAI,
    },
    AgentPreset {
        name: "copilot",
        about: "GitHub Copilot CLI with its message on stdin, which asks nothing and runs any command",
        command: "copilot --silent --allow-all-tools --session-id {session}",
        resume: Some("copilot --silent --allow-all-tools --session-id {session}"),
        mode: None,
        protocol: Protocol::Plain,
        commits: true,
        environment: COPILOT,
    },
    AgentPreset {
        name: "copilot-acp",
        about: "GitHub Copilot CLI through the Agent Client Protocol",
        command: "copilot --acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: COPILOT,
    },
    AgentPreset {
        name: "gemini",
        about: "Gemini CLI in headless mode; edits are approved, commands are not; the run commits",
        command: "gemini --output-format text --skip-trust --approval-mode auto_edit --session-id {session}",
        resume: Some("gemini --output-format text --skip-trust --approval-mode auto_edit --resume {session}"),
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: GEMINI,
    },
    AgentPreset {
        name: "gemini-acp",
        about: "Gemini CLI through the Agent Client Protocol",
        command: "gemini --acp --skip-trust",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: GEMINI,
    },
    AgentPreset {
        name: "opencode",
        about: "opencode unattended, with its message on stdin",
        command: "opencode run",
        resume: Some("opencode run --session {session}"),
        mode: None,
        protocol: Protocol::Plain,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "opencode-acp",
        about: "opencode through the Agent Client Protocol",
        command: "opencode acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "pi",
        about: "pi in print mode, which asks nothing and runs any command",
        command: "pi --print",
        resume: None,
        mode: None,
        protocol: Protocol::Plain,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "pi-acp",
        about: "pi through its adapter for the Agent Client Protocol",
        command: "pi-acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: ANY,
    },
    AgentPreset {
        name: "qwen",
        about: "Qwen Code in headless mode; edits are approved, commands are not; the run commits",
        command: "qwen --output-format text --approval-mode auto-edit --session-id {session}",
        resume: Some("qwen --output-format text --approval-mode auto-edit --resume {session}"),
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: QWEN,
    },
    AgentPreset {
        name: "qwen-acp",
        about: "Qwen Code through the Agent Client Protocol",
        command: "qwen --acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: QWEN,
    },
    AgentPreset {
        name: "vibe",
        about: "Mistral Vibe in headless mode; edits are approved, commands are not; the run commits",
        command: "vibe --prompt --output text --agent accept-edits --trust",
        resume: None,
        mode: None,
        protocol: Protocol::Plain,
        commits: false,
        environment: VIBE,
    },
    AgentPreset {
        name: "vibe-acp",
        about: "Mistral Vibe through the Agent Client Protocol",
        command: "vibe-acp",
        resume: None,
        mode: None,
        protocol: Protocol::Acp,
        commits: true,
        environment: VIBE,
    },
];

/// The preset of this name.
pub(crate) fn find(name: &str) -> Option<&'static AgentPreset> {
    ALL.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_sorted_and_so_are_their_variables() {
        assert!(ALL.is_sorted_by_key(|preset| preset.name));
        for preset in ALL {
            assert!(preset.environment.is_sorted(), "{}", preset.name);
        }
    }
}
