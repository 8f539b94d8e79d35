use proptest::prelude::*;

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

#[test]
fn one_file_has_one_path_however_it_is_written() {
    for text in [
        "src/new.ts",
        "./src/new.ts",
        "src//new.ts",
        "src/./new.ts",
        "src/new.ts/",
        ".//src/new.ts/.",
        "src/new.ts:12",
        "src/new.ts:12-20",
        "src/new.ts:12:5",
        "src/new.ts:12,40",
        "src/new.ts:L3-L5",
        "src/new.ts#L12",
        "./src/new.ts#L12-L20",
        "src/new.ts:12/",
    ] {
        assert_eq!(path(text).as_str(), "src/new.ts", "{text}");
    }
    for text in [
        ".gitignore",
        ".github/x",
        "a b/c",
        "...",
        "src/a..b",
        "Übung.md",
        "xy:z",
        "a~",
        "git",
        "(group)/x",
        "app/[id]/page.tsx",
        "app/[...slug]/page.tsx",
        "app/[[...slug]]/page.tsx",
        "src/[ab].ts",
        "[x",
        "x]",
        "{{cookiecutter.name}}/setup.py",
        "a,{b}",
        "app/(group)",
        "app/(auth)/page.tsx",
        "docs/Terms and Conditions.md",
        "docs/Dr. Who.md",
        "docs/v1.2 notes",
        "report (1).txt",
        "don't.md",
        "Cpp/File::Spec.3pm",
        "a,v",
        "src/+page@x.svelte",
        "C#/x",
        "notes/#12",
        ":12",
    ] {
        assert_eq!(path(text).as_str(), text);
    }
}

#[test]
fn what_is_no_path_of_a_file_in_the_repository_is_refused() {
    for (text, fault) in [
        ("", PathFault::Top),
        (".", PathFault::Top),
        ("././/", PathFault::Top),
        ("/etc/passwd", PathFault::Absolute),
        ("~/x", PathFault::Absolute),
        ("C:/x", PathFault::Absolute),
        ("c:x", PathFault::Absolute),
        ("file:src/a.ts", PathFault::Address),
        ("File:///src/a.ts", PathFault::Address),
        ("./https://example.org/a", PathFault::Address),
        ("..", PathFault::Upwards),
        ("a/../b", PathFault::Upwards),
        (".git", PathFault::Git),
        ("sub/.GIT/config", PathFault::Git),
        ("src/*.ts", PathFault::Pattern('*')),
        ("src/new.?s", PathFault::Pattern('?')),
        ("src/[id]/*.ts", PathFault::Pattern('*')),
        ("src/{a,b}.ts", PathFault::Pattern('{')),
        ("src/{a, b}/c", PathFault::Pattern('{')),
        ("src\\new.ts", PathFault::Backslash),
        ("src/\u{7}new.ts", PathFault::Control),
        ("src/new.ts\n", PathFault::Control),
        (" src/new.ts", PathFault::Space),
        ("src/new.ts ", PathFault::Space),
        ("src/new.ts :12", PathFault::Remark),
        ("./ x", PathFault::Space),
        ("./~", PathFault::Absolute),
        (".//c:x", PathFault::Absolute),
        ("./'x'", PathFault::Quoted),
        ("..:3", PathFault::Upwards),
        ("a/.git:3", PathFault::Git),
        (".:3", PathFault::Top),
        ("src/a.ts, src/b.ts", PathFault::Several),
        ("src/a.ts,src/b.ts", PathFault::Several),
        ("src/a.ts:12, src/b.ts:3", PathFault::Several),
        ("src/a.ts; src/b.ts", PathFault::Several),
        ("src, tests", PathFault::Several),
        ("src/a.ts and src/b.ts", PathFault::Several),
        ("src/a.ts -> src/b.ts", PathFault::Several),
        ("src/a.ts src/b.ts", PathFault::Several),
        ("src/a.ts (new)", PathFault::Remark),
        ("src/a.ts(new)", PathFault::Remark),
        ("src/a.ts (see src/b.ts)", PathFault::Remark),
        ("Makefile (new)", PathFault::Remark),
        ("src/a.ts new", PathFault::Remark),
        ("src/a.ts - new file", PathFault::Remark),
        ("src/a.ts line 12", PathFault::Remark),
        ("src/a.ts:12 (loop)", PathFault::Remark),
        ("src/a.ts:loop", PathFault::Symbol),
        ("src/a.rs::Type", PathFault::Symbol),
        ("src/a.ts#loop", PathFault::Symbol),
        ("`src/a.ts`", PathFault::Quoted),
        ("\"src/a.ts\"", PathFault::Quoted),
    ] {
        assert_eq!(RepoPath::parse(text), Err(fault), "{text:?}");
        assert_eq!(RepoPath::covering(text).to_string(), ".", "{text:?}");
    }
    assert_eq!(RepoPath::parse(&"a/".repeat(LONGEST)), Err(PathFault::Long));
}

#[test]
fn a_folder_overlaps_what_lies_in_it_and_nothing_beside_it() {
    let overlaps = |a: &str, b: &str| {
        let (a, b) = (RepoPath::covering(a), RepoPath::covering(b));
        assert_eq!(a.overlaps(&b), b.overlaps(&a));
        a.overlaps(&b)
    };
    for (a, b) in [
        ("src", "src/new.ts"),
        ("src/", "src/a/b"),
        ("src", "src"),
        ("*", "src"),
        ("../x", "/y"),
        ("src/a", "src/A"),
        ("SRC", "src/a"),
        ("docs/\u{e9}", "Docs/e\u{301}"),
        ("\u{c9}/x", "e\u{301}"),
        ("app/[id]", "app/[id]/page.tsx"),
        ("app/[ID]/page.tsx", "app/[id]"),
    ] {
        assert!(overlaps(a, b), "{a} {b}");
    }
    for (a, b) in [
        ("src", "src2/new.ts"),
        ("src", "src-x"),
        ("a/src", "src"),
        ("src/a", "src/b"),
        ("src/e", "src/\u{e9}"),
        // Not a pattern.
        ("app/[id]", "app/i"),
        ("app/[id]/page.tsx", "app/[slug]/page.tsx"),
    ] {
        assert!(!overlaps(a, b), "{a} {b}");
    }
}

#[test]
fn the_folders_above_a_path_end_with_the_top() {
    assert_eq!(folders("a/b/c").collect::<Vec<_>>(), ["a/b", "a", ""]);
    assert_eq!(folders("a").collect::<Vec<_>>(), [""]);
    assert_eq!(folders(RepoPath::covering("*").as_str()).count(), 0);
}

proptest! {
    #[test]
    fn what_was_read_once_is_read_as_the_same_again(text in "[a.:#L1, /(;)2~'{}\\[\\]-]{0,12}") {
        if let Ok(path) = RepoPath::parse(&text) {
            prop_assert_eq!(RepoPath::parse(path.as_str()), Ok(path));
        }
    }
}

#[test]
fn it_is_written_and_read_as_text() {
    for text in ["src/new.ts", "."] {
        let json = serde_json::to_string(text).unwrap();
        let read: RepoPath = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
}
