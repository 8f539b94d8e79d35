//! The export: a line for each file.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{FORMAT, VERSION, text};
use crate::model::hidden::is_hidden;
use crate::model::{IssueId, hex};
use crate::store::{Snapshot, StoreError, Visited, layout};

/// The result of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ExportedJsonl {
    /// Files that were written.
    pub(crate) files: u64,
    /// Entries of the store that cannot be exported.
    pub(crate) left_out: Vec<NotExported>,
}

/// Something that was not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NotExported {
    /// Its path in the tree.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: String,
}

#[derive(Serialize)]
struct Head {
    format: &'static str,
    version: u64,
}

#[derive(Serialize)]
struct Foot {
    files: u64,
}

/// Writes the state to `out`, or only the directories of `issues` if any are given. Redacted values are written as they
/// are shown. Reports the number of files so far to `seen`.
pub(crate) fn write<E: From<StoreError> + From<io::Error>>(
    state: &Snapshot<'_>,
    issues: &[IssueId],
    out: &mut dyn Write,
    mut seen: impl FnMut(u64),
) -> Result<ExportedJsonl, E> {
    let mut exported = ExportedJsonl::default();
    write_line(out, &Head { format: FORMAT, version: VERSION })?;
    let mut visit = |path: &str, visited: Visited| -> Result<(), E> {
        match visited {
            Visited::File(bytes) => {
                file(out, path, &bytes)?;
                exported.files += 1;
                seen(exported.files);
            }
            Visited::Unfit(why) => {
                exported.left_out.push(NotExported { path: path.to_owned(), reason: why.to_owned() });
            }
        }
        Ok(())
    };
    if issues.is_empty() {
        state.each_file("", &mut visit)?;
    }
    for id in issues {
        state.each_file(&layout::issue_folder(id), &mut visit)?;
    }
    write_line(out, &Foot { files: exported.files })?;
    Ok(exported)
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// A JSON file in the stored form becomes a record, any other text a text, and anything else hex digits.
fn file(out: &mut dyn Write, path: &str, bytes: &[u8]) -> io::Result<()> {
    out.write_all(b"{\"path\":")?;
    serde_json::to_writer(&mut *out, path)?;
    // A record is written as text if the escapes that it needs would change its bytes.
    let record = text::one_line(bytes).filter(|record| !record.chars().any(is_hidden));
    if let Some(record) = record {
        out.write_all(b",\"record\":")?;
        out.write_all(record.as_bytes())?;
    } else if let Ok(text) = std::str::from_utf8(bytes) {
        out.write_all(b",\"text\":")?;
        serde_json::to_writer(&mut *out, text)?;
    } else {
        out.write_all(b",\"hex\":\"")?;
        out.write_all(hex(bytes).as_bytes())?;
        out.write_all(b"\"")?;
    }
    out.write_all(b"}\n")
}
