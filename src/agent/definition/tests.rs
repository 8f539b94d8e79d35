use super::*;
use crate::model::Explain;
use proptest::prelude::*;

fn config() -> ValueOrigin {
    ValueOrigin::Config { scope: "local".into(), file: "file:.git/config".into() }
}

fn settings(given: &[(&str, &str, &str)]) -> Vec<AgentSetting> {
    given
        .iter()
        .map(|(name, key, value)| AgentSetting {
            name: (*name).into(),
            key: (*key).into(),
            value: (*value).into(),
            origin: config(),
        })
        .collect()
}

#[test]
fn a_configured_agent_has_the_values_of_its_settings() {
    let all = settings(&[
        ("mine", "command", "./plan --model 'a b'"),
        ("mine", "protocol", "acp"),
        ("mine", "timeout", "2h"),
        ("mine", "env", "API_KEY"),
        ("mine", "env", "LEVEL=high=er"),
    ]);
    let agent = Agent::of_text("mine", &all).unwrap();
    assert_eq!(agent.words(), ["./plan", "--model", "a b"]);
    assert_eq!((agent.protocol().value, agent.timeout().value.as_secs()), (Protocol::Acp, 7200));
    let environment: Vec<_> = agent.environment().iter().map(|variable| variable.value.clone()).collect();
    assert_eq!(
        environment,
        [Variable::Passed("API_KEY".into()), Variable::Set("LEVEL".into(), "high=er".into())]
    );
    assert_eq!(agent.command().origin, config());
    assert_eq!(agent.shell().origin, ValueOrigin::Default);
}

#[test]
fn the_last_value_counts_and_a_shell_is_asked_for() {
    let all = settings(&[("x", "command", "first"), ("x", "command", "a | b"), ("x", "shell", "yes")]);
    assert_eq!(Agent::of_text("x", &all).unwrap().words(), ["sh", "-c", "a | b"]);
}

#[test]
fn a_setting_changes_one_value_of_a_preset() {
    let agent = Agent::of_text("claude", &settings(&[("claude", "timeout", "5m")])).unwrap();
    assert_eq!(agent.command().origin, ValueOrigin::Preset);
    assert_eq!((agent.timeout().value.as_secs(), &agent.timeout().origin), (300, &config()));
    let acp = Agent::of_text("gemini-acp", &settings(&[("gemini-acp", "command", "mine")])).unwrap();
    assert_eq!(acp.protocol().value, Protocol::Plain);
}

#[test]
fn a_command_line_is_one_by_its_blank_slash_or_prefix() {
    let agent = Agent::of_text("python3 'my agent.py' -v", &[]).unwrap();
    assert_eq!(
        (agent.name(), agent.words()),
        ("myagent.py", ["python3", "my agent.py", "-v"].map(Into::into).to_vec())
    );
    assert_eq!(Agent::of_text("./agent", &[]).unwrap().name(), "agent");
    let agent = Agent::of_text("acp:gemini --acp", &[]).unwrap();
    assert_eq!((agent.name(), agent.protocol().value), ("gemini", Protocol::Acp));
    let agent = Agent::of_text("sh:jq . | ./plan", &[]).unwrap();
    assert_eq!(agent.words(), ["sh", "-c", "jq . | ./plan"]);
    assert_eq!(Agent::of_text("acp:sh:x", &[]).unwrap().words(), ["sh", "-c", "x"]);
    assert_eq!(Agent::of_text("/é/ü x", &[]).unwrap().name(), "agent");
}

#[test]
fn what_is_no_agent_says_why_and_what_to_do() {
    let all = settings(&[
        ("lost", "timeout", "1h"),
        ("odd", "command", "x"),
        ("odd", "protocol", "http"),
        ("typo", "comand", "x"),
        ("secret", "command", "x"),
        ("secret", "env", "1A=hunter2"),
        ("bad name", "command", "x"),
    ]);
    for (text, said) in [
        ("nobody", "there is no agent `nobody`"),
        ("lost", "agent `lost` has no command"),
        ("odd", "`wf.agent.odd.protocol` is `http`; expected plain or acp"),
        (
            "typo",
            "`wf.agent.typo.comand` is `x`; expected one of the keys command, resume, shell, protocol, mode, timeout, commits, fallback and env",
        ),
        ("secret", "`wf.agent.secret.env` is `1A`; expected NAME or NAME=VALUE"),
        ("bad name", "`bad name` cannot be the name of an agent"),
        ("./a 'b", "`./a 'b` is not a command line: a quote is not closed, or it ends in `\\`"),
        ("acp: ", "`` is not a command line: it is empty"),
        ("'' x", "`'' x` is not a command line: it names no program"),
        (" ", "`` is not a command line: it is empty"),
    ] {
        let error = Agent::of_text(text, &all).unwrap_err();
        assert_eq!(error.to_string(), said);
        assert!(!error.remedies().is_empty());
    }
    assert!(names(&all).contains(&"lost".to_owned()) && names(&all).contains(&"codex".to_owned()));
}

#[test]
fn each_preset_is_an_agent() {
    for preset in preset::ALL {
        let agent = Agent::of_text(preset.name, &[]).unwrap();
        assert_eq!((agent.name(), agent.protocol().value), (preset.name, preset.protocol));
        let is_passed = |it: &Sourced<Variable>| matches!(it.value, Variable::Passed(_));
        assert!(agent.environment().iter().all(is_passed), "{}", preset.name);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", key in "[a-z]{0,9}", value in "\\PC{0,20}") {
        let all = settings(&[(&text, &key, &value)]);
        let _ = Agent::of_text(&text, &all);
        let _ = Agent::of_text(&text, &[]);
    }
}

#[test]
fn a_relative_program_is_found_wherever_it_is_started() {
    let words = |text| Agent::of_text(text, &[]).unwrap().started_in(Path::new("/code")).words();
    assert_eq!(words("./plan --fast"), ["/code/plan", "--fast"]);
    assert_eq!(words("/bin/plan --fast"), ["/bin/plan", "--fast"]);
    assert_eq!(words("python3 ./plan.py"), ["python3", "./plan.py"]);
    assert_eq!(words("sh:./plan | tee x"), ["sh", "-c", "./plan | tee x"]);
}

#[test]
fn a_session_is_named_in_the_words_that_begin_and_continue_it() {
    let all = settings(&[
        ("mine", "command", "mine --new {session}"),
        ("mine", "resume", "mine --go-on={session} -"),
        ("mine", "fallback", "codex"),
    ]);
    let agent = Agent::of_text("mine", &all).unwrap();
    assert_eq!(agent.words_in(&PlainSession::New("s-1".into())), ["mine", "--new", "s-1"]);
    assert_eq!(agent.words_in(&PlainSession::Known("s-2".into())), ["mine", "--go-on=s-2", "-"]);
    assert!(agent.can_resume() && agent.names_sessions());
    assert_eq!(agent.fallback().unwrap().value, "codex");
    // The command of a user has sessions of its own.
    let own = Agent::of_text("claude", &settings(&[("claude", "command", "mine")])).unwrap();
    assert!(!own.can_resume() && !own.names_sessions());
    let preset = Agent::of_text("claude", &[]).unwrap();
    let words = preset.words_in(&PlainSession::Known("s-3".into()));
    assert_eq!(words[words.len() - 2..], ["--resume", "s-3"]);
}
