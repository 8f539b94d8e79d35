//! The id of a roadmap. It is the only id with words of a title in it, in any script, and it becomes the name of a
//! directory: it is in one normal form, without capitals, and without anything that is invisible or that git refuses.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{IdError, last_part};
use crate::model::hidden::is_hidden;
use crate::model::{Time, Uid};

const PREFIX: &str = "RMAP-";
const RULE: &str = "it is RMAP-, at most 40 lower-case letters and digits of any script with `-` between them, `-`, a date and `-<uid>`";
/// The most characters of the words in an id.
const LONGEST_SLUG: usize = 40;
/// A file name has at most 255 bytes, and a character at most four.
const LONGEST_SLUG_BYTES: usize = 160;
/// The words of a title without letters and digits.
const NO_WORDS: &str = "roadmap";

id_type!(
    /// A roadmap: `RMAP-<words of its title>-<YYYYMMDD>-<uid>`.
    RoadmapId,
    "a roadmap",
    grammar,
    r"^RMAP-[^\x00-,./:-`{-\x7f]{1,40}-[0-9]{8}-[0-9a-hjkmnp-tv-z]{8}$",
    "RMAP-export-for-teams-20261121-4c8w1z0p"
);

impl RoadmapId {
    /// An id for a roadmap made at `at`.
    pub(crate) fn made(title: &str, at: Time, uid: &Uid) -> Self {
        Self(format!("{PREFIX}{}-{}-{uid}", slug(title), at.date_digits()))
    }

    /// The last part.
    pub(crate) fn uid(&self) -> &str {
        last_part(&self.0)
    }

    /// Whether two ids differ only in their dates: then clones that had not synced made them from one file, on different days.
    pub(crate) fn is_twin_of(&self, other: &Self) -> bool {
        self != other && self.without_date() == other.without_date()
    }

    fn without_date(&self) -> Option<(String, String)> {
        parts(&self.0).map(|(slug, _, uid)| (slug.to_owned(), uid.to_owned()))
    }

    /// The words of the title.
    #[cfg(test)]
    pub(crate) fn words(&self) -> &str {
        parts(&self.0).map_or("", |(slug, ..)| slug)
    }
}

/// The words of a title as they appear in an id: letters and digits, with `-` for everything between them.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    let mut is_apart = false;
    for c in plain(title) {
        let is_mark = is_combining_mark(c) && !is_apart && !slug.is_empty();
        if !(is_mark || c.is_alphanumeric() && is_letter(c)) {
            is_apart = true;
            continue;
        }
        let dash = usize::from(is_apart && !slug.is_empty());
        if length + dash + 1 > LONGEST_SLUG || slug.len() + dash + c.len_utf8() > LONGEST_SLUG_BYTES {
            break;
        }
        if dash == 1 {
            slug.push('-');
        }
        slug.push(c);
        (length, is_apart) = (length + dash + 1, false);
    }
    // A cut or a mark may have left a form that composes otherwise.
    let slug: String = slug.nfc().collect();
    if slug_grammar(&slug) { slug } else { NO_WORDS.to_owned() }
}

/// A text in normal form and in lower case: capitals go first, since the lower case of some letters has a mark.
fn plain(text: &str) -> impl Iterator<Item = char> + '_ {
    let lower = text.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    lower.collect::<String>().nfc().collect::<Vec<char>>().into_iter()
}

/// Whether a file system that ignores case has no other form of this letter.
fn is_letter(c: char) -> bool {
    !is_hidden(c)
        && (c.is_alphanumeric() || is_combining_mark(c))
        && plain(c.encode_utf8(&mut [0; 4])).eq([c])
}

fn slug_grammar(slug: &str) -> bool {
    slug.chars().count() <= LONGEST_SLUG
        && slug.len() <= LONGEST_SLUG_BYTES
        && slug.chars().all(|c| c == '-' || is_letter(c))
        && slug.split('-').all(|part| part.chars().next().is_some_and(char::is_alphanumeric))
        && slug.nfc().eq(slug.chars())
}

/// The words, the date and the uid.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (rest, uid) = text.strip_prefix(PREFIX)?.rsplit_once('-')?;
    let (slug, date) = rest.rsplit_once('-')?;
    Some((slug, date, uid))
}

fn grammar(text: &str) -> Result<(), &'static str> {
    parts(text)
        .is_some_and(|(slug, date, uid)| {
            slug_grammar(slug)
                && date.len() == 8
                && date.bytes().all(|byte| byte.is_ascii_digit())
                && Uid::parse(uid).is_some()
        })
        .then_some(())
        .ok_or(RULE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_words_of_a_title_are_lower_case_letters_of_any_script() {
        for (title, words) in [
            ("Export for Teams!", "export-for-teams"),
            ("  --a/b\\c.lock  ", "a-b-c-lock"),
            ("用户 导出", "用户-导出"),
            ("Überprüfung der Größe", "überprüfung-der-grösse"),
            ("U\u{308}ber", "über"),
            ("İstanbul", "i\u{307}stanbul"),
            ("हिन्दी", "हिन्दी"),
            ("🚀🚀", "roadmap"),
            ("", "roadmap"),
            ("a\u{202e}b\u{200b}c\u{7}d", "a-b-c-d"),
            ("\u{301}a", "a"),
        ] {
            assert_eq!(slug(title), words, "{title:?}");
        }
        assert_eq!(slug(&"漢".repeat(60)).chars().count(), LONGEST_SLUG);
        assert_eq!(slug(&format!("{} tail", "a".repeat(39))), "a".repeat(39));
    }

    #[test]
    fn an_id_has_nothing_that_harms_a_path() {
        let id = |words: &str| format!("RMAP-{words}-20261121-4c8w1z0p");
        for sound in ["a", "用户-导出", "über", "a-1-2", &"漢".repeat(40)] {
            assert_eq!(RoadmapId::parse(&id(sound)).unwrap().words(), sound);
        }
        for wrong in [
            "",
            "A",
            "a--b",
            "-a",
            "a-",
            "u\u{308}ber",
            "a b",
            "a.b",
            "a/b",
            "..",
            "a\u{202e}b",
            "a\u{200b}",
            "a\nb",
            "a\u{301}\u{0}",
            "ſ",
            "ς",
            "\u{115f}",
            "a-\u{301}",
            &"a".repeat(41),
            "~",
            "a^b",
            "a:b",
        ] {
            assert!(RoadmapId::parse(&id(wrong)).is_err(), "{wrong:?}");
        }
        for wrong in [
            "RMAP-a-20261121",
            "RMAP-a-2026112-4c8w1z0p",
            "RMAP-a-20261121-4c8w1z0",
            "RUN-a-20261121-4c8w1z0p",
        ] {
            assert!(RoadmapId::parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_title_makes_an_id_that_reads_back(title in "\\PC{0,60}", odd in proptest::collection::vec(any::<char>(), 0..30)) {
            let at = Time::parse("2026-11-21T02:14:05.123Z").unwrap();
            let odd: String = odd.into_iter().collect();
            for title in [title, odd] {
                let made = RoadmapId::made(&title, at, &Uid::from_bits([1, 2, 3, 4, 5]));
                prop_assert_eq!(&RoadmapId::parse(made.as_str()).unwrap(), &made, "{:?}", title);
                prop_assert!(made.as_str().len() <= 200);
                prop_assert_eq!(slug(made.words()), made.words());
                prop_assert!(crate::model::id::IssueId::parse(made.as_str()).is_err());
            }
        }
    }
}
