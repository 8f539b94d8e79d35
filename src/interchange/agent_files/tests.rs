#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn piece(agent: Agent, gives: Gives) -> &'static Piece {
    let reads = AGENTS.iter().find(|reads| reads.agent == agent).unwrap();
    reads.pieces.iter().find(|piece| piece.gives == gives).unwrap()
}

/// Everything that is put into files of one kind: for each file, the pieces in their order.
fn all_in(is_kind: fn(&Edit) -> bool) -> Vec<Vec<&'static Piece>> {
    let mut files: Vec<Vec<&Piece>> = Vec::new();
    for piece in AGENTS.iter().flat_map(|reads| &reads.pieces).filter(|piece| is_kind(&piece.edit)) {
        match files.iter_mut().find(|file| file[0].paths == piece.paths) {
            Some(file) => file.push(piece),
            None => files.push(vec![piece]),
        }
    }
    files
}

/// Puts the pieces into a text and takes them out again, which must give the same text.
fn round(text: &str, pieces: &[&Piece]) {
    let mut with = text.to_owned();
    for piece in pieces {
        assert_eq!(piece.state(Some(&with)).unwrap(), State::Missing, "{with:?}");
        with = piece.put_into(Some(&with)).unwrap();
        assert_eq!(piece.state(Some(&with)).unwrap(), State::Current, "{text:?} became {with:?}");
        assert_eq!(piece.put_into(Some(&with)).unwrap(), with);
    }
    let mut without = with.clone();
    for piece in pieces.iter().rev() {
        without =
            piece.take_out_of(&without).unwrap().unwrap_or_else(|| panic!("{text:?} went from {with:?}"));
    }
    assert_eq!(without, text, "by way of {with:?}");
}

/// Decisions that a test makes at random.
struct Choices(std::vec::IntoIter<u8>);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % n
    }

    fn blank(&mut self) -> &'static str {
        ["", " ", "\n", "\n  ", "\n\t", " /* c */ ", " // c, {\n", "  "][self.below(8)]
    }

    fn list(&mut self, brackets: [&str; 2], children: Vec<String>) -> String {
        let mut out = brackets[0].to_owned();
        let count = children.len();
        for (n, child) in children.into_iter().enumerate() {
            let comma = if n + 1 < count || self.below(3) == 0 { "," } else { "" };
            out += &format!("{}{child}{}{comma}", self.blank(), self.blank());
        }
        out + self.blank() + brackets[1]
    }

    fn member(&mut self, key: &str, value: &str) -> String {
        format!("\"{key}\"{}:{}{value}", self.blank(), self.blank())
    }

    fn leaf(&mut self) -> String {
        ["1", "true", "null", "\"x\"", "\"a // } \\\" b\"", "[]", "{}", "[1,2]"][self.below(8)].to_owned()
    }

    /// An object whose keys are among these, with leaves or arrays or what `inner` makes.
    fn object(&mut self, keys: &[&str], depth: usize) -> String {
        let mut children = Vec::new();
        for key in keys {
            if self.below(2) == 0 {
                continue;
            }
            let value = match *key {
                "mcpServers" | "servers" | "mcp" | "hooks" if depth == 0 => {
                    self.object(&["a", "SessionStart", "Stop", "sessionStart", "AfterAgent"], 1)
                }
                "SessionStart" | "Stop" | "sessionStart" | "AfterAgent" => {
                    let elements = (0..self.below(3)).map(|_| self.leaf()).collect();
                    self.list(["[", "]"], elements)
                }
                _ => self.leaf(),
            };
            children.push(self.member(key, &value));
        }
        self.list(["{", "}"], children)
    }
}

fn in_form(text: &str, is_crlf: bool, has_bom: bool) -> String {
    let text = if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    if has_bom { format!("\u{feff}{text}") } else { text }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_given_back(bytes in prop::collection::vec(any::<u8>(), 120), crlf: bool, bom: bool) {
        let mut choices = Choices(bytes.into_iter());
        let (before, after) = (choices.blank(), choices.blank());
        let object = choices.object(&["version", "a", "mcpServers", "hooks", "servers", "mcp", "b"], 0);
        let text = in_form(&format!("{before}{object}{after}"), crlf, bom);
        for pieces in all_in(|edit| matches!(edit, Edit::Json { .. })) {
            round(&text, &pieces);
        }
    }

    #[test]
    fn any_text_is_given_back(text in "(\u{feff})?([a-z#<>! -]{0,9}(\r\n|\n|\n\n)?){0,6}") {
        round(&text, &[piece(Agent::Codex, Gives::Instructions)]);
    }

    #[test]
    fn any_toml_is_given_back(
        lines in prop::collection::vec("# .{0,5}|[abc]\\.[xyz] = \"v\"|", 0..4),
        tables in prop::collection::vec("\\[mcp_servers\\.[pq]\\]|\\[[rs]\\]|# x", 0..3),
        crlf: bool,
        ends: bool,
    ) {
        let mut text = lines.iter().chain(&tables).cloned().collect::<Vec<_>>().join("\n");
        text.extend(ends.then_some('\n'));
        let text = in_form(&text, crlf, false);
        // A key twice is no TOML.
        prop_assume!(toml::state(&text).is_ok());
        round(&text, &[piece(Agent::Codex, Gives::Mcp)]);
    }

    #[test]
    fn any_simple_yaml_is_given_back(
        lines in prop::collection::vec("#[ a-z]{0,5}|[a-q]: [a-z]{1,4}|[a-q]:\n  - x\n  - y||model: a # b", 0..5),
        crlf: bool,
        ends: bool,
    ) {
        let text = format!("{}{}", lines.join("\n"), if ends { "\n" } else { "" });
        round(&in_form(&text, crlf, false), &[piece(Agent::Aider, Gives::Reading)]);
    }
}

#[test]
fn a_file_that_was_made_goes_again() {
    for reads in AGENTS.iter() {
        let mut files: Vec<(&str, Option<String>)> = Vec::new();
        for piece in &reads.pieces {
            let at = files.iter().position(|file| file.0 == piece.paths[0]).unwrap_or_else(|| {
                files.push((piece.paths[0], None));
                files.len() - 1
            });
            let with = piece.put_into(files[at].1.as_deref()).unwrap();
            assert_eq!(piece.state(Some(&with)).unwrap(), State::Current);
            assert!(with.ends_with('\n') && piece.put_into(Some(&with)).unwrap() == with);
            files[at].1 = Some(with);
        }
        for piece in reads.pieces.iter().rev() {
            let file = files.iter_mut().find(|file| file.0 == piece.paths[0]).unwrap();
            file.1 = piece.take_out_of(file.1.as_deref().unwrap()).unwrap();
        }
        assert!(files.iter().all(|it| it.1.is_none()), "{files:?}");
    }
}

#[test]
fn an_entry_is_laid_out_like_its_neighbours() {
    let mcp = piece(Agent::Claude, Gives::Mcp);
    let put = |text: &str| mcp.put_into(Some(text)).unwrap();
    let entry = "\"git-wf\": {\n      \"command\": \"git-wf\",\n      \"args\": [\"mcp\"]\n    }";
    assert_eq!(
        put("{\n  // mine\n  \"mcpServers\": {\n    \"a\": {} // a\n  }\n}\n"),
        format!("{{\n  // mine\n  \"mcpServers\": {{\n    \"a\": {{}}, // a\n    {entry}\n  }}\n}}\n")
    );
    assert_eq!(
        put("{\n\t\"a\": 1,\n}"),
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"git-wf\": {\n\t\t\t\"command\": \"git-wf\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t},\n}"
    );
    assert_eq!(
        put(r#"{"a":1}"#),
        r#"{"a":1, "mcpServers": { "git-wf": { "command": "git-wf", "args": ["mcp"] } }}"#
    );
    assert_eq!(
        put(r#"{"mcpServers":{}}"#),
        r#"{"mcpServers":{"git-wf": { "command": "git-wf", "args": ["mcp"] }}}"#
    );
}

#[test]
fn what_others_added_meanwhile_stays() {
    let mcp = piece(Agent::Cursor, Gives::Mcp);
    let made = mcp.put_into(None).unwrap();
    let more = made.replacen("\"mcpServers\": {", "\"mcpServers\": {\n    \"b\": {},", 1);
    assert_eq!(mcp.take_out_of(&more).unwrap().unwrap(), "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
    let behind = made.replacen("    }\n", "    },\n    \"b\": {}\n", 1);
    assert_eq!(mcp.take_out_of(&behind).unwrap().unwrap(), "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
    let text = piece(Agent::Codex, Gives::Instructions);
    let made = text.put_into(None).unwrap();
    assert_eq!(text.take_out_of(&format!("{made}\nMine\n")).unwrap().unwrap(), "\nMine\n");
    assert_eq!(text.take_out_of(&format!("Mine\n\n{made}\nMine\n")).unwrap().unwrap(), "Mine\n\nMine\n");
}

#[test]
fn a_file_that_has_only_what_its_agent_adds_stays_if_it_was_there() {
    let schema = "\"$schema\": \"https://opencode.ai/config.json\"";
    let version = "\"$version\": 4";
    for (agent, only) in [(Agent::Opencode, schema), (Agent::Qwen, version)] {
        let reads = AGENTS.iter().find(|reads| reads.agent == agent).unwrap();
        let mcp = piece(agent, Gives::Mcp);
        let pieces: Vec<&Piece> = reads.pieces.iter().filter(|piece| piece.paths == mcp.paths).collect();
        for text in [
            format!("{{\n  {only}\n}}\n"),
            format!("{{{only}}}"),
            format!("{{ {only} }}\n"),
            format!("{{\r\n\t{only}\r\n}}"),
        ] {
            round(&text, &pieces);
        }
    }
}

#[test]
fn the_own_entry_of_a_user_is_kept() {
    let keeps = |piece: &Piece, text: &str| {
        assert_eq!(piece.state(Some(text)).unwrap(), State::Own, "{text}");
        assert_eq!(piece.put_into(Some(text)).unwrap(), text);
        assert_eq!(piece.take_out_of(text).unwrap().as_deref(), Some(text));
    };
    let own = json!({"mcpServers": {"git-wf": {"command": "/opt/git-wf", "args": ["mcp"]}}}).to_string();
    keeps(piece(Agent::Claude, Gives::Mcp), &own);
    keeps(piece(Agent::Gemini, Gives::Mcp), &own);
    let hook = |name: &str| json!([{"hooks": [{"type": "command", "command": name, "timeout": 5}]}]);
    let hooks =
        json!({"hooks": {"SessionStart": hook("git-wf prime"), "Stop": hook("x; git wf prime --stop")}});
    keeps(piece(Agent::Claude, Gives::Hooks), &hooks.to_string());
    keeps(piece(Agent::Codex, Gives::Mcp), "[mcp_servers]\ngit-wf = { command = 'x' }\n");
    keeps(piece(Agent::Aider, Gives::Reading), "read: [CONVENTIONS.md, x.txt]\n");
}

#[test]
fn an_outdated_section_is_replaced_in_its_place() {
    let text = piece(Agent::Codex, Gives::Instructions);
    let old = "Before\r\n\r\n<!-- BEGIN git-wf -->\r\nold\r\n<!-- END git-wf -->\r\nAfter";
    assert_eq!(text.state(Some(old)).unwrap(), State::Outdated);
    let new = text.put_into(Some(old)).unwrap();
    assert!(
        new.starts_with("Before\r\n\r\n<!-- BEGIN git-wf: ") && new.ends_with("<!-- END git-wf -->\r\nAfter")
    );
    assert!(!new.contains("old") && !new.replace("\r\n", "").contains('\n'), "{new}");
    assert_eq!(text.take_out_of(&new).unwrap().unwrap(), "Before\r\nAfter");
}

#[test]
fn a_file_that_cannot_be_understood_is_refused() {
    let refuses = |piece: &Piece, text: &str, why: &str| {
        let fault = piece.put_into(Some(text)).unwrap_err();
        assert!(fault.to_string().contains(why), "{text:?}: {fault}");
    };
    let mcp = piece(Agent::Claude, Gives::Mcp);
    for (text, why) in [
        ("", "it is empty"),
        ("[]", "it is not an object"),
        ("{", "not valid JSON"),
        ("{} {}", "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        (r#"{"a": 1, "a": 2}"#, "the key `a` twice"),
        (r#"{"mcpServers": []}"#, "a `mcpServers` that is not an object"),
    ] {
        refuses(mcp, text, why);
    }
    refuses(mcp, &"[".repeat(100_000), "not valid JSON");
    let hooks = piece(Agent::Claude, Gives::Hooks);
    refuses(hooks, r#"{"hooks": {"Stop": {}}}"#, "a `Stop` that is not an array");
    let codex = piece(Agent::Codex, Gives::Mcp);
    refuses(codex, "a = \n", "not valid TOML");
    refuses(codex, "a = 1\na = 2\n", "not valid TOML");
    refuses(codex, "mcp_servers = {}\n", "leaves no place");
    refuses(codex, "mcp_servers = 1\n", "a `mcp_servers` that is not a table");
    let aider = piece(Agent::Aider, Gives::Reading);
    for text in ["- a\n", "{a: 1}\n", "a: 1\n---\nb: 2\n", "  a: 1\n", "read: |\n  x\n", "read: [a,\n  b]\n"]
    {
        refuses(aider, text, "YAML");
    }
    refuses(aider, "read: a\nread: b\n", "twice");
    let text = piece(Agent::Codex, Gives::Instructions);
    let (begin, end) = ("<!-- BEGIN git-wf -->\n", "<!-- END git-wf -->\n");
    for (broken, why) in [
        (begin.to_owned(), "the last one is missing"),
        (end.to_owned(), "the first one is missing"),
        (format!("{end}{begin}"), "the last one comes first"),
        (format!("{begin}{end}{begin}{end}"), "several sections"),
    ] {
        refuses(text, &broken, why);
        assert!(text.take_out_of(&broken).is_err());
    }
}

#[test]
fn instructions_are_where_an_agent_looks_for_them() {
    for (text, imports) in [
        ("See @AGENTS.md.", true),
        ("@./AGENTS.md\n", true),
        ("mail@AGENTS.md", false),
        ("AGENTS.md", false),
        ("<!-- BEGIN git-wf -->\n@AGENTS.md\n<!-- END git-wf -->\n", false),
    ] {
        assert_eq!(imports_agents(text).unwrap(), imports, "{text}");
    }
    let gemini = |value: Value| instructions_of_gemini(Some(&value.to_string())).unwrap();
    assert_eq!(instructions_of_gemini(None).unwrap(), "GEMINI.md");
    assert_eq!(gemini(json!({"context": {"fileName": "AGENTS.md"}})), "AGENTS.md");
    assert_eq!(gemini(json!({"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}})), "GEMINI.md");
    assert_eq!(gemini(json!({"context": {"fileName": ["X.md"]}})), "X.md");
    let aider = |text| instructions_of_aider(Some(text)).unwrap();
    assert_eq!(aider("read: CONVENTIONS.md # mine\n"), "CONVENTIONS.md");
    assert_eq!(aider("read:\n  - notes.txt\n  - \"C D.md\"\nmodel: x\n"), "C D.md");
    assert_eq!(aider("read: [x.md, AGENTS.md]\n"), "AGENTS.md");
    assert_eq!(aider("model: x\n"), "AGENTS.md");
    assert!(instructions_of_aider(Some("read: notes.txt\n")).is_err());
}

#[test]
fn the_instructions_are_short() {
    // A third of a token for each byte is more than tokenizers need for English.
    assert!(INSTRUCTIONS.len() / 3 <= 500 && INSTRUCTIONS.lines().count() <= 24, "{}", INSTRUCTIONS.len());
}
