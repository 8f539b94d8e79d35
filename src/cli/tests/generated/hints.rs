//! No message of the program suggests overriding a gate; only the manual describes those options.

use std::path::Path;

/// Options that override a gate of this program or of git.
const OVER: [&str; 2] = ["--force", "--no-verify"];

/// Files that pass these options to git and do not show them to users.
const TO_GIT: [&str; 1] = ["src/git/transport.rs"];

/// The lines of code that can contain messages, with their numbers: no comments (which include the texts of the
/// manual) and no tests.
fn said(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let program = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    program.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether a line contains one of the options as a whole word; `--force-with-lease` is another option.
fn teaches(line: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c == '-' || c.is_alphanumeric());
    OVER.iter().any(|option| line.split(option).skip(1).any(ends))
}

fn look(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "generated" {
            look(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let at = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = said(&text).filter(|(_, line)| teaches(line) && !TO_GIT.contains(&at.as_str()));
            found.extend(lines.map(|(n, line)| format!("{at}:{}: {}", n + 1, line.trim())));
        }
    }
}

#[test]
fn no_hint_teaches_to_go_over_a_gate() {
    let mut found = Vec::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.is_empty(), "say what to do instead:\n{}", found.join("\n"));
}

#[test]
fn what_teaches_is_told_from_what_does_not() {
    for line in [r#".hint("use --force")"#, "`git commit --no-verify`", "--force --reason TEXT"] {
        assert!(teaches(line), "{line}");
    }
    for line in ["git push --force-with-lease=x", r#"requires = "force""#, "by force"] {
        assert!(!teaches(line), "{line}");
    }
    let source = "/// `--force`\nlet a = 1;\n#[cfg(test)]\nmod tests {\n\"--force\"\n}";
    assert_eq!(said(source).collect::<Vec<_>>(), [(1, "let a = 1;")]);
}
