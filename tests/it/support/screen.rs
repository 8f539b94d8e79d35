//! Whole screens, compared with the files in `snapshots/`: what people read, one file for each screen.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use regex_lite::{Captures, Regex};
use snapbox::assert::Action;
use snapbox::{Assert, Data, IntoData};

use super::{Ran, Repo};

impl Repo {
    /// Compares what a command prints with `snapshots/NAME.txt`. `UPDATE_GENERATED=1` rewrites the file.
    #[track_caller]
    pub(crate) fn screen(&self, name: &str, args: &[&str]) -> Ran {
        self.screen_in("", name, args)
    }

    /// The same, with input on stdin.
    #[track_caller]
    pub(crate) fn screen_in(&self, stdin: impl AsRef<[u8]>, name: &str, args: &[&str]) -> Ran {
        let ran = self.wf_in(stdin, args);
        let mut shown = format!("$ git wf {}\n{}", typed(args), ran.stdout);
        shown.extend(ran.stderr.lines().map(|line| format!("2> {line}\n")));
        if ran.code != 0 {
            shown.push_str(&format!("[exit {}]\n", ran.code));
        }
        let root = self.path().parent().unwrap().to_str().unwrap();
        held(name, &stable(&shown.replace(root, "/home/ada")));
        ran
    }
}

/// The widths of the terminals.
const WIDTHS: [u16; 3] = [60, 80, 120];

impl Repo {
    /// Compares what a command prints on terminals of 60, 80 and 120 columns with `snapshots/NAME.txt`. No line of a
    /// table may be wider than its terminal.
    #[track_caller]
    pub(crate) fn widths(&self, name: &str, args: &[&str]) {
        let mut shown = String::new();
        for columns in WIDTHS {
            let (code, seen) = self.fitting(columns, args);
            shown.push_str(&format!("$ git wf {}    ({columns} columns)\n{seen}", typed(args)));
            if code != 0 {
                shown.push_str(&format!("[exit {code}]\n"));
            }
            shown.push('\n');
        }
        held(name, &stable(&self.with_known_ids(&shown)));
    }

    /// Asserts that no line of a table that a command prints is wider than its terminal.
    #[track_caller]
    pub(crate) fn fits(&self, args: &[&str]) {
        WIDTHS.iter().for_each(|columns| drop(self.fitting(*columns, args)));
    }

    #[track_caller]
    fn fitting(&self, columns: u16, args: &[&str]) -> (i32, String) {
        let (code, seen) = self.on_terminal_of(columns, args);
        let seen = plain(&seen);
        let is_of_table = |line: &&str| line.trim().contains("  ");
        let wide = seen.lines().filter(is_of_table).find(|line| width(line) > columns.into());
        assert_eq!(wide, None, "{args:?} on {columns} columns:\n{seen}");
        (code, seen)
    }

    /// The text, in which the random part of each id of the store, as a terminal shows it, is replaced by one that
    /// depends on the order of appearance.
    fn with_known_ids(&self, shown: &str) -> String {
        let ids =
            Regex::new(r"(?:SOL|EXR|QUE)-[^/]*-(?<random>[0-9a-z]{8})|^wisdom/[^/]*-(?<entry>[0-9a-z]{8})")
                .unwrap();
        let paths = self.store_paths();
        let parts = paths.iter().flat_map(|path| ids.captures_iter(path));
        let parts = parts.filter_map(|found| found.name("random").or(found.name("entry")));
        let random: BTreeSet<&str> = parts.map(|it| it.as_str()).collect();
        let mut seen: Vec<(usize, &str)> =
            random.into_iter().filter_map(|part| Some((shown.find(part)?, part))).collect();
        seen.sort_unstable();
        let letter = |n: usize| char::from_u32('a' as u32 + n as u32).expect("few ids");
        seen.iter().enumerate().fold(shown.to_owned(), |text, (n, (_, part))| {
            text.replace(part, &letter(n).to_string().repeat(part.len()))
        })
    }
}

/// What a reader of a terminal sees of it: no colours and no addresses of links.
fn plain(shown: &str) -> String {
    Regex::new("\u{1b}\\[[0-9;]*[mK]|\u{1b}]8;;[^\u{1b}]*\u{1b}\\\\")
        .unwrap()
        .replace_all(shown, "")
        .into_owned()
}

/// The columns that a line takes.
fn width(line: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(line)
}

#[track_caller]
fn held(name: &str, shown: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/snapshots/{name}.txt"));
    let mut action = Action::Verify;
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        action = Action::Overwrite;
    }
    Assert::new().action(action).eq(shown.into_data().raw(), Data::read_from(&file, None).raw());
}

fn typed(args: &[&str]) -> String {
    let quoted =
        |arg: &&str| if arg.contains([' ', '\'']) { format!("\"{arg}\"") } else { (*arg).to_owned() };
    args.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The text with the usual name of the binary, and each random id and each hash replaced by one of the same length
/// that depends on the order of appearance: the first hash is `1111111`, the second `2222222`.
fn stable(shown: &str) -> String {
    let shown = with_usual_name(shown);
    let ids =
        r"\b(?<kind>(?:SOL|EXR)-[A-Z]+-\d+-|(?:QUE|ISS|RMAP-[a-z-]+)-\d{8}-)(?<random>[0-9a-z]{8,26})\b";
    let entries = r"\b(?<kind>\d{8}T\d{9}Z-\d{5}-)(?<random>[0-9a-z]{8,26})\b";
    let comments = r"(?<kind>\(comment )(?<random>[0-9a-z]{8})\b";
    let hashes = r"(?<kind>\b)(?<random>[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{10}|[0-9a-f]{7})\b";
    [ids, entries, comments, hashes].iter().fold(shown, |text, pattern| numbered(&text, pattern))
}

/// The binary under its usual name. A table with its path is as wide as this path, so the columns are moved, too.
fn with_usual_name(shown: &str) -> String {
    let binary = env!("CARGO_BIN_EXE_git-wf");
    if !shown.contains(binary) {
        return shown.to_owned();
    }
    let named = shown.replace(binary, "/usr/bin/git-wf");
    Regex::new(" {3,}").unwrap().replace_all(&named, "  ").into_owned()
}

fn numbered(text: &str, pattern: &str) -> String {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let replaced = Regex::new(pattern).unwrap().replace_all(text, |found: &Captures| {
        let (kind, random) = (&found["kind"], &found["random"]);
        let n = seen.len() + 1;
        let n = *seen.entry(format!("{kind}{}", &random[..7])).or_insert(n);
        let letter = char::from_digit(n as u32, 36).expect("at most 35 ids of one kind on a screen");
        format!("{kind}{}", letter.to_string().repeat(random.len()))
    });
    replaced.into_owned()
}
