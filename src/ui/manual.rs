//! Renders manual pages as plain text, for machines without `man`, for pipes, and for agents. Supports the requests
//! that our own pages use: `.TH`, `.SH`, `.SS`, `.PP`, `.TP`, `.IP`, `.nf`, `.fi`, and the fonts.

/// How many columns a line has.
const WIDTH: usize = 80;
/// The indent of a section's text, and the additional indent of a tagged paragraph.
const INDENT: usize = 4;

/// The text of a page in roff, rendered.
pub(crate) fn text(roff: &str) -> String {
    let mut page = PlainPage::default();
    let mut begun = String::new();
    for line in roff.lines() {
        // Bold text can continue in the next line.
        begun.push_str(line);
        if begun.matches("\\fB").count() > begun.matches("\\fP").count() + begun.matches("\\fR").count() {
            begun.push(' ');
        } else {
            page.line(&std::mem::take(&mut begun));
        }
    }
    page.line(&begun);
    page.end_paragraph();
    page.text.trim_start_matches('\n').to_owned()
}

#[derive(Default)]
struct PlainPage {
    text: String,
    /// The words of the current paragraph.
    words: Vec<String>,
    /// A tag or bullet before the paragraph, and whether the next line is one.
    tag: Option<String>,
    expects_tag: bool,
    is_tagged: bool,
    is_literal: bool,
}

impl PlainPage {
    fn line(&mut self, line: &str) {
        let (request, rest) = match line.strip_prefix('.') {
            Some(rest) => rest.split_once(' ').unwrap_or((rest, "")),
            None => ("", line),
        };
        match request {
            _ if line.starts_with(".\\\"") => {}
            "SH" | "SS" => {
                self.end_paragraph();
                self.is_tagged = false;
                let lead = if request == "SS" { "  " } else { "" };
                self.text.push_str(&format!("\n{lead}{}\n", arguments(rest).join(" ")));
            }
            "PP" | "P" | "LP" => {
                self.end_paragraph();
                self.is_tagged = false;
            }
            "TP" | "TQ" => {
                self.end_paragraph();
                (self.is_tagged, self.expects_tag) = (true, true);
            }
            "IP" => {
                self.end_paragraph();
                self.is_tagged = true;
                self.tag = arguments(rest).into_iter().next();
            }
            "nf" | "EX" => {
                self.end_paragraph();
                self.part();
                self.is_literal = true;
            }
            "fi" | "EE" => self.is_literal = false,
            "B" => self.words(&bold(arguments(rest).join(" "))),
            "I" | "SM" => self.words(&arguments(rest).join(" ")),
            "BI" | "IB" => {
                let joined = arguments(rest).concat();
                let inside = joined.trim_end_matches(['.', ',', ';']);
                self.words(&format!("{}{}", bold(inside.to_owned()), &joined[inside.len()..]));
            }
            "BR" | "RB" | "IR" | "RI" => {
                let fonts = request.chars().cycle();
                let joined = arguments(rest).into_iter().zip(fonts);
                self.words(
                    &joined.map(|(c, font)| if font == 'B' { bold(c) } else { c }).collect::<String>(),
                );
            }
            "" => self.words(&plain(&with_bold(rest))),
            // `.TH`, and requests that only typesetters need.
            _ => {}
        }
    }

    /// Adds the words of one line of text, whatever its font.
    fn words(&mut self, text: &str) {
        if self.is_literal {
            self.text.push_str(&format!("{}{text}\n", " ".repeat(INDENT)));
        } else if self.expects_tag {
            (self.tag, self.expects_tag) = (Some(text.to_owned()), false);
        } else {
            self.words.extend(text.split_whitespace().map(str::to_owned));
        }
    }

    /// Adds a blank line, except directly after a heading.
    fn part(&mut self) {
        let last = self.text.lines().next_back().unwrap_or_default();
        if last.starts_with(' ') {
            self.text.push('\n');
        }
    }

    fn end_paragraph(&mut self) {
        if self.tag.is_none() && self.words.is_empty() {
            return;
        }
        let indent = " ".repeat(if self.is_tagged { 2 * INDENT } else { INDENT });
        let mut line = indent.clone();
        self.part();
        if let Some(tag) = self.tag.take() {
            let short = format!("{}{tag}", " ".repeat(INDENT));
            if short.chars().count() < indent.len() {
                line = format!("{short:width$}", width = indent.len());
            } else {
                self.text.push_str(&format!("{short}\n"));
            }
        }
        let mut is_empty = true;
        for word in self.words.drain(..) {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.text.push_str(&format!("{}\n", line.trim_end()));
                line.clone_from(&indent);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(&word);
            is_empty = false;
        }
        if !line.trim().is_empty() {
            self.text.push_str(&format!("{}\n", line.trim_end()));
        }
    }
}

/// There is no bold here: a command of several words is put in backquotes, as in a hint.
fn bold(text: String) -> String {
    if text.contains(' ') { format!("`{text}`") } else { text }
}

/// A text in which what `\fB` makes bold is as in [`bold`].
fn with_bold(text: &str) -> String {
    let mut parts = text.split("\\fB");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inside, behind) = part.split_once("\\f").unwrap_or((part, "P"));
        found.push_str(&format!("{}{}", bold(inside.to_owned()), &behind[1..]));
    }
    found
}

/// The arguments of a request: words, or quoted texts.
fn arguments(rest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (one, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        found.push(plain(one));
        rest = behind.trim_start();
    }
    found
}

/// A text with its escapes resolved.
fn plain(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        found.push_str(before);
        let mut chars = behind.chars();
        match chars.next() {
            Some('f') => {
                chars.next();
            }
            Some('(') => {
                let name: String = chars.by_ref().take(2).collect();
                found.push_str(special(&name));
            }
            Some('[') => {
                let name: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let code = name.strip_prefix('u').and_then(|hex| u32::from_str_radix(hex, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(c) => found.push(c),
                    None => found.push_str(special(&name)),
                }
            }
            Some('*') => {
                // A string from the top of the page: the apostrophe is the only one.
                if chars.next() == Some('(') {
                    chars.by_ref().take(2).for_each(drop);
                    found.push('\'');
                }
            }
            Some('e') => found.push('\\'),
            Some('&' | '|') | None => {}
            Some(c) => found.push(c),
        }
        rest = chars.as_str();
    }
    found.push_str(rest);
    found
}

fn special(name: &str) -> &'static str {
    match name {
        "ga" => "`",
        "bu" => "\u{2022}",
        "aq" => "'",
        "dq" => "\"",
        "rs" => "\\",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_a_terminal_shows_it() {
        let page = r#".\" a comment
.TH GITWF\-X 7 "" "git\-wf"
.SH NAME
gitwf\-x \- a page
.SH "TWO WORDS"
Run
.BR "git wf next" ,
or
.B git wf done \-\-next
now, or \fBgit wf
done \-\-verify\fP or
.BI "git wf show " ID ,
\|.\|.\|.
.TP
.B tag
What it \fImeans\fR.
.IP \(bu 2
A point.
.PP
.nf
    git log  \e
.fi
\[u00E9]nd"#;
        let seen = text(page);
        let expected = "NAME\n    gitwf-x - a page\n\nTWO WORDS\n    Run `git wf next`, or `git wf done --next` now, or `git wf done --verify` or\n    `git wf show ID`, ...\n\n    tag What it means.\n\n    \u{2022}   A point.\n\n        git log  \\\n\n    \u{e9}nd\n";
        assert_eq!(seen, expected);
    }

    #[test]
    fn long_lines_are_filled() {
        let seen = text(&"word ".repeat(40));
        assert!(seen.lines().all(|line| line.len() <= WIDTH && line.starts_with("    word")), "{seen}");
        assert_eq!(seen.split_whitespace().count(), 40);
    }
}
