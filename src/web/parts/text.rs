//! Text from records: ids become links, and long texts are cut.

use std::borrow::Cow;
use std::sync::LazyLock;

use maud::{Markup, PreEscaped, html};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use regex_lite::Regex;

use crate::model::{ExecutionId, IssueId, QueueId, RoadmapId, RunId, SolutionId};
use crate::ui::truncate;
use crate::web::place::Place;
use crate::web::view::View;

/// Longer texts are cut; in bytes.
pub(in crate::web) const LONGEST: usize = 20_000;
/// Longer outputs of commands are cut; in bytes.
const LONGEST_BLOCK: usize = 8_000;
/// Longer one-line texts are cut; in columns.
const LONGEST_LINE: usize = 600;

/// Matches what may be an id.
static ID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:ISS|SOL|EXR|QUE|RUN|RMAP)-[A-Za-z0-9][A-Za-z0-9._-]{1,160}").ok());

/// Characters to encode in a relative address.
const IN_ADDRESS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b':');

/// A relative address, percent-encoded.
pub(in crate::web) fn encoded(path: &str) -> String {
    utf8_percent_encode(path, IN_ADDRESS).to_string()
}

/// The page that an id names.
pub(in crate::web) fn place_of(id: &str) -> Option<Place> {
    Some(match id.split('-').next()? {
        "SOL" => Place::Plan(SolutionId::parse(id).ok()?),
        "EXR" => Place::Execution(ExecutionId::parse(id).ok()?),
        "QUE" => Place::Queue(QueueId::parse(id).ok()?),
        "RUN" => Place::Run(RunId::parse(id).ok()?),
        "RMAP" => Place::Roadmap(RoadmapId::parse(id).ok()?),
        _ => Place::Issue(IssueId::parse(id).ok()?),
    })
}

/// Splits a text into ids with their pages, and the text between them.
pub(in crate::web) fn parts(text: &str) -> Vec<(&str, Option<Place>)> {
    let Some(pattern) = ID.as_ref() else { return vec![(text, None)] };
    let (mut parts, mut done) = (Vec::new(), 0);
    for found in pattern.find_iter(text) {
        // A full stop ends a sentence, not an id.
        let id = found.as_str().trim_end_matches(['.', '-', '_']);
        let Some(place) = place_of(id) else { continue };
        parts.push((&text[done..found.start()], None));
        parts.push((id, Some(place)));
        done = found.start() + id.len();
    }
    parts.push((&text[done..], None));
    parts
}

/// Like [`parts`]; also issues whose ids have no known prefix, and commits by the beginning of their hash, if they exist.
pub(in crate::web) fn named_parts<'t>(view: &View<'_>, text: &'t str) -> Vec<(&'t str, Option<Place>)> {
    let mut found = Vec::new();
    for (part, place) in parts(text) {
        if place.is_some() {
            found.push((part, place));
            continue;
        }
        let mut done = 0;
        for (at, word) in words(part) {
            if let Some(place) = view.named(word) {
                found.push((&part[done..at], None));
                found.push((word, Some(place)));
                done = at + word.len();
            }
        }
        found.push((&part[done..], None));
    }
    found
}

/// The words of a text that could be ids, with their positions; not those that are a part of an address.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let from = rest + text[rest..].find(is_part_of_id)?;
        let until = text[from..].find(|c| !is_part_of_id(c)).map_or(text.len(), |length| from + length);
        rest = until;
        let word = text[from..until].trim_end_matches(['.', '-', '_']);
        let is_in_address = text[..from].ends_with(['/', '@', '#', '=', '&', '?', '%']);
        Some((from, if is_in_address { "" } else { word }))
    })
}

fn is_part_of_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// A text with its ids as links.
pub(in crate::web) fn linked(view: &View<'_>, text: &str) -> Markup {
    html! {
        @for (part, place) in named_parts(view, text) {
            @match place {
                Some(place) => (view.id(&place, part)),
                None => (part),
            }
        }
    }
}

/// A message of this program: text in backticks becomes code, and ids become links.
pub(in crate::web) fn sentence(view: &View<'_>, text: &str) -> Markup {
    let text = truncate(text, LONGEST_LINE);
    let quotes = text.matches('`').count() / 2 * 2;
    html! {
        @for (n, part) in text.split('`').enumerate() {
            @if n % 2 == 1 && n < quotes { code { (linked(view, part)) } }
            @else { @if n > quotes { "`" } (linked(view, part)) }
        }
    }
}

/// A one-line text without links.
pub(in crate::web) fn one_line(text: &str) -> Markup {
    html! { bdi { (truncate(text, LONGEST_LINE)) } }
}

/// A one-line text from a record, such as a title, with its ids as links. It must not be within a link.
pub(in crate::web) fn record_text(view: &View<'_>, text: &str) -> Markup {
    html! { bdi { (linked(view, &truncate(text, LONGEST_LINE))) } }
}

/// A multi-line text, cut if it is long.
pub(in crate::web) fn long(view: &View<'_>, text: &str) -> Markup {
    let (shown, rest) = cut(text, LONGEST);
    html! {
        div.text dir="auto" { (linked(view, shown)) }
        @if rest > 0 { p.cut { "… " (rest) " more bytes" } }
    }
}

/// A text with its line breaks, such as the output of a command, cut if it is long.
pub(in crate::web) fn block(text: &str) -> Markup {
    let (shown, rest) = cut(text, LONGEST_BLOCK);
    html! {
        pre { (shown) }
        @if rest > 0 { p.cut { "… " (rest) " more bytes" } }
    }
}

/// The beginning of a text, at most `most` bytes, and how many bytes are left out.
pub(in crate::web) fn cut(text: &str, most: usize) -> (&str, usize) {
    if text.len() <= most {
        return (text, 0);
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], text.len() - end)
}

/// A text for an input field, as its content or within the quotes of its value; invisible characters are kept, once
/// [`with_c1`] has been applied to the page. There is no way to write NUL in HTML.
pub(in crate::web) fn editable(text: &str) -> Markup {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c != '\n' && c != '\t' && crate::model::hidden::is_hidden(c) => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    PreEscaped(out)
}

/// A page in which each reference to a C1 control character, which only [`editable`] writes, is the character itself: to a
/// browser, the reference would be a letter of windows-1252.
pub(in crate::web) fn with_c1(page: &str) -> Cow<'_, str> {
    let mut changed = String::new();
    let mut done = 0;
    for (at, _) in page.match_indices("&#1") {
        let Some(number) = page[at..].get(2..6).and_then(|it| it.strip_suffix(';')) else { continue };
        if let Some(c @ '\u{80}'..='\u{9f}') = number.parse().ok().and_then(char::from_u32) {
            changed.push_str(&page[done..at]);
            changed.push(c);
            done = at + "&#128;".len();
        }
    }
    if done == 0 {
        return Cow::Borrowed(page);
    }
    changed.push_str(&page[done..]);
    Cow::Owned(changed)
}

/// A person, without the email address.
pub(in crate::web) fn person(who: &str) -> Markup {
    let name = match (who.find('<'), who.find('>')) {
        (Some(from), Some(until)) if from > 0 && from < until => {
            format!("{}{}", who[..from].trim_end(), &who[until + 1..])
        }
        _ => who.to_owned(),
    };
    html! { span.person title=(truncate(who, 200)) dir="auto" { (truncate(&name, 80)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_a_text_are_found() {
        let found = parts("see ISS-001, and SOL-ISS-001-ab12cd34. Not XISS-1 or ISS-..");
        let ids: Vec<&str> = found.iter().filter(|it| it.1.is_some()).map(|it| it.0).collect();
        assert_eq!(ids, ["ISS-001", "SOL-ISS-001-ab12cd34"]);
        assert_eq!(
            found.iter().map(|it| it.0).collect::<String>(),
            "see ISS-001, and SOL-ISS-001-ab12cd34. Not XISS-1 or ISS-.."
        );
    }

    #[test]
    fn words_of_a_text_are_found_and_addresses_are_left_alone() {
        let text = "(GH-7) à bd-1a.2, GH-8… https://example.org/GH-9?GH-10 -x- é";
        let found: Vec<&str> = words(text).map(|it| it.1).filter(|word| !word.is_empty()).collect();
        assert_eq!(found, ["GH-7", "bd-1a.2", "GH-8", "https", "-x"]);
        assert!(words(text).all(|(at, word)| text[at..].starts_with(word)));
    }

    #[test]
    fn an_input_field_keeps_what_is_invisible() {
        let text = "a\u{200b}\u{ad}\n\t\"'<b>&\r";
        let html = editable(text).into_string();
        assert_eq!(html, "a&#8203;&#173;\n\t&quot;'&lt;b&gt;&amp;&#13;");
        assert_eq!(crate::ui::text::clean(&html), html);
        let html = editable("a\u{7f}\u{80}\u{85}\u{9f}\u{a0}&#128;").into_string();
        let page = crate::ui::text::clean(&html);
        assert_eq!(with_c1(&page), "a&#127;\u{80}\u{85}\u{9f}\u{a0}&amp;#128;");
        assert!(matches!(with_c1("a &#13; &#160; &#1"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("aéé", 2), ("a", 4));
        assert_eq!(cut("aéé", 5), ("aéé", 0));
    }
}
