//! The lines of an export, and the files in them. What `fsck` would call broken is not imported.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text;
use crate::interchange::lines::{self, JsonLine, Unreadable};
use crate::model::redaction::holds_hidden;
use crate::model::root::FORMAT as ROOT_FORMAT;
use crate::model::{Time, strict};
use crate::store::{Form, Sound, layout};

/// Any line; its members decide which kind it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "expected an object")]
pub(super) struct Parts<'a> {
    pub(super) format: Option<String>,
    pub(super) version: Option<u64>,
    path: Option<String>,
    #[serde(borrow)]
    record: Option<&'a RawValue>,
    text: Option<String>,
    hex: Option<String>,
    files: Option<u64>,
}

/// The parts of a line. The inner error is for JSON that is not a line of an export.
pub(super) fn parse<'a>(line: &JsonLine<'a>) -> Result<Result<Parts<'a>, String>, Unreadable> {
    let Some(text) = line.text else { return Ok(Err(lines::too_long())) };
    match serde_json::from_str::<Parts<'_>>(text) {
        Ok(parts) => Ok(Ok(parts)),
        Err(error) if error.is_data() => {
            let why = strict::without_place(&error);
            Ok(Err(match why.strip_prefix("duplicate field ") {
                Some(name) => format!("the key {name} appears twice in one object"),
                None => why,
            }))
        }
        Err(error) => Err(line.fault(text, &error)),
    }
}

/// A line of an export after the first.
pub(super) enum ExportPart {
    /// The path and the bytes of a file.
    File(String, Vec<u8>),
    /// The last line, with the number of files.
    End(u64),
}

/// What the parts of a line are.
pub(super) fn part(parts: Parts<'_>, now: Time) -> Result<ExportPart, String> {
    match (parts.files, &parts.path) {
        (Some(files), None) => Ok(ExportPart::End(files)),
        _ => file(parts, now).map(|(path, bytes)| ExportPart::File(path, bytes)),
    }
}

/// The path and the bytes of a file.
fn file(parts: Parts<'_>, now: Time) -> Result<(String, Vec<u8>), String> {
    let Parts { format: None, version: None, path: Some(path), record, text, hex, files: None } = parts
    else {
        return Err("it is neither a file with a `path` nor the last line with the number of `files`".into());
    };
    if let Some(why) = crate::git::trees::path_refusal(&path) {
        return Err(format!("`path` is `{path}`: {why}"));
    }
    if !layout::is_place(&path) {
        let why = layout::misplaced(&path).unwrap_or_else(|| "it is the path of a directory".into());
        return Err(format!("`path` is `{path}`: {why}"));
    }
    let most = usize::try_from(layout::largest(&path)).unwrap_or(usize::MAX);
    let is_record = !matches!(layout::form(&path).0, Form::Unknown);
    let given = match (record, text, hex) {
        // Its form follows from its content.
        (Some(record), None, None) if is_record => record.get().as_bytes().to_vec(),
        (Some(record), None, None) => {
            text::file_form(record.get(), most).ok_or_else(|| too_large(&path))?.into_bytes()
        }
        (None, Some(text), None) => text.into_bytes(),
        (None, None, Some(digits)) => unhex(&digits)
            .ok_or_else(|| format!("the `hex` of `{path}` is not an even number of hex digits"))?,
        _ => return Err(format!("`{path}` must have exactly one of `record`, `text` and `hex`")),
    };
    if given.len() > most {
        return Err(too_large(&path));
    }
    let bytes = if is_record { sound(&path, given, most, now)? } else { given };
    if bytes.len() > most { Err(too_large(&path)) } else { Ok((path, bytes)) }
}

fn too_large(path: &str) -> String {
    format!("`{path}` would have more than {} MiB", layout::largest(path) >> 20)
}

/// A record in its canonical form, or why `fsck` would call it broken.
fn sound(path: &str, given: Vec<u8>, most: usize, now: Time) -> Result<Vec<u8>, String> {
    if path == layout::ROOT_PATH && newer_format(&given).is_some() {
        return Ok(given);
    }
    let ahead = |what: &str| {
        format!("`{path}`: {what} is stamped ahead of the clock of this machine, which says {now}")
    };
    let sound = match layout::sound(path, &given) {
        Ok(sound) => sound,
        Err(why) => {
            // What was hidden before it was exported cannot be whole.
            let text = if is_veiled(path, &given) { std::str::from_utf8(&given).ok() } else { None };
            let veiled = text.and_then(|text| text::file_form(text, most));
            return veiled.map(String::into_bytes).ok_or_else(|| format!("`{path}`: {why}"));
        }
    };
    match sound {
        Sound::Doc(doc) => match doc.ahead_of(now).first() {
            Some(field) => Err(ahead(&format!("`{field}`"))),
            None => Ok(doc.to_bytes()),
        },
        Sound::Entry(_) if layout::entry_stamp(path).is_some_and(|stamp| stamp.is_ahead_of(now)) => {
            Err(ahead("it"))
        }
        Sound::Entry(bytes) => Ok(bytes),
        Sound::Unknown => Ok(given),
    }
}

/// Whether it is a record of which something was hidden.
fn is_veiled(path: &str, given: &[u8]) -> bool {
    let (_, id) = layout::form(path);
    strict::parse(given).is_ok_and(|value| holds_hidden(&value) && layout::bears(&value, id.as_deref()))
}

/// The format of a root record, if only a later version of this program can read the store.
pub(super) fn newer_format(root: &[u8]) -> Option<u64> {
    let format = strict::parse(root).ok().and_then(|root| root["format"].as_u64());
    format.filter(|found| *found > ROOT_FORMAT)
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    rest.is_empty().then_some(())?;
    pairs.iter().map(|[high, low]| Some(hex_digit(*high)? << 4 | hex_digit(*low)?)).collect()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
