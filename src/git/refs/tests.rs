use super::*;

/// All texts of at most `most` of these pieces.
fn texts(most: usize) -> Vec<String> {
    const PIECES: &[&str] = &[
        "a", ".", "/", "@", "{", "-", "\\", "^", "~", ":", "*", "?", "[", " ", "\n", "\u{7f}", "\u{e9}",
        ".lock", "HEAD",
    ];
    let longer = |text: &String| PIECES.iter().map(|piece| format!("{text}{piece}")).collect::<Vec<_>>();
    let mut found = vec![String::new()];
    let mut last = found.clone();
    for _ in 0..most {
        last = last.iter().flat_map(longer).collect();
        found.extend(last.iter().cloned());
    }
    found
}

#[test]
fn a_branch_is_what_is_a_ref_below_that_of_branches() {
    for text in texts(3) {
        let name = format!("refs/heads/{text}");
        assert_eq!(Branch::parse(&name).is_some(), is_ref_name(&name), "{text:?}");
    }
}
