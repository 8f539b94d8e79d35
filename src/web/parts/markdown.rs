//! Renders Markdown from records: raw HTML is shown as text, nothing is loaded from elsewhere, and links lead only to
//! web and mail addresses.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::text::{LONGEST, cut, named_parts};
use crate::web::place::Place;
use crate::web::view::View;

/// Renders a text. If only its beginning is shown, a link leads to `whole`.
pub(in crate::web) fn markdown(view: &View<'_>, text: &str, whole: Option<&Place>) -> Markup {
    let (shown, rest) = cut(text, LONGEST);
    html! {
        div.markdown dir="auto" { (PreEscaped(rendered(view, shown))) }
        @if rest > 0 {
            p.cut {
                "… " (rest) " more bytes"
                @if let Some(place) = whole { ": " (view.whole_text(place, "the whole text")) }
            }
        }
    }
}

fn rendered(view: &View<'_>, text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events = Vec::new();
    // How each open link or image ends; an unsafe one becomes emphasis.
    let mut open: Vec<TagEnd> = Vec::new();
    let mut in_code = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => events.push(Event::Text(html)),
            Event::Start(Tag::HtmlBlock) => events.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => events.push(Event::End(TagEnd::Paragraph)),
            // A heading of the text must not become a heading of the page.
            Event::Start(Tag::Heading { .. }) => {
                events.extend([Event::Start(Tag::Paragraph), Event::Start(Tag::Strong)]);
            }
            Event::End(TagEnd::Heading(_)) => {
                events.extend([Event::End(TagEnd::Strong), Event::End(TagEnd::Paragraph)]);
            }
            Event::Start(
                Tag::Link { link_type, dest_url, title, id } | Tag::Image { link_type, dest_url, title, id },
            ) => {
                let tag = match safe(link_type, dest_url) {
                    // A link cannot contain another.
                    Some(dest_url) if !open.contains(&TagEnd::Link) => {
                        Tag::Link { link_type, dest_url, title, id }
                    }
                    _ => Tag::Emphasis,
                };
                open.push(tag.to_end());
                events.push(Event::Start(tag));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                events.extend(open.pop().map(Event::End));
            }
            Event::Text(text) if open.is_empty() && !in_code => with_ids(view, &text, &mut events),
            Event::Code(text) if open.is_empty() => code(view, text, &mut events),
            other => {
                in_code = match &other {
                    Event::Start(Tag::CodeBlock(_)) => true,
                    Event::End(TagEnd::CodeBlock) => false,
                    _ => in_code,
                };
                events.push(other);
            }
        }
    }
    let mut html = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    html
}

/// Adds a text with its ids as links.
fn with_ids(view: &View<'_>, text: &str, events: &mut Vec<Event<'_>>) {
    for (part, place) in named_parts(view, text) {
        let part = Event::Text(CowStr::from(part.to_owned()));
        match place.filter(|place| view.has(place)) {
            None => events.push(part),
            Some(place) => link(view, &place, part, events),
        }
    }
}

/// Adds code, as a link if it is an id.
fn code(view: &View<'_>, text: CowStr<'_>, events: &mut Vec<Event<'_>>) {
    let place = match named_parts(view, &text).as_slice() {
        [("", None), (whole, Some(place)), ("", None)] if whole.len() == text.len() => Some(place.clone()),
        _ => None,
    };
    let code = Event::Code(CowStr::from(text.into_string()));
    match place.filter(|place| view.has(place)) {
        None => events.push(code),
        Some(place) => link(view, &place, code, events),
    }
}

fn link<'e>(view: &View<'_>, place: &Place, text: Event<'e>, events: &mut Vec<Event<'e>>) {
    let (title, id) = ("".into(), "".into());
    let dest_url = view.href(place).into();
    events.push(Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id }));
    events.push(text);
    events.push(Event::End(TagEnd::Link));
}

/// The destination of a link if it is safe to follow.
fn safe(kind: LinkType, url: CowStr<'_>) -> Option<CowStr<'_>> {
    let scheme = url.split_once(':').map(|it| it.0.to_ascii_lowercase());
    match (kind, scheme.as_deref()) {
        (LinkType::Email, _) | (_, Some("http" | "https" | "mailto")) => Some(url),
        _ => None,
    }
}
