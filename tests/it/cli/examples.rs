//! Every example at the end of a command's help works, as it stands there, in one of four repositories. Only ids that depend
//! on the time are replaced.

use crate::support::Sandbox;

const SCRIPT: &str = include_str!("examples.sh");
const SECTIONS: &str = include_str!("../../../src/cli/help_examples.txt");

/// The examples of a help text, as someone copies them from it. A row that ends in a backslash goes on in the next.
fn examples(help: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    for line in lines.take_while(|line| !line.is_empty()) {
        match found.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => last.push_str(&format!("\n{line}")),
            None => found.push(line.trim_start().to_owned()),
        }
    }
    found
}

#[test]
fn the_examples_of_every_help_work() {
    let sandbox = Sandbox::new();
    let mut ways = ["waiting", "working", "ended", "failed"];
    for way in ways {
        let repo = sandbox.repo(&format!("{way}/work"));
        repo.git(&["init", "-q", "--bare", "../origin.git"]).ok();
        repo.git(&["remote", "add", "origin", "../origin.git"]).ok();
        repo.sh(&["-c", SCRIPT, "sh", way]).ok();
    }
    let working = sandbox.at("working/work");
    let all = sandbox.repo("all");
    let narrow = all.with_env("COLUMNS", "80");
    let (mut count, mut faults) = (0, Vec::new());
    for section in SECTIONS.split("\n\n") {
        let (name, body) = section.trim_start().split_once('\n').unwrap();
        let words: Vec<&str> =
            name.trim_matches(['[', ']']).split(' ').filter(|word| *word != "wf").collect();
        let shown = examples(&narrow.wf(&[&words[..], &["-h"]].concat()).ok().stdout);
        assert!(!shown.is_empty(), "the help of {name} has no examples");
        if body.starts_with("# not run") {
            continue;
        }
        if body.starts_with("# on a terminal, until q") {
            for example in shown {
                let args: Vec<&str> = example.split(' ').skip(2).collect();
                let (code, screen) = working.on_terminal("q", &args);
                assert_eq!(code, 0, "{example}: {screen}");
                count += 1;
            }
            continue;
        }
        for example in shown {
            let mut said = Vec::new();
            let asked = all.with_env("EXAMPLE", &example);
            let works = ways.iter().position(|way| {
                let script = format!(
                    "rm -rf try && cp -R ../{way} try && cd try/work && \
                     printf '%s\\n' \"$EXAMPLE\" | sed -f ids.sed >../example && \
                     PATH=$PWD/../bin:$PATH TMPDIR=$PWD/.. sh ../example </dev/null"
                );
                let ran = asked.sh(&["-c", &script]);
                said.push(format!("{way}: {}", ran.stderr));
                ran.code == 0
            });
            count += 1;
            match works {
                // The next example is likely to work there too.
                Some(at) => ways[..=at].rotate_right(1),
                None => faults.push(format!("{example}\n{}", said.join("\n"))),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(count > 100, "only {count} examples ran");
}
