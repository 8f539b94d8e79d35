//! Texts that look like secrets are not stored, since records are pushed, and a push cannot be taken back.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::Regex;

/// The replacement for a secret.
const MASK: &str = "[masked]";

/// Endings of the names of variables whose values are not stored.
const SECRET_NAMES: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS", "_KEY", "APIKEY"];

/// Shorter values are not masked, since they would mask unrelated words.
const SHORTEST_VALUE: usize = 8;

/// Patterns of known kinds of secrets. The groups `keep` and `end` stay around the mask.
static KINDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        // A private key in PEM, even if its end was cut off.
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)",
        // Tokens with the prefixes of forges, clouds, registries and chat services.
        r"\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
        r"\b(AKIA|ASIA)[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{30,}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"\b(sk|rk|pk)[-_](live|test|proj|ant|or)[-_][A-Za-z0-9_-]{12,}",
        r"\bsk-[A-Za-z0-9]{20,}",
        r"\b(npm_|pypi-|crates-io-|dop_v1_|hf_|SG\.)[A-Za-z0-9_.-]{20,}",
        // A JSON web token.
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        r"(?i)(?<keep>\b(bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{16,}",
        // Credentials in an address.
        r"(?<keep>\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?<end>@)",
        r#"(?i)(?<keep>\b[a-z0-9_.-]*(password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?)[^\s"',;]{6,}"#,
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// The text with everything masked that looks like a secret, or that is the value of a variable whose name suggests
/// one.
pub(crate) fn masked(text: &str, environment: impl Iterator<Item = (String, String)>) -> String {
    let mut text = Cow::Borrowed(text);
    for (name, value) in environment {
        let name = name.to_ascii_uppercase();
        let is_secret = SECRET_NAMES.iter().any(|ending| name.ends_with(ending));
        if is_secret && value.len() >= SHORTEST_VALUE && text.contains(&value) {
            text = text.replace(&value, MASK).into();
        }
    }
    for kind in KINDS.iter() {
        let masked = kind.replace_all(&text, |found: &regex_lite::Captures<'_>| {
            let keep = found.name("keep").map_or("", |part| part.as_str());
            let end = found.name("end").map_or("", |part| part.as_str());
            format!("{keep}{MASK}{end}")
        });
        if let Cow::Owned(masked) = masked {
            text = masked.into();
        }
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(text: &str) -> String {
        masked(text, std::iter::empty())
    }

    #[test]
    fn every_kind_compiles() {
        assert_eq!(KINDS.len(), 12);
    }

    #[test]
    fn secrets_are_masked_and_their_names_stay() {
        for (text, stored) in [
            ("pushed with ghp_0123456789abcdefghijABCDEFGHIJ012345 ok", "pushed with [masked] ok"),
            ("AKIAIOSFODNN7EXAMPLE", "[masked]"),
            ("password=hunter2hunter2 rest", "password=[masked] rest"),
            ("DB_PASSWORD: 'correct horse'", "DB_PASSWORD: '[masked] horse'"),
            ("\"api_key\": \"abcdef123456\",", "\"api_key\": \"[masked]\","),
            ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer [masked]"),
            ("https://me:pa55word@host/x.git", "https://me:[masked]@host/x.git"),
            (
                "key:\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter",
                "key:\n[masked]\nafter",
            ),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "[masked]"),
        ] {
            assert_eq!(mask(text), stored);
        }
    }

    #[test]
    fn what_tests_print_stays() {
        for text in [
            "test tokens::reads_a_token ... ok",
            "test result: ok. 12 passed; 0 failed",
            "error[E0308]: mismatched types\n --> src/secret.rs:12:5",
            "see https://example.org/a:b and http://localhost:8080/path",
            "sha256:0123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn values_of_secret_variables_are_masked_wherever_they_stand() {
        let environment = [("CI_TOKEN", "s3cr3t-value"), ("HOME", "/home/me"), ("SHORT_KEY", "abc")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            masked("curl s3cr3t-value from /home/me abc", environment.into_iter()),
            "curl [masked] from /home/me abc"
        );
    }
}
