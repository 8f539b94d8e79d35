use proptest::prelude::*;

use super::*;
use crate::model::shell::word;

/// The words of each command, `?` for what is unknown.
fn read(line: &str) -> Option<Vec<String>> {
    let found = commands(line).ok()?;
    let run = found.iter().filter(|command| !command.words.is_empty());
    Some(run.map(|run| run.words.join(" ").replace(UNKNOWN, "?")).collect())
}

#[test]
fn what_a_shell_runs_is_found_wherever_it_stands() {
    for (line, found) in [
        ("", vec![]),
        ("# rm x", vec![]),
        ("git commit -m 'Warn before rm'", vec!["git commit -m Warn before rm"]),
        ("git pu\"\"sh; g\\it st\\\nash", vec!["git push", "git stash"]),
        ("a&&b||c|d&e\nf", vec!["a", "b", "c", "d", "e", "f"]),
        ("(a; (b)) > x && { c; }", vec!["a", "b", "c"]),
        ("echo \"x $(a 'b c') `d`\" > y", vec!["a b c", "d", "echo x ? ?"]),
        ("echo `a \\`b\\``", vec!["b", "a ?", "echo ?"]),
        ("X=1 Y+='2 3' a $X ${Y:-$(b)}", vec!["b", "a ? ?"]),
        ("if a; then b; elif ! c; then d; else e; fi", vec!["a", "b", "c", "d", "e"]),
        ("for x in rm git; do a \"$x\"; done", vec!["a ?"]),
        ("for x do rm y; done", vec!["rm y"]),
        ("while [[ -f x && ! ( y < z ) ]]; do a; done", vec!["a"]),
        ("[ -f x ] && a", vec!["[ -f x ]", "a"]),
        ("f() { a; }; function g { b; }; f", vec!["a", "b", "f"]),
        ("a 2>&1 >>b <c 3<>d x", vec!["a x"]),
        ("a &> b; c", vec!["a", "c"]),
        ("diff <(a) >(b)", vec!["a", "b", "diff"]),
        ("a <<< 'rm'", vec!["a"]),
        ("echo $((1 + 2)) $(( (3) ))", vec!["echo ? ?"]),
        ("cat <<'EOF' | b\n$(rm x) `rm`\nEOF\nc", vec!["cat", "b", "c"]),
        ("cat <<EOF && b\nit's $(a)\n\\$(rm)\nEOF\nc", vec!["cat", "b", "a", "c"]),
        ("cat <<-E <<F\n\trm\n\tE\nrm\nF\na", vec!["cat", "a"]),
        ("git commit -m \"$(cat <<'EOF'\nIt's \"rm\" (git push)\nEOF\n)\"", vec!["cat", "git commit -m ?"]),
        ("{rm,x} a{b,c}/*.[ch] [a]?", vec!["?rm,x} a?b,c}/?.?ch] ?a]?"]),
        ("echo $(( $i + 1 )) $(($1*$x)); a", vec!["echo ? ?", "a"]),
        ("x=(a 'b c' $(d)\n\"$e\") y+=(f); a", vec!["d", "a"]),
        ("x=${a:-'}; rm'}; a ${b:-'z'\"$(c)\"}", vec!["c", "a ?"]),
        ("echo a#b #c", vec!["echo a#b"]),
        ("a\0b; c", vec!["a?b", "c"]),
        ("$'git' \"$\" $", vec!["git $ $"]),
        ("case x in a) b;; esac; c", vec!["b", "c"]),
        (
            "case \"$1\" in\n  # why\n  (a|'b c') d; e ;;&\n  [0-9]*) f\n;& *) ;;\nesac > g && h",
            vec!["d", "e", "f", "h"],
        ),
        ("x=$(case $y in a) b;; (c) case z in *) d; esac;; esac) e", vec!["b", "d", "e"]),
        ("case x in esac", vec![]),
        ("a[1]=2 b[$(c)]+='x y' d", vec!["c", "d"]),
        ("a[1]=2; a[i+1]=$(e)", vec!["e"]),
        ("a[1]2 x", vec!["a?1]2 x"]),
        ("echo \"${a#'x'}${b:+-'y z'}\" && c", vec!["echo ??", "c"]),
    ] {
        assert_eq!(read(line), Some(found.into_iter().map(str::to_owned).collect()), "{line}");
    }
}

#[test]
fn what_is_not_understood_is_not_read() {
    for line in [
        "'a",
        "\"a",
        "`a",
        "$(a",
        "${a",
        "(a",
        "a)",
        "a >",
        "a > && b",
        "case x in a) b;;",
        "case x in a b) c;; esac",
        "case x of a) b;; esac",
        "case x in @(a|b)) c;; esac",
        "case in",
        "a (b)",
        "((x = 1))",
        "x=(a b",
        "x=(a; b)",
        "x= (a)",
        "a x=(b)",
        "$'\\x67it'",
        "a &> b c",
        "[[ a",
        "$((a)",
        "$((a) )",
        "${a:-'}",
        "\"${a:-'}'}\"",
        "\"${a:-'$(rm x)'}\"",
        "\"${a:-it's}\"",
        "echo $(( $(a) + 1 ))",
        "echo $(( ${a} ))",
    ] {
        assert_eq!(read(line), None, "{line}");
    }
    assert_eq!(read(&"$(".repeat(100_000)), None);
    assert_eq!(read(&"${a:-".repeat(100_000)), None);
}

#[test]
fn a_command_knows_its_text_and_its_assignments() {
    let found = commands("cd x && A='b c' git  push 2>&1 | tail").unwrap();
    let sources: Vec<&str> = found.iter().map(|command| command.source.as_str()).collect();
    assert_eq!(sources, ["cd x", "A='b c' git  push 2>&1", "tail"]);
    assert_eq!(found[1].assignments, [("A".to_owned(), "b c".to_owned())]);
}

#[test]
fn the_files_of_redirections_are_kept() {
    for (line, found) in [
        ("a > x 2>> 'y z' < i <> io >| f", vec!["x", "y z", "i", "io", "f"]),
        ("a 2>&1 >&2 3<&- 4>&5- <<< text <<E\nbody > no\nE", vec![]),
        ("a &> x; b >& y; c &>> z", vec!["x", "y", "z"]),
        ("> x", vec!["x"]),
        ("2>x a", vec!["x"]),
        ("for f in a > b; do c > d; done > e", vec!["b", "d", "e"]),
        ("{ a; } > x; (b) 2> y; [[ a < b ]] > z", vec!["x", "y", "z"]),
        ("a > $X", vec!["?"]),
        ("a > >(b > x)", vec!["x"]),
        ("if a; then b; fi < x", vec!["x"]),
        ("echo '> x' \\> y", vec![]),
    ] {
        let files: Vec<String> =
            commands(line).unwrap().into_iter().flat_map(|command| command.files).collect();
        let files: Vec<String> = files.into_iter().map(|file| file.replace(UNKNOWN, "?")).collect();
        assert_eq!(files, found, "{line}");
    }
}

/// A line, and the commands that it runs in any order.
fn line() -> impl Strategy<Value = (String, Vec<String>)> {
    let simple = "[a-z]{2,6}x".prop_map(|name| (name.clone(), vec![name]));
    simple.prop_recursive(4, 24, 3, |inner| {
        let joined =
            (inner.clone(), inner.clone(), prop::sample::select(vec![" && ", "; ", " | ", "\n", "&"]));
        let joined =
            joined.prop_map(|(one, two, by)| (format!("{}{by}{}", one.0, two.0), [one.1, two.1].concat()));
        let forms =
            vec!["( %)", "{ %; }", "if %\nthen true; fi", "echo \"a$( %)b\"", "diff <( %)", "f() { %; }"];
        let wrapped = (inner, prop::sample::select(forms))
            .prop_map(|((line, all), form)| (form.replace('%', &line), all));
        prop_oneof![joined, wrapped]
    })
}

proptest! {
    #[test]
    fn every_text_is_read_or_refused(text in "([a-z{}()\\[\\] $`'\"\\\\;&|<>=#\n*!-]|<<E|\\$\\(|for |\\[\\[ ){0,60}") {
        let _ = commands(&text);
    }

    #[test]
    fn quoted_words_are_read_as_they_were(words in prop::collection::vec("[^\0]{0,12}", 0..6)) {
        let line = words.iter().fold("run".to_owned(), |line, next| format!("{line} {}", word(next)));
        let read = commands(&line).unwrap();
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!(&read[0].words[1..], &words[..]);
    }

    #[test]
    fn no_command_is_missed((line, all) in line()) {
        let found = read(&line);
        prop_assert!(found.is_some(), "{}", line);
        let found = found.unwrap();
        prop_assert!(all.iter().all(|name| found.contains(name)), "{} {:?}", line, found);
    }
}
