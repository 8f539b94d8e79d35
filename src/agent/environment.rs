//! The environment of an agent: what any program needs, what its settings name, and its role and actor. Everything
//! else is withheld, above all possible secrets.

use std::ffi::{OsStr, OsString};

use super::definition::{Agent, Variable};
use super::secrets;

/// What any program needs to run, to use the user's language and to reach the network, and what git needs to know the
/// user.
const EVERYBODY: &[&str] = &[
    "ALL_PROXY",
    "COLORTERM",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// The variables of an agent in a role, selected from those in `here`. There is no terminal, and git must not ask
/// anything.
pub(crate) fn environment(
    here: impl Iterator<Item = (OsString, OsString)>,
    agent: &Agent,
    role: &str,
) -> Vec<(OsString, OsString)> {
    let variables = agent.environment();
    let here = here.filter(|(name, value)| {
        let Some(name) = name.to_str() else { return false };
        let is_passed = variables
            .iter()
            .any(|variable| matches!(&variable.value, Variable::Passed(passed) if passed == name));
        is_passed || (is_everybodys(name) && !is_secret(value))
    });
    let mut chosen: Vec<(OsString, OsString)> = here.collect();
    let ours = [
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("WF_ACTOR", agent.name()),
        ("WF_ROLE", role),
    ];
    let configured = variables.iter().filter_map(|variable| match &variable.value {
        Variable::Set(name, value) => Some((name.as_str(), value.as_str())),
        Variable::Passed(_) => None,
    });
    for (name, value) in ours.into_iter().chain(configured) {
        chosen.retain(|(other, _)| other != name);
        chosen.push((name.into(), value.into()));
    }
    chosen
}

/// The variables for git that works beside agents, selected from those in `here`: what it starts is given nothing that is
/// withheld from them. What addresses this program itself is passed to its hooks.
pub(crate) fn beside_agents(here: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let passed = here.filter(|(name, value)| {
        let Some(name) = name.to_str() else { return false };
        let is_ours = name.starts_with("WF_") || name.starts_with("GIT_WF_");
        is_ours || (is_everybodys(name) && !is_secret(value))
    });
    passed.collect()
}

fn is_everybodys(name: &str) -> bool {
    // Some programs read proxies only from lower-case names.
    EVERYBODY.contains(&name.to_ascii_uppercase().as_str()) || name.starts_with("LC_")
}

/// Whether the value contains a secret, such as the password of a proxy.
fn is_secret(value: &OsStr) -> bool {
    let text = value.to_string_lossy();
    secrets::masked(&text, std::iter::empty()) != text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::definition::{AgentSetting, ValueOrigin};
    use std::collections::BTreeMap;

    fn seen(env: &[&str], here: &[(&str, &str)]) -> BTreeMap<String, String> {
        let mut settings = vec![("command", "x")];
        settings.extend(env.iter().map(|text| ("env", *text)));
        let settings: Vec<AgentSetting> = settings
            .into_iter()
            .map(|(key, value)| AgentSetting {
                name: "mine".into(),
                key: key.into(),
                value: value.into(),
                origin: ValueOrigin::Default,
            })
            .collect();
        let agent = Agent::of_text("mine", &settings).unwrap();
        let here = here.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let seen = environment(here, &agent, "planner");
        let text = |text: OsString| text.into_string().unwrap();
        seen.into_iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    #[test]
    fn git_beside_agents_sees_no_more_than_they_do() {
        let here = ["PATH", "HOME", "WF_FAULT", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "GIT_CONFIG_COUNT"];
        let seen = beside_agents(here.into_iter().map(|name| (name.into(), "x".into())));
        let names: Vec<_> = seen.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "HOME", "WF_FAULT"]);
    }

    #[test]
    fn secrets_are_passed_only_by_name() {
        let here = [
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("GITHUB_TOKEN", "abc"),
            ("API_KEY", "s3cret"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("GIT_DIR", "/elsewhere/.git"),
            ("WF_ROLE", "owner"),
            ("https_proxy", "http://me:pa55word@proxy:3128"),
            ("http_proxy", "http://proxy:3128"),
        ];
        let names = |seen: &BTreeMap<String, String>| seen.keys().cloned().collect::<Vec<_>>();
        let without = seen(&[], &here);
        assert_eq!(
            names(&without),
            [
                "GIT_TERMINAL_PROMPT",
                "LC_ALL",
                "NO_COLOR",
                "PATH",
                "TERM",
                "WF_ACTOR",
                "WF_ROLE",
                "http_proxy"
            ]
        );
        assert_eq!((without["WF_ROLE"].as_str(), without["WF_ACTOR"].as_str()), ("planner", "mine"));
        let with = seen(&["API_KEY", "https_proxy", "UNSET", "TERM=xterm"], &here);
        assert_eq!((with["API_KEY"].as_str(), with["TERM"].as_str()), ("s3cret", "xterm"));
        assert!(with.contains_key("https_proxy") && !with.contains_key("UNSET"));
    }
}
