//! The definition of an agent: a program with its arguments, its protocol, its timeout, and the variables that it
//! sees. It comes from git config, from a preset, or from a command line, and each value knows its origin.

mod error;
mod sessions;
mod value;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

pub(crate) use crate::model::agent_session::Protocol;
use crate::rules::lease::parse_duration;

use super::preset::{self, AgentPreset};

pub(crate) use self::error::NoAgent;
use self::sessions::words_of;
pub(crate) use self::sessions::{PlainSession, ResumeCommand};
pub(crate) use self::value::{Sourced, ValueOrigin, Variable};

/// The default timeout.
const DEFAULT_TIMEOUT: &str = "30m";
/// The prefix of a command line that speaks the Agent Client Protocol.
const ACP_PREFIX: &str = "acp:";
/// The prefix of a command line that is run by a shell.
const SHELL_PREFIX: &str = "sh:";
/// The keys of an agent in git config.
const KEYS: [&str; 9] =
    ["command", "commits", "env", "fallback", "mode", "protocol", "resume", "shell", "timeout"];
/// Longer names would not fit on a line.
const LONGEST_NAME: usize = 64;

/// One setting of an agent in git config: `wf.agent.<name>.<key>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentSetting {
    /// The agent.
    pub(crate) name: String,
    /// `command`, `protocol`, …, in lower case.
    pub(crate) key: String,
    /// Its value.
    pub(crate) value: String,
    /// Where it is set.
    pub(crate) origin: ValueOrigin,
}

/// An agent that can be started: it has a valid name, a program, and valid settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Agent {
    name: String,
    command: Sourced<String>,
    words: Vec<String>,
    shell: Sourced<bool>,
    protocol: Sourced<Protocol>,
    timeout: Sourced<Duration>,
    commits: Sourced<bool>,
    environment: Vec<Sourced<Variable>>,
    resume: Option<ResumeCommand>,
    fallback: Option<Sourced<String>>,
    mode: Option<Sourced<String>>,
}

impl Agent {
    /// The agent that a text names: a name in git config, the name of a preset, or a command line, which contains a
    /// space or a `/`, or begins with `acp:` or `sh:`.
    ///
    /// # Errors
    /// [`NoAgent`].
    pub(crate) fn of_text(text: &str, settings: &[AgentSetting]) -> Result<Self, NoAgent> {
        let is_named = preset::find(text).is_some() || settings.iter().any(|setting| setting.name == text);
        if is_named {
            return Self::named(text, settings);
        }
        let is_command =
            text.contains([' ', '/']) || [ACP_PREFIX, SHELL_PREFIX].iter().any(|it| text.starts_with(it));
        if is_command {
            Self::of_command(text)
        } else {
            Err(NoAgent::Unknown { name: text.to_owned(), known: names(settings) })
        }
    }

    /// The agent with this name.
    ///
    /// # Errors
    /// [`NoAgent`].
    pub(crate) fn named(name: &str, settings: &[AgentSetting]) -> Result<Self, NoAgent> {
        if !is_name(name) {
            return Err(NoAgent::Name(name.to_owned()));
        }
        let preset = preset::find(name);
        let own = || settings.iter().filter(|setting| setting.name == name);
        if preset.is_none() && own().next().is_none() {
            return Err(NoAgent::Unknown { name: name.to_owned(), known: names(settings) });
        }
        let set = |key: &str| own().rfind(|setting| setting.key == key);
        for setting in own() {
            if !KEYS.contains(&setting.key.as_str()) {
                return Err(setting.unfit(
                    "one of the keys command, resume, shell, protocol, mode, timeout, commits, fallback and env",
                ));
            }
        }
        let from_preset = |value: fn(&AgentPreset) -> String| {
            preset.map(|preset| Sourced::new(value(preset), ValueOrigin::Preset))
        };
        let command = match set("command") {
            Some(setting) => Sourced::new(setting.value.clone(), setting.origin.clone()),
            None => from_preset(|preset| preset.command.to_owned())
                .ok_or_else(|| NoAgent::NoCommand { name: name.to_owned() })?,
        };
        let shell = match set("shell") {
            Some(setting) => setting.read(boolean, "true or false")?,
            None => Sourced::new(false, ValueOrigin::Default),
        };
        let protocol = match set("protocol") {
            Some(setting) => setting.read(Protocol::parse, "plain or acp")?,
            None => match preset {
                // Users can configure a command of their own under the name of a preset; it may speak another
                // protocol.
                Some(preset) if command.origin == ValueOrigin::Preset => {
                    Sourced::new(preset.protocol, ValueOrigin::Preset)
                }
                _ => Sourced::new(Protocol::Plain, ValueOrigin::Default),
            },
        };
        let timeout = match set("timeout") {
            Some(setting) => setting.read(duration, "a number with a unit, such as 90s, 30m or 2h")?,
            None => default_timeout(),
        };
        let commits = match set("commits") {
            Some(setting) => setting.read(boolean, "true or false")?,
            None => match preset {
                Some(preset) if command.origin == ValueOrigin::Preset => {
                    Sourced::new(preset.commits, ValueOrigin::Preset)
                }
                _ => Sourced::new(true, ValueOrigin::Default),
            },
        };
        let presets = preset.map(|preset| preset.environment).unwrap_or_default();
        let mut environment: Vec<Sourced<Variable>> = presets
            .iter()
            .map(|name| Sourced::new(Variable::Passed((*name).to_owned()), ValueOrigin::Preset))
            .collect();
        for setting in own().filter(|setting| setting.key == "env") {
            let variable = setting.read(Variable::parse, "NAME or NAME=VALUE")?;
            environment.retain(|other| other.value.name() != variable.value.name());
            environment.push(variable);
        }
        // The command of a user under the name of a preset is another program.
        let is_presets = command.origin == ValueOrigin::Preset;
        let from_own_command = |value: fn(&AgentPreset) -> Option<&'static str>| {
            let value = preset.filter(|_| is_presets).and_then(value);
            value.map(|text| Sourced::new(text.to_owned(), ValueOrigin::Preset))
        };
        let resume = match set("resume") {
            Some(setting) => Some(Sourced::new(setting.value.clone(), setting.origin.clone())),
            None => from_own_command(|preset| preset.resume),
        };
        let fallback = match set("fallback") {
            Some(setting) => Some(setting.read(
                |text| (text != name && !text.is_empty()).then(|| text.to_owned()),
                "the name of another agent",
            )?),
            None => None,
        };
        let agent = Self::made(name.to_owned(), command, shell, protocol, timeout, commits, environment)?;
        let mode = match set("mode") {
            Some(setting) => Some(Sourced::new(setting.value.clone(), setting.origin.clone())),
            None => from_own_command(|preset| preset.mode),
        };
        Ok(Self { fallback, mode, ..agent.resuming(resume)? })
    }

    /// The agent of a command line.
    fn of_command(text: &str) -> Result<Self, NoAgent> {
        let (protocol, rest) = match text.strip_prefix(ACP_PREFIX) {
            Some(rest) => (Sourced::new(Protocol::Acp, ValueOrigin::Argument), rest),
            None => (Sourced::new(Protocol::Plain, ValueOrigin::Default), text),
        };
        let (shell, rest) = match rest.trim_start().strip_prefix(SHELL_PREFIX) {
            Some(rest) => (Sourced::new(true, ValueOrigin::Argument), rest),
            None => (Sourced::new(false, ValueOrigin::Default), rest),
        };
        let command = Sourced::new(rest.trim().to_owned(), ValueOrigin::Argument);
        let program = shlex::split(rest).and_then(|words| words.into_iter().next()).unwrap_or_default();
        let file = program.rsplit('/').next().unwrap_or_default();
        let name: String = file.chars().filter(|c| is_name_character(*c)).take(LONGEST_NAME).collect();
        let name = if is_name(&name) { name } else { "agent".to_owned() };
        let commits = Sourced::new(true, ValueOrigin::Default);
        Self::made(name, command, shell, protocol, default_timeout(), commits, vec![])
    }

    fn made(
        name: String,
        command: Sourced<String>,
        shell: Sourced<bool>,
        protocol: Sourced<Protocol>,
        timeout: Sourced<Duration>,
        commits: Sourced<bool>,
        environment: Vec<Sourced<Variable>>,
    ) -> Result<Self, NoAgent> {
        let words = words_of(&command.value, shell.value)?;
        let (resume, fallback, mode) = (None, None, None);
        Ok(Self {
            name,
            command,
            words,
            shell,
            protocol,
            timeout,
            commits,
            environment,
            resume,
            fallback,
            mode,
        })
    }

    /// This agent with another timeout.
    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.timeout = Sourced::new(timeout, ValueOrigin::Argument);
        self
    }

    /// Its name; for a command line, the name of the program.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its command, as written.
    pub(crate) fn command(&self) -> &Sourced<String> {
        &self.command
    }

    /// Whether a shell runs the command.
    pub(crate) fn shell(&self) -> &Sourced<bool> {
        &self.shell
    }

    /// This agent for any directory: a program with a relative path is looked up in `folder`.
    pub(crate) fn started_in(mut self, folder: &Path) -> Self {
        let resuming = self.resume.as_mut().map(|resume| &mut resume.words[0]);
        for program in resuming.into_iter().chain([&mut self.words[0]]) {
            if program.contains('/')
                && let Some(path) = folder.join(program.trim_start_matches("./")).to_str()
            {
                path.clone_into(program);
            }
        }
        self
    }

    /// The program and its arguments, as started.
    pub(crate) fn words(&self) -> Vec<OsString> {
        self.words.iter().map(OsString::from).collect()
    }

    /// The program that must exist.
    pub(crate) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Its protocol.
    pub(crate) fn protocol(&self) -> &Sourced<Protocol> {
        &self.protocol
    }

    /// How long it may take.
    pub(crate) fn timeout(&self) -> &Sourced<Duration> {
        &self.timeout
    }

    /// Whether it commits its work itself; else a run does that for it.
    pub(crate) fn commits(&self) -> &Sourced<bool> {
        &self.commits
    }

    /// Variables that it sees besides those that every agent sees.
    pub(crate) fn environment(&self) -> &[Sourced<Variable>] {
        &self.environment
    }
}

impl AgentSetting {
    fn read<T>(
        &self,
        read: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<Sourced<T>, NoAgent> {
        let value = read(self.value.trim()).ok_or_else(|| self.unfit(expected))?;
        Ok(Sourced::new(value, self.origin.clone()))
    }

    fn unfit(&self, expected: &'static str) -> NoAgent {
        let Self { name, key, value, .. } = self.clone();
        // The value of a variable may be a secret.
        let value = if key == "env" { value.split('=').next().unwrap_or_default().to_owned() } else { value };
        NoAgent::Setting { name, key, value, expected }
    }
}

/// The names of all agents: those of git config and the presets, sorted.
pub(crate) fn names(settings: &[AgentSetting]) -> Vec<String> {
    let mut names: Vec<String> = settings.iter().map(|setting| setting.name.clone()).collect();
    names.extend(preset::ALL.iter().map(|preset| preset.name.to_owned()));
    names.sort();
    names.dedup();
    names
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= LONGEST_NAME
        && text.chars().all(is_name_character)
}

fn default_timeout() -> Sourced<Duration> {
    Sourced::new(duration(DEFAULT_TIMEOUT).unwrap_or(Duration::from_secs(1800)), ValueOrigin::Default)
}

/// Parses a length of time such as 90s, 30m or 2h.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let millis = parse_duration(text)?;
    Some(Duration::from_millis(u64::try_from(millis).ok()?))
}

/// Parses a boolean like git.
fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" | "" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
