//! Links of a terminal (OSC 8): what they may lead to, and which terminals know them.

/// Longer addresses are not linked.
const LONGEST: usize = 2_000;

/// Whether an address may be written into the escape that begins a link: nothing in it ends the escape.
pub(super) fn is_fit(address: &str) -> bool {
    (address.starts_with("https://") || address.starts_with("http://"))
        && address.len() <= LONGEST
        && address.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A text in parts; the flag says whether one is an address, without the punctuation that ends a sentence.
pub(super) fn parts(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find("http").map(|at| from + at) {
        let word = rest[at..].split(char::is_whitespace).next().unwrap_or_default();
        let address = word.trim_end_matches(|c| ".,;:!?)]}>'\"".contains(c));
        let is_own_word = !rest[..at].ends_with(char::is_alphanumeric);
        if is_own_word
            && is_fit(address)
            && address.split_once("://").is_some_and(|parts| !parts.1.is_empty())
        {
            found.push((&rest[..at], false));
            found.push((address, true));
            rest = &rest[at + address.len()..];
            from = 0;
        } else {
            from = at + "http".len();
        }
    }
    found.push((rest, false));
    found.retain(|part| !part.0.is_empty());
    found
}

/// The escape that begins a link, or ends one if the address is empty.
pub(super) fn escape(address: &str) -> String {
    format!("\u{1b}]8;;{address}\u{1b}\\")
}

/// Whether the terminal shows links, as far as its variables tell; others would show nothing worse than the text, but
/// some old ones show the escape. `FORCE_HYPERLINK` decides if it is set.
pub(super) fn are_known(variable: impl Fn(&str) -> Option<String>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return forced != "0";
    }
    let is = |name: &str, known: &[&str]| variable(name).is_some_and(|value| known.contains(&value.as_str()));
    if is("TERM", &["dumb"]) {
        return false;
    }
    variable("VTE_VERSION")
        .and_then(|version| version.parse::<u32>().ok())
        .is_some_and(|number| number >= 5000)
        || is("TERM_PROGRAM", &["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal"])
        || is(
            "TERM",
            &["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "wezterm", "contour"],
        )
        || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"].iter().any(|name| variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_end_the_escape_is_linked() {
        assert!(is_fit("https://example.org/a?b=c#d"));
        for unfit in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://e.org/\u{1b}\\",
            "https://e.org/a b",
            "https://e.org/\u{7}",
            "https://é.org",
        ] {
            assert!(!is_fit(unfit), "{unfit:?}");
        }
        assert!(!is_fit(&format!("https://{}", "x".repeat(3000))));
    }

    #[test]
    fn addresses_in_a_text_end_before_the_punctuation() {
        let text = |text: &str| (text.to_owned(), false);
        let address = |text: &str| (text.to_owned(), true);
        assert_eq!(
            parts("See https://e.org/a?b=c, (http://e.org).")
                .into_iter()
                .map(|part| (part.0.to_owned(), part.1))
                .collect::<Vec<_>>(),
            [text("See "), address("https://e.org/a?b=c"), text(", ("), address("http://e.org"), text(").")]
        );
        for same in ["no address", "xhttps://e.org", "https://", "http https://é", ""] {
            assert!(parts(same).iter().all(|part| !part.1), "{same}");
            assert_eq!(parts(same).iter().map(|part| part.0).collect::<String>(), same);
        }
    }

    #[test]
    fn variables_tell_the_terminal() {
        let known = |set: &[(&str, &str)]| {
            are_known(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(known(&[("TERM", "xterm-kitty")]) && known(&[("VTE_VERSION", "7006")]));
        assert!(known(&[("FORCE_HYPERLINK", "1"), ("TERM", "dumb")]));
        for unknown in [
            &[("TERM", "xterm-256color")][..],
            &[("VTE_VERSION", "4000")],
            &[("FORCE_HYPERLINK", "0"), ("TERM", "xterm-kitty")],
            &[("TERM", "dumb"), ("KONSOLE_VERSION", "1")],
            &[],
        ] {
            assert!(!known(unknown), "{unknown:?}");
        }
    }
}
