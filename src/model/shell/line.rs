//! Reads a command line as a POSIX shell (or bash) would, as far as that can be told without running it: which simple
//! commands it runs. Every text is either read to its end or refused; nothing is guessed.

mod compound;
mod expansion;
mod here;

use here::HereDocument;

/// What stands in a word for a part that only a running shell knows, such as a variable or a glob. No argument of a
/// program can have it.
pub(crate) const UNKNOWN: char = '\0';
/// How deep substitutions and groups may be nested.
const DEEPEST: usize = 24;

/// A command that a shell runs: a program and its arguments, or assignments alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// The assignments before the program: name and value.
    pub(crate) assignments: Vec<(String, String)>,
    /// The program and its arguments, without quotes; [`UNKNOWN`] stands for what is not known of them.
    pub(crate) words: Vec<String>,
    /// The files that its redirections name.
    pub(crate) files: Vec<String>,
    /// The command as it was written.
    pub(crate) source: String,
    /// What it follows.
    pub(crate) link: Link,
    /// Whether what comes after it runs if it fails, and the other way round.
    pub(crate) is_negated: bool,
    /// The subshells in which it runs, each by its number in the line, the outermost first.
    pub(crate) shell: Vec<usize>,
}

/// How a command is joined to the one before it in its shell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Link {
    /// It runs whether or not that one succeeded, or there is none, or only if it failed.
    #[default]
    Any,
    /// It runs only if that one succeeded.
    Success,
    /// It reads what that one prints.
    Pipe,
}

/// The text is not a command line that this reader understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotRead;

/// All commands that a shell would run for a line, also in groups and substitutions. [`UNKNOWN`] in the line is a part of
/// a word.
pub(crate) fn commands(line: &str) -> Result<Vec<SimpleCommand>, NotRead> {
    let mut reader = Reader::new(line, 0);
    reader.list(End::Text)?;
    Ok(reader.found)
}

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
    /// The end of a branch of `case`, or `esac`, which is not read.
    Branch,
}

/// What a command that is being read may have next.
#[derive(Debug, Default)]
struct Open {
    command: SimpleCommand,
    /// Where its text begins.
    start: Option<usize>,
    /// Whether its words are not a program, as in `for x in a b`.
    is_plain: bool,
}

#[derive(Default)]
struct Reader {
    text: Vec<char>,
    at: usize,
    depth: usize,
    found: Vec<SimpleCommand>,
    /// The here-documents whose bodies begin after this line.
    here: Vec<HereDocument>,
    /// How the next command is joined to the one before.
    link: Link,
    /// Whether the next command is negated.
    is_negated: bool,
    /// The subshells that are open.
    shell: Vec<usize>,
    /// How many subshells there were.
    shells: usize,
}

impl Reader {
    fn new(text: &str, depth: usize) -> Self {
        Self { text: text.chars().collect(), depth, ..Self::default() }
    }

    /// Reads a text of its own, such as the body of a here-document, as a part of this line.
    fn within(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self) -> Result<(), NotRead>,
    ) -> Result<(), NotRead> {
        let mut reader = Self::new(text, self.depth);
        (reader.shell, reader.shells) = (self.shell.clone(), self.shells);
        read(&mut reader)?;
        self.shells = reader.shells;
        self.found.append(&mut reader.found);
        Ok(())
    }

    /// A list of commands in a shell of its own.
    fn subshell(&mut self, end: End) -> Result<(), NotRead> {
        self.shells += 1;
        self.shell.push(self.shells);
        let (link, is_negated) = (std::mem::take(&mut self.link), std::mem::take(&mut self.is_negated));
        self.list(end)?;
        (self.link, self.is_negated) = (link, is_negated);
        self.shell.pop();
        Ok(())
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn follows(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.text.get(self.at + n) == Some(&c))
    }

    fn list(&mut self, end: End) -> Result<(), NotRead> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(NotRead);
        }
        let mut open = Open::default();
        while let Some(c) = self.peek() {
            if end == End::Branch && self.ends_branch(&mut open) {
                self.depth -= 1;
                return Ok(());
            }
            match c {
                ' ' | '\t' => self.at += 1,
                '\\' if self.follows("\\\n") => self.at += 2,
                '#' => self.skip_comment(),
                '\n' => {
                    if open.start.is_some() {
                        self.close(&mut open);
                        self.link = Link::Any;
                    }
                    self.at += 1;
                    self.bodies()?;
                }
                '&' if self.follows("&>") => {
                    open.start.get_or_insert(self.at);
                    self.redirection(&mut open)?;
                    self.skip_blanks();
                    // To some shells this was the end of the command.
                    if self.peek().is_some_and(|c| !"\n;&|)".contains(c)) {
                        return Err(NotRead);
                    }
                }
                ';' | '&' | '|' => {
                    self.close(&mut open);
                    self.separator();
                }
                '<' | '>' => {
                    open.start.get_or_insert(self.at);
                    self.redirection(&mut open)?;
                }
                '(' => self.parenthesis(&mut open)?,
                ')' if end == End::Parenthesis => {
                    self.close(&mut open);
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(());
                }
                ')' => return Err(NotRead),
                _ => self.next_word(&mut open)?,
            }
        }
        self.close(&mut open);
        self.depth -= 1;
        if end == End::Text { Ok(()) } else { Err(NotRead) }
    }

    /// Whether a branch of `case` ends here. Its `;;` is read, and `esac` is not.
    fn ends_branch(&mut self, open: &mut Open) -> bool {
        if self.follows(";;") || self.follows(";&") {
            self.close(open);
            self.link = Link::Any;
            self.at += if self.follows(";;&") { 3 } else { 2 };
            return true;
        }
        open.start.is_none() && self.is_word("esac")
    }

    /// What separates two commands.
    fn separator(&mut self) {
        let (link, length) = if self.follows("&&") {
            (Link::Success, 2)
        } else if self.follows("||") {
            (Link::Any, 2)
        } else if self.follows("|&") {
            (Link::Pipe, 2)
        } else {
            (if self.follows("|") { Link::Pipe } else { Link::Any }, 1)
        };
        self.link = link;
        self.at += length;
    }

    /// Whether exactly this word is here.
    fn is_word(&self, word: &str) -> bool {
        let next = self.text.get(self.at + word.len());
        self.follows(word) && next.is_none_or(|c| expansion::ENDS.contains(*c))
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Ends a command, if one is open.
    fn close(&mut self, open: &mut Open) {
        let Open { mut command, start, is_plain } = std::mem::take(open);
        let Some(start) = start else { return };
        if is_plain {
            command.words.clear();
        }
        let is_empty = command.words.is_empty() && command.assignments.is_empty() && command.files.is_empty();
        if !is_empty {
            let source: String = self.text[start..self.at].iter().collect();
            command.source = source.trim().to_owned();
            command.link = self.link;
            command.is_negated = std::mem::take(&mut self.is_negated);
            command.shell.clone_from(&self.shell);
            self.found.push(command);
        }
    }

    /// A group in a subshell, or the definition of a function, whose body is read as if it ran.
    fn parenthesis(&mut self, open: &mut Open) -> Result<(), NotRead> {
        let Open { command, start, is_plain } = &*open;
        if start.is_none() {
            if self.follows("((") {
                return Err(NotRead);
            }
            self.at += 1;
            return self.subshell(End::Parenthesis);
        }
        let is_name = !is_plain && command.words.len() == 1 && command.assignments.is_empty();
        let rest: String = self.text[self.at + 1..].iter().take_while(|c| **c == ' ' || **c == ')').collect();
        let blanks = match rest.find(')') {
            Some(blanks) if is_name => blanks,
            _ => return Err(NotRead),
        };
        self.at += blanks + 2;
        *open = Open::default();
        Ok(())
    }

    fn next_word(&mut self, open: &mut Open) -> Result<(), NotRead> {
        let start = self.at;
        let is_first = open.start.is_none();
        let word = self.word()?;
        let source: String = self.text[start..self.at].iter().collect();
        if matches!(self.peek(), Some('<' | '>')) && source.bytes().all(|byte| byte.is_ascii_digit()) {
            // The number of a file descriptor.
            open.start.get_or_insert(start);
            return self.redirection(open);
        }
        if is_first && open.command.words.is_empty() {
            match source.as_str() {
                "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done" | "{" | "}" => {
                    return Ok(());
                }
                "!" => {
                    self.is_negated = true;
                    return Ok(());
                }
                "for" | "select" => open.is_plain = true,
                "case" => return self.case(),
                "function" => {
                    self.skip_blanks();
                    self.word()?;
                    self.skip_blanks();
                    if self.follows("()") {
                        self.at += 2;
                    }
                    return Ok(());
                }
                "[[" => {
                    open.is_plain = true;
                    open.start = Some(start);
                    return self.condition();
                }
                _ => {}
            }
        }
        if open.is_plain && source == "do" {
            *open = Open::default();
            return Ok(());
        }
        open.start.get_or_insert(start);
        let command = &mut open.command;
        match assignment(&source, &word) {
            Some(assignment) if command.words.is_empty() => {
                command.assignments.push(assignment);
                if source.ends_with('=') && self.peek() == Some('(') {
                    return self.array();
                }
            }
            _ => command.words.push(word),
        }
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
    }

    /// A redirection; its file is no argument of the command.
    fn redirection(&mut self, open: &mut Open) -> Result<(), NotRead> {
        if self.follows("<(") || self.follows(">(") {
            self.at += 2;
            return self.subshell(End::Parenthesis);
        }
        let strips = self.follows("<<-");
        let is_text = self.follows("<<");
        let is_here = is_text && !self.follows("<<<");
        let is_copy = self.follows("<&") || self.follows(">&");
        while matches!(self.peek(), Some('<' | '>' | '&' | '|')) {
            self.at += 1;
        }
        if strips {
            self.at += 1;
        }
        self.skip_blanks();
        if self.follows("<(") || self.follows(">(") {
            return self.redirection(open);
        }
        let start = self.at;
        let target = self.word()?;
        if start == self.at {
            return Err(NotRead);
        }
        if is_here {
            let is_quoted = self.text[start..self.at].iter().any(|c| matches!(c, '\'' | '"' | '\\'));
            self.here.push(HereDocument { end: target, strips, is_quoted });
            return Ok(());
        }
        // `2>&1` and `2>&-` name a file descriptor.
        let is_descriptor = is_copy && target.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !is_text && !is_descriptor {
            open.command.files.push(target);
        }
        Ok(())
    }
}

/// The name and value of an assignment, of which `source` is the text.
fn assignment(source: &str, word: &str) -> Option<(String, String)> {
    if let Some((name, value)) = element(source, word) {
        return Some((name, value));
    }
    let (name, _) = source.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name || name.bytes().next().is_none_or(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (_, value) = word.split_once('=')?;
    Some((name.to_owned(), value.to_owned()))
}

/// The name of an array, and the value of its element, for `name[index]=value`.
fn element(source: &str, word: &str) -> Option<(String, String)> {
    let (name, rest) = source.split_once('[')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|byte: u8| byte.is_ascii_alphabetic() || byte == b'_');
    let (index, _) = rest.split_once(']')?;
    let after = &rest[index.len() + 1..];
    if !is_name || index.contains('[') || !(after.starts_with('=') || after.starts_with("+=")) {
        return None;
    }
    // The value ends the word; what the index is does not matter.
    let value = word.rsplit_once("]=").or_else(|| word.rsplit_once("]+=")).map(|(_, value)| value);
    Some((name.to_owned(), value.map_or_else(|| UNKNOWN.to_string(), str::to_owned)))
}

#[cfg(test)]
mod tests;
