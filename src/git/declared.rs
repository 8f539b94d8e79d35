//! The sizes that packs and loose objects declare. They are added up before git sees them: a few kilobytes can unfold to more than
//! any memory holds, and a chain of small deltas keeps git busy for hours.

use std::io::{self, BufRead, BufReader, Read};

use gix::zlib::{Decompress, FlushDecompress, Status};

use super::HashKind;

/// Base and result of a delta are named in fewer bytes.
const DELTA_HEADER: usize = 20;
/// The longest header of a loose object.
const LOOSE_HEADER: usize = 32;
const OFS_DELTA: u8 = 6;
const REF_DELTA: u8 = 7;

/// The size of all objects of a pack together, also of those that deltas make. Reading stops once it is above `most`.
///
/// # Errors
/// The data is not a pack, or is truncated.
pub(crate) fn size_of_pack(pack: impl Read, hash: HashKind, most: u64) -> io::Result<u64> {
    let mut pack = BufReader::new(pack);
    let mut header = [0; 12];
    pack.read_exact(&mut header)?;
    let count = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    let mut all: u64 = 0;
    for _ in 0..count {
        let (kind, size) = entry(&mut pack)?;
        match kind {
            OFS_DELTA => while byte(&mut pack)? & 0x80 != 0 {},
            REF_DELTA => pack.read_exact(&mut vec![0; hash.len_in_bytes()])?,
            _ => {}
        }
        all = all.saturating_add(size);
        if all > most {
            return Ok(all);
        }
        let start = inflate(&mut pack, size)?;
        if kind == OFS_DELTA || kind == REF_DELTA {
            let mut start = start.as_slice();
            let _base = varint(&mut start)?;
            all = all.saturating_add(varint(&mut start)?);
        }
    }
    Ok(all)
}

/// The size that the header of a loose object declares; `None` if it has none.
pub(crate) fn size_of_loose(object: impl Read) -> Option<u64> {
    let mut compressed = Vec::new();
    object.take(256).read_to_end(&mut compressed).ok()?;
    let mut start = [0; LOOSE_HEADER];
    let mut inflate = Decompress::new();
    // The buffer holds only the start of the object, so this may stop early without an error.
    let _ = inflate.decompress(&compressed, &mut start, FlushDecompress::None);
    let header = start.split(|byte| *byte == 0).next()?;
    let (_, size) = str::from_utf8(header).ok()?.split_once(' ')?;
    size.parse().ok()
}

/// The kind of an entry, and the size of what is compressed in it.
fn entry(pack: &mut impl Read) -> io::Result<(u8, u64)> {
    let mut now = byte(pack)?;
    let (kind, mut size, mut shift) = (now >> 4 & 7, u64::from(now & 0x0f), 4);
    while now & 0x80 != 0 {
        now = byte(pack)?;
        size |= bits(now, shift)?;
        shift += 7;
    }
    Ok((kind, size))
}

fn varint(from: &mut impl Read) -> io::Result<u64> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let now = byte(from)?;
        value |= bits(now, shift)?;
        shift += 7;
        if now & 0x80 == 0 {
            return Ok(value);
        }
    }
}

fn bits(byte: u8, shift: u32) -> io::Result<u64> {
    if shift < 57 { Ok(u64::from(byte & 0x7f) << shift) } else { Err(io::ErrorKind::InvalidData.into()) }
}

fn byte(from: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Skips a compressed stream of `size` bytes. Returns its beginning.
fn inflate(from: &mut impl BufRead, size: u64) -> io::Result<Vec<u8>> {
    let mut state = Decompress::new();
    let (mut start, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let input = from.fill_buf()?;
        let is_at_end = input.is_empty();
        let status = state.decompress(input, &mut buffer, FlushDecompress::None).map_err(io::Error::other)?;
        let used = usize::try_from(state.total_in() - read).unwrap_or(usize::MAX);
        let made = usize::try_from(state.total_out() - written).unwrap_or(usize::MAX);
        from.consume(used);
        let wanted = DELTA_HEADER.saturating_sub(start.len());
        start.extend(buffer[..made].iter().take(wanted));
        if state.total_out() > size {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match status {
            Status::StreamEnd => return Ok(start),
            _ if is_at_end || (used == 0 && made == 0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;

    fn git(folder: &Path, words: &[&str], stdin: &str) -> Vec<u8> {
        use std::io::Write;
        let mut command = Command::new("git");
        command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words:?}");
        output.stdout
    }

    #[test]
    fn what_deltas_make_counts() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        git(at, &["init", "-q"], "");
        let lines: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
        let mut ids = String::new();
        let mut sum = 0;
        for n in 0..5 {
            let text = format!("{lines}{n}\n");
            sum += text.len() as u64;
            let id = String::from_utf8(git(at, &["hash-object", "-w", "--stdin"], &text)).unwrap();
            let path = at.join(".git/objects").join(&id[..2]).join(id[2..].trim());
            let loose = fs::File::open(path).unwrap();
            assert_eq!(size_of_loose(loose), Some(text.len() as u64));
            ids.push_str(&id);
        }
        for options in [&["--delta-base-offset"][..], &[]] {
            let words = [&["pack-objects", "--stdout", "--quiet"], options].concat();
            let pack = git(at, &words, &ids);
            assert!(pack.len() < lines.len(), "they are deltas");
            let size = |most| size_of_pack(pack.as_slice(), HashKind::Sha1, most).unwrap();
            assert!((sum..sum + 1000).contains(&size(u64::MAX)), "{}", size(u64::MAX));
            assert!(size(1000) > 1000);
            assert!(size_of_pack(&pack[..pack.len() / 2], HashKind::Sha1, u64::MAX).is_err());
        }
        assert_eq!(size_of_loose(&b"nothing"[..]), None);
    }
}
