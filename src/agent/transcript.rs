//! The transcript of a conversation with an agent, in a file of the git directory: JSON lines, which are safe to show
//! on a terminal. It stays on this machine, only its owner can read it, and its size is limited.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// The size limit of a transcript.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// Longer lines are split into pieces of this size.
const LONGEST_LINE: usize = 16 * 1024;

/// Who wrote something, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Who {
    /// This program, to the agent's stdin.
    Stdin,
    /// The agent.
    Stdout,
    /// The agent.
    Stderr,
    /// This program, about the transcript.
    Note,
}

/// One line of the file.
#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since the transcript began.
    ms: u64,
    stream: Who,
    text: &'a str,
}

/// A transcript that is being written.
#[derive(Debug)]
pub(super) struct Transcript {
    file: BufWriter<File>,
    start: Instant,
    written: u64,
    left_out: u64,
    hash: Sha256,
    /// Incomplete lines of stdin, stdout and stderr.
    open: [Vec<u8>; 3],
    failed: Option<io::Error>,
}

/// A complete transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptTranscript {
    /// Its path.
    pub(crate) path: PathBuf,
    /// The SHA-256 of the file, in hex.
    pub(crate) sha256: String,
}

/// The SHA-256 of a transcript, in hex.
///
/// # Errors
/// Any error from reading the file.
pub(crate) fn sha256(path: &Path) -> io::Result<String> {
    // A transcript is at most a few megabytes.
    Ok(hex(Sha256::new_with_prefix(std::fs::read(path)?)))
}

/// How long the conversation had lasted when the last complete line was written, in milliseconds; `None` if there is no such
/// line.
pub(crate) fn lasted(path: &Path) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n')?;
    let line = bytes[..end].rsplit(|byte| *byte == b'\n').next()?;
    serde_json::from_slice::<serde_json::Value>(line).ok()?["ms"].as_u64()
}

/// Whether the transcript is being written, which means that its agent is at work.
#[cfg(any(feature = "web", test))]
pub(crate) fn is_open(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Transcript {
    /// Creates the file; an earlier one is replaced.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // An existing file that others can read would keep its mode.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        // Says that it is being written; where files cannot be locked, nobody learns of it.
        let _ = file.try_lock();
        Ok(Self {
            file: BufWriter::new(file),
            start: Instant::now(),
            written: 0,
            left_out: 0,
            hash: Sha256::new(),
            open: Default::default(),
            failed: None,
        })
    }

    /// Adds output.
    pub(super) fn add(&mut self, who: Who, bytes: &[u8]) {
        if self.written >= MOST_BYTES {
            self.left_out += bytes.len() as u64;
            return;
        }
        let mut open = std::mem::take(self.open_of(who));
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in piece.chunks(LONGEST_LINE) {
                open.extend_from_slice(piece);
                if open.ends_with(b"\n") || open.len() >= LONGEST_LINE {
                    self.line(who, &open);
                    open.clear();
                }
            }
        }
        *self.open_of(who) = open;
        // The file is read while the agent runs.
        if let Err(error) = self.file.flush() {
            self.failed.get_or_insert(error);
        }
    }

    /// Writes the rest, and a note about what was left out.
    pub(super) fn finish(mut self, path: &Path) -> io::Result<KeptTranscript> {
        for who in [Who::Stdin, Who::Stdout, Who::Stderr] {
            let open = std::mem::take(self.open_of(who));
            if !open.is_empty() {
                self.line(who, &open);
            }
        }
        if self.left_out > 0 {
            let note = format!("{} bytes are left out", self.left_out);
            self.write(Who::Note, &note);
        }
        match self.failed {
            Some(error) => return Err(error),
            None => self.file.flush()?,
        }
        Ok(KeptTranscript { path: path.to_owned(), sha256: hex(self.hash) })
    }

    fn open_of(&mut self, who: Who) -> &mut Vec<u8> {
        &mut self.open[match who {
            Who::Stdin => 0,
            Who::Stdout | Who::Note => 1,
            Who::Stderr => 2,
        }]
    }

    fn line(&mut self, who: Who, bytes: &[u8]) {
        if self.written >= MOST_BYTES {
            self.left_out += bytes.len() as u64;
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        self.write(who, text.strip_suffix('\n').unwrap_or(&text));
    }

    fn write(&mut self, who: Who, text: &str) {
        let ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let Ok(line) = serde_json::to_string(&Line { ms, stream: who, text }) else { return };
        let line = format!("{line}\n");
        self.written += line.len() as u64;
        self.hash.update(&line);
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.failed.get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn lines(path: &Path) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(path).unwrap();
        let line = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            (line["stream"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned())
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn a_transcript_is_open_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        assert!(!is_open(&path));
        let transcript = Transcript::create(&path).unwrap();
        assert!(is_open(&path) && is_open(&path));
        transcript.finish(&path).unwrap();
        assert!(!is_open(&path));
    }

    #[test]
    fn a_line_can_be_read_as_soon_as_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut transcript = Transcript::create(&path).unwrap();
        transcript.add(Who::Stdout, b"one\ntw");
        assert_eq!(lines(&path), [("stdout".to_owned(), "one".to_owned())]);
        transcript.add(Who::Stdout, b"o\n");
        assert_eq!(lines(&path).len(), 2);
    }

    #[test]
    fn lines_are_kept_whole_for_each_stream() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/t.jsonl");
        let mut transcript = Transcript::create(&path).unwrap();
        transcript.add(Who::Stdin, b"{}\n");
        transcript.add(Who::Stdout, b"one\ntw");
        transcript.add(Who::Stderr, b"\x1b[31mred\xff\n");
        transcript.add(Who::Stdout, b"o");
        let kept = transcript.finish(&path).unwrap();
        let expected =
            [("stdin", "{}"), ("stdout", "one"), ("stderr", "\u{1b}[31mred\u{fffd}"), ("stdout", "two")];
        assert_eq!(lines(&path), expected.map(|(stream, text)| (stream.to_owned(), text.to_owned())));
        let raw = std::fs::read(&path).unwrap();
        assert!(!raw.contains(&0x1b));
        assert_eq!(
            kept.sha256,
            Sha256::digest(&raw).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        assert_eq!(sha256(&path).unwrap(), kept.sha256);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn it_does_not_grow_beyond_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut transcript = Transcript::create(&path).unwrap();
        for _ in 0..1000 {
            transcript.add(Who::Stdout, &[b'x'; 16 * 1024]);
        }
        transcript.finish(&path).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < MOST_BYTES + 64 * 1024);
        let (stream, text) = lines(&path).pop().unwrap();
        assert_eq!(stream, "note");
        assert!(text.ends_with(" bytes are left out"), "{text}");
    }
}
