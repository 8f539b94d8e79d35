//! The definition of an agent: a program with its arguments, its protocol, its timeout, and the variables that it
//! sees. It comes from git config, from a preset, or from a command line, and each value knows its origin.

mod error;
mod naming;
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
        let own: Vec<&AgentSetting> = settings.iter().filter(|setting| setting.name == name).collect();
        if preset.is_none() && own.is_empty() {
            return Err(NoAgent::Unknown { name: name.to_owned(), known: names(settings) });
        }
        if let Some(unknown) = own.iter().find(|setting| !KEYS.contains(&setting.key.as_str())) {
            return Err(unknown.unfit(
                "one of the keys command, resume, shell, protocol, mode, timeout, commits, fallback and env",
            ));
        }
        let command = match (last(&own, "command"), preset) {
            (Some(setting), _) => setting.text(),
            (None, Some(preset)) => Sourced::new(preset.command.to_owned(), ValueOrigin::Preset),
            (None, None) => return Err(NoAgent::NoCommand { name: name.to_owned() }),
        };
        // The command of a user under the name of a preset is another program, which may speak another protocol.
        let started = if command.origin == ValueOrigin::Preset { preset } else { None };
        let shell = match last(&own, "shell") {
            Some(setting) => setting.read(boolean, "true or false")?,
            None => Sourced::new(false, ValueOrigin::Default),
        };
        let protocol = match (last(&own, "protocol"), started) {
            (Some(setting), _) => setting.read(Protocol::parse, "plain or acp")?,
            (None, Some(preset)) => Sourced::new(preset.protocol, ValueOrigin::Preset),
            (None, None) => Sourced::new(Protocol::Plain, ValueOrigin::Default),
        };
        let timeout = match last(&own, "timeout") {
            Some(setting) => setting.read(duration, "a number with a unit, such as 90s, 30m or 2h")?,
            None => default_timeout(),
        };
        let commits = match (last(&own, "commits"), started) {
            (Some(setting), _) => setting.read(boolean, "true or false")?,
            (None, Some(preset)) => Sourced::new(preset.commits, ValueOrigin::Preset),
            (None, None) => Sourced::new(true, ValueOrigin::Default),
        };
        let environment = variables(preset, &own)?;
        let resume = text_or(last(&own, "resume"), started.and_then(|preset| preset.resume));
        let mode = text_or(last(&own, "mode"), started.and_then(|preset| preset.mode));
        let fallback = last(&own, "fallback").map(|setting| {
            let other = |text: &str| Some(text.to_owned()).filter(|text| text != name && !text.is_empty());
            setting.read(other, "the name of another agent")
        });
        let agent = Self::made(name.to_owned(), command, shell, protocol, timeout, commits, environment)?;
        Ok(Self { fallback: fallback.transpose()?, mode, ..agent.resuming(resume)? })
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
        let commits = Sourced::new(true, ValueOrigin::Default);
        Self::made(naming::name_of(rest), command, shell, protocol, default_timeout(), commits, vec![])
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

    /// Its name; for a command line, the name of the program, or of what an interpreter or a package runner runs.
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
    fn text(&self) -> Sourced<String> {
        Sourced::new(self.value.clone(), self.origin.clone())
    }

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

/// The setting of a key that counts: the last one.
fn last<'a>(own: &[&'a AgentSetting], key: &str) -> Option<&'a AgentSetting> {
    own.iter().rfind(|setting| setting.key == key).copied()
}

/// The value of a setting, else that of the preset.
fn text_or(setting: Option<&AgentSetting>, preset: Option<&str>) -> Option<Sourced<String>> {
    setting.map(AgentSetting::text).or_else(|| {
        let text = preset?.to_owned();
        Some(Sourced::new(text, ValueOrigin::Preset))
    })
}

/// The variables that the preset passes, and those of the settings, which replace them.
fn variables(preset: Option<&AgentPreset>, own: &[&AgentSetting]) -> Result<Vec<Sourced<Variable>>, NoAgent> {
    let passed = preset.map(|preset| preset.environment).unwrap_or_default().iter();
    let passed = passed.map(|name| Sourced::new(Variable::Passed((*name).to_owned()), ValueOrigin::Preset));
    let mut variables: Vec<Sourced<Variable>> = passed.collect();
    for setting in own.iter().filter(|setting| setting.key == "env") {
        let variable = setting.read(Variable::parse, "NAME or NAME=VALUE")?;
        variables.retain(|other| other.value.name() != variable.value.name());
        variables.push(variable);
    }
    Ok(variables)
}

#[cfg(test)]
mod tests;
