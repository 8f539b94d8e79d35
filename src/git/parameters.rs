//! `GIT_CONFIG_PARAMETERS`: how git passes the values of `git -c KEY=VALUE` to its children. Pure.

/// The values as `key=value`, or just `key` for a boolean without a value; `None` if git did not write `text`.
///
/// Since git 2.31 an entry is `'key'='value'`, or `'key'=` without a value; before it was `'key=value'`.
pub(crate) fn parse(text: &str) -> Option<Vec<String>> {
    let mut entries = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = unquoted(rest)?;
        rest = after;
        match rest.strip_prefix('=') {
            Some(after) if after.starts_with('\'') => {
                let (value, after) = unquoted(after)?;
                rest = after;
                // Readers of `key=value` split at the first `=`.
                if !key.contains('=') {
                    entries.push(format!("{key}={value}"));
                }
            }
            Some(after) => {
                rest = after;
                entries.push(key);
            }
            None => entries.push(key),
        }
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return None;
        }
        rest = rest.trim_start();
    }
    Some(entries)
}

/// The unquoted text at the start of `quoted`, and what follows it. Outside the quotes there can only be `\'` and
/// `\!`.
fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut rest = quoted.strip_prefix('\'')?;
    loop {
        let (inside, after) = rest.split_once('\'')?;
        text.push_str(inside);
        let again = ["\\'", "\\!"].into_iter().find_map(|escape| {
            let after = after.strip_prefix(escape)?.strip_prefix('\'')?;
            Some((&escape[1..], after))
        });
        match again {
            Some((escaped, after)) => {
                text.push_str(escaped);
                rest = after;
            }
            None => return Some((text, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn parsed(text: &str) -> Vec<String> {
        parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn both_forms_and_values_without_text() {
        assert_eq!(parsed(""), [""; 0]);
        assert_eq!(parsed("'user.name=Ada L.' 'wf.x'"), ["user.name=Ada L.", "wf.x"]);
        assert_eq!(parsed("'user.name'='Ada L.' 'wf.x'= 'wf.y'=''"), ["user.name=Ada L.", "wf.x", "wf.y="]);
        assert_eq!(parsed("'a.b=c' 'd.e'='f=g'"), ["a.b=c", "d.e=f=g"]);
    }

    #[test]
    fn quotes_within_quotes() {
        assert_eq!(parsed(r"'user.name'='O'\''Hara'"), ["user.name=O'Hara"]);
        assert_eq!(parsed(r"'user.name=Wow'\!''"), ["user.name=Wow!"]);
    }

    #[test]
    fn a_key_that_could_not_be_told_from_its_value_is_left_out() {
        assert_eq!(parsed("'url.a=b.insteadOf'='c' 'wf.x'='1'"), ["wf.x=1"]);
    }

    #[test]
    fn what_git_did_not_write() {
        for text in ["a.b=c", "'a.b", "'a.b'='c", "'a.b''c'", "'a.b'=c", "'a.b'\\"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn values_come_out_as_they_went_in(values in prop::collection::vec(".{0,20}", 0..4)) {
            let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''").replace('!', "'\\!'"));
            let new: Vec<_> = values.iter().map(|value| format!("'a.b'={}", quote(value))).collect();
            let old: Vec<_> = values.iter().map(|value| quote(&format!("a.b={value}"))).collect();
            let expected: Vec<_> = values.iter().map(|value| format!("a.b={value}")).collect();
            prop_assert_eq!(parse(&new.join(" ")), Some(expected.clone()));
            prop_assert_eq!(parse(&old.join(" ")), Some(expected));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "['\\\\!= a-z.]{0,30}") {
            let _ = parse(&text);
        }
    }
}
